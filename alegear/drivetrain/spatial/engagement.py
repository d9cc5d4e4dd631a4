"""Where two toothed bodies engage in space: directions from both to the contact point, and what does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.spatial.toothed_bodies import DEGREE, SpatialGear, SpatialRack, ToothedBody, ToothedSide
from alegear.errors import Fault
from alegear.system.coordinates import Array

#: nu_2 and nu_3 of the second body point to it as well, those of its own teeth away from it.
FACING = np.diag([1.0, -1.0, -1.0])
#: Sine of the angle by which axes, and part of the pitch radii by which centres, may be off: round-off of input.
FITS = 1e-6
#: Below this part of the sum of radii contact has no place: it is the same everywhere.
NOWHERE = 1e-9


#: Position p (3,) and rotation R (3, 3) of the frames of both bodies.
Positions = tuple[tuple[Array, Array], tuple[Array, Array]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Engagement:
    """Both sides of a mesh in their bodies, engaged as the bodies start.

    Attributes
    ----------
    sides : (ToothedSide, ToothedSide)
    pressure_angle : float [rad]
    """

    sides: tuple[ToothedSide, ToothedSide]
    pressure_angle: float


def engaged(mesh: str, gears: tuple[ToothedBody, ToothedBody], positions: Positions) -> Engagement:
    """Engage two toothed bodies.

    Parameters
    ----------
    mesh : str
    gears : (ToothedBody, ToothedBody)
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
        second, first = engaged(mesh, (two, one), (positions[1], positions[0])).sides
        return Engagement(sides=(_facing(first), _facing(second)), pressure_angle=one.pressure_angle)
    wheel = cast("SpatialGear", one)
    if two.pitch_radius:
        tried = [_Fit.of_wheels(wheel, cast("SpatialGear", other), positions) for other in (two, two.turned_over)]
    else:
        tried = [_Fit.with_rack(wheel, cast("SpatialRack", other), positions) for other in (two, two.turned_over)]
    fit = min(tried, key=lambda fit: fit.worst)
    if fit.worst > FITS:
        raise fit.fault(mesh)
    return Engagement(sides=fit.sides(positions), pressure_angle=one.pressure_angle)


