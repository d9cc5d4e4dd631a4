"""Generalized-alpha against closed forms: order, spectral radius, energy, error estimate."""

import math

import numpy as np
import pytest
from closed_form.oscillators import DampedOscillator, Pendulum, observed_orders
from system.time_integration.systems import Chain, OneDof, duffing, oscillator, pendulum

from alegear.errors import Fault
from alegear.system.time_integration import (
    AdaptiveStep,
    FixedStep,
    GeneralizedAlpha,
    NewtonParameters,
    State,
    integrate,
    start,
)

RHO_INF = [0.0, 0.5, 0.8, 1.0]
TIGHT = NewtonParameters(tolerance=1e-13)


def final(system, q, v, t_end, h, rho_inf):
    state = start(system, t=0.0, q=np.array([q]), v=np.array([v]))
    scheme = GeneralizedAlpha(rho_inf=rho_inf, newton=TIGHT)
    return integrate(system, state, t_end, scheme=scheme, control=FixedStep(h=h))[0]


@pytest.mark.parametrize("rho_inf", RHO_INF)
def test_parameters_give_second_order_and_the_asymptotic_annihilation_relations(rho_inf):
    s = GeneralizedAlpha(rho_inf=rho_inf)
    assert s.newmark_gamma == pytest.approx(0.5 - s.alpha_m + s.alpha_f, abs=1e-15)
    assert s.newmark_beta == pytest.approx(0.25 * (1 - s.alpha_m + s.alpha_f) ** 2, abs=1e-15)
    # Chung & Hulbert's algorithm with minimal low-frequency damping: alpha_f = (alpha_m + 1)/3
    assert s.alpha_f == pytest.approx((s.alpha_m + 1) / 3, abs=1e-15)


@pytest.mark.parametrize("rho_inf", [-0.1, 1.1, math.nan])
def test_rho_inf_outside_its_range_is_a_fault(rho_inf):
    with pytest.raises(Fault, match="rho_inf"):
        GeneralizedAlpha(rho_inf=rho_inf)


@pytest.mark.parametrize("rho_inf", RHO_INF)
@pytest.mark.parametrize("component", ["q", "v", "vdot"])
def test_second_order_on_the_damped_oscillator(rho_inf, component):
    exact = DampedOscillator(m=2.0, c=0.6, k=18.0, x0=0.3, v0=-1.0)
    system = oscillator(exact.m, exact.c, exact.k)
    x, v = exact.motion(2.0)
    reference = {"q": x, "v": v, "vdot": -(exact.c * v + exact.k * x) / exact.m}[component]
    steps = 2.0 / np.array([200, 400, 800, 1600])
    errors = [abs(getattr(final(system, 0.3, -1.0, 2.0, h, rho_inf), component)[0] - reference) for h in steps]
    assert observed_orders(steps, errors) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("rho_inf", RHO_INF)
def test_second_order_on_the_pendulum(rho_inf):
    exact = Pendulum(omega=3.0, amplitude=2.0)
    steps = 2.0 / np.array([400, 800, 1600])
    errors = [abs(final(pendulum(3.0), 2.0, 0.0, 2.0, h, rho_inf).q[0] - exact.motion(2.0)[0]) for h in steps]
    assert observed_orders(steps, errors) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("rho_inf", RHO_INF)
def test_second_order_survives_changing_steps(rho_inf):
    # Lengths that alternate h, h/2: the algorithmic acceleration must be rescaled or the order falls to one.
    exact = Pendulum(omega=3.0, amplitude=2.0)
    scheme = GeneralizedAlpha(rho_inf=rho_inf, newton=TIGHT)
    system = pendulum(3.0)
    steps, errors = [], []
    for n in (200, 400, 800):
        h = 2.0 / (1.5 * n)
        state = start(system, t=0.0, q=np.array([2.0]), v=np.zeros(1))
        for _ in range(n):
            for length in (h, 0.5 * h):
                state = scheme.step(system, state, length).state
        steps.append(h)
        errors.append(abs(state.q[0] - exact.motion(2.0)[0]))
    assert observed_orders(steps, errors) == pytest.approx(2.0, abs=0.1)


