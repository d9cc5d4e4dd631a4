"""What an element or a friction law says of itself to compiled code, which is in `compiled_ode.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, kw_only=True, eq=False)
class OdeTerms:
    """What an element or a friction law is to compiled code.

    Parameters
    ----------
    kind : str
        Of ``ELEMENTS`` or ``LAWS`` of `compiled_ode.py`.
    numbers : sequence of float
        As ``ode_kernels.py`` reads them.
    rows : sequence of mapping of int to float
        Weights of coordinates.
    signal : object or None
        Factor over time.
    element : str or None
        Element whose numbers come first: of the friction of a mesh, the mesh.
    """

    kind: str
    numbers: Sequence[float]
    rows: Sequence[Mapping[int, float]] = ()
    signal: Any = None
    element: str | None = None


@runtime_checkable
class KnownToOde(Protocol):
    """An element or a law that compiled code knows."""

    def ode_terms(self) -> OdeTerms | None:
        """What it is there; None: this one is not known."""


def terms_of(one: object) -> OdeTerms | None:
    """What an element or a law is to compiled code; None if it is unknown there."""
    return one.ode_terms() if isinstance(one, KnownToOde) else None
