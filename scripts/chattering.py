"""What it costs to leave out sticking: the efficiency chosen by the sign of the power alone, against the mixed system.

    python scripts/chattering.py [--tolerance PART] [--most STEPS] [--out FILE]

A gear of ratio 2 and a mesh efficiency of 0.5 in both directions is between 1 kg m2 under 10 sin(2 pi t) N m and
1.5 kg m2 under -10 + 2.5 t N m (the example LossyGearDemo1 of the Modelica library; Pelchen, Schweiger & Otter 2002,
figures 11 to 13). It sticks twice. The first model multiplies the torque by the efficiency, or divides by it, as the
sign of the power says: where both directions push back to rest it jumps to and fro at every step, and is stopped after
so many. The second is this package's: modes forward, stuck, backward, with events between them. CVODE integrates both,
with the same tolerance.
"""

import argparse
import math
from contextlib import suppress
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import alegear as ag
from alegear.drivetrain.rotational.compiled_ode import CompiledOde
from alegear.recording.ode_motion import OdeMotion
from alegear.system import SystemBuilder
from alegear.system.time_integration.sundials import Cvode

RATIO, ETA, J_1, J_2, END = 2.0, 0.5, 1.0, 1.5, 0.5
STUCK = ((0.0804771, 0.1995199), (0.3713427, 0.4645395))  # s, of the second model

parser = argparse.ArgumentParser(description="Compare a gear with losses without and with a stuck mode.")
parser.add_argument("--tolerance", type=float, default=1e-4, metavar="PART", help="relative error of a step")
parser.add_argument("--most", type=int, default=100_000, metavar="STEPS", help="of the first model")
parser.add_argument("--out", type=Path, default=Path("chattering.png"), metavar="FILE", help="the picture")
args = parser.parse_args()


def torques(t: float) -> tuple[float, float]:
    """Return the torques on both shafts [N m]."""
    return 10.0 * math.sin(2.0 * math.pi * t), -10.0 + 2.5 * t


class BySignOfPower:
    """The angle and the speed w of shaft B, and that of shaft A: (J_2 + i^2 e J_1) dw/dt = T_2 + i e T_1.

    e is the efficiency where the power tau_A i w is positive, one over it where it is not; the sign of
    tau_A = T_1 - J_1 i dw/dt is that of J_2 T_1 - i J_1 T_2 with either.
    """

    key, size, n_roots, absolute, tangent = "by sign of power", 2, 0, np.ones(2), None

    def rhs(self, t: float, y: np.ndarray, rates: np.ndarray) -> None:
        """Write speed and acceleration."""
        T_1, T_2 = torques(t)
        e = ETA if (J_2 * T_1 - RATIO * J_1 * T_2) * y[1] >= 0.0 else 1.0 / ETA
        rates[0], rates[1] = y[1], (T_2 + RATIO * e * T_1) / (J_2 + RATIO**2 * e * J_1)

    def roots(self, t: float, y: np.ndarray, values: np.ndarray) -> None:
        """Nothing is watched."""


class Enough(Exception):
    """So many steps are enough."""


def without_sticking() -> tuple[np.ndarray, np.ndarray]:
    """Times of all steps, and speeds of shaft B."""
    times, speeds = [np.empty(0)], [np.empty(0)]

    def keep(t: np.ndarray, y: np.ndarray) -> None:
        times.append(t[1:])
        speeds.append(y[1:, 1])
        if sum(map(len, times)) >= args.most:
            raise Enough

    with suppress(Enough):
        Cvode(tolerance=args.tolerance, longest=0.01).run(BySignOfPower(), 0.0, np.zeros(2), END, keep)
    return np.concatenate(times)[: args.most], np.concatenate(speeds)[: args.most]


class Counted(OdeMotion):
    """A motion that keeps the times of its steps."""

    def _take(self, t: np.ndarray, y: np.ndarray) -> None:
        self.__dict__.setdefault("times", []).extend(t[1:])
        super()._take(t, y)


def with_sticking() -> tuple[np.ndarray, Counted]:
    """Times of all steps, and the motion."""
    parts = (
        ag.Rotor1D(name="A", inertia=J_1),
        ag.Rotor1D(name="B", inertia=J_2),
        ag.RatioGear(name="gear", between=("A", "B"), ratio=RATIO, losses=ETA),
        ag.TorqueSource(name="T_1", at="A", torque=ag.Sine(amplitude=10.0, frequency=1.0)),
        ag.TorqueSource(name="T_2", at="B", torque=[[0.0, -10.0], [END, -10.0 + 2.5 * END]]),
    )
    ode = CompiledOde(SystemBuilder().add(*parts).build())
    motion = Counted(ode, Cvode(tolerance=args.tolerance, longest=0.01), np.linspace(0.0, END, 2001))
    motion.run(np.zeros(2), np.zeros(2))
    return np.array(motion.__dict__["times"]), motion


t_naive, w_naive = without_sticking()
t_ours, motion = with_sticking()
samples, events = motion.history.samples, motion.history.events
w_ours = samples.v[:, 1]

figure, (above, middle, below) = plt.subplots(3, 1, figsize=(9.0, 9.0))
above.plot(t_naive, w_naive, lw=2.5, alpha=0.5, label="by the sign of the power alone")
above.plot(samples.t, w_ours, "k", lw=1.0, label="with the stuck mode")
above.set_title("Gear of figures 11 to 13: efficiency 0.5 in both directions")
above.set_ylabel("speed of shaft B [rad/s]")
above.legend()
begin, end = STUCK[0]
inside = (t_naive > begin) & (t_naive < end)
middle.plot(t_naive[inside], w_naive[inside], lw=0.5)
middle.plot(samples.t, w_ours, "k", lw=1.5)
middle.set_xlim(begin, end)
middle.set_ylim(*(1.3 * np.percentile(w_naive[inside], (0.5, 99.5))))
middle.set_ylabel("the same while stuck")
below.semilogy(t_naive, 1 + np.arange(len(t_naive)), label=f"by the sign of the power alone: {len(t_naive)} steps")
label = f"with the stuck mode: {len(t_ours)} steps, {len(events)} events"
below.semilogy(t_ours, 1 + np.arange(len(t_ours)), "k", label=label)
for axis in (above, below):
    axis.set_xlim(0.0, END)
    for stuck in STUCK:
        axis.axvspan(*stuck, color="0.9", lw=0)
below.set_ylabel("steps so far")
below.set_xlabel("time [s]")
below.legend()
figure.tight_layout()
figure.savefig(args.out, dpi=130)

while_stuck = sum(int(((t_naive > a) & (t_naive < b)).sum()) for a, b in STUCK)
until = "" if t_naive[-1] >= END else f"; stopped at t = {t_naive[-1]:.4f} s of {END:g} s"
print(f"by the sign of the power alone: {len(t_naive)} steps, {while_stuck} of them while the gear is stuck{until}")
print(f"with the stuck mode:            {len(t_ours)} steps, {len(events)} events")
print(f"largest speed while stuck: {np.abs(w_naive[inside]).max():.1e} rad/s without, 0 with the stuck mode")
print(f"picture: {args.out}")
