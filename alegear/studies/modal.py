"""Modal study: natural vibrations of both wheels, bore held and free, and of the loaded pair."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.case import pair_machine
from alegear.case.analysis import ModalAnalysis
from alegear.case.pair_machine import MESH
from alegear.contact.forces import MeshMotion
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.face_modes import window_teeth
from alegear.contact.hertz.linearised import LinearisedContact
from alegear.contact.numbering import GEARS, PINION, WHEEL
from alegear.drivetrain.gear_mesh import MeshPart
from alegear.drivetrain.laws.flexible import LinearisedPoints
from alegear.drivetrain.machine import MachineSystem
from alegear.drivetrain.normal_modes import GearModes, face_modes
from alegear.drivetrain.pair_modes import PARTS, PairModes
from alegear.parallel import in_parallel
from alegear.progress import Progress
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.normal_modes import FreeModes, NormalModes, find_free_modes, find_normal_modes
from alegear.results.modal_result import ModalHistory
from alegear.studies.equilibria import MachinePosition, MachineSolver
from alegear.studies.mesh_damping import STIFFNESS_POSITIONS
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.meshes import machine_of
from alegear.studies.reference_pitch import START_PHASE, pitch_of_drive, turned_drives
from alegear.studies.tooth_window import windows_of
from alegear.system.linearised import Linearised
from alegear.system.modes import SystemModes, real_modes
from alegear.system.profiles import PiecewiseCubic

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.studies.preparation import PreparedPair

Array = NDArray[np.float64]


class ModalStudy:
    """One modal analysis of two gears.

    Parameters
    ----------
    case : MachineCase
        The machine that a pair is (:func:`alegear.case.pair_machine.machine_of`).
    prepared : PreparedPair

    Attributes
    ----------
    held : NormalModes of both gears
    free : FreeModes of both gears
    pair : PairModes
    """

    def __init__(self, case: MachineCase, prepared: PreparedPair) -> None:
        assert case.preset is not None
        assert isinstance(case.analysis, ModalAnalysis)
        self.machine, self.case, self.prepared, self.analysis = case, case.preset, prepared, case.analysis
        (self.place,) = case.layout.meshes
        self.driving = self.place.driving
        self.r_b = np.array([gear.r_b for gear in self.case.pair.gears])

    # --------------------------------------------------------------------- run
    def run(self, progress: Progress) -> None:
        """Find the modes of the wheels, then those of the pair.

        Raises
        ------
        NonConvergence
        """
        found = in_parallel([partial(self._wheel_modes, gear) for gear in (PINION, WHEEL)])
        progress.advance(1, 2)
        self.held = (found[PINION][0], found[WHEEL][0])
        self.free = (found[PINION][1], found[WHEEL][1])
        self._linearise()
        progress.advance(2, 2)

    def _wheel_modes(self, gear: int) -> tuple[NormalModes, FreeModes]:
        wheel, n = self.prepared.wheels[gear], self.analysis.n_modes
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
        prepared = {MESH: self.prepared}
        # positions are those of the driven gear, whatever torsional shafts wind up behind it
        stiff = pair_machine.machine_of(replace(self.case, shafts=(None, None)))
        self.solver = MachineSolver(stiff, prepared, windows_of(stiff, prepared))
        self.parts = machine_of(self.machine, prepared)
        held, guess, before = MeshSolver.of(self.case, self.prepared.contact), None, None
        stiffness: list[float] = []
        shares: list[tuple[Array, Array]] = []
        positions: list[PairModes] = []
        for phase in self._phases():
            turned = (phase - START_PHASE) * pitch_of_drive(self.place)
            before = self.solver.solve(turned_drives(stiff, turned), before)
            on_fixed_axes = held.solve(phase, before.first_pair[MESH], guess)
            guess = on_fixed_axes.deflection
            stiffness.append(on_fixed_axes.mesh_stiffness)
            if isinstance(self.prepared.contact, LineContact):
                found, share = self._at(self.prepared.contact, before, stiffness[-1])
                positions.append(found)
                shares.append(share)
        self.mesh_stiffness = float(np.mean(stiffness))
        self.rigid = PairModes.of(self._on_fixed_axes(self.mesh_stiffness), self.place, np.ones(1))
        self.shares: list[Array] | None = None
        if shares:
            self.shares = [np.mean([s[gear] for s in shares], axis=0) for gear in (PINION, WHEEL)]
        # on fixed axes and rigid wheels the mean stiffness says it all, with any law
        simple = not self.analysis.normal_modes and not any(self.case.supports)
        self.pair = self.rigid if simple else PairModes.mean(positions, self._lengths(positions[0].coordinates))

    def _on_fixed_axes(self, mesh_stiffness: float) -> SystemModes:
        """Modes of rigid gears whose axes are held, on a constant mesh stiffness [N/m]."""
        spring = self.place.mesh.law.on_springs(replace(self.solver.ready[MESH], stiffness=mesh_stiffness))
        model = self._standing(spring).model
        turning = [place.rotation for place in model.places.values() if place.rotation is not None]
        return real_modes(Linearised.of(model).holding_all_but(np.unique(turning)))

    def _standing(self, mesh: MeshPart, modes: tuple[GearModes, GearModes] | None = None) -> MachineSystem:
        """The machine with such a mesh, whose drive stands still."""
        still = {drive.name: PiecewiseCubic.constant(0.0) for drive in self.machine.drives}
        return self.parts.build({MESH: mesh}, speeds=still, modes=None if modes is None else {MESH: modes})

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
            for gear, (modes, wheel) in enumerate(zip(self.held, self.prepared.wheels, strict=True))
        ]
        opened = linear.opened(shapes)
        shares = self._shares(linear, opened, mesh_stiffness)
        n, gears = self.analysis.normal_modes, None
        if n:
            deflection, force = self.place.force / mesh_stiffness, self.place.force
            gears = self._gear_modes(deflection, force)
        # a pair of equal modes is not divided
        vibrating = [modes.lowest(n) for modes in self.held]
        opened = tuple(L[:, : lowest.n_modes] for L, lowest in zip(opened, vibrating, strict=True))
        rest = linear.stiffness_of_rest(opened, [lowest.frequencies for lowest in vibrating])
        rows = np.hstack([linear.arms, linear.displaced, *opened])
        system = self._standing(LinearisedPoints(contact=contact, rows=rows, stiffness=rest), gears)
        x = np.zeros(system.model.n)
        for name in GEARS:
            x[system.rotation(name)] = position.x[self.solver.system.rotation(name)]
        modes = real_modes(Linearised.of(system.model, x=x))
        return PairModes.of(modes, self.place, _spread(linear)), shares

    def _gear_modes(self, deflection: float, force: float) -> tuple[GearModes, GearModes]:
        """Modes of both wheels as the case asks for, under a typical deflection [m] and force [N]."""
        first, second = (
            GearModes(
                modes=lowest,
                amplitudes=lowest.amplitudes,
                damping_ratio=0.0,
                deflection=deflection,
                force=force,
            )
            for lowest in (modes.lowest(self.analysis.normal_modes) for modes in self.held)
        )
        return first, second

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
        """Return the number of modes of each wheel."""
        return self.analysis.n_modes

    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for: nothing that the case does not say."""
        return []

    def history(self) -> ModalHistory:
        """What was found, as arrays."""
        n = self.analysis.n_modes
        pair = self.pair.listed(n)
        shapes = pair.shapes * self._lengths(pair.coordinates)[:, None]
        largest = np.take_along_axis(shapes, np.abs(shapes).argmax(axis=0)[None], axis=0)[0]  # with its sign
        r_b, J = self.r_b, np.array([wheel.inertia for wheel in self.prepared.wheels]) + self.case.added_inertia
        return ModalHistory(
            held_frequency=np.array([m.frequencies[:n] for m in self.held]) / (2.0 * np.pi),
            held_nodal_diameter=np.array([m.nodal_diameters[:n] for m in self.held]),
            held_deflection_share=None if self.shares is None else np.array([s[:n] for s in self.shares]),
            free_frequency=np.array([m.frequencies[:n] for m in self.free]) / (2.0 * np.pi),
            free_nodal_diameter=np.array([m.nodal_diameters[:n] for m in self.free]),
            pair_frequency=pair.frequencies / (2.0 * np.pi),
            pair_energy_share=pair.shares,
            pair_shape=(shapes / np.where(largest != 0.0, largest, 1.0)).T,
            parts=PARTS,
            coordinates=pair.coordinates,
            mesh_stiffness=self.mesh_stiffness,
            mesh_frequency=pair.in_mesh / (2.0 * np.pi),
            fixed_axis_mesh_frequency=self.rigid.in_mesh / (2.0 * np.pi),
            flexible_mesh_frequency=pair.in_mesh / (2.0 * np.pi) if self.analysis.normal_modes else None,
            free_mesh_frequency=float(np.sqrt(self.mesh_stiffness * np.sum(r_b**2 / J))) / (2.0 * np.pi),
            phase=self.analysis.phase,
            teeth=(self.case.pair.pinion.z, self.case.pair.wheel.z),
            pinion_speed=self.case.operation.pinion_speed,
        )


def _spread(contact: LinearisedContact) -> Array:
    """Part of each point in the load, shape (n,)."""
    spread: Array = contact.force / contact.force.sum()
    return spread
