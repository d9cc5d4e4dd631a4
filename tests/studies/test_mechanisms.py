"""Machines with bodies in space, computed as users do: against closed forms."""

import json
import math
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from small_machines import StopAfter, Stopped

import alegear as ag
from alegear.cli import main
from alegear.drivetrain.spatial import mating_position
from alegear.storage.recorded_samples import RecordedSamples
from alegear.studies import spatial
from alegear.system.rotation import rotation_matrix

ROOT = Path(__file__).resolve().parents[2]
MESHES = ROOT / "meshes"
COS_20 = math.cos(math.radians(20.0))
G = 9.81


# --------------------------------------------------------------------------------------------------------- positions
def test_bevel_wheel_on_a_fixed_one():
    """Torque T at a pitch radius of 1 m presses the flanks by T/cos 20 deg; Cardona (1997), 10.1, prints 1.064e3."""
    data = ag.run(ag.MachineCase.from_toml(MESHES / "bevel_pair.toml")).dataset
    assert np.abs(data["normal_force"].to_numpy()) == pytest.approx(1000.0 / COS_20, rel=1e-9)  # Newton's tolerance
    phi = data["time"].to_numpy()
    wheel = data["position"].sel(body="wheel").to_numpy()
    assert wheel == pytest.approx(np.column_stack([5 * np.sin(phi), 0 * phi + 1, 5 * np.cos(phi)]), abs=1e-9)
    # it rolls over five times the angle of its arm
    assert np.abs(data["roll"].to_numpy()[:, 0, 1]) == pytest.approx(5.0 * phi, abs=1e-9)
    # what the teeth exert, the pin holds
    forces = data["tooth_force"].to_numpy()[:, 0] + data["reaction_force"].sel(joint="pin").to_numpy()
    assert np.abs(forces).max() < 1e-6  # of 1064 N


def test_three_wheels_and_a_string():
    """String from (30, -50) to the end of the bar, 30 m long at phi; moments about both axes of the wheels."""
    data = ag.run(ag.MachineCase.from_toml(MESHES / "three_wheels.toml")).dataset
    phi = data["time"].to_numpy()
    end = 30.0 * np.column_stack([np.cos(phi), np.sin(phi)])
    line = np.array([30.0, -50.0]) - end
    length = np.linalg.norm(line, axis=1)
    pull = 1000.0 * (length - 50.0)
    assert data["spring_length"].to_numpy()[:, 0] == pytest.approx(length, rel=1e-9)
    assert data["spring_force"].to_numpy()[:, 0] == pytest.approx(pull, rel=1e-9, abs=1e-6)
    # the wheel in the middle has the first and the third on opposite flanks: work of the string is that of both
    turning = end[:, 0] * line[:, 1] - end[:, 1] * line[:, 0]
    moment = pull * turning / length
    # third wheel and bar turn by the same angle against each other: T dphi = F cos 20 r dphi, twice over the arm 2r
    expected = np.abs(moment) / (5.0 * COS_20)
    assert np.abs(data["normal_force"].to_numpy()[:, 0]) == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert expected[-1] == pytest.approx(1.156e5, rel=5e-4)  # four digits are printed by Cardona (1997), 10.2


def test_double_rack():
    """1000 N along a rack press its flanks by 1000/cos 20 deg, and push it off by 1000 tan 20 deg."""
    data = ag.run(ag.MachineCase.from_toml(MESHES / "double_rack.toml")).dataset
    u = 5.0 * data["time"].to_numpy()
    assert data["position"].sel(body="first").to_numpy()[:, 1] == pytest.approx(u, abs=1e-9)
    assert data["position"].sel(body="second").to_numpy()[:, 1] == pytest.approx(-u, abs=1e-9)
    assert np.abs(data["normal_force"].to_numpy()) == pytest.approx(1000.0 / COS_20, rel=1e-9)
    off = data["reaction_force"].sel(joint="guide").to_numpy()
    assert np.linalg.norm(off, axis=1) == pytest.approx(1000.0 * math.tan(math.radians(20.0)), rel=1e-9)
    assert data.attrs["analysis"] == "kinematic"
    assert "velocity" not in data


