"""The generated profile: against the rack that cuts it, against calculus, against published root form radii."""

from dataclasses import dataclass
from math import cos, pi, radians, sin, tan
from time import perf_counter

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import BasicRack, ToothProfile

MODULE = 4e-3
RACK = BasicRack()
FULL_ROUND = (pi / 4.0 - 1.25 * tan(radians(20.0))) * cos(radians(20.0)) / (1.0 - sin(radians(20.0)))


@dataclass(frozen=True)
class Case:
    z: int
    x: float = 0.0
    rack: BasicRack = RACK
    beta: float = 0.0

    @property
    def r(self) -> float:
        return 0.5 * self.z * MODULE / cos(self.beta)

    def cut(self, tip: float = 1.0) -> ToothProfile:
        return ToothProfile.generate(
            z=self.z,
            m_n=MODULE,
            beta=self.beta,
            rack=self.rack,
            x_E=self.x,
            r_a=self.r + (self.x + tip) * MODULE,
        )


SPUR = {
    "20 teeth": Case(20, 0.2),
    "30 teeth": Case(30, -0.2),
    "97 teeth": Case(97),
    "shallow undercut": Case(17),
    "undercut": Case(13),
    "deep undercut": Case(8),
    "5 teeth": Case(5, 0.3),
    "full round": Case(25, 0.1, BasicRack(root_radius_factor=FULL_ROUND)),
    "sharp rack": Case(25, 0.1, BasicRack(root_radius_factor=0.0)),
    "sharp rack, undercut": Case(12, 0.0, BasicRack(root_radius_factor=0.0)),
    "high shift": Case(12, 0.6),
    "round above the pitch line": Case(60, 1.1),
    "25 deg": Case(15, 0.0, BasicRack(alpha_n=radians(25.0), dedendum_factor=1.35, root_radius_factor=0.2)),
}
ALL = {
    **SPUR,
    "helical": Case(23, 0.1, beta=radians(20.0)),
    "helical, undercut": Case(11, beta=radians(12.0)),
}

spur_cases = pytest.mark.parametrize("case", SPUR.values(), ids=SPUR.keys())
all_cases = pytest.mark.parametrize("case", ALL.values(), ids=ALL.keys())


def pieces(profile: ToothProfile) -> list[tuple[float, float]]:
    """Root circle, trochoid and involute as intervals of s."""
    return [(profile.s_root, profile.s_root_circle), (profile.s_root_circle, 0.0), (0.0, profile.s_tip)]


def gauss(low: float, high: float, order: int = 60) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return low + 0.5 * (high - low) * (nodes + 1.0), 0.5 * (high - low) * weights


