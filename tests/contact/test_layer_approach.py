"""The clamped layer under a flank: against flat layer and wedge in closed form, against finer grids, on real teeth."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

from alegear.contact import layer, plane_elements
from alegear.contact.hertz.strip_kernels import layer_approach
from alegear.contact.layer import LayerApproach, LayerGrid
from alegear.contact.line_contact import bonded_layer_approach, bonded_layer_mean, bonded_layer_support
from alegear.errors import Fault
from alegear.geometry import BasicRack, ToothProfile

H = 1e-3
FINE = LayerGrid(per_depth=0.07, per_distance=0.1, smallest=0.25, growth=1.22)


@dataclass(frozen=True)
class Straight:
    """A straight flank along x with the material below it, in place of a tooth."""

    undercut: bool = False

    def points(self, s):
        s = np.asarray(s, dtype=float)
        return np.stack([s, np.zeros_like(s)], axis=-1)

    def normals(self, s):
        return np.broadcast_to([0.0, 1.0], (len(s), 2))


def straight_layer(corner=90.0, length=8 * H, nu=0.3, scale=1.0, grid=None):
    """Layer of depth H from s = -length to the corner at s = 0 with this interior angle [deg]."""
    lean = np.tan(np.radians(corner - 90.0)) * H
    inner = scale * np.array([[-length, -H], [-0.5 * length, -H], [lean, -H]])
    return LayerApproach.build(Straight(), -scale * length, 0.0, inner, nu, grid)


def tooth(z=20, x=0.2):
    return ToothProfile.generate(z=z, m_n=4e-3, beta=0.0, rack=BasicRack(), x_E=x, r_a=2e-3 * (z + 2 + 2 * x))


def under_flank(profile, thickness=0.5, rows=14):
    """Lowest arc length, and the inner boundary at this part of the way from the flank to the tooth's centre line."""
    s_low = 0.4 * profile.s_root_circle
    s = np.linspace(s_low, profile.s_tip, rows)
    outer = profile.points(s)
    polar = np.arctan2(outer[:, 1], outer[:, 0]) * (1.0 - thickness)
    return s_low, np.hypot(*outer.T)[:, None] * np.stack([np.cos(polar), np.sin(polar)], axis=-1)


def build(profile, inner=None, grid=None, **options):
    s_low, line = under_flank(profile, **options)
    return LayerApproach.build(profile, s_low, profile.s_tip, line if inner is None else inner, 0.3, grid)


def approach_at(table, s, b):
    """W, dW/ds, dW/d ln b, as the kernels have them."""
    both = np.broadcast_arrays(s, b)
    values = [
        layer_approach(table.s, table.narrowest, table.log_b, table.table, *at)
        for at in zip(*(x.flat for x in both), strict=True)
    ]
    W, W_s, W_b = np.array(values, dtype=float).T.reshape(3, *both[0].shape)
    return W, W_s, b * W_b


@pytest.fixture(scope="module")
def square():
    return straight_layer()


@pytest.fixture(scope="module")
def square_surface():
    inner = np.array([[-8 * H, -H], [0.0, -H]])
    return layer._solve_layer(Straight(), -8 * H, 0.0, inner, 0.3, LayerGrid())


@pytest.fixture(scope="module")
def profile():
    return tooth()


@pytest.fixture(scope="module")
def flank(profile):
    return build(profile)


# ------------------------------------------------------------------------------------------------ closed form
def test_flat_layer_away_from_its_ends(square):
    b = H * np.geomspace(1e-4, 0.5, 40)
    W, _, W_l = approach_at(square, -4 * H, b)
    assert_allclose(W, bonded_layer_approach(b / H, 0.3), rtol=1e-3)  # half of what is promised
    step = 1e-4
    slope = bonded_layer_approach(b / H * (1 + step), 0.3) - bonded_layer_approach(b / H * (1 - step), 0.3)
    assert_allclose(W_l, slope / (2 * step), rtol=2e-2)  # a derivative loses an order


@pytest.mark.parametrize("nu", [0.0, 0.45])
def test_flat_layer_of_another_material(nu):
    b = H * np.geomspace(1e-3, 0.5, 10)
    W, _, _ = approach_at(straight_layer(length=6 * H, nu=nu), -3 * H, b)
    # near 0.5 the layer is stiff against wide strips and the grid locks a little
    assert_allclose(W, bonded_layer_approach(b / H, nu), rtol=2e-3)


