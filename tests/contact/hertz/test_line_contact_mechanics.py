"""Line contact against mechanics: gaps of conjugate flanks, balance of forces, mirror images, limits."""

import numpy as np
import pytest
from contact_answers import forces_at, gap_at, points_at
from line_pairs import OMEGA, contact_of, pair_of, rotations, solve

from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.approach_kernels import curve_at
from alegear.contact.law import Friction
from alegear.contact.line_contact import half_width, peak_pressure
from alegear.geometry import Microgeometry

flanks = pytest.mark.parametrize("flank", ["a", "b"])
hands = pytest.mark.parametrize("name", ["spur", "helical", "left"])
TILTED = {"tilt_plane_of_action": 3e-4, "tilt_normal": -2e-4, "axial_offset": 2e-3}


def on_the_path(contact, phi):
    """Points that touch on both involutes: their gaps and axial places."""
    table, _, k = points_at(contact, phi, 1e-4)
    tip = [side.samples[0, -7, 0] for side in contact.sides[0][1:3]]
    inside = np.all((table[:, 1:3] > 1e-4) & (table[:, 1:3] < np.array(tip) - 1e-4), axis=1)
    assert inside.any()
    return table[inside, kernels.GAP], contact.face.z[k[inside]], table[inside, 1]


@hands
@flanks
@pytest.mark.parametrize("leading", [0, 1])
def test_conjugate_flanks_overlap_by_what_they_are_turned(name, flank, leading):
    contact = contact_of(name, flank=flank, axial_offset=1e-3, center_distance_error=30e-6)
    gap, _, _ = on_the_path(contact, rotations(contact, 0.04, 20e-6, leading=leading))
    # knots 8 um apart: the cubic between them follows the involute to 1e-12 m
    np.testing.assert_allclose(gap, -20e-6 * np.cos(contact.pair.beta_b), atol=1e-12)


@flanks
def test_tilt_in_the_plane_of_action_closes_the_gap_at_plus_z(flank):
    tilt = 3e-4
    contact = contact_of("spur", flank=flank, tilt_plane_of_action=tilt)
    gap, z, _ = on_the_path(contact, rotations(contact, 0.04, 20e-6))
    np.testing.assert_allclose(gap, -20e-6 - tilt * z, atol=1e-12)  # a shift along the line of action is a rotation
    contact = contact_of("spur", flank=flank, tilt_normal=tilt)
    gap, z, _ = on_the_path(contact, rotations(contact, 0.04, 20e-6))
    # across the line of action the gap changes in the second order: (tilt z)^2/(2 rho), rho of some 5 mm
    np.testing.assert_allclose(gap, -20e-6, atol=(tilt * 15e-3) ** 2 / 8e-3)


@hands
def test_removal_is_a_normal_offset(name):
    plain = contact_of(name)
    crowned = contact_of(name, modified="crowned")
    phi = rotations(plain, 0.04, 20e-6)
    before, z, s = on_the_path(plain, phi)
    after, _, _ = on_the_path(crowned, phi)
    pinion, wheel = crowned.pair.gears
    roll = pinion.tooth_profile.roll_length(s)
    removed = pinion.flank_removal(roll, z) + wheel.flank_removal(plain.pair.line_of_action - roll, z)
    # the closest point moves by the slope of the removal times the radius of curvature, a second order:
    # (1e-3)^2 of some 5 mm for a relief of 3 um over a tooth
    np.testing.assert_allclose(after - before, removed, atol=1e-8)


def test_a_tooth_with_a_pitch_deviation_comes_early_by_it():
    deviation = np.zeros(20)
    deviation[1] = 7e-6
    plain = contact_of("helical")
    early = contact_of("helical", pair=plain.pair.with_microgeometry(pinion=Microgeometry(pitch_deviation=deviation)))
    phi = rotations(plain, 0.5, 20e-6)
    (one, pair_of_one, _), (two, pair_of_two, _) = (points_at(c, phi, 1e-4) for c in (plain, early))
    np.testing.assert_array_equal(pair_of_one, pair_of_two)
    np.testing.assert_allclose(
        one[:, kernels.GAP] - two[:, kernels.GAP], np.where(pair_of_one == 1, 7e-6, 0.0), atol=1e-17
    )


