"""Where two toothed bodies engage in space: directions from both to the contact point, and what does not fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.spatial.toothed import DEGREE, SpatialGear, Teeth, Toothed
from alegear.errors import Fault
from alegear.system.coordinates import Array

#: nu_2 and nu_3 of the second body point to it as well, those of its own teeth away from it.
FACING = np.diag([1.0, -1.0, -1.0])
#: Sine of the angle by which axes, and part of the pitch radii by which centres, may be off: round-off of input.
FITS = 1e-6
#: Below this part of the sum of radii contact has no place: it is the same everywhere.
NOWHERE = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class Engagement:
    """Both sides of a mesh in their bodies, engaged as the bodies start.

    Attributes
    ----------
    sides : (Teeth, Teeth)
    pressure_angle : float [rad]
    """

    sides: tuple[Teeth, Teeth]
    pressure_angle: float


def engaged(
    mesh: str, gears: tuple[Toothed, Toothed], positions: tuple[tuple[Array, Array], tuple[Array, Array]]
) -> Engagement:
    """Engage two toothed bodies.

    Parameters
    ----------
    mesh : str
    gears : (Toothed, Toothed)
    positions : ((p, R), (p, R))
        Of the frames of their bodies.

    Raises
    ------
    Fault
        For other modules or pressure angles, cone, helix and shaft angles that do not fit, centres that cannot mesh.
    """
    one, two = gears
    for what, unit, scale in (("normal_module", "mm", 1e-3), ("pressure_angle", "deg", DEGREE)):
        a, b = getattr(one, what), getattr(two, what)
        if abs(a - b) > 1e-9 * abs(a):
            words = f"{what.replace('_', ' ')} of {two.name} [{unit}]"
            raise Fault(words, f"{b / scale:.8g}", f"that of {one.name}, {a / scale:.8g}", "correct one of them")
    if not (one.pitch_radius or two.pitch_radius):
        raise Fault(f"gears of {mesh}", "two racks", "one wheel at least", "name a wheel")
    if not one.pitch_radius:  # a rack is the second
        turned = engaged(mesh, (two, one), (positions[1], positions[0]))
        second, first = turned.sides
        return Engagement(
            sides=(_facing(first), _facing(second)),
            pressure_angle=one.pressure_angle,
        )
    tried = [_Fit.of(one, other, positions) for other in (two, two.turned_over)]
    fit = min(tried, key=lambda fit: fit.worst)
    if fit.worst > FITS:
        raise fit.fault(mesh, one, two)
    return Engagement(sides=fit.sides(positions), pressure_angle=one.pressure_angle)


def _facing(side: Teeth) -> Teeth:
    """A side that is the other one of its mesh."""
    return Teeth(point=side.point, radius=side.radius, axes=side.axes, triad=side.triad @ FACING, rolls=side.rolls)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Fit:
    """A wheel and what it meshes with, with one choice of the second e1.

    Attributes
    ----------
    first, second : Toothed
    xi, eta : shape (3, 3)
        e1, e2, e3 of both in space, one a column.
    shaft_angle, needed_angle : float
        Cosines of the angle between both e1: there, and that the teeth need.
    off : shape (3,) [m]
        By how much the second centre is off that which the teeth need.
    off_axis : float
        Sine of the angle by which its e1 is off.
    """

    first: Toothed
    second: Toothed
    xi: Array
    eta: Array
    shaft_angle: float
    needed_angle: float
    off: Array
    off_axis: float

    @classmethod
    def of(cls, first: Toothed, second: Toothed, positions: tuple[tuple[Array, Array], tuple[Array, Array]]) -> _Fit:
        """Directions to contact follow from axes and centres, or from the rack."""
        (p_A, R_A), (p_B, R_B) = positions
        Z = first.triad @ (second.triad @ FACING).T  # eta = xi Z
        r_A, r_B = first.pitch_radius, second.pitch_radius
        xi_1 = R_A @ np.asarray(first.axis)  # type: ignore[attr-defined]
        centre_A = p_A + R_A @ np.asarray(first.centre)  # type: ignore[attr-defined]
        if not r_B:
            eta_2 = R_B @ np.asarray(second.outwards)  # type: ignore[attr-defined]
            eta_3 = R_B @ np.asarray(second.direction)  # type: ignore[attr-defined]
            eta = np.column_stack([np.cross(eta_2, eta_3), eta_2, eta_3])
            xi = eta @ Z.T
            there = centre_A + r_A * xi[:, 1]
            plane = p_B + R_B @ np.asarray(second.point)  # type: ignore[attr-defined]
            off = ((plane - there) @ eta_2) * eta_2
            return cls(
                first=first,
                second=second,
                xi=xi,
                eta=eta,
                shaft_angle=float(eta[:, 0] @ xi_1),
                needed_angle=float(eta[:, 0] @ xi[:, 0]),
                off=off,
                off_axis=float(np.linalg.norm(xi[:, 0] - xi_1)),
            )
        eta_1 = R_B @ np.asarray(second.axis)  # type: ignore[attr-defined]
        centre_B = p_B + R_B @ np.asarray(second.centre)  # type: ignore[attr-defined]
        between = centre_B - centre_A
        # x_AB = (r_A - Z22 r_B) xi_2 - r_B Z12 xi_1 - r_B Z32 xi_3, across xi_1
        a, b = r_A - Z[1, 1] * r_B, r_B * Z[2, 1]
        y = between + r_B * Z[0, 1] * xi_1
        y = y - (y @ xi_1) * xi_1
        size = float(np.hypot(a, b))
        if size > NOWHERE * (r_A + r_B) and float(np.linalg.norm(y)) > NOWHERE * (r_A + r_B):
            xi_2 = a * y + b * np.cross(xi_1, y)
        else:  # told by what is off
            xi_2 = np.cross(xi_1, np.eye(3)[int(np.argmin(np.abs(xi_1)))])
        xi_2 = xi_2 / np.linalg.norm(xi_2)
        xi = np.column_stack([xi_1, xi_2, np.cross(xi_1, xi_2)])
        eta = xi @ Z
        return cls(
            first=first,
            second=second,
            xi=xi,
            eta=eta,
            shaft_angle=float(xi_1 @ eta_1),
            needed_angle=float(Z[0, 0]),
            off=between - (r_A * xi_2 - r_B * eta[:, 1]),
            off_axis=float(np.linalg.norm(eta[:, 0] - eta_1)),
        )

    @property
    def worst(self) -> float:
        """Largest of what is off, as sines and parts of the radii."""
        size = self.first.pitch_radius + self.second.pitch_radius
        return max(self.off_axis, float(np.linalg.norm(self.off)) / size)

    def sides(self, positions: tuple[tuple[Array, Array], tuple[Array, Array]]) -> tuple[Teeth, Teeth]:
        """Both sides in their bodies; the contact point of a rack is where the wheel touches it."""
        made = []
        for gear, axes, (p, R), facing in zip(
            (self.first, self.second), (self.xi, self.eta), positions, (np.eye(3), FACING), strict=True
        ):
            r = gear.pitch_radius
            if r:
                point = np.asarray(gear.centre)  # type: ignore[attr-defined]
            else:
                p_A, R_A = positions[0]
                centre = p_A + R_A @ np.asarray(self.first.centre)  # type: ignore[attr-defined]
                point = R.T @ (centre + self.first.pitch_radius * self.xi[:, 1] - p)
            made.append(Teeth(point=point, radius=r, axes=(R.T @ axes).T, triad=gear.triad @ facing, rolls=gear.rolls))
        return made[0], made[1]

    def fault(self, mesh: str, one: Toothed, two: Toothed) -> Fault:
        """What is off, in words."""
        there, needed = (np.arccos(np.clip(c, -1.0, 1.0)) / DEGREE for c in (self.shaft_angle, self.needed_angle))
        if abs(self.shaft_angle - self.needed_angle) > FITS:
            limit = f"{needed:.6g} or {180.0 - needed:.6g} deg by cone and helix angles of {one.name} and {two.name}"
            return Fault(f"shaft angle of {mesh}", f"{there:.6g} deg", limit, "correct the angles, or turn an axis")
        distance = 1e3 * float(np.linalg.norm(self.off))
        size = self.first.pitch_radius + self.second.pitch_radius
        if distance > 1e3 * FITS * size:
            move = ", ".join(f"{-1e3 * d:.6g}" for d in self.off)
            what = f"position of {two.name} in {mesh}, off pitch contact with {one.name} by [mm]"
            return Fault(
                what, f"{distance:.6g}", "0", f"move {two.name} by ({move}) mm, or change a module or an angle"
            )
        off = float(np.arcsin(min(self.off_axis, 1.0)) / DEGREE)
        limit = "0: both centres lie where the teeth do not cross like this"
        return Fault(f"axis of {two.name} in {mesh}, off by", f"{off:.6g} deg", limit, "mirror it, or a helix angle")


def mating_position(first: SpatialGear, second: SpatialGear, towards: ArrayLike) -> tuple[Array, Array]:
    """Where the second of two wheels must stand to mesh with the first: of hypoid and crossed gears not told at sight.

    .. math:: x_B = x_A + r_A e_2^A - r_B e_2^B

    Parameters
    ----------
    first, second : SpatialGear
        Axis and centre of the second are not looked at.
    towards : shape (3,)
        From the centre of the first towards the contact point, in the frame of its body; what is along its axis is
        left out.

    Returns
    -------
    centre, axis : shape (3,) [m]
        Of the second, in the frame of the first one's body.
    """
    e1 = np.asarray(first.axis, dtype=np.float64)
    e2 = np.asarray(towards, dtype=np.float64)
    e2 = e2 - (e2 @ e1) * e1
    size = float(np.linalg.norm(e2))
    if not size > 0.0:
        raise Fault(f"direction from {first.name} to contact", "along its axis", "across it", "give another")
    e2 = e2 / size
    eta = np.column_stack([e1, e2, np.cross(e1, e2)]) @ first.triad @ (second.triad @ FACING).T
    centre = np.asarray(first.centre) + first.pitch_radius * e2 - second.pitch_radius * eta[:, 1]
    return centre, eta[:, 0]
