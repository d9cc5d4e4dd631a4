"""Averaged forces of a mesh against the friction of single contacts, integrated over the path of contact."""

from __future__ import annotations

import doctest
import importlib
from math import radians

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planar_geometries import RADII, Tooth, mesh_named, rolling, shifted_pair
from planar_mesh import friction_direction, mesh_forces, mesh_motion, normal_direction, normal_tangent

from alegear.drivetrain.planar import MeshAverages, planar_kernels
from alegear.errors import Fault

QUADRANTS = [(side, v) for side in (1.0, -1.0) for v in (0.7, -0.7)]
NAMES = list(RADII)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("side", "v_mesh"), QUADRANTS)
def test_forces_are_those_of_the_teeth(name, side, v_mesh):
    """Formulas 1 to 6 with 22, 28 and 31, in all quadrants, on a line of centres that turns."""
    phi_gear, mu, F_n = 0.8, 0.07, side * 350.0
    tooth, rates = Tooth(name, side, phi_gear), rolling(name, v_mesh, phi_gear, carrier=11.0)
    expected = tooth.mean_forces(abs(F_n), mu, rates)
    found = mesh_forces(mesh_named(name), F_n, mu * abs(F_n) * np.sign(v_mesh), phi_gear)
    # quadrature to 1e-12 of the whole; the torques are differences of parts ten times as large
    np.testing.assert_allclose(found[:2], expected[:2], rtol=0, atol=1e-11 * np.abs(expected[:2]).max())
    np.testing.assert_allclose(found[2:], expected[2:], rtol=0, atol=1e-11 * abs(F_n))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("side", "v_mesh"), QUADRANTS)
