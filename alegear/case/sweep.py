"""``[analysis]`` with ``kind = "sweep"``: a motion over a range of speeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from alegear.case.case_file import CaseFile
from alegear.case.dynamic import SECONDS, DynamicAnalysis, MotionTable
from alegear.case.faults import shown
from alegear.case.schema import limited
from alegear.errors import Fault
from alegear.limits import Limits, bound_passed

SETTLING = 0.05  # of one way, left out where nothing is said


@dataclass(frozen=True, kw_only=True)
class SweepAnalysis(DynamicAnalysis):
    """A motion over a range of speeds, of which statistics over stretches of whole pitches are kept.

    Parameters
    ----------
    turn : float or None [s]
        Time at which the speed goes back; None: it does not.
    settling : float, optional [s]
        What is left out at the beginning; default: a twentieth of one way.
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
        "settling": Limits(
            quantity="time left out at the beginning", key="settling_s", unit="s", least=0.0, most=1e6, optional=True
        ),
        "pitches": Limits(
            quantity="pitches that make a point", key="pitches_per_point", least=2, most=10000, whole=True
        ),
    }
    kind: ClassVar[str] = "sweep"
    sweeps: ClassVar[bool] = True
    straight: ClassVar[bool] = True
    kept: ClassVar[tuple[str, ...] | None] = (  # its statistics need no more
        "time",
        "phase",
        "transmission_error",
        "tooth_load",
        "root_stress",
    )
    turn: float | None = None
    settling: float = None  # type: ignore[assignment]  # a number once it is made
    pitches: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.turn is not None and not self.turn < self.duration:
            raise Fault("time of the turn [s]", self.turn, f"below the duration {self.duration:g}", "correct turn")
        one_way = self.duration if self.turn is None else self.turn
        if self.settling is None:
            object.__setattr__(self, "settling", SETTLING * one_way)
        if bound_passed("le", self.settling, one_way):
            limit = f"at most duration_s = {one_way:g}, of one way"
            raise Fault(self.LIMITS["settling"].name, self.settling, limit, "shorten settling_s")


class SweepTable(MotionTable):
    """``[analysis]`` with ``kind = "sweep"``; the duration is that of one way."""

    kind: Literal["sweep"]
    speed_from_rpm: float = Field(gt=0.0, le=1e6, description="first speed of the pinion in rpm")
    speed_to_rpm: float = Field(gt=0.0, le=1e6, description="last speed of the pinion in rpm")
    and_back: bool = Field(default=True, description="whether the speed goes back again (true)")
    settling_s: float | None = limited(
        SweepAnalysis.LIMITS["settling"], "time at the beginning that is left out, in s (a twentieth)", default=None
    )
    pitches_per_point: int = limited(SweepAnalysis.LIMITS["pitches"], "pitches that make a point (16)", default=16)

    @property
    def speeds(self) -> list[list[float]]:
        """Points of the speed over time [s, rpm]: there in a straight line, and back."""
        there = [[0.0, self.speed_from_rpm], [self.duration_s, self.speed_to_rpm]]
        return [*there, [2.0 * self.duration_s, self.speed_from_rpm]] if self.and_back else there

    def analysis(self, file: CaseFile) -> SweepAnalysis | None:
        """Return the analysis in SI units; None with a fault, which goes to the file."""
        one_way = self.duration_s
        with file.made_from_table("analysis", type(self)):
            common = self.common(file)
            if self.speed_from_rpm == self.speed_to_rpm:
                limit = "must differ from speed_from_rpm"
                file.fault("analysis.speed_to_rpm", shown(self.speed_to_rpm), limit, 'or write kind = "dynamic"')
            if file.given("output", "fields")[0] is True:
                limit = "has no effect in a sweep"
                file.fault("output.fields", "true", limit, 'leave it out, or write kind = "dynamic"')
            return SweepAnalysis(
                duration=2.0 * one_way if self.and_back else one_way,
                turn=one_way if self.and_back else None,
                settling=self.settling_s,  # type: ignore[arg-type]
                pitches=self.pitches_per_point,
                **common,
            )
        return None
