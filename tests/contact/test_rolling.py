"""Contacts of relieved flanks against two profiles that are turned and held against each other point by point."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import alegear as ag
from alegear.contact.rolling import FlankRolling

SPEED = 100.0  # rad/s of the pinion


def pair_of(beta: float = 0.0, ring: bool = False, **flank: Any) -> ag.GearPair:
    micro = ag.Microgeometry(**flank)
    pinion = ag.Gear(z=21, m_n=2e-3, beta=beta, x=0.2, b=16e-3, bore_diameter=20e-3, microgeometry=micro)
    wheel: ag.Gear | ag.InternalGear
    if ring:
        wheel = ag.InternalGear(
            z=67, m_n=2e-3, b=16e-3, rim_diameter=155e-3, tip_alteration_factor=-0.2, microgeometry=micro
        )
    else:
        wheel = ag.Gear(z=34, m_n=2e-3, beta=-beta, x=-0.1, b=16e-3, bore_diameter=30e-3, microgeometry=micro)
    return ag.GearPair(pinion=pinion, wheel=wheel)


def relieved(amount: float = 30e-6, shape: str = "linear", **other: Any) -> ag.GearPair:
    return pair_of(tip_relief=amount, tip_relief_start="end of single contact", tip_relief_shape=shape, **other)


class Touch(NamedTuple):
    roll: tuple[float, float]  # of the material of both flanks
    sliding: float
    rolling: tuple[float, float]


class Held:
    """Both flanks about their contact, in coordinates across and along the line of action, from its end T1."""

    def __init__(self, pair: ag.GearPair, place: float) -> None:
        self.pair, self.line = pair, pair.line_of_action
        self.radii = [gear.r_b for gear in pair.gears]
        self.axes = np.array([[-self.radii[0], 0.0], [self.radii[1], self.line]])
        self.places = (place, self.line - place)

    def flank(self, gear: int) -> tuple[np.ndarray, np.ndarray]:
        one, profile = self.pair.gears[gear], self.pair.gears[gear].tooth_profile
        middle, r_b = self.places[gear], self.radii[gear]
        low, high = max(middle - 1.5e-3, profile.roll_length_form), min(middle + 1.5e-3, profile.roll_length_tip)
        xi = np.linspace(low, high, 6001)
        angle = (xi - middle) / r_b
        normal = np.stack([np.sin(angle), np.cos(angle)], axis=1)
        radial = np.stack([np.cos(angle), -np.sin(angle)], axis=1)
        if gear == 1:
            normal, radial = -normal, -radial
        removal = one.flank_removal(xi, 0.0) / math.cos(one.beta_b)
        return xi, self.axes[gear] + r_b * radial + (xi - removal)[:, None] * normal

    def touch(self) -> Touch:
        (xi_1, one), (xi_2, two) = self.flank(0), self.flank(1)
        order = np.argsort(two[:, 0])
        across = two[order, 0]
        over = np.flatnonzero((one[:, 0] > across[0]) & (one[:, 0] < across[-1]))
        gap = np.interp(one[over, 0], across, two[order, 1]) - one[over, 1]
        at = int(over[np.argmin(gap)])
        point = one[at]
        other = int(np.argmin(np.abs(two[:, 0] - point[0])))
        speeds = (SPEED, -SPEED * self.radii[0] / self.radii[1])
        velocity = []
        for omega, axis in zip(speeds, self.axes, strict=True):
            x, y = point - axis
            velocity.append(omega * np.array([-y, x]))
        # at a kink of the one flank the tangent is that of the other
        tangents = []
        for curve, k in ((one, at), (two, other)):
            before, after = curve[k] - curve[k - 20], curve[k + 20] - curve[k]
            bend = abs(float(before[0] * after[1] - before[1] * after[0])) / float(before @ before)
            tangents.append((bend, np.sign(after[0]) * after / np.hypot(*after)))
        tangent = min(tangents, key=lambda one: one[0])[1]
        v_1, v_2 = (-float(v @ tangent) for v in velocity)
        return Touch((float(xi_1[at]), float(xi_2[other])), v_1 - v_2, (v_1, v_2))


def inner_places(pair: ag.GearPair, n: int) -> np.ndarray:
    low, high = pair.path_of_contact_usable
    return np.linspace(low + 4e-4, high - 4e-4, n)


@pytest.mark.parametrize("ring", [False, True])
@pytest.mark.parametrize("shape", ["parabolic", "linear"])
def test_relieved_flanks_slide_as_two_turned_profiles(shape: str, ring: bool) -> None:
    pair = relieved(shape=shape, ring=ring)
    rolling = FlankRolling(pair=pair)
    omega = SPEED * np.array([1.0, pair.pinion.z / abs(pair.wheel.z)])
    pitch_point, off = pair.roll_length_pitch_point, []
    for place in inner_places(pair, 31):
        true = Held(pair, float(place)).touch()
        phase = (place - pitch_point) / pair.p_bt
        found = rolling.of(np.array([[[true.roll[0]]]]), np.array([phase]), np.array([[0]]))
        v_1, v_2 = omega[0] * found.rho_1.item(), omega[1] * found.rho_2.item()
        scale = (omega[0] + np.sign(pair.wheel.z) * omega[1]) * 1e-3  # of a millimetre from the pitch point
        off.append(abs(true.roll[0] - place))
        # the pinion is behind by what is removed, which the deflection makes up for; what is left is 3 um of up to 1 mm
        behind = 1e3 * float(pair.pinion.flank_removal(true.roll[0], 0.0))
        assert v_1 - v_2 == pytest.approx(true.sliding + behind * scale, abs=3e-3 * scale)
        if shape == "parabolic":  # beside a kink the normal is that of neither flank alone
            assert (v_1, v_2) == pytest.approx(true.rolling, rel=4e-3)
        assert found.wheel_roll_length.item() == pytest.approx(abs(true.roll[1]), abs=1e-5)
        if abs(place - pitch_point) > 5e-5:
            assert np.sign(v_1 - v_2) == np.sign(place - pitch_point)
    assert max(off) > 1e-4  # what the roll length of the material is beside the line of action


def test_at_a_kink_velocities_are_between_those_beside_it() -> None:
    """While the contact stays at the kink of the wheel's relief the pinion is passed back: the phase tells where."""
    pair = relieved()
    rolling, places = FlankRolling(pair=pair), np.linspace(5.6e-3, 7.0e-3, 57)
    touches = [Held(pair, float(place)).touch() for place in places]
    roll = np.array([one.roll[0] for one in touches])
    assert np.diff(roll).min() < 0.0
    phase = (places - pair.roll_length_pitch_point) / pair.p_bt
    found = rolling.of(roll[:, None, None], phase, np.zeros((len(roll), 1), dtype=np.int64))
    u = pair.wheel.z / pair.pinion.z
    sliding = SPEED * (found.rho_1 - found.rho_2 / u)[:, 0, 0]
    np.testing.assert_allclose(sliding, [one.sliding for one in touches], atol=5e-3 * SPEED * 1e-3)
    # a phase that is off by the deflection, or by half a pitch as on back flanks, does little harm
    for error, worst in ((30e-6, 35e-6), (0.5 * pair.p_bt, 6e-4)):
        there = rolling.of(roll[:, None, None], phase + error / pair.p_bt, np.zeros((len(roll), 1), dtype=np.int64))
        other = SPEED * (there.rho_1 - there.rho_2 / u)[:, 0, 0]
        assert np.abs(other - sliding).max() < SPEED * (1.0 + 1.0 / u) * worst


