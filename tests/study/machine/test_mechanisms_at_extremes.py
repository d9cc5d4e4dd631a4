"""Mechanisms in space at the extremes of what they are given: against closed forms, or refused in one line."""

import math

import numpy as np
import pytest

import alegear as ag


def two_wheels(**lead):
    """20 teeth led, 30 teeth on a hinge."""
    m = ag.Machine("two wheels")
    m.body("a", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.body("b", mass=1.0, inertia=(2e-3, 2e-3, 2e-3), position=(0.1, 0.0, 0.0))
    m.joint("drive", "led", "ground", "a", axis=(0, 0, 1), **lead)
    m.joint("hinge", "revolute", "ground", "b", point=(0.1, 0.0, 0.0), axis=(0, 0, 1))
    m.spatial_gear("one", "a", teeth=20, normal_module=4e-3)
    m.spatial_gear("two", "b", teeth=30, normal_module=4e-3)
    m.spatial_mesh("mesh", "one", "two")
    return m


# --------------------------------------------------------------------------------------------------------- run-ups
@pytest.mark.parametrize("ramp", [0.1, 1e-2, 1e-3, 1e-5])
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


@pytest.mark.parametrize("ramp", [5e-324, 1e-200, 1e-13])
def test_a_ramp_that_is_none_is_refused(ramp: float) -> None:
    with pytest.raises(ag.Fault, match=r"run-up of speed of drive \[s\] = \S+: must be 0, or at least 1e-12"):
        two_wheels(speed=1.0, ramp=ramp)
