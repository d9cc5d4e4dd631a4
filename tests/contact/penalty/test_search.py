"""Which points may touch, and how far they are apart: against brute force and against the closed form of involutes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from contact_answers import gap_at
from numpy.testing import assert_allclose
from scipy.interpolate import CubicHermiteSpline
from small_pair import RELIEVED, contact_pair, flank_of, gear_pair, rotations

from alegear.contact.numbering import PINION, SPIN, WHEEL
from alegear.contact.penalty import _kernels as kernels
from alegear.contact.penalty.search import ContactSearch, SearchRoom
from alegear.contact.penalty.shares import pass_shares
from alegear.geometry import Microgeometry

ON_THE_CURVE = 1e-11  # [m] by which the tabulated flank may leave the involute


@pytest.fixture(scope="module", params=["pinion", "wheel"])
def driver(request):
    return request.param


@pytest.fixture(scope="module")
def contact(driver):
    return contact_pair(driver=driver)


# ------------------------------------------------------------------------------------------------ brute force
def at(curves, of_point, s, order):
    """Points of curves (n,) at s (n,), or their derivatives, shape (n, 2)."""
    out = np.empty((len(s), 2))
    for k, curve in enumerate(curves):
        out[of_point == k] = curve(s[of_point == k], order)
    return out


def project_every_gauss_point(search, phi, reach, deepest=2e-4):
    """Project without spheres, from the nearest of all knots; {(secondary, slot, Gauss point): gap}.

    Points deeper than `deepest` [m] are behind the tooth, not in it.
    """
    found = {}
    for secondary in (PINION, WHEEL):
        s_flank, p_flank = search.flanks[secondary], search.flanks[1 - secondary]
        curves = [
            CubicHermiteSpline(knots, curve[:, :2], curve[:, 2:])
            for knots, curve in zip(p_flank.knots, p_flank.curve, strict=True)
        ]
        of_point = p_flank.curve_of[s_flank.gauss_section]
        low, high = p_flank.knots[of_point, 0], p_flank.knots[of_point, -1]
        for slot in range(search.n_pairs):
            turn_s, turn_p = (np.exp(1j * search.tooth_angle(g, phi, slot)) for g in (secondary, 1 - secondary))
            axis = search.a_w if secondary == WHEEL else -search.a_w
            point = (s_flank.gauss_xy.view(complex)[:, 0] * turn_s + axis) / turn_p
            point = np.column_stack([point.real, point.imag])
            distance = np.linalg.norm(point[:, None] - p_flank.curve[of_point, ::3, :2], axis=2)
            s = p_flank.knots[of_point, 3 * distance.argmin(axis=1)]
            for _ in range(8):
                off, t = point - at(curves, of_point, s, 0), at(curves, of_point, s, 1)
                slope = (off * at(curves, of_point, s, 2)).sum(axis=1) - (t * t).sum(axis=1)
                s = np.clip(s - (off * t).sum(axis=1) / slope, low, high)
            off, t = point - at(curves, of_point, s, 0), at(curves, of_point, s, 1)
            normal = p_flank.side * np.column_stack([-t[:, 1], t[:, 0]]) / np.linalg.norm(t, axis=1)[:, None]
            gap = (off * normal).sum(axis=1)
            perpendicular = (np.abs((off * t).sum(axis=1)) < 1e-9) & (search.shares[secondary] > 0.0)
            for i in np.flatnonzero(perpendicular & (gap <= reach) & (gap > -deepest)):
                found[secondary, slot, int(i)] = gap[i]
    return found


def by_key(candidates):
    secondary = np.where(np.arange(len(candidates)) < candidates.n_pass0, PINION, WHEEL)
    keys = zip(secondary.tolist(), candidates.slot.tolist(), candidates.gauss.tolist(), strict=True)
    return dict(zip(keys, candidates.rigid_gap, strict=True))


def deeply_relieved(search):
    """The same search with 60 um off tips and face ends: the unmodified flanks overlap far beyond the reach."""
    flanks = []
    for member, (gear, start) in enumerate(zip(gear_pair().gears, (82e-3, 115e-3), strict=True)):
        micro = Microgeometry(tip_relief=60e-6, tip_relief_start_diameter=start, lead_crowning=60e-6)
        flanks.append(flank_of(replace(gear, microgeometry=micro), member))
    return ContactSearch(
        flanks=(flanks[0], flanks[1]),
        reference_angle=search.reference_angle,
        pitch_angle=search.pitch_angle,
        n_pairs=search.n_pairs,
        a_w=search.a_w,
        shares=pass_shares(gear_pair(), (flanks[0], flanks[1]), 0.5),
    )


def one_pass(search, secondary, **changes):
    """The search with one gear as the only secondary one, on all of its flank."""
    flanks = changes.get("flanks", search.flanks)
    shares = [np.full(len(flank.gauss_s), float(gear == secondary)) for gear, flank in enumerate(flanks)]
    return replace(search, shares=(shares[0], shares[1]), **changes)


@pytest.mark.parametrize("variant", ["pinion drives", "wheel drives", "deep relief"])
def test_finds_what_brute_force_finds(variant):
    driver = "wheel" if variant == "wheel drives" else "pinion"
    model = contact_pair(driver=driver)
    search = deeply_relieved(model.search) if variant == "deep relief" else model.search
    rng = np.random.default_rng(8)
    number = 0
    for _ in range(10):
        deflection = rng.uniform(0.0, 8e-5)
        phi = rotations(model, rng.uniform(-1.0, 2.5), deflection, driver)
        reach = rng.uniform(1e-6, 3e-5)
        found, expected = by_key(search.find(SearchRoom(), phi, reach)), project_every_gauss_point(search, phi, reach)
        assert found.keys() == expected.keys()
        number += len(found)
        assert_allclose(
            [found[k] for k in expected], list(expected.values()), rtol=0.0, atol=1e-14
        )  # round-off of 0.1 m
    assert number > 100  # there was something to find


def test_buffers_grow_on_demand(contact, driver):
    phi = rotations(contact, 0.4, 6e-5, driver)
    room = SearchRoom(3)
    assert by_key(contact.search.find(room, phi, 1e-4)) == by_key(contact.search.find(SearchRoom(), phi, 1e-4))
    assert len(room.table) == room.n > 3


def test_a_pass_without_share_is_not_searched(contact, driver):
    phi = rotations(contact, 0.4, 6e-5, driver)
    both = contact.search.find(SearchRoom(), phi, 1e-5)
    only_first, only_second = (one_pass(contact.search, gear).find(SearchRoom(), phi, 1e-5) for gear in (PINION, WHEEL))
    assert only_first.n_pass0 == len(only_first) >= both.n_pass0 > 0
    assert only_second.n_pass0 == 0 < len(only_second)
    for gear, single in ((PINION, only_first), (WHEEL, only_second)):
        area = contact.flanks[gear].gauss_area[single.gauss]
        assert_allclose(single.table[:, kernels.AREA], area)
        rows = both.passes[gear]
        share = contact.search.shares[gear][both.gauss[rows]]
        expected = contact.flanks[gear].gauss_area[both.gauss[rows]] * share
        assert_allclose(both.table[rows, kernels.AREA], expected)


@pytest.mark.parametrize("pass_weight", [0.0, 0.3, 0.5, 1.0])
def test_an_edge_is_always_the_secondary_one(contact, pass_weight):
    """On tip rounds and where they touch one pass counts; between, conjugate points share as the law says."""
    pair, flanks = contact.pair, contact.flanks
    shares = pass_shares(pair, flanks, pass_weight)
    roll = [
        g.tooth_profile.roll_length(np.clip(f.gauss_s, 0.0, g.tooth_profile.s_tip))
        for g, f in zip(pair.gears, flanks, strict=True)
    ]
    for gear in (PINION, WHEEL):
        tip = flanks[gear].gauss_s > flanks[gear].flank_ends[1]
        assert tip.any()
        assert (shares[gear][tip] == 1.0).all()
        # half a millimetre of the mating flank above the place that this tip touches
        tip_roll = roll[gear][tip].min()
        low = pair.gears[1 - gear].tooth_profile.s_at_roll_length(pair.line_of_action - tip_roll)
        assert (shares[1 - gear][flanks[1 - gear].gauss_s < low + 0.25e-3] == 0.0).all()
        assert ((shares[gear] >= 0.0) & (shares[gear] <= 1.0)).all()
    middle = 0.5 * sum(pair.path_of_contact)
    for gear, place, expected in (
        (PINION, middle, pass_weight),
        (WHEEL, pair.line_of_action - middle, 1.0 - pass_weight),
    ):
        near = np.abs(roll[gear] - place) < 0.3e-3
        assert near.any()
        assert_allclose(shares[gear][near], expected)
    # at conjugate points both add up to one
    order = np.argsort(roll[WHEEL])
    conjugate = np.interp(pair.line_of_action - roll[PINION], roll[WHEEL][order], shares[WHEEL][order])
    on_path = (roll[PINION] > pair.path_of_contact[0] + 1e-3) & (roll[PINION] < pair.path_of_contact[1] - 1e-3)
    assert_allclose((shares[PINION] + conjugate)[on_path], 1.0, atol=0.03)  # between the points of the wheel


# ------------------------------------------------------------------------------------------------ closed form
def involute_gap(contact, phi, candidates):
    """Distance of each Gauss point from the primary involute, in closed form.

    The tangent from a point to the base circle is a normal of the involute. It has the length sqrt(r^2 - r_b^2) up to
    the point and r_b (psi_b - theta) up to the involute, theta being the polar angle of its point of tangency.
    """
    gap = np.full(len(candidates), np.nan)  # inside the base circle no tangent exists
    for secondary, rows in enumerate(candidates.passes):
        primary = 1 - secondary
        flank, gear = contact.flanks[secondary], contact.pair.gears[primary]
        profile = gear.tooth_profile
        slot = candidates.slot[rows]
        turn_s, turn_p = (np.exp(1j * contact.search.tooth_angle(g, phi, slot)) for g in (secondary, primary))
        axis = contact.pair.a_w if secondary == WHEEL else -contact.pair.a_w
        point = (flank.gauss_xy.view(complex)[candidates.gauss[rows], 0] * turn_s + axis) / turn_p
        if flank.side < 0.0:
            point = point.conj()
        outside = np.abs(point) > profile.r_b
        point = point[outside]
        theta = np.angle(point) - np.arccos(profile.r_b / np.abs(point))
        length = np.sqrt(np.abs(point) ** 2 - profile.r_b**2)
        gap[np.arange(len(gap))[rows][outside]] = length - profile.r_b * (profile.psi_b - theta)
    return gap


def on_involute(contact, candidates):
    """Whether foot point and Gauss point lie on the involutes, clear of root, tip round and relief."""
    clear = np.empty(len(candidates), dtype=bool)
    for secondary, rows in enumerate(candidates.passes):
        gauss_s = contact.flanks[secondary].gauss_s[candidates.gauss[rows]]
        foot_s = candidates.table[rows, kernels.S_FOOT]
        ends = [gear.tooth_profile.s_tip - 2.0 * gear.tip_rounding_radius for gear in contact.pair.gears]
        clear[rows] = (gauss_s > 2e-5) & (gauss_s < ends[secondary]) & (foot_s > 2e-5) & (foot_s < ends[1 - secondary])
    return clear


def test_gap_of_involutes(contact, driver):
    number = 0
    for phase in np.linspace(-0.7, 2.9, 13):
        phi = rotations(contact, phase, 1e-5, driver)
        candidates = contact.search.find(SearchRoom(), phi, 1e-4)
        here = on_involute(contact, candidates)
        assert_allclose(
            candidates.rigid_gap[here], involute_gap(contact, phi, candidates)[here], rtol=0.0, atol=ON_THE_CURVE
        )
        number += here.sum()
    assert number > 500


def test_normal_and_tangent_are_those_of_the_line_of_action(contact, driver):
    """The foot's normal goes through the base circle's point of tangency: its lever arm is r_b."""
    candidates = contact.search.find(SearchRoom(), rotations(contact, 0.3, 1e-5, driver), 1e-4)
    here = on_involute(contact, candidates)
    t = candidates.table
    for secondary, rows in enumerate(candidates.passes):
        rows = np.arange(len(candidates))[rows][here[rows]]
        lever = t[rows, kernels.X_X] * t[rows, kernels.NY] - t[rows, kernels.X_Y] * t[rows, kernels.NX]
        side = contact.flanks[0].side
        assert_allclose(side * lever, contact.pair.gears[1 - secondary].r_b, rtol=1e-8)  # tangents right to 1e-9
        assert_allclose(np.hypot(t[rows, kernels.NX], t[rows, kernels.NY]), 1.0, rtol=1e-14)
        assert_allclose(t[rows, kernels.TX] * t[rows, kernels.NX] + t[rows, kernels.TY] * t[rows, kernels.NY], 0.0)


@pytest.mark.parametrize("secondary", [PINION, WHEEL])
def test_conjugate_flanks_touch_at_every_phase(contact, driver, secondary):
    """In exact position a Gauss point touches when it lies on the line of action; no other point overlaps."""
    pair, flank = contact.pair, contact.flanks[secondary]
    gear = pair.gears[secondary]
    roll = gear.tooth_profile.roll_length(np.unique(flank.gauss_s[flank.gauss_s > 2e-5]))
    at_pitch_point, _ = pair.contact_roll_lengths(0.0, driver)
    at_pitch_point = float(at_pitch_point) if secondary == PINION else pair.line_of_action - float(at_pitch_point)
    rising = 1.0 if (secondary == PINION) == (driver == "pinion") else -1.0
    phases = rising * (roll - at_pitch_point) / pair.p_bt
    phase_in, phase_out = pair.engagement(driver)
    inside = phases[(phases > phase_in + 0.1) & (phases < phase_out - 0.1)]
    assert len(inside) > 10
    for phase in inside:
        search = one_pass(contact.search, secondary, n_pairs=1)
        gap = search.find(SearchRoom(), rotations(contact, phase, 0.0, driver), 1e-6).rigid_gap
        assert gap.min() == pytest.approx(0.0, abs=2 * ON_THE_CURVE)


def test_the_gap_grows_with_the_square_of_the_distance_from_the_contact(contact, driver):
    """g = s^2 (1/rho_1 + 1/rho_2)/2 beside the contact at the pitch point."""
    candidates = contact.search.find(SearchRoom(), rotations(contact, 0.0, 0.0, driver), 1e-4)
    rho_1, rho_2 = (float(r) for r in contact.pair.curvature_radii(0.0, driver))
    for secondary, rows in enumerate(candidates.passes):
        rows = np.arange(len(candidates))[rows][candidates.slot[rows] == 0]
        gear = contact.pair.gears[secondary]
        s_w = gear.tooth_profile.s_at_radius(np.array([0.5 * contact.pair.d_w[secondary]]))
        s = contact.flanks[secondary].gauss_s[candidates.gauss[rows]] - s_w
        near = np.abs(s) < 5e-4
        exact = 0.5 * s[near] ** 2 * (1.0 / rho_1 + 1.0 / rho_2)
        assert near.sum() >= 4
        assert_allclose(candidates.rigid_gap[rows][near], exact, rtol=0.08)  # next term: s/rho of 5e-4/7e-3


@pytest.mark.parametrize("gear", [PINION, WHEEL])
def test_turning_the_primary_back_opens_by_r_b_times_the_angle(contact, driver, gear):
    """Exact for every point: turned by dphi the involute moves along all its normals by r_b dphi."""
    search = one_pass(contact.search, 1 - gear)
    phi = rotations(contact, 0.2, 2e-5, driver)
    turned = phi.copy()
    back = -2e-4 if (gear == PINION) == (driver == "pinion") else 2e-4  # the driver back, the driven gear ahead
    turned[gear] += back
    before, after = search.find(SearchRoom(), phi, 1e-4), search.find(SearchRoom(), turned, 1e-4)
    gap = by_key(before)
    clear = [k for k, ok in zip(by_key(after), on_involute(contact, after), strict=True) if ok]
    opened = np.array([by_key(after)[k] - gap[k] for k in clear])
    assert len(opened) > 20
    assert_allclose(opened, abs(back) * contact.pair.gears[gear].r_b, rtol=0.0, atol=2 * ON_THE_CURVE)


def test_both_gears_turned_in_their_ratio_keep_the_approach(contact, driver):
    """Rolling along the line of action: the deepest overlap is the driver's lead, whatever the phase."""
    driving = 3e-5
    for phase in np.linspace(*contact.pair.engagement(driver), 9)[2:-2]:
        deepest = -gap_at(contact, rotations(contact, phase, driving, driver), 1e-5)
        spacing = 1.1e-3 / 4 * 1.4  # four Gauss points on an element of 1.1 mm, unevenly
        # the nearest Gauss point lies up to half a spacing off the contact: s^2/(2 rho_red), rho_red above 5 mm
        assert driving - (0.5 * spacing) ** 2 / (2.0 * 5e-3) < deepest < driving + ON_THE_CURVE


