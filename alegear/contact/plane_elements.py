"""Plane nine-node elements in a structured grid, and the compliance of its surface."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.polynomial.legendre import leggauss

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.reduction import dense

_ELEMENT_ROWS = 16  # whose stiffness is computed together: it fits into the cache of a processor


def with_middles(knots: Array) -> Array:
    """Return the nodes of quadratic elements between knots: these, and the middles between them."""
    nodes = np.empty(2 * len(knots) - 1)
    nodes[::2], nodes[1::2] = knots, 0.5 * (knots[1:] + knots[:-1])
    return nodes


def surface_compliance(points: Array, normals: Array, nu: float, oldest: Indices) -> Array:
    r"""Return the normal compliance of the nodes in the first column of a structured grid.

    The first row and the last column are clamped. Two rows of nodes make a block of unknowns, and K is block
    tridiagonal: with the blocks :math:`S_k = C_k C_k^T` of its Cholesky factor and the normal unit loads N,

    .. math:: G = N^T K^{-1} N = Z^T Z, \qquad C_k Z_k = N_k - B_k C_{k-1}^{-T} Z_{k-1},

    one sweep of dense products without a way back (a general sparse solver takes ten times as long).

    Parameters
    ----------
    points : shape (2 n + 1, 2 m + 1, 2) [m]
        Nodes of n by m nine-node elements.
    normals : shape (2 n + 1, 2)
        Unit normals at the nodes of the first column.
    nu : float
        Plane strain, Young's modulus 1 - nu^2.
    oldest : shape (2 n + 1,)
        First load still carried along at each row, rising: it has died out beyond, and the cost stays linear in n.

    Returns
    -------
    shape (2 n + 1, 2 n + 1)
        Zero between nodes further apart than that.
    """
    rows, cols = points.shape[:2]
    half = 2 * (cols - 1)
    # C_k, and Z_k with a row for each load
    C, Z, first = np.empty((0, 0)), np.empty((0, 0)), 1
    G = np.zeros((rows, rows))
    each_row = element_rows(points, nu)
    following: Array | None = next(each_row)
    for k in range(rows // 2):
        here, following = following, next(each_row, None)
        assert here is not None
        end = 2 * k + 3
        start = max(first, int(oldest[end - 1]))
        S = here[half:, half:]
        if following is not None:
            S[half:, half:] += following[:half, :half]
        loads = np.zeros((end - start, 2 * half), order="F")
        loads[-2, :2] = normals[end - 2]
        loads[-1, half : half + 2] = normals[end - 1]
        if k > 0:
            # only the second row of the block before shares elements with this one
            link = here[half:, :half]
            dense.solve_from_right(link, C[half:, half:], transposed=True)
            dense.subtract_square(S, link)
            loads[:-2] = -Z[start - first :, half:] @ link.T
        dense.factorise(S)
        dense.solve_from_right(loads, S, transposed=True)
        C, Z, first = S, loads, start
        G[start:end, start:end] += Z @ Z.T
    return G


def element_rows(points: Array, nu: float) -> Iterator[Array]:
    """Assemble the elements of one row across the depth after the other, without the clamped last column of nodes.

    Yields
    ------
    shape (3 (cols - 1) 2, same), Fortran order
        Three rows of nodes, columns, axis.
    """
    rows, cols = points.shape[:2]
    number = np.arange(cols) + (cols - 1) * np.arange(3)[:, None]
    number[:, -1] = 3 * (cols - 1)  # clamped: one more row and column, left out at the end
    columns = np.arange(0, cols - 2, 2)[:, None, None] + np.arange(3)
    nodes = number[np.arange(3)[:, None], columns].reshape(-1, 9)
    unknowns = np.concatenate([2 * nodes, 2 * nodes + 1], axis=1)
    size = 2 * int(number.max()) + 2
    place = (unknowns[:, :, None] * size + unknowns[:, None]).ravel()
    for first in range(0, rows - 1, 2 * _ELEMENT_ROWS):
        starts = np.arange(first, min(first + 2 * _ELEMENT_ROWS, rows - 1), 2)
        corners = points[starts[:, None, None, None] + np.arange(3)[:, None], columns]
        for elements in element_stiffness(corners.reshape(-1, 9, 2), nu).reshape(len(starts), -1):
            K = np.asarray(np.bincount(place, elements, size * size), dtype=np.float64).reshape(size, size)
            yield K.T[:-2, :-2]  # symmetric


def element_stiffness(corners: Array, nu: float) -> Array:
    r"""Return stiffness matrices (n, 18, 18) of nine-node elements with nodes (n, 9, 2), 3 x 3 Gauss points.

    With Lame's constants, shape functions N and axes a, b; the x of all nodes come first, then the y,

    .. math:: K_{ai,bj} = \int \lambda N_{i,a} N_{j,b} + \mu (N_{i,b} N_{j,a} + \delta_{ab} N_{i,c} N_{j,c}).
    """
    shear = 0.5 * (1.0 - nu)  # Lame's constants of Young's modulus 1 - nu^2
    lame = (1.0 - nu) * nu / (1.0 - 2.0 * nu)
    _, (d_1, d_2), weights = nine_node_shapes()
    local = np.concatenate([d_1, d_2])
    jacobian = local @ corners.transpose(1, 0, 2).reshape(9, -1)  # (axis, point; element, axis)
    (x_1, y_1), (x_2, y_2) = jacobian.reshape(2, len(weights), len(corners), 2).transpose(0, 3, 2, 1)
    # along the profile, then into the depth: with the material on its right this is a left-handed pair
    area = x_2 * y_1 - x_1 * y_2
    if not np.all(area > 0.0):
        x, y = 1e3 * corners[np.argmin(area.min(axis=1))].mean(axis=0)
        raise Fault(
            "layer under the flank",
            f"inside out near x = {x:.4g} mm, y = {y:.4g} mm of the tooth frame",
            "a strip between profile and inner boundary that does not cross itself",
            "choose another depth of the layer, or more elements along the flank",
        )
    scale = np.sqrt(weights / area)  # weight times area over its square, in both gradients
    gradient = np.empty((len(corners), len(weights), 2, 9))
    gradient[:, :, 0] = (scale * y_1)[..., None] * d_2 - (scale * y_2)[..., None] * d_1
    gradient[:, :, 1] = (scale * x_2)[..., None] * d_1 - (scale * x_1)[..., None] * d_2
    both = gradient.reshape(len(corners), len(weights), 18)
    products = (both.transpose(0, 2, 1) @ both).reshape(-1, 2, 9, 2, 9)
    (xx, xy), (yx, yy) = (products[:, 0, :, 0], products[:, 0, :, 1]), (products[:, 1, :, 0], products[:, 1, :, 1])
    K = np.empty_like(products)
    K[:, 0, :, 0], K[:, 0, :, 1] = (lame + 2.0 * shear) * xx + shear * yy, lame * xy + shear * yx
    K[:, 1, :, 0], K[:, 1, :, 1] = lame * yx + shear * xy, shear * xx + (lame + 2.0 * shear) * yy
    return K.reshape(-1, 18, 18)


@cache
def nine_node_shapes() -> tuple[Array, Array, Array]:
    """Nine shape functions (9, 9) and both local derivatives (2, 9, 9) at the 3 x 3 Gauss points, and weights (9,)."""
    nodes, weights = leggauss(3)
    value = np.stack([0.5 * nodes * (nodes - 1), 1 - nodes**2, 0.5 * nodes * (nodes + 1)], axis=-1)
    slope = np.stack([nodes - 0.5, -2 * nodes, nodes + 0.5], axis=-1)
    both = np.stack(
        [np.einsum("gi,hj->ghij", *pair).reshape(9, 9) for pair in ((value, value), (slope, value), (value, slope))]
    )
    return both[0], both[1:], np.outer(weights, weights).ravel()
