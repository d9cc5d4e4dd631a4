"""Flank deviations: their values at the ends of the flank, their sum, what does not fit the flank."""

from dataclasses import fields
from math import radians
from time import process_time

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import Gear, Microgeometry, Topography

UM = 1e-6
ROUND_OFF = 1e-18  # of micrometres, in metres


def gear(beta: float = 0.0, **micro: object) -> Gear:
    return Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3, beta=beta, microgeometry=Microgeometry(**micro))


def profile_places(one: Gear) -> np.ndarray:
    """Roll lengths below the root form circle, there, a quarter, half, three quarters up, at the tip and beyond."""
    form, tip = one.tooth_profile.roll_length_form, one.tooth_profile.roll_length_tip
    return np.array([0.0, *np.linspace(form, tip, 5), 1.1 * tip])


@pytest.mark.parametrize("beta", [0.0, radians(15.0)])
@pytest.mark.parametrize(
    ("micro", "expected_um"),
    [
        ({"profile_crowning": 8 * UM}, [8, 8, 2, 0, 2, 8, 8]),
        ({"profile_crowning": -8 * UM}, [-8, -8, -2, 0, -2, -8, -8]),
        ({"profile_slope": 8 * UM}, [0, 0, 2, 4, 6, 8, 8]),
        ({"profile_slope": -8 * UM}, [0, 0, -2, -4, -6, -8, -8]),
    ],
)
def test_profile_over_the_roll_length(beta: float, micro: dict, expected_um: list[float]) -> None:
    one = gear(beta, **micro)
    removal = one.flank_removal(profile_places(one), np.zeros(7))
    np.testing.assert_allclose(removal, np.array(expected_um) * UM, atol=ROUND_OFF)


@pytest.mark.parametrize(
    ("micro", "expected_um"),
    [
        ({"lead_crowning": 8 * UM}, [8, 2, 0, 2, 8]),
        ({"lead_crowning": -8 * UM}, [-8, -2, 0, -2, -8]),
        ({"helix_slope": 8 * UM}, [-4, -2, 0, 2, 4]),
        ({"helix_slope": -8 * UM}, [4, 2, 0, -2, -4]),
        ({"end_relief": 8 * UM, "end_relief_length": 10e-3}, [8, 2, 0, 2, 8]),
        ({"end_relief": 8 * UM, "end_relief_length": 15e-3}, [8, 4, 0, 4, 8]),
        ({"end_relief": 8 * UM, "end_relief_length": 1e-3}, [8, 0, 0, 0, 8]),
    ],
)
def test_lead_over_the_face(micro: dict, expected_um: list[float]) -> None:
    """At both ends, half-way and at mid-face; the end relief is linear over its length."""
    one = gear(**micro)
    z = np.array([-15e-3, -7.5e-3, 0.0, 7.5e-3, 15e-3])
    removal = one.flank_removal(one.roll_length(np.full(5, 42e-3)), z)
    np.testing.assert_allclose(removal, np.array(expected_um) * UM, atol=ROUND_OFF)


@pytest.mark.parametrize(("shape", "power"), [("linear", 1), ("parabolic", 2)])
def test_reliefs_grow_from_their_start(shape: str, power: int) -> None:
    one = gear(
        tip_relief=20 * UM,
        tip_relief_start_diameter=85e-3,
        tip_relief_shape=shape,
        root_relief=12 * UM,
        root_relief_start_diameter=79e-3,
        root_relief_shape=shape,
    )
    form, tip = one.tooth_profile.roll_length_form, one.tooth_profile.roll_length_tip
    tip_start, root_start = one.roll_length(np.array([42.5e-3, 39.5e-3]))
    roll = [0.0, form, 0.5 * (form + root_start), root_start, tip_start, 0.5 * (tip_start + tip), tip, 2.0 * tip]
    expected = [12, 12, 12 * 0.5**power, 0, 0, 20 * 0.5**power, 20, 20]
    # 1e-15: the roll length of the start is a root, half-way between is a difference
    np.testing.assert_allclose(one.flank_removal(roll, 0.0), np.array(expected) * UM, atol=1e-15 * 1e-3 + ROUND_OFF)


def test_deviations_add_up() -> None:
    """Of profile, lead and topography, one by one and together."""
    plain = gear()
    form, tip = plain.tooth_profile.roll_length_form, plain.tooth_profile.roll_length_tip
    parts = [
        {"tip_relief": 20 * UM, "tip_relief_start_diameter": 85e-3},
        {"root_relief": 5 * UM, "root_relief_start_diameter": 79e-3},
        {"profile_crowning": 3 * UM, "profile_slope": -2 * UM},
        {"lead_crowning": 6 * UM, "helix_slope": 4 * UM},
        {"end_relief": 7 * UM, "end_relief_length": 4e-3},
        {"topography": Topography(roll_length=[form, tip], z=[-15e-3, 15e-3], removal=[[0.0, 4 * UM], [-2 * UM, 0.0]])},
    ]
    random = np.random.default_rng(1)
    roll, z = random.uniform(form, tip, 50), random.uniform(-15e-3, 15e-3, 50)
    together = gear(**{key: value for part in parts for key, value in part.items()})
    one_by_one = sum(gear(**part).flank_removal(roll, z) for part in parts)
    np.testing.assert_allclose(together.flank_removal(roll, z), one_by_one, atol=1e-20)  # round-off
    # pitch deviations are the teeth's own, not the flank's
    assert not gear(pitch_deviation=np.full(20, 5 * UM)).flank_removal(roll, z).any()