# ------------------------------------------------------------------------------------------------------------ motions
def pendulum(rotor=None, **body):
    """A bar of 2 kg on a hinge 0.5 m from its centre of mass, at 1 rad from rest below."""
    m = ag.Machine("pendulum", gravity=(0.0, -G, 0.0))
    c, s = math.cos(1.0), math.sin(1.0)
    axes = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    position = tuple(axes @ (0.0, -0.5, 0.0))
    m.add("bar", ag.FloatingBody(mass=2.0, inertia=(0.01, 1e-4, 0.01), position=position, axes=axes, **body))
    m.add("pivot", ag.SpatialJoint(kind="revolute", between=("ground", "bar"), axis=(0, 0, 1), rotor=rotor))
    return m


def test_pendulum_against_its_first_integral():
    """dphi/dt^2 = 2 m g L (cos phi - cos phi_0)/I, and the hinge carries what this leaves of weight and inertia."""
    m_, L, inertia = 2.0, 0.5, 0.01 + 2.0 * 0.25
    data = pendulum().run(duration=0.5, output_every=0.05, time_step=5e-4).dataset
    phi = data["rotation_vector"].to_numpy()[:, 0, 2]
    speed = data["angular_velocity"].to_numpy()[:, 0, 2]
    expected = 2.0 * m_ * G * L * (np.cos(phi) - math.cos(1.0)) / inertia
    # second order: (h w)^2 = (5e-4 * 4.4)^2 = 5e-6 of the largest
    assert speed**2 == pytest.approx(expected, abs=5e-6 * expected.max())
    bar = np.column_stack([np.sin(phi), -np.cos(phi)])
    across = np.column_stack([np.cos(phi), np.sin(phi)])
    a = L * (-(m_ * G * L * np.sin(phi) / inertia)[:, None] * across - (speed**2)[:, None] * bar)
    force = m_ * a + [0.0, m_ * G]
    found = data["reaction_force"].sel(joint="pivot").to_numpy()
    assert found[:, :2] == pytest.approx(force, abs=5e-5 * np.abs(force).max())  # accelerations lose a digit
    torque = data["reaction_torque"].to_numpy()
    assert np.abs(torque).max() < 1e-6  # nothing acts out of the plane
    assert np.abs(data["joint_point"].to_numpy()).max() < 1e-9
    missing = np.abs(data["energy_missing"].to_numpy()).max()
    assert missing < 1e-4 * data["energy_kinetic"].to_numpy().max()  # second order as well


@pytest.mark.thorough  # test_step_control; runs without time_step here
def test_steps_by_the_tolerance_come_to_the_same():
    fine = pendulum().run(duration=0.3, output_every=0.1, time_step=5e-4).dataset
    found = pendulum().run(duration=0.3, output_every=0.1, tolerance=1e-5, longest_step=5e-3).dataset
    assert found["rotation_vector"].to_numpy() == pytest.approx(fine["rotation_vector"].to_numpy(), abs=1e-4)


def test_pendulum_begins_where_it_rests():
    data = pendulum().run(duration=0.02, output_every=0.01, time_step=1e-3, begin="under load").dataset
    assert np.abs(data["rotation_vector"].to_numpy()).max() < 1e-6  # rests below, within the tolerance of Newton
    assert data["reaction_force"].to_numpy()[:, 0, 1] == pytest.approx(2.0 * G, rel=1e-6)


