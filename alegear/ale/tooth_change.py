r"""Tooth-change: the slots of the window take the next teeth.

Displacements and forces of each tooth are kept in the frame of that tooth, so the compliance of the window is the same
before and after, and the change is a shift of labels: what was in slot j + 1 is in slot j. (Written in one body frame
it would need the permutation T and the rotation A of Liu et al. 2018, equations 4 and 5.) The tooth that comes in is
not at rest: its neighbours bend the rim under it, and its deformation follows from the same compliance,
:math:`u = C f`.
"""

from __future__ import annotations

import numpy as np

from alegear.arrays import Array


def shift_slots(values: Array, shift: int, n_pairs: int) -> Array:
    """Shift values that are ordered by slot; slots that take a new tooth are zero.

    Parameters
    ----------
    values : shape (..., n_pairs * m)
        Forces or displacements in tooth frames, slot after slot.
    shift : int
        Number of pairs by which the window moves on; negative when it moves back.
    """
    by_slot = values.reshape(*values.shape[:-1], n_pairs, -1)
    shifted = np.zeros_like(by_slot)
    if 0 <= shift < n_pairs:
        shifted[..., : n_pairs - shift, :] = by_slot[..., shift:, :]
    elif -n_pairs < shift < 0:
        shifted[..., -shift:, :] = by_slot[..., : n_pairs + shift, :]
    return shifted.reshape(values.shape)


def change_teeth(compliance: Array, force: Array, shift: int, n_pairs: int) -> tuple[Array, Array]:
    """Forces and displacements of the window after a tooth-change.

    Parameters
    ----------
    compliance : shape (n, n) [m/N]
        Of the window, each slot in its tooth frame.
    force : shape (n,) [N]
        Nodal forces before the change.
    shift : int
        Number of pairs by which the window moves on.

    Returns
    -------
    force, displacement : shape (n,), (n,) [N], [m]
        The displacement holds the deformation of the tooth that came in. If the tooth that went out was unloaded, the
        displacements of the others are unchanged to round-off.
    """
    shifted = shift_slots(force, shift, n_pairs)
    return shifted, compliance @ shifted
