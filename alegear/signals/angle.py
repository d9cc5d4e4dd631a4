"""Signals over the angle of a shaft: computed order tracking with the recorded angle."""

from __future__ import annotations

from math import ceil, floor, pi

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.limits import check_kind, described
from alegear.signals.sampling import PASSED, STOPPED, decimated, oversampled
from alegear.signals.signal import MOST_POINTS, SAME_STEP, Signal

#: Samples between those of the record, for the interpolation of degree 5: wrong by 2e-6 at 0.4 of the sampling rate.
OVERSAMPLING, DEGREE = 4, 5
LEAST_PER_TURN = 4


def resample_by_angle(signal: Signal, angle: Signal, *, samples_per_turn: int | None = None) -> Signal:
    """Resample a signal at equal steps of the angle of a shaft.

        y_k = x(t(2 pi k/N)),   t(phi): the time at which the recorded angle is phi

    The signal is band-limited in time, interpolated at steps of the angle fine enough that nothing is aliased in the
    slowest turn, and low-passed over the angle before the steps are widened to N a turn: orders that N does not resolve
    are filtered out, at any speed. The angle is the recorded one; nothing is integrated.

    Parameters
    ----------
    signal, angle : Signal
        Over time, of the same samples; the angle in rad, rising or falling throughout.
    samples_per_turn : int, optional
        Default: as many as the record has in the fastest turn.

    Returns
    -------
    Signal
        Over turns of the shaft in its running direction, known up to 0.4 N orders, with the speed of the shaft. At each
        end a few samples less than the record, which the filters need.

    Raises
    ------
    Fault
        For a shaft that stands or turns back, a record that is too short, more samples a turn than the fastest turn
        has, and speeds so far apart that the slow part needs more than twenty million points.

    References
    ----------
    Fyfe, Munck (1997), Analysis of computed order tracking; the filter over the angle, and the angle itself in place of
    pulses and an assumed acceleration, differ from it.
    """
    from scipy.interpolate import CubicSpline, make_interp_spline

    turned = _turned(signal, angle)
    rate = np.diff(turned) / angle.step  # [turns/s]
    fastest = 1.0 / (signal.step * float(rate.max()))  # samples a turn there
    slowest = 1.0 / (signal.step * float(rate.min()))
    per_turn = _samples_per_turn(samples_per_turn, fastest, signal)
    factor = ceil(STOPPED * (slowest / per_turn + 1.0))
    if factor * per_turn * (turned[-1] - turned[0]) > MOST_POINTS:
        worst = int(rate.argmin())
        raise Fault(
            f"speed of {angle.name} at {angle.start + worst * angle.step:.6g} s [rad/s]",
            float(f"{2.0 * pi * rate[worst]:.4g}"),
            f"not so far below the largest, {2.0 * pi * rate.max():.4g}",
            "leave the slow part out: Signal.between, of both",
        )
    between, begun = oversampled(signal.values, OVERSAMPLING, f"signal {signal.name}")
    fine = signal.start + signal.step * (begun + np.arange(len(between)) / OVERSAMPLING)
    x = make_interp_spline(fine, between, k=DEGREE)
    t = CubicSpline(turned, angle.x)
    covered = turned[begun], turned[len(turned) - 1 - begun]
    # from a whole multiple of the factor on, so that the samples that are kept are at whole multiples of 1/N turns
    first = factor * ceil(covered[0] * per_turn)
    turns = np.arange(first, floor(covered[1] * per_turn * factor) + 1) / (factor * per_turn)
    kept, start = decimated(x(t(turns)), factor, f"signal {signal.name} over the turns of {angle.name}")
    at = (first // factor + start // factor + np.arange(len(kept))) / per_turn
    highest = min(PASSED * per_turn, signal.known_up_to * signal.step * fastest)
    return Signal(
        name=signal.name,
        units=signal.units,
        values=kept,
        step=1.0 / per_turn,
        start=float(at[0]),
        over="turns",
        highest=highest,
        speed=2.0 * pi / t(at, 1),
        round_off=signal.lost,
    )


def speed_of(angle: Signal) -> Array:
    """Return the magnitude of the speed of a shaft from its angle, shape (n,) [rad/s], by central differences."""
    found: Array = np.abs(np.gradient(angle.values, angle.step))
    return found


def check_same_samples(signal: Signal, angle: Signal) -> None:
    """Refuse an angle that is not recorded with the signal.

    Raises
    ------
    Fault
    """
    for what, one in (("signal", signal), ("angle", angle)):
        check_kind(one, what, Signal)
        if one.over != "time":
            raise Fault(f"steps of {what} {one.name}", one.over, "of time", "give the record over time")
    if angle.units != "rad":
        raise Fault(f"unit of angle {angle.name}", angle.units, "rad", "give the rotation of a shaft in rad")
    same = len(signal) == len(angle) and abs(signal.step - angle.step) <= SAME_STEP * signal.step
    if not same or abs(signal.start - angle.start) > SAME_STEP * signal.step:
        value = f"{len(angle)} from {angle.start:.6g} s by {angle.step:.6g} s"
        limit = f"those of {signal.name}, {len(signal)} from {signal.start:.6g} s by {signal.step:.6g} s"
        raise Fault(f"samples of angle {angle.name}", value, limit, "take both from one record")


def _turned(signal: Signal, angle: Signal) -> Array:
    """Turns of the shaft in its running direction, rising."""
    check_same_samples(signal, angle)
    turned: Array = angle.values / (2.0 * pi)
    if turned[-1] < turned[0]:
        turned = -turned
    back = np.flatnonzero(np.diff(turned) <= 0.0)
    if back.size:
        does = "stands still" if turned[back[0] + 1] == turned[back[0]] else "turns back"
        raise Fault(
            f"shaft of {angle.name} at {angle.start + back[0] * angle.step:.6g} s",
            does,
            "turning in one direction throughout",
            "take a part in which it does: Signal.between, of both",
        )
    return turned


def _samples_per_turn(given: int | None, fastest: float, signal: Signal) -> int:
    most = int(fastest * (1.0 + SAME_STEP))
    if most < LEAST_PER_TURN:
        limit = f"at least {LEAST_PER_TURN}"
        raise Fault(f"samples of signal {signal.name} in the fastest turn", most, limit, "record at smaller steps")
    if given is None:
        return most
    if isinstance(given, bool) or not isinstance(given, int) or not LEAST_PER_TURN <= given <= most:
        limit = f"a whole number from {LEAST_PER_TURN} to {most}, what the record has in the fastest turn"
        raise Fault("samples_per_turn", described(given), limit, "correct it, or record at smaller steps")
    return given
