"""Full and simplified inertia over speed: the pair of example 6.2 of Liu et al. (2018), from 50 to 20 000 rpm.

``python validation/full_inertia/run.py`` runs the pair at constant speeds of the wheel with and without the inertia of
its deformation, prints the table of README.md and draws ``full_inertia.png`` (about ten minutes).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import alegear as ag
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.pair_machine import MESH
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import PreparedPair, prepare

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone
from coarse import FIRST_ORDER
from pairs import dynamic_study

HERE = Path(__file__).parent
CASE = HERE.parent / "liu_2018" / "case_6_2.toml"
OTHER = HERE.parents[1] / "meshes" / "spur_13_97_dynamic.toml"  # the same teeth, not loaded as far
Array = NDArray[np.float64]

SPEEDS = (50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 20_000.0)  # rpm of the wheel
MESH_DAMPING = 0.05
STEPS = 200  # a pitch, at the most as long as a twentieth of the period of the mesh vibration
PHASES = 240  # of a pitch, at which both are compared
LIMIT = 0.005  # of the transmission error, at the lowest speed


@dataclass(frozen=True, kw_only=True, eq=False)
class Motion:
    """Transmission error [m] over the phases of the last pitches, and the mesh frequency [Hz]."""

    phase: Array
    error: Array
    mesh_frequency: float

    def at(self, phases: Array) -> Array:
        """Transmission error at other phases [m]."""
        return np.interp(phases, self.phase, self.error)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """At a speed [rpm] of the wheel: mesh frequency [Hz], ranges and means [m] of both, and how far they part.

    The difference is relative to the mean of the transmission error: its root mean square, and at the worst moment.
    """

    speed: float
    mesh_frequency: float
    range_simplified: float
    range_full: float
    mean_simplified: float
    mean_full: float
    rms: float
    largest: float

    def __str__(self) -> str:
        apart = f"{100 * self.rms:.2g} % | {100 * self.largest:.2g} %"
        ranges = f"{1e6 * self.range_simplified:.2f} | {1e6 * self.range_full:.2f}"
        return f"| {self.speed:g} | {self.mesh_frequency:.0f} | {ranges} | {apart} |"


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a motion is looked at.

    Parameters
    ----------
    normal_modes : int
        Of each wheel with full inertia.
    pitches : int
        Looked at, at the end.
    settled : float
        Time constants of the mesh vibration before.
    """

    normal_modes: int = 24
    pitches: int = 3
    settled: float = 4.0


def at_speed(case: ag.Case, prepared: PreparedPair, rpm: float, look: Look, *, normal_modes: int) -> Motion:
    """Run the pair at a constant speed of the wheel, under its load from the beginning."""
    mesh = rpm / 60.0 * case.pair.wheel.z
    step = 1.0 / (STEPS * mesh)
    first = study_of(case, prepared, rpm, normal_modes=0, duration=10.0 * step, step=step)
    omega = first.frequencies[MESH]
    step = min(step, 2.0 * math.pi / omega / 20.0)
    pitches = look.pitches + max(1, math.ceil(look.settled / (MESH_DAMPING * omega) * mesh))
    study = study_of(case, prepared, rpm, normal_modes=normal_modes, duration=pitches / mesh, step=step)
    study.run(Silent())
    history = study.mesh_history(MESH)
    return Motion(phase=history.phase, error=history.transmission_error, mesh_frequency=mesh)


def study_of(
    case: ag.Case, prepared: PreparedPair, rpm: float, *, normal_modes: int, duration: float, step: float
) -> DynamicStudy:
    """Make the dynamic study of one run."""
    omega = rpm * 2.0 * math.pi / 60.0 * case.pair.wheel.z / case.pair.pinion.z
    analysis = DynamicAnalysis(
        duration=duration,
        time_step=step,
        output_every=step,
        mesh_damping_ratio=MESH_DAMPING,
        normal_modes=normal_modes,
    )
    one = replace(
        case,
        operation=replace(case.operation, pinion_speed=omega),
        analysis=analysis,
        output=replace(case.output, points=()),
    )
    return dynamic_study(one, prepared)


