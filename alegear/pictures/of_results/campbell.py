"""Campbell diagram: natural frequencies over the speed, with the orders of the mesh that excite them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from alegear.pictures.titles import in_rpm, title_of
from alegear.results.campbell import MESH_ORDERS, CampbellDiagram, Mode, merged, name_of, pair_diagram

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FAINT_COLOUR = "0.75"
#: Colours of the kinds of modes.
COLOURS = {"mesh": "black", "faint": FAINT_COLOUR, "pinion": "#0072B2", "wheel": "#D55E00"}
#: Widths of their lines.
WIDTHS = {"mesh": 1.3, "faint": 0.8, "pinion": 1.0, "wheel": 1.0}
LINE_HEIGHT = 0.036  # of the diagram: distance of names


def draw_campbell(dataset: xr.Dataset) -> Figure:
    """Draw the modes of pair and wheels over the speed of the pinion.

    The dots are where orders of the mesh meet the modes, of a wheel with a nodal diameter a little beside their lines.
    Modes of the pair with little of their energy in the mesh are faint, for the mesh hardly excites them. Lines that
    fall on each other are one. Speeds up to that of the case are shaded.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 5.8), layout="constrained")
    axes = figure.subplots()
    title_of(figure, dataset)
    diagram = pair_diagram(dataset)
    _draw_orders(axes, diagram)
    draw_modes(axes, diagram)
    axes.set_ylabel("frequency [kHz]" + (", of wheels in their own frame" if diagram.of_wheels else ""))
    label = "order meets mode" + (", wave with or against the wheel" if diagram.of_wheels else "")
    axes.plot([], [], "o", color="0.4", markersize=4, label=label)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8, frameon=False)
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


def spread(places: Sequence[float], least: float, top: float) -> list[float]:
    """Return places in rising order moved apart to a least distance, as little as may be, and none above `top`."""
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + least) if found else place)
    limit = top
    for k in reversed(range(len(found))):
        found[k] = min(found[k], limit)
        limit = found[k] - least
    return found


def write_names(axes: Axes, modes: Sequence[Mode], top: float) -> None:
    """Write names on the right of the diagram, apart from each other and tied to their lines."""
    least = min(LINE_HEIGHT, 1.0 / max(len(modes), 1)) * top
    for mode, place in zip(modes, spread([one.frequency for one in modes], least, top), strict=True):
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
    """Draw the orders of the mesh; their names stand on them, where they leave the diagram."""
    (per_rpm,) = diagram.orders.values()
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
    axes.plot([], [], color="0.5", linewidth=1.0, linestyle="--", label="orders of the mesh frequency f")
