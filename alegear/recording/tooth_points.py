"""Stress and motion of chosen points of the teeth, on every tooth as it goes round, at the cost of small products.

All three are linear in the displacement of the nodes of a sector, but for the last step from the stress tensor to an
equivalent one, so that :class:`~alegear.reduction.point_response.PointResponse` gives them from the face forces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from scipy import sparse

from alegear.arrays import AnyArray, Array, Indices
from alegear.case.output import OutputPoint
from alegear.contact.forces import Arrays
from alegear.contact.numbering import PINION, SPIN
from alegear.fe.stress import largest_principal, von_mises
from alegear.mesh.surface_point import SurfacePoint, locate_point
from alegear.parallel import single_threaded
from alegear.recording.motion_memory import of_prefix, prefixed
from alegear.recording.vibration import ModeRows, teeth_of_pairs
from alegear.reduction.normal_modes import NormalModes
from alegear.reduction.point_response import PointResponse
from alegear.reduction.point_rows import StressRows, rotation_row
from alegear.reduction.superelement import Superelement
from alegear.results.point_places import PointPlaces

MEASURES = 3  # von Mises, principal, rotation


class ToothPoints:
    """The points of a case.

    Parameters
    ----------
    points : sequence of OutputPoint
    wheels : Superelement of pinion and wheel
    n_pairs : int
        Slots of the window.
    front : {"a", "b"}
        The flanks that a positive torque loads.
    modes : NormalModes of pinion and wheel, optional
        In which the wheels vibrate.

    Raises
    ------
    Fault
        If a point does not lie on the grid.
    """

    def __init__(
        self,
        points: Sequence[OutputPoint],
        wheels: tuple[Superelement, Superelement],
        *,
        n_pairs: int,
        front: Literal["a", "b"],
        modes: tuple[NormalModes, NormalModes] | None = None,
    ) -> None:
        self._points = points
        teeth = [np.arange(wheels[p.number].teeth) if p.teeth is None else np.array(p.teeth) for p in points]
        self._teeth = np.unique(np.concatenate(teeth)) if points else np.zeros(0, dtype=np.int64)
        self._wanted = np.array([np.isin(self._teeth, of_point) for of_point in teeth])
        self._of_gear = [np.array([i for i, p in enumerate(points) if p.gear == gear], dtype=int) for gear in (0, 1)]
        self._gears = [
            _GearPoints(
                wheels[gear], [points[i] for i in of_gear], gear, n_pairs, front, None if modes is None else modes[gear]
            )
            if of_gear.size
            else None
            for gear, of_gear in enumerate(self._of_gear)
        ]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of points and of teeth."""
        return len(self._points), len(self._teeth)

    def values(
        self, first_pair: Indices, forces: tuple[Array, Array], vibration: tuple[Array, Array] | None = None
    ) -> Array:
        """Stress and rotation of samples, shape (n, n_points, n_teeth, MEASURES): von Mises, principal [Pa], rotation.

        Parameters
        ----------
        first_pair : shape (n,)
            Pair in slot 0.
        forces : shape (n, slots*nf) each [N]
            On the faces of pinion and wheel.
        vibration : shape (n, m) each, optional [kg^1/2 m]
            Of the modes of pinion and wheel; there if and only if the points have modes.
        """
        values = np.full((len(first_pair), *self.shape, MEASURES), np.nan)
        moving = (None, None) if vibration is None else vibration
        for gear, of_gear, force, own in zip(self._gears, self._of_gear, forces, moving, strict=True):
            if gear is None:
                continue
            wanted = np.flatnonzero(self._wanted[of_gear].any(axis=0))
            for first in np.unique(first_pair):  # between two tooth-changes
                rows = np.flatnonzero(first_pair == first)
                values[np.ix_(rows, of_gear, wanted)] = gear.values(
                    int(first), force[rows], self._teeth[wanted], None if own is None else own[rows]
                )
        values[:, ~self._wanted] = np.nan
        return values

    def memory(self) -> Arrays:
        """What later samples depend on in the last digits, by name."""
        return {key: kept for name, part in self._responses() for key, kept in prefixed(name, part.memory()).items()}

    def recall(self, memory: Mapping[str, AnyArray]) -> None:
        """Take up a memory of the same points."""
        for name, part in self._responses():
            part.recall(of_prefix(name, memory))

    def _responses(self) -> list[tuple[str, PointResponse]]:
        gears = [(number, gear) for number, gear in enumerate(self._gears) if gear is not None]
        return [(f"{number}/{i}", part) for number, gear in gears for i, part in enumerate(gear.responses)]

    def where(self) -> PointPlaces:
        """Return names and places of the points."""
        places = self.places
        return PointPlaces(
            names=tuple(point.name for point in self._points),
            gear=np.array([point.gear for point in self._points], dtype=np.int64),
            side=tuple(point.side for point in self._points),
            radius=np.array([place.radius for place in places]),
            arc_length=np.array([place.arc_length for place in places]),
            face_position=np.array([place.face_position for place in places]),
            teeth=self._teeth,
        )

    @property
    def places(self) -> list[SurfacePoint]:
        """Where the points are, in their order."""
        found: dict[int, SurfacePoint] = {}
        for gear, of_gear in zip(self._gears, self._of_gear, strict=True):
            if gear is not None:
                found.update(zip(of_gear.tolist(), gear.places, strict=True))
        return [found[i] for i in range(len(self._points))]


