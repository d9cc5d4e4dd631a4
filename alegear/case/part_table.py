"""Tables of case files made from parts, whose fields say what their keys are (:mod:`alegear.parameters`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args, get_origin

from pydantic import BeforeValidator, Field, create_model

from alegear.case.case_file import CaseFile
from alegear.case.schema import Table
from alegear.parameters import ALONE, Key, NamedPart, made_of, parameters_of, words_of


class PartTable(Table):
    """The table of a class whose fields are declared.

    Attributes
    ----------
    MAKES : type
        The class.
    WORDS : mapping of str to str
        Fields -> keys that stand for them in messages.
    """

    MAKES: ClassVar[type]
    WORDS: ClassVar[Mapping[str, str]] = {}

    @property
    def uses_generalized_alpha(self) -> bool:
        """Whether motions of its machine are taken in steps, whatever else only turns."""
        return False

    def made(self, folder: Path, **others: Any) -> Any:
        """Make the object in SI units, with values of other fields; paths are from a folder on.

        Raises
        ------
        Fault
        """
        return made_of(self.MAKES, self.given, folder, **others)

    @property
    def given(self) -> dict[str, Any]:
        """Keys that are given, with their values."""
        return {key: getattr(self, key) for key in self.model_fields_set}

    def part(self, name: str, folder: Path) -> Any:
        """Make the part with its name; see :meth:`made`."""
        return self.made(folder, name=name)


class AnalysisTable(PartTable):
    """``[analysis]`` of one kind."""

    def analysis(self, file: CaseFile) -> Any:
        """Return the analysis in SI units; None with a fault, which goes to the file."""
        with file.made_from_table("analysis", type(self)):
            return self.made(file.path.parent)
        return None


@cache
def table_of(made: type, *only: str, without: tuple[str, ...] = (), optional: bool = False) -> type[PartTable]:
    """The table of a class, by the words of the first line of its docstring; or of some of its fields.

    Parameters
    ----------
    made : type
    *only, without : str
        Names of fields: those in this order, or all but those.
    optional : bool
        Whether none of the keys is needed.
    """
    own = [one for one in parameters_of(made) if (one.name in only or not only) and one.name not in without]
    own.sort(key=lambda one: only.index(one.name) if only else 0)
    keys = [key for parameter in own for key in parameter.keys]
    if optional:
        keys = [replace(key, default=None) if key.default is MISSING else key for key in keys]
    found: dict[str, Any] = {key.name: field_of(key) for key in keys}
    heading = made.TABLE if issubclass(made, NamedPart) else ""
    words = (made.__doc__ or "").partition("\n")[0]
    table = create_model(
        f"{made.__name__}Table",
        __base__=PartTable,
        __doc__=f"``[{heading}.NAME]``: {words}" if heading else words,
        **found,
    )
    table.MAKES = made
    table.WORDS = words_of(made)
    return table


def field_of(key: Key) -> tuple[Any, Any]:
    """A key as pydantic takes it: type and field."""
    kind = _kind(key.kind)
    if key.default is MISSING:
        return kind, Field(description=key.words)
    default = list(key.default) if isinstance(key.default, tuple) else key.default
    return (kind | None if default is None else kind), Field(default=default, description=key.words)


def _kind(kind: Any) -> Any:
    """A type with tables for classes that have parameters of their own."""
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        notes = [BeforeValidator(_in_brackets) if note == ALONE else note for note in notes]
        return Annotated[(_kind(inner), *notes)]  # type: ignore[return-value]
    if get_origin(kind) is list:
        (entry,) = get_args(kind)
        return list[_kind(entry)]  # type: ignore[misc]
    owner: Any = kind
    return table_of(owner) if is_dataclass(kind) else kind


def _in_brackets(given: Any) -> Any:
    """A list, also of a value alone."""
    return given if isinstance(given, list) else [given]


class LazyTables(Mapping[str, type[Table]]):
    """Tables by their names; those of parts are made when they are asked for.

    Parameters
    ----------
    makers : mapping of str to callable
        Each returns its table.
    """

    def __init__(self, makers: Mapping[str, Callable[[], type[Table]]]) -> None:
        self.makers = dict(makers)

    @classmethod
    def of_parts(cls, *parts: Any) -> LazyTables:
        """Those of classes of parts, by their headings."""
        return cls({part.TABLE: partial(table_of, part) for part in parts})

    @classmethod
    def of(cls, tables: Mapping[str, type[Table]]) -> LazyTables:
        """Tables that are there."""
        return cls({name: partial(tables.__getitem__, name) for name in tables})

    def __or__(self, others: LazyTables) -> LazyTables:
        return LazyTables(self.makers | others.makers)

    def __getitem__(self, name: str) -> type[Table]:
        return self.makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self.makers)

    def __len__(self) -> int:
        return len(self.makers)
