"""From the tables of a case file to the fields of a case, in SI units.

The sections are the only ones that know millimetres, degrees, micrometres and revolutions per minute: everything that
leaves them is in SI units. Each table is checked against its keys, then section by section is read; every fault is
noted, none ends the reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, Field, ValidationError

from alegear.case.case_text import is_machine, no_case
from alegear.case.faults import MISSING, CaseFault, shown, shown_key
from alegear.case.rules import broken_rules
from alegear.case.sections import SECTIONS
from alegear.case.tables import CaseFile, Section, Table
from alegear.case.unknown_keys import explain_unknown_key
from alegear.contact.numbering import GEARS
from alegear.limits import bound_in_words


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
