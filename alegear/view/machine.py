"""Plots of a machine: transmission errors of its meshes and shafts, forces on its bearings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


def draw_machine(dataset: xr.Dataset) -> Figure:
    """Draw transmission errors of meshes, rotation errors of shafts, forces of bearings over the drive's rotation."""
    from matplotlib.figure import Figure

    angle = np.degrees(dataset["drive_angle"].to_numpy())
    has_bearings = dataset.sizes["bearing"] > 0
    figure = Figure(figsize=(7.0, 7.5 if has_bearings else 5.0), layout="constrained")
    axes = figure.subplots(3 if has_bearings else 2, 1, sharex=True, squeeze=False)[:, 0]
    for name in dataset["mesh"].to_numpy():
        axes[0].plot(angle, 1e6 * dataset["transmission_error"].sel(mesh=name), label=str(name))
    axes[0].set_ylabel("transmission error of meshes in um")
    for name in dataset["shaft"].to_numpy():
        error = dataset["rotation_error"].sel(shaft=name).to_numpy()
        if np.any(error):
            axes[1].plot(angle, 1e6 * (error - error.mean()), label=f"{name}, mean {1e6 * error.mean():.4g}")
    axes[1].set_ylabel("rotation error of shafts\nabout its mean in urad")
    if has_bearings:
        for name in dataset["bearing"].to_numpy():
            force = np.linalg.norm(dataset["bearing_force"].sel(bearing=name).to_numpy(), axis=1)
            axes[2].plot(angle, 1e-3 * force, label=str(name))
        axes[2].set_ylabel("force on bearings in kN")
    axes[-1].set_xlabel("rotation of the drive in degrees")
    for one in axes:
        one.grid(alpha=0.3)
        if one.lines:
            one.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_machine_modes(dataset: xr.Dataset) -> Figure:
    """Draw the natural frequencies, and in which parts their energy of deformation is."""
    from matplotlib.figure import Figure

    modes = dataset["mode"].to_numpy()
    share = dataset["energy_share"].to_numpy()
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.0, 2.0))
    above.bar(modes, 1e-3 * dataset["frequency"].to_numpy(), color="0.6")
    above.set_ylabel("natural frequency in kHz")
    bottom = np.zeros(len(modes))
    # what never takes a tenth of a mode is put together
    large = np.flatnonzero(share.max(axis=0) >= 0.1)
    for number, part in enumerate(large):
        hatch = "" if number < 10 else "///"  # the colours come round
        below.bar(modes, share[:, part], bottom=bottom, label=str(dataset["part"].to_numpy()[part]), hatch=hatch)
        bottom += share[:, part]
    below.bar(modes, 1.0 - bottom, bottom=bottom, color="0.85", label="others")
    below.set_ylabel("share of the energy of deformation")
    below.set_xlabel("mode")
    below.set_ylim(0.0, 1.0)
    below.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
