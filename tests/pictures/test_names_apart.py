"""Names that would lie on each other move apart."""

from __future__ import annotations

from itertools import combinations

from matplotlib.figure import Figure
from matplotlib.text import Text

from alegear.pictures.names_apart import KEPT_FREE, free_shift, move_apart


def test_a_free_box_stays() -> None:
    assert free_shift((10.0, 10.0, 30.0, 20.0), [(40.0, 10.0, 60.0, 20.0)], (0.0, 0.0, 100.0, 100.0)) == (0.0, 0.0)


def test_a_box_moves_to_the_nearest_free_place_inside() -> None:
    box = (10.0, 80.0, 30.0, 90.0)
    shift = free_shift(box, [box], (0.0, 0.0, 100.0, 95.0))
    assert shift[1] < 0.0  # there is no room above
    assert abs(shift[1]) <= 1.5 * 10.0
    assert free_shift(box, [box], (5.0, 75.0, 35.0, 95.0)) == (0.0, 0.0)  # no room at all: it stays


def drawing():
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.0)
    return figure, axes


def letters(text):
    """Extent of a text, of an annotation without its arrow."""
    return Text.get_window_extent(text)


def test_names_of_a_drawing_are_clear_of_each_other() -> None:
    figure, axes = drawing()
    fixed = axes.text(0.5, 0.5, "bearing")
    style = {"textcoords": "offset points", "ha": "center"}
    names = [axes.annotate(f"gear {k}\nz = 20", (0.5, 0.5 + 0.01 * k), (0, 0), **style) for k in range(4)]
    move_apart(figure, {axes: names})
    figure.draw_without_rendering()
    boxes = [letters(text) for text in (fixed, *names)]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert len(axes.lines) == 4  # each is tied to its place


def test_names_lie_inside_and_not_on_what_is_kept_free() -> None:
    """One with an arrow, whose text stands in data, half out of the frame."""
    figure, axes = drawing()
    (mark,) = axes.plot(0.9, 0.9, "o", markersize=12, gid=KEPT_FREE)
    name = axes.annotate(
        "drive: 400 N m", (0.9, 0.9), (0.95, 0.9), textcoords="data", va="center", arrowprops={"arrowstyle": "-"}
    )
    move_apart(figure, {axes: [name]})
    figure.draw_without_rendering()
    box, frame = letters(name), axes.get_window_extent()
    assert not box.overlaps(mark.get_window_extent())
    assert frame.x0 < box.x0 < box.x1 < frame.x1
    assert len(axes.lines) == 1  # the arrow is line enough
    assert name.xy == (0.9, 0.9)
