"""Phases between the meshes of a planet: against flanks of teeth that are put where they touch."""

from __future__ import annotations

from math import acos, cos, pi, radians, remainder, tan

import numpy as np
import pytest
from scipy.optimize import brentq

from alegear.errors import Fault
from alegear.geometry import BasicRack, Gear
from alegear.geometry.involute import inv
from alegear.geometry.planetary_phases import pitches_from_pitch_points, shared_planets, touching_teeth
from alegear.geometry.planetary_teeth import BETWEEN_PLANETS, PlanetaryTeeth

MODULE, ALPHA = 4e-3, radians(20.0)
RACK = BasicRack(root_radius_factor=0.2)
ROUND_OFF = 1e-9  # of a pitch: angles by roots of the profile's spline parameter


def cut(z: int, x: float = 0.0) -> Gear:
    return Gear(z=z, x=x, m_n=MODULE, rack=RACK, b=30e-3, bore_diameter=0.3 * z * MODULE)


def flank_point(gear: Gear, r: float) -> complex:
    """The point of a tooth's flank at a radius, the centre line of the tooth on the real axis, Im > 0."""
    profile = gear.tooth_profile

    def beyond(s: float) -> float:
        return float(np.hypot(*profile.points(s))) - r

    x, y = profile.points(brentq(beyond, profile.s_at_roll_length(profile.roll_length_form), profile.s_tip)).tolist()
    return complex(x, abs(y))


def centre_line(gear: Gear, pitch_point: complex, pushed: complex) -> float:
    """Where the tooth stands about the origin of which the flank that faces against `pushed` is at the pitch point.

    Its material is ahead of the flank, along the push.
    """
    half = abs(np.angle(flank_point(gear, abs(pitch_point))))
    ahead = 1.0 if (pushed / (1j * pitch_point)).real > 0.0 else -1.0
    return float(np.angle(pitch_point) + ahead * half)


def simple(sun: int, planet: int, n: int, x: float, sums: tuple[float, float] = (0.0, 0.0)) -> PlanetaryTeeth:
    """A set whose profile shifts add up to `sums`, that of sun and planet and that of planet and ring, by choice."""
    ring = sun + 2 * planet
    given = {
        "sun": sun,
        "ring": ring,
        "planets": (planet,),
        "n_planets": n,
        "m_n": MODULE,
        "profile_shifts": {"planet": x},
    }
    if not any(sums):
        return PlanetaryTeeth(**given)
    alpha_w = brentq(lambda a: inv(a) - inv(ALPHA) - 2.0 * tan(ALPHA) * sums[0] / (sun + planet), 0.2, 0.6)
    a_w = 0.5 * MODULE * (sun + planet) * cos(ALPHA) / cos(alpha_w)
    tips = {"sun": MODULE * (sun + 2.4), "planet": MODULE * (planet + 2 + 2 * x), "ring": MODULE * (ring - 1.4)}
    return PlanetaryTeeth(**given, a_w=(a_w,), tip_diameters=tips)


SETS = {
    "even planet": simple(20, 22, 3, 0.0),
    "odd planet": simple(21, 39, 3, 0.0),
    "thick planet": simple(17, 22, 3, 0.31),
    "thin planet": simple(24, 21, 3, -0.2),
    "shifted set": simple(21, 39, 3, 0.35, (0.6, 0.0)),
}


def working_radii(teeth: PlanetaryTeeth) -> tuple[float, float, float]:
    """Centre distance and working radii of the planet with sun and ring, by tooth numbers."""
    (p,), a = teeth.planets, teeth.pin_radii["planet"]
    return a, a * p / (teeth.sun + p), a * p / (teeth.ring - p)


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("name", SETS)
def test_a_planet_between_sun_and_ring(name: str, sense: float) -> None:
    """The sun pushes the planet at the one pitch point, the planet the ring at the other: both by places of flanks."""
    teeth = SETS[name]
    gear = cut(teeth.planets[0], teeth.profile_shifts["planet"])
    _, with_sun, with_ring = working_radii(teeth)
    # about the planet's axis, the sun to the left; the planet turns against the sun, and its flank pushes the ring
    at_sun = centre_line(gear, complex(-with_sun), sense * 1j)
    at_ring = centre_line(gear, complex(with_ring), sense * 1j)  # material behind the flank, which pushes along -1j
    expected = (at_sun - at_ring) * gear.z / (2.0 * pi)
    found = pitches_from_pitch_points(teeth, touching_teeth(teeth, {"sun": sense, "ring": -sense}))
    assert found["sun"] == 0.0
    assert remainder(found["ring"] - expected, 1.0) == pytest.approx(0.0, abs=ROUND_OFF)


