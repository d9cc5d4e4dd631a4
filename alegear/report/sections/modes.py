"""Natural frequencies, where their energy is, and at which speeds the mesh excites them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.report.blocks import Block, Figure, Table
from alegear.report.charts import Axis, Band, Dots, Line, line_chart
from alegear.report.section import Section
from alegear.report.values import array, has, label_of, labels, numbers_of
from alegear.results.campbell import (
    MESH_ORDERS,
    CampbellDiagram,
    machine_diagram,
    merged,
    name_of,
    pair_diagram,
)
from alegear.results.machine_modes import turning_changes
from alegear.results.result import Result

Floats = NDArray[np.float64]
#: Parts that a table names: those with most of the energy of deformation.
NAMED = 3
DASHES: tuple[bool | str, ...] = (False, "6 3", "1.5 3")
#: Colour of the orders where there is one mesh only: the others are those of wheels.
ONE_MESH = "#555"
#: Of the kinds of modes in the Campbell diagram.
LOOKS: Mapping[str, Any] = {
    "mesh": {"colour": -1, "width": 1.5},
    "faint": {"colour": -2, "width": 1.0},
    "pinion": {"colour": 0, "width": 1.2},
    "wheel": {"colour": 1, "width": 1.2},
}
#: Least height of the diagram, height of a name at it, and of what is around it.
LEAST, ROW, AROUND = 360.0, 12.0, 130.0
FRAME = ", of wheels in their own frame"


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
        yield _campbell(pair_diagram(dataset))
        return
    yield _table(result, "frequency", "energy_share", "Standing still, undamped")
    if has(dataset, "turning_frequency") and _turns(result):
        yield _table(result, "turning_frequency", "turning_energy_share", "Turning, damped")
    yield from _of_machine(result)


def _turns(result: Result) -> bool:
    """Whether rotation or damping change the modes at all."""
    return turning_changes(*(array(result.dataset, of) for of in ("frequency", "turning_frequency", "damping_ratio")))


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


def _of_machine(result: Result) -> Iterator[Block]:
    """Modes of a machine over the speed of its drive, where the case tells one."""
    rpm, meshes = result.record.drive_speed(), result.record.mesh_frequencies()
    if rpm is not None and meshes:
        yield _campbell(machine_diagram(result.dataset, rpm, meshes))


def _campbell(diagram: CampbellDiagram) -> Figure:
    """Modes over the speed, each with its name, the orders of the meshes, and dots where they meet."""
    end, top = diagram.end, diagram.top
    names = merged(diagram.modes)
    lines = list(_orders(diagram))
    told = set()
    for mode in names:
        label = "" if mode.kind in told else diagram.kinds[mode.kind]
        told.add(mode.kind)
        y = [1e-3 * mode.frequency] * 2
        lines.append(Line(x=[0.0, end], y=y, label=label, ending=name_of(mode), **LOOKS[mode.kind]))
    dots = [
        Dots(x=mode.met, y=[1e-3 * mode.frequency] * len(mode.met), colour=LOOKS[mode.kind]["colour"])
        for mode in sorted(diagram.modes, key=lambda one: one.kind != "faint")
    ]
    wave = ", wave with or against the wheel" if diagram.of_wheels else ""
    dots.append(Dots(x=[], y=[], colour="#666", label=f"order meets mode{wave}"))
    bands = []
    if diagram.rpm is not None:
        bands = [Band(low=0.0, high=diagram.rpm, label=f"speeds up to {diagram.rpm:.4g} rpm, of the case")]
    chart = line_chart(
        lines,
        Axis(label=f"speed of the {diagram.speed_of} [rpm]", low=0.0, high=end),
        Axis(label="frequency [kHz]" + FRAME * diagram.of_wheels, low=0.0, high=1e-3 * top),
        dots=dots,
        bands=bands,
        height=max(LEAST, ROW * len(names) + AROUND),
    )
    words = "Campbell diagram: natural frequencies, faint those with little energy in the mesh, and orders of the mesh"
    return Figure(svg=chart, caption=words)


def _orders(diagram: CampbellDiagram) -> Iterator[Line]:
    """Orders of the meshes as far as the diagram goes."""
    for number, (name, per_rpm) in enumerate(diagram.orders.items()):
        for order, dashed in zip(MESH_ORDERS, DASHES, strict=True):
            reached = min(diagram.end, diagram.top / (order * per_rpm))
            y = [0.0, 1e-3 * order * per_rpm * reached]
            colour = number if len(diagram.orders) > 1 else ONE_MESH
            yield Line(x=[0.0, reached], y=y, label=f"order {order} of {name}", colour=colour, dashed=dashed)


SECTION = Section(title="Natural vibrations", order=400, holds=_holds, blocks=_blocks)
