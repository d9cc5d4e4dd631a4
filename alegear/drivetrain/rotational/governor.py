"""A speed that is held by a torque: a PI controller that acts all the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from alegear.drivetrain.rotational.places import REACTS_ON, relative
from alegear.drivetrain.rotational.profiles import TableLike, speed_lines
from alegear.drivetrain.rotational.sources import SPEED, SPEED_OVER_TIME, TorqueSource
from alegear.drivetrain.rotational.torsional_element import TorsionalElement
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import OneOf, Words
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.machine_part import MachinePart
from alegear.system.ode_terms import cubic_numbers
from alegear.system.profiles import PiecewiseCubic

PROPORTIONAL = Limits(
    quantity="proportional gain", words="torque over the error of the speed", unit="N m s/rad", least=0.0, most=1e12
)
INTEGRAL = Limits(quantity="integral gain", words="torque over its integral", unit="N m/rad", least=0.0, most=1e12)
Proportional = Annotated[float, PROPORTIONAL]
Integral = Annotated[float, INTEGRAL]


@dataclass(frozen=True, kw_only=True, eq=False)
class SpeedGovernor(MachinePart):
    """A speed over time that a torque holds, by a PI controller that acts all the time.

    ``tau = tau_0 - k_p (omega - omega_0) - k_i integral of (omega - omega_0) dt``; as the integral of a speed is an
    angle,

        tau = tau_0 - k_p (omega - omega_0) - k_i (theta - theta_0)

    with the angle theta_0, the integral of the wanted speed omega_0 since the body was at angle 0. That is a spring and
    a damper against a shaft that turns at the wanted speed, so that there is no further state and no sampling; a
    controller that samples, saturates or decides is :class:`alegear.Controller`. All its work counts as supplied.

    With an inertia J on the body and a load that jumps by T the speed swings back as

        omega - omega_0 = -T/(J omega_d) exp(-k_p t/(2 J)) sin(omega_d t),   omega_d^2 = k_i/J - (k_p/(2 J))^2

    Parameters
    ----------
    angle : float [rad]
        At which the body stands at the start of the motion, in place of 0.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "governors"
    is_load: ClassVar[bool] = True

    at: Annotated[str, Words("name of the rotor or shaft that it turns")]
    to: Annotated[str, REACTS_ON] = GROUND
    speed: Annotated[float | TableLike, OneOf(SPEED, SPEED_OVER_TIME)]
    proportional: Proportional
    integral: Integral = 0.0
    torque: Annotated[
        float,
        Limits(
            quantity="torque without error",
            words="torque without an error, positive about the axis,",
            unit="N m",
            least=-1e12,
            most=1e12,
        ),
    ] = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.proportional and not self.integral:
            limit = "one of both greater than 0: it holds no speed else"
            raise Fault(f"gains of {self.label}", 0, limit, "give one, or take a torque")
        object.__setattr__(self, "_signal", speed_lines(f"speed of {self.label}", self.speed))

    def in_statics(self, sense: float = 1.0) -> TorqueSource:
        """What it gives where the speed is as wanted: the torque that it begins with, wherever the body stands."""
        return TorqueSource(name=self.name, at=self.at, torque=self.torque, to=self.to)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        weights = relative(builder, self.name, (self.to, self.at))
        builder.element(GovernorElement(governor=self, weights=weights))


class GovernorElement(TorsionalElement):
    """A governor as an element; what it gives is supplied."""

    only_in_motion = True

    def __init__(self, *, governor: SpeedGovernor, weights: dict[int, float]) -> None:
        self.speed: PiecewiseCubic = governor._signal  # type: ignore[attr-defined]
        gains, beginning = (governor.proportional, governor.integral), governor.angle - self.speed.integral(0.0)
        numbers = [*gains, governor.torque, beginning, *cubic_numbers(self.speed)]
        super().__init__(name=governor.name, kind="governor", numbers=numbers, rows=[weights])

    @property
    def signals(self) -> tuple[PiecewiseCubic, ...]:
        """The speed, at whose corners steps end."""
        return (self.speed,)

    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """What it is to compiled motions."""
        return self.by_address()
