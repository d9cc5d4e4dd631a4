"""The noise study: orders over the speed, the motion beside the fast linear answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.report.blocks import Block, Figure, Table, cell
from alegear.report.charts import Axis, Line, Mark, line_chart
from alegear.report.section import Section
from alegear.report.values import MICRO, RPM, array, has, label_of, labels, numbers_of
from alegear.results.linear_response import COUNTS, DIFFERENCE, met_modes
from alegear.results.result import Result

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]
#: Orders that a chart shows, bearings with curves of several kinds, and parts with a curve each.
SHOWN, MOST = 4, 6
#: Amplitude of 0 dB [m]; what is further below the largest is not drawn [dB].
REFERENCE, DEPTH = 1e-6, 80.0
#: Of lines of the run-down; those of the linear answer have dashes.
DOTS = "1.5 3"
#: What a summary says of ranges in which the answers part.
PARTING_WORDS = {
    "largest_percent": "largest difference [%]",
    "contact_loss_share_max": "part of the time without contact, largest",
}
#: What a summary says of each order of the linear answer.
LINEAR = {
    "te_static_um": "at rest [µm]",
    "te_max_um": "largest [µm]",
    "at_speed_rpm": "at [rpm]",
    "at_frequency_Hz": "at [Hz]",
}
PARTING = ("order", "from_rpm", "to_rpm", "largest_percent", "contact_loss_share_max")


def _speed(dataset: xr.Dataset) -> Floats | None:
    """Speed of the points of the motion [rpm]."""
    for name in ("pinion_speed", "drive_speed"):
        if has(dataset, name):
            return array(dataset, name) * RPM
    return None


def _directions(dataset: xr.Dataset) -> list[tuple[str, NDArray[np.int64]]]:
    """Points of the run-up and of the run-down."""
    name = "direction" if "direction" in dataset else "way"
    sign = array(dataset, name) if name in dataset else np.ones(dataset.sizes["point"])
    both = (("run-up", np.flatnonzero(sign > 0.0)), ("run-down", np.flatnonzero(sign < 0.0)))
    return [(word, here) for word, here in both if here.size]


def _holds(result: Result) -> bool:
    return _speed(result.dataset) is not None or has(result.dataset, "linear_speed")


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    rows = list(_largest(result.summary))
    if rows:
        yield Table(head=("largest response", "", ""), rows=rows)
    if answers := _linear(result.summary):
        needed = result.summary.get("run_up_needed_s") or 0.0
        words = (
            f"A run-up over this range that follows it within {100.0 * DIFFERENCE:.0f} % takes {cell(needed, 2)} s"
            if needed
            else ""
        )
        yield Table(head=("linear answer, TE", *LINEAR.values()), rows=answers, caption=words)
    if parting := _parting(result.summary):
        words = f"Where motion and linear answer differ by more than {100.0 * DIFFERENCE:.0f} %, orders "
        words += f"above {100.0 * COUNTS:.0f} % of the largest"
        told = [k for k in range(len(PARTING) + 1) if any(row[k] is not None for row in parting)]
        head = ("", *(PARTING_WORDS.get(name) or label_of(name) for name in PARTING))
        yield Table(head=[head[k] for k in told], rows=[[row[k] for k in told] for row in parting], caption=words)
    speed = _speed(dataset)
    unit = "speed of the pinion [rpm]" if _is_of_pair(dataset) else "speed of the drive [rpm]"
    for mesh in _meshes(dataset):
        lines = [*_of_motion(dataset, speed, mesh), *_of_linear(dataset, mesh)]
        if lines:
            top = max(float(np.nanmax(np.asarray(line.y))) for line in lines)
            ordinate = Axis(label="order of TE [dB re 1 µm]", low=top - DEPTH if _deep(lines, top) else None)
            words = f"Orders of the transmission error{f' of mesh {mesh}' if mesh else ''} over the speed"
            if any(line.dashed == DOTS for line in lines):
                words += "; dotted: run-down"
            if any("linear" in line.label for line in lines):
                words += "; dashed: linear answer" if speed is not None else ", linear answer"
            marks = _modes(dataset, {"mesh": mesh} if mesh else {})
            words += "; marked: modes where order 1 meets them, with their energy in the mesh" if marks else ""
            yield Figure(svg=line_chart(lines, Axis(label=unit), ordinate, marks=marks, height=300.0), caption=words)
    for name, words in (
        ("bearing_force_order", "force on the bearing [N]"),
        ("bearing_displacement_order", "displacement [µm]"),
    ):
        yield from _at_bearings(dataset, speed, unit, (name, words))
    if speed is not None:
        for name, factor, label, words in _OVER_SPEED:
            if has(dataset, name):
                yield from _over_speed(dataset, speed, unit, name, (factor, label, words))


def _modes(dataset: xr.Dataset, at: Mapping[str, str]) -> list[Mark]:
    """Speeds at which the first order of a mesh meets modes."""
    modes = met_modes(dataset, at)
    return [
        Mark(x=one.speed, label=f"{one.frequency:.0f} Hz, {100.0 * one.share:.0f} %", colour="#777") for one in modes
    ]


_OVER_SPEED = (
    ("transmission_error_rms", MICRO, "TE, rms about its mean [µm]", "Transmission error over the speed"),
    ("tooth_load_factor", 1.0, "tooth load over that at rest", "Dynamic factor of the tooth load over the speed"),
    ("contact_loss_share", 100.0, "time without contact [%]", "Loss of contact over the speed"),
    ("rotation_error_rms", MICRO, "rotation error, rms [µrad]", "Rotation errors of the shafts over the speed"),
    ("bearing_force_max", 1.0, "largest bearing force [N]", "Largest forces on the bearings over the speed"),
)


def _over_speed(
    dataset: xr.Dataset, speed: Floats, unit: str, name: str, told: tuple[float, str, str]
) -> Iterator[Block]:
    """Draw a quantity of the motion over the speed, up in full lines, down dotted."""
    factor, label, words = told
    values = array(dataset, name) * factor
    dim = str(dataset[name].dims[1]) if values.ndim == 2 else ""
    of = labels(dataset, dim) if dim else [""]
    values = values if dim else values[:, None]
    reach = np.where(np.isfinite(values), np.abs(values), -1.0).max(axis=0)
    shown = sorted(np.argsort(-reach, kind="stable")[:MOST].tolist())
    if len(shown) < len(of):
        words += f"; the {len(shown)} of {len(of)} that reach most"
    lines = []
    for k, number in enumerate(shown):
        own, part = values[:, number], of[number]
        for way, here in _directions(dataset):
            if np.isfinite(own[here]).any():
                words_of = ", ".join(one for one in (part, way) if one)
                lines.append(
                    Line(
                        x=speed[here],
                        y=own[here],
                        label=words_of,
                        colour=k,
                        dashed=DOTS if way == "run-down" else False,
                    )
                )
    if lines:
        least = 0.0 if name == "contact_loss_share" else None  # a share that is 0 all over has no range below it
        yield Figure(svg=line_chart(lines, Axis(label=unit), Axis(label=label, low=least)), caption=words)


def _at_bearings(dataset: xr.Dataset, speed: Floats | None, unit: str, told: tuple[str, str]) -> Iterator[Block]:
    """Draw what bearings get, all orders together, of the motion and of the linear answer."""
    name, words = told
    factor = MICRO if words.endswith("[µm]") else 1.0
    shown, of_all = _most_loaded(dataset)
    lines = []
    if speed is not None and has(dataset, name):
        found = _together(dataset, name, "point")
        for k, bearing in enumerate(shown):
            for way, here in _directions(dataset):
                dots = DOTS if way == "run-down" else False
                own = factor * found[bearing][here]
                lines.append(Line(x=speed[here], y=own, label=f"{bearing}, {way}", colour=k, dashed=dots))
    if has(dataset, f"linear_{name}", "linear_speed"):
        x, found = array(dataset, "linear_speed") * RPM, _together(dataset, f"linear_{name}", "speed")
        for k, bearing in enumerate(shown):
            label, dashed = f"{bearing}, linear", speed is not None
            lines.append(Line(x=x, y=factor * found[bearing], label=label, colour=k, dashed=dashed))
    if any(np.any(np.asarray(line.y) > 0.0) for line in lines):
        chart = line_chart(lines, Axis(label=unit), Axis(label=words, log=True))
        about = "root of the sum of squares of all orders and axes"
        if len(shown) < of_all:
            about += f"; the {len(shown)} of {of_all} bearings with the largest force amplitudes"
        yield Figure(svg=chart, caption=f"{words.split(' [')[0].capitalize()} over the speed: {about}")


def _most_loaded(dataset: xr.Dataset) -> tuple[list[str], int]:
    """The bearings with the largest force amplitudes, in their order, at most :data:`SHOWN`, and how many there are."""
    largest: dict[str, float] = {}
    for name, lead in (("bearing_force_order", "point"), ("linear_bearing_force_order", "speed")):
        for bearing, values in (_together(dataset, name, lead) if has(dataset, name) else {}).items():
            largest[bearing] = max(largest.get(bearing, 0.0), float(values.max()))
    kept = sorted(largest, key=largest.__getitem__, reverse=True)[:SHOWN]
    return [bearing for bearing in largest if bearing in kept], len(largest)


def _together(dataset: xr.Dataset, name: str, lead: str) -> dict[str, Floats]:
    """Root of the sum of squares over orders, meshes and axes, a curve a bearing."""
    dims = [str(dim) for dim in dataset[name].dims]
    of = "bearing" if "bearing" in dims else "gear"
    rest = tuple(k for k, dim in enumerate(dims) if dim not in (lead, of))
    both = np.sqrt((np.nan_to_num(array(dataset, name)) ** 2).sum(axis=rest))
    both = both if dims.index(lead) < dims.index(of) else both.T
    return {label: both[:, k] for k, label in enumerate(labels(dataset, of))}


def _is_of_pair(dataset: xr.Dataset) -> bool:
    """Whether it is a sweep of a pair, which the pinion's speed leads; a linear answer alone does not have it."""
    return has(dataset, "pinion_speed") or _meshes(dataset) == [""]


