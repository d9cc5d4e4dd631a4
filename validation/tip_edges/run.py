"""Unloaded separation of one tooth pair against the true profiles as dense points, rotated until they touch.

``python validation/tip_edges/run.py [spur] [helical]`` compares 20/30 with all combinations of removal and tip round at
66 phases each, under both laws (``penalty`` serves spur gears), and prints the rows of which README.md has the worst.
Profiles and comparison are those of the tests of both laws, which have a quick form.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS), *(str(TESTS / "contact" / law) for law in ("hertz", "penalty"))]

from closed_form.modified_pairs import modified_pair  # noqa: E402
from line_pairs import contact_of, pair_of  # noqa: E402
from test_true_edges import contact_of as points_of  # noqa: E402
from test_true_edges import separation as of_points  # noqa: E402
from test_true_profiles import separation as of_line  # noqa: E402

from alegear.geometry import GearPair  # noqa: E402

PHASES = np.linspace(-1.3, 1.3, 66)
AMOUNTS = (0.0, 20e-6, 60e-6, -20e-6)  # m
ROUNDINGS = (0.0, 10e-6, None)  # m; None: the default, 0.05 modules
GEARS = {"pinion": (0,), "wheel": (1,), "both": (0, 1)}
NEAR = 2e-4  # m of true separation


def separations(name: str, pair: GearPair) -> dict[str, Callable[[float], float]]:
    """How far the pair is apart under each law that serves it."""
    line = contact_of(name, pair=pair, n_slices=3)
    found = {"hertz": lambda phase: of_line(line, phase)}
    if name == "spur":
        points = points_of(pair)
        found["penalty"] = lambda phase: of_points(points, phase)
    return found


def combinations() -> Iterator[tuple[float, float | None, str, str]]:
    """Amount, round, shape and gears."""
    for amount, rounding, shape, gears in product(AMOUNTS, ROUNDINGS, ("linear", "parabolic"), GEARS):
        if amount or (shape, gears) == ("linear", "both"):
            yield amount, rounding, shape, gears


def main(names: list[str]) -> None:
    """Compare and print."""
    print(
        "| pair | removal [um] | tip round [mm] | shape | on | phases | law | worst [um] | at phase | separation [um] |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in names:
        for amount, rounding, shape, gears in combinations():
            pair, true = modified_pair(pair_of(name), amount, rounding, shape, GEARS[gears])
            exact = np.array([true.separation(phase) for phase in PHASES])
            near = exact < NEAR
            for law, separation in separations(name, pair).items():
                off = np.array([separation(phase) for phase in PHASES[near]]) - exact[near]
                worst = int(np.nanargmax(np.where(np.isnan(off), np.inf, np.abs(off))))
                print(
                    f"| {name} | {1e6 * amount:.0f} | {'default' if rounding is None else 1e3 * rounding:} | {shape} "
                    f"| {gears} | {near.sum()} | {law} | {1e6 * off[worst]:.4f} | {PHASES[near][worst]:.2f} "
                    f"| {1e6 * exact[near][worst]:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:] or ["spur", "helical"])
