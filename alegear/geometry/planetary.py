"""Planetary gear sets by their tooth numbers: ratios, speeds, where planets can be mounted, phases of the meshes."""

from __future__ import annotations

from cmath import exp
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, degrees, floor, gcd, isfinite, pi
from typing import Annotated

from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import LARGEST_TOOTH_NUMBER
from alegear.limits import Limits, check_kind, check_type, described, float_of
from alegear.parameters import check_parameters

MOUNTING_ROUND_OFF = 1e-5
"""Angle [rad] by which a given pin may miss a possible position: drawings print them to 1e-3 degrees."""

RESULTANT_ROUND_OFF = 1e-12
"""Resultant of unit forces, over their number, that is round-off: their phases are fractions."""

MOST_PLANETS = 64
CENTRAL_GEARS = ("sun", "ring", "second_sun", "second_ring")

Speed = float | Fraction


def in_words(name: str) -> str:
    """The name of a member or a mesh as messages write it: ``"second ring"``."""
    return name.replace("_", " ")


def check_stationary_ratio(
    i0: float | Fraction, *, A: str = "A", C: str = "C", quantity: str = "stationary ratio"
) -> None:
    """Refuse a stationary ratio that no set has: ``i0 <= -1`` or ``i0 > 1`` is left.

    Parameters
    ----------
    i0 : float or Fraction
        ``(omega_A - omega_B)/(omega_C - omega_B)``, B the carrier.
    A, C : str
        What the message calls both shafts.
    quantity : str

    Raises
    ------
    Fault

    References
    ----------
    Pelchen, Schweiger, Otter (2002), definition 2.
    """
    check_kind(i0, quantity, (int, float, Fraction))
    value, limit = float_of(i0), "at most -1 or above 1"
    if -1.0 < value < 1.0 and value != 0.0:
        remedy = f"exchange the names of {A} and {C}, which makes it {1.0 / value:.9g}"
    elif value == 0.0:
        remedy = f"correct it: with 0 {A} would turn with the carrier, whatever {C} does"
    elif value == 1.0:
        remedy = f"correct it: with 1 {A} and {C} would turn alike, and the carrier be loose"
    elif not isfinite(value):
        limit, remedy = "a finite number", "correct it"
    else:
        return
    raise Fault(quantity, described(value), limit, remedy)


