"""Harmonic balance of systems with periodic tangents: by hand, and against a motion in time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from alegear.errors import Fault
from alegear.system.periodic import PeriodicSystem, PhaseOutput

J = 64
PHASES = 2.0 * np.pi * np.arange(J) / J


def oscillator(
    m: float, c: float, k: np.ndarray | float, s: np.ndarray, c_of: np.ndarray | None = None
) -> PeriodicSystem:
    """One mass on a spring over the phase whose foot moves by s."""
    stiffness = np.broadcast_to(np.asarray(k, dtype=float), J).reshape(J, 1, 1).copy()
    damping = np.full((J, 1, 1), c) if c_of is None else c_of.reshape(J, 1, 1)
    return PeriodicSystem(mass=np.array([[m]]), stiffness=stiffness, damping=damping, equilibrium=s.reshape(J, 1))


@pytest.mark.parametrize("ratio", [0.01, 0.3, 0.5, 0.97, 1.0, 2.3])
def test_single_mass_with_a_harmonic_foot(ratio: float) -> None:
    """u = s k/(k - m w^2 + i c w), by hand, for the first and the third order."""
    m, k, zeta = 2.0, 5e6, 0.04
    omega = np.sqrt(k / m)
    c = 2.0 * zeta * np.sqrt(k * m)
    system = oscillator(m, c, k, -3e-6 + 4e-7 * np.cos(PHASES) + 1e-7 * np.sin(3.0 * PHASES))
    output = PhaseOutput(at_rest=system.equilibrium, by_displacement=np.eye(1), by_rate=np.zeros((1, 1)))
    found = output.amplitudes(system, ratio * omega, system.response(ratio * omega), 4)[:, 0]
    order = np.array([1.0, 2.0, 3.0, 4.0])
    by_hand = np.array([4e-7, 0.0, 1e-7, 0.0]) / np.hypot(1.0 - (order * ratio) ** 2, 2.0 * zeta * order * ratio)
    # linear algebra in double precision, over the mean of the foot
    np.testing.assert_allclose(found, by_hand, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(output.static_amplitudes(4)[:, 0], [4e-7, 0.0, 1e-7, 0.0], rtol=1e-9, atol=1e-20)


@pytest.mark.parametrize("ratio", [0.2, 0.45, 0.9, 1.6])
def test_varying_stiffness_and_damping_as_a_motion_has_it(ratio: float) -> None:
    """Two masses, a spring between them that varies by a third, a damper that follows it: against integration.

    Over one period, from the state that it comes back to: the motion is linear in the state that it begins with.
    """
    m, k, beta = np.diag([1.0, 3.0]), 4e6, 2e-5
    row = np.array([1.0, -1.0])
    of_phase = k * (1.0 + 0.3 * np.cos(PHASES) + 0.1 * np.sin(2.0 * PHASES))
    held = np.diag([3e5, 6e5])
    K = held + of_phase[:, None, None] * np.outer(row, row)
    C = 1e-4 * held + beta * of_phase[:, None, None] * np.outer(row, row)
    force = np.array([100.0, -80.0])
    s = np.linalg.solve(K, np.broadcast_to(force, (J, 2))[:, :, None])[:, :, 0]  # what a constant force presses on it
    system = PeriodicSystem(mass=m, stiffness=K, damping=C, equilibrium=s)
    assert system.varying.shape == (2, 1)
    rate = ratio * np.sqrt(k * (1.0 + 1.0 / 3.0))

    def motion(t: float, y: np.ndarray) -> np.ndarray:
        spring = k * (1.0 + 0.3 * np.cos(rate * t) + 0.1 * np.sin(2.0 * rate * t)) * np.outer(row, row)
        a = (force - (held + spring) @ y[:2] - (1e-4 * held + beta * spring) @ y[2:]) / np.diag(m)
        return np.concatenate([y[2:], a])

    period = 2.0 * np.pi / rate

    def states(begin: np.ndarray) -> np.ndarray:
        times = period * np.arange(J + 1) / J
        return solve_ivp(motion, (0.0, period), begin, "DOP853", t_eval=times, rtol=1e-9, atol=1e-15).y

    size = np.array([1e-4, 1e-4, 1e-4 * rate, 1e-4 * rate])
    plain = states(np.zeros(4))[:, -1]
    carried = np.array([states(size * one)[:, -1] - plain for one in np.eye(4)]).T / size
    found = states(np.linalg.solve(np.eye(4) - carried, plain))
    np.testing.assert_allclose(found[:, -1], found[:, 0], atol=1e-6 * np.abs(found).max(axis=1).min())
    integrated = 2.0 * np.abs(np.fft.fft(found[:2, :J].T, axis=0)[1:7]) / J
    output = PhaseOutput(at_rest=s, by_displacement=np.eye(2), by_rate=np.zeros((2, 2)))
    balanced = output.amplitudes(system, rate, system.response(rate), 6)
    # the tolerance of the integration, which the dampers have not taken away after a period
    np.testing.assert_allclose(balanced, integrated, rtol=1e-5, atol=1e-5 * integrated.max())


def test_rates_are_read_too() -> None:
    """The force of spring and damper on the ground is the inertia of the mass."""
    system = oscillator(2.0, 300.0, 5e6, 4e-7 * np.cos(PHASES))
    rate, deviation = 900.0, system.response(900.0)
    force = PhaseOutput(at_rest=np.zeros((J, 1)), by_displacement=np.array([[5e6]]), by_rate=np.array([[300.0]]))
    moved = PhaseOutput(at_rest=system.equilibrium, by_displacement=np.eye(1), by_rate=np.zeros((1, 1)))
    on_ground = force.amplitudes(system, rate, deviation, 1)[0, 0]
    assert on_ground == pytest.approx(2.0 * rate**2 * moved.amplitudes(system, rate, deviation, 1)[0, 0], rel=1e-9)


def test_gyroscopic_terms_grow_with_the_rate() -> None:
    """A disk tilting on a circle with its spin: forward whirl by hand, J_t w^2 (1 - p) of its inertia."""
    J_t, p, k, spin_per_rate = 0.1, 2.0, 3e4, 0.05
    foot = 1e-4 * np.column_stack([np.cos(PHASES), np.sin(PHASES)])
    G = p * J_t * spin_per_rate * np.array([[0.0, 1.0], [-1.0, 0.0]])
    system = PeriodicSystem(
        mass=J_t * np.eye(2),
        stiffness=np.broadcast_to(k * np.eye(2), (J, 2, 2)),
        damping=np.zeros((J, 2, 2)),
        equilibrium=foot,
        gyroscopic=G,
    )
    output = PhaseOutput(at_rest=foot, by_displacement=np.eye(2), by_rate=np.zeros((2, 2)))
    rate = 700.0
    found = output.amplitudes(system, rate, system.response(rate), 1)[0]
    # u = u0 e^{i w t}: -J w^2 u + i w (-i p J W) u + k (u - s) = 0 with the spin W = spin_per_rate w
    circle = k * 1e-4 / (k - J_t * rate**2 + p * J_t * spin_per_rate * rate**2)
    assert found == pytest.approx([abs(circle), abs(circle)], rel=1e-9)


def test_what_cannot_be_balanced_is_refused() -> None:
    with pytest.raises(Fault, match="phases of a period"):
        PeriodicSystem(
            mass=np.eye(1), stiffness=np.ones((3, 1, 1)), damping=np.zeros((3, 1, 1)), equilibrium=np.zeros((3, 1))
        )
    with pytest.raises(Fault, match="shape of damping"):
        PeriodicSystem(
            mass=np.eye(1), stiffness=np.ones((8, 1, 1)), damping=np.zeros((8, 2, 2)), equilibrium=np.zeros((8, 1))
        )
    with pytest.raises(Fault, match="none in a direction"):
        oscillator(1.0, 0.0, 0.0, np.cos(PHASES)).response(10.0)
