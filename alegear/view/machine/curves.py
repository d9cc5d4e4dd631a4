"""Plots of a machine: transmission errors and forces of its meshes, errors of its shafts, forces on its bearings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from math import pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.view.colours import COLOURS
from alegear.view.scales import show_constants_flat

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Curve = tuple[str, Floats]

#: Colours go round with the next kind of line, so that more curves than colours stay apart.
STYLES = ("-", "--", ":")
#: Width of the figure and height of a panel [in], and curves that a panel of that height has room to name.
WIDTH, HEIGHT, ENTRIES = 7.4, 2.3, 6


def draw_machine(dataset: xr.Dataset) -> Figure:
    """Draw transmission errors, stiffness (static) or forces (dynamic) of meshes, errors of shafts, bearing forces.

    Of motions with parts that only turn also speeds and friction torques.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc`` of a machine; over the rotation of the drive, of a motion over time. Values that are NaN
        are left out.
    """
    from matplotlib.figure import Figure

    moves = "time" in dataset.dims
    panels = [
        ("transmission error of meshes\nabout its mean in µm", _transmission_errors(dataset)),
        (
            ("contact force of meshes\nin kN", list(_norms(dataset, "mesh_force", "mesh")))
            if moves
            else ("mesh stiffness\nin N/µm", _meshes(dataset, "mesh_stiffness", 1e-6))
        ),
        ("rotation error of shafts\nabout its mean in µrad", list(_rotation_errors(dataset))),
        ("force of shafts on bearings\nin kN", list(_norms(dataset, "bearing_force", "bearing"))),
        ("force of shafts on bearings\nabout its mean in N", list(_about_mean(dataset, "bearing_force", 1.0))),
        ("displacement of gears\nabout its mean in µm", list(_displacements(dataset))),
        *_of_planets(dataset),
        *_of_parts(dataset),
    ]
    drawn = [(label, curves) for label, curves in panels if curves]
    heights = [HEIGHT * max(1.0, len(curves) / ENTRIES) for _, curves in drawn]
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.5), layout="constrained")
    if moves:
        x, name = 1e3 * dataset["time"].to_numpy(), "time in ms"
    else:
        x, name = np.degrees(dataset["drive_angle"].to_numpy()), "rotation of the drive in degrees"
    axes = figure.subplots(len(drawn), 1, squeeze=False, height_ratios=heights).ravel()
    for one, (label, curves) in zip(axes, drawn, strict=True):
        _draw(one, x, curves)
        one.set_ylabel(label)
        one.set_xlabel(name)
    figure.suptitle(str(dataset.attrs.get("title", "")), fontsize="medium", parse_math=False)
    return figure


def _draw(axes: Axes, x: Floats, curves: Iterable[Curve]) -> None:
    styles = cycle((colour, style) for style in STYLES for colour in COLOURS)
    texts = []
    for (text, values), (colour, style) in zip(curves, styles, strict=False):
        axes.plot(x, values, style, color=colour, lw=1.3, marker="o" if len(x) == 1 else None)
        texts.append(text)
    axes.margins(x=0.0)
    axes.grid(alpha=0.3)
    show_constants_flat(axes)
    legend = axes.legend(axes.lines, texts, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    legend.set_frame_on(False)
    for name in legend.get_texts():
        name.set_parse_math(False)


def _meshes(dataset: xr.Dataset, variable: str, factor: float) -> list[Curve]:
    """A curve of each mesh that has one."""
    found = []
    for name in dataset["mesh"].to_numpy():
        values = factor * dataset[variable].sel(mesh=name).to_numpy()
        if np.isfinite(values).any():
            found.append((f"{name}, mean {np.nanmean(values):.4g}", values))
    return found


def _transmission_errors(dataset: xr.Dataset) -> list[Curve]:
    """Errors of all meshes about their means [um], which are far apart."""
    found = []
    for name in dataset["mesh"].to_numpy():
        values = 1e6 * dataset["transmission_error"].sel(mesh=name).to_numpy()
        if np.isfinite(values).any():
            mean, most = float(np.nanmean(values)), float(np.nanmax(values) - np.nanmin(values))
            found.append((f"{name}, mean {mean:.4g}\npeak to peak {most:.3g}", values - mean))
    return found


def _norms(dataset: xr.Dataset, variable: str, dim: str) -> Iterable[Curve]:
    """Magnitudes of forces [kN]."""
    for name in dataset[dim].to_numpy():
        values = 1e-3 * np.linalg.norm(dataset[variable].sel({dim: name}).to_numpy(), axis=1)
        yield f"{name}, mean {values.mean():.3g}", values


def _about_mean(dataset: xr.Dataset, variable: str, factor: float) -> Iterable[Curve]:
    """Of each bearing the component that changes most, about its mean."""
    for name in dataset["bearing"].to_numpy():
        yield _liveliest(str(name), factor * dataset[variable].sel(bearing=name).to_numpy(), dataset)


def _displacements(dataset: xr.Dataset) -> Iterable[Curve]:
    """Of each gear that is displaced the component that changes most, about its mean [um]."""
    if "gear_place" not in dataset:
        return
    for gear, place in zip(dataset["gear"].to_numpy(), dataset["gear_place"].to_numpy(), strict=True):
        moved = 1e6 * dataset["displacement"].sel(place=str(place)).to_numpy()
        if np.any(moved):
            yield _liveliest(str(gear), moved, dataset)


def _liveliest(name: str, vector: Floats, dataset: xr.Dataset) -> Curve:
    """The component of a vector (n, 3) that changes most, about its mean."""
    axis = int(np.argmax(np.ptp(vector, axis=0))) if len(vector) else 0
    values = vector[:, axis]
    size = float(np.ptp(values)) if len(values) else 0.0
    words = f"{name} {dataset['axis'].to_numpy()[axis]}, mean {values.mean():.3g}\npeak to peak {size:.3g}"
    return words, values - values.mean()


def _of_planets(dataset: xr.Dataset) -> Iterable[tuple[str, list[Curve]]]:
    """Mesh forces and load shares of planets, and how far pins give way."""
    if "planet_mesh_force" not in dataset:
        return
    names = dataset["planet_mesh"].to_numpy()
    forces = {name: 1e-3 * np.abs(dataset["planet_mesh_force"].sel(planet_mesh=name).to_numpy()) for name in names}
    yield "force of planets' meshes\nin kN", [(f"{name}, mean {one.mean():.4g}", one) for name, one in forces.items()]
    yield "load share of planets", list(_curves(dataset, "load_share", "planet_mesh"))
    moved = dataset["planet_displacement"]
    pins = {str(name): moved.sel(planet=name).to_numpy() for name in dataset["planet"].to_numpy()}
    if any(np.any(one) for one in pins.values()):  # else pins hold them
        yield "planets against their pins\nin µm", [(name, 1e6 * np.linalg.norm(p, axis=1)) for name, p in pins.items()]


def _of_parts(dataset: xr.Dataset) -> Iterable[tuple[str, list[Curve]]]:
    """Speeds of shafts and bodies, and friction torques, of a motion with parts that only turn."""
    if "body_speed" in dataset or "friction_torque" in dataset:
        speeds = [*_curves(dataset, "speed", "shaft", 30.0 / pi)]
        if "body_speed" in dataset:
            speeds += _curves(dataset, "body_speed", "body", 30.0 / pi)
        yield "speed in rpm", speeds
    if "friction_torque" in dataset:
        yield "friction torque in N m", list(_curves(dataset, "friction_torque", "switch"))


def _curves(dataset: xr.Dataset, variable: str, dim: str, factor: float = 1.0) -> Iterable[Curve]:
    """A curve of each name."""
    for name in dataset[dim].to_numpy():
        yield str(name), factor * dataset[variable].sel({dim: name}).to_numpy()


def _rotation_errors(dataset: xr.Dataset) -> Iterable[Curve]:
    """Errors of the shafts that have any, about their means [microrad]."""
    for name in dataset["shaft"].to_numpy():
        values = 1e6 * dataset["rotation_error"].sel(shaft=name).to_numpy()
        if np.isfinite(values).any() and np.any(values):
            yield f"{name}, mean {values.mean():.4g}", values - values.mean()


def draw_machine_modes(dataset: xr.Dataset) -> Figure:
    """Draw the natural frequencies, and in which parts their energy of deformation is."""
    from matplotlib.figure import Figure

    modes = dataset["mode"].to_numpy()
    share = dataset["energy_share"].to_numpy()
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.0, 2.0))
    _draw_frequencies(above, dataset, modes)
    figure.suptitle(str(dataset.attrs.get("title", "")), fontsize="medium", parse_math=False)
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


def _draw_frequencies(axes: Axes, dataset: xr.Dataset, modes: NDArray[np.int64]) -> None:
    """Natural frequencies as bars, of planetary sets in the colours of the kinds of their modes."""
    from matplotlib.ticker import MaxNLocator

    frequency = 1e-3 * dataset["frequency"].to_numpy()
    kinds = np.full(len(modes), "")
    if "kind" in dataset:
        kinds = np.array([" / ".join(dict.fromkeys(row)) for row in dataset["kind"].to_numpy().astype(str)])
    told = list(dict.fromkeys(kinds.tolist()))
    for number, kind in enumerate(told):
        own = kinds == kind
        colour = COLOURS[number % len(COLOURS)] if kind else "0.6"
        axes.bar(modes[own], frequency[own], color=colour, label=kind or None)
    axes.set_ylabel("natural frequency in kHz")
    axes.grid(axis="y", alpha=0.3)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if any(told):
        axes.legend(
            fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), title="kind of mode", title_fontsize="small"
        )