def test_loss_is_that_of_the_teeth(name, side, v_mesh):
    mesh, phi_gear, mu, F_n = mesh_named(name), -2.1, 0.1, side * 40.0
    rates = rolling(name, v_mesh, phi_gear, carrier=-3.0)
    expected = Tooth(name, side, phi_gear).mean_loss(abs(F_n), mu, rates)
    lost = -mesh_forces(mesh, F_n, mu * abs(F_n) * np.sign(v_mesh), phi_gear) @ rates
    assert expected > 0.0
    # a small part of the powers of both gears: round-off of these
    assert lost == pytest.approx(expected, rel=1e-10)
    assert lost == pytest.approx(mu * abs(F_n * v_mesh) * mesh.sliding, rel=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_there_is_no_sliding_at_the_pitch_point(name):
    """Formula 14, with a plus."""
    mesh, rates = mesh_named(name), rolling(name, 1.3, 0.0)
    assert rates[0] * mesh.T_1P + rates[1] * mesh.T_2P == pytest.approx(0.0, abs=1e-14)
    assert Tooth(name, 1.0, 0.0).sliding(0.0, rates) == pytest.approx(0.0, abs=1e-14)
    y = 1e-3
    by_arms = rates[0] * (mesh.T_1P + y) + rates[1] * (mesh.T_2P - y)
    assert by_arms == pytest.approx(Tooth(name, 1.0, 0.0).sliding(y, rates), rel=1e-12)
    assert by_arms != pytest.approx(rates[0] * (mesh.T_1P + y) - rates[1] * (mesh.T_2P - y), rel=0.1)


@settings(max_examples=300, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    side=st.sampled_from((1.0, -1.0)),
    phi_gear=st.floats(-10.0, 10.0),
    mu=st.floats(0.0, 1.0),
    rates=st.lists(st.floats(-100.0, 100.0), min_size=6, max_size=6).map(np.array),
)
def test_losses_are_never_negative(name, side, phi_gear, mu, rates):
    """Whatever moves: gears that spin against each other, centres, deformation. Never more than the teeth lose."""
    mesh, F_n = mesh_named(name), 100.0
    direction = friction_direction(mesh, side, phi_gear)
    sliding = -direction @ rates
    lost = -mesh_forces(mesh, side * F_n, mu * F_n * np.sign(sliding), phi_gear) @ rates
    lost += F_n * normal_direction(mesh, side, phi_gear) @ rates  # what the normal force takes is not lost
    slack = 1e-12 * F_n * 300.0  # round-off of the normal force's power
    assert lost >= -slack
    assert lost <= Tooth(name, side, phi_gear).mean_loss(F_n, mu, rates) + slack


def test_printed_signs_of_table_2_gain_energy():
    """Formulas 1 and 2 with the torques of table 2, for its quadrant 1: A drives, v_mesh > 0."""
    mesh, F_n, mu, v = mesh_named("table 3 of the paper"), 100.0, 0.1, 1.0
    omega_A, omega_B = v / mesh.r_A, -v / mesh.r_B
    into = (F_n * mesh.l_A + mu * F_n * mesh.d_tauA) * omega_A
    out = -(F_n * mesh.l_B + mu * F_n * mesh.d_tauB) * omega_B
    assert into > 0.0  # the power flow is the named one
    assert out > into  # and the mesh gives more than it takes
    friction = mesh_forces(mesh, F_n, mu * F_n)
    assert friction @ [omega_A, omega_B, 0, 0, 0, 0] < 0.0


def test_sign_of_the_mean_mesh_velocity_would_gain_energy():
    """Formula 11 in the place of the sliding, while the teeth give way faster than they roll."""
    mesh, F_n, mu = mesh_named("table 3 of the paper"), 100.0, 0.1
    rates = np.array([-0.9 / mesh.r_A, -1.0 / mesh.r_B, 0.0, 0.0, 0.0, 0.0])
    motion = mesh_motion(mesh, [0.0, 0.0, 0.0, 0.0, mesh.a, 0.0], rates)
    assert motion.v_mesh > 0.0
    assert motion.sliding[0] < 0.0
    direction = friction_direction(mesh, 1.0, 0.0)
    assert mu * F_n * np.sign(motion.v_mesh) * direction @ rates > 0.2  # W, from nothing
    assert mu * F_n * np.sign(motion.sliding[0]) * direction @ rates < -0.2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_gears_and_carrier_are_in_equilibrium(name, side):
    mesh, phi_gear = mesh_named(name), 0.4
    for direction in (normal_direction(mesh, side, phi_gear), friction_direction(mesh, side, phi_gear)):
        np.testing.assert_array_equal(direction[2:4], -direction[4:])
        centre_B = mesh.a * np.array([np.cos(phi_gear), np.sin(phi_gear)])
        moment = direction[0] + direction[1] + centre_B[0] * direction[5] - centre_B[1] * direction[4]
        assert moment == pytest.approx(0.0, abs=1e-15)  # round-off of 0.1 m


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_directions_belong_to_the_kinematics(name, side):
    """Also of displaced centres: deformation against differences, sliding against velocities at points."""
    mesh, rng, index = mesh_named(name), np.random.default_rng(7), int(side < 0.0)
    e = np.array([np.cos(0.3), np.sin(0.3)])
    q = np.concatenate([[0.31, 0.29], [1e-3, 2e-3], [1e-3, 2e-3] + 1.004 * mesh.a * e])
    v = rng.standard_normal(6) * np.array([10.0, 10.0, 0.1, 0.1, 0.1, 0.1])
    motion, h = mesh_motion(mesh, q, v), 1e-6
    assert motion.alpha > mesh.alpha
    ahead, back = (mesh_motion(mesh, q + sign * h * v, v) for sign in (1.0, -1.0))
    # second order in the step, and round-off over it
    scale = np.abs(v[:2]).max() * abs(mesh.r_A) + 0.1
    assert (ahead.deformation - back.deformation)[index] / (2.0 * h) == pytest.approx(
        motion.rate[index], abs=1e-8 * scale
    )
    assert (ahead.x_mesh - back.x_mesh) / (2.0 * h) == pytest.approx(motion.v_mesh, abs=1e-8 * scale)
    normal = normal_direction(mesh, side, motion.phi_gear, motion.alpha)
    friction = friction_direction(mesh, side, motion.phi_gear, motion.alpha)
    assert -normal @ v == motion.rate[index]
    moment = [
        one[0] + one[1] + (q[4] - q[2]) * one[5] - (q[5] - q[3]) * one[4] for one in (normal, friction)
    ]  # in equilibrium where they stand
    np.testing.assert_allclose(moment, 0.0, atol=1e-15)
    assert -friction @ v == motion.sliding[index]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_normal_force_turns_with_the_line_of_action(name, side):
    mesh, h = mesh_named(name), 1e-7
    e = np.array([np.cos(-1.1), np.sin(-1.1)])
    q = np.concatenate([[0.0, 0.0], [0.0, 0.0], 1.01 * mesh.a * e])

    def direction(q):
        motion = mesh_motion(mesh, q, np.zeros(6), near=-1.0)
        return normal_direction(mesh, side, motion.phi_gear, motion.alpha), motion

    columns = [(direction(q + h * one)[0] - direction(q - h * one)[0]) / (2.0 * h) for one in np.eye(6)]
    motion = direction(q)[1]
    found = normal_tangent(mesh, side, motion.phi_gear, motion.alpha)
    # round-off of 1 over h, and its second order
    np.testing.assert_allclose(found, np.array(columns).T, atol=1e-7 * np.abs(found).max())
    np.testing.assert_array_equal(found, found.T)


def test_compiled_kinematics_have_no_number_where_base_circles_overlap():
    mesh = mesh_named("table 3 of the paper")
    assert np.isnan(planar_kernels.line_of_centres(mesh.numbers, 0.0, 0.0, 0.93 * mesh.a, 0.0, 0.0)[2])


def test_overlap_is_that_of_involute_flanks():
    """Displaced centres: distance of two involutes along their common normal, from their points."""
    mesh = mesh_named("large pressure angle")
    away, turned = 1.01, 0.002
    q = np.array([turned, -0.001, 0.0, 0.0, away * mesh.a, 0.0])
    found = mesh_motion(mesh, q, np.zeros(6)).deformation

    alpha = np.arccos((mesh.l_A + mesh.l_B) / (away * mesh.a))
    line = (mesh.l_A + mesh.l_B) * np.tan(alpha)
    for index, side in enumerate((1.0, -1.0)):
        # where an involute goes through the pitch point it starts inv alpha_w before the line of centres; on a line of
        # action at alpha its roll length is base (alpha + inv alpha_w + rotation)
        inv = np.tan(mesh.alpha) - mesh.alpha
        reach_A = mesh.l_A * (side * q[0] + inv + alpha)
        reach_B = mesh.l_B * (side * q[1] + inv + alpha)
        assert found[index] == pytest.approx(reach_A + reach_B - line, abs=1e-15)


def test_a_carrier_may_turn_on_and_on():
    mesh, angle = mesh_named("ring as gear B"), 40.0
    e = np.array([np.cos(angle), np.sin(angle)])
    q = np.concatenate([[angle + 0.1, angle - 0.02], [0.0, 0.0], mesh.a * e])
    motion = mesh_motion(mesh, q, np.zeros(6), near=39.0)
    assert motion.phi_gear == pytest.approx(angle, abs=1e-13)
    assert motion.x[0] == pytest.approx(0.1 * mesh.r_A, rel=1e-11)
    assert motion.x[1] == pytest.approx(0.02 * mesh.r_B, rel=1e-11)
    # arccos near the nominal angle: Delta a/a of 1e-16 over tan alpha
    assert motion.deformation[0] == pytest.approx((motion.x[0] - motion.x[1]) * np.cos(mesh.alpha), abs=1e-15)
    assert motion.deformation[1] == pytest.approx(-motion.deformation[0], abs=1e-15)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("side", "v_mesh"), QUADRANTS)
