"""Displacement and tilt of gears by shafts, bearings and supports, and what that is as misalignment of a mesh."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.report.blocks import Block, TableBlock, Text
from alegear.report.section import ReportSection
from alegear.report.values import MICRO
from alegear.results.machine_shape import SHAPE, read_shape
from alegear.results.reading import array, has, labels, over_lead
from alegear.results.result import Result

#: Digits behind the point of micrometres and microradians.
DIGITS = 6
SIGN = (
    "Misalignment: relative tilt of both gears seen along the contact force, mean over the positions or times; "
    "positive where the gap opens towards the positive direction of the first gear's axis."
)


def mesh_misalignment(first: Array, second: Array, along: Array, force: Array) -> Array:
    """Return how fast the gap of a mesh opens across the face.

    ``((tilt_1 - tilt_2) x along) . n`` with ``n`` the transverse direction of the force on the first gear: a point of
    the first gear z further along the axis moves by ``z tilt_1 x along``, away from the second where that is along n.

    Parameters
    ----------
    first, second : shape (n, 3) [rad]
        Small turns of both axes, in space.
    along : shape (3,)
        Direction of the axis.
    force : shape (n, 3) [N]
        On the first gear.

    Returns
    -------
    shape (n,) [rad]
        Positive where the gap opens along the axis; NaN where there is no force.
    """
    transverse = force - (force @ along)[:, None] * along
    size = np.linalg.norm(transverse, axis=1)
    normal = transverse / np.where(size > 0.0, size, np.nan)[:, None]
    opening: Array = np.einsum("ni,ni->n", np.cross(first - second, along), normal)
    return opening


def _holds(result: Result) -> bool:
    dataset = result.dataset
    return (
        over_lead(dataset, "displacement", "tilt")
        and ("gear_place" in dataset.coords or "gear" in dataset["displacement"].dims)
        and bool(np.any(array(dataset, "displacement")))
    )


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    displacement, tilt, gears = _of_gears(result)
    axes = labels(dataset, "axis")
    rows: list[list[Any]] = []
    for g, gear in enumerate(gears):
        moved, turned = displacement[:, g] * MICRO, tilt[:, g] * MICRO
        largest = float(np.linalg.norm(moved, axis=1).max())
        rows.append([gear, *_means(moved), round(largest, DIGITS), *_means(turned)])
    head = (
        "gear",
        *(f"displacement {axis} [µm]" for axis in axes),
        "largest size [µm]",
        *(f"tilt {axis} [µrad]" for axis in axes),
    )
    yield TableBlock(head=head, rows=rows, caption="Displacement and tilt of the gears, means; largest displacement")
    meshes = list(_meshes(result, gears, tilt))
    if meshes:
        yield TableBlock(head=("mesh", "misalignment [µrad]", "over the face width [µm]"), rows=meshes)
        yield Text(text=SIGN, kind="note")


def _of_gears(result: Result) -> tuple[Array, Array, list[str]]:
    """Displacements [m] and small turns [rad] of the gears, in space, shape (n, n_gears, 3)."""
    dataset = result.dataset
    gears = labels(dataset, "gear")
    displacement, tilt = array(dataset, "displacement"), array(dataset, "tilt")
    if "gear_place" in dataset.coords:
        places = labels(dataset, "place")
        at = [places.index(str(place)) for place in dataset["gear_place"].values]
        return displacement[:, at], tilt[:, at], gears
    turned = np.zeros((*tilt.shape[:2], 3))
    turned[..., : tilt.shape[2]] = tilt  # a support gives way about x and y
    return displacement, turned, gears


def _meshes(result: Result, gears: list[str], tilt: Array) -> Iterator[list[Any]]:
    dataset = result.dataset
    if has(dataset, "contact_force"):
        along = np.array([0.0, 0.0, 1.0])
        slices = array(dataset, "slice")
        width = float(np.ptp(slices)) * len(slices) / max(len(slices) - 1, 1)
        yield _row("pinion, wheel", tilt[:, 0], tilt[:, 1], along, array(dataset, "contact_force"), width)
    elif has(dataset, "mesh_force"):
        shape = _shape(result.directory)
        force = array(dataset, "mesh_force")
        for m, name in enumerate(labels(dataset, "mesh")):
            one = shape.get("meshes", {}).get(name)
            if one is None:
                continue
            first, second = one["gears"]
            width = min(shape["gears"][gear]["b"] for gear in (first, second))
            both = tilt[:, gears.index(first)], tilt[:, gears.index(second)]
            yield _row(f"{name} ({first}, {second})", *both, np.array(one["axes"][2]), force[:, m], width)


def _row(name: str, first: Array, second: Array, along: Array, force: Array, width: float) -> list[Any]:
    opening = mesh_misalignment(first, second, along, force)
    mean = float(np.nanmean(opening)) if np.isfinite(opening).any() else None
    if mean is None:
        return [name, None, None]
    return [name, round(mean * MICRO, DIGITS) + 0.0, round(mean * MICRO * width, DIGITS) + 0.0]


def _means(values: Array) -> list[float]:
    """Means over positions or times; what round-off has left of a zero is 0."""
    return [round(float(one), DIGITS) + 0.0 for one in values.mean(axis=0)]


def _shape(directory: Path | None) -> dict[str, Any]:
    """Shape of the machine; empty where the result does not hold it."""
    if directory is None or not (directory / SHAPE).exists():
        return {}
    try:
        return read_shape(directory)
    except Fault:
        return {}


SECTION = ReportSection(title="Displacement and misalignment", order=250, holds=_holds, blocks=_blocks)