def test_positions_of_a_pendulum_that_begins_level():
    m = ag.Machine("level", gravity=(0.0, -G, 0.0))
    m.add("bar", ag.FloatingBody(mass=2.0, inertia=(0.01, 1e-4, 0.01), position=(0.5, 0.0, 0.0)))
    m.add("pivot", ag.SpatialJoint(kind="revolute", between=("ground", "bar"), axis=(0, 0, 1)))
    data = m.kinematics(duration=1.0, positions=2).dataset
    assert data["position"].to_numpy()[:, 0] == pytest.approx(np.tile([0.0, -0.5, 0.0], (2, 1)), abs=1e-12)


@pytest.mark.parametrize("kind", [ag.Kinematics(duration=1.0), ag.SpatialMotion(duration=1.0, begin="under load")])
def test_a_rest_that_nothing_keeps_is_refused(kind):
    m = ag.Machine("upside down", gravity=(0.0, -G, 0.0))
    m.add("bar", ag.FloatingBody(mass=2.0, inertia=(0.01, 1e-4, 0.01), position=(0.0, 0.5, 0.0)))
    m.add("pivot", ag.SpatialJoint(kind="revolute", between=("ground", "bar"), axis=(0, 0, 1)))
    with pytest.raises(
        ag.AnalysisFailure, match=r"rest at t = 0 s = unstable: the least push moves the \w+( z)? of bar away"
    ):
        ag.run(m.case(kind))


def test_speeds_that_are_not_given_follow():
    """A hinge at 0.5 m: where the bar turns with 3 rad/s its centre moves with 1.5 m/s."""
    data = pendulum(angular_velocity=(0.0, 0.0, 3.0)).run(duration=0.01, output_every=0.01, time_step=1e-3).dataset
    assert np.linalg.norm(data["velocity"].to_numpy()[0, 0]) == pytest.approx(1.5, rel=1e-9)


def test_speeds_that_do_not_fit_are_refused():
    with pytest.raises(ag.Fault, match="start velocities of what pivot joins"):
        pendulum(velocity=(1.0, 1.0, 1.0)).case(ag.SpatialMotion(duration=1.0))


def test_a_led_hinge_supplies_what_accelerates():
    """Power of a run-up: torque I dw/dt times w, and at its end all of it is kinetic energy."""
    m = ag.Machine("run-up")
    m.add("disk", ag.FloatingBody(mass=1.0, inertia=(0.1, 0.1, 0.2)))
    m.add(
        "motor",
        ag.SpatialJoint(kind="prescribed_revolute", between=("ground", "disk"), axis=(0, 0, 1), speed=10.0, ramp=0.1),
    )
    data = m.run(duration=0.2, output_every=0.01, time_step=5e-4).dataset
    t = data["time"].to_numpy()
    inside = t <= 0.1
    s = t / 0.1
    w = np.where(inside, 10.0 * s**2 * (3.0 - 2.0 * s), 10.0)
    alpha = np.where(inside, 10.0 * 6.0 * s * (1.0 - s) / 0.1, 0.0)
    torque = data["reaction_torque"].sel(joint="motor").to_numpy()[:, 2]
    # index 3 tells accelerations to order h^2, and for some 30 steps (n 0.8^n) after their corners rings by h times the
    # jerk, 0.6 N m: the samples 20 steps after these are left out
    calm = ~np.isin(np.arange(len(t)), (0, 1, 10, 11))
    assert torque[calm] == pytest.approx(0.2 * alpha[calm], abs=2e-3 * 0.2 * alpha.max())
    spin = data["angular_velocity"].to_numpy()[:, 0, 2]
    assert spin == pytest.approx(w, abs=1e-4 * 10.0)  # likewise of order h^2
    assert data["joint_power"].to_numpy()[:, 0] == pytest.approx(torque * spin, rel=1e-9, abs=1e-12)
    assert data["energy_kinetic"].to_numpy()[-1] == pytest.approx(0.5 * 0.2 * 100.0, rel=1e-5)
    assert abs(data["energy_missing"].to_numpy()[-1]) < 1e-3 * 10.0


