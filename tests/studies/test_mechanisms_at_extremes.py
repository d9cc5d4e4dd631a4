"""Mechanisms in space at the extremes of what they are given: against closed forms, or refused in one line."""

import math

import numpy as np
import pytest
from families import mostly_thorough

import alegear as ag
from alegear.system.rotation import rotation_matrix


def two_wheels(**driving):
    """20 teeth led, 30 teeth on a hinge."""
    m = ag.Machine("two wheels")
    m.add("a", ag.FloatingBody(mass=1.0, inertia=(1e-3, 1e-3, 1e-3)))
    m.add("b", ag.FloatingBody(mass=1.0, inertia=(2e-3, 2e-3, 2e-3), position=(0.1, 0.0, 0.0)))
    m.add("drive", ag.SpatialJoint(kind="prescribed_revolute", between=("ground", "a"), axis=(0, 0, 1), **driving))
    m.add("hinge", ag.SpatialJoint(kind="revolute", between=("ground", "b"), point=(0.1, 0.0, 0.0), axis=(0, 0, 1)))
    m.add("one", ag.SpatialGear(body="a", teeth=20, normal_module=4e-3))
    m.add("two", ag.SpatialGear(body="b", teeth=30, normal_module=4e-3))
    m.spatial_mesh("mesh", "one", "two")
    return m


# --------------------------------------------------------------------------------------------------------- run-ups
@pytest.mark.parametrize("ramp", mostly_thorough([0.1, 1e-2, 1e-3, 1e-5], always=lambda ramp: ramp == 1e-5))
def test_a_run_up_from_rest_however_short(ramp: float) -> None:
    """Speed and energy at the end of the ramp and beyond: (J_1 + J_2 (2/3)^2) w^2/2."""
    speed = 60.0
    data = two_wheels(speed=speed, ramp=ramp).run(duration=2.0 * ramp, output_every=0.1 * ramp).dataset
    t = data["time"].to_numpy()
    s = np.minimum(t / ramp, 1.0)
    w = speed * s * s * (3.0 - 2.0 * s)
    found = data["angular_velocity"].to_numpy()[:, :, 2]
    assert found == pytest.approx(np.column_stack([w, -w * 2.0 / 3.0]), abs=5e-3 * speed)  # ten steps of order two
    kinetic = 0.5 * (1e-3 + 2e-3 * 4.0 / 9.0) * speed**2
    assert data["energy_kinetic"].to_numpy()[-1] == pytest.approx(kinetic, rel=2e-3)
    # the torque at rest is none, for the ramp begins without acceleration
    assert np.abs(data["reaction_torque"].to_numpy()[0]).max() < 1e-9


def test_a_jump_of_acceleration_is_there_at_once() -> None:
    """A table of speeds that rises from 0 at t = 0: torque (J_1 + J_2 (2/3)^2) dw/dt of the first sample already."""
    data = two_wheels(speed=[[0.0, 0.0], [0.01, 5.0], [0.02, 5.0]]).run(duration=0.01, output_every=1e-3).dataset
    torque = data["reaction_torque"].sel(joint="drive").to_numpy()[0, 2]
    assert torque == pytest.approx((1e-3 + 2e-3 * 4.0 / 9.0) * 500.0, rel=1e-9)
    assert np.abs(data["normal_force"].to_numpy()[0, 0]) == pytest.approx(
        2e-3 * 500.0 * 2.0 / 3.0 / (0.06 * math.cos(math.radians(20.0))), rel=1e-9
    )


@pytest.mark.parametrize("step", [{}, {"time_step": 5e-3}])
def test_the_torque_of_a_led_motion_is_that_of_its_acceleration_however_long_the_steps(step) -> None:
    """3 sin 5t: steps of 50 ms tell J d2phi/dt2 to the digits of differences, and not to those of their own."""
    m = ag.Machine("prescribed_revolute")
    m.add("disk", ag.FloatingBody(mass=1.0, inertia=(1e-3, 1e-3, 1e-3)))
    m.add(
        "motor",
        ag.SpatialJoint(
            kind="prescribed_revolute",
            between=("ground", "disk"),
            axis=(0, 0, 1),
            angle=lambda t: 3.0 * math.sin(5.0 * t),
        ),
    )
    data = m.run(duration=0.2, output_every=0.05, **step).dataset
    expected = -1e-3 * 75.0 * np.sin(5.0 * data["time"].to_numpy())
    torque = data["reaction_torque"].to_numpy()[:, 0, 2]
    assert torque == pytest.approx(expected, abs=1e-6 * 1e-3 * 75.0)
    assert data["angular_acceleration"].to_numpy()[:, 0, 2] == pytest.approx(1e3 * expected, abs=1e-6 * 75.0)


