"""What a system refuses before anything is computed, and how places move."""

from __future__ import annotations

import numpy as np
import pytest
from system_parts import FixedRatio, PrescribedSpeed, Rotor, Torque, TorsionSpring

from alegear.errors import Fault
from alegear.system import (
    BearingLink,
    LineSpring,
    PiecewiseCubic,
    Rotor1D,
    Scales,
    SystemBuilder,
    Unbalance,
    axes_along,
    solve_equilibrium,
)
from alegear.system.coordinates import line_weights
from alegear.system.profiles import PrescribedRotation
from alegear.system.typical_force import typical_force, with_typical_force

SPEED = PiecewiseCubic.constant(10.0)


def two():
    return SystemBuilder().add(Rotor1D(name="a", inertia=1.0), Rotor1D(name="b", inertia=2.0))


def free_rotor():
    return SystemBuilder().add(Rotor(name="a", inertia=0.1, mass=2.0, tilt_inertia=0.06))


BAD = [
    (lambda: two().add(Rotor1D(name="a", inertia=1.0)), "there is a body of that name"),
    (lambda: two().add(TorsionSpring(name="a", between=("a", "b"), stiffness=1.0)), "there is a body of that name"),
    (lambda: two().add(TorsionSpring(name="s", between=("a", "c"), stiffness=1.0)), 'body in the system = "c"'),
    (lambda: two().add(TorsionSpring(name="s", between=("a", "a"), stiffness=1.0)), "must be another"),
    (lambda: two().add(TorsionSpring(name="s", between=("a", "b"), stiffness=-1.0)), "stiffness of s"),
    (
        lambda: two().add(
            LineSpring(name="m", between=("a", "a"), point=(0, 0, 0), direction=(0, 1, 0), stiffness=1.0)
        ),
        "bodies of m",
    ),
    (
        lambda: two().add(
            PrescribedSpeed(name="d", place="a", speed=SPEED), PrescribedSpeed(name="e", place="a", speed=SPEED)
        ),
        'drives of the rotation of a = "d" and "e"',
    ),
    (lambda: two().add(PrescribedSpeed(name="d", place="ground", speed=SPEED)), "shaft of d"),
    (lambda: two().add(Torque(name="t", place="ground", profile=SPEED)), "shaft of t"),
    (lambda: two().add(BearingLink(name="c", place="a", stiffness=[1e8] * 3)), "bearing c = on a hinge"),
    (lambda: two().add(BearingLink(name="c", place="a", stiffness=[1e8] * 4)), "stiffness of bearing c = shape"),
    (lambda: two().add(BearingLink(name="c", place="a", stiffness=[1e16] * 3)), "check the unit"),
    (lambda: two().linear("r", at=[0], stiffness=[[np.nan]]), "stiffness of r = not a number"),
    (lambda: two().linear("r", at=[0, 0], stiffness=np.eye(2)), "each once"),
    (lambda: two().linear("r", at=[0, 1], stiffness=[[1.0, 2.0], [2.0, 1.0]]), "not negative"),
    (lambda: two().linear("r", at=[0, 1], stiffness=[[1.0, 0.2], [0.0, 1.0]]), "asymmetric"),
    (lambda: SystemBuilder().rotor("", inertia=1.0), "name of a body"),
    (lambda: SystemBuilder().rotor("a", inertia=-1.0), "inertia of a"),
    (lambda: SystemBuilder().rotor("a", inertia=1.0, axes=2.0 * np.eye(3)), "axes of a"),
    (lambda: SystemBuilder().rotor("a", inertia=1.0, axes=np.diag([1.0, 1.0, -1.0])), "axes of a"),
    (lambda: Scales(deflection=0.0), "typical deflection"),
    (lambda: Scales(force=1e-160), "typical force"),
    (lambda: Unbalance("u", free_rotor().node("a"), -1.0), "unbalance"),
    (
        lambda: SystemBuilder().add(
            Rotor(name="a", inertia=1.0, mass=1.0, tilt_inertia=0.6),
            Rotor(name="b", inertia=1.0, mass=1.0, axes=axes_along([1.0, 0.0, 0.0])),
            BearingLink(name="c", place="a", to="b", stiffness=[1e8] * 3),
        ),
        "axes that c connects",
    ),
]


