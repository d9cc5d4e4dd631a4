"""A mesh of elastic teeth whose centres move in the plane, between two places of a system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from alegear.drivetrain import elastic_kernels
from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.forces import normal_direction
from alegear.drivetrain.planar.pitch_circles import PitchCircles
from alegear.drivetrain.planar.springs import MeshSpring
from alegear.kernels.elements import element_terms
from alegear.system.coordinates import Array, Indices
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement

#: Both flanks: those with which the first gear drives about +z of the mesh, and the others.
FLANKS = (1.0, -1.0)
#: How many eps of the centre distance the deformation is off.
RESOLVED = 16.0


@dataclass(frozen=True, kw_only=True, eq=False)
class _Line:
    """Line of centres: its angle [rad], the working pressure angle there [rad]; NaN where base circles overlap."""

    phi_gear: float
    alpha: float


def _by_states(flanks: Callable[[Array, Array], tuple[float, float]], x: Array, v: Array) -> Array:
    """Forces of both flanks, (2, ...), in states x, v (..., n_e)."""
    n = x.shape[-1]
    pressed = np.array([flanks(*state) for state in zip(x.reshape(-1, n), v.reshape(-1, n), strict=True)])
    by_side: Array = pressed.reshape(-1, 2).T.reshape(2, *x.shape[:-1])
    return by_side


class DisplacedMesh(StatelessElement):
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
        self.coordinates, self.rows, self.through = coordinates, rows, through

    @property
    def resolution(self) -> Array:
        """Changes of the coordinates that are lost in the deformation, shape (n_e,)."""
        arms = np.array([abs(self.averages.l_A), abs(self.averages.l_B), 1.0, 1.0, 1.0, 1.0])
        moved = np.abs(arms[:, None] * self.rows).max(axis=0)
        moved[moved == 0.0] = np.inf  # it moves no flank
        known: Array = RESOLVED * np.finfo(float).eps * abs(self.averages.a) / moved
        return known

    def _line(self, y: Array) -> _Line:
        mesh = self.averages
        x_B = mesh.a + y[kernels.X_B]
        phi_gear, _, alpha = kernels.line_of_centres(
            mesh.numbers, y[kernels.X_A], y[kernels.Y_A], x_B, y[kernels.Y_B], 0.0
        )
        return _Line(phi_gear=float(phi_gear), alpha=float(alpha))

    def _flank(self, side: float, y: Array, rate: Array, line: _Line) -> tuple[Array, float, float]:
        """Direction n (6,), deformation without backlash [m] and its rate [m/s] of a flank."""
        n, numbers = np.empty(kernels.N_COORDINATES), self.averages.numbers
        kernels.normal_direction(numbers, side, line.phi_gear, line.alpha, n)
        delta = kernels.deformation(numbers, side, y[kernels.PHI_A], y[kernels.PHI_B], line.phi_gear, line.alpha)
        return n, float(delta) + side * self.offset, -float(n @ rate)

    def flanks(self, x: Array, v: Array) -> tuple[float, float]:
        """Forces N [N] of both flanks at its own coordinates and velocities."""
        (_, ahead), (_, back) = self.pressed(x, v)
        return ahead, back

    def side_forces(self, x: Array, v: Array) -> Array:
        """Forces (2, ...) [N] of the flanks with which A drives counterclockwise, and of the others, by states."""
        return _by_states(self.flanks, x, v)

    def pressed(self, x: Array, v: Array) -> list[tuple[Array, float]]:
        """Direction on y (6,) and force N [N] of both flanks."""
        y, rate = self.rows @ x, self.rows @ v
        line = self._line(y)
        kappa, _ = kernels.periodic_factor(self.spring.factor_table, float(self.through @ x))
        found = []
        for side in FLANKS:
            n, delta, speed = self._flank(side, y, rate, line)
            found.append((n, float(kernels.flank_force(self.spring.numbers, kappa, delta, speed)[0])))
        return found

    def stiffness(self, x: Array, v: Array) -> float:
        """Slope of the normal forces over the deformation, of both flanks together [N/m]."""
        y, rate = self.rows @ x, self.rows @ v
        line = self._line(y)
        kappa, _ = kernels.periodic_factor(self.spring.factor_table, float(self.through @ x))
        flanks = [self._flank(side, y, rate, line) for side in FLANKS]
        return sum(float(kernels.flank_force(self.spring.numbers, kappa, d, u)[1]) for _, d, u in flanks)

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces with their tangents: the flanks' stiffness, and that their line of action turns."""
        y, rate, spring, x_mesh = self.rows @ x, self.rows @ v, self.spring, float(self.through @ x)
        line = self._line(y)
        if not np.isfinite(line.alpha):
            reason = f"the base circles of mesh {self.name} overlap: stiffen what holds its gears"
            return ElementForces.failed(len(x), reason)
        kappa, slope = kernels.periodic_factor(spring.factor_table, x_mesh)
        curvature = 0.0 if spring.factor is None else spring.factor.curvature(x_mesh)
        m, tangent = kernels.N_COORDINATES, np.empty((kernels.N_COORDINATES, kernels.N_COORDINATES))
        Q, by_y, by_rate, by_x_mesh = np.zeros(m), np.zeros((m, m)), np.zeros((m, m)), np.zeros(m)
        E_by_y, energy = np.zeros(m), 0.0
        for side in FLANKS:
            n, delta, speed = self._flank(side, y, rate, line)
            N, N_by_delta, N_by_speed = kernels.flank_force(spring.numbers, kappa, delta, speed)
            N_el, _, E_el = kernels.spring_force(spring.numbers, delta - 0.5 * spring.backlash)
            energy += E_el
            E_by_y -= N_el * n
            if N <= 0.0:
                continue
            kernels.normal_tangent(self.averages.numbers, side, line.phi_gear, line.alpha, tangent)
            Q += N * n
            by_y += N * tangent - N_by_delta * np.outer(n, n) - N_by_speed * np.outer(n, tangent @ rate)
            by_rate -= N_by_speed * np.outer(n, n)
            by_x_mesh += slope * N_el * n
        T, r = self.rows, self.through
        by_x = T.T @ by_y @ T + np.outer(T.T @ by_x_mesh, r) - np.outer(r, slope * (E_by_y @ T))
        by_x -= curvature * energy * np.outer(r, r)
        return ElementForces(Q=T.T @ Q - slope * energy * r, by_x=by_x, by_v=T.T @ by_rate @ T)

    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """What it is to compiled motions: a mesh on its coordinates y, and on the mesh position."""
        mesh, spring = self.averages, self.spring
        flanks = elastic_kernels.flanks_of(mesh.numbers, spring.numbers, spring.factor_table, mesh.a, self.offset)
        return element_terms(
            elastic_kernels.displaced_element,
            flanks,
            elastic_kernels.FLANKS,
            coordinates=self.coordinates,
            rows=np.vstack([self.rows, self.through]),
        )

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """Energy of the springs, and the power of the dampers."""
        y, rate, spring = self.rows @ x, self.rows @ v, self.spring
        line = self._line(y)
        kappa, _ = kernels.periodic_factor(spring.factor_table, float(self.through @ x))
        stored = lost = 0.0
        for side in FLANKS:
            _, delta, speed = self._flank(side, y, rate, line)
            N = float(kernels.flank_force(spring.numbers, kappa, delta, speed)[0])
            N_el, _, E_el = kernels.spring_force(spring.numbers, delta - 0.5 * spring.backlash)
            stored += kappa * E_el
            lost += (N - kappa * N_el) * speed
        return ElementEnergy(stored=stored, damping_power=lost)


