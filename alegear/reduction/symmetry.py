r"""Symmetry of a tooth sector: the grid divides into independent problems of a part of its size.

A spur sector is its own mirror image about mid-face, and about the middle of the tooth; a helical one comes to itself
by half a turn about the line through both, the x axis. Each of these operations g takes node n to g(n) and the
displacement (u_x, u_y, u_z) to itself but for signs. They commute with the stiffness, so that K does not couple
displacement fields that are even under an operation with those that are odd. All operations commute and are their own
inverses: a class of fields is told by a character :math:`\chi(g) = \pm 1` for each operation, and has the orthonormal
basis

.. math::
    v = \frac{1}{\sqrt{|O|}} \sum_{n' \in O} \chi(g)\, s_g\, e_{n'}, \qquad n' = g(n),

one vector for every orbit O of nodes and every axis, but for those that a node on the plane or line of symmetry cannot
have. With two classes the dense blocks have half the size and cost a quarter altogether, with four a sixteenth.

An operation counts only if it takes the grid to itself within :data:`EXACT`, and each set of retained and of fixed
nodes to such a set: results change by round-off only, and a grid without symmetry is one class of everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from alegear.arrays import Array, Indices

#: Largest distance of a node from the image of its partner, over the size of the grid: the digits of a mesh file.
EXACT = 1e-14

#: A direction that no grid knows.
_GENERIC = np.sqrt([2.0, 3.0, 5.0])

#: Place of the mirror at mid-face among the operations.
MIRROR_Z = 1

#: Signs of x, y, z under identity, mirror at z = 0, mirror at y = 0, half a turn about x.
OPERATIONS = np.array([[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]])


@dataclass(frozen=True, kw_only=True, eq=False)
class Basis:
    """The fields of one class on some nodes.

    Parameters
    ----------
    dofs : shape (m,)
        Degree of freedom 3*node + axis of the representative of each basis vector.
    place : shape (3n,)
        Basis vector that a degree of freedom belongs to, of the grid or of some nodes of it; -1 for none.
    weight : shape (3n,)
        Its component there; 0 for none.
    """

    dofs: Indices
    place: Indices
    weight: Array

    @property
    def size(self) -> int:
        """Number of basis vectors."""
        return self.dofs.size

    def on(self, dofs: Indices) -> Basis:
        """Restrict `place` and `weight` to some degrees of freedom, in their order."""
        return Basis(dofs=self.dofs, place=self.place[dofs], weight=self.weight[dofs])

    @cached_property
    def vectors(self) -> sparse.csr_array:
        """The basis as orthonormal columns, shape (len(place), m)."""
        kept = np.flatnonzero(self.place >= 0)
        return sparse.csr_array((self.weight[kept], (kept, self.place[kept])), shape=(len(self.place), self.size))


@dataclass(frozen=True, kw_only=True, eq=False)
class Symmetry:
    """A group of commuting operations that are their own inverses.

    Parameters
    ----------
    operations : shape (g,)
        Rows of :data:`OPERATIONS`; the first is the identity.
    images : shape (g, n)
        Node to which each operation takes each node.
    """

    operations: Indices
    images: Indices

    @classmethod
    def none(cls, n_nodes: int) -> Symmetry:
        """Return the group of the identity alone."""
        return cls(operations=np.zeros(1, dtype=np.int64), images=np.arange(n_nodes)[None])

    @property
    def signs(self) -> Indices:
        """Signs of the three components under each operation, shape (g, 3)."""
        return OPERATIONS[self.operations]

    @property
    def characters(self) -> Indices:
        """Characters of the classes, shape (classes, g); the first class is even under all operations."""
        table = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])  # the last is the product
        return table[: len(self.operations), : len(self.operations)]

    def subgroup(self, operations: Sequence[int]) -> Symmetry:
        """Keep the identity and those of some operations that the group has."""
        kept = np.isin(self.operations, [0, *operations])
        return Symmetry(operations=self.operations[kept], images=self.images[kept])

    def representatives(self, nodes: Indices, heights: Array) -> Indices:
        """Choose from each orbit of nodes the one that `heights` (n, k) lists as the highest, first column first.

        Returns
        -------
        In the order of `nodes`, without the others.
        """
        images = self.images[:, nodes]
        highest = np.ones(nodes.size, dtype=bool)
        for image in images[1:]:
            undecided = np.ones(nodes.size, dtype=bool)
            for height in heights.T:
                # partners differ in sign only, so that no tolerance is needed but for those on the plane itself
                here, there = height[nodes], height[image]
                lower = undecided & (here < there) & (image != nodes)
                highest &= ~lower
                undecided &= here == there
            highest &= ~(undecided & (nodes > image))
        return nodes[highest]

    def basis(self, character: Indices, representatives: Indices) -> Basis:
        """Number the basis vectors of a class on the orbits of some nodes, in the order of their representatives."""
        n = self.images.shape[1]
        signs = character[:, None] * self.signs
        orbits = self.images[:, representatives]
        stays = orbits == representatives
        allowed = ~(stays[:, :, None] & (signs[:, None] < 0)).any(axis=0)
        number = np.cumsum(allowed.ravel()).reshape(allowed.shape) - 1
        scale = np.sqrt(stays.sum(axis=0) / len(orbits))  # one over the root of the size of the orbit
        place = np.full((n, 3), -1, dtype=np.int64)
        weight = np.zeros((n, 3))
        for image, sign in zip(orbits, signs, strict=True):
            place[image] = np.where(allowed, number, -1)
            weight[image] = np.where(allowed, scale[:, None] * sign, 0.0)
        dofs = (3 * representatives[:, None] + np.arange(3))[allowed]
        return Basis(dofs=dofs, place=place.ravel(), weight=weight.ravel())


def find_symmetry(points: Array, cells: Indices, sets: Sequence[Sequence[Indices]]) -> Symmetry:
    """Find the operations under which a grid is its own image.

    Parameters
    ----------
    points : shape (n, 3) [m]
    cells : shape (m, k)
    sets : sequence of families of node sets
        An operation must take each set to one of the same family.
    """
    size = np.ptp(points, axis=0).max(initial=0.0)
    # along this line no two points of a grid lie at the same height, so that height alone nearly finds a point
    heights = points @ _GENERIC
    rising = np.argsort(heights)
    whole = np.sort(cells, axis=1)
    whole = whole[np.lexsort(whole.T)]
    everything = np.arange(len(points))
    images: dict[int, Indices] = {0: everything}
    for number in range(1, len(OPERATIONS)):
        wanted = points * OPERATIONS[number]
        above = np.searchsorted(heights[rising], wanted @ _GENERIC)
        # round-off: the point sought is the next above or below
        around = rising[np.clip([above - 1, above], 0, len(points) - 1)]
        distances = np.linalg.norm(points[around] - wanted, axis=2)
        image = np.where(distances[0] < distances[1], around[0], around[1])
        if distances.min(axis=0).max(initial=0.0) > EXACT * size or not np.array_equal(image[image], everything):
            continue
        turned = np.sort(image[cells], axis=1)
        if not np.array_equal(turned[np.lexsort(turned.T)], whole):
            continue
        if all(_same_sets([image[nodes] for nodes in family], family) for family in sets):
            images[number] = image
    if len(images) == 3:  # two of them make the third, but for round-off at the tolerance
        del images[max(images)]
    return Symmetry(operations=np.array(sorted(images)), images=np.stack([images[k] for k in sorted(images)]))


def _same_sets(first: Sequence[Indices], second: Sequence[Indices]) -> bool:
    """Whether the sets of two families are the same, in whichever order."""
    return sorted(np.sort(nodes).tolist() for nodes in first) == sorted(np.sort(nodes).tolist() for nodes in second)
