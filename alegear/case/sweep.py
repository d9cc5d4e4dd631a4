"""A motion over a range of speeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from alegear.case.dynamic import SECONDS, DynamicAnalysis
from alegear.errors import Fault
from alegear.limits import Limits, bound_passed


@dataclass(frozen=True, kw_only=True)
class SweepAnalysis(DynamicAnalysis):
    """A motion over a range of speeds, of which statistics over stretches of whole pitches are kept.

    Parameters
    ----------
    turn : float or None [s]
        Time at which the speed goes back; None: it does not.
    settling : float [s]
        What is left out at the beginning.
    pitches : int
        Of a stretch.

    Raises
    ------
    Fault
        As `DynamicAnalysis`, and for a turn or a settling that is not in the motion.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        **DynamicAnalysis.LIMITS,
        "turn": Limits(quantity="time of the turn", key="turn", optional=True, **SECONDS),
        "settling": Limits(quantity="time left out at the beginning", key="settling_s", unit="s", least=0.0, most=1e6),
        "pitches": Limits(
            quantity="pitches that make a point", key="pitches_per_point", least=2, most=10000, whole=True
        ),
    }
    kind: ClassVar[str] = "sweep"
    turn: float | None = None
    settling: float = 0.0
    pitches: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.turn is not None and not self.turn < self.duration:
            raise Fault("time of the turn [s]", self.turn, f"below the duration {self.duration:g}", "correct turn")
        one_way = self.duration if self.turn is None else self.turn
        if bound_passed("le", self.settling, one_way):
            limit = f"at most duration_s = {one_way:g}, of one way"
            raise Fault(self.LIMITS["settling"].name, self.settling, limit, "shorten settling_s")
