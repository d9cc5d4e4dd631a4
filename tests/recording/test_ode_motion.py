"""Motion from event to event: what is recorded does not depend on how steps are put together, and energy is closed."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
import xarray as xr
from small_trains import events_of, missing, moved

import alegear as ag
from alegear.drivetrain.rotational.friction import BearingFriction, Clutch
from alegear.drivetrain.rotational.profiles import Sine
from alegear.drivetrain.rotational.sources import Resistance, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.recording import ode_motion
from alegear.recording.ode_motion import OdeMotion
from alegear.system import SystemBuilder
from alegear.system.bodies import Rotor1D
from alegear.system.ode import SystemOde
from alegear.system.time_integration.sundials import Cvode


def swinging():
    """A disk on a spring that sticks and slides in its bearing under a sine."""
    return (
        Rotor1D(name="disk", inertia=0.1),
        Spring(name="spring", between=("ground", "disk"), stiffness=10.0),
        BearingFriction(name="bearing", at="disk", torque=2.0),
        TorqueSource(name="drive", at="disk", torque=Sine(amplitude=10.0, frequency=1.0)),
    )


@pytest.mark.parametrize("block", [1, 7])
def test_blocks_of_steps_change_nothing(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Also where the last step before a stop fills a block, as every one does with blocks of one step."""
    whole = moved(*swinging(), duration=1.0).dataset
    monkeypatch.setattr(ode_motion, "BLOCK", block)
    other = moved(*swinging(), duration=1.0).dataset
    assert list(whole.event_time.values) == list(other.event_time.values)
    for name, values in whole.data_vars.items():
        if values.dtype.kind == "f":
            scale = float(np.abs(values).max()) + 1e-300
            # sums in another order
            assert float(np.abs(values - other[name]).max()) <= 1e-12 * scale + 1e-12, name


def test_samples_lie_on_the_motion_between_steps() -> None:
    """A free swing in closed form, at times that no step ends at."""
    omega = sqrt(10.0 / 0.1)
    parts = (
        Rotor1D(name="disk", inertia=0.1, angle=0.2),
        Spring(name="spring", between=("ground", "disk"), stiffness=10.0),
    )
    data = moved(*parts, duration=2.0 * pi / omega, output_every=0.00137, tolerance=1e-12).dataset
    t = data.time.values
    # the errors of some hundred steps of 1e-12 add up
    np.testing.assert_allclose(data.angle.sel(body="disk"), 0.2 * np.cos(omega * t), atol=1e-9)
    np.testing.assert_allclose(data.speed.sel(body="disk"), -0.2 * omega * np.sin(omega * t), atol=1e-8)
    np.testing.assert_allclose(data.acceleration.sel(body="disk"), -0.2 * omega**2 * np.cos(omega * t), atol=1e-7)


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_corners_of_backlash_leave_no_gap_in_the_account(damping: float) -> None:
    """Flanks that meet 60 times: errors of Gauss's rule over their corners, 1e-5 without events, are none."""
    parts = (
        Rotor1D(name="disk", inertia=0.01, speed=20.0),
        Spring(name="backlash", between=("ground", "disk"), stiffness=1e3, damping=damping, backlash=0.1),
        TorqueSource(name="drive", at="disk", torque=Sine(amplitude=5.0, frequency=10.0)),
    )
    result = moved(*parts, duration=0.5, tolerance=1e-12)
    assert missing(result) < 1e-9  # a thousand times the tolerance of a step
    assert events_of(result) == []  # corners are no changes of modes


def test_the_account_counts_each_part() -> None:
    """Work of the drive and losses of a clutch and a resistance, from the samples themselves."""
    parts = (
        Rotor1D(name="motor", inertia=0.1, speed=30.0),
        Rotor1D(name="fan", inertia=0.2),
        Clutch(name="clutch", between=("motor", "fan"), normal_force=10.0),
        Resistance(name="air", at="fan", quadratic=1e-2),
        TorqueSource(name="drive", at="motor", torque=3.0),
    )
    result = moved(*parts, duration=1.0, output_every=1e-4)
    data = result.dataset
    loss = data.loss.values
    t = data.time.values
    by_hand = np.concatenate([[0.0], np.cumsum(0.5 * (loss[1:] + loss[:-1]).sum(axis=1) * np.diff(t))])
    # trapezia over 1e-4 s
    np.testing.assert_allclose(data.energy_dissipated.values, by_hand, atol=1e-4)
    work = 3.0 * (data.angle.sel(body="motor") - data.angle.sel(body="motor")[0])
    np.testing.assert_allclose(data.energy_supplied.sel(part="drive"), work, atol=1e-8)
    assert missing(result) < 1e-8


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


@pytest.mark.parametrize("failure", [ZeroDivisionError(), KeyboardInterrupt()])
def test_samples_before_a_failure_are_kept(failure, tmp_path):
    """Also those of steps that were to be recorded together with later ones."""

    def torque(t):
        if t > 0.5:
            raise failure
        return 1.0

    machine = ag.Machine()
    machine.add("disk", Rotor1D(inertia=0.1))
    machine.add("drive", TorqueSource(at="disk", torque=torque))
    with pytest.raises(type(failure)):
        machine.run(tmp_path / "out", duration=1.0, output_every=0.01)
    with xr.open_dataset(tmp_path / "out" / "result.nc") as data:
        assert not data.complete
        assert 0.4 < data.time.values[-1] <= 0.5  # steps are of 0.01 s at most, the one before is not known to be one
        np.testing.assert_allclose(data.speed.sel(body="disk"), 10.0 * data.time, rtol=1e-9)