def test_efficiency_is_that_of_the_forces(name, side, v_mesh):
    mesh, mu = mesh_named(name), 0.06
    forces = mesh_forces(mesh, side * 500.0, mu * 500.0 * np.sign(v_mesh), 0.2)
    given_A, given_B = forces[0] * v_mesh / mesh.r_A, -forces[1] * v_mesh / mesh.r_B
    driver = "A" if side * v_mesh > 0.0 else "B"
    into, out = (-given_A, given_B) if driver == "A" else (-given_B, given_A)
    assert into > out > 0.0
    assert mesh.efficiency(mu, driver) == pytest.approx(out / into, rel=1e-14)


def test_pair_has_its_own_path_of_contact():
    pair = shifted_pair()
    mesh = MeshAverages.from_pair(pair)
    low, high = pair.path_of_contact_usable
    np.testing.assert_array_equal([mesh.T_1A, mesh.T_1B], [low, high])
    np.testing.assert_allclose(mesh.T_1P, pair.roll_length_pitch_point, rtol=1e-13)
    assert mesh.a == pytest.approx(pair.a_w, rel=1e-13)
    assert mesh.l_A == pytest.approx(pair.pinion.r_b, rel=1e-13)
    assert (low, high) == pytest.approx(pair.path_of_contact, rel=1e-12)  # these roots leave all of it
    by_tips = MeshAverages.from_radii(
        r_A=0.5 * pair.d_w[0], r_B=0.5 * pair.d_w[1], r_aA=pair.pinion.r_a, r_aB=pair.wheel.r_a, alpha=pair.alpha_wt
    )
    assert by_tips.d_tauA == pytest.approx(mesh.d_tauA, rel=1e-10)  # a small difference of roll lengths


