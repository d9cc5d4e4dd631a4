"""Diameters, thickness, deviations and mass of a gear, and the gears that cannot be."""

from math import acos, cos, pi, radians, sin, sqrt, tan

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import BasicRack, Gear, Microgeometry
from alegear.geometry.involute import inv, involute_angle

MODULE = 4e-3
ALPHA = radians(20.0)


def gear(**numbers: object) -> Gear:
    """The pinion of the 20/30 pair, with changes."""
    return Gear(**{"z": 20, "m_n": MODULE, "x": 0.2, "b": 30e-3, "bore_diameter": 35.8e-3, **numbers})


def test_diameters_of_the_reference_pinion() -> None:
    """m = 4 mm, z = 20, x = 0.2: by hand; the root form diameter is that of the profile's reference test."""
    pinion = gear()
    found = [pinion.d, pinion.d_b, pinion.d_a, pinion.d_f, pinion.d_Ff]
    # 1e-7 m: the root form diameter is known to four decimals of a millimetre
    np.testing.assert_allclose(found, [80e-3, 80e-3 * cos(ALPHA), 89.6e-3, 71.6e-3, 75.6714e-3], atol=1e-7)
    assert pinion.s_t == pytest.approx(MODULE * (pi / 2.0 + 0.4 * tan(ALPHA)), rel=1e-14)  # round-off
    assert not pinion.undercut
    assert pinion.tip_rounding_radius == pytest.approx(0.2e-3)


def test_tip_alteration_changes_the_tip_radius() -> None:
    assert gear(tip_alteration_factor=-0.1).r_a == pytest.approx(gear().r_a - 0.4e-3, rel=1e-14)  # round-off


def test_thickness_at_a_radius_is_the_profile() -> None:
    pinion = gear()
    for r in np.linspace(pinion.r_Ff, pinion.r_a, 7):
        point = pinion.tooth_profile.points(pinion.tooth_profile.s_at_radius(r))
        assert 2.0 * r * np.arctan2(point[1], point[0]) == pytest.approx(pinion.s_at(r), rel=1e-12)  # round-off
    with pytest.raises(Fault, match="base radius"):
        pinion.s_at(0.99 * pinion.r_b)


def test_thickness_allowance_is_a_cutter_fed_deeper() -> None:
    """x_E = x - A/(2 m_n tan alpha_n): thickness, root circle and root curve are those of a gear with x_E."""
    allowance = 80e-6
    thin, plain = gear(thickness_allowance=allowance), gear()
    assert thin.s_t == pytest.approx(plain.s_t - allowance, rel=1e-14)  # round-off
    assert thin.d_a == plain.d_a
    equal = gear(x=thin.x_E, tip_alteration_factor=plain.x - thin.x_E)
    assert thin.d_f == equal.d_f
    s = np.linspace(equal.tooth_profile.s_root, equal.tooth_profile.s_tip, 50)
    np.testing.assert_allclose(thin.tooth_profile.points(s), equal.tooth_profile.points(s), atol=1e-15)


def test_roll_length() -> None:
    pinion = gear()
    assert pinion.roll_length(0.5 * pinion.d) == pytest.approx(pinion.r_b * tan(ALPHA), rel=1e-13)  # round-off
    assert pinion.roll_length(0.9 * pinion.r_b) == 0.0


@pytest.mark.parametrize("alpha", [1e-3, 0.05, 0.3, 0.6, 1.0, 1.4])
def test_involute_function_inverts(alpha: float) -> None:
    # inv alpha itself loses eps/alpha^2 of its digits at small angles
    assert involute_angle(inv(alpha)) == pytest.approx(alpha, rel=1e-15 + 1e-15 / alpha**2)


def test_mass_and_inertia_are_those_of_the_section() -> None:
    """Between the solid discs of root and tip circle, near that of the reference circle."""
    pinion, rho = gear(z=60, x=0.0), 7860.0
    r_bore = 0.5 * pinion.bore_diameter

    def disc_mass(r: float) -> float:
        return rho * pinion.b * pi * (r**2 - r_bore**2)

    def disc_inertia(r: float) -> float:
        return 0.5 * rho * pinion.b * pi * (r**4 - r_bore**4)

    # 2 %: with dedendum 1.25 and addendum 1 the half-filled ring lies 0.1 m below the reference circle
    assert pinion.mass(rho) == pytest.approx(disc_mass(pinion.r), rel=0.02)
    assert pinion.inertia(rho) == pytest.approx(disc_inertia(pinion.r), rel=0.02)
    assert disc_inertia(pinion.r_f) < pinion.inertia(rho) < disc_inertia(pinion.r_a)


