"""Motions from event to event: what is sampled within steps."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.drivetrain.rotational.sources import TorqueSource
from alegear.dynamics.sundials import Cvode
from alegear.recording.ode_motion import OdeMotion
from alegear.system import Rotor1D, SystemBuilder
from alegear.system.ode import SystemOde


@pytest.mark.parametrize("after", [1e-9, 1e-7, 1e-5])
def test_speed_shortly_after_a_jump_of_the_torque_is_that_of_the_new_one(after):
    """The first steps after a stop are short and of order one: in them displacements are worse than velocities."""
    builder = SystemBuilder().add(
        Rotor1D(name="disk", inertia=2.0),
        TorqueSource(name="motor", at="disk", torque=[[0.5, 0.0], [0.5, 10.0]]),
    )
    motion = OdeMotion(
        SystemOde(builder.build()), Cvode(tolerance=1e-9, longest=0.01), np.array([0.0, 0.5 + after, 1.0])
    )
    samples = motion.run(np.zeros(1), np.array([3.0])).samples
    # round-off of the time, and of a speed of 3 rad/s
    assert samples.v[1, 0] - 3.0 == pytest.approx(5.0 * after, abs=2e-15)
