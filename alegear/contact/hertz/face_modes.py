r"""Normal modes of both wheels on their tooth faces, and what they leave of the compliance.

The compliance C of the tooth faces, bore held, divides into the part that m normal modes carry and what is left. With
the modes Phi on the faces, of unit mass and frequencies Omega,

.. math:: u = C_\mathrm{res} f + \Phi q, \qquad C_\mathrm{res} = C - \Phi \Omega^{-2} \Phi^T .

q gets inertia and becomes a coordinate; the forces that belong to it are Phi^T f. Where nothing moves q is Phi^T f over
Omega squared, and the contact is the one without modes. Two teeth answer to each other by their distance as long as
pairs of modes (cosine and sine) stay together, so the residual compliance is that of a wheel like any other.

Modes and answers to rotation are shapes in which teeth are displaced besides the contact forces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array, ComplexArray, Indices
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.numbering import PINION, slot_order
from alegear.errors import Fault
from alegear.reduction.ring import CyclicCompliance

LANES = 4  # numbers of shapes are a multiple of it: kernels take four at a time


@dataclass(frozen=True, kw_only=True, eq=False)
class FaceModes:
    """Normal modes of a wheel on the faces of one of its teeth.

    Parameters
    ----------
    frequencies : shape (m,) [rad/s]
    nodal_diameters : shape (m,)
    amplitudes : shape (m, nf) [kg^-1/2]
        Complex; on the tooth k pitches counter-clockwise of tooth 0 the mode is Re(U exp(i n k 2 pi/z)).
    teeth : int
    """

    frequencies: Array
    nodal_diameters: Indices
    amplitudes: ComplexArray
    teeth: int

    def of_teeth(self, teeth: ArrayLike) -> ComplexArray:
        """exp(i n k 2 pi/z) by tooth and mode, shape (len(teeth), m)."""
        turns = np.outer(np.asarray(teeth), self.nodal_diameters) % self.teeth
        return np.asarray(np.exp(2j * np.pi * turns / self.teeth), dtype=np.complex128)

    def on_teeth(self, teeth: ArrayLike) -> Array:
        """Modes on the faces of some teeth, one after the other, shape (len(teeth) nf, m) [kg^-1/2]."""
        turned = self.of_teeth(teeth)[:, :, None] * self.amplitudes
        return np.ascontiguousarray(turned.real.transpose(0, 2, 1)).reshape(-1, len(self.frequencies))

    def compliance(self, distance: int) -> Array:
        """Phi Omega^-2 Phi^T between the faces of tooth 0 and of another, shape (nf, nf) [m/N]."""
        U = self.amplitudes
        turned = U * (self.of_teeth([distance])[0] / self.frequencies**2)[:, None]
        return U.real.T @ turned.real


def teeth_of_slots(n_pairs: int, gear: int, first_pair: int) -> list[int]:
    """Teeth, counter-clockwise from that of pair 0, in the slots of the window in order of engagement."""
    # the next pair lies clockwise on the pinion and counter-clockwise on the wheel
    return [(-pair if gear == PINION else pair) for pair in range(first_pair, first_pair + n_pairs)]


def window_teeth(n_pairs: int, gear: int, first_pair: int) -> list[int]:
    """Teeth in the slots of the superelement, counted counter-clockwise from that of pair 0."""
    return [int(k) for k in np.array(teeth_of_slots(n_pairs, gear, first_pair))[slot_order(n_pairs, gear)]]


def residual_body(body: ElasticBody, modes: FaceModes) -> ElasticBody:
    """Body with what the modes leave of its compliance."""
    nf = modes.amplitudes.shape[1]
    compliance = body.of_window
    if not isinstance(compliance, CyclicCompliance) or compliance.n_f != nf:
        raise Fault(
            "normal modes", f"{nf} degrees of freedom a tooth",
            f"{body.n_dof // len(body.face_offset)}, of a whole wheel",
            "take the modes of the same sector, and model all teeth",
        )  # fmt: skip
    left = [body.between(0, distance) - modes.compliance(distance) for distance in range(compliance.slots)]
    return replace(body, of_window=CyclicCompliance(ahead=np.stack(left)), local=())


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
