"""Small systems with known motions, each a few lines."""

from __future__ import annotations

import numpy as np

from alegear.system.time_integration import ForceEvaluation, SecondOrderSystem, State


class OneDof(SecondOrderSystem):
    """m x'' = force(t, x, v) from three scalar functions."""

    def __init__(self, m, force, df_dx, df_dv=lambda t, x, v: 0.0, *, displacement_scale=1.0, force_scale=1.0):
        self.m, self.f, self.df_dx, self.df_dv = np.array([[m]]), force, df_dx, df_dv
        self.scales = np.array([displacement_scale]), np.array([force_scale])
        self.accepted: list[State] = []
        self.begun: list[tuple[float, float]] = []

    n_dof = 1
    displacement_scale = property(lambda self: self.scales[0])
    force_scale = property(lambda self: self.scales[1])

    def mass_matrix(self, q):
        return self.m

    def force(self, t, q, v):
        args = t, float(q[0]), float(v[0])
        return ForceEvaluation(
            Q=np.array([self.f(*args)]),
            dQ_dq=np.array([[self.df_dx(*args)]]),
            dQ_dv=np.array([[self.df_dv(*args)]]),
            payload=args,
        )

    def begin_step(self, t, q, v, h):
        self.begun.append((t, h))

    def accept(self, state):
        self.accepted.append(state)


def oscillator(m=1.0, c=0.0, k=1.0):
    return OneDof(m, lambda t, x, v: -c * v - k * x, lambda t, x, v: -k, lambda t, x, v: -c, force_scale=k)


def pendulum(omega):
    return OneDof(
        1.0,
        lambda t, x, v: -(omega**2) * np.sin(x),
        lambda t, x, v: -(omega**2) * np.cos(x),
        force_scale=omega**2,
    )


def duffing(k=1.0, k3=4.0):
    return OneDof(1.0, lambda t, x, v: -k * x - k3 * x**3, lambda t, x, v: -k - 3 * k3 * x**2)


def bouncing(omega, g, height):
    return OneDof(
        1.0,
        lambda t, x, v: -g - omega**2 * min(x, 0.0),
        lambda t, x, v: -(omega**2) if x < 0.0 else 0.0,
        displacement_scale=height,
        force_scale=g,
    )


class Chain(SecondOrderSystem):
    """Masses in a row with cubic springs and dampers between them, driven by a harmonic force: M v' = Q(t, q, v)."""

    def __init__(self, n):
        self.n = n
        generator = np.random.default_rng(3)
        A = generator.normal(size=(n, n))
        self.M = A @ A.T + n * np.eye(n)

    @property
    def n_dof(self):
        return self.n

    @property
    def displacement_scale(self):
        return np.ones(self.n)

    @property
    def force_scale(self):
        return np.ones(self.n)

    def mass_matrix(self, q):
        return self.M

    def force(self, t, q, v):
        D = np.eye(self.n) - np.eye(self.n, k=-1)  # stretch of each spring, the first one tied to the ground
        s = D @ q
        Q = -D.T @ (30.0 * s + 50.0 * s**3 + 0.2 * (D @ v)) + np.sin(5.0 * t)
        return ForceEvaluation(Q=Q, dQ_dq=-D.T @ np.diag(30.0 + 150.0 * s**2) @ D, dQ_dv=-0.2 * D.T @ D)
