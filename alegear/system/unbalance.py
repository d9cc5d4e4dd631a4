"""A mass beside the axis of a rotor: an element that adds to the mass matrix, in the fewest lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from alegear.system.coordinates import Array, Indices, Place, X, Y
from alegear.system.element import ElementForces, StatelessElement
from alegear.system.support import UNBALANCE


class Unbalance(StatelessElement):
    r"""The moment m e of a mass beside the axis, at the angle theta + phase from e1, where theta is the rotation.

    .. math::
        m \ddot x &= \ldots + m e (\dot\theta^2 \cos + \ddot\theta \sin), \qquad
        m \ddot y = \ldots + m e (\dot\theta^2 \sin - \ddot\theta \cos)

    and by the same terms back on the rotation, so that the energies balance. The mass itself is in the rotor's.

    Parameters
    ----------
    name : str
    place : Place
        With displacements.
    moment : float [kg m]
    phase : float [rad]
    """

    only_in_motion = True
    adds_mass = True

    def __init__(self, name: str, place: Place, moment: float, phase: float = 0.0) -> None:
        UNBALANCE.check(moment, "Unbalance.moment")
        assert place.rotation is not None
        self.name, self.moment, self.phase = name, moment, phase
        self.coordinates: Indices = place.coordinates
        self._turn = int(np.flatnonzero(self.coordinates == place.rotation)[0])
        self._x, self._y = place.rows[X], place.rows[Y]

    def _arms(self, x: Array) -> tuple[Array, Array]:
        """Way of the mass by the coordinates along and across the arm, each times the moment, shape (n_e,)."""
        angle = float(x[self._turn]) + self.phase
        c, s = self.moment * np.cos(angle), self.moment * np.sin(angle)
        return c * self._x + s * self._y, c * self._y - s * self._x

    def mass(self, x: Array, data: Any) -> Array:
        """What couples rotation and displacements in the mass matrix, shape (n_e, n_e)."""
        M = np.zeros((len(x), len(x)))
        M[self._turn] = self._arms(x)[1]
        return M + M.T

    def mass_tangent(self, x: Array, a: Array, data: Any) -> Array:
        """Derivative of ``mass(x) @ a``, shape (n_e, n_e)."""
        along, tangent = self._arms(x)[0], np.zeros((len(x), len(x)))
        tangent[:, self._turn] = -along * a[self._turn]
        tangent[self._turn, self._turn] = -along @ a
        return tangent

    def evaluate(self, t: float, x: Array, v: Array, data: Any) -> ElementForces:
        """Centrifugal force."""
        (along, across), speed, turn = self._arms(x), float(v[self._turn]), self._turn
        by_x, by_v = np.zeros((2, len(x), len(x)))
        by_x[:, turn], by_v[:, turn] = speed**2 * across, 2.0 * speed * along
        return ElementForces(Q=speed**2 * along, by_x=by_x, by_v=by_v)

    def kernel_terms(self, n: int) -> dict[str, Any]:
        """What compiled code needs: rotation, moment, phase, and rows (n,) of the displacements in x and y."""
        rows = np.zeros((2, n))
        rows[:, self.coordinates] = self._x, self._y
        return {"unbalance": (int(self.coordinates[self._turn]), self.moment, self.phase, rows[0], rows[1])}
