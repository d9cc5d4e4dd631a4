"""``[analysis]`` with ``kind = "dynamic"`` of a torsional machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from alegear.case.case_file import CaseFile
from alegear.case.motion_in_time import MotionInTime, MotionInTimeTable
from alegear.case.schema import limited
from alegear.limits import Limits, check_type


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

    LIMITS: ClassVar[dict[str, Limits]] = {
        **MotionInTime.LIMITS,
        "tolerance": Limits(quantity="relative error of a step", key="tolerance", least=1e-13, most=1e-2),
    }

    tolerance: float = 1e-10
    stiff: bool = True

    def __post_init__(self) -> None:
        check_type(self, "stiff", bool)
        super().__post_init__()

    @property
    def longest(self) -> float:
        """Longest step [s]."""
        return 0.01 * self.duration if self.longest_step is None else self.longest_step


class RotationalMotionTable(MotionInTimeTable):
    """``[analysis]`` with ``kind = "dynamic"`` of a torsional machine."""

    tolerance: float = limited(RotationalMotion.LIMITS["tolerance"], "relative error of a step (1e-10)", default=1e-10)
    longest_step_s: float | None = limited(
        RotationalMotion.LIMITS["longest_step"], "longest step in s (duration/100)", default=None
    )
    stiff: bool = Field(
        default=True,
        description="whether parts vibrate far faster than the motion; where none does, false takes fewer steps (true)",
    )

    def analysis(self, file: CaseFile) -> RotationalMotion | None:
        """Return the analysis; None with a fault, which goes to the file."""
        with file.made_from_table("analysis", type(self)):
            return RotationalMotion(
                **self.times(),
                tolerance=self.tolerance,
                longest_step=self.longest_step_s,
                stiff=self.stiff,
            )
        return None