@pytest.mark.parametrize(("made", "message"), BAD)
def test_bad_parts(made, message):
    with pytest.raises(Fault, match=message) as caught:
        made()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            [FixedRatio(name="m", between=("a", "b"), radii=(1.0, 2.0))] * 1
            + [FixedRatio(name="n", between=("b", "a"), radii=(2.0, 1.0))],
            "joint n = given by m",
        ),
        (
            [
                FixedRatio(name="m", between=("a", "b"), radii=(1.0, 2.0)),
                PrescribedSpeed(name="d", place="a", speed=SPEED),
                PrescribedSpeed(name="e", place="b", speed=SPEED),
            ],
            "joint m = all bodies that it connects are prescribed",
        ),
        ([Rotor1D(name="c", inertia=0.0)], "inertia of the rotation of c"),
    ],
)
def test_systems_that_cannot_be(parts, message):
    with pytest.raises(Fault, match=message):
        two().add(*parts).build()


def test_a_led_body_needs_no_inertia():
    builder = two().add(Rotor1D(name="c", inertia=0.0), PrescribedSpeed(name="d", place="c", speed=SPEED))
    assert builder.build().n == 3


def test_parts_come_in_any_order():
    builder = SystemBuilder().add(
        TorsionSpring(name="s", between=("a", "b"), stiffness=1.0),
        Rotor1D(name="a", inertia=1.0),
        Rotor1D(name="b", inertia=1.0),
    )
    assert builder.build().names == ("a", "b")


# ----------------------------------------------------------------------- places
@pytest.mark.parametrize("direction", [(0, 0, 1), (1, 0, 0), (0, -1, 0), (1.0, 2.0, -0.5)])
def test_axes_along(direction):
    axes = axes_along(direction)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(axes[2], np.array(direction) / np.linalg.norm(direction), rtol=1e-15)
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_a_point_of_a_body_moves_as_a_rigid_one():
    generator = np.random.default_rng(2)
    axes = axes_along(generator.normal(size=3))
    builder = SystemBuilder()
    place = builder.rotor("a", inertia=1.0, mass=1.0, origin=(0.1, 0.2, 0.3), axes=axes)
    x, point, n = generator.normal(size=6), generator.normal(size=3), generator.normal(size=3)
    u, phi = axes.T @ x[1:4], axes.T @ x[[4, 5, 0]]  # rotation first among the coordinates
    expected = u + np.cross(phi, point - [0.1, 0.2, 0.3])
    assert place.along(point, n) @ x[place.coordinates] == pytest.approx(n @ expected, rel=1e-13)
    moved = place.at(point).rows @ x[place.coordinates]
    np.testing.assert_allclose(axes.T @ moved[:3], expected, rtol=1e-12)


