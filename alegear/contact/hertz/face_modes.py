r"""Normal modes of both wheels on their tooth faces, and what they leave of the compliance.

The compliance C of the tooth faces, bore held, divides into the part that m normal modes carry and what is left. With
the modes Phi on the faces, of unit mass and frequencies Omega,

.. math:: u = C_\mathrm{res} f + \Phi q, \qquad C_\mathrm{res} = C - \Phi \Omega^{-2} \Phi^T .

q gets inertia and becomes a coordinate; the forces that belong to it are Phi^T f. Where nothing moves q is Phi^T f over
Omega squared, and the contact is the one without modes. Two teeth answer to each other by their distance as long as
pairs of modes (cosine and sine) stay together, so the residual compliance is that of a wheel like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.contact.hertz.body import ElasticBody
from alegear.contact.numbering import PINION, slot_order
from alegear.errors import Fault
from alegear.reduction.ring import CyclicCompliance

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]


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
    nodal_diameters: NDArray[np.int64]
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
