"""Tables of a case file: from its text to tables that keep to their keys, and what a section makes of them.

A section is a file beside this one, and a line in :mod:`alegear.case.case`: the tables with their keys in the units
that the keys name, the way from them to objects in SI units, and the rules that concern it. Keys of parts follow from
their fields (:mod:`alegear.parameters`). Each table is checked against its keys on its own; every fault is noted, none
ends the reading.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING as NEEDED
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from alegear.case.faults import MISSING, CaseFault, CaseFaults, shown, shown_key
from alegear.case.remedies import TomlFault, explain_unknown_key, line_at, toml_fault
from alegear.errors import NOT_GIVEN, Fault
from alegear.limits import Limits, bound_in_words
from alegear.parameters import ALONE, Key, NamedPart, made_of, parameters_of, words_of
from alegear.storage.whole_file import CASE_BYTES, read_regular, reason_of

#: Parts of a dotted key that a file may have: readers of TOML take time by the square of their number.
MOST_PARTS = 50
#: Letters of a text or a key that a file may have: a path has at most so many.
LONGEST_TEXT = 4096
_MANY_PARTS = re.compile(rf"(?<![\w\"'.-])[\w\"'-]+(?:[ \t]*+\.[ \t]*+[\w\"'-]++){{{MOST_PARTS},}}")
#: Faults of a file that a message lists at most.
MOST_FAULTS = 100
_NO_WORDS: Mapping[str, str] = MappingProxyType({})


@dataclass
class CaseFile:
    """What a case file holds, what was read of it, and the faults that were found in it.

    Parameters
    ----------
    raw : dict
        As TOML has it.
    path : Path
    tables : dict
        Name -> table, of those that keep to their schema; one that was left out has its defaults.
    fields : dict
        Fields of the case, in SI units, that the sections made so far.
    faults : list of CaseFault
    schema : mapping
        Name as messages write it -> keys, of all tables of files of this kind; of one that has kinds those of one kind.
    kinds : mapping
        Name -> kind -> keys.
    """

    raw: dict[str, Any]
    path: Path
    tables: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    faults: list[CaseFault] = field(default_factory=list)
    schema: Mapping[str, type[BaseModel]] = field(default_factory=dict)
    kinds: Mapping[str, Mapping[str, type[BaseModel]]] = field(default_factory=dict)

    def given(self, table: str, key: str) -> tuple[Any, bool]:
        """Return the value the file has for a dotted key of a table, and whether it has one."""
        value: Any = self.raw.get(table, {})
        for part in key.split(".") if key else ():
            if not isinstance(value, dict) or part not in value:
                return None, False
            value = value[part]
        return value, bool(key)

    def shown_or_missing(self, table: str, key: str) -> str:
        """Write the value the file has for a key as a message shows it."""
        value, found = self.given(table, key)
        return shown(value) if found else MISSING

    def fault(self, key: str, value: str, limit: str, remedy: str) -> None:
        """Note a fault of a key.

        Raises
        ------
        CaseFaults
            Of more than :data:`MOST_FAULTS`: nobody reads these, and thousands take minutes to explain.
        """
        self.faults.append(CaseFault(str(self.path), key, value, limit, remedy))
        if len(self.faults) > MOST_FAULTS:
            last = f"more than {MOST_FAULTS} faults", "must be a case file", "correct these first, or check the path"
            self.faults[MOST_FAULTS:] = [CaseFault(str(self.path), "case file", *last)]
            raise CaseFaults(self.faults)

    @contextmanager
    def made_from(self, where: str) -> Iterator[None]:
        """Note a fault of the object that is made from a part of the file."""
        try:
            yield
        except Fault as fault:
            value = MISSING if fault.value == NOT_GIVEN else str(fault.value)
            self.fault(where, value, f"{fault.quantity} must be {fault.limit}", fault.remedy)

    @contextmanager
    def made_from_table(
        self, table: str, model: type[BaseModel], words: Mapping[str, str] = _NO_WORDS
    ) -> Iterator[None]:
        """Note a fault of the object that is made from a table as one of the key that it names and the file gives.

        `words` are those of messages that stand for keys of other names.
        """
        try:
            yield
        except Fault as fault:
            found_words = re.findall(r"[A-Za-z_0-9]+", f"{fault.quantity} {fault.remedy}")
            named = [words.get(word, word) for word in found_words]
            quantity, limit, remedy = (_in_keys(text, words) for text in (fault.quantity, fault.limit, fault.remedy))
            keys = [key for key in named if key in model.model_fields]
            key = next((key for key in keys if self.given(table, key)[1]), keys[0] if keys else "")
            key = self._dotted(table, model, remedy) or key
            given, found = self.given(table, key)
            missing = fault.value == NOT_GIVEN
            prefix = "" if found and shown(given) == shown(fault.value) else f"{quantity} = {fault.value} "
            if missing:  # there is no value to show, and of a key alone nothing but that
                prefix = "" if quantity == key else f"{quantity} "
            self.fault(
                f"{table}.{key}" if key else f"[{table}]",
                shown(given) if found else MISSING if missing else str(fault.value),
                f"{prefix}must be {limit}",
                remedy,
            )

    def _dotted(self, table: str, model: type[BaseModel], remedy: str) -> str:
        """The first key of a table inside a table that a remedy names, as far as the file gives it; or nothing."""
        for name, key in re.findall(r"\b([a-z_0-9]+)\.([a-z_0-9]+)", remedy):
            given = [one for one in (f"{name}.{key}", name) if name in model.model_fields and self.given(table, one)[1]]
            if given:
                return given[0]
        return ""


def _in_keys(text: str, words: Mapping[str, str]) -> str:
    """A message with the keys of the file for the names of Python, which have an underscore."""
    return re.sub(r"[A-Za-z0-9]+_[A-Za-z_0-9]+", lambda found: words.get(found[0], found[0]), text)


# --------------------------------------------------------------------------------------------- reading
def read_tables(path: Path) -> dict[str, Any]:
    """Read the tables of a case file as TOML has them.

    Raises
    ------
    CaseFaults
    """
    try:
        content = read_regular(path, CASE_BYTES)
    except OSError as error:
        reason = reason_of(error)
        raise no_case(path, reason, "must be a readable file", "check the path") from error
    return tables_of(content, path)


def is_study(tables: dict[str, Any]) -> bool:
    """Whether tables are those of a study file: no table of a case has these names."""
    return "case" in tables and bool({"axes", "tolerances"} & set(tables))


def is_machine(tables: dict[str, Any]) -> bool:
    """Whether the tables are those of a machine."""
    return "machine" in tables


def tables_of(content: bytes, path: Path) -> dict[str, Any]:
    """Return the tables of the content of a case file.

    Raises
    ------
    CaseFaults
    """
    try:
        text = content.decode("utf-8-sig")  # Notepad on Windows begins a file with a byte order mark
    except UnicodeDecodeError as error:
        reason = f"no text in UTF-8 (byte {error.start})"
        raise no_case(path, reason, "must be TOML in UTF-8", "save the file as UTF-8, or give a case file") from error
    fault = size_fault(text)
    if fault is not None:
        raise no_case(path, *fault)
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is one; of numbers with thousands of digits too
        raise no_case(path, *toml_fault(text, str(error))) from error
    fault = text_fault(tables)
    if fault is not None:
        raise no_case(path, *fault)
    return tables


def no_case(path: Path, reason: str, limit: str, remedy: str) -> CaseFaults:
    """The fault of a file that is no case as a whole."""
    return CaseFaults([CaseFault(str(path), "case file", reason, limit, remedy)])


def size_fault(text: str) -> TomlFault | None:
    """Find what no reader of TOML should be given: a key of so many parts that it would not come to an end."""
    found = _MANY_PARTS.search(text)
    if found is None:
        return None
    return TomlFault(line_at(text, found.start()), f"must have keys of at most {MOST_PARTS} parts", "correct the line")


def text_fault(value: object, key: str = "") -> TomlFault | None:
    """Find a text or a key in tables that is longer than any that is meant."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        place = f"{key[:60]} of {len(value)} letters"
        return TomlFault(place, f"must be a text of at most {LONGEST_TEXT} letters", "shorten it")
    if isinstance(value, dict):
        long = next((name for name in value if len(name) > LONGEST_TEXT), None)
        if long is not None:
            return TomlFault(f"{long[:57]}...", f"must be a key of at most {LONGEST_TEXT} letters", "correct it")
        inner = [(one, f"{key}.{name}" if key else name) for name, one in value.items()]
    else:
        inner = [(one, key) for one in value] if isinstance(value, list) else []
    texts = [(one, name) for one, name in inner if isinstance(one, str | dict | list)]
    return next((fault for one, name in texts if (fault := text_fault(one, name)) is not None), None)


