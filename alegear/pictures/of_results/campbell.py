"""Campbell diagram: natural frequencies over the speed, with the orders of the meshes that excite them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures import colours
from alegear.pictures.labels import spread
from alegear.pictures.legends import legend_below
from alegear.pictures.picture import Picture
from alegear.pictures.titles import in_rpm, words
from alegear.results.campbell import (
    MESH_ORDERS,
    CampbellDiagram,
    ModeLine,
    machine_diagram,
    merged,
    name_of,
    pair_diagram,
)
from alegear.results.reading import has
from alegear.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FAINT_COLOUR = "0.75"
#: Colours of the kinds of modes.
COLOURS = {"mesh": "black", "faint": FAINT_COLOUR, "pinion": "#0072B2", "wheel": "#D55E00"}
#: Colours of the orders of several meshes, and how each order is drawn.
MESHES, STYLES = colours.COLOURS, ("-", "--", ":")
#: Widths of their lines.
WIDTHS = {"mesh": 1.3, "faint": 0.8, "pinion": 1.0, "wheel": 1.0}
LINE_HEIGHT = 0.036  # of the diagram: distance of names


def draw_campbell(diagram: CampbellDiagram, title: str = "") -> Figure:
    """Draw natural frequencies over the speed of the pinion, or of the drive of a machine.

    The dots are where orders of the meshes meet the modes, of a wheel with a nodal diameter a little beside their
    lines. Modes with little of their energy in the meshes are faint, for the meshes hardly excite them. Lines that fall
    on each other are one. Speeds up to that of the case are shaded.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 5.8), layout="constrained")
    axes = figure.subplots()
    figure.suptitle(title, fontsize=10, parse_math=False)
    if len(diagram.orders) == 1:
        _draw_orders(axes, diagram)
    else:
        _draw_orders_of_meshes(axes, diagram)
    draw_modes(axes, diagram)
    axes.set_ylabel("frequency [kHz]" + (", of wheels in their own frame" if diagram.of_wheels else ""))
    label = "order meets mode" + (", wave with or against the wheel" if diagram.of_wheels else "")
    axes.plot([], [], "o", color="0.4", markersize=4, label=label)
    legend_below(figure, axes.get_legend_handles_labels(), 2 if len(diagram.orders) == 1 else 3)
    return figure


def draw_modes(axes: Axes, diagram: CampbellDiagram) -> None:
    """Draw the modes with their names and dots where they are met, shade the speeds of the case, and set the axes."""
    for mode in diagram.modes:
        colour = COLOURS[mode.kind]
        axes.axhline(1e-3 * mode.frequency, color=colour, linewidth=WIDTHS[mode.kind])
        axes.plot(mode.met, [1e-3 * mode.frequency] * len(mode.met), "o", color=colour, markersize=4)
    write_names(axes, merged(diagram.modes), diagram.top)
    if diagram.rpm is not None:
        label = f"speeds up to {in_rpm(diagram.rpm)}, of the case"
        axes.axvspan(0.0, diagram.rpm, color="#E69F00", alpha=0.08, linewidth=0.0, label=label)
        axes.axvline(diagram.rpm, color="#E69F00", linewidth=1.2)
    axes.set(xlim=(0.0, diagram.end), ylim=(0.0, 1e-3 * diagram.top))
    axes.set_xlabel(f"speed of the {diagram.speed_of} [rpm]")
    axes.grid(True, color="0.93")
    for kind, label in diagram.kinds.items():
        axes.plot([], [], color=COLOURS[kind], label=label)


def write_names(axes: Axes, modes: Sequence[ModeLine], top: float) -> None:
    """Write names on the right of the diagram, apart from each other and tied to their lines."""
    least = min(LINE_HEIGHT, 1.0 / max(len(modes), 1)) * top
    places = spread(np.array([one.frequency for one in modes]), least, 0.0, top)
    for mode, place in zip(modes, places.tolist(), strict=True):
        axes.annotate(
            name_of(mode),
            (1.0, 1e-3 * mode.frequency),
            (1.03, 1e-3 * place),
            xycoords=("axes fraction", "data"),
            textcoords=("axes fraction", "data"),
            fontsize=8,
            color=COLOURS[mode.kind] if mode.kind != "faint" else "0.5",
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": COLOURS[mode.kind],
                "linewidth": 0.6,
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0.0, 0.5),  # ends before the text
            },
        )


def _draw_orders(axes: Axes, diagram: CampbellDiagram) -> None:
    """Draw the orders of one mesh; their names stand on them, where they leave the diagram."""
    ((name, per_rpm),) = diagram.orders.items()
    for order in MESH_ORDERS:
        end = min(diagram.end, diagram.top / (order * per_rpm))
        axes.plot([0.0, end], [0.0, 1e-3 * order * per_rpm * end], color="0.5", linewidth=1.0, linestyle="--")
        axes.annotate(
            f"{order} f",
            (0.96 * end, 1e-3 * order * per_rpm * 0.96 * end),
            fontsize=8,
            color="0.3",
            ha="center",
            va="center",
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"},
        )
    axes.plot([], [], color="0.5", linewidth=1.0, linestyle="--", label=f"orders of the mesh frequency f{_of(name)}")


def _of(name: str) -> str:
    """Name of a mesh behind what it has; that of a pair has none."""
    return f" of {name}" if name not in ("", "mesh") else ""


def _draw_orders_of_meshes(axes: Axes, diagram: CampbellDiagram) -> None:
    """Draw the orders of each mesh as far as the diagram goes, a colour a mesh."""
    for k, (name, per_rpm) in enumerate(diagram.orders.items()):
        for order, style in zip(MESH_ORDERS, STYLES, strict=True):
            reached = min(diagram.end, diagram.top / (order * per_rpm))
            line = [0.0, 1e-3 * order * per_rpm * reached]
            label = f"order {order} of {name}"
            axes.plot([0.0, reached], line, style, color=MESHES[k % len(MESHES)], linewidth=1.1, label=label)


def diagram_of(result: Result) -> CampbellDiagram | None:
    """The diagram of a pair, or of a machine whose case has a speed; None of other results."""
    dataset = result.dataset
    if has(dataset, "pair_frequency"):
        return pair_diagram(dataset)
    rpm, meshes = result.record.drive_speed(), result.record.mesh_frequencies()
    if not has(dataset, "frequency", "energy_share") or rpm is None or not meshes:
        return None
    return machine_diagram(dataset, rpm, meshes)


def _draw(result: Result) -> Figure:
    diagram = diagram_of(result)
    assert diagram is not None  # the picture holds
    return draw_campbell(diagram, words(result.dataset))


PICTURE = Picture(
    name="campbell",
    heading="Natural vibrations",
    order=401,
    holds=lambda result: diagram_of(result) is not None,
    draw=_draw,
    caption=lambda result: (
        "Campbell diagram: natural frequencies, faint those with little energy in the mesh, and orders of the mesh"
    ),
)
