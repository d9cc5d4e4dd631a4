"""Plots of a machine: transmission errors and forces of its meshes, errors of its shafts, forces on its bearings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import new_figure
from alegear.pictures.legends import legend_beside
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.scales import plain, prefixed, show_constants_flat
from alegear.results.reading import abscissa, moves, over_lead

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curve = tuple[str, Array]

#: Colours go round with the next kind of line, so that more curves than colours stay apart.
STYLES = ("-", "--", ":")
#: Height of a page of panels [in]: with its margins an A4 sheet.
PAGE = 10.3
#: Least and largest height of a panel [in], and of a line of its legend.
LOWEST, HIGHEST, LINE = 1.15, 1.9, 0.165
STIFFNESS = "mesh stiffness\n[N/µm]"
#: Positions that can be told apart are marked.
MARKED = 80


def draw_machine(dataset: xr.Dataset) -> Figure:
    """Draw transmission errors, stiffness (static) or forces (dynamic) of meshes, errors of shafts, bearing forces.

    Of motions with torsional parts also speeds and friction torques.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc`` of a machine; over the rotation of the drive, of a motion over time. Values that are NaN
        are left out.
    """
    panels = [
        ("transmission\nerror about\nits mean [µm]", _transmission_errors(dataset)),
        (
            ("mesh force\n[kN]", list(_norms(dataset, "mesh_force", "mesh")))
            if moves(dataset)
            else (STIFFNESS, _meshes(dataset, "mesh_stiffness", 1e-6))
        ),
        _rotation_errors(dataset),
        ("bearing force\n[kN]", list(_norms(dataset, "bearing_force", "bearing"))),
        ("bearing force\nabout its\nmean [N]", list(_about_mean(dataset, "bearing_force", 1.0))),
        ("displacement\nof gears about\nits mean [µm]", list(_displacements(dataset))),
        *_of_planets(dataset),
        *_of_parts(dataset),
    ]
    drawn = [(label, curves) for label, curves in panels if curves]
    height = min(max(PAGE / max(len(drawn), 1), LOWEST), HIGHEST)
    heights = [max(height, LINE * len(curves)) for _, curves in drawn]
    figure, axes = new_figure(dataset, rows=len(drawn), height=sum(heights) + 0.7, height_ratios=heights, sharex=True)
    x, name = abscissa(dataset)
    for one, (label, curves) in zip(axes, drawn, strict=True):
        _draw(one, x, curves)
        one.set_ylabel(label, fontsize=9)
        one.tick_params(labelsize=9)
        if label == STIFFNESS:  # its variation is seen as what it is
            one.set_ylim(bottom=0.0)
    axes[-1].set_xlabel(name)
    return figure


def _draw(axes: Axes, x: Array, curves: Iterable[Curve]) -> None:
    styles = cycle((colour, style) for style in STYLES for colour in COLOURS)
    marker = "." if 1 < len(x) <= MARKED else ("o" if len(x) == 1 else "")
    for (text, values), (colour, style) in zip(curves, styles, strict=False):
        # what swings less lies above what swings more, which would hide it in a long motion
        above = 2.0 + 1.0 / (1.0 + float(np.nanmax(values) - np.nanmin(values)))
        axes.plot(x, values, style, color=colour, lw=1.2, marker=marker, markersize=4, zorder=above, label=text)
    axes.margins(x=0.0)
    axes.grid(alpha=0.3)
    show_constants_flat(axes)
    legend_beside(axes, fontsize=7.5, handlelength=1.6, labelspacing=0.3, borderpad=0.0, borderaxespad=0.0)


def _meshes(dataset: xr.Dataset, variable: str, factor: float) -> list[Curve]:
    """A curve of each mesh that has one."""
    found = []
    for name in dataset["mesh"].to_numpy():
        values = factor * dataset[variable].sel(mesh=name).to_numpy()
        if np.isfinite(values).any():
            found.append((f"{name}, mean {plain(float(np.nanmean(values)))}", values))
    return found


def _transmission_errors(dataset: xr.Dataset) -> list[Curve]:
    """Errors of all meshes about their means [um], which are far apart."""
    found = []
    for name in dataset["mesh"].to_numpy():
        values = 1e6 * dataset["transmission_error"].sel(mesh=name).to_numpy()
        if np.isfinite(values).any():
            mean, most = float(np.nanmean(values)), float(np.nanmax(values) - np.nanmin(values))
            found.append((f"{name}, mean {plain(mean)}, p-p {plain(most, 3)}", values - mean))
    return found


def _norms(dataset: xr.Dataset, variable: str, dim: str) -> Iterable[Curve]:
    """Magnitudes of forces [kN]."""
    for name in dataset[dim].to_numpy():
        values = 1e-3 * np.linalg.norm(dataset[variable].sel({dim: name}).to_numpy(), axis=1)
        yield f"{name}, mean {plain(float(values.mean()), 3)}", values


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


def _liveliest(name: str, vector: Array, dataset: xr.Dataset) -> Curve:
    """The component of a vector (n, 3) that changes most, about its mean."""
    axis = int(np.argmax(np.ptp(vector, axis=0))) if len(vector) else 0
    values = vector[:, axis]
    size = float(np.ptp(values)) if len(values) else 0.0
    words = f"{name} {dataset['axis'].to_numpy()[axis]}, mean {plain(float(values.mean()), 3)}, p-p {plain(size, 3)}"
    return words, values - values.mean()


def _of_planets(dataset: xr.Dataset) -> Iterable[tuple[str, list[Curve]]]:
    """Mesh forces and load shares of planets, of back flanks negative, and how far pins give way."""
    if "planet_mesh_force" not in dataset:
        return
    names = dataset["planet_mesh"].to_numpy()
    forces = {}
    for name in names:
        force, share = (dataset[of].sel(planet_mesh=name).to_numpy() for of in ("planet_mesh_force", "load_share"))
        forces[name] = 1e-3 * np.where(share < 0.0, -1.0, 1.0) * np.abs(force)
    yield (
        "planets' mesh\nforce [kN]",
        [(f"{name}, mean {plain(float(one.mean()))}", one) for name, one in forces.items()],
    )
    yield "load share\nof planets", list(_curves(dataset, "load_share", "planet_mesh"))
    moved = dataset["planet_displacement"]
    pins = {str(name): moved.sel(planet=name).to_numpy() for name in dataset["planet"].to_numpy()}
    if any(np.any(one) for one in pins.values()):  # else pins hold them
        yield "planets against\ntheir pins [µm]", [(name, 1e6 * np.linalg.norm(p, axis=1)) for name, p in pins.items()]


def _of_parts(dataset: xr.Dataset) -> Iterable[tuple[str, list[Curve]]]:
    """Speeds of shafts and bodies, and friction torques, of a motion with torsional parts."""
    if "body_speed" in dataset or "friction_torque" in dataset:
        speeds = [*_curves(dataset, "speed", "shaft", 30.0 / pi)]
        if "body_speed" in dataset:
            speeds += _curves(dataset, "body_speed", "body", 30.0 / pi)
        yield "speed\n[rpm]", speeds
    if "friction_torque" in dataset:
        yield "friction torque\n[N m]", list(_curves(dataset, "friction_torque", "switch"))


def _curves(dataset: xr.Dataset, variable: str, dim: str, factor: float = 1.0) -> Iterable[Curve]:
    """A curve of each name."""
    for name in dataset[dim].to_numpy():
        yield str(name), factor * dataset[variable].sel({dim: name}).to_numpy()


def _rotation_errors(dataset: xr.Dataset) -> tuple[str, list[Curve]]:
    """Errors of the shafts that have any, about their means, in the unit that the largest asks for."""
    errors = {str(name): dataset["rotation_error"].sel(shaft=name).to_numpy() for name in dataset["shaft"].to_numpy()}
    errors = {name: values for name, values in errors.items() if np.isfinite(values).any() and np.any(values)}
    factor, unit = prefixed(
        max((float(np.nanmax(values) - np.nanmin(values)) for values in errors.values()), default=0.0), "rad"
    )
    curves = []
    for name, values in errors.items():
        mean = factor * float(values.mean())
        size = plain(factor * float(np.ptp(values)), 3)
        curves.append((f"{name}, mean {plain(mean)}, p-p {size}", factor * values - mean))
    return f"shaft rotation\nerror about\nits mean [{unit}]", curves


def _holds(dataset: xr.Dataset) -> bool:
    return over_lead(dataset, "rotation_error", ndim=2) and "transmission_error" in dataset and "mesh" in dataset.dims


PICTURE = Picture(
    name="machine",
    heading="Shafts and meshes",
    order=220,
    holds=of_dataset(_holds),
    draw=of_dataset(draw_machine),
    caption=lambda result: (
        "Transmission errors and forces of the meshes, rotation errors of the shafts, forces on the bearings and "
        "displacements; of bearings and gears about their means the component that changes most"
    ),
)
