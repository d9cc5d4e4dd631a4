r"""Static equilibrium of mechanisms by overdamped relaxation, where Newton's iteration fails.

A body away from equilibrium moves with the force along the free directions of its joints, as in a viscous fluid,

.. math:: V \dot z_x = -r_x, \quad g = 0

with the residual r_x of the balance of forces and a drag V of the sizes that matter. Linearly implicit steps of it,
:math:`(J + V/\delta) \, \Delta z = -r`, are Newton's for a large delta; they are shortened where a rotation would be
large or the step would go uphill.

Source: pseudo-transient continuation, Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998) 508; here the length of the
steps is that of the rotations, not of the residuals. Methods that only look for a zero find any: of six pendulums that
are let go ``scipy.optimize.root`` leaves six upright with Powell's method, four with that of Levenberg and Marquardt.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import null_space

from alegear.system.coordinates import Array, Indices

#: Largest rotation in a step [rad]; growth and shrinkage of delta, and its limits; steps at most.
TURN, GROWS, SHRINKS = 0.3, 4.0, 0.1
#: Rotation [rad] at which unknowns are counted anew from where they are: a rotation vector of half a turn and more does
#: not lead where a torque does; and how often.
AFRESH, ROUNDS = 1.0, 30
SHORTEST, LONGEST, STEPS = 1e-12, 1e16, 300
#: Part of the largest stiffness that round-off makes negative; part of a singular value that is none.
UNSTABLE, DEPENDENT = 1e-9, 1e-10


def overdamped_relaxation(
    residual: Callable[[Array], Array | None],
    tangent: Callable[[Array], Array],
    z: Array,
    *,
    drag: Array,
    rotations: Indices,
) -> Array:
    """Go downhill from z until steps are those of Newton's iteration, shape (n + m,); it is left to that to end.

    It is left where a rotation is beyond :data:`AFRESH`, to be called again with rotations counted from there.

    Parameters
    ----------
    residual, tangent : callables of z
        r (n + m,), None where it cannot be evaluated; J (n + m, n + m), only called where r was called last.
    z : shape (n + m,)
        Coordinates, then multipliers.
    drag : shape (n,)
        V, its diagonal: positive.
    rotations : shape (k,)
        Which coordinates are rotations [rad].
    """
    delta, r = 1.0, residual(z)
    if r is None:
        return z
    J = tangent(z)
    for _ in range(STEPS):
        if np.abs(z[rotations]).max(initial=0.0) > AFRESH:
            break
        step = _step(J, r, drag / delta)
        if step is not None:
            turned = np.abs(step[rotations]).max(initial=0.0)
            step = step if turned <= TURN and _goes_down(J, r, z, step, drag) else None
        new = None if step is None else residual(z + step)
        if step is None or new is None:
            delta *= SHRINKS
            if delta < SHORTEST:
                break
            continue
        z, r = z + step, new
        J = tangent(z)
        if delta >= LONGEST:
            break
        delta *= GROWS
    return z


def _step(J: Array, r: Array, drag: Array) -> Array | None:
    held, n = J.copy(), len(drag)
    held[np.arange(n), np.arange(n)] += drag
    try:
        return np.asarray(-np.linalg.solve(held, r))
    except np.linalg.LinAlgError:
        return None


def _goes_down(J: Array, r: Array, z: Array, step: Array, drag: Array) -> bool:
    """Whether forces other than those of joints do work in a step, but for what takes it back to the joints."""
    n = len(drag)
    back, only_drag = np.concatenate([np.zeros(n), r[n:]]), J.copy()
    only_drag[:n, :n] = np.diag(drag)
    home = _step(only_drag, back, np.zeros(n))
    forces = J[:n, n:] @ z[n:] - r[:n]
    return home is not None and float((step[:n] - home[:n]) @ forces) >= 0.0


def unstable_direction(stiffness: Array, rows: Array, pulled: Array, drag: Array) -> Array | None:
    """Direction in which a mechanism that balances moves away by itself, shape (n,); None: it comes back.

    Parameters
    ----------
    stiffness : shape (n, n)
        -dQ/dx at constant multipliers.
    rows, pulled : shape (m, n), (n, m)
        Derivatives of constraints and joints by displacements, and of what they exert by their multipliers.
    drag : shape (n,)
        V: of the motion V dx/dt = -K x that is looked at.
    """
    Z = L = np.eye(len(stiffness))
    if len(rows):
        Z, L = null_space(rows, rcond=DEPENDENT), null_space(pulled.T, rcond=DEPENDENT)
    if not Z.shape[1] or Z.shape != L.shape:
        return None
    K = L.T @ stiffness @ Z
    values, vectors = np.linalg.eig(np.linalg.solve(L.T @ (drag[:, None] * Z), K))
    worst = int(np.argmin(values.real))
    if values[worst].real >= -UNSTABLE * max(
        float(np.abs(values).max()), float(np.abs(stiffness / drag[:, None]).max())
    ):
        return None
    return np.asarray(Z @ vectors[:, worst].real)
