"""Rotations between places, of which one may be the ground."""

from __future__ import annotations

from collections.abc import Mapping

from alegear.errors import Fault
from alegear.parameters import Words
from alegear.system.builder import GROUND, SystemBuilder

#: What files say of places that parts name.
BETWEEN = Words("names of the rotors or shafts, or 'ground'")
A_AND_B = Words("names of the rotors or shafts A and B")
HOUSING = Words("what it is mounted on")
REACTS_ON = Words("what it reacts on")
FIXED_TO = Words("what it is fixed to")


def rotation_weights(builder: SystemBuilder, who: str, weights: Mapping[str, float]) -> dict[int, float]:
    """Weights of coordinates from those of the rotations of places; the ground does not turn.

    Raises
    ------
    Fault
        If a place is not there, does not turn, or none but the ground is left.
    """
    found: dict[int, float] = {}
    for place, weight in weights.items():
        if place != GROUND:
            index = builder.rotation(place, who)
            found[index] = found.get(index, 0.0) + weight
    if not any(found.values()):
        raise Fault(f"shafts of {who}", ", ".join(weights), "two that turn against each other", "name another")
    return found


def relative(builder: SystemBuilder, who: str, between: tuple[str, str]) -> dict[int, float]:
    """Weights of the rotation of the second body against the first."""
    first, second = between
    return rotation_weights(builder, who, {first: -1.0, second: 1.0})