@pytest.mark.parametrize(("angle", "tolerance"), [(90.0, 0.01), (115.0, 0.01), (140.0, 0.03)])
def test_corner_is_a_wedge_under_a_force_at_its_apex(angle, tolerance):
    """The far field of a wedge is logarithmic: narrow strips at the corner follow it (Timoshenko and Goodier, art. 38).

    With the half angle a and the force inclined by c to the bisector, sigma_r = -(2/r) (cos c cos t/(2a + sin 2a) +
    sin c sin t/(2a - sin 2a)); the displacement in the direction of the force goes with -ln r.
    """
    table = straight_layer(corner=angle, length=4 * H)
    a = 0.5 * np.radians(angle)
    c = 0.5 * np.pi - a  # normal to one face
    expected = 2.0 * (np.cos(c) ** 2 / (2 * a + np.sin(2 * a)) + np.sin(c) ** 2 / (2 * a - np.sin(2 * a)))
    W = approach_at(table, 0.0, H * np.array([1e-3, 8e-3]))[0]
    # the next term is of the order b/h; obtuse corners have slanting elements, the slope is worse than the value there
    assert_allclose((W[0] - W[1]) / np.log(8.0), expected, rtol=tolerance)


def test_a_straight_angle_is_no_corner_at_all():
    """Two half-planes pressed together in cells of constant pressure: Hertz's approach."""
    n = layer._CORNER_CELLS
    x = np.linspace(-1.8, 1.2, n + 1) * np.ones((3, 1))
    gap = 4 / np.pi * (x[:, 1:] ** 3 - x[:, :-1] ** 3) / (3 * np.diff(x))
    guess = x[:, :-1] > np.array([[-1.0], [0.5], [-2.0]])  # about right, too few cells, too many
    A = -4 / np.pi * (np.log(3.0 / n) + layer._mean_log(n))[np.abs(np.subtract.outer(np.arange(n), np.arange(n)))]
    approach = layer._press(np.stack([A, A, A]), gap, guess)
    assert_allclose(approach, 4 / np.pi * (np.log(2) + 0.5), atol=2e-3)  # second order in cells of 0.08 half-widths
    assert_allclose(approach, approach[0], rtol=1e-12)  # whatever the guess: round-off


def test_size_does_not_matter(square):
    larger = straight_layer(scale=1e3)
    assert_allclose(larger.W, square.W, rtol=1e-7)  # round-off of a grid graded over four decades
    assert_allclose(larger.s, 1e3 * square.s, atol=1e-9)


# ------------------------------------------------------------------------------------------------ finite elements
def distorted_cells():
    rng = np.random.default_rng(1)
    knots = np.stack(np.meshgrid(np.arange(5) / 2, -np.arange(7) / 2, indexing="ij"), axis=-1)
    corners = knots.copy()
    corners[::2, ::2] += rng.uniform(-0.15, 0.15, corners[::2, ::2].shape)
    points = corners.copy()
    points[1::2, ::2] = 0.5 * (corners[:-1:2, ::2] + corners[2::2, ::2])
    points[:, 1::2] = 0.5 * (points[:, :-1:2] + points[:, 2::2])
    return points


def test_stiffness_knows_rigid_motions_and_constant_strain():
    points = distorted_cells()
    corners = points[:3, :3].reshape(1, 9, 2)
    K = plane_elements.element_stiffness(corners, 0.3)[0]
    assert_allclose(K, K.T, atol=1e-14)
    assert np.sum(np.linalg.eigvalsh(K) < 1e-12) == 3
    x, y = corners[0].T
    u = np.concatenate([2e-3 * x + 1e-3 * y, -3e-3 * y])
    area = 0.5 * abs((x[8] - x[0]) * (y[6] - y[2]) - (x[6] - x[2]) * (y[8] - y[0]))
    E = 1 - 0.3**2
    lame, G = E * 0.3 / (1.3 * 0.4), E / 2.6
    density = 0.5 * lame * (-1e-3) ** 2 + G * (2e-3**2 + 3e-3**2) + 0.5 * G * 1e-3**2
    assert_allclose(0.5 * u @ K @ u, density * area, rtol=1e-12)


