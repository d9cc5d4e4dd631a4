"""Fields that are more than a number, a word or an object: lists, rows of tables, files, one of several forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters.parameter import (
    Declaration,
    Key,
    Number,
    Parameter,
    declaration_of,
    described,
    key_of,
    listed,
    one_key,
    ranged,
    rounded,
)
from alegear.units import UNITS

#: Rows of a table at most.
MOST_ROWS = 100_000
#: Of a number in a table, whose meaning the part knows: beyond, the arithmetic ends.
ANY = Limits(quantity="value", least=-1e15, most=1e15)
#: Note on the type of a list: one entry alone needs no brackets.
ALONE = "alone"


@dataclass(frozen=True)
class Numbers(Declaration):
    """Numbers in a list, all of one range and unit; the part checks how many there are.

    Parameters
    ----------
    words : str
    each : Limits
        Its unit is that of the key.
    least, most : int
        How many; `most` may be infinite.
    key : str
        Empty: name of the field and unit.
    alone : bool
        Whether a file may give one of them without brackets.
    """

    words: str
    each: Limits
    least: int
    most: float
    key: str = ""
    alone: bool = False

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The list in the unit of its key."""
        default = parameter.default
        if default is not MISSING and default is not None:
            default = [rounded(float(one) / self.each.factor) for one in _each(default)]
        name = self.key or key_of(parameter.name, self.each.unit)
        kind = listed(ranged(self.each), self.least, self.most)
        if self.alone:
            kind = Annotated[kind, ALONE]
        return (Key(name=name, kind=kind, words=described(self.words, self.each.unit, default), default=default),)

    def converted(self, value: Any, folder: Path) -> Any:
        """In SI units."""
        return tuple(value) if self.each.factor == 1.0 else tuple(one * self.each.factor for one in value)


class Columns(Declaration):
    """Rows of a table, a unit for each column; the part checks the numbers.

    Parameters
    ----------
    *units : str
        Of the columns.
    words : str
        With the units.
    least, most : int
        How many rows.
    key : str
        Empty: name of the field and units.
    each : Limits
        Of all numbers.
    """

    def __init__(
        self,
        *units: str,
        words: str,
        least: int = 1,
        most: int = MOST_ROWS,
        key: str = "",
        each: Limits = ANY,
    ) -> None:
        self.units, self.words, self.least, self.most, self.key, self.each = units, words, least, most, key, each

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The rows in the units of the columns."""
        kind = listed(listed(ranged(self.each), len(self.units)), self.least, self.most)
        return one_key(parameter, self.key or key_of(parameter.name, *self.units), kind, self.words)

    def converted(self, value: Any, folder: Path) -> Any:
        """In SI units."""
        factors = [UNITS[unit].factor for unit in self.units]
        return tuple(
            tuple(one if factor == 1.0 else one * factor for one, factor in zip(row, factors, strict=True))
            for row in value
        )


class Joined(Declaration):
    """Numbers in lists of several keys, one after the other.

    Parameters
    ----------
    *parts : Numbers
        Zeros where one is left out; where the field is needed the first one is.
    """

    def __init__(self, *parts: Numbers) -> None:
        self.parts = parts

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """Those of all parts."""
        found: list[Key] = []
        for one in self.parts:
            default: Any = None if " (" in one.words else (0.0,) * one.least
            if parameter.default is MISSING and not found:
                default = MISSING
            found += one.keys(replace(parameter, default=default))
        return tuple(found)

    def value(self, parameter: Parameter, given: Mapping[str, Any], folder: Path) -> Any:
        """One after the other, in SI units."""
        values: list[float] = []
        for one in self.parts:
            (key,) = one.keys(replace(parameter, default=None))
            found = {key.name: given.get(key.name, (0.0,) * one.least)}
            values += one.value(parameter, found, folder)
        return values


@dataclass(frozen=True)
class Names(Declaration):
    """Names of so many other parts, of which this one is made.

    Parameters
    ----------
    text : str
    count : int
    """

    text: str
    count: int

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """Their names."""
        return (Key(name=parameter.name, kind=listed(str, self.count), words=self.text, default=parameter.default),)


@dataclass(frozen=True, kw_only=True)
class Grid(Declaration):
    """Rows of as many numbers as another parameter says; the part checks that.

    Parameters
    ----------
    words : str
    each : Limits
        Of the numbers, with their unit.
    least, most : int
        How many rows.
    columns : (int, int)
        How many numbers in each, at least and at most.
    key : str
        Empty: name of the field and unit.
    """

    words: str
    each: Limits = ANY
    least: int = 2
    most: int = 10_000
    columns: tuple[int, int] = (1, 10_000)
    key: str = ""

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The rows."""
        kind = listed(listed(ranged(self.each), *self.columns), self.least, self.most)
        return one_key(parameter, self.key or key_of(parameter.name, self.each.unit), kind, self.words)

    def converted(self, value: Any, folder: Path) -> Any:
        """In SI units."""
        factor = self.each.factor
        return value if factor == 1.0 else [[one * factor for one in row] for row in value]