def test_a_displaced_tooth_lacks_on_its_back_flank_what_it_has_on_the_loaded_one():
    deviation = np.zeros(20)
    deviation[1] = 7e-6
    plain = contact_of("spur", bodies="both")
    moved = contact_of(
        "spur", bodies="both", pair=plain.pair.with_microgeometry(pinion=Microgeometry(pitch_deviation=deviation))
    )
    phi = rotations(plain, 0.5, 0.0)
    for side, sign in enumerate((1.0, -1.0)):
        (before, pairs, _), (after, _, _) = (points_at(c, phi, 1.0, side=side) for c in (plain, moved))
        assert (pairs == 1).any()
        np.testing.assert_allclose(
            before[:, kernels.GAP] - after[:, kernels.GAP], np.where(pairs == 1, sign * 7e-6, 0.0), atol=1e-17
        )


def brute_gap(contact, phi, slot, k):
    """Closest approach of two sections by sampling pinion and wheel densely around the place found, as curves."""
    side = contact.sides[0]
    table, pairs, slices = points_at(contact, phi, 1e-4)
    row = table[(pairs == slot) & (slices == k)][0]
    places = []
    for gear in range(2):
        profile = (side.pinion, side.wheel)[gear]
        s = row[1 + gear] + np.linspace(-2e-4, 2e-4, 8001)
        here = profile.row_of[0, k]
        s = np.clip(s, profile.knots[here, 0], profile.samples[here, -1, 0])
        xy = np.array([curve_at(profile.knots[here], profile.curve[here], v)[:2] for v in s])
        psi = side.side * contact.tooth_angle(gear, phi, np.array(slot)) + side.sections[k, kernels.TWIST + gear]
        z = (xy[:, 0] + 1j * xy[:, 1]) * np.exp(1j * psi)
        places.append(z + (complex(*side.sections[k, kernels.AXIS : kernels.AXIS + 2]) if gear else 0.0))
    return places, row[kernels.GAP] / side.axial[0]


@pytest.mark.parametrize("modified", ["", "relieved"])
@pytest.mark.parametrize("phase", [-0.75, -0.55, 0.1, 0.62, 0.8])
def test_closest_approach_against_brute_force(phase, modified):
    """Flanks that are open: the smallest distance of two dense polygons, edge contact off the path included."""
    contact = contact_of("spur", modified=modified)
    (one, two), gap = brute_gap(contact, rotations(contact, phase, -30e-6), 0, 1)
    assert 25e-6 < gap < 99e-6
    near = np.abs(one[::8, None] - two[None, ::8])
    i, j = (8 * n for n in np.unravel_index(near.argmin(), near.shape))
    fine = np.abs(one[max(i - 40, 0) : i + 41, None] - two[None, max(j - 40, 0) : j + 41])
    # points 50 nm apart along curves at a distance of 30 um: (50 nm/2)^2/60 um = 1e-11 m
    np.testing.assert_allclose(gap, fine.min(), atol=1e-10)


