"""Sweep of a machine over the speed of its drive: statistics of shafts, meshes and bearings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.case.machine_analysis import MachineStatic
from alegear.case.sweep import SweepAnalysis
from alegear.progress import Silent
from alegear.results.machine_sweep import MachineSweep
from alegear.results.sweep_result import SweepHistory
from alegear.studies.machine.dynamic import MachineDynamicStudy
from alegear.studies.machine.motion_record import MACHINE
from alegear.studies.machine.reference_pitch import pitch_of_drive, reference_mesh
from alegear.studies.static import StaticStudy
from alegear.studies.sweep import REST_POSITIONS, PairAtRest, amplitudes_of, pair_response, stretches_of, told_orders

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase

Array = NDArray[np.float64]

#: Lines that lie closer, over the pitches of the counted mesh, are one: of trains whose meshes have a simple ratio.
APART = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshLines:
    """Orders of all meshes of a machine over the pitches of the one that is counted.

    Attributes
    ----------
    pitch : float [rad]
        Rotation of the drive in a pitch of the counted mesh.
    orders : shape (m,)
        Of each mesh.
    ratio : shape (n_meshes,)
        Pitches of each mesh in one of the counted mesh.
    """

    pitch: float
    orders: Array
    ratio: Array

    @classmethod
    def of(cls, case: MachineCase, orders: Array) -> MeshLines:
        """Lines of the meshes of a case."""
        pitch = pitch_of_drive(reference_mesh(case))
        return cls(pitch=pitch, orders=orders, ratio=np.array([pitch / pitch_of_drive(p) for p in case.layout.meshes]))

    @property
    def shape(self) -> tuple[int, int]:
        """Meshes and orders."""
        return len(self.ratio), len(self.orders)

    def amplitudes(self, phase: Array, signal: Array) -> Array:
        """Amplitudes of all lines in a stretch of signals (n, ...) over the counted pitches, (n_meshes, m, ...).

        All lines are fitted together, so that none leaks into another; two that coincide have the amplitude of both.
        """
        lines = (self.ratio[:, None] * self.orders).ravel()
        apart: list[float] = []
        which = np.empty(len(lines), dtype=np.int64)
        for i in np.argsort(lines):
            if not apart or lines[i] - apart[-1] > APART:
                apart.append(float(lines[i]))
            which[i] = len(apart) - 1
        found = amplitudes_of(phase, signal, np.array(apart))[which]
        return found.reshape(*self.shape, *signal.shape[1:])


def meshes_at_rest(study: MachineDynamicStudy, positions: int = REST_POSITIONS) -> dict[str, PairAtRest]:
    """Flexible meshes over a pitch of the slowest mesh, the machine in equilibrium at the torques of the sweep.

    Raises
    ------
    NonConvergence
    """
    case = study.case
    drives = tuple(replace(one, speed=one.largest_speed, speed_table=None) for one in case.drives)
    standing = replace(case, analysis=MachineStatic(positions_per_pitch=positions), drives=drives)
    rest = StaticStudy(standing, study.prepared)
    rest.run(Silent())
    return {name: PairAtRest.of_recorder(recorder) for name, recorder in rest.recorders.items()}


def mesh_response(study: MachineDynamicStudy, mesh: str, rest: PairAtRest) -> SweepHistory:
    """Statistics of a flexible mesh over stretches of its own pitches."""
    assert isinstance(study.analysis, SweepAnalysis)
    study.record.flush()
    return pair_response(study.record.samples.part(mesh), study.analysis, rest, study.layout.place(mesh).pair.pinion.z)


def machine_response(study: MachineDynamicStudy) -> MachineSweep:
    """Statistics of shafts, meshes and bearings over stretches of pitches of the slowest mesh."""
    assert isinstance(study.analysis, SweepAnalysis)
    study.record.flush()
    samples, names = study.record.samples.part(MACHINE), study.record.of_machine.names
    time, angle = samples.read("time"), samples.read("drive_angle")
    blocks = stretches_of(study.analysis, time, angle / pitch_of_drive(reference_mesh(study.case)))
    n = len(blocks)
    middle, speed = np.full(n, np.nan), np.full(n, np.nan)
    lines = MeshLines.of(study.case, told_orders(study.analysis))
    seats = [study.record.of_machine.places.index(one.place) for one in study.case.bearings]
    by_order = {
        "transmission_error_order": np.full((n, *lines.shape), np.nan),
        "bearing_force_order": np.full((n, *lines.shape, len(names["bearing"]), 3), np.nan),
        "bearing_displacement_order": np.full((n, *lines.shape, len(names["bearing"]), 3), np.nan),
    }
    turned = np.full((2, n, len(names["shaft"])), np.nan)
    forces = {name: np.full((2, n, len(names[name])), np.nan) for name in ("mesh", "bearing")}
    for i, (_, b) in enumerate(blocks):
        error = samples.read("rotation_error", b.start, b.stop)
        middle[i], speed[i] = 0.5 * (time[b][0] + time[b][-1]), np.ptp(angle[b]) / np.ptp(time[b])
        turned[:, i] = error.std(axis=0), np.ptp(error, axis=0)
        for name, found in forces.items():
            size = np.linalg.norm(samples.read(f"{name}_force", b.start, b.stop), axis=2)
            found[:, i] = size.mean(axis=0), size.max(axis=0)
        counted = angle[b] / lines.pitch
        errors = lines.amplitudes(counted, samples.read("transmission_error", b.start, b.stop))
        by_order["transmission_error_order"][i] = np.einsum("mom->mo", errors)
        for name, of in (("force", "bearing_force"), ("displacement", "displacement")):
            values = samples.read(of, b.start, b.stop)
            values = values[:, seats] if of == "displacement" else values
            by_order[f"bearing_{name}_order"][i] = lines.amplitudes(counted, values)
    return MachineSweep(
        names={name: names[name] for name in ("shaft", "mesh", "bearing")},
        time=middle,
        orders=lines.orders,
        direction=np.array([direction for direction, _ in blocks]),
        drive_speed=speed,
        rotation_error_rms=turned[0],
        rotation_error_peak_to_peak=turned[1],
        mesh_force_mean=forces["mesh"][0],
        mesh_force_max=forces["mesh"][1],
        bearing_force_mean=forces["bearing"][0],
        bearing_force_max=forces["bearing"][1],
        **by_order,
    )
