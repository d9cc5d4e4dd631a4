"""What unit forces do, kept once it was worked out: contact loads few nodes at a time, and the same ones again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from alegear.arrays import AnyArray, Array, Indices


class UnitResponses:
    """Responses to unit forces, in the order in which these occurred.

    Parameters
    ----------
    n_forces : int
        Forces that there are.
    shape : tuple of int
        Of what one of them does.
    most : int, optional
        Forces for which there is room. Default: all.

    Attributes
    ----------
    place : shape (n_forces,)
        Row of `values` of each force, -1 for none.
    values : shape (most, *shape)
    n_kept : int
        Rows that are filled.
    """

    def __init__(self, n_forces: int, shape: tuple[int, ...], most: int | None = None) -> None:
        self.place = np.full(n_forces, -1, dtype=np.int64)
        # memory that is never written to is never taken
        self.values = np.empty((n_forces if most is None else min(n_forces, most), *shape))
        self.n_kept = 0
        self._batches: list[Indices] = []  # forces whose responses were worked out together

    def missing(self, forces: Indices) -> Indices:
        """Those of some forces that are not kept."""
        return forces[self.place[forces] < 0]

    def keep(self, forces: Indices, values: Array) -> None:
        """Keep what some forces do, which are not kept so far."""
        if not forces.size:
            return
        rows = np.arange(self.n_kept, self.n_kept + forces.size)
        self.values[rows], self.place[forces] = values, rows
        self.n_kept += forces.size
        self._batches.append(forces)

    def memory(self) -> dict[str, AnyArray]:
        """What depends on it in the last digits: which responses are kept, and which were worked out together."""
        return {
            "kept": np.concatenate([np.empty(0, dtype=np.int64), *self._batches]),
            "batches": np.array([batch.size for batch in self._batches], dtype=np.int64),
        }

    def recall(self, memory: Mapping[str, AnyArray], response: Callable[[Indices], Array]) -> None:
        """Take up a memory: the responses are worked out again as they were."""
        for batch in np.split(memory["kept"], np.cumsum(memory["batches"])[:-1]):
            if batch.size:
                self.keep(batch, response(batch))