@hands
@flanks
@pytest.mark.parametrize("kind", ["none", "coulomb"])
def test_forces_balance(name, flank, kind):
    """Torque of the wheel from the forces on it, thrust from the helix, moments from the places of the loads."""
    deviation = np.linspace(-8e-6, 8e-6, 30)
    pair = pair_of(name, "crowned").with_microgeometry(
        wheel=Microgeometry(pitch_deviation=deviation, lead_crowning=3e-6)
    )
    contact = contact_of(name, pair=pair, flank=flank, friction=Friction(kind=kind), axial_offset=2e-3)
    for phase in (-0.42, 0.08, 0.31):
        forces = forces_at(contact, rotations(contact, phase, 40e-6), OMEGA)
        force, moment = forces.force_on_pinion, forces.moment_on_pinion
        on_wheel = np.cross([-pair.a_w, 0.0, 0.0], -force) - moment
        # nothing but round-off: the tangents of the gaps are the arms of the forces
        np.testing.assert_allclose(moment[2], forces.torque[0], rtol=1e-10)
        np.testing.assert_allclose(on_wheel[2], -forces.torque[1], rtol=1e-10)
        if kind == "none":
            normal = forces.slices.line_load.sum() * contact.face.width
            side = 1.0 if flank == "a" else -1.0
            np.testing.assert_allclose(np.hypot(*force[:2]), normal * np.cos(pair.beta_b), rtol=2e-3)  # relief leans
            thrust = side * np.sin(pair.beta_b) * normal
            np.testing.assert_allclose(force[2], thrust, rtol=1e-12, atol=1e-12)


def test_tilting_moment_of_a_spur_pair():
    """Line loads times their places: the moment has no other part."""
    contact = contact_of("spur", tilt_plane_of_action=5e-4)
    forces = forces_at(contact, rotations(contact, 0.0, 30e-6), OMEGA)
    load = forces.slices.line_load.sum(axis=0) * contact.face.width
    centre = load @ contact.face.z / load.sum()
    assert centre > 1e-3
    x, y, _ = forces.force_on_pinion
    np.testing.assert_allclose(forces.moment_on_pinion[:2], [-centre * y, centre * x], rtol=1e-12)


@hands
def test_a_turn_by_a_pitch_changes_nothing(name):
    contact = contact_of(name, modified="crowned")
    one, two = solve(contact, 0.2, 300.0), solve(contact, 1.2, 300.0, first_pair=1)
    # angles of a few hundred milliradians carry round-off of 1e-16 rad over a stiffness of some 1e9 N m/rad
    np.testing.assert_allclose(one.deflection, two.deflection, rtol=1e-10)
    np.testing.assert_allclose(one.forces.slices.line_load, two.forces.slices.line_load, rtol=1e-8, atol=1e-3)


def same_loads(one, two, shift=0, face=1):
    """The loads of one state are those of another, pairs and slices renumbered."""
    expected = one.forces.slices.line_load[:: shift or 1, ::face]
    np.testing.assert_allclose(two.forces.slices.line_load, expected, atol=1e-8 * expected.max())


def test_left_hand_is_the_mirror_image_of_right_hand():
    """Mirrored at mid-face: the grids are mirror images, so only round-off differs."""
    for phase in (-0.3, 0.1):
        one = solve(contact_of("helical", tilt_plane_of_action=2e-4), phase, 300.0)
        two = solve(contact_of("left", tilt_plane_of_action=-2e-4), phase, 300.0)
        np.testing.assert_allclose(two.deflection, one.deflection, rtol=1e-10)
        same_loads(one, two, face=-1)
        mirror = [1.0, 1.0, -1.0]
        np.testing.assert_allclose(two.forces.force_on_pinion, one.forces.force_on_pinion * mirror, rtol=1e-9)


def test_tilt_of_the_other_sign_mirrors_the_line_load():
    one, two = (solve(contact_of("spur", tilt_plane_of_action=t), 0.1, 300.0) for t in (5e-4, -5e-4))
    assert one.forces.slices.line_load[:, -1].max() > 1.2 * one.forces.slices.line_load[:, 0].max()
    np.testing.assert_allclose(two.deflection, one.deflection, rtol=1e-10)
    same_loads(one, two, face=-1)


@pytest.mark.parametrize(("name", "mirrored"), [("spur", "spur"), ("helical", "left")])
def test_negative_torque_is_the_mirror_image(name, mirrored):
    """Mirrored at the plane of the axes: back flanks, other hand, phases and order of the pairs turned round."""
    one, two = contact_of(name), contact_of(mirrored, flank="b")
    n = one.n_pairs
    ahead = solve(one, 0.1, 300.0, first_pair=-1)
    back = solve(two, -0.1, -300.0, first_pair=2 - n)
    np.testing.assert_allclose(back.deflection, -ahead.deflection, rtol=1e-10)
    np.testing.assert_allclose(back.forces.torque, -ahead.forces.torque, rtol=1e-9)
    same_loads(ahead, back, shift=-1)


