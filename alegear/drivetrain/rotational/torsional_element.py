"""Elements between places that only turn, by a kind that compiled code knows and its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from alegear.drivetrain.law_element import LawElement
from alegear.drivetrain.rotational import element_law_kernels as kernels
from alegear.kernels.elements import element_terms
from alegear.system.coordinates import Array, Indices
from alegear.system.inputs import Inputs, names_of_inputs
from alegear.system.ode_terms import OdeTerms
from alegear.system.time_signal import TimeSignal

#: Kinds of elements by their names.
KINDS = {
    "spring": kernels.SPRING,
    "resistance": kernels.RESISTANCE,
    "mesh": kernels.MESH,
    "torque map": kernels.TORQUE_MAP,
    "converter": kernels.CONVERTER,
    "varying ratio": kernels.VARYING_RATIO,
    "governor": kernels.GOVERNOR,
}


class TorsionalElement(LawElement):
    """An element with a law of `element_law_kernels.py`.

    Parameters
    ----------
    name : str
    kind : str
        Of :data:`KINDS`.
    numbers : sequence of float
        As the kernel of the kind reads them.
    rows : sequence of mapping of int to float
        Weights of coordinates in what it acts on: one row, or two.
    signal : TimeSignal or None
        What it takes over time.
    n_corners : int
        Number of its :meth:`corners`.
    """

    def __init__(
        self,
        *,
        name: str,
        kind: str,
        numbers: Sequence[float],
        rows: Sequence[Mapping[int, float]],
        signal: TimeSignal | None = None,
        n_corners: int = 0,
    ) -> None:
        self.name, self.kind, self.weights, self.signal, self.n_corners = name, kind, rows, signal, n_corners
        self.numbers: Array = np.array(numbers, dtype=np.float64)
        at = sorted({index for row in rows for index in row})
        self.coordinates: Indices = np.array(at, dtype=np.int64)
        self.rows = np.array([[row.get(index, 0.0) for index in at] for row in rows])

    def law(
        self, t: float, y: Array, rate: Array, force: Array, by_y: Array, by_rate: Array, energy: Array
    ) -> str | None:
        """As its kernel has it."""
        given = float(t if self.signal is None else self.signal.value(t))
        kernels.element_law(KINDS[self.kind], self.numbers, 0, given, y, rate, force, by_y, by_rate, energy)
        return None

    def corners(self, x: Array, v: Array) -> Array:
        """Of springs where flanks meet, and where the damping torque is that of the spring; of meshes see there."""
        values = np.empty(self.n_corners)
        if self.n_corners:
            kernels.law_corners(KINDS[self.kind], self.numbers, 0, self.rows @ x, self.rows @ v, values)
        return values

    @property
    def signals(self) -> tuple[TimeSignal, ...]:
        """What it takes over time."""
        return () if self.signal is None else (self.signal,)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The signal, if it is one."""
        return names_of_inputs(self.signal)

    def with_inputs(self, inputs: Inputs) -> Self:
        """The element in a run."""
        if not self.inputs:
            return self
        own = copy(self)
        own.signal = inputs.signal(self.signal)
        return own

    def by_address(self) -> dict[str, Any] | None:
        """What it is to compiled motions, of one without a signal."""
        law = kernels.TorsionalLaw(kind=KINDS[self.kind], n=len(self.rows), numbers=self.numbers)
        return element_terms(
            kernels.torsional_element, law, kernels.TORSIONAL, coordinates=self.coordinates, rows=self.rows
        )

    def ode_terms(self) -> OdeTerms:
        """Its kind, numbers, rows and signal."""
        return OdeTerms(kind=self.kind, numbers=self.numbers.tolist(), rows=self.weights, signal=self.signal)
