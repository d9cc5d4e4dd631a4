r"""Toothed wheels and racks of any kind as rigid joints see them: a contact point and a triad of the teeth there.

A wheel has an axis e1 and, from its centre towards the contact point, e2; e3 = e1 x e2. Where it has rolled by psi
against the frame in which contact stays, e2 and e3 of contact have turned back by psi in the wheel. With the cone angle
gamma and the helix angle beta the teeth lie along

.. math::
    [\nu_1\; \nu_2\; \nu_3] = [e_1\; e_2\; e_3]
    \begin{bmatrix} \cos\gamma\cos\beta & -\sin\gamma & -\cos\gamma\sin\beta \\
                    \sin\gamma\cos\beta & \cos\gamma & -\sin\gamma\sin\beta \\
                    \sin\beta & 0 & \cos\beta \end{bmatrix}

nu_1 along the tooth, nu_2 out of it, nu_3 across its flanks. A cone of 0 is a cylinder, of 180 degrees an internal
gear; it is positive where the radius grows along e1. A helix is right-handed where its teeth turn on about e1 as they
go along it: beta is the helix angle, and its negative beyond a cone of 90 degrees, where nu_1 points back along e1. A
rack is a wheel without end: e3 is its pitch line, psi a length.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from math import cos, pi, radians, sin
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import ANY, Numbers, Words
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.machine_part import MachinePart

DEGREE = radians(1.0)
MODULE = Limits(quantity="normal module", unit="mm", least=0.01, most=1e6)
Pressure = Annotated[float, Limits(quantity="normal pressure angle", unit="deg", least=5.0, most=45.0)]
HELIX = Limits(quantity="helix angle", unit="deg", least=-89.5, most=89.5)
POSITION = Limits(quantity="position", unit="mm", least=-1e9, most=1e9)
BODY = Words("name of its body")
PRESSURE_ANGLE = radians(20.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class ToothedSide:
    """What is the same for all points of one toothed side.

    Attributes
    ----------
    point : shape (3,) [m]
        From the origin of the body's frame to the wheel's centre, or to the contact point of a rack at psi = 0.
    radius : float [m]
        0 of a rack.
    axes : shape (3, 3)
        e1, e2, e3 at psi = 0 in the body's frame, one a row.
    triad : shape (3, 3)
        nu_1, nu_2, nu_3 by e1, e2, e3, one a column; pointing from the first body of a mesh to the second.
    rolls : float
        Displacement of the material along nu_3 by psi [m/rad; 1 for a rack].
    """

    point: Array
    radius: float
    axes: Array
    triad: Array
    rolls: float

    def at(self, psi: float) -> tuple[Array, Array, Array, Array]:
        """Contact point a, its change -da/dpsi = t, dt/dpsi, and e1, e2, e3 (rows), all in the body's frame."""
        e1, e2, e3 = self.axes
        if not self.radius:
            return self.point - psi * e3, e3, np.zeros(3), self.axes
        out, along = cos(psi) * e2 - sin(psi) * e3, sin(psi) * e2 + cos(psi) * e3
        r = self.radius
        return self.point + r * out, r * along, r * out, np.array([e1, out, along])

    @property
    def spins(self) -> Array:
        """Axis about which the contact frame turns back in the body by psi, (3,): none of a rack."""
        axis: Array = self.axes[0] if self.radius else np.zeros(3)
        return axis