# ------------------------------------------------------------------------------------------------ microgeometry
def test_relief_and_crowning_open_the_gap():
    """The gap to a modified flank is that to the involute plus what was removed at the foot."""
    contact = contact_pair(microgeometry=RELIEVED)
    at_the_tip = on_involutes = 0
    for phase in np.linspace(-0.6, 2.8, 9):
        phi = rotations(contact, phase, 2e-5)
        candidates = contact.search.find(SearchRoom(), phi, 1e-4)
        removed = np.empty(len(candidates))
        for secondary, rows in enumerate(candidates.passes):
            other = contact.pair.gears[1 - secondary]
            z = contact.flanks[secondary].gauss_z[candidates.gauss[rows]]
            foot_s = candidates.table[rows, kernels.S_FOOT]
            removed[rows] = other.flank_removal(other.tooth_profile.roll_length(foot_s), z)
        here = on_involute(contact, candidates)
        error = np.abs(candidates.rigid_gap - involute_gap(contact, phi, candidates) - removed)
        # removal times the square of its slope of 1e-2; the foot is counted along the modified flank, which is longer
        # by the removal times the turn: 12e-6 times 0.2, times the slope
        assert error[here].max() < 3e-8
        unmodified = error[here & (removed == 0.0)]
        assert (unmodified < ON_THE_CURVE).all()
        on_involutes += len(unmodified)
        at_the_tip += int((here & (removed > 4e-6)).sum())
    assert at_the_tip > 20
    assert on_involutes > 20


