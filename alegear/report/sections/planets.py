"""How planets share the load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from alegear.report.blocks import Block, TableBlock
from alegear.report.section import ReportSection
from alegear.results.reading import array, has, labels, reach
from alegear.results.result import Result


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    names, share, force = (
        labels(dataset, "planet_mesh"), array(dataset, "load_share"), array(dataset, "planet_mesh_force"),
    )  # fmt: skip
    rows: list[list[Any]] = []
    for k, name in enumerate(names):
        mean, low, high = reach(share[:, k])
        rows.append([name, mean, low, high, reach(force[:, k])[0]])
    head = ("mesh of a planet", "mean share", "smallest", "largest", "mean force [N]")
    yield TableBlock(head=head, rows=rows, caption="Force of each mesh over the mean of all planets at this gear")
    if has(dataset, "pin_force"):
        pins, axes = labels(dataset, "planet"), labels(dataset, "of_pin")
        pin = array(dataset, "pin_force")
        forces = [[name, *(reach(pin[:, k, i])[0] for i in range(len(axes)))] for k, name in enumerate(pins)]
        yield TableBlock(
            head=("planet", *(f"mean {axis} [N]" for axis in axes)), rows=forces, caption="Forces on the pins"
        )


SECTION = ReportSection(
    title="Planet load shares",
    order=230,
    holds=lambda result: has(result.dataset, "load_share", "planet_mesh_force"),
    blocks=_blocks,
)
