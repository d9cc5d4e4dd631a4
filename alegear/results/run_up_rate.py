"""How slowly a run-up has to pass the resonances that a linear answer knows, and what that answer itself leaves out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from alegear.results.linear_response import COUNTS, DIFFERENCE, IN_MESH, LinearResponse

#: Part of the load that a run-up may add before it is warned of.
MORE_LOAD = 0.03
#: Damping ratio below which a resonance is called undamped: its amplitude is what round-off and spacing make of it.
UNDAMPED = 1e-4
RPM = 30.0 / math.pi


@dataclass(frozen=True, kw_only=True)
class Resonance:
    """An order of a mesh that meets a mode with a part of its energy in that mesh, and counts there.

    Attributes
    ----------
    mesh : str
    order : int
    frequency : float [Hz]
        Natural frequency of the mode.
    damping_ratio : float
    speed : float [rad/s]
        Of the answer that is next to it.
    seconds : float
        Duration of a run-up over the range of the answer that follows it within :data:`DIFFERENCE`.
    """

    mesh: str
    order: int
    frequency: float
    damping_ratio: float
    speed: float
    seconds: float

    @property
    def words(self) -> str:
        """Which it is, for a sentence."""
        rpm = self.speed * RPM
        return f"mode at {self.frequency:.0f} Hz (damping ratio {self.damping_ratio:.3g}, {rpm:.0f} rpm)"


def resonances(linear: LinearResponse) -> Iterator[Resonance]:
    r"""Resonances in the range of a linear answer.

    A motion is late by the time 1/sigma in which the mode dies out, sigma = zeta omega. At half its power the amplitude
    changes by 1/(2 sigma) of itself in a unit of the frequency [rad/s], so that an order n is off by
    :math:`n \dot\omega/(2 \sigma^2)` of itself there.
    """
    for m, mesh in enumerate(linear.meshes):
        frequency = linear.mesh_frequency[:, m]
        swept = 2.0 * math.pi * float(np.ptp(frequency))
        largest = linear.transmission_error[:, m].max(axis=1)
        modes = zip(linear.natural_frequency, linear.damping_ratio, linear.mode_share[:, m], strict=True)
        for natural, ratio, share in modes:
            for order in linear.orders.tolist():
                if share < IN_MESH or not frequency.min() <= natural / order <= frequency.max():
                    continue
                at = int(np.argmin(np.abs(frequency - natural / order)))
                if linear.transmission_error[at, m, order - 1] < COUNTS * largest[at]:
                    continue
                sigma = max(ratio, UNDAMPED) * 2.0 * math.pi * natural
                yield Resonance(
                    mesh=mesh,
                    order=order,
                    frequency=float(natural),
                    damping_ratio=float(ratio),
                    speed=float(linear.speed[at]),
                    seconds=order * swept / (2.0 * sigma**2) / DIFFERENCE,
                )


def run_up_seconds(linear: LinearResponse) -> float:
    """Shortest run-up over the range of a linear answer that answers as it would at constant speeds [s]."""
    followed = max((one.seconds for one in resonances(linear)), default=0.0)
    return max(followed, _seconds_of_inertia(linear))


def _seconds_of_inertia(linear: LinearResponse) -> float:
    """Run-up whose acceleration adds :data:`MORE_LOAD` to the torque of what is driven [s]."""
    return linear.inertia * float(np.ptp(linear.speed)) / MORE_LOAD


def run_up_warnings(linear: LinearResponse, seconds: float) -> list[str]:
    """Say where a run-up [s] is too fast to answer as it would at constant speeds, by its inertia or in a mode."""
    found, needed = list[str](), _seconds_of_inertia(linear)
    if needed > seconds:
        found.append(
            f"to speed up what is driven takes {100.0 * MORE_LOAD * needed / seconds:.2g} % of its torque, and "
            f"amplitudes grow by about as much against those at constant speeds: take duration_s = {needed:.2g} for "
            f"{100.0 * MORE_LOAD:.0f} %"
        )
    damped = [one for one in resonances(linear) if one.damping_ratio >= UNDAMPED]
    slowest = max(damped, key=lambda one: one.seconds, default=None)
    if slowest is not None and slowest.seconds > seconds:
        found.append(
            f"order {slowest.order} of {slowest.mesh} passes its {slowest.words} too fast to be followed within "
            f"{100.0 * DIFFERENCE:.0f} %: take duration_s = {slowest.seconds:.2g}, or sweep a narrow range about that "
            "speed"
        )
    return found


def answer_warnings(linear: LinearResponse) -> list[str]:
    """Say where the peaks of a linear answer are none: modes without damping, speeds too far apart."""
    found, met = list[str](), list(resonances(linear))
    undamped = {one.words: one for one in met if one.damping_ratio < UNDAMPED}
    if undamped:
        first, more = next(iter(undamped)), len(undamped) - 1
        others = f" and {more} more" if more else ""
        found.append(
            f"{first}{others} has no damping to speak of: amplitudes there have no bound, and a run-up does not "
            "settle: give bearings damping, or raise mesh_damping_ratio"
        )
    n = len(linear.speed)
    apart = math.log(float(linear.speed[-1] / linear.speed[0])) / (n - 1)
    widest = math.sqrt(1.0 / (1.0 - DIFFERENCE) ** 2 - 1.0)  # half a spacing over the damping ratio, DIFFERENCE too low
    narrowest = min(
        (one for one in met if one.damping_ratio >= UNDAMPED), key=lambda one: one.damping_ratio, default=None
    )
    if narrowest is not None and 0.5 * apart > widest * narrowest.damping_ratio:
        low = 1.0 - 1.0 / math.hypot(1.0, 0.5 * apart / narrowest.damping_ratio)
        enough = 1 + math.ceil(apart * (n - 1) / (2.0 * widest * narrowest.damping_ratio))
        found.append(
            f"linear_speeds = {n} are {100.0 * apart:.2g} % apart: the peak of the {narrowest.words} may lie between "
            f"two of them and be {100.0 * low:.0f} % too low: take {enough}, or a narrower range"
        )
    return found
