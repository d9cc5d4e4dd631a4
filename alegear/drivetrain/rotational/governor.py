"""A speed that is held by a torque: a PI controller that acts all the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from alegear.drivetrain.rotational import governor_kernels as kernels
from alegear.drivetrain.rotational.places import check_places, relative
from alegear.drivetrain.rotational.profiles import Rows, speed_lines
from alegear.drivetrain.rotational.sources import TorqueSource
from alegear.element_address import element_terms
from alegear.errors import Fault
from alegear.limits import Limits, check_numbers, check_type
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array, Indices
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement
from alegear.system.machine_part import MachinePart
from alegear.system.profiles import PiecewiseCubic


@dataclass(frozen=True, kw_only=True, eq=False)
class SpeedGovernor(MachinePart):
    """A torque that holds the speed of a body: a continuous PI controller.

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
    name, at : str
    speed : number [rad/s], or pairs of (time [s], speed)
        omega_0, straight lines without a jump; the angle counts from the start of the motion.
    proportional : float [N m s/rad]
        k_p.
    integral : float [N m/rad]
        k_i.
    torque : float [N m]
        tau_0: what it begins with, positive about the axis.
    to : str
        What carries it.
    angle : float [rad]
        At which the body stands at the start of the motion, in place of 0.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "governors"
    is_load: ClassVar[bool] = True
    LIMITS: ClassVar[dict[str, Limits]] = {
        "proportional": Limits(
            quantity="proportional gain", key="proportional_Nms_per_rad", unit="N m s/rad", least=0.0, most=1e12
        ),
        "integral": Limits(quantity="integral gain", key="integral_Nm_per_rad", unit="N m/rad", least=0.0, most=1e12),
        "torque": Limits(quantity="torque without error", key="torque_Nm", unit="N m", least=-1e12, most=1e12),
    }

    name: str
    at: str
    speed: float | Rows
    proportional: float
    integral: float = 0.0
    torque: float = 0.0
    to: str = GROUND
    angle: float = 0.0

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_places(self.name, (self.to, self.at), 2)
        check_numbers(self)
        if not self.proportional and not self.integral:
            limit = "one of both greater than 0: it holds no speed else"
            raise Fault(f"gains of {self.name}", 0, limit, "give one, or take a torque")
        what = f"speed of {self.name}"
        signal = speed_lines(what, self.speed)
        if signal.coefficients[:, 2:].any():
            raise Fault(what, "curved", "straight lines", "give pairs of a time and a speed")
        object.__setattr__(self, "_signal", signal)

    def in_statics(self, sense: float = 1.0) -> TorqueSource:
        """What it gives where the speed is as wanted: the torque that it begins with, wherever the body stands."""
        return TorqueSource(name=self.name, at=self.at, torque=self.torque, to=self.to)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        weights = relative(builder, self.name, (self.to, self.at))
        builder.element(GovernorElement(governor=self, weights=weights))


class GovernorElement(StatelessElement):
    """A governor as an element."""

    only_in_motion = True

    def __init__(self, *, governor: SpeedGovernor, weights: dict[int, float]) -> None:
        self.governor, self.name = governor, governor.name
        self.coordinates: Indices = np.array(list(weights), dtype=np.int64)
        self.row: Array = np.array(list(weights.values()))
        self.signal: PiecewiseCubic = governor._signal  # type: ignore[attr-defined]
        signal, begins = self.signal, [0.0, *(float(t) for t in self.signal.times if t > 0.0)]
        before = signal.integral(0.0) - governor.angle
        #: Straight lines of the speed, one a row, as the kernels have them: each with the slope that begins.
        self.reference: Array = np.array(
            [[t, signal.integral(t) - before, signal.value(t), signal.derivative(t) + signal.jump(t)] for t in begins]
        )

    @property
    def signals(self) -> tuple[PiecewiseCubic, ...]:
        """The speed, at whose corners steps end."""
        return (self.signal,)

    def torque(self, t: float, x: Array, v: Array) -> float:
        """Torque [N m] at its own coordinates and velocities (n_e,)."""
        own = self.governor
        angle, speed = kernels.reference_at(self.reference, t)
        errors = float(self.row @ v) - speed, float(self.row @ x) - angle
        return own.torque - own.proportional * errors[0] - own.integral * errors[1]

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Torque on the places, with its tangents."""
        both = np.outer(self.row, self.row)
        return ElementForces(
            Q=self.row * self.torque(t, x, v),
            by_x=-self.governor.integral * both,
            by_v=-self.governor.proportional * both,
        )

    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """What it is to compiled motions."""
        own = self.governor
        made = kernels.Governor(
            float(own.proportional), float(own.integral), float(own.torque), np.array(self.reference, order="C")
        )
        return element_terms(
            kernels.governor_element,
            made,
            kernels.GOVERNOR,
            kernels.copied,
            coordinates=self.coordinates,
            rows=self.row[None, :].copy(),
        )

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """Nothing is stored; what it gives is supplied."""
        return ElementEnergy(stored=0.0, supplied_power=float(forces.Q @ v))