def test_removal_has_the_shape_of_its_places() -> None:
    topography = Topography(roll_length=[8e-3, 20e-3], z=[-15e-3, 15e-3], removal=[[0.0, 4 * UM], [2 * UM, 0.0]])
    one = gear(lead_crowning=3 * UM, topography=topography)
    assert one.flank_removal(0.01, 0.0).shape == ()
    assert one.flank_removal(np.full(4, 0.01), 0.0).shape == (4,)
    assert one.flank_removal(np.full((4, 1), 0.01), np.zeros((1, 3))).shape == (4, 3)


def test_helix_slope_is_a_tilt() -> None:
    """The slope b tilt undoes a tilt in the plane of action, which closes the gap by z tilt: linear, 0 at mid-face."""
    tilt = 1e-4
    one = gear(helix_slope=30e-3 * tilt)
    z = np.linspace(-15e-3, 15e-3, 7)
    np.testing.assert_allclose(one.flank_removal(np.full(7, 0.015), z), tilt * z, atol=ROUND_OFF)


class TestPitchDeviation:
    def test_default_is_none(self) -> None:
        deviation = gear().pitch_deviation
        assert deviation.shape == (20,)
        assert not deviation.any()

    def test_is_by_tooth_and_cannot_be_written(self) -> None:
        given = UM * np.arange(20.0)
        one = gear(pitch_deviation=given)
        np.testing.assert_array_equal(one.pitch_deviation, given)
        given[0] = 1.0
        assert one.pitch_deviation[0] == 0.0
        with pytest.raises(ValueError, match="read-only"):
            one.pitch_deviation[0] = 1.0

    def test_adds_to_left_flanks_what_it_takes_from_right_ones(self) -> None:
        given = UM * np.arange(20.0)
        one = gear(pitch_deviation=given)
        np.testing.assert_array_equal(one.displacement("a"), given)
        np.testing.assert_array_equal(one.displacement("b"), -given)
        turned = one.with_microgeometry(one.microgeometry.from_other_end())  # what was left is right
        np.testing.assert_array_equal(turned.displacement("a"), -given)
        np.testing.assert_array_equal(turned.displacement("b"), given)
        assert not gear().displacement("b").any()
        assert gear().microgeometry.from_other_end().pitch_deviation is None

    def test_needs_a_value_for_each_tooth(self) -> None:
        with pytest.raises(Fault, match="number of pitch deviations") as fault:
            gear(pitch_deviation=np.zeros(19))
        assert fault.value.value == 19
        assert "from 0 to 19" in fault.value.remedy
        with pytest.raises(Fault, match="pitch deviation"):
            gear(pitch_deviation=np.full(20, 2e-3))
        with pytest.raises(Fault, match="pitch deviations"):
            Microgeometry(pitch_deviation=[0.0, float("nan")])

    def test_counts_against_the_next_tooth(self) -> None:
        """An eccentric gear goes slowly to and fro; a single tooth far behind would leave the window of its load."""
        runout = 200 * UM * np.sin(2.0 * np.pi * np.arange(20) / 20)
        np.testing.assert_array_equal(gear(pitch_deviation=runout).pitch_deviation, runout)
        behind = np.zeros(20)
        behind[-1] = -200 * UM
        with pytest.raises(Fault, match="against the next tooth") as fault:
            gear(pitch_deviation=behind)
        assert fault.value.value == pytest.approx(200.0)


class TestCopies:
    def test_other_deviations_on_the_same_gear(self) -> None:
        plain = gear()
        changed = plain.with_microgeometry(Microgeometry(lead_crowning=5 * UM))
        assert changed.flank_removal(0.01, 15e-3) == pytest.approx(5 * UM, rel=1e-12)
        assert plain.flank_removal(0.01, 15e-3) == 0.0
        assert changed.tooth_profile is plain.tooth_profile
        for field in fields(Gear):
            if field.name != "microgeometry":
                assert getattr(changed, field.name) == getattr(plain, field.name)

    def test_are_checked(self) -> None:
        with pytest.raises(Fault, match="tip relief start"):
            gear().with_microgeometry(Microgeometry(tip_relief=5 * UM, tip_relief_start_diameter=95e-3))

    def test_are_cheap(self) -> None:
        """A study of 500 variants must not wait for them."""
        plain = gear()
        plain.with_microgeometry(Microgeometry(lead_crowning=UM))
        start = process_time()
        for i in range(100):
            plain.with_microgeometry(
                Microgeometry(tip_relief=i * UM, tip_relief_start_diameter=85e-3, lead_crowning=UM)
            )
        assert process_time() - start < 1.0  # measured 0.02 s; generating a profile alone takes longer


