"""``[analysis]`` of machines of rigid parts: motions of what only turns and of bodies in space, positions of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from alegear.case.dynamic import DURATION, OUTPUT_EVERY, RHO_INF, SECONDS, TIME_STEP, TOLERANCE, check_spacings
from alegear.case.faults import shown
from alegear.case.tables import CaseFile, analysis_table, table_of
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import Words, check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.time_integration.generalized_alpha import GeneralizedAlpha

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


RotationalMotionTable = analysis_table(RotationalMotion)


@dataclass(frozen=True, kw_only=True)
class SpatialMotion(MotionInTime):
    """Motion in time of a machine with bodies in space, by the generalized-alpha method.

    Parameters
    ----------
    duration, output_every
        As of :class:`~alegear.case.motion_in_time.MotionInTime`.
    tolerance : float [1]
        Error of a step over a thousandth of the machine's size; without effect with a fixed step.
    time_step : float or None [s]
        Fixed step; None: chosen from the tolerance.
    longest_step : float or None [s]
        None: the spacing of the output.
    rho_inf : float [1]
        Spectral radius at infinite frequency.
    begin : {"as given", "under load"}
        Bodies begin where they stand, or where they rest under the forces at t = 0; with the speeds that are given
        either way.

    Raises
    ------
    Fault
    """

    WITHIN: ClassVar[tuple[str, ...]] = (*MotionInTime.WITHIN, "time_step")
    COUNTED: ClassVar[tuple[str, ...]] = WITHIN

    longest_step: Annotated[float | None, replace(LONGEST_STEP, words="longest step (output_every_s)")] = None
    tolerance: Annotated[float, replace(TOLERANCE, words="error of a step in thousandths of the machine's size")] = 1e-4
    time_step: Annotated[float | None, TIME_STEP] = None
    rho_inf: Annotated[float, replace(RHO_INF, most=GeneralizedAlpha.LARGEST_RADIUS_OF_JOINTS)] = 0.8
    begin: Annotated[
        Literal["as given", "under load"],
        Words("where bodies begin: as they stand, or at rest under the forces at t = 0"),
    ] = "as given"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.time_step is not None and self.longest_step is not None:
            limit = "left out with a fixed step: it has no effect"
            raise Fault("longest_step_s", self.longest_step, limit, "leave out one of the two")
        if self.time_step is not None and self.tolerance != type(self).tolerance:
            limit = "left out with a fixed step, which is not controlled"
            raise Fault("tolerance", self.tolerance, limit, "leave out one of the two")

    @property
    def longest(self) -> float:
        """Longest step [s]."""
        return self.spacing if self.longest_step is None else self.longest_step


@dataclass(frozen=True, kw_only=True)
class Kinematics(ShortRepr):
    """Positions of a mechanism in which all forces balance, each found from the one before; bodies may lack mass.

    Inertia does not act. Time is only the variable over which prescribed joints and loads are given.

    Parameters
    ----------
    duration : float [s]
    positions : int
        Evenly spread from 0 to the duration, both included.

    Raises
    ------
    Fault
    """

    kind: ClassVar[str] = "kinematic"

    duration: Annotated[float, replace(DURATION, words="time from 0 to which tables of motions run")]
    positions: Annotated[
        int, Limits(quantity="number of positions", key="positions", least=2, most=1_000_000, whole=True)
    ] = 51

    def __post_init__(self) -> None:
        check_parameters(self)


class SpatialMotionTable(table_of(SpatialMotion)):  # type: ignore[misc]
    """``[analysis]`` with ``kind = "dynamic"`` of a machine with bodies in space."""

    kind: Literal["dynamic"] = Field(description="kind of analysis")

    def read(self, file: CaseFile, table: str) -> SpatialMotion | None:
        """Refuse a fixed step with a tolerance; see :meth:`PartTable.read`."""
        if {"time_step_s", "tolerance"} <= self.given.keys():
            limit = "excludes tolerance: a fixed step is not controlled"
            file.fault("analysis.time_step_s", shown(self.time_step_s), limit, "leave out one of the two")
            return None
        return super().read(file, table)


KinematicsTable = analysis_table(Kinematics)
