"""Signals, angles and speeds out of the result of a motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.limits import check_kind, described
from alegear.results.result import Result
from alegear.signals.angle import speed_of
from alegear.signals.signal import SAME_STEP, Signal

#: Angles of bodies in a result: variable and dimension.
ANGLES = (("angle", "body"), ("angle", "gear"), ("body_angle", "body"))
#: Variables whose names say less than these words.
WORDS = {"seat_acceleration": "acceleration of the bearing seat"}
#: How well an angle that is put together has the speed that is recorded, of the largest: differences of three samples.
SAME_SPEED = 0.02


def recorded_signal(result: Result, variable: str, **labels: str) -> Signal:
    """Return a variable of a motion as a signal over time.

    Parameters
    ----------
    result : Result
        Of a motion, just computed or loaded.
    variable : str
        Of its dataset.
    **labels : str
        One of each dimension but time: ``body="sun"``, ``mesh="first", axis="y"``.

    Returns
    -------
    Signal
        A last sample that comes earlier than a step, at the end of the motion, is left out.

    Raises
    ------
    Fault
        For a variable or label that the result does not have, with those that it has, and for samples that are not
        equally spaced.

    Examples
    --------
    >>> import alegear as ag
    >>> force = ag.recorded_signal(ag.load("results"), "bearing_force", bearing="a", axis="y")  # doctest: +SKIP
    """
    data = _motion(result)
    there = [str(name) for name, values in data.data_vars.items() if "time" in values.dims]
    if variable not in there:
        raise Fault("variable of the result", described(variable), f"one of {', '.join(there)}", "correct variable")
    values = data[variable]
    dims = [str(dim) for dim in values.dims if dim != "time"]
    if set(labels) != set(dims):
        limit = f"those of {variable}: {', '.join(dims) or 'none'}"
        raise Fault("labels given", ", ".join(labels) or "none", limit, "name one of each dimension")
    for dim, label in labels.items():
        names = [str(name) for name in data[dim].to_numpy()]
        if str(label) not in names:
            raise Fault(f"{dim} of {variable}", described(label), f"one of {', '.join(names)}", f"correct {dim}")
        values = values.isel({dim: names.index(str(label))})
    name = " ".join([WORDS.get(variable, variable.replace("_", " ")), *(str(label) for label in labels.values())])
    return _signal(data, np.asarray(values.to_numpy(), dtype=float), name, str(data[variable].attrs.get("units", "1")))


def recorded_angle(result: Result, shaft: str) -> Signal:
    """Return the angle of a shaft, a body or a gear of a motion over time [rad].

    Bodies have theirs in the result; for a shaft that carries gears it is ``ratio drive_angle + rotation_error``.

    Parameters
    ----------
    result : Result
    shaft : str

    Raises
    ------
    Fault
        Also for shafts of another drive than the first, whose angle is not recorded.
    """
    data = _motion(result)
    there: list[str] = []
    for variable, dim in ANGLES:
        if variable in data and dim in data[variable].dims:
            names = [str(name) for name in data[dim].to_numpy()]
            if shaft in names:
                return _signal(data, data[variable].isel({dim: names.index(shaft)}).to_numpy(), shaft, "rad")
            there += names
    if "rotation_error" in data and "drive_angle" in data:
        names = [str(name) for name in data["shaft"].to_numpy()]
        if shaft in names:
            return _of_shaft(data, names.index(shaft), shaft)
        there += names
    raise Fault(
        "shaft", described(shaft), f"one of {', '.join(there) or 'none: the result has no angles'}", "correct it"
    )


def recorded_speeds(result: Result) -> dict[str, float]:
    """Return the mean speeds of all that turns in a motion [rad/s]: as computed, slip included.

    Parameters
    ----------
    result : Result

    Raises
    ------
    Fault
    """
    data = _motion(result)
    found: dict[str, float] = {}
    for variable, dim in (("speed", "body"), ("speed", "shaft"), ("speed", "gear"), ("body_speed", "body")):
        if variable in data and dim in data[variable].dims:
            time, values = data["time"].to_numpy(), data[variable].transpose("time", dim).to_numpy()
            mean = np.trapezoid(values, time, axis=0) / (time[-1] - time[0])
            found |= {str(name): float(speed) for name, speed in zip(data[dim].to_numpy(), mean, strict=True)}
    if not found:
        raise Fault("speeds of the result", "none", "recorded: a motion", "give the result of a motion")
    return found


def _motion(result: Result) -> Any:
    check_kind(result, "result", Result)
    data = result.dataset
    if "time" not in data.dims:
        dims = ", ".join(str(dim) for dim in data.dims)
        raise Fault("dimensions of the result", dims, "time among them", "give the result of a motion")
    return data


def _of_shaft(data: Any, number: int, shaft: str) -> Signal:
    """Angle of a shaft that gears are on; its speed is recorded, too, and decides whether it is of the first drive."""
    ratio = float(data["ratio"].to_numpy()[number])
    turned = ratio * data["drive_angle"].to_numpy() + data["rotation_error"].isel(shaft=number).to_numpy()
    angle = _signal(data, turned, shaft, "rad")
    recorded: Array = np.abs(data["speed"].isel(shaft=number).to_numpy())[: len(angle)]
    inside = slice(1, -1)
    if np.abs(speed_of(angle)[inside] - recorded[inside]).max() > SAME_SPEED * recorded.max():
        limit = "one that the first drive turns: of others no angle is recorded"
        raise Fault("shaft", described(shaft), limit, "name another, or record at smaller steps")
    return angle


def _signal(data: Any, values: Array, name: str, units: str) -> Signal:
    time = np.asarray(data["time"].to_numpy(), dtype=float)
    apart = np.diff(time)
    if len(apart) > 1 and apart[-1] < apart[0] * (1.0 - SAME_STEP):
        time, values = time[:-1], values[:-1]
    return Signal.recorded(time, values, name=name, units=units)
