"""Layout of a machine as it was run: a section along its shafts, and seen from the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from alegear.pictures.layout import draw_layout
from alegear.pictures.picture import Picture
from alegear.pictures.titles import words
from alegear.results.machine_shape import SHAPE, read_shape
from alegear.results.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _shape(result: Result) -> Mapping[str, Any]:
    assert result.directory is not None  # the picture holds
    return read_shape(result.directory)


def _holds(result: Result) -> bool:
    """Whether a result holds the shape of its machine, and this has something with a place in space."""
    if result.directory is None or not (result.directory / SHAPE).is_file():
        return False
    shape = _shape(result)
    return bool(shape["shafts"] or shape["planetary_sets"])


def _draw(result: Result) -> Figure:
    return draw_layout(_shape(result), words(result.dataset))


PICTURE = Picture(
    name="layout",
    heading="Layout",
    order=40,
    holds=_holds,
    draw=_draw,
    caption=lambda result: "Layout: section along the shafts to scale, and tip and pitch circles from the end",
)
