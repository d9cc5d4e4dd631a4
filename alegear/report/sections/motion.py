"""A motion as a whole: speeds and energies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from alegear.report.blocks import Block
from alegear.report.charts import Axis
from alegear.report.curves import by_name
from alegear.report.section import Section
from alegear.report.values import RPM, array, has, labels, moves
from alegear.results.result import Result

#: What turns in a kind of result: variable, dimension.
SPEEDS = (("speed", "gear"), ("speed", "shaft"), ("speed", "body"), ("speed", "rotor"), ("body_speed", "body"))
ENERGIES = {
    "energy_input": "put in",
    "energy_dissipated": "lost",
    "energy_kinetic": "change of kinetic",
    "energy_elastic": "change of elastic",
    "energy_stored": "change of stored",
}


def _speeds(result: Result) -> list[tuple[str, str]]:
    dataset = result.dataset
    return [(name, dim) for name, dim in SPEEDS if has(dataset, name) and dim in dataset[name].dims]


def _holds(result: Result) -> bool:
    return moves(result.dataset) and bool(_speeds(result) or has(result.dataset, "energy_input"))


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    for name, dim in _speeds(result):
        values = array(dataset, name) * RPM
        words = {"gear": "running direction", "shaft": "direction of the shaft"}.get(dim, "own axis")
        yield from by_name(
            dataset, labels(dataset, dim), values, Axis(label="speed [rpm]"), f"Speeds, about the {words}"
        )
    energies = [name for name in ENERGIES if has(dataset, name) and dataset[name].ndim == 1]
    if energies:
        values = np.stack([array(dataset, name) for name in energies], axis=1)
        values = values - values[:1]
        yield from by_name(
            dataset, [ENERGIES[name] for name in energies], values, Axis(label="energy [J]"), "Energies since the start"
        )


SECTION = Section(title="Motion", order=170, holds=_holds, blocks=_blocks)
