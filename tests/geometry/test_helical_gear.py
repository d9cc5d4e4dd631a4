"""Helical gears and pairs: closed forms of ISO 21771, the spur limit, a gearbox by hand, phases over the face."""

from dataclasses import replace
from math import acos, atan, cos, degrees, hypot, pi, radians, sin, sqrt, tan

import numpy as np
import pytest
from scipy.optimize import brentq

from alegear.errors import Fault
from alegear.geometry import Alignment, BasicRack, Gear, GearPair

ALPHA_N = radians(20.0)


def gear(z: int = 24, beta: float = radians(15.0), **numbers: object) -> Gear:
    return Gear(**{"z": z, "m_n": 4e-3, "x": 0.2, "b": 40e-3, "bore_diameter": 1.6e-3 * z, "beta": beta, **numbers})


def pair(beta: float = radians(15.0), **numbers: object) -> GearPair:
    return GearPair(pinion=gear(24, beta, **numbers), wheel=gear(37, -beta, x=-0.1, **numbers))


@pytest.mark.parametrize("beta_deg", [-45.0, -10.0, 7.5, 30.0, 45.0])
def test_angles_and_base_data(beta_deg: float) -> None:
    """Every angle twice: as the code has it, and by another formula of ISO 21771."""
    beta = radians(beta_deg)
    one = gear(beta=beta)
    assert sin(one.beta_b) == pytest.approx(sin(beta) * cos(ALPHA_N), rel=1e-14)  # round-off
    assert tan(one.beta_b) == pytest.approx(tan(beta) * cos(one.alpha_t), rel=1e-14)
    assert cos(one.beta_b) * cos(one.alpha_t) == pytest.approx(cos(beta) * cos(ALPHA_N), rel=1e-14)
    assert one.p_bt == pytest.approx(pi * one.m_n * cos(ALPHA_N) / cos(one.beta_b), rel=1e-14)
    assert one.d_b == pytest.approx(one.z * one.p_bt / pi, rel=1e-14)
    assert one.z_n == pytest.approx(one.z / (cos(one.beta_b) ** 2 * cos(beta)), rel=1e-15)
    # one turn is a lead long: pi d/tan beta at every diameter
    assert 2.0 * pi / one.twist == pytest.approx(pi * one.d / tan(beta), rel=1e-14)
    assert one.twist * one.r_b == pytest.approx(tan(one.beta_b), rel=1e-14)
    assert np.sign(one.twist) == np.sign(beta)


def test_thickness_of_the_normal_section() -> None:
    one = gear()
    assert one.s_n == pytest.approx(one.m_n * (pi / 2.0 + 2.0 * one.x * tan(ALPHA_N)), rel=1e-14)  # ISO 21771
    # an allowance is measured there
    assert gear(thickness_allowance=50e-6).s_n == pytest.approx(one.s_n - 50e-6, rel=1e-12)
    beta_a = atan(one.r_a * one.twist)  # the lead is the same at every radius
    assert one.s_an == pytest.approx(one.s_at(one.r_a) * cos(beta_a), rel=1e-14)


def test_hand_changes_nothing_but_the_twist() -> None:
    right, left = gear(), gear(beta=-radians(15.0))
    for name in ("d", "d_b", "d_a", "d_f", "d_Ff", "s_t", "p_bt", "z_n"):
        assert getattr(right, name) == getattr(left, name)
    assert right.twist == -left.twist
    assert pair().eps_beta == pair(-radians(15.0)).eps_beta > 0.0
    assert pair().eps_gamma == pair().eps_alpha + pair().eps_beta


@pytest.mark.parametrize("name", ["d_b", "d_a", "d_f", "d_Ff", "s_t", "p_bt", "z_n", "alpha_t"])
def test_small_helix_angle_is_a_spur_gear(name: str) -> None:
    """Even in beta: the difference is of second order, 1e-6^2."""
    assert getattr(gear(beta=1e-6), name) == pytest.approx(getattr(gear(beta=0.0), name), rel=1e-11)


def test_small_helix_angle_is_a_spur_pair() -> None:
    spur, helical = pair(0.0), pair(1e-6)
    for name in ("a_w", "alpha_wt", "j_wt", "g_alpha", "eps_alpha", "eps_alpha_usable"):
        # 1e-11: second order in beta; 1e-15 m: the backlash is round-off
        assert getattr(helical, name) == pytest.approx(getattr(spur, name), rel=1e-11, abs=1e-15)
    # eps_beta and the phases over the face are of first order
    assert helical.eps_beta == pytest.approx(helical.b_w * 1e-6 / (pi * helical.pinion.m_n), rel=1e-6)
    np.testing.assert_allclose(helical.engagement("pinion"), spur.engagement("pinion"), atol=1e-5)
    assert spur.pinion.twist == 0.0


def test_mass_is_that_of_the_transverse_section() -> None:
    one = gear()
    area = one.z * one.tooth_profile.section_moment(0.5 * one.bore_diameter)
    assert one.mass(7860.0) == pytest.approx(7860.0 * area * one.b, rel=1e-14)
    # the virtual gear's tooth is wider by 1/cos beta: between the discs of root and tip circle
    assert pi * (one.r_f**2 - 0.25 * one.bore_diameter**2) < area < pi * (one.r_a**2 - 0.25 * one.bore_diameter**2)