def test_a_bushing_of_a_body_that_is_turned_at_the_start_rests():
    """Its axes are those of space where the bodies start: no torque, and it gives way along z of space."""
    m = ag.Machine("bushing", gravity=(0.0, 0.0, -G))
    c = math.sqrt(0.5)
    m.add("block", ag.FloatingBody(mass=3.0, inertia=(1, 1, 1), axes=np.array([[1, 0, 0], [0, c, -c], [0, c, c]])))
    m.add(
        "mount",
        ag.SpatialBushing(between=("ground", "block"), stiffness=(1e5, 1e5, 2e5, 1e3, 1e3, 1e3), damping=(50.0,) * 6),
    )
    rest = m.kinematics(duration=1.0, positions=2)
    data = rest.dataset
    assert data["position"].to_numpy()[-1, 0] == pytest.approx([0.0, 0.0, -3.0 * G / 2e5], abs=1e-12)
    assert data["bushing_force"].to_numpy()[-1, 0] == pytest.approx([0.0, 0.0, 3.0 * G], rel=1e-9, abs=1e-9)
    assert np.abs(data["bushing_torque"].to_numpy()).max() < 1e-9


def test_a_spiral_spring_is_led_beyond_half_a_turn():
    """A hinge led to 300 deg, there and back: the torque is k times the angle, in positions as in a motion."""
    m, k = ag.Machine("spiral spring"), 3.0
    m.add("disk", ag.FloatingBody(mass=1.0, inertia=(0.1, 0.1, 0.1)))
    m.add(
        "hinge",
        ag.SpatialJoint(
            kind="prescribed_revolute",
            between=("ground", "disk"),
            axis=(0, 0, 1),
            angle=[[0, 0], [1, math.radians(300)], [2, 0]],
        ),
    )
    m.add("spring", ag.SpatialBushing(between=("ground", "disk"), stiffness=(0, 0, 0, 0, 0, k)))
    for data in (m.kinematics(duration=2.0, positions=21).dataset, m.run(duration=2.0, output_every=0.1).dataset):
        t = data["time"].to_numpy()
        angle = math.radians(300) * (1.0 - (t - 1.0) ** 2)  # cubics that are parabolas here
        # a motion holds its joints to 1e-9 of a radian
        assert data["bushing_torque"].to_numpy()[:, 0, 2] == pytest.approx(-k * angle, abs=1e-7)


@pytest.mark.parametrize("motion", [False, True])
def test_a_bushing_of_unequal_stiffnesses_balances_a_load_that_turns_it_far(motion):
    """Force and moment about the centre of mass of all that acts on the body, by what results tell, are its inertia."""
    m, force, torque = ag.Machine("bushing"), np.array([100.0, 0.0, 50.0]), np.array([50.0, 80.0, 20.0])
    m.add("block", ag.FloatingBody(mass=1.0, inertia=(0.1, 0.1, 0.1)))
    damping = (100.0, 100.0, 100.0, 1.0, 3.0, 2.0)
    m.add(
        "mount",
        ag.SpatialBushing(
            between=("ground", "block"), stiffness=(1e5, 1e5, 1e5, 100, 300, 50), damping=damping, point=(0, 0, 0.1)
        ),
    )
    m.add("load", ag.SpatialLoad(body="block", force=force, torque=torque))
    given = {"duration": 0.05, "time_step": 1e-3, "output_every": 0.01} if motion else {"duration": 1.0, "positions": 2}
    data = (m.run if motion else m.kinematics)(**given).dataset.isel({("time" if motion else "position_number"): -1})
    turned = data["rotation_vector"].to_numpy()[0]
    assert np.linalg.norm(turned) > 0.3
    arm = rotation_matrix(turned) @ (0.0, 0.0, 0.1)
    pull, moment = data["bushing_force"].to_numpy()[0], data["bushing_torque"].to_numpy()[0]
    moved = data["acceleration"].to_numpy()[0] if motion else np.zeros(3)
    spun = 0.1 * data["angular_acceleration"].to_numpy()[0] if motion else np.zeros(3)
    # to the residual at which steps and equilibria end
    assert pull + force == pytest.approx(moved, abs=1e-6 * 100.0)
    assert moment + np.cross(arm, pull) + torque == pytest.approx(spun, abs=1e-6 * 80.0)


