"""Rigid gears in space: tangents against differences, forces against hand statics, power in against power out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from derivatives import differences
from scipy.linalg import block_diag

from alegear.drivetrain.spatial import SpatialGear, SpatialMesh, SpatialRack, mating_position
from alegear.errors import Fault
from alegear.system import Scales, SystemBuilder, SystemMotion
from alegear.system.rotation import moved, rotation_matrix
from alegear.system.spatial import Bushing, FloatingBody
from alegear.system.start import start_with_joints
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, integrate

ALPHA = math.radians(20.0)
ORIGIN = np.zeros(3)
X, Y, Z = np.eye(3)


def gear(name: str, teeth: int, **more) -> SpatialGear:
    return SpatialGear(name=name, body=name, teeth=teeth, normal_module=4e-3, **more)


KINDS = {
    "spur": (gear("a", 20), gear("b", 30)),
    "helical": (gear("a", 20, helix_angle=0.4), gear("b", 30, helix_angle=-0.4)),
    "internal": (gear("a", 90, internal=True), gear("b", 30)),
    "pinion in a helical ring": (gear("a", 25, helix_angle=0.3), gear("b", 75, internal=True, helix_angle=0.3)),
    "bevel": (gear("a", 20, cone_angle=math.atan(2 / 3)), gear("b", 30, cone_angle=-math.atan(3 / 2))),
    "spiral bevel": (
        gear("a", 20, cone_angle=math.atan(2 / 3), helix_angle=0.6),
        gear("b", 30, cone_angle=-math.atan(3 / 2), helix_angle=-0.6),
    ),
    "hypoid": (
        gear("a", 11, cone_angle=0.3, helix_angle=0.8),
        gear("b", 41, cone_angle=-1.2, helix_angle=-0.5),
    ),
    "worm": (gear("a", 2, helix_angle=math.radians(80.0)), gear("b", 41, helix_angle=math.radians(10.0))),
    "crossed": (gear("a", 17, helix_angle=0.7), gear("b", 23, helix_angle=0.2)),
}
RACKS = {
    "rack": (SpatialRack(name="a", body="a", normal_module=4e-3), gear("b", 30)),
    "wheel on a helical rack": (
        gear("a", 25, helix_angle=0.3),
        SpatialRack(name="b", body="b", normal_module=4e-3, helix_angle=-0.3),
    ),
}


def engaged(pair, **mesh):
    """Two bodies where their wheels mesh, the first as it stands, and the joint with its coordinates at the start."""
    first, second = pair
    builder = SystemBuilder()
    centre, axes = ORIGIN, np.eye(3)
    if isinstance(first, SpatialGear) and isinstance(second, SpatialGear):
        centre, axis = mating_position(first, second, X)
        axes = turned_to(axis)
    elif isinstance(first, SpatialRack):  # teeth along y, outwards; the wheel above
        centre = np.array([0.01, second.pitch_radius, 0.0])
    else:
        centre, axes = np.array([0.0, -first.pitch_radius, 0.02]), np.eye(3)
    for name, place, frame in (("a", ORIGIN, np.eye(3)), ("b", centre, axes)):
        builder.add(FloatingBody(name=name, mass=1.0, inertia=(0.1, 0.2, 0.15), position=place, axes=frame))
    builder.add(SpatialMesh(name="mesh", gears=pair, **mesh))
    model = builder.build()
    (joint,) = model.joints
    return model, joint, model.start()[0]


def turned_to(axis: np.ndarray) -> np.ndarray:
    """Axes of a body whose z lies along an axis."""
    near = np.eye(3)[int(np.argmin(np.abs(axis)))]
    e1 = np.cross(near, axis) / np.linalg.norm(np.cross(near, axis))
    return np.column_stack([e1, np.cross(axis, e1), axis])


@pytest.mark.parametrize("lam", [(900.0, 700.0, -30.0), (-900.0, 300.0, 20.0)], ids=["ahead", "back"])
@pytest.mark.parametrize("kind", [*KINDS, *RACKS])
def test_tangents(kind: str, lam) -> None:
    """Far from where they engage, so that no term is zero; with friction, at both signs of the force."""
    model, joint, start = engaged((KINDS | RACKS)[kind], friction=0.1, least_sliding=0.3)
    at, rng = joint.coordinates, np.random.default_rng(1)
    n, rotation_vectors = len(at), [int(np.searchsorted(at, k)) for k in model.rotation_vectors]
    assert np.abs(joint.misfit(0.0, start[at])[0]).max() < 1e-15
    x, v = moved(start[at], 0.3 * rng.normal(size=n), rotation_vectors), rng.normal(size=n)
    lam = np.array(lam)
    got = joint.forces(0.0, x, v, lam)
    G = joint.misfit(0.0, x)[1]
    pairs = (
        (G, differences(lambda e: joint.misfit(0.0, moved(x, e, rotation_vectors))[0], n)),
        (
            joint.curvature(0.0, x, lam),
            differences(lambda e: joint.misfit(0.0, moved(x, e, rotation_vectors))[1].T @ lam, n),
        ),
        (got.by_x, differences(lambda e: joint.forces(0.0, moved(x, e, rotation_vectors), v, lam).Q, n)),
        (got.by_v, differences(lambda e: joint.forces(0.0, x, v + e, lam).Q, n)),
        (got.by_multipliers, differences(lambda e: joint.forces(0.0, x, v, lam + e).Q, 3)),
    )
    for found, expected in pairs:
        size = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * size)  # differences of order four
    np.testing.assert_allclose(got.Q, got.by_multipliers @ lam, rtol=1e-12)


@pytest.mark.parametrize("kind", [*KINDS, *RACKS])
def test_action_is_reaction_wherever_bodies_float(kind: str) -> None:
    """Forces and moments about any point, of rolling, radial force and friction; power that is missing is the loss."""
    model, joint, start = engaged((KINDS | RACKS)[kind], friction=0.1, least_sliding=0.3)
    at, rng = joint.coordinates, np.random.default_rng(2)
    n, rotation_vectors = len(at), [int(np.searchsorted(at, k)) for k in model.rotation_vectors]
    x, v, lam = (
        moved(start[at], 0.1 * rng.normal(size=n), rotation_vectors),
        rng.normal(size=n),
        np.array([900.0, 700.0, -30.0]),
    )
    told, point = joint.forces(0.0, x, v, lam), rng.normal(size=3)
    force, moment, size = np.zeros(3), np.zeros(3), 0.0
    for k in rotation_vectors:
        (p, R), Q = (x[k - 3 : k], rotation_matrix(x[k : k + 3])), told.Q[k - 3 : k + 3]
        one = np.cross(p - point, Q[:3]) + R @ Q[3:]
        force, moment, size = force + Q[:3], moment + one, max(size, float(np.abs(one).max()))
    assert np.abs(force).max() < 1e-13 * 900.0  # round-off of sums
    assert np.abs(moment).max() < 1e-12 * size
    power = told.Q @ v + lam @ joint.misfit(0.0, x)[1] @ v
    assert power == pytest.approx(told.supplied - told.lost, abs=1e-12 * np.abs(told.Q * v).sum())
    contact = joint.contact(x, v, lam)
    # of what is told the same: the force at its point is what the second body gets, with the couple of lambda_3
    on_second = told.Q[rotation_vectors[1] - 3 : rotation_vectors[1]]
    assert contact.force == pytest.approx(on_second, abs=1e-12 * 900.0)
    assert contact.lost == pytest.approx(told.lost, rel=1e-12)
    turned, own = (
        rotation_matrix(x[rotation_vectors[1] : rotation_vectors[1] + 3]),
        slice(rotation_vectors[1], rotation_vectors[1] + 3),
    )
    without = turned @ joint.forces(0.0, x, v, lam * [1.0, 1.0, 0.0]).Q[own]
    levered = np.cross(contact.point - x[rotation_vectors[1] - 3 : rotation_vectors[1]], contact.force)
    assert without == pytest.approx(levered, abs=1e-12 * size)


@pytest.mark.parametrize("kind", [*KINDS, *RACKS])
def test_rolling_does_no_work_and_friction_loses(kind: str) -> None:
    """Velocities that the joint allows, on fixed centres: what goes in on one side comes out on the other."""
    for friction in (0.0, 0.07):
        more = {"friction": friction, "least_sliding": 1e-3} if friction else {}
        model, joint, start = engaged((KINDS | RACKS)[kind], **more)
        at = joint.coordinates
        x, G = start[at], joint.misfit(0.0, start[at])[1]
        free = [model.names.index(one) for one in model.names]
        allowed = np.zeros((2, len(at)))  # each wheel about its axis, a rack along its direction
        for number, one in enumerate((KINDS | RACKS)[kind]):
            frame = model.frames[one.body]
            if isinstance(one, SpatialGear):
                allowed[number, np.searchsorted(at, frame.coordinates[3:])] = one.axis
            else:
                R = frame.at(start[frame.coordinates])[1]
                allowed[number, np.searchsorted(at, frame.coordinates[:3])] = R @ np.asarray(one.direction)
        rolls = [int(np.searchsorted(at, roll)) for roll in joint.without_inertia]
        unknown = np.vstack([allowed, np.eye(len(at))[rolls]])
        *_, direction = np.linalg.svd(G @ unknown.T)
        v = direction[-1] @ unknown
        v *= 100.0 / np.abs(v[rolls]).max()
        assert np.abs(G @ v).max() < 1e-12  # rates up to 100 rad/s times radii of 0.1 m, round-off
        lam = np.array([1000.0, 1000.0 * math.cos(ALPHA), 0.0])
        forces = joint.forces(0.0, x, v, lam)
        through = 0.5 * np.abs(forces.Q * v).sum()
        assert through > 1.0
        assert abs(forces.Q @ v + forces.lost - forces.supplied) < 1e-10 * through
        assert abs(forces.supplied) < 1e-10 * through  # centres do not move
        assert np.abs(forces.Q[rolls]).max() < 1e-10 * np.abs(forces.Q).max()  # rolls without inertia are in balance
        assert forces.lost == 0.0 if not friction else forces.lost >= 0.0
        assert len(free) == model.n


@pytest.mark.parametrize("kind", ["helical", "pinion in a helical ring", "worm", "crossed", "wheel on a helical rack"])
def test_right_handed_teeth_push_as_screws_do(kind: str) -> None:
    """A right-handed wheel that a torque T holds is pushed along its axis by -T tan(beta)/r, inner teeth alike."""
    pair = (KINDS | RACKS)[kind]
    model, joint, start = engaged(pair)
    at = joint.coordinates
    forces = joint.forces(0.0, start[at], np.zeros(len(at)), np.array([1000.0, 1000.0 * math.cos(ALPHA), 0.0]))
    for one in (gear for gear in pair if isinstance(gear, SpatialGear)):
        frame = model.frames[one.body]
        R = frame.at(start[frame.coordinates])[1]
        force, torque = forces.Q[np.searchsorted(at, frame.coordinates)].reshape(2, 3)
        axis = np.asarray(one.axis)
        along = -(torque @ axis) * math.tan(one.helix_angle) / one.pitch_radius
        assert force @ R @ axis == pytest.approx(along, rel=1e-9)  # round-off
        assert abs(along) > 1.0


def test_wheels_of_parallel_axes_have_opposite_hands_and_rings_the_same() -> None:
    for kind in ("helical", "pinion in a helical ring"):
        _, axis = mating_position(*KINDS[kind], X)
        assert abs(axis @ Z) == pytest.approx(1.0, rel=1e-12)


def worm(friction: float):
    """A worm of two starts at 10 deg lead on a wheel of 41 teeth."""
    return engaged(KINDS["worm"], friction=friction, least_sliding=1e-9)


@pytest.mark.parametrize("friction", [0.02, 0.05, 0.16])
@pytest.mark.parametrize("drives", ["worm", "wheel"])
def test_worm_pair_has_the_efficiency_of_its_closed_form(friction: float, drives: str) -> None:
    """Lead g = 10 deg: (cos a - mu tan g)/(cos a + mu cot g), back (cos a - mu cot g)/(cos a + mu tan g)."""
    model, joint, start = worm(friction)
    at = joint.coordinates
    a, b = (model.frames[name].coordinates for name in ("a", "b"))
    first, second = (np.searchsorted(at, frame[5]) for frame in (a, b))
    rolls = [int(np.searchsorted(at, roll)) for roll in joint.without_inertia]
    v = np.zeros(len(at))
    v[first] = v[rolls[0]] = 100.0
    v[second] = v[rolls[1]] = -100.0 * 2.0 / 41.0
    # turning the wheel's axis over is free for a cylinder: take the sign that rolls
    G = joint.misfit(0.0, start[at])[1]
    if np.abs(G @ v).max() > 1e-9:
        v[second] = -v[second]
    assert np.abs(G @ v).max() < 1e-12
    tangent, cosine = math.tan(math.radians(10.0)), math.cos(ALPHA)
    ahead = (cosine - friction * tangent) / (cosine + friction / tangent)
    back = (cosine - friction / tangent) / (cosine + friction * tangent)
    found = []
    for sign in (1.0, -1.0):
        Q = joint.forces(0.0, start[at], v, sign * np.array([1000.0, 1000.0 * cosine, 0.0])).Q
        found.append((Q[first] * v[first], Q[second] * v[second]))  # power of the teeth on worm and wheel
    into_worm = [one for one in found if one[1] > 0.0]  # teeth drive the wheel: the worm drives
    from_wheel = [one for one in found if one[1] < 0.0]
    if drives == "worm":
        ((worm_side, wheel_side),) = into_worm
        assert wheel_side / -worm_side == pytest.approx(ahead, rel=1e-9)
    else:
        ((worm_side, wheel_side),) = from_wheel
        assert worm_side / -wheel_side == pytest.approx(back, rel=1e-9)
        assert (worm_side <= 0.0) == (friction > cosine * tangent)  # nothing comes out: it locks itself


# --------------------------------------------------------------------------------- what does not fit
def test_centres_that_cannot_mesh_are_told_where_to_go() -> None:
    builder = SystemBuilder()
    builder.add(FloatingBody(name="a", mass=1.0), FloatingBody(name="b", mass=1.0, position=(0.101, 0.0, 0.0)))
    builder.add(FloatingBody(name="c", mass=1.0, position=(0.1, 0.0, 0.0)))
    fine = SpatialMesh(
        name="fine", gears=(gear("a", 20), SpatialGear(name="w", body="c", teeth=30, normal_module=4e-3))
    )
    builder.add(fine)
    with pytest.raises(
        Fault, match=r"position of b in mesh, off pitch contact with a by \[mm\] = 1: .* move b by \(-1, "
    ):
        builder.add(SpatialMesh(name="mesh", gears=KINDS["spur"]))


@pytest.mark.parametrize(
    ("pair", "axis", "message"),
    [
        ((gear("a", 20), gear("b", 30, axis=(0, 1, 0))), Z, r"shaft angle of mesh = 90 deg: must be 0 or 180 deg"),
        (KINDS["bevel"], Y, "shaft angle of mesh|position of b in mesh|axis of b in mesh"),
        (
            (gear("a", 20), SpatialGear(name="b", body="b", teeth=30, normal_module=5e-3)),
            Z,
            r"normal module of b \[mm\] = 5",
        ),
        (
            (gear("a", 20, helix_angle=0.2), gear("b", 30, helix_angle=0.2)),
            Z,
            r"shaft angle of mesh = 0 deg: must be 22\.9",
        ),
    ],
)
def test_angles_that_do_not_fit(pair, axis, message) -> None:
    builder = SystemBuilder()
    builder.add(FloatingBody(name="a", mass=1.0), FloatingBody(name="b", mass=1.0, position=(0.1, 0.0, 0.0)))
    with pytest.raises(Fault, match=message):
        builder.add(SpatialMesh(name="mesh", gears=pair))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"friction": 0.1}, "least sliding velocity of mesh = not given: .*; give least_sliding_m_per_s"),
        ({"least_sliding": 0.1}, "it has no effect without friction"),
        ({"friction": -0.1}, "coefficient of friction = -0.1"),
    ],
)
def test_friction_that_says_too_little_or_too_much(more, message) -> None:
    with pytest.raises(Fault, match=message):
        SpatialMesh(name="mesh", gears=KINDS["spur"], **more)


def test_words_about_gears() -> None:
    with pytest.raises(Fault, match='bodies of mesh = "a" twice'):
        SpatialMesh(name="mesh", gears=(gear("a", 20), gear("a", 30)))
    with pytest.raises(Fault, match="cone angle of a"):
        gear("a", 20, internal=True, cone_angle=0.1)
    with pytest.raises(Fault, match="axis of a"):
        gear("a", 20, axis=(0, 0, 0))
    with pytest.raises(Fault, match="angle of outwards and direction of r = 45 deg"):
        SpatialRack(name="r", body="r", normal_module=4e-3, outwards=(1.0, 1.0, 0.0))
    builder = SystemBuilder()
    builder.add(FloatingBody(name="a", mass=1.0), FloatingBody(name="b", mass=1.0))
    first, second = (SpatialRack(name=name, body=name, normal_module=4e-3) for name in "ab")
    with pytest.raises(Fault, match="gears of mesh = two racks"):
        builder.add(SpatialMesh(name="mesh", gears=(first, second)))


def test_floating_machine_turns_nothing_by_itself() -> None:
    """Two helical wheels on soft springs in a frame that floats: displaced by what pushes them apart, with friction.

    Rates of momentum and angular momentum of all bodies together, by accelerations, are zero.
    """
    one, two = KINDS["crossed"]
    centre, axis = mating_position(one, two, X)
    masses, inertias = (
        {"frame": 3.0, "a": 1.0, "b": 1.5},
        {"frame": (0.2, 0.3, 0.4), "a": (2e-3,) * 3, "b": (3e-3,) * 3},
    )
    placed = {"frame": (ORIGIN, np.eye(3)), "a": (ORIGIN, np.eye(3)), "b": (centre, turned_to(axis))}
    builder = SystemBuilder(Scales(deflection=1e-6, force=0.1, radius=0.05))
    for name, (p, R) in placed.items():
        spin = {"a": 40.0 * Z, "frame": np.array([0.3, -0.2, 0.1])}.get(name, ORIGIN)
        builder.add(
            FloatingBody(
                name=name, mass=masses[name], inertia=inertias[name], position=p, axes=R, angular_velocity=spin
            )
        )
    for name, about in (("a", Z), ("b", axis)):
        across = 50.0 * (np.eye(3) - np.outer(about, about))
        p, R = placed[name]
        stiffness = block_diag(2e4 * np.eye(3), across)
        where = {"points": (p, ORIGIN), "axes": (np.eye(3), R.T)}
        builder.add(Bushing(name=f"{name} on", between=("frame", name), stiffness=stiffness, **where))
    builder.add(SpatialMesh(name="mesh", gears=(one, two), friction=0.1, least_sliding=0.01))
    model = builder.build()
    moving = SystemMotion(model)
    state = moving.begin(0.0, *start_with_joints(model))
    state, _ = integrate(moving, state, 0.012, scheme=GeneralizedAlpha(rho_inf=0.8), control=FixedStep(h=2e-4))
    found = moving.motion(state)
    force, moment, size = np.zeros(3), np.zeros(3), np.zeros(2)
    for name, mass in masses.items():
        at = model.frames[name].coordinates
        p, R, J = found.x[at[:3]], rotation_matrix(found.x[at[3:]]), np.diag(inertias[name])
        w, a, alpha = found.v[at[3:]], found.a[at[:3]], found.a[at[3:]]
        rates = mass * a, np.cross(p, mass * a) + R @ (J @ alpha + np.cross(w, J @ w))
        force, moment = force + rates[0], moment + rates[1]
        size = np.maximum(size, [np.abs(one).max() for one in rates])
    (joint,) = model.joints
    x, v = found.x[joint.coordinates], found.v[joint.coordinates]
    assert joint.forces(0.0, x, v, found.joint_multipliers).lost > 0.1
    assert np.linalg.norm(joint.contact(x, v, found.joint_multipliers).force) > 10.0
    # Newton's tolerance, 1e-9 of the forces that matter, 0.1 N and 5 mN m
    assert np.abs(force).max() < 1e-10 * size[0]
    assert np.abs(moment).max() < 1e-10 * size[1]
    one, two = joint._contact(x)
    assert np.linalg.norm(one.c - two.c) > 1e-5  # what the first test cannot see where wheels stand as they engaged
