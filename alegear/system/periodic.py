r"""A system whose tangents repeat with a phase, vibrating a little about its equilibria: harmonic balance.

At the phase :math:`\varphi` the system rests at :math:`s(\varphi)`, where its tangents are K and C. With the phase
running at a constant rate :math:`\omega` it moves by

.. math:: M \ddot u + C(\varphi) \dot u + K(\varphi) (u - s(\varphi)) = 0, \quad \varphi = \omega t,

which is linear in u, exact as :math:`\omega \to 0`, where u = s, and tangent to the motion at every phase. Of the
deviation d = u - s the terms :math:`d_n e^{i n \varphi}`, |n| <= H, balance each other (Galerkin):

.. math::
    Z_n d_n + \sum_{m \ne n} (\Delta K_{n-m} + i m \omega \Delta C_{n-m}) d_m
    = n^2 \omega^2 M s_n - [C \dot s]_n, \quad
    Z_n = -n^2 \omega^2 M + i n \omega \bar C + \bar K

with means :math:`\bar K, \bar C` and what varies about them, :math:`\Delta K, \Delta C`. That acts between few
combinations of the coordinates only, :math:`\Delta K = B k B^T`: what is solved for are :math:`z_n = B^T d_n`, by the
receptances :math:`B^T Z_n^{-1} B`. Without the sum it would be the answer of constant tangents to the inertia and
damping of the quasi-static motion, the same as the answer to the force :math:`\bar K s(\varphi)`.

It is the periodic motion with the period of the phase, whether it is stable or not; it knows no subharmonics, and no
contact that opens.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular

from alegear.arrays import ComplexArray, Indices
from alegear.errors import Fault
from alegear.system.coordinates import Array

NOTHING = 1e-9  # of the largest change of a tangent, in coordinates of unit mass: round-off


@dataclass(frozen=True, kw_only=True, eq=False)
class PeriodicSystem:
    """Tangents and equilibria of a system at J equally spaced phases of a period.

    Parameters
    ----------
    mass : shape (r, r)
        Symmetric and positive definite.
    stiffness, damping : shape (J, r, r)
        K and C, not symmetric where there is friction.
    equilibrium : shape (J, r)
        s, of any mean.
    gyroscopic : shape (r, r)
        What a unit of the phase rate [rad/s] adds to C.
    most_harmonics : int or None
        Of the balance; None: as many as the phases resolve with their products, (J - 1)/4.

    Raises
    ------
    Fault
        For shapes that do not fit, or fewer than 4 phases.
    """

    mass: Array
    stiffness: Array
    damping: Array
    equilibrium: Array
    gyroscopic: Array = field(default_factory=lambda: np.zeros((0, 0)))
    most_harmonics: int | None = None

    def __post_init__(self) -> None:
        j, r = self.equilibrium.shape
        if not self.gyroscopic.size:
            object.__setattr__(self, "gyroscopic", np.zeros((r, r)))
        shapes = {"mass": (r, r), "stiffness": (j, r, r), "damping": (j, r, r), "gyroscopic": (r, r)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise Fault(f"shape of {name}", getattr(self, name).shape, f"{shape}", "correct it")
        if j < 4:
            raise Fault("phases of a period", j, "at least 4", "give more of them")

    @property
    def n_phases(self) -> int:
        """J."""
        return len(self.equilibrium)

    @property
    def harmonics(self) -> int:
        """H: products of two harmonics are still resolved."""
        resolved = max((self.n_phases - 1) // 4, 1)
        return resolved if self.most_harmonics is None else min(resolved, self.most_harmonics)

    @cached_property
    def mean_stiffness(self) -> Array:
        """Mean of K over the phases, shape (r, r)."""
        mean: Array = self.stiffness.mean(axis=0)
        return mean

    @cached_property
    def mean_damping(self) -> Array:
        """Mean of C over the phases, shape (r, r)."""
        mean: Array = self.damping.mean(axis=0)
        return mean

    @cached_property
    def static(self) -> ComplexArray:
        """Coefficients of the equilibria, n = -H ... H, shape (2 H + 1, r)."""
        return self._coefficients(self.equilibrium, self.harmonics)

    @cached_property
    def varying(self) -> Array:
        """B, shape (r, s): combinations of the coordinates between which the tangents vary."""
        root = np.linalg.cholesky(self.mass)
        rows = []
        for tangents, mean in ((self.stiffness, self.mean_stiffness), (self.damping, self.mean_damping)):
            change = np.concatenate([tangents - mean, np.swapaxes(tangents - mean, 1, 2)]).reshape(-1, len(root))
            scaled = solve_triangular(root, change.T, lower=True).T
            largest = np.abs(scaled).max(initial=0.0)
            if largest > 0.0:
                rows.append(np.linalg.qr(scaled / largest, mode="r"))
        if not rows:
            return np.zeros((len(root), 0))
        _, size, right = np.linalg.svd(np.vstack(rows), full_matrices=False)
        basis: Array = root @ right[size > NOTHING * size[0]].T
        return basis

    @cached_property
    def _of_varying(self) -> tuple[ComplexArray, ComplexArray]:
        """Coefficients of k and c, n = -2 H ... 2 H, shape (4 H + 1, s, s)."""
        inverse = np.linalg.pinv(self.varying)
        k, c = (
            self._coefficients(inverse @ (of - mean) @ inverse.T, 2 * self.harmonics)
            for of, mean in ((self.stiffness, self.mean_stiffness), (self.damping, self.mean_damping))
        )
        return k, c

    def _coefficients(self, samples: Array, harmonics: int) -> ComplexArray:
        """Fourier coefficients n = -harmonics ... harmonics of samples (J, ...)."""
        found = np.fft.fft(samples, axis=0) / self.n_phases
        taken: ComplexArray = found[np.arange(-harmonics, harmonics + 1)]
        return taken

    def response(self, rate: float) -> ComplexArray:
        """Coefficients d_n of the deviation from the equilibria at a phase rate [rad/s], n = -H ... H, (2 H + 1, r).

        Raises
        ------
        Fault
            Where nothing holds a motion, or at a resonance without damping.
        """
        H, B = self.harmonics, self.varying
        n = np.arange(-H, H + 1)
        mean_damping = self.mean_damping + rate * self.gyroscopic
        Z = (
            -((n * rate) ** 2)[:, None, None] * self.mass
            + (1j * n * rate)[:, None, None] * mean_damping
            + self.mean_stiffness
        )
        rates = (1j * n * rate)[:, None] * self.static
        wave = np.exp(2j * np.pi * np.outer(np.arange(self.n_phases), n) / self.n_phases)
        at_phases = np.real(wave @ rates)
        damped = np.einsum("jkl,jl->jk", self.damping + rate * self.gyroscopic, at_phases)
        f = ((n * rate) ** 2)[:, None] * (self.static @ self.mass) - self._coefficients(damped, H)
        try:
            found = np.linalg.solve(Z, np.concatenate([np.broadcast_to(B, (len(n), *B.shape)), f[:, :, None]], axis=2))
            by_B, of_f = found[:, :, :-1], found[:, :, -1]
            w = self._held_back(rate, n, by_B, of_f)
        except np.linalg.LinAlgError as error:
            what = f"stiffness at a mesh frequency of {rate / (2.0 * np.pi):.6g} Hz"
            raise Fault(what, "none in a direction", "some in all", "hold the machine, or give it damping") from error
        deviation: ComplexArray = of_f - np.einsum("nrs,ns->nr", by_B, w)
        return deviation

    def _held_back(self, rate: float, n: Indices, by_B: ComplexArray, of_f: ComplexArray) -> ComplexArray:
        """Forces (2 H + 1, s) by which what varies acts on the deviation."""
        s, size = self.varying.shape[1], len(n)
        if not s:
            return np.zeros((size, 0), dtype=np.complex128)
        k, c = self._of_varying
        between = n[:, None] - n + 2 * self.harmonics
        T = k[between] + (1j * rate * n)[None, :, None, None] * c[between]  # (to, from, s, s)
        A, free = self.varying.T @ by_B, of_f @ self.varying
        matrix = np.einsum("nab,nmbc->namc", A, T).reshape(size * s, size * s)
        z = np.linalg.solve(np.eye(size * s) + matrix, free.reshape(-1)).reshape(size, s)
        forces: ComplexArray = np.einsum("nmab,mb->na", T, z)
        return forces


@dataclass(frozen=True, kw_only=True, eq=False)
class PhaseOutput:
    """What is read of a periodic system: y = y_s(phi) + Y(phi) d + V(phi) u', m numbers.

    Parameters
    ----------
    at_rest : shape (J, m)
    by_displacement, by_rate : shape (J, m, r) or (m, r)
        Of the deviation d, and of all of the rate.
    """

    at_rest: Array
    by_displacement: Array
    by_rate: Array

    def amplitudes(self, system: PeriodicSystem, rate: float, deviation: ComplexArray, orders: int) -> Array:
        """Amplitudes of the orders 1 ... `orders` at a phase rate [rad/s], shape (orders, m)."""
        return np.abs(self.coefficients(system, rate, deviation, orders))

    def coefficients(self, system: PeriodicSystem, rate: float, deviation: ComplexArray, orders: int) -> ComplexArray:
        """Complex amplitudes of the orders: y is the real part of the sum of those times :math:`e^{i n \\varphi}`."""
        J, n = system.n_phases, np.arange(-system.harmonics, system.harmonics + 1)
        wave = np.exp(2j * np.pi * np.outer(np.arange(J), n) / J)
        d = np.real(wave @ deviation)
        v = np.real(wave @ ((1j * n * rate)[:, None] * (deviation + system.static)))
        y = self.at_rest + _product(self.by_displacement, d) + _product(self.by_rate, v)
        found: ComplexArray = 2.0 * np.fft.fft(y, axis=0)[1 : orders + 1] / J
        return found

    def static_amplitudes(self, orders: int) -> Array:
        """Those of the phase that does not run, shape (orders, m)."""
        found: Array = 2.0 * np.abs(np.fft.fft(self.at_rest, axis=0)[1 : orders + 1]) / len(self.at_rest)
        return found


def _product(rows: Array, x: Array) -> Array:
    found: Array = x @ rows.T if rows.ndim == 2 else np.einsum("jmr,jr->jm", rows, x)
    return found
