"""Ring gears: numbers of ISO 21771, shaping by a pinion cutter, what is measured, what is refused."""

from math import acos, cos, pi, radians, tan

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import (
    BasicRack,
    Gear,
    GearPair,
    InternalGear,
    Microgeometry,
    PinionCutter,
    base_tangent_length,
    dimension_over_balls,
)
from alegear.geometry.formed_root import FormedRoot
from alegear.geometry.involute import inv

ALPHA = radians(20.0)


def ring(**numbers: object) -> InternalGear:
    return InternalGear(**{"z": 61, "m_n": 4e-3, "b": 30e-3, "rim_diameter": 280e-3, **numbers})  # type: ignore[arg-type]


def planet_gear(**numbers: object) -> Gear:
    """Cut by a rack with little tip round: with 0.38 the ring's tips would meet the fillets."""
    rack = BasicRack(root_radius_factor=0.15)
    given = {"z": 24, "m_n": 4e-3, "rack": rack, "b": 30e-3, "bore_diameter": 50e-3, **numbers}
    return Gear(**given)  # type: ignore[arg-type]


def sum_of_shifts(z_1: int, z_2: int, m: float, a: float) -> float:
    """x_1 + x_2 without backlash at a distance, of signed teeth."""
    alpha_w = acos(0.5 * m * abs(z_1 + z_2) * cos(ALPHA) / a)
    return (inv(alpha_w) - inv(ALPHA)) * (z_1 + z_2) / (2.0 * tan(ALPHA))


def distance_to_flank(gear: InternalGear, r: float) -> float:
    """From the point at a radius in the middle of a space to the nearest of 200 001 points of the profile [m]."""
    profile = gear.tooth_profile
    w = profile.points(np.linspace(profile.s_root, profile.s_tip, 200_001)).view(complex)[:, 0]
    return float(np.abs(w - r * np.exp(1j * pi / gear.z)).min())


def test_both_signs_of_the_teeth_are_one_gear() -> None:
    one, other = ring(z=61), ring(z=-61)
    assert one.z == other.z == -61
    assert one.internal
    s = np.linspace(one.tooth_profile.s_root, one.tooth_profile.s_tip, 9)
    assert np.array_equal(one.tooth_profile.points(s), other.tooth_profile.points(s))


def test_a_planetary_stage_that_was_computed_elsewhere() -> None:
    """21/43/108 with m 1.75 at 56.8 mm, x .4380/.0426/0, which are roundings: both follow from the centre distance.

    Source: L. Kos, Planetary Transmissions, test run of the program pg (LECAD, University of Ljubljana). Its dimension
    between balls of 3 mm, 184.7755, is the one figure left out, and the one that needs the inverse of the involute
    function: its ball is at a pressure angle 4.1e-4 rad too large, where both flanks would be 4.3 um inside the ball.
    """
    m, a, b = 1.75e-3, 56.8e-3, 20e-3
    x_planet = sum_of_shifts(43, -108, m, a)
    x_sun = sum_of_shifts(21, 43, m, a) - x_planet
    assert (round(x_sun, 4), round(x_planet, 4)) == (0.4380, 0.0426)

    def gears(k: float, k_ring: float) -> tuple[Gear, Gear, InternalGear]:
        common = {"m_n": m, "b": b, "rack": BasicRack(root_radius_factor=0.2)}
        return (
            Gear(z=21, x=x_sun, tip_alteration_factor=k, bore_diameter=20e-3, **common),
            Gear(z=43, x=x_planet, tip_alteration_factor=k, bore_diameter=20e-3, **common),
            InternalGear(z=108, tip_alteration_factor=k_ring, rim_diameter=220e-3, **common),
        )

    sun, planet, outer = gears(0.0, 0.0)
    k = GearPair(pinion=sun, wheel=planet, a_w=a).tip_alteration_factor
    k_ring = GearPair(pinion=planet, wheel=outer, a_w=a).tip_alteration_factor
    sun, planet, outer = gears(k, k_ring)
    assert [f"{1e3 * abs(gear.d_a):.4f}" for gear in (sun, planet, outer)] == ["41.7008", "78.8170", "185.4992"]
    assert f"{1e3 * base_tangent_length(sun, 3):.4f}" == "13.9546"
    assert f"{1e3 * base_tangent_length(planet, 5):.4f}" == "24.3530"
    M = dimension_over_balls(outer, 3e-3)
    assert f"{1e3 * M:.4f}" == "184.7491"
    # m: the points of the flank are 0.1 um apart, as below
    assert distance_to_flank(outer, 0.5 * (M + 3e-3)) == pytest.approx(1.5e-3, abs=1e-10)
    assert distance_to_flank(outer, 0.5 * (184.7755e-3 + 3e-3)) == pytest.approx(1.5e-3 - 4.3e-6, abs=0.05e-6)


