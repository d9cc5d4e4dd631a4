"""What a machine of shafts and gears knows of the parts that only turn: what they couple, and where they sit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

_SEAT = re.compile(r"^(?P<shaft>.+)@(?P<position>[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,2})?)mm$")


@dataclass(frozen=True, kw_only=True, eq=False)
class Coupling:
    """Two places whose speeds are in a ratio while a part holds them.

    Parameters
    ----------
    part : str
    first, second : str
        Bodies or shafts.
    ratio : float
        Speed of the second over that of the first.
    open_at_start : bool
        Whether it does not hold them at t = 0.
    """

    part: str
    first: str
    second: str
    ratio: float
    open_at_start: bool = False


def shaft_of(place: str) -> str:
    """The shaft or body of a place: of ``"input@60mm"`` it is ``"input"``."""
    found = _SEAT.match(place)
    return place if found is None else found["shaft"]


def couplings(parts: Sequence[Any]) -> list[Coupling]:
    """Couplings of all parts that have a ``coupled_ratio``: speed of the second of their places over that of the first.

    A part whose ``open_at(t)`` is true does not hold at that time. A part that couples several has ``speed_ratios``:
    speeds of all its places over that of the first.
    """
    found: list[Coupling] = []
    for part in parts:
        several = {shaft_of(place): ratio for place, ratio in getattr(part, "speed_ratios", {}).items()}
        found += [
            Coupling(part=part.name, first=next(iter(several)), second=place, ratio=several[place])
            for place in list(several)[1:]
        ]
        ratio = getattr(part, "coupled_ratio", None)
        if ratio is not None:
            first, second = (shaft_of(place) for place in part.between)
            opens = getattr(part, "open_at", None)
            is_open = opens is not None and opens(0.0)
            found.append(Coupling(part=part.name, first=first, second=second, ratio=ratio, open_at_start=is_open))
    return found


def seats(parts: Sequence[Any]) -> list[tuple[str, float]]:
    """Positions [m] along shafts that parts name by their places."""
    found = []
    for part in parts:
        for place in _places(part):
            seat = _SEAT.match(place)
            if seat is not None:
                found.append((seat["shaft"], 1e-3 * float(seat["position"])))
    return found


def _places(part: Any) -> Iterator[str]:
    if is_dataclass(part):
        for field in fields(part):
            value = getattr(part, field.name)
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, str):
                    yield one
