"""Collects the contact of positions or times into the arrays of a result, with the root stresses.

Samples come in by slot of the window; the arrays are by tooth pair. Stresses are computed for many samples at once,
because one pass over the large stress operator costs as much for one sample as for fifty.

Memory: of one sample stays ``8 (10 + n_slots (6 n_slices + 9))`` bytes, 2.5 kB for four slots of eleven slices, and
:meth:`ContactRecorder.arrays` takes ``8 (10 + n_pairs (6 n_slices + 9))`` with all pairs of the run. Beside that, of
whatever length the run: the forces of a block, the stress points up to FILLET_BYTES (twice that while the arrays are
made) and, per gear, products up to :data:`alegear.reduction.root_stress.STORE_BYTES`. Chosen points of the teeth
(:mod:`alegear.study.tooth_points`) add 24 bytes for each on each tooth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import Arrays, ContactForces, FlexibleContact, SliceLoads
from alegear.contact.numbering import PINION, WHEEL, flank_side, slot_order
from alegear.fe.stress import fillet_maxima
from alegear.parallel import single_threaded
from alegear.reduction.root_stress import RootStress
from alegear.reduction.superelement import Superelement
from alegear.results.root_fillet import RootFillet

if TYPE_CHECKING:
    from alegear.study.tooth_points import ToothPoints

Array = NDArray[np.float64]
BLOCK = 64  # samples whose stress is computed together
# The critical section of a tooth root lies where the tangent is inclined by 30 degrees to the tooth's centre line
# (ISO 6336-3) or below. Further up, near the root form circle, the pressure of the mating tip would be taken for it.
# 20 degrees leave a margin to both: on 13 to 97 teeth the rows left out are a fifth to a third of the fillet.
ROOT_TANGENT = np.radians(20.0)
# Both root stresses point by point are kept up to this size [bytes]: any static study, and a short dynamic one.
FILLET_BYTES = 20e6
#: By slice, and their names in a history.
SLICE_VALUES = {
    "line_load": "line_load",
    "pressure": "contact_pressure",
    "edge_pressure": "edge_pressure",
    "half_width": "contact_half_width",
    "shear_stress": "contact_shear_stress",
    "roll_length": "contact_roll_length",
}


class Rows:
    """Array that grows by rows, contiguous.

    Parameters
    ----------
    shape : tuple of int
        Of one row.
    dtype : optional
        Default: float64.
    """

    def __init__(self, shape: tuple[int, ...], dtype: type = np.float64) -> None:
        self._memory: NDArray[Any] = np.empty((BLOCK, *shape), dtype=dtype)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, count: int = 1) -> NDArray[Any]:
        """Append rows to be filled in, shape (count, ...); a view, valid until more are added."""
        first, self._n = self._n, self._n + count
        if self._n > len(self._memory):
            grown = np.empty((max(self._n, 3 * first // 2), *self._memory.shape[1:]), dtype=self._memory.dtype)
            grown[:first] = self._memory[:first]
            self._memory = grown
        return self._memory[first : self._n]

    def clear(self) -> None:
        """Forget the rows, keep the memory."""
        self._n = 0

    @property
    def values(self) -> NDArray[Any]:
        """All rows so far, a view."""
        return self._memory[: self._n]


@dataclass(frozen=True, kw_only=True)
class RecordSize:
    """How much is recorded: samples, those with root stress, blocks of the stress point by point (None: not kept)."""

    samples: int = 0
    stresses: int = 0
    fillet_blocks: int | None = 0


@dataclass(kw_only=True, eq=False)
class ContactRecorder:
    """Grows by one sample at a time; :meth:`arrays` orders everything by tooth pair.

    Parameters
    ----------
    contact : FlexibleContact
    wheels : Superelement of pinion and wheel
    points : ToothPoints, optional
        Chosen points, whose histories grow with the samples.
    """

    contact: FlexibleContact
    wheels: tuple[Superelement, Superelement]
    points: ToothPoints | None = None

    def __post_init__(self) -> None:
        n_slots, n_slices = self.contact.n_pairs, len(self.contact.slices()) - 1
        self._first_pair = Rows((), np.int64)
        self._tooth_load = Rows((n_slots,))
        self._slices = Rows((len(SLICE_VALUES), n_slots, n_slices))
        self._resultant = Rows((2, 3))  # force, moment
        self._stress = Rows((2, n_slots, 2, 2))  # gear, slot, side, measure
        self._waiting = tuple(Rows((wheel.dof_boundary,)) for wheel in self.wheels)
        # blocks (n, 2 gears, slots, 2 sides, fillet, face, 2 measures); None once they are too large
        self._fillet: list[Array] | None = []
        # the loaded flanks brake a pinion that carries on flanks a; back flanks count negative
        self._load_per_torque = -flank_side(self.contact.flank) / self.contact.pair.pinion.r_b
        # the loaded flank pulls on its own root: the root below it is the tension side
        sides = (0, 1) if self.contact.flank == "a" else (1, 0)
        self._rows = tuple(_inclined_rows(wheel) for wheel in self.wheels)
        self._root_stress = tuple(
            RootStress(wheel, slots=slot_order(n_slots, gear), sides=sides, rows=self._rows[gear])
            for gear, wheel in enumerate(self.wheels)
        )
        grids = [root.shape[2:4] for root in self._root_stress]
        self._grid = (max(fillet for fillet, _ in grids), max(face for _, face in grids))
        # range at each point of the root, by gear (2 sides, fillet, face)
        self._highest = tuple(np.full((2, *grid), -np.inf) for grid in grids)
        self._lowest = tuple(np.full((2, *grid), np.inf) for grid in grids)

    def __len__(self) -> int:
        return len(self._first_pair)

    @property
    def tooth_load(self) -> Array:
        """Loads of the pairs in the window, by slot, shape (n, n_slots) [N]: of long motions without :meth:`arrays`."""
        return self._tooth_load.values

    @property
    def root_stress(self) -> Array:
        """Largest von Mises stress of the roots in the window, shape (n, 2 gears, n_slots, 2 sides) [Pa]: likewise."""
        self._flush()
        return self._stress.values[..., 0]

    def add(self, forces: ContactForces, first_pair: int) -> None:
        """Record one sample; `first_pair` is the tooth pair in slot 0."""
        slices = SliceLoads(**{name: values[None] for name, values in vars(forces.slices).items()})
        self.add_many(
            np.array([first_pair]),
            forces.pair_torque[None],
            slices,
            (forces.force_on_pinion[None], forces.moment_on_pinion[None]),
            (forces.face_force[0][None], forces.face_force[1][None]),
        )

    def add_many(
        self,
        first_pair: NDArray[np.int64],
        pair_torque: Array,
        slices: SliceLoads,
        resultant: tuple[Array, Array],
        face_force: tuple[Array, Array],
    ) -> None:
        """Record samples; all as in :class:`ContactForces`, one row a sample, with the pair in slot 0 of each.

        `resultant` are force and moment on the pinion.
        """
        n = len(first_pair)
        self._first_pair.add(n)[:] = first_pair
        np.multiply(pair_torque[:, :, PINION], self._load_per_torque, out=self._tooth_load.add(n))
        loads = self._slices.add(n)
        for i, name in enumerate(SLICE_VALUES):
            loads[:, i] = getattr(slices, name)
        self._resultant.add(n)[:] = np.stack(resultant, axis=1)
        for waiting, force in zip(self._waiting, face_force, strict=True):
            waiting.add(n)[:] = force
        if len(self._waiting[0]) >= BLOCK:
            self._flush()

    # ------------------------------------------------------------- checkpoints
    @property
    def size(self) -> RecordSize:
        """How much is recorded."""
        blocks = None if self._fillet is None else len(self._fillet)
        return RecordSize(samples=len(self), stresses=len(self._stress), fillet_blocks=blocks)

    def since(self, size: RecordSize) -> Arrays:
        """What was recorded since there was so much, by name; what still changes is in `memory`."""
        new: Arrays = {name: rows.values[size.samples :] for name, rows in self._by_sample().items()}
        new["stress"] = self._stress.values[size.stresses :]
        if self.points is not None:
            new["points"] = self.points.values[size.stresses :]
        blocks = (self._fillet or [])[size.fillet_blocks or 0 :]
        return new | ({"fillet": np.concatenate(blocks)} if blocks else {})

    def memory(self) -> Arrays:
        """What changes as samples come in: forces that wait for their stress, ranges of the stress."""
        kept: Arrays = {"fillet_kept": np.array(self._fillet is not None)}
        for gear, waiting in enumerate(self._waiting):
            loaded = np.flatnonzero(waiting.values.any(axis=0))  # few forces differ from zero
            kept |= {f"loaded_{gear}": loaded, f"waiting_{gear}": waiting.values[:, loaded]}
            kept |= {f"highest_{gear}": self._highest[gear], f"lowest_{gear}": self._lowest[gear]}
        return kept

    def recall(self, parts: Sequence[Mapping[str, NDArray[Any]]], memory: Mapping[str, NDArray[Any]]) -> None:
        """Take up what an empty recorder of the same pair had recorded, part by part, and its memory."""
        for part in parts:
            for name, rows in [*self._by_sample().items(), ("stress", self._stress)]:
                rows.add(len(part[name]))[:] = part[name]
            if self.points is not None:
                self.points.recall(part["points"])
            if self._fillet is not None and "fillet" in part:
                self._fillet.append(part["fillet"])
        if not memory["fillet_kept"]:
            self._fillet = None
        for gear, waiting in enumerate(self._waiting):
            forces = waiting.add(len(memory[f"waiting_{gear}"]))
            forces[:] = 0.0
            forces[:, memory[f"loaded_{gear}"]] = memory[f"waiting_{gear}"]
            self._highest[gear][:] = memory[f"highest_{gear}"]
            self._lowest[gear][:] = memory[f"lowest_{gear}"]

    def _by_sample(self) -> dict[str, Rows]:
        """What has a row a sample."""
        return {
            "first_pair": self._first_pair,
            "tooth_load": self._tooth_load,
            "slices": self._slices,
            "resultant": self._resultant,
        }

    # ------------------------------------------------------------------ arrays
    def arrays(self) -> dict[str, Any]:
        """All recorded samples, ordered by tooth pair; the keys are the names of a history.

        Pairs outside the window carry no load (0), touch nowhere and have no stress computed (NaN).
        """
        self._flush()
        n, n_slots = len(self), self.contact.n_pairs
        first = self._first_pair.values
        lowest = int(first.min()) if n else 0
        n_pairs = (int(first.max()) if n else 0) + n_slots - lowest
        borders = self.contact.slices()
        n_slices = len(borders) - 1
        column = (first - lowest)[:, None] + np.arange(n_slots)
        row = np.arange(n)[:, None]
        touching = (n, n_pairs, n_slices)
        out: dict[str, Any] = {
            "pairs": lowest + np.arange(n_pairs),
            "slice_position": 0.5 * (borders[1:] + borders[:-1]),
            "tooth_load": np.zeros((n, n_pairs)),
            "line_load": np.zeros(touching),
            "contact_pressure": np.zeros(touching),
            "edge_pressure": np.zeros(touching),
            "contact_half_width": np.full(touching, np.nan),
            "contact_shear_stress": np.full(touching, np.nan),
            "contact_roll_length": np.full(touching, np.nan),
            "contact_force": self._resultant.values[:, 0].copy(),
            "contact_moment": self._resultant.values[:, 1].copy(),
            "flank_limit": self._flank_limit(),
            "root_stress": np.full((n, 2, n_pairs, 2), np.nan),
            "root_stress_principal": np.full((n, 2, n_pairs, 2), np.nan),
        }
        out["tooth_load"][row, column] = self._tooth_load.values
        for i, name in enumerate(SLICE_VALUES.values()):
            out[name][row, column] = self._slices.values[:, i]
        for gear in range(2):
            out["root_stress"][row, gear, column] = self._stress.values[:, gear, :, :, 0]
            out["root_stress_principal"][row, gear, column] = self._stress.values[:, gear, :, :, 1]
        out["root_fillet"] = self._root_fillet(column, n_pairs)
        out["points"] = None if self.points is None else self.points.history()
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
            place[:, gear, : rows.stop - rows.start] = way[rows], _inclination(wheel)[rows]
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
        highest, lowest = np.full((2, 2, 2, n_fillet, n_face), np.nan)
        if len(self) and all(wheel.layout.closed for wheel in self.wheels):
            for gear, (_, _, rows, cols, _) in enumerate(root.shape for root in self._root_stress):
                highest[gear, :, :rows, :cols] = self._highest[gear]
                lowest[gear, :, :rows, :cols] = self._lowest[gear]
        return RootFillet(
            arc_length=place[0],
            tangent=place[1],
            face_position=face,
            von_mises=full[0],
            principal=full[1],
            highest=highest,
            lowest=lowest,
        )

    @single_threaded
    def _flush(self) -> None:
        """Compute the stress of the samples that wait for it."""
        n, n_slots = len(self._waiting[0]), self.contact.n_pairs
        if not n:
            return
        maxima = self._stress.add(n)
        if self.points is not None:
            pinion, wheel = self._waiting
            self.points.add(self._first_pair.values[-n:], (pinion.values, wheel.values))
        fillet = None
        if self._fillet is not None:
            fillet = np.full((n, 2, n_slots, 2, *self._grid, 2), np.nan)
            self._fillet.append(fillet)
            if sum(part.nbytes for part in self._fillet) > FILLET_BYTES:
                self._fillet = fillet = None
        for gear, (root_stress, waiting) in enumerate(zip(self._root_stress, self._waiting, strict=True)):
            stress = root_stress(waiting.values).reshape(n, n_slots, 2, -1, 6)
            highest, lowest = self._highest[gear].reshape(2, -1), self._lowest[gear].reshape(2, -1)
            if fillet is None:
                maxima[:, gear] = fillet_maxima(stress, highest, lowest)
            else:
                points = np.empty((*stress.shape[:-1], 2))
                maxima[:, gear] = fillet_maxima(stress, highest, lowest, points)
                rows, cols = root_stress.shape[2:4]
                fillet[:, gear, :, :, :rows, :cols] = points.reshape(n, n_slots, 2, rows, cols, 2)
            waiting.clear()


def _inclination(wheel: Superelement) -> Array:
    """Angle between the tangent of the fillet and the tooth's centre line by row of the root grid [rad]."""
    x, y, _ = wheel.sector.straight_points[wheel.sector.root_a[:, 0]].T
    return np.arctan2(np.abs(np.gradient(y)), np.gradient(x))


def _inclined_rows(wheel: Superelement) -> slice:
    """Rows of the root grid with the tangent inclined by ROOT_TANGENT or more, without the one on the cut plane.

    In the middle of the tooth space the stress of a node is the mean over two sectors, of which the operator knows one.
    """
    inclination = _inclination(wheel)
    steep = np.flatnonzero(inclination < ROOT_TANGENT)
    return slice(1, max(int(steep[0]), 2) if steep.size else len(inclination))
