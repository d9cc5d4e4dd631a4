"""Unloaded separation of one tooth pair against the true profiles as dense points, rotated until they touch.

``python validation/tip_edges/run.py`` compares 20/30, spur and helical, with all combinations of relief and tip round
at 131 phases each and prints the table of README.md. Profiles, comparison and a quick form are those of
``tests/contact/hertz/test_true_profiles.py``.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "contact" / "hertz")]

from test_true_profiles import compare, pairs  # noqa: E402

PHASES = np.linspace(-1.3, 1.3, 131)
AMOUNTS = (0.0, 20e-6, 60e-6)  # m
ROUNDINGS = (0.0, 10e-6, None)  # m; None: the default, 0.05 modules
GEARS = {"pinion": (0,), "wheel": (1,), "both": (0, 1)}


def main() -> None:
    """Compare and print."""
    print(
        "| pair | relief [um] | tip round [mm] | shape | on | phases | worst [um] | at phase | separation there [um] |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, amount, rounding, shape, gears in product(
        ("spur", "helical"), AMOUNTS, ROUNDINGS, ("linear", "parabolic"), GEARS
    ):
        if not amount and (shape, gears) != ("linear", "both"):
            continue
        rows = compare(*pairs(name, amount, rounding, shape, GEARS[gears]), name, PHASES)
        off = rows[:, 2] - rows[:, 1]
        worst = int(np.abs(off).argmax())
        print(
            f"| {name} | {1e6 * amount:.0f} | {'default' if rounding is None else 1e3 * rounding:} | {shape} | {gears} "
            f"| {len(rows)} | {1e6 * off[worst]:.4f} | {rows[worst, 0]:.2f} | {1e6 * rows[worst, 1]:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
