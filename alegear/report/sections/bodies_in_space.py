"""Machines with bodies in space: joints, teeth, bushings and springs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from alegear.report.blocks import Block, TableBlock
from alegear.report.section import ReportSection
from alegear.report.values import label_of, numbers_of
from alegear.results.reading import has
from alegear.results.result import Result

if TYPE_CHECKING:
    pass

#: Below this part of the largest force or torque is what round-off has left of a zero.
ROUND_OFF = 1e-12
KINDS = ("joints", "meshes", "bushings", "point_springs")


def _blocks(result: Result) -> Iterator[Block]:
    summary = dict(result.summary)
    for kind in KINDS:
        named = summary.get(kind)
        if isinstance(named, Mapping) and named:
            keys = list(dict.fromkeys(key for one in named.values() for key in numbers_of(one)))
            least = ROUND_OFF * max(
                (abs(one[key]) for one in named.values() for key in keys if key in one), default=0.0
            )
            rows = [[name, *(_value(one.get(key), least) for key in keys)] for name, one in named.items()]
            yield TableBlock(head=(kind.replace("_", " "), *map(label_of, keys)), rows=rows)


def _value(value: float | None, least: float) -> float | None:
    """A figure of the summary; what round-off has left of a zero is 0."""
    return 0.0 if value is not None and abs(value) < least else value


SECTION = ReportSection(
    title="Bodies in space",
    order=270,
    holds=lambda result: has(result.dataset, "reaction_force", "rotation_vector"),
    blocks=_blocks,
)
