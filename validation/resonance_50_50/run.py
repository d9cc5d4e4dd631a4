"""Resonance of a pair 50/50 that turns freely on soft shafts: up and down through it, beside a single mass.

``python validation/resonance_50_50/run.py [--torques 150 300] [--duration 1.5]`` runs up and down at each torque (two
runs at a time, seven minutes each), prints the table of README.md and draws its figure.
"""

from __future__ import annotations

import argparse
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import alegear as ag
from alegear.study.dynamic import DynamicStudy
from alegear.study.preparation import prepare
from alegear.study.progress import Silent
from alegear.study.static import StaticSolver

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CASE = HERE / "case.toml"
RPM = math.pi / 30.0
TEETH = 50
POSITIONS = 64  # of the static curves
PITCHES = 40  # in each mean of the response
SETTLING = 0.1  # part of the run that starting takes


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Response over the mesh frequency [Hz]: r.m.s. and largest of the transmission error about its mean [m]."""

    frequency: Array
    rms: Array
    parted: Array  # part of the time in which no tooth pair carries

    @classmethod
    def of(cls, time: Array, phase: Array, te: Array, load: Array, settling: float) -> Sweep:
        """Means over blocks of some pitches."""
        block = np.floor(phase / PITCHES).astype(int)
        rows = []
        for number in np.unique(block)[1:-1]:
            here = (block == number) & (time >= settling)
            if np.count_nonzero(here) < PITCHES:
                continue
            frequency = np.ptp(phase[here]) / np.ptp(time[here])
            rows.append((frequency, te[here].std(), np.mean(load[here] <= 0.0)))
        frequency, rms, parted = np.array(rows).T
        return cls(frequency=frequency, rms=rms, parted=parted)

    @property
    def peak(self) -> float:
        """Mesh frequency of the largest response [Hz]."""
        return float(self.frequency[self.rms.argmax()])

    @property
    def jump(self) -> tuple[float, float]:
        """Mesh frequency at which the response changes most from one mean to the next [Hz], and their ratio."""
        ratio = np.abs(np.diff(np.log(self.rms)))
        at = int(ratio.argmax())
        return float(self.frequency[at : at + 2].mean()), float(np.exp(ratio[at]))


def case_of(torque: float, duration: float, *, up: bool) -> ag.Case:
    """The case with this torque, its speeds from low to high or the other way."""
    case = ag.Case.from_toml(CASE)
    table = case.operation.speed_table
    assert table is not None
    speeds = [speed for _, speed in table]
    if not up:
        speeds.reverse()
    table = ((0.0, speeds[0]), (duration, speeds[-1]))
    operation = replace(case.operation, pinion_torque=torque, speed_table=table)
    return replace(case, operation=operation, analysis=replace(case.analysis, duration=duration))


def study_of(case: ag.Case) -> DynamicStudy:
    """A study that has not run yet; of thousands of tooth pairs no history is wanted, for which there is no memory."""
    short = replace(case, analysis=replace(case.analysis, duration=0.01))
    prepared = prepare(short, Silent())
    return DynamicStudy(prepared, StaticSolver.of(case, prepared.contact), case, frame_times=())


def swept(torque: float, duration: float, up: bool) -> Sweep:
    """Run the pair up or down."""
    study = study_of(case_of(torque, duration, up=up))
    study.run(Silent())
    curves, load = study.curves(), study.recorder.tooth_load.sum(axis=1)
    return Sweep.of(curves["time"], curves["phase"], curves["transmission_error"], load, SETTLING * duration)


# ------------------------------------------------------------------------------ one mass
@dataclass(frozen=True, kw_only=True)
class SingleMass:
    """m x'' + c x' + k(phase) x = F where x > 0, no force but F where the teeth have parted, k (x + j) at back flanks.

    x is the approach of the base circles; the stiffness k = F/x_s(phase) is the secant of the static study. Kahraman &
    Blankenship (1997, J. Appl. Mech. 64, 217) compared such a model with their rig.
    """

    mass: float  # J / (2 r_b^2), two equal gears against each other
    force: float  # torque over r_b
    deflection: Array  # x_s over a pitch from phase -1/2
    damping_ratio: float
    backlash: float  # along the line of action

    @classmethod
    def of(cls, study: DynamicStudy) -> SingleMass:
        """From the static curve of a study."""
        pair = study.solver.contact.pair
        r_b = pair.pinion.r_b
        phases = -0.5 + np.arange(POSITIONS) / POSITIONS
        found = [study.solver.solve(float(p), study.window.first_pair(float(p))).deflection for p in phases]
        return cls(
            mass=study.bodies[0].inertia / (2.0 * r_b**2),
            force=study.solver.torque / r_b,
            deflection=np.array(found),
            damping_ratio=study.analysis.mesh_damping_ratio,
            backlash=pair.j_wt * math.cos(pair.alpha_wt),
        )

    def swept(self, duration: float, frequencies: tuple[float, float]) -> Sweep:
        """Sweep the mesh frequency [Hz] linearly, as the pair was."""
        low, high = frequencies
        stiffness = self.force / self.deflection
        c = 2.0 * self.damping_ratio * math.sqrt(stiffness.mean() * self.mass)

        def phase_at(t: Array | float) -> Array | float:
            return -0.5 + low * t + 0.5 * (high - low) * t * t / duration

        def rate(t: float, state: Array) -> tuple[float, float]:
            x, v = state
            place = (float(phase_at(t)) + 0.5) % 1.0 * POSITIONS
            i = int(place) % POSITIONS
            k = stiffness[i] + (place - int(place)) * (stiffness[(i + 1) % POSITIONS] - stiffness[i])
            pressed = x if x > 0.0 else min(x + self.backlash, 0.0)
            return v, (self.force - (k * pressed + c * v if pressed else 0.0)) / self.mass

        times = np.arange(0.0, duration, 2e-5)
        done = solve_ivp(
            rate, (0.0, duration), (self.deflection[0], 0.0), t_eval=times, rtol=1e-6, atol=1e-10, max_step=2e-5
        )
        x = done.y[0]
        return Sweep.of(times, np.asarray(phase_at(times)), -x, x, SETTLING * duration)


# -------------------------------------------------------------------------------- figure
def draw(natural: dict[float, float], sweeps: dict[tuple[str, float, bool], Sweep]) -> None:
    """Response over the mesh frequency, up and down, of the pair and of the single mass."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    torques = sorted({torque for _, torque, _ in sweeps})
    figure, axes = plt.subplots(1, len(torques), figsize=(6.5 * len(torques), 4.2), sharey=True, squeeze=False)
    for plot, torque in zip(axes[0], torques, strict=True):
        for (model, of_torque, up), sweep in sweeps.items():
            if of_torque != torque:
                continue
            colour = ("C0" if up else "C1") if model == "alegear" else ("0.55" if up else "0.75")
            label = f"{model}, {'up' if up else 'down'}"
            plot.plot(
                sweep.frequency, 1e6 * sweep.rms, color=colour, lw=1.6 if model == "alegear" else 1.0, label=label
            )
        plot.axvline(natural[torque], color="k", ls=":", lw=1, label="natural frequency")
        plot.set_title(f"{torque:g} N m")
        plot.set_xlabel("mesh frequency [Hz]")
        plot.grid(alpha=0.3)
    axes[0][0].set_ylabel("transmission error, r.m.s. about its mean [µm]")
    axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(HERE / "resonance_50_50.png", dpi=110)


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torques", type=float, nargs="+", default=[150.0, 300.0], metavar="NM")
    parser.add_argument("--duration", type=float, default=1.5, metavar="S", help="of each run")
    given = parser.parse_args()
    sweeps: dict[tuple[str, float, bool], Sweep] = {}
    natural: dict[float, float] = {}
    with ProcessPoolExecutor(2) as pool:
        jobs = {
            (torque, up): pool.submit(swept, torque, given.duration, up)
            for torque in given.torques
            for up in (True, False)
        }
        for torque in given.torques:
            study = study_of(case_of(torque, given.duration, up=True))
            natural[torque] = study.stiffness.natural_frequency / (2.0 * math.pi)
            table = case_of(torque, given.duration, up=True).operation.speed_table
            assert table is not None
            ends = (table[0][1] / (2.0 * math.pi) * TEETH, table[-1][1] / (2.0 * math.pi) * TEETH)
            mass = SingleMass.of(study)
            for up in (True, False):
                sweeps["single mass", torque, up] = mass.swept(given.duration, ends if up else ends[::-1])
                sweeps["alegear", torque, up] = jobs[torque, up].result()
    for torque, frequency in natural.items():
        print(f"natural frequency on the mean mesh stiffness at {torque:g} N m: {frequency:.0f} Hz")
    print("\n| torque [N m] | | way | largest r.m.s. [um] | at [Hz] | largest jump at [Hz] | by | parted, most |")
    print("|---|---|---|---|---|---|---|---|")
    for (model, torque, up), sweep in sorted(sweeps.items(), key=lambda item: (item[0][1], item[0][0], not item[0][2])):
        (at, ratio), way, parted = sweep.jump, "up" if up else "down", 100.0 * sweep.parted.max()
        print(f"| {torque:g} | {model} | {way} | {1e6 * sweep.rms.max():.1f} | {sweep.peak:.0f} ", end="")
        print(f"| {at:.0f} | {ratio:.2f} | {parted:.0f} % |")
    draw(natural, sweeps)


if __name__ == "__main__":
    main()
