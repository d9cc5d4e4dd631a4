"""Planetary sets in space: KISSsoft's reports, gears put into pairs, distances by coordinates."""

from dataclasses import replace
from math import cos, hypot, pi, radians, sin

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import Gear, GearPair, PlanetaryLayout, PlanetarySet

FVA = PlanetarySet(sun=17, planets=(22,), ring=61, n_planets=3)

NREL_1 = PlanetaryLayout(
    gears=PlanetarySet(sun=19, planets=(17,), ring=56, n_planets=3),
    m_n=45e-3,
    a_w=(863e-3, 863e-3),
    tip_diameters=(905.470e-3,),
)
NREL_2 = PlanetaryLayout(
    gears=PlanetarySet(sun=18, planets=(36,), ring=93, n_planets=3),
    m_n=21e-3,
    a_w=(584e-3, 584e-3),
    tip_diameters=(815.663e-3,),
)


def double(**changes: object) -> PlanetaryLayout:
    gears = PlanetarySet(sun=30, planets=(18, 20), ring=84, n_planets=3)
    return PlanetaryLayout(**{"gears": gears, "m_n": 2e-3} | changes)


class TestPublishedFigures:
    """KISSsoft 03/2017A reports of the NREL 5 MW reference gearbox (gfsReboucas/Drivetrain, NREL_5MW)."""

    @pytest.mark.parametrize(
        ("layout", "alpha_wt", "shifts"),
        [
            (NREL_1, (28.118, 17.161), (0.6170 + 0.8021, 0.8021 - 0.5013)),
            (NREL_2, (24.169, 15.630), (0.3890 + 0.5039, 0.5039 + 0.1171)),
        ],
    )
    def test_working_pressure_angles_and_shifts(self, layout, alpha_wt, shifts) -> None:
        np.testing.assert_allclose(np.degrees(layout.working_pressure_angles), alpha_wt, atol=6e-4)  # last digit
        np.testing.assert_allclose(layout.profile_shift_sums, shifts, atol=2e-4)  # four digits of each

    def test_fva_planetary_stage(self) -> None:
        """Sample file of the REXS API projects: z 17/22/61, m_n 4 mm, a 78 mm, three planets."""
        layout = PlanetaryLayout(gears=FVA, m_n=4e-3)
        assert layout.pin_radii == (pytest.approx(78e-3, rel=1e-15),)  # round-off
        assert layout.profile_shift_sums == (0.0, 0.0)
        # 2 * 78 sin 60 deg - 4 (22 + 2) mm
        assert layout.planet_clearance == pytest.approx(156e-3 * sin(pi / 3.0) - 96e-3, rel=1e-13)  # round-off


def test_profile_shifts_make_a_pair_without_backlash() -> None:
    total = NREL_2.profile_shift_sums[0]
    sun, planet = (
        Gear(z=z, m_n=21e-3, x=x, b=0.5, bore_diameter=0.1, tip_alteration_factor=-0.1)
        for z, x in ((18, 0.4), (36, total - 0.4))
    )
    assert GearPair(pinion=sun, wheel=planet).a_w == pytest.approx(584e-3, rel=1e-12)  # of an inverse involute


def test_helical_sets_have_the_transverse_module() -> None:
    layout = PlanetaryLayout(gears=FVA, m_n=4e-3, beta=radians(20.0))
    assert layout.pin_radii[0] == pytest.approx(78e-3 / cos(radians(20.0)), rel=1e-14)  # round-off
    assert layout.tip_radii[0] == pytest.approx(44e-3 / cos(radians(20.0)) + 4e-3, rel=1e-14)  # round-off


def test_stepped_planets_of_two_modules() -> None:
    """r_sun + r_p1 = r_ring - r_p2: 3 (20 + 30)/2 = 75 = 2.5 (78 - 18)/2 mm."""
    gears = PlanetarySet(sun=20, planets=(30, 18), ring=78, stepped=True, n_planets=2)
    layout = PlanetaryLayout(gears=gears, m_n=3e-3, second_m_n=2.5e-3)
    assert layout.pin_radii == (pytest.approx(75e-3, rel=1e-14),)  # round-off
    assert layout.planet_clearance == pytest.approx(150e-3 - 96e-3, rel=1e-13)  # the larger step, d_a = 3 (30 + 2)


def test_planets_that_mesh_have_pins_where_they_mesh() -> None:
    """All gears by coordinates: distances of axes are the sums of the pitch radii, the clearance the least of all."""
    layout = double()
    radii, lead = layout.pin_radii, (0.0, layout.pin_lead)
    places = [
        [(r * cos(2.0 * pi * i / 3.0 + angle), r * sin(2.0 * pi * i / 3.0 + angle)) for i in range(3)]
        for r, angle in zip(radii, lead, strict=True)
    ]
    assert radii == (pytest.approx(48e-3), pytest.approx(64e-3))
    (x, y), (v, w) = places[0][0], places[1][0]
    assert hypot(x - v, y - w) == pytest.approx(38e-3, rel=1e-13)  # 18 + 20 teeth of 2 mm over 2
    tips = (20e-3, 22e-3)
    gaps = [
        hypot(a[0] - b[0], a[1] - b[1]) - tips[one] - tips[other]
        for one in (0, 1)
        for other in (0, 1)
        for i, a in enumerate(places[one])
        for k, b in enumerate(places[other])
        if i != k
    ]
    assert layout.planet_clearance == pytest.approx(min(gaps), rel=1e-12)  # round-off


