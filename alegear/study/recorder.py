"""Collects the contact of positions or times into the arrays of a result, with the root stresses.

Samples come in by slot of the window; the arrays are by tooth pair. Stresses are computed for many samples at once,
because one pass over the large stress operator costs as much for one sample as for fifty.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import ContactForces, FlexibleContact
from alegear.contact.numbering import PINION, WHEEL, flank_side, slot_order
from alegear.fe.stress import largest_principal, von_mises
from alegear.reduction.superelement import Superelement
from alegear.results.root_fillet import RootFillet

Array = NDArray[np.float64]
BLOCK = 64  # samples whose stress is computed together
# The critical section of a tooth root lies where the tangent is inclined by 30 degrees to the tooth's centre line
# (ISO 6336-3) or below. Further up, near the root form circle, the pressure of the mating tip would be taken for it.
# 20 degrees leave a margin to both: on 13 to 97 teeth the rows left out are a fifth to a third of the fillet.
ROOT_TANGENT = np.radians(20.0)
# Both root stresses point by point are kept up to this size [bytes]: any static study, and a short dynamic one.
FILLET_BYTES = 20e6
SLICE_VALUES = ("line_load", "pressure", "half_width", "shear_stress", "roll_length")


@dataclass(kw_only=True, eq=False)
class ContactRecorder:
    """Grows by one sample at a time; :meth:`arrays` orders everything by tooth pair.

    Parameters
    ----------
    contact : FlexibleContact
    wheels : Superelement of pinion and wheel
    """

    contact: FlexibleContact
    wheels: tuple[Superelement, Superelement]
    _first_pair: list[int] = field(default_factory=list)
    _tooth_load: list[Array] = field(default_factory=list)
    _slices: list[Array] = field(default_factory=list)  # (5 values, slots, slices)
    _resultant: list[Array] = field(default_factory=list)  # force, moment: (2, 3)
    _waiting: list[tuple[Array, Array]] = field(default_factory=list)
    _stress: list[Array] = field(default_factory=list)  # blocks (n, 2 gears, slots, 2 sides, 2 measures)
    # blocks (n, 2 gears, slots, 2 sides, fillet, face, 2 measures); None once they are too large
    _fillet: list[Array] | None = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rows = tuple(_inclined_rows(wheel) for wheel in self.wheels)
        grids = [wheel.sector.root_a[rows] for wheel, rows in zip(self.wheels, self._rows, strict=True)]
        self._grid = (max(len(g) for g in grids), max(g.shape[1] for g in grids))
        self._highest = np.full((2, 2, *self._grid), np.nan)
        self._lowest = np.full((2, 2, *self._grid), np.nan)
        # the loaded flank pulls on its own root: the root below it is the tension side
        self._roots = [0, 1] if self.contact.flank == "a" else [1, 0]

    def __len__(self) -> int:
        return len(self._first_pair)

    def add(self, forces: ContactForces, first_pair: int) -> None:
        """Record one sample; `first_pair` is the tooth pair in slot 0."""
        self._first_pair.append(first_pair)
        r_b = self.contact.pair.pinion.r_b
        # the loaded flanks brake a pinion that carries on flanks a; back flanks count negative
        braking = -flank_side(self.contact.flank)
        self._tooth_load.append(braking * forces.pair_torque[:, PINION] / r_b)
        self._slices.append(np.array([getattr(forces.slices, name) for name in SLICE_VALUES]))
        self._resultant.append(np.array([forces.force_on_pinion, forces.moment_on_pinion]))
        self._waiting.append(forces.face_force)
        if len(self._waiting) == BLOCK:
            self._flush()

    def arrays(self) -> dict[str, Any]:
        """All recorded samples, ordered by tooth pair; the keys are the names of a history.

        Pairs outside the window carry no load (0), touch nowhere and have no stress computed (NaN).
        """
        self._flush()
        n, n_slots = len(self), self.contact.n_pairs
        first = np.array(self._first_pair, dtype=np.int64)
        lowest = int(first.min()) if n else 0
        n_pairs = (int(first.max()) if n else 0) + n_slots - lowest
        borders = self.contact.slices()
        n_slices = len(borders) - 1
        column = (first - lowest)[:, None] + np.arange(n_slots)
        row = np.arange(n)[:, None]
        resultant = np.array(self._resultant).reshape(n, 2, 3)
        touching = (n, n_pairs, n_slices)
        out: dict[str, Any] = {
            "pairs": lowest + np.arange(n_pairs),
            "slice_position": 0.5 * (borders[1:] + borders[:-1]),
            "tooth_load": np.zeros((n, n_pairs)),
            "line_load": np.zeros(touching),
            "contact_pressure": np.zeros(touching),
            "contact_half_width": np.full(touching, np.nan),
            "contact_shear_stress": np.full(touching, np.nan),
            "contact_roll_length": np.full(touching, np.nan),
            "contact_force": resultant[:, 0],
            "contact_moment": resultant[:, 1],
            "flank_limit": self._flank_limit(),
            "root_stress": np.full((n, 2, n_pairs, 2), np.nan),
            "root_stress_principal": np.full((n, 2, n_pairs, 2), np.nan),
        }
        if n:
            out["tooth_load"][row, column] = np.array(self._tooth_load)
            slices = np.array(self._slices)
            for i, name in enumerate(SLICE_VALUES):
                out[name if name == "line_load" else f"contact_{name}"][row, column] = slices[:, i]
            stress = np.concatenate(self._stress)
            for gear in range(2):
                out["root_stress"][row, gear, column] = stress[:, gear, :, :, 0]
                out["root_stress_principal"][row, gear, column] = stress[:, gear, :, :, 1]
        out["root_fillet"] = self._root_fillet(column, n_pairs)
        return out

    def _flank_limit(self) -> Array:
        """Roll length on the pinion's flank at root form circle and tip of both gears, shape (2, 2) [m]."""
        pair = self.contact.pair
        limits = np.array([[g.tooth_profile.roll_length_form, g.tooth_profile.roll_length_tip] for g in pair.gears])
        limits[WHEEL] = pair.line_of_action - limits[WHEEL]
        return limits

    def _root_fillet(self, column: NDArray[np.int64], n_pairs: int) -> RootFillet:
        """Root stress point by point, with the places of the points."""
        n_fillet, n_face = self._grid
        place = np.full((2, 2, n_fillet), np.nan)
        face = np.full((2, n_face), np.nan)
        for gear, (wheel, rows) in enumerate(zip(self.wheels, self._rows, strict=True)):
            points = wheel.sector.straight_points
            x, y, _ = points[wheel.sector.root_a[:, 0]].T
            way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
            place[:, gear, : len(rows)] = way[rows], _inclination(wheel)[rows]
            face[gear, : wheel.sector.root_a.shape[1]] = points[wheel.sector.root_a[0], 2]
        full: list[Array | None] = [None, None]
        shape = (len(column), 2, n_pairs, 2, n_fillet, n_face)
        if self._fillet is not None and 2.0 * 8.0 * np.prod(shape, dtype=float) <= FILLET_BYTES:
            full = [np.full(shape, np.nan) for _ in range(2)]
            row = np.arange(len(column))[:, None]
            for gear in range(2):
                for measure, values in enumerate(full if self._fillet else []):
                    assert values is not None
                    blocks = [block[:, gear, ..., measure] for block in self._fillet]
                    values[row, gear, column] = np.concatenate(blocks)
        closed = all(wheel.layout.closed for wheel in self.wheels)
        return RootFillet(
            arc_length=place[0],
            tangent=place[1],
            face_position=face,
            von_mises=full[0],
            principal=full[1],
            highest=self._highest if closed else np.full_like(self._highest, np.nan),
            lowest=self._lowest if closed else np.full_like(self._lowest, np.nan),
        )

    def _flush(self) -> None:
        if not self._waiting:
            return
        n, n_slots = len(self._waiting), self.contact.n_pairs
        block = np.empty((n, 2, n_slots, 2, 2))
        fillet = np.full((n, 2, n_slots, 2, *self._grid, 2), np.nan)
        for gear, wheel in enumerate(self.wheels):
            stress = wheel.root_stress(np.array([f[gear] for f in self._waiting]))
            stress = stress[:, slot_order(n_slots, gear)][:, :, self._roots][:, :, :, self._rows[gear]]
            points = fillet[:, gear, :, :, : stress.shape[3], : stress.shape[4]]
            points[..., 0] = von_mises(stress)
            points[..., 1] = largest_principal(stress)
            flat = points.reshape(n, n_slots, 2, -1, 2)
            block[:, gear, :, :, 0] = flat[..., 0].max(axis=-1)
            at = np.abs(flat[..., 1]).argmax(axis=-1)
            block[:, gear, :, :, 1] = np.take_along_axis(flat[..., 1], at[..., None], axis=-1)[..., 0]
        self._stress.append(block)
        self._highest = np.fmax(self._highest, fillet[..., 1].max(axis=(0, 2)))
        self._lowest = np.fmin(self._lowest, fillet[..., 1].min(axis=(0, 2)))
        if self._fillet is not None:
            self._fillet.append(fillet)
            if sum(part.nbytes for part in self._fillet) > FILLET_BYTES:
                self._fillet = None
        self._waiting.clear()


def _inclination(wheel: Superelement) -> Array:
    """Angle between the tangent of the fillet and the tooth's centre line by row of the root grid [rad]."""
    x, y, _ = wheel.sector.straight_points[wheel.sector.root_a[:, 0]].T
    return np.arctan2(np.abs(np.gradient(y)), np.gradient(x))


def _inclined_rows(wheel: Superelement) -> NDArray[np.int64]:
    """Rows of the root grid with the tangent inclined by ROOT_TANGENT or more, without the one on the cut plane.

    In the middle of the tooth space the stress of a node is the mean over two sectors, of which the operator knows one.
    """
    inclination = _inclination(wheel)
    steep = np.flatnonzero(inclination < ROOT_TANGENT)
    return np.arange(1, max(int(steep[0]), 2) if steep.size else len(inclination))
