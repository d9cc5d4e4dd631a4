"""Designs of a study in pictures: the optimum on its axes, and fronts of designs that no other one beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.pictures.colours import COLOURS
from alegear.pictures.design_words import axis_label, conditions, quantity_label, short, varied_keys
from alegear.results.designs import Front, Optimum, axis_keys

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

SAME_PLACE = 0.03  # of the extent of a picture: about the size of a number
MOST_NUMBERS = 14  # designs of a front that are numbered in the picture
PANEL, LETTER = 3.7, 0.078  # width of a panel and of a letter of the list [inches]
BEST = COLOURS[1]


def draw_optimum(dataset: xr.Dataset, optimum: Optimum) -> Figure:
    """Draw worst value and mean of the designs over their axes, with the optimum.

    Over one axis curves; over two, a map; further axes stand at the values of the optimum.

    Parameters
    ----------
    dataset : xarray.Dataset
        Of the study.
    optimum : Optimum
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{dataset.attrs['title']}: {quantity_label(optimum.quantity, 100)}\nbest by its {optimum.by}")
    free = [axis for axis in optimum.place if dataset.sizes[axis] > 1]
    shown = sorted(free, key=lambda axis: -dataset.sizes[axis])[:2]
    shown = [axis for axis in free if axis in shown]
    fixed = {axis: number for axis, number in optimum.place.items() if axis not in shown}
    named = {"worst": optimum.quantity.worst.isel(fixed), "mean": optimum.quantity.mean.isel(fixed)}
    if len(shown) == 2:
        low = min(float(values.min()) for values in named.values())
        high = max(float(values.max()) for values in named.values())
        for axes, (name, values) in zip(figure.subplots(1, 2, sharey=True), named.items(), strict=True):
            _draw_map(axes, dataset, optimum, shown, values, (low, high))
            axes.set_title(conditions(name, optimum.over) or name, fontsize=9)
        figure.axes[0].set_ylabel(_axis_name(dataset, shown[0]))
        return figure
    axes = figure.add_subplot()
    for (name, values), colour in zip(named.items(), (BEST, COLOURS[0]), strict=True):
        x = np.arange(1) if not shown else _abscissa(dataset, shown[0])
        axes.plot(x, values.to_numpy().ravel(), marker="o", color=colour, label=name)
    if shown:
        at = _abscissa(dataset, shown[0])[optimum.place[shown[0]]]
        axes.axvline(at, color="0.4", lw=0.8, ls="--")
        axes.set_xlabel(_axis_name(dataset, shown[0]))
    axes.set_ylabel(quantity_label(optimum.quantity))
    axes.legend()
    axes.grid(alpha=0.3)
    return figure


def _key_of(dataset: xr.Dataset, axis: str) -> str:
    """The first key along an axis whose values differ."""
    keys = axis_keys(dataset)[axis]
    return next((key for key in keys if len(set(map(repr, dataset[key].to_numpy().tolist()))) > 1), keys[0])


def _abscissa(dataset: xr.Dataset, axis: str) -> Any:
    values = dataset[_key_of(dataset, axis)].to_numpy()
    return values if values.dtype.kind in "if" else np.array([str(value) for value in values])


def _axis_name(dataset: xr.Dataset, axis: str) -> str:
    label = axis_label(_key_of(dataset, axis))
    return label if axis in axis_keys(dataset)[axis] else f"{axis}: {label}"


