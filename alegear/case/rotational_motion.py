"""``[analysis]`` with ``kind = "dynamic"`` of a machine whose parts only turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from alegear.case.case_file import CaseFile
from alegear.case.dynamic import MOST_STEPS, SECONDS
from alegear.case.schema import Table, limited
from alegear.errors import Fault
from alegear.limits import Limits, bound_passed, check_numbers, check_type

#: Output times where nothing is said.
OUTPUTS = 1000


@dataclass(frozen=True, kw_only=True)
class RotationalMotion:
    """Motion in time of parts that only turn, from event to event.

    Parameters
    ----------
    duration : float [s]
    output_every : float or None [s]
        None: a thousandth of the duration.
    tolerance : float [1]
        Relative error of a step.
    longest_step : float or None [s]
        None: a hundredth of the duration, and a twentieth of the period of a sine. What happens between two steps and
        is over is not seen.
    stiff : bool
        Whether springs, dampers or inertias make vibrations or transients that are far faster than what is looked at:
        then by backward differences, else by Adams' formulas, in a third of the steps.

    Raises
    ------
    Fault
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "duration": Limits(quantity="duration", key="duration_s", **SECONDS),
        "output_every": Limits(quantity="spacing of the output", key="output_every_s", optional=True, **SECONDS),
        "tolerance": Limits(quantity="relative error of a step", key="tolerance", least=1e-13, most=1e-2),
        "longest_step": Limits(quantity="longest step", key="longest_step_s", optional=True, **SECONDS),
    }
    kind: ClassVar[str] = "dynamic"

    duration: float
    output_every: float | None = None
    tolerance: float = 1e-10
    longest_step: float | None = None
    stiff: bool = True

    def __post_init__(self) -> None:
        check_numbers(self)
        check_type(self, "stiff", bool)
        for name in ("output_every", "longest_step"):
            value, limits = getattr(self, name), self.LIMITS[name]
            if value is not None and bound_passed("le", value, self.duration):
                raise Fault(limits.name, value, f"at most duration_s = {self.duration:g}", f"shorten {limits.key}")
        if self.output_every is not None and self.duration > MOST_STEPS * self.output_every:
            number = f"{self.duration / self.output_every:.4g}"
            remedy = "increase output_every_s or shorten duration_s"
            raise Fault("number of output times output_every_s in duration_s", number, f"at most {MOST_STEPS}", remedy)

    @property
    def spacing(self) -> float:
        """Spacing of the output [s]."""
        return self.duration / OUTPUTS if self.output_every is None else self.output_every

    @property
    def longest(self) -> float:
        """Longest step [s]."""
        return 0.01 * self.duration if self.longest_step is None else self.longest_step


class RotationalMotionTable(Table):
    """``[analysis]`` with ``kind = "dynamic"`` of a machine whose parts only turn."""

    kind: Literal["dynamic"]
    duration_s: float = limited(RotationalMotion.LIMITS["duration"], "duration in s")
    output_every_s: float | None = limited(
        RotationalMotion.LIMITS["output_every"], "spacing of the output in s (duration/1000)", default=None
    )
    tolerance: float = limited(RotationalMotion.LIMITS["tolerance"], "relative error of a step (1e-10)", default=1e-10)
    longest_step_s: float | None = limited(
        RotationalMotion.LIMITS["longest_step"], "longest step in s (duration/100)", default=None
    )

    stiff: bool = Field(
        default=True, description="whether something is far faster than the motion; false takes fewer steps (true)"
    )

    def analysis(self, file: CaseFile) -> RotationalMotion | None:
        """Return the analysis; None with a fault, which goes to the file."""
        with file.made_from_table("analysis", type(self)):
            return RotationalMotion(
                duration=self.duration_s,
                output_every=self.output_every_s,
                tolerance=self.tolerance,
                longest_step=self.longest_step_s,
                stiff=self.stiff,
            )
        return None