def test_dimension_between_balls_touches_the_flanks() -> None:
    """A ball on the computed centre is half its diameter away from the profile, found by distance to its points."""
    for gear in (ring(), ring(z=108, m_n=1.75e-3, rim_diameter=220e-3), ring(x=-0.4), ring(beta=0.0, z=62)):
        D_M = 1.7 * gear.m_n
        r_K = 0.5 * (dimension_over_balls(gear, D_M) + D_M) / (cos(0.5 * pi / gear.z) if gear.z % 2 else 1.0)
        # the points are 0.1 um apart: the distance is too large by its square over the ball's diameter at most
        assert distance_to_flank(gear, r_K) == pytest.approx(0.5 * D_M, abs=1e-10)


def test_base_tangent_of_a_ring_is_measured_between_its_flanks() -> None:
    """The longest common normal of two flanks, found over the profiles turned by whole pitches."""
    gear, k = ring(z=80, rim_diameter=380e-3), 9
    W = base_tangent_length(gear, k)
    profile = gear.tooth_profile
    # both ends on the involute, symmetric about the middle of k spaces
    xi = 0.5 * W
    s = profile.s_at_roll_length(-xi)
    w = complex(*profile.points(s).tolist()) * np.exp(-1j * pi / gear.z)  # the middle of a space on the real axis
    w *= np.exp(1j * (k - 1) * pi / abs(gear.z))
    assert 2.0 * abs(w.imag) == pytest.approx(W, rel=1e-12)  # round-off of the profile
    assert abs(w.real) == pytest.approx(abs(gear.r_b), rel=1e-12)


def test_contact_ratios_of_a_planetary_set_that_was_computed_elsewhere() -> None:
    """17/37/91 with m 5: printed are 1.606133 and 1.941805, to all digits those of the base diameters printed beside.

    Source: model of an example by Peng Yue (thesis, NCEPU, 2025), table 2-1: d_b 79.8793, 173.8431 and 427.5601 mm;
    github.com/Cononln/planetary-gearbox-dynamic-model, pg_parameters_pengyue_fig314. The first has two digits changed
    over: 85 mm cos 20 degrees is 79.8739. The other two are roundings, which the second ratio shows in its last digits.
    """
    z, m = np.array([17, 37, 91]), 5e-3

    def ratios(d_b: np.ndarray) -> tuple[float, float]:
        """By the textbook, for tips one module from the reference circles, which are the working circles too."""
        tip = np.sqrt((0.5 * m * (z + np.array([2, 2, -2]))) ** 2 - (0.5 * d_b) ** 2)
        a = 0.5 * m * (z[1:] + np.array([z[0], -z[1]]))
        path = tip[0] + tip[1] - a[0] * np.sin(ALPHA), tip[1] - tip[2] + a[1] * np.sin(ALPHA)
        return path[0] / (pi * m * cos(ALPHA)), path[1] / (pi * m * cos(ALPHA))

    printed = ratios(np.array([79.8793e-3, 173.8431e-3, 427.5601e-3]))
    assert [f"{one:.6f}" for one in printed] == ["1.606133", "1.941805"]

    rack = BasicRack(root_radius_factor=0.15)
    common = {"m_n": m, "b": 20e-3, "rack": rack}
    sun, planet = (Gear(z=z, bore_diameter=30e-3, **common) for z in (17, 37))
    outer = InternalGear(z=91, rim_diameter=520e-3, m_n=m, b=20e-3)
    pairs = GearPair(pinion=sun, wheel=planet), GearPair(pinion=planet, wheel=outer)
    exact = ratios(np.array([abs(gear.d_b) for gear in (sun, planet, outer)]))
    assert exact == pytest.approx(ratios(m * z * cos(ALPHA)), rel=1e-13)  # round-off
    assert [pair.eps_alpha for pair in pairs] == pytest.approx(exact, rel=1e-12)  # round-off of a difference
    assert [f"{pair.eps_alpha:.6f}" for pair in pairs] == ["1.606416", "1.941807"]
    assert pairs[1].eps_alpha_usable == pairs[1].eps_alpha


def test_either_gear_may_be_named_first() -> None:
    planet, outer = planet_gear(), ring()
    one = GearPair(pinion=planet, wheel=outer, a_w=73.9e-3)
    other = GearPair(pinion=outer, wheel=planet, a_w=-73.9e-3)
    assert one.a_w == other.a_w == -73.9e-3
    assert one.j_wt == pytest.approx(other.j_wt, rel=1e-12)
    assert one.alpha_wt == other.alpha_wt
    assert one.d_w == other.d_w[::-1]
    assert one.eps_alpha_usable == pytest.approx(other.eps_alpha_usable, rel=1e-12)
    low, high = one.path_of_contact_usable
    assert other.path_of_contact_usable == pytest.approx((one.line_of_action - high, one.line_of_action - low))


