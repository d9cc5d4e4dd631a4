"""The finite elements: tables of reference hexahedra, the only thing the kernels know of them.

An element is a :class:`ReferenceElement`: its shape functions and their derivatives at the quadrature points,
and its internal modes. The kernels take these tables as arguments and ask for nothing else, so another element
is another table, not another kernel.

First order (:data:`HEX8`), eight nodes with incompatible modes (``N_a`` trilinear, ``alpha_k`` internal)::

    u(xi) = sum_a N_a(xi) u_a + sum_k (1 - xi_k^2) alpha_k ,      k = 1, 2, 3

The internal modes give the element the quadratic deflection of a beam; without them it locks in bending. As
Wilson wrote them they fail the patch test on distorted elements. Taylor's correction passes it: the gradients of
the modes are formed with the Jacobian matrix at the centre, ``J_0``, and scaled by the ratio of determinants::

    grad_x (1 - xi_k^2) := (j_0 / j) J_0^-T grad_xi (1 - xi_k^2)

so that their integral over the element vanishes under 2x2x2 Gauss quadrature whatever its shape. The internal
parameters are condensed element by element (they carry no mass)::

    K = K_uu - K_ua K_aa^-1 K_au ,      alpha = -K_aa^-1 K_au u_e

Second order (:data:`HEX27`), 27 nodes, triquadratic, integrated with 3x3x3 points: no mode without energy. Its nodes
follow a curved flank, fillet or helix with an error of third order instead of second. On the same nodes as eight
elements of first order it has a fifth of their error in the compliance of a tooth, for about the same work.

Sources: Wilson, Taylor, Doherty, Ghaboussi, "Incompatible displacement models" (1973); Taylor, Beresford,
Wilson, "A non-conforming element for stress analysis", Int. J. Numer. Meth. Eng. 10 (1976) 1211-1219; Zienkiewicz and
Taylor, "The Finite Element Method", Lagrange family.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from alegear.arrays import Array
from alegear.mesh.reference_cell import (
    HEXAHEDRON_CORNERS,
    HEXAHEDRON_NODES,
    gauss_cube,
    shape_functions,
    shape_gradients,
)


def bubble_gradients(xi: Array) -> Array:
    """Derivatives of the three internal modes ``1 - xi_k^2``, shape (n, 3 modes, 3)."""
    return -2.0 * xi[:, :, None] * np.eye(3)


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferenceElement:
    """Tables of one element: ``n`` nodes, ``k`` internal modes, ``q`` stiffness, ``p`` stress and ``r`` mass points.

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
    recovery_gradients, recovery_internal_gradients : shape (p, n, 3), (p, k, 3)
        Likewise at the points where the stress is evaluated.
    extrapolation : shape (n, p)
        Takes values at the stress points to the nodes.
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
    recovery_gradients: Array
    recovery_internal_gradients: Array
    extrapolation: Array
    mass_shape: Array
    mass_gradients: Array
    mass_weights: Array

    @property
    def n_nodes(self) -> int:
        """Nodes an element."""
        return self.gradients.shape[1]


def _hexahedron_8() -> ReferenceElement:
    """Tables of the eight-node hexahedron with nine internal parameters.

    Stiffness with 2x2x2 points, which the correction of the internal modes presupposes. Mass with 3x3x3
    points: ``N_a N_b j`` has degree 4 in each coordinate of a trilinear element, so the mass is exact.

    The nodes lie at ``sqrt(3)`` in the coordinates in which the Gauss points are the corners of the cube; the
    trilinear function through the eight Gauss values of the stress is evaluated there.
    """
    xi, _ = gauss_cube(2)
    # Gauss points in the order of the corners' signs, so that column q belongs to point q of gauss_cube.
    corners = np.sign(xi)
    extrapolation = np.prod(0.5 * (1.0 + np.sqrt(3.0) * HEXAHEDRON_CORNERS[:, None, :] * corners[None, :, :]), axis=2)
    return _element(8, (2, 3), bubble_gradients, xi, extrapolation)


def _hexahedron_27() -> ReferenceElement:
    """Tables of the 27-node hexahedron.

    Mass with 5x5x5 points: ``N_a N_b j`` has degree 4 + 5 in each coordinate, so the mass is exact.

    Stress is evaluated at the nodes themselves. Extrapolation from the 2x2x2 points, where the strain is more accurate,
    would be worse on a surface: in a notch the stress falls off by half within an element, and the straight line
    through the two points misses that. At a node of the surface the tangential strains depend on the displacement of
    the surface alone; with the traction known (:func:`alegear.fe.stress.impose_traction`) they give the whole stress.
    """
    return _element(27, (3, 5), lambda xi: np.zeros((len(xi), 0, 3)), HEXAHEDRON_NODES, np.eye(27))


def _element(
    n: int, orders: tuple[int, int], internal: Callable[[Array], Array], recovery: Array, extrapolation: Array
) -> ReferenceElement:
    """Tables for n nodes, quadrature of stiffness and mass, gradients of internal modes, and points of the stress."""
    (xi, weights), (mass_xi, mass_weights) = map(gauss_cube, orders)
    return ReferenceElement(
        gradients=shape_gradients(n, xi),
        internal_gradients=internal(xi),
        centre_gradients=shape_gradients(n, np.zeros((1, 3)))[0],
        weights=weights,
        recovery_gradients=shape_gradients(n, recovery),
        recovery_internal_gradients=internal(recovery),
        extrapolation=extrapolation,
        mass_shape=shape_functions(n, mass_xi),
        mass_gradients=shape_gradients(n, mass_xi),
        mass_weights=mass_weights,
    )


#: Element of first order.
HEX8 = _hexahedron_8()
#: Element of second order.
HEX27 = _hexahedron_27()
#: By the number of nodes.
ELEMENTS = {8: HEX8, 27: HEX27}
