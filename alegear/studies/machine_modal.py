"""Modal study of a machine: natural vibrations about its equilibrium, standing still and turning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.case.analysis import MachineStatic, ModalAnalysis
from alegear.case.mesh_period import planet_meshes
from alegear.drivetrain.gear_mesh import PreparedMesh
from alegear.drivetrain.machine import MachineSystem
from alegear.drivetrain.place_names import shaft_of
from alegear.progress import Progress
from alegear.recording.machine import MachineRecord
from alegear.results.machine_modes import MachineModes
from alegear.studies.mesh_damping import STIFFNESS_POSITIONS
from alegear.studies.static import StaticStudy
from alegear.system.linearised import Linearised
from alegear.system.modes import SystemModes, complex_modes, real_modes
from alegear.system.profiles import PiecewiseCubic

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.studies.preparation import PreparedPair

Array = NDArray[np.float64]


class MachineModalStudy:
    """Modes of a machine on the mean stiffness of its meshes under load.

    The tangents of the contact, in rotations and displacements of both gears, are averaged over a pitch of the mesh
    whose teeth follow each other most slowly. Drives stand still, or turn as they are prescribed. Without a drive
    nothing loads the machine and nothing holds its rotation: teeth of planetary sets are then bonded where they would
    carry if the first central gear drove counterclockwise. Motions without stiffness are left out.
    """

    def __init__(self, case: MachineCase, prepared: Mapping[str, PreparedPair]) -> None:
        assert isinstance(case.analysis, ModalAnalysis)
        self.case, self.prepared, self.analysis = case, prepared, case.analysis
        positions = MachineStatic()
        if case.layout.meshes or planet_meshes(case):
            positions = MachineStatic(positions_per_pitch=STIFFNESS_POSITIONS)
        self.static: StaticStudy | None = None
        if case.drives:
            self.static = StaticStudy(replace(case, analysis=positions), prepared)
        self.modes: SystemModes | None = None
        self.turning: SystemModes | None = None

    def __len__(self) -> int:
        """Return the number of modes found."""
        return 0 if self.modes is None else len(self.modes.frequencies)

    def run(self, progress: Progress) -> None:
        """Solve the positions, then the modes.

        Raises
        ------
        NonConvergence
        """
        self.system = self._without_load() if self.static is None else self._under_load(self.static, progress)
        n = self.analysis.n_modes
        self.modes = real_modes(Linearised.of(self.system.model)).elastic().lowest(n)
        speeds = {drive.name: abs(drive.largest_speed or 0.0) for drive in self.case.drives}
        v = np.zeros(self.system.model.n)
        for drive, speed in speeds.items():
            v += self.system.nominal(drive, speed)
        self.turning = complex_modes(Linearised.of(self.system.model, v=v)).elastic().lowest(n)

    def _under_load(self, static: StaticStudy, progress: Progress) -> MachineSystem:
        """The machine linearised about its positions, with drives that stand still."""
        static.run(progress)
        parts = {}
        for place in self.case.layout.meshes:
            name = place.mesh.name
            ready = replace(static.solver.ready[name], tangents=self._tangents(static, name))
            parts[name] = place.mesh.law.in_modes(ready)
        still = {drive.name: PiecewiseCubic.constant(0.0) for drive in self.case.drives}
        loaded, x = static.solver.system.model, np.array([one.x for one in static.positions])
        return static.solver.machine.linearised(loaded, x).build(parts, speeds=still, locked=True)

    def _without_load(self) -> MachineSystem:
        """The machine linearised where it was built."""
        ready = {place.mesh.name: PreparedMesh(stiffness=place.first_stiffness) for place in self.case.layout.meshes}
        meshes = [place.mesh for place in self.case.layout.meshes]
        machine = self.case.machine
        springs = {mesh.name: mesh.law.on_springs(ready[mesh.name]) for mesh in meshes}
        model = machine.on_springs.build(springs, moves=False, locked=True).model
        x = np.zeros((1, model.n))
        parts = {mesh.name: mesh.law.in_modes(ready[mesh.name]) for mesh in meshes}
        return machine.linearised(model, x, bonded=True).build(parts, locked=True)

    @staticmethod
    def _tangents(static: StaticStudy, mesh: str) -> list[Array]:
        """Derivatives of the forces of a contact by its coordinates at all positions; of another mesh none."""
        found = [one.forces[mesh].by_coordinate for one in static.positions if mesh in one.forces]
        return [tangent for tangent in found if tangent is not None]

    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for."""
        found = [] if self.static is None else self.static.all_warnings()
        layout = self.case.layout
        for part in self.case.parts:
            carrier = shaft_of(part.places.get("carrier", ""))
            drive = layout.drive_of.get(carrier)
            if part.elastic and drive is not None and layout.ratio[carrier] and drive.largest_speed:
                found.append(
                    f"{part.name}: its planets stand in the modes of the machine that turns, which have the gyroscopic "
                    "moments of all that turns and not that planets go round with their carrier"
                )
        return found

    def history(self) -> MachineModes:
        """What was found."""
        assert self.modes is not None
        assert self.turning is not None
        parts, shares = self.modes.energy_shares()
        names, sums = _headings(self.case, parts)
        record = MachineRecord(self.system)
        shapes = np.real(self.modes.of_largest()).T
        moved, of_sets = record.displacements(shapes), self._of_sets(record, self.modes, shapes)
        _, whirl = self.turning.whirl()
        return MachineModes(
            frequency=self.modes.frequencies / (2.0 * math.pi),
            parts=names,
            energy_share=sums @ shares,
            turning_energy_share=sums @ self.turning.energy_shares()[1],
            turning_frequency=self.turning.frequencies / (2.0 * math.pi),
            damping_ratio=self.turning.damping_ratios,
            whirl=self.turning.whirl_of_modes() if len(whirl) else np.zeros(len(self.turning.frequencies)),
            shafts=tuple(shaft.name for shaft in self.case.shafts),
            rotation=record.rotations(shapes),
            places=tuple(record.places),
            displacement=moved["displacement"],
            tilt=moved["tilt"],
            speed={name: speed * 30.0 / math.pi for name, speed in self._speeds().items()},
            **of_sets,
        )

    @staticmethod
    def _of_sets(record: MachineRecord, modes: SystemModes, shapes: Array) -> dict[str, Any]:
        """Motions of the members of planetary sets in shapes (m, n), and what kind of modes they are."""
        planets = record.planets
        if not planets.sets:
            return {}
        return {
            "sets": tuple(one.name for one in planets.sets),
            "members": tuple(planets.members),
            **planets.moved(shapes),
            **planets.outlines(),
            "kind": np.array(planets.kinds(modes)).reshape(len(shapes), len(planets.sets)),
        }

    def _speeds(self) -> dict[str, float]:
        layout = self.case.layout
        return {
            shaft.name: layout.ratio[shaft.name] * abs(layout.drive_of[shaft.name].largest_speed or 0.0)
            for shaft in self.case.shafts
            if shaft.name in layout.drive_of
        }


def _headings(case: MachineCase, parts: tuple[str, ...]) -> tuple[tuple[str, ...], Array]:
    """Shafts as a whole in place of their stretches: the names, and which parts each of them is made of."""
    names: list[str] = []
    of = []
    for part in parts:
        plain = part.removeprefix("modes of ")
        shaft = next((one.name for one in case.shafts if plain.startswith(f"{one.name}@")), part)
        if shaft not in names:
            names.append(shaft)
        of.append(names.index(shaft))
    sums = np.zeros((len(names), len(parts)))
    sums[of, np.arange(len(parts))] = 1.0
    return tuple(names), sums
