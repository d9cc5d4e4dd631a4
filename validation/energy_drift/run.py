"""Energy of a pair without losses over 20 tooth pairs: what is put in, what goes out, what is stored.

``python validation/energy_drift/run.py`` prints the tables of README.md and draws its figure (three minutes).
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
from alegear.case.pair_machine import LOAD, MESH
from alegear.contact.numbering import PINION, WHEEL
from alegear.geometry import Microgeometry
from alegear.progress import Silent

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst
from pairs import dynamic_study

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CASE = HERE / "case.toml"
PAIRS = 20
STEPS = (4e-5, 2e-5, 1e-5, 5e-6, 2.5e-6)  # s
SPEEDS = (0.92, 0.97, 1.0, 1.04, 1.09)  # of that of the case: the steps meet the contact events at other places
TORQUES = (50.0, 100.0, 200.0, 400.0)  # N m
RELIEF = 40e-6  # m
BOUND = 1e-5  # of the transmitted work
RELIEF_LENGTH = 0.7  # of the way from the tip to the highest point of single contact


@dataclass(frozen=True, kw_only=True)
class Drift:
    """Largest errors of the balance over the time, over the work that the load has taken."""

    booked: float  # of the energy balance of the results
    bare: float  # of the works of the contact torques alone


def case_of(
    *, torque: float = 400.0, speed: float = 1.0, step: float = 1e-5, relief: bool = False, law: str = "hertz"
) -> ag.Case:
    """The case under another torque [N m], at a part of its speed, with fixed steps [s]."""
    case = ag.Case.from_bytes(CASE.read_bytes() + f'\n[contact]\nlaw = "{law}"\n'.encode())
    pinion_speed = case.operation.pinion_speed
    assert pinion_speed is not None
    pinion_speed *= speed
    duration = PAIRS * 2.0 * math.pi / case.pair.pinion.z / pinion_speed
    return replace(
        case,
        operation=replace(case.operation, pinion_torque=torque, pinion_speed=pinion_speed),
        analysis=replace(case.analysis, duration=duration, time_step=step, output_every=step),
        pair=replace(case.pair, pinion=relieved(case, 0), wheel=relieved(case, 1)) if relief else case.pair,
    )


def relieved(case: ag.Case, gear: int) -> ag.Gear:
    """A gear with parabolic tip relief, so long that pairs come in and leave with smooth flanks."""
    pair = case.pair
    profile = pair.gears[gear]
    length = RELIEF_LENGTH * (pair.eps_alpha_usable - 1.0) * pair.p_bt
    start = 2.0 * math.hypot(profile.r_b, math.sqrt(profile.r_a**2 - profile.r_b**2) - length)
    flank = Microgeometry(tip_relief=RELIEF, tip_relief_start_diameter=start, tip_relief_shape="parabolic")
    return replace(profile, microgeometry=flank)


def drift_of(case: ag.Case) -> Drift:
    """Run a case and draw its balances."""
    study = dynamic_study(case)
    study.run(Silent())
    history = study.mesh_history(MESH)
    angle = history.angle
    stored = history.energy_kinetic + history.energy_elastic
    stored = stored - stored[0]
    taken = study.torques[LOAD].largest * (angle[:, WHEEL] - angle[0, WHEEL])
    # the drive carries the moment of the contact about the pinion's axis; its speed is constant
    torque = history.tooth_load.sum(axis=1) * case.pair.pinion.r_b
    given = np.concatenate([[0.0], np.cumsum(0.5 * (torque[1:] + torque[:-1]) * np.diff(angle[:, PINION]))])
    booked = history.energy_input - stored - history.energy_dissipated
    bare = given - taken - stored
    return Drift(booked=float(np.abs(booked).max() / taken[-1]), bare=float(np.abs(bare).max() / taken[-1]))


def order(drifts: Array) -> float:
    """Order in the step, of a straight line through the logarithms."""
    return float(np.polyfit(np.log(STEPS), np.log(drifts), 1)[0])


def by_step(**given) -> tuple[Array, Array, Array]:
    """Drift over the step: booked in the mean of squares over some speeds, the largest of them, and bare likewise."""
    found = [[drift_of(case_of(step=step, speed=speed, **given)) for speed in SPEEDS] for step in STEPS]
    booked = np.array([[drift.booked for drift in row] for row in found])
    bare = np.array([[drift.bare for drift in row] for row in found])
    return np.sqrt((booked**2).mean(axis=1)), booked.max(axis=1), np.sqrt((bare**2).mean(axis=1))


def draw(found: dict[str, tuple[Array, Array, Array]]) -> None:
    """Drift over the step."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7.0, 4.6))
    steps = 1e6 * np.array(STEPS)
    for i, (name, (booked, _, bare)) in enumerate(found.items()):
        axes.loglog(steps, booked, f"C{i}o-", ms=4, lw=1.2, label=f"{name}: energy balance")
        axes.loglog(steps, bare, f"C{i}s--", ms=4, lw=1, mfc="w", label=f"{name}: contact torques alone")
    axes.axhline(1e-5, color="k", lw=1)
    axes.loglog(steps, 1e-6 * (steps / steps[1]) ** 2, "k:", lw=1, label="second order")
    axes.set_xlabel("time step [µs]")
    axes.set_xticks(steps, [f"{step:g}" for step in steps])
    axes.minorticks_off()
    axes.set_ylabel("drift over 20 tooth pairs / transmitted work")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(HERE / "energy_drift.png", dpi=110)