def test_swept_compliance_is_the_inverse_of_the_stiffness():
    points = distorted_cells()
    normals = np.tile([0.6, 0.8], (5, 1))
    whole = np.zeros((5, 6, 2, 5, 6, 2))  # rows and columns of nodes, axis; the last column is clamped
    for k, element_row in enumerate(plane_elements.element_rows(points, 0.3)):
        here = slice(2 * k, 2 * k + 3)
        whole[here, :, :, here] += element_row.reshape(3, 6, 2, 3, 6, 2)
    K = whole[1:, :, :, 1:].reshape(48, 48)  # the first row is clamped
    loads = np.zeros((len(K), 5))
    for row in range(1, 5):
        loads[(row - 1) * 12 : (row - 1) * 12 + 2, row] = normals[row]
    expected = loads.T @ np.linalg.solve(K, loads)
    assert_allclose(plane_elements.surface_compliance(points, normals, 0.3, np.zeros(5, int)), expected, atol=1e-12)
    # a load that is not carried along any more leaves the others as they are
    short = plane_elements.surface_compliance(points, normals, 0.3, np.array([0, 0, 0, 3, 3]))
    assert_allclose(short[3:, 3:], expected[3:, 3:], atol=1e-12)


@pytest.mark.parametrize(
    ("z", "x", "thickness"), [pytest.param(20, 0.2, 0.5, marks=pytest.mark.thorough), (12, 0.0, 0.6)]
)
def test_result_does_not_depend_on_the_grid(z, x, thickness):
    profile = tooth(z, x)
    coarse = build(profile, thickness=thickness)
    fine = build(profile, thickness=thickness, grid=FINE)
    h = coarse.narrowest / layer.NARROWEST
    usual = coarse.narrowest * np.exp(coarse.log_b) < 0.35 * h
    change = (coarse.W / fine.W - 1.0)[:, usual]
    assert np.abs(change).max() < 4e-3  # strips cut by the corner; 0.2 % elsewhere
    assert np.sqrt(np.mean(change**2)) < 1e-3


def test_loads_on_cells_integrate_the_shape_functions(square_surface):
    """Against Gauss quadrature on every piece of a cell within one element."""
    tip = square_surface.s[-1]
    edges = tip - np.linspace(0.4, 0.0, 9) * (tip - square_surface.s[0])
    loads, used = square_surface._cell_loads(edges)
    nodes, weights = np.polynomial.legendre.leggauss(3)
    expected = np.zeros((len(edges) - 1, len(square_surface.s)))
    for cell, (low, high) in enumerate(pairwise(edges)):
        inside = square_surface.s[::2][(square_surface.s[::2] > low) & (square_surface.s[::2] < high)]
        for start, end in pairwise([low, *inside, high]):
            element, shapes = square_surface._shapes(0.5 * (start + end) + 0.5 * (end - start) * nodes)
            for m in range(3):
                np.add.at(expected[cell], 2 * element + m, 0.5 * (end - start) * weights * shapes[m] / (high - low))
    assert_allclose(loads, expected[:, used], atol=1e-13)
    assert_allclose(expected.sum(axis=1), 1.0, rtol=1e-13)


@pytest.mark.parametrize("widest", [0.2, 1.0, 4.0])
def test_polynomials_of_the_flat_layer(widest):
    flat = layer._FlatLayer.of(widest, 0.3)
    b = np.geomspace(1e-3, 1.0, 50) * widest
    mean, approach = bonded_layer_mean(b, 0.3), bonded_layer_approach(b, 0.3)
    assert_allclose(flat.curvature(b), approach - mean - 0.5 / np.pi, atol=1e-12)
    half_plane = 2 / np.pi * (np.log(2 / b) + 0.5)  # the layer lacks a constant of it
    rigid = bonded_layer_approach(1e-5, 0.3) - 2 / np.pi * (np.log(2e5) + 0.5)
    assert_allclose(flat.sinking(b), approach - half_plane - rigid, atol=1e-12)
    assert_allclose(flat.support(3 * b), bonded_layer_support(3 * b, 0.3), atol=1e-12)