@pytest.mark.parametrize("ramp", [5e-324, 1e-200, 1e-13])
def test_a_ramp_that_is_none_is_refused(ramp: float) -> None:
    with pytest.raises(ag.Fault, match=r"run-up of speed of SpatialJoint \[s\] = \S+: must be 0, or at least 1e-12"):
        two_wheels(speed=1.0, ramp=ramp)


# ----------------------------------------------------------------------------------------- teeth that do not engage
def wheel_on_springs(stiffness: float, torque: float, tilting: float = 1e5, across: float = 1e8):
    """A wheel of 30 teeth, module 4 mm, that a torque turns against one that is held."""
    m = ag.Machine("on springs")
    m.add("a", ag.FloatingBody(mass=1.0, inertia=(1e-3, 1e-3, 1e-3)))
    m.add("b", ag.FloatingBody(mass=1.0, inertia=(2e-3, 2e-3, 2e-3), position=(0.1, 0.0, 0.0)))
    m.add("held", ag.SpatialJoint(kind="fixed", between=("ground", "a")))
    springs, damping = (stiffness, across, across, tilting, tilting, 0.0), (300.0, 1e3, 1e3, 1.0, 1.0, 0.0)
    m.add("seat", ag.SpatialBushing(between=("ground", "b"), stiffness=springs, damping=damping, point=(0.1, 0, 0)))
    m.add("one", ag.SpatialGear(body="a", teeth=20, normal_module=4e-3))
    m.add("two", ag.SpatialGear(body="b", teeth=30, normal_module=4e-3))
    m.spatial_mesh("mesh", "one", "two")
    m.add("load", ag.SpatialLoad(body="b", torque=[[0.0, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, torque]]))
    return m


#: A motion, too, where the teeth let go of each other.
POSITIONS_OR_A_MOTION = [
    ag.Kinematics(duration=0.1),
    pytest.param(ag.SpatialMotion(duration=0.1, output_every=0.01), marks=pytest.mark.thorough),
]


@pytest.mark.parametrize("kind", [ag.Kinematics(duration=0.1), ag.SpatialMotion(duration=0.1, output_every=0.01)])
def test_teeth_that_let_go_of_each_other_are_told(kind, tmp_path) -> None:
    """A spring so soft that the teeth push the wheel off by more than they are deep, T tan a/(r k) = 8 mm at 66 ms.

    What was before is kept.
    """
    with pytest.raises(ag.AnalysisFailure, match=r"teeth of mesh at t = 0\.\d+ s, apart by \[mm\] = 8\.\d+: must be"):
        ag.run(wheel_on_springs(3e4, 60.0).case(kind), tmp_path / "out")
    kept = ag.load(tmp_path / "out")
    assert not kept.complete
    assert len(kept.dataset["time"]) > 2


@pytest.mark.parametrize("kind", POSITIONS_OR_A_MOTION)
def test_teeth_that_are_pressed_into_each_other_are_told(kind) -> None:
    m = wheel_on_springs(1e5, 0.1)
    m.add("press", ag.SpatialLoad(body="b", force=[[0.0, 0.0, 0.0, 0.0], [0.1, -200.0, 0.0, 0.0]]))
    with pytest.raises(
        ag.AnalysisFailure, match=r"teeth of mesh at t = 0\.\d+ s, too deep in each other by \[mm\] = 1\.\d+"
    ):
        ag.run(m.case(kind))


@pytest.mark.parametrize("kind", POSITIONS_OR_A_MOTION)
def test_teeth_that_tilt_against_each_other_are_told(kind) -> None:
    """Tilted about the line of centres by more than 0.2 rad, M = k phi."""
    m = wheel_on_springs(1e8, 0.1, tilting=100.0)
    m.add("tilt", ag.SpatialLoad(body="b", torque=[[0.0, 0.0, 0.0, 0.0], [0.1, 60.0, 0.0, 0.0]]))
    with pytest.raises(ag.AnalysisFailure, match=r"angle between the teeth of mesh at t = 0\.0\d+ s \[deg\] = 1[1-3]"):
        ag.run(m.case(kind))