# ---------------------------------------------------------------------------------------------- tables
class Table(BaseModel):
    """A table of the case file: no unknown keys, no silent conversions, finite numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
    #: Words of messages -> the keys that they are about, where these have other names.
    WORDS: ClassVar[Mapping[str, str]] = {}


class TitleTable(Table):
    """Keys before the first table."""

    title: str | None = Field(default=None, description="title of the case")


def limited(limits: Limits, description: str, **options: Any) -> Any:
    """Return a field with the limits of the object that the number goes to."""
    return Field(description=description, **limits.bounds, **options)


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

    def read(self, file: CaseFile, table: str) -> Any:
        """Make the object of a table of a file; None with a fault, which goes to the file."""
        with file.made_from_table(table, type(self)):
            return self.made(file.path.parent, **self.others(file))
        return None

    def others(self, file: CaseFile) -> dict[str, Any]:
        """Return fields that follow from several keys, in SI units; faults go to the file."""
        return {}


def read_field(name: str) -> Callable[[CaseFile], dict[str, Any]]:
    """Return how a section reads the field of a case that the table of its name makes."""

    def read(file: CaseFile) -> dict[str, Any]:
        made = None if name not in file.tables else file.tables[name].read(file, name)
        return {} if made is None else {name: made}

    return read


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
        keys = [replace(key, default=None) if key.default is NEEDED else key for key in keys]
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


def analysis_table(made: Any) -> type[PartTable]:
    """``[analysis]`` with the kind of a class and the keys of its fields."""
    kind: Any = (Literal[made.kind], Field(description="kind of analysis"))
    words = f'``[analysis]`` with ``kind = "{made.kind}"``.'
    return create_model(f"{made.__name__}Table", __base__=table_of(made), __doc__=words, kind=kind)


def field_of(key: Key) -> tuple[Any, Any]:
    """A key as pydantic takes it: type and field."""
    kind = _kind(key.kind)
    if key.default is NEEDED:
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
    of_gear : str
        Key of ``[pinion]`` and ``[wheel]`` that says of one gear what its table says of both.
    fields : tuple of str
        Fields of a case that it gives: as long as all have their defaults its rules have nothing to refuse.
    read : callable
        Returns the fields of a case by name, from the tables of a file that could be read; what it cannot make it
        leaves out, and notes the fault in the file.
    rules : tuple of callable
        Each takes fields of a case by their names and yields what it refuses (:func:`alegear.case.case.broken_rules`).
    """

    tables: Mapping[str, type[Table]]
    kinds: Mapping[str, type[Table]] = field(default_factory=dict)
    required: bool = False
    of_gear: str = ""
    fields: tuple[str, ...]
    read: Callable[[CaseFile], Mapping[str, Any]]
    rules: tuple[Callable[..., Any], ...] = ()