class ByName(Declaration):
    """Numbers by some names, as a table of their own.

    Parameters
    ----------
    words : str
    each : Limits
        With the unit of the key of the table.
    names : mapping of str to str
        Name -> what the number is of.
    """

    def __init__(self, words: str, each: Limits, names: Mapping[str, str]) -> None:
        self.words, self.each, self.names = words, each, tuple(names)
        fields_of_table = [
            (name, Annotated[float | None, replace(each, key=name, words=own)], None) for name, own in names.items()
        ]
        self.table = make_dataclass("NumbersByName", fields_of_table, kw_only=True)

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The table."""
        words = described(self.words, self.each.unit, None)
        return (Key(name=key_of(parameter.name, self.each.unit), kind=self.table, words=words),)

    def converted(self, value: Any, folder: Path) -> Any:
        """By name, in SI units."""
        found = {name: getattr(value, name) for name in self.names}
        return {name: one * self.each.factor for name, one in found.items() if one is not None}


@dataclass(frozen=True)
class SubTables(Declaration):
    """A list of tables of their own.

    Parameters
    ----------
    of : type
    words : str
    most : int
    """

    of: type
    words: str
    most: int

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The list."""
        return (Key(name=parameter.name, kind=listed(self.of, 0, self.most), words=self.words, default=[]),)

    def converted(self, value: Any, folder: Path) -> Any:
        """The objects."""
        return tuple(table.made(folder) for table in value)


@dataclass(frozen=True)
class CsvFile(Declaration):
    """A file with a table, by its path.

    Parameters
    ----------
    key : str
    words : str
    read : callable (path) -> object
    """

    key: str
    words: str
    read: Callable[[Path], Any]

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The path."""
        return (Key(name=self.key, kind=str, words=self.words),)

    def converted(self, value: Any, folder: Path) -> Any:
        """What the file has."""
        return self.read(folder / value)


@dataclass(frozen=True)
class StoredStudy(Declaration):
    """The result of a study, by the path of its folder.

    Parameters
    ----------
    text : str
        What it is.
    """

    text: str

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The path."""
        return (Key(name=parameter.name, kind=str, words=self.text),)

    def converted(self, value: Any, folder: Path) -> Any:
        """The whole path, from which the reader of files loads the result."""
        return folder / value


class OneOf(Declaration):
    """One of several forms: a number, or a table over the speed or over time, or an object; each has a key of its own.

    Parameters
    ----------
    *forms : Declaration or Limits
        The number first.
    """

    def __init__(self, *forms: Declaration | Limits) -> None:
        self.forms = tuple(map(declaration_of, forms))

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """Those of all forms, none of which is needed; the first one names the default."""
        found: list[Key] = []
        for form in self.forms:
            some = form.keys(parameter if not found else replace(parameter, default=None))
            found += [replace(key, default=None) for key in some]
        return tuple(found)

    def value(self, parameter: Parameter, given: Mapping[str, Any], folder: Path) -> Any:
        """Of the form that is given.

        Raises
        ------
        Fault
            If several are.
        """
        if len(given) > 1:
            keys, *_, last = [key.name for key in self.keys(parameter)], *given
            raise Fault(" or ".join(keys), " and ".join(given), "one of them", f"leave out {last}")
        for form in self.forms:
            if form.keys(parameter)[0].name in given:
                return form.value(parameter, given, folder)
        raise AssertionError("a key of another parameter")

    def check(self, parameter: Parameter, value: Any, where: str) -> None:
        """Refuse a number beyond its range; of the other forms the part knows what they may be."""
        number = self.forms[0]
        if isinstance(number, Number) and isinstance(value, int | float) and not isinstance(value, bool):
            number.check(parameter, value, where)


def _each(value: Any) -> Sequence[Any]:
    """Entries of a list, or a number alone."""
    return value if isinstance(value, Sequence) else (value,)
