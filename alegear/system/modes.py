r"""Natural modes of any system about a state: standing still, damped, turning.

.. math:: M \ddot u + C \dot u + K u = 0, \quad K = -\partial Q/\partial x, \quad C = -\partial Q/\partial v

on the free coordinates, led ones held, and on what constraints leave of them. Gyroscopic moments are in C at the speed
of the state.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, eigh, null_space

from alegear.errors import Fault
from alegear.system.checks import check_inertia
from alegear.system.coordinates import Array
from alegear.system.model import SystemData, SystemModel, evaluate, mass_matrix

Complex = NDArray[np.complex128]

#: A frequency below this part of the largest is none: a body that moves without deformation, to round-off.
RIGID = 1e-6
SYMMETRY = 1e-9  # of the largest entry, with ones on the diagonal: friction in a mesh is not symmetric
NO_MOTION = 1e-18  # mass times square in a mode of unit mass: round-off


@dataclass(frozen=True, kw_only=True, eq=False)
class Linearised:
    """A system linearised about a state.

    Attributes
    ----------
    names : tuple of str
        Of all coordinates, n of them.
    mass, stiffness, damping : shape (r, r)
        In r independent coordinates.
    basis : shape (n, r)
        All coordinates by these: a column each where nothing is constrained, zero for led ones.
    speeds : shape (n,)
        Velocities of the state.
    """

    model: SystemModel
    mass: Array
    stiffness: Array
    damping: Array
    basis: Array
    speeds: Array

    @classmethod
    def of(
        cls,
        model: SystemModel,
        data: SystemData | None = None,
        *,
        t: float = 0.0,
        x: Array | None = None,
        v: Array | None = None,
    ) -> Linearised:
        """Linearise about coordinates x and velocities v, both (n,); default zero.

        Raises
        ------
        Fault
            If a free coordinate has no inertia, or an element cannot be evaluated there.
        """
        data = data or model.new_data()
        x = np.zeros(model.n) if x is None else np.asarray(x, dtype=np.float64)
        v = np.zeros(model.n) if v is None else np.asarray(v, dtype=np.float64)
        forces = evaluate(model, data, t, x, v)
        if forces.failure is not None:
            raise Fault(
                "state to linearise about", "outside of what can be evaluated", "an equilibrium", forces.failure
            )
        basis = np.eye(model.n)[:, model.free]
        rows = model.constraint_rows @ basis
        if len(rows):
            size = model.displacement_scale[model.free]
            basis = basis @ (size[:, None] * null_space(rows * size))
        M = basis.T @ mass_matrix(model, data, x) @ basis
        check_inertia(model)
        root = np.sqrt(np.diag(M))
        least = float(np.linalg.eigvalsh(M / np.outer(root, root)).min(initial=1.0))
        if not least > 0.0:
            raise Fault("inertia", f"{least:.3g} in one combination", "positive", "give all bodies a mass")
        return cls(
            model=model,
            mass=0.5 * (M + M.T),
            stiffness=-basis.T @ forces.by_x @ basis,
            damping=-basis.T @ forces.by_v @ basis,
            basis=basis,
            speeds=v,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemModes:
    """Modes by ascending frequency.

    Attributes
    ----------
    names : tuple of str
        Of the coordinates.
    frequencies : shape (m,) [rad/s]
        Damped ones, as they would be heard; 0 where nothing springs back.
    decay_rates : shape (m,) [1/s]
        Positive: it dies out, with exp(-rate t).
    shapes : shape (n, m), complex
        Displacement is Re(shape exp(i omega t)); of unit modal mass where undamped.
    mass : shape (n, n)
        By which shapes are compared and whirl is weighed.
    linearised : Linearised
    """

    names: tuple[str, ...]
    frequencies: Array
    decay_rates: Array
    shapes: Complex
    mass: Array
    linearised: Linearised

    @property
    def damping_ratios(self) -> Array:
        """Of each mode, decay rate over the magnitude of the eigenvalue; 0 for a rigid motion."""
        size = np.hypot(self.frequencies, self.decay_rates)
        return np.divide(self.decay_rates, size, out=np.zeros_like(size), where=size > 0.0)

    def elastic(self) -> SystemModes:
        """Those that vibrate."""
        return self.taken(np.flatnonzero(self.frequencies > RIGID * self.frequencies.max(initial=0.0)))

    def lowest(self, n: int) -> SystemModes:
        """The first n."""
        return self.taken(np.arange(min(n, len(self.frequencies))))

    def taken(self, kept: NDArray[np.int64]) -> SystemModes:
        """Some of them, by number."""
        return SystemModes(
            names=self.names,
            frequencies=self.frequencies[kept],
            decay_rates=self.decay_rates[kept],
            shapes=self.shapes[:, kept],
            mass=self.mass,
            linearised=self.linearised,
        )

    def energy_shares(self) -> tuple[tuple[str, ...], Array]:
        """Names of the linear parts and elements, and their parts of the energy of deformation, shape (n_parts, m).

        That of an element is by the symmetric part of its tangent.
        """
        model, shapes = self.linearised.model, self.shapes
        whole = np.real(np.einsum("im,ij,jm->m", shapes.conj(), self._stiffness(), shapes))
        names, shares = [], []
        for part in model.parts:
            y = part.rows @ shapes[part.coordinates]
            names.append(part.name)
            shares.append(np.real(np.einsum("im,ij,jm->m", y.conj(), part.stiffness, y)))
        parts = np.array(shares).reshape(len(names), len(whole))
        if model.elements:
            names.append("elements")
            parts = np.vstack([parts, whole - parts.sum(axis=0)])
        size = np.where(whole > 0.0, whole, 1.0)
        return tuple(names), parts / size

    def _stiffness(self) -> Array:
        """Tangent in all coordinates, but for what the basis does not reach."""
        basis = np.linalg.pinv(self.linearised.basis)
        K: Array = basis.T @ (0.5 * (self.linearised.stiffness + self.linearised.stiffness.T)) @ basis
        return K

    def whirl(self) -> tuple[tuple[str, ...], Array]:
        """Names of the bodies with displacements, and how they whirl, shape (n_bodies, m).

        1: in circles the way the body turns (about +e3 where it does not), -1: against it, 0: in a plane, or not at
        all. Displacements and tilts count by their masses.
        """
        bodies, circles = self._circles()
        return bodies, _balance(circles[:, 0], circles[:, 1])

    def whirl_of_modes(self) -> Array:
        """Whirl of each mode as a whole, shape (m,), the bodies weighed by their motion."""
        _, circles = self._circles()
        return _balance(*circles.sum(axis=0))

    def _circles(self) -> tuple[tuple[str, ...], Array]:
        """Bodies, and their motion in circles along and against their rotation, mass times square, (n_bodies, 2, m)."""
        at = {(c.body, c.direction): i for i, c in enumerate(self.linearised.model.coordinates)}
        bodies = tuple(body for body, direction in at if direction == "x" and (body, "rotation") in at)
        circles = np.zeros((len(bodies), 2, len(self.frequencies)))
        for found, body in zip(circles, bodies, strict=True):
            turn = -1.0 if self.linearised.speeds[at[body, "rotation"]] < 0.0 else 1.0
            for one, other in (("x", "y"), ("tilt x", "tilt y")):
                X, Y = self.shapes[at[body, one]], turn * self.shapes[at[body, other]]
                found += self.mass[at[body, one], at[body, one]] * np.abs([X + 1j * Y, X - 1j * Y]) ** 2
        return bodies, circles


def _balance(ahead: Array, astern: Array) -> Array:
    """From -1 to 1; 0 where there is no motion to speak of in a mode of unit mass."""
    whole = ahead + astern
    balance: Array = np.divide(ahead - astern, whole, out=np.zeros_like(whole), where=whole > NO_MOTION)
    return balance


def real_modes(system: Linearised) -> SystemModes:
    """Undamped modes standing still: speeds, dampers and the skew part of the tangent are left out."""
    K = 0.5 * (system.stiffness + system.stiffness.T)
    squares, shapes = eigh(K, system.mass)
    return _made(system, np.sqrt(np.maximum(squares, 0.0)), np.zeros(len(squares)), shapes.astype(np.complex128))


def complex_modes(system: Linearised) -> SystemModes:
    """Modes with dampers and gyroscopic moments, as the system is.

    Of a pair of conjugate eigenvalues one mode is kept; what only dies out comes with frequency 0, each of its two
    eigenvalues a mode. With neither dampers nor moments they are :func:`real_modes`.
    """
    if not np.abs(system.damping).max(initial=0.0) > 0.0 and _symmetric(system.stiffness):
        return real_modes(system)
    r = len(system.mass)
    root = np.linalg.cholesky(system.mass)  # M = L L^T, so that all rates are about frequencies
    K = np.linalg.solve(root, np.linalg.solve(root, system.stiffness).T).T
    C = np.linalg.solve(root, np.linalg.solve(root, system.damping).T).T
    size = np.sqrt(np.abs(np.diag(K)).max(initial=0.0)) or 1.0  # of time, so that the blocks are alike
    A = np.block([[np.zeros((r, r)), np.eye(r)], [-K / size**2, -C / size]])
    values, vectors = eig(A)
    rates = values * size
    still = np.abs(rates.imag) <= RIGID * np.abs(rates).max(initial=0.0)
    kept = np.flatnonzero((rates.imag > 0.0) & ~still | still)
    kept = kept[np.lexsort((rates.real[kept], np.where(still[kept], 0.0, rates.imag[kept])))]
    shapes = np.linalg.solve(root.T, vectors[:r, kept])
    masses = np.real(np.einsum("im,ij,jm->m", shapes.conj(), system.mass, shapes))
    shapes = shapes / np.sqrt(np.where(masses > 0.0, masses, 1.0))
    frequencies = np.where(still[kept], 0.0, rates.imag[kept])
    return _made(system, frequencies, -rates.real[kept], np.asarray(shapes, dtype=np.complex128))


def _symmetric(K: Array) -> bool:
    scale = np.sqrt(np.where(np.diag(K) > 0.0, np.diag(K), 1.0))
    return bool(np.abs((K - K.T) / np.outer(scale, scale)).max(initial=0.0) <= SYMMETRY)


def _made(system: Linearised, frequencies: Array, rates: Array, shapes: Complex) -> SystemModes:
    whole = system.basis @ shapes
    at = np.abs(whole).argmax(axis=0)
    largest = np.take_along_axis(whole, at[None], axis=0)[0]
    phase = np.where(np.abs(largest) > 0.0, largest, 1.0)
    return SystemModes(
        names=system.model.names,
        frequencies=frequencies,
        decay_rates=rates,
        shapes=whole * (np.abs(phase) / phase),  # the largest coordinate is real and positive
        mass=system.model.mass,
        linearised=system,
    )