def test_a_load_at_a_point_bends_the_fixed_joint():
    """A force F at a lever a loads the joint by F and the moment a x F."""
    m = ag.Machine("cantilever")
    m.add("bar", ag.FloatingBody(position=(1.0, 0.0, 0.0)))
    m.add("wall", ag.SpatialJoint(kind="fixed", between=("ground", "bar")))
    m.add(
        "weight", ag.SpatialLoad(body="bar", force=[[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, -8.0, 3.0]], point=(2.0, 0.5, 0.0))
    )
    data = m.kinematics(duration=1.0, positions=3).dataset
    t = data["time"].to_numpy()[:, None]
    F = t * [0.0, -8.0, 3.0]
    assert data["reaction_force"].to_numpy()[:, 0] == pytest.approx(-F, abs=1e-9)
    assert data["reaction_torque"].to_numpy()[:, 0] == pytest.approx(-np.cross([2.0, 0.5, 0.0], F), abs=1e-9)


def test_friction_of_a_worm_takes_power():
    """The supplied power less the kinetic energy is what friction takes: the account closes, and the loss is told."""
    z, m_n = 30, 2e-3
    driving = math.radians(10.0)
    beta = math.radians(90.0) - driving
    worm = 0.5 * m_n * 1 / math.cos(beta)
    first = ag.SpatialGear(name="w", body="worm", teeth=1, normal_module=m_n, helix_angle=beta)
    second = ag.SpatialGear(name="g", body="wheel", teeth=z, normal_module=m_n, helix_angle=driving)
    centre, axis = mating_position(first, second, (1.0, 0.0, 0.0))
    m = ag.Machine("worm")
    m.add("worm", ag.FloatingBody(mass=1.0, inertia=(1e-3, 1e-3, 1e-4), angular_velocity=(0.0, 0.0, 100.0)))
    e_1 = np.cross(axis, (0.0, 0.0, 1.0))
    axes = np.column_stack([e_1, np.cross(axis, e_1), axis])
    m.add("wheel", ag.FloatingBody(mass=1.0, inertia=(1e-3, 1e-3, 2e-3), position=centre, axes=axes))
    m.add("a", ag.SpatialJoint(kind="prescribed_revolute", between=("ground", "worm"), axis=(0, 0, 1), speed=100.0))
    m.add("b", ag.SpatialJoint(kind="revolute", between=("ground", "wheel"), point=centre, axis=axis))
    m.add("w", ag.SpatialGear(body="worm", teeth=1, normal_module=m_n, helix_angle=beta))
    m.add("g", ag.SpatialGear(body="wheel", teeth=z, normal_module=m_n, helix_angle=driving))
    m.spatial_mesh("mesh", "w", "g", friction=0.05, least_sliding=1e-3)
    m.add("brake", ag.SpatialTorque(between=("ground", "wheel"), axis=axis, torque=5.0))
    data = m.run(duration=0.02, output_every=1e-3, time_step=1e-4).dataset
    turned = data["angular_velocity"].sel(body="wheel").to_numpy() @ axis
    assert np.abs(turned) == pytest.approx(100.0 / z, rel=1e-6)  # starts over teeth
    loss = data["friction_loss"].to_numpy()[:, 0]
    sliding = np.abs(data["sliding_velocity"].to_numpy()[:, 0])
    # both act along crossed tooth lines at 90 deg: v_s = v_worm/cos(lead)
    assert sliding == pytest.approx(100.0 * worm / math.cos(driving), rel=1e-6)
    mu = 0.05 * sliding / np.hypot(sliding, 1e-3)
    assert loss == pytest.approx(mu * np.abs(data["normal_force"].to_numpy()[:, 0]) * sliding, rel=1e-9)
    spent = data["energy_dissipated"].to_numpy()[-1]
    assert spent == pytest.approx(np.trapezoid(loss, data["time"].to_numpy()), rel=1e-3)  # it is all but constant
    assert abs(data["energy_missing"].to_numpy()[-1]) < 1e-6 * spent