class TestThirdStageByHand:
    """Third stage of the NREL 5 MW reference gearbox (Nejad, Guo, Gao, Moan 2016): 24/95 teeth, m_n 14 mm, 20 deg,
    beta 10 deg, b 360 mm, a 861 mm, x 0.4800/0.6691, tip alteration -0.067; formulas of ISO 21771 written out here."""

    z = (24, 95)
    x = (0.4800, 0.6691)
    m_n, b, a = 14.0, 360.0, 861.0
    beta = radians(10.0)

    @pytest.fixture
    def stage(self) -> GearPair:
        gears = [
            Gear(
                z=self.z[i],
                m_n=1e-3 * self.m_n,
                x=self.x[i],
                b=1e-3 * self.b,
                bore_diameter=(0.15, 0.7)[i],
                beta=(self.beta, -self.beta)[i],
                tip_alteration_factor=-0.067,
            )
            for i in (0, 1)
        ]
        return GearPair(pinion=gears[0], wheel=gears[1], a_w=1e-3 * self.a)

    def test_distance_belongs_to_the_shifts(self, stage: GearPair) -> None:
        """The distance fits the printed shifts within their half digits: 2 x 5e-5 x 14 mm."""
        assert 1e3 * stage.a_w_without_backlash == pytest.approx(self.a, abs=1.4e-3)
        assert abs(1e3 * stage.j_wt) < 2.0 * tan(stage.alpha_wt) * 1.4e-3

    def test_diameters(self, stage: GearPair) -> None:
        for one, z, x in zip(stage.gears, self.z, self.x, strict=True):
            d = z * self.m_n / cos(self.beta)
            d_b = z * self.m_n * cos(ALPHA_N) / sqrt(1.0 - (sin(self.beta) * cos(ALPHA_N)) ** 2)
            d_a = d + 2.0 * self.m_n * (1.0 + x - 0.067)
            d_f = d - 2.0 * self.m_n * (1.25 - x)
            d_w = 2.0 * self.a * z / sum(self.z)
            found = [1e3 * one.d, 1e3 * one.d_b, 1e3 * one.d_a, 1e3 * one.d_f]
            np.testing.assert_allclose(found, [d, d_b, d_a, d_f], rtol=1e-13)  # round-off
            assert any(1e3 * w == pytest.approx(d_w, rel=1e-13) for w in stage.d_w)

    def test_root_form_circle(self, stage: GearPair) -> None:
        """The end of the rack's straight flank, rho_fP (1 - sin alpha_n) above its tip, on the line of action."""
        alpha_t = atan(tan(ALPHA_N) / cos(self.beta))
        for one, x in zip(stage.gears, self.x, strict=True):
            height = self.m_n * (1.25 - x - 0.38 * (1.0 - sin(ALPHA_N)))  # of the flank's end below the pitch line
            along = 0.5e3 * one.d_b * tan(alpha_t) - height / sin(alpha_t)
            assert 1e3 * one.d_Ff == pytest.approx(2.0 * hypot(0.5e3 * one.d_b, along), rel=1e-13)

    def test_mesh(self, stage: GearPair) -> None:
        alpha_t = atan(tan(ALPHA_N) / cos(self.beta))
        alpha_wt = acos(sum(self.z) * self.m_n / cos(self.beta) / 2.0 * cos(alpha_t) / self.a)
        p_bt = pi * self.m_n / cos(self.beta) * cos(alpha_t)
        path = sum(sqrt(one.d_a**2 - one.d_b**2) * 0.5e3 for one in stage.gears) - self.a * sin(alpha_wt)
        found = [stage.alpha_t, stage.alpha_wt, 1e3 * stage.p_bt, 1e3 * stage.g_alpha, stage.eps_alpha]
        np.testing.assert_allclose(found, [alpha_t, alpha_wt, p_bt, path, path / p_bt], rtol=1e-12)  # round-off
        assert stage.eps_beta == pytest.approx(self.b * sin(self.beta) / (pi * self.m_n), rel=1e-13)
        assert stage.beta_w == pytest.approx(
            atan(tan(self.beta) * self.a * 2.0 / sum(self.z) / (self.m_n / cos(self.beta)))
        )
        assert stage.warnings == ()
        # the figures themselves, to four digits by pocket calculator
        assert degrees(stage.alpha_t) == pytest.approx(20.2836, abs=5e-5)
        assert degrees(stage.alpha_wt) == pytest.approx(22.8560, abs=5e-5)
        assert degrees(stage.beta_b) == pytest.approx(9.3913, abs=5e-5)
        assert stage.eps_alpha == pytest.approx(1.4627, abs=5e-5)
        assert stage.eps_beta == pytest.approx(1.4213, abs=5e-5)


