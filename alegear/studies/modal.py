"""Modal study: natural vibrations of a machine, standing still and turning, and of two gears with their wheels.

Both are linearised about equilibria under load over a pitch. A machine has the modes of the mean tangents, two gears
the mean of the modes about each position: teeth pass by, and a mean stiffness would hold the wheels at all of them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.case import pair_machine
from alegear.case.analysis import MachineStatic, ModalAnalysis
from alegear.case.mesh_period import planet_meshes
from alegear.case.pair_machine import MESH
from alegear.checks.design_warnings import beside_iso
from alegear.checks.gear_data import case_warnings
from alegear.contact.forces import MeshMotion
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.face_modes import window_teeth
from alegear.contact.hertz.linearised import LinearisedContact
from alegear.contact.numbering import GEARS, PINION, WHEEL
from alegear.drivetrain.gear_mesh import MeshPart, PreparedMesh
from alegear.drivetrain.laws.flexible import LinearisedTeeth
from alegear.drivetrain.machine import MachineSystem
from alegear.drivetrain.normal_modes import GearModes, face_modes
from alegear.drivetrain.pair_modes import PARTS, PairModes
from alegear.drivetrain.place_names import shaft_of
from alegear.parallel import in_parallel
from alegear.progress import Progress
from alegear.recording.machine import MachineRecord
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.normal_modes import FreeModes, NormalModes, find_free_modes, find_normal_modes
from alegear.results.dataset import Identity, ResultArrays
from alegear.results.modal_result import machine_modes_summary, modal_summary
from alegear.results.result import Result
from alegear.results.variables import AXES, MACHINE_MODES, MODES_OF_SETS, PAIR_MODES
from alegear.studies.case_run import CaseRun
from alegear.studies.equilibria import MachinePosition, MachineSolver
from alegear.studies.fields import write_mode_fields
from alegear.studies.mesh_damping import STIFFNESS_POSITIONS
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.meshes import machine_of, modes_on_fixed_axes, vibrating_gears
from alegear.studies.reference_pitch import START_PHASE, pitch_of_drive, turned_drives
from alegear.studies.static import StaticStudy
from alegear.studies.tooth_window import windows_of
from alegear.system.linearised import Linearised
from alegear.system.modes import SystemModes, complex_modes, real_modes
from alegear.system.profiles import PiecewiseCubic

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.studies.preparation import PreparedPair

Array = NDArray[np.float64]


class ModalStudy(ABC):
    """Natural vibrations about the equilibria under load, with drives that stand still.

    Parameters
    ----------
    case : MachineCase
    prepared : mapping of str to PreparedPair
        Of the meshes that are contacts.
    """

    def __init__(self, case: MachineCase, prepared: Mapping[str, PreparedPair]) -> None:
        assert isinstance(case.analysis, ModalAnalysis)
        self.case, self.prepared, self.analysis = case, prepared, case.analysis

    @property
    def still(self) -> dict[str, PiecewiseCubic]:
        """Drives that stand still."""
        return {drive.name: PiecewiseCubic.constant(0.0) for drive in self.case.drives}

    @abstractmethod
    def run(self, progress: Progress) -> None:
        """Find the equilibria, then the modes about them.

        Raises
        ------
        NonConvergence
        """

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of modes."""

    @abstractmethod
    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for."""

    @abstractmethod
    def result(self, facts: Mapping[str, Any], identity: Identity) -> Result:
        """Summary, with the facts of the run, and dataset."""

    def write_fields(self, folder: Path, progress: Progress) -> None:  # noqa: B027
        """Write the fields of modes; those of a machine as a whole have none."""


class PairModalStudy(ModalStudy):
    """Two gears by themselves: modes of both wheels, bore held and free, and of the loaded pair.

    Squares of the frequencies, energies and shapes are means over a pitch of the modes about each position.

    Parameters
    ----------
    case : MachineCase
        The machine that a pair is (:func:`alegear.case.pair_machine.machine_of`).
    prepared : mapping of str to PreparedPair
        Of its mesh.

    Attributes
    ----------
    held : NormalModes of both gears
    free : FreeModes of both gears
    pair : PairModes
    """

    def __init__(self, case: MachineCase, prepared: Mapping[str, PreparedPair]) -> None:
        super().__init__(case, prepared)
        assert case.preset is not None
        self.preset, self.own = case.preset, prepared[MESH]
        (self.place,) = case.layout.meshes
        self.driving = self.place.driving
        self.r_b = np.array([gear.r_b for gear in self.preset.pair.gears])

    # --------------------------------------------------------------------- run
    def run(self, progress: Progress) -> None:
        """Find the modes of the wheels, then those of the pair."""
        found = in_parallel([partial(self._wheel_modes, gear) for gear in (PINION, WHEEL)])
        progress.advance(1, 2)
        self.held = (found[PINION][0], found[WHEEL][0])
        self.free = (found[PINION][1], found[WHEEL][1])
        self._linearise()
        progress.advance(2, 2)

    def _wheel_modes(self, gear: int) -> tuple[NormalModes, FreeModes]:
        wheel, n = self.own.wheels[gear], self.analysis.n_modes
        cyclic = CyclicSector.of(wheel.sector, wheel.material)
        free = find_free_modes(cyclic, wheel.material, n)  # first: it needs the most of n = 0 and 1
        return find_normal_modes(cyclic, wheel.material, max(n, self.analysis.normal_modes)), free

    # -------------------------------------------------------------------- pair
    def _phases(self) -> list[float]:
        """Positions of the driven gear over which the contact is averaged [pitches]."""
        if self.analysis.phase is not None:
            return [self.analysis.phase]
        return [-0.5 + (i + 0.5) / STIFFNESS_POSITIONS for i in range(STIFFNESS_POSITIONS)]

    def _linearise(self) -> None:
        """Solve the positions, and take the means of what they give."""
        # positions are those of the driven gear, whatever torsional shafts wind up behind it
        stiff = pair_machine.machine_of(replace(self.preset, shafts=(None, None)))
        self.solver = MachineSolver(stiff, self.prepared, windows_of(stiff, self.prepared))
        self.parts = machine_of(self.case, self.prepared)
        held, guess, before = MeshSolver.of(self.preset, self.own.contact), None, None
        stiffness: list[float] = []
        shares: list[tuple[Array, Array]] = []
        positions: list[PairModes] = []
        for phase in self._phases():
            turned = (phase - START_PHASE) * pitch_of_drive(self.place)
            before = self.solver.solve(turned_drives(stiff, turned), before)
            on_fixed_axes = held.solve(phase, before.first_pair[MESH], guess)
            guess = on_fixed_axes.deflection
            stiffness.append(on_fixed_axes.mesh_stiffness)
            if isinstance(self.own.contact, LineContact):
                found, share = self._at(self.own.contact, before, stiffness[-1])
                positions.append(found)
                shares.append(share)
        self.mesh_stiffness = float(np.mean(stiffness))
        self.rigid = PairModes.of(self._on_fixed_axes(self.mesh_stiffness), self.place, np.ones(1))
        self.shares: list[Array] | None = None
        if shares:
            self.shares = [np.mean([s[gear] for s in shares], axis=0) for gear in (PINION, WHEEL)]
        # on fixed axes and rigid wheels the mean stiffness says it all, with any law
        simple = not self.analysis.normal_modes and not any(self.preset.supports)
        self.pair = self.rigid if simple else PairModes.mean(positions, self._lengths(positions[0].coordinates))

    def _on_fixed_axes(self, mesh_stiffness: float) -> SystemModes:
        """Modes of rigid gears whose axes are held, on a constant mesh stiffness [N/m]."""
        spring = self.place.mesh.law.on_springs(replace(self.solver.ready[MESH], stiffness=mesh_stiffness))
        return modes_on_fixed_axes(self._standing(spring).model)

    def _standing(self, mesh: MeshPart, modes: tuple[GearModes, GearModes] | None = None) -> MachineSystem:
        """The machine with such a mesh, whose drive stands still."""
        return self.parts.build({MESH: mesh}, speeds=self.still, modes=None if modes is None else {MESH: modes})

    def _at(
        self, contact: LineContact, position: MachinePosition, mesh_stiffness: float
    ) -> tuple[PairModes, tuple[Array, Array]]:
        """Modes about a position, and the parts of its deflection that the modes of both wheels take."""
        mesh, first_pair = self.solver.system.contacts[MESH], position.first_pair[MESH]
        y = position.x[mesh.coordinates]
        phi = mesh.turned(y) - first_pair * np.asarray(contact.pitch_angle)
        motion = MeshMotion(phi=phi, first_pair=first_pair, displacement=mesh.displacements(y))
        linear = contact.linearise(contact.new_data(displaced=mesh.displaced), motion)
        shapes = [
            face_modes(modes, wheel).on_teeth(window_teeth(contact.n_pairs, gear, first_pair))
            for gear, (modes, wheel) in enumerate(zip(self.held, self.own.wheels, strict=True))
        ]
        opened = linear.opened(shapes)
        shares = self._shares(linear, opened, mesh_stiffness)
        n, gears = self.analysis.normal_modes, None
        vibrating = self.held[PINION].lowest(n), self.held[WHEEL].lowest(n)  # a pair of equal modes is not divided
        if n:
            gears = vibrating_gears(self.place, mesh_stiffness, vibrating, [one.amplitudes for one in vibrating], 0.0)
        opened = tuple(L[:, : lowest.n_modes] for L, lowest in zip(opened, vibrating, strict=True))
        rest = linear.stiffness_of_rest(opened, [lowest.frequencies for lowest in vibrating])
        rows = np.hstack([linear.arms, linear.displaced, *opened])
        system = self._standing(LinearisedTeeth(contact=contact, rows=rows, stiffness=rest), gears)
        x = np.zeros(system.model.n)
        for name in GEARS:
            x[system.rotation(name)] = position.x[self.solver.system.rotation(name)]
        modes = real_modes(Linearised.of(system.model, x=x))
        return PairModes.of(modes, self.place, _spread(linear)), shares

    def _shares(
        self, contact: LinearisedContact, opened: tuple[Array, ...], mesh_stiffness: float
    ) -> tuple[Array, Array]:
        """Part of the way of a load, spread over the points as it is, that each mode takes in the static deflection."""
        spread = _spread(contact)
        of_pinion, of_wheel = (
            mesh_stiffness * (spread @ L / modes.frequencies) ** 2 for L, modes in zip(opened, self.held, strict=True)
        )
        return of_pinion, of_wheel

    def _lengths(self, coordinates: tuple[str, ...]) -> Array:
        """What makes ways of the coordinates: r_b of rotations and tilts, that of the driven gear for the load [m]."""
        of = {"pinion": self.r_b[PINION], "wheel": self.r_b[WHEEL], "load": self.r_b[1 - self.driving]}
        turns = [" " not in name or "tilt" in name for name in coordinates]
        return np.array([of[n.split()[0]] if turn else 1.0 for n, turn in zip(coordinates, turns, strict=True)])

    # ------------------------------------------------------------------ result
    def __len__(self) -> int:
        return self.analysis.n_modes

    def all_warnings(self) -> list[str]:
        return case_warnings(self.preset, self.own.sectors, self.mesh_stiffness)

    def result(self, facts: Mapping[str, Any], identity: Identity) -> Result:
        history, wheels = self.history(), self.own.wheels
        sizes = {name: sum(getattr(one, name) for one in wheels) for name in ("dof_full", "dof_boundary")}
        iso = beside_iso(self.preset, self.own.sectors, self.mesh_stiffness).summary()
        own = {"contact_law": self.preset.law, "memory_estimate_MB": 1e-6 * self.own.memory}
        summary = modal_summary(history, {**sizes, **facts, **iso, **own})
        return Result(summary=summary, dataset=history.dataset(identity))

    def write_fields(self, folder: Path, progress: Progress) -> None:
        """Write the whole wheels in their modes, bores held."""
        progress.stage("fields")
        write_mode_fields(folder, self.preset.pair, self.held, len(self), progress)

    def history(self) -> ResultArrays:
        """What was found: variables of :data:`PAIR_MODES`.

        Facts: the position, and natural frequencies in the mesh with both gears free to turn,
        ``sqrt(k (r_b1^2/J_1 + r_b2^2/J_2))``, and with the normal modes of the wheels where there are such.
        """
        n = self.analysis.n_modes
        pair = self.pair.listed(n)
        shapes = pair.shapes * self._lengths(pair.coordinates)[:, None]
        largest = np.take_along_axis(shapes, np.abs(shapes).argmax(axis=0)[None], axis=0)[0]  # with its sign
        r_b, J = self.r_b, np.array([wheel.inertia for wheel in self.own.wheels]) + self.preset.added_inertia
        labels = {
            "gear": GEARS,
            "mode": np.arange(1, len(self.held[0].frequencies[:n]) + 1),
            "pair_mode": np.arange(1, len(pair.frequencies) + 1),
            "part": PARTS,
            "coordinate": pair.coordinates,
        }
        values: dict[str, Any] = {
            "held_frequency": np.array([m.frequencies[:n] for m in self.held]) / (2.0 * np.pi),
            "held_nodal_diameter": np.array([m.nodal_diameters[:n] for m in self.held]),
            "free_frequency": np.array([m.frequencies[:n] for m in self.free]) / (2.0 * np.pi),
            "free_nodal_diameter": np.array([m.nodal_diameters[:n] for m in self.free]),
            "pair_frequency": pair.frequencies / (2.0 * np.pi),
            "pair_energy_share": pair.shares,
            "pair_shape": (shapes / np.where(largest != 0.0, largest, 1.0)).T,
            "mesh_stiffness": self.mesh_stiffness,
            "mesh_frequency": pair.in_mesh / (2.0 * np.pi),
            "fixed_axis_mesh_frequency": self.rigid.in_mesh / (2.0 * np.pi),
        }
        if self.shares is not None:
            values["held_deflection_share"] = np.array([s[:n] for s in self.shares])
        phase, speed = self.analysis.phase, self.preset.operation.pinion_speed
        facts = {
            "phase": phase,
            "mesh_natural_frequency_free_Hz": float(np.sqrt(self.mesh_stiffness * np.sum(r_b**2 / J))) / (2.0 * np.pi),
        }
        if self.analysis.normal_modes:
            facts["mesh_natural_frequency_flexible_Hz"] = pair.in_mesh / (2.0 * np.pi)
        return ResultArrays(
            analysis="modal",
            variables=PAIR_MODES,
            values=values,
            labels=labels,
            words={"mode": "number of the wheel's mode", "part": "where the energy is"},
            attributes={
                "position": "mean over a pitch" if phase is None else f"phase {phase:g}",
                "teeth": np.array([self.preset.pair.pinion.z, self.preset.pair.wheel.z]),
                **({} if speed is None else {"pinion_speed": speed}),  # [rad/s]
            },
            facts=facts,
        )


def _spread(contact: LinearisedContact) -> Array:
    """Part of each point in the load, shape (n,)."""
    spread: Array = contact.force / contact.force.sum()
    return spread


class MachineModalStudy(ModalStudy):
    """Modes of a machine on the mean stiffness of its meshes under load.

    The tangents of the contact, in rotations and displacements of both gears, are averaged over a pitch of the mesh
    whose teeth follow each other most slowly. Drives stand still, or turn as they are prescribed. Without a drive
    nothing loads the machine and nothing holds its rotation: teeth of planetary sets are then bonded where they would
    carry if the first central gear drove counterclockwise. Motions without stiffness are left out.
    """

    def __init__(self, case: MachineCase, prepared: Mapping[str, PreparedPair]) -> None:
        super().__init__(case, prepared)
        positions = MachineStatic()
        if case.layout.meshes or planet_meshes(case):
            positions = MachineStatic(positions_per_pitch=STIFFNESS_POSITIONS)
        self.static: StaticStudy | None = None
        if case.drives:
            self.static = StaticStudy(replace(case, analysis=positions), prepared)
        self.modes: SystemModes | None = None
        self.turning: SystemModes | None = None

    def __len__(self) -> int:
        return 0 if self.modes is None else len(self.modes.frequencies)

    def run(self, progress: Progress) -> None:
        """Solve the positions, then the modes."""
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
        loaded, x = static.solver.system.model, np.array([one.x for one in static.positions])
        return static.solver.machine.linearised(loaded, x).build(parts, speeds=self.still, locked=True)

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

    def result(self, facts: Mapping[str, Any], identity: Identity) -> Result:
        history = self.history()
        return Result(summary=machine_modes_summary(history, facts), dataset=history.dataset(identity))

    def history(self) -> ResultArrays:
        """What was found: variables of :data:`MACHINE_MODES`, and of :data:`MODES_OF_SETS` of planetary sets."""
        assert self.modes is not None
        assert self.turning is not None
        parts, shares = self.modes.energy_shares()
        names, sums = _headings(self.case, parts)
        record = MachineRecord(self.system)
        shapes = np.real(self.modes.of_largest()).T
        of_sets = self._of_sets(record, self.modes, shapes)
        _, whirl = self.turning.whirl()
        labels: dict[str, Any] = {
            "mode": 1 + np.arange(len(self.modes.frequencies)),
            "turning_mode": 1 + np.arange(len(self.turning.frequencies)),
            "part": names,
            "shaft": tuple(shaft.name for shaft in self.case.shafts),
            "place": tuple(record.places),
            "axis": AXES,
        }
        if of_sets:
            labels |= {name: of_sets.pop(name) for name in ("planetary_set", "member")}
        values = {
            "frequency": self.modes.frequencies / (2.0 * math.pi),
            "energy_share": (sums @ shares).T,
            "turning_frequency": self.turning.frequencies / (2.0 * math.pi),
            "turning_energy_share": (sums @ self.turning.energy_shares()[1]).T,
            "damping_ratio": self.turning.damping_ratios,
            "whirl": self.turning.whirl_of_modes() if len(whirl) else np.zeros(len(self.turning.frequencies)),
            "rotation": record.rotations(shapes),
            **record.displacements(shapes),
            **of_sets,
        }
        return ResultArrays(
            analysis="modal",
            variables=MACHINE_MODES | MODES_OF_SETS,
            values=values,
            labels=labels,
            words={"part": "where the energy is"},
            attributes={"machine": 1},
        )

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


class ModalRun(CaseRun[ModalStudy]):
    """Natural vibrations: of a machine, or of two gears by themselves with the modes of their wheels."""

    def keep(self) -> bool:
        """Nothing: parts of a study that fails say nothing alone."""
        return False

    def _solve(self) -> None:
        kind = MachineModalStudy if self.case.preset is None else PairModalStudy
        self._study = kind(self.case, self.prepared)
        self.study.run(self.progress)

    def _warnings(self) -> list[str]:
        return super()._warnings() if self.case.preset is None else self.study.all_warnings()

    def _store(self, *, complete: bool) -> Result:
        found = self.study.result(self._facts(complete), self._identity(complete))
        result = self._keep(self.directory, dict(found.summary), lambda: found.dataset, complete=complete)
        if self.directory is not None and self.case.output.fields:
            self.study.write_fields(self.directory, self.progress)
        return result
