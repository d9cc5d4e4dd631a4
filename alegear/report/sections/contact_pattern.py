"""Maps of the flank: pressure and line load of a cycle, edge contact apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.pictures.colours import COLOURS
from alegear.report.blocks import Block, Figure, cell
from alegear.report.charts import Axis, Mark
from alegear.report.frame import Scale
from alegear.report.maps import heat_map
from alegear.report.section import Section
from alegear.report.ticks import tick_labels, ticks
from alegear.report.values import MEGA, MILLI, array, has, labels
from alegear.results.result import Result
from alegear.results.steady_window import window_of_dataset

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]
#: Room beyond the ends of the flanks, as part of the map.
ROOM = 0.01
#: Significant digits in captions.
DIGITS = 4
#: Of the ends of the flanks of pinion and wheel.
GEAR_COLOURS = (COLOURS[1], "#222")

#: Where a narrow peak would use up the colours, they end this much above what 85 % of the cells stay below.
COMMON, ABOVE, OUT = 0.85, 1.2, 1.3
ROLL = "roll length on the pinion's flank [mm]"
FACE = "across the face [mm]"


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    roll, face = array(dataset, "roll_length") * MILLI, array(dataset, "slice") * MILLI
    pressure = array(dataset, "pattern_pressure") * MEGA
    edge = np.nan_to_num(array(dataset, "pattern_edge_pressure")) * MEGA
    only_edge = edge > np.nan_to_num(pressure)
    marks = list(_limits(dataset))
    axes = (_over_all(roll, [mark.x for mark in marks]), Axis(label=FACE))
    load = load_words(dataset)
    for name, factor, quantity, unit, words in (
        ("pattern_pressure", MEGA, "flank pressure", "MPa", "Largest contact pressure of the flanks over a cycle"),
        ("pattern_line_load", 1e-3, "line load", "N/mm", "Largest line load over a cycle"),
    ):
        values = array(dataset, name) * factor
        values = np.where(values > 0.0, values, np.nan)
        if not np.isfinite(values).any():
            continue
        hatched = only_edge if name == "pattern_pressure" else None
        caption = f"{words}, up to {cell(float(np.nanmax(values)), DIGITS)} {unit} at the cross{load}"
        if hatched is not None and only_edge.any():
            caption += (
                f"; hatched: a tip edge or undercut edge touches there, with up to {cell(float(edge.max()), DIGITS)} "
                "MPa, which is that of its rounding and not of the flanks; the colours are those of the flanks"
            )
        chart = heat_map(
            roll, face, values, axes, f"{quantity} [{unit}]", hatched=hatched, marks=marks,
            top=end_of_scale(values), second=diameters(dataset), cross=True,
        )  # fmt: skip
        yield Figure(svg=chart, caption=caption)


def _over_all(roll: Floats, limits: list[float]) -> Axis:
    """Abscissa that shows the whole map and the ends of both flanks."""
    half = 0.5 * (float(roll[-1]) - float(roll[0])) / max(len(roll) - 1, 1)
    room = ROOM * (float(roll[-1]) - float(roll[0]))
    low = min([float(roll[0]) - half, *(limit - room for limit in limits)])
    return Axis(label=ROLL, low=low, high=max([float(roll[-1]) + half, *(limit + room for limit in limits)]))


def _limits(dataset: xr.Dataset) -> Iterator[Mark]:
    """Ends of the flanks: tips as full lines, root form circles dashed, a colour a gear."""
    for g, gear in enumerate(labels(dataset, "gear")):
        for k, limit in enumerate(labels(dataset, "limit")):
            place = float(array(dataset, "flank_limit")[g, k]) * MILLI
            if np.isfinite(place):
                words = f"{limit.replace('_', ' ')}, {gear}"
                yield Mark(x=place, label=words, dashed=limit != "tip", colour=GEAR_COLOURS[g % len(GEAR_COLOURS)])


def load_words(dataset: xr.Dataset) -> str:
    """Say load, torque, its spread across the face, and whether less than a pitch was computed."""
    words = []
    if has(dataset, "load_mean") and np.isfinite(load := float(dataset["load_mean"])):
        words.append(f"load {cell(1e-3 * load, DIGITS)} kN")
        if has(dataset, "base_radius"):
            torque = load * float(array(dataset, "base_radius")[0])
            words[0] += f" ({cell(torque, DIGITS)} N m on the pinion)"
    if has(dataset, "face_load_factor") and np.isfinite(factor := float(dataset["face_load_factor"])):
        words.append(f"K Hβ {factor:.3g}")
    if has(dataset, "phase") and not window_of_dataset(dataset).pitches:
        words.append("less than a pitch: the flank is not reached everywhere")
    return f"; {', '.join(words)}" if words else ""


def diameters(dataset: xr.Dataset) -> Scale | None:
    """Diameters of the pinion over its roll lengths [mm], ``d = 2 sqrt(r_b^2 + xi^2)``; None where r_b is not told."""
    if not has(dataset, "base_radius"):
        return None
    radius = float(array(dataset, "base_radius")[0]) * MILLI
    reach = np.concatenate([array(dataset, "roll_length"), array(dataset, "flank_limit").ravel()]) * MILLI
    low, high = (2.0 * math.hypot(radius, max(float(one), 0.0)) for one in (np.nanmin(reach), np.nanmax(reach)))
    found = ticks(low, high, 8)
    at = [math.sqrt(max(0.25 * one**2 - radius**2, 0.0)) for one in found]
    return Scale(label="diameter of the pinion [mm]", at=at, names=tick_labels(found))


def end_of_scale(values: Floats) -> float | None:
    """Where the colours of a map end: None, at the largest value, but below a narrow peak."""
    finite = values[np.isfinite(values)]
    common = ABOVE * float(np.quantile(finite, COMMON))
    return common if float(finite.max()) > OUT * common > 0.0 else None


SECTION = Section(
    title="Contact pattern",
    order=140,
    holds=lambda result: (
        has(result.dataset, "pattern_pressure", "pattern_line_load", "flank_limit")
        and result.dataset["pattern_pressure"].dims == ("roll", "slice")
    ),
    blocks=_blocks,
)
