"""Friction between places that only turn: bearings, clutches, brakes, freewheels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from alegear.drivetrain.rotational.places import check_places, relative
from alegear.drivetrain.rotational.profiles import Rows, SignalLike, largest_and_smallest, signal_of
from alegear.dynamics.time_signal import TimeSignal
from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_choice, check_numbers, check_type
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.inputs import Inputs, names_of_inputs
from alegear.system.machine_part import MachinePart
from alegear.system.ode_terms import OdeTerms
from alegear.system.switches import LINES_SHAPE, FrictionLaw

PEAK = Limits(quantity="static over sliding friction", key="peak", least=1.0, most=1e6)
ONE_WAY = ("forward", "backward")
SPEED_TABLE = "speeds rising from 0, friction not negative"


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


def friction_table(what: str, given: float | Rows, quantity: str) -> tuple[Array, Array]:
    """Speeds (p,) and friction (p,) from a number or pairs.

    Raises
    ------
    Fault
    """
    rows = array_of([[0.0, given]] if isinstance(given, int | float) else given, what)
    if rows.ndim != 2 or rows.shape[1] != 2 or not len(rows):
        raise Fault(what, f"shape {rows.shape}", f"a number, or pairs of a speed and {quantity}", "give the points")
    if not np.isfinite(rows).all():
        raise Fault(what, "not a number", "finite numbers", "correct the number")
    speeds, values = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])
    if speeds[0] != 0.0 or (np.diff(speeds) <= 0.0).any():
        raise Fault(f"speeds of {what}", speeds.tolist(), "rising, the first 0", "put the points in order")
    if (values < 0.0).any():
        raise Fault(what, float(values.min()), "not negative: it always brakes", "correct the sign")
    return speeds, values


@dataclass(frozen=True, kw_only=True, eq=False)
class BearingFriction(MachinePart):
    """Friction of a bearing or a seal on what turns, with sticking.

    Parameters
    ----------
    name, at : str
    torque : float or pairs of (speed [rad/s], torque [N m])
        Over the speed by magnitude; straight lines between, the last one beyond.
    peak : float
        Static friction over that of the first sliding.
    to : str
        What it is fixed to.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "frictions"
    LIMITS: ClassVar[dict[str, Limits]] = {"peak": PEAK}

    name: str
    at: str
    torque: float | Rows
    peak: float = 1.0
    to: str = GROUND

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_places(self.name, (self.at, self.to), 2)
        check_numbers(self)
        object.__setattr__(
            self, "_table", friction_table(f"torque of friction {self.name} [N m]", self.torque, "torque")
        )

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the switch; its rate is the speed of the place."""
        speeds, torque = self._table  # type: ignore[attr-defined]
        law = FrictionOverSpeed(speeds=speeds, ahead=torque, back=torque, peak=self.peak)
        builder.switch(self.name, rate=relative(builder, self.name, (self.to, self.at)), law=law)


@dataclass(frozen=True, kw_only=True, eq=False)
class Clutch(MachinePart):
    """A friction clutch, or with ``"ground"`` a brake: torque up to factor mu(speed) times the normal force.

    Parameters
    ----------
    name : str
    between : (str, str)
    normal_force : float [N]
        The largest.
    friction : float or pairs of (speed [rad/s], coefficient)
        Over the relative speed by magnitude.
    geometry_factor : float [m]
        Torque over friction force: number of faces times mean radius. With 1 m, the default, the normal force stands
        for the torque that a coefficient of 1 would carry.
    signal : number, pairs of (time [s], factor), function of time, or TimeSignal
        Of the normal force over time, 0 to 1: 0 is open.
    peak : float
        Static over sliding friction.
    one_way : "forward", "backward" or None
        With a freewheel in series: the first body drives the second in this direction only; the second may run ahead.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "clutches"
    is_clutch: ClassVar[bool] = True
    disengages: ClassVar[bool] = True
    LIMITS: ClassVar[dict[str, Limits]] = {
        "normal_force": Limits(quantity="normal force", key="normal_force_N", unit="N", least=0.0, most=1e12),
        "geometry_factor": Limits(
            quantity="geometry factor", key="geometry_factor_m", unit="m", least=0.0, most=1e6, above=True
        ),
        "peak": PEAK,
    }

    name: str
    between: tuple[str, str]
    normal_force: float
    friction: float | Rows = 0.5
    geometry_factor: float = 1.0
    signal: SignalLike = 1.0
    peak: float = 1.0
    one_way: str | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        object.__setattr__(self, "between", check_places(self.name, self.between, 2))
        check_numbers(self)
        if self.one_way is not None:
            check_choice(self, "one_way", ONE_WAY, f"one_way of clutch {self.name}")
        table = friction_table(f"friction coefficient of clutch {self.name}", self.friction, "coefficient")
        signal = signal_of(f"signal of clutch {self.name}", self.signal)
        extremes = largest_and_smallest(signal)
        if extremes is not None and extremes[1] < 0.0:
            raise Fault(f"signal of clutch {self.name}", extremes[1], "not negative", "use 0 for open")
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_signal", signal)

    @cached_property
    def law(self) -> FrictionOverSpeed:
        """Its friction."""
        speeds, mu = self._table  # type: ignore[attr-defined]
        capacity = self.geometry_factor * self.normal_force * mu
        signal: TimeSignal = self._signal  # type: ignore[attr-defined]
        ahead = np.zeros_like(capacity) if self.one_way == "forward" else capacity
        back = np.zeros_like(capacity) if self.one_way == "backward" else capacity
        return FrictionOverSpeed(speeds=speeds, ahead=ahead, back=back, signal=signal, peak=self.peak)

    @property
    def coupled_ratio(self) -> float:
        """1: both places turn together while it holds."""
        return 1.0

    def open_at(self, t: float) -> bool:
        """Whether it may be open at t [s]: where the signal is 0, set by a controller, or a freewheel is in series."""
        signal: TimeSignal = self._signal  # type: ignore[attr-defined]
        return bool(names_of_inputs(signal)) or self.one_way is not None or not signal.value(t) > 0.0

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the switch; its rate is the speed of the second place against the first."""
        builder.switch(self.name, rate=relative(builder, self.name, self.between), law=self.law)


@dataclass(frozen=True, kw_only=True, eq=False)
class Brake(MachinePart):
    """A friction brake of a body against what is fixed, or against another body.

    Parameters
    ----------
    name, at : str
    normal_force : float [N]
        The largest.
    friction : float or pairs of (speed [rad/s], coefficient)
        Over the relative speed by magnitude.
    geometry_factor : float [m]
        Torque over friction force: number of faces times mean radius.
    signal : number, pairs of (time [s], factor), function of time, or TimeSignal
        Of the normal force over time, 0 to 1: 0 is open.
    peak : float
        Static friction over that of the first sliding.
    to : str
        What it is fixed to.
    one_way : {"forward", "backward"}, optional
        With a freewheel in series, the sense that it takes up.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "brakes"
    is_clutch: ClassVar[bool] = True
    LIMITS: ClassVar[dict[str, Limits]] = Clutch.LIMITS

    name: str
    at: str
    normal_force: float
    friction: float | Rows = 0.5
    geometry_factor: float = 1.0
    signal: SignalLike = 1.0
    peak: float = 1.0
    to: str = GROUND
    one_way: str | None = None
    clutch: Clutch = field(init=False, repr=False)

    def __post_init__(self) -> None:
        clutch = Clutch(
            name=self.name,
            between=(self.to, self.at),
            normal_force=self.normal_force,
            friction=self.friction,
            geometry_factor=self.geometry_factor,
            signal=self.signal,
            peak=self.peak,
            one_way=self.one_way,
        )
        object.__setattr__(self, "clutch", clutch)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the switch; its rate is the speed of the place."""
        self.clutch.add_to(builder)


@dataclass(frozen=True, kw_only=True, eq=False)
class Freewheel(MachinePart):
    """A one-way clutch: the first body drives the second forward, which may run ahead of it.

    Parameters
    ----------
    name : str
    between : (str, str)
    sense : int
        -1: backward in place of forward.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "freewheels"
    is_clutch: ClassVar[bool] = True
    LIMITS: ClassVar[dict[str, Limits]] = {}

    name: str
    between: tuple[str, str]
    sense: int = 1

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        object.__setattr__(self, "between", check_places(self.name, self.between, 2))
        if self.sense not in (1, -1) or isinstance(self.sense, bool):
            raise Fault(f"sense of freewheel {self.name}", self.sense, "1 or -1", "correct it")

    @property
    def coupled_ratio(self) -> float:
        """1: both places turn together while it holds."""
        return 1.0

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the switch; its rate is the speed of the second place against the first, and cannot change its sign."""
        nothing, all_of_it = np.zeros(1), np.full(1, math.inf)
        ahead, back = (nothing, all_of_it) if self.sense > 0 else (all_of_it, nothing)
        law = FrictionOverSpeed(speeds=np.zeros(1), ahead=ahead, back=back)
        builder.switch(self.name, rate=relative(builder, self.name, self.between), law=law)
