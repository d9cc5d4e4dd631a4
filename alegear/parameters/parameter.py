"""What a part is given, declared once: each field of its dataclass with its range, its unit and what it is.

    normal_force: Annotated[float, Limits(quantity="largest normal force", unit="N", least=0.0, most=1e12)]

From a declaration follow the check when the object is made (:func:`check_parameters`), the key of the case file with
its row in the reference and its messages (:mod:`alegear.case.tables`), and the parameter in the documentation. A
field without one is given from Python alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache, cached_property
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import annotated_types

from alegear.errors import Fault
from alegear.limits import Limits, check_kind, check_type, check_word
from alegear.short_repr import ShortRepr
from alegear.units import UNITS

_BOUNDS: Mapping[str, Any] = {
    "ge": annotated_types.Ge,
    "gt": annotated_types.Gt,
    "le": annotated_types.Le,
    "lt": annotated_types.Lt,
}


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key of a case file.

    Parameters
    ----------
    name : str
    kind : type
        Of its value, with its limits as annotations; a class with parameters of its own is a table.
    words : str
        What it is, with its unit.
    default : object
        In the unit of the key; ``dataclasses.MISSING``: the key is needed.
    """

    name: str
    kind: Any
    words: str
    default: Any = None


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A field of a dataclass with its declaration.

    Parameters
    ----------
    name : str
    kind : type
        Of its value in Python.
    default : object
        ``dataclasses.MISSING``: it is needed.
    declaration : Declaration
    """

    name: str
    kind: Any
    default: Any
    declaration: Declaration

    @cached_property
    def optional(self) -> bool:
        """Whether it may be None."""
        return NoneType in _members(self.kind)

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """Keys of a case file that give it."""
        return self.declaration.keys(self)

    def value(self, given: Mapping[str, Any], folder: Path) -> Any:
        """Its value [SI] from those of its keys that a file gives, at least one; paths are from a folder on.

        Raises
        ------
        Fault
        """
        return self.declaration.value(self, given, folder)

    def check(self, value: Any, where: str) -> None:
        """Refuse a value [SI]; `where` names the object.

        Raises
        ------
        Fault
        """
        if value is not None or not self.optional:
            self.declaration.check(self, value, where)


class Declaration(ABC):
    """How a field is given."""

    @abstractmethod
    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """Keys of a case file that give the field."""

    def value(self, parameter: Parameter, given: Mapping[str, Any], folder: Path) -> Any:
        """See :meth:`Parameter.value`: what the only key gives."""
        (value,) = given.values()
        return self.converted(value, folder)

    def converted(self, value: Any, folder: Path) -> Any:
        """Value in SI units, or object, from that of the only key of a file; paths are from a folder on."""
        return value

    def check(self, parameter: Parameter, value: Any, where: str) -> None:  # noqa: B027
        """Refuse a value that is not None; of many objects the part itself knows what it may be."""


@dataclass(frozen=True, kw_only=True)
class Number(Declaration):
    """A number of a range: what ``Limits`` in an annotation stand for."""

    limits: Limits

    def bound(self, parameter: Parameter) -> Limits:
        """The limits with the key of a field, and whether it may be None."""
        limits, key = self.limits, self.limits.key or key_of(parameter.name, self.limits.unit)
        optional = limits.optional or parameter.optional
        same = limits.key == key and limits.optional == optional
        return limits if same else replace(limits, key=key, optional=optional)

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The number in the unit of its key."""
        default = parameter.default
        if isinstance(default, float):
            default = rounded(default / self.limits.factor)
        words = described(self.limits.words or self.limits.quantity, self.limits.unit, default)
        return (Key(name=self.bound(parameter).key, kind=ranged(self.limits), words=words, default=default),)

    def converted(self, value: Any, folder: Path) -> Any:
        """In SI units."""
        return value if self.limits.whole or self.limits.factor == 1.0 else value * self.limits.factor

    def check(self, parameter: Parameter, value: Any, where: str) -> None:
        """Refuse what is no number of the range."""
        self.bound(parameter).check(value, f"{where}.{parameter.name}")


@dataclass(frozen=True, kw_only=True)
class NoKey(Number):
    """A number that is given from Python alone."""

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """None."""
        return ()


