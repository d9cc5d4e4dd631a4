"""Errors as values: a wrong input is a :class:`Fault`, a failed analysis an :class:`AnalysisFailure`.

A message always says quantity, value, limit and remedy, so that the user can act on it.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any


def one_line(text: str) -> str:
    """Write what does not print (line breaks, escape sequences of a terminal) as Python would, so that it is one line.

    Examples
    --------
    >>> print(one_line("a\\nb"))
    a\\nb
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


#: Value shown for missing input.
NOT_GIVEN = "not given"


class _BeyondLimit(Exception):
    """A value beyond its limit, with the remedy; None is what is not given."""

    def __init__(self, quantity: str, value: object, limit: str, remedy: str) -> None:
        value = NOT_GIVEN if value is None else value
        super().__init__(one_line(f"{quantity} = {value}: must be {limit}; {remedy}"))
        self.quantity = quantity
        self.value = value
        self.limit = limit
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.quantity, self.value, self.limit, self.remedy)


class Fault(_BeyondLimit, ValueError):
    """A wrong input (exit code 2).

    Parameters
    ----------
    quantity : str
        What is wrong, in the field's words, with its unit: ``"bore diameter [mm]"``.
    value : object
        The value met.
    limit : str
        What the value must satisfy: ``"smaller than the root diameter 71.6 mm"``.
    remedy : str
        What to do about it: ``"reduce bore_diameter_mm"``.
    """


def unknown_name(quantity: str, name: str, known: Iterable[str], remedy: str = "leave it out: there are none") -> Fault:
    """Return the fault of a name that does not exist: it lists the known names and proposes the nearest one.

    Parameters
    ----------
    quantity : str
        What the name is to be: ``"shaft of gear wheel"``.
    name : str
    known : iterable of str
    remedy : str
        Where no name is known.

    Examples
    --------
    >>> print(unknown_name("shaft of gear wheel", "outputt", ["input", "output"]))
    shaft of gear wheel = "outputt": must be one of "input", "output"; write "output"
    """
    names = list(known)
    listed = ", ".join(f'"{one}"' for one in names)
    nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.0)
    return Fault(quantity, f'"{name}"', f"one of {listed or 'none'}", f'write "{nearest[0]}"' if nearest else remedy)


class NotInThisVersion(Fault):
    """A key, law or option that is foreseen but not implemented in this version (exit code 2)."""

    def __init__(self, quantity: str, value: object, remedy: str) -> None:
        super().__init__(quantity, value, "left out (not in this version)", remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.quantity, self.value, self.remedy)


class AnalysisFailure(RuntimeError):
    """An analysis that could not be finished (exit code 1); what was computed before it is kept."""


class OutOfRange(_BeyondLimit, AnalysisFailure):
    """What an analysis came to, where what is computed does not hold any more: no fault of the input alone.

    Parameters
    ----------
    quantity, value, limit, remedy
        As of :class:`Fault`.
    """


class NonConvergence(AnalysisFailure):
    """The equations were not solved to their tolerance.

    Parameters
    ----------
    where : str
        Position or time: ``"phase 0.25"``, ``"t = 0.0123 s"``.
    residual : float
        The residual reached, in its own unit; infinite where none was found, which the message leaves out.
    tolerance : float
        The residual that was asked for.
    remedy : str
        What to try.
    """

    def __init__(self, where: str, residual: float, tolerance: float, remedy: str) -> None:
        reached = f"residual {residual:.3g} must fall below {tolerance:.3g}; " if math.isfinite(residual) else ""
        super().__init__(f"no convergence at {where}: {reached}{remedy}")
        self.where = where
        self.residual = residual
        self.tolerance = tolerance
        self.remedy = remedy
