"""Natural frequencies, where their energy is, and at which speeds the mesh excites them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from alegear.report.blocks import Block, TableBlock
from alegear.report.section import ReportSection
from alegear.report.values import label_of, numbers_of
from alegear.results.modal_result import turning_changes
from alegear.results.reading import array, has, labels
from alegear.results.result import Result

#: Parts that a table names: those with most of the energy of deformation.
NAMED = 3


def _holds(result: Result) -> bool:
    return has(result.dataset, "pair_frequency") or (
        has(result.dataset, "frequency", "energy_share") and "mode" in result.dataset["frequency"].dims
    )


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    if has(dataset, "pair_frequency"):
        numbers = {k: v for k, v in numbers_of(result.summary).items() if k.endswith(("_Hz", "_N_per_um"))}
        yield TableBlock(rows=[(label_of(key), value) for key, value in numbers.items()])
        yield _table(result, "pair_frequency", "pair_energy_share", "Modes of the loaded pair")
    else:
        yield _table(result, "frequency", "energy_share", "Standing still, undamped")
        if has(dataset, "turning_frequency") and _turns(result):
            yield _table(result, "turning_frequency", "turning_energy_share", "Turning, damped")
    if has(dataset, "held_frequency"):
        yield from _wheels(result)


def _turns(result: Result) -> bool:
    """Whether rotation or damping change the modes at all."""
    return turning_changes(*(array(result.dataset, of) for of in ("frequency", "turning_frequency", "damping_ratio")))


def _table(result: Result, frequency: str, share: str, caption: str) -> TableBlock:
    """A row a mode."""
    dataset = result.dataset
    parts, shares = labels(dataset, "part"), array(dataset, share)
    further: list[tuple[str, Any]] = []
    if frequency == "turning_frequency":
        further = [("damping ratio", array(dataset, "damping_ratio")), ("whirl", array(dataset, "whirl"))]
    if frequency == "frequency" and "kind" in dataset:
        further += [
            (f"kind, {name}", [str(one) for one in dataset["kind"].values[:, k]])
            for k, name in enumerate(labels(dataset, "planetary_set"))
        ]
    rows = []
    for k, value in enumerate(array(dataset, frequency).tolist()):
        most = np.argsort(-shares[k])[:NAMED]
        where = ", ".join(f"{parts[i]} {100.0 * shares[k, i]:.0f} %" for i in most if shares[k, i] >= 0.005)
        rows.append([k + 1, value, *(_plain(values[k]) for _, values in further), where])
    head = ("mode", "frequency [Hz]", *(name for name, _ in further), "energy of deformation in")
    return TableBlock(head=head, rows=rows, caption=caption)


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else float(value)


def _wheels(result: Result) -> Iterator[Block]:
    """Modes of the wheels, held and free, with their nodal diameters."""
    dataset = result.dataset
    columns: list[tuple[str, Any, Any]] = []
    for g, gear in enumerate(labels(dataset, "gear")):
        for name, words in (("held", "bore held"), ("free", "free")):
            frequency, n = (array(dataset, f"{name}_{what}")[g] for what in ("frequency", "nodal_diameter"))
            columns.append((f"{gear}, {words} [Hz] (n)", frequency, n))
    rows = [
        [k + 1, *(f"{frequency[k]:.1f} ({int(n[k])})" for _, frequency, n in columns)]
        for k in range(dataset.sizes["wheel_mode"])
    ]
    head = ("mode", *(name for name, *_ in columns))
    yield TableBlock(head=head, rows=rows, caption="Modes of the wheels (nodal diameter)")


SECTION = ReportSection(title="Natural vibrations", order=400, holds=_holds, blocks=_blocks)
