"""Orders over the speed: lines in dB of the motion and of the linearised response, static ones, and what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.legends import legend_below
from alegear.results.linear_response import DIFFERENCE

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


RPM = 30.0 / np.pi
#: Direction of the speed, its name and how it is drawn.
DIRECTIONS = ((1.0, "run-up", "-"), (-1.0, "run-down", ":"))
#: Orders that are drawn, at most: the largest ones.
MOST_LINES = 5
#: Below the largest amplitude [dB]: what is lower is not seen beside it.
RANGE = 60.0
LINEAR, STATIC = "--", (0, (8, 2, 1, 2))
APART = f"more than {100.0 * DIFFERENCE:.0f} % from the linearised response"


def loudest_first(
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
    return max(float(np.nan_to_num(of).max(initial=0.0)) for of in of_orders(dataset, name, at, over) if of is not None)


def largest_orders(dataset: xr.Dataset, name: str) -> list[int]:
    """Which orders are drawn, counted from 0: of all bearings the largest ones."""
    values = next(of for of in reversed(of_orders(dataset, name, {}, "axis")) if of is not None)
    largest = np.nan_to_num(values).reshape(-1, values.shape[-1]).max(axis=0)
    return sorted(np.argsort(largest)[::-1][:MOST_LINES].tolist())


def speeds_of(dataset: xr.Dataset, name: str) -> tuple[Array | None, Array | None]:
    """Speeds of the points and of the linearised response [rpm]; None where there are none."""
    found = [RPM * dataset[one].to_numpy() if one in dataset else None for one in (name, "linear_speed")]
    return found[0], found[1]


def loudest(dataset: xr.Dataset, name: str, dim: str) -> str:
    """Entry of a dimension with the largest amplitude of all."""
    of = dataset[name if name in dataset else f"linear_{name}"]
    if "order" in of.dims:
        of = of.sel(order=of.order >= 1.0)
    largest = of.fillna(0.0).max([one for one in of.dims if one != dim]).to_numpy()
    return str(of[dim].to_numpy()[int(largest.argmax())])


def of_orders(dataset: xr.Dataset, name: str, at: dict[str, str], over: str | None) -> list[Array | None]:
    """Amplitudes of the motion (point, order) and of the linearised response (speed, order); all axes together."""
    found: list[Array | None] = []
    for one, order in ((name, "order"), (f"linear_{name}", "linear_order")):
        if one not in dataset:
            found.append(None)
            continue
        of = dataset[one].sel(at)
        of = of if over is None else (of**2).sum(over) ** 0.5
        of = of.transpose(..., order)
        found.append(of.sel({order: of[order] >= 1.0}).to_numpy())
    return found


def draw_orders_of(
    axes: Axes,
    dataset: xr.Dataset,
    speeds: tuple[Array | None, Array | None],
    name: str,
    reference: float,
    at: dict[str, str],
    over: str | None = None,
    kept: Sequence[int] | None = None,
) -> float:
    """Draw the largest orders: motion, linearised response, static ones and differences.

    Returns the largest amplitude of the lines [dB].
    """
    full, linear = of_orders(dataset, name, at, over)
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
    if "response_difference" in dataset and name == "transmission_error_order" and full is not None:
        apart = dataset["response_difference"].sel(at).to_numpy()[:, list(kept)]
        for number, i in enumerate(kept):
            beyond = np.flatnonzero(np.abs(np.nan_to_num(apart[:, number])) > DIFFERENCE)
            line = _decibel(full[beyond, i], reference)
            axes.plot(np.asarray(speeds[0])[beyond], line, "o", markersize=3.2, color=COLOURS[number % len(COLOURS)])
    axes.margins(x=0.0)
    see_from(axes, top)
    return top


def see_from(axes: Axes, top: float) -> None:
    """Show what is within :data:`RANGE` of the largest amplitude [dB]; nothing has any where it is not finite."""
    if np.isfinite(top):
        axes.set_ylim(top - RANGE, top + 4.0)


def _decibel(values: Array, reference: float) -> Array:
    with np.errstate(divide="ignore"):
        found: Array = 20.0 * np.log10(np.where(values > 0.0, values, np.nan) / reference)
    return found


def legend_of_kinds(axes: Axes, dataset: xr.Dataset, *, static: bool = True) -> None:
    """Names of the orders, and of the kinds of lines, below the figure."""
    handles, names = axes.get_legend_handles_labels()
    for style, name in _kinds(dataset):
        if static or name not in ("static", APART):
            handles += axes.plot([], [], color="0.3", **style)
            names.append(name)
    legend_below(axes.figure, (handles, names), 5)


def _kinds(dataset: xr.Dataset) -> list[tuple[dict[str, Any], str]]:
    moved, linear = "point" in dataset.dims, "linear_speed" in dataset
    kinds: list[tuple[dict[str, Any], str]] = []
    if moved:
        there = dataset["direction"].to_numpy()
        kinds += [({"linestyle": style}, name) for sign, name, style in DIRECTIONS if np.any(there == sign)]
    if linear:
        kinds.append(({"linestyle": LINEAR if moved else "-"}, "linearised response"))
    if "static_transmission_error_order" in dataset:
        kinds.append(({"linestyle": STATIC}, "static"))
    if moved and linear:
        kinds.append(({"linestyle": "none", "marker": "o", "markersize": 3.2}, APART))
    return kinds


def has_bearing_orders(dataset: xr.Dataset) -> bool:
    """Whether there are orders of forces on what holds the gears of a pair, or on bearings of a machine."""
    names = [name for name in ("bearing_force_order", "linear_bearing_force_order") if name in dataset]
    return any(dataset[name].size for name in names)
