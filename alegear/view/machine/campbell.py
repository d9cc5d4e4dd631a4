"""Campbell diagram of a machine: natural frequencies over the speed of its drive, with the orders of its meshes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from alegear.view.colours import COLOURS
from alegear.view.pair.campbell import BEYOND, FAINT, FAINT_COLOUR, Name, mark, merged, percent, write_names
from alegear.view.titles import title_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Orders of each mesh, and how they are drawn.
ORDERS = (1, 2, 3)
STYLES = ("-", "--", ":")
#: Height of the diagram over the highest mode.
ROOM = 1.08


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
    turning = "turning_frequency" in dataset
    frequency = dataset["turning_frequency" if turning else "frequency"].to_numpy()
    share = dataset["turning_energy_share" if turning else "energy_share"].to_numpy()
    of_meshes = np.isin(dataset["part"].to_numpy().astype(str), list(meshes))
    in_mesh = share[:, of_meshes].sum(axis=1)
    end, top = BEYOND * rpm, ROOM * float(frequency.max(initial=0.0))
    names = []
    for mode, part in zip(frequency.tolist(), in_mesh.tolist(), strict=True):
        faint = part < FAINT
        colour = FAINT_COLOUR if faint else "black"
        axes.axhline(1e-3 * mode, color=colour, linewidth=0.8 if faint else 1.3)
        met = [rpm * mode / (order * of_mesh) for of_mesh in meshes.values() for order in ORDERS]
        mark(axes, met, mode, end, colour)
        names.append(Name(mode, "", percent(part), colour))
    _draw_orders(axes, meshes, rpm, (end, top))
    write_names(axes, merged(names), top)
    axes.axvspan(0.0, rpm, color="#E69F00", alpha=0.08, lw=0.0, label=f"speeds up to {rpm:.4g} rpm, of the case")
    axes.axvline(rpm, color="#E69F00", linewidth=1.2)
    axes.set(xlim=(0.0, end), ylim=(0.0, 1e-3 * top), xlabel="speed of the drive [rpm]", ylabel="frequency [kHz]")
    axes.grid(True, color="0.93")
    kinds = {"black": "mode, share of its energy in the meshes", FAINT_COLOUR: f"with less than {100 * FAINT:.0f} %"}
    for colour, label in kinds.items():
        if any(name.colour == colour for name in names):
            axes.plot([], [], color=colour, label=label)
    axes.plot([], [], "o", color="0.4", markersize=4, label="order meets mode")
    legend = figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8, frameon=False
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure


def _draw_orders(axes: Axes, meshes: Mapping[str, float], rpm: float, ranges: tuple[float, float]) -> None:
    """Draw the orders of each mesh as far as the diagram goes."""
    end, top = ranges
    for k, (name, of_mesh) in enumerate(meshes.items()):
        for order, style in zip(ORDERS, STYLES, strict=True):
            reached = min(end, top * rpm / (order * of_mesh))
            line = [0.0, 1e-3 * order * of_mesh * reached / rpm]
            label = f"order {order} of {name}"
            axes.plot([0.0, reached], line, style, color=COLOURS[k % len(COLOURS)], linewidth=1.1, label=label)
