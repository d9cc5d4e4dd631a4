"""Natural modes of any system: at standstill, damped, rotating."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, eigh, null_space, qr, solve_triangular, svd

from alegear.arrays import AnyArray, ComplexArray, Indices, Mask
from alegear.system.coordinates import Array
from alegear.system.linearised import Linearised

#: Of the largest rate: what is smaller is none, to round-off; and where only the stiffness is known, not its root.
NO_RATE, NO_RATE_OF_SQUARES = 1e-11, 1e-6
NO_MOTION = 1e-18  # mass times square in a mode of unit mass: round-off
#: Parts by which frequencies, and sizes of coordinates, differ by round-off: planets that are equal have both.
ALIKE, AS_LARGE = 1e-9, 1e-6


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
    shapes: ComplexArray
    mass: Array
    linearised: Linearised

    @property
    def damping_ratios(self) -> Array:
        """Of each mode, decay rate over the magnitude of the eigenvalue; 0 for a rigid motion."""
        size = np.hypot(self.frequencies, self.decay_rates)
        return np.divide(self.decay_rates, size, out=np.zeros_like(size), where=size > 0.0)

    def elastic(self) -> SystemModes:
        """Those that vibrate."""
        return self.taken(np.flatnonzero(self.frequencies > 0.0))

    def lowest(self, n: int) -> SystemModes:
        """The first n."""
        return self.taken(np.arange(min(n, len(self.frequencies))))

    def taken(self, kept: Indices) -> SystemModes:
        """Some of them, by number."""
        return replace(
            self,
            frequencies=self.frequencies[kept],
            decay_rates=self.decay_rates[kept],
            shapes=self.shapes[:, kept],
        )

    def of_largest(self) -> ComplexArray:
        """Shapes (n, m) over the coordinate that moves most beside its span: of a machine of any size the same one."""
        return self.shapes / np.take_along_axis(
            self.shapes, _largest(self.linearised, np.abs(self.shapes))[None], axis=0
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
        if model.elements or model.joints:
            names.append("elements and joints" if model.joints else "elements")
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
    """Undamped modes standing still: speeds, dampers and the skew part of the tangent are left out.

    Rigid motions have frequency 0. What would fall away from the state has that, too, and a negative decay rate.
    """
    root = np.linalg.cholesky(system.mass)
    if system.strains is not None:
        _, frequencies, right = svd(_in_unit_mass(system.strains, root), full_matrices=True)
        frequencies = np.concatenate([frequencies, np.zeros(len(right) - len(frequencies))])[::-1]
        frequencies[frequencies <= NO_RATE * frequencies.max(initial=0.0)] = 0.0
        shapes, rates = solve_triangular(root.T, right[::-1].T), np.zeros(len(right))
    else:
        squares, shapes = eigh(0.5 * (system.stiffness + system.stiffness.T), system.mass)
        least = NO_RATE_OF_SQUARES**2 * np.abs(squares).max(initial=0.0)
        frequencies = np.sqrt(np.where(squares > least, squares, 0.0))
        rates = -np.sqrt(np.where(squares < -least, -squares, 0.0))
    whole = _of_alike_frequencies(system, frequencies + 1j * rates, system.basis @ shapes)
    return _made(system, frequencies, rates, whole)


def complex_modes(system: Linearised) -> SystemModes:
    """Modes with dampers and gyroscopic moments, as the system is.

    Of a pair of conjugate eigenvalues one mode is kept; what only dies out comes with frequency 0, each of its two
    eigenvalues a mode. With neither dampers nor moments they are :func:`real_modes`.
    """
    if system.strains is None:
        return _modes_of_tangents(system)
    if not system.damping.any():
        return real_modes(system)
    return _modes_of_strains(system, system.strains)


def _modes_of_strains(system: Linearised, strains: Array) -> SystemModes:
    r"""From :math:`\dot v = -C v - S^T s, \; \dot s = S v` in unit mass, s = S u: skew where nothing is damped."""
    r, root = len(system.mass), np.linalg.cholesky(system.mass)
    S = _in_unit_mass(strains, root)
    if len(S) > r:
        S = np.asarray(qr(S, mode="r")[0][:r], dtype=np.float64)
    C = _in_unit_mass(_in_unit_mass(system.damping, root).T, root).T
    A = np.block([[-C, -S.T], [S, np.zeros((len(S), len(S)))]])
    if np.array_equal(C, -C.T) or float(np.abs(C + C.T).max()) <= NO_RATE * float(np.abs(C).max()):
        values, vectors = eigh(0.5j * (A - A.T))
        rates = -1j * values
    else:
        rates, vectors = eig(A)
    largest = float(np.abs(rates).max(initial=0.0))
    kept, frequencies = _kept(rates, NO_RATE * largest, np.abs(rates) > NO_RATE * largest)
    rigid = null_space(S, rcond=NO_RATE)  # a motion without strain does not show in v and s
    found = np.hstack([rigid, vectors[:r, kept] / rates[kept]])
    frequencies = np.concatenate([np.zeros(rigid.shape[1]), frequencies])
    decay = np.concatenate([np.zeros(rigid.shape[1]), -rates.real[kept]])
    shapes = solve_triangular(root.T, found / np.linalg.norm(found, axis=0))
    return _made(system, frequencies, decay, system.basis @ shapes)


def _modes_of_tangents(system: Linearised) -> SystemModes:
    """From the tangents in displacements and velocities: for what has no strain energy (friction)."""
    r, root = len(system.mass), np.linalg.cholesky(system.mass)
    K, C = (_in_unit_mass(_in_unit_mass(matrix, root).T, root).T for matrix in (system.stiffness, system.damping))
    size = float(np.sqrt(np.abs(np.diag(K)).max(initial=0.0))) or 1.0  # of time, so that the blocks are alike
    rates, vectors = eig(np.block([[np.zeros((r, r)), np.eye(r)], [-K / size**2, -C / size]]))
    rates = rates * size
    kept, frequencies = _kept(rates, NO_RATE_OF_SQUARES * float(np.abs(rates).max()), np.ones(len(rates), dtype=bool))
    shapes = solve_triangular(root.T, vectors[:r, kept] / np.linalg.norm(vectors[:r, kept], axis=0))
    return _made(system, frequencies, -rates.real[kept], system.basis @ shapes)


def _kept(rates: ComplexArray, least: float, listed: Mask) -> tuple[Indices, Array]:
    """One of each pair of eigenvalues and all real ones, by frequency and decay, and their frequencies."""
    heard = np.where(np.abs(rates.imag) > least, rates.imag, 0.0)
    kept = np.flatnonzero((heard >= 0.0) & listed)
    kept = kept[np.lexsort((-rates.real[kept], heard[kept]))]
    return kept, heard[kept]


def _in_unit_mass(rows: Array, root: NDArray[np.floating[Any]]) -> Array:
    """Rows by the coordinates in which the mass matrix, L L^T, is one."""
    scaled: Array = solve_triangular(root, rows.T, lower=True).T
    return scaled


def _of_alike_frequencies(system: Linearised, rates: ComplexArray, shapes: Array) -> Array:
    """Of modes with the same frequency one combination, where any is a mode and round-off has chosen one.

    The first moves the coordinate that they can move farthest, the others not at all; these likewise.

    Parameters
    ----------
    system : Linearised
    rates : shape (m,)
        Frequencies and, as imaginary parts, decay rates, in rising order.
    shapes : shape (n, m)
    """
    found, begin = shapes.copy(), 0
    least = NO_RATE * np.abs(rates).max(initial=0.0)
    for end in range(1, len(rates) + 1):
        if end < len(rates) and abs(rates[end] - rates[end - 1]) <= max(ALIKE * abs(rates[end]), least):
            continue
        for first in range(begin, end - 1):
            own = found[:, first:end]
            at = _largest(system, np.linalg.norm(own, axis=1)[:, None])[0]
            turned, _ = np.linalg.qr(own[at][:, None], mode="complete")
            found[:, first:end] = own @ turned
        begin = end
    return found


def _largest(system: Linearised, sizes: Array) -> Indices:
    """Number of the coordinate that moves most beside its span, in columns (n, m); the first of equal ones."""
    beside = sizes / system.model.span[:, None]
    found: Indices = (beside >= (1.0 - AS_LARGE) * beside.max(axis=0)).argmax(axis=0)
    return found


def _made(system: Linearised, frequencies: Array, rates: Array, shapes: AnyArray) -> SystemModes:
    whole: ComplexArray = shapes.astype(np.complex128)
    largest = np.take_along_axis(whole, _largest(system, np.abs(whole))[None], axis=0)[0]
    phase = np.where(np.abs(largest) > 0.0, largest, 1.0)
    return SystemModes(
        names=system.model.names,
        frequencies=frequencies,
        decay_rates=rates,
        shapes=whole * (np.abs(phase) / phase),  # the largest coordinate is real and positive
        mass=system.whole_mass,
        linearised=system,
    )