def test_line_spring_on_base_circles():
    """The deflection of teeth on the line of action: base radius times rotation, and displacement along it."""
    r_1, r_2, alpha = 0.05, 0.08, np.deg2rad(22.0)
    pitch_point = np.array([r_1 / np.cos(alpha), 0.0, 0.0])
    builder = SystemBuilder().add(
        Rotor(name="a", inertia=1.0, mass=1.0, tilt_inertia=0.6),
        Rotor(name="b", inertia=1.0, mass=1.0, tilt_inertia=0.6, origin=((r_1 + r_2) / np.cos(alpha), 0.0, 0.0)),
        LineSpring(
            name="m", between=("a", "b"), point=pitch_point, direction=(np.sin(alpha), np.cos(alpha), 0), stiffness=3e8
        ),
    )
    row = np.zeros(12)
    model = builder.build()
    row[model.parts[0].coordinates] = model.parts[0].rows[0]
    s, c = np.sin(alpha), np.cos(alpha)
    np.testing.assert_allclose(row, [r_1, s, c, 0, 0, 0, r_2, -s, -c, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(model.stiffness, 3e8 * np.outer(row, row), rtol=1e-15, atol=1e-7)


def test_rigid_mesh_carries_the_force_of_its_torque():
    r_1, r_2, alpha, T = 0.05, 0.08, np.deg2rad(22.0), 70.0
    builder = SystemBuilder().add(
        Rotor(name="a", inertia=1.0, mass=1.0, tilt_inertia=0.6),
        Rotor(name="b", inertia=1.0, mass=1.0, tilt_inertia=0.6, origin=((r_1 + r_2) / np.cos(alpha), 0.0, 0.0)),
        BearingLink(name="c", place="a", stiffness=[1e8, 2e8, 1e8, 1e5, 1e5]),
        BearingLink(name="d", place="b", stiffness=[1e8, 2e8, 1e8, 1e5, 1e5]),
        Torque(name="motor", place="a", profile=PiecewiseCubic.constant(T)),
    )
    gears, point = (builder.node("a"), builder.node("b")), (r_1 / np.cos(alpha), 0.0, 0.0)
    builder.constrain("m", line_weights(gears, point, (np.sin(alpha), np.cos(alpha), 0.0)))
    model = builder.build()
    found = solve_equilibrium(model, held={model.index("b"): 0.0})
    force = T / r_1
    assert found.multipliers[0] == pytest.approx(force, rel=1e-12)
    assert found.reactions["b"] == pytest.approx(force * r_2, rel=1e-12)
    np.testing.assert_allclose(found.part_forces["c"][:2], [-force * np.sin(alpha), -force * np.cos(alpha)], rtol=1e-9)
    np.testing.assert_allclose(found.part_forces["d"][:2], [force * np.sin(alpha), force * np.cos(alpha)], rtol=1e-9)
    w = model.constraint_rows[0]
    assert w @ found.x == pytest.approx(0.0, abs=1e-15)


def test_scales_of_a_body_are_its_own():
    builder = SystemBuilder(Scales(deflection=2e-5, force=500.0, radius=0.05))
    builder.rotor("a", inertia=1.0)
    builder.rotor("b", inertia=1.0, scales=Scales(deflection=1e-6, force=1.0, radius=0.01))
    model = builder.build()
    np.testing.assert_allclose(model.displacement_scale, [4e-4, 1e-4])
    np.testing.assert_allclose(model.force_scale, [25.0, 0.01])


def test_led_motion():
    builder = two()
    builder.prescribe("d", 1, PrescribedRotation(speed_ramp=SPEED, start_angle=0.5))
    model = builder.build()
    np.testing.assert_allclose(model.prescribed_motion(0.2), [[2.5], [10.0], [0.0]])
    np.testing.assert_array_equal(model.free, [0])


def test_gravity_pulls_at_every_mass():
    builder = SystemBuilder().add(
        Rotor(name="a", inertia=1.0, mass=3.0, tilt_inertia=0.6, axes=axes_along([1.0, 0.0, 0.0])),
        BearingLink(name="c", place="a", stiffness=[1e8, 2e8, 1e8, 1e5, 1e5]),
    )
    builder.gravity((0.0, -9.81, 0.0))
    model = builder.build()
    found = solve_equilibrium(model, held={model.index("a"): 0.0})
    np.testing.assert_allclose(
        found.part_forces["c"], [-3.0 * 9.81, 0.0, 0.0, 0.0, 0.0], rtol=1e-12, atol=1e-12
    )  # e1 = y


def test_a_reaction_elsewhere_than_at_what_is_held_hides_no_stiffness():
    """Then no row stands beside its own column; bearings may have stiffness at round-off besides."""
    K = np.diag([1e8, 1e8, 1e8, 1e5, 1e5]) + 1e-9 * (np.eye(5, k=1) + np.eye(5, k=-1))
    builder = SystemBuilder().add(
        *(Rotor(name=name, inertia=0.1, mass=2.0, tilt_inertia=0.06) for name in "ab"),
        *(BearingLink(name=f"bearing_{name}", place=name, stiffness=K) for name in "ab"),
        TorsionSpring(name="s", between=("a", "b"), stiffness=1e6),
    )
    model = builder.build()
    a, b = model.index("a"), model.index("b")
    found = solve_equilibrium(model, held={a: 0.0}, reacting=[b], applied={a: 10.0})
    assert found.x[b] == pytest.approx(-10.0 / 1e6, rel=1e-12)
    assert found.reactions["b"] == pytest.approx(-10.0, rel=1e-12)


def test_typical_force_is_that_of_what_acts_or_of_what_moves():
    """Loads at their largest, else what stops the bodies within a typical displacement, else springs."""
    loaded = two()
    loaded.load("l", PiecewiseCubic.table([0.0, 1.0], [0.0, -7.0]), {0: 2.0})
    turning = two()
    turning.start(0, speed=3.0)
    spring = two()
    spring.add(TorsionSpring(name="s", between=("a", "b"), stiffness=50.0))
    for builder, force in ((loaded, 14.0), (turning, 9.0), (spring, 50.0)):
        model = builder.build()
        size, own = typical_force(model), model.coordinates[0]
        if builder is loaded:
            assert size * own.force_scale == pytest.approx(force)
        else:  # over or times a typical displacement
            power = -1.0 if builder is turning else 1.0
            assert size * own.force_scale == pytest.approx(force * own.displacement_scale**power)
        assert with_typical_force(model).force_scale[0] == pytest.approx(size * own.force_scale)
