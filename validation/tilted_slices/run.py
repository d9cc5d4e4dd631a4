"""Tilted and crowned spur pair 20/30: what the number of slices across the face changes.

``python validation/tilted_slices/run.py`` computes ``case.toml`` with several numbers of slices and prints the table of
README.md (half a minute).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import alegear as ag

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


def main() -> None:
    """Compute and print."""
    case = ag.Case.from_toml(HERE / "case.toml")
    curves = [curve(case, slices) for slices in SLICES]
    finest = curves[-1]
    print("| slices | mean [um] | peak to peak [um] | off the finest, worst position [%] | largest line load [N/mm] |")
    print("|---" * 5 + "|")
    for c in curves:
        print(
            f"| {c.slices} | {c.error.mean():.4f} | {np.ptp(c.error):.4f} | {np.abs(c.off(finest)).max():.3f} "
            f"| {c.largest_load:.1f} |"
        )
    few, many = (next(c for c in curves if c.slices == n) for n in COMPARED)
    print(f"\n{few.slices} against {many.slices} slices: {np.abs(few.off(many)).max():.3f} % at the worst position")


if __name__ == "__main__":
    main()
