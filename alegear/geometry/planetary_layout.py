"""Planetary gear sets in space: centre distances that lead to one circle of pins, planets that do not touch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import acos, cos, degrees, inf, pi, radians, sin, sqrt, tan
from typing import Annotated

from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import LARGEST_HELIX_ANGLE, MODULE
from alegear.geometry.gear_pair import CENTRE_DISTANCE
from alegear.geometry.involute import inv, transverse_pressure_angle
from alegear.geometry.planetary import PlanetarySet
from alegear.limits import Limits, check_type, described
from alegear.parameters import check_parameters

CENTRE_DISTANCE_ROUND_OFF = 1e-6
"""Part of a centre distance by which two meshes of one pin may differ: what drawings print."""

LEAST_WORKING_PRESSURE_ANGLE = radians(10.0)
LARGEST_WORKING_PRESSURE_ANGLE = radians(35.0)
"""Between them profile shifts can bring a mesh to its centre distance: 14 to 30 degrees are in use."""

SECOND_MODULE = replace(MODULE, quantity="normal module of the second step", key="second_module_mm")
HELIX_ANGLE = Limits(
    quantity="magnitude of the helix angle", key="helix_angle_deg", unit="deg", least=0.0, most=LARGEST_HELIX_ANGLE
)
PRESSURE_ANGLE = Limits(quantity="normal pressure angle", key="pressure_angle_deg", unit="deg", least=10.0, most=35.0)
TIP_DIAMETER = Limits(quantity="tip diameter", key="tip_diameters", unit="mm", least=0.01, most=1e5)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetaryLayout:
    """Place the gears of a planetary set about its axis.

    Its meshes in their order: the first of ``gears.central`` with its planet gear, [planet gears with each other,] the
    last planet gear with the second of ``gears.central``.

    Parameters
    ----------
    gears : PlanetarySet
    m_n : float [m]
        Normal module.
    second_m_n : float or None [m]
        Of the second step of stepped planets. None: as `m_n`.
    beta : float [rad]
        Magnitude of the helix angle.
    alpha_n : float [rad]
        Normal pressure angle.
    a_w : tuple of float, optional [m]
        Working centre distances of the meshes, which profile shifts bring about. None: those without profile shift.
    tip_diameters : tuple of float, optional [m]
        Of the planet gears. None: two modules over the reference circle; with `a_w` the working pitch circle in the
        mesh with the central gear, beyond which tips reach in any case.

    Raises
    ------
    Fault
        For meshes that do not lead to one circle of pins, working pressure angles out of range, planets of neighbouring
        pins that touch, and planet gears that reach a central gear with which they do not mesh.

    Examples
    --------
    >>> layout = PlanetaryLayout(gears=PlanetarySet(sun=17, planets=(22,), ring=61, n_planets=3), m_n=4e-3)
    >>> round(1e3 * layout.pin_radii[0], 9)
    78.0
    """

    gears: PlanetarySet
    m_n: Annotated[float, MODULE]
    second_m_n: Annotated[float | None, SECOND_MODULE] = None
    beta: Annotated[float, HELIX_ANGLE] = 0.0
    alpha_n: Annotated[float, PRESSURE_ANGLE] = radians(20.0)
    a_w: tuple[float, ...] | None = None
    tip_diameters: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_type(self, "gears", PlanetarySet)
        check_parameters(self)
        self._check_given()
        if self.gears.meshing:
            self._check_triangle()
        else:
            self._check_coaxial()
        self._check_pressure_angles()
        self._check_neighbours()
        if self.gears.meshing:
            self._check_other_central_gear(planet=1, end=0)
            self._check_other_central_gear(planet=0, end=1)

    @property
    def alpha_t(self) -> float:
        """Transverse pressure angle [rad]."""
        return transverse_pressure_angle(self.alpha_n, self.beta)

    @property
    def sums_of_teeth(self) -> tuple[int, ...]:
        """z_1 + z_2 mesh by mesh, the teeth of a ring negative."""
        gears = self.gears
        ends = [gears.planets[-end] + sign * z for end, (sign, z) in enumerate(map(gears.signed_teeth, (0, 1)))]
        return (ends[0], sum(gears.planets), ends[1]) if gears.meshing else (ends[0], ends[1])

    @property
    def reference_distances(self) -> tuple[float, ...]:
        """Centre distances without profile shift [m]: ``m_t |z_1 + z_2|/2``."""
        last = len(self.sums_of_teeth) - 1
        return tuple(0.5 * self._m_t(i == last) * abs(z) for i, z in enumerate(self.sums_of_teeth))

    @property
    def centre_distances(self) -> tuple[float, ...]:
        """Working centre distances [m]."""
        return self.reference_distances if self.a_w is None else self.a_w

    @property
    def working_pressure_angles(self) -> tuple[float, ...]:
        """Working transverse pressure angles [rad]: ``cos alpha_wt = a cos alpha_t/a_w``."""
        pairs = zip(self.reference_distances, self.centre_distances, strict=True)
        return tuple(acos(min(1.0, reference * cos(self.alpha_t) / working)) for reference, working in pairs)

    @property
    def profile_shift_sums(self) -> tuple[float, ...]:
        """Sums x_1 + x_2 that the centre distances ask for, without backlash.

        ``(inv alpha_wt - inv alpha_t) (z_1 + z_2)/(2 tan alpha_n)``. A ring counts as in ISO 21771: its teeth are
        negative, and so is a shift away from its axis.
        """
        angles = zip(self.working_pressure_angles, self.sums_of_teeth, strict=True)
        return tuple((inv(angle) - inv(self.alpha_t)) * z / (2.0 * tan(self.alpha_n)) for angle, z in angles)

    @property
    def pin_radii(self) -> tuple[float, ...]:
        """Radii of the circles of pins [m]: one, or two where planet gears have a pin each."""
        return (
            (self.centre_distances[0], self.centre_distances[-1]) if self.gears.meshing else self.centre_distances[:1]
        )

    @property
    def pin_lead(self) -> float:
        """Angle from the first to the second pin of planet gears that mesh [rad]; 0 where there is one pin."""
        if not self.gears.meshing:
            return 0.0
        first, between, last = self.centre_distances
        return acos((first * first + last * last - between * between) / (2.0 * first * last))

    @property
    def tip_radii(self) -> tuple[float, ...]:
        """Tip radii of the planet gears [m], see `tip_diameters`."""
        if self.tip_diameters is not None:
            return tuple(0.5 * d_a for d_a in self.tip_diameters)
        planets = self.gears.planets
        if self.a_w is None:
            return tuple(self._m_t(i == 1) * (0.5 * z + cos(self.beta)) for i, z in enumerate(planets))
        return tuple(self.a_w[-i] * z / abs(self.sums_of_teeth[-i]) for i, z in enumerate(planets))

    @cached_property
    def planet_clearance(self) -> float:
        """Least gap between tip circles of planets of neighbouring pins [m]; infinite for one planet."""
        return min((distance - reach for distance, reach, _ in self._neighbours()), default=inf)

    def _m_t(self, second_step: bool) -> float:
        return (self.second_m_n if second_step and self.second_m_n is not None else self.m_n) / cos(self.beta)

    def _neighbours(self) -> list[tuple[float, float, tuple[int, int]]]:
        """Distance of axes and sum of tip radii [m] of planet gears (numbers) on a pin and on the next."""
        if self.gears.n_planets == 1:
            return []
        turns = [*self.gears.pin_turns, self.gears.pin_turns[0] + 1]
        count = len(self.gears.planets)
        found = []
        apart = [2.0 * pi * float(b - a) for a, b in pairwise(turns)]
        for angle, one, other in product(apart, range(count), range(count)):
            if self.gears.stepped and one != other:
                continue  # the steps lie in planes apart
            reach = self.tip_radii[one] + self.tip_radii[other]
            found.append((self._distance(one, other, angle), reach, (one, other)))
        return found

    def _distance(self, one: int, other: int, angle: float) -> float:
        """Between the axis of a planet gear and that of one whose pins are so far ahead [m]."""
        radii, lead = self.pin_radii, (0.0, self.pin_lead)
        if not self.gears.meshing:
            return 2.0 * radii[0] * sin(0.5 * min(angle, 2.0 * pi - angle))
        r, s = radii[one], radii[other]
        return sqrt(r * r + s * s - 2.0 * r * s * cos(angle + lead[other] - lead[one]))

    def _called(self, mesh: int) -> str:
        """What messages call a mesh."""
        gears = self.gears
        planets = [gears.planet_called(i) for i in range(len(gears.planets))]
        if gears.meshing and mesh == 1:
            return f"{planets[0]} and {planets[1]}"
        end = 0 if mesh == 0 else 1
        return f"{planets[-end]} and {gears.called(gears.central[end])}"

    def _check_given(self) -> None:
        if self.second_m_n is not None and not self.gears.stepped:
            raise Fault("second_m_n", self.second_m_n, "left out unless planets are stepped", "leave out second_m_n")
        for name, count, limits, what in (
            ("a_w", len(self.sums_of_teeth), CENTRE_DISTANCE, "meshes"),
            ("tip_diameters", len(self.gears.planets), TIP_DIAMETER, "planet gears"),
        ):
            given = getattr(self, name)
            if given is None:
                continue
            if not isinstance(given, tuple) or len(given) != count or None in given:
                value = described(given) if not isinstance(given, tuple) else f"{len(given)} in a tuple"
                raise Fault(
                    f"PlanetaryLayout.{name}", value, f"{count} numbers in a tuple", f"give {name} of all {what}"
                )
            for number, value in enumerate(given):
                limits.check(value, f"PlanetaryLayout.{name}[{number}]")

    def _check_coaxial(self) -> None:
        """Refuse meshes whose centre distances do not lead to one circle of pins."""
        first, last = self.centre_distances
        if abs(first - last) <= CENTRE_DISTANCE_ROUND_OFF * max(first, last):
            return
        shifted = ", or give a_w, which profile shifts bring about" if self.a_w is None else ""
        raise Fault(
            f"centre distance of {self._called(1)}{' without profile shift' if shifted else ''} [mm]",
            round(1e3 * last, 6),
            f"that of {self._called(0)}, {1e3 * first:.9g}",
            f"{self._coaxial_remedy() if shifted else 'correct a_w'}{shifted}",
        )

    def _coaxial_remedy(self) -> str:
        gears = self.gears
        first, second = (gears.called(name) for name in gears.central)
        if gears.simple and gears.sun is not None:
            return f"give {second} {gears.sun + 2 * gears.planets[0]} teeth, z_sun + 2 z_planet"
        return f"change teeth of {first}, {second} or of the planets"

    def _check_triangle(self) -> None:
        """Refuse planet gears that cannot mesh with each other and with the central gears."""
        first, between, last = self.centre_distances
        if not abs(first - last) < between < first + last:
            raise Fault(
                f"centre distance of {self._called(1)} [mm]",
                round(1e3 * between, 6),
                f"between {1e3 * abs(first - last):.6g} and {1e3 * (first + last):.6g}, as the others ask",
                "change teeth of the planets",
            )

    def _check_pressure_angles(self) -> None:
        least, most = LEAST_WORKING_PRESSURE_ANGLE, LARGEST_WORKING_PRESSURE_ANGLE
        for mesh, (angle, reference) in enumerate(
            zip(self.working_pressure_angles, self.reference_distances, strict=True)
        ):
            if self.a_w is not None and not least <= angle <= most:
                base = 1e3 * reference * cos(self.alpha_t)
                raise Fault(
                    f"centre distance of {self._called(mesh)} [mm]",
                    round(1e3 * self.centre_distances[mesh], 6),
                    f"{base / cos(least):.6g} to {base / cos(most):.6g}, for working pressure angles of "
                    f"{degrees(least):g} to {degrees(most):g} deg",
                    "correct a_w, or change their teeth",
                )

    def _check_neighbours(self) -> None:
        for distance, reach, (one, other) in self._neighbours():
            if reach >= distance:
                gears, fitting = self.gears, self._fitting_number(reach)
                fewer = f"take n_planets = {fitting}" if fitting else "take fewer planets"
                raise Fault(
                    f"sum of the tip radii of {gears.planet_called(one)} and, on the next pin, "
                    f"{gears.planet_called(other)} [mm]",
                    round(1e3 * reach, 6),
                    f"less than the distance of their axes, {1e3 * distance:.9g}",
                    f"{fewer}, planets of fewer teeth, or pins further apart",
                )

    def _fitting_number(self, reach: float) -> int:
        """The most equally spaced planets on one circle that can be mounted and do not touch; 0 if unknown."""
        gears = self.gears
        if gears.meshing or gears.pin_angles is not None:
            return 0
        for number in range(gears.n_planets - 1, 1, -1):
            mounted = (Fraction(1, number) / gears.least_mesh_angle).denominator == 1
            if mounted and self._distance(0, 0, 2.0 * pi / number) > reach:
                return number
        return 1

    def _check_other_central_gear(self, *, planet: int, end: int) -> None:
        """Refuse a planet gear that reaches the central gear with which the other one meshes.

        The tip of the central gear counts as that without profile shift.
        """
        sign, teeth = self.gears.signed_teeth(end)
        tip = self.m_n * (0.5 * teeth / cos(self.beta) + sign)
        reach = self.pin_radii[planet] - sign * self.tip_radii[planet]
        if sign * (reach - tip) <= 0.0:
            gears = self.gears
            raise Fault(
                f"{'least' if sign > 0 else 'largest'} radius that {gears.planet_called(planet)} reaches [mm]",
                round(1e3 * reach, 6),
                f"{'above' if sign > 0 else 'below'} the tip radius {1e3 * tip:.9g} of "
                f"{gears.called(gears.central[end])}, with which it does not mesh",
                "change teeth of the planets",
            )
