r"""How slowly a run-up has to pass the resonances of a linearised response, and what that response leaves out.

**Lag.** A mode of decay :math:`\sigma = \zeta \omega` answers an order n whose frequency changes by
:math:`\alpha = n \dot\omega` [rad/s2], at :math:`x = (n \omega - \omega_i)/\sigma` half-widths from it, by the steady
:math:`H = 1/(\sigma (1 + i x))` and, in the first power of the rate, :math:`\tfrac{i}{2} \alpha H''` more (the
expansion of the answer to a slow chirp). With :math:`H''/H = -2/(\sigma^2 (1 + i x)^2)` its amplitude is off by

.. math:: \frac{\alpha}{\sigma^2} \frac{2 |x|}{(1 + x^2)^2} \le \frac{3 \sqrt 3}{8} \frac{\alpha}{\sigma^2},

too low before the resonance and too high after it, most at :math:`x = 1/\sqrt 3`, and not at the peak itself. Beside
the range the term is that of its nearer end. Of an order the mode has a part p there (``mode_part``), by
:math:`1/\sqrt{1 + x^2}` less beside the range, by which the error of the order is smaller. A mode whose part is below
:data:`DIFFERENCE` changes nothing by more than that, however fast it is passed.

**Beginning.** A motion begins at rest about its equilibria. What is left out at its beginning has to last until the
free vibration has decayed (``mode_settling``).

**Inertia.** Speeding up takes torque, which loads the teeth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from alegear.results.linear_response import DIFFERENCE, UNDAMPED, LinearResponse

#: Part of the load that a run-up may add before it is warned of.
MORE_LOAD = 0.03
#: Part of one way that is left out at the beginning where nothing is said.
SETTLING = 0.05
RPM = 30.0 / math.pi


@dataclass(frozen=True, kw_only=True)
class Resonance:
    """An order of a mesh that meets a mode which has a part in it, in the range of an answer or beside it.

    Attributes
    ----------
    mesh : str
    order : int
    frequency : float [Hz]
        Natural frequency of the mode.
    damping_ratio : float
    part : float
        That the mode has in the order, of transmission error, forces or displacements.
    inside : bool
        Whether they meet in the range.
    speed : float [rad/s]
        Of the answer that is next to it.
    seconds : float
        Duration of a run-up over the range of the answer that follows it within :data:`DIFFERENCE`.
    """

    mesh: str
    order: int
    frequency: float
    damping_ratio: float
    part: float
    inside: bool
    speed: float
    seconds: float

    @property
    def words(self) -> str:
        """Which it is, for a sentence."""
        rpm = self.speed * RPM
        return f"mode at {self.frequency:.0f} Hz (damping ratio {self.damping_ratio:.3g}, {rpm:.0f} rpm)"


def resonances(linear: LinearResponse) -> Iterator[Resonance]:
    """Resonances in and beside the range of a linearised response, of modes that have a part of their order there."""
    for m, mesh in enumerate(linear.meshes):
        frequency = linear.values["linear_mesh_frequency"][:, m]
        low, high, swept = float(frequency.min()), float(frequency.max()), 2.0 * math.pi * float(np.ptp(frequency))
        for i, order in zip(*np.nonzero(linear.values["mode_part"][:, m] >= DIFFERENCE), strict=True):
            natural, ratio, n = (
                float(linear.values["natural_frequency"][i]),
                float(linear.values["damping_ratio"][i]),
                int(order) + 1,
            )
            sigma = max(ratio, UNDAMPED) * 2.0 * math.pi * natural
            beside = 2.0 * math.pi * max(n * low - natural, natural - n * high, 0.0) / sigma
            part = float(linear.values["mode_part"][i, m, order])
            seconds = n * swept * _late(beside) * part / math.hypot(1.0, beside) / (sigma**2 * DIFFERENCE)
            yield Resonance(
                mesh=mesh,
                order=n,
                frequency=natural,
                damping_ratio=ratio,
                part=part,
                inside=beside == 0.0,
                speed=float(linear.values["linear_speed"][np.argmin(np.abs(frequency - natural / n))]),
                seconds=seconds,
            )


def _late(beside: float) -> float:
    """Largest 2 x/(1 + x^2)^2 from so many half-widths on."""
    x = max(beside, 1.0 / math.sqrt(3.0))
    return 2.0 * x / (1.0 + x * x) ** 2


def run_up_seconds(linear: LinearResponse) -> float:
    """Shortest run-up over the range of a linearised response that answers as it would at constant speeds [s].

    Of it :data:`SETTLING` is left out, as where a case says nothing.
    """
    followed = max((one.seconds for one in resonances(linear)), default=0.0)
    return max(followed, _seconds_of_inertia(linear), _settling(linear) / SETTLING)


def _settling(linear: LinearResponse) -> float:
    return float(linear.mode_settling.max(initial=0.0))


def _seconds_of_inertia(linear: LinearResponse) -> float:
    """Run-up whose acceleration adds :data:`MORE_LOAD` to the torque of what is driven [s]."""
    return linear.inertia * float(np.ptp(linear.values["linear_speed"])) / MORE_LOAD


def run_up_warnings(linear: LinearResponse, seconds: float, settling: float | None = None) -> list[str]:
    """Say where a run-up is too fast to answer as it would at constant speeds, by its inertia, a mode, its beginning.

    Parameters
    ----------
    linear : LinearResponse
    seconds : float [s]
        Of the run-up.
    settling : float, optional [s]
        Left out at its beginning; default: :data:`SETTLING` of it.
    """
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
        passes = "passes" if slowest.inside else "comes near"
        found.append(
            f"order {slowest.order} of {slowest.mesh} {passes} its {slowest.words} too fast to be followed within "
            f"{100.0 * DIFFERENCE:.0f} %: take duration_s = {slowest.seconds:.2g}, or sweep a narrow range about that "
            "speed"
        )
    left_out, free = SETTLING * seconds if settling is None else settling, _settling(linear)
    if free > left_out:
        at = float(linear.values["natural_frequency"][linear.mode_settling.argmax()])
        found.append(
            f"the motion begins with a free vibration at {at:.0f} Hz that is heard in the orders for {free:.2g} s, and "
            f"only the first {left_out:.2g} s are left out: take settling_s = {free:.2g}"
        )
    return found


def answer_warnings(linear: LinearResponse) -> list[str]:
    """Say where the peaks of a linearised response are none: modes without damping, speeds too far apart."""
    found, met = list[str](), [one for one in resonances(linear) if one.inside]
    undamped = {one.words: one for one in met if one.damping_ratio < UNDAMPED}
    if undamped:
        first, more = next(iter(undamped)), len(undamped) - 1
        others = f" and {more} more" if more else ""
        found.append(
            f"{first}{others} has no damping to speak of: amplitudes there have no bound, and a run-up does not "
            "settle: give bearings damping, or raise mesh_damping_ratio"
        )
    n = len(linear.values["linear_speed"])
    apart = math.log(float(linear.values["linear_speed"][-1] / linear.values["linear_speed"][0])) / (n - 1)
    damped = [one for one in met if one.damping_ratio >= UNDAMPED and one.part > DIFFERENCE]
    narrowest = min(damped, key=lambda one: one.damping_ratio * _widest(one.part), default=None)
    if narrowest is not None and 0.5 * apart > _widest(narrowest.part) * narrowest.damping_ratio:
        low = narrowest.part * (1.0 - 1.0 / math.hypot(1.0, 0.5 * apart / narrowest.damping_ratio))
        enough = 1 + math.ceil(apart * (n - 1) / (2.0 * _widest(narrowest.part) * narrowest.damping_ratio))
        found.append(
            f"linear_speeds = {n} are {100.0 * apart:.2g} % apart: the peak of the {narrowest.words} may lie between "
            f"two of them and be {100.0 * low:.0f} % too low: take {enough}, or a narrower range"
        )
    return found


def _widest(part: float) -> float:
    """Half a spacing over the damping ratio at which a peak, of which a mode has a part, is :data:`DIFFERENCE` low."""
    return math.sqrt(1.0 / (1.0 - DIFFERENCE / part) ** 2 - 1.0)