def print_steps(found: dict[str, tuple[Array, Array, Array]]) -> None:
    """Print the table of README.md over the step, and what the contact torques alone leave at the shortest."""
    print("| flanks | " + " | ".join(f"{1e6 * step:g} us" for step in STEPS) + " | order | largest at 10 us |")
    print("|---" * (len(STEPS) + 3) + "|")
    for name, (booked, largest, _) in found.items():
        cells = [f"{value:.1e}" for value in booked]
        print("| " + " | ".join([name, *cells, f"{order(booked):.1f}", f"{largest[STEPS.index(1e-5)]:.1e}"]) + " |")
    for name, (_, _, bare) in found.items():
        print(f"contact torques alone, {name}: " + ", ".join(f"{value:.1e}" for value in bare))


def print_torques(by_torque: dict[float, Drift], penalty: Drift) -> None:
    """Print the table of README.md over the torque."""
    print("\n| law | torque [N m] | energy balance | contact torques alone |\n|---|---|---|---|")
    for torque, drift in by_torque.items():
        print(f"| hertz | {torque:g} | {drift.booked:.1e} | {drift.bare:.1e} |")
    print(f"| penalty | {TORQUES[-1]:g} | {penalty.booked:.1e} | {penalty.bare:.1e} |", flush=True)


def rows(quick: bool) -> Iterator[Row]:
    """Drift over steps and torques, of the account and of the contact torques alone; two motions in the quick form."""
    energy_balance, alone_ = (
        "put in = stored + dissipated",
        "moments of the contact forces are no derivatives of the energy",
    )

    def drift(quantity: str, value: float, bound: float) -> Row:
        return Row(quantity=quantity, value=value, kind="at most", bound=bound, source=energy_balance)

    what = "energy missing over 20 tooth pairs, over the transmitted work"
    found: dict[str, tuple[Array, Array, Array]] = {}
    if quick:
        full, part = (drift_of(case_of(step=step, torque=t)) for step, t in ((1e-5, TORQUES[-1]), (5e-6, 100.0)))
        yield drift(f"{what}, 400 N m, steps of 10 us", full.booked, BOUND)
        yield drift(f"{what}, 100 N m, steps of 5 us", part.booked, 0.1 * BOUND)
    else:
        for name, given in {"sharp tips": {}, "smooth tips": {"relief": True}}.items():
            found[name] = by_step(**given)
            yield worst(
                f"{what}, {name}, largest of five speeds",
                [drift(f"steps of {1e6 * step:g} us", v, BOUND) for step, v in zip(STEPS, found[name][1], strict=True)],
            )
        yield Row(
            quantity="order of the drift in the step, smooth tips",
            value=order(found["smooth tips"][0]),
            kind="at least",
            # a tenth from four times the step: the steps meet the contact events at other places
            bound=math.log(10.0) / math.log(4.0),
            source="scheme of second order",
        )
        draw(found)
        print_steps(found)
        by_torque = {torque: drift_of(case_of(torque=torque, step=2.5e-6)) for torque in TORQUES}
        full, part = by_torque[TORQUES[-1]], by_torque[100.0]
        penalty = drift_of(case_of(torque=TORQUES[-1], step=5e-6, law="penalty"))
        print_torques(by_torque, penalty)
        yield Row(
            quantity=f"{what}, by the contact torques alone, law penalty, 400 N m",
            value=penalty.bare,
            kind="at most",
            bound=BOUND,
            source="torques are derivatives of its energy",
        )
    yield Row(
        quantity=f"{what}, by the contact torques alone, 100 N m",
        value=part.bare,
        kind="at most",
        bound=BOUND,
        source=alone_,
    )
    yield Row(
        quantity=f"{what}, by the contact torques alone, 400 N m: why the account books the rest",
        value=full.bare,
        kind="at least",
        bound=BOUND,
        source=alone_,
    )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
