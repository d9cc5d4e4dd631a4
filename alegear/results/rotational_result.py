"""What a motion of torsional parts came to: bodies, parts at their flanges, switches, events, energies."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.results.dataset import UNNAMED, Identity, coordinates
from alegear.results.variables import EVENTS, INPUTS, ROTATIONAL
from alegear.storage.csv_cells import as_cells
from alegear.storage.store import EVENTS_FILE
from alegear.storage.whole_file import write_whole

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

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


@dataclass(frozen=True, kw_only=True, eq=False)
class RotationalHistory:
    """Results of a motion of torsional parts.

    Parameters
    ----------
    time : shape (m,) [s]
    bodies, parts, switches : sequences of str
    flanges : sequence of (str, str)
        Part and body of each.
    values : mapping of str to array
        Variables of :data:`ROTATIONAL`.
    events : sequence of Event
        A switch at a time.
    counts : mapping of str to int
        What the integration cost.
    inputs : sequence of str
        What controllers set; their values are ``input_value`` (m, n_inputs).
    """

    time: Floats
    bodies: Sequence[str]
    parts: Sequence[str]
    switches: Sequence[str]
    flanges: Sequence[tuple[str, str]]
    values: Mapping[str, NDArray[Any]]
    events: Sequence[Event]
    counts: Mapping[str, int]
    inputs: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.time)


def rotational_dataset(history: RotationalHistory, identity: Identity = UNNAMED) -> xr.Dataset:
    """Build the dataset of ``result.nc``."""
    import xarray as xr

    named = {"body": history.bodies, "part": history.parts, "switch": history.switches}
    flanges = [f"{part}/{body}" for part, body in history.flanges]
    variables = ROTATIONAL
    if history.inputs:
        variables, named = ROTATIONAL | INPUTS, named | {"input": history.inputs}
    coords = coordinates({"time": history.time, **named, "flange": flanges}, body="what turns")
    coords["flange_part"] = ("flange", [part for part, _ in history.flanges], {"units": "1", "long_name": "part"})
    coords["flange_body"] = ("flange", [body for _, body in history.flanges], {"units": "1", "long_name": "body"})
    data = {name: variable.entry(history.values[name], "time") for name, variable in variables.items()}
    data |= event_variables(history.events)
    coords |= {name: data.pop(name) for name in ("event_time", "event_switch")}
    return xr.Dataset(data, coords=coords, attrs=identity.attributes("dynamic", machine=1, rotational=1))


def has_events(dataset: xr.Dataset) -> bool:
    """Whether a result tells events: a motion of torsional parts does, and any other with switches."""
    return "event_time" in dataset


def events(dataset: xr.Dataset) -> list[Event]:
    """Return the events of a motion with parts that stick or slide, in the order of time.

    Examples
    --------
    >>> import alegear as ag
    >>> from alegear.results.rotational_result import events
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
    columns: list[NDArray[Any]] = [np.array([one[i] for one in found], dtype=kind) for i, kind in enumerate(kinds)]
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


def rotational_summary(history: RotationalHistory, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Build ``summary.json``."""
    values, last = history.values, -1
    return {
        "analysis": "dynamic",
        "machine": True,
        "rotational": True,
        "bodies": {
            name: {
                "speed_max_rad_per_s": float(np.abs(values["speed"][:, i]).max()),
                "speed_end_rad_per_s": float(values["speed"][last, i]),
                "angle_end_rad": float(values["angle"][last, i]),
            }
            for i, name in enumerate(history.bodies)
        },
        "parts": {
            name: {
                "energy_lost_J": float(values["energy_lost"][last, i]),
                "energy_supplied_J": float(values["energy_supplied"][last, i]),
                "energy_stored_J": float(values["energy_stored"][last, i]),
            }
            for i, name in enumerate(history.parts)
        },
        "switches": {
            name: {
                "events": sum(one.switch == name for one in history.events),
                "friction_torque_max_Nm": float(np.abs(values["friction_torque"][:, i]).max()),
            }
            for i, name in enumerate(history.switches)
        },
        "energy": {
            f"{name}_J": float(values[f"energy_{name}"][last])
            for name in ("input", "dissipated", "kinetic", "elastic", "missing")
        },
        "events": len(history.events),
        "counts": dict(history.counts),
        "version": __version__,
        **facts,
    }
