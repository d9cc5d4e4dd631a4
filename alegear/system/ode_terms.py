"""What an element or a friction law says of itself to compiled code, `drivetrain/rotational/compiled_ode.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from alegear.system.profiles import PiecewiseCubic


@dataclass(frozen=True, kw_only=True, eq=False)
class OdeTerms:
    """What an element or a friction law is to compiled code.

    Parameters
    ----------
    kind : str
        Of ``KINDS`` of `torsional_element.py`, or of ``LAWS`` of `compiled_ode.py`.
    numbers : sequence of float
        As ``ode_kernels.py`` reads them.
    rows : sequence of mapping of int to float
        Weights of coordinates.
    signal : object or None
        What it takes over time: of a law a factor, of an element as its kind says.
    element : str or None
        Element whose numbers come first: of the friction of a mesh, the mesh.
    """

    kind: str
    numbers: Sequence[float]
    rows: Sequence[Mapping[int, float]] = ()
    signal: Any = None
    element: str | None = None


def cubic_numbers(given: PiecewiseCubic) -> list[float]:
    """A piecewise cubic as compiled code reads it: number of times, times, integrals up to them, coefficients."""
    return [
        float(len(given.times)),
        *given.times.tolist(),
        *given.integrals.tolist(),
        *given.coefficients.ravel().tolist(),
    ]
