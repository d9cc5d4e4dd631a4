"""Campbell diagram of a machine: natural frequencies over the speed of its drive, with the orders of its meshes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from alegear.pictures.colours import COLOURS
from alegear.pictures.of_results.campbell import draw_modes
from alegear.pictures.titles import title_of
from alegear.results.campbell import MESH_ORDERS, CampbellDiagram, machine_diagram

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: How the orders of each mesh are drawn.
STYLES = ("-", "--", ":")


def draw_machine_campbell(dataset: xr.Dataset, rpm: float, meshes: Mapping[str, float]) -> Figure:
    """Draw the modes of a machine over the speed of its drive, and where the orders of its meshes meet them.

    The modes are those at the speed of the case, and do not change with the speed here. Modes with little of their
    energy in the meshes are faint, for the meshes hardly excite them. Speeds up to that of the case are shaded.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc`` of a modal study.
    rpm : float [rpm]
        Speed of the drive in the case, positive.
    meshes : mapping of str to float [Hz]
        Mesh frequencies at that speed.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 5.8), layout="constrained")
    axes = figure.subplots()
    title_of(figure, dataset)
    diagram = machine_diagram(dataset, rpm, meshes)
    _draw_orders(axes, diagram)
    draw_modes(axes, diagram)
    axes.set_ylabel("frequency [kHz]")
    axes.plot([], [], "o", color="0.4", markersize=4, label="order meets mode")
    legend = figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8, frameon=False
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure


def _draw_orders(axes: Axes, diagram: CampbellDiagram) -> None:
    """Draw the orders of each mesh as far as the diagram goes."""
    for k, (name, per_rpm) in enumerate(diagram.orders.items()):
        for order, style in zip(MESH_ORDERS, STYLES, strict=True):
            reached = min(diagram.end, diagram.top / (order * per_rpm))
            line = [0.0, 1e-3 * order * per_rpm * reached]
            label = f"order {order} of {name}"
            axes.plot([0.0, reached], line, style, color=COLOURS[k % len(COLOURS)], linewidth=1.1, label=label)