def test_teeth_touch_where_the_pair_says() -> None:
    """Both flanks turned to the pitch point: the same point, the same normal."""
    for hand in (0.0, 0.3):
        planet = planet_gear(x=0.3, beta=hand)
        outer = ring(x=-0.1, beta=hand, rim_diameter=320e-3)
        for pair in (GearPair(pinion=planet, wheel=outer), GearPair(pinion=outer, wheel=planet)):
            xi = pair.roll_length_pitch_point, pair.line_of_action - pair.roll_length_pitch_point
            found, normals = [], []
            for gear, roll, angle, centre in zip(
                pair.gears, xi, pair.tooth_angles_at_pitch_point, (0.0, pair.a_w), strict=True
            ):
                w, t, _ = gear.tooth_profile.local_frames(gear.tooth_profile.s_at_roll_length(roll))
                found.append(centre + complex(*w) * np.exp(1j * angle))
                normals.append(1j * complex(*t) * np.exp(1j * angle))
            pitch_point = 0.5 * pair.d_w[0]
            assert found == pytest.approx([pitch_point, pitch_point], abs=1e-14)  # m: round-off
            along = np.exp(1j * (pi / 2.0 - pair.alpha_wt))
            sign = pair.pinion.sign
            assert normals == pytest.approx([along, -along], abs=1e-12), sign


def test_helical_flanks_stay_in_touch_over_the_face() -> None:
    """Pinion and ring of equal hands: both sections at z are turned by their twist, and roll by the same."""
    planet, outer = planet_gear(beta=0.3), ring(beta=0.3, rim_diameter=320e-3)
    pair = GearPair(pinion=planet, wheel=outer)
    assert planet.twist * planet.r_b == pytest.approx(-outer.twist * outer.r_b, rel=1e-12)
    assert planet.twist > 0.0 < outer.twist
    assert pair.beta_b == planet.beta_b
    with pytest.raises(Fault, match="equal hands in a ring"):
        GearPair(pinion=planet, wheel=ring(beta=-0.3, rim_diameter=320e-3))


def test_mass_and_inertia_by_a_polygon() -> None:
    gear = ring(beta=0.2, rim_diameter=290e-3)
    profile = gear.tooth_profile
    w = profile.points(np.linspace(profile.s_root, profile.s_tip, 40_001)).view(complex)[:, 0]
    tip = abs(gear.r_a) * np.exp(1j * np.linspace(np.angle(w[-1]), 0.0, 2_001))
    rim = 0.145 * np.exp(1j * np.linspace(0.0, pi / gear.z, 20_001))
    outline = np.concatenate([w, tip, rim])
    x, y = outline.real, outline.imag
    dx, dy = np.roll(x, -1) - x, np.roll(y, -1) - y
    x_m, y_m = x + 0.5 * dx, y + 0.5 * dy
    area = 0.5 * np.sum(x * dy - y * dx)
    polar = np.sum((x_m**2 + y_m**2) * (x_m * dy - y_m * dx)) / 4.0
    whole = 2.0 * 61 * gear.b
    assert gear.mass(7850.0) == pytest.approx(7850.0 * whole * abs(area), rel=1e-7)  # chords of 20 000 steps
    assert gear.inertia(7850.0) == pytest.approx(7850.0 * whole * abs(polar), rel=1e-7)


@pytest.mark.parametrize(
    ("numbers", "quantity", "remedy"),
    [
        ({"tip_alteration_factor": 0.9}, "tip diameter", "tip_alteration_factor"),
        ({"z": 26, "rim_diameter": 150e-3}, "tip diameter", "tip_alteration_factor to"),
        ({"rim_diameter": 254e-3}, "rim diameter", "increase rim_diameter_mm"),
        ({"cutter": PinionCutter(z=61)}, "teeth of the cutter", "cutter_teeth"),
        ({"rack": BasicRack(root_radius_factor=0.38), "cutter": PinionCutter(z=20, x=0.2)}, "root radius", "reduce"),
        ({"cutter": PinionCutter(z=14, x=0.9)}, "tip thickness of the cutter", "cutter_profile_shift"),
        ({"cutter": PinionCutter(z=50)}, "depth to which the cutter trims", "reduce cutter_teeth from 50"),
        ({"x": 2.0}, "tip", "tip_alteration_factor"),
        ({"z": 8}, "teeth of the ring", "correct teeth"),
    ],
)
def test_impossible_rings_are_named(numbers: dict[str, object], quantity: str, remedy: str) -> None:
    with pytest.raises(Fault) as fault:
        ring(**numbers)
    assert quantity in fault.value.quantity
    assert remedy in fault.value.remedy


