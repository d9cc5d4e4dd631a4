"""Shapes in which teeth are displaced besides the contact forces: normal modes, answers to rotation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.face_modes import FaceModes
from alegear.contact.hertz.geometry import ContactGeometry
from alegear.contact.numbering import PINION

Array = NDArray[np.float64]

LANES = 4  # numbers of shapes are a multiple of it: kernels take four at a time


@dataclass(frozen=True, kw_only=True, eq=False)
class SliceShapes:
    """Shapes of one gear on the slices of its teeth, as the kernels have them.

    Attributes
    ----------
    n_modes, n_loads : int
    on_slices : shape (n_strips, rows x axes, K)
        Of tooth 0: real parts of the modes, imaginary parts [kg^-1/2], loads of rotation [m per load], zeros.
    phases : shape (z, K)
        Factors of the amplitudes on each tooth, counted from pair 0 in order of engagement.
    largest : shape (n_modes + n_loads,)
        Component of each mode and load on any tooth.
    """

    n_modes: int
    n_loads: int
    on_slices: Array
    phases: Array
    largest: Array

    @classmethod
    def of(cls, slice_means: Array, modes: FaceModes | None, n_loads: int, gear: int, teeth: int) -> SliceShapes:
        """Put the shapes of a gear together.

        Parameters
        ----------
        slice_means : shape (2 m + n_loads, n_strips, rows x axes)
            Real parts, imaginary parts, loads.
        modes : FaceModes or None
        n_loads, gear, teeth : int
        """
        n_modes = 0 if modes is None else len(modes.frequencies)
        n = len(slice_means)
        padded = -(-n // LANES) * LANES
        on_slices = np.zeros((*slice_means.shape[1:], padded))
        on_slices[:, :, :n] = np.moveaxis(slice_means, 0, 2)
        phases = np.zeros((teeth, padded))
        if modes is not None:
            # the next pair lies clockwise on the pinion and counter-clockwise on the wheel
            turned = modes.of_teeth((-1 if gear == PINION else 1) * np.arange(teeth))
            phases[:, :n_modes], phases[:, n_modes : 2 * n_modes] = turned.real, -turned.imag
        phases[:, 2 * n_modes : n] = 1.0
        sizes = np.abs(slice_means)
        sizes[:n_modes] = np.hypot(sizes[:n_modes], sizes[n_modes : 2 * n_modes])  # of the worst phase
        largest = np.delete(sizes.max(axis=(1, 2), initial=0.0), np.s_[n_modes : 2 * n_modes])
        return cls(n_modes=n_modes, n_loads=n_loads, on_slices=on_slices, phases=phases, largest=largest)


@dataclass(frozen=True, kw_only=True, eq=False)
class ShapedGeometry(ContactGeometry):
    """A gear pair whose teeth may be displaced besides the contact forces.

    Attributes
    ----------
    modes : FaceModes of pinion and wheel, or None
        Normal modes that are coordinates; then the bodies are what the modes leave of the compliance.
    answers : of pinion and wheel, shape (k, nf) [m per load], or None
        Displacement of the faces of a tooth by each of k loads of rotation, every tooth in the same way; with modes
        what these leave of it.
    """

    modes: tuple[FaceModes, FaceModes] | None = None
    answers: tuple[Array, Array] | None = None

    @property
    def mode_counts(self) -> tuple[int, int]:
        """Normal modes of pinion and wheel that are coordinates."""
        if self.modes is None:
            return 0, 0
        return len(self.modes[0].frequencies), len(self.modes[1].frequencies)

    @property
    def mode_amplitudes(self) -> tuple[NDArray[np.complex128], NDArray[np.complex128]] | None:
        """Complex amplitudes of these modes on the faces of the teeth, (m, nf) each; None where there are none."""
        return None if self.modes is None else (self.modes[0].amplitudes, self.modes[1].amplitudes)

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
        means = self._slice_means(gear, on_faces)
        return SliceShapes.of(means, modes, len(answers), gear, self.pair.gears[gear].z)

    def _slice_means(self, gear: int, on_faces: Array) -> Array:
        """Means over the slices of displacements (m, nf) of the faces of a tooth, (m, n_strips, rows * axes)."""
        body, n_axes = self.bodies[gear], self.n_axes
        first_col, weight = self.columns[gear]
        n_rows, n_cols = len(body.grid.rows_s), len(body.grid.cols_z)
        U = on_faces.reshape(len(on_faces), len(body.faces), n_rows, n_cols, 3)[..., :n_axes]
        columns = first_col[:, None] + np.arange(weight.shape[1])
        means = np.einsum("mfrkca,kc->mfkra", U[:, :, :, columns], weight)
        return np.ascontiguousarray(means).reshape(len(U), len(body.faces) * len(self.face), n_rows * n_axes)