# ratios have any teeth; a gear that is cut has its own limit
TEETH = Limits(quantity="teeth", least=1, most=LARGEST_TOOTH_NUMBER, whole=True)
SUN, RING, SECOND_SUN, SECOND_RING = (
    replace(TEETH, quantity=f"teeth of the {in_words(gear)}", key=f"{gear}_teeth") for gear in CENTRAL_GEARS
)
PLANETS = Limits(
    quantity="number of planets",
    words="number of planets; of pairs where two mesh",
    key="planets",
    least=1,
    most=MOST_PLANETS,
    whole=True,
)
PIN_ANGLE = Limits(quantity="angle of a pin", key="pin_positions_deg", unit="deg", least=0.0, most=360.0, below=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetarySet:
    """Define a planetary set: two central gears, planets between them, a carrier with their pins.

    ``omega_A - omega_B = i0 (omega_C - omega_B)``, A and C the central gears, B the carrier. Of the central gears A is
    the one that turns faster against the carrier, the sun of a simple set, so that the magnitude of i0 is at least 1;
    where both are as fast, it is the first of :attr:`central`.

    Parameters
    ----------
    sun, ring : int or None
        Teeth of the central gears: both, or one of them with a second one of its kind.
    second_sun, second_ring : int or None
        Teeth of the other central gear, where both are external or both internal.
    planets : tuple of int
        Teeth of one planet gear, which meshes with both central gears; or of two, the first of which meshes with the
        first of ``central`` and the second with the second one.
    stepped : bool
        Two planet gears are on one pin and turn as one. False: they have a pin each and mesh with each other.
    n_planets : int
        Pins about the axis; with planets that mesh, pairs of pins.
    pin_angles : tuple of float, optional [rad]
        Where the pins are, from the first, about the axis. None: equally spaced.
    steps_alike : bool
        The steps of all planets stand to each other in one way, so that a planet fits only some pins. False: each is
        made for its pin, or nothing is known but the ratio.
    names : mapping of str to str
        What messages call the members: ``{"ring": "gear r1"}``; two planet gears are ``planet_1`` and ``planet_2``.

    Raises
    ------
    Fault
        For central gears that are not two, a stationary ratio of 1, a ring not larger than its planet, and pins at
        which a planet cannot be mounted.

    Notes
    -----
    A Ravigneaux set is two of these with the same ring, long planets and carrier: sun, long planet, ring; and the
    other sun, short and long planet, ring, with planets that mesh.
    Distances belong to :class:`~alegear.geometry.planetary_layout.PlanetaryLayout`, what the gears of one mesh ask of
    each other to :class:`~alegear.geometry.gear_pair.GearPair`.

    References
    ----------
    Pelchen, Schweiger, Otter (2002), equation 20, where internal teeth are counted negative. Conditions of mounting and
    phases of the meshes are derived here.

    Examples
    --------
    >>> PlanetarySet(sun=17, planets=(22,), ring=61, n_planets=3).i0
    Fraction(-61, 17)
    """

    sun: Annotated[int | None, SUN] = None
    ring: Annotated[int | None, RING] = None
    second_sun: Annotated[int | None, SECOND_SUN] = None
    second_ring: Annotated[int | None, SECOND_RING] = None
    planets: tuple[int, ...]
    stepped: bool = False
    n_planets: Annotated[int, PLANETS]
    pin_angles: tuple[float, ...] | None = None
    steps_alike: bool = True
    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_parameters(self)
        check_type(self, "steps_alike", bool)
        check_type(self, "names", Mapping)
        self._check_central()
        self._check_planets()
        if self.i0 == 1:
            raise Fault(
                "stationary ratio",
                1,
                "other than 1: both central gears turn alike, and the carrier is loose",
                f"change teeth of {self.called(self.central[0])} or {self.called(self.central[1])}",
            )
        self._check_rings()
        self._check_pins()

    @cached_property
    def central(self) -> tuple[str, str]:
        """Names of the central gears: that of the first planet gear, that of the last."""
        first, second = (name for name in CENTRAL_GEARS if getattr(self, name) is not None)
        return first, second

    @cached_property
    def A(self) -> str:
        """Name of central gear A."""
        first, second = self.central
        slower = abs(self._first_over_second) < 1
        return second if slower else first

    @cached_property
    def C(self) -> str:
        """Name of central gear C."""
        first, second = self.central
        return second if first == self.A else first

    @property
    def planet_names(self) -> tuple[str, ...]:
        """``("planet",)``; with two that have a pin each ``("planet_1", "planet_2")``."""
        return ("planet_1", "planet_2") if self.meshing else ("planet",)

    @property
    def members(self) -> tuple[str, ...]:
        """Names of everything that turns: central gears, carrier, planets."""
        return (*self.central, "carrier", *self.planet_names)

    @property
    def simple(self) -> bool:
        """Whether it has a sun, a ring and one planet gear between them."""
        return self.central == ("sun", "ring") and len(self.planets) == 1

    @property
    def meshing(self) -> bool:
        """Whether two planet gears mesh with each other."""
        return len(self.planets) == 2 and not self.stepped

    @property
    def i0(self) -> Fraction:
        """Stationary ratio (omega_A - omega_B)/(omega_C - omega_B): -z_ring/z_sun of a simple set."""
        ratio = self._first_over_second
        return ratio if self.central[0] == self.A else 1 / ratio

    @property
    def ratio(self) -> Fraction:
        """The ratio as Modelica counts it, -i0: (1 + ratio) omega_B = omega_A + ratio omega_C; z_ring/z_sun."""
        return -self.i0

    @cached_property
    def relative_speeds(self) -> dict[str, Fraction]:
        """Member -> its speed against the carrier over that of A: (omega - omega_B)/(omega_A - omega_B)."""
        first = self._mesh_ratio(0)  # of the first planet gear over the first central gear
        last = -first * Fraction(self.planets[0], self.planets[1]) if self.meshing else first
        per_first = {self.central[0]: Fraction(1), self.central[1]: 1 / self._first_over_second}
        per_first |= {"carrier": Fraction(0), self.planet_names[0]: first, self.planet_names[-1]: last}
        return {name: per_first[name] / per_first[self.A] for name in self.members}

    @property
    def ratios(self) -> dict[tuple[str, str], Fraction]:
        """(drives, is driven) -> speed of the one over that of the other, the third of A, B, C held: six of them."""
        relative, shafts = self.relative_speeds, (self.A, "carrier", self.C)
        found = {}
        for one in shafts:
            for other in shafts:
                if one != other:
                    (held,) = (name for name in shafts if name not in (one, other))
                    found[one, other] = (relative[one] - relative[held]) / (relative[other] - relative[held])
        return found

    def speeds(self, **given: Speed) -> dict[str, Speed]:
        """Return the speeds of all members from those of two: ``omega = omega_B + u (omega_A - omega_B)``.

        Parameters
        ----------
        **given : float or Fraction
            Speeds of two members by name, about the axis of the set, in one unit; fractions give fractions.

        Raises
        ------
        Fault
            For speeds that are not two, and of two members that always turn alike.
        """
        if len(given) != 2 or not set(given) <= set(self.members):
            names = ", ".join(self.members)
            raise Fault("speeds given", ", ".join(given) or "none", f"two of {names}", "give the speeds of two members")
        for name, value in given.items():
            check_kind(value, f"speed of {self.called(name)}", (int, float, Fraction))
        (one, first), (other, second) = given.items()
        u, v = self.relative_speeds[one], self.relative_speeds[other]
        if u == v:
            raise Fault("speeds given", f"{one}, {other}", "of members that can differ", "give that of another member")
        difference = (first - second) / (u - v)
        carrier = first - u * difference
        return {name: carrier + self.relative_speeds[name] * difference for name in self.members}

    @cached_property
    def least_mesh_angle(self) -> Fraction:
        """Least angle between two pins at which equal planets can be mounted [turns].

        ``g/|z_p2 s_1 z_1 - z_p1 s_2 z_2|`` of stepped planets, g the greatest common divisor of z_p1 and z_p2;
        ``1/|s_1 z_1 + s_2 z_2|`` of planets that mesh; ``1/|s_1 z_1 - s_2 z_2|`` of one planet gear, 1/(z_sun + z_ring)
        of a simple set. z_1, z_2: the central gears, s = 1 of a sun and -1 of a ring.

        With the central gears at rest a planet at psi is turned against the first one, each against its own radius, by
        chi with ``z_p chi = s z psi`` up to whole turns; the conditions of the meshes must agree.
        """
        (s_1, z_1), (s_2, z_2) = self.signed_teeth(0), self.signed_teeth(1)
        if self.meshing:
            step, teeth = 1, s_1 * z_1 + s_2 * z_2
        else:
            p_1, p_2 = self.planets[0], self.planets[-1]
            step, teeth = gcd(p_1, p_2), p_2 * s_1 * z_1 - p_1 * s_2 * z_2
        return Fraction(step, abs(teeth))  # not 0, which is a stationary ratio of 1

    @cached_property
    def pin_turns(self) -> tuple[Fraction, ...]:
        """Positions of the pins [turns], exactly: multiples of :attr:`least_mesh_angle`."""
        if self.pin_angles is None:
            return tuple(Fraction(i, self.n_planets) for i in range(self.n_planets))
        if self._fits_anywhere:
            return tuple(Fraction(float(angle) / (2.0 * pi)) for angle in self.pin_angles)
        return tuple(self._nearest(Fraction(float(angle) / (2.0 * pi))) for angle in self.pin_angles)

    @cached_property
    def planet_turns(self) -> tuple[tuple[Fraction, ...], ...]:
        """How each planet is mounted: its turn against its own radius, over that of the first [turns].

        Of a stepped planet, whose steps stand in one way to each other on every pin, there is one such angle but for
        turns by 1/gcd(z_p1, z_p2); of others, but for whole pitches. The smallest that is not negative is given.
        A row a pin: one angle, or two of planets that mesh.
        """
        return tuple(self._mounted(turn) for turn in self.pin_turns)

    def possible_pin_turns(self, n_planets: int | None = None) -> tuple[Fraction, ...]:
        """Return the possible positions next to equal spacing [turns], for so many planets."""
        count = self.n_planets if n_planets is None else n_planets
        return tuple(self._nearest(Fraction(i, count)) for i in range(count))

    def mesh_phases(self, forwards: bool = True) -> dict[str, tuple[Fraction, ...]]:
        """Return by how much each planet's meshes are ahead of the first planet's, in pitches, 0 to below 1.

        ``-d_A z_A psi/2 pi`` with A, ``-d_C z_C psi/2 pi`` with C, d the sense in which each turns against the carrier:
        in its frame the mesh at psi sees the central gear as the first one does where that has turned by psi less.
        With one planet gear, or two that mesh, both are the same by the mounting condition.

        Parameters
        ----------
        forwards : bool
            A turns against the carrier in the sense in which the angles of the pins count.

        References
        ----------
        Parker, Lin (2004): z_s psi/2 pi and -z_r psi/2 pi, both signs the other way for the other sense; derived anew.
        """
        sense_A = 1 if forwards else -1
        sense_C = sense_A if self.i0 > 0 else -sense_A
        return {
            name: tuple((-sense * getattr(self, name) * turn) % 1 for turn in self.pin_turns)
            for name, sense in ((self.A, sense_A), (self.C, sense_C))
        }

    def phase_on_a_planet(self, thickness: tuple[float, float] = (0.5, 0.5), *, A_drives: bool = True) -> float:
        """Return by how much a planet's mesh with C is ahead of that with A, in pitches.

        ``-(z_p -+ s_A -+ s_C)/2`` mod 1; the phase of a mesh is 0 with contact at the pitch point. A loads one flank of
        the planet's teeth and C the other, half a turn away; so without profile shift it is half a pitch for even tooth
        numbers and none for odd ones.

        Parameters
        ----------
        thickness : (float, float)
            Of the planet's teeth over the pitch, at its working pitch circles with A and with C.
        A_drives : bool
            In the frame of the carrier: minus signs; plus signs where C does.

        Raises
        ------
        Fault
            For sets other than simple ones.
        """
        if not self.simple:
            raise Fault("planet gears", len(self.planets), "one, between a sun and a ring", "ask a simple set")
        between_flanks = sum(thickness) if A_drives else -sum(thickness)
        return (-0.5 * (self.planets[0] - between_flanks)) % 1.0

    @property
    def phasing(self) -> str:
        """``"in phase"``: all meshes with A alike; ``"sequential"``: their first harmonics cancel; or ``"mixed"``.

        Source: Parker (2000), who calls tooth numbers that bring all meshes in phase factorising.
        """
        phases = self.mesh_phases()[self.A]
        if not any(phases):
            return "in phase"
        resultant = abs(sum(exp(2j * pi * float(phase)) for phase in phases))
        return "sequential" if resultant < RESULTANT_ROUND_OFF * len(phases) else "mixed"

    def excitation(self, harmonic: int) -> str:
        """Return what a harmonic of the mesh frequency excites: ``"torsion"``, ``"translation"`` or ``"planets"``.

        By ``k = harmonic z_A mod n``: with 0 forces add up about the axis, with 1 and n - 1 to a resultant across it;
        with others they cancel on the central gears, and planets alone move.

        Raises
        ------
        Fault
            For pins that are not equally spaced and for fewer than three.

        References
        ----------
        Parker (2000), J. Sound Vib. 236.
        """
        if not self.equally_spaced or self.n_planets < 3:
            spacing = "equal" if self.equally_spaced else "unequal"
            raise Fault(
                "pins", f"{self.n_planets}, spacing {spacing}", "three or more, equally spaced", "see mesh_phases"
            )
        k = (harmonic * getattr(self, self.A)) % self.n_planets
        return "torsion" if k == 0 else "translation" if k in (1, self.n_planets - 1) else "planets"

    @property
    def _fits_anywhere(self) -> bool:
        """Whether a planet can be mounted at any angle: its second step is made for it."""
        return self.stepped and not self.steps_alike

    @property
    def _first_over_second(self) -> Fraction:
        """Speed of the first central gear over that of the second, the carrier held."""
        between = -Fraction(self.planets[0], self.planets[1]) if self.meshing else Fraction(1)
        return self._mesh_ratio(1) / (self._mesh_ratio(0) * between)

    def _mesh_ratio(self, end: int) -> Fraction:
        """Speed of the planet gear over that of its central gear, the carrier held."""
        sign, teeth = self.signed_teeth(end)
        return Fraction(-sign * teeth, self.planets[-end])

    def signed_teeth(self, end: int) -> tuple[int, int]:
        """Sign (1 of a sun, -1 of a ring) and teeth of a central gear."""
        name = self.central[end]
        return (1 if name.endswith("sun") else -1), getattr(self, name)

    @property
    def equally_spaced(self) -> bool:
        """Whether the pins are."""
        return sorted(turn % 1 for turn in self.pin_turns) == [
            Fraction(i, self.n_planets) for i in range(self.n_planets)
        ]

    def _nearest(self, turn: Fraction) -> Fraction:
        """The possible position next to one [turns]."""
        return round(turn / self.least_mesh_angle) * self.least_mesh_angle

    def _mounted(self, turn: Fraction) -> tuple[Fraction, ...]:
        """Turns of the planet gears of a pin against its radius, see `planet_turns`."""
        (s_1, z_1), (s_2, z_2) = self.signed_teeth(0), self.signed_teeth(1)
        p_1, p_2 = self.planets[0], self.planets[-1]
        first, last = s_1 * z_1 * turn, s_2 * z_2 * turn
        if self.meshing:
            return (first % 1) / p_1, (last % 1) / p_2
        if self._fits_anywhere:
            return ((first % 1) / p_1,)
        for j in range(p_1):  # whole pitches of the first step, until the second step fits as well
            chi = (first + j) / p_1
            if (p_2 * chi - last).denominator == 1:
                return (chi % Fraction(1, gcd(p_1, p_2)),)
        raise AssertionError("pins were checked")  # pragma: no cover

    def called(self, member: str) -> str:
        """What messages call a member, or planet gear ``planet_1``, ``planet_2``."""
        return self.names.get(member, f"the {member.replace('_', ' ')}")

    def planet_called(self, planet: int) -> str:
        """What messages call a planet gear: 0 or 1."""
        if len(self.planets) == 1:
            return self.called("planet")
        return self.names.get(f"planet_{planet + 1}", ("the first planet gear", "the second planet gear")[planet])

    def _check_central(self) -> None:
        given = [n for n in CENTRAL_GEARS if getattr(self, n) is not None]
        if given not in (["sun", "ring"], ["sun", "second_sun"], ["ring", "second_ring"]):
            raise Fault(
                "central gears",
                ", ".join(given) or "none",
                "sun and ring, sun and second_sun, or ring and second_ring",
                "give the teeth of two central gears",
            )

    def _check_planets(self) -> None:
        check_type(self, "stepped", bool)
        planets = self.planets
        if not isinstance(planets, tuple) or len(planets) not in (1, 2):
            value = len(planets) if isinstance(planets, tuple) else described(planets)
            raise Fault("planet gears", value, "a tuple of one or two tooth numbers", "correct planets")
        for number, teeth in enumerate(planets):
            limits = replace(TEETH, quantity=f"teeth of {self.planet_called(number)}", key="planet_teeth")
            limits.check(teeth, f"PlanetarySet.planets[{number}]")
        if self.stepped and len(planets) == 1:
            raise Fault("stepped", True, "False with one planet gear", "give two tooth numbers of planets, or leave it")

    def _check_rings(self) -> None:
        if self.simple:
            ring, inside = self.signed_teeth(1)[1], self.signed_teeth(0)[1] + self.planets[0]
            if ring <= inside:
                raise Fault(
                    f"teeth of {self.called('ring')}",
                    ring,
                    f"above {inside}, those of {self.called('sun')} and {self.called('planet')}; z_sun + 2 z_planet "
                    "without profile shift",
                    f"increase the teeth of {self.called('ring')}",
                )
        for end, name in enumerate(self.central):
            teeth, planet = getattr(self, name), self.planets[-end]
            if not name.endswith("sun") and teeth <= planet:
                raise Fault(
                    f"teeth of {self.called(name)}",
                    teeth,
                    f"above the {planet} of {self.planet_called(-end % len(self.planets))}, which turns inside it",
                    f"increase the teeth of {self.called(name)}",
                )

    def _check_pins(self) -> None:
        least = self.least_mesh_angle
        if self.pin_angles is None:
            if not self._fits_anywhere and (Fraction(1, self.n_planets) / least).denominator != 1:
                raise self._unmountable()
            return
        if not isinstance(self.pin_angles, tuple) or len(self.pin_angles) != self.n_planets:
            raise Fault("pin_angles", described(self.pin_angles), f"{self.n_planets} angles in a tuple", "one a planet")
        for number, value in enumerate(self.pin_angles):
            PIN_ANGLE.check(value, f"PlanetarySet.pin_angles[{number}]")
        if self.pin_angles[0] != 0.0 or any(b <= a for a, b in pairwise(self.pin_angles)):
            shown = [round(degrees(value), 6) for value in self.pin_angles]
            raise Fault("angles of the pins [deg]", shown, "rising from 0", "count them from the first pin")
        for number, (value, turn) in enumerate(zip(self.pin_angles, self.pin_turns, strict=True)):
            if abs(value - 2.0 * pi * float(turn)) > MOUNTING_ROUND_OFF:
                below = floor(Fraction(value / (2.0 * pi)) / least) * least
                above = ceil(Fraction(value / (2.0 * pi)) / least) * least
                raise Fault(
                    f"angle of pin {number + 1} [deg]",
                    round(degrees(value), 6),
                    f"a multiple of {360.0 * float(least):.6g}, where teeth of {self.called(self.central[0])} and "
                    f"{self.called(self.central[1])} let a planet in",
                    f"give {360.0 * float(below):.6f} or {360.0 * float(above):.6f}",
                )

    def _unmountable(self) -> Fault:
        places = self.possible_pin_turns()
        positions = ", ".join(f"{360.0 * float(turn):.6f}" for turn in places)
        unequal = f"give pin_angles = [{positions}] deg" if len(set(places)) == len(places) else ""
        count = 1 / self.least_mesh_angle  # positions in a turn, a whole number
        fitting = [n for n in range(3, 13) if (Fraction(1, n) / self.least_mesh_angle).denominator == 1]
        nearest = " or ".join(str(n) for n in sorted(fitting, key=lambda n: abs(n - self.n_planets)))
        central = f"{self.called(self.central[0])} or {self.called(self.central[1])}"
        other = f"change teeth of {central}"
        return Fault(
            f"assembly condition {self._condition()}",
            f"{float(count):g}/{self.n_planets} = {float(count / self.n_planets):g}",
            "a whole number, where planets are equally spaced",
            ", or ".join(one for one in (f"take n_planets = {nearest}" * bool(nearest), unequal, other) if one),
        )

    def _condition(self) -> str:
        first, second = (f"z_{name}" for name in self.central)
        if self.meshing:
            sign = "+" if self.signed_teeth(0)[0] == self.signed_teeth(1)[0] else "-"
            return f"|{first} {sign} {second}|/n"
        sign = "-" if self.signed_teeth(0)[0] == self.signed_teeth(1)[0] else "+"
        if self.stepped:
            return f"|{first} z_p2 {sign} {second} z_p1|/(gcd(z_p1, z_p2) n)"
        return f"|{first} {sign} {second}|/n"