def test_tips_of_a_ring_are_relieved() -> None:
    """Half the thickness of its teeth is what the formula of the involute says, and deviations are held against it."""
    one = ring(tip_alteration_factor=-0.1)
    roll_length, half = one._half_thickness
    expected = [0.5 * one.s_at(-float(np.hypot(one.r_b, xi))) for xi in roll_length]
    np.testing.assert_allclose(half, expected, rtol=1e-3)  # a chord is shorter than its arc
    start = abs(one.d_a) + 1.2 * one.m_n
    relieved = one.with_microgeometry(Microgeometry(tip_relief=30e-6, tip_relief_start_diameter=start))
    tip = relieved.tooth_profile.roll_length_tip
    assert float(relieved.flank_removal(np.array([tip]), np.zeros(1))[0]) == pytest.approx(30e-6, rel=1e-9)
    with pytest.raises(Fault, match="flank deviation at diameter"):
        one.with_microgeometry(Microgeometry(tip_relief=one.s_at(one.r_a), tip_relief_start_diameter=start))


@pytest.mark.parametrize(("z", "x", "beta", "rho"), [(24, -0.516, 0.0, 0.3e-3), (61, 0.2, 15.0, 0.8e-3)])
def test_a_fillet_touches_root_circle_and_flank(z: int, x: float, beta: float, rho: float) -> None:
    """Of a ring that is not shaped, by points alone: one radius about a centre that is rho from circle and flank."""
    made = InternalGear(
        z=z, m_n=3e-3, x=x, b=20e-3, beta=radians(beta), rim_diameter=z * 4.2e-3, root_fillet_radius=rho
    )
    profile = made.tooth_profile
    s = np.linspace(profile.s_root, profile.s_tip, 20_001)
    w, t = profile.points(s).view(complex)[:, 0], profile.tangents(s).view(complex)[:, 0]
    np.testing.assert_allclose(np.abs(np.diff(w)), np.diff(s), rtol=1e-4)  # chords: one curve, without a gap
    assert np.abs(np.diff(t)).max() < 2.0 * (s[1] - s[0]) / rho  # nor a corner
    fillet = (s < 0.0) & (s > profile.s_root_circle)
    a, b, c = w[fillet][[0, fillet.sum() // 2, -1]]
    # centre of the circle through three points
    middle = (abs(a) ** 2 * (b - c) + abs(b) ** 2 * (c - a) + abs(c) ** 2 * (a - b)) / (
        a.conjugate() * (b - c) + b.conjugate() * (c - a) + c.conjugate() * (a - b)
    )
    np.testing.assert_allclose(np.abs(w[fillet] - middle), rho, rtol=1e-9)  # round-off of a circle by three points
    assert abs(middle) + rho == pytest.approx(abs(made.r_f), rel=1e-12)
    assert np.abs(w[s >= 0.0] - middle).min() == pytest.approx(rho, rel=1e-6)  # points of the flank


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"root_fillet_radius": 3e-3}, r"= 3.0: must be from 0.04 to 1.*give root_fillet_radius_mm = 1"),
        ({"root_fillet_radius": 1e-6}, "root fillet radius .*give root_fillet_radius_mm = 0.04"),
        ({"root_fillet_radius": 1e-3, "cutter": PinionCutter(z=20)}, "must be left out with a cutter"),
    ],
)  # fmt: skip
def test_impossible_fillets_are_named(numbers: dict[str, object], words: str) -> None:
    with pytest.raises(Fault, match=words):
        ring(**numbers)
    with pytest.raises(Fault, match="width of the tooth space at the root circle"):
        FormedRoot(z=-61, m_n=4e-3, r_b=-114.6e-3, r_f=-140e-3, psi_b=-0.015, rho=1e-3)


def test_a_tip_that_runs_into_a_fillet_is_refused() -> None:
    """Teeth of so little clearance that the pinion comes as deep as the round of the space."""
    low = BasicRack(dedendum_factor=1.02, root_radius_factor=0.0)
    made = InternalGear(
        z=61, m_n=4e-3, b=30e-3, rim_diameter=280e-3, rack=low, tip_alteration_factor=-0.2, root_fillet_radius=1.2e-3
    )
    pinion = Gear(z=22, m_n=4e-3, b=30e-3, bore_diameter=20e-3)
    with pytest.raises(Fault, match="depth of the pinion's tip in the root of the wheel"):
        GearPair(pinion=pinion, wheel=made)
