"""A speed that is held: against closed forms, in Python and compiled, with its energy."""

from __future__ import annotations

import numpy as np
import pytest
from kept_motion import KeptMotion
from system_parts import Torque

import alegear as ag
from alegear.drivetrain.compiled_motion import is_compiled
from alegear.drivetrain.rotational.governor import SpeedGovernor
from alegear.errors import Fault
from alegear.kernels.elements import BY_ADDRESS
from alegear.recording.motion import MotionIntegration
from alegear.system import PiecewiseCubic, Rotor1D, SystemBuilder, SystemMotion
from alegear.system.time_integration import FixedStep, GeneralizedAlpha
from alegear.system.time_integration.stop_times import StopTimes

J, K_P, K_I, LOAD, SPEED = 2.0, 8.0, 200.0, 5.0, 30.0


def moved(governor, *, compiled, start, load=0.0, h=2e-4, duration=0.6):
    """Times, angle and speed of a rotor that begins with a speed, and its energies."""
    builder = SystemBuilder()
    builder.add(Rotor1D(name="rotor", inertia=J), governor)
    builder.add(Torque(name="load", place="rotor", profile=PiecewiseCubic.constant(-load)))
    model = builder.build()
    system = SystemMotion(model)
    run = MotionIntegration(system, GeneralizedAlpha(rho_inf=1.0), FixedStep(h=h))
    kept, (x, v) = KeptMotion(run), model.start()
    v[0] = start
    run.run(kept, StopTimes.of(duration, 0.02), lambda: system.begin(0.0, x, v), compiled=compiled)
    assert is_compiled(model) == BY_ADDRESS
    return kept.t, kept.q[:, 0], kept.v[:, 0], kept.energies


@pytest.mark.parametrize("compiled", [False, True])
def test_load_that_jumps(compiled):
    """The formula of the docstring; the lag of the angle carries the load in the end."""
    governor = SpeedGovernor(name="pi", at="rotor", speed=SPEED, proportional=K_P, integral=K_I)
    t, theta, omega, energy = moved(governor, compiled=compiled, start=SPEED, load=LOAD)
    delta = K_P / (2.0 * J)
    omega_d = np.sqrt(K_I / J - delta**2)
    swing = LOAD / (J * omega_d) * np.exp(-delta * t) * np.sin(omega_d * t)
    # second order in h: (h omega)^2/12 of the phase after six radians is 3e-6
    np.testing.assert_allclose(omega - SPEED, -swing, rtol=0.0, atol=1e-5 * swing.max())
    lag = LOAD / K_I * (1.0 - np.exp(-delta * t) * (np.cos(omega_d * t) + delta / omega_d * np.sin(omega_d * t)))
    np.testing.assert_allclose(SPEED * t - theta, lag, rtol=0.0, atol=1e-5 * lag.max())
    # what both torques supply is in the rotor: the rule of integration leaves 1e-8
    kinetic = energy["kinetic"]
    np.testing.assert_allclose(energy["input"], kinetic - kinetic[0], rtol=0.0, atol=1e-7 * kinetic[0])


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_it_follows_a_ramp(compiled):
    """J alpha is the error of the angle times k_i once the swing is over; torque without error takes it away."""
    ramp = [(0.0, 0.0), (0.5, 10.0), (1.0, 10.0)]
    critical = {"proportional": 2.0 * np.sqrt(J * 400.0), "integral": 400.0}
    governor = SpeedGovernor(name="pi", at="rotor", speed=ramp, torque=LOAD, **critical)
    t, theta, omega, _ = moved(governor, compiled=compiled, start=0.0, load=LOAD, duration=1.2)
    wanted = np.where(t < 0.5, 10.0 * t**2, 2.5 + 10.0 * (t - 0.5))
    error, rate = wanted - theta, np.sqrt(400.0 / J)

    def lag(time, alpha):
        """Of J error'' + k_p error' + k_i error = J alpha from rest, critically damped."""
        time = np.maximum(time, 0.0)
        return J * alpha / 400.0 * (1.0 - np.exp(-rate * time) * (1.0 + rate * time))

    expected = lag(t, 20.0) - lag(t - 0.5, 20.0)
    # second order in h, as above
    np.testing.assert_allclose(error, expected, rtol=0.0, atol=2e-5 * expected.max())
    assert omega[-1] == pytest.approx(10.0, abs=1e-3)  # exp(-10) of the ramp is left


def test_torsional_parts():
    """The same load in a machine that CVODE integrates."""
    m = ag.Machine("governed")
    m.add("rotor", ag.Rotor1D(inertia=J, speed=SPEED))
    m.add("pi", ag.SpeedGovernor(at="rotor", speed=SPEED, proportional=K_P, integral=K_I))
    m.add("load", ag.TorqueSource(at="rotor", torque=-LOAD))
    data = m.run(duration=0.5, output_every=0.02).dataset
    t, delta = data.time.values, K_P / (2.0 * J)
    omega_d = np.sqrt(K_I / J - delta**2)
    swing = LOAD / (J * omega_d) * np.exp(-delta * t) * np.sin(omega_d * t)
    found = data.speed.sel(body="rotor").values
    np.testing.assert_allclose(SPEED - found, swing, rtol=0.0, atol=1e-5 * swing.max())  # its tolerance


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"proportional": 0.0, "integral": 0.0}, "gains of pi"),
        ({"proportional": -1.0}, "proportional gain"),
        ({"speed": lambda t: t}, "speed of pi"),
        ({"speed": [(0.0, 1.0), (1.0, 1.0), (1.0, 2.0)]}, "speed of pi at t = 1 s"),
        ({"at": "ground"}, "shafts of pi"),
    ],
)
def test_what_is_refused(changed, words):
    given = {"name": "pi", "at": "rotor", "speed": 1.0, "proportional": 1.0, "integral": 1.0}
    with pytest.raises(Fault, match=words):
        SpeedGovernor(**(given | changed))