def amplification_matrix(scheme, omega_h):
    """(q, h v, h^2 a) -> the same one step of h = 1 later, for x'' = -omega^2 x."""
    system = oscillator(k=omega_h**2)
    columns = []
    for q, v, a in np.eye(3):
        vdot = np.array([-(omega_h**2) * q])
        force = system.force(0.0, np.array([q]), np.array([v]))
        state = State(t=0.0, q=np.array([q]), v=np.array([v]), vdot=vdot, a=np.array([a]), h=1.0, force=force)
        new = scheme.step(system, state, 1.0).state
        columns.append([new.q[0], new.v[0], new.a[0]])
    return np.array(columns).T


@pytest.mark.parametrize("rho_inf", RHO_INF)
def test_spectral_radius_at_infinite_frequency_is_rho_inf(rho_inf):
    A = amplification_matrix(GeneralizedAlpha(rho_inf=rho_inf), omega_h=1e6)
    radius = np.abs(np.linalg.eigvals(A)).max()
    # the threefold eigenvalue -rho_inf splits by about (1 + rho_inf)/(omega h)^(2/3) = 2e-4
    assert radius == pytest.approx(rho_inf, abs=1e-3)


@pytest.mark.parametrize("rho_inf", RHO_INF)
def test_unconditionally_stable(rho_inf):
    for omega_h in np.logspace(-2, 4, 25):
        A = amplification_matrix(GeneralizedAlpha(rho_inf=rho_inf), omega_h)
        assert np.abs(np.linalg.eigvals(A)).max() <= 1.0 + 1e-4  # threefold at rho_inf = 1: round-off^(1/3)


def test_trapezoidal_rule_conserves_the_energy_of_the_linear_oscillator():
    system = oscillator(m=2.0, k=18.0)
    state = start(system, t=0.0, q=np.array([0.3]), v=np.array([-1.0]))
    energies = []
    integrate(
        system,
        state,
        200.0,
        scheme=GeneralizedAlpha(rho_inf=1.0, newton=TIGHT),
        control=FixedStep(h=0.05),
        on_step=lambda s: energies.append(s.v[0] ** 2 + 9.0 * s.q[0] ** 2),
    )
    assert len(energies) == 4000
    # round-off of 4000 steps at worst adds up, 4000 * 2e-16, plus that of the 1e-13 Newton residual
    np.testing.assert_allclose(energies, 1.0 + 9.0 * 0.09, rtol=4e-12)


@pytest.mark.parametrize("rho_inf", [0.5, 0.8])
def test_numerical_damping_only_takes_energy(rho_inf):
    e = []
    system = duffing()
    state = start(system, t=0.0, q=np.ones(1), v=np.zeros(1))
    scheme = GeneralizedAlpha(rho_inf=rho_inf)

    def energy(s):
        e.append(0.5 * s.v[0] ** 2 + 0.5 * s.q[0] ** 2 + s.q[0] ** 4)

    integrate(system, state, 200.0, scheme=scheme, control=FixedStep(h=0.05), on_step=energy)
    many_periods = np.array(e).reshape(8, -1).mean(axis=1)
    assert (np.diff(many_periods) < 0.0).all()


def test_energy_of_the_duffing_oscillator_stays_bounded_without_drift():
    energies = []
    system = duffing()
    state = start(system, t=0.0, q=np.ones(1), v=np.zeros(1))
    integrate(
        system,
        state,
        240.0,
        scheme=GeneralizedAlpha(rho_inf=1.0, newton=TIGHT),
        control=FixedStep(h=0.02),
        on_step=lambda s: energies.append(0.5 * s.v[0] ** 2 + 0.5 * s.q[0] ** 2 + s.q[0] ** 4),
    )
    error = np.array(energies) / 1.5 - 1.0
    assert np.abs(error).max() < 1e-3  # the trapezoidal rule is conjugate to a symplectic map: O((omega h)^2/12) = 4e-4
    assert abs(error[-4000:].mean() - error[:4000].mean()) < 1e-5  # no drift over 85 periods


@pytest.mark.parametrize("rho_inf", RHO_INF)
def test_error_estimate_is_the_error_of_the_step(rho_inf):
    # From a state on the numerical trajectory of a free oscillation, where a has its lead over vdot.
    system, scheme, h = oscillator(), GeneralizedAlpha(rho_inf=rho_inf, newton=TIGHT), 1e-2
    t = 1.0
    exact = {"q": math.cos, "v": lambda s: -math.sin(s), "vdot": lambda s: -math.cos(s)}
    q, v, vdot = (np.array([exact[name](t)]) for name in ("q", "v", "vdot"))
    a = np.array([-math.cos(t + (scheme.alpha_m - scheme.alpha_f) * h)])
    state = State(t=t, q=q, v=v, vdot=vdot, a=a, h=h, force=system.force(t, q, v))
    result = scheme.step(system, state, h)
    error = abs(result.state.q[0] - math.cos(t + h))
    assert result.local_error[0] == pytest.approx(error, rel=0.03)  # next term of the series: of the order h


