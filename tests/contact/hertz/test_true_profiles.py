"""Separation of one unloaded pair against brute force: relief on round and sharp tips, added material, all of the path.

The table of all combinations is computed by ``validation/tip_edges/run.py``.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from closed_form.modified_pairs import compare, modified_pair, true_gear
from closed_form.true_profiles import TruePair
from contact_answers import forces_at, points_at
from line_pairs import OMEGA, contact_of, pair_of, rotations, solve

from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.model_kernels import G_X, GAP
from alegear.contact.numbering import loaded_flank
from alegear.errors import Fault
from alegear.geometry import GearPair, Microgeometry

REACH = 4e-4  # m
MIDDLE = 1  # of three slices, at mid-face
AS_TRUE = 1e-7  # m, the aim; what is left is the arc of a sharp tip as points, some 1e-8


def separation(contact: LineContact, phase: float) -> float:
    """Rotation of the wheel until pair 0 touches at mid-face, times its base radius [m]; NaN out of reach."""
    phi = phase * contact.pitch_angle
    start, r_b = phi[1], contact.pair.wheel.r_b
    for _ in range(50):
        table, pair, k = points_at(contact, phi, REACH)
        table = table[(pair == 0) & (k == MIDDLE)]
        if not len(table):
            return np.nan
        nearest = table[table[:, GAP].argmin()]
        step = nearest[GAP] / nearest[G_X + 1]
        phi = phi - np.array([0.0, step])
        if abs(step) * r_b < 1e-12:
            break
    return float((start - phi[1]) * r_b)


@pytest.mark.parametrize(
    ("name", "amount", "rounding", "shape", "relieved"),
    [
        ("spur", 0.0, 0.0, "linear", (0, 1)),
        ("spur", 20e-6, 10e-6, "linear", (0, 1)),
        pytest.param("spur", 20e-6, 0.0, "parabolic", (1,), marks=pytest.mark.thorough),
        ("spur", 60e-6, 10e-6, "parabolic", (0, 1)),
        ("spur", 60e-6, None, "linear", (0, 1)),
        ("helical", 20e-6, 0.0, "linear", (0, 1)),
        ("helical", 60e-6, 10e-6, "linear", (1,)),
    ],
)
def test_separation_is_that_of_the_true_profiles(name, amount, rounding, shape, relieved):
    """Tip edges off the line of action included; among them phases where flank and edge come equally near."""
    phases = np.concatenate([np.linspace(-0.9, 1.0, 20), [-0.68, 0.901, 0.925, 0.9271, 0.93]])
    pair, true = modified_pair(pair_of(name), amount, rounding, shape, relieved)
    contact = contact_of(name, pair=pair, n_slices=3)
    rows = compare(true, lambda phase: separation(contact, phase), phases)
    assert len(rows) > 15
    off = np.abs(rows[:, 2] - rows[:, 1])
    assert off.max() < AS_TRUE
    edge = rows[:, 1] > 1.2 * amount + 1e-6  # beyond the ends of the path
    assert np.count_nonzero(edge) > 1


@pytest.mark.parametrize("slope", [-60e-6, 60e-6, 150e-6])
def test_added_material_and_deep_removal(slope):
    """A profile slope that adds material at the tip, or removes fifteen times the radius of the tip round."""
    gears, true = [], []
    for gear in pair_of("spur").gears:
        gear = replace(gear, tip_rounding=10e-6, microgeometry=Microgeometry(profile_slope=slope))
        profile = gear.tooth_profile
        form, tip = profile.roll_length_form, profile.roll_length_tip

        def removal(xi, form=form, tip=tip):
            return slope * (xi - form) / (tip - form)

        gears.append(gear)
        true.append(replace(true_gear(gear), removal=removal))
    pair, dense = GearPair(pinion=gears[0], wheel=gears[1]), TruePair(pinion=true[0], wheel=true[1])
    contact = contact_of("spur", pair=pair, n_slices=3)
    rows = [(dense.separation(p), separation(contact, p)) for p in np.linspace(-0.9, 0.9, 13)]
    rows = np.array([row for row in rows if abs(row[0]) < 2e-4])
    assert len(rows) > 3
    np.testing.assert_allclose(rows[:, 1], rows[:, 0], atol=AS_TRUE)


def test_a_section_of_a_crowned_tooth_has_a_tip_edge_of_its_own():
    crowned = replace(
        pair_of("spur").pinion,
        tip_rounding=5e-6,
        microgeometry=Microgeometry(lead_crowning=50e-6, profile_crowning=20e-6),
    )
    made = crowned.modified_profile(np.array([-0.5, -0.3, 0.0]) * crowned.b)
    for section, removed in enumerate((70e-6, 38e-6, 20e-6)):  # at the tip: lead + profile
        assert made.removed(made.s_start[:, None])[0][section, 0] == pytest.approx(removed, abs=0.3e-6)
        # the round touches the tip circle, and goes on where the flank ends
        assert np.hypot(*made.centre[section]) + made.radius == pytest.approx(crowned.r_a, rel=1e-14)
    before, after = (made.curve(made.s_start[:, None] + way) for way in (-1e-9, 1e-9))
    np.testing.assert_allclose(before[0], after[0], atol=3e-9)
    before, after = (along / np.linalg.norm(along, axis=2)[..., None] for _, along in (before, after))
    np.testing.assert_allclose(before, after, atol=5e-4)  # 2e-9 m of a round of 5e-6 m
    assert all(one > other for one, other in pairwise(made.s_start))


def test_a_removal_that_leaves_no_tip_is_refused():
    gear = pair_of("spur").pinion
    with pytest.raises(Fault, match="tip thickness"):
        gear.with_microgeometry(Microgeometry(tip_relief=1.2e-3, tip_relief_start_diameter=83.2e-3))


def test_the_load_of_a_pair_leaves_an_undercut_edge_without_a_jump():
    """Wheel drives, deflections of a tenth of a millimetre: flank, edge and root of the pinion one after the other.

    With only the nearest place in each slice there were phases without equilibrium (T/(b m^2) of 1.4 GPa). The tip
    round of the wheel comes into a strip that the undercut edge is in, too, at -0.149 pitches.
    """
    contact = contact_of("undercut", flank=loaded_flank("wheel", 680.0), n_slices=2)

    def share_at(phases):
        torques = [solve(contact, p, 680.0, driver="wheel", first_pair=-1).forces.pair_torque[:, 0] for p in phases]
        return np.array([of_pair[0] / of_pair.sum() for of_pair in torques])

    phases = np.arange(-0.18, -0.04, 0.0025)
    share = share_at(phases)
    assert share[0] > 0.38
    assert share[-1] == 0.0
    steps = np.diff(share)
    assert steps.min() > -0.03  # where the root has let go, as of an edge that leaves: 1/80 of a pitch for a third
    # the pair is a little stiffer while edge and root carry together
    assert steps.max() < 0.01
    # continuous, where the change is largest and where rounds meet: a quarter of the step makes a quarter of the change
    # in the end, a jump would stay. Beside a kink the steeper side takes over, so the first quarters may make more.
    for at in (int(steps.argmax()), int(steps.argmin()), int(np.searchsorted(phases, -0.149)) - 1):
        coarse, low, high = abs(steps[at]), phases[at], phases[at + 1]
        for _ in range(4):
            before = coarse
            finer = np.linspace(low, high, 5)
            changes = np.abs(np.diff(share_at(finer)))
            largest = int(changes.argmax())
            coarse, low, high = changes[largest], finer[largest], finer[largest + 1]
        assert coarse < before / 3.5
        assert coarse < abs(steps[at]) / 30.0


def test_two_points_in_a_slice_know_of_each_other():
    """Where flank and tip round carry together: torques and energy have the derivatives told, G is symmetric."""
    pair = pair_of("spur")
    gears = [
        replace(
            gear,
            tip_rounding=1e-5,
            microgeometry=Microgeometry(
                tip_relief=20e-6, tip_relief_start_diameter=diameter, tip_relief_shape="linear"
            ),
        )
        for gear, diameter in zip(pair.gears, (83.2e-3, 120e-3), strict=True)
    ]
    contact = contact_of("spur", pair=GearPair(pinion=gears[0], wheel=gears[1]))
    solved = solve(contact, -0.095, 400.0, first_pair=-1)
    phi, data = solved.phi, solved.data
    at = forces_at(contact, phi, OMEGA, data=data, first_pair=-1, energy=True)
    assert _places_loaded(data) > 1
    active = np.nonzero(data.points.loads.active[: data.points.found.count[0]])[0]
    G = data.points.coupling.G[np.ix_(active, active)]
    np.testing.assert_allclose(G, G.T, rtol=1e-12)
    step = 1e-8
    for x, e in enumerate(np.eye(2)):
        up, down = (
            forces_at(contact, phi + s * step * e, OMEGA, data=data, first_pair=-1, energy=True) for s in (1.0, -1.0)
        )
        assert _places_loaded(data) > 1
        np.testing.assert_allclose(at.torque_phi[:, x], (up.torque - down.torque) / (2.0 * step), rtol=2e-6)
        assert at.energy_torque[x] == pytest.approx(-(up.energy - down.energy) / (2.0 * step), rel=5e-4)


def _places_loaded(data):
    """Most loaded points of one pair in one slice."""
    found = data.points.found
    n = found.count[0]
    loaded = np.nonzero(data.points.loads.active[:n])[0]
    keys = np.stack([found.side_of[loaded], found.pair_of[loaded], found.slice_of[loaded]], axis=1)
    return np.unique(keys, axis=0, return_counts=True)[1].max()


def test_points_without_room_are_not_left_out():
    contact = contact_of("spur", n_slices=3)
    phi = rotations(contact, 0.1, 20e-6)
    data = contact.new_data()
    found = data.points.found
    data = replace(data, points=data.points._replace(found=found._replace(table=found.table[:2])))
    for ask in (lambda: forces_at(contact, phi, data=data), lambda: points_at(contact, phi, REACH, data=data)):
        with pytest.raises(Fault, match=r"positions at which pairs come near = [34567]"):
            ask()