def _draw_map(
    axes: Axes,
    dataset: xr.Dataset,
    optimum: Optimum,
    shown: list[str],
    values: xr.DataArray,
    bounds: tuple[float, float],
) -> None:
    """Draw cells with their values, that of the optimum framed."""
    from matplotlib.patches import Rectangle

    numbers = values.transpose(*shown).to_numpy()
    picture = axes.imshow(numbers, origin="lower", aspect="auto", cmap="viridis_r", vmin=bounds[0], vmax=bounds[1])
    for (i, j), value in np.ndenumerate(numbers):
        if not np.isfinite(value):
            axes.text(j, i, "×", ha="center", va="center", color="0.3")
        elif numbers.size <= 200:
            red, green, blue, _ = picture.cmap(picture.norm(value))
            dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
            text = f"{value:.3g}"
            axes.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    place = (optimum.place[shown[1]] - 0.5, optimum.place[shown[0]] - 0.5)
    axes.add_patch(Rectangle(place, 1.0, 1.0, fill=False, ec=BEST, lw=2.5))
    for set_ticks, axis in ((axes.set_yticks, shown[0]), (axes.set_xticks, shown[1])):
        texts = [short(value) for value in _abscissa(dataset, axis).tolist()]
        every = -(-len(texts) // 12)
        set_ticks(range(0, len(texts), every), texts[::every])
    axes.set_xlabel(_axis_name(dataset, shown[1]))


def draw_fronts(title: str, fronts: Sequence[Front]) -> Figure:
    """Draw each front: its first quantity over each of the others, designs of the front numbered and listed.

    Parameters
    ----------
    title : str
    fronts : sequence of Front
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = max(len(front.quantities) for front in fronts)
    listed = max((len(line) for front in fronts for line in _list_of(front)), default=0)
    widths = [PANEL] * (columns - 1) + [max(LETTER * listed, PANEL / 2.0)]
    figure = Figure(figsize=(sum(widths), 4.0 * len(fronts)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{title}: designs that no other one beats")
    panels = figure.subplots(len(fronts), columns, squeeze=False, width_ratios=widths)
    entries: dict[str, Any] = {}
    for row, front in zip(panels, fronts, strict=True):
        _draw_front(row, front)
        handles, labels = row[0].get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    figure.legend(entries.values(), entries.keys(), loc="outside lower left", ncols=3, frameon=False, fontsize=9)
    return figure


def _together(places: Floats, extent: Floats) -> list[tuple[str, tuple[float, float]]]:
    """Numbers of the places from 1 on, those that would stand on each other as one text."""
    close = np.maximum(SAME_PLACE * extent, 1e-300)
    found: list[tuple[list[str], Floats]] = []
    for number, place in enumerate(places, start=1):
        for numbers, there in found:
            if np.all(np.abs(place - there) < close):
                numbers.append(str(number))
                break
        else:
            found.append(([str(number)], place))
    return [(", ".join(numbers), (float(place[0]), float(place[1]))) for numbers, place in found]


def _draw_front(row: Any, front: Front) -> None:
    best, on_edges = _best(front), front.on_edges
    for axes, column in zip(row, range(1, len(front.quantities)), strict=False):
        axes.plot(front.values[:, column], front.values[:, 0], ".", color="0.75", label="all designs")
        for designs, face, label in ((~on_edges, BEST, "front"), (on_edges, "none", "front, edges pressed more")):
            some = best[designs[best]]
            if some.size:
                axes.plot(
                    front.values[some, column], front.values[some, 0], "o", color=BEST, mfc=face, ms=6, label=label
                )
        axes.margins(0.08)
        places = front.values[best[:MOST_NUMBERS]][:, (column, 0)]
        for numbers, place in _together(places, np.ptp(front.values[:, (column, 0)], axis=0)):
            axes.annotate(numbers, place, (4, 3), textcoords="offset points", fontsize=9)
        axes.set_xlabel(quantity_label(front.quantities[column]))
        axes.set_ylabel(quantity_label(front.quantities[0]))
        axes.set_title(conditions(front.by, front.over), fontsize=9)
        axes.grid(alpha=0.3)
    for axes in row[len(front.quantities) - 1 :]:
        axes.axis("off")
    lines = _list_of(front)
    row[-1].text(0.0, 1.0, "\n".join(lines), transform=row[-1].transAxes, va="top", fontsize=9, family="monospace")


def _best(front: Front) -> NDArray[np.intp]:
    """Designs of a front, the one with the lowest first quantity first."""
    best = np.flatnonzero(front.best)
    return best[np.argsort(front.values[best, 0], kind="stable")]


def _list_of(front: Front) -> list[str]:
    """Lines that tell what the numbered designs of a front are."""
    best, keys = _best(front), varied_keys(front.designs)
    lines = [
        f"{'    ' if n else 'no. '}{axis_label(key)}{' /' if key != keys[-1] else ''}" for n, key in enumerate(keys)
    ]
    for number, n in enumerate(best[:MOST_NUMBERS], start=1):
        lines.append(f"{number:2d}  " + " / ".join(short(front.designs[n][key]) for key in keys))
    if len(best) > MOST_NUMBERS:
        lines.append(f"and {len(best) - MOST_NUMBERS} more")
    return lines