def test_swapped_gears_have_swapped_averages():
    one = MeshAverages.from_radii(r_A=10e-3, r_B=30e-3, r_aA=11e-3, r_aB=31e-3, alpha=radians(20.0))
    two = MeshAverages.from_radii(r_A=30e-3, r_B=10e-3, r_aA=31e-3, r_aB=11e-3, alpha=radians(20.0))
    # the path is walked the other way
    assert two.d_F == pytest.approx(-one.d_F, rel=1e-12)
    assert two.d_tauA == pytest.approx(-one.d_tauB, rel=1e-12)
    assert two.d_tauB == pytest.approx(-one.d_tauA, rel=1e-12)


def test_numbers_of_the_paper():
    """Formulas 21, 27 and 30 as printed, with its own distances; and what its table 3 says of them."""
    mesh = mesh_named("table 3 of the paper")
    g = mesh.T_1B - mesh.T_1A
    d_F = (2 * mesh.T_1P - mesh.T_1A - mesh.T_1B) / g
    d_tauA = (2 * mesh.T_1P**2 - mesh.T_1A**2 - mesh.T_1B**2) / (2 * g)
    T_2A = mesh.T_2B + g
    d_tauB = (2 * mesh.T_2P**2 - T_2A**2 - mesh.T_2B**2) / (2 * (mesh.T_2B - T_2A))
    # differences of squares: two digits lost
    np.testing.assert_allclose([mesh.d_F, mesh.d_tauA, mesh.d_tauB], [d_F, d_tauA, d_tauB], rtol=1e-12)
    assert (round(d_F, 3), round(1e3 * d_tauA, 2), round(1e3 * d_tauB, 2)) == (0.068, -1.01, 1.94)
    for printed, own in ((0.84, d_F), (-9.2e-3, d_tauA), (15.0e-3, d_tauB)):
        assert abs(printed) > 7.0 * abs(own)


WRONG = [
    ({"r_B": 0.0}, "pitch radius of gear B"),
    ({"r_B": -5e-3, "r_aB": -4.9e-3}, "one of them positive"),
    ({"r_B": -10e-3, "r_aB": -9.9e-3}, "one of them positive"),
    ({"r_A": -10e-3, "r_aA": -9.9e-3, "r_B": -30e-3, "r_aB": -29e-3}, "one of them positive"),
    ({"r_aA": 9e-3}, "tip radius of gear A"),
    ({"r_aB": -31e-3}, "tip radius of gear B"),
    ({"r_aA": 9.9e-3, "r_aB": 29.9e-3}, "length of the path"),
    ({"r_aB": 34e-3}, "least roll length of gear A"),
    ({"alpha": 0.0}, "working pressure angle"),
    ({"alpha": float("nan")}, "working pressure angle"),
    ({"r_A": "10"}, "pitch radius"),
]


@pytest.mark.parametrize(("changes", "said"), WRONG)
def test_impossible_geometry_is_refused(changes, said):
    good = {"r_A": 10e-3, "r_B": 30e-3, "r_aA": 11e-3, "r_aB": 31e-3, "alpha": radians(20.0)}
    with pytest.raises(Fault, match=said):
        MeshAverages.from_radii(**good | changes)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_directions_of_a_mesh_are_those_at_its_nominal_place(side):
    mesh = mesh_named("ring as gear B")
    np.testing.assert_array_equal(mesh.normal_direction(side), normal_direction(mesh, side, 0.0))
    np.testing.assert_array_equal(mesh.friction_direction(side), friction_direction(mesh, side, 0.0))


def test_wrong_input_of_averages_is_refused():
    mesh = mesh_named("table 3 of the paper")
    with pytest.raises(Fault, match="gear that drives"):
        mesh.efficiency(0.1, "C")
    with pytest.raises(Fault, match="small enough for gear B to turn the other"):
        mesh.efficiency(9.9, "B")
    with pytest.raises(Fault, match="a GearPair"):
        MeshAverages.from_pair(mesh)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["averages", "factor", "friction", "pitch_circles", "springs"])
def test_examples_of_docstrings_run(name):
    found = doctest.testmod(importlib.import_module(f"alegear.drivetrain.planar.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
