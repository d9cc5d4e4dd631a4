"""Rotation errors of the shafts of a machine, and its meshes side by side."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from alegear.report.blocks import Block, TableBlock, Text
from alegear.report.section import ReportSection
from alegear.report.values import MICRO
from alegear.results import signals
from alegear.results.reading import array, has, labels, lead_of
from alegear.results.result import Result


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    shafts = labels(dataset, "shaft")
    error = array(dataset, "rotation_error") * MICRO
    ratio = array(dataset, "ratio") if "ratio" in dataset.coords else np.full(len(shafts), np.nan)
    rows = [
        [name, float(ratio[k]), signals.mean(error[:, k]), signals.peak_to_peak(error[:, k])]
        for k, name in enumerate(shafts)
    ]
    yield TableBlock(head=("shaft", "speed over the drive's", "mean error [µrad]", "peak to peak [µrad]"), rows=rows)
    yield Text(
        text="Rotation error: rotation of the shaft where it is loaded less ratio times that of its drive's place.",
        kind="note",
    )


SECTION = ReportSection(
    title="Shafts and meshes",
    order=220,
    holds=lambda result: has(result.dataset, "rotation_error") and lead_of(result.dataset) is not None,
    blocks=_blocks,
)
