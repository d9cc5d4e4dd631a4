"""Equilibria with separating contacts by continuation: from larger loads, or from bodies without errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from alegear.errors import NonConvergence
from alegear.system.coordinates import Array
from alegear.system.equilibrium import Equilibrium

#: Factors of the load that are tried, one after the other.
LARGER = (10.0, 100.0, 1e3, 1e4)
#: First step down, and the least before the search is given up, as parts of the factor.
FIRST, LEAST = 0.5, 1e-3

Solution = TypeVar("Solution")


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
            found = solve(factor, first(factor))
        except NonConvergence:
            continue
        part = FIRST
        while factor > 1.0:
            wanted = max(factor * (1.0 - part), 1.0)
            try:
                found = solve(wanted, found.x)
            except NonConvergence:
                part *= 0.5
                if part < LEAST:
                    break
                continue
            factor, part = wanted, min(2.0 * part, FIRST)
        else:
            return found
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
    found, share, part = None, 0.0, FIRST
    try:
        found = solve(0.0, None)
    except NonConvergence:
        raise refused from None
    while share < 1.0:
        wanted = min(share + part, 1.0)
        try:
            found = solve(wanted, found)
        except NonConvergence:
            part *= 0.5
            if part < LEAST:
                raise refused from None
            continue
        share, part = wanted, min(2.0 * part, FIRST)
    return found
