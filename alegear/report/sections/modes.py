"""Natural frequencies, where their energy is, and at which speeds the mesh excites them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from alegear.report.blocks import Block, Figure, Table
from alegear.report.charts import Axis, Line, line_chart
from alegear.report.section import Section
from alegear.report.values import RPM, array, has, label_of, labels, numbers_of
from alegear.results.result import Result

#: Parts that a table names: those with most of the energy of deformation.
NAMED = 3
#: Orders of the mesh in the Campbell diagram, and how far it goes beyond the speed of the case.
ORDERS, BEYOND = (1, 2, 3, 4), 1.5
#: Modes with less of their energy in the mesh are not drawn.
IN_MESH = 0.05


def _holds(result: Result) -> bool:
    return has(result.dataset, "pair_frequency") or (
        has(result.dataset, "frequency", "energy_share") and "mode" in result.dataset["frequency"].dims
    )


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    if has(dataset, "pair_frequency"):
        numbers = {k: v for k, v in numbers_of(result.summary).items() if k.endswith(("_Hz", "_N_per_um"))}
        yield Table(rows=[(label_of(key), value) for key, value in numbers.items()])
        yield _table(result, "pair_frequency", "pair_energy_share", "Modes of the loaded pair")
        yield from _wheels(result)
        yield from _campbell(result)
        return
    yield _table(result, "frequency", "energy_share", "Standing still, undamped")
    if has(dataset, "turning_frequency"):
        yield _table(result, "turning_frequency", "turning_energy_share", "Turning, damped")


def _table(result: Result, frequency: str, share: str, caption: str) -> Table:
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
    return Table(head=head, rows=rows, caption=caption)


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
        for k in range(dataset.sizes["mode"])
    ]
    head = ("mode", *(name for name, *_ in columns))
    yield Table(head=head, rows=rows, caption="Modes of the wheels (nodal diameter)")


def _campbell(result: Result) -> Iterator[Block]:
    """Modes of the pair over the speed, with the orders of the mesh that excite them."""
    dataset = result.dataset
    frequency, share = array(dataset, "pair_frequency") * 1e-3, array(dataset, "pair_energy_share")
    teeth = int(np.ravel(dataset.attrs["teeth"])[0])
    given = dataset.attrs.get("pinion_speed")
    mesh = float(array(dataset, "mesh_frequency")) * 1e-3
    top = 1.25 * max(mesh, float(frequency.max()))
    end = 1e3 * top / teeth * 60.0 if given is None else BEYOND * float(given) * RPM
    lines = []
    for number, order in enumerate(ORDERS):
        reached = min(end, 6e4 * top / (order * teeth))
        y = [0.0, order * teeth * reached / 6e4]
        lines.append(Line(x=[0.0, reached], y=y, label=f"mesh order {order}", colour=number, dashed=True))
    in_mesh = share[:, labels(dataset, "part").index("mesh")]
    for value, part in zip(frequency.tolist(), in_mesh.tolist(), strict=True):
        if part >= IN_MESH:
            words = f"{value:.4g} kHz, {100 * part:.0f} % in the mesh"
            lines.append(Line(x=[0.0, end], y=[value, value], label=words, colour=len(lines)))
    chart = line_chart(
        lines, Axis(label="speed of the pinion [rpm]", low=0.0, high=end),
        Axis(label="frequency [kHz]", low=0.0, high=top), height=320.0,
    )  # fmt: skip
    words = "Campbell diagram: modes of the pair with energy in the mesh, and the orders of the mesh that meet them"
    left_out = int((in_mesh < IN_MESH).sum())
    yield Figure(
        svg=chart, caption=words + (f"; {left_out} modes with less than 5 % there left out" if left_out else "")
    )


SECTION = Section(title="Natural vibrations", order=400, holds=_holds, blocks=_blocks)
