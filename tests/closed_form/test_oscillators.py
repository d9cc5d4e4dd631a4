"""The closed forms satisfy their equations of motion and start where they should."""

import math

import numpy as np
import pytest
from closed_form.oscillators import BouncingBody, DampedOscillator, ForcedOscillator, Pendulum

OSCILLATOR = DampedOscillator(m=2.0, c=0.6, k=18.0, x0=0.3, v0=-1.0)
FORCED = ForcedOscillator()
PENDULUM = Pendulum(omega=3.0, amplitude=2.5)
BOUNCING = BouncingBody(omega=40.0, g=9.81, height=0.2)


def acceleration_oscillator(t, x, v):
    return -(0.6 * v + 18.0 * x) / 2.0


def acceleration_pendulum(t, x, v):
    return -9.0 * math.sin(x)


def acceleration_bouncing(t, x, v):
    return -9.81 - 1600.0 * min(x, 0.0)


def acceleration_forced(t, x, v):
    return FORCED.force(t) - 0.6 * v - 9.0 * x


CASES = [
    pytest.param(OSCILLATOR, acceleration_oscillator, id="damped oscillator"),
    pytest.param(FORCED, acceleration_forced, id="forced oscillator"),
    pytest.param(PENDULUM, acceleration_pendulum, id="pendulum"),
    pytest.param(BOUNCING, acceleration_bouncing, id="bouncing body"),
]


@pytest.mark.parametrize(("closed_form", "acceleration"), CASES)
def test_velocity_and_acceleration_are_the_derivatives(closed_form, acceleration):
    dt = 1e-5
    for t in np.linspace(0.05, 2.0, 41):
        (x_0, v_0), (x, v), (x_1, v_1) = (closed_form.motion(t + i * dt) for i in (-1, 0, 1))
        assert (x_1 - x_0) / (2 * dt) == pytest.approx(v, abs=1e-6)  # dt^2 |x'''|/6 is below 1e-7
        # round-off 1e-16 |v|/dt and, where the spring is met inside dt, half a kink of omega^2 v dt = 0.03
        tolerance = 0.04 if abs(x) < 2 * dt * abs(v) else 1e-5
        assert (v_1 - v_0) / (2 * dt) == pytest.approx(acceleration(t, x, v), abs=tolerance)


def test_initial_values():
    assert OSCILLATOR.motion(0.0) == pytest.approx((0.3, -1.0), rel=1e-15)
    assert PENDULUM.motion(0.0) == pytest.approx((2.5, 0.0), abs=1e-14)
    assert BOUNCING.motion(0.0) == (0.2, 0.0)


def test_pendulum_period_tends_to_the_linear_one_and_returns():
    assert Pendulum(omega=3.0, amplitude=1e-4).period == pytest.approx(2 * math.pi / 3, rel=1e-9)  # amplitude^2/16
    assert PENDULUM.motion(PENDULUM.period) == pytest.approx((2.5, 0.0), abs=1e-13)  # round-off of ellipj


def test_bouncing_body_meets_and_leaves_the_spring_at_its_length_and_conserves_energy():
    assert BOUNCING.motion(BOUNCING.fall_time)[0] == pytest.approx(0.0, abs=1e-15)
    x, v = BOUNCING.motion(BOUNCING.fall_time + BOUNCING.contact_time)
    assert (x, v) == pytest.approx((0.0, BOUNCING.impact_speed), abs=1e-13)  # round-off over one contact
    for t in np.linspace(0.0, 3.0, 50):
        x, v = BOUNCING.motion(t)
        energy = 0.5 * v**2 + 9.81 * x + 0.5 * 1600.0 * min(x, 0.0) ** 2
        assert energy == pytest.approx(9.81 * 0.2, rel=1e-13)  # round-off
