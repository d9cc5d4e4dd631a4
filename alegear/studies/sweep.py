"""Sweep over the speed: a run-up, and a run-down from the state it ends in; statistics take the place of curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.case.analysis import MachineStatic
from alegear.case.sweep import SweepAnalysis, resolved_orders
from alegear.contact.numbering import GEARS
from alegear.progress import Silent
from alegear.recording.recorder import ContactRecorder
from alegear.results import signals
from alegear.results.dataset import ResultArrays
from alegear.results.variables import AXES, MACHINE_SWEEP, PAIR_SWEEP
from alegear.storage.recorded_samples import Samples
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.motion_record import MACHINE
from alegear.studies.reference_pitch import pitch_of_drive, reference_mesh
from alegear.studies.static import StaticStudy

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase


#: Lines that lie closer, over the pitches of the counted mesh, are one: of trains whose meshes have a simple ratio.
APART = 1e-6
HALF = 0.5  # order of motions that repeat after two pitches
REST_POSITIONS = 32  # of a pitch, at which the pair at rest is looked at
#: Variables by order, and the samples they are taken of.
OF_ORDERS = {
    "transmission_error_order": "transmission_error",
    "bearing_force_order": "bearing_force",
    "bearing_displacement_order": "displacement",
}


@dataclass(frozen=True, kw_only=True)
class PairAtRest:
    """Largest tooth load [N] and root stress of both gears [Pa] over a pitch at rest."""

    tooth_load: float
    root_stress: tuple[float, float]

    @classmethod
    def of_recorder(cls, recorder: ContactRecorder) -> PairAtRest:
        """From positions that were recorded."""
        stress = recorder.root_stress
        return cls(
            tooth_load=float(recorder.tooth_load.max()),
            root_stress=(float(np.nanmax(stress[:, 0])), float(np.nanmax(stress[:, 1]))),
        )


def stretches_of(analysis: SweepAnalysis, time: Array, phase: Array) -> list[tuple[float, slice]]:
    """Stretches of whole pitches after the settling, with the sign of the change of speed: 1 run-up, -1 run-down."""
    first = int(np.searchsorted(time, analysis.settling))
    reversal_time = len(time) if analysis.reversal_time is None else int(np.searchsorted(time, analysis.reversal_time))
    blocks: list[tuple[float, slice]] = []
    for begin, end in ((first, reversal_time), (reversal_time, len(time))):
        stretches = signals.pitch_blocks(phase[begin:end], analysis.pitches)
        direction = _direction(time[begin:end], phase[begin:end])
        blocks += [(direction, slice(begin + b.start, begin + b.stop)) for b in stretches]
    return blocks


def _direction(time: Array, phase: Array) -> float:
    """Whether the speed rises, 1, or falls, -1: at half the time less of the phase has gone by, or more."""
    if len(time) < 2:
        return 1.0
    middle = float(np.interp(0.5 * (time[0] + time[-1]), time, phase))
    return 1.0 if middle <= 0.5 * (phase[0] + phase[-1]) else -1.0


def reported_orders(analysis: SweepAnalysis) -> Array:
    """Reported orders of the mesh: one half, and 1, 2, ... as many as the analysis has."""
    return np.array([HALF, *range(1, analysis.highest_order + 1)], dtype=float)


def amplitudes_of(phase: Array, signal: Array, orders: Array) -> Array:
    """Amplitudes (m, ...) of orders in a stretch of signals (n, ...); NaN from where the samples do not resolve."""
    most = resolved_orders((len(phase) - 1) / float(np.ptp(phase)))
    found = np.full((len(orders), *signal.shape[1:]), np.nan)
    resolved = orders <= most
    found[resolved] = signals.order_amplitudes(phase, signal, orders[resolved].tolist())
    return found


def mesh_statistics(samples: Samples, analysis: SweepAnalysis, rest: PairAtRest | None, teeth: int) -> ResultArrays:
    """Statistics of the samples of a mesh.

    Parameters
    ----------
    samples : Samples
    analysis : SweepAnalysis
    rest : PairAtRest or None
        None: there is nothing at rest to compare with.
    teeth : int
        Of the pinion.
    """
    time, phase = samples.read("time"), samples.read("phase")
    blocks = stretches_of(analysis, time, phase)
    n, of_pinion = len(blocks), 2.0 * np.pi / teeth
    values = {
        name: np.full(n, np.nan)
        for name in (
            "time", "mesh_frequency", "transmission_error_mean", "transmission_error_rms",
            "transmission_error_peak_to_peak", "contact_loss_share", "tooth_load_factor",
        )
    }  # fmt: skip
    orders, factors = reported_orders(analysis), np.full((n, 2), np.nan)
    sampled = {name: of for name, of in OF_ORDERS.items() if of in samples.layout}
    by_order = {name: np.full((n, len(orders), *samples.layout[of].shape), np.nan) for name, of in sampled.items()}
    for i, (_, b) in enumerate(blocks):
        te, load, stress = (
            samples.read(name, b.start, b.stop) for name in ("transmission_error", "tooth_load", "root_stress")
        )
        values["time"][i] = 0.5 * (time[b][0] + time[b][-1])
        values["mesh_frequency"][i] = np.ptp(phase[b]) / np.ptp(time[b])
        values["transmission_error_mean"][i] = signals.mean(te)
        values["transmission_error_rms"][i] = signals.rms(te)
        values["transmission_error_peak_to_peak"][i] = signals.peak_to_peak(te)
        values["contact_loss_share"][i] = float(np.mean(~(load != 0.0).any(axis=1)))  # back flanks count negative
        for name, of in sampled.items():
            by_order[name][i] = amplitudes_of(phase[b], samples.read(of, b.start, b.stop), orders)
        if rest is not None:
            values["tooth_load_factor"][i] = float(load.max()) / rest.tooth_load
            factors[i] = [float(np.nanmax(stress[:, gear])) / rest.root_stress[gear] for gear in range(2)]
    of_gears = "bearing_force_order" in by_order  # a mesh of a machine has no bearings of its own
    return ResultArrays(
        analysis="sweep",
        variables=PAIR_SWEEP,
        sample_dim="point",
        values={
            **values,
            "pinion_speed": values["mesh_frequency"] * of_pinion,
            "direction": np.array([direction for direction, _ in blocks]),
            "root_stress_factor": factors,
            **by_order,
        },
        labels={"gear": GEARS, "order": orders, **({"axis": AXES} if of_gears else {})},
        words={"axis": "axis of the pinion's frame"},
    )


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


def meshes_at_rest(study: DynamicStudy, positions: int = REST_POSITIONS) -> dict[str, PairAtRest]:
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


def mesh_response(study: DynamicStudy, mesh: str, rest: PairAtRest | None) -> ResultArrays:
    """Statistics of a flexible mesh over stretches of its own pitches."""
    assert isinstance(study.analysis, SweepAnalysis)
    study.flush()
    teeth = study.layout.place(mesh).pair.pinion.z
    return mesh_statistics(study.samples.part(mesh), study.analysis, rest, teeth)


def machine_response(study: DynamicStudy) -> ResultArrays:
    """Statistics of shafts, meshes and bearings over stretches of pitches of the slowest mesh."""
    assert isinstance(study.analysis, SweepAnalysis)
    study.flush()
    samples, names = study.samples.part(MACHINE), study.of_machine.names
    time, angle = samples.read("time"), samples.read("drive_angle")
    blocks = stretches_of(study.analysis, time, angle / pitch_of_drive(reference_mesh(study.case)))
    n = len(blocks)
    middle, speed = np.full(n, np.nan), np.full(n, np.nan)
    lines = MeshLines.of(study.case, reported_orders(study.analysis))
    seats = [study.of_machine.places.index(one.place) for one in study.case.bearings]
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
    return ResultArrays(
        analysis="sweep",
        variables=MACHINE_SWEEP,
        sample_dim="point",
        values={
            "time": middle,
            "direction": np.array([direction for direction, _ in blocks]),
            "drive_speed": speed,
            "rotation_error_rms": turned[0],
            "rotation_error_peak_to_peak": turned[1],
            "mesh_force_mean": forces["mesh"][0],
            "mesh_force_max": forces["mesh"][1],
            "bearing_force_mean": forces["bearing"][0],
            "bearing_force_max": forces["bearing"][1],
            **by_order,
        },
        labels={**{name: names[name] for name in ("shaft", "mesh", "bearing")}, "order": lines.orders, "axis": AXES},
        attributes={"machine": 1},
    )