# ------------------------------------------------------------------------------------------------ table
def test_slopes_of_a_spline_are_exact_for_cubics():
    x = np.array([0.0, 0.3, 1.0, 1.2, 2.0, 2.1])
    cubics = np.array([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 0.0, 0.0]])
    y = np.stack([np.polynomial.polynomial.polyval(x, c) for c in cubics], axis=1)
    slopes = np.stack(
        [np.polynomial.polynomial.polyval(x, np.polynomial.polynomial.polyder(c)) for c in cubics], axis=1
    )
    assert_allclose(layer.spline_slopes(x, y), slopes, atol=1e-13)


def test_slopes_are_those_of_the_spline_without_knots_next_to_the_ends():
    x = np.cumsum(np.random.default_rng(5).uniform(0.2, 1.0, 12))
    y = np.sin(x)[:, None] * [1.0, -3.0]
    assert_allclose(layer.spline_slopes(x, y), CubicSpline(x, y)(x, 1), atol=1e-13)


def test_table_between_its_points(square, monkeypatch):
    """Against strips solved there: the table is fine enough."""
    solved = []
    original = layer._solve_layer
    monkeypatch.setattr(layer, "_solve_layer", lambda *a: solved.append(original(*a)) or solved[-1])
    table = straight_layer()
    s = 0.5 * (table.s[1::5] + table.s[:-1:5][: len(table.s[1::5])])
    log_b = 0.5 * (table.log_b[1::2] + table.log_b[:-1:2][: len(table.log_b[1::2])])
    exact = solved[0].approaches(s, table.narrowest * np.exp(log_b))
    assert_allclose(approach_at(table, s[:, None], table.narrowest * np.exp(log_b))[0], exact, rtol=4e-3)


@pytest.mark.parametrize("factor", [0.01, 3.0, 40.0, 3000.0], ids=["narrower", "narrow", "wide", "wider"])
def test_slopes_are_derivatives(flank, profile, factor):
    s = np.linspace(flank.s[0] - H, profile.s_tip + H, 41)
    b = factor * flank.narrowest
    _, W_s, W_l = approach_at(flank, s, b)
    ds, dl = 1e-9, 1e-5
    by_s = (approach_at(flank, s + ds, b)[0] - approach_at(flank, s - ds, b)[0]) / (2 * ds)
    by_l = (approach_at(flank, s, b * np.exp(dl))[0] - approach_at(flank, s, b * np.exp(-dl))[0]) / (2 * dl)
    assert_allclose(W_s, by_s, atol=1e-5 * np.abs(flank.W_s).max())  # cubic over ds, round-off 1e-15/ds
    assert_allclose(W_l, by_l, atol=1e-7)


def test_value_and_slope_run_on_beyond_the_table(flank):
    s = flank.s[::3]
    for edge in flank.narrowest * np.exp(flank.log_b[[0, -1]]):
        inside, outside = approach_at(flank, s, edge * (1 - 1e-9)), approach_at(flank, s, edge * (1 + 1e-9))
        assert_allclose(inside[0], outside[0], rtol=1e-8)
        assert_allclose(inside[2], outside[2], rtol=1e-6, atol=1e-7)
    for end, step in ((flank.s[0], -H), (flank.s[-1], H)):
        assert_allclose(approach_at(flank, end + step, 1e-4)[0], approach_at(flank, end, 1e-4)[0], rtol=1e-14)
        assert approach_at(flank, end + step, 1e-4)[1] == 0.0


# ------------------------------------------------------------------------------------------------ teeth
@pytest.mark.parametrize("z", [12, 20, 97])
def test_real_flank_is_close_to_a_flat_layer_of_the_local_depth(z):
    """Curvature and taper are small effects, the corner is a large one."""
    profile = tooth(z, 0.0)
    table = build(profile, thickness=0.4)
    s = np.linspace(0.3, 0.85, 9) * profile.s_tip
    depth = layer.distance_from(profile.points(s), under_flank(profile, thickness=0.4)[1])
    for b in (2e-5, 1e-4, 2e-4):
        assert_allclose(approach_at(table, s, b)[0], bonded_layer_approach(b / depth, 0.3), rtol=3e-2)
        assert approach_at(table, profile.s_tip, b)[0] > 1.2 * approach_at(table, 0.8 * profile.s_tip, b)[0]