class _GearPoints:
    """Points of one gear: their rows over the displacement of a sector, and what becomes of these on any tooth."""

    def __init__(
        self,
        wheel: Superelement,
        points: Sequence[OutputPoint],
        gear: int,
        n_pairs: int,
        front: Literal["a", "b"],
        modes: NormalModes | None,
    ) -> None:
        back: Literal["a", "b"] = "b" if front == "a" else "a"
        self.places = [
            locate_point(
                wheel.sector,
                front if point.side == "front" else back,
                fillet_share=point.fillet_share,
                radius=point.radius,
                face_position=point.face_position,
            )
            for point in points
        ]
        self._gear, self._n_pairs = gear, n_pairs
        layout = wheel.layout
        self._sector_at = np.full(wheel.teeth, -1, dtype=np.int64)  # by pitches from slot 0; -1 outside a segment
        self._sector_at[layout.tooth_offsets % wheel.teeth] = np.arange(layout.n_sectors)
        stress = StressRows(wheel.sector, wheel.material)
        own = [stress.own(place) for place in self.places]
        motion = [SPIN[gear] * rotation_row(wheel.sector, place) for place in self.places]
        own_rows, beyond = sparse.csr_array(sparse.vstack([*own, *motion])), stress.beyond(self.places)
        self._own = _SectorRows(wheel, own_rows, modes)
        self._beyond = [(rows, _SectorRows(wheel, rows.rows, modes)) for rows in beyond]
        self.responses = [rows.of_forces for rows in (self._own, *(there for _, there in self._beyond))]

    @single_threaded
    def values(self, first_pair: int, forces: Array, teeth: Indices, vibration: Array | None) -> Array:
        """Measures on some teeth under face forces (n, slots*nf), shape (n, n_points, n_teeth, MEASURES)."""
        on_wheel = teeth_of_pairs(self._gear, teeth)
        # superelement slot 0 holds the last pair of the pinion's window, the first of the wheel's
        pitches = first_pair + self._n_pairs - 1 - teeth if self._gear == PINION else teeth - first_pair
        n, n_points = len(forces), len(self.places)
        rows = self._on_teeth(self._own, forces, pitches) + self._own.vibrating(vibration, on_wheel)
        stress = rows[..., : 6 * n_points].reshape(n, len(teeth), n_points, 6)
        for beyond, response in self._beyond:
            there = self._on_teeth(response, forces, pitches + beyond.pitch)
            there += response.vibrating(vibration, on_wheel + beyond.pitch)
            stress[:, :, beyond.points] += there.reshape(n, len(teeth), -1, 6)
        values = np.full((n, len(teeth), n_points, MEASURES), np.nan)
        known = np.isfinite(stress).all(axis=-1)
        values[known, 0] = von_mises(stress[known])
        values[known, 1] = largest_principal(stress[known])
        values[..., 2] = rows[..., 6 * n_points :]
        return np.moveaxis(values, 1, 2)

    def _on_teeth(self, response: _SectorRows, forces: Array, pitches: Indices) -> Array:
        """Rows of a response on the sectors so many pitches from slot 0; NaN beyond the end of a segment."""
        sectors = self._sector_at[pitches % len(self._sector_at)]
        there = sectors >= 0
        rows = response.of_forces(forces, sectors[there])
        out = np.full((len(forces), len(pitches), rows.shape[-1]), np.nan)
        out[:, there] = rows
        return out


class _SectorRows:
    """Quantities of a sector under forces on the faces, and under the vibration of the wheel."""

    def __init__(self, wheel: Superelement, rows: sparse.csr_array, modes: NormalModes | None) -> None:
        self.of_forces = PointResponse(wheel, rows)
        self._of_modes = None if modes is None else ModeRows(modes, rows)

    def vibrating(self, amplitudes: Array | None, teeth: Indices) -> Array | float:
        """What the vibration adds on some teeth, counter-clockwise from that of pair 0, shape (n, n_teeth, n_rows)."""
        return 0.0 if self._of_modes is None or amplitudes is None else self._of_modes(amplitudes, teeth)
