"""Which points of closest approach are looked at: sampled gaps, slices that are alike, no memory in the answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from contact_answers import forces_at, points_at
from line_pairs import OMEGA, contact_of, pair_of, rotations

from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.model_kernels import GAP
from alegear.contact.law import Friction
from alegear.geometry import Alignment, Microgeometry

PAIRS = ("spur", "helical", "undercut", "swapped helical")
NEAR = 0.05  # modules; so far the margin is made for, ten times what displacement closes


def drawn(seed: int) -> tuple[LineContact, np.random.Generator]:
    """A pair with a drawn microgeometry and alignment."""
    rng = np.random.default_rng(seed)
    pair = pair_of(PAIRS[seed % len(PAIRS)])
    gears = {}
    for place, gear in zip(("pinion", "wheel"), pair.gears, strict=True):
        profile = gear.tooth_profile
        r_form, r_tip = (math.hypot(gear.r_b, xi) for xi in (profile.roll_length_form, profile.roll_length_tip))
        gears[place] = Microgeometry(
            tip_relief=rng.uniform(0.0, 40e-6),
            tip_relief_start_diameter=2.0 * (r_tip - rng.uniform(0.1, 0.6) * (r_tip - r_form)),
            tip_relief_shape=("linear", "parabolic")[seed // 4 % 2],
            profile_crowning=rng.uniform(0.0, 15e-6),
            profile_slope=rng.uniform(-15e-6, 15e-6),
            lead_crowning=rng.uniform(0.0, 20e-6),
            helix_slope=rng.uniform(-20e-6, 20e-6),
            pitch_deviation=rng.uniform(-10e-6, 10e-6, gear.z),
        )
    tilt = rng.uniform(-2e-4, 2e-4, 2)
    pair = pair.with_microgeometry(**gears).with_alignment(
        Alignment(tilt_plane_of_action=tilt[0], tilt_normal=tilt[1], center_distance_error=rng.uniform(0.0, 5e-5))
    )
    return contact_of(PAIRS[seed % len(PAIRS)], bodies="both", pair=pair), rng


@pytest.mark.parametrize("seed", range(12))
def test_sampled_gaps_are_right_to_the_margin(seed: int) -> None:
    """No pair in any slice that is closed, or nearly so, is missed by looking at its samples."""
    contact, rng = drawn(seed)
    cos, data = float(contact.sides[0].axial[0]), contact.new_data()
    m_n, margin, counted = contact.pair.pinion.m_n, contact.model.margin, 0
    for _ in range(40):
        phi = rotations(contact, rng.uniform(-2.5, 2.5), rng.uniform(-50e-6, 50e-6), leading=int(rng.integers(2)))
        first_pair = int(rng.integers(40))
        for number in range(len(contact.sides)):
            reach = 0.3 * m_n
            table, slot, k = points_at(contact, phi, reach, side=number, data=data, first_pair=first_pair)
            place = data.points.found.place_of[: len(table)]
            estimate = data.points.found.estimate[number, slot, k, place]
            gap = table[:, GAP] / cos
            near = np.abs(gap) < NEAR * m_n
            counted += np.count_nonzero(near)
            assert np.abs(estimate - gap)[near].max(initial=0.0) < margin
    assert counted > 250


def unlike(contact: LineContact) -> LineContact:
    """The same contact that looks at every slice by itself."""
    same = LineContact.build(
        contact.pair, contact.bodies, flank=contact.flank, friction=contact.friction, n_slices=len(contact.face)
    )
    own = np.arange(len(contact.face))
    model = contact.model
    same.__dict__["model"] = model._replace(
        loaded=model.loaded._replace(identical_slice=own), back=model.back._replace(identical_slice=own)
    )
    return same


@pytest.mark.parametrize(
    ("options", "different"),
    [({}, 1), ({"modified": "crowned"}, 4), ({"modified": "relieved"}, 1), ({"name": "helical"}, 4)],
    ids=["spur", "crowned", "relieved", "helical"],
)
def test_slices_that_are_alike_give_what_each_gives_alone(options: dict, different: int) -> None:
    contact = contact_of(bodies="both", friction=Friction(kind="velocity"), **options)
    alone = unlike(contact)
    assert len(set(contact.model.loaded.identical_slice)) == different
    for phase in np.linspace(-0.5, 0.5, 7):
        phi = rotations(contact, phase, 15e-6)
        data = (contact.new_data(), alone.new_data())
        one, two = (forces_at(c, phi, OMEGA, data=d, energy=True) for c, d in zip((contact, alone), data, strict=True))
        found, others = (d.points.found for d in data)
        count = int(found.count[0])
        assert count == others.count[0] > 0
        np.testing.assert_array_equal(found.table[:count], others.table[:count])
        for name in ("b", "t", "e", "b_s", "t_s", "b_turn", "t_turn"):
            rows, rows_alone = (getattr(d.points.rows, name)[:, :count] for d in data)
            np.testing.assert_array_equal(rows, rows_alone)
        for name in ("torque", "pair_torque", "torque_phi", "torque_omega", "energy", "energy_torque"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


ANSWERS = {
    "spur": {},
    "back flanks too": {"modified": "thick", "bodies": "both"},
    "helical": {"name": "helical", "modified": "crowned"},
    "undercut": {"name": "undercut"},
    "tilted": {"tilt_plane_of_action": 3e-4},
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_do_not_depend_on_what_was_asked_before(name: str) -> None:
    contact = contact_of(friction=Friction(kind="velocity"), **ANSWERS[name])
    rng, data = np.random.default_rng(5), contact.new_data()
    for phase in rng.uniform(-0.6, 0.6, 12):
        phi, first_pair = rotations(contact, phase, rng.uniform(2e-6, 40e-6)), int(rng.integers(3))
        fresh = forces_at(contact, phi, OMEGA, first_pair=first_pair, energy=True)
        far = rotations(contact, rng.uniform(-0.6, 0.6), rng.uniform(-10e-6, 100e-6))
        forces_at(contact, far, 3.0 * OMEGA, data=data, first_pair=first_pair + int(rng.integers(-1, 2)))
        again = forces_at(contact, phi, OMEGA, data=data, first_pair=first_pair, energy=True)
        for response in ("torque", "pair_torque", "torque_phi", "torque_omega", "energy", "energy_torque"):
            one, two = (np.asarray(getattr(forces, response)) for forces in (fresh, again))
            # the loads are settled to 1e-12 of the largest
            np.testing.assert_allclose(one, two, rtol=0.0, atol=1e-10 * np.abs(one).max(), err_msg=response)
