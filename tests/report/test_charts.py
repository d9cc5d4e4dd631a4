"""Charts: where values lie on paper, read back from the SVG; axes, units, gaps, maps."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from alegear.pictures.colours import COLOURS
from alegear.report import charts, maps
from alegear.report.charts import Axis, Band, Dots, Line, Mark, bar_chart, line_chart
from alegear.report.maps import heat_map

SVG = "{http://www.w3.org/2000/svg}"


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(SVG + tag))


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in elements(svg, "text")]


def curve(svg: str, number: int = 0) -> list[list[tuple[float, float]]]:
    """Points of the pieces of a curve."""
    path = [one for one in elements(svg, "path") if one.get("class") == "curve"][number].get("d") or ""
    pieces: list[list[tuple[float, float]]] = []
    for pen, x, y in re.findall(r"([ML])([-\d.]+) ([-\d.]+)", path):
        if pen == "M":
            pieces.append([])
        pieces[-1].append((float(x), float(y)))
    return pieces


def frame(svg: str) -> tuple[float, float, float, float]:
    """Left, right, top, bottom of the frame."""
    box = next(one for one in elements(svg, "rect") if one.get("class") == "frame")
    x, y, width, height = (float(box.get(key) or "") for key in ("x", "y", "width", "height"))
    return x, x + width, y, y + height


def test_points_lie_where_the_axes_say():
    x, y = np.array([0.0, 1.0, 4.0]), np.array([-2.0, 3.0, 0.5])
    svg = line_chart([Line(x=x, y=y)], Axis(label="x [s]", low=0.0, high=4.0), Axis(label="y [N]", low=-4.0, high=4.0))
    left, right, top, bottom = frame(svg)
    (points,) = curve(svg)
    for (px, py), a, b in zip(points, x, y, strict=True):
        # lengths on paper are written to a tenth
        assert px == pytest.approx(left + a / 4.0 * (right - left), abs=0.06)
        assert py == pytest.approx(bottom - (b + 4.0) / 8.0 * (bottom - top), abs=0.06)
    assert {"x [s]", "y [N]"} < set(texts(svg))


def test_a_tick_stands_at_its_value():
    svg = line_chart([Line(x=[0.0, 10.0], y=[0.0, 1.0])], Axis(label="x"), Axis(label="y", low=0.0, high=1.0))
    left, right, _, _ = frame(svg)
    at = {one.text: float(one.get("x") or "") for one in elements(svg, "text") if one.get("text-anchor") == "middle"}
    assert at["4"] == pytest.approx(left + 0.4 * (right - left), abs=0.06)


def test_a_curve_is_broken_where_it_is_not_finite():
    svg = line_chart([Line(x=range(5), y=[0.0, 1.0, np.nan, 1.0, 0.0])], Axis(label="x"), Axis(label="y"))
    assert [len(piece) for piece in curve(svg)] == [2, 2]


def test_a_curve_does_not_run_along_the_border():
    """Below the ordinate it is not there, but for the lines that lead out of it and back."""
    y = [1.0, -1.0, -2.0, -1.5, 1.0, -3.0]
    svg = line_chart([Line(x=range(6), y=y)], Axis(label="x"), Axis(label="y", low=0.0, high=2.0))
    assert [len(piece) for piece in curve(svg)] == [2, 3]


def test_a_long_curve_keeps_its_largest_and_smallest_values():
    n = 100_000
    y = np.sin(np.linspace(0.0, 300.0, n))
    y[12_345], y[54_321] = 7.0, -9.0
    svg = line_chart([Line(x=np.arange(n), y=y)], Axis(label="x"), Axis(label="y", low=-10.0, high=10.0))
    (points,) = curve(svg)
    _, _, top, bottom = frame(svg)
    drawn = [-10.0 + 20.0 * (bottom - py) / (bottom - top) for _, py in points]
    assert len(points) <= charts.MOST_POINTS
    assert max(drawn) == pytest.approx(7.0, abs=0.02)  # a tenth of a unit of the paper
    assert min(drawn) == pytest.approx(-9.0, abs=0.02)


@pytest.mark.parametrize("kind", ["smooth", "noise", "steps", "band"])
def test_points_that_are_left_out_lie_on_the_lines_that_are_drawn(kind):
    """Within what is seen; of a smooth curve few points are left."""
    x = np.linspace(0.0, 600.0, 1200)
    y = {
        "smooth": 100.0 * np.sin(x / 60.0),
        "noise": np.random.default_rng(3).normal(size=1200),
        "steps": 5.0 * np.floor(x / 80.0),
        "band": np.cumsum(np.random.default_rng(4).normal(size=1200)),
    }[kind]
    x = np.repeat(x[::2], 2) if kind in ("band", "steps") else x
    kept = list(charts._bends(x.tolist(), y.tolist()))
    assert kept[0] == 0
    assert kept[-1] == 1199
    assert np.all(np.diff(kept) > 0)
    for a, b in itertools.pairwise(kept):
        if x[b] > x[a]:
            line = np.interp(x[a : b + 1], [x[a], x[b]], [y[a], y[b]])
            assert np.abs(y[a : b + 1] - line).max() <= charts.SEEN + 1e-9
        else:
            assert b == a + 1
    assert len(kept) < {"smooth": 200, "steps": 40}.get(kind, 1201)


def test_decades_are_equal_on_a_logarithmic_axis():
    svg = line_chart([Line(x=[0, 1, 2], y=[1e-2, 1.0, 1e2])], Axis(label="x"), Axis(label="y", log=True))
    (points,) = curve(svg)
    assert points[0][1] - points[1][1] == pytest.approx(points[1][1] - points[2][1], abs=0.11)
    assert "0.01" in texts(svg)


def test_bars_stand_on_zero_and_end_at_their_values():
    svg = bar_chart(["a", "b"], [("", [3.0, -1.0])], Axis(label="F [N]", low=-2.0, high=4.0))
    _, _, top, bottom = frame(svg)
    zero = bottom - 2.0 / 6.0 * (bottom - top)
    bars = [one for one in elements(svg, "rect") if one.get("fill") == COLOURS[0]]
    up, down = ((float(one.get("y") or ""), float(one.get("height") or "")) for one in bars)
    assert up[0] + up[1] == pytest.approx(zero, abs=0.11)
    assert up[1] == pytest.approx(3.0 / 6.0 * (bottom - top), abs=0.11)
    assert down[0] == pytest.approx(zero, abs=0.11)
    assert down[1] == pytest.approx(1.0 / 6.0 * (bottom - top), abs=0.11)
    assert {"a", "b"} < set(texts(svg))


def test_a_map_colours_its_cells_and_no_others():
    """The area of all cells is that of the finite values."""
    values = np.arange(12.0).reshape(4, 3)
    values[1, 2] = np.nan
    svg = heat_map(np.arange(4.0), np.arange(3.0), values, (Axis(label="x"), Axis(label="y")), "p [MPa]")
    left, right, top, bottom = frame(svg)
    cells = [one for one in elements(svg, "path") if one.get("class") is None]
    area = 0.0
    for one in cells:
        for x0, y0, x1, y1 in re.findall(r"M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)", one.get("d") or ""):
            area += abs((float(x1) - float(x0)) * (float(y1) - float(y0)))
    assert area == pytest.approx(11.0 / 12.0 * (right - left) * (bottom - top), rel=2e-3)  # tenths of a unit
    assert "p [MPa]" in texts(svg)


def test_a_map_says_what_its_colours_hide():
    values = np.array([[1.0, 2.0], [1.5, 50.0]])
    svg = heat_map([0, 1], [0, 1], values, (Axis(label="x"), Axis(label="y")), "p [MPa]", top=2.0, hatched=values > 9.0)
    assert "p [MPa], largest 50" in texts(svg)
    assert 'fill="url(#hatch)"' in svg
    assert 'id="hatch"' in maps.DEFINITIONS


def test_names_at_the_ends_of_curves_keep_their_distance_and_their_order():
    ends = [1.0, 1.01, 1.02, 9.0]
    lines = [Line(x=[0, 10], y=[0.0, y], ending=f"to {y}", colour=k) for k, y in enumerate(ends)]
    svg = line_chart(lines, Axis(label="x"), Axis(label="y", low=0.0, high=10.0))
    _, right, top, bottom = frame(svg)
    words = [one for one in elements(svg, "text") if one.get("class") == "word"]
    heights = [float(one.get("y") or "") for one in words]
    assert [one.text for one in words] == [f"to {y}" for y in ends]
    assert min(-np.diff(heights)) >= charts.ENDING - 0.1  # tenths of a unit
    assert all(float(one.get("x") or "") > right for one in words)
    assert heights[-1] - 3.5 == pytest.approx(bottom - 0.9 * (bottom - top), abs=0.11)


def test_dots_and_bands_lie_where_the_axes_say():
    svg = line_chart(
        [Line(x=[0, 10], y=[0, 1])],
        Axis(label="x", low=0.0, high=10.0),
        Axis(label="y", low=0.0, high=1.0),
        dots=[Dots(x=[4.0, np.nan], y=[0.5, 0.5])],
        bands=[Band(low=0.0, high=2.0), Band(low=9.0, high=20.0)],
    )
    left, right, top, bottom = frame(svg)
    (dot,) = elements(svg, "circle")
    assert float(dot.get("cx") or "") == pytest.approx(left + 0.4 * (right - left), abs=0.06)
    assert float(dot.get("cy") or "") == pytest.approx(0.5 * (top + bottom), abs=0.06)
    bands = [float(one.get("width") or "") for one in elements(svg, "rect") if one.get("fill-opacity")]
    assert bands == pytest.approx([0.2 * (right - left), 0.1 * (right - left)], abs=0.06)


def test_labels_that_read_upwards_stay_on_the_paper():
    """A letter is 6 units wide, about."""
    values = np.array([[1.0, 2.0], [1.5, 12345.0]])
    label = "pressure x velocity of the flanks [MPa m/s]"
    axes = Axis(label="x"), Axis(label="position across the face [mm]")
    svg = heat_map([0, 1], [0, 1], values, axes, label, top=2.0, height=200.0)
    upwards = [one for one in elements(svg, "text") if "rotate(-90" in (one.get("transform") or "")]
    for one in upwards:
        middle, half = float(one.get("y") or ""), 3.0 * len(one.text or "")
        assert middle - half >= 0.0
        assert middle + half <= 200.0
    assert " ".join(one.text or "" for one in upwards[:0:-1]) == f"{label}, largest 12345"


def test_words_of_marks_do_not_lie_on_each_other():
    marks = [Mark(x=1.0, label="root form, pinion"), Mark(x=1.1, label="tip, wheel")]
    svg = line_chart([Line(x=[0, 10], y=[0, 1])], Axis(label="x"), Axis(label="y"), marks=marks)
    words = [one for one in elements(svg, "text") if one.get("class") == "word"]
    assert len({one.get("y") for one in words}) == 2


def test_names_are_text_and_never_markup():
    hostile = '<script>alert("x")</script> & co'
    svg = line_chart([Line(x=[0, 1], y=[0, 1], label=hostile)], Axis(label=hostile), Axis(label="y"))
    assert not elements(svg, "script")
    assert hostile in texts(svg)


@pytest.mark.parametrize("y", [[np.nan, np.nan], [3.0, 3.0], [0.0, 0.0], []])
def test_curves_without_extent_have_axes(y):
    svg = line_chart([Line(x=range(len(y)), y=y)], Axis(label="x"), Axis(label="y"))
    assert "nan" not in svg
    assert len(texts(svg)) > 4
