"""Response over the speed: orders of the mesh as lines in dB, of motion and linearised response, dynamic factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import new_figure
from alegear.pictures.legends import legend_in_columns
from alegear.pictures.mode_marks import AROUND, mark_modes
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.speed_orders import (
    DIRECTIONS,
    RPM,
    draw_orders_of,
    has_bearing_orders,
    legend_of_kinds,
    loudest,
    loudest_first,
    of_orders,
    speeds_of,
)
from alegear.pictures.titles import first_gear
from alegear.results.linear_response import met_modes
from alegear.results.reading import has, labels

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Height of a panel and of a page of them [in].
HEIGHT, PAGE = 2.7, 12.0
#: Shafts or bearings with a curve each, at most.
MOST_NAMES = 6
#: Meshes that are drawn, at most.
MOST_MESHES = 6


def draw_sweep(dataset: xr.Dataset) -> Figure:
    """Draw a pair: orders of its transmission error, of the forces on what holds it, and dynamic factors.

    The gears of a mesh of a machine are held by shafts, of which the bearings are pictures of the machine.
    """
    moved, held = has(dataset, "tooth_load_factor"), has_bearing_orders(dataset)
    of_errors = "transmission_error_rms" in dataset
    figure, panels = _figure(dataset, 1 + held + moved + of_errors)
    speeds = speeds_of(dataset, "pinion_speed")
    draw_orders_of(panels[0], dataset, speeds, "transmission_error_order", 1e-6, {})
    panels[0].set_ylabel("transmission error\n[dB re 1 µm]")
    mark_modes(panels[0], dataset, {})
    if held:
        gear = loudest(dataset, "bearing_force_order", "gear")
        draw_orders_of(panels[1], dataset, speeds, "bearing_force_order", 1.0, {"gear": gear}, over="axis")
        panels[1].set_ylabel(f"bearing force\nof the {gear} [dB re 1 N]")
    if of_errors:
        _draw_by_direction(panels[1 + held], dataset, "transmission_error_rms", 1e6)
        panels[1 + held].set_ylabel("transmission error,\nr.m.s. [µm]")
    if moved:
        _draw_factors(panels[-1], dataset)
    _finish(panels, dataset, f"speed of {first_gear(dataset)} [rpm]", _frequency_per_rpm(dataset, {}))
    return figure


def draw_machine_sweep(dataset: xr.Dataset) -> Figure:
    """Draw a machine: orders of its meshes, of the force on its loudest bearing, and its shafts.

    A mesh has a panel, of many the loudest ones, with the modes that work in it.
    """
    shaken, bears = "rotation_error_rms" in dataset, bool(dataset.sizes.get("bearing", 0))
    loaded = has(dataset, "bearing_force_max")
    names = _excited(dataset)
    meshes = loudest_first(dataset, "mesh", names, "transmission_error_order", MOST_MESHES)
    figure, panels = _figure(dataset, len(meshes) + bears + loaded + shaken)
    speeds, several = speeds_of(dataset, "drive_speed"), len(names) > 1
    for axes, mesh in zip(panels, meshes, strict=False):
        of_mesh = {"mesh": mesh}
        draw_orders_of(axes, dataset, speeds, "transmission_error_order", 1e-6, of_mesh)
        axes.set_ylabel("transmission error\n" + ("" if several else f"of {mesh} ") + "[dB re 1 µm]")
        mark_modes(axes, dataset, of_mesh)
        if several:
            per_rpm = _frequency_per_rpm(dataset, of_mesh)
            frequency = f", mesh frequency {1e3 * per_rpm:.4g} Hz at 1000 rpm" if np.isfinite(per_rpm) else ""
            axes.set_title(f"mesh {mesh}{frequency}", loc="left", fontsize=9, parse_math=False)
    if bears:
        bearing = loudest(dataset, "bearing_force_order", "bearing")
        mesh = loudest(dataset.sel(bearing=bearing), "bearing_force_order", "mesh")
        axes, at = panels[len(meshes)], {"mesh": mesh, "bearing": bearing}
        draw_orders_of(axes, dataset, speeds, "bearing_force_order", 1.0, at, over="axis")
        axes.set_ylabel(f"force on bearing\n{bearing} [dB re 1 N]")
        if several:
            axes.set_title(f"orders of mesh {mesh}", loc="left", fontsize=9, parse_math=False)
    if loaded:
        _draw_by_direction(panels[len(meshes) + bears], dataset, "bearing_force_max", 1e-3)
        panels[len(meshes) + bears].set_ylabel("largest bearing\nforce [kN]")
    if shaken:
        _draw_by_direction(panels[-1], dataset, "rotation_error_rms", 1e6)
        panels[-1].set_ylabel("rotation error,\nr.m.s. [µrad]")
    per_rpm = float("nan") if several else _frequency_per_rpm(dataset, {"mesh": meshes[0]})
    _finish(panels, dataset, "speed of the drive [rpm]", per_rpm)
    return figure


def _excited(dataset: xr.Dataset) -> list[str]:
    """Meshes whose orders are known: of a linearised response those that excite."""
    name = "transmission_error_order"
    return [
        str(mesh)
        for mesh in dataset["mesh"].to_numpy()
        if any(of is not None and np.isfinite(of).any() for of in of_orders(dataset, name, {"mesh": mesh}, None))
    ]


def _figure(dataset: xr.Dataset, n: int) -> tuple[Figure, list[Axes]]:
    return new_figure(dataset, rows=n, height=min(HEIGHT * n, PAGE) + AROUND, sharex=True)


def _frequency_per_rpm(dataset: xr.Dataset, at: dict[str, str]) -> float:
    """Mesh frequency [Hz] at a speed of 1 rpm."""
    if "linear_mesh_frequency" in dataset:
        frequency = dataset["linear_mesh_frequency"].sel(at).to_numpy()
        return float(frequency[-1] / (RPM * dataset["linear_speed"].to_numpy()[-1]))
    if "mesh_frequency" in dataset:
        return float(dataset["mesh_frequency"].to_numpy()[-1] / (RPM * dataset["pinion_speed"].to_numpy()[-1]))
    if "mesh_frequency_per_speed" in dataset:
        return float(dataset["mesh_frequency_per_speed"].sel(at).to_numpy() / RPM)
    return float("nan")


def _draw_factors(axes: Axes, dataset: xr.Dataset) -> None:
    """Draw what is largest in motion over what is largest at rest, and where teeth lose contact."""
    for sign, name, style in DIRECTIONS:
        part = dataset.isel(point=np.flatnonzero(dataset["direction"].to_numpy() == sign))
        if not part.sizes["point"]:
            continue
        speed = RPM * part["pinion_speed"].to_numpy()
        axes.plot(speed, part["tooth_load_factor"], style, color=COLOURS[0], label=f"tooth load, {name}")
        stress = part["root_stress_factor"].max("gear")
        axes.plot(speed, stress, style, color=COLOURS[1], label=f"root stress, {name}")
        lost = part["contact_loss_share"].to_numpy()
        if lost.any():
            axes.plot(speed, lost, style, color="0.45", label=f"part of the time without contact, {name}")
    axes.set_ylabel("largest in motion\nover largest at rest")
    axes.set_ylim(top=axes.get_ylim()[1] + 0.4 * np.ptp(axes.get_ylim()))  # room for the names
    legend_in_columns(axes, axes.get_legend_handles_labels(), 2, fontsize=7.5, loc="upper right")


def _draw_by_direction(axes: Axes, dataset: xr.Dataset, name: str, factor: float) -> None:
    """Draw a quantity of the motion over the speed, of shafts or bearings a colour each, of many the largest."""
    values = factor * np.asarray(dataset[name].values, dtype=float)
    speed = speeds_of(dataset, "pinion_speed" if "pinion_speed" in dataset else "drive_speed")[0]
    assert speed is not None
    names = labels(dataset, str(dataset[name].dims[1])) if values.ndim == 2 else [""]
    values = values.reshape(len(speed), -1)
    most = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=0, initial=0.0)
    shown = sorted(np.argsort(-most, kind="stable")[:MOST_NAMES].tolist())
    for number, k in enumerate(k for k in shown if most[k] > 0.0 or not names[k]):
        for sign, direction, style in DIRECTIONS:
            here = np.flatnonzero(dataset["direction"].to_numpy() == sign)
            if here.size:
                label = ", ".join(one for one in (names[k], direction) if one)
                axes.plot(speed[here], values[here, k], style, color=COLOURS[number % len(COLOURS)], label=label)
    axes.set_ylim(bottom=0.0, top=1.3 * axes.get_ylim()[1])  # room for the names
    legend_in_columns(axes, axes.get_legend_handles_labels(), 4, fontsize=7.5, loc="upper left")


def _finish(panels: Sequence[Any], dataset: xr.Dataset, label: str, per_rpm: float) -> None:
    """Grid, legend of what the kinds of lines are, axis of the speed below and of the mesh frequency above."""
    for axes in panels:
        axes.grid(True, color="0.93")
        axes.margins(x=0.0)
    first = panels[0]
    legend_of_kinds(first, dataset)
    panels[-1].set_xlabel(label)
    if np.isfinite(per_rpm):
        above = _scaled(per_rpm)
        first.secondary_xaxis("top", functions=above).set_xlabel("mesh frequency [Hz]")


def _scaled(factor: float) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    return (lambda x: np.asarray(x) * factor), (lambda x: np.asarray(x) / factor)


def _holds(dataset: xr.Dataset) -> bool:
    return has(dataset, "linear_speed") or (has(dataset, "direction") and "point" in dataset.dims)


def _draw(dataset: xr.Dataset) -> Figure:
    return draw_machine_sweep(dataset) if "mesh" in dataset.dims else draw_sweep(dataset)


def _caption(dataset: xr.Dataset) -> str:
    """Say what the lines are, which modes are marked, and which meshes are left out."""
    words = "Mesh orders over the speed, and the largest values of the motion"
    words = words if "point" in dataset.dims else "Mesh orders of the linearised response over the speed"
    names = _excited(dataset) if "mesh" in dataset.dims else [""]
    if len(names) > MOST_MESHES:
        words += f"; the {MOST_MESHES} of {len(names)} meshes with the largest transmission errors"
    if any(met_modes(dataset, {"mesh": name} if name else {}) for name in names):
        words += "; marked: modes where order 1 meets them, with their energy in the mesh"
    return words


PICTURE = Picture(
    name="sweep",
    heading="Noise study",
    order=300,
    holds=of_dataset(_holds),
    draw=of_dataset(_draw),
    caption=of_dataset(_caption),
)
