"""The true flank as a contact surface: on the involute, round at the tip, grid held against it."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import small_pair
from families import mostly_thorough
from numpy.testing import assert_allclose

from alegear.contact.penalty import _kernels as kernels
from alegear.contact.penalty.flank import TOUCH, flank_surface
from alegear.errors import Fault
from alegear.geometry import Gear, Microgeometry
from alegear.mesh import GridOptions, mesh_sector

COARSE = GridOptions(
    flank_elements=6, fillet_elements=4, thickness_elements=4, width_elements=1, rim_elements=4, order=1
)
THIN = 0.193  # tip alteration
SPACING = 1e-5  # [m] of the knots on the flanks, at most
ON_THE_CURVE = 1e-11  # [m]; the tables promise 1e-12, a contact deflects 1e-5


def surface(gear, sector, flank="a", n_profile=4, n_face=2):
    return flank_surface(gear, sector, flank, gauss_profile=n_profile, gauss_face=n_face)


def curve(flank, s):
    """Point, first, second, third derivative (4, n, 2) at arc lengths s, in the first section."""
    values = [kernels.curve_at(flank.knots[0], flank.curve[0], x) for x in s]
    return np.array(values).reshape(len(s), 4, 2).transpose(1, 0, 2)


def arc_lengths(flank, low=None, high=None, n=400):
    """Places off the knots."""
    low = flank.knots[0, 0] if low is None else low
    high = flank.knots[0, -1] if high is None else high
    return low + (high - low) * (np.arange(n) + 0.5) / n


@pytest.fixture(scope="module", params=["pinion", "wheel"])
def member(request):
    index = ["pinion", "wheel"].index(request.param)
    gear = small_pair.gear_pair().gears[index]
    sector = small_pair.sectors()[index]
    return SimpleNamespace(gear=gear, sector=sector, flank=surface(gear, sector))


def start_of_tip_round(member):
    """Arc length where the circle that touches flank and tip circle leaves the flank."""
    profile, gear = member.gear.tooth_profile, member.gear
    s = np.linspace(0.0, profile.s_tip, 20001)
    centre = profile.points(s) - gear.tip_rounding_radius * profile.normals(s)
    return s[np.searchsorted(np.hypot(*centre.T), gear.r_a - gear.tip_rounding_radius)]


def test_the_curve_lies_on_the_true_profile(member):
    profile = member.gear.tooth_profile
    s = arc_lengths(member.flank, high=start_of_tip_round(member) - 2e-5)
    point, first, _, _ = curve(member.flank, s)
    off = np.linalg.norm(point - profile.points(s), axis=1)
    smooth = np.abs(s) > SPACING
    assert off[smooth].max() < ON_THE_CURVE
    assert off.max() < 1e-9  # between two knots the curvature jumps from fillet to involute, h^2/100 times the jump
    assert_allclose(first[smooth], profile.tangents(s)[smooth], rtol=0.0, atol=1e-7)  # h^3/100 times 1e10 1/m^3


def test_the_parameter_is_arc_length(member):
    first = curve(member.flank, arc_lengths(member.flank))[1]
    # where the curvature jumps (fillet to involute, involute to round) the speed is wrong by (h jump)^2/30
    assert_allclose(np.hypot(*first.T), 1.0, rtol=0.0, atol=1e-4)
    inside = arc_lengths(member.flank, 2e-5, start_of_tip_round(member) - 2e-5)
    assert_allclose(np.hypot(*curve(member.flank, inside)[1].T), 1.0, rtol=0.0, atol=1e-9)


def test_the_curve_bends_as_the_profile(member):
    s = arc_lengths(member.flank, 1e-4, start_of_tip_round(member) - 2e-5)
    _, first, second, third = curve(member.flank, s)
    kappa = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    exact = -member.gear.tooth_profile.curvature(s)  # outward normal: a convex flank bends away from it
    assert_allclose(kappa, exact, rtol=1e-5)  # h^2/12 times kappa''/kappa, below 1e7 1/m^2
    upper = s > 1e-3  # below, close to the base circle, the curvature changes from knot to knot
    along = (member.gear.tooth_profile.normals(s) * third).sum(axis=1)
    slope = np.gradient(exact, s, edge_order=2)
    # the third derivative of a cubic is constant: half a spacing of 1e-5 m times kappa''/kappa' of 1e3 1/m
    assert_allclose(along[upper], slope[upper], rtol=1e-2)


def test_the_tip_round_touches_flank_and_tip_circle(member):
    gear, flank = member.gear, member.flank
    end = flank.knots[0, -1]
    point, first = curve(flank, np.array([end]))[:2, 0]
    assert np.hypot(*point) == pytest.approx(gear.r_a, abs=ON_THE_CURVE)
    assert point @ first == pytest.approx(0.0, abs=1e-10)  # the tangent of the tip circle
    s = arc_lengths(flank, start_of_tip_round(member) + 2e-5)
    _, first, second, _ = curve(flank, s)
    bend = first[:, 1] * second[:, 0] - first[:, 0] * second[:, 1]
    assert_allclose(bend, 1.0 / gear.tip_rounding_radius, rtol=1e-3)  # (h/radius)^2/12 of a circle as cubics
    assert np.hypot(*curve(flank, s)[0].T).max() < gear.r_a + ON_THE_CURVE


def test_flank_b_is_the_mirror_image_of_flank_a(member):
    other = surface(member.gear, member.sector, "b")
    mirror = np.array([1.0, -1.0])
    assert (member.flank.side, other.side) == (1.0, -1.0)
    # rows and columns come from grid nodes, which Gmsh places to round-off
    assert_allclose(other.curve, member.flank.curve * [1.0, -1.0, 1.0, -1.0], atol=1e-12)
    assert_allclose(other.gauss_xy, member.flank.gauss_xy * mirror, atol=1e-12)
    assert_allclose(other.row_centre, member.flank.row_centre * mirror, atol=1e-12)


@pytest.mark.parametrize(("n_profile", "n_face"), [(1, 1), (4, 2), (7, 3), (None, 2)])
def test_gauss_points_integrate_over_the_flank(member, n_profile, n_face):
    flank = surface(member.gear, member.sector, "a", n_profile, n_face)
    low, tip, end = flank.grid.rows_s[0], flank.flank_ends[1], flank.knots[0, -1]
    width = np.ptp(flank.grid.cols_z)
    assert flank.gauss_area.sum() == pytest.approx((end - low) * width, rel=1e-13)
    below = flank.gauss_s < tip
    assert flank.gauss_area[below].sum() == pytest.approx((tip - low) * width, rel=1e-13)
    degree = 1 if n_profile is None else 2 * n_profile - 1
    exact = width * (tip ** (degree + 1) - low ** (degree + 1)) / (degree + 1)
    assert (flank.gauss_area * flank.gauss_s**degree)[below].sum() == pytest.approx(exact, rel=1e-12)


def test_points_are_as_close_as_the_curvature_needs(member):
    """Between two points flanks come nearer by the square of their distance over eight radii."""
    flank, m_n = surface(member.gear, member.sector, "a", None, 1), member.gear.m_n
    s = np.unique(flank.gauss_s)
    middle, apart = 0.5 * (s[1:] + s[:-1]), np.diff(s)
    roll = member.gear.tooth_profile.roll_length(np.clip(middle, 0.0, member.gear.tooth_profile.s_tip))
    radius = np.where(s[1:] > flank.flank_ends[1], member.gear.tip_rounding_radius, np.minimum(roll, m_n))
    sag = apart**2 / (8.0 * radius)
    across = np.array([(s[:-1] < place) & (s[1:] > place) for place in (0.0, flank.flank_ends[1])]).any(axis=0)
    # the radius is that of the middle of a facet, and next to the root form circle half of it
    assert sag[(middle > 1e-3) & ~across].max() < 1.2 * TOUCH * m_n
    assert sag[~across].max() > 0.6 * TOUCH * m_n  # and no closer


def test_gauss_points_lie_on_the_curve_and_carry_its_displacement(member):
    flank = member.flank
    assert_allclose(flank.gauss_xy, curve(flank, flank.gauss_s)[0], rtol=0.0, atol=ON_THE_CURVE)
    linear = flank.grid.rows_s[:, None] + 3.0 * flank.grid.cols_z
    interpolated = (flank.gauss_weights * linear.ravel()[flank.gauss_nodes]).sum(axis=1)
    assert_allclose(interpolated, flank.gauss_s + 3.0 * flank.gauss_z, atol=1e-15)


def test_the_grid_reaches_from_the_fillet_to_the_tip(member):
    profile = member.gear.tooth_profile
    assert member.flank.grid.rows_s[0] < 0.0
    assert member.flank.grid.rows_s[-1] == pytest.approx(profile.s_tip, abs=1e-9)  # nodes on the profile to 1e-12 m
    assert np.isclose(member.flank.grid.rows_s, 0.0, atol=1e-9).any()  # a row on the root form circle


def test_bounding_circles_and_spheres_hold_the_curved_facets(member):
    flank = member.flank
    n_cols = len(flank.grid.cols_z) - 1
    for row, (low, high) in enumerate(zip(flank.grid.rows_s[:-1], flank.grid.rows_s[1:], strict=True)):
        xy = curve(flank, np.linspace(low, high, 101))[0]
        assert np.linalg.norm(xy - flank.row_centre[row], axis=1).max() <= flank.row_radius[row]
        for column in range(n_cols):
            z = np.repeat(flank.grid.cols_z[[column, column + 1]], len(xy))
            points = np.column_stack([np.tile(xy, (2, 1)), z])
            k = row * n_cols + column
            assert np.linalg.norm(points - flank.sphere_centre[k], axis=1).max() <= flank.sphere_radius[k]


@pytest.mark.parametrize(
    ("shape", "crowning"),
    mostly_thorough(
        product(["linear", "parabolic"], [0.0, 7e-6]), always={("linear", 7e-6), ("parabolic", 0.0)}.__contains__
    ),
)
def test_the_flank_is_modified_before_its_edge_is_rounded(member, shape, crowning):
    """In each section the curve is the flank less what is removed, and then a round that is as large as ever."""
    micro = Microgeometry(
        tip_relief=30e-6,
        tip_relief_start_diameter=member.gear.d_a - 4e-3,
        tip_relief_shape=shape,
        lead_crowning=crowning,
    )
    gear = replace(member.gear, microgeometry=micro, tip_rounding=10e-6)
    flank, profile = surface(gear, member.sector), gear.tooth_profile
    assert len(flank.curve) == (2 if crowning else 1)  # four sections, in pairs beside mid-face
    places = [flank.gauss_z[flank.gauss_section == section][0] for section in range(4)]
    for curve_of, z in zip(flank.curve_of, places, strict=True):
        knots, table = flank.knots[curve_of], flank.curve[curve_of]
        begin = knots[np.flatnonzero(np.diff(knots) < 1e-6)[0]]  # on the tip round they lie closer
        s = knots[0] + (begin - knots[0]) * (np.arange(300) + 0.5) / 300
        found = np.array([kernels.curve_at(knots, table, x) for x in s])
        # each point of the curve is the foot on the unmodified flank less the removal along its normal
        foot = s.copy()
        for _ in range(30):
            off = found[:, :2] - profile.points(foot)
            foot += (off * profile.tangents(foot)).sum(axis=1)
        removal = gear.flank_removal(profile.roll_length(np.maximum(foot, 0.0)), z)
        off = ((found[:, :2] - profile.points(foot)) * profile.normals(foot)).sum(axis=1)
        below = foot < profile.s_tip - 1e-5  # beyond it the removal stays the same
        # a kink is rounded over two knots: slope of 1e-2 times 1e-5 m over 6
        assert_allclose(off[below], -removal[below], rtol=0.0, atol=2e-8)
        assert_allclose(np.hypot(found[:, 2], found[:, 3]), 1.0, atol=1e-4)
        on_round = np.array([kernels.curve_at(knots, table, x) for x in np.linspace(begin, knots[-1], 40)[1:-1]])
        bend = on_round[:, 3] * on_round[:, 4] - on_round[:, 2] * on_round[:, 5]
        assert_allclose(bend, 1.0 / 10e-6, rtol=1e-3)
        assert np.hypot(*table[-1, :2]) == pytest.approx(gear.r_a, abs=ON_THE_CURVE)
        assert table[-1, :2] @ table[-1, 2:] == pytest.approx(0.0, abs=1e-9)
    at_gauss = [
        kernels.curve_at(flank.knots[k], flank.curve[k], x)[:2]
        for x, k in zip(flank.gauss_s, flank.curve_of[flank.gauss_section], strict=True)
    ]
    assert_allclose(flank.gauss_xy, at_gauss, atol=1e-14)


def test_an_undercut_pinion_has_a_surface():
    """It goes on into the fillet below the corner that the undercut leaves, which is an arc of 0.002 modules."""
    gear = Gear(z=13, m_n=4e-3, b=20e-3, bore_diameter=20e-3)
    flank = surface(gear, mesh_sector(gear, COARSE), n_profile=None)
    assert gear.undercut
    assert flank.knots[0, 0] < -1e-4
    s = arc_lengths(flank, high=2e-3)
    off = np.linalg.norm(curve(flank, s)[0] - gear.tooth_profile.points(s), axis=1)
    away = np.abs(s) > 5e-6
    assert off[away].max() < 1e-8  # near the base circle the curvature grows beyond all bounds
    assert np.count_nonzero(np.abs(flank.gauss_s) < 4e-6) >= 2 * 2  # points on the arc, in both sections
    # and the arc is one: from the direction of the fillet to that of the involute
    inside = curve(flank, np.linspace(-3.5e-6, 3.5e-6, 50))
    bend = inside[1, :, 1] * inside[2, :, 0] - inside[1, :, 0] * inside[2, :, 1]
    assert np.ptp(bend) < 1e-2 * bend.mean()


def test_a_grid_of_another_gear_is_refused():
    pair = small_pair.gear_pair()
    with pytest.raises(Fault, match="flank nodes from the true flank") as fault:
        surface(pair.pinion, small_pair.sectors()[1])
    assert "use a sector mesh of this very gear" in str(fault.value)
    shifted = replace(pair.pinion, x=0.19)  # thinner by 29 um at the reference circle
    with pytest.raises(Fault, match="flank nodes"):
        surface(shifted, small_pair.sectors()[0])


def test_a_grid_on_the_wrong_flank_is_refused(member):
    sector = member.sector
    swapped = replace(sector, flank_a=sector.flank_b, flank_b=sector.flank_a)
    with pytest.raises(Fault, match="flank nodes"):
        surface(member.gear, swapped)


def test_the_largest_tip_round_that_a_gear_allows_ends_on_its_own_side(member):
    gear = member.gear
    half_tip = 0.5 * gear.s_at(gear.r_a)
    with pytest.raises(Fault, match="tip rounding"):
        replace(gear, tip_rounding=1.001 * half_tip)
    flank = surface(replace(gear, tip_rounding=half_tip), member.sector)
    end = curve(flank, flank.knots[0, -1:])[0, 0]
    assert end[1] > 0.0


def test_a_tip_too_thin_for_the_smallest_round_is_refused():
    """Tips are at least rounded by 0.0005 modules; this one is 0.0004 modules thick."""
    gear = Gear(z=20, m_n=4e-3, x=0.8, b=30e-3, bore_diameter=35.8e-3, tip_alteration_factor=THIN)
    assert 0.0 < gear.s_at(gear.r_a) < 0.0005 * gear.m_n
    with pytest.raises(Fault, match="tip"):
        surface(gear, mesh_sector(gear, COARSE))


def test_a_sharp_tip_is_a_small_round(member):
    """A corner would let the contact force jump: the smallest round is 0.0005 modules."""
    sharp = surface(replace(member.gear, tip_rounding=0.0), member.sector)
    small = surface(replace(member.gear, tip_rounding=0.0005 * member.gear.m_n), member.sector)
    assert_allclose(sharp.curve, small.curve, atol=1e-15)
