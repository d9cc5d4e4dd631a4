"""From the text of a case file to its tables, and from these to the fields of a case, in SI units.

The sections are the only ones that know millimetres, degrees, micrometres and revolutions per minute: everything that
leaves them is in SI units. Each table is checked against its keys, then section by section is read; every fault is
noted, none ends the reading. What is no TOML, and which key is meant by an unknown one, is said in the words of who
wrote it.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, Field, ValidationError

from alegear.case.faults import MISSING, CaseFault, CaseFaults, shown, shown_key
from alegear.case.rules import broken_rules
from alegear.case.sections import SECTIONS
from alegear.case.tables import CaseFile, Section, Table
from alegear.contact.numbering import GEARS
from alegear.limits import bound_in_words
from alegear.storage.whole_file import CASE_BYTES, read_regular, reason_of
from alegear.units import UNITS

#: Parts of a dotted key that a file may have: readers of TOML take time by the square of their number.
MOST_PARTS = 50
#: Letters of a text or a key that a file may have: a path has at most so many.
LONGEST_TEXT = 4096
_MANY_PARTS = re.compile(rf"(?<![\w\"'.-])[\w\"'-]+(?:[ \t]*+\.[ \t]*+[\w\"'-]++){{{MOST_PARTS},}}")
_MANY_DIGITS = re.compile(r"\d(?:_?\d){4300,}")
_PLACE = re.compile(r" \(at line (\d+), column \d+\)$")
_NUMBER = r"[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
#: key = value, a remark behind it.
_ENTRY = re.compile(r"^\s*(?P<key>[\w.\"'-]+)\s*=\s*(?P<value>.*?)\s*(?:#.*)?$")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_UNIT_BEHIND = re.compile(rf"({_NUMBER})\s*([^\s\d,.eE_].*)")
_BARE_WORD = re.compile(r"[A-Za-z][\w -]*")


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


class TomlFault(NamedTuple):
    """Where the text breaks off being TOML, what must be there, and what to do."""

    place: str
    limit: str
    remedy: str


def size_fault(text: str) -> TomlFault | None:
    """Find what no reader of TOML should be given: a key of so many parts that it would not come to an end."""
    found = _MANY_PARTS.search(text)
    if found is None:
        return None
    return TomlFault(_line_at(text, found.start()), f"must have keys of at most {MOST_PARTS} parts", "correct the line")


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
    told = [(one, name) for one, name in inner if isinstance(one, str | dict | list)]
    return next((fault for one, name in told if (fault := text_fault(one, name)) is not None), None)


def toml_fault(text: str, message: str) -> TomlFault:
    """Explain what the reader of TOML says of a text.

    Parameters
    ----------
    text : str
    message : str
        Of the reader, which names line and column.

    Examples
    --------
    >>> fault = toml_fault("torque_Nm = 15,0", "Expected newline (at line 1, column 15)")
    >>> fault.place, fault.remedy
    ('line 1 (torque_Nm = 15,0)', 'write 15.0')
    """
    found = _PLACE.search(message)
    digits = _MANY_DIGITS.search(text) if message.startswith("Exceeds the limit") else None
    if digits is not None:
        limit = "must be a number of at most 4300 digits"
        return TomlFault(_line_at(text, digits.start()), limit, "correct the number")
    if found is None:
        return TomlFault(message, "must be TOML in UTF-8", "correct the end of the file: a bracket or quote is open")
    number = int(found[1])
    lines = text.splitlines()
    line = lines[number - 1].strip() if number <= len(lines) else ""
    limit, remedy = _explained(line, message[: found.start()])
    return TomlFault(_named(number, line), limit, remedy)


def _line_at(text: str, place: int) -> str:
    """Name the line of a place in a text."""
    number = text.count("\n", 0, place) + 1
    return _named(number, text.splitlines()[number - 1].strip())


def _named(number: int, line: str) -> str:
    return f"line {number} ({line if len(line) <= 60 else line[:57] + '...'})"


def _explained(line: str, message: str) -> tuple[str, str]:
    """Say what must be in a line, and what to do."""
    entry = _ENTRY.match(line)
    if message.startswith("Cannot overwrite") and entry:
        return "must be the only value of this key in its table", f"leave one {entry['key']}"
    if message.startswith("Cannot declare"):
        return "must be the only table of this name", f"put all keys below one {line}"
    if entry is None:
        if line.startswith("["):
            return "must be the name of a table in brackets", "close the bracket"
        return "must be key = value", "put = between key and value, # before a remark"
    value = entry["value"]
    if _DECIMAL_COMMA.fullmatch(value):
        return "must be a number with a decimal point", f"write {value.replace(',', '.')}"
    unit = _UNIT_BEHIND.fullmatch(value)
    if unit:
        return "must be a number alone: the unit is in the key", f"leave out {unit[2]}"
    if _BARE_WORD.fullmatch(value):
        return "must be a text in quotes, or a number", f'write "{value}"'
    if value[:1] in ('"', "'") and (len(value) == 1 or value[-1] != value[0]):
        return "must be a text in quotes", "close the quote"
    if not value:
        return "must have a value", "give it behind the ="
    return f"must be TOML ({message[:1].lower()}{message[1:]})", "correct the line"


#: Endings of keys that name a unit, the longest first so that the whole ending is taken off; some that no key has.
ENDINGS = sorted({*(unit.ending for unit in UNITS.values()), "kg_m3", "cm", "ms", "Pa"} - {""}, key=len, reverse=True)
#: What is given in another way elsewhere -> the key in its place, and how it follows.
IN_OTHER_WORDS = {
    "tip_diameter_mm": (
        "tip_alteration_factor",
        "give tip_alteration_factor, half of tip diameter less reference diameter in modules, less addendum_factor and"
        " profile_shift",
    ),
    "root_diameter_mm": (
        "dedendum_factor",
        "give dedendum_factor, half of reference diameter less root diameter in modules, and profile_shift",
    ),
    "wheel_torque_Nm": (
        "pinion_torque_Nm",
        "give pinion_torque_Nm, that of the wheel times teeth of the pinion over teeth of the wheel",
    ),
    "wheel_speed_rpm": (
        "pinion_speed_rpm",
        "give pinion_speed_rpm, that of the wheel times teeth of the wheel over teeth of the pinion",
    ),
    "topography_csv": ("topography", 'write topography = { file = "...", sign = "metal-positive" }'),
}
_UNIT = re.compile(rf"_(?:{'|'.join(ENDINGS)})$", re.IGNORECASE)


def stem(key: str) -> str:
    """Return a key without the unit at its end."""
    return _UNIT.sub("", key)


def explain_unknown_key(key: str, known: Iterable[str], elsewhere: Mapping[str, str]) -> tuple[str, str]:
    """Say why a key is unknown and what is most likely meant.

    Parameters
    ----------
    key : str
        The key met.
    known : iterable of str
        Keys of the table it stands in.
    elsewhere : mapping
        Keys of the other tables -> name of that table.

    Returns
    -------
    limit, remedy : str
    """
    keys = list(known)
    if key in IN_OTHER_WORDS and IN_OTHER_WORDS[key][0] in keys:
        return "no such key", IN_OTHER_WORDS[key][1]
    for candidate in keys:
        # what stands behind the last "_" may be a unit that no key has, such as kNm
        same = stem(candidate).lower() in (stem(key).lower(), key.rpartition("_")[0].lower())
        if key != candidate and same and stem(candidate) != candidate:
            unit = candidate[len(stem(candidate)) + 1 :]
            missing = key.lower() == stem(candidate).lower()
            problem = "the unit is missing in the key" if missing else "that is not the unit of this key"
            return problem, f"write {candidate} (unit {unit.replace('_per_', '/')})"
    begun = [one for one in keys if stem(one).startswith(f"{stem(key)}_")]
    if len(begun) > 1:
        return "no such key", f"keys that begin like it are {', '.join(begun)}"
    close = difflib.get_close_matches(key, keys, n=1, cutoff=0.6)
    if close:
        return "no such key", f"the nearest key is {close[0]}"
    if key in elsewhere:
        return "no such key in this table", f"{key} belongs to {elsewhere[key]}"
    close = difflib.get_close_matches(stem(key), [stem(k) for k in keys], n=1, cutoff=0.5)
    if close:
        return "no such key", f"the nearest key is {next(k for k in keys if stem(k) == close[0])}"
    far = difflib.get_close_matches(key, list(elsewhere), n=1, cutoff=0.75)
    if far:
        return "no such key", f"the nearest key is {far[0]} of {elsewhere[far[0]]}"
    nearest = max(keys, key=lambda k: difflib.SequenceMatcher(None, key, k).ratio())
    return "no such key", f"the nearest key is {nearest}; leave it out if it is not meant"


class TitleTable(Table):
    """Keys before the first table."""

    title: str | None = Field(default=None, description="title of the case")


#: Name -> keys of every table; of one that has kinds, those of the first kind.
TABLES: dict[str, type[Table]] = {name: keys for section in SECTIONS for name, keys in section.tables.items()}
#: Name -> kind -> keys.
KINDS: dict[str, Mapping[str, type[Table]]] = {
    name: section.kinds for section in SECTIONS for name in section.tables if section.kinds
}


def read_sections(raw: dict[str, Any], path: Path) -> CaseFile:
    """Check the tables of a case of two gears and read the sections that they give; faults are in the file.

    Raises
    ------
    CaseFaults
        For what is none of two gears.
    """
    if is_machine(raw):
        remedy = "give ag.MachineCase.from_toml"
        raise no_case(path, "[machine]", "must be a case of two gears, without [machine]", remedy)
    file = checked_tables(raw, path)
    for section in SECTIONS:
        if _is_given(section, raw):
            file.fields |= section.read(file)
    return file


def _is_given(section: Section, raw: Mapping[str, Any]) -> bool:
    """Whether tables have something of a section; else a case has its defaults."""
    own = [raw.get(gear) for gear in GEARS if section.of_gear]
    of_gear = any(isinstance(table, dict) and section.of_gear in table for table in own)
    return section.required or of_gear or not raw.keys().isdisjoint(section.tables)


def all_faults(file: CaseFile, defaults: Mapping[str, Any]) -> list[CaseFault]:
    """Faults of a file, with those of what could be read of it or, left out, has the defaults of a case."""
    unread = {name for section in SECTIONS if _is_given(section, file.raw) for name in section.fields}
    fields = {name: value for name, value in defaults.items() if name not in unread} | file.fields
    return [*file.faults, *(as_written(file, one) for one in broken_rules(fields, defaults, str(file.path)))]


def as_written(file: CaseFile, fault: CaseFault) -> CaseFault:
    """Name ``[grid]`` where the number of elements of a gear stands there."""
    gear, _, rest = fault.key.partition(".")
    if gear in GEARS and rest.startswith("grid.") and not file.given(gear, rest)[1]:
        return fault._replace(key=rest)
    return fault


def checked_tables(raw: dict[str, Any], path: Path) -> CaseFile:
    """Check each table of a case of two gears against its keys; what they are to each other is not looked at."""
    file = CaseFile(raw, path)
    check_tables(file)
    return file


def check_tables(file: CaseFile) -> None:
    """Check each table on its own, so that a fault in one does not hide those of the others."""
    top = {key: value for key, value in file.raw.items() if key not in TABLES}
    check_table(file, "", TitleTable, top)
    for section in SECTIONS:
        for name in section.tables:
            if section.required and name not in file.raw:
                file.fault(f"[{name}]", MISSING, "the table is needed", f"add [{name}]")
                continue
            content = file.raw.get(name, {})
            keys = _keys(file, name, content)
            if keys is not None:
                check_table(file, name, keys, content)


def _keys(file: CaseFile, name: str, content: Any) -> type[Table] | None:
    """Return the keys of a table, by its kind where it has one."""
    kinds = KINDS.get(name)
    if kinds is None or not isinstance(content, dict):
        return TABLES[name]
    kind = content.get("kind", MISSING)
    if isinstance(kind, str) and kind in kinds:
        return kinds[kind]
    *some, last = (f'"{one}"' for one in kinds)
    known = f"{', '.join(some)} or {last}"
    if kind == MISSING:
        file.fault(f"{name}.kind", MISSING, "the kind is needed", f"add kind = {known}")
    else:
        file.fault(f"{name}.kind", shown(kind), f"must be {known}", "correct it")
    return None


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
        other = _other_kind(table, names[-1], keys)
        if other is not None:
            file.fault(key, value, f'is a key of kind = "{other}" only', "leave it out or change the kind")
            return
        headings = [name.partition(".")[0] for name in file.schema or TABLES]
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

    for name, model in (file.schema or TABLES).items():
        collect(model, name)
    for name, kinds in KINDS.items() if not file.schema else ():
        for model in kinds.values():
            collect(model, name)
    return {key: " or ".join(dict.fromkeys(tables)) for key, tables in keys.items()}


def _other_kind(table: str, key: str, model: type[BaseModel]) -> str | None:
    """Return the kind of a table, other than the one of `model`, that knows a key."""
    for kind, other in KINDS.get(table, {}).items():
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
