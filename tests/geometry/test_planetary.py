"""Planetary sets by tooth numbers: published ratios, teeth counted one by one, and the sets that cannot be."""

from fractions import Fraction
from math import gcd, pi, radians

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import PlanetarySet, check_stationary_ratio

FVA = PlanetarySet(sun=17, planets=(22,), ring=61, n_planets=3)
"""Planetary stage of the sample files of the REXS API projects of FVA."""

STEPPED = PlanetarySet(sun=20, planets=(30, 18), ring=72, stepped=True, n_planets=4)
DOUBLE = PlanetarySet(sun=30, planets=(18, 20), ring=72, n_planets=3)
TWO_SUNS = PlanetarySet(sun=24, planets=(21, 20), second_sun=25, stepped=True, n_planets=1)
TWO_RINGS = PlanetarySet(ring=60, planets=(20, 19), second_ring=59, stepped=True, n_planets=1)
ALL = (FVA, STEPPED, DOUBLE, TWO_SUNS, TWO_RINGS)


class TestPublishedRatios:
    @pytest.mark.parametrize(
        ("teeth", "ratio"),
        [
            ((19, 17, 56, 3), 3.947),  # NREL 5 MW reference gearbox, stage 1 (Nejad et al. 2016)
            ((18, 36, 93, 3), 6.167),  # stage 2
            ((21, 39, 99, 3), 5.714),  # GRC 750 kW, stage 1
        ],
    )
    def test_ring_held(self, teeth: tuple[int, int, int, int], ratio: float) -> None:
        sun, planet, ring, n = teeth
        found = PlanetarySet(sun=sun, planets=(planet,), ring=ring, n_planets=n)
        assert float(found.ratios["sun", "carrier"]) == pytest.approx(ratio, abs=5e-4)  # last printed digit
        assert found.i0 == Fraction(-ring, sun)
        assert found.ratio == Fraction(ring, sun)

    @pytest.mark.parametrize(("sun", "planet", "ring", "n"), [(35, 19, 73, 4), (34, 28, 91, 5)])
    def test_zf_4hp22(self, sun: int, planet: int, ring: int, n: int) -> None:
        """Inferred tooth numbers, 73/35 = 2.0857 and 91/34 = 2.6765."""
        found = PlanetarySet(sun=sun, planets=(planet,), ring=ring, n_planets=n)
        assert found.ratio == Fraction(ring, sun)
        assert found.ratios["carrier", "ring"] == Fraction(ring, ring + sun)


def rolled(gears: PlanetarySet, speed_A: float, speed_B: float) -> dict[str, float]:
    """Speeds by rolling without slip: circles whose radii are tooth numbers, in planes of their own scale."""
    signed = [(1 if name.endswith("sun") else -1) * getattr(gears, name) for name in gears.central]
    # unknown: central 0, central 1, planet 0, planet 1 against the carrier; tooth after tooth passes both alike
    rows = [[signed[0], 0, gears.planets[0], 0], [0, signed[1], 0, gears.planets[-1]]]
    rows.append([0, 0, gears.planets[0], gears.planets[-1]] if gears.meshing else [0, 0, 1, -1])
    rows.append([float(gears.central[0] == gears.A), float(gears.central[1] == gears.A), 0, 0])
    found = np.linalg.solve(np.array(rows, float), [0, 0, 0, speed_A - speed_B]) + speed_B
    names = (*gears.central, gears.planet_names[0], gears.planet_names[-1])
    return dict(zip(names, found, strict=True)) | {"carrier": speed_B}


@pytest.mark.parametrize("gears", ALL)
def test_speeds_are_those_of_teeth_that_pass(gears: PlanetarySet) -> None:
    expected = rolled(gears, 3.7, -1.2)
    found = gears.speeds(**{gears.A: 3.7, "carrier": -1.2})
    for name in gears.members:
        assert found[name] == pytest.approx(expected[name], rel=1e-13)  # round-off of a 4 by 4 solve


@pytest.mark.parametrize("gears", ALL)
def test_any_two_speeds_give_all(gears: PlanetarySet) -> None:
    """In fractions, therefore to the last digit."""
    speeds = gears.speeds(**{gears.A: Fraction(7, 3), gears.C: Fraction(-2)})
    assert speeds[gears.A] - speeds["carrier"] == gears.i0 * (speeds[gears.C] - speeds["carrier"])
    for one in gears.members:
        for other in gears.members:
            if gears.relative_speeds[one] != gears.relative_speeds[other]:
                assert gears.speeds(**{one: speeds[one], other: speeds[other]}) == speeds