# ---------------------------------------------------------------------------------- tables against keys
def check_table(file: CaseFile, name: str, keys: type[Table], content: Any) -> None:
    """Check a table against its keys; what keeps to them is added to the tables of the file, else its faults are."""
    try:
        file.tables[name] = keys.model_validate(content)
    except ValidationError as error:
        for finding in error.errors(include_url=False):
            _note(file, name, keys, finding)


def _note(file: CaseFile, table: str, keys: type[Table], finding: Mapping[str, Any]) -> None:
    """Write one finding of the schema as a fault of the case file."""
    loc = tuple(finding["loc"])
    names = tuple(part for part in loc if isinstance(part, str))
    key = table
    for part in loc:
        key += f"[{part}]" if isinstance(part, int) else f"{'.' if key else ''}{shown_key(part)}"
    holder = _holder(keys, names[:-1])
    kind, context, value = finding["type"], finding.get("ctx", {}), shown(finding["input"])
    if kind == "extra_forbidden":
        other = _other_kind(file, table, names[-1], keys)
        if other is not None:
            file.fault(key, value, f'is a key of kind = "{other}" only', "leave it out or change the kind")
            return
        headings = [name.partition(".")[0] for name in file.schema]
        known = [*holder.model_fields, *(headings if table == "" else ())]
        file.fault(key, value, *explain_unknown_key(names[-1], known, _keys_of_all_tables(file)))
    elif kind == "missing":
        what = holder.model_fields[names[-1]].description or names[-1]
        file.fault(key, MISSING, "the key is needed", f"give the {what}")
    elif kind in ("later", "limit"):
        file.fault(key, value, finding["msg"], context["remedy"])
    else:
        info = holder.model_fields.get(names[-1]) if names else None
        described = info.description if info is not None else None
        remedy = f"give the {described}" if described else "correct the value"
        remedy = "write true or false" if kind == "bool_type" else remedy
        given = finding["input"]
        if kind == "int_type" and isinstance(given, float) and given.is_integer():
            file.fault(key, value, "must be a whole number, without a decimal point", f"write {given:.0f}")
            return
        if kind == "list_type" and isinstance(given, Mapping):
            file.fault(key, value, "must be a list of tables", f"write [[{key}]]")
            return
        file.fault(key, value, _limit(kind, context, finding["msg"]), remedy)


