"""Equilibria by continuation: from larger loads, from bodies without errors, from closed gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from alegear.errors import NonConvergence
from alegear.system.coordinates import Array
from alegear.system.element import Element
from alegear.system.equilibrium import Equilibrium
from alegear.system.model import SystemData, SystemModel

#: Factors of the load that are tried, one after the other.
LARGER = (10.0, 100.0, 1e3, 1e4)
#: First step, and the least before the search is given up: parts of the factor of a load, of errors, of clearance.
FIRST, LEAST = 0.5, 1e-3

Solution = TypeVar("Solution")


def continued(
    solve: Callable[[float, Solution], Solution],
    found: Solution,
    at: float,
    end: float,
    following: Callable[[float, float], float],
) -> Solution:
    """Follow a solution from one value of a parameter to another, in steps that are halved where one fails.

    Parameters
    ----------
    solve : callable
        Solution at a value, from one nearby.
    found : Solution
        At the value `at`.
    at, end : float
    following : callable
        Value after one and a step, a part from `FIRST` to `LEAST`; not beyond the end.

    Raises
    ------
    NonConvergence
        The last one, where no step is short enough.
    """
    part = FIRST
    while at != end:
        wanted = following(at, part)
        try:
            found = solve(wanted, found)
        except NonConvergence:
            while following(at, part) == wanted:  # a step that the end has cut short
                part *= 0.5
            if part < LEAST:
                raise
            continue
        at, part = wanted, min(2.0 * part, FIRST)
    return found


def load_continuation(
    solve: Callable[[float, Array], Equilibrium], first: Callable[[float], Array], refused: NonConvergence
) -> Equilibrium:
    """Find an equilibrium through those under larger loads, each begun from the one before.

    Contacts that close and open are found by Newton's iteration if it begins near: where all carry, first, and then one
    after the other lets go.

    Parameters
    ----------
    solve : callable
        Equilibrium under so many times the load, from a first guess.
    first : callable
        First guess under so many times the load, in which all contacts carry.
    refused : NonConvergence
        Raised again where no larger load helps.

    Raises
    ------
    NonConvergence
    """
    for factor in LARGER:
        try:
            return continued(
                lambda wanted, found: solve(wanted, found.x),
                solve(factor, first(factor)),
                factor,
                1.0,
                lambda at, part: max(at * (1.0 - part), 1.0),
            )
        except NonConvergence:
            continue
    raise refused


def error_continuation(solve: Callable[[float, Solution | None], Solution], refused: NonConvergence) -> Solution:
    """Find an equilibrium through those with parts of the errors of a machine, each begun from the one before.

    Where errors are larger than what teeth give way, all contacts of bodies that have none carry; with all of the
    errors teeth would be far inside each other at the first guess.

    Parameters
    ----------
    solve : callable
        Equilibrium with such a part of the errors, from one with less, or from its own first guess.
    refused : NonConvergence
        Raised again where no step is short enough.

    Raises
    ------
    NonConvergence
    """
    try:
        return continued(solve, solve(0.0, None), 0.0, 1.0, lambda at, part: min(at + part, 1.0))
    except NonConvergence:
        raise refused from None


def with_clearance(model: SystemModel, data: SystemData) -> list[tuple[Element, Any, float]]:
    """Elements with clearance, their data, and the thickness [m] that closes it."""
    return [
        (one, own, one.clearance)
        for one, own in zip(model.elements, data.elements, strict=True)
        if one.clearance is not None
    ]


def clearance_continuation(
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
        return continued(
            lambda closed, found: at(closed, found.x), at(1.0, x), 1.0, 0.0, lambda at, part: max(at - part, 0.0)
        )
    finally:
        for element, own, _ in elements:
            element.close_clearance(own, 0.0)