def compare(case: ag.Case, prepared: PreparedPair, rpm: float, look: Look) -> Compared:
    """Run with both inertias and compare the last pitches, phase by phase."""
    simple, full = (at_speed(case, prepared, rpm, look, normal_modes=n) for n in (0, look.normal_modes))
    end = min(simple.phase[-1], full.phase[-1])
    phases = end - np.arange(look.pitches * PHASES, 0, -1) / PHASES
    one, two = simple.at(phases), full.at(phases)
    size = float(np.abs(one).mean())
    return Compared(
        speed=rpm,
        mesh_frequency=simple.mesh_frequency,
        range_simplified=float(np.ptp(one)),
        range_full=float(np.ptp(two)),
        mean_simplified=float(one.mean()),
        mean_full=float(two.mean()),
        largest=float(np.abs(two - one).max()) / size,
        rms=float(np.sqrt(np.mean((two - one) ** 2))) / size,
    )


def draw(found: list[Compared], to: Path) -> None:
    """Differences over speed, and ranges of both."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (upper, lower) = plt.subplots(2, 1, figsize=(9.0, 6.5), sharex=True, layout="constrained")
    speeds = [c.speed for c in found]
    upper.loglog(speeds, [100.0 * c.largest for c in found], marker="o", label="largest")
    upper.loglog(speeds, [100.0 * c.rms for c in found], marker="s", label="root mean square")
    upper.axhline(100.0 * LIMIT, color="grey", linewidth=1.0, linestyle="--", label="bound")
    upper.set(ylabel="difference [% of the transmission error]")
    lower.loglog(speeds, [1e6 * c.range_simplified for c in found], marker="o", label="simplified inertia")
    lower.loglog(speeds, [1e6 * c.range_full for c in found], marker="s", label=f"{Look.normal_modes} modes each")
    lower.set(xlabel="speed of the wheel [rpm]", ylabel="peak to peak [µm]")
    for axes in (upper, lower):
        axes.grid(alpha=0.3, which="both")
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(to, dpi=130)
    plt.close(figure)


def rows(quick: bool) -> Iterator[Row]:
    """Full beside simplified inertia over speed; in the quick form the lowest speed on a coarse grid, two pitches."""
    case = ag.Case.from_toml(CASE)
    look = Look(normal_modes=8, pitches=1, settled=0.0) if quick else Look()
    if quick:
        case = replace(case, grid_options=(FIRST_ORDER, FIRST_ORDER))
    prepared, found = prepare(case, Silent(), fields=False), []
    for rpm in SPEEDS[:1] if quick else SPEEDS:
        c = compare(case, prepared, rpm, look)
        found.append(c)
        print(c, flush=True)
        lowest, source = rpm == SPEEDS[0], "simplified inertia"
        for words, value, bound in (
            ("r.m.s.", c.rms, LIMIT),
            ("at the worst moment", c.largest, 0.05),  # the ring after a pair has left is of other phase: 2 um of 120
        ):
            yield Row(
                quantity=f"transmission error with full inertia, {rpm:g} rpm, off that without, {words}, over the mean",
                value=value,
                kind="at most",
                bound=bound if lowest else None,
                source=source,
            )
        yield Row(
            quantity=f"peak to peak of the transmission error with full inertia, {rpm:g} rpm",
            value=1e6 * c.range_full,
            reference=1e6 * c.range_simplified,
            unit="um",
            bound=0.02 if lowest else None,  # of the same ring
            source=source,
        )
    if quick:
        return
    for c in found:
        print(f"means at {c.speed:g} rpm: {1e6 * c.mean_simplified:.1f} and {1e6 * c.mean_full:.1f} um")
    draw(found, HERE / "full_inertia.png")
    other = ag.Case.from_toml(OTHER)
    c = compare(other, prepare(other, Silent(), fields=False), SPEEDS[0], look)
    print(f"{OTHER.stem} at {SPEEDS[0]:g} rpm: {100 * c.rms:.2g} %, largest {100 * c.largest:.2g} %")


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
