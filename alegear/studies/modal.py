"""Modal study: natural vibrations of both wheels, bore held and free, and of the loaded pair."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import MeshMotion
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.face_modes import window_teeth
from alegear.contact.hertz.linearised import LinearisedContact
from alegear.contact.numbering import PINION, WHEEL
from alegear.drivetrain.normal_modes import face_modes
from alegear.drivetrain.pair import Pair
from alegear.drivetrain.pair_modes import PARTS, PairModes
from alegear.parallel import in_parallel
from alegear.progress import Progress
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.normal_modes import FreeModes, NormalModes, find_free_modes, find_normal_modes
from alegear.results.modal_result import ModalHistory
from alegear.studies.mesh_damping import STIFFNESS_POSITIONS
from alegear.studies.mesh_solver import MeshSolver, StaticPosition
from alegear.studies.tooth_window import tooth_window

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.modal import ModalAnalysis
    from alegear.studies.preparation import PreparedPair

Array = NDArray[np.float64]


class ModalStudy:
    """One modal analysis.

    Attributes
    ----------
    held : NormalModes of both gears
    free : FreeModes of both gears
    pair : PairModes
    """

    def __init__(self, prepared: PreparedPair, solver: MeshSolver, case: Case) -> None:
        self.analysis: ModalAnalysis = case.analysis  # type: ignore[assignment]
        self.prepared, self.solver, self.case = prepared, solver, case
        self.driving = solver.driving
        self.r_b = np.array([gear.r_b for gear in case.pair.gears])

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
        window = tooth_window(self.prepared, self.solver, None)
        held = self.solver.on_fixed_axes
        guess = held_guess = None
        stiffness: list[float] = []
        shares: list[tuple[Array, Array]] = []
        positions: list[PairModes] = []
        for phase in self._phases():
            first_pair = window.first_pair(phase)
            position = self.solver.solve(phase, first_pair, guess)
            guess = position.deflection
            on_fixed_axes = position if held is self.solver else held.solve(phase, first_pair, held_guess)
            held_guess = on_fixed_axes.deflection
            stiffness.append(on_fixed_axes.mesh_stiffness)
            if isinstance(self.prepared.contact, LineContact):
                found, share = self._at(self.prepared.contact, phase, first_pair, position, stiffness[-1])
                positions.append(found)
                shares.append(share)
        self.mesh_stiffness = float(np.mean(stiffness))
        self.rigid = PairModes.of(
            self._pair(self.mesh_stiffness).mesh_modes(self.mesh_stiffness), self.driving, np.ones(1)
        )
        self.shares: list[Array] | None = None
        if shares:
            self.shares = [np.mean([s[gear] for s in shares], axis=0) for gear in (PINION, WHEEL)]
        # on fixed axes and rigid wheels the mean stiffness says it all, with any law
        simple = not self.analysis.normal_modes and held is self.solver
        self.pair = self.rigid if simple else PairModes.mean(positions, self._lengths(positions[0].coordinates))

    def _at(
        self, contact: LineContact, phase: float, first_pair: int, position: StaticPosition, mesh_stiffness: float
    ) -> tuple[PairModes, tuple[Array, Array]]:
        """Modes about a position, and the parts of its deflection that the modes of both wheels take."""
        pair = self._pair(mesh_stiffness)
        phi = self.solver.rotations(phase - first_pair, position.deflection)
        motion = MeshMotion(phi=phi, first_pair=first_pair, displacement=position.displacement)
        data = contact.new_data(displaced=any(gear.support is not None for gear in pair.gears))
        linear = contact.linearise(data, motion)
        shapes = [
            face_modes(modes, wheel).on_teeth(window_teeth(contact.n_pairs, gear, first_pair))
            for gear, (modes, wheel) in enumerate(zip(self.held, self.prepared.wheels, strict=True))
        ]
        opened = linear.opened(shapes)
        shares = self._shares(linear, opened, mesh_stiffness)
        vibrating = [0 if gear.modes is None else gear.modes.n_modes for gear in pair.gears]
        opened = tuple(L[:, :n] for L, n in zip(opened, vibrating, strict=True))
        rest = linear.stiffness_of_rest(
            opened, [modes.frequencies[:n] for modes, n in zip(self.held, vibrating, strict=True)]
        )
        modes = pair.modes_about(
            self.solver.rotations(phase, position.deflection),
            np.hstack([linear.arms, linear.displaced, *opened]),
            rest,
        )
        return PairModes.of(modes, self.driving, _spread(linear)), shares

    def _shares(
        self, contact: LinearisedContact, opened: tuple[Array, ...], mesh_stiffness: float
    ) -> tuple[Array, Array]:
        """Part of the way of a load, spread over the points as it is, that each mode takes in the static deflection."""
        spread = _spread(contact)
        of_pinion, of_wheel = (
            mesh_stiffness * (spread @ L / modes.frequencies) ** 2 for L, modes in zip(opened, self.held, strict=True)
        )
        return of_pinion, of_wheel

    def _pair(self, mesh_stiffness: float) -> Pair:
        """The pair whose wheels vibrate as the case asks for."""
        n = self.analysis.normal_modes
        pinion, wheel = (
            replace(gear, modes=modes.lowest(n)) if n else gear
            for gear, modes in zip(self.prepared.gears, self.held, strict=True)
        )
        return Pair(
            contact=self.prepared.contact,
            window=None,
            gears=(pinion, wheel),
            driving=self.driving,
            deflection=abs(self.solver.torque) / self.r_b[PINION] / mesh_stiffness,
            force=abs(self.solver.torque) / self.r_b[PINION],
            shafts=self.case.shafts,
        )

    def _lengths(self, coordinates: tuple[str, ...]) -> Array:
        """What makes ways of the coordinates: r_b of rotations and tilts, that of the driven gear for the load [m]."""
        of = {"pinion": self.r_b[PINION], "wheel": self.r_b[WHEEL], "load": self.r_b[1 - self.driving]}
        turns = [" " not in name or "tilt" in name for name in coordinates]
        return np.array([of[n.split()[0]] if turn else 1.0 for n, turn in zip(coordinates, turns, strict=True)])

    # ------------------------------------------------------------------ result
    def history(self) -> ModalHistory:
        """What was found, as arrays."""
        n = self.analysis.n_modes
        pair = self.pair.listed(n)
        shapes = pair.shapes * self._lengths(pair.coordinates)[:, None]
        largest = np.abs(shapes).max(axis=0)
        r_b, J = self.r_b, np.array([gear.inertia for gear in self.prepared.gears])
        return ModalHistory(
            held_frequency=np.array([m.frequencies[:n] for m in self.held]) / (2.0 * np.pi),
            held_nodal_diameter=np.array([m.nodal_diameters[:n] for m in self.held]),
            held_deflection_share=None if self.shares is None else np.array([s[:n] for s in self.shares]),
            free_frequency=np.array([m.frequencies[:n] for m in self.free]) / (2.0 * np.pi),
            free_nodal_diameter=np.array([m.nodal_diameters[:n] for m in self.free]),
            pair_frequency=pair.frequencies / (2.0 * np.pi),
            pair_energy_share=pair.shares,
            pair_shape=(shapes / np.where(largest > 0.0, largest, 1.0)).T,
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
