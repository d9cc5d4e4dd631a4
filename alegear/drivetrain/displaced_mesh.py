"""A mesh of elastic teeth whose centres move in the plane, between two places of a system."""

from __future__ import annotations

from typing import Any

import numpy as np

from alegear.drivetrain import elastic_kernels
from alegear.drivetrain.law_element import LawElement
from alegear.drivetrain.planar.pitch_circles import PitchCircles
from alegear.drivetrain.planar.springs import MeshSpring
from alegear.kernels.elements import element_terms
from alegear.system.coordinates import Array, Indices

#: How many eps of the centre distance the deformation is off.
RESOLVED = 16.0


class DisplacedMesh(LawElement):
    """Normal forces of both flanks on rotations and displacements of both gears.

    In y = (phi_A, phi_B, x_A, y_A, x_B, y_B) = T x, displacements from where the machine was built, with the kinematics
    of :mod:`alegear.drivetrain.planar`,

        N_s = max(0, kappa N_el(p_s) + d delta_s'),   p_s = delta_s(y) + s u_0 - backlash/2
        Q = T^T [sum_s N_s n_s(y) - r kappa' E_el],   n_s = -d delta_s/dy

    Helical teeth: a gear that moves along its axis by z overlaps its mate as if it had turned by -z tan(beta_b)/l, so
    that the rows of both rotations have the axial displacement at the pitch point in them; the forces then have an
    axial part, tan(beta_b) of the transverse one, and it acts at the pitch point.

    Parameters
    ----------
    name : str
    averages : PitchCircles
        Of the nominal distance.
    spring : MeshSpring
        In the transverse section.
    coordinates : shape (n_e,)
    rows : shape (6, n_e)
        T.
    through : shape (n_e,) [m]
        Row of the mesh position x_mesh.
    offset : float [m]
        u_0: overlap of the first flanks at zero, as without backlash.
    """

    def __init__(
        self,
        *,
        name: str,
        averages: PitchCircles,
        spring: MeshSpring,
        coordinates: Indices,
        rows: Array,
        through: Array,
        offset: float = 0.0,
    ) -> None:
        self.name, self.averages, self.spring, self.offset = name, averages, spring, offset
        self.coordinates, self.through, self.rows = coordinates, through, np.vstack([rows, through])
        self._flanks = self._flanks_alone()

    @property
    def resolution(self) -> Array:
        """Changes of the coordinates that are lost in the deformation, shape (n_e,)."""
        arms = np.array([abs(self.averages.l_A), abs(self.averages.l_B), 1.0, 1.0, 1.0, 1.0])
        moved = np.abs(arms[:, None] * self.rows[: len(arms)]).max(axis=0)
        moved[moved == 0.0] = np.inf  # it moves no flank
        known: Array = RESOLVED * np.finfo(float).eps * abs(self.averages.a) / moved
        return known

    def law(
        self, t: float, y: Array, rate: Array, force: Array, by_y: Array, by_rate: Array, energy: Array
    ) -> str | None:
        """Both flanks: their stiffness, and that their line of action turns."""
        if elastic_kernels.displaced_flanks(self._flanks, y, rate, force, by_y, by_rate, energy) < 0:
            self._flanks.sides[:] = np.nan
            return f"the base circles of mesh {self.name} overlap: stiffen what holds its gears"
        return None

    def flanks(self, x: Array, v: Array) -> tuple[float, float]:
        """Forces N [N] of both flanks at its own coordinates and velocities."""
        (_, ahead), (_, back) = self.pressed(x, v)
        return ahead, back

    def side_forces(self, x: Array, v: Array) -> Array:
        """Forces (2, ...) [N] of the flanks with which A drives counterclockwise, and of the others, by states."""
        n = x.shape[-1]
        pressed = [self.flanks(*state) for state in zip(x.reshape(-1, n), v.reshape(-1, n), strict=True)]
        by_side: Array = np.array(pressed).reshape(-1, 2).T.reshape(2, *x.shape[:-1])
        return by_side

    def pressed(self, x: Array, v: Array) -> list[tuple[Array, float]]:
        """Direction on the planar coordinates (6,) and force N [N] of both flanks."""
        self.on_rows(x, v)
        sides = self._flanks.sides
        return [(one[elastic_kernels.NORMAL :].copy(), float(one[elastic_kernels.PRESS])) for one in sides]

    def stiffness(self, x: Array, v: Array) -> float:
        """Slope of the normal forces over the deformation, of both flanks together [N/m]."""
        self.on_rows(x, v)
        return float(self._flanks.sides[:, elastic_kernels.SLOPE].sum())

    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """What it is to compiled motions: a mesh on its coordinates y, and on the mesh position."""
        return element_terms(
            elastic_kernels.displaced_element,
            self._flanks_alone(),
            elastic_kernels.FLANKS,
            coordinates=self.coordinates,
            rows=self.rows,
        )

    def _flanks_alone(self) -> elastic_kernels.Flanks:
        """What the kernels read, with a room of its own."""
        mesh, spring = self.averages, self.spring
        return elastic_kernels.flanks_of(mesh.numbers, spring.numbers, spring.factor_table, mesh.a, self.offset)
