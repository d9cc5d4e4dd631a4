"""Natural frequencies, where their energy is, and at which speeds the mesh excites them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.report.blocks import Block, Figure, Table
from alegear.report.charts import Axis, Line, line_chart
from alegear.report.section import Section
from alegear.report.values import RPM, array, has, label_of, labels, numbers_of
from alegear.results.result import Result

Floats = NDArray[np.float64]
#: Parts that a table names: those with most of the energy of deformation.
NAMED = 3
#: Orders of the mesh in the Campbell diagram, and how far it goes beyond the speed of the case.
ORDERS, BEYOND = (1, 2, 3, 4), 1.5
DASHES: tuple[bool | str, ...] = ("9 3", "6 3", "3 3", "1.5 3")
#: Modes with less of their energy in the mesh are grey.
IN_MESH = 0.05
#: Frequencies that differ by less are the same; damping ratios below are none.
SAME = 1e-9
#: Largest speed [rpm] and frequency [Hz] of a diagram.
Ends = tuple[float, float]


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
        yield from _of_pair(result)
        return
    yield _table(result, "frequency", "energy_share", "Standing still, undamped")
    if has(dataset, "turning_frequency") and _turns(result):
        yield _table(result, "turning_frequency", "turning_energy_share", "Turning, damped")
    yield from _of_machine(result)


def _turns(result: Result) -> bool:
    """Whether rotation or damping change the modes at all."""
    dataset = result.dataset
    still, turning = array(dataset, "frequency"), array(dataset, "turning_frequency")
    return bool(
        still.shape != turning.shape
        or np.any(np.abs(turning - still) > SAME * np.abs(still))
        or np.any(np.abs(array(dataset, "damping_ratio")) > SAME)
    )


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


def _of_pair(result: Result) -> Iterator[Block]:
    """Modes of the pair over the speed, with the orders of the mesh that excite them."""
    dataset = result.dataset
    frequency, share = array(dataset, "pair_frequency"), array(dataset, "pair_energy_share")
    teeth = int(np.ravel(dataset.attrs["teeth"])[0])
    given = dataset.attrs.get("pinion_speed")
    top = 1.25 * max(float(array(dataset, "mesh_frequency")), float(frequency.max()))
    end = top / teeth * 60.0 if given is None else BEYOND * float(given) * RPM
    in_mesh = share[:, labels(dataset, "part").index("mesh")]
    yield _campbell(
        {"mesh": teeth / 60.0}, frequency, in_mesh, (end, top), "speed of the pinion [rpm]", given is not None
    )


def _of_machine(result: Result) -> Iterator[Block]:
    """Modes of a machine over the speed of its drive, where the case tells one."""
    dataset = result.dataset
    rpm, meshes = result.record.drive_speed(), result.record.mesh_frequencies()
    if rpm is None or not meshes:
        return
    turning = has(dataset, "turning_frequency")
    frequency = array(dataset, "turning_frequency" if turning else "frequency")
    share = array(dataset, "turning_energy_share" if turning else "energy_share")
    in_mesh = share[:, np.isin(labels(dataset, "part"), list(meshes))].sum(axis=1)
    orders = {name: value / rpm for name, value in meshes.items()}
    yield _campbell(
        orders, frequency, in_mesh, (BEYOND * rpm, 1.1 * float(frequency.max())), "speed of the drive [rpm]"
    )


def _campbell(
    meshes: Mapping[str, float], frequency: Floats, in_mesh: Floats, ends: Ends, unit: str, known: bool = True
) -> Figure:
    """Orders of the meshes, which have a frequency [Hz] of each rpm, and modes with energy in them."""
    end, top = ends
    lines = []
    for number, (name, per_rpm) in enumerate(meshes.items()):
        for order, dashed in zip(ORDERS, DASHES, strict=True):
            reached = min(end, top / (order * per_rpm))
            y = [0.0, 1e-3 * order * per_rpm * reached]
            lines.append(Line(x=[0.0, reached], y=y, label=f"{name}, order {order}", colour=number, dashed=dashed))
    faint = [value for value, part in zip(frequency, in_mesh, strict=True) if part < IN_MESH and value <= top]
    for number, value in enumerate(faint):
        words = "" if number else f"modes with less than {100 * IN_MESH:.0f} % in the mesh"
        lines.append(Line(x=[0.0, end], y=[1e-3 * value, 1e-3 * value], label=words, colour=-2))
    for value, part in zip((1e-3 * frequency).tolist(), in_mesh.tolist(), strict=True):
        if part >= IN_MESH:
            words = f"{value:.4g} kHz, {100 * part:.0f} % in mesh"
            lines.append(Line(x=[0.0, end], y=[value, value], label=words, colour=-1))
    chart = line_chart(
        lines, Axis(label=unit, low=0.0, high=end), Axis(label="frequency [kHz]", low=0.0, high=1e-3 * top),
        height=320.0,
    )  # fmt: skip
    words = (
        "Campbell diagram: modes, grey those with little energy in the mesh, and the orders of the mesh that meet them"
    )
    return Figure(svg=chart, caption=words)


SECTION = Section(title="Natural vibrations", order=400, holds=_holds, blocks=_blocks)
