"""Equilibria of systems with play: found with all gaps closed, and followed while they open to what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from alegear.errors import NonConvergence
from alegear.system.coordinates import Array
from alegear.system.equilibrium import Equilibrium
from alegear.system.model import SystemData, SystemModel

#: First opening, and the least before the search is given up, as parts of the play.
FIRST, LEAST = 0.5, 1e-3


def with_play(model: SystemModel, data: SystemData) -> list[tuple[Any, Any]]:
    """Elements with play, and their data: ``play`` [m] closes the gap, ``overlap`` says how far it is closed now."""
    return [(one, own) for one, own in zip(model.elements, data.elements, strict=True) if hasattr(one, "play")]


def open_play(model: SystemModel, data: SystemData, x: Array, solve: Callable[[Array], Equilibrium]) -> Equilibrium:
    """Find an equilibrium through those with smaller gaps, each begun from the one before.

    Within its gap a part is held by nothing: there an iteration has no direction to go in. With rolling elements that
    are thicker by the play all of them carry; what carries most in the end does so all along.

    Parameters
    ----------
    model : SystemModel
    data : SystemData
        With no overlap afterwards.
    x : shape (n,)
        First guess.
    solve : callable
        Equilibrium of the system with these data from a first guess.

    Raises
    ------
    NonConvergence
    """
    elements = with_play(model, data)
    if not elements:
        return solve(x)

    def at(closed: float, start: Array) -> Equilibrium:
        for element, own in elements:
            own.overlap = closed * element.play
        return solve(start)

    try:
        closed, opening = 1.0, FIRST
        found = at(closed, x)
        while closed > 0.0:
            wanted = max(closed - opening, 0.0)
            try:
                found = at(wanted, found.x)
            except NonConvergence:
                opening = 0.5 * min(opening, closed)
                if opening < LEAST:
                    raise
                continue
            closed, opening = wanted, 2.0 * opening
        return found
    finally:
        for _, own in elements:
            own.overlap = 0.0
