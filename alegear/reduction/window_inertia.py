r"""Mass invariants of a wheel with the constraint modes of its window, by reciprocity on one sector.

The moments U2, U3 and U7 of a constraint mode are the work of a body force on it. So not the modes are looked for, of
which a window has thousands, but the answers u of the wheel to twelve body forces :math:`\rho e_b` and
:math:`\rho s_a e_b`: their values on the tooth faces are the moments of unit face forces, and with the stiffness of the
window those of the constraint modes,

.. math::
    \int \rho\, s_a e_b \cdot \psi_j \, dV = \sum_i K_{ji} u^{ab}_i .

In the frames of the teeth the body forces are harmonics 0, 1 and 2 around the wheel: three sectors to be solved.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from alegear.arrays import Array, ComplexArray, Indices
from alegear.errors import Fault
from alegear.mesh import sector_rotation
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.inertia import MassInvariants
from alegear.reduction.sector_condensation import face_grids
from alegear.reduction.superelement import Superelement

#: Largest harmonic of a tensor of second order that is constant in space, seen from the teeth.
LAST = 2


def window_invariants(wheel: Superelement, first_tooth: int = 0, cyclic: CyclicSector | None = None) -> MassInvariants:
    """Return the invariants of a closed wheel whose modes are the constraint modes of its window.

    The modal coordinates are displacements of the tooth faces, each in the frame of its tooth, ordered as in the
    superelement. The teeth in the slots are `first_tooth` and the next ones counter-clockwise; the frame is that of
    tooth 0. The moments of pairs of modes, which only the full inertia needs, are not among them.

    At a tooth-change mass and inertia tensor stay, and the others turn with the window:
    ``window_invariants(wheel, k + 1)`` is ``window_invariants(wheel, k)`` turned by a pitch
    (:meth:`MassInvariants.turned` with ``sector_rotation(z, 1).T``).

    Parameters
    ----------
    wheel : Superelement
    first_tooth : int
    cyclic : CyclicSector, optional
        Of the same sector, to condense it once for several windows.

    Raises
    ------
    Fault
        If the wheel is a segment, or has fewer than five teeth.
    """
    z = wheel.teeth
    if not wheel.layout.closed or z <= 2 * LAST:
        raise Fault("wheel", f"{wheel.n_sectors} of {z} teeth", "closed, of five teeth or more", "model all teeth")
    cyclic = CyclicSector.of(wheel.sector, wheel.material) if cyclic is None else cyclic
    M, s = cyclic.model.scalar_mass, cyclic.model.points
    M_one, M_s = np.asarray(M.sum(axis=1), dtype=np.float64).ravel(), np.asarray(M @ s, dtype=np.float64)
    nodes = np.concatenate([grid.ravel() for grid in face_grids(wheel.sector, wheel.flank)])
    by_vector, by_tensor = _answers(cyclic, M_one, M_s, nodes)
    sector = MassInvariants.rigid(mass=float(M_one.sum()), first=M_one @ s, second=s.T @ M_s)
    moments = [_at_tooth(k, z, by_vector, by_tensor) for k in range(first_tooth, first_tooth + wheel.slots)]
    of_forces = replace(
        MassInvariants.of_wheel(sector, z),
        modal=np.hstack([modal for modal, _ in moments]),
        mixed=np.concatenate([mixed for _, mixed in moments]),
    )
    return of_forces.combined(wheel.K_r)


def _answers(cyclic: CyclicSector, M_one: Array, M_s: Array, nodes: Indices) -> tuple[ComplexArray, ComplexArray]:
    """Displacements of face nodes by body forces that are constant in the tooth frames, by harmonic.

    Returns
    -------
    by_vector : shape (3, nf, 3) [m kg/N]
        Harmonic, degree of freedom, direction d of the force rho e_d.
    by_tensor : shape (3, nf, 3, 3) [m2 kg/N]
        Likewise c and d of rho s_c e_d.
    """
    n_nodes = len(M_one)
    loads = np.zeros((n_nodes, 3, 12))
    for d in range(3):
        loads[:, d, d] = M_one
        for c in range(3):
            loads[:, d, 3 + 3 * c + d] = M_s[:, c]
    flat = loads.reshape(3 * n_nodes, 12).astype(np.complex128)
    places = (3 * nodes[:, None] + np.arange(3)).ravel()
    found = np.array([cyclic.solver(n)(flat)[places] for n in range(LAST + 1)])
    return found[:, :, :3], found[:, :, 3:].reshape(*found.shape[:2], 3, 3)


def _at_tooth(k: int, z: int, by_vector: ComplexArray, by_tensor: ComplexArray) -> tuple[Array, Array]:
    """Answers of the faces of tooth k to body forces that are constant in space: (3, nf) and (nf, 3, 3)."""
    vector, tensor = _harmonics(z)
    # e_b in the frame of tooth k is R_k^T e_b, s_a is [R_k]_ac s_c
    modal, mixed = np.zeros((3, by_vector.shape[1])), np.zeros((by_vector.shape[1], 3, 3))
    for n in range(LAST + 1):
        phase = (1.0 if n == 0 else 2.0) * np.exp(2j * np.pi * n * k / z)
        modal += np.einsum("bd,jd->bj", phase * vector[n], by_vector[n]).real
        mixed += np.einsum("acbd,jcd->jab", phase * tensor[n], by_tensor[n], optimize=True).real
    return modal, mixed


def _harmonics(z: int) -> tuple[ComplexArray, ComplexArray]:
    """Fourier coefficients 0, 1, 2 over the teeth of [R_k]_bd and of [R_k]_ac [R_k]_bd."""
    R = np.array([sector_rotation(z, k) for k in range(z)])
    both = np.einsum("kac,kbd->kacbd", R, R)
    turns = np.exp(-2j * np.pi * np.outer(np.arange(LAST + 1), np.arange(z)) / z) / z
    return np.einsum("nk,kbd->nbd", turns, R), np.einsum("nk,kacbd->nacbd", turns, both)
