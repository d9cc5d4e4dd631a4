"""Machines with bodies in space: joints, teeth, bushings and springs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from alegear.report.blocks import Block, Table
from alegear.report.charts import Axis
from alegear.report.curves import by_name, lengths
from alegear.report.section import Section
from alegear.report.values import array, has, label_of, labels, numbers_of
from alegear.results.result import Result

KINDS = ("joints", "meshes", "bushings", "point_springs")


def _blocks(result: Result) -> Iterator[Block]:
    dataset, summary = result.dataset, dict(result.summary)
    for kind in KINDS:
        named = summary.get(kind)
        if isinstance(named, Mapping) and named:
            keys = list(dict.fromkeys(key for one in named.values() for key in numbers_of(one)))
            rows = [[name, *(one.get(key) for key in keys)] for name, one in named.items()]
            yield Table(head=(kind.replace("_", " "), *map(label_of, keys)), rows=rows)
    yield from by_name(
        dataset,
        labels(dataset, "joint"),
        lengths(dataset, "reaction_force"),
        Axis(label="reaction force [N]"),
        "Size of the reaction forces of the joints",
    )
    if has(dataset, "normal_force"):
        yield from by_name(
            dataset,
            labels(dataset, "mesh"),
            array(dataset, "normal_force"),
            Axis(label="tooth force [N]"),
            "Forces normal to the flanks; the sign says which flanks bear",
        )


SECTION = Section(
    title="Bodies in space",
    order=270,
    holds=lambda result: has(result.dataset, "reaction_force", "rotation_vector"),
    blocks=_blocks,
)
