"""Pairs: published figures, the law of gearing, interference, and the pairs that cannot be."""

from dataclasses import replace
from math import cos, pi, radians

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import BasicRack, Gear, GearPair
from alegear.geometry.gear_pair import depth_of_tip
from alegear.geometry.pair_geometry import INTERFERENCE_LIMIT

MODULE = 4e-3


def pair(
    z: tuple[int, int] = (20, 30),
    x: tuple[float, float] = (0.2, -0.2),
    k: tuple[float, float] = (0.0, 0.0),
    m_n: float = MODULE,
    a_w: float | None = None,
    **numbers: object,
) -> GearPair:
    gears = [
        Gear(
            z=z[i],
            m_n=m_n,
            x=x[i],
            tip_alteration_factor=k[i],
            b=30e-3,
            bore_diameter=0.4 * z[i] * m_n,
            **numbers,
        )
        for i in (0, 1)
    ]
    return GearPair(pinion=gears[0], wheel=gears[1], a_w=a_w)


def nrel_stage_1() -> GearPair:
    return pair((19, 17), (0.6170, 0.8021), (-10.861 / 45.0, -10.861 / 45.0), 45e-3, 863e-3)


def nrel_stage_2() -> GearPair:
    return pair((18, 36), (0.3890, 0.5039), (-1.750 / 21.0, -1.750 / 21.0), 21e-3, 584e-3)


class TestPublishedFigures:
    """KISSsoft 03/2017A reports of the NREL 5 MW reference gearbox, sun-planet meshes (gfsReboucas/Drivetrain,
    NREL_5MW, stage_01.rtf and stage_02.rtf). Their input is printed to half a digit of x, 5e-5 (2 um of radius at
    m = 45 mm), and of the tip alteration, 0.5 um."""

    @pytest.mark.parametrize(
        ("make", "diameters_mm"),
        [
            (
                nrel_stage_1,
                [(855.000, 765.000), (803.437, 718.865), (978.808, 905.470), (798.030, 724.692)],
            ),
            (
                nrel_stage_2,
                [(378.000, 756.000), (355.204, 710.408), (432.838, 815.663), (341.838, 724.663)],
            ),
        ],
    )
    def test_diameters(self, make, diameters_mm) -> None:
        gears = make().gears
        found = [tuple(1e3 * getattr(g, name) for g in gears) for name in ("d", "d_b", "d_a", "d_f")]
        np.testing.assert_allclose(found, diameters_mm, atol=5e-3)

    @pytest.mark.parametrize(
        ("make", "alpha_wt", "g_alpha", "eps_alpha"),
        [(nrel_stage_1, 28.118, 148.093, 1.115), (nrel_stage_2, 24.169, 84.952, 1.370)],
    )
    def test_path_of_contact(self, make, alpha_wt: float, g_alpha: float, eps_alpha: float) -> None:
        gear_pair = make()
        assert np.degrees(gear_pair.alpha_wt) == pytest.approx(alpha_wt, abs=6e-4)  # last printed digit
        assert 1e3 * gear_pair.g_alpha == pytest.approx(g_alpha, abs=5e-3)  # x and k as printed, see above
        assert gear_pair.eps_alpha == pytest.approx(eps_alpha, abs=6e-4)  # last printed digit

    @pytest.mark.parametrize(
        ("make", "T1A", "T1C", "T1E"),
        [(nrel_stage_1, 279.533, 214.656, 131.439), (nrel_stage_2, 123.672, 79.704, 38.720)],
    )
    def test_roll_lengths_of_the_pinion(self, make, T1A: float, T1C: float, T1E: float) -> None:
        gear_pair = make()
        low, high = gear_pair.path_of_contact
        found = 1e3 * np.array([high, gear_pair.roll_length_pitch_point, low])
        np.testing.assert_allclose(found, [T1A, T1C, T1E], atol=5e-3)  # x and k as printed, see above

    def test_fzg_type_c(self) -> None:
        """m 4.5, z 16/24, x 0.1817/0.1715, a 91.5 mm: eps_alpha = 1.4625 (FZG test gears)."""
        fzg = pair((16, 24), (0.1817, 0.1715), m_n=4.5e-3, a_w=91.5e-3)
        assert fzg.eps_alpha == pytest.approx(1.4625, abs=6e-5)  # last printed digit
        # the printed shifts fit the printed distance: no backlash but their rounding, 4.5 mm * 1e-4 * 2 tan 20 deg
        assert abs(fzg.j_wt) < 0.4e-6

    def test_ross_62_62(self) -> None:
        """z 62/62, m 2: contact ratio 1.78978 (public code ROSS)."""
        assert pair((62, 62), (0.0, 0.0), m_n=2e-3).eps_alpha == pytest.approx(1.78978, abs=5e-6)  # last digit

    def test_undercut_pair_13_97(self) -> None:
        """Contact ratio 1.6458 by the tip circles (Liu et al. 2018 print it); the undercut leaves 1.366."""
        gear_pair = pair((13, 97), (0.0, 0.0))
        assert gear_pair.eps_alpha == pytest.approx(1.6458, abs=6e-5)  # last printed digit
        assert gear_pair.eps_alpha_usable == pytest.approx(1.366, abs=6e-4)  # last printed digit
        (warning,) = gear_pair.warnings
        assert warning.startswith("the pinion is undercut")
        for figure in (f"{1e3 * gear_pair.pinion.d_Ff:.4f} mm", "1.3663", "1.6458"):
            assert figure in warning
        assert max(gear_pair.tip_penetration(gear)[0] for gear in ("pinion", "wheel")) == 0.0