@pytest.mark.parametrize("driver", ["pinion", "wheel"])
@pytest.mark.parametrize("beta_deg", [15.0, -15.0])
def test_phases_over_the_face(driver: str, beta_deg: float) -> None:
    """A right-hand pinion that runs positive comes early at +z; the common face as a whole lasts eps_gamma."""
    gears = pair(radians(beta_deg))
    low, high = gears.common_face
    middle, upper = gears.engagement(driver, z=0.0), gears.engagement(driver, z=high)
    ahead = middle[0] - upper[0]
    # the section is turned by twist z, a pitch is 2 pi/z_1
    assert ahead == pytest.approx(gears.pinion.twist * high * gears.pinion.z / (2.0 * pi), rel=1e-12)
    assert middle[1] - middle[0] == pytest.approx(gears.eps_alpha_usable, rel=1e-12)
    first, last = gears.engagement(driver)
    assert last - first == pytest.approx(gears.eps_alpha_usable + gears.eps_beta, rel=1e-12)
    ends = [gears.engagement(driver, z=z) for z in (low, high)]
    assert first == pytest.approx(min(e[0] for e in ends), abs=1e-12)
    assert last == pytest.approx(max(e[1] for e in ends), abs=1e-12)


@pytest.mark.parametrize("driver", ["pinion", "wheel"])
def test_contact_line_lies_in_the_plane_of_action(driver: str) -> None:
    """Along a contact line the roll length changes by tan beta_b per way along the axis, and both flanks meet there."""
    gears = pair()
    z = np.linspace(*gears.common_face, 5)
    xi_1, xi_2 = gears.contact_roll_lengths(0.1, driver, z)
    sign = 1.0 if driver == "pinion" else -1.0
    np.testing.assert_allclose(np.diff(xi_1) / np.diff(z), sign * tan(gears.beta_b), rtol=1e-10)  # difference
    np.testing.assert_allclose(xi_1 + xi_2, gears.line_of_action, rtol=1e-14)
    xi_mid, _ = gears.contact_roll_lengths(0.1, driver)
    assert xi_mid == pytest.approx(xi_1[2], rel=1e-14)
    # the flank of the section z, turned by twist z, touches the same line of action as the one at mid-face
    one = gears.pinion
    for place, roll in zip(z, xi_1, strict=True):
        turned = sign * (roll - xi_mid) / one.r_b
        assert turned == pytest.approx(one.twist * place, abs=1e-14)


class TestContactRatio:
    """A helical pair needs the total contact ratio only."""

    def test_overlap_makes_up_for_a_short_path(self) -> None:
        short = BasicRack(addendum_factor=0.5)
        helical = pair(radians(25.0), rack=short)
        assert helical.eps_alpha < 1.0 < helical.eps_gamma
        (warning,) = helical.warnings
        assert warning.startswith(f"transverse contact ratio {helical.eps_alpha_usable:.4f} is less than 1")
        with pytest.raises(Fault, match="contact ratio"):
            pair(0.0, rack=short)

    def test_total_below_one_is_a_fault(self) -> None:
        with pytest.raises(Fault, match="total contact ratio") as fault:
            pair(radians(10.0), rack=BasicRack(addendum_factor=0.5), b=5e-3)
        assert "face_width_mm" in fault.value.remedy

    def test_a_face_that_slips_apart_is_a_fault(self) -> None:
        helical = pair(radians(25.0), rack=BasicRack(addendum_factor=0.5))
        with pytest.raises(Fault, match="total contact ratio"):
            helical.with_alignment(Alignment(axial_offset=38e-3))


def test_hands_must_be_opposite() -> None:
    right = gear()
    with pytest.raises(Fault, match="helix angle of the wheel") as fault:
        GearPair(pinion=right, wheel=gear(37))
    assert fault.value.value == pytest.approx(15.0)
    assert "-15" in fault.value.limit
    with pytest.raises(Fault, match="opposite"):
        GearPair(pinion=right, wheel=gear(37, 0.0))


@pytest.mark.parametrize("beta", [radians(46.0), -radians(46.0), float("nan"), float("inf")])
def test_steep_helix_is_a_fault(beta: float) -> None:
    with pytest.raises(Fault, match="helix angle") as fault:
        gear(beta=beta)
    assert "helix_angle_deg" in fault.value.remedy


def test_equal_centre_distance_from_beta() -> None:
    """Shafts 125 mm apart without shift: cos beta = m_n (z_1 + z_2)/(2 a), the textbook way to choose beta."""
    beta = acos(4.0 * (24 + 37) / (2.0 * 125.0))
    gears = GearPair(pinion=gear(24, beta, x=0.1), wheel=gear(37, -beta, x=-0.1))
    assert gears.a_w == pytest.approx(0.125, rel=1e-13)
    assert gears.alpha_wt == pytest.approx(gears.alpha_t, rel=1e-12)
    root = brentq(lambda t: tan(t) - t - (tan(gears.alpha_t) - gears.alpha_t), 0.1, 1.0, xtol=1e-15)
    assert gears.alpha_wt == pytest.approx(root, rel=1e-10)
    assert replace(gears.pinion, beta=0.0).d < gears.pinion.d