def cumulated(integrand, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Return a few places s and the integral of the integrand from low to each of them."""
    places = np.linspace(low, high, 6)[1:]
    values = []
    for place in places:
        s, weights = gauss(low, place)
        values.append(weights @ integrand(s))
    return places, np.array(values)


def inner_points(profile: ToothProfile, n: int = 15) -> np.ndarray:
    return np.concatenate([np.linspace(low, high, n + 2)[1:-1] for low, high in pieces(profile) if high > low])


@all_cases
def test_s_is_the_arc_length_and_the_tangent_its_derivative(case: Case) -> None:
    """P(s) - P(0) = integral of a unit vector: s is the arc length, to round-off."""
    profile = case.cut()
    for low, high in pieces(profile):
        if high - low < 1e-12:  # a full round has no root circle
            continue
        # not at s = 0 of the involute of an undercut gear, where phi may be 0 and the curvature singular
        start = low + 0.02 * (high - low)
        end = high - 1e-9 * (high - low)
        s, moved = cumulated(profile.tangents, start, end)
        # 1e-14 m: some units of round-off of a radius of 0.1 m, plus the quadrature of smooth functions
        np.testing.assert_allclose(profile.points(s) - profile.points(start), moved, atol=1e-14)
        np.testing.assert_allclose(np.linalg.norm(profile.tangents(s), axis=1), 1.0, atol=1e-15)  # round-off


@all_cases
def test_curvature_is_the_turning_of_the_tangent(case: Case) -> None:
    """Positive convex: the direction turns by minus the integral of the curvature on the way to the tip."""
    profile = case.cut()
    for low, high in pieces(profile):
        if high - low < 1e-12:
            continue
        start, end = low + 0.02 * (high - low), high - 1e-9 * (high - low)
        s, turned = cumulated(profile.curvature, start, end)
        t = profile.tangents(np.concatenate(([start], s)))
        angle = np.unwrap(np.arctan2(t[:, 1], t[:, 0]))
        np.testing.assert_allclose(angle[1:] - angle[0], -turned, atol=1e-12)  # quadrature of 60 points


@all_cases
def test_normals_are_the_tangents_turned_and_point_out_of_the_tooth(case: Case) -> None:
    profile = case.cut()
    s = inner_points(profile)
    t, n = profile.tangents(s), profile.normals(s)
    np.testing.assert_array_equal(n, np.stack((-t[:, 1], t[:, 0]), axis=1))
    assert np.all(n[:, 1] > 0.0)  # flank a looks to +y; in the root of an undercut tooth the normal may lean inwards


@all_cases
def test_pieces_join(case: Case) -> None:
    """No gap anywhere; no kink but at the root form point of an undercut tooth."""
    profile = case.cut()
    for s, smooth in ((profile.s_root_circle, case.rack.root_radius_factor > 0.0), (0.0, not profile.undercut)):
        below, above = s - 1e-13, s + 1e-13
        # 1e-12 m: the accuracy asked of the profile
        np.testing.assert_allclose(profile.points(below), profile.points(above), atol=1e-12)
        if smooth:
            # over 2e-13 m the tangent turns by less than 1e-9 at the smallest radius here
            np.testing.assert_allclose(profile.tangents(below), profile.tangents(above), atol=1e-8)


@all_cases
def test_profile_ends_in_the_middle_of_the_space_and_at_the_tip(case: Case) -> None:
    profile = case.cut()
    middle = profile.points(profile.s_root)
    assert np.hypot(*middle) == pytest.approx(profile.r_f, rel=1e-14)  # round-off
    assert np.arctan2(middle[1], middle[0]) == pytest.approx(pi / case.z, abs=1e-14)
    assert profile.radius(profile.s_tip) == pytest.approx(profile.r_a, rel=1e-14)
    assert profile.radius(0.0) == pytest.approx(profile.r_Ff, rel=1e-14)
    assert np.max(profile.radius(np.linspace(profile.s_root, 0.0, 50))) <= profile.r_Ff * (1.0 + 1e-14)


@all_cases
def test_thickness_at_the_reference_circle(case: Case) -> None:
    """s_n = m_n (pi/2 + 2 x tan alpha_n)."""
    profile = case.cut()
    point = profile.points(profile.s_at_radius(case.r))
    thickness = MODULE * (pi / 2.0 + 2.0 * case.x * tan(case.rack.alpha_n)) / cos(case.beta)
    if case.r > profile.r_Ff:
        assert 2.0 * case.r * np.arctan2(point[1], point[0]) == pytest.approx(thickness, rel=1e-13)  # round-off


@all_cases
def test_radius_and_roll_length_invert(case: Case) -> None:
    profile = case.cut()
    s = np.linspace(profile.s_root_circle, profile.s_tip, 101)[1:]
    # 1e-12 m: the radius fixes s to round-off divided by the slope, which is smallest at the root circle
    np.testing.assert_allclose(profile.s_at_radius(profile.radius(s)), s, atol=1e-12)
    flank = s[s > 0.0]
    np.testing.assert_allclose(profile.s_at_roll_length(profile.roll_length(flank)), flank, atol=1e-15)
    np.testing.assert_allclose(
        profile.roll_length(flank) ** 2, profile.radius(flank) ** 2 - profile.r_b**2, rtol=1e-11, atol=1e-16
    )
    np.testing.assert_array_equal(profile.roll_length(s[s <= 0.0]), profile.roll_length_form)


def clearance_of_the_rack(case: Case, points: np.ndarray) -> np.ndarray:
    """Smallest distance of each point from the tooth of a rack that rolls past, by dense sampling.

    An independent oracle: it knows nothing of envelopes. The rack's tooth is the sum of a straight-sided tooth with
    sharp corners and a disc of the tip round.
    """
    alpha, rack = case.rack.alpha_n, case.rack
    rho = rack.root_radius_factor * MODULE
    r_f = case.r + (case.x - rack.dedendum_factor) * MODULE
    space = np.array([1.0, 1j])
    w = np.conj((points @ space) * np.exp(-1j * pi / case.z))  # the space's middle on the real axis

    def distance(u: np.ndarray) -> np.ndarray:
        """Signed distance in rack coordinates, the gear turned by u/r and the rack pushed by u."""
        p = w * np.exp(1j * u / case.r)
        X, Y = p.real - (r_f + rho), np.abs(p.imag - u)  # from the sharp tooth's tip line; its middle
        half_tip = rack.tip_half_width * MODULE
        flank = (Y - half_tip) * cos(alpha) - X * sin(alpha)  # out of the flank
        along = (Y - half_tip) * sin(alpha) + X * cos(alpha)  # up the flank from the corner
        inside = np.maximum(flank, -X)
        corner = np.where(half_tip >= Y, -X, np.where(along >= 0.0, flank, np.hypot(X, Y - half_tip)))
        return np.where((flank < 0.0) & (X > 0.0), inside, corner) - rho

    centre = np.zeros(w.size)
    width = 2.5 * pi * MODULE
    for _ in range(9):  # each pass narrows the search 40-fold about the nearest position
        u = centre + width * np.linspace(-1.0, 1.0, 401)[:, None]
        nearest = np.argmin(distance(u), axis=0)
        centre = u[nearest, np.arange(w.size)]
        width /= 40.0
    return distance(centre)


@spur_cases
def test_the_rack_touches_every_point_and_cuts_none(case: Case) -> None:
    """The profile is what a rolling rack leaves: its distance from each point, smallest over all positions, is zero."""
    profile = case.cut()
    points = profile.points(inner_points(profile))
    # 1e-12 m: the accuracy asked of the profile
    np.testing.assert_allclose(clearance_of_the_rack(case, points), 0.0, atol=1e-12)


@pytest.mark.parametrize(("z", "x", "r_Ff"), [(20, 0.2, 37.8357e-3), (30, -0.2, 56.7535e-3)])
def test_root_form_radius(z: int, x: float, r_Ff: float) -> None:
    """Straight flank of the rack used up 3.2 mm (4.8 mm) below the pitch line: the pair 20/30, m = 4 mm."""
    assert Case(z, x).cut().r_Ff == pytest.approx(r_Ff, abs=0.5e-7)  # four decimals of a millimetre


def test_undercut_begins_at_seventeen_teeth() -> None:
    """z_min = 2 (h_fP - rho (1 - sin alpha))/sin^2 alpha = 17.10 for the standard rack."""
    assert ALL["shallow undercut"].cut().undercut
    assert not Case(18).cut().undercut


@pytest.mark.parametrize("distance", [1e-3, 1e-5, 1e-7, 1e-9, 0.0, -1e-9, -1e-5])
def test_root_form_point_passes_smoothly_into_undercut(distance: float) -> None:
    """However shallow the undercut, the root form circle stays near the base circle and the pieces join."""
    height = 1.25 - RACK.tip_round_height
    x_min = height - 0.5 * 15 * sin(RACK.alpha_n) ** 2
    profile = Case(15, x_min - distance).cut()
    assert profile.undercut == (distance > 0.0) or distance == 0.0
    # the roll length at the form point is of the order of the distance over sin alpha
    assert profile.roll_length_form <= 4.0 * MODULE * max(abs(distance), 1e-8) / sin(RACK.alpha_n)
    # a root form point off by its own roll length phi^3 r_b/3 stays below the accuracy asked
    np.testing.assert_allclose(profile.points(-1e-14), profile.points(1e-14), atol=1e-12)


@all_cases
def test_area_and_polar_moment_against_a_polygon(case: Case) -> None:
    profile = case.cut()
    r_bore = 0.4 * profile.r_f
    flank = profile.points(np.linspace(profile.s_root, profile.s_tip, 40001)) @ np.array([1.0, 1j])
    tip = profile.r_a * np.exp(1j * np.linspace(np.angle(flank[-1]), 0.0, 4001)[1:])
    outline = np.concatenate((flank, tip))
    cross = np.imag(np.conj(outline[1:]) * outline[:-1])
    squares = np.abs(outline) ** 2
    dots = np.real(np.conj(outline[1:]) * outline[:-1])
    area = cross.sum() - r_bore**2 * pi / case.z
    moment = (cross * (squares[1:] + squares[:-1] + dots)).sum() / 6.0 - 0.5 * r_bore**4 * pi / case.z
    # 1e-8: chords of 40000 pieces lose (h/R)^2/12 of the area
    assert profile.section_moment(r_bore) == pytest.approx(area, rel=1e-8)
    assert profile.section_moment(r_bore, 2) == pytest.approx(moment, rel=1e-8)


def test_profile_scales_with_the_module() -> None:
    one = Case(13).cut()
    ten = ToothProfile.generate(z=13, m_n=10.0 * MODULE, beta=0.0, rack=RACK, x_E=0.0, r_a=10.0 * one.r_a)
    s = inner_points(one)
    np.testing.assert_allclose(ten.points(10.0 * s), 10.0 * one.points(s), rtol=1e-12)  # round-off


def test_search_may_overshoot() -> None:
    """Beyond the ends the involute and the root circle go on."""
    profile = Case(20, 0.2).cut()
    beyond = profile.s_tip + 1e-4
    assert profile.radius(beyond) ** 2 == pytest.approx(profile.r_Ff**2 + 2.0 * profile.r_b * beyond, rel=1e-14)
    assert profile.radius(profile.s_root - 1e-4) == pytest.approx(profile.r_f, rel=1e-14)


def test_a_radius_below_the_root_is_a_fault() -> None:
    profile = Case(20, 0.2).cut()
    with pytest.raises(Fault, match="root radius"):
        profile.s_at_radius(np.array([0.9 * profile.r_f]))


def test_a_tooth_without_flank_is_a_fault() -> None:
    with pytest.raises(Fault, match="root form diameter"):
        Case(5, -0.3).cut(tip=0.2)


def test_a_tooth_cut_through_by_its_root_is_a_fault() -> None:
    with pytest.raises(Fault, match="neck"):
        Case(5, -1.0, BasicRack(dedendum_factor=1.6, root_radius_factor=0.1)).cut(tip=2.0)


def test_a_thousand_points_take_milliseconds() -> None:
    profile = Case(20, 0.2).cut()
    s = np.linspace(profile.s_root, profile.s_tip, 1000)
    profile.points(s)
    start = perf_counter()
    profile.points(s)
    assert perf_counter() - start < 0.05  # measured 2 ms; room for a busy machine
