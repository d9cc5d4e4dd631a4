"""Response over the speed: transmission error, its orders, dynamic factors, there and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.view.colours import COLOURS

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

WAYS = ((1.0, "there", "#0072B2"), (-1.0, "back", "#D55E00"))  # of Okabe and Ito, as in the other plots
LINES = {0.5: ":", 1.0: "-", 2.0: "--", 3.0: "-."}


def draw_sweep(dataset: xr.Dataset) -> Figure:
    """Draw root mean square, orders and dynamic factors over the mesh frequency."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 9.0), layout="constrained")
    upper, middle, lower = figure.subplots(3, 1, sharex=True)
    figure.suptitle(str(dataset.attrs.get("title", "")))
    for sign, name, color in WAYS:
        here = np.flatnonzero(dataset.way.values == sign)
        if not here.size:
            continue
        part = dataset.isel(point=here)
        frequency = part.mesh_frequency.values
        upper.plot(frequency, 1e6 * part.transmission_error_rms, color=color, label=name)
        for order in part.order.values:
            amplitude = 1e6 * part.transmission_error_order.sel(order=order)
            middle.plot(frequency, amplitude, color=color, linestyle=LINES[float(order)], label=f"{name}, {order:g}")
        lower.plot(frequency, part.tooth_load_factor, color=color, label=f"{name}, tooth load")
        stress = part.root_stress_factor.max("gear")
        lower.plot(frequency, stress, color=color, linestyle="--", label=f"{name}, root stress")
    upper.set_ylabel("transmission error,\nr.m.s. [µm]")
    middle.set_ylabel("its mesh orders [µm]")
    lower.set(xlabel="mesh frequency [Hz]", ylabel="largest in motion\nover largest at rest")
    for axes in (upper, middle, lower):
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="small", ncols=2)
    return figure


def draw_machine_sweep(dataset: xr.Dataset) -> Figure:
    """Draw rotation errors of shafts and forces of meshes and bearings over the speed of the drive."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 9.0), layout="constrained")
    figure.suptitle(str(dataset.attrs.get("title", "")), parse_math=False)
    panels = (
        ("rotation error,\nr.m.s. [µrad]", "rotation_error_rms", "shaft", 1e6),
        ("largest contact force [kN]", "mesh_force_max", "mesh", 1e-3),
        ("largest force on bearing [kN]", "bearing_force_max", "bearing", 1e-3),
    )
    for axes, (label, variable, dim, factor) in zip(figure.subplots(3, 1, sharex=True), panels, strict=True):
        names = [name for name in dataset[dim].values if np.any(dataset[variable].sel({dim: name}).values > 0.0)]
        for number, name in enumerate(names):
            for sign, way, _ in WAYS:
                part = dataset.isel(point=np.flatnonzero(dataset.way.values == sign))
                if part.sizes["point"]:
                    speed = part.drive_speed.values * 30.0 / np.pi
                    line = "-" if sign > 0.0 else "--"
                    values = factor * part[variable].sel({dim: name}).values
                    axes.plot(speed, values, line, color=COLOURS[number % len(COLOURS)], label=f"{name}, {way}")
        axes.set_ylabel(label)
        axes.grid(alpha=0.3)
        if names:
            axes.legend(fontsize="small", ncols=2)
    axes.set_xlabel("speed of the drive [rpm]")
    return figure
