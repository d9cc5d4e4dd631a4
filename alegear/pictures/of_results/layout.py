"""Layout of a machine as it was run: along its axes, and seen from the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.pictures.colours import COLOURS
from alegear.pictures.names_apart import move_apart
from alegear.pictures.picture import Picture
from alegear.pictures.titles import title_of
from alegear.results.machine_shape import SHAPE, read_shape
from alegear.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

MM = 1e3
GEAR, SHAFT, BEARING, DRIVE, LOAD = COLOURS[0], "#9aa0a6", COLOURS[1], COLOURS[2], COLOURS[4]
#: Width of the figure, how high a view may be, and what is beside and around it [in].
WIDTH, TALLEST, AROUND = 7.4, 4.4, 0.9
#: Size of letters [points].
LETTERS = 7.5
#: Cosine of the angle below which axes are not parallel.
PARALLEL = 0.999
#: Shafts that nothing tells a radius of, over the pitch radius of their smallest gear.
THIN = 0.25


class _Sketch:
    """Shafts that are parallel to the first one, on paper: `u` along them, `v` across where they are furthest apart.

    Without shafts along the axis of the first planetary set.
    """

    def __init__(self, shape: Mapping[str, Any]) -> None:
        self.shape = shape
        shafts = shape["shafts"]
        directions = {name: np.asarray(one["direction"], dtype=float) for name, one in shafts.items()}
        axes = [np.asarray(one["axes"], dtype=float)[2] for one in shape["planetary_sets"].values()]
        self.along = [*directions.values(), *axes][0]
        self.shafts = {name: one for name, one in shafts.items() if abs(directions[name] @ self.along) > PARALLEL}
        self.left_out = [name for name in shafts if name not in self.shafts]
        self.sense = {name: float(np.sign(directions[name] @ self.along)) for name in self.shafts}
        origins = np.array([one["origin"] for one in self.shafts.values()] or [np.zeros(3)], dtype=float)
        flat = origins - np.outer(origins @ self.along, self.along)
        _, _, rows = np.linalg.svd(flat - flat.mean(axis=0))
        across = rows[0] if np.ptp(flat, axis=0).any() else self._any_across()
        across = across - (across @ self.along) * self.along
        self.across = across / np.linalg.norm(across)
        if self.across[np.argmax(np.abs(self.across))] < 0.0:  # upwards is positive
            self.across = -self.across
        self.aside = np.cross(self.along, self.across)
        self.gears = {name: one for name, one in shape["gears"].items() if one["shaft"] in self.shafts}

    def shows(self, planetary_set: Mapping[str, Any]) -> bool:
        """Whether a set is parallel to the others."""
        return bool(abs(np.asarray(planetary_set["axes"], dtype=float)[2] @ self.along) > PARALLEL)

    def _any_across(self) -> Floats:
        return np.eye(3)[int(np.argmin(np.abs(self.along)))]

    def at(self, shaft: str, position: float) -> tuple[float, float]:
        """Place on a shaft, along and across."""
        origin = np.asarray(self.shafts[shaft]["origin"], dtype=float)
        return float(origin @ self.along) + self.sense[shaft] * position, float(origin @ self.across)

    def end(self, shaft: str) -> tuple[float, float]:
        """Axis of a shaft seen from the end, right and up."""
        origin = np.asarray(self.shafts[shaft]["origin"], dtype=float)
        return float(origin @ self.aside), float(origin @ self.across)

    def sections(self, shaft: str) -> list[tuple[float, float, float]]:
        """Begin, end and radius of the sections of a shaft, along; of one without sections what its parts reach."""
        given = self.shafts[shaft]["sections"]
        found, begin = [], 0.0
        for length, outer, *_ in given:
            found.append((begin, begin + length, 0.5 * outer))
            begin += length
        if not found:
            own = [one for one in self.gears.values() if one["shaft"] == shaft]
            reach = [one["at"] + side * one["b"] for one in own for side in (-1.0, 1.0)]
            radius = THIN * min((one["r_a"] for one in own), default=0.0)
            found = [(min(reach), max(reach), radius)] if reach else []
        return [(self.at(shaft, a)[0], self.at(shaft, b)[0], radius) for a, b, radius in found]


def draw_layout_of(shape: Mapping[str, Any]) -> Figure:
    """Draw shafts with gears, bearings, drives and loads along the axes, and below tip and pitch circles from the end.

    Parameters
    ----------
    shape : mapping
        As :func:`alegear.results.machine_shape.machine_shape` makes it.
    """
    from matplotlib.figure import Figure

    sketch = _Sketch(shape)
    views = [_draw_along] * bool(sketch.gears) + [_draw_from_the_end]
    figure = Figure(figsize=(WIDTH, TALLEST), layout="constrained")
    panels = list(figure.subplots(len(views), 1, squeeze=False)[:, 0])
    heights = []
    for draw, axes in zip(views, panels, strict=True):
        draw(axes, sketch)
        axes.set_aspect("equal", adjustable="datalim")
        axes.autoscale_view()
        axes.margins(0.12, 0.12)
        axes.tick_params(labelsize=8)
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        heights.append(min((WIDTH - AROUND) * (high - low) / (right - left), TALLEST))
    grid = figure.add_gridspec(len(views), 1, height_ratios=heights)
    for row, axes in enumerate(panels):
        axes.set_subplotspec(grid[row])
    figure.set_size_inches(WIDTH, sum(heights) + AROUND * len(heights))
    move_apart(figure, {axes: list(axes.texts) for axes in panels})  # type: ignore[arg-type]
    return figure


def _draw_along(axes: Axes, sketch: _Sketch) -> None:
    """Shafts with gears, bearings, drives and loads, along (to the right) and across (upwards)."""
    from matplotlib.patches import Rectangle

    def box(u0: float, u1: float, v0: float, v1: float, colour: str) -> None:
        corner, size = (MM * u0, MM * v0), (MM * (u1 - u0), MM * (v1 - v0))
        axes.add_patch(Rectangle(corner, *size, facecolor=colour, edgecolor=colour, alpha=0.45, linewidth=0.8))

    for name in sketch.shafts:
        sections, v = sketch.sections(name), sketch.at(name, 0.0)[1]
        for a, b, r in sections:
            box(min(a, b), max(a, b), v - r, v + r, SHAFT)
        reach = [value for a, b, _ in sections for value in (a, b)]
        if reach:
            beyond = 0.04 * (max(reach) - min(reach))
            axes.plot([MM * (min(reach) - beyond), MM * (max(reach) + beyond)], [MM * v] * 2, "-.", color="0.2", lw=0.7)
            _name(axes, name, min(reach) - beyond, v, ha="right")
    for name, gear in sketch.gears.items():
        u, v = sketch.at(gear["shaft"], gear["at"])
        half, radius = 0.5 * gear["b"], gear["r_a"]
        box(u - half, u + half, v - radius, v + radius, GEAR)
        _name(axes, name, u, v + radius, va="bottom")
    for kind, colour, mark in (("bearings", BEARING, "^"), ("drives", DRIVE, ">"), ("loads", LOAD, "<")):
        for name, one in sketch.shape[kind].items():
            if one["shaft"] in sketch.shafts:
                u, v = sketch.at(one["shaft"], one["at"])
                axes.plot(MM * u, MM * v, mark, color=colour, markersize=7, markeredgecolor="white")
                _name(axes, name, u, v, va="top", colour=colour)
    axes.set(xlabel="along the shafts [mm]", ylabel="across [mm]")


def _name(
    axes: Axes, text: str, u: float, v: float, *, ha: str = "center", va: str = "center", colour: str = "0.2"
) -> None:
    axes.annotate(
        text, (MM * u, MM * v), (0.0, {"bottom": 3.0, "top": -5.0}.get(va, 0.0)), textcoords="offset points", ha=ha,
        va=va, fontsize=LETTERS, color=colour, zorder=9, parse_math=False,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5},
    )  # fmt: skip


def _draw_from_the_end(axes: Axes, sketch: _Sketch) -> None:
    """Tip circles of the gears, and pitch circles of planetary sets, dashed."""
    from matplotlib.patches import Circle

    circles = [(*sketch.end(one["shaft"]), one["r_a"], name, "-") for name, one in sketch.gears.items()]
    for one in filter(sketch.shows, sketch.shape["planetary_sets"].values()):
        origin, frame = (np.asarray(one[key], dtype=float) for key in ("origin", "axes"))
        u, v = float(origin @ sketch.aside), float(origin @ sketch.across)
        circles += [(u, v, gear["pitch_radius"], name, "--") for name, gear in one["gears"].items()]
        for name, planet in one["planets"].items():
            pin = planet["pin_radius"] * (
                np.cos(planet["pin_angle"]) * frame[0] + np.sin(planet["pin_angle"]) * frame[1]
            )
            where = (u + float(pin @ sketch.aside), v + float(pin @ sketch.across))
            circles += [(*where, wheel["pitch_radius"], name, "--") for wheel in planet["wheels"].values()]
    told: dict[tuple[float, float], list[str]] = {}
    for u, v, radius, name, style in circles:
        axes.add_patch(Circle((MM * u, MM * v), MM * radius, fill=False, ec=GEAR, lw=1.0, ls=style))
        axes.plot(MM * u, MM * v, "+", color=SHAFT, markersize=6)
        told.setdefault((round(u, 5), round(v, 5)), []).append(name)
    for (u, v), names in told.items():
        _name(axes, ", ".join(dict.fromkeys(names)), u, v, va="bottom")
    axes.set(xlabel="aside [mm]", ylabel="across [mm]")


def _shape(result: Result) -> Mapping[str, Any] | None:
    """Shape of the machine; None of a result that does not tell it, or has nothing with a place in space."""
    if result.directory is None or not (result.directory / SHAPE).is_file():
        return None
    shape = read_shape(result.directory)
    return shape if shape["shafts"] or shape["planetary_sets"] else None


def _draw(result: Result) -> Figure:
    shape = _shape(result)
    assert shape is not None  # the picture holds
    figure = draw_layout_of(shape)
    title_of(figure, result.dataset)
    return figure


def _caption(result: Result) -> str:
    """Say what is drawn, and which shafts are not."""
    shape = _shape(result)
    assert shape is not None  # the picture holds
    sketch = _Sketch(shape)
    words = "Layout: along the axes, with bearings, drives and loads as triangles, and from the end with tip circles"
    if any(map(sketch.shows, shape["planetary_sets"].values())):
        words += ", pitch circles of planets dashed"
    if sketch.left_out:
        words += f". Not drawn, for they are not parallel to the others: {', '.join(sketch.left_out)}"
    return words


PICTURE = Picture(
    name="layout",
    heading="Layout",
    order=40,
    holds=lambda result: _shape(result) is not None,
    draw=_draw,
    caption=_caption,
)
