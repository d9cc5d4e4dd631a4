"""What every motion of a machine of rigid parts has in ``[analysis]``: duration, times of the output, longest step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from alegear.case.dynamic import DURATION, OUTPUT_EVERY, SECONDS, check_spacings
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr

#: Output times where nothing is said.
OUTPUTS = 1000
LONGEST_STEP = Limits(quantity="longest step", key="longest_step_s", **SECONDS)


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

    #: Times that the duration may not be shorter than, and those among them of which it may not hold too many.
    WITHIN: ClassVar[tuple[str, ...]] = ("output_every", "longest_step")
    COUNTED: ClassVar[tuple[str, ...]] = ("output_every",)
    kind: ClassVar[str] = "dynamic"

    duration: Annotated[float, DURATION]
    output_every: Annotated[float | None, replace(OUTPUT_EVERY, words="spacing of the output (duration/1000)")] = None
    longest_step: Annotated[float | None, LONGEST_STEP] = None

    def __post_init__(self) -> None:
        check_parameters(self)
        check_spacings(self, self.WITHIN, counted=self.COUNTED)

    @property
    def spacing(self) -> float:
        """Spacing of the output [s]."""
        return self.duration / OUTPUTS if self.output_every is None else self.output_every
