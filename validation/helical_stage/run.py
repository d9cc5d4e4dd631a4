"""Stage of an electric axle, 23/81, 27 degrees: peak-to-peak and first order on the default grid and on finer ones.

``python validation/helical_stage/run.py`` computes ``case.toml`` on the grids of ``GRIDS``, and prints the table of
README.md (five minutes and 10 GB).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import alegear as ag
from alegear.contact.hertz.slices import default_slices

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone
from coarse import GRID, coarse

Array = NDArray[np.float64]

HERE = Path(__file__).parent
SHARE_BOUND, LEAST_BOUND = 0.05, 0.02  # of the value, or [um]: what a finer grid may change
SECOND_DIFFERENCES = 0.1  # [%] of the mean
SECTION = ("flank_elements", "fillet_elements", "thickness_elements", "rim_elements")
GRIDS: dict[str, dict[str, int]] = {
    "default": {},
    "twice the slices": {"slices": 2},
    "twice the elements across the face": {"width_elements": 2},
    "twice both": {"slices": 2, "width_elements": 2},
    "twice the elements of the section": dict.fromkeys(SECTION, 2),
}


@dataclass(frozen=True, kw_only=True)
class Ripple:
    """Transmission error over a pitch: mean, peak to peak, first order [um], largest second difference [% of mean]."""

    elements_across: int
    slices: int
    mean: float
    peak_to_peak: float
    first_order: float
    second_difference: float

    def agrees_with(self, other: Ripple) -> bool:
        """Whether peak-to-peak and first order are within the bounds of one another."""
        both = ((self.peak_to_peak, other.peak_to_peak), (self.first_order, other.first_order))
        return all(abs(a - b) < max(SHARE_BOUND * b, LEAST_BOUND) for a, b in both)


def refined(case: ag.Case, *, slices: int = 1, **elements: int) -> ag.Case:
    """The case with some times the slices of the default grid, and some times the elements by name."""
    n_slices = slices * default_slices(case.pair, case.grid_options[0].width_elements)
    first, second = (replace(o, **_times(o, elements)) for o in case.grid_options)
    return replace(case, grid_options=(first, second), slices=n_slices)


def _times(options: ag.GridOptions, factors: dict[str, int]) -> dict[str, Any]:
    return {name: factor * getattr(options, name) for name, factor in factors.items()}


def ripple(case: ag.Case) -> Ripple:
    """Compute a case and look at its transmission error."""
    data = ag.run(case).dataset
    error = -1e6 * data.transmission_error.values
    around = np.concatenate([error[-1:], error, error[:1]])  # a pitch goes on with the next
    return Ripple(
        elements_across=case.grid_options[0].width_elements,
        slices=len(data["slice"]),
        mean=float(error.mean()),
        peak_to_peak=float(np.ptp(error)),
        first_order=float(2.0 * abs(np.fft.rfft(error)[1]) / len(error)),
        second_difference=float(100.0 * np.abs(np.diff(around, 2)).max() / error.mean()),
    )


def rows(quick: bool) -> Iterator[Row]:
    """Peak-to-peak and first order on the default grid against finer ones, the last of them with ten gigabytes.

    The quick form has a grid too coarse across the face: its bounds hold for what the slices change on the same grid.
    """
    case = ag.Case.from_toml(HERE / "case.toml")
    if quick:
        grid = replace(GRID, flank_elements=6, fillet_elements=6, width_elements=6)
        case = coarse(case, grid, positions_per_pitch=16)
        found = {f"{slices} slices": ripple(replace(case, slices=slices)) for slices in (32, 48)}
    else:
        found = {name: ripple(refined(case, **grid)) for name, grid in GRIDS.items()}
        print_table(found)
    name, first = next(iter(found.items()))
    for other, finer in list(found.items())[1:]:
        for words, key in (("peak to peak", "peak_to_peak"), ("first order", "first_order")):
            here, there = getattr(first, key), getattr(finer, key)
            yield Row(
                quantity=f"{words} of the transmission error, 23/81, {name}",
                value=here,
                reference=there,
                kind="absolute",
                unit="um",
                bound=max(SHARE_BOUND * there, LEAST_BOUND),
                source=f"itself, {other}",
            )
    yield Row(
        quantity=f"peak to peak of the transmission error, {name}: there is some",
        value=first.peak_to_peak,
        kind="at least",
        unit="um",
        bound=0.05,
        source="itself",
    )
    if not quick:
        yield Row(
            quantity=f"largest second difference of the transmission error, of its mean, {name}",
            value=1e-2 * first.second_difference,
            kind="at most",
            bound=1e-2 * SECOND_DIFFERENCES,
            source="a smooth curve",
        )


def print_table(found: dict[str, Ripple]) -> None:
    """Print the table of README.md."""
    print("| grid | across | slices | mean [um] | peak to peak [um] | first order [um] | second differences [%] |")
    print("|---" * 7 + "|")
    for name, r in found.items():
        print(
            f"| {name} | {r.elements_across} | {r.slices} | {r.mean:.3f} | {r.peak_to_peak:.3f} | {r.first_order:.3f} "
            f"| {r.second_difference:.3f} |"
        )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
