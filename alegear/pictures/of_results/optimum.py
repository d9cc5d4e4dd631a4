"""The optimum of a study on its axes: worst value and mean of the designs, as curves or maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.pictures.design_words import answer_of, asks, axis_label, conditions, quantity_label, short
from alegear.pictures.picture import Picture
from alegear.results.designs import Optimum, axis_keys
from alegear.results.result import Result

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BEST = COLOURS[1]
#: Letters of a label that stays in one line.
WHOLE = 200


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


def _caption(result: Result) -> str:
    """Say what is best, and by what."""
    best = answer_of(result, "optimum").optimum
    assert best is not None  # the picture holds
    by = conditions(best.by, best.over) or best.by
    free = "" if len(best.place) < 3 else "; axes that are not drawn stand at the values of the optimum"
    return f"Designs around the optimum, which has the best {quantity_label(best.quantity, WHOLE)} by its {by}{free}"


def _draw(result: Result) -> Figure:
    best = answer_of(result, "optimum").optimum
    assert best is not None  # the picture holds
    return draw_optimum(result.dataset, best)


PICTURE = Picture(
    name="optimum",
    heading="Study",
    order=26,
    holds=lambda result: asks(result, "optimum"),
    draw=_draw,
    caption=_caption,
)