def test_a_load_always_presses_deeper(flank):
    """w = q W and b ~ sqrt(q): dw/dq = W + W_l/2 must be positive, on the table and beyond it."""
    s, b = np.linspace(flank.s[0], flank.s[-1], 200), np.geomspace(1e-9, 5e-3, 100)
    W, _, W_l = approach_at(flank, s[:, None], b)
    assert np.all(W > 0.0)
    assert np.all(W + 0.5 * W_l > 0.0)


def test_smooth_along_the_flank(flank, profile):
    s = np.linspace(0.1, 0.85, 300) * profile.s_tip
    W = approach_at(flank, s, 1e-4)[0]
    smooth = np.polynomial.Polynomial.fit(s, W, 9)(s)
    assert np.abs(W - smooth).max() < 1e-3 * W.mean()  # no ripple of the grid above what it leaves as error


def test_kink_of_an_undercut_profile_is_a_place_of_the_table():
    profile = tooth(12, 0.0)
    assert profile.undercut
    assert np.any(build(profile).s == 0.0)


def test_few_rows_and_repeated_points(profile, flank):
    _, inner = under_flank(profile)
    s = np.linspace(0.2, 1.0, 5) * profile.s_tip
    repeated = build(profile, inner=np.repeat(inner, 2, axis=0))
    assert_allclose(approach_at(repeated, s, 1e-4)[0], approach_at(flank, s, 1e-4)[0], rtol=1e-12)
    few = build(profile, inner=inner[[0, 7, -1]])
    assert_allclose(approach_at(few, s, 1e-4)[0], approach_at(flank, s, 1e-4)[0], rtol=2e-2)  # another, similar layer


def test_thin_layer_under_wide_strips():
    """Strips several times as wide as the layer is deep, away from its ends."""
    inner = np.array([[-3 * H, -0.1 * H], [0.0, -0.1 * H]])
    table = LayerApproach.build(Straight(), -3 * H, 0.0, inner, 0.3)
    b = H * np.array([0.01, 0.05, 0.1])
    assert_allclose(approach_at(table, -1.5 * H, b)[0], bonded_layer_approach(b / (0.1 * H), 0.3), rtol=3e-3)


# ------------------------------------------------------------------------------------------------ refusals
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line, outer: line[::-1], "layer under the flank"),
        (lambda line, outer: 2 * outer - line, "layer under the flank"),
        (lambda line, outer: np.insert(line, 6, line[3], axis=0), "layer under the flank"),
        (lambda line, outer: outer + 1e-3 * (line - outer), "smallest depth"),
        (lambda line, outer: np.where(line == line[4], np.nan, line), "inner boundary"),
        (lambda line, outer: line.T, "inner boundary"),
        (lambda line, outer: line[[2, 2]], "points of the inner boundary"),
    ],
    ids=["reversed", "outside", "doubles back", "no depth", "nan", "transposed", "one point"],
)
def test_bad_inner_boundary(profile, change, message):
    s_low, inner = under_flank(profile)
    outer = profile.points(np.linspace(s_low, profile.s_tip, len(inner)))
    with pytest.raises(Fault, match=message):
        build(profile, inner=change(inner, outer))


def test_bad_ends_and_material(profile):
    s_low, inner = under_flank(profile)
    with pytest.raises(Fault, match="lower end"):
        LayerApproach.build(profile, profile.s_tip, s_low, inner, 0.3)
    with pytest.raises(Fault, match="Poisson"):
        LayerApproach.build(profile, s_low, profile.s_tip, inner, 0.5)


def test_a_node_is_at_the_edge_of_undercut_and_not_beside_it_by_round_off():
    """There the profile has two normals: which one a node has is not for the last digit of the size to say."""
    for size in (1.0, 0.02, 50.0):
        profile = ToothProfile.generate(
            z=12, m_n=4e-3 * size, beta=0.0, rack=BasicRack(), x_E=0.0, r_a=2e-3 * size * 14.0
        )
        assert profile.undercut
        s_low = 0.4 * profile.s_root_circle
        depth_s = np.linspace(s_low, profile.s_tip, 400)
        nodes = layer._along_profile(s_low, profile.s_tip, depth_s, np.full(400, H * size), LayerGrid())
        assert 0.0 in nodes
        assert nodes[0] == s_low
        assert nodes[-1] == profile.s_tip
