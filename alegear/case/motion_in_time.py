"""What every motion of a machine of rigid parts has in ``[analysis]``: duration, times of the output, longest step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from alegear.case.dynamic import MOST_STEPS, SECONDS
from alegear.case.schema import Table, limited
from alegear.errors import Fault
from alegear.limits import Limits, bound_passed, check_numbers
from alegear.short_repr import ShortRepr

#: Output times where nothing is said.
OUTPUTS = 1000


@dataclass(frozen=True, kw_only=True)
class MotionInTime(ShortRepr):
    """Motion in time, recorded at equal spacing.

    Parameters
    ----------
    duration : float [s]
    output_every : float or None [s]
        None: a thousandth of the duration.
    longest_step : float or None [s]

    Raises
    ------
    Fault
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "duration": Limits(quantity="duration", key="duration_s", **SECONDS),
        "output_every": Limits(quantity="spacing of the output", key="output_every_s", optional=True, **SECONDS),
        "longest_step": Limits(quantity="longest step", key="longest_step_s", optional=True, **SECONDS),
    }
    #: Times that the duration may not be shorter than, and those among them of which it may not hold too many.
    WITHIN: ClassVar[tuple[str, ...]] = ("output_every", "longest_step")
    COUNTED: ClassVar[tuple[str, ...]] = ("output_every",)
    kind: ClassVar[str] = "dynamic"

    duration: float
    output_every: float | None = None
    longest_step: float | None = None

    def __post_init__(self) -> None:
        check_numbers(self)
        for name in self.WITHIN:
            value, limits = getattr(self, name), self.LIMITS[name]
            if value is None:
                continue
            if bound_passed("le", value, self.duration):
                raise Fault(limits.name, value, f"at most duration_s = {self.duration:g}", f"shorten {limits.key}")
            if name in self.COUNTED and self.duration > MOST_STEPS * value:
                what, number = f"number of steps {limits.key} in duration_s", f"{self.duration / value:.4g}"
                raise Fault(what, number, f"at most {MOST_STEPS}", f"increase {limits.key} or shorten duration_s")

    @property
    def spacing(self) -> float:
        """Spacing of the output [s]."""
        return self.duration / OUTPUTS if self.output_every is None else self.output_every


class MotionInTimeTable(Table):
    """``[analysis]`` with ``kind = "dynamic"`` of such a motion."""

    kind: Literal["dynamic"] = Field(description="kind of analysis")
    duration_s: float = limited(MotionInTime.LIMITS["duration"], "duration in s")
    output_every_s: float | None = limited(
        MotionInTime.LIMITS["output_every"], "spacing of the output in s (duration/1000)", default=None
    )

    def times(self) -> dict[str, Any]:
        """What all of them hand on."""
        return {"duration": self.duration_s, "output_every": self.output_every_s}