@pytest.mark.parametrize("shape", ["linear", "parabolic"])
def test_the_gap_at_the_tip_is_the_relief(shape):
    """A wheel's Gauss point on the line of action next to the pinion's tip: the gap is C_a of that place."""
    contact = contact_pair()
    pinion = replace(
        contact.pair.pinion,
        tip_rounding=0.0,
        microgeometry=Microgeometry(tip_relief=30e-6, tip_relief_start_diameter=85e-3, tip_relief_shape=shape),
    )
    flank = flank_of(pinion, PINION)
    search = one_pass(contact.search, WHEEL, flanks=(flank, contact.flanks[1]), n_pairs=1)
    profile, wheel = pinion.tooth_profile, contact.pair.wheel
    gauss_s = np.unique(contact.flanks[1].gauss_s)
    roll_pinion = contact.pair.line_of_action - wheel.tooth_profile.roll_length(gauss_s)
    usable = roll_pinion < profile.roll_length_tip - 0.05e-3  # the tip is rounded by 0.002 mm
    xi = roll_pinion[usable].max()
    phase = (xi - contact.pair.roll_length_pitch_point) / contact.pair.p_bt
    found = search.find(SearchRoom(), rotations(contact, phase, 0.0), 1e-4)
    touching = contact.flanks[1].gauss_s[found.gauss] == gauss_s[usable][roll_pinion[usable].argmax()]
    exact = pinion.flank_removal(np.array([xi]), 0.0)[0]
    assert exact > 20e-6
    assert touching.sum() == 4  # all Gauss points across the face
    # removal times the square of its slope of 1e-2
    assert_allclose(found.rigid_gap[touching], exact, rtol=0.0, atol=1e-8)


