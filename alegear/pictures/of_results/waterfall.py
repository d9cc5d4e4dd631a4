"""Waterfall of a run-up: spectra one after the other over the speed, with the orders that are expected.

Segments are as long as a line of the first mesh may take to run through its own width: of a line at the frequency f(t)
a segment T smears over T df/dt and resolves 1/T, alike at T = 1/sqrt(df/dt).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from alegear.errors import Fault
from alegear.pictures.picture import Picture
from alegear.results.orders import ExpectedOrder, read_orders
from alegear.results.result import Result
from alegear.signals.angle import speed_of
from alegear.signals.recorded import recorded_angle, recorded_signal
from alegear.signals.signal import Signal
from alegear.signals.spectrogram import spectrogram

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

#: Speeds that differ by less are one.
CHANGES = 0.1
#: What is looked at where a result has it, the first before others; of further dimensions the first entries.
LOOKED_AT = ("seat_acceleration", "mesh_force", "planet_mesh_force", "bearing_force", "acceleration")
#: Shortest and longest segment over the duration, and least samples of one.
SHORTEST, LONGEST, LEAST = 0.01, 0.15, 64
#: Width of the figure and height of a panel [in].
WIDTH, HEIGHT = 7.4, 4.6
#: Frequencies are shown up to this multiple of the highest order.
BEYOND = 1.25


def has_run_up(dataset: xr.Dataset, reference: str) -> bool:
    """Whether the speed of a shaft changes in a motion, which turns one way."""
    if "time" not in dataset.dims or len(dataset["time"]) < 4 * LEAST:
        return False
    try:
        angle = recorded_angle(Result(summary={}, dataset=dataset), reference)
    except Fault:
        return False
    turned = np.diff(angle.values)
    speed = speed_of(angle)
    one_way = bool(np.all(turned > 0.0) or np.all(turned < 0.0))
    return one_way and float(speed.max() - speed.min()) > CHANGES * float(speed.max())


def looked_at(dataset: xr.Dataset) -> list[str]:
    """Return the variables of a result that have a waterfall, the one that shows most first."""
    return [name for name in LOOKED_AT if name in dataset and dataset[name].size]


def run_up_of(result: Result) -> tuple[str, list[ExpectedOrder]] | None:
    """Reference shaft and expected orders of a motion with a run-up; None of others."""
    found = read_orders(result.directory) if result.directory is not None else None
    return found if found is not None and looked_at(result.dataset) and has_run_up(result.dataset, found[0]) else None


def draw_waterfall(
    dataset: xr.Dataset, reference: str, orders: Sequence[ExpectedOrder], variables: Sequence[str] | None = None
) -> Figure:
    """Draw the spectra of a run-up over its speed, in dB re the highest, with expected orders, a panel a variable.

    Parameters
    ----------
    dataset : xarray.Dataset
        Of a motion whose samples are equally spaced.
    reference : str
        Shaft of the orders, whose speed is the axis; where it rises and falls the axis is time.
    orders : sequence of ExpectedOrder
    variables : sequence of str, optional
        What is looked at. Default: :func:`looked_at`.
    """
    from matplotlib.figure import Figure

    from alegear.pictures.spectra import draw_map
    from alegear.signals.causes import Cause  # knows all parts of drivetrains, which few results are drawn with

    shown = list(variables or looked_at(dataset))
    figure = Figure(figsize=(WIDTH, HEIGHT * len(shown)), layout="constrained")
    figure.suptitle(f"{dataset.attrs.get('title', '')}: orders of {reference}", fontsize=10, parse_math=False)
    result = Result(summary={}, dataset=dataset)
    angle = recorded_angle(result, reference)
    speed = speed_of(angle) / (2.0 * pi)
    causes = [Cause(name=one.name, kind=one.kind, order=one.order) for one in orders]  # type: ignore[arg-type]
    meshes = [one.order for one in orders if one.kind == "mesh"] or [one.order for one in orders] or [1.0]
    up_to = BEYOND * max([*meshes, *(one.order for one in orders)]) * float(speed.max())
    for axes, variable in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown, strict=True):
        signal = signal_of(result, variable)
        duration = len(signal) * signal.step
        rate = min(meshes) * float(speed.max() - speed.min()) / duration
        length = min(max(1.0 / sqrt(rate), SHORTEST * duration), LONGEST * duration)
        found = spectrogram(signal, segment=max(length, LEAST * signal.step), angle=angle)
        assert found.speed is not None
        steps = np.diff(found.speed)
        over = "speed" if np.all(steps > 0.0) or np.all(steps < 0.0) else "at"
        draw_map(axes, found, causes, over=over, up_to=up_to, title=signal.name)
    return figure


def signal_of(result: Result, variable: str | None = None) -> Signal:
    """What is looked at: of a vector the component that changes most."""
    data = result.dataset
    variable = variable or looked_at(data)[0]
    dims = [str(dim) for dim in data[variable].dims if dim != "time"]
    varies = data[variable].std("time")
    labels = {dim: str(data[dim].to_numpy()[0]) for dim in dims if dim != "axis"}
    if "axis" in dims:
        own = varies.sel(labels).to_numpy()
        labels["axis"] = str(data["axis"].to_numpy()[int(np.nanargmax(own))])
    return recorded_signal(result, variable, **labels)


def _draw(result: Result) -> Figure:
    expected = run_up_of(result)
    assert expected is not None  # the picture holds
    return draw_waterfall(result.dataset, *expected)


PICTURE = Picture(
    name="waterfall",
    heading="Spectrum",
    order=117,
    holds=lambda result: run_up_of(result) is not None,
    draw=_draw,
    caption=lambda result: "Spectra of the run-up over its speed; dashed: orders that are expected",
)