def test_reference_pair() -> None:
    gear_pair = pair()
    assert gear_pair.a_w == pytest.approx(100e-3, rel=1e-14)  # round-off: x sums to zero
    assert gear_pair.alpha_wt == pytest.approx(radians(20.0), rel=1e-13)
    np.testing.assert_allclose(gear_pair.d_w, (80e-3, 120e-3), rtol=1e-13)
    assert gear_pair.ratio == 1.5
    assert gear_pair.warnings == ()
    assert gear_pair.eps_beta == 0.0
    assert gear_pair.eps_gamma == gear_pair.eps_alpha_usable == gear_pair.eps_alpha


@pytest.mark.parametrize("shifts", [(0.3, 0.4), (0.0, -0.15), (0.6, 0.2), (0.2, -0.2)])
def test_centre_distance_without_backlash_has_none(shifts: tuple[float, float]) -> None:
    gear_pair = pair((25, 32), shifts, (-0.1, -0.1))
    assert gear_pair.j_wt == pytest.approx(0.0, abs=1e-16 + 1e-14 * MODULE)  # round-off


def test_backlash_is_the_sum_of_the_allowances() -> None:
    """j_wt at the pitch circles equals the allowances when d_w = d."""
    assert pair(thickness_allowance=30e-6).j_wt == pytest.approx(60e-6, rel=1e-10)  # round-off of the pitch


def test_backlash_of_a_wider_centre_distance() -> None:
    """dj_wt/da = 2 tan alpha_wt at zero backlash."""
    step = 1e-6
    slope = (pair(a_w=100e-3 + step).j_wt - pair(a_w=100e-3).j_wt) / step
    assert slope == pytest.approx(2.0 * np.tan(radians(20.0)), rel=1e-4)  # forward difference


@pytest.mark.parametrize("size", [0.02, 1.0])
def test_profile_shifts_as_drawings_print_them_are_accepted(size: float) -> None:
    """24/95 of module 14 mm at 861 mm: three decimals of x leave -9.6 um: a warning, no fault."""

    def printed(x_2: float) -> GearPair:
        common = {"m_n": 14e-3 * size, "b": 0.36 * size, "tip_alteration_factor": -0.067}
        hands = [
            {"beta": radians(10.0), "bore_diameter": 0.18 * size},
            {"beta": -radians(10.0), "bore_diameter": 0.7 * size},
        ]
        gears = [Gear(z=z, x=x, **common, **own) for (z, x), own in zip(((24, 0.48), (95, x_2)), hands, strict=True)]
        return GearPair(pinion=gears[0], wheel=gears[1], a_w=0.861 * size)

    rounded = printed(0.67)
    assert rounded.j_wt / size == pytest.approx(-9.6e-6, abs=5e-8)  # as printed
    (warning,) = (one for one in rounded.warnings if one.startswith("backlash"))
    assert f"no more than the {14e-3 * size:.4g} mm that profile shifts rounded to three decimals" in warning
    fitting = float(warning.split("profile_shift of the wheel = ")[1].split(",")[0])
    assert not any(one.startswith("backlash") for one in printed(fitting).warnings)
    with pytest.raises(Fault, match="backlash"):
        printed(0.671)


