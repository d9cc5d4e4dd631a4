"""Layout of a machine: along its axes, and seen from the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.pictures.colours import COLOURS
from alegear.report.blocks import Block, Figure, Text
from alegear.report.frame import LETTER, WIDTH
from alegear.report.section import Section
from alegear.report.shapes import drawing, line_between, rectangle, ring, word
from alegear.results.machine_shape import SHAPE, read_shape
from alegear.results.result import Result

Floats = NDArray[np.float64]
#: Of a part on paper: ends along and across, colour, name.
Box = tuple[float, float, float, float, str, str]

GEAR, SHAFT, BEARING, DRIVE, LOAD = COLOURS[0], "#9aa0a6", COLOURS[1], COLOURS[2], COLOURS[4]
MARGIN, TALLEST = 46.0, 420.0
#: Height of a line of words.
LINE = 11.0
#: Cosine of the angle below which axes are not parallel.
PARALLEL = 0.999
#: Shafts that nothing tells a radius of, over the pitch radius of their smallest gear.
THIN = 0.25


def _holds(result: Result) -> bool:
    if result.directory is None or not (result.directory / SHAPE).is_file():
        return False
    shape = read_shape(result.directory)
    return bool(shape["shafts"] or shape["planetary_sets"])


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


def _blocks(result: Result) -> Iterator[Block]:
    assert result.directory is not None  # the section holds
    sketch = _Sketch(read_shape(result.directory))
    sets = [one for one in sketch.shape["planetary_sets"].values() if sketch.shows(one)]
    if sketch.gears:
        bearings = any(one["shaft"] in sketch.shafts for one in sketch.shape["bearings"].values())
        yield Figure(
            svg=_along(sketch),
            caption="Layout along the axes" + ("; bearings are marked by triangles" if bearings else ""),
        )
    if sketch.gears or sets:
        planets = ", pitch circles of planets dashed" if sets else ""
        yield Figure(svg=_from_the_end(sketch), caption=f"Layout from the end: tip circles{planets}")
    if sketch.left_out:
        yield Text(
            text=f"Not drawn, for they are not parallel to the others: {', '.join(sketch.left_out)}", kind="note"
        )


def _along(sketch: _Sketch) -> str:
    """Shafts with gears, bearings, drives and loads, along (to the right) and across (upwards)."""
    boxes = []  # (u0, u1, v0, v1, colour, name)
    for name in sketch.shafts:
        v = sketch.at(name, 0.0)[1]
        boxes += [(min(a, b), max(a, b), v - r, v + r, SHAFT, "") for a, b, r in sketch.sections(name)]
    for name, gear in sketch.gears.items():
        u, v = sketch.at(gear["shaft"], gear["at"])
        half, radius = 0.5 * gear["b"], gear["r_a"]
        boxes.append((u - half, u + half, v - radius, v + radius, GEAR, name))
    paper = _Paper([(b[0], b[2]) for b in boxes] + [(b[1], b[3]) for b in boxes])
    drawn, words = [], _Words()
    for u0, u1, v0, v1, colour, _ in boxes:
        (x0, y0), (x1, y1) = paper.at(u0, v1), paper.at(u1, v0)
        drawn.append(rectangle(x0, y0, max(x1 - x0, 1.0), max(y1 - y0, 1.0), colour, opacity=0.45))
    for name in sketch.shafts:
        reach = [value for a, b, _ in sketch.sections(name) for value in (a, b)]
        if reach:
            v = sketch.at(name, 0.0)[1]
            (x0, y), (x1, _) = paper.at(min(reach), v), paper.at(max(reach), v)
            drawn.append(line_between(x0 - 12.0, y, x1 + 12.0, y, dash="10 3 2 3"))
            words.add(x0 - 15.0, y + 4.0, name, anchor="end")
    gears = [box for box in boxes if box[5]]
    for box in gears:
        _write_gear(words, paper, box, [other for other in gears if other is not box])
    for name, one in sketch.shape["bearings"].items():
        if one["shaft"] in sketch.shafts:
            x, y = paper.at(*sketch.at(one["shaft"], one["at"]))
            drawn.append(f'<path d="M{x:.1f} {y:.1f}l6 11h-12z" fill="{BEARING}"/>')
            words.add(x, y + 22.0, name, BEARING)
    for kind, colour in (("drives", DRIVE), ("loads", LOAD)):
        for name, one in sketch.shape[kind].items():
            if one["shaft"] in sketch.shafts:
                x, y = paper.at(*sketch.at(one["shaft"], one["at"]))
                drawn.append(ring(x, y, 5.0, colour))
                words.add(x, y + 22.0, name, colour)
    return drawing([*drawn, *words.drawn], WIDTH, paper.height)


def _write_gear(words: _Words, paper: _Paper, box: Box, others: list[Box]) -> None:
    """Write the name of a gear above it, below it, or beside it: where no other gear is."""
    u0, u1, v0, v1, _, name = box
    middle = 0.5 * (u0 + u1)
    for v, away in ((v1, -4.0), (v0, LINE)):
        if not any(a <= middle <= b and low < v < high for a, b, low, high, *_ in others):
            x, y = paper.at(middle, v)
            words.add(x, y + away, name)
            return
    x, y = paper.at(u1, 0.5 * (v0 + v1))
    words.add(x + 4.0, y - 2.0 * LINE, name, anchor="start")


def _from_the_end(sketch: _Sketch) -> str:
    """Tip circles of the gears, and pitch circles of planetary sets."""
    circles = [(*sketch.end(one["shaft"]), one["r_a"], name, "") for name, one in sketch.gears.items()]
    for one in sketch.shape["planetary_sets"].values():
        origin = np.asarray(one["origin"], dtype=float)
        axes = np.asarray(one["axes"], dtype=float)
        if not sketch.shows(one):
            continue
        u, v = float(origin @ sketch.aside), float(origin @ sketch.across)
        circles += [(u, v, gear["pitch_radius"], name, "4 3") for name, gear in one["gears"].items()]
        for name, planet in one["planets"].items():
            pin = planet["pin_radius"] * (np.cos(planet["pin_angle"]) * axes[0] + np.sin(planet["pin_angle"]) * axes[1])
            for wheel in planet["wheels"].values():
                where = (u + float(pin @ sketch.aside), v + float(pin @ sketch.across))
                circles.append((*where, wheel["pitch_radius"], name, "4 3"))
    paper = _Paper([(u + side * r, v + side * r) for u, v, r, *_ in circles for side in (-1.0, 1.0)])
    drawn: list[str] = []
    told: dict[tuple[int, int], list[str]] = {}
    for u, v, radius, name, dash in circles:
        x, y = paper.at(u, v)
        drawn += [ring(x, y, radius * paper.scale, GEAR, dash=dash), ring(x, y, 2.0, SHAFT)]
        told.setdefault((round(x), round(y)), []).append(name)
    drawn += [word(x, y - 6.0, ", ".join(names)) for (x, y), names in told.items()]
    return drawing(drawn, WIDTH, paper.height)


class _Words:
    """Names in a drawing; one that would lie on another stands below it."""

    def __init__(self) -> None:
        self.drawn: list[str] = []
        self._boxes: list[tuple[float, float, float]] = []  # left, right, foot

    def add(self, x: float, y: float, text: str, colour: str = "#333", *, anchor: str = "middle") -> None:
        """Write a name at a place, or below it."""
        length = LETTER * len(text)
        left = x - {"end": length, "middle": 0.5 * length, "start": 0.0}[anchor]
        while any(left < b and a < left + length and abs(y - foot) < LINE for a, b, foot in self._boxes):
            y += LINE
        self._boxes.append((left, left + length, y))
        self.drawn.append(word(x, y, text, anchor, colour=colour))


class _Paper:
    """Where points are on paper: as large as fits, right and up."""

    def __init__(self, points: list[tuple[float, float]]) -> None:
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        extent = np.maximum(high - low, 1e-9)
        self.scale = float(min((WIDTH - 2.0 * MARGIN - 60.0) / extent[0], (TALLEST - 2.0 * MARGIN) / extent[1]))
        self.height = float(extent[1]) * self.scale + 2.0 * MARGIN
        self.left = 0.5 * (WIDTH - float(extent[0]) * self.scale) - self.scale * float(low[0])
        self.bottom = self.height - MARGIN + self.scale * float(low[1])

    def at(self, u: float, v: float) -> tuple[float, float]:
        return self.left + self.scale * u, self.bottom - self.scale * v


SECTION = Section(title="Layout", order=40, holds=_holds, blocks=_blocks, of_meshes=False)
