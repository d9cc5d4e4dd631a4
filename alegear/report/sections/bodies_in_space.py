"""Machines with bodies in space: joints, teeth, bushings and springs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from alegear.report.blocks import Block, Table, Text
from alegear.report.charts import Axis
from alegear.report.curves import by_name, lengths
from alegear.report.section import Section
from alegear.report.values import array, has, label_of, labels, numbers_of
from alegear.results.result import Result

if TYPE_CHECKING:
    import xarray as xr

#: Below this part of the largest force or torque is what round-off has left of a zero.
ROUND_OFF = 1e-12
NOT_DRAWN = (
    "The layout of bodies in space is not drawn: their positions are in the tables above, their motion in motion.png."
)
FORCES = ("reaction_force", "normal_force", "bushing_force", "spring_force")
KINDS = ("joints", "meshes", "bushings", "point_springs")


def _blocks(result: Result) -> Iterator[Block]:
    dataset, summary = result.dataset, dict(result.summary)
    yield Text(text=NOT_DRAWN, kind="note")
    for kind in KINDS:
        named = summary.get(kind)
        if isinstance(named, Mapping) and named:
            keys = list(dict.fromkeys(key for one in named.values() for key in numbers_of(one)))
            least = ROUND_OFF * max(
                (abs(one[key]) for one in named.values() for key in keys if key in one), default=0.0
            )
            rows = [[name, *(_told(one.get(key), least) for key in keys)] for name, one in named.items()]
            yield Table(head=(kind.replace("_", " "), *map(label_of, keys)), rows=rows)
    reactions = lengths(dataset, "reaction_force")
    if float(reactions.max(initial=0.0)) > ROUND_OFF * _largest_force(dataset):
        words = "Size of the reaction forces of the joints"
        yield from by_name(dataset, labels(dataset, "joint"), reactions, Axis(label="reaction force [N]"), words)
    if has(dataset, "normal_force"):
        yield from by_name(
            dataset,
            labels(dataset, "mesh"),
            array(dataset, "normal_force"),
            Axis(label="tooth force [N]"),
            "Forces normal to the flanks; the sign says which flanks bear",
        )


def _largest_force(dataset: xr.Dataset) -> float:
    """Largest force of any joint, mesh, bushing or spring."""
    names = [name for name in FORCES if has(dataset, name)]
    return max((float(np.abs(array(dataset, name)).max()) for name in names), default=0.0)


def _told(value: float | None, least: float) -> float | None:
    """A figure of the summary; what round-off has left of a zero is 0."""
    return 0.0 if value is not None and abs(value) < least else value


SECTION = Section(
    title="Bodies in space",
    order=270,
    holds=lambda result: has(result.dataset, "reaction_force", "rotation_vector"),
    blocks=_blocks,
)
