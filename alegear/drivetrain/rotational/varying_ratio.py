"""A gear whose ratio varies: over the angle of a shaft (gears that are not round), or over time (a variator)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar, Self

import numpy as np

from alegear.drivetrain.rotational import profiles
from alegear.drivetrain.rotational.gears import RATIO
from alegear.drivetrain.rotational.places import A_AND_B, HOUSING, rotation_weights
from alegear.drivetrain.rotational.profiles import SignalLike, Sine, TableLike
from alegear.drivetrain.rotational.springs import DAMPING, STIFFNESS
from alegear.drivetrain.rotational.torsional_element import TorsionalElement
from alegear.errors import AnalysisFailure, Fault
from alegear.parameters import Columns
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.inputs import Input, Inputs
from alegear.system.machine_part import MachinePart
from alegear.system.ode_terms import cubic_numbers
from alegear.system.profiles import PiecewiseCubic
from alegear.system.time_signal import TimeSignal

TURN = 2.0 * math.pi


@dataclass(frozen=True, kw_only=True, eq=False)
class VaryingRatio(MachinePart):
    r"""A gear whose ratio varies over an angle or over time.

    It is compliant. With the angles of both shafts against the housing, the torque that the gear takes from shaft A is

    .. math::
        \tau = k\,(\varphi_A - \Phi(\varphi_B)) + d\,(\omega_A - i\,\omega_B), \qquad
        \Phi(\varphi_B) = \int_0^{\varphi_B} i\,d\varphi

    It gives i tau to shaft B and what is left to the housing. Over the angle of B (``over_angle``) k is the stiffness
    of the teeth, and without damping no power is lost. Over time (``over_time``) nothing but creep can transmit a
    torque while the ratio is changed: k is 0, 1/d the creep [rad/s per N m], and tau times the creep is lost. A
    constant ratio without compliance is :class:`~alegear.drivetrain.rotational.gears.RatioGear`.

    The table over the angle is over one turn, with the same i at both ends; monotone cubics between, smooth from turn
    to turn. Over time i may also be a function, a signal or an input.

    Raises
    ------
    Fault
        Also where i is 0 or changes its sign; where a function or a controller lets it, the motion ends there with an
        AnalysisFailure.
    """

    TABLE: ClassVar[str] = "varying_ratios"

    between: Annotated[tuple[str, str], A_AND_B]
    over_angle: Annotated[
        TableLike | None,
        Columns(
            "deg",
            "",
            key="ratio_deg",
            words="pairs of an angle of B in degrees, 0 to 360, and speed of A over speed of B there",
        ),
    ] = None
    over_time: Annotated[
        SignalLike | None,
        Columns(
            "s",
            "",
            key="ratio_s",
            words="pairs of a time in s and speed of A over speed of B, in place of ratio_deg",
        ),
    ] = None
    stiffness: Annotated[float, replace(STIFFNESS, words="stiffness about A, with ratio_deg,")] = 0.0
    damping: Annotated[float, replace(DAMPING, words="torque over creep about A")] = 0.0
    housing: Annotated[str, HOUSING] = GROUND

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.over_angle is None) == (self.over_time is None):
            given = "none of them" if self.over_angle is None else "both"
            raise Fault(
                f"over_angle or over_time of {self.label}", given, "one of them", "say what the ratio varies with"
            )
        what = f"ratio of {self.label}"
        signal: TimeSignal
        if self.over_angle is not None:
            if not self.stiffness:
                limit = "positive: by its angles a gear is held, or its teeth move away from each other"
                raise Fault(f"stiffness of {self.label} [N m/rad]", 0, limit, "give that of the teeth about shaft A")
            signal = _over_a_turn(what, self.over_angle)
        else:
            if self.stiffness:
                limit = "0: angles are in no ratio that changes over time"
                raise Fault(f"stiffness of {self.label} [N m/rad]", self.stiffness, limit, "give damping, the creep")
            if not self.damping:
                limit = "positive: torque over creep"
                raise Fault(f"damping of {self.label} [N m s/rad]", 0, limit, "give the torque at a creep of 1 rad/s")
            signal = profiles.signal_of(what, self.over_time)
        extremes = _extremes(signal)
        if extremes is not None:
            _check_ratios(what, *extremes)
        elif not isinstance(signal, Input):
            signal = _CheckedRatio(what=what, signal=signal, begin=float(signal.value(0.0)))
        object.__setattr__(self, "_signal", signal)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        weights = [rotation_weights(builder, self.name, {shaft: 1.0, self.housing: -1.0}) for shaft in self.between]
        numbers, signal = [self.stiffness, self.damping], self._signal  # type: ignore[attr-defined]
        if self.over_angle is not None:
            numbers, signal = numbers + cubic_numbers(signal), None
        builder.element(
            VaryingRatioElement(name=self.name, kind="varying ratio", numbers=numbers, rows=weights, signal=signal)
        )


def _check_ratios(what: str, largest: float, smallest: float) -> None:
    """Refuse ratios that come to 0 or lie beyond the limits of every ratio."""
    if not smallest * largest > 0.0:
        given = f"{largest:g}" if smallest == largest else f"from {smallest:g} to {largest:g}"
        raise Fault(what, given, "of one sign, not 0", "give speed of A over speed of B")
    for one in (smallest, largest):
        RATIO.check(one, what)


def _check_set(what: str, begin: float, value: float) -> None:
    """Refuse a ratio that has not the sign that it begins with: on its way there it would be 0."""
    _check_ratios(what, max(begin, value), min(begin, value))


def _extremes(signal: TimeSignal) -> tuple[float, float] | None:
    """Largest and smallest value; None where they are not known before the motion."""
    if isinstance(signal, Sine):
        return signal.mean + abs(signal.amplitude), signal.mean - abs(signal.amplitude)
    return profiles.largest_and_smallest(signal)


@dataclass(frozen=True, kw_only=True, eq=False)
class _CheckedRatio(TimeSignal):
    """A ratio that is any function of time, which keeps the sign that it begins with."""

    what: str
    signal: TimeSignal
    begin: float

    def __post_init__(self) -> None:
        _check_ratios(f"{self.what} at t = 0 s", self.begin, self.begin)

    @property
    def corners(self) -> tuple[float, ...]:
        """Those of the function."""
        return self.signal.corners

    def value(self, t: float) -> float:
        """Value at t [s].

        Raises
        ------
        AnalysisFailure
        """
        value = float(self.signal.value(t))
        try:
            _check_set(f"{self.what} at t = {t:.6g} s", self.begin, value)
        except Fault as fault:
            raise AnalysisFailure(str(fault)) from fault
        return value


def _over_a_turn(what: str, table: object) -> PiecewiseCubic:
    """Monotone cubics (Fritsch & Carlson 1980) through a table over a turn, with one slope at both of its ends."""
    from scipy.interpolate import PchipInterpolator  # here, because it takes long to import

    angles, ratios = profiles.pairs_of(what, table, "three or more pairs of an angle and a ratio", 3).T
    if angles[0] != 0.0 or abs(angles[-1] - TURN) > 1e-9 or not (np.diff(angles) > 0.0).all():
        limit = "rising from 0 to a whole turn, 360 deg"
        raise Fault(f"angles of the {what} [deg]", np.degrees(angles).tolist(), limit, "give one whole turn")
    if ratios[0] != ratios[-1]:
        limit = f"{ratios[0]:g}, as at 0: the next turn begins there"
        raise Fault(f"{what} at 360 deg", ratios[-1], limit, "close the table")
    _check_ratios(what, ratios.max(), ratios.min())  # before cubics are laid through them
    angles = np.array([*angles[:-1], TURN])
    before, after = angles[-3:-1] - TURN, angles[1:3] + TURN
    around = np.concatenate([before, angles, after])
    cubics = PchipInterpolator(around, np.concatenate([ratios[-3:-1], ratios, ratios[1:3]])).c[::-1].T
    ends = [[ratios[0], 0.0, 0.0, 0.0]]
    return PiecewiseCubic(times=angles, coefficients=np.concatenate([ends, cubics[2:-2], ends]))


class VaryingRatioElement(TorsionalElement):
    """A gear whose ratio varies, as an element: an input keeps the sign that it begins with."""

    def with_inputs(self, inputs: Inputs) -> Self:
        """The gear in a run."""
        own = super().with_inputs(inputs)
        for name in self.inputs:
            assert own.signal is not None
            inputs.demand(name, partial(_check_set, f"ratio of {self.name}, input {name},", own.signal.value(0.0)))
        return own
