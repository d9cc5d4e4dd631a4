"""The finite element: tables of a reference hexahedron, the only thing the kernels know of it.

An element is a :class:`ReferenceElement`: its shape functions and their derivatives at the quadrature points,
and its internal modes. The kernels take these tables as arguments and ask for nothing else, so another element
(twenty nodes, no internal modes) is another table, not another kernel.

Displacement of the eight-node element with incompatible modes (``N_a`` trilinear, ``alpha_k`` internal)::

    u(xi) = sum_a N_a(xi) u_a + sum_k (1 - xi_k^2) alpha_k ,      k = 1, 2, 3

The internal modes give the element the quadratic deflection of a beam; without them it locks in bending. As
Wilson wrote them they fail the patch test on distorted elements. Taylor's correction passes it: the gradients of
the modes are formed with the Jacobian matrix at the centre, ``J_0``, and scaled by the ratio of determinants::

    grad_x (1 - xi_k^2) := (j_0 / j) J_0^-T grad_xi (1 - xi_k^2)

so that their integral over the element vanishes under 2x2x2 Gauss quadrature whatever its shape. The internal
parameters are condensed element by element (they carry no mass)::

    K = K_uu - K_ua K_aa^-1 K_au ,      alpha = -K_aa^-1 K_au u_e

Sources: Wilson, Taylor, Doherty, Ghaboussi, "Incompatible displacement models" (1973); Taylor, Beresford,
Wilson, "A non-conforming element for stress analysis", Int. J. Numer. Meth. Eng. 10 (1976) 1211-1219.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.mesh.volume import HEXAHEDRON_CORNERS

Array = NDArray[np.float64]


def trilinear(xi: Array) -> Array:
    """Shape functions ``N_a = prod_k (1 + xi_k xi_ak) / 2`` of the eight nodes.

    Parameters
    ----------
    xi : shape (n, 3)
        Points in reference coordinates.

    Returns
    -------
    shape (n, 8)
    """
    return np.prod(0.5 * (1.0 + xi[:, None, :] * HEXAHEDRON_CORNERS), axis=2)


def trilinear_gradients(xi: Array) -> Array:
    """Derivatives ``dN_a / dxi_k`` of the trilinear shape functions, shape (n, 8, 3)."""
    factors = 0.5 * (1.0 + xi[:, None, :] * HEXAHEDRON_CORNERS)
    gradients = np.empty((len(xi), 8, 3))
    for k in range(3):
        others = [i for i in range(3) if i != k]
        gradients[:, :, k] = 0.5 * HEXAHEDRON_CORNERS[:, k] * np.prod(factors[:, :, others], axis=2)
    return gradients


def bubble_gradients(xi: Array) -> Array:
    """Derivatives of the three internal modes ``1 - xi_k^2``, shape (n, 3 modes, 3)."""
    return -2.0 * xi[:, :, None] * np.eye(3)


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


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferenceElement:
    """Tables of one element type, ``n`` nodes, ``k`` internal modes, ``q`` stiffness and ``r`` mass points.

    Parameters
    ----------
    gradients : shape (q, n, 3)
        ``dN/dxi`` at the stiffness points.
    internal_gradients : shape (q, k, 3)
        Derivatives of the internal modes at the stiffness points.
    centre_gradients : shape (n, 3)
        ``dN/dxi`` at the element centre, for the Jacobian of the internal modes.
    weights : shape (q,)
        Quadrature weights of the stiffness.
    extrapolation : shape (n, q)
        Takes values at the stiffness points to the nodes.
    mass_shape : shape (r, n)
        Shape functions at the mass points.
    mass_gradients : shape (r, n, 3)
        ``dN/dxi`` at the mass points.
    mass_weights : shape (r,)
        Quadrature weights of the mass.
    """

    gradients: Array
    internal_gradients: Array
    centre_gradients: Array
    weights: Array
    extrapolation: Array
    mass_shape: Array
    mass_gradients: Array
    mass_weights: Array

    @property
    def n_nodes(self) -> int:
        """Nodes an element."""
        return self.gradients.shape[1]


def hexahedron_8() -> ReferenceElement:
    """Tables of the eight-node hexahedron with nine internal parameters.

    Stiffness with 2x2x2 points, which the correction of the internal modes presupposes. Mass with 3x3x3
    points: ``N_a N_b j`` has degree 4 in each coordinate of a trilinear element, so the mass is exact.

    The nodes lie at ``sqrt(3)`` in the coordinates in which the Gauss points are the corners of the cube; the
    trilinear function through the eight Gauss values is evaluated there.
    """
    xi, weights = gauss_cube(2)
    mass_xi, mass_weights = gauss_cube(3)
    # Gauss points in the order of the corners' signs, so that column q belongs to point q of gauss_cube.
    corners = np.sign(xi)
    extrapolation = np.prod(0.5 * (1.0 + np.sqrt(3.0) * HEXAHEDRON_CORNERS[:, None, :] * corners[None, :, :]), axis=2)
    return ReferenceElement(
        gradients=trilinear_gradients(xi),
        internal_gradients=bubble_gradients(xi),
        centre_gradients=trilinear_gradients(np.zeros((1, 3)))[0],
        weights=weights,
        extrapolation=extrapolation,
        mass_shape=trilinear(mass_xi),
        mass_gradients=trilinear_gradients(mass_xi),
        mass_weights=mass_weights,
    )


#: The element of this version.
HEX8 = hexahedron_8()
