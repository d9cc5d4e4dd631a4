"""What the friction of a whole path of contact comes down to: three numbers of the geometry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, sin, sqrt
from typing import Annotated

import numpy as np

from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.pitch_circles import PRESSURE_ANGLE, RADIUS, PitchCircles, check_radii
from alegear.errors import Fault
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits, check_kind
from alegear.system.coordinates import Array

ROLL_LENGTH = Limits(quantity="roll length", key="T_1A or T_1B", unit="mm", least=-1e5, most=1e5)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshAverages(PitchCircles):
    """Average the directions of the teeth's friction over the path of contact.

    A contact that is y beyond the pitch point, along the force on gear B, slides with ``y (omega_A - omega_B)``. Its
    friction has the lever arms ``l_A tan alpha + y`` about A and ``l_B tan alpha - y`` about B. All that carries is
    spread evenly over the path y_1 ... y_2 of length g, with one coefficient of friction, so that

        d_F = -(|y_2| - |y_1|)/g,  d_P = (y_2 |y_2| - y_1 |y_1|)/(2 g),
        d_tauA = d_F l_A tan alpha - d_P,  d_tauB = d_F l_B tan alpha + d_P

    Parameters
    ----------
    r_A, r_B : float [m]
        Working pitch radii, that of a ring gear negative, as ISO 21771 counts them.
    alpha : float [rad]
        Working transverse pressure angle.
    T_1A, T_1B : float [m]
        Roll lengths of gear A where the contact of the flanks with which it drives begins (tip of B) and ends (own
        tip); negative of a ring gear.

    Attributes
    ----------
    d_F : float
        Friction force on gear A over mu |F_n|.
    d_tauA, d_tauB : float [m]
        Friction torques on both gears over mu |F_n| while v_mesh > 0.
    d_P : float [m]
        Mean way from the pitch point.

    Raises
    ------
    Fault
        Also for a path that goes beyond where the line of action touches a base circle, and one without length.

    Notes
    -----
    Source: van der Linden (2015), formulas 16 to 31. With the pitch point between the ends d_F, d_tauA and d_tauB are
    his; where it is not, his signs do not change where the sliding does not either, and these forms hold. His table 3
    does not follow from them (README).

    Examples
    --------
    >>> mesh = MeshAverages.from_radii(r_A=10e-3, r_B=30e-3, r_aA=11e-3, r_aB=31e-3, alpha=0.349065850398866)
    >>> round(mesh.d_F, 3), round(1e3 * mesh.d_tauA, 2), round(1e3 * mesh.d_tauB, 2)
    (0.068, -1.01, 1.94)
    """

    T_1A: Annotated[float, ROLL_LENGTH]
    T_1B: Annotated[float, ROLL_LENGTH]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.T_1A >= self.T_1B:
            raise Fault(
                "length of the path of contact [mm]",
                round(1e3 * (self.T_1B - self.T_1A), 9),
                "greater than 0",
                "enlarge a tip circle, or reduce the centre distance",
            )
        self._check_base_circle("A", self.r_A, self.T_1A)
        self._check_base_circle("B", self.r_B, self.T_2B)

    @classmethod
    def from_radii(cls, *, r_A: float, r_B: float, r_aA: float, r_aB: float, alpha: float) -> MeshAverages:
        """Take the path of contact from the tip circles.

        Parameters
        ----------
        r_A, r_B, r_aA, r_aB : float [m]
            Pitch and tip radii; both of a ring gear are negative.
        alpha : float [rad]
            Working transverse pressure angle.

        Raises
        ------
        Fault
            Also for a tip circle inside its base circle, or one of the other sign than the pitch circle.
        """
        for name, value in (("r_A", r_A), ("r_B", r_B), ("r_aA", r_aA), ("r_aB", r_aB)):
            RADIUS.check(value, f"MeshAverages.from_radii, {name}")
        PRESSURE_ANGLE.check(alpha, "MeshAverages.from_radii, alpha")
        check_radii(r_A, r_B)
        tip_A, tip_B = _roll_length("A", r_A, r_aA, alpha), _roll_length("B", r_B, r_aB, alpha)
        return cls(r_A=r_A, r_B=r_B, alpha=alpha, T_1A=(r_A + r_B) * sin(alpha) - tip_B, T_1B=tip_A)

    @classmethod
    def from_pair(cls, pair: GearPair) -> MeshAverages:
        """Take the path of contact of a pair, as its tip circles and root form circles leave it; gear A is the pinion.

        Roll lengths are those of the transverse section and both flanks have the same: teeth are symmetric.

        Raises
        ------
        Fault
        """
        check_kind(pair, "MeshAverages.from_pair, pair", GearPair)
        r_A, r_B = (0.5 * d_w for d_w in pair.d_w)
        low, high = pair.path_of_contact_usable
        return cls(r_A=r_A, r_B=r_B, alpha=pair.alpha_wt, T_1A=low, T_1B=high)

    @property
    def T_2B(self) -> float:
        """Roll length of gear B at the end of the path [m]."""
        return self.T_1P + self.T_2P - self.T_1B

    @property
    def path(self) -> tuple[float, float]:
        """Ends y_1, y_2 of the path, from the pitch point [m]."""
        return self.T_1A - self.T_1P, self.T_1B - self.T_1P

    @property
    def d_F(self) -> float:
        """Friction force on gear A over mu |F_n|: positive along the tangent that makes it, see README."""
        y_1, y_2 = self.path
        return -(abs(y_2) - abs(y_1)) / (y_2 - y_1)

    @property
    def d_P(self) -> float:
        """Mean way of the contact from the pitch point [m]."""
        y_1, y_2 = self.path
        return 0.5 * (y_2 * abs(y_2) - y_1 * abs(y_1)) / (y_2 - y_1)

    @property
    def d_tauA(self) -> float:
        """Friction torque on gear A over mu |F_n| while v_mesh > 0 [m]."""
        return self.d_F * self.T_1P - self.d_P

    @property
    def d_tauB(self) -> float:
        """Friction torque on gear B over mu |F_n| while v_mesh > 0 [m]."""
        return self.d_F * self.T_2P + self.d_P

    @property
    def sliding(self) -> float:
        """Mean speed of sliding over that of the mesh, d_P (1/r_A + 1/r_B) > 0: the loss is mu |F_n v_mesh| of it."""
        return self.d_P * (1.0 / self.r_A + 1.0 / self.r_B)

    def efficiency(self, mu: float, driver: str) -> float:
        """Return the part of the power that passes the mesh.

        ``(cos alpha - mu d_tauB/r_B)/(cos alpha - mu d_tauA/r_A)`` where A drives, with +mu and upside down where B
        does.

        Parameters
        ----------
        mu : float
        driver : {"A", "B"}

        Raises
        ------
        Fault
            For friction so large that the mesh blocks, too.
        """
        Limits(quantity="coefficient of friction", key="mu", least=0.0, most=10.0).check(mu, "MeshAverages.efficiency")
        if driver not in ("A", "B"):
            raise Fault("gear that drives", driver, "'A' or 'B'", "correct driver")
        sign = 1.0 if driver == "A" else -1.0
        at_A = cos(self.alpha) - sign * mu * self.d_tauA / self.r_A
        at_B = cos(self.alpha) - sign * mu * self.d_tauB / self.r_B
        out, into = (at_B, at_A) if driver == "A" else (at_A, at_B)
        if out <= 0.0 or into <= 0.0:
            raise Fault("coefficient of friction", mu, f"small enough for gear {driver} to turn the other", "reduce mu")
        return out / into

    def friction_direction(self, side: float) -> Array:
        """Return the forces on the coordinates per unit of mu |F_n| while v_mesh > 0; times -1 while it is below.

        ``tau = d_tau``, ``F_A = d_F m = -F_B``; m is the tangent of the flanks, z x n, and n the force on B of
        :meth:`normal_direction`.

        Parameters
        ----------
        side : float
            As in :meth:`normal_direction`.

        Returns
        -------
        direction : shape (6,) [m, m, 1, 1, 1, 1]
            The sliding that this force resists is its negative times the rates of the coordinates,
            ``d_P (omega_A - omega_B) - d_F v_P`` with v_P the sliding at the pitch point, which is nought but for the
            rate of the deformation. Friction against the sign of that speed takes power in every motion, and none is
            taken where it is nought: a state of sticking holds this speed at nought.

        Notes
        -----
        Source: van der Linden (2015), formulas 22, 28, 31 and table 2, whose torques are those on the gears: with his
        formulas 1, 2 and 40 together they would gain energy. His mesh sticks at v_mesh = 0, formula 32, which is the
        same but for the rate of the deformation.
        """
        direction = np.empty(kernels.N_COORDINATES)
        kernels.friction_direction(self.numbers, side, 0.0, self.alpha, direction)
        return direction

    @cached_property
    def numbers(self) -> Array:
        """What the compiled functions take (kernels.N_MESH,)."""
        numbers = super().numbers.copy()
        numbers[kernels.D_F], numbers[kernels.D_P] = self.d_F, self.d_P
        return numbers

    def _check_base_circle(self, gear: str, r: float, least: float) -> None:
        """Refuse contact below the base circle of an external gear; a ring has none there."""
        if r > 0.0 and least < -1e-9 * r:  # round-off of what is given in millimetres
            raise Fault(
                f"least roll length of gear {gear} [mm]",
                round(1e3 * least, 9),
                "at least 0: below the base circle there is no involute",
                "shorten the tip of the other gear",
            )


def _roll_length(gear: str, r: float, r_a: float, alpha: float) -> float:
    """Roll length at a tip circle [m], with the sign of the gear."""
    r_b = abs(r) * cos(alpha)
    if r * r_a <= 0.0 or abs(r_a) < r_b:
        raise Fault(
            f"tip radius of gear {gear} [mm]",
            round(1e3 * r_a, 9),
            f"of the sign of the pitch radius, and beyond the base circle {1e3 * r_b:.6g}",
            f"correct r_a{gear}",
        )
    return (1.0 if r > 0.0 else -1.0) * sqrt(r_a * r_a - r_b * r_b)
