"""Modal study: natural vibrations of a machine under load, standing still and turning, of two gears likewise.

The machine is linearised about its equilibria over a pitch. Rigid wheels vibrate on the mean tangents of their meshes;
with normal modes of the wheels, and of two gears on supports, modes about each position are averaged, because teeth
pass by: a mean stiffness would hold the wheels at all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.case import pair_machine
from alegear.case.analysis import MachineStatic, ModalAnalysis
from alegear.case.mesh_period import planet_meshes
from alegear.drivetrain.gear_mesh import MeshPart, PreparedMesh
from alegear.drivetrain.machine import MachineParts, MachineSystem
from alegear.drivetrain.place_names import shaft_of
from alegear.progress import Progress
from alegear.recording.machine import MachineRecord
from alegear.results.dataset import ResultArrays
from alegear.results.modal_result import machine_modes_summary
from alegear.results.variables import AXES, MACHINE_MODES, MODES_OF_SETS, MODES_OF_WHEELS
from alegear.studies.averaged_modes import AveragedModes
from alegear.studies.equilibria import MachinePosition
from alegear.studies.fields import write_mode_fields
from alegear.studies.mesh_damping import STIFFNESS_POSITIONS
from alegear.studies.mesh_modes import MeshModes, VibratingTeeth
from alegear.studies.meshes import machine_of
from alegear.studies.reference_pitch import START_PHASE, pitch_of_drive, reference_mesh
from alegear.studies.static import StaticStudy
from alegear.system.linearised import Linearised
from alegear.system.modes import SystemModes, complex_modes, real_modes
from alegear.system.profiles import PiecewiseCubic

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.studies.preparation import PreparedPair


class ModalStudy:
    """Natural vibrations about the equilibria under load, with drives that stand still, or turn as prescribed.

    The pitch is that of the mesh whose teeth follow each other most slowly. Without a drive nothing loads the machine
    and nothing holds its rotation: teeth of planetary sets are then bonded where they would carry if the first central
    gear drove counterclockwise. Motions without stiffness are left out.

    Parameters
    ----------
    case : MachineCase
    prepared : mapping of str to PreparedPair
        Of the meshes that are contacts.

    Attributes
    ----------
    meshes : mapping of str to MeshModes
        Flexible meshes whose wheels have modes, by name: of two gears by themselves, and where wheels vibrate.
    modes : AveragedModes
        Standing still, of a machine that is no pair.
    about : list of (SystemModes, mapping of str to VibratingTeeth)
        Modes about each position, and the meshes there, where they are found one by one.
    standing : MachineSystem
        Whose modes they are, that of the first position.
    turning : SystemModes
        Of a machine that is no pair, wheels without elastic inertia.
    """

    def __init__(self, case: MachineCase, prepared: Mapping[str, PreparedPair]) -> None:
        assert isinstance(case.analysis, ModalAnalysis)
        self.case, self.prepared, self.analysis = case, prepared, case.analysis
        self.meshes: dict[str, MeshModes] = {}
        self.about: list[tuple[SystemModes, Mapping[str, VibratingTeeth]]] = []
        self.standing: MachineSystem | None = None
        self.modes: AveragedModes | None = None
        self.static: StaticStudy | None = None
        if case.drives:
            loaded = case
            if case.preset is not None:  # positions are those of the driven gear, whatever shafts wind up behind it
                loaded = pair_machine.machine_of(replace(case.preset, shafts=(None, None)))
            positions = MachineStatic()
            if case.layout.meshes or planet_meshes(case):
                positions = MachineStatic(positions_per_pitch=STIFFNESS_POSITIONS)
            self.static = StaticStudy(replace(loaded, analysis=positions), prepared, turned=self._turned())

    def _turned(self) -> Array | None:
        """Rotations of the drive [rad] at the positions, where these are not those of a static study."""
        if self.analysis.phase is not None:
            phases = np.array([self.analysis.phase])
        elif self.case.preset is not None:
            phases = -0.5 + (np.arange(STIFFNESS_POSITIONS) + 0.5) / STIFFNESS_POSITIONS
        else:
            return None
        turned: Array = (phases - START_PHASE) * pitch_of_drive(reference_mesh(self.case))
        return turned

    @property
    def _one_by_one(self) -> bool:
        """Whether modes are those about each position."""
        preset = self.case.preset
        return bool(self.analysis.normal_modes) or (preset is not None and any(preset.supports))

    def __len__(self) -> int:
        """Return the number of modes."""
        if self.case.preset is not None:
            return self.analysis.n_modes
        return 0 if self.modes is None else len(self.modes.frequencies)

    # --------------------------------------------------------------------- run
    def run(self, progress: Progress) -> None:
        """Find the equilibria, then the modes about them.

        Raises
        ------
        NonConvergence
        """
        if self.static is not None:
            self._under_load(self.static, progress)
        if self.case.preset is not None:
            return
        n = self.analysis.n_modes
        mean = self._without_load() if self.static is None else self._standing(self.static, self.static.positions, {})
        self.standing = self.standing or mean
        found = [modes for modes, _ in self.about] or [real_modes(Linearised.of(mean.model))]
        self.modes = AveragedModes(positions=[modes.elastic().lowest(n) for modes in found])
        speeds = {drive.name: abs(drive.largest_speed or 0.0) for drive in self.case.drives}
        v = np.zeros(mean.model.n)
        for drive, speed in speeds.items():
            v += mean.nominal(drive, speed)
        self.turning = complex_modes(Linearised.of(mean.model, v=v)).elastic().lowest(n)

    def _under_load(self, static: StaticStudy, progress: Progress) -> None:
        """Solve the positions, and linearise what vibrates about each."""
        wheels = self.case.preset is not None or self.analysis.normal_modes
        for place in self.case.layout.meshes if wheels else ():
            name = place.mesh.name
            if name in self.prepared:
                self.meshes[name] = MeshModes.of(
                    place,
                    self.prepared[name],
                    replace(static.solver.solvers[name], displaces=False),
                    listed=self.analysis.n_modes,
                    n=self.analysis.normal_modes,
                )
        static.run(progress)
        for position in static.positions:
            teeth = {}
            for name, mesh in self.meshes.items():
                (phase,) = static.phases(mesh.place, [position])
                found = mesh.at(static.solver.system.contacts[name], position, float(phase))
                if found is not None:
                    teeth[name] = found
            if self._one_by_one:
                self.about.append((self._modes_at(static, position, teeth), teeth))

    def _modes_at(
        self, static: StaticStudy, position: MachinePosition, teeth: Mapping[str, VibratingTeeth]
    ) -> SystemModes:
        """Modes about a position whose teeth stand still."""
        system = self._standing(static, [position], teeth)
        x = system.model.resting()
        for name in teeth:
            for gear in self.case.layout.place(name).mesh.gears:
                x[system.rotation(gear)] = position.x[static.solver.system.rotation(gear)]
        self.standing = self.standing or system
        return real_modes(Linearised.of(system.model, x=x))

    def _standing(
        self, static: StaticStudy, positions: Sequence[MachinePosition], teeth: Mapping[str, VibratingTeeth]
    ) -> MachineSystem:
        """The machine linearised about positions, on the mean tangents of meshes other than `teeth`; drives stand."""
        parts: dict[str, MeshPart] = {name: one.teeth for name, one in teeth.items()}
        for place in self.case.layout.meshes:
            name = place.mesh.name
            if name not in parts:
                ready = replace(static.solver.ready[name], tangents=_tangents(positions, name))
                parts[name] = place.mesh.law.in_modes(ready)
        wheels = {name: one.wheels for name, one in teeth.items() if one.wheels is not None}
        machine = self.machine.linearised(static.solver.system.model, np.array([one.x for one in positions]))
        return machine.build(parts, speeds=self.still, modes=wheels, locked=True)

    @cached_property
    def machine(self) -> MachineParts:
        """What vibrates; of two gears with their torsional shafts."""
        if self.case.preset is not None or self.static is None:
            return machine_of(self.case, self.prepared)
        return self.static.solver.machine

    @property
    def still(self) -> dict[str, PiecewiseCubic]:
        """Drives that stand still."""
        return {drive.name: PiecewiseCubic.constant(0.0) for drive in self.case.drives}

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

    # ------------------------------------------------------------------ result
    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for."""
        found = [] if self.static is None else self.static.all_warnings()
        if self.analysis.normal_modes:
            found.append(
                "modes of the machine that turns are those of wheels without elastic inertia: from a wheel that turns "
                "its normal modes look different"
            )
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

    def summary(self, history: ResultArrays, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Summary, with the facts of the run."""
        return machine_modes_summary(history, facts)

    def write_fields(self, folder: Path, progress: Progress) -> None:
        """Write the whole wheels in their modes, bores held, where these are found."""
        if self.meshes:
            progress.stage("fields")
            wheels = [(mesh.place, mesh.held) for mesh in self.meshes.values()]
            write_mode_fields(folder, wheels, self.analysis.n_modes, progress)

    def history(self) -> ResultArrays:
        """What was found of a machine that is no pair.

        Variables of :data:`MACHINE_MODES`, of :data:`MODES_OF_WHEELS` where wheels vibrate, of :data:`MODES_OF_SETS` of
        planetary sets.
        """
        assert self.modes is not None
        assert self.standing is not None
        parts, shares = self.modes.energy_shares()
        names, sums = _headings(self.case, parts)
        of_turning = np.zeros((len(parts), len(self.turning.frequencies)))
        for name, share in zip(*self.turning.energy_shares(), strict=True):
            of_turning[parts.index(name)] = share
        record, mean = MachineRecord(self.standing), self.modes.mean()
        shapes = np.real(mean.shapes).T
        of_sets = self._of_sets(record, mean, shapes)
        _, whirl = self.turning.whirl()
        labels: dict[str, Any] = {
            "mode": 1 + np.arange(len(self.modes.frequencies)),
            "turning_mode": 1 + np.arange(len(self.turning.frequencies)),
            "part": names,
            "shaft": tuple(shaft.name for shaft in self.case.shafts),
            "place": tuple(record.places),
            "axis": AXES,
            **(self.labels_of_wheels if self.meshes else {}),
        }
        if of_sets:
            labels |= {name: of_sets.pop(name) for name in ("planetary_set", "member")}
        values = {
            "frequency": self.modes.frequencies / (2.0 * math.pi),
            "energy_share": (sums @ shares).T,
            "turning_frequency": self.turning.frequencies / (2.0 * math.pi),
            "turning_energy_share": (sums @ of_turning).T,
            "damping_ratio": self.turning.damping_ratios,
            "whirl": self.turning.whirl_of_modes() if len(whirl) else np.zeros(len(self.turning.frequencies)),
            "rotation": record.rotations(shapes),
            **record.displacements(shapes),
            **of_sets,
            **self.values_of_wheels(),
        }
        return ResultArrays(
            analysis="modal",
            variables=MACHINE_MODES | MODES_OF_WHEELS | MODES_OF_SETS,
            values=values,
            labels=labels,
            words={"part": "where the energy is"},
            attributes={"machine": 1},
        )

    @property
    def labels_of_wheels(self) -> dict[str, Any]:
        """Gears whose wheels have modes, and the numbers of these."""
        return {
            "gear": tuple(gear for mesh in self.meshes.values() for gear in mesh.place.mesh.gears),
            "wheel_mode": np.arange(1, self.analysis.n_modes + 1),
        }

    def values_of_wheels(self) -> dict[str, Any]:
        """Variables of :data:`MODES_OF_WHEELS`, by gear of the meshes in turn."""
        n, values = self.analysis.n_modes, {}
        for kind in ("held", "free") if self.meshes else ():
            wheels = [one for mesh in self.meshes.values() for one in getattr(mesh, kind)]
            values[f"{kind}_frequency"] = np.array([one.frequencies[:n] for one in wheels]) / (2.0 * np.pi)
            values[f"{kind}_nodal_diameter"] = np.array([one.nodal_diameters[:n] for one in wheels])
        told = [shares for mesh in self.meshes.values() if (shares := mesh.deflection_shares) is not None]
        if told:  # by all meshes or none: law "penalty" goes without normal modes, and has no others in machines
            values["held_deflection_share"] = np.array([one[:n] for both in told for one in both])
        return values

    @staticmethod
    def _of_sets(record: MachineRecord, modes: SystemModes, shapes: Array) -> dict[str, Any]:
        """Motions of the members of planetary sets in shapes (m, n), and what kind of modes they are."""
        planets = record.planets
        if not planets.sets:
            return {}
        return {
            "planetary_set": tuple(one.name for one in planets.sets),
            "member": tuple(planets.members),
            **planets.moved(shapes),
            **planets.outlines(),
            "kind": np.array(planets.kinds(modes)).reshape(len(shapes), len(planets.sets)),
        }


def _tangents(positions: Sequence[MachinePosition], mesh: str) -> list[Array]:
    """Derivatives of the forces of a contact by its coordinates at positions; of another mesh none."""
    found = [one.forces[mesh].by_coordinate for one in positions if mesh in one.forces]
    return [tangent for tangent in found if tangent is not None]


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
