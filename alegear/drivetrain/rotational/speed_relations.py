"""What is known of torsional parts before they do: what they couple, at which ratios, and where they sit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from alegear.drivetrain.place_names import SEAT, node_name, position_of, shaft_of
from alegear.geometry.train_kinematics import GROUND, SpeedRow
from alegear.system.machine_part import MachinePart

#: Of ratios that come as floats: those of tooth numbers become exact again, so that parallel ways through gears agree.
DENOMINATOR = 10**6
#: Fields of parts in equilibria and modes that hold the part of the machine.
FORMS_OF = ("planetary", "planets")


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


def couplings(parts: Sequence[MachinePart]) -> list[Coupling]:
    """Couplings of all parts that have a ``coupled_ratio``, or ``ratios_while`` some shafts stand."""
    found: list[Coupling] = []
    held = standing(parts)
    for part in parts:
        ratios = part.ratios_while(held)
        several = {shaft_of(place): ratio for place, ratio in ratios.items()}
        found += [
            Coupling(part=part.name, first=next(iter(several)), second=place, ratio=several[place])
            for place in list(several)[1:]
        ]
        if part.coupled_ratio is not None:
            first, second = _coupled(part)
            is_open = part.open_at(0.0)
            found.append(
                Coupling(part=part.name, first=first, second=second, ratio=part.coupled_ratio, open_at_start=is_open)
            )
    return found


def _coupled(part: MachinePart) -> tuple[str, str]:
    """Shafts or bodies of the two places that a part couples."""
    return shaft_of(part.places["A"]), shaft_of(part.places["B"])


def standing(parts: Sequence[MachinePart]) -> set[str]:
    """Shafts and bodies that parts which never let go tie to the ground, and the ground: they do not turn on."""
    ties = [set(_coupled(part)) for part in parts if part.coupled_ratio is not None and not part.disengages]
    found, before = {GROUND}, 0
    while len(found) > before:
        before = len(found)
        found = found.union(*(tied for tied in ties if tied & found))
    return found


def speed_row(name: str, weights: Mapping[str, float | Fraction]) -> SpeedRow:
    """Row of a part: ``sum_s w_s omega_s = 0`` over its places, each as the shaft or body that it is on."""
    added: dict[str, Fraction] = {}
    for place, weight in weights.items():
        shaft = shaft_of(place)
        added[shaft] = added.get(shaft, Fraction(0)) + Fraction(weight).limit_denominator(DENOMINATOR)
    return SpeedRow(name=name, coefficients={shaft: weight for shaft, weight in added.items() if weight})


def speed_rows(parts: Sequence[MachinePart]) -> list[SpeedRow]:
    """Rows over the speeds of shafts and bodies while nothing gives way and nothing slips.

    Those of parts that have ``speed_rows``; of others the couplings that hold at t = 0.
    """
    found = [row for part in parts for row in part.speed_rows or ()]
    others = [part for part in parts if part.speed_rows is None]
    found += [
        speed_row(one.part, {one.first: one.ratio, one.second: -1})
        for one in couplings(others)
        if not one.open_at_start and one.first != one.second
    ]
    return found


def seats(parts: Sequence[Any]) -> list[tuple[str, float]]:
    """Positions [m] along shafts that parts name by their places."""
    found = []
    for part in parts:
        for place in _places(part):
            seat = SEAT.match(place)
            if seat is not None:
                found.append((seat["shaft"], 1e-3 * float(seat["position"])))
    return found


def with_places_named(part: Any) -> Any:
    """A part whose places on shafts have their names: of ``"input@60.0mm"`` it is ``"input@60mm"``."""
    named = {}
    for field, value in _words(part):
        places = tuple(_named(one) for one in value) if isinstance(value, tuple) else _named(value)
        if places != value:
            named[field] = places
    return replace(part, **named) if named else part


def _named(place: Any) -> Any:
    seat = isinstance(place, str) and SEAT.match(place)
    return node_name(shaft_of(place), position_of(place)) if seat else place


def _places(part: Any) -> Iterator[str]:
    """Words of a part, and of the set that it is a form of."""
    for _, value in _words(part):
        yield from (one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, str))
    for field in fields(part) if is_dataclass(part) else ():
        if field.name in FORMS_OF:
            yield from _places(getattr(part, field.name))


def _words(part: Any) -> Iterator[tuple[str, Any]]:
    """Fields of a part that hold words or tuples, but its name, which is no place."""
    for field in fields(part) if is_dataclass(part) else ():
        value = getattr(part, field.name)
        if field.name != "name" and field.init and isinstance(value, str | tuple):
            yield field.name, value
