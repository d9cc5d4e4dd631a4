"""Order the nodes of a grid for elimination: nested dissection along surfaces that the grid itself offers.

A subdomain is cut in two by a layer of nodes (the separator) so that no element holds nodes of both halves; the halves
are cut again until they are small. Eliminating the halves first and the separators last (George, 1973, SIAM J. Numer.
Anal. 10, 345) keeps the dense blocks small. The candidates for a cut are level sets of scalar fields on the nodes;
coordinates and numbers of element layers (:func:`layers_from`) serve, and on a structured sector the latter are its
grid surfaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from alegear.arrays import Array, Indices
from alegear.reduction._kernels import count_layers, mark_touching

#: Nodes of a subdomain that is not cut any further; between 40 and 150 the time hardly changes.
LEAF_NODES = 80


@dataclass(frozen=True, kw_only=True, eq=False)
class Subdomain:
    """A part of the grid whose nodes are eliminated together, after those of its children.

    Parameters
    ----------
    nodes : shape (n,)
        Nodes eliminated here: a separator, or all nodes of a part that is not cut any further.
    children : tuple of int
        Positions, in the list of subdomains, of the parts that must be eliminated before.
    """

    nodes: Indices
    children: tuple[int, ...]


def node_adjacency(matrix: sparse.csr_array | sparse.csr_matrix) -> sparse.csr_array:
    """Find which nodes share an element, from the 3 x 3 blocks of a matrix with DOF 3*node + axis.

    Parameters
    ----------
    matrix : csr, shape (3n, 3n)

    Returns
    -------
    csr of int32, shape (n, n)
        One where the block is stored, zero diagonal not removed.
    """
    n = matrix.shape[0] // 3
    blocks = sparse.bsr_array(matrix, blocksize=(3, 3))
    ones = np.ones(blocks.indices.size, dtype=np.int32)
    return sparse.csr_array((ones, blocks.indices, blocks.indptr), shape=(n, n))


def layers_from(adjacency: sparse.csr_array, seeds: npt.ArrayLike) -> Indices:
    """Count the element layers between each node and a set of nodes (breadth-first search).

    Returns
    -------
    shape (n,)
        0 on the seeds; nodes that cannot be reached get the largest number plus one.
    """
    levels = np.full(adjacency.shape[0], -1, dtype=np.int64)
    count_layers(adjacency.indptr, adjacency.indices, np.unique(np.asarray(seeds, dtype=np.int64)), levels)
    return levels


def nested_dissection(
    adjacency: sparse.csr_array,
    fields: Sequence[Array],
    leaf_nodes: int = LEAF_NODES,
) -> list[Subdomain]:
    """Divide the nodes into subdomains, children listed before their parent.

    Parameters
    ----------
    adjacency : csr, shape (n, n)
        :func:`node_adjacency` of the nodes to eliminate.
    fields : sequence of shape (n,)
        Scalar fields whose level sets are the candidates for separators.
    leaf_nodes : int
        Size below which a part is not cut.

    Returns
    -------
    list of Subdomain
        Every node in exactly one of them.
    """
    subdomains: list[Subdomain] = []
    place = np.full(adjacency.shape[0], -1, dtype=np.int64)
    all_fields = np.asarray(fields, dtype=np.float64).reshape(len(fields), -1)

    def divide(nodes: Indices) -> int:
        parts = None if nodes.size <= leaf_nodes else _bisect(adjacency, all_fields, nodes, place)
        if parts is None:
            subdomains.append(Subdomain(nodes=nodes, children=()))
        else:
            separator, *halves = parts
            children = tuple(divide(half) for half in halves if half.size)
            subdomains.append(Subdomain(nodes=separator, children=children))
        return len(subdomains) - 1

    divide(np.arange(adjacency.shape[0], dtype=np.int64))
    return subdomains


def _bisect(
    adjacency: sparse.csr_array, fields: Array, nodes: Indices, place: Indices
) -> tuple[Indices, Indices, Indices] | None:
    """Choose the field whose middle level set separates the nodes with the fewest nodes, halves about equal.

    `place` (n,) is -1 everywhere before and after.
    """
    values = fields[:, nodes]
    inside = values <= np.median(values, axis=1, keepdims=True)
    # where more than half of the nodes share the largest value, and where all do: no cut
    inside = np.where(inside.all(axis=1, keepdims=True), values < values.max(axis=1, keepdims=True), inside)
    inside = inside[inside.any(axis=1)]
    sides = np.ascontiguousarray(inside.T).view(np.uint8)
    touching = np.zeros_like(sides)
    mark_touching(adjacency.indptr, adjacency.indices, nodes, place, sides, touching)
    touches_other_side = np.ascontiguousarray(touching.T).view(np.bool_)
    best: tuple[Indices, Indices, Indices] | None = None
    best_cost = np.inf
    for within, touches in zip(inside, touches_other_side, strict=True):
        for side in (within, ~within):
            separator = side & touches
            n_separator, n_first = np.count_nonzero(separator), np.count_nonzero(within & ~separator)
            larger = max(n_first, nodes.size - n_separator - n_first)
            cost = n_separator * (0.5 + larger / nodes.size)
            if cost < best_cost and larger < nodes.size:
                best_cost = cost
                best = nodes[separator], nodes[within & ~separator], nodes[~within & ~separator]
    return best