def _facing(side: ToothedSide) -> ToothedSide:
    """A side that is the other one of its mesh."""
    return ToothedSide(
        point=side.point, radius=side.radius, axes=side.axes, triad=side.triad @ FACING, rolls=side.rolls
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Fit:
    """A wheel and what it meshes with, with one choice of the second e1.

    Attributes
    ----------
    gears : (ToothedBody, ToothedBody)
    axes : (shape (3, 3), shape (3, 3))
        e1, e2, e3 of both in space, one a column.
    contact : shape (3,) [m]
        Contact point in space.
    shaft_angle, needed_angle : float
        Cosines of the angle between both e1: there, and that the teeth need.
    off : shape (3,) [m]
        By how much the second is off the position that the teeth need.
    off_axis : float
        Sine of the angle by which its e1 is off.
    """

    gears: tuple[ToothedBody, ToothedBody]
    axes: tuple[Array, Array]
    contact: Array
    shaft_angle: float
    needed_angle: float
    off: Array
    off_axis: float

    @classmethod
    def with_rack(cls, wheel: SpatialGear, rack: SpatialRack, positions: Positions) -> _Fit:
        """The rack says where the wheel's e2 points."""
        centre, e1 = _in_space(wheel.centre, wheel.axis, positions[0])
        point, outwards = _in_space(rack.point, rack.outwards, positions[1])
        along = positions[1][1] @ np.asarray(rack.direction)
        eta = np.column_stack([np.cross(outwards, along), outwards, along])
        xi = eta @ _against(wheel, rack).T
        contact = centre + wheel.pitch_radius * xi[:, 1]
        return cls(
            gears=(wheel, rack),
            axes=(xi, eta),
            contact=contact,
            shaft_angle=float(eta[:, 0] @ e1),
            needed_angle=float(eta[:, 0] @ xi[:, 0]),
            off=((point - contact) @ outwards) * outwards,
            off_axis=float(np.linalg.norm(xi[:, 0] - e1)),
        )

    @classmethod
    def of_wheels(cls, first: SpatialGear, second: SpatialGear, positions: Positions) -> _Fit:
        """Where the first e2 points follows from the second centre.

        x_AB = (r_A - Z_22 r_B) e2 - r_B Z_12 e1 - r_B Z_32 e3 of the first, with Z of :func:`_against`.
        """
        (centre_A, xi_1), (centre_B, eta_1) = (
            _in_space(gear.centre, gear.axis, position)
            for gear, position in zip((first, second), positions, strict=True)
        )
        Z, r_A, r_B = _against(first, second), first.pitch_radius, second.pitch_radius
        between = centre_B - centre_A
        a, b = r_A - Z[1, 1] * r_B, r_B * Z[2, 1]
        y = between + r_B * Z[0, 1] * xi_1
        y = y - (y @ xi_1) * xi_1
        least = NOWHERE * (r_A + r_B)
        if float(np.hypot(a, b)) > least and float(np.linalg.norm(y)) > least:
            xi_2 = a * y + b * np.cross(xi_1, y)
        else:  # any: the centres are told to be off
            xi_2 = np.cross(xi_1, np.eye(3)[int(np.argmin(np.abs(xi_1)))])
        xi_2 = xi_2 / np.linalg.norm(xi_2)
        xi = np.column_stack([xi_1, xi_2, np.cross(xi_1, xi_2)])
        eta = xi @ Z
        return cls(
            gears=(first, second),
            axes=(xi, eta),
            contact=centre_A + r_A * xi_2,
            shaft_angle=float(xi_1 @ eta_1),
            needed_angle=float(Z[0, 0]),
            off=between - (r_A * xi_2 - r_B * eta[:, 1]),
            off_axis=float(np.linalg.norm(eta[:, 0] - eta_1)),
        )

    @property
    def size(self) -> float:
        """Sum of the pitch radii [m]."""
        return self.gears[0].pitch_radius + self.gears[1].pitch_radius

    @property
    def worst(self) -> float:
        """Largest of what is off, as sines and parts of the radii."""
        return max(self.off_axis, float(np.linalg.norm(self.off)) / self.size)

    def sides(self, positions: Positions) -> tuple[ToothedSide, ToothedSide]:
        """Both sides in their bodies."""
        one, two = (
            ToothedSide(
                point=R.T @ (self.contact - p) - gear.pitch_radius * (R.T @ axes[:, 1]),
                radius=gear.pitch_radius,
                axes=(R.T @ axes).T,
                triad=gear.triad @ facing,
                rolls=gear.rolls,
            )
            for gear, axes, (p, R), facing in zip(self.gears, self.axes, positions, (np.eye(3), FACING), strict=True)
        )
        return one, two

    def fault(self, mesh: str) -> Fault:
        """What is off, in words."""
        one, two = self.gears
        there, needed = (np.arccos(np.clip(c, -1.0, 1.0)) / DEGREE for c in (self.shaft_angle, self.needed_angle))
        if abs(self.shaft_angle - self.needed_angle) > FITS:
            limit = f"{needed:.6g} or {180.0 - needed:.6g} deg by cone and helix angles of {one.name} and {two.name}"
            return Fault(f"shaft angle of {mesh}", f"{there:.6g} deg", limit, "correct the angles, or turn an axis")
        distance = float(np.linalg.norm(self.off))
        if distance > FITS * self.size:
            what = f"position of {two.name} in {mesh}, off pitch contact with {one.name} by [mm]"
            small = FITS * distance  # round-off of what is none
            move = ", ".join(f"{-1e3 * d if abs(d) > small else 0.0:.6g}" for d in self.off)
            remedy = f"move {two.name} by ({move}) mm, or change a module or an angle"
            return Fault(what, f"{1e3 * distance:.6g}", "0", remedy)
        off = float(np.arcsin(min(self.off_axis, 1.0)) / DEGREE)
        limit = "0: both centres lie where the teeth do not cross like this"
        return Fault(f"axis of {two.name} in {mesh}, off by", f"{off:.6g} deg", limit, "mirror it, or a helix angle")


def _in_space(point: ArrayLike, direction: ArrayLike, position: tuple[Array, Array]) -> tuple[Array, Array]:
    p, R = position
    return p + R @ np.asarray(point, dtype=np.float64), R @ np.asarray(direction, dtype=np.float64)


def _against(first: ToothedBody, second: ToothedBody) -> Array:
    """Z (3, 3) with which e1, e2, e3 of the second are those of the first, one a column: both triads are one."""
    Z: Array = first.triad @ (second.triad @ FACING).T
    return Z


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
    eta = np.column_stack([e1, e2, np.cross(e1, e2)]) @ _against(first, second)
    centre = np.asarray(first.centre) + first.pitch_radius * e2 - second.pitch_radius * eta[:, 1]
    return centre, eta[:, 0]
