"""A study over named axes: its axes, and how the main quantities go over them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.report.blocks import Block, Figure, Table, Text
from alegear.report.charts import Axis, Line, line_chart
from alegear.report.section import Section
from alegear.report.values import array, has
from alegear.results.result import Result

Floats = NDArray[np.float64]
#: Variable, factor, what it is called; the largest over all further dimensions counts.
QUANTITIES = (
    ("te_peak_to_peak", 1e6, "TE peak to peak [µm]"),
    ("contact_pressure_max", 1e-6, "flank pressure [MPa]"),
    ("root_stress_max", 1e-6, "root stress [MPa]"),
    ("face_load_factor", 1.0, "K Hβ"),
)
#: Rows of the table of the best points.
BEST = 10


def _axes(result: Result) -> Mapping[str, Sequence[str]]:
    """Keys of each axis."""
    found: Mapping[str, Sequence[str]] = json.loads(str(result.dataset.attrs["axes"]))
    return found


def _values(result: Result, name: str, factor: float) -> Floats:
    """A quantity over the axes alone."""
    values, axes = array(result.dataset, name) * factor, len(_axes(result))
    flat = values.reshape(*values.shape[:axes], -1)
    largest = np.where(np.isfinite(flat), flat, -np.inf).max(axis=-1, initial=-np.inf)
    found: Floats = np.where(np.isfinite(largest), largest, np.nan)
    return found


def _blocks(result: Result) -> Iterator[Block]:
    dataset, axes = result.dataset, _axes(result)
    keys = [key for of_axis in axes.values() for key in of_axis]
    rows = [
        [key, dataset[key].size, _shown(dataset[key].values[0]), _shown(dataset[key].values[-1])]
        for key in keys
        if key in dataset.coords
    ]
    yield Table(head=("axis", "values", "first", "last"), rows=rows)
    failed = [str(one) for one in np.ravel(dataset["failure"].values) if str(one)]
    for words in dict.fromkeys(failed):
        count = failed.count(words)
        yield Text(text=f"{count} of {dataset['failure'].size} points: {words}", kind="warning")
    if warned := int(result.summary.get("warned", 0)):
        words = f"{warned} of {dataset['failure'].size} points have warnings, which the result tells (warnings)"
        yield Text(text=words, kind="note")
    found = {words: _values(result, name, factor) for name, factor, words in QUANTITIES if has(dataset, name)}
    if not found:
        return
    quantity = next(iter(found))
    yield from _best(result, keys, found, quantity)
    for number, (axis, of_axis) in enumerate(axes.items()):
        x = dataset[of_axis[0]].values
        if dataset.sizes[axis] > 1 and np.issubdtype(np.asarray(x).dtype, np.number):
            others = tuple(k for k in range(len(axes)) if k != number)
            chart = line_chart(list(_over(np.asarray(x, dtype=float), found[quantity], others)),
                               Axis(label=of_axis[0]), Axis(label=quantity))  # fmt: skip
            yield Figure(svg=chart, caption=f"{quantity} over {of_axis[0]}, all other axes summed up")


def _best(result: Result, keys: Sequence[str], found: Mapping[str, Floats], quantity: str) -> Iterator[Block]:
    """Points with the smallest values of the first quantity."""
    dataset, values = result.dataset, found[quantity]
    order = [one for one in np.argsort(values, axis=None) if np.isfinite(values.flat[one])][:BEST]
    rows: list[list[Any]] = []
    dims = list(_axes(result))
    keys = [key for key in keys if key in dataset.coords and len(set(dataset[key].values.tolist())) > 1]
    for one in order:
        at = dict(zip(dims, np.unravel_index(one, values.shape), strict=True))
        told = [_shown(dataset[key].values[at[str(dataset[key].dims[0])]]) for key in keys]
        rows.append([*told, *(float(own.flat[one]) for own in found.values())])
    head = (*(key.replace(".", ".\u200b").replace("_", "_\u200b") for key in keys), *found)  # may break there
    yield Table(head=head, rows=rows, caption=f"Points with the smallest {quantity}")


def _over(x: Floats, values: Floats, others: tuple[int, ...]) -> Iterator[Line]:
    """Smallest, mean and largest value over the other axes."""
    if not others:
        yield Line(x=x, y=values)
        return
    there = np.isfinite(values)
    count = there.sum(axis=others)
    mean = np.where(there, values, 0.0).sum(axis=others) / np.where(count > 0, count, np.nan)
    low = np.where(there, values, np.inf).min(axis=others)
    high = np.where(there, values, -np.inf).max(axis=others)
    for number, (words, own) in enumerate((("smallest", low), ("mean", mean), ("largest", high))):
        yield Line(x=x, y=np.where(np.isfinite(own), own, np.nan), label=words, colour=number, dashed=number != 1)


def _shown(value: Any) -> Any:
    return value if isinstance(value, str) else float(value)


SECTION = Section(
    title="Study",
    order=25,
    holds=lambda result: "axes" in result.dataset.attrs and "failure" in result.dataset,
    blocks=_blocks,
    of_meshes=False,
)
