"""A study file: a case, axes over keys of it, tolerances, and the outputs requested of the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from alegear.case.case import TABLES
from alegear.case.faults import CaseFault, CaseFaults
from alegear.case.machine_file import NAMED, SINGLE
from alegear.case.tables import CaseFile, Table, check_table, read_tables

SENSE = "whether more of it is better (of an efficiency it is)"


class _Asked(Table):
    over: list[str] = Field(default=[], description="axes, or keys of them, that are conditions")
    by: Literal["worst", "mean"] = Field(default="worst", description="value over the conditions that counts")


class OptimumTable(_Asked):
    """``[optimum]``."""

    quantity: str = Field(default="te_peak_to_peak", description="quantity to make small, an efficiency large")
    largest: bool | None = Field(default=None, description=SENSE)


class ParetoTable(_Asked):
    """``[[pareto]]``."""

    quantities: list[str] = Field(default=[], description="quantities of the front, two or more")
    largest: list[str] = Field(default=[], description="quantities of which more is better (efficiencies)")
    smallest: list[str] = Field(default=[], description="quantities of which less is better (most others)")


class HarrisTable(_Asked):
    """``[harris_map]``."""

    quantity: str = Field(default="te_peak_to_peak", description="quantity over the torque")
    torque: str | None = Field(default=None, description="key of the torque")
    at: dict[str, Any] = Field(default={}, description="keys and the values of which designs are shown")
    largest: bool | None = Field(default=None, description=SENSE)


class StudyTable(Table):
    """A study file."""

    case: str = Field(description="path of the case file, from the folder of the study file")
    root_stress: bool = Field(default=True, description="whether to compute the stress in the roots (true)")
    workers: int | None = Field(default=None, ge=1, le=10_000, description="number of processes (one a core)")
    axes: dict[str, Any] = Field(default={}, description="keys of the case file with their values")
    tolerances: dict[str, Any] | None = Field(default=None, description="keys with their distributions")
    optimum: OptimumTable | None = Field(default=None, description="robust optimum")
    pareto: list[ParetoTable] = Field(default=[], description="Pareto fronts")
    harris_map: HarrisTable | None = Field(default=None, description="curves over the torque")


#: Tables with which dotted keys of case files begin.
_HEADS = {name.partition(".")[0] for name in (*TABLES, *NAMED, *SINGLE, "analysis")}


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyFile:
    """What a study file asks for.

    Parameters
    ----------
    case : Path
    axes : dict
        As :func:`alegear.study` takes them.
    tolerances : dict or None
    table : StudyTable
        The rest.
    """

    case: Path
    axes: dict[str, Any]
    tolerances: dict[str, Any] | None
    table: StudyTable

    @property
    def requested(self) -> dict[str, Any]:
        """What it asks of the result: optimum, Pareto fronts, Harris map, by the keys that it gives."""
        kinds = {name: getattr(self.table, name) for name in ("optimum", "harris_map", "pareto")}
        return {name: _given(table) for name, table in kinds.items() if table}


def _given(table: Any) -> Any:
    """Keys of a table, or of each in a list."""
    return [_given(one) for one in table] if isinstance(table, list) else table.model_dump(exclude_none=True)


def read_study(path: str | Path) -> StudyFile:
    """Read a study file; the keys of its axes are looked at when the study begins.

    Keys of axes and tolerances may stand in quotes, or without them as TOML divides them.

    Raises
    ------
    CaseFaults
    """
    path = Path(path)
    tables = read_tables(path)
    if "analysis" in tables and not {"case", "axes"} & set(tables):
        limit, remedy = "must be a study, with case and [axes], not a case", f"run it by: alegear run {path.name}"
        raise CaseFaults([CaseFault(str(path), "[analysis]", "{table}", limit, remedy)])
    file = CaseFile(tables, path, schema={"": StudyTable})
    check_table(file, "", StudyTable, file.raw)
    if file.faults:
        raise CaseFaults(file.faults)
    table: StudyTable = file.tables[""]
    return StudyFile(
        case=path.parent / table.case,
        axes=_dotted(table.axes),
        tolerances=None if table.tolerances is None else _dotted(table.tolerances),
        table=table,
    )


def _dotted(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Write nested tables that begin like a case file as dotted keys; others are axes of a name, with keys within."""
    found: dict[str, Any] = {}
    for name, content in tables.items():
        if name in _HEADS and isinstance(content, Mapping):
            found |= _flat(name, content)
        elif isinstance(content, Mapping) and any(one in _HEADS for one in content):
            found[name] = _dotted(content)
        else:
            found[name] = content
    return found


def _flat(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys of nested tables, down to lists, ranges and distributions."""
    found: dict[str, Any] = {}
    for key, value in content.items():
        own = f"{name}.{_quoted(key)}"
        ends = isinstance(value, Mapping) and set(value) & {"from", "normal", "uniform"}
        if isinstance(value, Mapping) and not ends:
            found |= _flat(own, value)
        else:
            found[own] = value
    return found


def _quoted(key: str) -> str:
    """A part of a dotted key as TOML writes it."""
    return key if key and all(c.isalnum() or c in "_-" for c in key) else f'"{key}"'