# ------------------------------------------------------------------------------------------------------------ command
def test_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = MESHES / "bevel_pair.toml"
    assert main(["check", str(case), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["degrees_of_freedom_in_space"] == {"coordinates": 14, "equations": 14, "left": 0}
    assert told["gears_in_space"]["crown"]["pitch_diameter_mm"] == pytest.approx(10_000.0)
    assert main(["check", str(case), "--picture", "start.png"]) == 0
    assert "degrees of freedom: 0" in capsys.readouterr().out
    assert (tmp_path / "start.png").stat().st_size > 10_000
    assert main(["run", str(case), "--out", "out"]) == 0
    assert "1064.18" in capsys.readouterr().out
    there = {path.name for path in (tmp_path / "out").iterdir()}
    assert there >= {"result.nc", "summary.json", "mechanism.json", "motion.png", "reactions.png", "contact_forces.png"}
    assert "energy.png" not in there  # positions have none
    assert main(["show", "out", "--screenshot", "end.png", "--position", "3"]) == 0
    assert (tmp_path / "end.png").stat().st_size > 10_000
    assert ag.load("out").summary["meshes"]["mesh"]["normal_force_max_N"] == pytest.approx(1064.18, rel=1e-5)


@pytest.mark.parametrize(
    "steps", [pytest.param({"time_step": 4e-3}, marks=pytest.mark.thorough), {"tolerance": 1e-4, "longest_step": 1e-2}]
)
def test_killed_and_resumed_it_is_the_same_to_the_last_bit(steps, tmp_path, monkeypatch):
    """With gears that have rolled, joints that are led and a bushing that is wound beyond half a turn."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # nobody pulls the plug here
    monkeypatch.setattr(spatial, "RecordedSamples", partial(RecordedSamples, chunk=4))
    m = ag.Machine("all of it", gravity=(0.0, -G, 0.0))
    m.add("pinion", ag.FloatingBody(mass=1.0, inertia=(1e-3, 1e-3, 1e-3)))
    m.add("wheel", ag.FloatingBody(mass=1.0, inertia=(1e-3, 1e-3, 1e-3), position=(0.1, 0.0, 0.0)))
    m.add(
        "drive", ag.SpatialJoint(kind="prescribed_revolute", between=("ground", "pinion"), axis=(0, 0, 1), speed=60.0)
    )
    m.add(
        "hinge",
        ag.SpatialJoint(
            kind="revolute", between=("ground", "wheel"), point=(0.1, 0.0, 0.0), axis=(0, 0, 1), rotor="dial"
        ),
    )
    m.add("dial", ag.Rotor1D(inertia=0.0))
    m.add("one", ag.SpatialGear(body="pinion", teeth=20, normal_module=4e-3))
    m.add("two", ag.SpatialGear(body="wheel", teeth=30, normal_module=4e-3))
    m.spatial_mesh("mesh", "one", "two")
    m.add(
        "spiral", ag.SpatialBushing(between=("ground", "wheel"), stiffness=(0, 0, 0, 0, 0, 3.0), point=(0.1, 0.0, 0.0))
    )
    output = ag.OutputOptions(plots=False, fields=False, checkpoint_every=1e-9)
    case = m.case(ag.SpatialMotion(duration=0.088, output_every=8e-3, **steps), output)
    whole = ag.run(case, tmp_path / "whole").dataset
    assert np.abs(whole["angle"]).max() > math.pi
    for count in range(100):
        try:
            ag.run(case, tmp_path / "parts", progress=StopAfter(3), resume=count > 0)
            break
        except Stopped:
            pass
    assert count > 2
    parts = ag.load(tmp_path / "parts").dataset
    assert set(parts.variables) == set(whole.variables)
    for name in whole.variables:
        assert parts[name].to_numpy().tobytes() == whole[name].to_numpy().tobytes(), name


def test_positions_leave_no_checkpoint(tmp_path):
    with pytest.raises(ag.Fault, match=r'kind = "kinematic": must be "dynamic" to be resumed'):
        ag.run(pendulum().case(ag.Kinematics(duration=0.01)), tmp_path / "out", resume=True)


def test_a_failed_motion_keeps_what_it_has(tmp_path):
    m = pendulum()
    m.add("breaks", ag.SpatialLoad(body="bar", force=lambda t: np.array([0.0, 0.0 if t < 0.005 else math.nan, 0.0])))
    with pytest.raises(ag.AnalysisFailure):
        ag.run(m.case(ag.SpatialMotion(duration=0.01, time_step=1e-3, output_every=1e-3)), tmp_path / "out")
    kept = ag.load(tmp_path / "out")
    assert not kept.complete
    assert kept.dataset["time"].to_numpy()[-1] == pytest.approx(0.004)


# ----------------------------------------------------------------------------------------------- torsional parts
def test_torsional_parts_stand_beside():
    """A rotor under a constant torque, geared to another, beside a pendulum: w = T t/(J_1 + J_2/i^2)."""
    m = pendulum()
    m.add("motor", ag.Rotor1D(inertia=0.1))
    m.add("drum", ag.Rotor1D(inertia=1.6))
    m.add("gear", ag.RatioGear(between=("motor", "drum"), ratio=4.0))
    m.add("drive", ag.TorqueSource(at="motor", torque=2.0))
    data = m.run(duration=0.1, output_every=0.02, time_step=1e-3).dataset
    assert data["rotor"].to_numpy().tolist() == ["motor", "drum"]
    t = data["time"].to_numpy()
    speed = 2.0 * t / (0.1 + 1.6 / 16.0)
    assert data["speed"].sel(rotor="motor").to_numpy() == pytest.approx(speed, abs=1e-9)
    assert data["angle"].sel(rotor="drum").to_numpy() == pytest.approx(0.5 * speed * t / 4.0, abs=1e-9)


def test_torsional_parts_drive_a_hinge():
    """A motor geared 5 to 1 swings the bar: energy is that of all, what it does at the hinge is told."""
    m = pendulum(rotor="pin")
    m.add("motor", ag.Rotor1D(inertia=2e-3))
    m.add("pin", ag.Rotor1D(inertia=0.0))
    m.add("gear", ag.RatioGear(between=("motor", "pin"), ratio=5.0))
    m.add("drive", ag.TorqueSource(at="motor", torque=0.3))
    m.add("return", ag.Spring(between=("ground", "pin"), stiffness=4.0))
    data = m.run(duration=0.5, output_every=0.05, time_step=5e-4).dataset
    assert data["joint"].to_numpy().tolist() == ["pivot", "pivot rotor"]
    phi = data["rotation_vector"].to_numpy()[:, 0, 2]
    pin = data["angle"].sel(rotor="pin").to_numpy()
    assert pin == pytest.approx(phi - 1.0, abs=1e-9)  # as joints are held
    assert data["angle"].sel(rotor="motor").to_numpy() == pytest.approx(5.0 * pin, abs=1e-12)
    speed, inertia = data["speed"].sel(rotor="pin").to_numpy(), 0.01 + 2.0 * 0.25 + 25.0 * 2e-3
    work = 5.0 * 0.3 * pin - 0.5 * 4.0 * pin**2 + 2.0 * G * 0.5 * (np.cos(phi) - math.cos(1.0))
    assert 0.5 * inertia * speed**2 == pytest.approx(work, abs=5e-6 * work.max())  # second order, as above
    assert np.abs(data["energy_missing"]).max() < 1e-4 * data["energy_kinetic"].max()
    gravity, turning = -2.0 * G * 0.5 * np.sin(phi), 5.0 * 0.3 - 4.0 * pin
    expected = turning - 25.0 * 2e-3 * (gravity + turning) / inertia
    told = data["reaction_torque"].sel(joint="pivot rotor").to_numpy()[1:, 2]
    assert told == pytest.approx(expected[1:], abs=5e-4 * np.abs(expected).max())  # accelerations lose a digit
    assert np.abs(data["reaction_force"].sel(joint="pivot rotor")).max() == 0.0


def test_the_rotor_of_a_hinge_is_one_of_a_hinge():
    m = pendulum()
    with pytest.raises(
        ag.Fault, match='rotor of SpatialJoint = given: must be left out of a joint of kind = "spherical"'
    ):
        m.add("ball", ag.SpatialJoint(kind="spherical", between=("ground", "bar"), rotor="motor"))
    m.add("second", ag.SpatialJoint(kind="cylindrical", between=("ground", "bar"), axis=(0, 0, 1), rotor="motr"))
    m.add("motor", ag.Rotor1D(inertia=1.0))
    with pytest.raises(ag.Fault, match="motr"):
        m.case(ag.SpatialMotion(duration=0.1))


def test_friction_of_teeth_has_no_effect_on_positions_and_is_refused():
    m = ag.Machine("rack")
    m.add("wheel", ag.FloatingBody(mass=1.0, inertia=(1e-3, 1e-3, 1e-3)))
    m.add("drive", ag.SpatialJoint(kind="prescribed_revolute", between=("ground", "wheel"), axis=(0, 0, 1), speed=1.0))
    m.add("rack", ag.FloatingBody(mass=1.0, inertia=(1e-3, 1e-3, 1e-3), position=(0.0, -0.04, 0.0)))
    m.add(
        "guide", ag.SpatialJoint(kind="prismatic", between=("ground", "rack"), point=(0.0, -0.04, 0.0), axis=(1, 0, 0))
    )
    m.add("gear", ag.SpatialGear(body="wheel", teeth=20, normal_module=4e-3))
    m.add("teeth", ag.SpatialRack(body="rack", normal_module=4e-3))
    m.spatial_mesh("mesh", "gear", "teeth", friction=0.1, least_sliding=1e-3)
    assert m.run(duration=1e-3, time_step=1e-3, output_every=1e-3).dataset.sizes["mesh"] == 1
    with pytest.raises(ag.Fault, match=r"friction of mesh = 0.1: .* no effect"):
        m.kinematics(duration=1.0)


@pytest.mark.parametrize("speeds", [(1.0, 2.0), (1.0, 1.0)])
def test_positions_that_two_joints_lead_are_refused(speeds):
    """Whether they contradict each other or not: what either carries is not determined."""
    m = ag.Machine("twice")
    m.add("disk", ag.FloatingBody(mass=1.0, inertia=(1, 1, 1)))
    for name, speed in zip(("one", "two"), speeds, strict=True):
        m.add(
            name, ag.SpatialJoint(kind="prescribed_revolute", between=("ground", "disk"), axis=(0, 0, 1), speed=speed)
        )
    with pytest.raises(ag.Fault, match=r"equations of joints = 12, 6 of them independent: .* what two does"):
        m.kinematics(duration=0.1)


def test_friction_that_locks_is_refused_beside_joints():
    m = pendulum()
    m.add("drum", ag.Rotor1D(inertia=1.6))
    m.add("bearing", ag.BearingFriction(at="drum", torque=1.0))
    with pytest.raises(ag.Fault, match="friction that locks, of bearing"):
        m.case(ag.SpatialMotion(duration=0.1))
