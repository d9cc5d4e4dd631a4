"""The layout of a machine as a drawing: a section along the shafts to scale, and the pitch circles from the end.

Where all axes lie in one plane the section is that plane. Otherwise it is unfolded, as in a drawing of a gearbox: each
shaft stands beside the one that it meshes with, at their centre distance. Only shafts parallel to that of the first
drive are drawn in both views, others are left out and named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.pictures.colours import COLOURS
from alegear.pictures.layout_parts import draw_bearing, draw_disks, name_bearings
from alegear.pictures.layout_sets import TEXT, draw_set_from_end, draw_set_from_side, entries, sets_of
from alegear.pictures.layout_sketch import Sketch
from alegear.pictures.legends import legend_below
from alegear.pictures.names_apart import KEPT_FREE, move_apart
from alegear.pictures.picture_file import DPI, check_picture, write_figure
from alegear.pictures.titles import in_rpm
from alegear.results.machine_shape import machine_shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from alegear.case.machine import MachineCase


MM = 1e3
RPM = math.radians(6.0)
SHAFT, LINE, DRIVE, LOAD = "#d9d9d9", "#404040", "#009E73", "#D55E00"
#: Width of the picture, how high it may be, and what is beside and above its views [inches]: on paper of A4 it shrinks
#: by a tenth, and its letters stay readable.
WIDTH, LOWEST, HIGHEST = 7.4, 4.0, 9.4
BESIDE, ABOVE, LEGEND = 0.8, 0.75, 0.9
#: Width of a narrow section over its height, for the names beside it.
NARROW = 0.7
#: Size of letters [points].
LETTERS = 7.5
#: Torques are in kN m from here on [N m].
KILO = 1e4
#: Lines across the face of a gear that show the hand of its teeth.
TEETH_DRAWN = 5


def write_layout(case: MachineCase, path: Path) -> None:
    """Draw the layout of a machine into a PNG file; it appears whole or not at all.

    Raises
    ------
    Fault
        If the file is no ``.png`` in an existing folder, or the case has no gears to draw.
    StorageFailure
        If it cannot be written.
    """
    check_picture(path, "picture")
    shape = machine_shape(case.layout, {})
    if not has_places(shape):
        raise Fault("gears of the machine", 0, "at least 1 in a picture of its layout", "leave out --picture")
    write_figure(path, draw_layout(shape, case.title), DPI)


def has_places(shape: Mapping[str, Any]) -> bool:
    """Whether a machine has gears whose places are known: on shafts, or of planetary sets, one where all only turns.

    Sets between bodies that only turn are all in one place.
    """
    sets = shape["planetary_sets"]
    return bool(shape["gears"]) or (len(sets) > 0 and bool(shape["shafts"])) or len(sets) == 1


def draw_layout(shape: Mapping[str, Any], title: str = "", width: float = WIDTH) -> Figure:
    """Draw a machine: a section along its shafts, and its pitch circles from the end, in mm.

    Parameters
    ----------
    shape : mapping
        As :func:`alegear.results.machine_shape.machine_shape` makes it.
    title : str
    width : float [inch]
        Letters are as large in a narrow picture as in a wide one.
    """
    from matplotlib.figure import Figure

    sketch = Sketch(shape)
    # letters are not as wide at another resolution, and then stand on each other again
    figure = Figure(figsize=(width, LOWEST), layout="constrained", dpi=DPI)
    side, end = figure.subplots(1, 2)
    fixed = _draw_side(side, sketch)
    _draw_end(end, sketch)
    legend_below(figure, end.get_legend_handles_labels(), 4, fontsize=LETTERS, columnspacing=1.2)
    arrange(figure, side, end, width)
    figure.suptitle(title, fontsize=10, parse_math=False)
    names = {axes: [text for text in axes.texts if text not in fixed] for axes in (side, end)}
    move_apart(figure, names)
    return figure


def arrange(figure: Figure, side: Axes, end: Axes, width: float) -> None:
    """Put the views beside each other or one above the other, whichever is larger, at one scale."""
    (w, h), (w_end, h_end) = (
        (right - left, high - low)
        for (left, right), (low, high) in ((axes.get_xlim(), axes.get_ylim()) for axes in (side, end))
    )
    w, room = max(w, NARROW * h), HIGHEST - LEGEND
    beside = min((width - 2.0 * BESIDE) / (w + w_end), (room - ABOVE) / max(h, h_end))
    stacked = min((width - BESIDE) / max(w, w_end), (room - 2.0 * ABOVE) / (h + h_end))
    if beside > stacked:
        grid = figure.add_gridspec(1, 2, width_ratios=(w, w_end))
        height = beside * max(h, h_end) + ABOVE
    else:
        grid = figure.add_gridspec(2, 1, height_ratios=(h, h_end))
        height = stacked * (h + h_end) + 2.0 * ABOVE
    side.set_subplotspec(grid[0])
    end.set_subplotspec(grid[1])
    figure.set_size_inches(width, max(height + LEGEND, LOWEST))


# ------------------------------------------------------------------------------------------ from the side


def _draw_side(axes: Axes, sketch: Sketch) -> list[Text]:
    """Draw the section; returns the texts that stay where they are."""
    from matplotlib.patches import Rectangle

    shape = sketch.shape
    for name in sketch.shafts:
        height = MM * sketch.heights[name]
        for begin, length, outer, inner in sketch.sections(name):
            for low, high in ((inner, outer), (-outer, -inner)) if inner else ((-outer, outer),):
                corner = (MM * begin, height + MM * low)
                style: dict[str, Any] = {"facecolor": SHAFT, "edgecolor": LINE, "linewidth": 0.8, "zorder": 2}
                axes.add_patch(Rectangle(corner, MM * length, MM * (high - low), **style))
        low, high = (MM * end for end in sketch.ends(name))
        beyond = 0.04 * (high - low)
        axes.plot([low - beyond, high + beyond], [height] * 2, "-.", color=LINE, lw=0.6, zorder=6)
    for g, (name, one) in enumerate(shape["gears"].items()):
        if one["shaft"] in sketch.shafts:
            _draw_gear(axes, sketch, name, COLOURS[g % len(COLOURS)])
    for planets in sets_of(sketch):
        draw_set_from_side(axes, planets)
    bearings, disks = (
        {name: one for name, one in shape[kind].items() if one["shaft"] in sketch.shafts}
        for kind in ("bearings", "disks")
    )
    for bearing in bearings.values():
        draw_bearing(axes, sketch, bearing)
    name_bearings(axes, sketch, bearings)
    draw_disks(axes, sketch, disks, list(bearings.values()))
    for kind in ("drives", "loads"):
        for name, one in shape[kind].items():
            if one["shaft"] in sketch.shafts:
                _draw_torque(axes, sketch, name, one, drives=kind == "drives")
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    axes.margins(
        0.25 if shape["drives"] or shape["loads"] else 0.15, 0.15
    )  # with room for torques and speeds beside the shafts
    axes.tick_params(labelsize=8)
    axes.set_xlabel(f"along the shafts{_axis_name(sketch.along)} [mm]", fontsize=8.5)
    across = "across, unfolded: centre\ndistances are true [mm]" if sketch.is_unfolded else "across the shafts [mm]"
    axes.set_ylabel(across, fontsize=8.5)
    axes.set_title("section along the shafts" + (" (unfolded)" if sketch.is_unfolded else ""), fontsize=8.5)
    words = [f"not drawn, not parallel: {', '.join(sketch.left_out)}"] if sketch.left_out else []
    turning = [f"{name} on {body}" for name, body in shape["turning"].items()]
    words += [f"on bodies that only turn: {', '.join(turning)}"] if turning else []
    if not words:
        return []
    note = axes.text(0.01, 0.01, "\n".join(words), transform=axes.transAxes, fontsize=LETTERS, parse_math=False)
    return [note]


def _draw_gear(axes: Axes, sketch: Sketch, name: str, colour: str) -> None:
    """A gear as the rectangle of its largest circle and its face, with lines in the direction of its teeth in front."""
    from matplotlib.patches import Rectangle

    gear = sketch.shape["gears"][name]
    height, middle = sketch.heights[gear["shaft"]], sketch.position(gear["shaft"], gear["at"])
    outside, b, beta = _outside(gear), gear["b"], gear["beta"]
    corner = (MM * (middle - 0.5 * b), MM * (height - outside))
    size = (MM * b, 2.0 * MM * outside)
    axes.add_patch(Rectangle(corner, *size, facecolor=colour, alpha=0.3, edgecolor="none", zorder=3))
    axes.add_patch(Rectangle(corner, *size, facecolor="none", edgecolor=colour, linewidth=1.4, zorder=5))
    z = np.linspace(-0.5, 0.5, 2) * b
    for offset in np.linspace(-0.7, 0.7, TEETH_DRAWN) * outside:
        line = height + offset - z * math.tan(beta)  # turned by +twist z about the axis, in front it goes down
        axes.plot(MM * (middle + z), MM * line, color=colour, lw=0.7, alpha=0.8, zorder=4)
    hand = "" if not beta else f"\n{abs(math.degrees(beta)):.4g}° {'right' if beta > 0.0 else 'left'}"
    text = f"{name}\nz = {'-' if gear['internal'] else ''}{gear['teeth']}{hand}"
    box = {"facecolor": "white", "edgecolor": colour, "linewidth": 0.8, "alpha": 0.85, "pad": 1.0}
    place = (MM * middle, MM * (height + 0.62 * outside))
    axes.annotate(
        text, place, (0.0, 0.0), textcoords="offset points", ha="center", va="center", fontsize=LETTERS, bbox=box,
        zorder=9, parse_math=False,
    )  # fmt: skip


def _outside(gear: Mapping[str, Any]) -> float:
    """Largest radius of a gear [m]: that of the tip circle, of a ring that of the rim."""
    return max(gear["r_a"], 0.5 * gear["bore"])


def _draw_torque(axes: Axes, sketch: Sketch, name: str, part: Mapping[str, Any], *, drives: bool) -> None:
    """A drive or a load: a mark on the axis, and what it gives or takes."""
    shaft, colour = part["shaft"], DRIVE if drives else LOAD
    place = (MM * sketch.position(shaft, part["at"]), MM * sketch.heights[shaft])
    text, speed = f"{name}: {_torque(part['torque'])}", sketch.shafts[shaft]["speed"]
    if speed is not None:
        text += f"\n{in_rpm(speed / RPM)}"
    marker = ">" if drives else "<"
    axes.plot(*place, marker, color=colour, markersize=10, markeredgecolor="white", zorder=10, gid=KEPT_FREE)
    low, high = (MM * end for end in sketch.ends(shaft))
    left = place[0] < 0.5 * (low + high) or (drives and place[0] == 0.5 * (low + high))
    axes.annotate(
        text,
        place,
        xytext=(low if left else high, place[1] + 1.4 * MM * sketch.radius(shaft, part["at"])),
        textcoords="data",
        ha="right" if left else "left",
        fontsize=LETTERS,
        color=colour,
        weight="bold",
        zorder=10,
        parse_math=False,
        arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.8},
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0},
    )


def _torque(value: float) -> str:
    """A torque in words."""
    return f"{1e-3 * value:.4g} kN m" if abs(value) >= KILO else f"{value:.4g} N m"


# ------------------------------------------------------------------------------------------ from the end


def _draw_end(axes: Axes, sketch: Sketch) -> None:
    from matplotlib.patches import Circle

    gears = sketch.shape["gears"]
    colours = {name: COLOURS[g % len(COLOURS)] for g, name in enumerate(gears)}
    for name, one in gears.items():
        if one["shaft"] not in sketch.shafts:
            continue
        colour, centre = colours[name], MM * sketch.seen_from_end(one["shaft"])
        for radius, label in ((one["r_a"], name), (0.5 * one["bore"], None)):
            axes.add_patch(Circle(tuple(centre), MM * radius, fill=False, ec=colour, lw=0.9, label=label))
        axes.add_patch(Circle(tuple(centre), MM * _outside(one), facecolor=colour, alpha=0.12, ec="none"))
    for mesh, one in sketch.meshes.items():
        centres = [MM * sketch.seen_from_end(shaft) for shaft in sketch.shafts_of(one)]
        for name, centre, radius in zip(one["gears"], centres, one["pitch_radii"], strict=True):
            axes.add_patch(Circle(tuple(centre), MM * radius, fill=False, ec=colours[name], lw=1.0, ls="-."))
        axes.plot(*zip(*centres, strict=True), color=LINE, lw=0.6, ls=":")
        axes.plot(*(MM * sketch.from_end(one["pitch_point"])), "o", color="black", markersize=4)
        text = f"{mesh}: a = {MM * abs(one['a_w']):.6g} mm"
        axes.plot([], [], ls="none", marker="o", color="black", markersize=4, label=text)
    for planets in sets_of(sketch):
        draw_set_from_end(axes, planets)
        for colour, text in entries(planets):
            axes.add_patch(Circle((0.0, 0.0), 0.0, facecolor=colour, alpha=0.4, ec="none", label=text))
    _name_shafts(axes, sketch)
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    axes.margins(0.06)
    right, up = sketch.end_axes
    axes.tick_params(labelsize=8)
    axes.set_xlabel(f"across the shafts{_axis_name(right)} [mm]", fontsize=8.5)
    axes.set_ylabel(f"across the shafts{_axis_name(up)} [mm]", fontsize=8.5)
    axes.set_title("from the end: tip circles,\npitch circles (-.-), bores", fontsize=8.5)


def _name_shafts(axes: Axes, sketch: Sketch) -> None:
    """Name the shafts at their centres, with the sense in which each turns; coaxial ones share a text."""
    names_at: list[tuple[Array, list[str]]] = []
    for name, shaft in sketch.shafts.items():
        turns = shaft["ratio"] * float(np.array(shaft["direction"]) @ sketch.along)
        text = f"{name} {'↺' if turns > 0.0 else '↻'}"
        centre = MM * sketch.seen_from_end(name)
        for there, texts in names_at:
            if np.linalg.norm(there - centre) < 1.0:
                texts.append(text)
                break
        else:
            names_at.append((centre, [text]))
    for centre, texts in names_at:
        axes.plot(*centre, "+", color=LINE, markersize=7)
        axes.annotate(
            "\n".join(texts), tuple(centre), xytext=(0, -6), textcoords="offset points", ha="center", va="top",
            fontsize=LETTERS, parse_math=False, bbox=TEXT,
        )  # fmt: skip


def _axis_name(direction: Array) -> str:
    """Name of an axis in space, where a direction is one."""
    for axis, unit in zip("xyz", np.eye(3), strict=True):
        for sign, word in ((1.0, ""), (-1.0, "-")):
            if float(np.abs(direction - sign * unit).max()) < 1e-9:
                return f" ({word}{axis})"
    return ""