def contact_points(gear_pair: GearPair, phase: np.ndarray, driver: str) -> list[np.ndarray]:
    """Both flanks' contact points, each in a frame on its own axis that looks at the other axis, as complex numbers."""
    found = []
    rolls = gear_pair.contact_roll_lengths(phase, driver)
    for gear, roll, d_w in zip(gear_pair.gears, rolls, gear_pair.d_w, strict=True):
        profile = gear.tooth_profile
        # flank a has its pitch point at this angle; the tooth turns by (roll - roll at the pitch point)/r_b from there
        pitch_angle = 0.5 * gear.s_at(0.5 * d_w) / (0.5 * d_w)
        turned = (roll - gear.r_b * np.tan(gear_pair.alpha_wt)) / gear.r_b
        xy = profile.points(profile.s_at_roll_length(roll)) @ np.array([1.0, 1j])
        normal = profile.normals(profile.s_at_roll_length(roll)) @ np.array([1.0, 1j])
        turn = np.exp(1j * (turned - pitch_angle))
        found += [xy * turn, normal * turn]
    return found


@pytest.mark.parametrize("driver", ["pinion", "wheel"])
def test_flanks_touch_on_the_line_of_action(driver: str) -> None:
    """The law of gearing: both gears turned by equal ways of their base circles, points coincide, normals oppose."""
    gear_pair = pair((20, 31), (0.3, 0.1))
    phase = np.linspace(*gear_pair.engagement(driver), 21)
    p1, n1, p2, n2 = contact_points(gear_pair, phase, driver)
    # the wheel's frame looks at the pinion: turned by 180 deg about the middle between the axes
    np.testing.assert_allclose(p1, gear_pair.a_w - p2, atol=1e-15)  # round-off
    np.testing.assert_allclose(n1, n2, atol=1e-13)  # opposed, once the wheel's is turned by 180 deg
    np.testing.assert_allclose(np.angle(n1), 0.5 * pi - gear_pair.alpha_wt, atol=1e-12)


def test_engagement_of_either_driver() -> None:
    """The same path walked the other way; it is as long as the contact ratio says."""
    gear_pair = pair((17, 40), (0.3, 0.1))
    for usable, eps in ((True, gear_pair.eps_alpha_usable), (False, gear_pair.eps_alpha)):
        first, last = gear_pair.engagement("pinion", usable)
        np.testing.assert_allclose(gear_pair.engagement("wheel", usable), (-last, -first), rtol=1e-15)
        assert first < 0.0 < last
        assert last - first == pytest.approx(eps, rel=1e-13)  # round-off
    assert gear_pair.g_approach("pinion") == pytest.approx(gear_pair.g_recess("wheel"), rel=1e-13)
    assert gear_pair.g_approach("pinion") + gear_pair.g_recess("pinion") == pytest.approx(gear_pair.g_alpha, rel=1e-13)


def test_the_driven_tip_comes_first() -> None:
    gear_pair = pair()
    for driver, tip_first, tip_last in (("pinion", 1, 0), ("wheel", 0, 1)):
        phases = gear_pair.engagement(driver, usable=False)
        for phase, tip in zip(phases, (tip_first, tip_last), strict=True):
            roll = gear_pair.contact_roll_lengths(phase, driver)[tip]
            assert roll == pytest.approx(gear_pair.gears[tip].tooth_profile.roll_length_tip, rel=1e-13)


def test_curvature_radii_are_those_of_the_profiles() -> None:
    gear_pair = pair()
    phase = np.linspace(*gear_pair.engagement("pinion"), 7)
    radii = gear_pair.curvature_radii(phase, "pinion")
    rolls = gear_pair.contact_roll_lengths(phase, "pinion")
    for gear, radius, roll in zip(gear_pair.gears, radii, rolls, strict=True):
        profile = gear.tooth_profile
        np.testing.assert_allclose(radius * profile.curvature(profile.s_at_roll_length(roll)), 1.0, rtol=1e-13)
    np.testing.assert_allclose(sum(radii), gear_pair.a_w * np.sin(gear_pair.alpha_wt), rtol=1e-14)


