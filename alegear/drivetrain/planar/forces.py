"""Forces of a mesh on both gears in the plane, for either flank, either sense and either gear driving."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.pitch_circles import PRESSURE_ANGLE, PitchCircles
from alegear.errors import Fault
from alegear.limits import Limits, array_of

Array = NDArray[np.float64]

FORCE = Limits(quantity="force of the mesh", key="it", unit="N", least=-1e15, most=1e15)
ANGLE = Limits(quantity="gear angle", key="phi_gear", unit="rad", least=-1e12, most=1e12)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanarMeshForces:
    """What a mesh does to both gears: torques about their centres and forces, in the axes of the plane.

    Attributes
    ----------
    tau_A, tau_B : float [N m]
        Positive counterclockwise.
    F_xA, F_yA, F_xB, F_yB : float [N]
    """

    tau_A: float
    tau_B: float
    F_xA: float
    F_yA: float
    F_xB: float
    F_yB: float

    @property
    def on_coordinates(self) -> Array:
        """In the order (phi_A, phi_B, x_A, y_A, x_B, y_B), (6,) [N m, N]."""
        return np.array([self.tau_A, self.tau_B, self.F_xA, self.F_yA, self.F_xB, self.F_yB])

    def power(self, rates: ArrayLike) -> float:
        """Return the power [W] that the gears get from the mesh; its negative is lost or stored.

        Parameters
        ----------
        rates : shape (6,) [rad/s, m/s]
            Of the coordinates.

        Raises
        ------
        Fault
        """
        return float(self.on_coordinates @ _coordinates(rates, "MeshForces.power, rates"))


def side_of(F_n: float) -> float:
    """Return +1 for the flanks with which gear A drives counterclockwise (F_n >= 0), -1 for the others."""
    return 1.0 if F_n >= 0.0 else -1.0


def normal_direction(mesh: PitchCircles, side: float, phi_gear: float, alpha: float | None = None) -> Array:
    """Return the forces on the coordinates per unit of |F_n|.

    ``tau = -s l``, ``F_B = s cos alpha t + sin alpha e = -F_A``; with e along the line of centres and t = z x e.

    Parameters
    ----------
    mesh : PitchCircles
    side : float
        s: +1 for the flanks with which gear A drives counterclockwise, -1 for the others.
    phi_gear : float [rad]
        Of e: from centre A to centre B, the other way where one gear is a ring.
    alpha : float, optional [rad]
        Working pressure angle where the centres have moved. None: that of the mesh.

    Returns
    -------
    direction : shape (6,) [m, m, 1, 1, 1, 1]
        Its negative times the rates of the coordinates is the rate of the deformation of this flank: the normal force
        is conservative.

    Raises
    ------
    Fault

    Notes
    -----
    Source: van der Linden (2015), formulas 1 to 6, with F_n > 0 where gear A is held back, as his formula 40 has it;
    his torques then are those of the shafts on the mesh, and these are those on the gears.
    """
    direction = np.empty(kernels.N_COORDINATES)
    kernels.normal_direction(mesh.numbers, *_placed(mesh, side, phi_gear, alpha), direction)
    return direction


def normal_tangent(mesh: PitchCircles, side: float, phi_gear: float, alpha: float | None = None) -> Array:
    """Return the derivative of :func:`normal_direction` by the coordinates where the centres move.

    ``g g^T/(a sin alpha)`` with g the tangent m on centre B and -m on centre A: the force turns with its line.

    Parameters
    ----------
    mesh, side, phi_gear, alpha
        As in :func:`normal_direction`.

    Returns
    -------
    tangent : shape (6, 6) [1/m]
        Symmetric; its negative is the second derivative of the deformation.

    Raises
    ------
    Fault
    """
    tangent = np.empty((kernels.N_COORDINATES, kernels.N_COORDINATES))
    kernels.normal_tangent(mesh.numbers, *_placed(mesh, side, phi_gear, alpha), tangent)
    return tangent


def friction_direction(mesh: MeshAverages, side: float, phi_gear: float, alpha: float | None = None) -> Array:
    """Return the forces on the coordinates per unit of mu |F_n| while v_mesh > 0; times -1 while it is below.

    ``tau = d_tau``, ``F_A = d_F m = -F_B``; m is the tangent of the flanks, z x n, and n the force on B of
    :func:`normal_direction`.

    Parameters
    ----------
    mesh, side, phi_gear, alpha
        As in :func:`normal_direction`.

    Returns
    -------
    direction : shape (6,) [m, m, 1, 1, 1, 1]
        The sliding that this force resists is its negative times the rates of the coordinates,
        ``d_P (omega_A - omega_B) - d_F v_P`` with v_P the sliding at the pitch point, which is nought but for the rate
        of the deformation. Friction against the sign of that speed takes power in every motion, and none is taken where
        it is nought: a state of sticking holds this speed at nought.

    Raises
    ------
    Fault

    Notes
    -----
    Source: van der Linden (2015), formulas 22, 28, 31 and table 2, whose torques are those on the gears: with his
    formulas 1, 2 and 40 together they would gain energy. His mesh sticks at v_mesh = 0, formula 32, which is the same
    but for the rate of the deformation.
    """
    direction = np.empty(kernels.N_COORDINATES)
    kernels.friction_direction(mesh.numbers, *_placed(mesh, side, phi_gear, alpha), direction)
    return direction


def mesh_forces(
    mesh: MeshAverages, F_n: float, friction: float = 0.0, phi_gear: float = 0.0, alpha: float | None = None
) -> PlanarMeshForces:
    """Return the forces on both gears.

    ``tau_A = -F_n l_A + friction d_tauA`` and the others likewise.

    Parameters
    ----------
    mesh : MeshAverages
    F_n : float [N]
        Normal force in the transverse section; its sign is the flank: positive where gear A is held back.
    friction : float [N]
        mu |F_n| times the sign of the sliding, or what holds the gears where they stick.
    phi_gear, alpha
        As in :func:`normal_direction`.

    Raises
    ------
    Fault

    Notes
    -----
    The loss, ``friction * v_sliding`` with v_sliding of :func:`friction_direction`, is not negative where friction
    has the sign of v_sliding. Proof: with f = mu |F_n| the teeth at y lose ``f |v_s(y)|/g`` a length; all of these
    are at least ``f sign(y) sign(v_sliding) v_s(y)/g``, and their mean over the path is ``f |v_sliding|`` >= 0. In a
    rolling mesh all signs are the same and the two are one: the loss is then that of the teeth, mu |F_n v_mesh| d_P
    (1/r_A + 1/r_B).

    Examples
    --------
    >>> mesh = MeshAverages.from_radii(r_A=10e-3, r_B=30e-3, r_aA=11e-3, r_aB=31e-3, alpha=0.349065850398866)
    >>> forces = mesh_forces(mesh, F_n=1000.0, friction=100.0)
    >>> round(forces.tau_A, 3), round(forces.tau_B, 3)
    (-9.497, -27.997)
    """
    FORCE.check(F_n, "mesh_forces, F_n")
    FORCE.check(friction, "mesh_forces, friction")
    side = side_of(F_n)
    both = abs(F_n) * normal_direction(mesh, side, phi_gear, alpha)
    both += friction * friction_direction(mesh, side, phi_gear, alpha)
    tau_A, tau_B, F_xA, F_yA, F_xB, F_yB = both.tolist()
    return PlanarMeshForces(tau_A=tau_A, tau_B=tau_B, F_xA=F_xA, F_yA=F_yA, F_xB=F_xB, F_yB=F_yB)


def _placed(mesh: PitchCircles, side: float, phi_gear: float, alpha: float | None) -> tuple[float, float, float]:
    """Side, gear angle and pressure angle, checked."""
    ANGLE.check(phi_gear, "phi_gear")
    if side not in (1.0, -1.0):
        raise Fault("side of the flanks", side, "1 or -1", "correct side")
    if alpha is None:
        return float(side), float(phi_gear), mesh.alpha
    PRESSURE_ANGLE.check(alpha, "alpha")
    return float(side), float(phi_gear), float(alpha)


def _coordinates(values: ArrayLike, where: str) -> Array:
    """Six finite numbers."""
    array = array_of(values, where)
    if array.shape != (kernels.N_COORDINATES,) or not np.all(np.isfinite(array)):
        raise Fault(where, array.tolist(), "six finite numbers", "give (phi_A, phi_B, x_A, y_A, x_B, y_B)")
    return array
