"""Roller and ball bearings as parts of a machine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import cos, inf, pi, sin
from typing import Annotated, ClassVar, Literal

import numpy as np

from alegear.drivetrain.bearing import DAMPING, Bearing, ShaftBearing
from alegear.drivetrain.bearing_defect import INNER, OUTER, ROLLER, BearingDefect, DefectShape, check_defect
from alegear.drivetrain.bearing_kinematics import RollingKinematics
from alegear.drivetrain.rolling import line_contact
from alegear.drivetrain.rolling import rolling_kernels as kernels
from alegear.drivetrain.rolling.element import RollingContacts, contacts_at, tables_of
from alegear.drivetrain.rolling.point_contact import PointContact, ball_in_groove
from alegear.errors import Fault
from alegear.limits import Limits, described
from alegear.parameters import SubTables, Words, check_parameters
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import DISPLACEMENTS, TURN, Array
from alegear.system.linear_elements import BearingLink
from alegear.system.model import SystemModel
from alegear.system.support import Support

#: Azimuths over a pitch of the rolling elements at which the stiffness of a loaded bearing is averaged.
AZIMUTHS = 8
#: Load of the element that carries most, of a radial force F on n of them: about 5 F/n (Stribeck).
STRIBECK = 5.0
STRAIGHT: Literal["straight"] = "straight"
LOGARITHMIC: Literal["logarithmic"] = "logarithmic"


def _length(quantity: str, key: str = "", words: str = "") -> Limits:
    return Limits(quantity=quantity, key=key, words=words, unit="mm", least=0.0, most=1e4, above=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class RollingBearing(ShaftBearing):
    """Rolling elements between the inner ring on a shaft and the outer ring in what holds it.

    Rings are rigid and follow their places; rolling elements have no mass and stand in a cage that follows by pure
    rolling.

    The diameter of one is D_w, that of the circle of their centres D_pw. By the radial internal clearance the inner
    ring moves from one side to the other; negative it is a preload. The azimuth of the first rolling element where both
    rings stand at 0 is from e1 of the shaft. A linear damper between the rings, by which impacts die away, has three or
    five numbers.

    Raises
    ------
    Fault
        For elements that have no room, defects wider than their ring, and a preload that alone presses rolling
        elements beyond the pressure of the static load rating.
    """

    rolls: ClassVar[bool] = True
    #: Word for a rolling element, and the pressure of the static load rating [Pa] (ISO 76).
    element: ClassVar[str]
    PRESSURE: ClassVar[float]

    count: int
    diameter: float
    damping: Annotated[Sequence[float], DAMPING] = (0.0, 0.0, 0.0)
    pitch_diameter: Annotated[float, _length("pitch diameter", words="diameter of the circle of their centres")]
    clearance: Annotated[
        float,
        Limits(quantity="radial clearance", words="radial internal clearance", unit="um", least=-1e4, most=1e4),
    ] = 0.0
    cage_angle: Annotated[
        float,
        Limits(
            quantity="angle of the cage",
            words="azimuth of the first rolling element at the start",
            unit="deg",
            least=-360,
            most=360,
        ),
    ] = 0.0
    defects: Annotated[Sequence[BearingDefect], SubTables(BearingDefect, "defects, one table each", 100)] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_room()
        damping = np.array(self.damping, dtype=np.float64)
        if damping.shape not in ((3,), (5,)) or not (damping >= 0.0).all() or damping.max() > Support.LARGEST_DAMPING:
            limit = f"three or five numbers between 0 and {Support.LARGEST_DAMPING:g}"
            raise Fault(f"damping of bearing {self.label}", damping.tolist(), limit, "correct damping_Ns_per_m")
        if not all(isinstance(one, BearingDefect) for one in self.defects):
            raise Fault(f"defects of bearing {self.label}", described(self.defects), "BearingDefect", "give a sequence")
        for defect in self.defects:
            check_defect(
                defect,
                self.name,
                count=self.count,
                diameter=self.diameter,
                races={OUTER: self._outer, INNER: self._inner},
            )
        self._check_preload()

    # ------------------------------------------------------------------ checks
    def _check_room(self) -> None:
        """Refuse rolling elements that touch each other, have no inner ring, or of which the rings hardly know."""
        if not self.clearance < 0.5 * self.diameter:
            limit = f"less than the radius of a {self.element}, {5e5 * self.diameter:.6g}"
            value = float(f"{1e6 * self.clearance:.6g}")
            raise Fault(
                f"radial clearance [um] of bearing {self.label}", value, limit, "check the unit of clearance_um"
            )
        least = self.diameter / sin(pi / self.count)
        if not self.pitch_diameter > least:
            limit = f"greater than {1e3 * least:.6g}: {self.count} {self.element}s side by side"
            what = f"pitch diameter [mm] of bearing {self.label}"
            raise Fault(
                what, float(f"{1e3 * self.pitch_diameter:.6g}"), limit, f"enlarge it, or take fewer {self.element}s"
            )

    def _check_preload(self) -> None:
        if self.clearance >= 0.0:
            return
        load = float(contacts_at(self.tables, np.zeros(kernels.N_Y))[3].max())
        pressure = self.pressure(load)
        if pressure > self.PRESSURE:
            limit = (
                f"at least what presses no {self.element} beyond {1e-6 * self.PRESSURE:g} MPa "
                f"(static load rating, ISO 76); here {load:.4g} N and {1e-6 * pressure:.4g} MPa each"
            )
            value = float(f"{1e6 * self.clearance:.6g}")
            raise Fault(f"radial clearance [um] of bearing {self.label}", value, limit, "enlarge clearance_um")

    # ---------------------------------------------------------------- geometry
    @property
    def alpha(self) -> float:
        """Nominal contact angle [rad]."""
        return 0.0

    @property
    def gamma(self) -> float:
        """``D_w cos(alpha)/D_pw``."""
        return self.diameter * cos(self.alpha) / self.pitch_diameter

    @property
    def _outer(self) -> float:
        return 0.5 * self.pitch_diameter * (1.0 + self.gamma)

    @property
    def _inner(self) -> float:
        return 0.5 * self.pitch_diameter * (1.0 - self.gamma)

    @cached_property
    def kinematics(self) -> RollingKinematics:
        """How cage and rolling elements turn."""
        return RollingKinematics(
            count=self.count,
            gamma=self.gamma,
            pitch_over_diameter=self.pitch_diameter / self.diameter,
            start=self.cage_angle,
        )

    def frequencies(self, inner: float, outer: float = 0.0) -> dict[str, float]:
        """Frequencies [Hz] of cage, passing elements and spin at speeds of the rings [rad/s]."""
        return self.kinematics.frequencies(inner, outer)

    @cached_property
    def shapes(self) -> tuple[tuple[BearingDefect, str, DefectShape], ...]:
        """Every defect with the ring against which it is felt and its shape; one of a roller is felt against both."""
        found = []
        for defect in self.defects:
            for ring in (OUTER, INNER) if defect.on == ROLLER else (defect.on,):
                race = self._outer if ring == OUTER else self._inner
                shape = DefectShape.of(
                    defect,
                    roller=0.5 * self.diameter,
                    race=race / cos(self.alpha),
                    surface=0.5 * self.diameter if defect.on == ROLLER else race,
                    inner=ring == INNER,
                )
                found.append((defect, ring, shape))
        return tuple(found)

    def _defect_rows(self) -> Array:
        """Defects as compiled code has them: the arc from a contact to the middle, by the angles of the rings."""
        kin, rows = self.kinematics, np.zeros((len(self.shapes), kernels.N_DEFECT))
        for row, (defect, ring, shape) in zip(rows, self.shapes, strict=True):
            if defect.on == ROLLER:
                half_turn = pi if ring == INNER else 0.0
                angles = (kin.spin, -kin.spin, 0.0, half_turn + defect.at, 0.5 * self.diameter)
                number = float((defect.roller or 1) - 1)
            else:
                of_ring = (0.0, 1.0) if ring == OUTER else (1.0, 0.0)
                by = (kin.by_inner - of_ring[0], kin.by_outer - of_ring[1])
                angles = (*by, 1.0, kin.start - defect.at, self._outer if ring == OUTER else self._inner)
                number = -1.0
            row[:] = [*angles, shape.half, shape.ramp, shape.depth, number]
        return rows

    def longest_step(self, inner: float, outer: float, parts: int) -> float:
        """Step [s] of which `parts` resolve the shortest ramp of a defect, and the pitch, at speeds [rad/s]."""
        rates = [abs(self.kinematics.by_inner * (inner - outer)) * self.count / (2.0 * pi)]
        for row in self._defect_rows():
            speed = abs(row[kernels.D_INNER] * inner + row[kernels.D_OUTER] * outer) * row[kernels.D_RADIUS]
            rates.append(speed / row[kernels.D_RAMP])
        fastest = max(rates)
        return 1.0 / (parts * fastest) if fastest > 0.0 else inf

    # ----------------------------------------------------------------- contact
    @abstractmethod
    def _numbers(self) -> dict[int, float]:
        """Entries of the numbers for compiled code that the kind of contact gives."""

    @property
    def _laminae(self) -> Array:
        return np.empty((0, 2))

    @abstractmethod
    def pressure(self, load: float) -> float:
        """Largest pressure [Pa] on the race where it is higher, under the load of one rolling element [N]."""

    @abstractmethod
    def approach(self, load: float) -> float:
        """Approach of the rings [m] under the load of one rolling element [N]."""

    @cached_property
    def tables(self) -> kernels.RollingBearingTables:
        """For compiled code."""
        kin, numbers = self.kinematics, np.zeros(kernels.N_NUMBERS)
        common = {
            kernels.COUNT: self.count,
            kernels.CAGE_START: kin.start,
            kernels.BY_INNER: kin.by_inner,
            kernels.BY_OUTER: kin.by_outer,
        }
        for index, value in (common | self._numbers()).items():
            numbers[index] = value
        return tables_of(numbers, self._laminae, self._defect_rows(), self.count)

    # ----------------------------------------------------------------- systems
    def add_to(self, builder: SystemBuilder) -> None:
        """Add the contacts, and the damper where there is one."""
        place, holder = self.places(builder)
        at, between = builder.between(place, holder)
        rows = np.zeros((kernels.N_Y, len(at)))
        rows[: len(DISPLACEMENTS)] = -between[: len(DISPLACEMENTS)]
        rows[kernels.INNER, np.searchsorted(at, place.coordinates)] = place.rows[TURN]
        rows[kernels.OUTER, np.searchsorted(at, holder.coordinates)] = holder.rows_along(place.axes)[TURN]
        used = np.flatnonzero(rows.any(axis=0))
        builder.element(
            RollingContacts(
                name=self.name,
                coordinates=at[used],
                rows=rows[:, used],
                tables=self.tables,
                closing_thickness=self._play(builder.scales.force),
            )
        )
        if np.any(self.damping):
            nothing, name = (0.0, 0.0, 0.0), f"{self.name} damper"
            BearingLink(name=name, place=self.place, to=self.holder, stiffness=nothing, damping=self.damping).add_to(
                builder
            )
            builder.owns(self.name, name)

    def _play(self, force: float) -> float:
        """Thickness [m] by which all rolling elements carry at once what a radial force [N] gives the first of them."""
        return max(0.5 * self.clearance, 0.0) + self.approach(STRIBECK * force / self.count)

    def on_springs(self, force: float) -> Bearing:
        """The linear bearing with the stiffness of all rolling elements under the load that a force gives the first."""
        overlap = self.approach(STRIBECK * force / self.count) + 0.5 * self.clearance
        pitch = 2.0 * pi / (self.count * self.kinematics.by_inner)
        y, mean = np.zeros(kernels.N_Y), np.zeros((5, 5))
        for part in range(AZIMUTHS):
            y[kernels.INNER] = pitch * part / AZIMUTHS
            mean += contacts_at(self.tables, y, overlap)[2][:5, :5] / AZIMUTHS
        return self._linear(mean)

    def linearised(self, model: SystemModel, x: Array) -> Bearing:
        """The linear bearing with the mean tangent in states x (m, n), rolling elements held where they are."""
        tangents = [contacts_at(self.tables, y)[2][:5, :5] for y in self.ring_motion(model, x)]
        return self._linear(np.mean(tangents, axis=0))

    def _linear(self, stiffness: Array) -> Bearing:
        return Bearing(
            name=self.name,
            shaft=self.shaft,
            at=self.at,
            to=self.to,
            to_at=self.to_at,
            stiffness=0.5 * (stiffness + stiffness.T),
            damping=self.damping,
        )

    # ----------------------------------------------------------------- results
    def ring_motion(self, model: SystemModel, x: Array) -> Array:
        """Displacements and tilts of the inner ring against the outer one, and angles of both, in states x (m, n)."""
        element = next(one for one in model.elements if one.name == self.name)
        assert isinstance(element, RollingContacts)
        y: Array = x[:, element.coordinates] @ element.rows.T
        return y

    def roller_values(self, model: SystemModel, x: Array) -> dict[str, Array]:
        """Motions of its rings, angle of its cage, largest load of a rolling element, in states x (m, n)."""
        y = self.ring_motion(model, x)
        inner, outer = y[:, kernels.INNER], y[:, kernels.OUTER]
        return {
            "ring_displacement": y[:, : kernels.TILT_X],
            "ring_tilt": y[:, kernels.TILT_X : kernels.INNER],
            "ring_angle": y[:, kernels.INNER :],
            "cage_angle": self.kinematics.cage_angle(inner, outer),
            "largest_roller_load": self.roller_loads(y).max(axis=1, initial=0.0),
        }

    def carried(self, model: SystemModel, x: Array, v: Array) -> Array:
        """Force and moment (m, 5) of the shaft on it: of all contacts, and of the damper."""
        force = np.array([contacts_at(self.tables, y)[1][:5] for y in self.ring_motion(model, x)]).reshape(-1, 5)
        for part in model.parts:
            if model.owner(part.name) == self.name:
                force = force + v[:, part.coordinates] @ part.rows.T @ part.damping
        return force

    def passages(self, time: Array, ring_angle: Array) -> Array:
        """Times [s] at which a rolling element is at the middle of a defect, or that of a rolling element at a race.

        Parameters
        ----------
        time : shape (m,) [s]
            So close that a defect is passed once between two of them at most.
        ring_angle : shape (m, 2) [rad]
            Of inner and outer ring, as results have them.
        """
        found = [np.empty(0)]
        for row in self._defect_rows():
            elements = np.arange(self.count) if row[kernels.D_NUMBER] < 0.0 else row[[kernels.D_NUMBER]]
            azimuth = 2.0 * pi * elements / self.count
            angle = ring_angle @ row[[kernels.D_INNER, kernels.D_OUTER]] + row[kernels.D_OFFSET]
            turns = (angle[:, None] + row[kernels.D_AZIMUTH] * azimuth) / (2.0 * pi)
            whole = np.floor(turns)
            i, j = np.nonzero(whole[1:] != whole[:-1])
            passed = np.maximum(whole[i, j], whole[i + 1, j])
            share = (passed - turns[i, j]) / (turns[i + 1, j] - turns[i, j])
            found.append(time[i] + share * (time[i + 1] - time[i]))
        return np.sort(np.concatenate(found))

    def roller_loads(self, ring_motion: Array) -> Array:
        """Normal load of every rolling element [N], (m, count), by motions of the rings (m, 7), as results have them.

        Rows are displacements x, y, z [m] and tilts [rad] of the inner ring against the outer one, and the angles of
        inner and outer ring [rad].
        """
        given = np.asarray(ring_motion, dtype=np.float64).reshape(-1, kernels.N_Y)
        return np.array([contacts_at(self.tables, np.ascontiguousarray(y))[3] for y in given]).reshape(-1, self.count)


@dataclass(frozen=True, kw_only=True, eq=False)
class RollerBearing(RollingBearing):
    """A cylindrical roller bearing.

    Line contact in laminae, of which ISO/TS 16281 asks for 30; rings are free along the axis. Its logarithmic profile
    is that of ISO/TS 16281 for lengths up to 2.5 diameters.

    Raises
    ------
    Fault
    """

    element: ClassVar[str] = "roller"
    PRESSURE: ClassVar[float] = 4000e6

    count: Annotated[
        int,
        Limits(quantity="rollers", key="rollers", words="number of cylindrical rollers", least=4, most=500, whole=True),
    ]
    diameter: Annotated[float, _length("diameter of the rollers", "roller_diameter_mm", "diameter of a roller")]
    length: Annotated[
        float, _length("effective length of the rollers", "roller_length_mm", "effective length of a roller")
    ]
    profile: Annotated[Literal["straight", "logarithmic"], Words("profile of a roller")] = STRAIGHT
    laminae: Annotated[
        int,
        Limits(quantity="laminae of a roller", words="laminae along a roller", least=1, most=1000, whole=True),
    ] = 30

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.profile == LOGARITHMIC and self.length > line_contact.LONGEST * self.diameter:
            limit = f'at most {line_contact.LONGEST:g} diameters with profile = "{LOGARITHMIC}"'
            value = float(f"{1e3 * self.length:.6g}")
            raise Fault(f"roller_length_mm of bearing {self.label}", value, limit, f'write profile = "{STRAIGHT}"')
        super().__post_init__()

    def _numbers(self) -> dict[int, float]:
        factor = line_contact.line_constant(self.length) / self.laminae
        return {kernels.RADIAL: -0.5 * self.clearance, kernels.ARM: -1.0, kernels.FACTOR: factor}

    @property
    def roller_length(self) -> float:
        """Effective length [m]."""
        return self.length

    @property
    def _laminae(self) -> Array:
        z, gap = line_contact.lamina_positions(self.length, self.laminae), np.zeros(self.laminae)
        if self.profile == LOGARITHMIC:
            gap = 2.0 * line_contact.profile_depth(z, self.diameter, self.length)
        return np.ascontiguousarray(np.stack([z, gap], axis=1))

    def pressure(self, load: float) -> float:
        """Largest pressure [Pa] on the inner race, of a load [N] that is even along the roller."""
        return line_contact.line_pressure(load, self.length, 2.0 / self.diameter + 1.0 / self._inner)

    def approach(self, load: float) -> float:
        """Approach of the rings [m] under the load of a straight roller [N]."""
        return float((load / line_contact.line_constant(self.length)) ** (1.0 / line_contact.POWER))


@dataclass(frozen=True, kw_only=True, eq=False)
class BallBearing(RollingBearing):
    """A deep-groove or an angular-contact ball bearing of one row.

    Point contact on the loaded contact angle. That of the unloaded bearing without clearance is given, 0: deep grooves,
    that hold in both directions; negative: it holds the shaft against displacement opposite to its direction. A
    clearance is what the rings have beyond it in the radial direction as they are mounted.

    Raises
    ------
    Fault
    """

    element: ClassVar[str] = "ball"
    PRESSURE: ClassVar[float] = 4200e6
    #: Radii of the grooves over the diameter of a ball for which ISO 281 gives load ratings.
    GROOVES: ClassVar[tuple[float, float]] = (0.52, 0.53)

    count: Annotated[int, Limits(quantity="balls", key="balls", words="number of balls", least=4, most=500, whole=True)]
    diameter: Annotated[float, _length("diameter of the balls", "ball_diameter_mm", "diameter of a ball")]
    contact_angle: Annotated[
        float,
        Limits(
            quantity="contact angle",
            words="contact angle, positive holds the shaft along its direction,",
            unit="deg",
            least=-60.0,
            most=60.0,
        ),
    ] = 0.0
    inner_groove: Annotated[
        float | None,
        _length(
            "radius of the inner groove",
            "inner_groove_radius_mm",
            "radius of the groove of the inner ring (0.52 diameters)",
        ),
    ] = None
    outer_groove: Annotated[
        float | None,
        _length(
            "radius of the outer groove",
            "outer_groove_radius_mm",
            "radius of the groove of the outer ring (0.53 diameters)",
        ),
    ] = None

    def __post_init__(self) -> None:
        check_parameters(self)
        for which, radius in zip(("inner", "outer"), self.grooves, strict=True):
            if not 0.5 * self.diameter < radius < self.diameter:
                of_ball = f"{5e2 * self.diameter:.6g} and {1e3 * self.diameter:.6g}"
                limit = f"between the radius and the diameter of a ball, {of_ball}"
                what = f"{which}_groove_radius_mm of bearing {self.label}"
                raise Fault(what, float(f"{1e3 * radius:.6g}"), limit, "use 0.52 to 0.53 diameters")
        widest = 2.0 * self.grooves_apart * cos(self.contact_angle)
        if not self.clearance < widest:
            limit = f"less than {1e6 * widest:.6g}, where a ball does not touch its grooves"
            raise Fault(f"clearance_um of bearing {self.label}", 1e6 * self.clearance, limit, "check the unit")
        super().__post_init__()

    @property
    def alpha(self) -> float:
        """Nominal contact angle [rad]."""
        return abs(self.contact_angle)

    @property
    def grooves(self) -> tuple[float, float]:
        """Radii of the inner and the outer groove [m]."""
        inner, outer = (own * self.diameter for own in self.GROOVES)
        return self.inner_groove or inner, self.outer_groove or outer

    @property
    def grooves_apart(self) -> float:
        """A: how far the centres of both grooves are apart where a ball just touches [m]."""
        return sum(self.grooves) - self.diameter

    @cached_property
    def contacts(self) -> tuple[PointContact, PointContact]:
        """Of a ball with the inner and the outer race."""
        inner, outer = self.grooves
        return (
            ball_in_groove(self.diameter, self.gamma, inner, inner=True),
            ball_in_groove(self.diameter, self.gamma, outer, inner=False),
        )

    @property
    def point_constant(self) -> float:
        """c_P = (k_i + k_o)^(-3/2) [N/m^(3/2)], of the approach over Q^(2/3) of both contacts."""
        return sum(one.softness for one in self.contacts) ** -1.5

    def _numbers(self) -> dict[int, float]:
        apart, inner_groove = self.grooves_apart, self.grooves[0]
        return {
            kernels.POINTS: 1.0,
            kernels.RADIAL: apart * cos(self.contact_angle) - 0.5 * self.clearance,
            kernels.AXIAL: apart * sin(self.contact_angle),
            kernels.ALONG: 1.0,
            kernels.ARM: 0.5 * self.pitch_diameter + (inner_groove - 0.5 * self.diameter) * cos(self.alpha),
            kernels.GROOVES: apart,
            kernels.FACTOR: self.point_constant,
        }

    def pressure(self, load: float) -> float:
        """Largest pressure [Pa], on the inner race."""
        return max(one.pressure(load) for one in self.contacts)

    def approach(self, load: float) -> float:
        """Approach of the rings [m] along the line of contact."""
        return float((load / self.point_constant) ** (2.0 / 3.0))
