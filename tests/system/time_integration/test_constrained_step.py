"""The step with constraints and with masses that change: closed forms, observed order, drift, energy, messages."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from closed_form.oscillators import Pendulum, observed_orders
from scipy.integrate import solve_ivp
from system.time_integration.constrained_systems import LedChain, PointPendulum, Slider

from alegear.errors import Fault, NonConvergence
from alegear.system.time_integration import (
    AdaptiveStep,
    BackwardEuler,
    FixedStep,
    GeneralizedAlpha,
    HilberHughesTaylor,
    NewtonParameters,
    SecondOrderSystem,
    integrate,
    start,
)
from alegear.system.time_integration.generalized_alpha import _EndOfStep

TIGHT = NewtonParameters(tolerance=1e-12)
SCHEMES = [
    (GeneralizedAlpha(rho_inf=0.8, newton=TIGHT), 2.0),
    (GeneralizedAlpha(rho_inf=1.0, newton=TIGHT), 2.0),
    (HilberHughesTaylor(rho_inf=0.8, newton=TIGHT), 2.0),
    (BackwardEuler(newton=TIGHT), 1.0),
]
NAMES = ["alpha 0.8", "alpha largest", "HHT 0.8", "backward Euler"]


def moved_on(system, q, v, t_end, n, scheme):
    """The start and all n steps."""
    states = [start(system, t=0.0, q=np.asarray(q), v=np.asarray(v))]
    integrate(system, states[0], t_end, scheme=scheme, control=FixedStep(h=t_end / n), on_step=states.append)
    return states


# ----------------------------------------------------------------------------------------------------------- order
@pytest.mark.parametrize(
    ("scheme", "order"), [(replace(s, rho_inf=min(s.rho_inf, 0.9)), order) for s, order in SCHEMES], ids=NAMES
)
def test_order_of_a_point_on_a_bar(scheme, order):
    system = PointPendulum()
    exact = Pendulum(omega=math.sqrt(system.gravity / system.length), amplitude=1.2)
    at = system.length * np.array([math.sin(1.2), -math.cos(1.2)])
    numbers, errors, pulls = [100, 200] if order > 1.5 else [1600, 3200], [], []
    for n in numbers:
        end = moved_on(system, at, np.zeros(2), 0.5, n, scheme)[-1]
        angle, speed = exact.motion(0.5)
        errors.append(abs(math.atan2(end.q[0], -end.q[1]) - angle))
        # the bar carries weight and centripetal force
        pull = system.mass * (system.gravity * math.cos(angle) + system.length * speed**2)
        pulls.append(abs(end.multipliers[0] - pull))
    steps = 1.0 / np.array(numbers)
    assert observed_orders(steps, errors) == pytest.approx(order, abs=0.1)
    if scheme.rho_inf < 0.9:  # the error of the first steps has died out
        assert observed_orders(steps, pulls) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(("scheme", "order"), SCHEMES, ids=NAMES)
def test_order_of_a_chain_whose_first_mass_is_led(scheme, order):
    system = LedChain()
    numbers = [200, 400] if order > 1.5 else [400, 800]
    ends = [moved_on(system, np.zeros(4), np.zeros(4), 2.0, n, scheme)[-1] for n in numbers]
    errors = [np.abs(end.q - system.motion(2.0)).max() for end in ends]
    assert observed_orders(1.0 / np.array(numbers), errors) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(("scheme", "order"), SCHEMES, ids=NAMES)
def test_order_with_a_mass_matrix_of_large_change(scheme, order):
    """The coupling goes between plus and minus 0.74 of the geometric mean of both masses, twice a turn."""
    system = Slider()
    q, v = np.zeros(2), np.array([6.0, 0.3])

    def rate(t, y):
        return np.concatenate([y[2:], np.linalg.solve(system.mass_matrix(y[:2]), system.force(t, y[:2], y[2:]).Q)])

    exact = solve_ivp(rate, (0.0, 2.0), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-12).y[:2, -1]
    numbers = [400, 800] if order > 1.5 else [1600, 3200]
    errors = [np.abs(moved_on(system, q, v, 2.0, n, scheme)[-1].q - exact).max() for n in numbers]
    assert observed_orders(1.0 / np.array(numbers), errors) == pytest.approx(order, abs=0.1)


# ------------------------------------------------------------------------------------------------------- derivatives
@pytest.mark.parametrize("make", [PointPendulum, LedChain, Slider])
def test_iteration_matrix_is_the_derivative_of_the_residual(make):
    system = make()
    n, m, h = system.n_dof, system.n_constraints, 0.03
    rng = np.random.default_rng(5)
    before = start(Slider(), t=0.0, q=np.zeros(2), v=np.zeros(2))  # any: its force is not looked at
    before.q, before.v = rng.normal(size=n), rng.normal(size=n)
    end = _EndOfStep(
        system, before, t=0.3, v_known=before.v, displacement_known=h * before.v, dv=0.6 * h, dq=0.4 * h * h
    )
    x, d = 3.0 * rng.normal(size=n + m), 1e-3
    steps = d * np.eye(n + m)
    found = np.transpose([(end.residual(x + e) - end.residual(x - e)) / (2.0 * d) for e in steps])
    end.residual(x)
    # differences: (dq d)^2 of the third derivative, and round-off of the misfit over dq d
    np.testing.assert_allclose(end.matrix(x), found, rtol=0.0, atol=1e-8)


def test_newton_stays_quadratic_with_a_mass_that_changes():
    """Long steps: with the derivative of M vdot the iteration takes a few corrections, and each squares the error."""
    system, corrections = Slider(), []
    state = start(system, t=0.0, q=np.zeros(2), v=np.array([6.0, 0.3]))
    scheme = GeneralizedAlpha(rho_inf=0.8, newton=TIGHT)
    for _ in range(40):  # a quarter of a radian each
        result = scheme.step(system, state, 0.04)
        corrections.append(result.newton.iterations)
        state = result.state
    assert max(corrections) <= 5
    slow = Slider()
    slow.acceleration_tangent = lambda q, vdot: None
    state = start(slow, t=0.0, q=np.zeros(2), v=np.array([6.0, 0.3]))
    worse = []
    for _ in range(40):
        result = scheme.step(slow, state, 0.04)
        worse.append(result.newton.iterations)
        state = result.state
    assert max(worse) > max(corrections)  # it is that derivative


# -------------------------------------------------------------------------------------------------- what must not drift
@pytest.mark.parametrize("make", [PointPendulum, pytest.param(LedChain, marks=pytest.mark.thorough)])
def test_misfit_stays_at_round_off_over_thousands_of_steps(make):
    system = make()
    q = np.array([0.4, -0.3]) if make is PointPendulum else np.zeros(4)
    states = moved_on(system, q, np.zeros(system.n_dof), 25.0, 2_500, GeneralizedAlpha(rho_inf=0.8, newton=TIGHT))
    assert max(np.abs(system.misfit(s.t, s.q)[0]).max() for s in states) < 1e-12  # 1e-12 of a scale of 0.5 and 1


def test_energy_of_a_pendulum_on_a_bar_is_bounded():
    """Over 3000 steps, with the largest radius that joints allow: it swings with (omega h)^2 and does not drift."""
    system = PointPendulum()
    scheme = GeneralizedAlpha(rho_inf=0.9, newton=TIGHT)
    states = moved_on(system, [0.4, -0.3], np.zeros(2), 15.0, 3_000, scheme)
    energy = np.array([0.5 * system.mass * s.v @ s.v + system.mass * system.gravity * s.q[1] for s in states])
    energy /= system.mass * system.gravity * system.length
    swing = np.abs(energy - energy[0])
    assert swing.max() < 5e-4  # (omega h)^2 = 5e-4 with omega^2 = 9.81/0.5, h = 5 ms
    two_periods = 599  # of 1.499 s each: those of the windows weigh all places alike
    assert abs(energy[-two_periods:].mean() - energy[:two_periods].mean()) < 0.01 * swing.max()


def test_energy_with_a_mass_that_changes_is_bounded_with_rho_inf_1():
    """20 turns: it comes back with the square of the step, and the second half is no worse than the first."""
    system = Slider()
    swings = []
    for n in (1_250, 2_500):
        states = moved_on(system, np.zeros(2), [6.0, 0.3], 20.0, n, GeneralizedAlpha(rho_inf=1.0, newton=TIGHT))
        energy = np.array([system.energy(s.q, s.v) for s in states])
        swings.append(np.abs(energy / energy[0] - 1.0))
        assert swings[-1][n // 2 :].max() < 1.2 * swings[-1][: n // 2].max()
    assert math.log2(swings[0].max() / swings[1].max()) == pytest.approx(2.0, abs=0.15)


# -------------------------------------------------------------------------------------------------- step control, start
def test_adaptive_steps_with_constraints_hold_their_tolerance():
    system = LedChain()
    errors = []
    for tolerance in (1e-4, 1e-5):
        state = start(system, t=0.0, q=np.zeros(4), v=np.zeros(4))
        control = AdaptiveStep(tolerance=tolerance, h_max=0.2)
        state, count = integrate(system, state, 2.0, scheme=GeneralizedAlpha(newton=TIGHT), control=control)
        assert count.rejected_by_newton == 0
        assert np.abs(system.misfit(2.0, state.q)[0]).max() < 1e-12
        errors.append(np.abs(state.q - system.motion(2.0)).max())
    # the error of the motion goes with tolerance^(2/3): a factor of 4.6
    assert errors[0] / errors[1] == pytest.approx(10.0 ** (2.0 / 3.0), rel=0.3)


def test_rates_by_differences_are_those_of_the_closed_form():
    system, rng = LedChain(), np.random.default_rng(2)
    q, v = rng.normal(size=4), rng.normal(size=4)
    for found, expected in zip(
        super(LedChain, system).misfit_rates(0.4, q, v), system.misfit_rates(0.4, q, v), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-8)  # second differences: 1e-16 over the square of 1e-3/v


def test_rates_by_differences_start_from_rest():
    class Differenced(LedChain):
        misfit_rates = SecondOrderSystem.misfit_rates

    t = 2.0 * math.pi / LedChain().w  # one turn on: what is prescribed is at rest again, but to round-off
    from_rest, known = (start(one, t=t, q=np.zeros(4), v=np.zeros(4)) for one in (Differenced(), LedChain()))
    np.testing.assert_allclose(from_rest.vdot, known.vdot, atol=1e-5)


def test_faults_name_the_row():
    system = PointPendulum()
    system.name_of_row = lambda row: ("x", "y", "bar")[row]
    with pytest.raises(Fault, match=r"misfit of the constraints at the start, bar, = 0.7: must be at most 0.5"):
        start(system, t=0.0, q=np.array([1.2, 0.0]), v=np.zeros(2))
    with pytest.raises(Fault, match=r"start velocities, rate of bar, = 1: must be along the constraints"):
        start(system, t=0.0, q=np.array([0.0, -0.5]), v=np.array([0.0, 1.0]))
    with pytest.raises(Fault, match=r"start velocities, rate of bar, = 1e-07"):  # slowly out of it is out of it
        start(system, t=0.0, q=np.array([0.0, -0.5]), v=np.array([0.0, 1e-7]))
    state = start(system, t=0.0, q=np.array([0.0, -0.5]), v=np.zeros(2))
    slope = system.misfit(0.0, state.q)[1]
    system.misfit = lambda t, q: (np.array([math.hypot(*q) + 1.0]), slope)  # no place makes it fit
    with pytest.raises(NonConvergence, match=r"t = 0 s, bar"):
        integrate(system, state, 0.1, scheme=GeneralizedAlpha(newton=TIGHT), control=FixedStep(h=0.01))


def test_joints_need_a_radius_that_damps_their_forces():
    system = PointPendulum()
    state = start(system, t=0.0, q=np.array([0.0, -0.5]), v=np.zeros(2))
    with pytest.raises(Fault, match=r"rho_inf = 1.0: must be at most 0.9 with joints"):
        integrate(system, state, 0.1, scheme=GeneralizedAlpha(rho_inf=1.0), control=FixedStep(h=0.01))
    integrate(system, state, 0.1, scheme=BackwardEuler(rho_inf=1.0), control=FixedStep(h=0.01))  # it says nothing there
