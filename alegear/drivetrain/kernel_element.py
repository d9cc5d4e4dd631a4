"""Elements by a law on rows of their coordinates, as a rule a kernel: Python asks the one of compiled motions."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from alegear.system.coordinates import Array
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement
from alegear.system.element_kernels import LOST, N_ENERGY, STORED, SUPPLIED


class RowResponse(NamedTuple):
    """Forces on y (n_y,), their derivatives by y and its rate (n_y, n_y), energies (N_ENERGY,); why there are none."""

    force: Array
    by_y: Array
    by_rate: Array
    energy: Array
    failure: str | None


class KernelElement(StatelessElement):
    """Forces on y = T x, and what is stored, lost and supplied, as a kernel writes them.

    Attributes
    ----------
    rows : shape (n_y, n_e)
        T.
    """

    rows: Array

    @abstractmethod
    def law(
        self, t: float, y: Array, rate: Array, force: Array, by_y: Array, by_rate: Array, energy: Array
    ) -> str | None:
        """Write forces on y (n_y,), their derivatives by y and its rate (n_y, n_y), energies (N_ENERGY,) [J, W, W].

        Returns
        -------
        str or None
            A sentence with a remedy where they cannot be found.
        """

    def on_rows(self, x: Array, v: Array, t: float = 0.0) -> RowResponse:
        """What its law says at its own coordinates and velocities."""
        T, n = self.rows, len(self.rows)
        found = np.zeros(n), np.zeros((n, n)), np.zeros((n, n)), np.zeros(N_ENERGY)
        return RowResponse(*found, failure=self.law(t, T @ x, T @ v, *found))

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces with their tangents."""
        T, here = self.rows, self.on_rows(x, v, t)
        if here.failure is not None:
            return ElementForces.failed(len(x), here.failure)
        return ElementForces(
            Q=here.force @ T, by_x=T.T @ here.by_y @ T, by_v=T.T @ here.by_rate @ T, response=here.energy
        )

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """What its law says of the same state."""
        energy = forces.response
        assert isinstance(energy, np.ndarray)
        return ElementEnergy(
            stored=float(energy[STORED]), damping_power=float(energy[LOST]), supplied_power=float(energy[SUPPLIED])
        )
