"""Compiled inner loops of the reduction; threads can run them at the same time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from alegear.kernels.decorators import kernel

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@kernel(error_model="python", nogil=True)
def count_layers(indptr: NDArray[np.int32], indices: NDArray[np.int32], seeds: Index, levels_out: Index) -> None:
    """Breadth-first search from the seeds: layers to each node, beyond the last one where there is no way.

    ``levels_out`` is -1 everywhere before.
    """
    queue = np.empty(levels_out.size, dtype=np.int64)
    queued, taken = seeds.size, 0
    queue[:queued] = seeds
    for i in range(queued):
        levels_out[seeds[i]] = 0
    while taken < queued:
        node = queue[taken]
        taken += 1
        for k in range(indptr[node], indptr[node + 1]):
            other = indices[k]
            if levels_out[other] < 0:
                levels_out[other] = levels_out[node] + 1
                queue[queued] = other
                queued += 1
    beyond = levels_out[queue[queued - 1]] + 1 if queued else 0
    for i in range(levels_out.size):
        if levels_out[i] < 0:
            levels_out[i] = beyond


@kernel(error_model="python", nogil=True, long_loops=True)
def mark_touching(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    nodes: Index,  # (n,) some of all
    place: Index,  # of all nodes: -1 before and after
    sides: NDArray[np.uint8],  # (n, n_cuts) on which side of each cut, 0 or 1
    touching_out: NDArray[np.uint8],  # (n, n_cuts), zero before
) -> None:
    """Mark the nodes that have a neighbour among them on the other side of a cut, of many cuts at once."""
    for i in range(nodes.size):
        place[nodes[i]] = i
    for i in range(nodes.size):
        for k in range(indptr[nodes[i]], indptr[nodes[i] + 1]):
            j = place[indices[k]]
            if j >= 0:
                for cut in range(sides.shape[1]):
                    touching_out[i, cut] |= sides[i, cut] ^ sides[j, cut]
    for i in range(nodes.size):
        place[nodes[i]] = -1


@kernel(error_model="python", nogil=True, long_loops=True)
def add_rows(
    # matrix, CSR, and a class of fields on its grid
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    data: Array,
    place: Index,  # basis vector of each column, -1 for none
    weight: Array,
    # in
    dofs_in: Index,  # (n,) rows to add: representatives of the basis vectors of the front's first columns
    row_in: Index,  # row of the front for each basis vector, -1 for none
    # out
    F_1_out: Array,  # (n + m, n) Fortran order
) -> None:
    """Add the rows of some basis vectors to the columns of their front, lower triangle only."""
    for j in range(dofs_in.size):
        dof = dofs_in[j]
        # all components of a basis vector contribute alike
        scale = 1.0 / weight[dof]
        for k in range(indptr[dof], indptr[dof + 1]):
            column = indices[k]
            if place[column] >= 0:
                row = row_in[place[column]]
                if row >= j:
                    F_1_out[row, j] += scale * weight[column] * data[k]


@kernel(error_model="python", nogil=True, long_loops=True)
def extend_add(
    # in
    child_S_in: Array,  # (q, q) Fortran order, lower triangle
    where_in: Index,  # (q,) ascending rows of the parent's front
    # out
    F_1_out: Array,  # (n + m, n) Fortran order, lower triangle
    F_2_out: Array,  # (m, m) lower triangle
) -> None:
    """Add the Schur complement of a child to the front of its parent, lower triangles only."""
    n = F_1_out.shape[1]
    for j in range(where_in.size):
        column = where_in[j]
        if column < n:
            for i in range(j, where_in.size):
                F_1_out[where_in[i], column] += child_S_in[i, j]
        else:
            for i in range(j, where_in.size):
                F_2_out[where_in[i] - n, column - n] += child_S_in[i, j]


@kernel(error_model="python", nogil=True, long_loops=True)
def unfold(
    # in: a matrix between basis vectors, and where its rows and columns lie
    S_in: Array,  # (p, q)
    row_in: Index,  # (n,) row of S for each row of the result
    row_weight_in: Array,  # zero for none
    column_in: Index,  # (m,)
    column_weight_in: Array,
    # out
    A_out: Array,  # (n, m)
) -> None:
    """Add a matrix between basis vectors to one between degrees of freedom."""
    for i in range(row_in.size):
        if row_weight_in[i] != 0.0:
            row = S_in[row_in[i]]
            for j in range(column_in.size):
                A_out[i, j] += row_weight_in[i] * column_weight_in[j] * row[column_in[j]]


@kernel(error_model="python", nogil=True, long_loops=True)
def restrict_blocks(
    # K, CSR, every 3 x 3 block of neighbours stored whole
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    data: Array,
    # P by columns, the nodes that follow each carrier; and by rows, the carriers that each node follows
    follower_indptr: NDArray[np.int32],
    followers: NDArray[np.int32],
    follower_weight: Array,
    carrier_indptr: NDArray[np.int32],
    carriers: NDArray[np.int32],
    carrier_weight: Array,
    # which carriers are neighbours
    graph_indptr: NDArray[np.int32],
    graph_indices: NDArray[np.int32],
    # out
    blocks_out: NDArray[np.float64],  # (neighbours, 3, 3)
) -> None:
    """Add up P^T K P, block by block."""
    place = np.zeros(graph_indptr.size - 1, dtype=np.int64)
    for one in range(graph_indptr.size - 1):
        for k in range(graph_indptr[one], graph_indptr[one + 1]):
            place[graph_indices[k]] = k
        for f in range(follower_indptr[one], follower_indptr[one + 1]):
            row, weight = 3 * followers[f], follower_weight[f]
            for at in range(0, indptr[row + 1] - indptr[row], 3):
                node = indices[indptr[row] + at] // 3
                for c in range(carrier_indptr[node], carrier_indptr[node + 1]):
                    block, share = place[carriers[c]], weight * carrier_weight[c]
                    for a in range(3):
                        source = indptr[row + a] + at
                        for b in range(3):
                            blocks_out[block, a, b] += share * data[source + b]