class ToothedBody(MachinePart):
    """What has teeth, on a body."""

    in_space: ClassVar[bool] = True

    body: str  # fields of the classes below
    normal_module: float
    pressure_angle: float
    helix_angle: float

    @property
    @abstractmethod
    def triad(self) -> Array:
        """Directions along the tooth, out of it and across its flanks, columns of axial, radial, tangential parts."""

    @property
    @abstractmethod
    def pitch_radius(self) -> float:
        """At which it rolls [m]; 0 of a rack."""

    @property
    @abstractmethod
    def n_teeth(self) -> int | None:
        """Number of teeth; None of a rack."""

    @property
    @abstractmethod
    def outline(self) -> dict[str, object]:
        """Numbers that pictures draw it by, besides its body and its module."""

    @property
    @abstractmethod
    def rolls(self) -> float:
        """Displacement of its teeth along nu_3 by its roll [m/rad; 1 for a rack]."""

    @property
    @abstractmethod
    def turned_over(self) -> ToothedBody:
        """The same body described with the opposite e1."""

    def add_to(self, builder: SystemBuilder) -> None:
        """Add nothing: its mesh does."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SpatialGear(ToothedBody):
    """A wheel of any kind on a body.

    Axis and centre are in the frame of its body; the module at the middle of the face makes the pitch radius there,
    ``m_n z/(2 cos beta)``.

    Raises
    ------
    Fault

    Notes
    -----
    Source of the geometry: Cardona, Int. J. Numer. Methods Eng. 40 (1997) 357, equations 6 to 9; his sign of the
    condition of rolling is that of wheels turning in the same sense about their own axes, and his helix angle that of
    left-handed teeth, of internal ones right-handed.
    """

    TABLE: ClassVar[str] = "spatial_gears"

    body: Annotated[str, BODY]
    teeth: Annotated[
        int, Limits(quantity="teeth", words="number of teeth, of a worm its starts", least=1, most=100_000, whole=True)
    ]
    normal_module: Annotated[float, replace(MODULE, words="normal module at the middle of the face")]
    pressure_angle: Pressure = PRESSURE_ANGLE
    cone_angle: Annotated[
        float,
        Limits(
            quantity="cone angle",
            words="cone angle, positive where the radius grows along the axis,",
            unit="deg",
            least=-180.0,
            most=180.0,
        ),
    ] = 0.0
    helix_angle: Annotated[
        float, replace(HELIX, words="helix angle, positive right-handed; of a worm 90 less its lead angle,")
    ] = 0.0
    internal: Annotated[bool, Words("whether its teeth point inwards")] = False
    axis: Annotated[ArrayLike, Numbers("direction of its axis in the frame of its body", ANY, 3, 3)] = (0.0, 0.0, 1.0)
    centre: Annotated[ArrayLike, Numbers("middle of its face on the axis in the frame of its body", POSITION, 3, 3)] = (
        0.0,
        0.0,
        0.0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.internal and self.cone_angle:
            limit = "0 of an internal gear: it is a cylinder"
            raise Fault(f"cone angle of {self.label} [deg]", f"{self.cone_angle / DEGREE:g}", limit, "leave it out")
        for what in ("axis", "centre"):
            object.__setattr__(self, what, vector_of(self.label, what, getattr(self, what), nonzero=what == "axis"))

    @property
    def triad(self) -> Array:
        """Directions along the tooth, out of it and across its flanks, columns of axial, radial, tangential parts."""
        return _triad(pi if self.internal else self.cone_angle, self.helix_angle)

    @property
    def pitch_radius(self) -> float:
        """m_n z/(2 cos beta) [m]."""
        return self.rolls / cos(self.helix_angle)

    @property
    def n_teeth(self) -> int:
        """Number of teeth."""
        return self.teeth

    @property
    def outline(self) -> dict[str, object]:
        """Centre and axis in the frame of the body, pitch radius, cone and helix angle, teeth."""
        return {
            "helix_angle": self.helix_angle,
            "centre": np.asarray(self.centre).tolist(),
            "axis": np.asarray(self.axis).tolist(),
            "pitch_radius": self.pitch_radius,
            "cone_angle": self.cone_angle,
            "teeth": self.teeth,
            "internal": self.internal,
        }

    @property
    def rolls(self) -> float:
        """m_n z/2 [m/rad]."""
        return 0.5 * self.normal_module * self.teeth

    @property
    def turned_over(self) -> SpatialGear:
        """The same wheel seen from its other end."""
        return replace(self, axis=-np.asarray(self.axis), cone_angle=-self.cone_angle)


@dataclass(frozen=True, kw_only=True, eq=False)
class SpatialRack(ToothedBody):
    """A rack on a body.

    Direction, outwards and point are in the frame of its body; its helix angle is that of the teeth against the normal
    of direction and outwards, positive right-handed.
    """

    TABLE: ClassVar[str] = "spatial_racks"

    body: Annotated[str, BODY]
    normal_module: Annotated[float, MODULE]
    pressure_angle: Pressure = PRESSURE_ANGLE
    helix_angle: Annotated[float, HELIX] = 0.0
    direction: Annotated[ArrayLike, Numbers("direction of its pitch line in the frame of its body", ANY, 3, 3)] = (
        1.0,
        0.0,
        0.0,
    )
    outwards: Annotated[
        ArrayLike, Numbers("direction out of its teeth, across the pitch line, likewise", ANY, 3, 3)
    ] = (0.0, 1.0, 0.0)
    point: Annotated[ArrayLike, Numbers("a point of its pitch plane in the frame of its body", POSITION, 3, 3)] = (
        0.0,
        0.0,
        0.0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("direction", "outwards", "point"):
            found = vector_of(self.label, what, getattr(self, what), nonzero=what != "point")
            object.__setattr__(self, what, found)
        slant = float(np.asarray(self.direction) @ np.asarray(self.outwards))
        if abs(slant) > 1e-9:
            angle = f"{np.arccos(np.clip(slant, -1.0, 1.0)) / DEGREE:.6g} deg"
            raise Fault(f"angle of outwards and direction of {self.label}", angle, "90 deg", "correct one of them")

    @property
    def triad(self) -> Array:
        """Directions along the tooth, out of it and across its flanks, columns of axial, radial, tangential parts."""
        return _triad(0.0, self.helix_angle)

    @property
    def pitch_radius(self) -> float:
        """Zero: a rack has no pitch radius [m]."""
        return 0.0

    @property
    def n_teeth(self) -> None:
        """It has no number of teeth."""
        return

    @property
    def outline(self) -> dict[str, object]:
        """Point, direction and what is outwards, in the frame of the body, and the helix angle."""
        found: dict[str, object] = {
            what: np.asarray(getattr(self, what)).tolist() for what in ("point", "direction", "outwards")
        }
        return {"helix_angle": self.helix_angle, **found}

    @property
    def rolls(self) -> float:
        """cos beta."""
        return cos(self.helix_angle)

    @property
    def turned_over(self) -> SpatialRack:
        """The same rack with the opposite direction."""
        return replace(self, direction=-np.asarray(self.direction))


def vector_of(name: str, what: str, given: ArrayLike, *, nonzero: bool) -> Array:
    """Three numbers, made a unit vector where they are a direction."""
    vector = np.asarray(given, dtype=np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all() or (nonzero and not vector.any()):
        limit = "three numbers, not all zero" if nonzero else "three numbers"
        raise Fault(f"{what} of {name}", np.array2string(vector), limit, "correct it")
    if not nonzero:
        return vector
    vector = vector / np.abs(vector).max()  # the squares of the smallest and of the largest numbers are none
    return vector / np.linalg.norm(vector)


def _triad(cone: float, helix: float) -> Array:
    c, s, cb, sb = cos(cone), sin(cone), cos(helix), sin(helix) if cos(cone) >= 0.0 else -sin(helix)
    return np.array([[c * cb, -s, -c * sb], [s * cb, c, -s * sb], [sb, 0.0, cb]])
