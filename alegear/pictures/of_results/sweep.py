"""Response over the speed: orders of the mesh as lines in dB, of motion and linear answer, dynamic factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.pictures.colours import COLOURS
from alegear.pictures.mode_marks import AROUND, mark_modes
from alegear.pictures.titles import first_gear, title_of
from alegear.results.linear_response import DIFFERENCE

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

RPM = 30.0 / np.pi
#: Direction of the speed, its name and how it is drawn.
DIRECTIONS = ((1.0, "run-up", "-"), (-1.0, "run-down", ":"))
#: Orders that are drawn, at most: the largest ones.
MOST_LINES = 5
#: Below the largest amplitude [dB]: what is lower is not seen beside it.
RANGE = 60.0
LINEAR, STATIC = "--", (0, (8, 2, 1, 2))
#: Width of the figure, height of a panel and of a page of them [in].
WIDTH, HEIGHT, PAGE = 7.4, 2.7, 9.4
#: Of each bearing: variable, reference of the decibels, label.
AT_BEARINGS = (
    ("bearing_force_order", 1.0, "force [dB re 1 N]"),
    ("bearing_displacement_order", 1e-6, "displacement\n[dB re 1 µm]"),
)
#: Meshes that are drawn, at most.
MOST_MESHES = 4
#: Bearings that are drawn, at most, and the height of a row of them [in].
MOST_BEARINGS, BEARING_HEIGHT = 6, 1.5
APART = f"more than {100.0 * DIFFERENCE:.0f} % from the linear answer"


def draw_sweep(dataset: xr.Dataset) -> Figure:
    """Draw a pair: orders of its transmission error, of the forces on what holds it, and dynamic factors.

    The gears of a mesh of a machine are held by shafts, of which the bearings are pictures of the machine.
    """
    moved, held = "point" in dataset.dims, has_bearing_orders(dataset)
    figure, panels = _figure(dataset, 1 + held + moved)
    speeds = _speeds(dataset, "pinion_speed")
    _draw_orders(panels[0], dataset, speeds, "transmission_error_order", 1e-6, {})
    panels[0].set_ylabel("transmission error\n[dB re 1 µm]")
    mark_modes(panels[0], dataset, {})
    if held:
        gear = _loudest(dataset, "bearing_force_order", "gear")
        _draw_orders(panels[1], dataset, speeds, "bearing_force_order", 1.0, {"gear": gear}, over="axis")
        panels[1].set_ylabel(f"bearing force\nof the {gear} [dB re 1 N]")
    if moved:
        _draw_factors(panels[-1], dataset)
    _finish(panels, dataset, f"speed of {first_gear(dataset)} [rpm]", _frequency_per_rpm(dataset, {}))
    return figure


def draw_orders(dataset: xr.Dataset) -> Figure:
    """Draw the orders of the transmission error of a pair alone."""
    figure, panels = _figure(dataset, 1)
    _draw_orders(panels[0], dataset, _speeds(dataset, "pinion_speed"), "transmission_error_order", 1e-6, {})
    panels[0].set_ylabel("transmission error [dB re 1 µm]")
    mark_modes(panels[0], dataset, {})
    _finish(panels, dataset, f"speed of {first_gear(dataset)} [rpm]", _frequency_per_rpm(dataset, {}))
    return figure


def draw_machine_sweep(dataset: xr.Dataset) -> Figure:
    """Draw a machine: orders of its meshes, of the force on its loudest bearing, and its shafts.

    A mesh has a panel, of many the loudest ones, with the modes that work in it.
    """
    shaken, bears = "rotation_error_rms" in dataset, bool(dataset.sizes.get("bearing", 0))
    names = _excited(dataset)
    meshes = _loudest_first(dataset, "mesh", names, "transmission_error_order", MOST_MESHES)
    figure, panels = _figure(dataset, len(meshes) + bears + shaken)
    speeds, several = _speeds(dataset, "drive_speed"), len(names) > 1
    for axes, mesh in zip(panels, meshes, strict=False):
        of_mesh = {"mesh": mesh}
        _draw_orders(axes, dataset, speeds, "transmission_error_order", 1e-6, of_mesh)
        axes.set_ylabel("transmission error\n" + ("" if several else f"of {mesh} ") + "[dB re 1 µm]")
        mark_modes(axes, dataset, of_mesh)
        if several:
            per_rpm = _frequency_per_rpm(dataset, of_mesh)
            told = f", mesh frequency {1e3 * per_rpm:.4g} Hz at 1000 rpm" if np.isfinite(per_rpm) else ""
            axes.set_title(f"mesh {mesh}{told}", loc="left", fontsize=9, parse_math=False)
    if bears:
        bearing = _loudest(dataset, "bearing_force_order", "bearing")
        mesh = _loudest(dataset.sel(bearing=bearing), "bearing_force_order", "mesh")
        axes, at = panels[len(meshes)], {"mesh": mesh, "bearing": bearing}
        _draw_orders(axes, dataset, speeds, "bearing_force_order", 1.0, at, over="axis")
        axes.set_ylabel(f"force on bearing\n{bearing} [dB re 1 N]")
        if several:
            axes.set_title(f"orders of mesh {mesh}", loc="left", fontsize=9, parse_math=False)
    if shaken:
        _draw_shafts(panels[-1], dataset)
    per_rpm = float("nan") if several else _frequency_per_rpm(dataset, {"mesh": meshes[0]})
    _finish(panels, dataset, "speed of the drive [rpm]", per_rpm)
    if len(meshes) < len(names):
        figure.supxlabel(f"the {len(meshes)} of {len(names)} meshes with the largest transmission errors", fontsize=8)
    return figure


def _excited(dataset: xr.Dataset) -> list[str]:
    """Meshes whose orders are known: of a linear answer those that excite."""
    name = "transmission_error_order"
    return [
        str(mesh)
        for mesh in dataset["mesh"].to_numpy()
        if any(of is not None and np.isfinite(of).any() for of in _of_orders(dataset, name, {"mesh": mesh}, None))
    ]


def has_bearing_orders(dataset: xr.Dataset) -> bool:
    """Whether there are orders of forces on what holds the gears of a pair, or on bearings of a machine."""
    names = [name for name in ("bearing_force_order", "linear_bearing_force_order") if name in dataset]
    return any(dataset[name].size for name in names)


def draw_bearing_orders(dataset: xr.Dataset) -> Figure:
    """Draw the orders of forces and displacements of all bearings, of a pair of what holds its gears, a row each.

    Of a machine a bearing has the orders of the mesh that is the loudest there. Panels of a column have one scale.
    """
    from matplotlib.figure import Figure

    dim = "bearing" if "bearing" in dataset.dims else "gear"
    columns = [one for one in AT_BEARINGS if one[0] in dataset or f"linear_{one[0]}" in dataset]
    names = [str(name) for name in dataset[dim].to_numpy()]
    rows = _loudest_first(dataset, dim, names, "bearing_force_order", MOST_BEARINGS, over="axis")
    height = 1.35 + BEARING_HEIGHT * len(rows)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    title_of(figure, dataset)
    panels = figure.subplots(len(rows), len(columns), sharex=True, sharey="col", squeeze=False)
    speeds = _speeds(dataset, "pinion_speed" if dim == "gear" else "drive_speed")
    kept = _largest_orders(dataset, columns[0][0])
    tops = np.full(len(columns), -np.inf)
    for across, name in zip(panels, rows, strict=True):
        at = {dim: name}
        if "mesh" in dataset.dims:
            at["mesh"] = _loudest(dataset.sel(at), columns[0][0], "mesh")
        for column, (variable, reference, label) in enumerate(columns):
            axes = across[column]
            top = _draw_orders(axes, dataset, speeds, variable, reference, at, over="axis", kept=kept)
            tops[column] = max(top, tops[column])
            axes.set_ylabel(label)
            axes.grid(True, color="0.93")
        of_mesh = f", orders of {at['mesh']}" if "mesh" in at and dataset.sizes["mesh"] > 1 else ""
        across[0].set_title(f"{name}{of_mesh}", loc="left", fontsize=9)
    for axes, top in zip(panels[0], tops, strict=True):
        _see_from(axes, top)
    for axes in panels[-1]:
        axes.set_xlabel(f"speed of the {'pinion' if dim == 'gear' else 'drive'} [rpm]")
    _legend(panels[0, 0], dataset, static=False)
    if len(rows) < len(names):
        figure.supxlabel(f"the {len(rows)} of {len(names)} bearings with the largest forces", fontsize=8)
    return figure


def _loudest_first(
    dataset: xr.Dataset, dim: str, names: Sequence[str], of: str, most: int, over: str | None = None
) -> list[str]:
    """Names in their order, of more than are drawn those with the largest orders."""
    if len(names) <= most:
        return list(names)
    largest = [_largest_of(dataset, of, {dim: name}, over) for name in names]
    chosen = np.sort(np.argsort(largest)[::-1][:most])
    return [names[i] for i in chosen]


def _largest_of(dataset: xr.Dataset, name: str, at: dict[str, str], over: str | None) -> float:
    """Largest amplitude of any order."""
    return max(
        float(np.nan_to_num(of).max(initial=0.0)) for of in _of_orders(dataset, name, at, over) if of is not None
    )


def _largest_orders(dataset: xr.Dataset, name: str) -> list[int]:
    """Which orders are drawn, counted from 0: of all bearings the largest ones."""
    values = next(of for of in reversed(_of_orders(dataset, name, {}, "axis")) if of is not None)
    largest = np.nan_to_num(values).reshape(-1, values.shape[-1]).max(axis=0)
    return sorted(np.argsort(largest)[::-1][:MOST_LINES].tolist())


def _figure(dataset: xr.Dataset, n: int) -> tuple[Figure, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, min(HEIGHT * n, PAGE) + AROUND), layout="constrained")
    title_of(figure, dataset)
    return figure, list(np.atleast_1d(figure.subplots(n, 1, sharex=True)))


def _speeds(dataset: xr.Dataset, name: str) -> tuple[Floats | None, Floats | None]:
    """Speeds of the points and of the linear answer [rpm]; None where there are none."""
    found = [RPM * dataset[one].to_numpy() if one in dataset else None for one in (name, "linear_speed")]
    return found[0], found[1]


def _loudest(dataset: xr.Dataset, name: str, dim: str) -> str:
    """Entry of a dimension with the largest amplitude of all."""
    of = dataset[name if name in dataset else f"linear_{name}"]
    if "order" in of.dims:
        of = of.sel(order=of.order >= 1.0)
    largest = of.fillna(0.0).max([one for one in of.dims if one != dim]).to_numpy()
    return str(of[dim].to_numpy()[int(largest.argmax())])


def _of_orders(dataset: xr.Dataset, name: str, at: dict[str, str], over: str | None) -> list[Floats | None]:
    """Amplitudes of the motion (point, order) and of the linear answer (speed, order); all axes together."""
    found: list[Floats | None] = []
    for one, order in ((name, "order"), (f"linear_{name}", "linear_order")):
        if one not in dataset:
            found.append(None)
            continue
        of = dataset[one].sel(at)
        of = of if over is None else (of**2).sum(over) ** 0.5
        of = of.transpose(..., order)
        found.append(of.sel({order: of[order] >= 1.0}).to_numpy())
    return found


def _draw_orders(
    axes: Axes,
    dataset: xr.Dataset,
    speeds: tuple[Floats | None, Floats | None],
    name: str,
    reference: float,
    at: dict[str, str],
    over: str | None = None,
    kept: Sequence[int] | None = None,
) -> float:
    """Draw the lines of the largest orders, of the motion and of the linear answer, the static ones and differences.

    Returns the largest amplitude of the lines [dB].
    """
    full, linear = _of_orders(dataset, name, at, over)
    if kept is None:
        values = np.nan_to_num(next(of for of in (linear, full) if of is not None))
        kept = sorted(np.argsort(values.max(axis=0))[::-1][:MOST_LINES].tolist())
    static = dataset.get(f"static_{name}")
    top = -np.inf
    for number, i in enumerate(kept):
        colour, label = COLOURS[number % len(COLOURS)], f"order {i + 1}"
        if linear is not None and speeds[1] is not None:
            line = _decibel(linear[:, i], reference)
            axes.plot(speeds[1], line, LINEAR if full is not None else "-", color=colour, linewidth=1.1)
            top = max(top, float(np.nanmax(line, initial=-np.inf)))
        if full is not None and speeds[0] is not None:
            for sign, _, style in DIRECTIONS:
                here = np.flatnonzero(dataset["direction"].to_numpy() == sign)
                if here.size:
                    line = _decibel(full[here, i], reference)
                    axes.plot(speeds[0][here], line, style, color=colour, linewidth=1.4)
                    top = max(top, float(np.nanmax(line, initial=-np.inf)))
        axes.plot([], [], color=colour, label=label)
        if static is not None:
            level = _decibel(static.sel(at).to_numpy()[i : i + 1], reference)[0]
            axes.axhline(level, color=colour, linestyle=STATIC, linewidth=0.8)
    if "answer_difference" in dataset and name == "transmission_error_order" and full is not None:
        apart = dataset["answer_difference"].sel(at).to_numpy()[:, list(kept)]
        for number, i in enumerate(kept):
            beyond = np.flatnonzero(np.abs(np.nan_to_num(apart[:, number])) > DIFFERENCE)
            line = _decibel(full[beyond, i], reference)
            axes.plot(np.asarray(speeds[0])[beyond], line, "o", markersize=3.2, color=COLOURS[number % len(COLOURS)])
    axes.margins(x=0.0)
    _see_from(axes, top)
    return top


def _see_from(axes: Axes, top: float) -> None:
    """Show what is within :data:`RANGE` of the largest amplitude [dB]; nothing has any where it is not finite."""
    if np.isfinite(top):
        axes.set_ylim(top - RANGE, top + 4.0)


def _decibel(values: Floats, reference: float) -> Floats:
    with np.errstate(divide="ignore"):
        found: Floats = 20.0 * np.log10(np.where(values > 0.0, values, np.nan) / reference)
    return found


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
    axes.legend(fontsize=7.5, ncols=2)


def _draw_shafts(axes: Axes, dataset: xr.Dataset) -> None:
    """Draw the rotation errors of the shafts that have any."""
    errors = dataset["rotation_error_rms"]
    names = [name for name in dataset["shaft"].to_numpy() if np.any(errors.sel(shaft=name).to_numpy() > 0.0)]
    for number, name in enumerate(names):
        for sign, direction, style in DIRECTIONS:
            part = errors.sel(shaft=name).isel(point=np.flatnonzero(dataset["direction"].to_numpy() == sign))
            if part.sizes["point"]:
                speed = RPM * dataset["drive_speed"].to_numpy()[dataset["direction"].to_numpy() == sign]
                colour = COLOURS[number % len(COLOURS)]
                axes.plot(speed, 1e6 * part.to_numpy(), style, color=colour, label=f"{name}, {direction}")
    axes.set_ylabel("rotation error,\nr.m.s. [µrad]")
    axes.set_ylim(bottom=0.0, top=1.3 * axes.get_ylim()[1])  # room for the names
    if names:
        axes.legend(fontsize=7.5, ncols=4, loc="upper left")


def _finish(panels: Sequence[Any], dataset: xr.Dataset, label: str, per_rpm: float) -> None:
    """Grid, legend of what the kinds of lines are, axis of the speed below and of the mesh frequency above."""
    for axes in panels:
        axes.grid(True, color="0.93")
        axes.margins(x=0.0)
    first = panels[0]
    _legend(first, dataset)
    panels[-1].set_xlabel(label)
    if np.isfinite(per_rpm):
        above = _scaled(per_rpm)
        first.secondary_xaxis("top", functions=above).set_xlabel("mesh frequency [Hz]")


def _legend(axes: Axes, dataset: xr.Dataset, *, static: bool = True) -> None:
    """Names of the orders, and of the kinds of lines, below the figure."""
    handles, names = axes.get_legend_handles_labels()
    for style, name in _kinds(dataset):
        if static or name not in ("static", APART):
            handles += axes.plot([], [], color="0.3", **style)
            names.append(name)
    figure = axes.figure
    figure.legend(handles, names, fontsize=8, ncols=5, loc="outside lower center", frameon=False)


def _kinds(dataset: xr.Dataset) -> list[tuple[dict[str, Any], str]]:
    moved, linear = "point" in dataset.dims, "linear_speed" in dataset
    kinds: list[tuple[dict[str, Any], str]] = []
    if moved:
        there = dataset["direction"].to_numpy()
        kinds += [({"linestyle": style}, name) for sign, name, style in DIRECTIONS if np.any(there == sign)]
    if linear:
        kinds.append(({"linestyle": LINEAR if moved else "-"}, "linear answer"))
    if "static_transmission_error_order" in dataset:
        kinds.append(({"linestyle": STATIC}, "static"))
    if moved and linear:
        kinds.append(({"linestyle": "none", "marker": "o", "markersize": 3.2}, APART))
    return kinds


def _scaled(factor: float) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    return (lambda x: np.asarray(x) * factor), (lambda x: np.asarray(x) / factor)