def test_ravigneaux() -> None:
    """Two sets with one ring, carrier and long planet: the long planet turns alike in both."""
    simple = PlanetarySet(sun=36, planets=(17,), ring=70, n_planets=2)
    double = PlanetarySet(sun=30, planets=(16, 17), ring=70, n_planets=2)
    shared = {"ring": Fraction(5, 3), "carrier": Fraction(-2)}
    assert simple.speeds(**shared)["planet"] == double.speeds(**shared)["planet_2"]
    assert (simple.i0, double.i0) == (-Fraction(70, 36), Fraction(70, 30))


@pytest.mark.parametrize("gears", ALL)
def test_ratios_are_speeds_with_the_third_held(gears: PlanetarySet) -> None:
    shafts = {gears.A, "carrier", gears.C}
    assert len(gears.ratios) == 6
    for (drives, driven), ratio in gears.ratios.items():
        (held,) = shafts - {drives, driven}
        speeds = gears.speeds(**{drives: Fraction(1), held: Fraction(0)})
        assert ratio == 1 / Fraction(speeds[driven])


def test_stationary_ratios() -> None:
    """Products of the ratios of the meshes, internal teeth negative (equation 20 of Pelchen et al.)."""
    assert STEPPED.i0 == -Fraction(30 * 72, 20 * 18)
    assert DOUBLE.i0 == Fraction(72, 30)
    assert TWO_SUNS.i0 == Fraction(21 * 25, 24 * 20)
    assert (TWO_RINGS.A, TWO_RINGS.i0) == ("ring", Fraction(20 * 59, 60 * 19))
    assert FVA.relative_speeds == {"sun": 1, "ring": Fraction(-17, 61), "carrier": 0, "planet": Fraction(-17, 22)}


def test_the_faster_central_gear_is_A() -> None:
    gears = PlanetarySet(sun=24, planets=(21, 20), second_sun=22, stepped=True, n_planets=1)
    assert (gears.A, gears.C) == ("second_sun", "sun")
    assert gears.i0 == Fraction(24 * 20, 21 * 22) > 1
    check_stationary_ratio(gears.i0)


def fits(gears: PlanetarySet, turn: Fraction) -> set[tuple[Fraction, ...]]:
    """How a planet can stand at a place [turns], the central gears at rest: all that it could, tried one by one.

    A tooth of each central gear lies on the first pin's radius; the first planet has spaces there.
    """
    signs = [1 if name.endswith("sun") else -1 for name in gears.central]
    z = [getattr(gears, name) for name in gears.central]
    p = (gears.planets[0], gears.planets[-1])
    # teeth that the radius of the pin has passed on a central gear are those that the planet has turned by, outwards
    # meshes the one way, inwards the other
    passed = [sign * teeth * turn for sign, teeth in zip(signs, z, strict=True)]
    places = [{(passed[i] + k) / p[i] % 1 for k in range(p[i])} for i in (0, 1)]
    if not gears.meshing:
        return {(chi,) for chi in places[0] & places[1]}
    return {(a, b) for a in places[0] for b in places[1] if (p[0] * a + p[1] * b).denominator == 1}


MOUNTED = (
    FVA,
    PlanetarySet(sun=20, planets=(30, 18), ring=72, stepped=True, n_planets=4),
    PlanetarySet(sun=30, planets=(18, 20), ring=72, n_planets=3),
    PlanetarySet(sun=20, planets=(30, 17), ring=72, stepped=True, n_planets=5),
    PlanetarySet(sun=12, planets=(16,), ring=44, n_planets=4),
    PlanetarySet(sun=14, planets=(15, 10), second_sun=20, stepped=True, n_planets=1),
    PlanetarySet(sun=10, planets=(12, 14), second_sun=16, n_planets=2),
    PlanetarySet(ring=41, planets=(12, 9), second_ring=40, stepped=True, n_planets=1),
)


@pytest.mark.parametrize("gears", MOUNTED)
def test_possible_positions_are_those_where_a_planet_fits(gears: PlanetarySet) -> None:
    """Places in steps of a quarter of the least angle: every fourth is one, and at no other does a planet fit."""
    step = gears.least_mesh_angle / 4
    for k in range(60):
        assert bool(fits(gears, k * step)) == (k % 4 == 0)


@pytest.mark.parametrize("gears", MOUNTED)
def test_planets_are_mounted_as_they_fit(gears: PlanetarySet) -> None:
    for turn, mounted in zip(gears.pin_turns, gears.planet_turns, strict=True):
        possible = fits(gears, turn)
        assert mounted in possible
        assert mounted == min(possible)
    assert set(gears.planet_turns[0]) == {Fraction(0)}


def test_known_conditions_of_mounting() -> None:
    assert FVA.least_mesh_angle == Fraction(1, 17 + 61)
    assert DOUBLE.least_mesh_angle == Fraction(1, 72 - 30)
    assert STEPPED.least_mesh_angle == Fraction(gcd(30, 18), 20 * 18 + 72 * 30)