class BondedMesh(StatelessElement):
    """The flanks of one side as they begin to carry, which pull as well: N = c p_s + d delta_s' at the nominal line.

    With the kinematics of :class:`DisplacedMesh` linear in y, its normal force where both centres are at their nominal
    places and no other flank carries: a first guess of equilibria, and what vibrates about them.

    Parameters
    ----------
    name, averages, spring, coordinates, rows, offset
        As those of :class:`DisplacedMesh`; factors over the mesh position are left out.
    side : float
        1: the flanks with which the first gear drives about +z of the mesh, -1: the others.
    """

    def __init__(
        self,
        *,
        name: str,
        averages: PitchCircles,
        spring: MeshSpring,
        coordinates: Indices,
        rows: Array,
        side: float,
        offset: float = 0.0,
    ) -> None:
        self.name, self.spring, self.side, self.coordinates = name, spring, side, coordinates
        self.normal: Array = rows.T @ normal_direction(averages, side, 0.0)  # less the row of the deformation
        self.overlap = side * offset - 0.5 * spring.backlash

    def flanks(self, x: Array, v: Array) -> tuple[float, float]:
        """Forces N [N] of both flanks at its own coordinates and velocities: of the other one none."""
        N = self.spring.c * (self.overlap - float(self.normal @ x)) - self.spring.damping * float(self.normal @ v)
        return (N, 0.0) if self.side > 0.0 else (0.0, N)

    def side_forces(self, x: Array, v: Array) -> Array:
        """Forces (2, ...) [N] of the flanks with which A drives counterclockwise, and of the others, by states."""
        return _by_states(self.flanks, x, v)

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces with their tangents, which are constant."""
        both = np.outer(self.normal, self.normal)
        return ElementForces(
            Q=self.normal * sum(self.flanks(x, v)), by_x=-self.spring.c * both, by_v=-self.spring.damping * both
        )

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """Energy of the spring, and the power of the damper."""
        overlap = self.overlap - float(self.normal @ x)
        return ElementEnergy(
            stored=0.5 * self.spring.c * overlap**2, damping_power=self.spring.damping * float(self.normal @ v) ** 2
        )
