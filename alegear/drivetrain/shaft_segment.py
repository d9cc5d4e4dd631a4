r"""A stretch of a shaft between two places where something sits on it, reduced to its ends and some modes.

Beams between the ends are condensed after Craig and Bampton (1968): with i the inner nodes, b the ends,

.. math:: x_i = \Psi x_b + \Phi \eta, \qquad \Psi = -K_{ii}^{-1} K_{ib}, \qquad K_{ii} \Phi = M_{ii} \Phi \Lambda

Statics of loads at the ends are those of the beams; stretches know of each other by their ends only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from alegear.fe.material import Material
from alegear.system.beam import Beam, HollowCircle, carried
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import DIRECTIONS, Array, Indices, Place, Scales
from alegear.system.linear_elements import coordinates_of_node

N = len(DIRECTIONS)


@dataclass(frozen=True, kw_only=True, eq=False)
class ShaftSegment:
    """Matrices of a stretch in the coordinates of its ends, six each, and of m modes.

    Parameters
    ----------
    rows : shape (6, 12)
        Deformation: motion of the second end against the first one's motion as a rigid body.
    stiffness : shape (6, 6)
        Of the deformation.
    frequencies : shape (m,) [rad/s]
        Of the modes with both ends held.
    mass, gyroscopic : shape (12 + m, 12 + m)
        G of the force -Omega G v.
    inner : shape (n, 6, 12 + m)
        Motion of all nodes.
    """

    rows: Array
    stiffness: Array
    frequencies: Array
    mass: Array
    gyroscopic: Array
    inner: Array

    @classmethod
    def of(cls, positions: Array, sections: Sequence[HollowCircle], material: Material, highest: float) -> ShaftSegment:
        """Condense beams between nodes at positions (n,) [m], ends included, with modes up to a frequency [rad/s]."""
        n = len(positions)
        K, M, G = (np.zeros((N * n, N * n)) for _ in range(3))
        flexibility = np.zeros((N, N))
        for e, section in enumerate(sections):
            beam = Beam.of(float(positions[e + 1] - positions[e]), section, material)
            at = slice(N * e, N * (e + 2))
            K[at, at] += beam.rows.T @ beam.stiffness @ beam.rows
            M[at, at] += beam.mass
            G[at, at] += beam.gyroscopic
            # a wrench at the far end, seen at this element's end, deforms it; the rest follows as a rigid body
            arm = carried(float(positions[-1] - positions[e + 1]))
            flexibility += arm @ cho_solve(cho_factor(beam.stiffness), arm.T)
        ends = np.concatenate([np.arange(N), np.arange(N * (n - 1), N * n)])
        inside = np.setdiff1d(np.arange(N * n), ends)
        T = np.zeros((N * n, 2 * N))
        T[ends] = np.eye(2 * N)
        frequencies = np.empty(0)
        if len(inside):
            T[inside] = -cho_solve(cho_factor(K[np.ix_(inside, inside)]), K[np.ix_(inside, ends)])
            squares, shapes = eigh(K[np.ix_(inside, inside)], M[np.ix_(inside, inside)])
            kept = squares < highest**2
            frequencies = np.sqrt(squares[kept])
            modes = np.zeros((N * n, int(kept.sum())))
            modes[inside] = shapes[:, kept]
            T = np.hstack([T, modes])
        # by Cholesky: LAPACK's other factors exchange rows in metres and in radians by size, so that a unit decides
        stiffness = beam.stiffness if n == 2 else cho_solve(cho_factor(flexibility), np.eye(N))  # of one: to the digit
        return cls(
            rows=np.hstack([-carried(float(positions[-1] - positions[0])), np.eye(N)]),
            stiffness=0.5 * (stiffness + stiffness.T),
            frequencies=frequencies,
            mass=T.T @ M @ T,
            gyroscopic=T.T @ G @ T,
            inner=T.reshape(n, N, -1),
        )

    def add_to(self, builder: SystemBuilder, name: str, ends: tuple[Place, Place], scales: Scales) -> Indices:
        """Add its matrices between two nodes with all six coordinates; returns those of the ends and the modes."""
        at = np.concatenate([coordinates_of_node(ends[0]), coordinates_of_node(ends[1])])
        builder.linear(name, at=at, rows=self.rows, stiffness=self.stiffness, kind="shafts")
        modes, sizes = [], np.array([scales.displacement(direction) for direction in DIRECTIONS])
        for k in range(len(self.frequencies)):
            size = 1.0 / float((np.abs(self.inner[:, :, 2 * N + k]) / sizes).max())
            modes.append(
                builder.coordinate(
                    name,
                    f"mode {k + 1}",
                    displacement_scale=size,
                    force_scale=scales.force * scales.deflection / size,
                    unit="m sqrt(kg)",
                    scales=scales,
                )
            )
        if modes:
            squares = np.diag(self.frequencies**2)
            builder.linear(f"modes of {name}", at=modes, stiffness=squares, kind="shafts")
        everything = np.concatenate([at, np.array(modes, dtype=np.int64)])
        builder.inertia(everything, self.mass)
        for end in ends:  # the speed is that of the middle
            assert end.rotation is not None
            builder.gyroscopic(end.rotation, everything, 0.5 * self.gyroscopic)
        return everything
