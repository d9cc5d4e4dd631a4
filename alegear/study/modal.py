"""Modal study: natural vibrations of both wheels, bore held and free, and of the loaded pair."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import N_SHIFTS, MeshMotion
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.face_modes import window_teeth
from alegear.contact.hertz.linearised import LinearisedContact
from alegear.contact.numbering import PINION, WHEEL
from alegear.drivetrain.normal_modes import face_modes
from alegear.dynamics.rigid_body import RotatingBody
from alegear.parallel import in_parallel
from alegear.progress import Progress
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.normal_modes import FreeModes, NormalModes, find_free_modes, find_normal_modes
from alegear.results.modal_result import ModalHistory
from alegear.study.dynamic import STIFFNESS_POSITIONS
from alegear.study.pair_modes import (
    PARTS,
    Displacements,
    FlexibleContactStiffness,
    PairModes,
    TrainMatrices,
    flexible_pair_modes,
    mean_modes,
    rigid_pair_modes,
    rotations_at,
    tooth_zero_angles,
)
from alegear.study.static import StaticSolver, default_threshold

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.modal import ModalAnalysis
    from alegear.study.preparation import PreparedPair

Array = NDArray[np.float64]


class ModalStudy:
    """One modal analysis.

    Attributes
    ----------
    held : NormalModes of both gears
    free : FreeModes of both gears
    pair : PairModes
    """

    def __init__(self, prepared: PreparedPair, solver: StaticSolver, case: Case) -> None:
        self.analysis: ModalAnalysis = case.analysis  # type: ignore[assignment]
        self.prepared, self.solver, self.case = prepared, solver, case
        self.lead = PINION if case.operation.driver == "pinion" else WHEEL
        self.r_b = np.array([gear.r_b for gear in case.pair.gears])
        pinion, wheel = (
            RotatingBody(body_inertia=w.inertia, added_inertia=added)
            for w, added in zip(prepared.wheels, case.added_inertia, strict=True)
        )
        self.bodies = (pinion, wheel)

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
        pinion, wheel = (modes.lowest(self.analysis.normal_modes) for modes in self.held)
        self.vibrating = (pinion, wheel)
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
        contact, guess = self.prepared.contact, None
        window = self.prepared.window(default_threshold(self.solver)[0])
        held, held_guess = self.solver.on_hinges, None
        data = contact.new_data(displaced=contact.displaces)
        stiffness, shares, positions = [], [], []
        for phase in self._phases():
            first_pair = window.first_pair(phase)
            position = self.solver.solve(phase, first_pair, guess)
            guess = position.deflection
            if held is not self.solver:
                on_hinges = held.solve(phase, first_pair, held_guess)
                held_guess = on_hinges.deflection
                stiffness.append(on_hinges.mesh_stiffness)
            else:
                stiffness.append(position.mesh_stiffness)
            if isinstance(contact, LineContact):
                phi = rotations_at(contact, phase, position.deflection, self.lead, first_pair)
                motion = MeshMotion(phi=phi, first_pair=first_pair, displacement=position.displacement)
                linear = self._displaced_only(contact.linearise(data, motion))
                coupled = self._coupled(linear, first_pair, stiffness[-1])
                shares.append(coupled.shares)
                angles = tooth_zero_angles(contact, phi, first_pair)
                positions.append(self._position_modes(contact, coupled, angles))
        self.mesh_stiffness = float(np.mean(stiffness))
        self.rigid = rigid_pair_modes(self._train(self.mesh_stiffness))
        self.shares: list[Array] | None = None
        if shares:
            self.shares = [np.mean([s[gear] for s in shares], axis=0) for gear in (PINION, WHEEL)]
        # on hinges and rigid wheels the mean stiffness says it all, with any law
        simple = not self.analysis.normal_modes and held is self.solver
        self.pair: PairModes = self.rigid if simple else mean_modes(positions)

    def _displaced_only(self, contact: LinearisedContact) -> LinearisedContact:
        """Displacements of gears on hinges are no coordinates."""
        free = np.repeat([gear.support is not None for gear in self.prepared.gears], N_SHIFTS)
        return replace(contact, displaced=contact.displaced[:, free])

    def _coupled(self, contact: LinearisedContact, first_pair: int, mesh_stiffness: float) -> FlexibleContactStiffness:
        shapes = [
            face_modes(modes, wheel).on_teeth(window_teeth(self.prepared.contact.n_pairs, gear, first_pair))
            for gear, (modes, wheel) in enumerate(zip(self.held, self.prepared.wheels, strict=True))
        ]
        vibrating = (self.vibrating[PINION].n_modes, self.vibrating[WHEEL].n_modes)
        return FlexibleContactStiffness.of(
            contact, self.held, (shapes[PINION], shapes[WHEEL]), vibrating, mesh_stiffness
        )

    def _position_modes(self, contact: LineContact, coupled: FlexibleContactStiffness, angles: Array) -> PairModes:
        displacements = Displacements.of(self.prepared.gears)
        return flexible_pair_modes(self._train(0.0), displacements, coupled.matrix, self.vibrating, angles)

    def _train(self, stiffness: float) -> TrainMatrices:
        return TrainMatrices.of(stiffness, r_b=self.r_b, bodies=self.bodies, lead=self.lead, shafts=self.case.shafts)

    def _lengths(self, coordinates: tuple[str, ...]) -> Array:
        """What makes ways of the coordinates: r_b of rotations and tilts, that of the driven gear for the load [m]."""
        of = {"pinion": self.r_b[PINION], "wheel": self.r_b[WHEEL], "load": self.r_b[1 - self.lead]}
        turns = [" " not in name or "tilt" in name for name in coordinates]
        return np.array([of[n.split()[0]] if turn else 1.0 for n, turn in zip(coordinates, turns, strict=True)])

    # ------------------------------------------------------------------ result
    def history(self) -> ModalHistory:
        """What was found, as arrays."""
        n = self.analysis.n_modes
        pair = self.pair.listed(n)
        shapes = pair.shapes * self._lengths(pair.coordinates)[:, None]
        largest = np.abs(shapes).max(axis=0)
        r_b, J = self.r_b, np.array([body.inertia for body in self.bodies])
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
            hinged_mesh_frequency=self.rigid.in_mesh / (2.0 * np.pi),
            flexible_mesh_frequency=pair.in_mesh / (2.0 * np.pi) if self.analysis.normal_modes else None,
            free_mesh_frequency=float(np.sqrt(self.mesh_stiffness * np.sum(r_b**2 / J))) / (2.0 * np.pi),
            phase=self.analysis.phase,
            teeth=(self.case.pair.pinion.z, self.case.pair.wheel.z),
            pinion_speed=self.case.operation.pinion_speed,
        )
