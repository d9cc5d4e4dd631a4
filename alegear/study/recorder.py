"""Collects the contact of positions or times into the arrays of a result, with the root stresses.

Samples come in by slot of the window; the arrays are by tooth pair. Stresses are computed for many samples at once,
because one pass over the large stress operator costs as much for one sample as for fifty.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import ContactForces, FlexibleContact
from alegear.contact.numbering import PINION, flank_side, slot_order
from alegear.fe.stress import largest_principal, von_mises
from alegear.reduction.superelement import Superelement

Array = NDArray[np.float64]
BLOCK = 64  # samples whose stress is computed together
# The critical section of a tooth root lies where the tangent is inclined by 30 degrees to the tooth's centre line
# (ISO 6336-3) or below. Further up, near the root form circle, the pressure of the mating tip would be taken for it.
# 20 degrees leave a margin to both: on 13 to 97 teeth the rows left out are a fifth to a third of the fillet.
ROOT_TANGENT = np.radians(20.0)


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
    _line_load: list[Array] = field(default_factory=list)
    _pressure: list[Array] = field(default_factory=list)
    _waiting: list[tuple[Array, Array]] = field(default_factory=list)
    _stress: list[Array] = field(default_factory=list)  # blocks (n, 2 gears, slots, 2 sides, 2 measures)

    def __post_init__(self) -> None:
        self._rows = tuple(_inclined_rows(wheel) for wheel in self.wheels)
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
        self._line_load.append(forces.slices.line_load)
        self._pressure.append(forces.slices.pressure)
        self._waiting.append(forces.face_force)
        if len(self._waiting) == BLOCK:
            self._flush()

    def arrays(self) -> dict[str, NDArray]:
        """All recorded samples, ordered by tooth pair; the keys are the names of a history.

        Pairs outside the window carry no load (0) and have no stress computed (NaN).
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
        out: dict[str, NDArray] = {
            "pairs": lowest + np.arange(n_pairs),
            "slice_position": 0.5 * (borders[1:] + borders[:-1]),
            "tooth_load": np.zeros((n, n_pairs)),
            "line_load": np.zeros((n, n_pairs, n_slices)),
            "contact_pressure": np.zeros((n, n_pairs, n_slices)),
            "root_stress": np.full((n, 2, n_pairs, 2), np.nan),
            "root_stress_principal": np.full((n, 2, n_pairs, 2), np.nan),
        }
        if n:
            out["tooth_load"][row, column] = np.array(self._tooth_load)
            out["line_load"][row, column] = np.array(self._line_load)
            out["contact_pressure"][row, column] = np.array(self._pressure)
            stress = np.concatenate(self._stress)
            for gear in range(2):
                out["root_stress"][row, gear, column] = stress[:, gear, :, :, 0]
                out["root_stress_principal"][row, gear, column] = stress[:, gear, :, :, 1]
        return out

    def _flush(self) -> None:
        if not self._waiting:
            return
        n, n_slots = len(self._waiting), self.contact.n_pairs
        block = np.empty((n, 2, n_slots, 2, 2))
        for gear, wheel in enumerate(self.wheels):
            stress = wheel.root_stress(np.array([f[gear] for f in self._waiting]))
            stress = stress[:, slot_order(n_slots, gear)][:, :, self._roots][:, :, :, self._rows[gear]]
            stress = stress.reshape(n, n_slots, 2, -1, 6)
            block[:, gear, :, :, 0] = von_mises(stress).max(axis=-1)
            principal = largest_principal(stress)
            at = np.abs(principal).argmax(axis=-1)
            block[:, gear, :, :, 1] = np.take_along_axis(principal, at[..., None], axis=-1)[..., 0]
        self._stress.append(block)
        self._waiting.clear()


def _inclined_rows(wheel: Superelement) -> NDArray[np.int64]:
    """Rows of the root grid with the tangent inclined by ROOT_TANGENT or more, without the one on the cut plane.

    In the middle of the tooth space the stress of a node is the mean over two sectors, of which the operator knows one.
    """
    x, y, _ = wheel.sector.straight_points[wheel.sector.root_a[:, 0]].T
    inclination = np.arctan2(np.abs(np.gradient(y)), np.gradient(x))
    steep = np.flatnonzero(inclination < ROOT_TANGENT)
    return np.arange(1, max(int(steep[0]), 2) if steep.size else len(x))