def test_planets_that_mesh_at_given_distances() -> None:
    """Shifts of the planets' own mesh alone: wider by 0.5 mm, the other two meshes as they were."""
    layout = double(a_w=(48e-3, 38.5e-3, 64e-3))
    assert layout.profile_shift_sums[::2] == (0.0, 0.0)
    planets = [Gear(z=z, m_n=2e-3, x=0.5 * layout.profile_shift_sums[1], b=9e-3, bore_diameter=9e-3) for z in (18, 20)]
    assert GearPair(pinion=planets[0], wheel=planets[1]).a_w == pytest.approx(38.5e-3, rel=1e-12)  # inverse involute


def test_one_planet_has_no_neighbour() -> None:
    assert PlanetaryLayout(gears=replace(FVA, n_planets=1), m_n=4e-3).planet_clearance == np.inf


def test_most_planets_that_find_room() -> None:
    """sin(pi/n) > d_a/(2 a): z 20/25/70 takes 5 planets with shortened tips only: 90 sin 36 deg = 52.9 < 54."""
    gears = PlanetarySet(sun=20, planets=(25,), ring=70, n_planets=5)
    clearance = PlanetaryLayout(gears=gears, m_n=2e-3, tip_diameters=(52.8e-3,)).planet_clearance
    assert clearance == pytest.approx(90e-3 * sin(pi / 5.0) - 52.8e-3, rel=1e-10)  # round-off of the difference
    with pytest.raises(Fault, match=r"less than the distance of their axes, 52\.9"):
        PlanetaryLayout(gears=gears, m_n=2e-3)  # d_a = 54 mm
    with pytest.raises(Fault, match="take n_planets = 5"):
        PlanetaryLayout(gears=replace(gears, n_planets=6), m_n=2e-3, tip_diameters=(46e-3,))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: PlanetaryLayout(gears=PlanetarySet(sun=17, planets=(22,), ring=64, n_planets=3), m_n=4e-3),
            "= 84.0: must be that of the planet and the sun, 78; give the ring 61 teeth, z_sun + 2 z_planet, or",
        ),
        (
            lambda: PlanetaryLayout(gears=FVA, m_n=4e-3, a_w=(78e-3, 78.2e-3)),
            "= 78.2: must be that of the planet and the sun, 78; correct a_w",
        ),
        (
            lambda: PlanetaryLayout(gears=FVA, m_n=4e-3, a_w=(70e-3, 70e-3)),
            "centre distance of the planet and the sun [mm] = 70.0: must be 74.4267 to 89.4779",
        ),
        (lambda: PlanetaryLayout(gears=FVA, m_n=4e-3, a_w=(78e-3,)), "PlanetaryLayout.a_w = 1 in a tuple: must be 2"),
        (lambda: PlanetaryLayout(gears=FVA, m_n=4e-3, a_w=(78.0, -1.0)), "centre distance [mm] = -1000"),
        (lambda: PlanetaryLayout(gears=FVA, m_n=4e-3, a_w=(None, 78e-3)), "must be 2 numbers in a tuple"),
        (lambda: PlanetaryLayout(gears=FVA, m_n=4e-3, tip_diameters=(0.0,)), "tip diameter [mm] = 0"),
        (lambda: PlanetaryLayout(gears=FVA, m_n=4e-3, second_m_n=4e-3), "second_m_n = 0.004: must be left out"),
        (lambda: PlanetaryLayout(gears=FVA, m_n=0.0), "normal module [mm] = 0"),
        (lambda: PlanetaryLayout(gears=None, m_n=4e-3), "PlanetaryLayout.gears = None: must be a PlanetarySet"),
        (
            lambda: double(gears=PlanetarySet(sun=30, planets=(10, 10), ring=90, n_planets=3)),
            "= 20.0: must be between 40",
        ),
        (
            lambda: double(gears=PlanetarySet(sun=30, planets=(30, 33), ring=72, n_planets=2)),
            "least radius that the second planet gear reaches [mm]",
        ),
        (
            lambda: double(gears=PlanetarySet(sun=30, planets=(21, 14), ring=72, n_planets=2)),
            "largest radius that the first planet gear reaches [mm]",
        ),
    ],
)
def test_layouts_that_cannot_be(make, words: str) -> None:
    with pytest.raises(Fault) as caught:
        make()
    assert words in str(caught.value)
