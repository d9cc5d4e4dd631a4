r"""Lowest modes of a Hermitian pair by block Lanczos on the inverse.

With the operator :math:`B = K^{-1} M`, self-adjoint in the product of the mass, the blocks X, BX, B^2X ... span a space
in which the lowest modes appear first; each block is made orthogonal to all earlier ones, twice, so that nothing gets
lost and multiple eigenvalues are found as often as they occur up to the size of a block. Rayleigh and Ritz pick the
modes: eigenvectors of :math:`V^H M B V` belong to the eigenvalues :math:`1/\omega^2`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from alegear.errors import NonConvergence

Array = npt.NDArray[np.float64]
ComplexArray = npt.NDArray[np.complex128]

#: Part of a mode that the operator may take out of it, measured with the mass; frequencies are then good to its square.
RESIDUAL = 1e-11

#: Mass of what is left of an amplitude of unit mass that depends on others: the square of its round-off, with room.
DEPENDENT = 1e-24

#: Blocks after which a search without success ends, and one more for each mode wanted.
LONGEST = 60


class HermitianPair(Protocol):
    """Mass of a pair."""

    def load(self, U: ComplexArray) -> ComplexArray:
        """Inertia M U of amplitudes, shape (n, m)."""


class Modes(NamedTuple):
    """Eigenvalues omega^2 (m,) [1/s2], ascending, and amplitudes (n, m) of unit mass."""

    squares: Array
    amplitudes: ComplexArray


def lowest_modes(
    pair: HermitianPair,
    solve: Callable[[ComplexArray], ComplexArray],
    start: ComplexArray,
    wanted: int,
) -> Modes:
    """Find the lowest modes.

    Parameters
    ----------
    pair : HermitianPair
    solve : callable
        K^-1: takes loads (n, m) to amplitudes.
    start : shape (n, block)
        Loads to begin with; they must not all be orthogonal to a mode that is wanted.
    wanted : int
        Number of modes; fewer are found where the pair has fewer.

    Raises
    ------
    NonConvergence
    """
    basis = _orthonormal(pair, solve(start), [])
    load = pair.load(basis)
    image = np.empty((len(start), 0), dtype=np.complex128)
    residual, new = np.inf, basis
    for _ in range(LONGEST + wanted):
        image = np.hstack([image, solve(load[:, image.shape[1] :])])
        H = load.conj().T @ image
        inverse, Z = np.linalg.eigh(0.5 * (H + H.conj().T))
        lowest = slice(-1, -min(wanted, len(inverse)) - 1, -1)
        inverse, Z = inverse[lowest], Z[:, lowest]
        U = basis @ Z
        miss = image @ Z - U * inverse
        residual = float((_size(miss, pair.load(miss)) / inverse).max())
        new = _orthonormal(pair, image[:, basis.shape[1] - new.shape[1] :], [(basis, load)])
        if (len(inverse) == wanted and residual <= RESIDUAL) or new.shape[1] == 0:
            return Modes(1.0 / inverse, U)
        basis, load = np.hstack([basis, new]), np.hstack([load, pair.load(new)])
    raise NonConvergence(
        f"lowest {wanted} modes (part of a mode that is left over)", residual, RESIDUAL, "ask for fewer modes"
    )


def _size(U: ComplexArray, load: ComplexArray) -> Array:
    """Root of the mass of each amplitude; of one that is all round-off it may come out negative."""
    return np.sqrt(np.maximum(np.einsum("ij,ij->j", U.conj(), load).real, 0.0))


def _orthonormal(
    pair: HermitianPair, U: ComplexArray, earlier: list[tuple[ComplexArray, ComplexArray]]
) -> ComplexArray:
    """Make amplitudes orthonormal to each other and to earlier ones; those that depend on them are dropped."""
    size = _size(U, pair.load(U))
    U = U[:, size > 0.0] / size[size > 0.0]
    for _ in range(2):  # the second time takes away what round-off left of the first
        for V, load in earlier:
            U = U - V @ (load.conj().T @ U)
        gram = U.conj().T @ pair.load(U)
        squares, Z = np.linalg.eigh(0.5 * (gram + gram.conj().T))
        kept = squares > DEPENDENT
        U = U @ (Z[:, kept] / np.sqrt(squares[kept]))
    return U