def test_unequal_spacing() -> None:
    """17 + 61 = 78 teeth: four planets fit at 0, 19 or 20, 39, 58 or 59 seventy-eighths."""
    positions = FVA.possible_pin_turns(4)
    assert positions == tuple(Fraction(k, 78) for k in (0, 20, 39, 58))
    four = PlanetarySet(
        sun=17, planets=(22,), ring=61, n_planets=4, pin_angles=tuple(round(2.0 * pi * float(p), 6) for p in positions)
    )
    assert four.pin_turns == positions  # exact, from six decimals
    assert not four.equally_spaced
    assert four.phasing == "mixed"


def mesh_stage(gears: PlanetarySet, member: str, pin: int, angle: Fraction) -> Fraction:
    """Teeth of a central gear that have passed a pin, the central gear turned by an angle against the carrier."""
    return getattr(gears, member) * (angle - gears.pin_turns[pin])


@pytest.mark.parametrize("forwards", [True, False])
@pytest.mark.parametrize("gears", MOUNTED)
def test_phases_are_advances_of_the_meshes(gears: PlanetarySet, forwards: bool) -> None:
    """A mesh that is ahead by a phase is where the first one is after so many pitches."""
    turn_A = Fraction(1 if forwards else -1, 7)
    turn_C = turn_A / gears.i0
    phases = gears.mesh_phases(forwards)
    for member, turn in ((gears.A, turn_A), (gears.C, turn_C)):
        sense = 1 if turn > 0 else -1
        for pin, phase in enumerate(phases[member]):
            later = turn + sense * phase / getattr(gears, member)
            ahead = mesh_stage(gears, member, 0, later) - mesh_stage(gears, member, pin, turn)
            assert ahead.denominator == 1
            assert 0 <= phase < 1


@pytest.mark.parametrize("gears", [one for one in MOUNTED if not one.stepped])
def test_meshes_of_one_train_of_planets_are_ahead_alike(gears: PlanetarySet) -> None:
    phases = gears.mesh_phases()
    assert phases[gears.A] == phases[gears.C]


def test_phasing() -> None:
    """17 = 2 mod 3: sequential; 12 teeth over four planets: all in phase."""
    assert FVA.mesh_phases()["sun"] == (0, Fraction(1, 3), Fraction(2, 3))
    assert FVA.mesh_phases(forwards=False)["sun"] == (0, Fraction(2, 3), Fraction(1, 3))
    assert FVA.phasing == "sequential"
    assert PlanetarySet(sun=12, planets=(16,), ring=44, n_planets=4).phasing == "in phase"


