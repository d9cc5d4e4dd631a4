"""Titles of pictures: the title of the case, and the torque and speed at which it was computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from alegear.pictures.picture import OPERATING_POINT

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure
    from matplotlib.text import Text


#: Letters of a title that a picture has room for.
TITLE_LETTERS = 90


def title_of(figure: Figure, dataset: xr.Dataset, more: str = "") -> None:
    """Put the title of the result above a figure, whether it is incomplete, and below it the operating point.

    Parameters
    ----------
    figure : Figure
    dataset : xarray.Dataset
    more : str
        What the picture shows, after the title.
    """
    figure.suptitle(words(dataset, more), fontsize=10, parse_math=False)


def words(dataset: xr.Dataset, more: str = "") -> str:
    """Return title and operating point, in two lines where both are known."""
    note = "" if dataset.attrs.get("complete", 1) else " (incomplete)"
    title = f"{shortened(str(dataset.attrs.get('title', '')), TITLE_LETTERS)}{more}{note}"
    return "\n".join(one for one in (title, str(dataset.attrs.get(OPERATING_POINT, ""))) if one)


def first_gear(dataset: xr.Dataset) -> str:
    """Name the first gear in a sentence: the pinion of a pair, of a mesh of a machine by its name."""
    name = str(dataset["gear"].values[0]) if "gear" in dataset.coords else "pinion"
    return "the pinion" if name == "pinion" else name


def in_rpm(speed: float) -> str:
    """Write a speed [rpm] with its unit: of large ones all digits before the point, never powers of ten.

    Examples
    --------
    >>> in_rpm(12000.0), in_rpm(1499.98), in_rpm(23.4567)
    ('12000 rpm', '1500 rpm', '23.46 rpm')
    """
    return f"{speed:.0f} rpm" if abs(speed) >= 1000.0 else f"{speed:.4g} rpm"


def shortened(name: str, letters: int = 20) -> str:
    """A name with its middle left out where it is long."""
    if len(name) <= letters:
        return name
    first = (letters - 1) // 2
    return f"{name[:first]}…{name[len(name) - (letters - 1 - first) :]}"


def no_mathematics(texts: Sequence[Text]) -> None:
    """Take names as they are, whatever looks like mathematics in them."""
    for text in texts:
        text.set_parse_math(False)
