"""Tilted and crowned spur pair 20/30: what the number of slices across the face changes.

``python validation/tilted_slices/run.py`` computes ``case.toml`` with several numbers of slices and prints the table of
README.md (half a minute).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import alegear as ag

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone
from coarse import GRID, coarse

Array = NDArray[np.float64]

HERE = Path(__file__).parent
SLICES = (None, 12, 24, 40, 80)  # None: the default
COMPARED = (24, 40)
BOUND = 0.1  # [%] of the mean transmission error, at every position


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """Transmission error by position [um], largest line load [N/mm]."""

    slices: int
    error: Array
    largest_load: float

    def off(self, other: Curve) -> Array:
        """Difference to another at every position, of the mean [%]."""
        return np.asarray(100.0 * (self.error - other.error) / other.error.mean())


def curve(case: ag.Case, slices: int | None) -> Curve:
    """Compute the case with a number of slices."""
    data = ag.run(replace(case, slices=slices)).dataset
    return Curve(
        slices=len(data["slice"]),
        error=-1e6 * data.transmission_error.values,
        largest_load=1e-3 * float(data.line_load.max()),
    )


def rows(quick: bool) -> Iterator[Row]:
    """24 against 40 slices at every position; a coarse grid and four positions in the quick form."""
    case = ag.Case.from_toml(HERE / "case.toml")
    if quick:
        grid = replace(GRID, flank_elements=6, fillet_elements=6, width_elements=6)  # so many across carry the tilt
        case = coarse(case, grid, positions_per_pitch=4)
    curves = {slices: curve(case, slices) for slices in (COMPARED if quick else SLICES)}
    few, many = (curves[slices] for slices in COMPARED)
    at = int(np.abs(few.off(many)).argmax())
    yield Row(
        quantity=f"transmission error, {few.slices} slices, tilted and crowned, worst position of {len(few.error)}",
        value=float(few.error[at]),
        reference=float(many.error[at]),
        of=float(many.error.mean()),
        unit="um",
        bound=1e-2 * BOUND,
        source=f"itself with {many.slices} slices",
    )
    yield Row(
        quantity="largest line load: the tilt is there",
        value=many.largest_load,
        kind="at least",
        unit="N/mm",
        bound=300.0,  # 177 is the mean of a pair
        source="itself",
    )
    if not quick:
        print_table(list(curves.values()))


def print_table(curves: list[Curve]) -> None:
    """Print the table of README.md."""
    finest = curves[-1]
    print("| slices | mean [um] | peak to peak [um] | off the finest, worst position [%] | largest line load [N/mm] |")
    print("|---" * 5 + "|")
    for c in curves:
        print(
            f"| {c.slices} | {c.error.mean():.4f} | {np.ptp(c.error):.4f} | {np.abs(c.off(finest)).max():.3f} "
            f"| {c.largest_load:.1f} |"
        )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