@pytest.mark.parametrize("name", ["spur", "helical"])
def test_names_of_the_gears_do_not_matter(name):
    """The pinion drives; or it is called wheel and drives: seen from the other shaft flanks b touch."""
    one = solve(contact_of(name), 0.1, 300.0)
    other = contact_of("swapped" if name == "spur" else "swapped helical", flank="b")
    two = solve(other, 0.1, 300.0 * 30 / 20, driver="wheel")
    # loads of the pinion's torque; edge contact changes the ratio of the torques by some 1e-8 between the phases
    np.testing.assert_allclose(two.deflection, one.deflection, rtol=1e-6)


def test_helix_angle_that_vanishes():
    one = contact_of("spur")
    two = contact_of("tiny", beta=np.radians(1e-4))
    for phase in (-0.45, -0.2, 0.1, 0.35):
        spur, helical = solve(one, phase, 300.0), solve(two, phase, 300.0)
        # the sections are turned by some 1e-6 rad, 40 nm at the tip, which moves the contact points by as much
        np.testing.assert_allclose(helical.deflection, spur.deflection, rtol=1e-5)
        load = spur.forces.slices.line_load
        np.testing.assert_allclose(helical.forces.slices.line_load, load, atol=1e-5 * load.max())


def test_faces_of_different_width_and_an_axial_offset():
    contact = contact_of("wide", axial_offset=-3e-3)
    assert contact.face.borders[[0, -1]] == pytest.approx([-15e-3, 15e-3], abs=1e-15)
    wide, narrow = solve(contact, 0.1, 300.0), solve(contact_of("spur"), 0.1, 300.0)
    assert narrow.deflection > wide.deflection > 0.9 * narrow.deflection  # the wider wheel helps a little
    contact = contact_of("spur", axial_offset=3e-3)
    assert contact.face.borders[[0, -1]] == pytest.approx([-15e-3, 12e-3], abs=1e-15)
    assert solve(contact, 0.1, 300.0).deflection > narrow.deflection


def test_strip_on_involutes_is_that_of_hertz():
    """At the pitch point with half-widths of a hundredth of the radius both flanks are as good as cylinders."""
    contact = contact_of("spur")
    slices = solve(contact, 0.0, 100.0).forces.slices
    q = slices.line_load[0]
    xi = slices.roll_length[0]
    rho = 1.0 / (1.0 / xi + 1.0 / (contact.pair.line_of_action - xi))
    b = half_width(q, rho, 0.5 * 2.06e11 / 0.91)
    # the curvature changes by b/xi over the strip, antisymmetric, so its square counts
    np.testing.assert_allclose(slices.half_width[0], b, rtol=1e-3)
    np.testing.assert_allclose(slices.pressure[0], peak_pressure(q, b), rtol=1e-3)


@pytest.mark.parametrize(("name", "modified"), [("spur", "relieved"), ("helical", "crowned")])
def test_rigid_limit_leaves_the_microgeometry(name, modified):
    """Stiff teeth turn until the flanks touch."""
    contact = contact_of(name, modified=modified, E=2.06e16)
    for phase in (-0.4, 0.1):
        solved = solve(contact, phase, 3.0, first_pair=-1)
        phi = rotations(contact, phase, 0.0, first_pair=-1)
        gap = gap_at(contact, phi, 1e-4, first_pair=-1) / np.cos(contact.pair.beta_b)
        # 3 N m bend the teeth by 10 nm/1e5; where a slice touches in part its end gives way with the root of that
        np.testing.assert_allclose(solved.deflection, gap, atol=3e-9)
