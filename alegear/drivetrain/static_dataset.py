"""The dataset of a study that a user hands over: its result, or the dataset itself."""

from __future__ import annotations

from typing import Any


def dataset_of(result: Any) -> Any:
    """Return the dataset of a result, and a dataset as it is: its library is not loaded here."""
    return getattr(result, "dataset", result)
