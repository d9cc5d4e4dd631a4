"""A study over named axes: its axes, and how the main quantities go over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from alegear.arrays import Array
from alegear.pictures.design_words import QUANTITIES, conditions, over_axes, quantity_label
from alegear.report.blocks import Block, TableBlock, Text
from alegear.report.section import ReportSection
from alegear.report.study_keys import axes_of, is_study, words_of
from alegear.results.reading import has
from alegear.results.requested_outputs import RequestedOutputs, requested_outputs_of
from alegear.results.result import Result
from alegear.results.study_result import StudyResult

#: A key of the case in words.
Words = Callable[[str], str]
#: Rows of the table of the best points.
BEST = 10
#: Designs of a front in its table.
MOST_ROWS = 20
#: Letters of a label that stays in one line.
WHOLE = 200


def _blocks(result: Result) -> Iterator[Block]:
    dataset, axes = result.dataset, axes_of(result)
    keys = [key for of_axis in axes.values() for key in of_axis]
    named = partial(words_of, keys=keys, quantities=result.record.quantities)
    rows = [
        [named(key), dataset[key].size, _shown(dataset[key].values[0]), _shown(dataset[key].values[-1]),
         _may_break(key)]
        for key in keys
        if key in dataset.coords
    ]  # fmt: skip
    yield TableBlock(head=("axis", "values", "first", "last", "key of the case"), rows=rows)
    failed = [str(one) for one in np.ravel(dataset["failure"].values) if str(one)]
    for words in dict.fromkeys(failed):
        count = failed.count(words)
        yield Text(text=f"{count} of {dataset['failure'].size} points: {words}", kind="warning")
    if warned := int(result.summary.get("warned", 0)):
        first = next(str(one) for one in np.ravel(dataset["warnings"].values) if str(one))
        words = f"{warned} of {dataset['failure'].size} points have warnings (warnings in study.nc); the first: {first}"
        yield Text(text=words, kind="note")
    requested = result.summary.get("requested")
    if requested and isinstance(result, StudyResult):
        yield from _answers(requested_outputs_of(result, requested), keys, named)
    found = {words: over_axes(dataset, name, factor) for name, factor, words in QUANTITIES if has(dataset, name)}
    if not found:
        return
    quantity = next(iter(found))
    yield from _best(result, keys, named, found, quantity)


def _answers(found: RequestedOutputs, keys: Sequence[str], named: Words) -> Iterator[Block]:
    """The optimum, fronts and map of the study file."""
    best = found.optimum
    if best is not None:
        rows: list[list[Any]] = [[named(key), value] for key, value in best.design.items()]
        rows += [["worst value", best.worst], ["mean", best.mean]]
        by = conditions(best.by, best.over) or best.by
        yield TableBlock(rows=rows, caption=f"Optimum: best {quantity_label(best.quantity, WHOLE)} by its {by}")
        for axis in best.at_end:
            name = named(axis) if axis in keys else axis
            words = f"The optimum is at the end of the axis {name}: a better one may lie beyond."
            yield Text(text=words, kind="note")
        if best.left_out:
            words = f"{best.left_out} designs are left out, of which a point could not be computed"
            yield Text(text=words, kind="note")
    for front in found.fronts:
        rows_of = front.table()
        quantities = {one.label: quantity_label(one, WHOLE) for one in (*front.quantities, *front.beside)}
        shown = [key for key in rows_of.columns if key in quantities or key in _varied(front.designs)]
        over = _over_words(front.by, front.over)
        words = f"Pareto front: {len(rows_of)} of {len(front.designs)} designs that no other one beats{over}"
        rows = rows_of[shown].head(MOST_ROWS).to_numpy().tolist()
        if len(rows_of) > MOST_ROWS:
            words += f"; the first {MOST_ROWS}, all are in table.csv"
        yield TableBlock(head=[quantities.get(key) or named(key) for key in shown], rows=rows, caption=words)


def _varied(designs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Keys that are not the same in all designs, those too that go with another one."""
    return [key for key in designs[0] if any(design[key] != designs[0][key] for design in designs)]


def _over_words(by: str, over: Sequence[str]) -> str:
    return f", {conditions(by, over)}" if over else ""


def _may_break(key: str) -> str:
    """A dotted key that may go on in the next line behind its dots and lines."""
    return key.replace(".", ".\u200b").replace("_", "_\u200b")


def _best(
    result: Result, keys: Sequence[str], named: Words, found: Mapping[str, Array], quantity: str
) -> Iterator[Block]:
    """Points with the smallest values of the first quantity."""
    dataset, values = result.dataset, found[quantity]
    order = [one for one in np.argsort(values, axis=None) if np.isfinite(values.flat[one])][:BEST]
    rows: list[list[Any]] = []
    dims = list(axes_of(result))
    keys = [key for key in keys if key in dataset.coords and len(set(dataset[key].values.tolist())) > 1]
    for one in order:
        at = dict(zip(dims, np.unravel_index(one, values.shape), strict=True))
        values_of_keys = (_shown(dataset[key].values[at[str(dataset[key].dims[0])]]) for key in keys)
        rows.append([*values_of_keys, *(float(own.flat[one]) for own in found.values())])
    head = (*(named(key) for key in keys), *found)
    yield TableBlock(
        head=head, rows=rows, caption=f"Single points with the smallest {quantity}, each at its own conditions"
    )


def _shown(value: Any) -> Any:
    return value if isinstance(value, str) else float(value)


SECTION = ReportSection(
    title="Study",
    order=25,
    holds=lambda result: is_study(result) and "failure" in result.dataset,
    blocks=_blocks,
    of_meshes=False,
)