# --------------------------------------------------------------------------------------------------- many turns at once
def test_a_hinge_is_led_by_turns_between_positions() -> None:
    """5.4 turns from one position to the next: each wheel has rolled by them, and so have springs been wound."""
    m = two_wheels(speed=2.0 * math.pi)
    m.add("spiral", ag.SpatialBushing(between=("ground", "b"), stiffness=(0, 0, 0, 0, 0, 0.5), point=(0.1, 0.0, 0.0)))
    data = two_wheels(speed=2.0 * math.pi).kinematics(duration=5.4, positions=2).dataset
    t = data["time"].to_numpy()
    assert np.abs(data["roll"].to_numpy()[:, 0, 0]) == pytest.approx(2.0 * math.pi * t, abs=1e-8)
    with pytest.raises(ag.AnalysisFailure, match=r"turned by .* against"):  # less than a turn
        m.kinematics(duration=5.4, positions=2)


def test_positions_too_far_from_each_other_are_refused() -> None:
    with pytest.raises(
        ag.AnalysisFailure, match=r"rotation of drive from t = 0 to \S+ s \[rad\] = \S+: must be at most 0.5"
    ):
        two_wheels(speed=1e4).kinematics(duration=1.0, positions=2)


def test_a_mass_that_is_none_beside_its_inertia_is_refused() -> None:
    m = ag.Machine("dust")
    with pytest.raises(
        ag.Fault, match=r"radius of gyration of FloatingBody, sqrt\(inertia/mass\) \[m\] = .*: must be at most 1e\+07"
    ):
        m.add("a", ag.FloatingBody(mass=1e-300, inertia=(1e-3, 1e-3, 1e-3)))
    m.add("b", ag.FloatingBody(mass=1e-12, inertia=(1e-3, 1e-3, 1e-3)))


@pytest.mark.parametrize("kind", [ag.Kinematics(duration=1.0), ag.SpatialMotion(duration=1.0, begin="under load")])
def test_joints_that_say_the_same_are_found_before_anything_is_computed(kind) -> None:
    m = two_wheels(speed=1.0)
    m.spatial_mesh("again", "one", "two")
    with pytest.raises(ag.Fault, match=r"equations of joints = 17, 16 of them independent: .* what again does"):
        m.case(kind)


# ------------------------------------------------------------------------------------------------- chains of bushings
@pytest.mark.parametrize("seed", mostly_thorough([0, 3, 8], always=lambda seed: seed == 3))
def test_chains_of_bushings_that_give_way_far(seed: int) -> None:
    """Drawn at random: forces and moments on each body balance, by what results tell of the bushings."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    gravity = rng.uniform(-10.0, 10.0, 3)
    m = ag.Machine("chain", gravity=tuple(gravity))
    before, p = "ground", np.zeros(3)
    masses, ends = [], []
    for i in range(n):
        q = p + 0.3 * rng.normal(size=3)
        masses.append(10.0 ** rng.uniform(-1.0, 1.0))
        m.add(f"b{i}", ag.FloatingBody(mass=masses[-1], inertia=(0.01 * masses[-1],) * 3, position=q))
        stiffness = [*(10.0 ** rng.uniform(3.0, 6.0) * np.ones(3)), *(10.0 ** rng.uniform(0.0, 3.0) * np.ones(3))]
        m.add(f"s{i}", ag.SpatialBushing(between=(before, f"b{i}"), stiffness=stiffness, point=0.5 * (p + q)))
        ends.append(0.5 * (p + q) - q)
        before, p = f"b{i}", q
    data = m.kinematics(duration=1.0, positions=2).dataset.isel(position_number=-1)
    force, torque = data["bushing_force"].to_numpy(), data["bushing_torque"].to_numpy()
    for i in range(n):
        following = force[i + 1] if i + 1 < n else np.zeros(3)
        assert force[i] + masses[i] * gravity == pytest.approx(following, abs=1e-6 * np.abs(force).max())
    # of the last one all acts at the point of its bushing and at its centre of mass
    arm = rotation_matrix(data["rotation_vector"].to_numpy()[-1]) @ ends[-1]
    assert torque[-1] + np.cross(arm, force[-1]) == pytest.approx(np.zeros(3), abs=1e-6 * np.abs(torque).max())
