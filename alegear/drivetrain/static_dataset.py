"""What a static study tells of a pitch: of its result, or of the dataset itself, which a user hands over."""

from __future__ import annotations

from typing import Any

import numpy as np

from alegear.errors import Fault
from alegear.system.coordinates import Array

#: Distances of positions over one pitch may differ by this part of it.
EQUAL = 1e-9


def dataset_of(result: Any) -> Any:
    """Return the dataset of a result, and a dataset as it is: its library is not loaded here."""
    return getattr(result, "dataset", result)


def values_over_a_pitch(dataset: Any, names: tuple[str, ...], least: int, what: str) -> tuple[list[Array], int]:
    """Return variables by position, the phase first, and how many positions there are in a pitch, at least so many.

    Raises
    ------
    Fault
        For a dataset without them, or with positions that are not equally spaced over a pitch; `what` it lacks.
    """
    if any(name not in dataset for name in names) or "position" not in dataset[names[0]].dims:
        raise Fault(f"{what} of a result", "not there", "as a static study has it", "compute one of the pair")
    phase, *values = (np.asarray(dataset[name].values, dtype=np.float64) for name in ("phase", *names))
    step = float(phase[1] - phase[0]) if len(phase) > 1 else 1.0
    n = round(1.0 / step)
    if n < least or len(phase) < n or np.abs(np.diff(phase[:n]) - 1.0 / n).max() > EQUAL:
        shown, limit = f"{len(phase)}, {step:g} pitches apart", f"{least} or more, equally spaced over a pitch"
        raise Fault("positions of the static study", shown, limit, "raise positions_per_pitch")
    return [phase, *values], n
