"""Small systems with constraints, or with masses that change with the place, each with a known motion."""

from __future__ import annotations

import numpy as np

from alegear.system.time_integration import ForceEvaluation, SecondOrderSystem
from alegear.system.time_integration.second_order_system import ConstraintForces


class PointPendulum(SecondOrderSystem):
    """A point of mass m at (x, y) that a bar holds at a distance from the origin; gravity along -y."""

    n_dof = 2
    n_constraints = 1

    def __init__(self, mass=2.0, length=0.5, gravity=9.81):
        self.mass, self.length, self.gravity = mass, length, gravity

    displacement_scale = property(lambda self: np.full(2, self.length))
    force_scale = property(lambda self: np.full(2, self.mass * self.gravity))
    misfit_scale = property(lambda self: np.array([self.length]))

    def mass_matrix(self, q):
        return self.mass * np.eye(2)

    def force(self, t, q, v):
        zero = np.zeros((2, 2))
        return ForceEvaluation(Q=np.array([0.0, -self.mass * self.gravity]), dQ_dq=zero, dQ_dv=zero)

    def misfit(self, t, q):
        distance = np.hypot(*q)
        return np.array([distance - self.length]), q[None] / distance

    def constraint_forces(self, t, q, v, multipliers, G):
        distance = np.hypot(*q)
        across = np.array([-q[1], q[0]]) / distance
        by_q = -multipliers[0] / distance * np.outer(across, across)
        return ConstraintForces(Q=-G.T @ multipliers, by_multipliers=-G.T, by_q=by_q)


class LedChain(SecondOrderSystem):
    """Equal masses in a row with springs between them and to the ground, held by rows W x = c(t): the first is
    prescribed, x_1 = d (1 - cos w t), and the last two keep their distance."""

    n_constraints = 2
    displacement_scale = property(lambda self: np.ones(self.n))
    force_scale = property(lambda self: np.ones(self.n))
    misfit_scale = property(lambda self: np.ones(2))

    def __init__(self, n=4, mass=0.7, k=30.0, c=0.4, d=0.1, w=3.0):
        self.n, self.d, self.w = n, d, w
        self.M = mass * np.eye(n)
        stretch = np.eye(n) - np.eye(n, k=-1)
        self.K, self.C = k * stretch.T @ stretch, c * stretch.T @ stretch
        self.W = np.zeros((2, n))
        self.W[0, 0] = 1.0
        self.W[1, -2:] = -1.0, 1.0

    n_dof = property(lambda self: self.n)

    def mass_matrix(self, q):
        return self.M

    def force(self, t, q, v):
        return ForceEvaluation(Q=-self.K @ q - self.C @ v, dQ_dq=-self.K, dQ_dv=-self.C)

    def misfit(self, t, q):
        return self.W @ q - np.array([self.d * (1.0 - np.cos(self.w * t)), 0.0]), self.W

    def misfit_rates(self, t, q, v):
        rate = np.array([self.d * self.w * np.sin(self.w * t), 0.0])
        return self.W @ v - rate, -np.array([self.d * self.w**2 * np.cos(self.w * t), 0.0])

    def motion(self, t):
        """Places in closed form from rest: what is left free, y of x = A y + b c(t), by its matrix exponential."""
        from scipy.linalg import expm

        A = np.zeros((self.n, self.n - 2))
        A[1:-1, :] = np.eye(self.n - 2)
        A[-1, -1] = 1.0
        b = np.eye(self.n)[0]
        m, k, c = (A.T @ matrix @ A for matrix in (self.M, self.K, self.C))
        on_b = [A.T @ matrix @ b for matrix in (self.M, self.K, self.C)]
        free = self.n - 2
        # state y, y', and cos, sin, 1 of the prescribed motion
        S = np.zeros((2 * free + 3, 2 * free + 3))
        S[:free, free : 2 * free] = np.eye(free)
        inverse = np.linalg.inv(m)
        S[free : 2 * free, :free], S[free : 2 * free, free : 2 * free] = -inverse @ k, -inverse @ c
        of_cos = -self.d * self.w**2 * on_b[0] + self.d * on_b[1]  # -(m_b c'' + c_b c' + k_b c)
        S[free : 2 * free, 2 * free] = inverse @ of_cos
        S[free : 2 * free, 2 * free + 1] = -inverse @ (self.d * self.w * on_b[2])
        S[free : 2 * free, 2 * free + 2] = -inverse @ (self.d * on_b[1])
        S[2 * free, 2 * free + 1], S[2 * free + 1, 2 * free] = -self.w, self.w
        z = expm(S * t) @ np.array([*np.zeros(2 * free), 1.0, 0.0, 1.0])
        return A @ z[:free] + b * self.d * (1.0 - np.cos(self.w * t))


class Slider(SecondOrderSystem):
    """A wheel (inertia J, angle q_0) with a mass m at r, on a bed that slides (mass m_b, place q_1, spring k).

    The mass couples both by -m r sin(q_0), which changes its sign twice a turn.
    """

    n_dof = 2
    displacement_scale = property(lambda self: np.ones(2))
    force_scale = property(lambda self: np.ones(2))

    def __init__(self, J=0.02, m=1.0, r=0.3, m_b=0.5, k=40.0):
        self.J, self.m, self.r, self.m_b, self.k = J, m, r, m_b, k

    def mass_matrix(self, q):
        both = -self.m * self.r * np.sin(q[0])
        return np.array([[self.J + self.m * self.r**2, both], [both, self.m + self.m_b]])

    def acceleration_tangent(self, q, vdot):
        slope = -self.m * self.r * np.cos(q[0])
        return np.array([[slope * vdot[1], 0.0], [slope * vdot[0], 0.0]])

    def force(self, t, q, v):
        # Lagrange: the first row has no term of v, the second m r cos(q_0) v_0^2
        pull = self.m * self.r * v[0]
        Q = np.array([0.0, pull * v[0] * np.cos(q[0]) - self.k * q[1]])
        dQ_dq = np.array([[0.0, 0.0], [-pull * v[0] * np.sin(q[0]), -self.k]])
        return ForceEvaluation(Q=Q, dQ_dq=dQ_dq, dQ_dv=np.array([[0.0, 0.0], [2.0 * pull * np.cos(q[0]), 0.0]]))

    def energy(self, q, v):
        return 0.5 * v @ self.mass_matrix(q) @ v + 0.5 * self.k * q[1] ** 2
