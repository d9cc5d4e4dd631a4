r"""Displacement and stress at chosen nodes of every sector, from the forces on the faces of the window.

A quantity that is linear in the displacement of the nodes of a sector is a row b over them. With the face of the
sector free of load, but for forces f on it, the row becomes one over its two cut planes and its own forces,

.. math::
    b u = r_c \begin{bmatrix} U_k \\ U_{k+1} \end{bmatrix} + r_f f_k , \qquad
    (r_l, r_b, r_h) = b \Psi , \quad r_c = (r_l, r_h) + r_b G , \quad r_f = r_b C_0 ,

found by one pass backwards through the factors of the sector instead of one forwards for every retained node. Outside
the window the cut planes follow from those at its ends, through the chains that close the ring, and so do the rows. In
a closed wheel no tooth is special: what a force in slot j does to sector k is what it does in slot 0 to sector k - j.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from alegear.arrays import AnyArray, Array, Indices
from alegear.parallel import single_threaded
from alegear.reduction.sector_layout import planes_of_sectors
from alegear.reduction.unit_responses import UnitResponses

if TYPE_CHECKING:
    from alegear.reduction.superelement import Superelement


class PointResponse:
    """Linear quantities of chosen nodes, the same in every sector of a reduced wheel.

    What a force does is worked out when it occurs first, and kept.

    Parameters
    ----------
    wheel : Superelement
        Its factors should have been kept (``keep_factors``), else the sector is condensed again.
    rows : sparse, shape (n_rows, 3 n_nodes)
        The quantities over the displacement of the nodes of a sector, in the tooth frame.

    Examples
    --------
    >>> u_x = sparse.csr_array(([1.0], ([0], [3 * node])), shape=(1, 3 * n_nodes))  # doctest: +SKIP
    >>> PointResponse(wheel, u_x)(forces)  # doctest: +SKIP
    """

    @single_threaded
    def __init__(self, wheel: Superelement, rows: sparse.csr_array) -> None:
        self._wheel, self._layout = wheel, wheel.layout
        recovery, nf = wheel.recovery, wheel.nf
        on_retained = recovery.sector.gather(sparse.csr_array(rows))
        n_c = (on_retained.shape[1] - nf) // 2
        of_face = on_retained[:, n_c : n_c + nf]
        face_recovery = recovery.sector.free_face(np.eye(n_c, 2 * n_c), np.eye(n_c, 2 * n_c, n_c))
        of_cuts = np.hstack([on_retained[:, :n_c], on_retained[:, n_c + nf :]]) + of_face @ face_recovery
        # slot 0 under its own forces: C_0 f = u_f - G u_c
        own = np.vstack([wheel.cut_response[plane][:, :nf] for plane in planes_of_sectors(self._layout)[0]])
        self._of_face = of_face @ wheel.compliance_rows[:nf, :nf] - (of_face @ face_recovery) @ own
        self._planes = planes_of_sectors(self._layout)
        self._of_cuts = self._rows_of_sectors(of_cuts)
        # a closed wheel needs to know the forces of one slot only
        n_forces = nf if self._layout.closed else wheel.dof_boundary
        self.kept = UnitResponses(n_forces, self._of_cuts.shape[:2])

    def _rows_of_sectors(self, of_cuts: Array) -> Array:
        """Rows over the cut planes of the window, for all sectors, shape (n_sectors, n_rows, 2 n_c)."""
        layout, n_c = self._layout, of_cuts.shape[1] // 2
        rows = np.zeros((layout.n_sectors, *of_cuts.shape))
        rows[: layout.slots] = of_cuts
        outside = rows[layout.slots :]
        for ring in self._wheel.recovery.rings:
            vectors = ring.sector.cut.vectors
            of_class = np.hstack([of_cuts[:, :n_c] @ vectors, of_cuts[:, n_c:] @ vectors])
            brought = ring.rows(layout, of_class)
            for plane, part in enumerate(np.split(brought, 2, axis=-1)):
                flat = vectors @ part.reshape(-1, vectors.shape[1]).T
                outside[..., plane * n_c : (plane + 1) * n_c] += flat.T.reshape(*part.shape[:2], n_c)
        return rows

    @single_threaded
    def __call__(self, forces: Array, sectors: npt.ArrayLike | None = None) -> Array:
        """Compute the quantities under a block of face forces.

        Parameters
        ----------
        forces : shape (n, slots*nf) [N]
        sectors : shape (m,), optional
            Sectors wanted, counted as in :class:`~alegear.reduction.sector_layout.SectorLayout`. Default: all.

        Returns
        -------
        shape (n, m, n_rows)
        """
        layout, nf = self._layout, self._wheel.nf
        wanted = np.arange(layout.n_sectors) if sectors is None else np.asarray(sectors, dtype=np.int64)
        n_rows = self._of_cuts.shape[1]
        out = np.zeros((len(forces), wanted.size * n_rows))
        for slot in range(layout.slots):
            of_slot = forces[:, slot * nf : (slot + 1) * nf]
            local = np.flatnonzero(of_slot.any(axis=0))
            if not local.size:
                continue
            first = slot if layout.closed else 0
            places = local if layout.closed else local + slot * nf
            missing = self.kept.missing(places)
            if missing.size:
                self.kept.keep(missing, self._responses(missing))
            response = self.kept.values[self.kept.place[places][:, None], (wanted - first) % layout.n_sectors]
            out += of_slot[:, local] @ response.reshape(local.size, -1)
        return out.reshape(len(forces), wanted.size, n_rows)

    def memory(self) -> dict[str, AnyArray]:
        """What later blocks depend on in the last digits: the forces that are kept, and which came together."""
        return self.kept.memory()

    def recall(self, memory: Mapping[str, AnyArray]) -> None:
        """Take up a memory of the same response."""
        self.kept.recall(memory, self._responses)

    def _responses(self, dofs: Indices) -> Array:
        """What unit forces do, shape (len(dofs), n_sectors, n_rows)."""
        layout, n_rows = self._layout, self._of_cuts.shape[1]
        moved = self._wheel.cut_response[:, :, dofs]
        out = np.empty((layout.n_sectors, n_rows, dofs.size))
        planes, group = np.unique(self._planes, axis=0, return_inverse=True)
        for number, (low, high) in enumerate(planes):  # sectors on the same two planes together
            members = np.flatnonzero(group.ravel() == number)
            u_c = np.vstack([moved[low], moved[high]])
            rows = self._of_cuts[members].reshape(-1, len(u_c))
            out[members] = (rows @ u_c).reshape(members.size, n_rows, -1)
        slot_of, local = np.divmod(dofs, self._wheel.nf)
        for slot in np.unique(slot_of):
            own = np.flatnonzero(slot_of == slot)
            out[slot][:, own] += self._of_face[:, local[own]]
        return out.transpose(2, 0, 1)
