"""Forces on bearings: of the gears of a pair, of the shafts of a machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from alegear.report.blocks import Block, TableBlock
from alegear.report.section import ReportSection
from alegear.results.reading import array, has, labels, lead_of, reach
from alegear.results.result import Result


def _of(result: Result) -> str:
    """Dimension of what has bearings."""
    return str(result.dataset["bearing_force"].dims[1])


def _holds(result: Result) -> bool:
    dataset = result.dataset
    if not has(dataset, "bearing_force") or lead_of(dataset) is None or dataset["bearing_force"].ndim != 3:
        return False
    return bool(np.any(np.nan_to_num(array(dataset, "bearing_force"))))  # a mesh of a machine has none of its own


def _blocks(result: Result) -> Iterator[Block]:
    dataset, of = result.dataset, _of(result)
    names, axes = labels(dataset, of), labels(dataset, "axis")
    force = array(dataset, "bearing_force")
    size = np.linalg.norm(force, axis=-1)
    rows: list[list[Any]] = []
    for k, name in enumerate(names):
        mean, _, largest = reach(size[:, k])
        rows.append([name, *(reach(force[:, k, i])[0] for i in range(len(axes))), mean, largest])
    head = (of, *(f"mean {axis} [N]" for axis in axes), "mean size [N]", "largest size [N]")
    yield TableBlock(head=head, rows=rows, caption=f"Force of the {'gear' if of == 'gear' else 'shaft'} on its bearing")


SECTION = ReportSection(title="Bearing forces", order=240, holds=_holds, blocks=_blocks)