def test_lead_crowning_is_a_parabola_across_the_face():
    contact = contact_pair()
    wheel = replace(contact.pair.wheel, microgeometry=Microgeometry(lead_crowning=10e-6))
    flanks = (contact.flanks[0], flank_of(wheel, WHEEL))
    phi = rotations(contact, 0.1, 1e-5)
    found = one_pass(contact.search, PINION, flanks=flanks).find(SearchRoom(), phi, 1e-4)
    here = on_involute(contact, found)
    assert here.sum() > 20
    z = contact.flanks[PINION].gauss_z[found.gauss]
    opened = found.rigid_gap - involute_gap(contact, phi, found)
    assert_allclose(opened[here], 10e-6 * (2.0 * z[here] / wheel.b) ** 2, rtol=0.0, atol=ON_THE_CURVE)


# ------------------------------------------------------------------------------------------------ frames
def test_teeth_stand_where_their_pair_touches(contact, driver):
    """At phase k the flanks of pair k go through the pitch point, on the line of centres."""
    for slot in range(contact.n_pairs):
        phi = rotations(contact, float(slot), 0.0)
        for gear in (PINION, WHEEL):
            r_w = 0.5 * contact.pair.d_w[gear]
            x, y = contact.pair.gears[gear].tooth_profile.points(
                contact.pair.gears[gear].tooth_profile.s_at_radius(np.array([r_w]))
            )[0]
            angle = contact.search.tooth_angle(gear, phi, slot) + math.atan2(contact.flanks[gear].side * y, x)
            expected = 0.0 if gear == PINION else math.pi
            assert math.remainder(angle - expected, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-14)


def test_the_next_slot_lies_one_pitch_behind():
    contact = contact_pair()
    phi = np.array([0.3, 0.2])
    for gear in (PINION, WHEEL):
        first, second = contact.search.tooth_angle(gear, phi, np.array([0, 1]))
        assert SPIN[gear] * (first - second) == pytest.approx(2.0 * math.pi / contact.pair.gears[gear].z, rel=1e-14)