@dataclass(frozen=True)
class Words(Declaration):
    """What the type of the field says: a name, a word out of some, true or false, several names.

    Parameters
    ----------
    text : str
        What it is.
    key : str
        Empty: the name of the field.
    """

    text: str
    key: str = ""

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The value as it is."""
        of_words = get_origin(_bare(parameter.kind)) is Literal  # the default is shown as files have it
        words = self.text if of_words else described(self.text, "", parameter.default)
        kind = in_file(parameter.kind)
        return (Key(name=self.key or parameter.name, kind=kind, words=words, default=parameter.default),)

    def check(self, parameter: Parameter, value: Any, where: str) -> None:
        """Refuse another type than a text or a truth value, and another word."""
        kind = _bare(parameter.kind)
        if get_origin(kind) is Literal:
            check_word(value, f"{where}.{parameter.name}", get_args(kind), self.key or parameter.name)
        elif kind in (str, bool):
            check_kind(value, f"{where}.{parameter.name}", kind, optional=parameter.optional)


@dataclass(frozen=True)
class _ObjectOf(Declaration):
    """An object whose class has parameters."""

    of: type

    def check(self, parameter: Parameter, value: Any, where: str) -> None:
        """Refuse another object."""
        check_kind(value, f"{where}.{parameter.name}", self.of, optional=parameter.optional)


@dataclass(frozen=True)
class Inlined(_ObjectOf):
    """An object whose class has parameters, the keys of which are in the same table.

    Parameters
    ----------
    of : type
    without : tuple of str
        Fields that other keys give.
    """

    without: tuple[str, ...] = ()

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """Its keys; none is needed where the object is not."""
        found = [key for one in parameters_of(self.of) if one.name not in self.without for key in one.keys]
        if parameter.default is MISSING:
            return tuple(found)
        return tuple(replace(key, default=None) if key.default is MISSING else key for key in found)

    def value(self, parameter: Parameter, given: Mapping[str, Any], folder: Path) -> Any:
        """The object."""
        return made_of(self.of, given, folder)


@dataclass(frozen=True)
class SubTable(_ObjectOf):
    """A table of its own: an object whose class has parameters.

    Parameters
    ----------
    of : type
    key : str
    words : str
    """

    key: str
    words: str

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """The table."""
        return one_key(parameter, self.key, self.of, self.words)

    def converted(self, value: Any, folder: Path) -> Any:
        """The object."""
        return value.made(folder)


# ------------------------------------------------------------------------------------------- of a class
@cache
def parameters_of(owner: type) -> tuple[Parameter, ...]:
    """Fields of a dataclass that are declared, in their order."""
    return tuple(_parameters(owner))


def _parameters(owner: type) -> Iterator[Parameter]:
    hints = get_type_hints(owner, include_extras=True)
    for field in fields(owner):
        hint = hints[field.name]
        notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        found = [declaration_of(note) for note in notes if isinstance(note, Declaration | Limits)]
        if found and field.init:
            kind = get_args(hint)[0]
            default = field.default if field.default_factory is MISSING else None
            yield Parameter(name=field.name, kind=kind, default=default, declaration=found[0])


def check_parameters(made: Any) -> None:
    """Check the fields of an object against what its class declares.

    Raises
    ------
    Fault
        With quantity, value and limit as a case file is answered.
    """
    owner: type = type(made)
    for parameter in parameters_of(owner):
        parameter.check(getattr(made, parameter.name), owner.__name__)


def made_of(owner: type, given: Mapping[str, Any], folder: Path, **others: Any) -> Any:
    """Make an object in SI units from those of its keys that a file gives.

    Parameters
    ----------
    owner : type
    given : mapping
        Key -> value.
    folder : Path
        Where paths begin.
    **others
        Values of fields [SI], whatever their keys say.

    Raises
    ------
    Fault
    """
    for parameter in parameters_of(owner):
        if parameter.name in others:
            continue
        keys = [key.name for key in parameter.keys]
        own = {key: given[key] for key in keys if key in given}
        if own:
            others[parameter.name] = parameter.value(own, folder)
        elif parameter.default is MISSING:
            raise Fault(" or ".join(keys), "none of them", "one of them", "give one")
    return owner(**others)


def words_of(owner: type) -> dict[str, str]:
    """Keys that stand for fields in messages, by the names of the fields."""
    found: dict[str, str] = {}
    for parameter in parameters_of(owner):
        declaration = parameter.declaration
        if isinstance(declaration, Inlined):
            found |= words_of(declaration.of)
        elif parameter.keys:
            found[parameter.name] = parameter.keys[0].name
    return found


def limits_of(owner: type) -> dict[str, Limits]:
    """Limits of the fields of a class that are one number each, by their names."""
    numbers = {parameter.name: number_of(parameter) for parameter in parameters_of(owner)}
    return {name: limits for name, limits in numbers.items() if limits is not None}


def declaration_of(note: Declaration | Limits) -> Declaration:
    """The declaration that an annotation is."""
    return Number(limits=note) if isinstance(note, Limits) else note


def number_of(parameter: Parameter) -> Limits | None:
    """The limits of a parameter that is one number."""
    declaration = parameter.declaration
    return declaration.bound(parameter) if isinstance(declaration, Number) else None


# --------------------------------------------------------------------------------------------- of a file
def key_of(name: str, *units: str) -> str:
    """The key of a field: its name, and how its units are written.

    Examples
    --------
    >>> key_of("damping", "N m s/rad"), key_of("torque", "rad/s", "N m"), key_of("ratio", "")
    ('damping_Nms_per_rad', 'torque_rad_per_s_Nm', 'ratio')
    """
    return "_".join([name, *(UNITS[unit].ending for unit in units if unit)])


def one_key(parameter: Parameter, name: str, kind: Any, words: str) -> tuple[Key, ...]:
    """The only key of a field, without a default; it is needed where the field is."""
    default = MISSING if parameter.default is MISSING else None
    return (Key(name=name, kind=kind, words=words, default=default),)


def described(words: str, unit: str, default: Any) -> str:
    """What a key is, with its unit and, unless the words end with it, its default."""
    before, bracket, after = words.partition(" (")
    unit = (UNITS[unit].words if unit in UNITS else "") or unit
    within = f"{before} in {unit}" if unit else before
    if bracket:
        return f"{within} ({after}"
    shown = default is not MISSING and default is not None
    return f"{within} ({_shown(default)})" if shown else within


def _shown(default: Any) -> str:
    if isinstance(default, bool):
        return "true" if default else "false"
    if isinstance(default, Sequence) and not isinstance(default, str):
        return f"[{', '.join(map(_shown, default))}]"
    return f"{default:.12g}" if isinstance(default, float) else str(default)


def rounded(value: float) -> float:
    """A number in another unit, without the round-off of the conversion."""
    return float(f"{value:.12g}")


def ranged(limits: Limits) -> Any:
    """Type of a number of a range."""
    bounds = tuple(_BOUNDS[name](limit) for name, limit in limits.bounds.items())
    kind = int if limits.whole else float
    return Annotated[(kind, *bounds)] if bounds else kind  # type: ignore[return-value]


def listed(entry: Any, least: int, most: float | None = None) -> Any:
    """Type of a list of `least` to `most` entries, of exactly `least` without `most`; infinite: of any number."""
    most = least if most is None else most
    span: list[Any] = [annotated_types.MinLen(least)] * (least > 0)
    span += [annotated_types.MaxLen(int(most))] if math.isfinite(most) else []
    return Annotated[(list[entry], *span)] if span else list[entry]  # type: ignore[return-value,valid-type]


def in_file(kind: Any) -> Any:
    """Type of a value as files have it: a tuple is a list."""
    if get_origin(kind) is tuple:
        entries = get_args(kind)
        return listed(entries[0], len(entries))
    return in_file(_bare(kind)) if NoneType in _members(kind) else kind


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _bare(kind: Any) -> Any:
    """A type without None."""
    some = [one for one in _members(kind) if one is not NoneType]
    return some[0] if len(some) == 1 else kind


@dataclass(frozen=True, kw_only=True, eq=False)
class NamedPart(ShortRepr):
    """Base of all that a machine has: a frozen dataclass with a name, whose fields say what a case file has of them.

    Parameters
    ----------
    name : str
        By which other parts, messages and results call it; :meth:`alegear.Machine.add` gives it.

    Attributes
    ----------
    TABLE : str
        Heading of its tables in case files; empty: it is made in Python alone.
    """

    TABLE: ClassVar[str] = ""

    name: str = ""

    def __post_init__(self) -> None:
        """Check what is declared; parts with rules of their own add them."""
        check_type(self, "name", str)
        check_parameters(self)

    @property
    def label(self) -> str:
        """Its name in messages; as long as it has none, what it is."""
        return self.name or type(self).__name__
