"""Names that would lie on each other move apart."""

from __future__ import annotations

from itertools import combinations

from matplotlib.figure import Figure

from alegear.view.machine.names_apart import free_shift, move_apart


def test_a_free_box_stays() -> None:
    assert free_shift((10.0, 10.0, 30.0, 20.0), [(40.0, 10.0, 60.0, 20.0)], (0.0, 0.0, 100.0, 100.0)) == (0.0, 0.0)


def test_a_box_moves_to_the_nearest_free_place_inside() -> None:
    box = (10.0, 80.0, 30.0, 90.0)
    shift = free_shift(box, [box], (0.0, 0.0, 100.0, 95.0))
    assert shift[1] < 0.0  # there is no room above
    assert abs(shift[1]) <= 1.5 * 10.0
    assert free_shift(box, [box], (5.0, 75.0, 35.0, 95.0)) == (0.0, 0.0)  # no room at all: it stays


def test_names_of_a_drawing_are_clear_of_each_other() -> None:
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.0)
    fixed = axes.text(0.5, 0.5, "bearing")
    names = [axes.text(0.5, 0.5 + 0.01 * k, f"gear {k}\nz = 20", ha="center") for k in range(4)]
    move_apart(figure, axes, names)
    boxes = [text.get_window_extent() for text in (fixed, *names)]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert len(axes.lines) == 4  # each is tied to its place
