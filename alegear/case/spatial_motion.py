"""``[analysis]`` of a machine with bodies in space: a motion in time, or positions of a mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from alegear.case.case_file import CaseFile
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import shown
from alegear.case.motion_in_time import MotionInTime, MotionInTimeTable
from alegear.case.schema import Table, limited
from alegear.dynamics.generalized_alpha import GeneralizedAlpha
from alegear.errors import Fault
from alegear.limits import Limits, check_choice, check_numbers
from alegear.short_repr import ShortRepr

BEGINNINGS = ("as given", "under load")


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

    LIMITS: ClassVar[dict[str, Limits]] = {
        **MotionInTime.LIMITS,
        "tolerance": DynamicAnalysis.LIMITS["tolerance"],
        "time_step": DynamicAnalysis.LIMITS["time_step"],
        "rho_inf": Limits(
            quantity="spectral radius at infinity",
            key="rho_inf",
            least=0.0,
            most=GeneralizedAlpha.LARGEST_RADIUS_OF_JOINTS,
        ),
    }
    WITHIN: ClassVar[tuple[str, ...]] = (*MotionInTime.WITHIN, "time_step")
    COUNTED: ClassVar[tuple[str, ...]] = WITHIN

    tolerance: float = 1e-4
    time_step: float | None = None
    rho_inf: float = 0.8
    begin: Literal["as given", "under load"] = "as given"

    def __post_init__(self) -> None:
        check_choice(self, "begin", BEGINNINGS)
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

    LIMITS: ClassVar[dict[str, Limits]] = {
        "duration": SpatialMotion.LIMITS["duration"],
        "positions": Limits(quantity="number of positions", key="positions", least=2, most=1_000_000, whole=True),
    }
    kind: ClassVar[str] = "kinematic"

    duration: float
    positions: int = 51

    def __post_init__(self) -> None:
        check_numbers(self)


class SpatialMotionTable(MotionInTimeTable):
    """``[analysis]`` with ``kind = "dynamic"`` of a machine with bodies in space."""

    tolerance: float | None = limited(
        SpatialMotion.LIMITS["tolerance"], "error of a step in thousandths of the machine's size (1e-4)", default=None
    )
    time_step_s: float | None = limited(SpatialMotion.LIMITS["time_step"], "fixed time step in s", default=None)
    longest_step_s: float | None = limited(
        SpatialMotion.LIMITS["longest_step"], "longest step in s (output_every_s)", default=None
    )
    rho_inf: float = limited(SpatialMotion.LIMITS["rho_inf"], "spectral radius at infinity (0.8)", default=0.8)
    begin: Literal["as given", "under load"] = Field(
        default="as given", description="where bodies begin: as they stand, or at rest under the forces at t = 0"
    )

    def analysis(self, file: CaseFile) -> SpatialMotion | None:
        """Return the analysis; None with a fault, which goes to the file."""
        if self.time_step_s is not None and self.tolerance is not None:
            limit = "excludes tolerance: a fixed step is not controlled"
            file.fault("analysis.time_step_s", shown(self.time_step_s), limit, "leave out one of the two")
            return None
        with file.made_from_table("analysis", type(self)):
            return SpatialMotion(
                **self.times(),
                tolerance=SpatialMotion.tolerance if self.tolerance is None else self.tolerance,
                time_step=self.time_step_s,
                longest_step=self.longest_step_s,
                rho_inf=self.rho_inf,
                begin=self.begin,
            )
        return None


class KinematicsTable(Table):
    """``[analysis]`` with ``kind = "kinematic"`` of a machine with bodies in space."""

    kind: Literal["kinematic"] = Field(description="kind of analysis")
    duration_s: float = limited(Kinematics.LIMITS["duration"], "time from 0 to which tables of motions run in s")
    positions: int = limited(Kinematics.LIMITS["positions"], "number of positions (51)", default=51)

    def analysis(self, file: CaseFile) -> Kinematics | None:
        """Return the analysis; None with a fault, which goes to the file."""
        with file.made_from_table("analysis", type(self)):
            return Kinematics(duration=self.duration_s, positions=self.positions)
        return None
