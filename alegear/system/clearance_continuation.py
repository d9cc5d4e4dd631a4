"""Equilibria of systems with clearance: found with all gaps closed, and followed while they open to what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from alegear.errors import NonConvergence
from alegear.system.coordinates import Array
from alegear.system.element import Element
from alegear.system.equilibrium import Equilibrium
from alegear.system.model import SystemData, SystemModel

#: First opening, and the least before the search is given up, as parts of the clearance.
FIRST, LEAST = 0.5, 1e-3


def with_clearance(model: SystemModel, data: SystemData) -> list[tuple[Element, Any, float]]:
    """Elements with clearance, their data, and the thickness [m] that closes it."""
    return [
        (one, own, one.clearance)
        for one, own in zip(model.elements, data.elements, strict=True)
        if one.clearance is not None
    ]


def continue_clearance(
    model: SystemModel, data: SystemData, x: Array, solve: Callable[[Array], Equilibrium]
) -> Equilibrium:
    """Find an equilibrium through those with smaller gaps, each begun from the one before.

    Within its gap a part is held by nothing: there an iteration has no direction to go in. With rolling elements that
    are thicker by the clearance all of them carry; what carries most in the end does so all along.

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
    elements = with_clearance(model, data)
    if not elements:
        return solve(x)

    def at(closed: float, start: Array) -> Equilibrium:
        for element, own, clearance in elements:
            element.close_clearance(own, closed * clearance)
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
        for element, own, _ in elements:
            element.close_clearance(own, 0.0)
