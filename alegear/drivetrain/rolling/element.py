"""All rolling elements of a bearing as one nonlinear element of a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from alegear.drivetrain.rolling import rolling_kernels as kernels
from alegear.drivetrain.rolling.rolling_kernels import N_Y, RollingBearingTables, rolling_energy
from alegear.kernels.elements import element_terms
from alegear.system.coordinates import Array, Indices
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement


def tables_of(numbers: Array, laminae: Array, defects: Array, count: int) -> RollingBearingTables:
    """What compiled code needs of a bearing with so many rolling elements (`rolling_kernels.py`).

    Parameters
    ----------
    numbers : shape (N_NUMBERS,)
    laminae : shape (n, 2) [m]
    defects : shape (m, N_DEFECT)
    count : int
    """
    own = [np.array(one, dtype=np.float64, order="C") for one in (numbers, laminae, defects)]
    return RollingBearingTables(numbers=own[0], laminae=own[1], defects=own[2], loads=np.zeros(count))


def contacts_at(tables: RollingBearingTables, y: Array, overlap: float = 0.0) -> tuple[float, Array, Array, Array]:
    """Energy [J], its gradient (7,) and Hessian (7, 7), and the loads (count,) [N] at y (7,)."""
    gradient, hessian, loads = np.empty(N_Y), np.empty((N_Y, N_Y)), np.empty(len(tables.loads))
    of_bearing = tables.numbers, tables.laminae, tables.defects
    energy = rolling_energy(*of_bearing, y, overlap, gradient, hessian, loads)
    return float(energy), gradient, hessian, loads


@dataclass(kw_only=True, eq=False)
class RollingData:
    """By how much all rolling elements are thicker than they are [m]: 0, but while an equilibrium is searched."""

    overlap: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class RollingContacts(StatelessElement):
    """Contacts of all rolling elements, from one potential: ``Q = -T^T dW/dy``, ``dQ/dx = -T^T W'' T``.

    Parameters
    ----------
    name : str
    coordinates : shape (n_e,)
    rows : shape (7, n_e)
        T: x, y, z, tilt x, tilt y of the inner ring against the outer one, angles of inner and outer ring.
    tables : RollingBearingTables
    closing_thickness : float [m]
        Thickness that presses all rolling elements: from there the search of an equilibrium begins.
    """

    name: str
    coordinates: Indices
    rows: Array
    tables: RollingBearingTables
    closing_thickness: float

    def new_data(self) -> RollingData:
        """The overlap."""
        return RollingData()

    @property
    def clearance(self) -> float:
        """Thickness that presses all rolling elements [m]."""
        return self.closing_thickness

    def close_clearance(self, data: RollingData, overlap: float) -> None:
        """Make all rolling elements thicker [m]."""
        data.overlap = overlap

    def evaluate(self, t: float, x: Array, v: Array, data: RollingData) -> ElementForces:
        """Forces and tangents; the answer is the stored energy."""
        T = self.rows
        energy, gradient, hessian, _ = contacts_at(self.tables, T @ x, data.overlap)
        n = len(x)
        return ElementForces(Q=-gradient @ T, by_x=-T.T @ hessian @ T, by_v=np.zeros((n, n)), response=energy)

    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """What it is to compiled motions."""
        return element_terms(
            kernels.rolling_element,
            self.tables._replace(loads=self.tables.loads.copy()),
            kernels.ROLLING,
            kernels.copied,
            coordinates=self.coordinates,
            rows=self.rows,
        )

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: RollingData) -> ElementEnergy:
        """What all contacts store."""
        response = forces.response
        assert isinstance(response, float)
        return ElementEnergy(stored=response)
