"""A gear pair in contact along lines: everything that does not change while the gears turn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from alegear.arrays import Array, Indices
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.face_modes import FaceModes, SliceShapes
from alegear.contact.hertz.flank_side import side_of_teeth
from alegear.contact.hertz.model_kernels import Side
from alegear.contact.hertz.slices import FaceSlices, column_means, slice_means
from alegear.contact.law import Friction
from alegear.contact.numbering import SPIN, WHEEL, Flank, flank_side, slot_order
from alegear.geometry.gear_pair import GearPair

LEAST_CURVATURE = 0.02  # of the involutes at the pitch point: flatter strips (hollow flanks) count as so curved


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactGeometry:
    """Two elastic gears, their flanks cut into slices, where they stand, and what displaces their teeth besides forces.

    Attributes
    ----------
    pair : GearPair
    bodies : ElasticBody of pinion and wheel
    friction : Friction
    face : FaceSlices
    sides : tuple of Side
        The loaded side first; the back flanks too if the bodies hold both faces.
    n_pairs : int
    reference_angle, pitch_angle : shape (2,) [rad]
    columns : per gear
        First column and weights of the slices, :func:`alegear.contact.hertz.slices.column_means`.
    modes : FaceModes of pinion and wheel, or None
        Normal modes that are coordinates; then the bodies are what the modes leave of the compliance.
    answers : of pinion and wheel, shape (k, nf) [m per load], or None
        Displacement of the faces of a tooth by each of k loads of rotation, every tooth in the same way; with modes
        what these leave of it.
    """

    pair: GearPair
    bodies: tuple[ElasticBody, ElasticBody]
    friction: Friction
    face: FaceSlices
    sides: tuple[Side, ...]
    n_pairs: int
    reference_angle: Array
    pitch_angle: Array
    columns: tuple[tuple[Indices, Array], tuple[Indices, Array]]
    modes: tuple[FaceModes, FaceModes] | None = None
    answers: tuple[Array, Array] | None = None

    @classmethod
    def build(
        cls,
        pair: GearPair,
        bodies: tuple[ElasticBody, ElasticBody],
        *,
        flank: Flank,
        friction: Friction,
        n_slices: int,
    ) -> Self:
        """Put two bodies into contact; cheap against making them.

        Parameters
        ----------
        pair : GearPair
            Its microgeometry and alignment count, its gears are those of the bodies.
        bodies : ElasticBody of pinion and wheel, with the same number of slots
        flank : {"a", "b"}
            The loaded flanks.
        friction : Friction
        n_slices : int
        """
        n_pairs = len(bodies[0].face_offset)
        if len(bodies[1].face_offset) != n_pairs:
            raise ValueError("both bodies need the same number of slots")
        loaded = flank_side(flank)
        face = FaceSlices.of(pair.common_face, n_slices)
        own_z = (face.z, face.z + pair.alignment.axial_offset)
        columns = tuple(
            column_means(face.borders + offset, body.grid.cols_z, body.order)
            for body, offset in zip(bodies, (0.0, pair.alignment.axial_offset), strict=True)
        )
        sides = [side_of_teeth(pair, bodies, face, own_z, loaded, loaded)]
        if all(len(body.faces) == 2 for body in bodies):
            sides.append(side_of_teeth(pair, bodies, face, own_z, -loaded, loaded))
        return cls(
            pair=pair,
            bodies=bodies,
            friction=friction,
            face=face,
            sides=tuple(sides),
            n_pairs=n_pairs,
            reference_angle=np.array(pair.reference_angles(loaded)),
            pitch_angle=2.0 * math.pi / np.array([gear.z for gear in pair.gears]),
            columns=(columns[0], columns[1]),
        )

    @cached_property
    def least_curvature(self) -> float:
        """Curvature [1/m] that a strip has at least, in the transverse section."""
        xi_1 = self.pair.roll_length_pitch_point
        return LEAST_CURVATURE * (1.0 / xi_1 + 1.0 / (self.pair.line_of_action - xi_1))

    @property
    def flank(self) -> Flank:
        """The loaded flanks."""
        return "a" if self.sides[0].side > 0.0 else "b"

    @property
    def has_back_flanks(self) -> bool:
        """Whether the back flanks touch too."""
        return len(self.sides) == 2

    def slices(self) -> Array:
        """Borders of the face slices, shape (n_slices + 1,) [m]."""
        return self.face.borders

    def own_borders(self, gear: int) -> Array:
        """Borders of the slices from the mid-face of a gear, shape (n_slices + 1,) [m]."""
        return self.face.borders + (self.pair.alignment.axial_offset if gear == WHEEL else 0.0)

    @cached_property
    def contact_length(self) -> float:
        """Length of the line of contact in a slice [m]."""
        return self.face.width / float(self.sides[0].axial[0])

    def slot_offsets(self, gear: int, side: Side) -> Indices:
        """First degree of freedom of the face that belongs to each slot of the window."""
        order = slot_order(self.n_pairs, gear)
        return np.ascontiguousarray(self.bodies[gear].face_offset[order, side.face[gear]])

    def tooth_angle(self, gear: int, phi: Array, slot: Indices) -> Array:
        """Angles about +z of the tooth frames in some slots [rad]."""
        angle: Array = self.reference_angle[gear] + SPIN[gear] * (phi[gear] - slot * self.pitch_angle[gear])
        return angle

    @property
    def mode_counts(self) -> tuple[int, int]:
        """Normal modes of pinion and wheel that are coordinates."""
        if self.modes is None:
            return 0, 0
        return len(self.modes[0].frequencies), len(self.modes[1].frequencies)

    @cached_property
    def shapes(self) -> tuple[SliceShapes, SliceShapes]:
        """Shapes of pinion and wheel on the slices of their teeth."""
        pinion, wheel = (self._shapes_of(gear) for gear in range(2))
        return pinion, wheel

    @property
    def n_axes(self) -> int:
        """Axes along which contact forces act: not the gear axis, where all normals are square to it."""
        return 3 if any(side.axial[1] != 0.0 for side in self.sides) else 2

    def _shapes_of(self, gear: int) -> SliceShapes:
        modes = None if self.modes is None else self.modes[gear]
        answers = np.zeros((0, self.bodies[gear].n_dof // self.n_pairs)) if self.answers is None else self.answers[gear]
        on_faces = answers
        if modes is not None:
            on_faces = np.vstack([modes.amplitudes.real, modes.amplitudes.imag, answers])
        grid = self.bodies[gear].grid
        means = slice_means(on_faces, len(grid.rows_s), len(grid.cols_z), self.n_axes, *self.columns[gear])
        return SliceShapes.of(means, modes, len(answers), gear, self.pair.gears[gear].z)