class TestInterference:
    @pytest.mark.parametrize(
        "free",
        [
            {},
            {"z": (13, 97), "x": (0.0, 0.0)},
            {"z": (97, 13), "x": (0.0, 0.0)},
            {"z": (17, 17), "x": (0.0, 0.0)},
            {"z": (62, 62), "x": (0.0, 0.0)},
            {"thickness_allowance": 50e-6},
        ],
    )
    def test_a_pair_that_runs_freely_has_none(self, free: dict) -> None:
        gear_pair = pair(**free)
        # 1e-12 m: flanks in contact, computed with the profile's accuracy
        assert max(gear_pair.tip_penetration(gear)[0] for gear in ("pinion", "wheel")) < 1e-12

    @pytest.mark.parametrize("cut", ["pinion", "wheel"])
    def test_a_long_tip_on_a_high_fillet_is_a_fault(self, cut: str) -> None:
        """A tip longer by 0.15 modules ploughs through the fillet of a gear with negative shift."""
        z, x, k = (25, 100), (-0.3, 0.3), (0.0, 0.15)
        if cut == "wheel":
            z, x, k = z[::-1], x[::-1], k[::-1]
        with pytest.raises(Fault, match=f"tip in the root of the {cut}") as fault:
            pair(z, x, k)
        assert fault.value.value > 1.0
        assert "root form diameter" in fault.value.limit

    def test_the_remedy_works(self) -> None:
        """The tip alteration of the message is accepted, with a depth just below the limit."""
        with pytest.raises(Fault) as fault:
            pair((25, 100), (-0.3, 0.3), (0.0, 0.15))
        k = float(fault.value.remedy.split("wheel to ")[1].split(" or less")[0])
        gear_pair = pair((25, 100), (-0.3, 0.3), (0.0, k))
        # the message rounds down by less than 1e-4 modules = 0.4 um, and the corner moves no faster than the tip
        limit = INTERFERENCE_LIMIT * gear_pair.pinion.m_n
        assert limit - 0.4e-6 < gear_pair.tip_penetration("pinion")[0] <= limit

    @pytest.mark.parametrize(("rounding", "least"), [(0.0, 30e-6), (None, 8e-6), (0.15e-3, 10e-6)])
    def test_depth_against_a_fine_search(self, rounding: float | None, least: float) -> None:
        """Positions 50 times and profile points 20 times as dense, and the kinematics written in another way."""
        gear_pair = pair((25, 100), (-0.3, 0.3), (0.0, 0.05))
        wheel = replace(gear_pair.wheel, tip_alteration_factor=0.15, tip_rounding=rounding)
        depth, radius = depth_of_tip(gear_pair, gear_pair.pinion, wheel, wheel.r_a)
        assert depth > least
        # 2e-8 m: 801 positions along the sweep, 2 % of the limit
        assert depth == pytest.approx(fine_depth(gear_pair, wheel, radius), abs=2e-8)

    def test_one_verdict_for_one_shape(self) -> None:
        """A tip that is refused or accepted is so at every size; a round that takes its corner away makes it fit."""
        for size in (0.02, 1.0, 30.0):
            refused = {"z": (25, 100), "x": (-0.3, 0.3), "m_n": 4e-3 * size, "b": 30e-3 * size, "bores": size}
            with pytest.raises(Fault, match=f"must be at most {2.0 * size:.4g} ") as fault:
                scaled_pair(**refused, k=0.15)
            assert fault.value.value == pytest.approx(size * DEPTH_OF_DEFAULT_ROUND, rel=1e-3)
            scaled_pair(**refused, k=0.15, tip_rounding=0.3e-3 * size)
            scaled_pair(**refused, k=0.1)


DEPTH_OF_DEFAULT_ROUND = 10.3724858  # um at module 4 mm: of the first case of the fine search, with a round of 0.05


def scaled_pair(
    *,
    z: tuple[int, int],
    x: tuple[float, float],
    m_n: float,
    b: float,
    bores: float,
    k: float,
    tip_rounding: float | None = None,
) -> GearPair:
    common = {"m_n": m_n, "b": b, "bore_diameter": 20e-3 * bores}
    return GearPair(
        pinion=Gear(z=z[0], x=x[0], **common),
        wheel=Gear(z=z[1], x=x[1], tip_alteration_factor=k, tip_rounding=tip_rounding, **common),
    )


