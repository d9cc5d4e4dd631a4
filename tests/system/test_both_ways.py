"""One machine integrated by CVODE, compiled and in Python, and by generalized-alpha: the same modes and events."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from alegear.drivetrain.rotational.compiled_ode import CompiledOde
from alegear.drivetrain.rotational.friction import BearingFriction, Clutch
from alegear.drivetrain.rotational.gears import PlanetaryGear, RatioGear
from alegear.drivetrain.rotational.profiles import Sine
from alegear.drivetrain.rotational.sources import Resistance, SpeedSource, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.recording.motion import MotionIntegration
from alegear.recording.ode_motion import OdeMotion
from alegear.system import Rotor1D, SystemBuilder, SystemModel, SystemMotion
from alegear.system.ode import SystemOde
from alegear.system.time_integration.generalized_alpha import GeneralizedAlpha
from alegear.system.time_integration.newton import NewtonParameters
from alegear.system.time_integration.step_control import FixedStep
from alegear.system.time_integration.stop_times import StopTimes
from alegear.system.time_integration.sundials import Cvode

DURATION, EVERY = 1.6, 0.02
CORNERS = (0.5, 1.0)


def machine() -> SystemModel:
    """A prescribed shaft, a gear with losses, backlash, a clutch that closes, a planetary set with losses, friction."""
    losses = [[0.0, 0.9, 0.8, 0.1, 0.2], [10.0, 0.95, 0.9, 0.2, 0.3]]
    return (
        SystemBuilder()
        .add(
            *(Rotor1D(name=f"J{i}", inertia=1.0 + 0.1 * i) for i in range(6)),
            RatioGear(name="gear", between=("J0", "J1"), ratio=2.0, losses=losses),
            Spring(name="shaft", between=("J1", "J2"), stiffness=1e3, damping=1.0),
            Spring(name="play", between=("J2", "J3"), stiffness=1e3, damping=1.0, backlash=0.02),
            Clutch(name="clutch", between=("J3", "J4"), normal_force=30.0, signal=[(0, 0), (0.5, 0), (1, 1)]),
            PlanetaryGear(name="set", sun="J4", ring="J5", carrier="J2", ratio=2.2, stationary_efficiency=0.97),
            BearingFriction(name="bearing", at="J5", torque=[(0, 1.0), (10, 2.0)], static_to_kinetic_ratio=1.2),
            Resistance(name="drag", at="J3", quadratic=0.01, table=[(0, 0), (5, 1)]),
            SpeedSource(name="lead", at="J0", speed=[(0, 0), (1, 20), (2, -5), (3, 8)]),
            TorqueSource(name="load", at="J3", torque=Sine(amplitude=10.0, frequency=1.0)),
        )
        .build()
    )


class Recorded:
    """Takes accepted states."""

    saves = False

    def __init__(self, system: SystemMotion) -> None:
        self.system, self.t, self.v = system, [], []
        self.modes, self.rates = [], []

    def record(self, state) -> None:
        motion = self.system.motion(state)
        self.t.append(state.t)
        self.v.append(motion.v)
        self.modes.append(motion.modes)
        self.rates.append(motion.rates)

    def record_last(self, state) -> None:
        raise AssertionError

    def show(self, t: float) -> None:
        pass


@cache
def stepped(h: float) -> tuple[Recorded, MotionIntegration]:
    """All states, events, energy."""
    system = SystemMotion(machine())
    client = Recorded(system)
    scheme = GeneralizedAlpha(rho_inf=0.9, newton=NewtonParameters(tolerance=1e-11))
    run = MotionIntegration(system, scheme, FixedStep(h=h), corners=CORNERS)
    stops = StopTimes.of(DURATION, EVERY).with_others(CORNERS)
    run.run(client, stops, lambda: system.begin(0.0, np.zeros(6), np.zeros(6)))
    return client, run


def by_cvode(kind):
    motion = OdeMotion(
        kind(machine()), Cvode(tolerance=1e-10, longest=0.02), np.arange(round(DURATION / EVERY) + 1) * EVERY
    )
    return motion.run(np.zeros(6), np.zeros(6))


@pytest.fixture(scope="module")
def compiled():
    return by_cvode(CompiledOde)


@pytest.mark.thorough  # steps in Python meet what is compiled in the next one
def test_compiled_code_comes_to_the_same(compiled):
    """All of every sample, to what two integrations at tolerance 1e-10 differ by where round-off does."""
    history = by_cvode(SystemOde)
    for name in ("x", "v", "a", "mu", "lam", "rates", "prescribed", "stored", "damped"):
        one, other = getattr(history.samples, name), getattr(compiled.samples, name)
        np.testing.assert_allclose(other, one, rtol=0.0, atol=1e-5 * max(np.abs(one).max(), 1.0), err_msg=name)
    np.testing.assert_array_equal(compiled.samples.modes, history.samples.modes)
    assert [(tuple(e.before), tuple(e.after)) for e in compiled.events] == [
        (tuple(e.before), tuple(e.after)) for e in history.events
    ]
    np.testing.assert_allclose([e.t for e in compiled.events], [e.t for e in history.events], atol=1e-6)


def test_steps_meet_the_same_events(compiled):
    """The modes one after the other, speeds to second order, times to what that leaves of them."""
    errors, late = [], []
    for h in (2e-3, 1e-3):
        states, run = stepped(h)
        outputs = np.searchsorted(states.t, np.arange(round(DURATION / EVERY) + 1) * EVERY - 1e-9)
        v = np.array(states.v)[outputs]
        assert [tuple(e.after) for e in run.events] == [tuple(e.after) for e in compiled.events]
        late.append(max(abs(a.t - b.t) for a, b in zip(run.events, compiled.events, strict=True)))
        errors.append(np.abs(v - compiled.samples.v).max())
        assert abs(run.energy.missing) < 2e-6 * (h / 1e-3) ** 2 * run.energy.input  # trapezoids
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)
    assert late[1] < 3e-4
    assert late[1] < 0.4 * late[0]


def test_what_is_stuck_in_steps_is_stuck():
    """A clutch that holds two speeds together: their difference is 0 to the last digit in every state."""
    states, _ = stepped(2e-3)
    stuck, v = np.array(states.modes) == 0, np.array(states.v)
    assert (np.array(states.rates)[stuck] == 0.0).all()
    together = stuck[:, 1]
    assert np.count_nonzero(together) > 20
    np.testing.assert_array_equal(v[together, 3], v[together, 4])
