"""Order lines of run-ups: levels of mesh orders over the speed, in dB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.legends import legend_below
from alegear.pictures.of_results.waterfall import CHANGES, run_up_of, signal_of
from alegear.pictures.picture import Picture
from alegear.pictures.scales import in_signs
from alegear.pictures.titles import first_gear, words
from alegear.results import signals
from alegear.results.orders import ExpectedOrder
from alegear.results.reading import over_lead
from alegear.results.result import Result
from alegear.signals.recorded import recorded_angle
from alegear.signals.spectrogram import order_map

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


#: Mesh orders of a pair.
ORDERS = (1, 2, 3, 4)
#: Pitches of a point of a line, and fewest points.
PITCHES, POINTS = 8, 6
#: Turns of the shaft of a point of a machine, at most this part of all, and most lines of it.
TURNS, LONGEST, LINES = 4.0, 0.2, 6
#: Levels further below the highest are not shown [dB].
RANGE = 60.0
#: Names that stand in a row, at most.
IN_A_ROW = 4


def pair_lines(dataset: xr.Dataset) -> tuple[Array, dict[str, Array]] | None:
    """Return speeds of the pinion [rpm] and amplitudes [um] of the orders of its transmission error, in a run-up.

    Over blocks of whole pitches, by least squares; None where the speed changes too little or too short.
    """
    if not over_lead(dataset, "transmission_error", "phase", ndim=1) or not over_lead(dataset, "speed", ndim=2):
        return None
    phase, speed = (np.asarray(dataset[name].values, dtype=float) for name in ("phase", "speed"))
    speed = np.abs(speed[:, 0])
    rising = np.diff(phase) > 0.0
    if len(phase) < 2 or not rising.all() or np.ptp(speed) <= CHANGES * speed.max():
        return None
    found = signals.pitch_blocks(phase, PITCHES)
    if len(found) < POINTS:
        return None
    error = 1e6 * np.asarray(dataset["transmission_error"].values, dtype=float)
    amplitude = np.array([signals.order_amplitudes(phase[part], error[part], ORDERS) for part in found])
    rpm = np.array([speed[part].mean() for part in found]) * 30.0 / pi
    return rpm, {f"mesh order {order}": amplitude[:, k] for k, order in enumerate(ORDERS)}


def draw_machine_orders(dataset: xr.Dataset, reference: str, orders: Sequence[ExpectedOrder]) -> Figure:
    """Draw the orders of meshes over the speed of a shaft, of the signal that the waterfall shows first.

    Parameters
    ----------
    dataset : xarray.Dataset
        Of a motion with a run-up (:func:`alegear.pictures.of_results.waterfall.has_run_up`).
    reference : str
        Shaft of the orders.
    orders : sequence of ExpectedOrder
    """
    result = Result(summary={}, dataset=dataset)
    signal, angle = signal_of(result), recorded_angle(result, reference)
    turns = abs(float(angle.values[-1] - angle.values[0])) / (2.0 * pi)
    found = order_map(signal, angle, segment=min(TURNS, LONGEST * turns))
    assert found.speed is not None
    meshes = [one for one in orders if one.kind == "mesh"] or list(orders)
    lines: dict[str, Array] = {}
    for one in meshes[:LINES]:
        near = np.abs(found.x - one.order) <= found.resolution
        if near.any():
            amplitude = found.amplitude[near].max(axis=0)
            same = [name for name, other in lines.items() if np.array_equal(other, amplitude)]  # both meshes of planets
            lines[", ".join([*same, one.name])] = lines.pop(same[0]) if same else amplitude
    title = words(dataset, f": {signal.name}")
    rpm = np.abs(found.speed) * 30.0 / pi
    return _draw(rpm, lines, title, f"speed of {reference} [rpm]", f"amplitude [dB re 1 {in_signs(signal.units)}]")


def _draw(rpm: Array, lines: Mapping[str, Array], title: str, xlabel: str, ylabel: str) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 4.6), layout="constrained")
    axes = figure.subplots()
    order = np.argsort(rpm, kind="stable")
    low, top = np.inf, -np.inf
    for k, (name, amplitude) in enumerate(lines.items()):
        with np.errstate(divide="ignore"):
            level = 20.0 * np.log10(amplitude[order])
        known = level[np.isfinite(level)]
        low, top = min(low, float(known.min(initial=np.inf))), max(top, float(known.max(initial=-np.inf)))
        axes.plot(rpm[order], level, color=COLOURS[k % len(COLOURS)], linewidth=1.4, label=name)
    if np.isfinite(top):
        axes.set_ylim(max(low, top - RANGE) - 0.04 * RANGE, top + 0.08 * RANGE)
    axes.set_xlabel(xlabel, parse_math=False)
    axes.set_ylabel(ylabel, parse_math=False)
    axes.grid(True, color="0.9")
    axes.margins(x=0.0)
    figure.suptitle(title, fontsize=10, parse_math=False)
    legend_below(figure, axes.get_legend_handles_labels(), IN_A_ROW)
    return figure


def _draw_of(result: Result) -> Figure:
    """Of a pair the mesh orders of its transmission error, of a machine those of the signal that is looked at first."""
    of_pair = pair_lines(result.dataset)
    if of_pair is not None:
        label = f"speed of {first_gear(result.dataset)} [rpm]"
        return _draw(*of_pair, words(result.dataset), label, "transmission error [dB re 1 µm]")
    expected = run_up_of(result)
    assert expected is not None  # the picture holds
    return draw_machine_orders(result.dataset, *expected)


PICTURE = Picture(
    name="orders",
    heading="Spectrum",
    order=116,
    holds=lambda result: pair_lines(result.dataset) is not None or run_up_of(result) is not None,
    draw=_draw_of,
    caption=lambda result: "Levels of mesh orders over the speed",
)