def fine_depth(gear_pair: GearPair, wheel: Gear, radius: float) -> float:
    """Depth of the wheel's tip corner in the pinion's root by rolling the wheel's reference frame, in steps."""
    pinion = gear_pair.pinion
    profile = pinion.tooth_profile
    corner, rho = wheel.r_a, wheel.tip_rounding_radius
    corner_angle = 0.5 * wheel.s_at(corner) / corner
    if rho:  # the disc that the contact lays between flank and tip circle
        x, y = wheel.modified_profile(np.zeros(1), sharpest_tip=1e-9).centre[0]
        corner, corner_angle = np.hypot(x, y), np.arctan2(y, x)
    # the wheel's tooth in the pinion's space touches flank a: pinion at angle theta_1, wheel at theta_2 from the line
    # of centres, tied by the contact at the pitch point
    pitch_1 = 0.5 * pinion.s_at(0.5 * gear_pair.d_w[0]) / (0.5 * gear_pair.d_w[0])
    pitch_2 = 0.5 * wheel.s_at(0.5 * gear_pair.d_w[1]) / (0.5 * gear_pair.d_w[1])
    theta_1 = np.linspace(-0.5, 0.5, 40001)
    theta_2 = -theta_1 * pinion.z / wheel.z
    place = gear_pair.a_w - corner * np.exp(1j * (theta_2 + corner_angle - pitch_2))
    in_tooth_frame = place * np.exp(-1j * (theta_1 - pitch_1))
    in_tooth_frame = in_tooth_frame[np.abs(np.abs(in_tooth_frame) - radius) < 0.3e-3]
    s = np.linspace(profile.s_root, 0.3 * profile.s_tip, 4001)
    points, normals = (f(s) @ np.array([1.0, 1j]) for f in (profile.points, profile.normals))
    deepest = 1.0
    for q in in_tooth_frame:
        nearest = np.argmin(np.abs(q - points))
        deepest = min(deepest, float(np.real((q - points[nearest]) * np.conj(normals[nearest]))))
    return rho - deepest


@pytest.mark.parametrize(
    ("numbers", "quantity"),
    [
        ({"a_w": 93e-3}, "centre distance"),
        ({"a_w": 108e-3}, "centre distance"),
        ({"a_w": -1.0}, "centre distance"),
        ({"a_w": float("nan")}, "centre distance"),
        ({"a_w": 99.9e-3}, "backlash"),
        ({"thickness_allowance": -30e-6}, "backlash"),
        ({"a_w": 104.5e-3}, "contact ratio (tip circles)"),
        ({"z": (8, 100), "x": (0.0, 0.0)}, "contact ratio (tip and root form circles)"),
        ({"x": (-1.3, -1.3), "z": (60, 60)}, "sum of profile shifts"),
        ({"x": (0.0, 0.0), "rack": BasicRack(addendum_factor=1.27)}, "tip clearance"),
    ],
)
def test_impossible_pair_is_a_fault(numbers: dict, quantity: str) -> None:
    with pytest.raises(Fault) as fault:
        pair(**numbers)
    assert fault.value.quantity.startswith(quantity)
    assert fault.value.remedy


def test_gears_of_different_racks_are_a_fault() -> None:
    one, other = pair().pinion, pair(m_n=5e-3).wheel
    with pytest.raises(Fault, match="normal module"):
        GearPair(pinion=one, wheel=other)
    steep = pair(rack=BasicRack(alpha_n=radians(25.0), root_radius_factor=0.3), x=(0.0, 0.0)).wheel
    with pytest.raises(Fault, match="pressure angle"):
        GearPair(pinion=one, wheel=steep)


def test_unknown_driver_is_a_fault() -> None:
    with pytest.raises(Fault, match="'pinion' or 'wheel'"):
        pair().engagement("sun")  # type: ignore[arg-type]


def test_printed_distances_are_accepted() -> None:
    """A profile shift printed with four decimals may squeeze the teeth by a part of a micrometre."""
    gear_pair = pair((16, 24), (0.18175, 0.17155), m_n=4.5e-3, a_w=91.5e-3)
    assert -1e-6 < gear_pair.j_wt < 0.0


def test_low_contact_ratio_and_thin_tip_are_warned_of() -> None:
    gear_pair = pair((12, 40), (0.62, 0.0))
    assert any("thin tip" in warning for warning in gear_pair.warnings)
    assert any("contact ratio" in warning for warning in nrel_stage_1().warnings)


def test_working_pitch_circles_roll_on_each_other() -> None:
    gear_pair = nrel_stage_2()
    assert sum(gear_pair.d_w) == pytest.approx(2.0 * gear_pair.a_w, rel=1e-14)  # round-off
    assert gear_pair.d_w[0] * cos(gear_pair.alpha_wt) == pytest.approx(gear_pair.pinion.d_b, rel=1e-14)
    assert gear_pair.p_bt == pytest.approx(pi * gear_pair.pinion.d_b / gear_pair.pinion.z, rel=1e-14)