@pytest.mark.parametrize("name", SETS)
def test_the_phase_that_a_planetary_set_tells(name: str) -> None:
    """In the sense in which the teeth pass, from the thickness at both working circles over the pitch there."""
    teeth = SETS[name]
    gear, (_, with_sun, with_ring) = cut(teeth.planets[0], teeth.profile_shifts["planet"]), working_radii(teeth)
    thickness = tuple(float(np.angle(flank_point(gear, r))) * gear.z / pi for r in (with_sun, with_ring))
    (branch,) = teeth.branches
    for sense in (1.0, -1.0):
        found = pitches_from_pitch_points(teeth, touching_teeth(teeth, {"sun": sense, "ring": -sense}))["ring"]
        ahead = branch.gears.phase_on_a_planet(thickness if branch.gears.A == "sun" else thickness[::-1])
        assert remainder(-sense * found - ahead, 1.0) == pytest.approx(0.0, abs=ROUND_OFF)


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("shifts", [(0.0, 0.0), (0.2, -0.2)])
def test_planets_that_mesh(sense: float, shifts: tuple[float, float]) -> None:
    """From the flank that the sun pushes to the one that pushes the other planet, and from there to the ring's."""
    teeth = PlanetaryTeeth(
        sun=30, planets=(16, 17), ring=70, n_planets=2, m_n=MODULE,
        profile_shifts=dict(zip(("planet_1", "planet_2"), shifts, strict=True)),
        tip_diameters={"ring": MODULE * 68.6},
    )  # fmt: skip
    first, second = (cut(z, x) for z, x in zip(teeth.planets, shifts, strict=True))
    r_1, r_2 = teeth.pin_radii.values()
    a = 0.5 * MODULE * sum(teeth.planets)
    lead = acos((r_1**2 + r_2**2 - a**2) / (2.0 * r_1 * r_2))
    centres = complex(r_1), r_2 * np.exp(1j * lead)
    # the sun, to the left of the first planet, pushes it along +1j; what it pushes is about its own axis
    stands_1 = centre_line(first, complex(-0.5 * MODULE * first.z), sense * 1j)
    # teeth of the first planet cross the line of action, on which all contacts lie: through the pitch point, at alpha
    # to the tangent there, towards where the planet pushes the other one
    e = (centres[1] - centres[0]) / a
    turns = -sense  # of the first planet
    force = turns * 1j * e * np.exp(-1j * turns * ALPHA)
    pitch_point = centres[0] + 0.5 * MODULE * first.z * e

    def ahead(r: float, stands: float) -> complex:
        """A point of the flank that is ahead as the first planet turns."""
        point = flank_point(first, r)
        return centres[0] + (point if turns > 0.0 else point.conjugate()) * np.exp(1j * stands)

    def off(r: float, stands: float) -> float:
        return float(((ahead(r, stands) - pitch_point) / force).imag)

    # a tooth that crosses the line where the flank of the second planet reaches
    low, high = 0.5 * first.d_Ff * (1.0 + 1e-9), 0.5 * first.d_a * (1.0 - 1e-9)  # the roots lie between
    crossings = [
        ahead(brentq(off, low, high, args=(stands,)), stands)
        for stands in stands_1 + 2.0 * pi / first.z * np.arange(first.z)
        if off(low, stands) * off(high, stands) < 0.0
    ]
    touch = next(one for one in crossings if second.d_Ff < 2.0 * abs(one - centres[1]) < second.d_a)
    # the flank of the second planet is there too, and its tooth ahead of it along the push
    seen = touch - centres[1]
    stands_2 = centre_line(second, seen, force)
    at_ring = centre_line(second, 0.5 * MODULE * second.z * np.exp(1j * lead), -sense * 1j * np.exp(1j * lead))
    expected = (stands_2 - at_ring) * second.z / (2.0 * pi)

    sides = {"sun": sense, BETWEEN_PLANETS: -sense, "ring": sense}
    found = pitches_from_pitch_points(teeth, touching_teeth(teeth, sides))
    assert remainder(found["ring"] - expected, 1.0) == pytest.approx(0.0, abs=ROUND_OFF)
    # how far both planets are from the pitch point, by the way of the contact along the line of action
    way = float(((touch - pitch_point) / force).real) / (pi * MODULE * cos(ALPHA))
    assert remainder(found[BETWEEN_PLANETS] - turns * way, 1.0) == pytest.approx(0.0, abs=ROUND_OFF)


def test_what_says_nothing_is_left_out() -> None:
    stepped = PlanetaryTeeth(sun=20, planets=(30, 18), ring=68, stepped=True, n_planets=2, m_n=2e-3)
    assert shared_planets(stepped) == ()
    assert touching_teeth(stepped, {"sun": 1.0, "ring": -1.0}) == {"sun": {}, "ring": {}}
    assert pitches_from_pitch_points(stepped, {"sun": {}, "ring": {}}) == {"sun": 0.0, "ring": 0.0}
    wolfrom = PlanetaryTeeth(sun=20, ring=60, second_ring=59, planets=(20, 19), stepped=True, n_planets=1, m_n=2e-3)
    assert shared_planets(wolfrom) == ("planet_1",)


def test_what_is_refused() -> None:
    given = {"sun": 21, "ring": 99, "planets": (39,), "n_planets": 3}
    with pytest.raises(Fault, match="gear in profile_shifts = 'planet_1': must be one of sun, ring, planet"):
        PlanetaryTeeth(**given, m_n=MODULE, profile_shifts={"planet_1": 0.1})
    with pytest.raises(Fault, match="profile shift"):
        PlanetaryTeeth(**given, m_n=MODULE, profile_shifts={"planet": 5.0})
    with pytest.raises(Fault, match="profile_shifts = given: must be left out without m_n"):
        PlanetaryTeeth(**given, profile_shifts={"planet": 0.1})
    unknown = PlanetaryTeeth(**given, m_n=MODULE, a_w=(0.121,))
    with pytest.raises(Fault, match="profile shift of the planet = not given: must be given"):
        touching_teeth(unknown, {"sun": 1.0, "ring": -1.0})
