"""The machines of this folder worked out by hand: closed forms, and quadrature to 1e-12 phase after phase.

Every function takes rising times [s] and returns speeds [rad/s] and angles [rad] by name, as the columns of `run.py`
ask for them. Nothing of :mod:`alegear` is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from math import cos, pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

Array = NDArray[np.float64]
Curves = dict[str, Array]
Rates = Callable[[float, Array], tuple[float, ...]]
Rate = Callable[[float, Array], float]


@dataclass(frozen=True, kw_only=True)
class Change:
    """A switch that changes its mode: when [s], which, and both modes."""

    t: float
    switch: str
    before: int
    after: int


# ------------------------------------------------------------------ lossy gear
#: Inertia about J2 over time in the phases of the lossy gear: mode, what T_2 and T_1 count, J_2 + ... J_1.
#: The shafts drive each other with tau_A positive throughout: backward the loss is tau_A itself, forward half of it.
_BACKWARD = (-1, 4.0, 1.5 + 8.0)
_FORWARD = (1, 1.0, 1.5 + 2.0)


def _momentum(t: float, weight: float) -> float:
    """Integral of T_2 + weight T_1 from 0: T_2 = -10 + 2.5 t, T_1 = 10 sin 2 pi t [N m s]."""
    return -10.0 * t + 1.25 * t * t + weight * 10.0 * (1.0 - cos(2.0 * pi * t)) / (2.0 * pi)


@cache
def lossy_gear_changes() -> tuple[Change, ...]:
    r"""Events of the lossy gear: it stops where the momentum is used up, and breaks away where T_2 + w T_1 = 0.

    .. math:: \sin 2 \pi t = 1 - t/4 \text{ forward}, \qquad 4 \sin 2 \pi t = 1 - t/4 \text{ backward}
    """

    def used_up(weight: float, begin: float) -> Callable[[float], float]:
        return lambda t: _momentum(t, weight) - _momentum(begin, weight)

    stop = brentq(used_up(4.0, 0.0), 0.05, 0.15, xtol=1e-15)
    ahead = brentq(lambda t: sin(2.0 * pi * t) - (1.0 - 0.25 * t), 0.15, 0.25, xtol=1e-15)
    halt = brentq(used_up(1.0, ahead), 0.30, 0.45, xtol=1e-15)
    back = brentq(lambda t: 4.0 * sin(2.0 * pi * t) - (1.0 - 0.25 * t), 0.40, 0.49, xtol=1e-15)
    times, modes = (stop, ahead, halt, back), (-1, 0, 1, 0, -1)
    return tuple(Change(t=t, switch="gear", before=modes[i], after=modes[i + 1]) for i, t in enumerate(times))


def lossy_gear(times: Array) -> Curves:
    """Speed of J2, and of the gear the torque of J1 on it and the loss torque about J1."""
    begin, first, second, third, fourth = 0.0, *(one.t for one in lossy_gear_changes())
    speed, flange, loss = (np.zeros(len(times)) for _ in range(3))
    for i, t in enumerate(times):
        T_1, T_2 = 10.0 * sin(2.0 * pi * t), -10.0 + 2.5 * t
        if first < t <= second or third < t <= fourth:  # stuck: half of T_2 is what gets through
            flange[i], loss[i] = T_1, T_1 + 0.5 * T_2
            continue
        since, (mode, weight, inertia) = (second, _FORWARD) if second < t <= third else (begin, _BACKWARD)
        if t > fourth:
            since = fourth
        speed[i] = (_momentum(t, weight) - _momentum(since, weight)) / inertia
        flange[i] = T_1 - 2.0 * (T_2 + weight * T_1) / inertia
        loss[i] = 0.5 * flange[i] if mode > 0 else -flange[i]
    return {"J2": speed, "gear flange": flange, "gear loss": loss}


# ------------------------------------------------------------- linear machines
def _linear(A: Array, x: Array, times: Array) -> Array:
    """States (m, n) of dx/dt = A x at rising times, x at the first of them: exponentials from time to time."""
    found, steps = [x], np.diff(times)
    kept: dict[float, Array] = {}
    for h in steps:
        key = float(np.round(h, 15))
        if key not in kept:
            kept[key] = expm(A * h)
        found.append(kept[key] @ found[-1])
    return np.array(found)


def elastic_bearing(times: Array) -> Curves:
    """Shaft, housing, output spring and load: one linear system, and the torque with its slope as two more states."""
    J = np.array([1.0, 5.0, 50.0])
    turn = np.array([1.0 / 3.0, 2.0 / 3.0, -1.0])  # twist of the output spring: (shaft + 2 housing)/3 - load
    K = 1e3 * np.outer(turn, turn) + np.diag([0.0, 1e5, 0.0])
    A = np.zeros((8, 8))
    A[:3, 3:6] = np.eye(3)
    A[3:6, :3], A[4, 4], A[3, 6], A[6, 7] = -K / J[:, None], -5.0 / J[1], 1.0, 1.0
    corner = 5.0
    early, late = times[times <= corner], times[times > corner]
    x = np.zeros(8)
    x[7] = 20.0  # N m/s
    first = _linear(A, x, np.concatenate([[0.0], early, [corner]]))
    x = first[-1].copy()
    x[7] = 0.0
    second = _linear(A, x, np.concatenate([[corner], late]))
    found = np.concatenate([first[1:-1], second[1:]])
    names = ("shaft", "housing", "load")
    angles = {f"{name} angle": found[:, i] for i, name in enumerate(names)}
    return angles | {name: found[:, 3 + i] for i, name in enumerate(names)}


def gear_constraint(times: Array) -> Curves:
    """omega_2 = 20/(100 J_1 + J_2) (1 - cos 2 pi t)/(2 pi), and its integral."""
    size = 20.0 / (100.0 * 0.030237829 + 0.483805269) / (2.0 * pi)
    turned = times - np.sin(2.0 * pi * times) / (2.0 * pi)
    return {"inertia2": size * (1.0 - np.cos(2.0 * pi * times)), "inertia2 angle": size * turned}


# ------------------------------------------------------------ phase after phase
@dataclass(frozen=True, kw_only=True)
class Phase:
    """Rates of a state, until an event or a time [s]."""

    rates: Rates
    last: float
    until: Rate | None = None


def _phases(phases: Iterable[Phase], y: Array, times: Array) -> tuple[Array, list[float]]:
    """States (n, m) at rising times, the first of them 0, and the ends of the phases."""
    found, t, ends = [y[:, None]], 0.0, []
    for phase in phases:
        until = None if phase.until is None else _falling(phase.until)
        response = solve_ivp(
            phase.rates, (t, phase.last), y, "DOP853", events=until, dense_output=True, rtol=1e-12, atol=1e-13
        )
        assert response.success, response.message
        inside = times[(times > t) & (times <= response.t[-1])]
        found.append(response.sol(inside) if len(inside) else np.empty((len(y), 0)))
        t, y = float(response.t[-1]), response.y[:, -1]
        ends.append(t)
    return np.concatenate(found, axis=1), ends


def _falling(function: Rate) -> Callable[[float, Array], float]:
    """The function as an event that ends a phase where it falls to zero."""

    def event(t: float, y: Array) -> float:
        return function(t, y)

    event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
    return event


def gear_shift(times: Array) -> Curves:
    """Engine, load and clutch of the shift, phase after phase."""
    return _gear_shift(times)[0]


@cache
def gear_shift_changes() -> tuple[Change, ...]:
    """The clutch begins to close, the brake slips and opens, and the clutch locks."""
    slips, locks = _gear_shift(np.array([0.0, 5.0]))[1]
    return (
        Change(t=2.0, switch="clutch", before=2, after=-1),
        Change(t=slips, switch="brake", before=0, after=1),
        Change(t=2.1, switch="brake", before=1, after=2),
        Change(t=locks, switch="clutch", before=-1, after=0),
    )


def _gear_shift(times: Array) -> tuple[Curves, tuple[float, float]]:
    r"""Phases: at rest, ring held, clutch slips too, brake slips, brake open, all in one block.

    With C from the engine through the clutch on the ring, B of the brake on the ring, tau_s of the engine on the sun,

    .. math::
        \dot\omega_e = T - \tau_s - C, \quad 1.5 \tau_s = C + B, \quad 10 \dot\omega = 2.5 \tau_s - k \omega^2,
        \quad \omega_e + 1.5 \omega_r = 2.5 \omega
    """
    T, most, drag = 20.0, 100.0, 20.0 / 10.471975511966**2

    def closed(t: float) -> float:
        return most * min(max(10.0 * (t - 2.0), 0.0), 1.0)  # C while the clutch slips

    def held(t: float, y: Array) -> tuple[float, ...]:  # omega_e = 2.5 omega
        rate = (2.5 * (T - closed(t)) - drag * y[1] ** 2) / 16.25
        return 2.5 * rate, rate, y[0], y[1]

    def left_of_brake(t: float, y: Array) -> float:
        B = 1.5 * (T - closed(t) - held(t, y)[0]) - closed(t)
        return most - closed(t) + B  # B has become negative: the clutch pulls the ring forward

    def slipping(t: float, y: Array) -> tuple[float, ...]:
        tau_s = (closed(t) - (most - closed(t))) / 1.5
        return T - tau_s - closed(t), (2.5 * tau_s - drag * y[1] ** 2) / 10.0, y[0], y[1]

    def block(t: float, y: Array) -> tuple[float, ...]:
        rate = (T - drag * y[1] ** 2) / 11.0
        return rate, rate, y[0], y[1]

    phases = [
        Phase(rates=lambda t, y: (0.0, 0.0, 0.0, 0.0), last=0.5),
        Phase(rates=held, last=2.0),
        Phase(rates=held, last=2.1, until=left_of_brake),
        Phase(rates=slipping, last=2.1),
        Phase(rates=slipping, last=5.0, until=lambda t, y: y[0] - y[1]),  # engine as fast as load, so as the ring
        Phase(rates=block, last=5.0),
    ]
    (engine, load, engine_angle, load_angle), ends = _phases(phases, np.zeros(4), times)
    curves = {"engine": engine, "load": load, "engine angle": engine_angle, "load angle": load_angle}
    curves["clutch"] = (2.5 * load - engine) / 1.5 - engine
    curves["clutch angle"] = (2.5 * load_angle - engine_angle) / 1.5 - engine_angle
    return curves, (ends[2], ends[4])


def backlash(times: Array) -> Curves:
    """Two oscillators: the damped one in closed form, the one with backlash by small steps."""
    J, c, d, b, start = 5.0, 2e4, 50.0, 0.25 * pi, 0.5 * pi
    delta = d / (2.0 * J)
    omega = sqrt(c / J - delta**2)
    fading = start * np.exp(-delta * times)
    curves = {
        "tight angle": fading * (np.cos(omega * times) + delta / omega * np.sin(omega * times)),
        "tight": -fading * (delta**2 + omega**2) / omega * np.sin(omega * times),
    }

    def rates(t: float, y: Array) -> tuple[float, float]:
        side = 1.0 if y[0] > 0.0 else -1.0
        elastic = max(c * (side * y[0] - 0.5 * b), 0.0)
        return y[1], -side * max(elastic + min(elastic, d * side * y[1]), 0.0) / J

    (curves["loose angle"], curves["loose"]), _ = _phases(
        [Phase(rates=rates, last=float(times[-1]))], np.array([start, 0.0]), times
    )
    return curves


def planetary_gear(times: Array) -> Curves:
    """(4.001 + 0.001 16/9 + 0.004) omega_c' = 4/3 - 19.62 cos phi_c; the rest follows from omega_c and the sun."""
    inertia = 4.001 + 0.001 * 16.0 / 9.0 + 0.004

    def rates(t: float, y: Array) -> tuple[float, float]:
        return (4.0 / 3.0 - 19.62 * cos(y[1])) / inertia, y[0]

    (speed, angle), _ = _phases([Phase(rates=rates, last=float(times[-1]))], np.array([0.5, 0.0]), times)
    return {
        "carrier": speed,
        "carrier angle": angle,
        "ring": (4.0 * speed - 1.0) / 3.0,
        "ring angle": (4.0 * angle - times) / 3.0,
        "planet": 2.0 * speed - 1.0,
        "planet angle": 2.0 * angle - times,
        "planet on carrier": speed - 1.0,
        "planet on carrier angle": angle - times,
        "sun angle": times,
    }
