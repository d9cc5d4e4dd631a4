"""Nodal stress of many displacement fields of one grid at once."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from alegear.fe import _kernels
from alegear.fe.assembly import FEModel
from alegear.fe.stress import impose_traction

Array = NDArray[np.float64]

#: Bytes of element operators, displacements and stresses that are at hand at a time.
CHUNK = 1 << 23


def nodal_stresses(model: FEModel, u: Array) -> Array:
    """Stress at all nodes as :func:`~alegear.fe.stress.nodal_stress` gives it, for many displacement fields.

    In each element the stress at its nodes is a matrix times the displacements of its nodes, made once and applied to
    all fields by one dense product. The matrix of the whole grid (:func:`~alegear.fe.stress.stress_operator`) takes
    longer to sort than all that, unless there are hundreds of fields.

    Parameters
    ----------
    model : FEModel
    u : shape (m, n_nodes, 3) [m]

    Returns
    -------
    shape (m, n_nodes, 6) [Pa]
        Components xx, yy, zz, xy, yz, zx; tension positive.
    """
    fields = np.ascontiguousarray(np.moveaxis(np.asarray(u, dtype=np.float64), 0, -1))
    m = fields.shape[-1]
    n_cells, n = model.cells.shape
    inverse = 1.0 / model.cell_volumes  # weights of the mean at a node, as in `nodal_stress`
    total = np.bincount(model.cells.reshape(-1), np.repeat(inverse, n), minlength=model.n_nodes)
    stress = np.zeros((model.n_nodes, 6 * m))
    step = min(max(CHUNK // (8 * 3 * n * (6 * n + 3 * m)), 1), n_cells)
    # the same memory for all chunks: fresh memory costs as much as the products
    operators, u_e = np.empty((step * n, 6, 3 * n)), np.empty((step, n, 3, m))
    of_elements = np.empty((step, 6 * n, m))
    for first in range(0, n_cells, step):
        cells = model.cells[first : first + step]
        k = len(cells)
        _kernels.stress_operators(
            *model.element.stress_tables,
            model.points,
            model.cells,
            model.material.lame_lambda,
            model.material.mu,
            np.repeat(np.arange(first, first + k), n),
            np.tile(np.arange(n), k),
            operators[: k * n],
        )
        np.take(fields, cells, axis=0, out=u_e[:k], mode="clip")  # clip: straight into `out`
        np.matmul(operators[: k * n].reshape(k, 6 * n, 3 * n), u_e[:k].reshape(k, 3 * n, m), out=of_elements[:k])
        nodes = cells.reshape(-1)
        met, row = np.unique(nodes, return_inverse=True)
        weights = np.repeat(inverse[first : first + k], n) / total[nodes]
        mean = sp.csr_array((weights, (row, np.arange(len(nodes)))), shape=(len(met), len(nodes)))
        stress[met] += mean @ of_elements[:k].reshape(len(nodes), 6 * m)
    stress = stress.reshape(model.n_nodes, 6, m)
    if model.free_surface is not None:
        free = model.free_surface
        # the images of the six unit stresses are the columns
        images = impose_traction(np.eye(6), free.normals[:, None, :], model.material)
        stress[free.nodes] = np.swapaxes(images, 1, 2) @ stress[free.nodes]
    return np.ascontiguousarray(np.moveaxis(stress, -1, 0))