class TestFlankRemoval:
    relief = Microgeometry(tip_relief=20e-6, tip_relief_start_diameter=84e-3, lead_crowning=10e-6)

    def test_linear_relief_grows_with_the_roll_length(self) -> None:
        pinion = gear(microgeometry=self.relief)
        start, end = pinion.roll_length(np.array([42e-3, pinion.r_a]))
        roll = np.array([0.0, start, 0.25 * end + 0.75 * start, end, end + 1e-3])
        removal = pinion.flank_removal(roll, np.zeros(5))
        np.testing.assert_allclose(removal, [0.0, 0.0, 5e-6, 20e-6, 20e-6], atol=1e-18)  # round-off

    def test_parabolic_relief_is_the_square(self) -> None:
        parabolic = Microgeometry(tip_relief=20e-6, tip_relief_start_diameter=84e-3, tip_relief_shape="parabolic")
        linear = Microgeometry(tip_relief=20e-6, tip_relief_start_diameter=84e-3)
        roll = np.linspace(*gear().roll_length(np.array([42e-3, gear().r_a])), 9)
        share = gear(microgeometry=linear).flank_removal(roll, 0.0) / 20e-6
        np.testing.assert_allclose(gear(microgeometry=parabolic).flank_removal(roll, 0.0), 20e-6 * share**2, atol=1e-18)

    def test_crowning_is_a_parabola_over_the_face(self) -> None:
        pinion = gear(microgeometry=self.relief)
        z = np.array([-15e-3, -7.5e-3, 0.0, 15e-3])
        np.testing.assert_allclose(pinion.flank_removal(np.zeros(4), z), [10e-6, 2.5e-6, 0.0, 10e-6], atol=1e-18)

    def test_no_deviation_removes_nothing(self) -> None:
        assert not gear().flank_removal(np.linspace(0.0, 0.02, 5), np.linspace(-1e-2, 1e-2, 5)).any()

    def test_relief_may_begin_at_the_root_form_circle(self) -> None:
        start = gear().d_Ff
        pinion = gear(microgeometry=Microgeometry(tip_relief=5e-6, tip_relief_start_diameter=start))
        assert pinion.flank_removal(pinion.tooth_profile.roll_length_form, 0.0) == pytest.approx(0.0, abs=1e-18)


def relief(start_diameter: float, amount: float = 20e-6) -> Microgeometry:
    return Microgeometry(tip_relief=amount, tip_relief_start_diameter=start_diameter)


@pytest.mark.parametrize(
    ("numbers", "quantity"),
    [
        ({"z": 4}, "teeth"),
        ({"z": 0}, "teeth"),
        ({"z": 20.5}, "teeth"),
        ({"z": True}, "teeth"),
        ({"m_n": 0.0}, "normal module"),
        ({"b": -30e-3}, "face width"),
        ({"b": float("inf")}, "face width"),
        ({"bore_diameter": 0.0}, "bore diameter"),
        ({"bore_diameter": 71.6e-3}, "bore diameter"),
        ({"x": 1.5}, "tip thickness"),
        ({"x": float("nan")}, "profile shift"),
        ({"x": 5.0}, "profile shift"),
        ({"thickness_allowance": 3e-3}, "tooth thickness allowance"),
        ({"tip_alteration_factor": 0.8}, "tip thickness"),
        ({"tip_alteration_factor": -2.5}, "tip alteration"),
        ({"tip_alteration_factor": -2.0, "rack": BasicRack(addendum_factor=0.3)}, "tip diameter"),
        ({"tip_rounding": 2e-3}, "tip rounding"),
        ({"tip_rounding": -1e-4}, "tip rounding"),
        ({"microgeometry": relief(90e-3)}, "tip relief start"),
        ({"microgeometry": relief(75e-3)}, "tip relief start"),
        ({"microgeometry": relief(84e-3, 2e-3)}, "flank deviation"),
    ],
)
def test_impossible_gear_is_a_fault(numbers: dict, quantity: str) -> None:
    with pytest.raises(Fault) as fault:
        gear(**numbers)
    assert fault.value.quantity.startswith(quantity)
    assert fault.value.limit
    assert fault.value.remedy


def test_remedy_for_a_pointed_tip_is_where_the_flanks_meet() -> None:
    """inv alpha_point = s_t/d + inv alpha: the message names that diameter, and a shorter tip is accepted."""
    with pytest.raises(Fault) as fault:
        gear(tip_alteration_factor=0.8)
    pinion = gear()
    r_point = pinion.r_b / cos(involute_angle(pinion.s_t / pinion.d + inv(pinion.alpha_t)))
    assert f"{2e3 * r_point:.4f}" in fault.value.limit
    largest = (r_point - pinion.r) / MODULE - 1.2
    assert f"{largest:.3f}" in fault.value.remedy
    assert gear(tip_alteration_factor=largest - 0.01).s_at(r_point - 0.04e-3) > 0.0


def test_internal_gears_are_a_kind_of_their_own() -> None:
    with pytest.raises(Fault, match="InternalGear"):
        gear(z=-80)


def test_undercut_is_reported_not_refused() -> None:
    pinion = gear(z=13, x=0.0, bore_diameter=20e-3)
    assert pinion.undercut
    assert pinion.d_Ff > pinion.d_b
    assert acos(pinion.r_b / pinion.r_Ff) > 0.0
    # the trochoid of a sharp corner at the same depth leaves an involute from the textbook's root form radius upwards
    assert pinion.r_Ff < sqrt(pinion.r_b**2 + (pinion.r_b * tan(ALPHA)) ** 2 * sin(ALPHA))