def _meshes(dataset: xr.Dataset) -> list[str]:
    """Meshes whose orders there are; a pair has one without a name."""
    every = [name for name in ("transmission_error_order", "linear_transmission_error_order") if has(dataset, name)]
    if not every:
        return []
    return labels(dataset, "mesh") if "mesh" in dataset[every[0]].dims else [""]


def _of_motion(dataset: xr.Dataset, speed: Floats | None, mesh: str) -> Iterator[Line]:
    if speed is None or not has(dataset, "transmission_error_order"):
        return
    values = _chosen(dataset, "transmission_error_order", mesh)
    for k, order in enumerate(array(dataset, "order").tolist()):
        if order != int(order) or order > SHOWN:  # subharmonics are in the table of the result
            continue
        for way, here in _directions(dataset):
            own = _decibels(values[here, k])
            if np.isfinite(own).any():
                dots = DOTS if way == "run-down" else False
                yield Line(x=speed[here], y=own, label=f"order {order:g}, {way}", colour=int(order) - 1, dashed=dots)


def _of_linear(dataset: xr.Dataset, mesh: str) -> Iterator[Line]:
    name = "linear_transmission_error_order"
    if not has(dataset, name, "linear_speed"):
        return
    values, speed = _chosen(dataset, name, mesh), array(dataset, "linear_speed") * RPM
    for k, order in enumerate(array(dataset, "linear_order").tolist()):
        own = _decibels(values[:, k])
        if order <= SHOWN and np.isfinite(own).any():
            dashed = _speed(dataset) is not None  # beside a motion
            yield Line(x=speed, y=own, label=f"order {order:g}, linear", colour=int(order) - 1, dashed=dashed)


