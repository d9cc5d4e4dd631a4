"""Plots of a machine of parts that only turn: speeds, torques, modes of switches, losses, the account of energy.

Where there are many curves the largest ten have colours and names, the others are grey, or summed where they are
powers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, pairwise
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.pictures.colours import COLOURS
from alegear.pictures.of_results.power_flow import in_units, shortened
from alegear.pictures.scales import prefixed
from alegear.results.rotational_result import MODES, events

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

Floats = NDArray[np.float64]

#: Curves and bars with names of their own.
MOST = 10
#: Switches in a picture of modes: those with the most events.
MOST_SWITCHES = 40
#: Events that are drawn as lines; more would be a grey area.
MOST_LINES = 200
#: What is this part of the largest value is zero.
SAME = 1e-9
#: Curves that differ by less than this part of the height of a picture, the width of a line, are drawn as one.
ONE_LINE = 5e-3
LETTERS = 30
#: Width of figures [in].
WIDTH = 7.4
#: Torques from which on the unit has a prefix [N m].
THOUSANDS = 1e4
MODE_COLOURS = {1: COLOURS[0], 0: "#333333", -1: COLOURS[1], 2: "#e8e8e8"}
MANY_COLOURS = (*COLOURS, "#000000", "#8c6d31", "#7f7f7f", "#5d3a9b")


def draw_speeds(dataset: xr.Dataset) -> Figure:
    """Draw the speeds of all bodies over time; those that turn alike share a curve.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc`` of a machine whose parts only turn.
    """
    speeds = dataset["speed"].to_numpy()
    names = [str(name) for name in dataset["body"].to_numpy()]
    figure, axes = _over_time(dataset)
    _draw_curves(axes, dataset, *merged(speeds, names))
    axes.set_ylabel("speed [rad/s]")
    in_rpm = axes.secondary_yaxis("right", functions=(_rpm, _rad_per_s))
    in_rpm.set_ylabel("speed [rpm]")
    return figure


def draw_torques(dataset: xr.Dataset) -> Figure:
    """Draw the torques of bodies on parts; of a part with two opposite ones the first, of those that are zero none."""
    torques = dataset["torque"].to_numpy()
    parts = [str(name) for name in dataset["flange_part"].to_numpy()]
    bodies = [str(name) for name in dataset["flange_body"].to_numpy()]
    largest = float(np.abs(torques).max(initial=0.0))
    kept: list[int] = []
    names = []
    for j, part in enumerate(parts):
        mine = [i for i, other in enumerate(parts) if other == part]
        opposite = len(mine) == 2 and np.abs(torques[:, mine].sum(axis=1)).max(initial=0.0) <= SAME * largest
        if not np.any(torques[:, j]) or (opposite and j == mine[1]):
            continue
        kept.append(j)
        names.append(part if len(mine) == 1 else f"{bodies[j]} on {part}")
    figure, axes = _over_time(dataset)
    factor, unit = prefixed(largest, "N m") if largest >= THOUSANDS else (1.0, "N m")
    _draw_curves(axes, dataset, factor * torques[:, kept], names)
    axes.set_ylabel(f"torque of bodies on parts [{unit}]")
    return figure


def draw_modes(dataset: xr.Dataset) -> Figure:
    """Draw the modes of the switches over time as bands, with the times of the events."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    time, modes = dataset["time"].to_numpy(), dataset["mode"].to_numpy()
    found = events(dataset)
    names = [str(name) for name in dataset["switch"].to_numpy()]
    by_switch = [[event for event in found if event.switch == name] for name in names]
    order = sorted(range(len(names)), key=lambda i: -len(by_switch[i]))
    shown = sorted(order[:MOST_SWITCHES])
    figure = Figure(figsize=(WIDTH, 1.5 + 0.24 * max(len(shown), 1)), layout="constrained")
    axes = figure.subplots()
    for row, i in enumerate(shown):
        edges = [float(time[0]), *(event.time for event in by_switch[i]), float(time[-1])]
        first = by_switch[i][0].before if by_switch[i] else int(modes[-1, i])
        levels = [first, *(event.after for event in by_switch[i])]
        axes.broken_barh(
            [(a, b - a) for a, b in pairwise(edges)],
            (row - 0.38, 0.76),
            facecolors=[MODE_COLOURS[level] for level in levels],
        )
    axes.set_yticks(range(len(shown)), [shortened(names[i], LETTERS) for i in shown])
    axes.set(ylim=(len(shown) - 0.4, -0.6), xlabel="time [s]")
    _plain(axes.get_yticklabels())
    axes.set_xlim(*_limits(time))
    hidden = f" ({len(shown)} of {len(names)} switches)" if len(shown) < len(names) else ""
    axes.set_title(_title(dataset) + hidden, fontsize="medium", loc="left", parse_math=False, pad=24.0)
    axes.legend(
        handles=[Patch(color=MODE_COLOURS[mode], label=name) for mode, name in MODES.items()],
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(MODES), fontsize=7.5, frameon=False,
    )  # fmt: skip
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def draw_losses(dataset: xr.Dataset) -> Figure:
    """Draw the power lost in each part over time, and the energy that this comes to."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    time, power = dataset["time"].to_numpy(), dataset["loss"].to_numpy()
    energy = dataset["energy_lost"].to_numpy()[-1]
    names = [shortened(str(name), LETTERS) for name in dataset["part"].to_numpy()]
    order = [int(i) for i in np.argsort(-np.abs(energy), kind="stable") if np.any(power[:, i]) or energy[i] != 0.0]
    large, others = order[:MOST], order[MOST:]
    figure = Figure(figsize=(WIDTH, 6.4), layout="constrained")
    left, right = figure.subplots(2, 1)
    bars = [(names[i], float(energy[i]), power[:, i], MANY_COLOURS[k]) for k, i in enumerate(large)]
    if others:
        bars.append((f"{len(others)} others", float(energy[others].sum()), power[:, others].sum(axis=1), "0.7"))
    for _, _, curve, colour in bars:
        left.plot(time, curve, color=colour, lw=1.3)
    left.set(xlabel="time [s]", ylabel="power lost", xlim=_limits(time))
    left.yaxis.set_major_formatter(EngFormatter(unit="W"))
    left.grid(alpha=0.3)
    _mark_events(left, dataset)
    whole = float(energy.sum())
    right.barh(range(len(bars)), [bar[1] for bar in bars], color=[bar[3] for bar in bars], height=0.7)
    for row, (_, value, *_) in enumerate(bars):
        share = f"  ({100.0 * value / whole:.3g} %)" if whole > 0.0 else ""
        right.annotate(
            f"{in_units(value, 'J')}{share}",
            (max(value, 0.0), row),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
        )
    right.set_yticks(range(len(bars)), [bar[0] for bar in bars], fontsize=8.0)
    _plain(right.get_yticklabels())
    right.set(ylim=(max(len(bars), 4) - 0.4, -0.6), xlabel=f"energy lost, {in_units(whole, 'J')} in all")
    right.xaxis.set_major_formatter(EngFormatter(unit="J"))
    right.set_xlim(right=1.3 * max([bar[1] for bar in bars], default=1.0) or 1.0)
    right.spines[["top", "right"]].set_visible(False)
    if not bars:
        left.text(0.5, 0.5, "nothing is lost", transform=left.transAxes, ha="center", va="center")
    figure.suptitle(_title(dataset), fontsize="medium", parse_math=False)
    return figure


def draw_energy(dataset: xr.Dataset) -> Figure:
    """Draw the account of energy: put in, lost, kinetic and stored energy; below what is missing in it."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    time = dataset["time"].to_numpy()
    figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2.4, 1.0))
    largest = 0.0
    told = (("input", "put in", "black"), ("dissipated", "lost", COLOURS[1]),
            ("kinetic", "change of kinetic", COLOURS[0]),
            ("elastic", "stored in parts", COLOURS[2]))  # fmt: skip
    for name, label, colour in told:
        values = dataset[f"energy_{name}"].to_numpy()
        largest = max(largest, float(np.abs(values).max()))
        if name != "elastic" or np.any(values):
            above.plot(time, values - values[0], color=colour, lw=1.5, label=label)
    above.set_ylabel("energy since\nthe beginning")
    above.legend(fontsize=8.0, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False)
    missing = dataset["energy_missing"].to_numpy()
    below.plot(time, missing, color="0.35", lw=1.2)
    most = float(np.abs(missing).max())
    relative = f", {most / largest:.1e} of the largest energy" if largest > 0.0 else ""
    below.set_title(f"missing: {in_units(most, 'J')} at most{relative}", fontsize=8.5, loc="left")
    below.set(xlabel="time [s]", ylabel="missing in\nthe balance", xlim=_limits(time))
    for axes in (above, below):
        axes.yaxis.set_major_formatter(EngFormatter(unit="J"))
        axes.grid(alpha=0.3)
        _mark_events(axes, dataset)
    figure.suptitle(_title(dataset), fontsize="medium", parse_math=False)
    return figure


