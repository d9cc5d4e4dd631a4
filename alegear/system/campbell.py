"""Modes over the speed of a machine: each followed from speed to speed by its shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from alegear.arrays import Indices
from alegear.errors import Fault
from alegear.system.coordinates import Array
from alegear.system.linearised import Linearised
from alegear.system.model import SystemData, SystemModel
from alegear.system.modes import SystemModes, complex_modes


@dataclass(frozen=True, kw_only=True, eq=False)
class CampbellMap:
    """Branches of modes over the speed.

    Attributes
    ----------
    speeds : shape (k,)
        As given.
    frequencies, decay_rates : shape (k, m) [rad/s], [1/s]
        A branch a column.
    whirl : shape (k, m)
        1 forward, -1 backward.
    assurance : shape (k, m)
        How alike a shape is to that of its branch at the next higher speed, 0 to 1; 1 at the highest.
    """

    speeds: Array
    frequencies: Array
    decay_rates: Array
    whirl: Array
    assurance: Array


def campbell_map(
    model: SystemModel,
    speeds: Array,
    direction: Array,
    n_modes: int,
    data: SystemData | None = None,
    *,
    state: Callable[[float], Array] | None = None,
) -> CampbellMap:
    """Follow modes over the speed, from the highest down: there forward and backward whirl are farthest apart.

    Parameters
    ----------
    model : SystemModel
    speeds : shape (k,)
        Rising, in units of `direction`.
    direction : shape (n,)
        Velocities of all coordinates at speed 1: the ratios of the machine.
    n_modes : int
        Branches to follow: the lowest ones that vibrate at the highest speed.
    data : SystemData, optional
    state : callable, speed -> (n,)
        Coordinates to linearise about; default zero.

    Raises
    ------
    Fault
        If the system cannot be linearised at a speed, or fewer modes vibrate there than are followed.
    """
    speeds = np.asarray(speeds, dtype=np.float64)
    found: list[tuple[SystemModes, Indices, Array]] = []
    for speed in speeds[::-1]:
        about = None if state is None else state(float(speed))
        linear = Linearised.of(model, data, x=about, v=float(speed) * np.asarray(direction))
        modes = complex_modes(linear).elastic()
        if not found:
            kept = np.arange(min(n_modes, len(modes.frequencies)))
            found.append((modes, kept, np.ones(len(kept))))
        else:
            before, branches, _ = found[-1]
            if len(modes.frequencies) < len(branches):
                what = f"modes that vibrate at speed {speed:g}"
                limit = f"at least the {len(branches)} that are followed"
                raise Fault(what, len(modes.frequencies), limit, "follow fewer, or begin at a lower or higher speed")
            found.append((modes, *_follow(before.taken(branches), modes)))
    found.reverse()
    return CampbellMap(
        speeds=speeds,
        frequencies=np.array([modes.frequencies[kept] for modes, kept, _ in found]),
        decay_rates=np.array([modes.decay_rates[kept] for modes, kept, _ in found]),
        whirl=np.array([modes.whirl_of_modes()[kept] for modes, kept, _ in found]),
        assurance=np.array([alike for _, _, alike in found]),
    )


def mode_assurance(one: SystemModes, other: SystemModes) -> Array:
    """How alike shapes are, |a^H M b|^2/(a^H M a b^H M b), shape (m_one, m_other)."""
    M = one.mass
    product = one.shapes.conj().T @ M @ other.shapes
    sizes = [np.real(np.einsum("im,ij,jm->m", m.shapes.conj(), M, m.shapes)) for m in (one, other)]
    alike: Array = np.abs(product) ** 2 / np.outer(*sizes)
    return alike


def _follow(before: SystemModes, now: SystemModes) -> tuple[Indices, Array]:
    """Number of the mode that each branch goes on with, and how alike it is.

    Between shapes that are alike to the same degree (both whirls at a standstill) the nearer frequency decides.
    """
    from scipy.optimize import linear_sum_assignment  # here, because it is slow to import

    alike = mode_assurance(before, now)
    away = np.abs(before.frequencies[:, None] - now.frequencies) / before.frequencies[:, None]
    _, chosen = linear_sum_assignment(-alike + 1e-3 * np.minimum(away, 1.0))
    return chosen, alike[np.arange(len(chosen)), chosen]
