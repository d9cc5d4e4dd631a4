"""Shapes in which teeth are displaced besides the contact forces: normal modes, answers to rotation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.face_modes import FaceModes
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
