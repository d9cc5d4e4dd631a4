"""Unloaded separation of one tooth pair against the true profiles as dense points, rotated until they touch.

``python validation/tip_edges/run.py`` compares 20/30 with all combinations of removal and tip round at 66 phases each,
under both laws (``penalty`` serves spur gears), and prints them (half an hour); then what ``under_load.py`` computes.
Profiles and comparison are those of the tests of both laws.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
TESTS = HERE.parents[1] / "tests"
LAWS = (TESTS / "contact" / law for law in ("hertz", "penalty"))
sys.path[:0] = [str(folder) for folder in (HERE, HERE.parent, TESTS, *LAWS)]

import under_load  # noqa: E402
from checks import Row, alone, worst  # noqa: E402
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
BOUND = 0.1  # um

Array = NDArray[np.float64]
Combination = tuple[float, float | None, str, str]


def separations(name: str, pair: GearPair) -> dict[str, Callable[[float], float]]:
    """How far the pair is apart under each law that serves it."""
    line = contact_of(name, pair=pair, n_slices=3)
    found = {"hertz": lambda phase: of_line(line, phase)}
    if name == "spur":
        points = points_of(pair)
        found["penalty"] = lambda phase: of_points(points, phase)
    return found


def combinations() -> Iterator[Combination]:
    """Amount, round, shape and gears."""
    for amount, rounding, shape, gears in product(AMOUNTS, ROUNDINGS, ("linear", "parabolic"), GEARS):
        if amount or (shape, gears) == ("linear", "both"):
            yield amount, rounding, shape, gears


def compared(name: str, phases: Array, which: Iterable[Combination]) -> Iterator[tuple[str, Row]]:
    """The law and the worst phase of each combination of a pair."""
    for amount, rounding, shape, gears in which:
        pair, true = modified_pair(pair_of(name), amount, rounding, shape, GEARS[gears])
        exact = np.array([true.separation(phase) for phase in phases])
        near = exact < NEAR
        for law, separation in separations(name, pair).items():
            off = np.array([separation(phase) for phase in phases[near]])
            worst_at = int(np.nanargmax(np.where(np.isnan(off), np.inf, np.abs(off - exact[near]))))
            tip = "default" if rounding is None else f"{1e3 * rounding:g} mm"
            yield (
                law,
                Row(
                    quantity=f"removal {1e6 * amount:g} um {shape} on {gears}, tip round {tip}, "
                    f"phase {phases[near][worst_at]:.2f}",
                    value=1e6 * float(off[worst_at]),
                    reference=1e6 * float(exact[near][worst_at]),
                    kind="absolute",
                    unit="um",
                    bound=BOUND,
                    source="dense points of the true profiles",
                ),
            )


def rows(quick: bool) -> Iterator[Row]:
    """Separation of unloaded pairs, smoothness under load; quick: some combinations of the spur pair, one relief."""
    every = list(combinations())
    for name in ("spur",) if quick else ("spur", "helical"):
        of_law: dict[str, list[Row]] = {}
        for law, row in compared(name, PHASES[::6] if quick else PHASES, every[::15] if quick else every):
            of_law.setdefault(law, []).append(row)
            print(f"| {name} | {law} | {row} |", flush=True)
        for law, found in of_law.items():
            yield worst(f"separation of an unloaded {name} pair, law {law}", found)
    yield from under_load.rows(quick)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
