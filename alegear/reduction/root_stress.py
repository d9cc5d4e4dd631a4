r"""Stress at the roots of a reduced wheel, by whichever of two routes costs less.

The stress at the roots of slot k follows from its own face forces and from the displacement of its two cut planes,

.. math::
    \sigma_k = R_c \begin{bmatrix} U_k \\ U_{k+1} \end{bmatrix} f + R_f f_k ,

:math:`R_c` ``root_of_cuts``, :math:`R_f` ``root_of_face``, :math:`U_k` ``cut_response[k]``. Few face forces differ from
zero: those near the lines of contact. Either the cut planes are displaced by these forces first (2 n_c columns of
:math:`R_c` for every slot), or the product :math:`R_c U` is formed once for every force that occurs and kept; then a
sample costs as many columns as forces differ from zero. The second pays where the same teeth run through the window
again and again.

A wheel that was reduced without :math:`R_c` and :math:`R_f` has its displacement recovered around the roots instead,
slot by slot of each sample. Up to some hundred samples that is cheaper than the operators, which take as long as the
rest of the reduction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from alegear.arrays import AnyArray, Array
from alegear.fe import FEModel, stress_operator
from alegear.reduction.superelement import Superelement
from alegear.reduction.unit_responses import UnitResponses

Index = npt.NDArray[np.intp]

#: Slots times samples whose displacement is recovered together.
COLUMNS = 256

#: Largest store of products kept by one :class:`RootStress` [bytes].
STORE_BYTES = 100e6


def root_stress(wheel: Superelement, f: Array) -> Array:
    """Compute the stress at both roots of every slot: through its two cut planes and from its own forces.

    Parameters
    ----------
    wheel : Superelement
    f : shape (slots*nf,) or (n_rhs, slots*nf) [N]

    Returns
    -------
    shape (slots, 2, rows_root, cols, 6) or (n_rhs, ...) [Pa]
        Component order xx, yy, zz, xy, yz, zx, tooth frame of the slot.
    """
    f = np.asarray(f, dtype=np.float64)
    stress = RootStress(wheel).through_cuts(np.atleast_2d(f))
    return stress.reshape(*f.shape[:-1], *stress.shape[1:])


class RootStress:
    """Stress at chosen root points of every slot; holds views of the wheel's arrays.

    Parameters
    ----------
    wheel : Superelement
    slots : sequence of int, optional
        The slots in the order wanted. Default: all, as they are numbered.
    sides : sequence of int, optional
        The roots in the order wanted: 0 root_a, 1 root_b. Default: both.
    rows : slice, optional
        The rows of the root grid wanted, without steps. Default: all.

    Attributes
    ----------
    shape : (slots, sides, rows, cols, 6)
        Of the stress of one sample.
    kept : UnitResponses
        Stress of the forces in the store.
    """

    def __init__(
        self,
        wheel: Superelement,
        *,
        slots: Sequence[int] | Index | None = None,
        sides: Sequence[int] = (0, 1),
        rows: slice = slice(None),
    ) -> None:
        self._slots = np.arange(wheel.slots) if slots is None else np.asarray(slots, dtype=np.intp)
        grid = np.asarray(wheel.sector.root_a)[rows].shape
        self.shape = (len(self._slots), len(sides), *grid, 6)
        self._n_values = int(np.prod(self.shape))
        self._recovered = None
        if wheel.root_operators is None:
            roots = (wheel.sector.root_a, wheel.sector.root_b)
            self._recovered = _RecoveredStress(wheel, np.stack([np.asarray(roots[side])[rows] for side in sides]))
        else:
            of_cuts, of_face = wheel.root_operators
            self._of_cuts = [of_cuts[side, rows].reshape(-1, of_cuts.shape[-1]) for side in sides]
            self._of_face = [of_face[side, rows].reshape(-1, wheel.nf) for side in sides]
        self._cut_response = wheel.cut_response
        self._nf = wheel.nf
        self._low = self._slots
        self._high = (self._slots + 1) % wheel.layout.n_cuts
        self._most = 0 if self._recovered is not None else int(STORE_BYTES / (8.0 * self._n_values))
        self.kept = UnitResponses(wheel.dof_boundary, (self._n_values,), self._most)
        self._saved = 0.0  # columns of R_c that a full store would have spared so far

    def __call__(self, forces: Array) -> Array:
        """Compute the stress of a block of samples; what it learns makes later blocks with like forces faster.

        Parameters
        ----------
        forces : shape (n, slots*nf) [N]

        Returns
        -------
        shape (n, *shape) [Pa]
        """
        if self._recovered is not None:
            return self.through_cuts(forces)
        dofs = np.flatnonzero(forces.any(axis=0))
        few = np.ascontiguousarray(forces[:, dofs])
        if self._stored(len(forces), dofs):
            stress = few @ self.kept.values[self.kept.place[dofs]]
        else:
            stress = self._through_cuts(few, dofs)
        return stress.reshape(len(forces), *self.shape)

    def through_cuts(self, forces: Array) -> Array:
        """Compute the same by way of the cut planes, without the store."""
        if self._recovered is not None:
            return self._recovered(forces)[:, self._slots]
        dofs = np.flatnonzero(forces.any(axis=0))
        stress = self._through_cuts(np.ascontiguousarray(forces[:, dofs]), dofs)
        return stress.reshape(len(forces), *self.shape)

    def _through_cuts(self, few: Array, dofs: Index) -> Array:
        """Stress of the forces (n, len(dofs)) on some degrees of freedom, shape (n, product of `shape`)."""
        n, n_slots = len(few), len(self._slots)
        responses = self._cut_response[:, :, dofs]
        cuts = np.matmul(few, responses.transpose(0, 2, 1)).swapaxes(0, 1)  # sample, cut plane, n_c
        pairs = np.concatenate([cuts[:, self._low], cuts[:, self._high]], axis=2).reshape(n * n_slots, -1)
        stress = np.empty((n, n_slots, len(self._of_cuts), len(self._of_cuts[0])))
        for side, of_cuts in enumerate(self._of_cuts):
            np.matmul(pairs, of_cuts.T, out=stress.reshape(n * n_slots, *stress.shape[2:])[:, side])
        slot_of, local = np.divmod(dofs, self._nf)
        for i, slot in enumerate(self._slots):
            own = np.flatnonzero(slot_of == slot)
            if own.size:
                for side, of_face in enumerate(self._of_face):
                    stress[:, i, side] += few[:, own] @ of_face[:, local[own]].T
        return stress.reshape(n, -1)

    def _stored(self, n: int, dofs: Index) -> bool:
        """Whether the store holds these forces, after adding those missing if that pays.

        Forming a product costs 2 n_c columns. It is done once the columns that the store would have spared, had it been
        full from the beginning, are as many: never more than twice the cost of the better route.
        """
        missing = self.kept.missing(dofs)
        if not missing.size:
            return True
        width = self._of_cuts[0].shape[1]
        self._saved += n * max(width - len(dofs), 0)
        if self._saved < width * len(missing) or self.kept.n_kept + len(missing) > self._most:
            return False
        self._saved -= width * len(missing)
        self.kept.keep(missing, self._of_unit_forces(missing))
        return True

    def _of_unit_forces(self, dofs: Index) -> Array:
        return self._through_cuts(np.eye(len(dofs)), dofs)

    def memory(self) -> dict[str, AnyArray]:
        """What later blocks depend on in the last digits: which products are kept, and which were formed together."""
        return self.kept.memory() | {"saved": np.array(self._saved)}

    def recall(self, memory: Mapping[str, AnyArray]) -> None:
        """Take up a memory of the same stress: the products are formed again as they were."""
        self.kept.recall(memory, self._of_unit_forces)
        self._saved = float(memory["saved"])


class _RecoveredStress:
    """Stress at root nodes from the displacement around them, which is recovered for every slot of every sample."""

    def __init__(self, wheel: Superelement, nodes: Index) -> None:
        self._wheel, self._shape = wheel, nodes.shape
        self._nodes, self._place = np.unique(nodes, return_inverse=True)

    @cached_property
    def _operator(self) -> sparse.csr_matrix:
        """Stress at the nodes, each once; made when it is first needed, which may be in a thread beside others."""
        model = FEModel.from_mesh(self._wheel.sector.volume, self._wheel.material)
        return stress_operator(model, self._nodes).tocsr()

    def __call__(self, forces: Array) -> Array:
        """Stress under face forces (n, slots*nf), shape (n, slots, sides, rows, cols, 6) [Pa]."""
        slots = self._wheel.slots
        stress = np.empty((len(forces), slots, *self._shape, 6))
        together, around = max(1, COLUMNS // slots), np.unique(self._operator.indices // 3)
        for first in range(0, len(forces), together):
            part = slice(first, first + together)
            u = self._wheel.around(forces[part], around)
            values = (self._operator @ u).reshape(-1, 6, slots, u.shape[1] // slots)
            stress[part] = values[self._place.reshape(self._shape)].transpose(5, 4, 0, 1, 2, 3)
        return stress
