"""Rotation errors of the shafts of a machine, and its meshes side by side."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from alegear.report.blocks import Block, Table, Text
from alegear.report.charts import Axis
from alegear.report.curves import by_name
from alegear.report.section import Section
from alegear.report.values import MEGA, MICRO, array, has, labels, lead_of
from alegear.results import signals
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
    yield Table(head=("shaft", "speed over the drive's", "mean error [µrad]", "peak to peak [µrad]"), rows=rows)
    yield Text(
        text="Rotation error: rotation of the shaft where it is loaded less ratio times that of its drive's place.",
        kind="note",
    )
    about = error - np.nanmean(error, axis=0)
    yield from by_name(
        dataset, shafts, about, Axis(label="rotation error about its mean [µrad]"), "Rotation errors of the shafts"
    )
    meshes = labels(dataset, "mesh")
    if has(dataset, "transmission_error") and dataset["transmission_error"].ndim == 2:
        te = array(dataset, "transmission_error") * MICRO
        about = te - np.nanmean(te, axis=0)
        words = "Transmission errors of the meshes about their means, driven gear less driver along the line of action"
        yield from by_name(dataset, meshes, about, Axis(label="TE about its mean [µm]"), words)
    if has(dataset, "mesh_stiffness") and dataset["mesh_stiffness"].ndim == 2:
        stiffness = array(dataset, "mesh_stiffness") * MEGA
        yield from by_name(
            dataset, meshes, stiffness, Axis(label="mesh stiffness [N/µm]", low=0.0), "Stiffness of the meshes"
        )


SECTION = Section(
    title="Shafts and meshes",
    order=220,
    holds=lambda result: has(result.dataset, "rotation_error") and lead_of(result.dataset) is not None,
    blocks=_blocks,
)
