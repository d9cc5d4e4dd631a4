r"""Participation of modes in the orders at resonance, and the decay time of their transients.

The answer is computed once more at each speed at which an order meets a natural frequency, so that nothing depends on
how far the speeds of the answer are apart. Of its deviation d from the equilibria a mode :math:`\phi` of unit modal
mass has :math:`q = \phi^T M d`, and :math:`\phi q` of what is read. Energy in the mesh says little about that: a mode
with a hundredth of its energy there and little damping may have all of an order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from alegear.arrays import Array, ComplexArray
from alegear.results.linear_response import COUNTS, DIFFERENCE, UNDAMPED
from alegear.system.excitation import ExcitedSystem
from alegear.system.periodic import PeriodicSystem, PhaseOutput

#: Half-widths sigma beside the range within which a mode is looked at: at ten a tenth of its peak is left.
REACH = 10.0


@dataclass(frozen=True, kw_only=True, eq=False)
class MeanModes:
    """Modes on the mean tangents, without damping.

    Attributes
    ----------
    frequency : shape (i,) [rad/s]
    damping_ratio : shape (i,)
    shapes : shape (r, i)
        Columns of unit modal mass, in the independent coordinates.
    mesh_share : shape (i, n)
        Part of the energy in each mesh that excites, in the order of groups.
    """

    frequency: Array
    damping_ratio: Array
    shapes: Array
    mesh_share: Array

    @classmethod
    def of(cls, system: ExcitedSystem) -> MeanModes:
        """Solve the eigenproblem of a system.

        A preload that turns with the flanks makes the tangent of a mesh a little negative in directions in which its
        teeth hardly move (by 0.002 of the energy of a mode): no part of the energy is less than none.
        """
        K, M, C = (system.reduced(one) for one in (system.stiffness, system.mass, system.damping))
        squares, shapes = eigh(0.5 * (K + K.T), M)
        kept = squares > 0.0
        squares, shapes = squares[kept], shapes[:, kept]
        tangents = [system.reduced(tangent) for one in system.elements for tangent in one.mean_stiffness]
        energy = [np.einsum("im,ij,jm->m", shapes, tangent, shapes) for tangent in tangents]
        frequency = np.sqrt(squares)
        return cls(
            frequency=frequency,
            damping_ratio=0.5 * np.einsum("im,ij,jm->m", shapes, C, shapes) / frequency,
            shapes=shapes,
            mesh_share=np.maximum(np.array(energy).T / squares[:, None], 0.0),
        )

    @property
    def decay(self) -> Array:
        """Sigma, at least that of :data:`UNDAMPED` [1/s]."""
        found: Array = np.maximum(self.damping_ratio, UNDAMPED) * self.frequency
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadOrders:
    """What is read of an excited machine by the meshes of one frequency: their errors, then forces, displacements.

    Parameters
    ----------
    output : PhaseOutput
    meshes : sequence of int
        Rows of their transmission errors.
    n_meshes, n_bearings : int
        Rows before the forces, and bearings, of which each has three rows of either.
    orders : int
    """

    output: PhaseOutput
    meshes: Sequence[int]
    n_meshes: int
    n_bearings: int
    orders: int

    def sizes(self, rows: NDArray[np.generic]) -> Iterator[tuple[list[int], Array]]:
        """Meshes that a quantity is of, and its sizes (..., n) of rows (..., m): error, forces, displacements."""
        for k, mesh in enumerate(self.meshes):
            yield [k], np.abs(rows[..., [mesh]])
        for one in np.split(rows[..., self.n_meshes :], 2, axis=-1):
            if self.n_bearings:
                at = one.reshape(*one.shape[:-1], self.n_bearings, 3)
                yield list(range(len(self.meshes))), np.linalg.norm(at, axis=-1)

    def of_shapes(self, shapes: Array, rate: complex) -> ComplexArray:
        """Rows that displacements `shapes` (r, i) with rates `rate` times as large give, shape (i, m)."""
        by_displacement, by_rate = (
            one.mean(axis=0) if one.ndim == 3 else one for one in (self.output.by_displacement, self.output.by_rate)
        )
        rows = (by_displacement + rate * by_rate) @ shapes
        return np.asarray(rows.T, dtype=np.complex128)


def parts_of_modes(modes: MeanModes, periodic: PeriodicSystem, read: ReadOrders, rates: tuple[float, float]) -> Array:
    """Part that each mode has in each order where it meets it, shape (i, n_meshes, orders).

    The largest over transmission error, forces and displacements whose order counts there (:data:`COUNTS` of the
    largest); 0 where none does, or where they meet beyond :data:`REACH` half-widths of the range.

    Parameters
    ----------
    modes : MeanModes
    periodic : PeriodicSystem
    read : ReadOrders
    rates : (float, float) [rad/s]
        Lowest and highest of the phase.
    """
    found = np.zeros((len(modes.frequency), len(read.meshes), read.orders))
    for i, (natural, ratio, sigma) in enumerate(zip(modes.frequency, modes.damping_ratio, modes.decay, strict=True)):
        met = natural if ratio >= UNDAMPED else natural * (1.0 + UNDAMPED)  # beside a peak without bound
        for n in range(1, read.orders + 1):
            if not n * rates[0] - REACH * sigma <= natural <= n * rates[1] + REACH * sigma:
                continue
            deviation = periodic.response(met / n)
            d = deviation[periodic.harmonics + n]
            q = modes.shapes[:, i] @ (periodic.mass @ d)
            of_mode = 2.0 * q * read.of_shapes(modes.shapes[:, [i]], 1j * met)[0]
            rows = read.output.coefficients(periodic, met / n, deviation, read.orders)
            for (own, sizes), (_, parts) in zip(read.sizes(rows), read.sizes(of_mode), strict=True):
                here, largest = sizes[n - 1], sizes.max()
                counts = (here >= COUNTS * largest) & (here > 0.0)
                if counts.any():
                    part = min(float((parts[counts] / here[counts]).max()), 1.0)
                    found[i, own, n - 1] = np.maximum(found[i, own, n - 1], part)
    return found


def settling_of_modes(modes: MeanModes, periodic: PeriodicSystem, read: ReadOrders, rate: float) -> Array:
    r"""Time in which a motion that begins at rest about its equilibria settles to the answer, by mode, shape (i,) [s].

    What is missing at the beginning, d and u', is a free vibration :math:`q_0 e^{-\sigma t}` of each mode, with
    :math:`q_0 = \sqrt{q_d^2 + (\dot q_u/\omega)^2}` at the worst phase. It is heard until it is :data:`DIFFERENCE` of
    the smallest order that counts, :data:`COUNTS` of the largest: :math:`t = \ln(q_0 / (0.01 A))/\sigma`, in the
    transmission error, the forces or the displacements.
    """
    H = periodic.harmonics
    n = np.arange(-H, H + 1)
    deviation = periodic.response(rate)
    wave = np.exp(2j * np.pi * np.outer(np.arange(periodic.n_phases), n) / periodic.n_phases)
    by_mass = periodic.mass @ modes.shapes
    q = np.real(wave @ (deviation @ by_mass))
    v = np.real(wave @ ((1j * n * rate)[:, None] * ((deviation + periodic.static) @ by_mass)))
    free = np.hypot(q, v / modes.frequency).max(axis=0)
    rows = read.output.coefficients(periodic, rate, deviation, read.orders)
    of_modes = free[:, None] * np.abs(read.of_shapes(modes.shapes, 0.0))
    found = np.zeros(len(modes.frequency))
    for (_, sizes), (_, parts) in zip(read.sizes(rows), read.sizes(of_modes), strict=True):
        if sizes.max() > 0.0:
            left = parts.max(axis=1) / (DIFFERENCE * COUNTS * sizes.max())
            found = np.maximum(found, np.log(np.maximum(left, 1.0)) / modes.decay)
    return np.where(modes.damping_ratio >= UNDAMPED, found, 0.0)