def _chosen(dataset: xr.Dataset, name: str, mesh: str) -> Floats:
    """Amplitudes of a mesh, shape (n, n_orders)."""
    variable = dataset[name]
    return np.asarray((variable.sel(mesh=mesh) if mesh else variable).values, dtype=float)


def _decibels(values: Floats) -> Floats:
    level: Floats = 20.0 * np.log10(np.where(values > 0.0, values, np.nan) / REFERENCE)
    return level


def _deep(lines: list[Line], top: float) -> bool:
    return min(float(np.nanmin(np.asarray(line.y))) for line in lines) < top - DEPTH


def _largest(summary: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Figures of the summary, of run-up and run-down, of shafts and bearings."""
    for key in ("run-up", "run-down", "run_up", "run_down", "there", "back"):
        if isinstance(one := summary.get(key), Mapping):
            yield from ((key.replace("_", "-"), label_of(name), value) for name, value in numbers_of(one).items())
    for kind in ("shafts", "bearings"):
        for name, one in (summary.get(kind) or {}).items():
            yield from ((name, label_of(key), value) for key, value in numbers_of(one).items())


def _linear(summary: Mapping[str, Any]) -> list[list[Any]]:
    """A row an order of the linear answer, of a machine of each mesh."""
    linear = summary.get("linear")
    rows: list[list[Any]] = []
    for name, one in linear.items() if isinstance(linear, Mapping) else ():
        for order, figures in [(name, one)] if numbers_of(one) else one.items():
            of = order if figures is one else f"{name}, {order}"
            rows.append([of.replace("_", " "), *(figures.get(key) for key in LINEAR)])
    return rows


def _parting(summary: Mapping[str, Any]) -> list[list[Any]]:
    """Ranges of speed in which motion and linear answer part."""
    found: list[list[Any]] = []

    def gather(where: str, value: Any) -> None:
        if isinstance(value, Mapping) and "from_rpm" in value:
            found.append([where, *(value.get(key) for key in PARTING)])
        elif isinstance(value, Mapping):
            for key, one in value.items():
                gather(f"{where}, {key}" if where else str(key), one)
        elif isinstance(value, list):
            for one in value:
                gather(where, one)

    gather("", summary.get("answers_part"))
    for direction in ("run-up", "run-down"):
        gather(direction, (summary.get(direction) or {}).get("answers_part"))
    return found


SECTION = Section(title="Noise study", order=300, holds=_holds, blocks=_blocks)
