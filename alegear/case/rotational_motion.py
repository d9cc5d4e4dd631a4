"""``[analysis]`` with ``kind = "dynamic"`` of a torsional machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from alegear.case.dynamic import TOLERANCE
from alegear.case.motion_in_time import LONGEST_STEP, MotionInTime
from alegear.case.tables import AnalysisTable, table_of
from alegear.parameters import Words


@dataclass(frozen=True, kw_only=True)
class RotationalMotion(MotionInTime):
    """Motion in time of torsional parts, from event to event.

    Parameters
    ----------
    duration, output_every
        As of :class:`~alegear.case.motion_in_time.MotionInTime`.
    tolerance : float [1]
        Relative error of a step.
    longest_step : float or None [s]
        None: a hundredth of the duration, and a twentieth of the period of a sine. What happens between two steps and
        is over is not seen.
    stiff : bool
        Whether springs, dampers or inertias make vibrations or transients far faster than those of interest:
        then by backward differences, else by Adams' formulas, in a third of the steps.

    Raises
    ------
    Fault
    """

    longest_step: Annotated[float | None, replace(LONGEST_STEP, words="longest step (duration/100)")] = None
    tolerance: Annotated[float, replace(TOLERANCE, least=1e-13, most=1e-2)] = 1e-10
    stiff: Annotated[
        bool,
        Words("whether parts vibrate far faster than the motion; where none does, false takes fewer steps"),
    ] = True

    @property
    def longest(self) -> float:
        """Longest step [s]."""
        return 0.01 * self.duration if self.longest_step is None else self.longest_step


class RotationalMotionTable(AnalysisTable, table_of(RotationalMotion)):  # type: ignore[misc]
    """``[analysis]`` with ``kind = "dynamic"`` of a torsional machine."""

    kind: Literal["dynamic"] = Field(description="kind of analysis")
