"""Bearings and disks in the section along the shafts of a layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from alegear.pictures.names_apart import KEPT_FREE
from alegear.results.machine_shape import section_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from alegear.pictures.layout_sketch import Sketch

MM = 1e3
#: Entry of a bearing or disk in :func:`alegear.results.machine_shape.machine_shape`.
Entry = Mapping[str, Any]
BEARING, BEARING_TEXT, FACE, DEFECT, DISK = "#E69F00", "#8a5a00", "white", "#c0392b", "#7a6a9b"
#: Outer over inner radius of a bearing that is given by its stiffness, and its width over the inner radius.
RING, RING_WIDTH = 1.55, 0.55
#: Thickness of the outer ring of a rolling bearing over the diameter of its elements, and its width over their length.
OUTER_RING, OUTER_WIDTH = 0.45, 1.4
#: Radius and width of the sign of a disk, over the radius of its shaft.
DISK_RADIUS, DISK_WIDTH = 1.8, 0.35
#: Height of a line of a name [points].
LETTERS = 10


def draw_bearing(axes: Axes, sketch: Sketch, bearing: Entry) -> None:
    """Draw a bearing from the shaft to what holds it: a cross, or its rings and rolling elements to scale."""
    (middle, height), elements = _place(sketch, bearing), bearing["rolling_elements"]
    inner, outer, width = _size(sketch, bearing)
    for side in (1.0, -1.0):
        if elements is None:
            _ring(axes, middle, width, height + side * inner, height + side * outer)
            x, w = MM * (middle - 0.5 * width), MM * width
            low, high = MM * (height + side * inner), MM * (height + side * outer)
            axes.plot([x, x + w], [low, high], color=BEARING, lw=0.9, zorder=7)
            axes.plot([x, x + w], [high, low], color=BEARING, lw=0.9, zorder=7)
            continue
        races = [0.5 * (elements["pitch_diameter"] + sign * elements["diameter"]) for sign in (-1.0, 1.0)]
        _ring(axes, middle, width, height + side * min(inner, races[0]), height + side * races[0])
        _ring(axes, middle, width, height + side * races[1], height + side * outer)
        _rolling_element(axes, middle, height + 0.5 * side * elements["pitch_diameter"], elements)


def _place(sketch: Sketch, one: Entry) -> tuple[float, float]:
    """Place of a bearing or disk along and across the section [m]."""
    return sketch.position(one["shaft"], one["at"]), sketch.heights[one["shaft"]]


def _size(sketch: Sketch, bearing: Entry) -> tuple[float, float, float]:
    """Inner and outer radius and width of a bearing [m]."""
    inner, elements = sketch.radius(bearing["shaft"], bearing["at"]), bearing["rolling_elements"]
    if elements is not None:
        outer = 0.5 * (elements["pitch_diameter"] + elements["diameter"]) + OUTER_RING * elements["diameter"]
        return inner, outer, OUTER_WIDTH * (elements["length"] or elements["diameter"])
    outer = RING * inner
    if bearing["to"] in sketch.shafts and bearing["to_at"] is not None:
        _, bore = section_at(sketch.shape, bearing["to"], bearing["to_at"])
        outer = bore if bore > inner else outer
    return inner, outer, RING_WIDTH * inner


def _ring(axes: Axes, middle: float, width: float, one: float, other: float) -> None:
    from matplotlib.patches import Rectangle

    corner = (MM * (middle - 0.5 * width), MM * min(one, other))
    axes.add_patch(
        Rectangle(
            corner, MM * width, MM * abs(other - one), facecolor=FACE, edgecolor=BEARING, linewidth=1.2, zorder=7,
            gid=KEPT_FREE,
        )
    )  # fmt: skip


def _rolling_element(axes: Axes, x: float, y: float, elements: Entry) -> None:
    """A ball, or a roller."""
    from matplotlib.patches import Circle, Rectangle

    style: dict[str, Any] = {"facecolor": "#f6d9a0", "edgecolor": BEARING, "linewidth": 0.9, "zorder": 7.5}
    d, length = MM * elements["diameter"], MM * elements["length"]
    if not length:
        axes.add_patch(Circle((MM * x, MM * y), 0.5 * d, **style))
    else:
        axes.add_patch(Rectangle((MM * x - 0.5 * length, MM * y - 0.5 * d), length, d, **style))


def name_bearings(axes: Axes, sketch: Sketch, bearings: Mapping[str, Entry]) -> None:
    """Name bearings below them, those between two shafts above; what stands at one place has one text."""
    names_at: dict[tuple[float, float], list[str]] = {}
    for name, one in bearings.items():
        if one["to_at"] is None:
            where = _place(sketch, one)
            names_at.setdefault((round(where[0], 6), round(where[1], 6)), []).append(name)
        else:
            _name_between(axes, sketch, name, one)
    for (middle, height), names in names_at.items():
        same = [bearings[name] for name in names]
        outer = max(_size(sketch, one)[1] for one in same)
        text = "\n".join(names)
        _text(axes, text, middle, height - outer, {"xytext": (0, -3), "va": "top"})
        defects = [f"defect: {on}" for one in same for on in (one["rolling_elements"] or {"defects": []})["defects"]]
        if defects:
            _text(axes, "\n".join(defects), middle, height + outer, {"xytext": (0, 3), "va": "bottom"}, DEFECT)


def _name_between(axes: Axes, sketch: Sketch, name: str, one: Entry) -> None:
    """Other bearings may stand around one between two shafts."""
    middle, height = _place(sketch, one)
    line = {"arrowstyle": "-", "color": BEARING_TEXT, "lw": 0.6}
    style = {"xytext": (0, 52), "va": "bottom", "arrowprops": line}
    _text(axes, f"{name}\n(to {one['to']})", middle, height + _size(sketch, one)[1], style)


def _text(axes: Axes, text: str, x: float, y: float, style: dict[str, Any], colour: str = BEARING_TEXT) -> None:
    axes.annotate(
        text, (MM * x, MM * y), textcoords="offset points", ha="center", fontsize=7.5, color=colour, zorder=9,
        parse_math=False, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5}, **style,
    )  # fmt: skip


def draw_disks(axes: Axes, sketch: Sketch, disks: Mapping[str, Entry], bearings: Sequence[Entry]) -> None:
    """Draw the signs of rigid bodies on shafts, names below those of bearings there: they have no sizes."""
    from matplotlib.patches import Rectangle

    names_at: dict[tuple[float, float, float], list[str]] = {}
    seats = [_place(sketch, one) for one in bearings]
    for name, one in disks.items():
        middle, height = _place(sketch, one)
        radius = sketch.radius(one["shaft"], one["at"])
        r, w = MM * DISK_RADIUS * radius, MM * DISK_WIDTH * radius
        corner = (MM * middle - 0.5 * w, MM * height - r)
        axes.add_patch(
            Rectangle(corner, w, 2.0 * r, facecolor="none", edgecolor=DISK, hatch="////", linewidth=1.0, zorder=6)
        )
        words = f"{name}, {one['mass']:.6g} kg" if one["mass"] else name
        names_at.setdefault((round(middle, 6), round(height, 6), DISK_RADIUS * radius), []).append(words)
    for (middle, height, reach), names in names_at.items():
        above = sum(abs(x - middle) < reach and abs(y - height) < reach for x, y in seats)
        _text(axes, "\n".join(names), middle, height - reach, {"xytext": (0, -3 - LETTERS * above), "va": "top"}, DISK)
