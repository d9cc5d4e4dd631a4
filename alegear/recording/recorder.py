"""Collects the contact of positions or times, with the root stresses.

Samples come in by slot of the window, and go on block by block to where they are kept: in memory (static studies) or in
files (:class:`~alegear.storage.recorded_samples.RecordedSamples`, motions). Stresses are computed for many samples at
once, because one pass over the large stress operator costs as much for one sample as for fifty.

Memory, of whatever length the study: the forces and values of a block, ``8 (10 + n_slots (6 n_slices + 10))`` bytes a
sample without points, 2.6 kB for four slots of eleven slices; per gear, products up to
:data:`alegear.reduction.root_stress.STORE_BYTES`. Chosen points of the teeth (:mod:`alegear.recording.tooth_points`)
add 24 bytes for each on each tooth, stress point by point ``64 n_slots`` for each point of a fillet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from alegear.arrays import AnyArray, Array, Indices, Mask
from alegear.contact.forces import Arrays, FlexibleContact, MeshForces, PerGear, SliceLoads
from alegear.contact.numbering import PINION, WHEEL, flank_side, slot_order
from alegear.fe.stress import fillet_maxima, von_mises
from alegear.parallel import single_threaded
from alegear.recording.motion_memory import of_prefix, prefixed
from alegear.recording.tip_contact import TipContactNearRoot, points_beside, pressed_beside, rows_beside
from alegear.recording.vibration import ModeRows, root_rows, teeth_of_pairs
from alegear.reduction.normal_modes import NormalModes
from alegear.reduction.root_stress import RootStress
from alegear.reduction.superelement import Superelement
from alegear.results.by_pair import UNLOADED
from alegear.results.contact_result import sample_layout
from alegear.results.root_cycle import CRITICAL_TANGENT
from alegear.results.root_fillet import RootFillet
from alegear.results.variables import FILLET, POINTS
from alegear.storage.growing_array import GrowingArray
from alegear.storage.recorded_samples import RecordedSamples

if TYPE_CHECKING:
    from alegear.recording.tooth_points import ToothPoints

BLOCK = 64  # samples whose stress is computed together
# The critical section of a tooth root lies where the tangent is inclined by 30 degrees to the tooth's centre line
# (ISO 6336-3) or below. Further up, near the root form circle, the pressure of the mating tip would be taken for it.
# 20 degrees leave a margin to both: on 13 to 97 teeth the rows left out are a fifth to a third of the fillet.
ROOT_TANGENT = np.radians(20.0)
# Both root stresses point by point are kept up to this size [bytes]: any static study, and a short dynamic one.
FILLET_BYTES = 20e6
#: Name in the results -> attribute of :class:`SliceLoads`.
SLICE_VALUES = {
    "line_load": "line_load",
    "contact_pressure": "pressure",
    "edge_pressure": "edge_pressure",
    "contact_half_width": "half_width",
    "contact_shear_stress": "shear_stress",
    "contact_roll_length": "roll_length",
}


class ContactBlock(NamedTuple):
    """Samples of a contact, all as in :class:`MeshForces`, one row a sample.

    Attributes
    ----------
    first_pair : shape (n,)
        Tooth pair in slot 0.
    pair_torque : shape (n, n_slots, 2) [N m]
    slices : SliceLoads
    resultant : shape (n, 3) each [N, N m]
        Force and moment on the pinion; NaN in blocks of loads alone.
    face_force : shape (n, slots*nf) each [N], or None
        On the faces of pinion and wheel, where stress is computed of them.
    by_coordinate : shape (n, n_mesh, n_mesh) or None
        Derivatives of the forces of the mesh by its coordinates.
    """

    first_pair: Indices
    pair_torque: Array
    slices: SliceLoads
    resultant: PerGear
    face_force: PerGear | None
    by_coordinate: Array | None

    @classmethod
    def of(cls, forces: MeshForces, first_pair: int, *, loads_only: bool = False) -> ContactBlock:
        """A block of one sample; with `loads_only` without resultant and forces on the faces."""
        unknown = np.full(3, np.nan)
        resultant = (unknown, unknown) if loads_only else (forces.force_on_pinion, forces.moment_on_pinion)
        return cls(
            first_pair=np.array([first_pair]),
            pair_torque=forces.pair_torque[None],
            slices=SliceLoads(**{name: values[None] for name, values in vars(forces.slices).items()}),
            resultant=(resultant[0][None], resultant[1][None]),
            face_force=None if loads_only else (forces.face_force[0][None], forces.face_force[1][None]),
            by_coordinate=None if forces.by_coordinate is None else forces.by_coordinate[None],
        )


@dataclass(kw_only=True, eq=False)
class ContactRecorder:
    """Takes samples as they come and hands them on by slot of the window, once their stress is computed.

    Parameters
    ----------
    contact : FlexibleContact
    wheels : Superelement of pinion and wheel
    points : ToothPoints, optional
        Chosen points, whose stress and motion are added.
    fillet : bool
        Whether the root stress is handed on point by point too: see :meth:`fits_point_by_point`.
    sink : callable, optional
        Takes blocks of samples by name, shape (n, ...). Default: they are kept in memory, for :meth:`by_pair`.
    modes : NormalModes of pinion and wheel, optional
        In which the wheels vibrate: samples have their amplitudes then.
    stress : bool
        Whether the stress of the roots is computed; else it is NaN.
    """

    contact: FlexibleContact
    wheels: tuple[Superelement, Superelement]
    points: ToothPoints | None = None
    fillet: bool = False
    sink: Callable[[Mapping[str, AnyArray]], None] | None = None
    modes: tuple[NormalModes, NormalModes] | None = None
    stress: bool = True

    def __post_init__(self) -> None:
        self.n_slots, self.n_slices = self.contact.n_pairs, len(self.contact.slices()) - 1
        self._count = 0
        self._waiting = tuple(GrowingArray((wheel.dof_boundary,)) for wheel in self.wheels)
        self._known: dict[str, GrowingArray] = {}  # what is known of the samples that wait for their stress
        # the loaded flanks brake a pinion that carries on flanks a; back flanks count negative
        self.load_per_torque = -flank_side(self.contact.flank) / self.contact.pair.pinion.r_b
        # the loaded flank pulls on its own root: the root below it is the tension side
        sides = (0, 1) if self.contact.flank == "a" else (1, 0)
        self._rows = tuple(_inclined_rows(wheel) for wheel in self.wheels)
        self._sides = sides
        n_modes = (0, 0) if self.modes is None else tuple(modes.n_modes for modes in self.modes)
        self._vibration = tuple(GrowingArray((n,)) for n in n_modes)  # of the samples that wait
        grids = [np.asarray(w.sector.root_a)[rows].shape for w, rows in zip(self.wheels, self._rows, strict=True)]
        self.grid = (max(fillet for fillet, _ in grids), max(face for _, face in grids))
        # range at each point of the root, by gear (2 sides, fillet, face)
        self._highest = tuple(np.full((2, *grid), -np.inf) for grid in grids)
        self._lowest = tuple(np.full((2, *grid), np.inf) for grid in grids)
        self.tip_contact = TipContactNearRoot()
        self._above = tuple(
            _above_critical_section(wheel, rows) for wheel, rows in zip(self.wheels, self._rows, strict=True)
        )
        self._beside = tuple(rows_beside(wheel, rows) for wheel, rows in zip(self.wheels, self._rows, strict=True))
        self._kept: RecordedSamples | None = None

    @cached_property
    def _root_stress(self) -> tuple[RootStress, ...]:
        """Stress of the roots by the forces, made when it is first needed."""
        return tuple(
            RootStress(wheel, slots=slot_order(self.n_slots, gear), sides=self._sides, rows=self._rows[gear])
            for gear, wheel in enumerate(self.wheels)
        )

    def __len__(self) -> int:
        """Return the number of samples taken, those included that wait for their stress."""
        return self._count

    def fits_point_by_point(self, n: int, n_pairs: int) -> bool:
        """Whether the root stress of so many samples and pairs, or slots, is little enough to be kept by points."""
        return 2.0 * 8.0 * n * 2.0 * n_pairs * 2.0 * float(np.prod(self.grid)) <= FILLET_BYTES

    @property
    def tooth_load(self) -> Array:
        """Loads of the pairs in the window that are kept in memory, by slot, shape (n, n_slots) [N]."""
        self.flush()
        return self._samples.read("tooth_load")

    @property
    def root_stress(self) -> Array:
        """Likewise the largest von Mises stress of the roots in the window, shape (n, 2 gears, n_slots, 2 sides)."""
        self.flush()
        return self._samples.read("root_stress")

    def add(
        self, block: ContactBlock, further: Mapping[str, Array] | None = None, vibration: PerGear | None = None
    ) -> None:
        """Record samples.

        `further` is what else there is of them, by name, `vibration` (n, m) each [kg^1/2 m] that of the modes of pinion
        and wheel, of a recorder that has such.
        """
        if (vibration is None) != (self.modes is None):
            raise ValueError("samples have amplitudes of modes if and only if the recorder has modes")
        known: dict[str, AnyArray] = {
            "slot_pair": block.first_pair[:, None] + np.arange(self.n_slots),
            "tooth_load": block.pair_torque[:, :, PINION] * self.load_per_torque,
            "contact_force": block.resultant[0],
            "contact_moment": block.resultant[1],
            **{name: getattr(block.slices, attribute) for name, attribute in SLICE_VALUES.items()},
            **(further or {}),
        }
        for name, values in known.items():
            if name in self._known:
                self._known[name].append(values)
            else:
                self._known[name] = GrowingArray.of(values)
        for waiting, force in zip(self._waiting, block.face_force or (0.0, 0.0), strict=True):
            waiting.add(len(block.first_pair))[:] = force
        if vibration is not None:
            for rows, amplitudes in zip(self._vibration, vibration, strict=True):
                rows.append(amplitudes)
        self._count += len(block.first_pair)
        if len(self._waiting[0]) >= BLOCK:
            self.flush()

    # ------------------------------------------------------------- checkpoints
    def memory(self) -> Arrays:
        """What later samples depend on: those that wait for their stress, ranges of the stress, kept products."""
        memory: Arrays = {"count": np.array(self._count)}
        memory |= {"pressed": self.tip_contact.pressed, "clear": self.tip_contact.clear}
        memory |= prefixed("known", {name: rows.values for name, rows in self._known.items()})
        for gear, waiting in enumerate(self._waiting):
            loaded = np.flatnonzero(waiting.values.any(axis=0))  # few forces differ from zero
            memory |= {f"loaded_{gear}": loaded, f"waiting_{gear}": waiting.values[:, loaded]}
            memory[f"vibration_{gear}"] = self._vibration[gear].values
            memory |= {f"highest_{gear}": self._highest[gear], f"lowest_{gear}": self._lowest[gear]}
            memory |= prefixed(f"stress_{gear}", self._root_stress[gear].memory())
        if self.points is not None:
            memory |= prefixed("points", self.points.memory())
        return memory

    def recall(self, memory: Mapping[str, AnyArray]) -> None:
        """Take up a memory in an empty recorder of the same pair."""
        self._count = int(memory["count"])
        self.tip_contact.pressed[:], self.tip_contact.clear[:] = memory["pressed"], memory["clear"]
        self._known |= {name: GrowingArray.of(values) for name, values in of_prefix("known", memory).items()}
        for gear, waiting in enumerate(self._waiting):
            forces = waiting.add(len(memory[f"waiting_{gear}"]))
            forces[:] = 0.0
            forces[:, memory[f"loaded_{gear}"]] = memory[f"waiting_{gear}"]
            if self.modes is not None:
                self._vibration[gear].append(memory[f"vibration_{gear}"])
            self._highest[gear][:] = memory[f"highest_{gear}"]
            self._lowest[gear][:] = memory[f"lowest_{gear}"]
            self._root_stress[gear].recall(of_prefix(f"stress_{gear}", memory))
        if self.points is not None:
            self.points.recall(of_prefix("points", memory))

    # ------------------------------------------------------------------ arrays
    def by_pair(self) -> tuple[Indices, dict[str, AnyArray]]:
        """All samples that are kept in memory: labels of the tooth pairs, and variables over these by name.

        Pairs outside the window carry no load (0), touch nowhere and have no stress computed (NaN).
        """
        self.flush()
        n, n_slots = len(self), self.n_slots
        if not n:
            self._keep(self._empty())
        slot_pair = self._samples.read("slot_pair")
        lowest = int(slot_pair.min()) if n else 0
        n_pairs = (int(slot_pair.max()) + 1 if n else n_slots) - lowest
        column, row = slot_pair - lowest, np.arange(n)[:, None]
        out = {name: self._samples.read(name).copy() for name in ("contact_force", "contact_moment")}
        for name in ("tooth_load", *SLICE_VALUES):
            by_slot = self._samples.read(name)
            out[name] = np.full((n, n_pairs, *by_slot.shape[2:]), 0.0 if name in UNLOADED else np.nan)
            out[name][row, column] = by_slot
        for name in ("root_stress", "root_stress_principal", *FILLET):
            if name in self._samples.layout:
                by_slot = np.moveaxis(self._samples.read(name), 2, 1)
                by_pair = np.full((n, n_pairs, *by_slot.shape[2:]), np.nan)
                by_pair[row, column] = by_slot
                out[name] = np.moveaxis(by_pair, 1, 2)
        out |= {name: self._samples.read(name) for name in POINTS if self.points is not None}
        return lowest + np.arange(n_pairs), out

    def places(self) -> dict[str, Any]:
        """What a history says of the places of its values: slices, ends of flanks, root fillets, points."""
        return {
            "slice_position": self.slice_position,
            "flank_limit": self.flank_limit,
            "root_fillet": self.root_fillet(),
            "points": None if self.points is None else self.points.where(),
        }

    @property
    def slice_position(self) -> Array:
        """Axial position of the slices [m]."""
        borders = self.contact.slices()
        return 0.5 * (borders[1:] + borders[:-1])

    @property
    def flank_limit(self) -> Array:
        """Roll length on the pinion's flank at root form circle and tip of both gears, shape (2, 2) [m]."""
        pair = self.contact.pair
        limits = np.array([[g.tooth_profile.roll_length_form, g.tooth_profile.roll_length_tip] for g in pair.gears])
        limits[WHEEL] = pair.line_of_action - limits[WHEEL]
        return limits

    def root_fillet(self) -> RootFillet:
        """Places of the root stress point by point, and its range there."""
        n_fillet, n_face = self.grid
        place = np.full((2, 2, n_fillet), np.nan)
        face = np.full((2, n_face), np.nan)
        for gear, (wheel, rows) in enumerate(zip(self.wheels, self._rows, strict=True)):
            points = wheel.sector.straight_points
            x, y, _ = points[wheel.sector.root_a[:, 0]].T
            way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
            place[:, gear, : rows.stop - rows.start] = way[rows], _inclination(wheel)[rows]
            face[gear, : wheel.sector.root_a.shape[1]] = points[wheel.sector.root_a[0], 2]
        highest, lowest = np.full((2, 2, 2, n_fillet, n_face), np.nan)
        if len(self) and self.stress and all(wheel.layout.closed for wheel in self.wheels):
            for gear, (_, rows, cols) in enumerate(one.shape for one in self._highest):
                highest[gear, :, :rows, :cols] = self._highest[gear]
                lowest[gear, :, :rows, :cols] = self._lowest[gear]
        return RootFillet(arc_length=place[0], tangent=place[1], face_position=face, highest=highest, lowest=lowest)

    def flush(self) -> None:
        """Compute the stress of the samples that wait for it, and hand them on."""
        if not len(self._waiting[0]):
            return
        block: dict[str, AnyArray] = {name: rows.values for name, rows in self._known.items()}
        if self.stress:
            block |= self._stresses()
        else:
            unknown = np.full((len(self._waiting[0]), 2, self.n_slots, 2), np.nan)
            block |= {"root_stress": unknown, "root_stress_principal": unknown}
        if self.points is not None:
            block |= self._at_points(self.points)
        if self.sink is None:
            self._keep(block)
        else:
            self.sink(block)
        for rows in (*self._waiting, *self._vibration, *self._known.values()):
            rows.clear()

    @single_threaded
    def _at_points(self, points: ToothPoints) -> dict[str, Array]:
        """Values at chosen points of the samples that wait, by name."""
        pinion, wheel = self._waiting
        vibration = None if self.modes is None else (self._vibration[0].values, self._vibration[1].values)
        first_pair = self._known["slot_pair"].values[:, 0]
        values = points.values(first_pair, (pinion.values, wheel.values), vibration)
        return {name: values[..., i] for i, name in enumerate(POINTS)}

    @single_threaded
    def _stresses(self) -> dict[str, Array]:
        """Root stress of the samples that wait for it, by name."""
        n, n_slots = len(self._waiting[0]), self.n_slots
        maxima = np.full((n, 2, n_slots, 2, 2), np.nan)
        fillet = np.full((n, 2, n_slots, 2, *self.grid, 2), np.nan) if self.fillet else None
        for gear, (root_stress, waiting) in enumerate(zip(self._root_stress, self._waiting, strict=True)):
            stress = root_stress(waiting.values).reshape(n, n_slots, 2, -1, 6)
            if self.modes is not None:
                teeth = teeth_of_pairs(gear, self._known["slot_pair"].values)
                stress += self._root_modes[gear](self._vibration[gear].values, teeth).reshape(stress.shape)
            highest, lowest = self._highest[gear].reshape(2, -1), self._lowest[gear].reshape(2, -1)
            beside, of_contact = self._take_beside(gear, stress)
            if fillet is None:
                maxima[:, gear] = fillet_maxima(stress, highest, lowest)
            else:
                points = np.empty((*stress.shape[:-1], 2))
                maxima[:, gear] = fillet_maxima(stress, highest, lowest, points)
                points[beside] = np.nan
                rows, cols = root_stress.shape[2:4]
                fillet[:, gear, :, :, :rows, :cols] = points.reshape(n, n_slots, 2, rows, cols, 2)
            first, pairs = self._count - n, self._known["slot_pair"].values
            for side, largest in enumerate(of_contact):
                self.tip_contact.update(gear, side, largest, maxima[:, gear, :, side, 0], first, pairs)
        found = {"root_stress": maxima[..., 0], "root_stress_principal": maxima[..., 1]}
        return found | ({} if fillet is None else {name: fillet[..., i] for i, name in enumerate(FILLET)})

    @cached_property
    def _root_modes(self) -> tuple[ModeRows, ...]:
        """Stress of the roots by the modes, ordered as that by the forces; made when it is first needed."""
        assert self.modes is not None
        found = []
        for modes, wheel, rows in zip(self.modes, self.wheels, self._rows, strict=True):
            roots = (wheel.sector.root_a, wheel.sector.root_b)
            found.append(root_rows(modes, np.stack([np.asarray(roots[side])[rows] for side in self._sides])))
        return tuple(found)

    def _take_beside(self, gear: int, stress: Array) -> tuple[Mask, list[Array | None]]:
        """Take the contact stress of edges that press beside the roots out of the stress of the roots.

        Parameters
        ----------
        gear : int
        stress : shape (n, n_slots, 2, points, 6) [Pa]
            At all points of the roots; 0 afterwards where an edge presses, which does not count.

        Returns
        -------
        beside : shape (n, n_slots, 2, points)
            Where it does.
        of_contact : by side, shape (n, n_slots) [Pa], or None
            Largest von Mises stress there; None where nothing presses.
        """
        wheel, waiting = self.wheels[gear], self._waiting[gear].values
        beside = np.zeros(stress.shape[:-1], dtype=np.bool_)
        of_contact: list[Array | None] = [None, None]
        for side, flank in enumerate("ab"[number] for number in self._sides):
            if flank not in wheel.faces:
                continue
            presses = pressed_beside(wheel, waiting, wheel.faces.index(flank), self._beside[gear])
            presses = presses[:, slot_order(self.n_slots, gear)]
            if presses.any():
                own = points_beside(presses, self._above[gear], wheel.sector.order)
                beside[:, :, side] = own.reshape(beside[:, :, side].shape)
                of_contact[side] = np.where(beside[:, :, side], von_mises(stress[:, :, side]), 0.0).max(axis=2)
        stress[beside] = 0.0
        return beside, of_contact

    @property
    def _samples(self) -> RecordedSamples:
        if self._kept is None:
            raise ValueError("no samples are kept in memory")
        return self._kept

    def _keep(self, block: Mapping[str, AnyArray]) -> None:
        if self._kept is None:
            self._kept = RecordedSamples.of(block)
        else:
            self._kept.append(block)

    def _empty(self) -> dict[str, AnyArray]:
        """A block of no samples."""
        points = None if self.points is None else self.points.shape
        layout = sample_layout(self.n_slots, self.n_slices, points=points)
        return {name: np.empty((0, *kind.shape), dtype=kind.dtype) for name, kind in layout.items()}


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


def _above_critical_section(wheel: Superelement, rows: slice) -> Mask:
    """Which of the rows that count lie above the critical section: the uppermost element at least, never all."""
    above: Mask = _inclination(wheel)[rows] < CRITICAL_TANGENT
    above[-1 - wheel.sector.order :] = True
    above[0] = False
    return above
