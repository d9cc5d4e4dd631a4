"""The tables of a case file, each checked against its schema; what is wrong with them, in the words of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from alegear.case import schema
from alegear.case.faults import MISSING, CaseFault, explain_unknown_key, shown, shown_key
from alegear.errors import Fault
from alegear.limits import bound_in_words

KINDS = '"static", "dynamic", "modal" or "sweep"'


@dataclass
class CaseTables:
    """What a case file holds, and the faults that were found in it so far.

    Parameters
    ----------
    raw : dict
        As TOML has it.
    path : Path
    faults : list of CaseFault
        Grows while the file is read.
    """

    raw: dict[str, Any]
    path: Path
    faults: list[CaseFault] = field(default_factory=list)

    def checked(self) -> dict[str, Any]:
        """Check each table on its own, so that a fault in one does not hide those of the others."""
        tables: dict[str, Any] = {}
        top = {k: v for k, v in self.raw.items() if k not in schema.TABLES}
        tables[""] = self._table("", schema.TitleTable, top)
        for name, model in schema.TABLES.items():
            if name not in self.raw and name in schema.REQUIRED:
                self.fault(f"[{name}]", MISSING, "the table is needed", f"add [{name}]")
                continue
            content = self.raw.get(name, {})
            kind = self._analysis_model(content) if name == "analysis" else model
            checked = None if kind is None else self._table(name, kind, content)
            if checked is not None:
                tables[name] = checked
        return tables

    def _analysis_model(self, content: Any) -> type[schema.Table] | None:
        if not isinstance(content, dict):
            return schema.StaticTable
        kind = content.get("kind", MISSING)
        if isinstance(kind, str) and kind in schema.ANALYSES:
            return schema.ANALYSES[kind]
        if kind == MISSING:
            self.fault("analysis.kind", MISSING, "the kind is needed", f"add kind = {KINDS}")
        else:
            self.fault("analysis.kind", shown(kind), f"must be {KINDS}", "correct it")
        return None

    def _table(self, name: str, model: type[schema.Table], content: Any) -> Any:
        try:
            return model.model_validate(content)
        except ValidationError as error:
            for entry in error.errors(include_url=False):
                self._schema_fault(name, model, entry)
            return None

    def _schema_fault(self, table: str, model: type[schema.Table], entry: Mapping[str, Any]) -> None:
        """Write one finding of the schema as a fault of the case file."""
        loc = tuple(entry["loc"])
        names = tuple(part for part in loc if isinstance(part, str))
        key = table
        for part in loc:
            key += f"[{part}]" if isinstance(part, int) else f"{'.' if key else ''}{shown_key(part)}"
        holder = _holder(model, names[:-1])
        kind = entry["type"]
        context = entry.get("ctx", {})
        value = shown(entry["input"])
        if kind == "extra_forbidden":
            known = [*holder.model_fields, *(schema.TABLES if table == "" else ())]
            if table == "analysis" and (other := _other_analysis(names[-1], model)):
                self.fault(key, value, f'is a key of kind = "{other}" only', "leave it out or change the kind")
                return
            limit, remedy = explain_unknown_key(names[-1], known, _keys_of_all_tables())
            self.fault(key, value, limit, remedy)
        elif kind == "missing":
            what = holder.model_fields[names[-1]].description or names[-1]
            self.fault(key, MISSING, "the key is needed", f"give the {what}")
        elif kind in ("later", "limit"):
            self.fault(key, value, entry["msg"], context["remedy"])
        else:
            info = holder.model_fields.get(names[-1]) if names else None
            described = info.description if info is not None else None
            remedy = f"give the {described}" if described else "correct the value"
            self.fault(key, value, _limit(kind, context, entry["msg"]), remedy)

    def given(self, where: str, key: str) -> tuple[Any, bool]:
        """Return the value the file has for a dotted key of a table, and whether it has one."""
        value: Any = self.raw.get(where, {})
        for part in key.split(".") if key else ():
            if not isinstance(value, dict) or part not in value:
                return None, False
            value = value[part]
        return value, bool(key)

    def fault(self, key: str, value: str, limit: str, remedy: str) -> None:
        """Note a fault of a key."""
        self.faults.append(CaseFault(str(self.path), key, value, limit, remedy))

    def shown_or_missing(self, table: str, key: str) -> str:
        """Write the value the file has for a key as a message shows it."""
        value, found = self.given(table, key)
        return shown(value) if found else MISSING


class Section:
    """A part of the case file that is read on its own; its faults go to the file's."""

    def __init__(self, file: CaseTables) -> None:
        self.file = file

    def _fault(self, key: str, value: str, limit: str, remedy: str) -> None:
        self.file.fault(key, value, limit, remedy)

    def _given(self, where: str, key: str) -> tuple[Any, bool]:
        return self.file.given(where, key)

    @contextmanager
    def _of_table(self, where: str, model: type[BaseModel]) -> Iterator[None]:
        """Write a fault of what is made from a table as one of the key that it names and the file gives."""
        try:
            yield
        except Fault as fault:
            named = re.findall(r"[A-Za-z_0-9]+", f"{fault.quantity} {fault.remedy}")
            keys = [key for key in named if key in model.model_fields]
            key = next((key for key in keys if self._given(where, key)[1]), keys[0] if keys else "")
            given, found = self._given(where, key)
            same = found and str(given) == str(fault.value)
            self._fault(
                f"{where}.{key}" if key else f"[{where}]",
                shown(given) if found else str(fault.value),
                f"{'' if same else f'{fault.quantity} = {fault.value} '}must be {fault.limit}",
                fault.remedy,
            )

    def _shown_or_missing(self, table: str, key: str) -> str:
        return self.file.shown_or_missing(table, key)


def _holder(model: type[BaseModel], names: tuple[str, ...]) -> type[BaseModel]:
    """Return the model of the table that holds a key, going down the names of the tables."""
    for name in names:
        info = model.model_fields.get(name)
        model = (_table_in(info.annotation) if info is not None else None) or model
    return model


def _table_in(annotation: Any) -> type[BaseModel] | None:
    """Return the table that a key stands for, also one that may be left out; None if it is none."""
    for kind in (annotation, *get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def _keys_of_all_tables() -> dict[str, str]:
    """Return every key of the case file with the table it belongs to."""
    keys: dict[str, str] = {}

    def collect(model: type[BaseModel], name: str) -> None:
        for key, info in model.model_fields.items():
            inner = _table_in(info.annotation)
            if inner is not None:
                keys.setdefault(key, f"[{name}]" if name else "the top of the file")
                collect(inner, f"{name}.{key}".lstrip("."))
            else:
                keys.setdefault(key, f"[{name}]")

    for name, model in schema.TABLES.items():
        collect(model, name)
    for analysis in schema.ANALYSES.values():
        collect(analysis, "analysis")
    return keys


def _other_analysis(key: str, model: type[BaseModel]) -> str | None:
    """Return the kind of analysis, other than the one of `model`, that knows a key."""
    for kind, other in schema.ANALYSES.items():
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
