"""Modes about several positions of the teeth as one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from alegear.system.coordinates import Array
from alegear.system.modes import SystemModes


@dataclass(frozen=True, kw_only=True, eq=False)
class AveragedModes:
    """Undamped modes averaged over positions, each in its order: squares of the frequencies, energies, and shapes.

    Parameters
    ----------
    positions : sequence of SystemModes
        Of the same coordinates, and as many of each position.
    """

    positions: Sequence[SystemModes]

    @property
    def frequencies(self) -> Array:
        """Shape (m,) [rad/s]."""
        return np.sqrt(np.mean([modes.frequencies**2 for modes in self.positions], axis=0))

    def energy_shares(self) -> tuple[tuple[str, ...], Array]:
        """Names of the linear parts and elements, and their parts of the energy of deformation, shape (n_parts, m)."""
        found = [modes.energy_shares() for modes in self.positions]
        return found[0][0], np.mean([shares for _, shares in found], axis=0)

    def mean(self) -> SystemModes:
        """Modes of the first position with the mean shapes, of one sense by their masses; what moves farthest is 1."""
        first = self.positions[0].of_largest()
        shapes = [first]
        for modes in self.positions[1:]:
            own = modes.of_largest()
            sense = np.real(np.einsum("im,ij,jm->m", own.conj(), modes.mass, first))
            shapes.append(own * np.where(sense < 0.0, -1.0, 1.0))
        mean = replace(self.positions[0], shapes=np.mean(shapes, axis=0))
        return replace(mean, shapes=mean.of_largest())
