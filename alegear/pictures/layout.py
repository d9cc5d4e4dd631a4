"""The layout of a machine as a drawing: a section along the shafts to scale, and the pitch circles from the end.

Where all axes lie in one plane the section is that plane. Otherwise it is unfolded, as in a drawing of a gearbox: each
shaft stands beside the one that it meshes with, at their centre distance. Only shafts parallel to that of the first
drive are drawn in both views, others are left out and named.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.laws.rigid import Rigid
from alegear.drivetrain.layout import Layout
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Shaft
from alegear.errors import Fault
from alegear.pictures.colours import COLOURS
from alegear.pictures.layout_parts import draw_bearing, draw_disks, name_bearings
from alegear.pictures.layout_sets import TEXT, draw_set_from_end, draw_set_from_side, entries, sets_of
from alegear.pictures.layout_sketch import Sketch
from alegear.pictures.names_apart import KEPT_FREE, move_apart
from alegear.pictures.picture_file import DPI, check_picture, write_figure
from alegear.pictures.titles import in_rpm
from alegear.results.planetary_shape import planetary_shapes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from alegear.case.case import Case
    from alegear.case.machine import MachineCase

Floats = NDArray[np.float64]

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
#: A torque is told in kN m from here on [N m].
KILO = 1e4
#: Lines across the face of a gear that show the hand of its teeth.
TEETH_DRAWN = 5


def write_layout(case: Case | MachineCase, path: Path) -> None:
    """Draw the layout of a case into a PNG file; it appears whole or not at all.

    Raises
    ------
    Fault
        If the file is no ``.png`` in an existing folder, or the case has no gears to draw.
    StorageFailure
        If it cannot be written.
    """
    from alegear.case.machine import MachineCase

    check_picture(path, "picture")
    layout = case.layout if isinstance(case, MachineCase) else layout_of_pair(case)
    if not has_places(layout):
        raise Fault("gears of the machine", 0, "at least 1 in a picture of its layout", "leave out --picture")
    write_figure(path, draw_layout(layout, case.title), DPI)


def has_places(layout: Layout) -> bool:
    """Whether a machine has gears whose places are known: on shafts, or of planetary sets, one where all only turns.

    Sets between bodies that only turn are all in one place.
    """
    sets = planetary_shapes(layout)
    return bool(layout.gears) or (len(sets) > 0 and bool(layout.shafts)) or len(sets) == 1


def layout_of_pair(case: Case) -> Layout:
    """Return the layout of the two gears of a case: on fixed axes, whatever supports and shafts they have."""
    pair, operation = case.pair, case.operation
    error = pair.alignment.axial_offset
    lead = 0 if operation.driver == "pinion" else 1
    way = -1.0 if lead == 1 else 1.0  # a drive turns its shaft about its direction: so the pinion runs positively
    gears = [
        ShaftGear(name=name, shaft=f"{name} shaft", at=at, gear=gear, material=material)
        for name, gear, material, at in zip(
            ("pinion", "wheel"), pair.gears, case.materials, (0.0, 0.0 - way * error), strict=True
        )
    ]
    torques = (operation.pinion_torque, operation.pinion_torque * pair.wheel.z / pair.pinion.z)
    speed = operation.pinion_speed
    if speed is not None and lead == 1:
        speed *= pair.pinion.z / pair.wheel.z
    return Layout(
        shafts=(
            Shaft(name="pinion shaft", fixed_axis=True),
            Shaft(name="wheel shaft", fixed_axis=True, position=(pair.a_w, 0.0, 0.0), direction=(0.0, 0.0, way)),
        ),
        gears=gears,
        meshes=(GearMesh(name="mesh", gears=("pinion", "wheel"), law=Rigid()),),
        drives=(Drive(name="drive", shaft=gears[lead].shaft, at=gears[lead].at, speed=speed),),
        loads=(TorqueLoad(name="load", shaft=gears[1 - lead].shaft, at=gears[1 - lead].at, torque=torques[1 - lead]),),
    )


def draw_layout(layout: Layout, title: str = "", width: float = WIDTH) -> Figure:
    """Draw a machine: a section along its shafts, and its pitch circles from the end, in mm.

    Parameters
    ----------
    layout : Layout
    title : str
    width : float [inch]
        Letters are as large in a narrow picture as in a wide one.
    """
    from matplotlib.figure import Figure

    sketch = Sketch(layout)
    # letters are not as wide at another resolution, and then stand on each other again
    figure = Figure(figsize=(width, LOWEST), layout="constrained", dpi=DPI)
    side, end = figure.subplots(1, 2)
    fixed = _draw_side(side, sketch)
    _draw_end(end, sketch)
    legend = figure.legend(
        *end.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=LETTERS, columnspacing=1.2
    )
    legend.set_frame_on(False)
    for text in legend.get_texts():
        text.set_parse_math(False)
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

    layout = sketch.layout
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
    for g, (name, one) in enumerate(layout.gears.items()):
        if one.shaft in sketch.shafts:
            _draw_gear(axes, sketch, name, COLOURS[g % len(COLOURS)])
    for planets in sets_of(sketch):
        draw_set_from_side(axes, planets)
    drawn = [bearing for bearing in layout.bearings if bearing.shaft in sketch.shafts]
    for bearing in drawn:
        draw_bearing(axes, sketch, bearing)
    name_bearings(axes, sketch, drawn)
    disks: list[Any] = [part for part in layout.parts if part.TABLE == "disks"]
    draw_disks(axes, sketch, [one for one in disks if one.shaft in sketch.shafts], drawn)
    drive_or_load: list[tuple[Drive | TorqueLoad, str]] = [(one, DRIVE) for one in layout.drives.values()]
    drive_or_load += [(one, LOAD) for one in layout.loads.values()]
    for part, colour in drive_or_load:
        if part.shaft in sketch.shafts:
            _draw_torque(axes, sketch, part, colour)
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    axes.margins(0.25 if drive_or_load else 0.15, 0.15)  # with room for what drives and loads tell beside the shafts
    axes.tick_params(labelsize=8)
    axes.set_xlabel(f"along the shafts in mm{_axis_name(sketch.along)}", fontsize=8.5)
    across = "across, unfolded: centre\ndistances are true, in mm" if sketch.is_unfolded else "across the shafts in mm"
    axes.set_ylabel(across, fontsize=8.5)
    axes.set_title("section along the shafts" + (" (unfolded)" if sketch.is_unfolded else ""), fontsize=8.5)
    words = [f"not drawn, not parallel: {', '.join(sketch.left_out)}"] if sketch.left_out else []
    turning = [f"{part.name} on {part.shaft}" for part, _ in drive_or_load if part.shaft not in layout.shafts]
    words += [f"on bodies that only turn: {', '.join(turning)}"] if turning else []
    if not words:
        return []
    note = axes.text(0.01, 0.01, "\n".join(words), transform=axes.transAxes, fontsize=LETTERS, parse_math=False)
    return [note]


def _draw_gear(axes: Axes, sketch: Sketch, name: str, colour: str) -> None:
    """A gear as the rectangle of its largest circle and its face, with lines in the direction of its teeth in front."""
    from matplotlib.patches import Rectangle

    one = sketch.layout.gears[name]
    gear, height, middle = one.gear, sketch.heights[one.shaft], sketch.position(one.shaft, one.at)
    outside = max(abs(gear.r_a), abs(gear.r_rim))
    corner = (MM * (middle - 0.5 * gear.b), MM * (height - outside))
    size = (MM * gear.b, 2.0 * MM * outside)
    axes.add_patch(Rectangle(corner, *size, facecolor=colour, alpha=0.3, edgecolor="none", zorder=3))
    axes.add_patch(Rectangle(corner, *size, facecolor="none", edgecolor=colour, linewidth=1.4, zorder=5))
    z = np.linspace(-0.5, 0.5, 2) * gear.b
    for offset in np.linspace(-0.7, 0.7, TEETH_DRAWN) * outside:
        line = height + offset - z * math.tan(gear.beta)  # turned by +twist z about the axis, in front it goes down
        axes.plot(MM * (middle + z), MM * line, color=colour, lw=0.7, alpha=0.8, zorder=4)
    hand = "" if not gear.beta else f"\n{abs(math.degrees(gear.beta)):.4g}° {'right' if gear.beta > 0.0 else 'left'}"
    text = f"{name}\nz = {gear.z}{hand}"
    box = {"facecolor": "white", "edgecolor": colour, "linewidth": 0.8, "alpha": 0.85, "pad": 1.0}
    place = (MM * middle, MM * (height + 0.62 * outside))
    axes.annotate(
        text, place, (0.0, 0.0), textcoords="offset points", ha="center", va="center", fontsize=LETTERS, bbox=box,
        zorder=9, parse_math=False,
    )  # fmt: skip


def _draw_torque(axes: Axes, sketch: Sketch, part: Drive | TorqueLoad, colour: str) -> None:
    """A drive or a load: a mark on the axis, and what it gives or takes."""
    layout = sketch.layout
    place = (MM * sketch.position(part.shaft, part.at), MM * sketch.heights[part.shaft])
    drive = layout.drive_of[part.shaft]
    speed = drive.largest_speed
    text = f"{part.name}: {_torque(layout.torque[part.name])}"
    if speed is not None:
        text += f"\n{in_rpm(abs(layout.ratio[part.shaft] * speed) / RPM)}"
    marker = ">" if isinstance(part, Drive) else "<"
    axes.plot(*place, marker, color=colour, markersize=10, markeredgecolor="white", zorder=10, gid=KEPT_FREE)
    low, high = (MM * end for end in sketch.ends(part.shaft))
    left = place[0] < 0.5 * (low + high) or (isinstance(part, Drive) and place[0] == 0.5 * (low + high))
    axes.annotate(
        text,
        place,
        xytext=(low if left else high, place[1] + 1.4 * MM * sketch.radius(part.shaft, part.at)),
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

    layout = sketch.layout
    for g, (name, one) in enumerate(layout.gears.items()):
        if one.shaft not in sketch.shafts:
            continue
        colour, centre = COLOURS[g % len(COLOURS)], MM * sketch.seen_from_end(one.shaft)
        for radius, label in ((one.gear.r_a, name), (one.gear.r_rim, None)):
            axes.add_patch(Circle(tuple(centre), MM * abs(radius), fill=False, ec=colour, lw=0.9, label=label))
        largest = MM * max(abs(one.gear.r_a), abs(one.gear.r_rim))
        axes.add_patch(Circle(tuple(centre), largest, facecolor=colour, alpha=0.12, ec="none"))
    for place in sketch.meshes:
        centres = [MM * sketch.seen_from_end(layout.gears[name].shaft) for name in place.mesh.gears]
        for name, centre, d_w in zip(place.mesh.gears, centres, place.pair.d_w, strict=True):
            colour = COLOURS[list(layout.gears).index(name) % len(COLOURS)]
            axes.add_patch(Circle(tuple(centre), 0.5 * MM * abs(float(d_w)), fill=False, ec=colour, lw=1.0, ls="-."))
        axes.plot(*zip(*centres, strict=True), color=LINE, lw=0.6, ls=":")
        part = 0.5 * float(place.pair.d_w[0]) / place.pair.a_w
        pitch_point = centres[0] + part * (centres[1] - centres[0])
        axes.plot(*pitch_point, "o", color="black", markersize=4)
        text = f"{place.mesh.name}: a = {MM * abs(place.pair.a_w):.6g}"
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
    axes.set_xlabel(f"in mm{_axis_name(right)}", fontsize=8.5)
    axes.set_ylabel(f"in mm{_axis_name(up)}", fontsize=8.5)
    axes.set_title("from the end: tip circles,\npitch circles (-.-), bores", fontsize=8.5)


def _name_shafts(axes: Axes, sketch: Sketch) -> None:
    """Name the shafts at their centres, with the sense in which each turns; coaxial ones share a text."""
    layout = sketch.layout
    told: list[tuple[Floats, list[str]]] = []
    for name, shaft in sketch.shafts.items():
        turns = layout.ratio[name] * float(shaft.axes[2] @ sketch.along)
        text = f"{name} {'↺' if turns > 0.0 else '↻'}"
        centre = MM * sketch.seen_from_end(name)
        for there, texts in told:
            if np.linalg.norm(there - centre) < 1.0:
                texts.append(text)
                break
        else:
            told.append((centre, [text]))
    for centre, texts in told:
        axes.plot(*centre, "+", color=LINE, markersize=7)
        axes.annotate(
            "\n".join(texts), tuple(centre), xytext=(0, -6), textcoords="offset points", ha="center", va="top",
            fontsize=LETTERS, parse_math=False, bbox=TEXT,
        )  # fmt: skip


def _axis_name(direction: Floats) -> str:
    """Name of an axis in space, where a direction is one."""
    for axis, unit in zip("xyz", np.eye(3), strict=True):
        for sign, word in ((1.0, ""), (-1.0, "-")):
            if float(np.abs(direction - sign * unit).max()) < 1e-9:
                return f" ({word}{axis})"
    return ""
