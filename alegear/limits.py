"""Ranges of what a user gives: they stand beside the objects, which check them; the case file takes them from there.

A class declares the limits of its numbers with its fields (:mod:`alegear.parameters`). Values are in SI units inside;
limits and messages have the unit of the key in a case file, so that both ways of giving a number are refused in the
same words.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.units import UNITS

ROUND_OFF = 1e-9
"""Part of a limit by which a value may pass it: conversion of units."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Range of a number.

    Parameters
    ----------
    quantity : str
        In the field's words, without its unit: ``"normal module"``.
    key : str
        Of the case file, or what the number is called in Python where it has none: the remedy names it. Empty of a
        number that is declared with its field (:mod:`alegear.parameters`): name of the field and unit.
    words : str
        What the reference of case files says of it; empty: the quantity.
    least, most : float or None [unit]
    unit : str
        Of the key, one of :data:`alegear.units.UNITS`; empty: none.
    own_factor : float
        One unit in SI, where it is not that of the unit; 0: as the unit has it.
    above, below : bool
        Whether `least`, `most` themselves are refused.
    whole : bool
        Whether it is a whole number.
    optional : bool
        Whether None is allowed: a default that is chosen elsewhere, or without meaning.
    """

    quantity: str
    key: str = ""
    words: str = ""
    least: float | None = None
    most: float | None = None
    unit: str = ""
    own_factor: float = 0.0
    above: bool = False
    below: bool = False
    whole: bool = False
    optional: bool = False

    def __post_init__(self) -> None:
        if not self.own_factor and self.unit not in UNITS:
            limit = f"one of {', '.join(filter(None, UNITS))}, or another with its factor"
            raise Fault(
                f"unit of the limits of {self.quantity}", f'"{self.unit}"', limit, "give own_factor, one unit in SI"
            )

    @property
    def factor(self) -> float:
        """One unit in SI."""
        return self.own_factor or UNITS[self.unit].factor

    @property
    def name(self) -> str:
        """The quantity with its unit: ``"normal module [mm]"``."""
        return f"{self.quantity} [{self.unit}]" if self.unit else self.quantity

    @property
    def bounds(self) -> dict[str, Any]:
        """The range by ``ge``, ``gt``, ``le``, ``lt``, as schemas name them [unit]."""
        found = {}
        if self.least is not None:
            found["gt" if self.above else "ge"] = self.least
        if self.most is not None:
            found["lt" if self.below else "le"] = self.most
        return found

    def check(self, value: Any, where: str) -> None:
        """Refuse what is no number of the range; `where` names the argument if it is no number at all.

        Raises
        ------
        Fault
        """
        if value is None and self.optional:
            return
        kinds: tuple[type, ...] = (int, np.integer) if self.whole else (int, float, np.integer, np.floating)
        if isinstance(value, bool | np.bool_) or not isinstance(value, kinds):
            limit = "a whole number" if self.whole else "a number"
            limit += " or None" if self.optional else ""
            if self.whole and isinstance(value, float | np.floating) and float(value).is_integer():
                remedy = f"write {float(value):.0f}, without a decimal point"
                raise Fault(f"{self.quantity} ({where})", described(value), limit, remedy)
            raise Fault(f"{self.quantity} ({where})", described(value), limit, f"give it as a number{self._in_si()}")
        passed = self._passed(float_of(value) / self.factor)
        if passed:
            shown = float_of(value) / self.factor
            shown = float(f"{shown:.9g}")
            text: object = round(shown) if self.whole and abs(shown) < 1e15 else shown
            raise Fault(self.name, text, passed, f"correct {self.key}")

    def _passed(self, value: float) -> str:
        """The limit that a value passes, in words; empty if none."""
        if not math.isfinite(value):
            return "a finite number"
        for bound, limit in self.bounds.items():
            if bound_passed(bound, value, limit):
                return bound_in_words(bound, limit)
        return ""

    def _in_si(self) -> str:
        if not self.unit:
            return ""
        return f" in SI units ({self.factor:g} is 1 {self.unit})" if self.factor != 1.0 else f" in {self.unit}"


def bound_in_words(bound: str, limit: float) -> str:
    """Say a bound as all messages do: ``"at least 0.01"``."""
    words = {"gt": "greater than", "ge": "at least", "lt": "less than", "le": "at most"}
    return f"{words[bound]} {limit:.12g}"


def bound_passed(bound: str, value: float, limit: float) -> bool:
    """Whether a value passes a bound by more than round-off; at a bound that is excluded round-off does not count."""
    slack = ROUND_OFF * abs(limit)
    if bound == "ge":
        return value < limit - slack
    if bound == "le":
        return value > limit + slack
    return value <= limit if bound == "gt" else value >= limit


def check_type(made: Any, name: str, kind: type | tuple[type, ...], *, optional: bool = False) -> None:
    """Refuse an attribute of another type.

    Raises
    ------
    Fault
        With the name of the argument.
    """
    check_kind(getattr(made, name), f"{type(made).__name__}.{name}", kind, optional=optional)


def check_kind(value: Any, where: str, kind: type | tuple[type, ...], *, optional: bool = False) -> None:
    """Refuse an argument of another type; `where` names it.

    Raises
    ------
    Fault
    """
    if isinstance(value, kind) or (value is None and optional):
        return
    kinds = kind if isinstance(kind, tuple) else (kind,)
    limit = " or ".join([one.__name__ for one in kinds] + ["None"] * optional)
    raise Fault(where, described(value), f"a {limit}", f"give a {kinds[0].__name__}{_example(kinds[0])}")


def check_function(value: Any, where: str, arguments: Sequence[str]) -> None:
    """Refuse what cannot be called with so many arguments; `where` names it.

    Raises
    ------
    Fault
    """
    given = f"({', '.join(arguments)})"
    if not callable(value) or isinstance(value, type):
        raise Fault(
            where, described(value), f"a function of {given}", "give a function, or an object that can be called"
        )
    if isinstance(value, np.ufunc) and value.nin != len(arguments):  # a further argument is where it writes to
        takes = f"a function of {value.nin} argument{'s' if value.nin > 1 else ''}"
        raise Fault(where, takes, f"one that takes {given}", "correct its arguments")
    try:
        inspect.signature(value).bind(*arguments)
    except ValueError:
        return  # functions of C do not say what they take
    except TypeError as error:
        raise Fault(where, f"a function {error}", f"one that takes {given}", "correct its arguments") from error


def path_of(value: Any, where: str) -> Path:
    """Return the path that an argument is; `where` names it.

    Raises
    ------
    Fault
    """
    if not isinstance(value, str | Path):
        raise Fault(where, described(value), "the path of a file or a folder", "give a text or a pathlib.Path")
    return Path(value)


def check_names(value: Any, where: str) -> None:
    """Refuse what is no list of names: a single text would be taken letter by letter.

    Raises
    ------
    Fault
    """
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
        raise Fault(where, described(value), "a list of names", "put names in brackets")


def check_pair(made: Any, name: str, kind: type | tuple[type, ...], *, optional: bool = False) -> None:
    """Refuse what is no pair (pinion, wheel) of things of a type.

    Raises
    ------
    Fault
    """
    where, value = f"{type(made).__name__}.{name}", getattr(made, name)
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise Fault(where, described(value), "a pair (pinion, wheel)", "give both, in brackets")
    for number, one in enumerate(value):
        check_kind(one, f"{where}[{number}]", kind, optional=optional)


def check_choice(made: Any, name: str, choices: Sequence[str], quantity: str = "") -> None:
    """Refuse another word than those there are.

    Raises
    ------
    Fault
    """
    check_word(getattr(made, name), quantity or f"{type(made).__name__}.{name}", choices, name)


def check_word(value: Any, where: str, choices: Sequence[str], key: str) -> None:
    """Refuse another word than those there are; `where` names the argument, the remedy the key.

    Raises
    ------
    Fault
    """
    if not isinstance(value, str) or value not in choices:
        limit = " or ".join(filter(None, [", ".join(f'"{word}"' for word in choices[:-1]), f'"{choices[-1]}"']))
        raise Fault(where, described(value), limit, f"correct {key}")


def described(value: Any) -> str:
    """Write a value on a short line: numbers and texts as they are, of other things what they are."""
    if isinstance(value, str | bool | int | float | None | np.number):
        try:
            text = repr(value)
        except ValueError:  # Python does not write whole numbers of more than 4300 digits
            return f"a number of {value.bit_length()} bits"  # type: ignore[union-attr]
        return text if len(text) <= 60 else text[:57] + "..."
    return f"a {type(value).__name__}"


def array_of(value: Any, where: str) -> Array:
    """Return a copy as an array of floats; `where` names the argument.

    Raises
    ------
    Fault
        If it is none of numbers.
    """
    try:
        given = np.asarray(value)
        if given.dtype.kind == "c":  # NumPy leaves out what is imaginary
            raise TypeError
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise Fault(where, described(value), "an array of numbers", "give numbers in SI units") from error


def float_of(value: Any) -> float:
    """Return a number as a float; infinite where it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _example(kind: type) -> str:
    return {"Path": ' (pathlib.Path("file"))', "str": " in quotes", "bool": ": True or False"}.get(kind.__name__, "")
