"""Events of parts that stick or slide: as variables of a result, as a table, and read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from alegear.arrays import AnyArray
from alegear.results.variables import EVENTS
from alegear.storage import lazy_xarray as xr
from alegear.storage.column_file import as_cells
from alegear.storage.store import EVENTS_FILE
from alegear.storage.whole_file import write_whole

#: What the modes of a switch are called.
MODES = {1: "forward", 0: "stuck", -1: "backward", 2: "free"}


class Event(NamedTuple):
    """A switch whose mode changes; several at one time are events of their own.

    Attributes
    ----------
    time : float [s]
    switch : str
    before, after : int
        Keys of :data:`MODES`.
    """

    time: float
    switch: str
    before: int
    after: int


def has_events(dataset: xr.Dataset) -> bool:
    """Whether a result holds events: a motion of torsional parts does, and any other with switches."""
    return "event_time" in dataset


def events(dataset: xr.Dataset) -> list[Event]:
    """Return the events of a motion with parts that stick or slide, in the order of time.

    Examples
    --------
    >>> import alegear as ag
    >>> from alegear.results.switch_events import events
    >>> events(ag.load("gear_shift_results").dataset)[0]  # doctest: +SKIP
    Event(time=2.0, switch='brake', before=0, after=1)
    """
    columns = (
        dataset[name].to_numpy().tolist() for name in ("event_time", "event_switch", "event_before", "event_after")
    )
    return [
        Event(float(t), str(switch), int(before), int(after)) for t, switch, before, after in zip(*columns, strict=True)
    ]


def event_variables(found: Sequence[Event]) -> dict[str, Any]:
    """Events as the variables of a dataset."""
    kinds: tuple[type, ...] = (np.float64, str, np.int64, np.int64)
    columns: list[AnyArray] = [np.array([one[i] for one in found], dtype=kind) for i, kind in enumerate(kinds)]
    return {name: of.entry(column) for (name, of), column in zip(EVENTS.items(), columns, strict=True)}


def write_events(directory: Path, found: Sequence[Event]) -> None:
    """Write the events into ``events.csv`` of an existing folder, whole or not at all; modes in words.

    Raises
    ------
    StorageFailure
    """
    content = io.StringIO(newline="")
    table = csv.writer(content, lineterminator="\n")
    table.writerow(("time_s", "switch", "before", "after"))
    rows = ((repr(one.time), one.switch, MODES[one.before], MODES[one.after]) for one in found)
    table.writerows(map(as_cells, rows))
    write_whole(directory / EVENTS_FILE, content.getvalue().encode())