@pytest.mark.parametrize("flank", [{}, {"lead_crowning": 8e-6, "end_relief": 5e-6, "end_relief_length": 2e-3}])
@pytest.mark.parametrize("ring", [False, True])
def test_without_relief_contacts_lie_on_the_line_of_action(flank: dict[str, float], ring: bool) -> None:
    pair = pair_of(ring=ring, **flank)
    xi = np.tile(inner_places(pair, 5)[:, None, None], (1, 2, 3))
    xi[1, 1, 1] = np.nan
    found = FlankRolling(pair=pair).of(xi, np.linspace(3.0, 4.0, 5), np.full((5, 2), 7))
    np.testing.assert_array_equal(found.rho_1, xi)
    np.testing.assert_array_equal(found.rho_2, np.abs(pair.line_of_action - xi))
    np.testing.assert_array_equal(found.wheel_roll_length, found.rho_2)


def test_an_unmodified_stretch_of_a_relieved_flank_is_as_without() -> None:
    pair = relieved()
    xi = np.array([pair.roll_length_pitch_point])[:, None, None]
    found = FlankRolling(pair=pair).of(xi, np.zeros(1), np.zeros((1, 1), dtype=np.int64))
    np.testing.assert_array_equal(found.rho_1, xi)
    np.testing.assert_allclose(found.rho_2, pair.line_of_action - xi, rtol=1e-15)


def test_contacts_of_a_helical_pair_are_those_of_its_sections() -> None:
    """The phase of a slice is ahead by its twist, its slopes are those of its own place across the face."""
    pair, phase = relieved(beta=math.radians(20.0)), np.array([-0.4])
    low, high = pair.common_face
    z = np.linspace(low, high, 6)
    z = 0.5 * (z[1:] + z[:-1])
    places = pair.contact_roll_lengths(phase[0], "pinion", z)[0]
    inside = (places > pair.path_of_contact[0] + 4e-4) & (places < pair.path_of_contact[1] - 4e-4)
    touches = [Held(pair, float(place)).touch() if good else None for place, good in zip(places, inside, strict=True)]
    roll = np.array([np.nan if one is None else one.roll[0] for one in touches])
    found = FlankRolling(pair=pair).of(roll[None, None], phase, np.zeros((1, 1), dtype=np.int64))
    sliding = SPEED * (found.rho_1 - found.rho_2 * pair.pinion.z / pair.wheel.z)[0, 0]
    expected = [np.nan if one is None else one.sliding for one in touches]
    assert inside.sum() >= 3
    np.testing.assert_allclose(sliding, expected, atol=4e-3 * SPEED * 1e-3)


def test_contacts_at_the_ends_stay_finite() -> None:
    for pair in (relieved(60e-6), relieved(60e-6, ring=True)):
        low, high = pair.pinion.tooth_profile.roll_length_form, pair.pinion.tooth_profile.roll_length_tip
        xi = np.linspace(low - 1e-3, high + 1e-3, 301)[:, None, None]
        for phase in (None, np.linspace(-2.0, 2.0, 301)):
            found = FlankRolling(pair=pair).of(xi, phase)
            assert all(np.isfinite(values).all() for values in found)
