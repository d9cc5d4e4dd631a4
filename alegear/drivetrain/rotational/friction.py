"""Friction between places that only turn: bearings, clutches, brakes, freewheels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np

from alegear.drivetrain.rotational.places import BETWEEN, FIXED_TO, relative
from alegear.drivetrain.rotational.profiles import SignalLike, TableLike, largest_and_smallest, pairs_of, signal_of
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import Columns, OneOf, Words
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.inputs import Inputs, names_of_inputs
from alegear.system.machine_part import MachinePart
from alegear.system.ode_terms import OdeTerms
from alegear.system.switches import LINES_SHAPE, FrictionLaw
from alegear.system.time_signal import TimeSignal

StaticToKinetic = Annotated[float, Limits(quantity="static over sliding friction", least=1.0, most=1e6)]
Sense = Literal["forward", "backward"]


@dataclass(frozen=True, kw_only=True, eq=False)
class FrictionOverSpeed(FrictionLaw):
    """Bounds of friction over the speed, times a signal: straight lines, the last value beyond the last speed.

    Parameters
    ----------
    speeds : shape (p,) [rad/s]
        Rising from 0.
    ahead, back : shape (p,) [N m]
        Bounds forward and backward; may be infinite.
    signal : TimeSignal or None
        Factor over time, negative taken as 0.
    peak : float
    """

    speeds: Array
    ahead: Array
    back: Array
    signal: TimeSignal | None = None
    peak: float = 1.0

    def lines(self, t: float, rate: float, x: Array, v: Array) -> Array:
        """The same line twice, without a slope."""
        factor = 1.0 if self.signal is None else max(self.signal.value(t), 0.0)
        lines = np.zeros(LINES_SHAPE)
        for side, bounds in enumerate((self.ahead, self.back)):
            bound = float(bounds[0]) if rate == 0.0 or len(bounds) == 1 else float(np.interp(rate, self.speeds, bounds))
            lines[side, :, 0] = bound * factor if factor else 0.0
        return lines

    def ode_terms(self) -> OdeTerms:
        """Rows of speed and both bounds, and the signal."""
        rows = np.column_stack([self.speeds, self.ahead, self.back]).ravel().tolist()
        return OdeTerms(kind="over speed", numbers=[float(len(self.speeds)), *rows], signal=self.signal)

    @property
    def corners(self) -> tuple[float, ...]:
        """Those of the signal."""
        return () if self.signal is None else self.signal.corners

    @property
    def period(self) -> float:
        """That of the signal."""
        return math.inf if self.signal is None else self.signal.period

    @property
    def inputs(self) -> tuple[str, ...]:
        """The signal, if it is one."""
        return names_of_inputs(self.signal)

    def with_inputs(self, inputs: Inputs) -> FrictionOverSpeed:
        """The law in a run."""
        return replace(self, signal=inputs.signal(self.signal)) if self.inputs else self


def friction_table(what: str, given: float | TableLike, quantity: str) -> tuple[Array, Array]:
    """Speeds (p,) and friction (p,) from a number or pairs."""
    points = [[0.0, given]] if isinstance(given, int | float) else given
    rows = pairs_of(what, points, f"a number, or pairs of a speed and {quantity}")
    speeds, values = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])
    if speeds[0] != 0.0 or (np.diff(speeds) <= 0.0).any():
        raise Fault(f"speeds of {what}", speeds.tolist(), "rising, the first 0", "put the points in order")
    if (values < 0.0).any():
        raise Fault(what, float(values.min()), "not negative: it always brakes", "correct the sign")
    return speeds, values


@dataclass(frozen=True, kw_only=True, eq=False)
class BearingFriction(MachinePart):
    """Friction of a bearing or a seal.

    It sticks at rest. Over the speed by magnitude its torque goes in straight lines, beyond the last speed it stays.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "frictions"

    at: Annotated[str, Words("name of the rotor or shaft that turns in it")]
    to: Annotated[str, FIXED_TO] = GROUND
    torque: Annotated[
        float | TableLike,
        OneOf(
            Limits(quantity="friction torque", unit="N m", least=0.0, most=1e12),
            Columns("rad/s", "N m", words="pairs of a speed in rad/s and the torque in N m, in place of one torque"),
        ),
    ]
    static_to_kinetic_ratio: StaticToKinetic = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        table = friction_table(f"torque of friction {self.label} [N m]", self.torque, "torque")
        object.__setattr__(self, "_table", table)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the switch; its rate is the speed of the place."""
        speeds, torque = self._table  # type: ignore[attr-defined]
        law = FrictionOverSpeed(speeds=speeds, ahead=torque, back=torque, peak=self.static_to_kinetic_ratio)
        builder.switch(self.name, rate=relative(builder, self.name, (self.to, self.at)), law=law)


@dataclass(frozen=True, kw_only=True, eq=False)
class FrictionClutch(MachinePart):
    """What clutches and brakes have in common: torque up to effective radius times mu(speed) times the normal force."""

    is_clutch: ClassVar[bool] = True

    normal_force: Annotated[float, Limits(quantity="largest normal force", unit="N", least=0.0, most=1e12)]
    friction: Annotated[
        float | TableLike,
        OneOf(
            Limits(quantity="friction coefficient", key="friction_coefficient", least=0.0, most=1e3),
            Columns("rad/s", "", words="pairs of a relative speed in rad/s and the friction coefficient"),
        ),
    ] = 0.5
    effective_radius: Annotated[
        float,
        Limits(
            quantity="number of faces times mean radius",
            unit="m",
            least=0.0,
            most=1e6,
            above=True,
        ),
    ] = 1.0
    static_to_kinetic_ratio: StaticToKinetic = 1.0
    signal: Annotated[
        SignalLike,
        Columns("s", "", words="pairs of a time in s and the fraction of the normal force, 0 open to 1 (closed)"),
    ] = 1.0
    overrunning: Annotated[
        Sense | None, Words("sense in which the second body may run ahead, as with a freewheel in series (neither)")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        table = friction_table(f"friction coefficient of {self.label}", self.friction, "coefficient")
        signal = signal_of(f"signal of {self.label}", self.signal)
        extremes = largest_and_smallest(signal)
        if extremes is not None and extremes[1] < 0.0:
            raise Fault(f"signal of {self.label}", extremes[1], "not negative", "use 0 for open")
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_signal", signal)

    @cached_property
    def law(self) -> FrictionOverSpeed:
        """Its friction."""
        speeds, mu = self._table  # type: ignore[attr-defined]
        capacity = self.effective_radius * self.normal_force * mu
        signal: TimeSignal = self._signal  # type: ignore[attr-defined]
        ahead = np.zeros_like(capacity) if self.overrunning == "forward" else capacity
        back = np.zeros_like(capacity) if self.overrunning == "backward" else capacity
        ratio = self.static_to_kinetic_ratio
        return FrictionOverSpeed(speeds=speeds, ahead=ahead, back=back, signal=signal, peak=ratio)


@dataclass(frozen=True, kw_only=True, eq=False)
class Clutch(FrictionClutch):
    """A clutch by its normal force.

    Its torque is at most the effective radius times mu(speed) times the normal force times the signal over time, which
    may also be a function of time or an input. With an effective radius of 1 m the normal force stands for the torque
    that a coefficient of 1 would carry. With ``"ground"`` it is a brake. Where it overruns, the first body drives the
    second in that sense alone.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "clutches"
    disengages: ClassVar[bool] = True

    between: Annotated[tuple[str, str], BETWEEN]

    @property
    def coupled_ratio(self) -> float:
        """1: both places turn together while it holds."""
        return 1.0

    def open_at(self, t: float) -> bool:
        """Whether it may be open at t [s]: where the signal is 0, set by a controller, or it overruns."""
        signal: TimeSignal = self._signal  # type: ignore[attr-defined]
        return bool(names_of_inputs(signal)) or self.overrunning is not None or not signal.value(t) > 0.0

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the switch; its rate is the speed of the second place against the first."""
        builder.switch(self.name, rate=relative(builder, self.name, self.between), law=self.law)


@dataclass(frozen=True, kw_only=True, eq=False)
class Brake(FrictionClutch):
    """A brake by its normal force.

    As a :class:`Clutch`, of a body against what is fixed, or against another body.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "brakes"

    at: Annotated[str, Words("name of the rotor or shaft that it brakes")]
    to: Annotated[str, FIXED_TO] = GROUND

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the switch; its rate is the speed of the place."""
        builder.switch(self.name, rate=relative(builder, self.name, (self.to, self.at)), law=self.law)


@dataclass(frozen=True, kw_only=True, eq=False)
class Freewheel(MachinePart):
    """The first body drives the second forward, which may run ahead.

    A one-way clutch; where it overruns backward it drives backward.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "freewheels"
    is_clutch: ClassVar[bool] = True

    between: Annotated[tuple[str, str], BETWEEN]
    overrunning: Annotated[Sense, Words("sense in which the second body may run ahead, and the first drives it")] = (
        "forward"
    )

    @property
    def coupled_ratio(self) -> float:
        """1: both places turn together while it holds."""
        return 1.0

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the switch; its rate is the speed of the second place against the first, and cannot change its sign."""
        nothing, all_of_it = np.zeros(1), np.full(1, math.inf)
        ahead, back = (nothing, all_of_it) if self.overrunning == "forward" else (all_of_it, nothing)
        law = FrictionOverSpeed(speeds=np.zeros(1), ahead=ahead, back=back)
        builder.switch(self.name, rate=relative(builder, self.name, self.between), law=law)
