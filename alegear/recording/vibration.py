r"""Quantities of the teeth of a wheel that vibrates in its normal modes, beside those of the contact forces at rest.

The compliance that recovers stress from contact forces f holds all modes as they stand under f. What a mode moves
beyond that is its vibration q_v (:meth:`~alegear.drivetrain.normal_modes.VibratingWheel.vibration`), so that

.. math:: \sigma(t) = S f(t) + \sum_k S_k\, q_{v,k}(t) ,

the mode-acceleration method: modes that are left out still carry their part of the static stress. S_k is the stress by
a unit of mode k, on the tooth p pitches on Re(S_k exp(i n p 2 pi/z)).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from alegear.arrays import Array, Indices
from alegear.contact.numbering import PINION
from alegear.fe import FEModel, stress_operator
from alegear.parallel import single_threaded
from alegear.reduction.normal_modes import NormalModes


class ModeRows:
    """Linear quantities of chosen nodes of every sector of a wheel in its normal modes.

    Parameters
    ----------
    modes : NormalModes
    rows : sparse, shape (n_rows, 3 n_nodes)
        The quantities over the displacement of the nodes of a sector, in the tooth frame.
    """

    def __init__(self, modes: NormalModes, rows: sparse.csr_array | sparse.csr_matrix) -> None:
        self._modes = modes
        shapes = modes.amplitudes.reshape(modes.n_modes, -1).T
        self._of_modes = np.vstack([(rows @ shapes.real).T, (rows @ shapes.imag).T])

    @single_threaded
    def __call__(self, amplitudes: Array, teeth: Indices) -> Array:
        """Compute the quantities on some teeth.

        Parameters
        ----------
        amplitudes : shape (n, m) [kg^1/2 m]
        teeth : shape (n, k) or (k,)
            Pitches from tooth 0, counter-clockwise positive, of each sample or the same of all.

        Returns
        -------
        shape (n, k, n_rows)
        """
        turned = amplitudes[:, None, :] * self._modes.turns(teeth)
        found: Array = np.concatenate([turned.real, -turned.imag], axis=2) @ self._of_modes
        return found


def root_rows(modes: NormalModes, nodes: Indices) -> ModeRows:
    """Stress at nodes of a sector, each with its six components, in the order given."""
    model = FEModel.from_mesh(modes.sector.volume, modes.material)
    return ModeRows(modes, stress_operator(model, nodes.ravel()))


def teeth_of_pairs(gear: int, pairs: Indices) -> Indices:
    """Teeth of tooth pairs, counter-clockwise from that of pair 0: the next pair lies clockwise on the pinion."""
    return -pairs if gear == PINION else pairs
