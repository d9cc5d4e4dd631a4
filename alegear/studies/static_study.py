"""Static study: all positions of a static case, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.ale import ToothWindow
from alegear.checks.displacement_limit import DisplacementLimit
from alegear.contact.forces import N_SHIFTS
from alegear.progress import Progress
from alegear.recording.recorder import ContactRecorder
from alegear.results.static_result import StaticHistory
from alegear.results.support_motion import SupportMotion
from alegear.studies.static import StaticPosition, StaticSolver
from alegear.studies.tooth_window import tooth_window

if TYPE_CHECKING:
    from alegear.case.static import StaticAnalysis
    from alegear.studies.preparation import PreparedPair

Array = NDArray[np.float64]


class StaticStudy:
    """All positions of a static case.

    Attributes
    ----------
    window : ToothWindow
    recorder : ContactRecorder
        Grows position by position, so that an interrupted study keeps what it has.
    frames : list of (phase, first_pair, StaticPosition)
    """

    def __init__(
        self, prepared: PreparedPair, solver: StaticSolver, analysis: StaticAnalysis, *, keep_frames: bool
    ) -> None:
        self.solver = solver
        self.analysis = analysis
        self.keep_frames = keep_frames
        self.recorder = ContactRecorder(
            contact=prepared.contact, wheels=prepared.wheels, points=prepared.tooth_points()
        )
        n_positions, n_pairs = analysis.positions_per_pitch * analysis.pitches, analysis.pitches + self.recorder.n_slots
        self.recorder.fillet = self.recorder.fits_point_by_point(n_positions, n_pairs)
        self.phases: list[float] = []
        self.positions: list[tuple[float, float]] = []
        self.gives_way = any(gear.support is not None for gear in prepared.gears)
        self.weight = np.zeros((2, N_SHIFTS))
        self.weight[:, :3] = [gear.weight for gear in prepared.gears]
        self.supports: list[tuple[Array, Array]] = []  # displacement and load of both gears, where they give way
        self.displacement_limit = DisplacementLimit(prepared.contact.pair)
        self.frames: list[tuple[float, int, StaticPosition]] = []
        self.least_known = 0.0  # part of the torque by which the loads of a position are off
        self.window: ToothWindow = tooth_window(prepared, solver, analysis.tooth_change_threshold)

    @property
    def planned(self) -> list[float]:
        """Phases of all positions, solved or not [pitches]."""
        n = self.analysis.positions_per_pitch
        return [-0.5 + i / n for i in range(n * self.analysis.pitches)]

    def run(self, progress: Progress) -> None:
        """Solve every position in turn, each from the deflection of the one before.

        Raises
        ------
        NonConvergence
        """
        total = len(self.planned)
        guess: float | None = None
        for i, phase in enumerate(self.planned):
            first_pair = self.window.first_pair(phase)
            position = self.solver.solve(phase, first_pair, guess)
            guess = position.deflection
            self.recorder.add(position.forces, first_pair)
            self.phases.append(phase)
            self.least_known = max(self.least_known, position.off / abs(self.solver.torque))
            self.positions.append((-position.deflection, position.mesh_stiffness))
            if self.gives_way:
                self.supports.append((position.displacement, position.wrench + self.weight))
                self.displacement_limit.update(position.displacement, f"phase {phase:.6g}")
            if self.keep_frames:
                self.frames.append((phase, first_pair, position))
            progress.advance(i + 1, total)

    def peak_to_peak(self, positions: slice = slice(None)) -> float:
        """Peak-to-peak transmission error of some positions [m]."""
        return float(np.ptp([error for error, _ in self.positions[positions]]))

    def history(self) -> StaticHistory:
        """What has been computed so far."""
        error, stiffness = np.array(self.positions).reshape(-1, 2).T
        return StaticHistory(
            phase=np.array(self.phases),
            transmission_error=error,
            mesh_stiffness=stiffness,
            supports=SupportMotion.of(*map(np.array, zip(*self.supports, strict=True))) if self.supports else None,
            **self.recorder.arrays(),
        )