# --------------------------------------------------------------------------------------------------------------- curves


def _over_time(dataset: xr.Dataset) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 3.9), layout="constrained")
    axes = figure.subplots()
    axes.set(xlabel="time [s]", xlim=_limits(dataset["time"].to_numpy()))
    axes.grid(alpha=0.3)
    axes.set_title(_title(dataset), fontsize="medium", loc="left", parse_math=False)
    _mark_events(axes, dataset)
    return figure, axes


def _rpm(speed: Any) -> Any:
    return speed * (30.0 / pi)


def _rad_per_s(speed: Any) -> Any:
    return speed * (pi / 30.0)


def merged(values: Floats, names: Sequence[str]) -> tuple[Floats, list[str]]:
    """One curve for those that look the same, with their names.

    Parameters
    ----------
    values : shape (n, n_curves)
    names : sequence of str

    Returns
    -------
    shape (n, n_groups), list of str
        The first curve of each group, and the names of all.
    """
    tolerance = ONE_LINE * float(np.ptp(values)) if values.size else 0.0
    groups: list[list[int]] = []
    for i in range(values.shape[1]):
        for group in groups:
            if np.abs(values[:, i] - values[:, group[0]]).max(initial=0.0) <= tolerance:
                group.append(i)
                break
        else:
            groups.append([i])
    labels = []
    for group in groups:
        more = f" and {len(group) - 3} others" if len(group) > 4 else ""
        labels.append(", ".join(names[i] for i in (group[:3] if more else group)) + more)
    return values[:, [group[0] for group in groups]], labels