@pytest.mark.parametrize(
    ("micro", "quantity", "key"),
    [
        ({"tip_relief": -1e-6, "tip_relief_start_diameter": 84e-3}, "tip relief [um]", "tip_relief_um"),
        ({"root_relief": -1e-6, "root_relief_start_diameter": 78e-3}, "root relief [um]", "root_relief_um"),
        ({"end_relief": -1e-6, "end_relief_length": 1e-3}, "end relief [um]", "end_relief_um"),
        ({"end_relief": float("nan"), "end_relief_length": 1e-3}, "end relief [um]", "end_relief_um"),
        ({"lead_crowning": float("nan")}, "lead crowning", "lead_crowning_um"),
        ({"profile_crowning": float("inf")}, "profile crowning", "profile_crowning_um"),
        ({"profile_slope": float("nan")}, "profile slope", "profile_slope_um"),
        ({"helix_slope": float("nan")}, "helix slope", "helix_slope_um"),
        ({"tip_relief": 20e-6}, "tip relief start", "tip_relief_start_diameter_mm"),
        ({"root_relief": 20e-6}, "root relief start", "root_relief_start_diameter_mm"),
        ({"end_relief": 20e-6}, "end relief length", "end_relief_length_mm"),
        ({"end_relief": 20e-6, "end_relief_length": -1e-3}, "end relief length", "end_relief_length_mm"),
        ({"tip_relief_shape": "cubic"}, "Microgeometry.tip_relief_shape", "tip_relief_shape"),
        ({"root_relief_shape": "cubic"}, "Microgeometry.root_relief_shape", "root_relief_shape"),
        # beyond the flank, whose ends are 75.6714 and 89.6 mm
        ({"tip_relief": 5e-6, "tip_relief_start_diameter": 89.6e-3}, "tip relief start", "tip_relief_start"),
        ({"tip_relief": 5e-6, "tip_relief_start_diameter": 75.6e-3}, "tip relief start", "tip_relief_start"),
        ({"tip_relief": 5e-6, "tip_relief_start_diameter": float("nan")}, "tip relief start", "tip_relief_start"),
        ({"root_relief": 5e-6, "root_relief_start_diameter": 89.7e-3}, "root relief start", "root_relief_start"),
        ({"root_relief": 5e-6, "root_relief_start_diameter": 75.6e-3}, "root relief start", "root_relief_start"),
        ({"end_relief": 5e-6, "end_relief_length": 15.1e-3}, "end relief length", "end_relief_length_mm"),
        # deeper than half the tooth, 1.3 mm at the tip and 4.2 mm at the root form circle
        ({"tip_relief": 1.4e-3, "tip_relief_start_diameter": 84e-3}, "flank deviation", "tip_relief_um"),
        ({"root_relief": 4.5e-3, "root_relief_start_diameter": 79e-3}, "flank deviation", "root_relief_um"),
        ({"profile_crowning": -1.4e-3}, "flank deviation", "profile_crowning_um"),
        ({"profile_slope": 1.4e-3}, "flank deviation", "profile_slope_um"),
        ({"helix_slope": -3e-3}, "flank deviation", "helix_slope_um"),
        ({"lead_crowning": 1.4e-3, "helix_slope": 1e-3}, "flank deviation", "lead_crowning_um"),
        ({"end_relief": 1.4e-3, "end_relief_length": 1e-3}, "flank deviation", "end_relief_um"),
    ],
)
def test_impossible_deviation_is_a_fault(micro: dict, quantity: str, key: str) -> None:
    with pytest.raises(Fault) as fault:
        gear(**micro)
    assert fault.value.quantity.startswith(quantity)
    assert fault.value.limit
    assert key in fault.value.remedy


def test_starts_without_a_relief_do_not_matter() -> None:
    """A case file may keep them beside a relief of 0."""
    one = gear(tip_relief_start_diameter=200e-3, root_relief_start_diameter=1e-3)
    assert not one.flank_removal(profile_places(one), np.zeros(7)).any()


def test_limits_of_the_starts_are_allowed() -> None:
    """A relief over the whole flank, up or down."""
    flank = gear()
    down = gear(root_relief=5 * UM, root_relief_start_diameter=flank.d_a)
    up = gear(tip_relief=5 * UM, tip_relief_start_diameter=flank.d_Ff)
    ends = np.array([flank.tooth_profile.roll_length_form, flank.tooth_profile.roll_length_tip])
    # 1e-12 m: a diameter is rounded, its roll length at the base circle's height moves with its root
    np.testing.assert_allclose(down.flank_removal(ends, 0.0), [5 * UM, 0.0], atol=1e-12)
    np.testing.assert_allclose(up.flank_removal(ends, 0.0), [0.0, 5 * UM], atol=1e-12)


def test_a_relief_start_that_is_an_array_is_refused():
    with pytest.raises(Fault, match=r"tip_relief_start = a ndarray"):
        Microgeometry(tip_relief=1e-5, tip_relief_start=np.zeros(3))
