"""Geometry of gears and their engagement, as ``alegear check`` derives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from alegear.report.blocks import Block, Table
from alegear.report.section import Section
from alegear.report.values import label_of
from alegear.results.result import Result

#: Parts side by side in a table.
BESIDE = 5
_GEARS = ("pinion", "wheel")
#: Tables of what parts there are, a row a part.
_LEFT_OUT = ("warnings",)


def _blocks(result: Result) -> Iterator[Block]:
    data = dict(result.record.data)
    if all(isinstance(data.get(name), Mapping) for name in _GEARS):
        yield from _side_by_side("gears", {name: data.pop(name) for name in _GEARS})
        if isinstance(pair := data.pop("pair", None), Mapping):
            yield Table(head=("engagement", ""), rows=[(label_of(key), value) for key, value in pair.items()])
    for kind, named in data.items():
        if kind in _LEFT_OUT or not isinstance(named, Mapping) or not named:
            continue
        title = kind.replace("_", " ")
        if all(isinstance(one, Mapping) for one in named.values()):
            yield from _side_by_side(title, named)
        else:
            yield Table(head=(title, ""), rows=[(label_of(key), value) for key, value in named.items()])


def _side_by_side(title: str, parts: Mapping[str, Mapping[str, Any]]) -> Iterator[Block]:
    """A column a part, a row a quantity; what no part has is left out."""
    names = list(parts)
    for first in range(0, len(names), BESIDE):
        some = names[first : first + BESIDE]
        keys = dict.fromkeys(key for name in some for key in parts[name])
        rows = [(label_of(key), *(parts[name].get(key) for name in some)) for key in keys]
        yield Table(head=(title, *some), rows=[row for row in rows if any(_is_told(one) for one in row[1:])])


def _is_told(value: Any) -> bool:
    return value is not None and value != {} and value != []


SECTION = Section(
    title="Geometry",
    order=30,
    holds=lambda result: bool(result.record.data),
    blocks=_blocks,
    of_meshes=False,
)
