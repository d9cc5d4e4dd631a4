"""What all tables of a case file share, and what a section of it is.

A section is a file beside this one, and one line in :mod:`alegear.case.sections`: the tables with their keys in the
units that the keys name, the way from them to objects in SI units, and the rules that concern it. The limits of the
keys are those of the objects, which keep out what no gear has and what would end the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from alegear.case.case_file import CaseFile
from alegear.limits import Limits


class Table(BaseModel):
    """A table of the case file: no unknown keys, no silent conversions, finite numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
    #: Words of messages -> the keys that they are about, where these have other names.
    WORDS: ClassVar[Mapping[str, str]] = {}


def limited(limits: Limits, description: str, **options: Any) -> Any:
    """Return a field with the limits of the object that the number goes to."""
    return Field(description=description, **limits.bounds, **options)


def limited_number(limits: Limits) -> Any:
    """Return the type of a number in a list, with the limits of the object that it goes to."""
    return Annotated[float, Field(**limits.bounds)]


def listed(entry: Any, least: int, most: int | None = None) -> Any:
    """Return the type of a list of `least` to `most` entries, of exactly `least` without `most`."""
    return Annotated[list[entry], Field(min_length=least, max_length=least if most is None else most)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Section:
    """A section of the case file.

    Parameters
    ----------
    tables : mapping
        Name -> keys of each of its tables.
    kinds : mapping
        Name -> keys for each value of the key ``kind``, where that decides of them.
    required : bool
        Whether a case file without these tables is refused.
    read : callable
        Returns the fields of a case by name, from the tables of a file that could be read; what it cannot make it
        leaves out, and notes the fault in the file.
    rules : tuple of callable
        Each takes fields of a case by their names and yields what it refuses (:mod:`alegear.case.rules`).
    """

    tables: Mapping[str, type[Table]]
    kinds: Mapping[str, type[Table]] = field(default_factory=dict)
    required: bool = False
    read: Callable[[CaseFile], Mapping[str, Any]]
    rules: tuple[Callable[..., Any], ...] = ()