def _draw_curves(axes: Axes, dataset: xr.Dataset, values: Floats, names: Sequence[str]) -> None:
    """Draw the largest in colour, the others in grey; names at the right."""
    time = dataset["time"].to_numpy()
    order = np.argsort(-np.abs(values).max(axis=0, initial=0.0), kind="stable")
    large, others = sorted(order[:MOST].tolist()), order[MOST:].tolist()
    for number, i in enumerate(others):
        label = f"{len(others)} others" if number == 0 else None
        axes.plot(time, values[:, i], color="0.75", lw=0.8, label=label, zorder=1.5)
    styles = cycle((colour, style) for style in ("-", "--", ":") for colour in COLOURS)
    for i, (colour, style) in zip(large, styles, strict=False):
        axes.plot(time, values[:, i], style, color=colour, lw=1.4, label=shortened(names[i], LETTERS))
    if not names:
        axes.text(0.5, 0.5, "all are zero", transform=axes.transAxes, ha="center", va="center")
        return
    handles, labels = axes.get_legend_handles_labels()
    first = len(large)  # the others come last
    handles, labels = handles[-first:] + handles[:-first], labels[-first:] + labels[:-first]
    figure = axes.figure
    legend = figure.legend(handles, labels, loc="outside right upper", fontsize=8.0, frameon=False)
    _plain(legend.get_texts())


def _mark_events(axes: Axes, dataset: xr.Dataset) -> None:
    """Draw the times of events as thin lines."""
    times = np.unique(dataset["event_time"].to_numpy())
    if len(times) > MOST_LINES:
        axes.annotate(
            f"{len(times)} events", (1.0, 1.0), (0, 3), xycoords="axes fraction", textcoords="offset points",
            ha="right", fontsize=7.0, color="0.4",
        )  # fmt: skip
        return
    for t in times:
        axes.axvline(t, color="0.55", lw=0.6, ls=(0, (4, 3)), zorder=1.0)


def _limits(time: Floats) -> tuple[float, float]:
    first, last = float(time[0]), float(time[-1])
    return first, last if last > first else first + 1.0


def _title(dataset: xr.Dataset) -> str:
    return shortened(str(dataset.attrs.get("title", "")), 90)


def _plain(texts: Sequence[Text]) -> None:
    """Take names as they are, whatever looks like mathematics in them."""
    for text in texts:
        text.set_parse_math(False)