def _holder(model: type[BaseModel], names: tuple[str, ...]) -> type[BaseModel]:
    """Return the model of the table that holds a key, going down the names of the tables."""
    for name in names:
        info = model.model_fields.get(name)
        model = (table_in(info.annotation) if info is not None else None) or model
    return model


def table_in(annotation: Any) -> type[BaseModel] | None:
    """Return the table that a key stands for, or a list of them, also one that may be left out; None if it is none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((table for kind in get_args(annotation) if (table := table_in(kind)) is not None), None)


def _keys_of_all_tables(file: CaseFile) -> dict[str, str]:
    """Return every key of a case file of this kind with the tables it belongs to."""
    keys: dict[str, list[str]] = {}

    def collect(model: type[BaseModel], name: str) -> None:
        for key, info in model.model_fields.items():
            inner = table_in(info.annotation)
            if inner is not None:
                keys.setdefault(key, [f"[{name}]" if name else "the top of the file"])
                collect(inner, f"{name}.{key}".lstrip("."))
            else:
                keys.setdefault(key, []).append(f"[{name}]")

    for name, model in file.schema.items():
        collect(model, name)
    for name, kinds in file.kinds.items():
        for model in kinds.values():
            collect(model, name)
    return {key: " or ".join(dict.fromkeys(tables)) for key, tables in keys.items()}


def _other_kind(file: CaseFile, table: str, key: str, model: type[BaseModel]) -> str | None:
    """Return the kind of a table, other than the one of `model`, that knows a key."""
    for kind, other in file.kinds.get(table, {}).items():
        if other is not model and key in other.model_fields:
            return kind
    return None


def _limit(kind: str, context: Mapping[str, Any], message: str) -> str:
    """Say what a value must be, from a finding of the schema."""
    words = {
        "int_type": "must be a whole number",
        "float_type": "must be a number",
        "string_type": "must be a text in quotes",
        "bool_type": "must be true or false",
        "list_type": "must be a list [a, b, ...]",
        "finite_number": "must be a finite number",
        "model_type": "must be a table",
        "model_attributes_type": "must be a table",
    }
    if kind in words:
        return words[kind]
    if kind in ("too_short", "too_long"):
        bound = "at least" if kind == "too_short" else "at most"
        return f"must have {bound} {context['min_length' if kind == 'too_short' else 'max_length']} entries"
    if kind == "literal_error":
        return "must be " + str(context["expected"]).replace("'", '"')
    bounds = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}
    if kind in bounds:
        bound = bounds[kind]
        return f"must be {bound_in_words(bound, context[bound])}"
    return message[:1].lower() + message[1:]