@pytest.mark.parametrize("rho_inf", RHO_INF)
@pytest.mark.parametrize("omega_h", [0.1, 3.0, 100.0])
def test_the_filter_leaves_of_an_error_what_a_step_makes_of_it(rho_inf, omega_h):
    """An undamped mode counts by 1/(1 + beta kappa (omega h)^2), with kappa = (1 - alpha_f)/(1 - alpha_m)."""
    system, (plain, filtered) = oscillator(), (GeneralizedAlpha(rho_inf=rho_inf, filtered=f) for f in (False, True))
    state = start(system, t=0.0, q=np.array([0.3]), v=np.array([1.0]))
    errors = [scheme.step(system, state, omega_h).local_error[0] for scheme in (plain, filtered)]
    kappa = (1.0 - plain.alpha_f) / (1.0 - plain.alpha_m)
    assert errors[1] == pytest.approx(errors[0] / (1.0 + plain.newmark_beta * kappa * omega_h**2), rel=1e-12)


def test_error_constant_between_trapezoidal_rule_and_full_damping():
    assert GeneralizedAlpha(rho_inf=1.0).error_constant == pytest.approx(1 / 12, abs=1e-15)
    assert GeneralizedAlpha(rho_inf=0.0).error_constant == pytest.approx(1 / 3, abs=1e-15)


def test_force_tangents_of_the_chain_against_central_differences():
    system, rng = Chain(5), np.random.default_rng(1)
    q, v, d = 0.3 * rng.normal(size=5), rng.normal(size=5), 1e-6
    force = system.force(0.4, q, v)
    dQ_dq = [(system.force(0.4, q + d * e, v).Q - system.force(0.4, q - d * e, v).Q) / (2 * d) for e in np.eye(5)]
    dQ_dv = [(system.force(0.4, q, v + d * e).Q - system.force(0.4, q, v - d * e).Q) / (2 * d) for e in np.eye(5)]
    np.testing.assert_allclose(np.transpose(dQ_dq), force.dQ_dq, atol=1e-7)  # round-off 1e-16 * 100/d
    np.testing.assert_allclose(np.transpose(dQ_dv), force.dQ_dv, atol=1e-7)


def test_iteration_matrix_is_the_derivative_of_the_residual():
    # Newton on the 5-DOF chain converges quadratically only if the matrix is the residual's derivative.
    system = Chain(5)
    state = start(system, t=0.0, q=np.full(5, 0.3), v=np.zeros(5))
    result = GeneralizedAlpha(rho_inf=0.8, newton=TIGHT).step(system, state, 0.2)
    assert result.newton.converged
    assert 2 <= result.newton.iterations <= 5


def test_equilibrium_holds_at_the_end_of_every_step():
    system = Chain(5)
    state = start(system, t=0.0, q=np.full(5, 0.3), v=np.zeros(5))
    seen = []
    integrate(
        system,
        state,
        1.0,
        scheme=GeneralizedAlpha(rho_inf=0.8, newton=TIGHT),
        control=AdaptiveStep(tolerance=1e-4, h_max=0.05),
        on_step=seen.append,
    )
    for s in seen:
        Q = system.force(s.t, s.q, s.v).Q
        np.testing.assert_allclose(system.M @ s.vdot, Q, atol=1e-12)  # Newton's 1e-13 times a scale of 1, and round-off
        np.testing.assert_array_equal(s.force.Q, Q)


def test_constant_acceleration_is_exact():
    system = OneDof(2.0, lambda t, x, v: 6.0, lambda t, x, v: 0.0)
    state = start(system, t=1.0, q=np.array([1.0]), v=np.array([-2.0]))
    new = GeneralizedAlpha(rho_inf=0.3).step(system, state, 0.5).state
    assert new.q[0] == pytest.approx(1.0 - 2.0 * 0.5 + 1.5 * 0.25, rel=1e-15)
    assert new.v[0] == pytest.approx(-0.5, rel=1e-15)
    assert new.t == 1.5
