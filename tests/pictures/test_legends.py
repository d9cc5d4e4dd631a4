"""Legends: as many columns as there is room for, never wider than the figure or the panel that they belong to."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from alegear.pictures.legends import legend_beside, legend_in_columns
from alegear.pictures.picture_file import DPI, png

NAMES = ("order 1", "more than 10 % from the linearised response", "linearised response", "run-up", "a_1$x$y")


@pytest.mark.parametrize("of_panel", [False, True])
@pytest.mark.parametrize("width", [4.0, 7.4])
def test_a_legend_is_no_wider_than_its_room(width: float, *, of_panel: bool) -> None:
    figure = Figure(figsize=(width, 3.0), layout="constrained")
    axes = figure.subplots()
    handles = [axes.plot([], [], label=name)[0] for name in NAMES]
    owner, place = (axes, "upper left") if of_panel else (figure, "outside lower center")
    legend_in_columns(owner, (handles, NAMES), 5, loc=place, fontsize=8.0)
    legend = axes.get_legend() if of_panel else figure.legends[0]
    png(figure)
    figure.set_dpi(DPI)
    assert legend.get_window_extent().width <= owner.bbox.width
    assert [text.get_text() for text in legend.get_texts()] == list(NAMES)
    assert len(figure.legends) == (0 if of_panel else 1)


def test_panels_without_names_have_no_legend() -> None:
    axes = Figure().subplots()
    axes.plot([0.0, 1.0])
    legend_beside(axes)
    legend_in_columns(axes, axes.get_legend_handles_labels(), 3)
    assert axes.get_legend() is None
