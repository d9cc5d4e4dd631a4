"""Where the parts of a layout stand on paper."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from alegear.arrays import Array
from alegear.results.machine_shape import section_at, shaft_sections

#: Positions that agree to this part of the centre distance lie in one plane.
ONE_PLANE = 1e-6
#: Shafts are parallel up to this sine of the angle between them.
PARALLEL = 1e-6
#: Radius of a shaft without sections, over the pitch radius of the smallest wheel.
THIN = 0.3


@dataclass(frozen=True, eq=False)
class Sketch:
    """Where the parts of a machine stand on paper.

    Parameters
    ----------
    shape : mapping
        As :func:`alegear.results.machine_shape.machine_shape` makes it.
    """

    shape: Mapping[str, Any]

    @cached_property
    def along(self) -> Array:
        """Direction of the section: that of the first shaft, without shafts that of the first planetary set, (3,)."""
        axes = [one["direction"] for one in self.shape["shafts"].values()]
        axes += [one["axes"][2] for one in self.shape["planetary_sets"].values()]
        return np.array(axes[0])

    def is_along(self, direction: Any) -> bool:
        """Whether a direction in space is that of the section, or against it."""
        return bool(np.linalg.norm(np.cross(direction, self.along)) <= PARALLEL)

    @cached_property
    def shafts(self) -> dict[str, Any]:
        """Shafts that are parallel to it."""
        return {name: one for name, one in self.shape["shafts"].items() if self.is_along(one["direction"])}

    @cached_property
    def left_out(self) -> list[str]:
        """Shafts that are not."""
        return [name for name in self.shape["shafts"] if name not in self.shafts]

    @cached_property
    def meshes(self) -> dict[str, Any]:
        """Meshes of shafts that are drawn: shafts that mesh are parallel."""
        return {name: one for name, one in self.shape["meshes"].items() if self.shafts_of(one)[0] in self.shafts}

    def shafts_of(self, mesh: Mapping[str, Any]) -> list[str]:
        """Shafts of the two gears of a mesh."""
        return [self.shape["gears"][name]["shaft"] for name in mesh["gears"]]

    @cached_property
    def end_axes(self) -> tuple[Array, Array]:
        """Right and up in space as seen from the end, against :attr:`along`: z upwards, or y where shafts stand."""
        up = np.array([0.0, 1.0, 0.0] if abs(self.along[2]) > 0.9 else [0.0, 0.0, 1.0])
        up = up - (up @ self.along) * self.along
        up /= np.linalg.norm(up)
        return np.cross(up, self.along), up

    def from_end(self, point: Any) -> Array:
        """A point in space in the view from the end, right and up, (2,) [m]."""
        return np.array([np.array(point) @ axis for axis in self.end_axes])

    def seen_from_end(self, shaft: str) -> Array:
        """Position of a shaft in the view from the end, right and up, (2,) [m]."""
        return self.from_end(self.shafts[shaft]["origin"])

    @cached_property
    def heights(self) -> dict[str, float]:
        """Position of each shaft across the section [m]."""
        if not self.shafts:
            return {}
        points = np.array([self.seen_from_end(name) for name in self.shafts])
        middle = points - points.mean(axis=0)
        spread = np.linalg.svd(middle, full_matrices=False)[2][0] if len(points) > 1 else np.array([0.0, 1.0])
        spread = spread * math.copysign(1.0, spread[np.argmax(np.abs(spread))])
        flat = dict(zip(self.shafts, (points @ spread).tolist(), strict=True))
        away = float(np.abs(middle - np.outer(middle @ spread, spread)).max())
        if away <= ONE_PLANE * max((abs(one["a_w"]) for one in self.shape["meshes"].values()), default=1.0):
            return flat
        return self._unfolded(flat)

    @cached_property
    def is_unfolded(self) -> bool:
        """Whether the axes do not lie in one plane."""
        a = [shaft for one in self.meshes.values() for shaft in self.shafts_of(one)]
        heights, seen = self.heights, self.seen_from_end
        return any(
            abs(abs(heights[p] - heights[q]) - float(np.linalg.norm(seen(p) - seen(q)))) > ONE_PLANE
            for p in a
            for q in a
        )

    def _unfolded(self, flat: Mapping[str, float]) -> dict[str, float]:
        """Heights at which shafts that mesh are a centre distance apart, on the side where they are."""
        heights: dict[str, float] = {}
        for start in self.shafts:
            if start in heights:
                continue
            heights[start], waiting = flat[start], [start]
            while waiting:
                shaft = waiting.pop(0)
                for one in self.meshes.values():
                    ends = self.shafts_of(one)
                    if shaft not in ends:
                        continue
                    other = ends[1 - ends.index(shaft)]
                    if other not in heights:
                        side = math.copysign(1.0, flat[other] - flat[shaft])
                        heights[other] = heights[shaft] + side * abs(one["a_w"])
                        waiting.append(other)
        return heights

    def position(self, shaft: str, at: float) -> float:
        """Position along the section of a place on a shaft [m]."""
        one = self.shafts[shaft]
        return float((np.array(one["origin"]) + at * np.array(one["direction"])) @ self.along)

    def radius(self, shaft: str, at: float) -> float:
        """Outer radius of a shaft at a place [m]: of one with neither sections nor gears a thin one."""
        sets = self.shape["planetary_sets"].values()
        wheels = [wheel["pitch_radius"] for one in sets for wheel in one["gears"].values()]
        return section_at(self.shape, shaft, at)[0] or THIN * min(wheels, default=0.0)

    def sections(self, shaft: str) -> list[tuple[float, float, float, float]]:
        """Begin, length [m] along the section (both ways), outer and inner radius [m] of the sections of a shaft."""
        side = math.copysign(1.0, float(np.array(self.shafts[shaft]["direction"]) @ self.along))
        return [
            (self.position(shaft, begin), side * length, outer, inner)
            for begin, length, outer, inner in shaft_sections(self.shape, shaft)
        ]

    def ends(self, shaft: str) -> tuple[float, float]:
        """Both ends of a shaft along the section [m]; both its beginning where it has neither sections nor gears."""
        found = [x for begin, length, _, _ in self.sections(shaft) for x in (begin, begin + length)]
        found = found or [self.position(shaft, 0.0)]
        return min(found), max(found)
