"""``[analysis]`` with ``kind = "sweep"``: orders of the mesh over the speed, by motion or linearised."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from alegear.case.dynamic import DURATION, SECONDS, DynamicAnalysis, MotionTable
from alegear.case.dynamic import SAMPLES_PER_PERIOD as SAMPLES_OF_MOTION
from alegear.case.faults import MISSING, shown
from alegear.case.tables import CaseFile, limited, table_of
from alegear.errors import Fault
from alegear.limits import Limits, bound_passed
from alegear.parameters import NoKey, Words, limits_of
from alegear.results.run_up_rate import SETTLING

#: Duration [s] of the speeds of a linearised response where a file has none: they are the same in any time.
NO_MOTION = 1.0
ORDERS = 3  # where nothing is said
#: Samples in a period of the highest order, at least: two are a saw-tooth of any phase.
SAMPLES_PER_PERIOD = 2.5
#: Samples that its statistics need.
KEPT = ("time", "phase", "transmission_error", "tooth_load", "root_stress")
ALIKE = "teeth of a gear that are alike: it takes one pitch for all"
"""What the linearised response needs of gears."""


@dataclass(frozen=True, kw_only=True)
class SweepAnalysis(DynamicAnalysis):
    """A motion over a range of speeds, of which statistics over stretches of whole pitches are kept.

    Parameters
    ----------
    reversal_time : float or None [s]
        Time at which the run-up turns into the run-down; None: it does not.
    settling : float, optional [s]
        What is left out at the beginning; default: a twentieth of the run-up.
    pitches : int
        Of a stretch.
    orders : int, optional
        Orders of the mesh that are kept, 1 ... `orders`, besides one half; default: 3, as far as the output resolves
        them.
    response : {"transient", "linearised", "both"}
        The motion; the response linearised about the equilibria (:mod:`alegear.system.periodic`), without a motion; or
        both.
    linear_speeds : int
        Number of speeds at which the linearised response is computed, in equal ratios from the first to the last.

    Raises
    ------
    Fault
        As `DynamicAnalysis`, and for a turn or a settling that is not in the motion.
    """

    kind: ClassVar[str] = "sweep"
    sweeps: ClassVar[bool] = True
    straight: ClassVar[bool] = True
    kept: ClassVar[tuple[str, ...] | None] = KEPT
    kept_of_pair: ClassVar[tuple[str, ...] | None] = (*KEPT, "bearing_force", "displacement")
    reversal_time: Annotated[
        float | None, NoKey(limits=Limits(quantity="time of reversal", key="reversal_time", **SECONDS))
    ] = None
    settling: Annotated[
        float,
        Limits(
            quantity="time left out at the beginning",
            words="time left out at the beginning, (a twentieth of duration_s)",
            unit="s",
            least=0.0,
            most=1e6,
            optional=True,
        ),
    ] = None  # type: ignore[assignment]  # a number once it is made
    pitches: Annotated[
        int,
        Limits(
            quantity="pitches that make a point",
            words="mesh pitches per point of the curves",
            key="pitches_per_point",
            least=2,
            most=10000,
            whole=True,
        ),
    ] = 16
    orders: Annotated[
        int | None,
        Limits(
            quantity="orders of the mesh",
            words="orders of the mesh that are kept, 1 to this one (3)",
            least=1,
            most=64,
            whole=True,
        ),
    ] = None
    response: Annotated[
        Literal["transient", "linearised", "both"],
        Words("motion (transient), the response linearised about the equilibria, which takes seconds, or both"),
    ] = "transient"
    linear_speeds: Annotated[
        int,
        Limits(
            quantity="speeds of the linearised response",
            words="number of speeds of the linearised response, in equal ratios",
            least=2,
            most=20000,
            whole=True,
        ),
    ] = 400

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reversal_time is not None and not self.reversal_time < self.duration:
            raise Fault(
                "time of reversal [s]",
                self.reversal_time,
                f"below the duration {self.duration:g}",
                "reduce reversal_time",
            )
        one_direction = self.one_direction
        if self.settling is None:
            object.__setattr__(self, "settling", SETTLING * one_direction)
        if bound_passed("le", self.settling, one_direction):
            limit = f"at most duration_s = {one_direction:g}, of one direction"
            raise Fault(limits_of(SweepAnalysis)["settling"].name, self.settling, limit, "shorten settling_s")
        if not self.is_linear and self.linear_speeds != SweepAnalysis.linear_speeds:
            limit = f'left out with response = "{self.response}"'
            remedy = 'leave out linear_speeds, or write response = "both"'
            raise Fault(limits_of(SweepAnalysis)["linear_speeds"].name, self.linear_speeds, limit, remedy)

    @property
    def moves(self) -> bool:
        """Whether a motion is asked for."""
        return self.response != "linearised"

    @property
    def is_linear(self) -> bool:
        """Whether the linearised response is asked for."""
        return self.response != "transient"

    @property
    def one_direction(self) -> float:
        """Duration of the run-up, or of the run-down where there is no run-up [s]."""
        return self.duration if self.reversal_time is None else self.reversal_time

    @property
    def highest_order(self) -> int:
        """The highest order that is kept."""
        return ORDERS if self.orders is None else self.orders

    def check_orders(self, mesh_frequency: float) -> None:
        """Refuse orders that are asked for and not resolved at the largest mesh frequency [Hz].

        Raises
        ------
        Fault
        """
        if self.orders is None or not self.moves:
            return
        if self.output_every is None:
            every = 1.0 / (SAMPLES_OF_MOTION * mesh_frequency)
        else:
            every = self.output_every
        most = resolved_orders(1.0 / (mesh_frequency * every))
        if self.orders > most:
            finest = 1.0 / (SAMPLES_PER_PERIOD * self.orders * mesh_frequency)
            limit = f"at most {most}, what output_every_s = {every:g} resolves at {mesh_frequency:.5g} Hz"
            raise Fault(
                limits_of(SweepAnalysis)["orders"].name,
                self.orders,
                limit,
                f"take output_every_s = {finest:.2g}, or fewer",
            )


def resolved_orders(samples_per_pitch: float) -> int:
    """Orders of the mesh that so many samples in a pitch resolve."""
    return math.floor(samples_per_pitch / SAMPLES_PER_PERIOD * (1.0 + 1e-9))


class SweepTable(MotionTable, table_of(SweepAnalysis, without=("duration", "ramp"))):  # type: ignore[misc]
    """``[analysis]`` with ``kind = "sweep"``; the duration is that of one direction."""

    kind: Literal["sweep"] = Field(description="kind of analysis")
    duration_s: float | None = limited(
        DURATION, "duration of the run-up in s; a linearised response needs none", default=None
    )
    speed_from_rpm: float = Field(gt=0.0, le=1e6, description="first speed of the pinion in rpm")
    speed_to_rpm: float = Field(gt=0.0, le=1e6, description="last speed of the pinion in rpm")
    and_back: bool = Field(default=True, description="whether the speed then returns to the first one (true)")

    @property
    def one_direction(self) -> float:
        """Duration of the run-up [s]."""
        return NO_MOTION if self.duration_s is None else self.duration_s

    @property
    def speeds(self) -> list[list[float]]:
        """Points of the speed over time [s, rpm]: from the first to the last in a straight line, and back."""
        there = [[0.0, self.speed_from_rpm], [self.one_direction, self.speed_to_rpm]]
        return [*there, [2.0 * self.one_direction, self.speed_from_rpm]] if self.and_back else there

    def others(self, file: CaseFile) -> dict[str, Any]:
        """Its duration and its turn besides; see :meth:`MotionTable.others`."""
        one_direction = self.one_direction
        if self.duration_s is None and self.response != "linearised":
            remedy = 'give that of the run-up in s, or write response = "linearised"'
            file.fault("analysis.duration_s", MISSING, "is needed by a motion", remedy)
        if self.speed_from_rpm == self.speed_to_rpm:
            limit = "must differ from speed_from_rpm"
            file.fault("analysis.speed_to_rpm", shown(self.speed_to_rpm), limit, 'or write kind = "dynamic"')
        if file.given("output", "fields")[0] is True:
            limit = "has no effect in a sweep"
            file.fault("output.fields", "true", limit, 'leave it out, or write kind = "dynamic"')
        return super().others(file) | {
            "duration": 2.0 * one_direction if self.and_back else one_direction,
            "reversal_time": one_direction if self.and_back else None,
        }