@pytest.mark.parametrize(("sun", "ring", "n"), [(17, 61, 3), (18, 62, 4), (19, 61, 5), (20, 64, 7), (24, 60, 6)])
def test_excitation_is_what_forces_add_up_to(sun: int, ring: int, n: int) -> None:
    """Unit forces along the pressure lines of all meshes with the sun, in their phases, summed over a period."""
    gears = PlanetarySet(sun=sun, planets=((ring - sun) // 2,), ring=ring, n_planets=n)
    phases = np.array([float(phase) for phase in gears.mesh_phases()["sun"]])
    pins = 2.0 * pi * np.array([float(turn) for turn in gears.pin_turns])
    time = np.arange(64) / 64.0
    for harmonic in range(1, 2 * n + 1):
        force = np.cos(2.0 * pi * harmonic * (time[:, None] + phases))
        about = np.abs(force.sum(axis=1)).max()
        across = np.abs(force @ np.exp(1j * (pins + radians(20.0)))).max()
        found = "torsion" if about > 1e-9 * n else "translation" if across > 1e-9 * n else "planets"  # round-off
        assert gears.excitation(harmonic) == found


def flank_angles(teeth: int, thickness: float, side: int) -> np.ndarray:
    """Angles of all flanks of a side, of a planet with a tooth on the x axis."""
    return 2.0 * pi / teeth * (np.arange(teeth) + side * 0.5 * thickness)


@pytest.mark.parametrize("A_drives", [True, False])
@pytest.mark.parametrize("thickness", [(0.5, 0.5), (0.56, 0.41)])
@pytest.mark.parametrize("teeth", [22, 23])
def test_phase_on_a_planet_by_its_flanks(teeth: int, thickness: tuple[float, float], A_drives: bool) -> None:
    """A planet that turns forwards: the sun at pi pushes trailing flanks, the ring at 0 is pushed by leading ones."""
    gears = PlanetarySet(sun=17, planets=(teeth,), ring=17 + 2 * teeth, n_planets=2)
    trailing, leading = (-1, 1) if A_drives else (1, -1)
    at_sun = flank_angles(teeth, thickness[0], trailing)
    turned = pi - at_sun[0]  # a loaded flank on the pitch point with the sun
    at_ring = (
        (flank_angles(teeth, thickness[1], leading) + turned) * teeth / (2.0 * pi)
    )  # in pitches past the pitch point
    ahead = at_ring - gears.phase_on_a_planet(thickness, A_drives=A_drives)
    assert np.abs(ahead - np.round(ahead)).max() < 1e-12  # round-off of some 20 pitches
    if thickness == (0.5, 0.5):
        assert gears.phase_on_a_planet() == (0.5 if teeth % 2 == 0 else 0.0)


class TestSetsThatCannotBe:
    @pytest.mark.parametrize(
        ("numbers", "words"),
        [
            ({"sun": 18, "ring": 62}, "80/3 = 26.6667: must be a whole number"),
            (
                {"sun": 18, "ring": 62},
                "take n_planets = 4 or 5 or 8 or 10, or give pin_angles = [0.000000, 121.500000, 238.500000] deg, or",
            ),
            ({"ring": None}, "central gears = sun: must be sun and ring"),
            ({"second_sun": 20}, "central gears = sun, ring, second_sun: must be"),
            ({"ring": 39}, "teeth of the ring = 39: must be above 39"),
            ({"ring": 61.0}, "teeth of the ring (PlanetarySet.ring) = 61.0: must be a whole number"),
            ({"sun": 0}, "teeth of the sun = 0: must be at least 1"),
            ({"planets": 22}, "planet gears = 22: must be a tuple"),
            ({"planets": (22, 0)}, "teeth of the second planet gear = 0"),
            ({"stepped": True}, "stepped = True: must be False with one planet gear"),
            ({"n_planets": 0}, "number of planets = 0: must be at least 1"),
            ({"pin_angles": (0.0, 2.0)}, "pin_angles = a tuple: must be 3 angles"),
            ({"pin_angles": (0.0, 2.0, 1.0)}, "angles of the pins [deg]"),
            ({"pin_angles": (0.0, radians(120.0), radians(241.0))}, "give 240.000000 or 244.615385"),
            (
                {"ring": 30, "planets": (10, 40)},
                "the ring = 30: must be above the 40 of the second planet gear",
            ),
            ({"names": {"sun": "gear s1"}, "sun": 18, "ring": 62}, "change teeth of gear s1 or the ring"),
        ],
    )
    def test_is_named(self, numbers: dict[str, object], words: str) -> None:
        with pytest.raises(Fault) as caught:
            PlanetarySet(**{"sun": 17, "planets": (22,), "ring": 61, "n_planets": 3} | numbers)
        assert words in str(caught.value)

    def test_stationary_ratio_of_one(self) -> None:
        with pytest.raises(Fault, match="stationary ratio = 1"):
            PlanetarySet(sun=20, planets=(30, 45), second_sun=30, stepped=True, n_planets=1)

    def test_speeds_that_do_not_determine(self) -> None:
        with pytest.raises(Fault, match="must be two of sun, ring, carrier, planet"):
            FVA.speeds(sun=1.0)
        with pytest.raises(Fault, match="must be two of"):
            FVA.speeds(sun=1.0, arm=0.0)
        with pytest.raises(Fault, match="speed of the sun"):
            FVA.speeds(sun="fast", ring=0.0)

    def test_questions_to_other_sets(self) -> None:
        with pytest.raises(Fault, match="planet gears = 2"):
            DOUBLE.phase_on_a_planet()
        with pytest.raises(Fault, match="pins = 1, spacing equal"):
            TWO_SUNS.excitation(1)


@pytest.mark.parametrize("i0", [-1.0, -2.5, 1.5, Fraction(-61, 17), -1])
def test_stationary_ratios_that_are_allowed(i0: float | Fraction) -> None:
    check_stationary_ratio(i0)


@pytest.mark.parametrize(
    ("i0", "words"),
    [
        (0, "0: must be at most -1 or above 1; correct it: with 0 s would turn with the carrier"),
        (1, "with 1 s and r would turn alike"),
        (Fraction(1), "with 1 s and r would turn alike"),
        (0.5, "exchange the names of s and r, which makes it 2"),
        (-0.25, "exchange the names of s and r, which makes it -4"),
        (Fraction(-1, 4), "exchange the names of s and r, which makes it -4"),
        (float("nan"), "must be a finite number"),
        (float("inf"), "must be a finite number"),
        ("2", "= '2': must be a int or float or Fraction"),
    ],
)
def test_stationary_ratios_that_are_not(i0: object, words: str) -> None:
    with pytest.raises(Fault) as caught:
        check_stationary_ratio(i0, A="s", C="r")  # type: ignore[arg-type]
    assert words in str(caught.value)
