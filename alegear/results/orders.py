"""Orders at which a machine is heard, with their causes: ``orders.json`` in a result folder, for its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from alegear.storage.store import ORDERS, read_table, write_table


@dataclass(frozen=True, kw_only=True)
class ExpectedOrder:
    """A line that is expected in spectra.

    Attributes
    ----------
    name, kind : str
        As those of :class:`alegear.signals.causes.Cause`.
    order : float
        Over the turns of the reference shaft.
    """

    name: str
    kind: str
    order: float


def write_orders(directory: Path, reference: str, orders: Sequence[ExpectedOrder]) -> None:
    """Write ``orders.json``.

    Raises
    ------
    StorageFailure
    """
    write_table(directory, ORDERS, {"reference": reference, "orders": [vars(one) for one in orders]}, indent=1)


def read_orders(directory: Path) -> tuple[str, list[ExpectedOrder]] | None:
    """Read the reference shaft and the orders of a result folder; None where there are none.

    Raises
    ------
    Fault
        If they are not the ones that were written.
    """
    if not (directory / ORDERS).exists():
        return None
    found = read_table(directory, ORDERS)
    try:
        return str(found["reference"]), [ExpectedOrder(**one) for one in found["orders"]]
    except (TypeError, KeyError):
        return None
