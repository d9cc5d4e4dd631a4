"""How far gears have gone through their mesh, how fast they do, and how far their flanks overlap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.forces import ANGLE, _coordinates, friction_direction, normal_direction
from alegear.errors import Fault

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanarMeshMotion:
    """Kinematics of a mesh.

    Attributes
    ----------
    phi_gear : float [rad]
        Of the line of centres: from A to B, the other way where one gear is a ring.
    a : float [m]
        Centre distance, negative where one gear is a ring.
    alpha : float [rad]
        Working pressure angle at this distance.
    x_A, x_B : float [m]
        Way of both gears through the mesh, on the pitch circles.
    v_A, v_B : float [m/s]
        Their rates.
    deformation, rate : shape (2,) [m, m/s]
        How far the flanks with which gear A drives counterclockwise, and the others, overlap along the line of action
        when there is no backlash; negative: apart. At the nominal distance the second is the first's negative.
    sliding : shape (2,) [m/s]
        Mean speed of sliding of both, which their friction resists.
    """

    phi_gear: float
    a: float
    alpha: float
    x_A: float
    x_B: float
    v_A: float
    v_B: float
    deformation: Array
    rate: Array
    sliding: Array

    @property
    def x_mesh(self) -> float:
        """Mesh position [m]: the mean of both ways."""
        return 0.5 * (self.x_A + self.x_B)

    @property
    def v_mesh(self) -> float:
        """Mesh velocity [m/s]."""
        return 0.5 * (self.v_A + self.v_B)

    @property
    def difference(self) -> float:
        """Delta_AB [m]: by how much gear A is ahead on the pitch circles."""
        return self.x_A - self.x_B


def mesh_motion(mesh: MeshAverages, coordinates: ArrayLike, rates: ArrayLike, near: float = 0.0) -> PlanarMeshMotion:
    """Return the kinematics of a mesh whose centres may be anywhere in the plane.

    With e along the line of centres, at phi_gear,

        x_A = r_A (phi_A - phi_gear),  x_B = -r_B (phi_B - phi_gear),
        a cos alpha = l_A + l_B,
        delta_s = s [l_A (phi_A - phi_gear) + l_B (phi_B - phi_gear)] - (l_A + l_B)(inv alpha - inv alpha_w)

    Parameters
    ----------
    mesh : MeshAverages
    coordinates, rates : shape (6,) [rad, m; rad/s, m/s]
        phi_A, phi_B, x_A, y_A, x_B, y_B, positive counterclockwise. Angles of the gears count from where the flanks
        stand in the middle of the backlash while phi_gear = 0.
    near : float [rad]
        About where phi_gear is: the value within pi of it is taken, so that a carrier may turn on and on.

    Raises
    ------
    Fault
        For centres so close that the base circles leave no line of action.

    Notes
    -----
    Source: van der Linden (2015), formulas 7 to 11, with three differences. The deformation is measured along the
    line of action, where the force acts: ``delta = Delta_AB cos alpha`` at the nominal distance. The centres may
    leave their distance: this is the exact overlap of involutes. The pitch radii in x_A and x_B are the nominal ones.
    """
    q = _coordinates(coordinates, "mesh_motion, coordinates")
    v = _coordinates(rates, "mesh_motion, rates")
    ANGLE.check(near, "mesh_motion, near")
    distance, least = float(np.hypot(*(q[4:] - q[2:4]))), abs(mesh.l_A + mesh.l_B)
    if distance <= least:
        raise Fault(
            "centre distance [mm]",
            float(f"{1e3 * distance:.9g}"),
            f"greater than {1e3 * least:.9g}, that of the base circles",
            "stiffen what holds the centres, or place them apart",
        )
    phi_gear, a, alpha = kernels.line_of_centres(mesh.numbers, *q[2:], float(near))
    e = np.array([np.cos(phi_gear), np.sin(phi_gear)])
    turning = float(e[0] * (v[5] - v[3]) - e[1] * (v[4] - v[2])) / a
    sides = (1.0, -1.0)
    return PlanarMeshMotion(
        phi_gear=phi_gear,
        a=a,
        alpha=alpha,
        x_A=mesh.r_A * (q[0] - phi_gear).item(),
        x_B=-mesh.r_B * (q[1] - phi_gear).item(),
        v_A=mesh.r_A * (v[0] - turning).item(),
        v_B=-mesh.r_B * (v[1] - turning).item(),
        deformation=np.array([kernels.deformation(mesh.numbers, s, q[0], q[1], phi_gear, alpha) for s in sides]),
        rate=np.array([-normal_direction(mesh, s, phi_gear, alpha) @ v for s in sides]),
        sliding=np.array([-friction_direction(mesh, s, phi_gear, alpha) @ v for s in sides]),
    )
