"""The reference cube [-1, 1]^3: nodes, shape functions and quadrature of hexahedra with 8 and with 27 nodes.

Both are products of one-dimensional Lagrange functions, linear (8 nodes) or quadratic (27). Nodes are in the order of
VTK: VTK_HEXAHEDRON, and VTK_TRIQUADRATIC_HEXAHEDRON, whose first eight are the corners, followed by the middles of the
edges, of the sides, and of the cube.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from alegear.arrays import Array, Indices

#: Corners of the reference cube in the order of the VTK hexahedron, shape (8, 3): the bottom face counter-clockwise
#: seen from above, then the top face above it.
HEXAHEDRON_CORNERS = np.array(
    [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [1.0, 1.0, 1.0],
        [-1.0, 1.0, 1.0],
    ]
)
#: Corners at both ends of each edge, in the order in which VTK numbers the middles of the edges, shape (12, 2).
HEXAHEDRON_EDGES = np.array(
    [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]],
    dtype=np.int64,
)
_SIDES = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]], dtype=np.float64)
#: Nodes of the cell of second order, shape (27, 3).
HEXAHEDRON_NODES = np.concatenate(
    [HEXAHEDRON_CORNERS, HEXAHEDRON_CORNERS[HEXAHEDRON_EDGES].mean(axis=1), _SIDES, np.zeros((1, 3))]
)


def _eight_parts() -> Indices:
    """Nodes of the eight hexahedra into which the 27 nodes divide the cell of second order, (8, 8)."""
    place = {tuple(node): i for i, node in enumerate(HEXAHEDRON_NODES.tolist())}
    corner = 0.5 * (HEXAHEDRON_CORNERS + 1.0)
    parts = [
        [place[tuple((np.array(lowest) + step).tolist())] for step in corner]
        for lowest in product((-1.0, 0.0), repeat=3)
    ]
    return np.array(parts, dtype=np.int64)


#: Nodes of the eight parts of a cell of second order, each in VTK order, shape (8, 8).
EIGHT_PARTS = _eight_parts()


def shape_functions(n_nodes: int, xi: Array) -> Array:
    """Shape functions of a cell with 8 or 27 nodes, products of one-dimensional ones over the three directions.

    Linear ``(1 + xi_k xi_ak)/2``; quadratic ``xi (xi +- 1)/2`` at the ends and ``1 - xi^2`` between them.

    Parameters
    ----------
    n_nodes : int
    xi : shape (n, 3)
        Points in reference coordinates.

    Returns
    -------
    shape (n, n_nodes)
    """
    return np.prod(_factors(n_nodes, xi)[0], axis=2)


def shape_gradients(n_nodes: int, xi: Array) -> Array:
    """Derivatives ``dN_a / dxi_k`` of the shape functions of a cell with 8 or 27 nodes, shape (n, n_nodes, 3)."""
    factors, slopes = _factors(n_nodes, xi)
    gradients = np.empty(factors.shape)
    for k in range(3):
        others = [i for i in range(3) if i != k]
        gradients[:, :, k] = slopes[:, :, k] * np.prod(factors[:, :, others], axis=2)
    return gradients


def _factors(n_nodes: int, xi: Array) -> tuple[Array, Array]:
    """One-dimensional factors of the shape functions and their derivatives, shape (n, n_nodes, 3) each."""
    x, node = xi[:, None, :], HEXAHEDRON_NODES[:n_nodes]
    if n_nodes == len(HEXAHEDRON_CORNERS):
        factors = 0.5 * (1.0 + x * node)
        return factors, np.broadcast_to(0.5 * node, factors.shape)
    middle = node == 0.0
    return np.where(middle, 1.0 - x**2, 0.5 * x * (x + node)), np.where(middle, -2.0 * x, x + 0.5 * node)


def jacobian_determinants(gradients: Array, x: Array) -> Array:
    """Determinants of dx/dxi, shape (n_cells, r) [m^3].

    Parameters
    ----------
    gradients : shape (r, n, 3)
        dN/dxi of the shape functions at r points.
    x : shape (n_cells, n, 3) [m]
        Nodes of the elements.
    """
    # one direction of xi after the other, (n_cells, r, 3) each
    first, second, third = (np.matmul(gradients[:, :, k], x) for k in range(3))
    determinants: Array = np.einsum("mri,mri->mr", np.cross(first, second), third)
    return determinants


def gauss_cube(order: int) -> tuple[Array, Array]:
    """Gauss-Legendre product rule on the reference cube.

    Parameters
    ----------
    order : int
        Points a direction; exact for polynomials of degree ``2 order - 1`` in each coordinate.

    Returns
    -------
    points : shape (order^3, 3)
    weights : shape (order^3,), sum 8
    """
    x, w = np.polynomial.legendre.leggauss(order)
    points = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)
    weights = np.einsum("i,j,k->ijk", w, w, w).reshape(-1)
    return points, weights
