"""The reference of case files: every key with unit, values, default and limits, as the tables have them."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic.fields import FieldInfo

from alegear.case import machine_file
from alegear.case.case import KINDS, TABLES
from alegear.case.machine_tables import KINDS as ROLLING
from alegear.case.motion_in_time import RotationalMotionTable
from alegear.case.rotational import ROTATIONAL
from alegear.case.spatial import SPATIAL
from alegear.case.tables import Table, TitleTable
from alegear.drivetrain.laws import keys_of, mesh_laws
from alegear.limits import bound_in_words

BOUNDS = ((Gt, "gt"), (Ge, "ge"), (Lt, "lt"), (Le, "le"))
UNITS = {
    "_kg_per_m3": "kg/m³",
    "_kg_m3": "kg/m³",
    "_Nms2_per_rad2": "N m s²/rad²",
    "_Nms_per_rad": "N m s/rad",
    "_Nm_per_rad": "N m/rad",
    "_N_per_mm3": "N/mm³",
    "_Ns_per_mm3": "N s/mm³",
    "_N_per_um": "N/µm",
    "_N_per_m": "N/m",
    "_Ns_per_m": "N s/m",
    "_mm_per_s": "mm/s",
    "_m_per_s": "m/s",
    "_rad_per_s": "rad/s",
    "_kg_m2": "kg m²",
    "_m_s2": "m/s²",
    "_g_mm": "g mm",
    "_N_m_rad_s": "N s/m, N s, N m s",
    "_N_m_rad": "N/m, N, N m",
    "_rad_per_s_Nm": "rad/s, N m",
    "_s_rpm": "s, rpm",
    "_s_Nm": "s, N m",
    "_s_N": "s, N",
    "_s_deg": "s, °",
    "_s_mm": "s, mm",
    "_W_per_mK": "W/(m K)",
    "_J_per_kgK": "J/(kg K)",
    "_mPas": "mPa s",
    "_MPa": "MPa",
    "_GPa": "GPa",
    "_rpm": "rpm",
    "_Nm": "N m",
    "_Hz": "Hz",
    "_deg": "°",
    "_kg": "kg",
    "_um": "µm",
    "_us": "µs",
    "_mm": "mm",
    "_m2": "m²",
    "_s": "s",
    "_m": "m",
    "_N": "N",
    "_C": "°C",
}
IN_UNITS = re.compile(
    r",? in (?:micrometres|degrees Celsius|degrees|W/\(m K\)|J/\(kg K\)"
    r"|mm/s|m/s2|m/s|rad/s|mm|m2|m|um|us|kg m2|kg/m3|kg|g mm|rpm|Hz|GPa|MPa|mPa s"
    r"|N m s2/rad2|N m s/rad|N m/rad|N m|N s/mm3|N s/m|N/mm3|N/um|N/m|N|s)(?=$|,|:| \(| to | at )"
)
QUOTES = '`"'
DEFAULT_IN_WORDS = re.compile(r" \(([^()]*)\)$")


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key as the reference shows it."""

    name: str
    unit: str
    values: str
    default: str
    limits: str
    description: str


@dataclass(frozen=True, kw_only=True)
class Described:
    """A table as the reference shows it: its heading, what it is, and its keys."""

    heading: str
    words: str
    keys: tuple[Key, ...]


def unit_of(key: str) -> str:
    """Return the unit that stands at the end of a key; empty for none."""
    endings = [ending for ending in UNITS if key.endswith(ending)]
    return UNITS[max(endings, key=len)] if endings else ""


def key_of(name: str, field: FieldInfo) -> Key:
    """Return what is known of a key."""
    words = (field.description or "").strip()
    given = DEFAULT_IN_WORDS.search(words)
    default = "" if field.is_required() else in_words(field.get_default(call_default_factory=True))
    if given and (
        default in ("", "none") or re.search(rf"(?<![\d.]){re.escape(default.strip(QUOTES))}(?![\d.])", given.group(1))
    ):
        words = words[: given.start()]
        default = "" if field.is_required() else given.group(1)
    if field.is_required():
        default = "needed"
    inner = table_in(field.annotation)
    values = values_of(field.annotation)
    if inner is not None:
        values = f"{'tables' if get_origin(_bare(field.annotation)) is list else 'table'} `{name}`"
    return Key(
        name=name,
        unit=unit_of(name),
        values=values,
        default="" if inner and not field.is_required() else default,
        limits="; ".join(limits_of(field.annotation, field.metadata)),
        description=(without_unit(words, name) or (_words(inner).rstrip(".") if inner else "")),
    )


def without_unit(words: str, key: str) -> str:
    """Return a description without the unit that has a column of its own."""
    if not unit_of(key) or " in s, " in words or "pairs of" in words or "rows of" in words:
        return words
    return IN_UNITS.sub("", words)


def in_words(default: Any) -> str:
    """Return a default as a case file would have it."""
    if default is None or default == []:
        return "none"
    if isinstance(default, bool):
        return "true" if default else "false"
    if isinstance(default, str):
        return f'`"{default}"`'
    if isinstance(default, list):
        return f"[{', '.join(in_words(one) for one in default)}]"
    if isinstance(default, float):
        return f"{default:.12g}"
    return str(default)


def _bare(kind: Any) -> Any:
    """Return a type without None and without what it is annotated with."""
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        some = [one for one in get_args(kind) if one is not type(None)]
        return _bare(some[0]) if len(some) == 1 else kind
    return kind


def table_in(kind: Any) -> type[Table] | None:
    """Return the table that a key, or each entry of its list, is; None if it is none."""
    kind = _bare(kind)
    if get_origin(kind) is list:
        return table_in(get_args(kind)[0])
    return kind if isinstance(kind, type) and issubclass(kind, Table) else None


def values_of(kind: Any) -> str:
    """Return the values that a key takes, in words."""
    bare = _bare(kind)
    if get_origin(bare) is Literal:
        return ", ".join(in_words(one) if isinstance(one, str) else f"`{in_words(one)}`" for one in get_args(bare))
    if get_origin(bare) in (Union, types.UnionType):
        return " or ".join(values_of(one) for one in get_args(bare) if one is not type(None))
    if get_origin(bare) is list:
        inner = values_of(get_args(bare)[0])
        return f"list of {'lists' + inner.removeprefix('list') if inner.startswith('list') else inner + 's'}"
    if get_origin(bare) is dict:
        return "table"
    words = {float: "number", int: "whole number", bool: "true, false", str: "text"}
    return words.get(bare, "whole number or text")


def limits_of(kind: Any, metadata: list[Any]) -> Iterator[str]:
    """Yield the limits of a key: how many entries it has, those of lists in it, and those of each number."""
    levels, counts, others = _levels(kind), dict[int, str](), dict[int, list[str]]()
    for level, counted, words in _limits(kind, metadata, 0):
        if counted:
            counts[level] = words
        else:
            others.setdefault(level, []).append(words)
    if counts:
        names = ["entries" if level == levels - 1 else "lists" for level in range(max(counts) + 1)]
        words = " of ".join(f"{counts.get(level, '')} {name}".strip() for level, name in enumerate(names))
        yield "at least 1 entry" if words == "at least 1 entries" else words
    for level, words in others.items():
        yield from words if level == 0 else [f"each {', '.join(words)}"]


def _levels(kind: Any) -> int:
    """How many lists are in each other."""
    bare = _bare(kind)
    if get_origin(bare) in (Union, types.UnionType):
        return max(_levels(one) for one in get_args(bare))
    return 1 + _levels(get_args(bare)[0]) if get_origin(bare) is list else 0


def _limits(kind: Any, metadata: list[Any], level: int) -> Iterator[tuple[int, bool, str]]:
    """Yield each limit with the number of lists that it is in, and whether it is a number of entries."""
    least = next((one.min_length for one in metadata if isinstance(one, MinLen)), None)
    most = next((one.max_length for one in metadata if isinstance(one, MaxLen)), None)
    if least is not None or most is not None:
        span = f"{least}" if least == most else f"at least {least}" if most is None else f"{least or 0} to {most}"
        yield (level, False, f"{span} characters") if _bare(kind) is str else (level, True, span)
    bounds = {name: getattr(one, name) for one in metadata for which, name in BOUNDS if isinstance(one, which)}
    if {"ge", "le"} <= bounds.keys():
        yield level, False, f"{bounds['ge']:.12g} to {bounds['le']:.12g}"
    else:
        yield from ((level, False, bound_in_words(bound, float(limit))) for bound, limit in bounds.items())
    if get_origin(kind) is Annotated:
        notes = get_args(kind)[1:]
        flat = [note for one in notes for note in (one.metadata if isinstance(one, FieldInfo) else [one])]
        yield from _limits(get_args(kind)[0], flat, level)
    elif get_origin(kind) in (Union, types.UnionType):
        for one in get_args(kind):
            yield from _limits(one, [], level)
    elif get_origin(kind) is list:
        yield from _limits(get_args(kind)[0], [], level + 1)


def _words(table: type[Table] | None) -> str:
    """Return what a table is: the first line of its docstring after the heading."""
    written = next((one.__doc__ for one in (table.__mro__ if table else ()) if one.__doc__), "")  # mesh_table has none
    line = written.strip().partition("\n")[0]
    line = re.sub(r":class:`~?([^`]*)`", r"``\1``", line)
    return line.partition("``: ")[2] if line.startswith("``") else ""


def described(heading: str, table: type[Table]) -> Iterator[Described]:
    """Yield a table and those inside of it."""
    fields = table.model_fields
    yield Described(
        heading=heading,
        words=_words(table),
        keys=tuple(key_of(field.alias or name, field) for name, field in fields.items()),
    )
    for name, field in fields.items():
        inner = table_in(field.annotation)
        if inner is not None:
            many = get_origin(_bare(field.annotation)) is list
            where = heading.lstrip("[").split("]")[0]
            yield from described(f"[[{where}.{name}]]" if many else f"[{where}.{name}]", inner)


def tables() -> dict[str, list[tuple[str, type[Table]]]]:
    """Return the tables of each kind of case file by their headings."""
    pair = [("the top of the file", TitleTable)]
    for name, table in TABLES.items():
        if name in KINDS:
            pair += [(f'[{name}] with kind = "{kind}"', keys) for kind, keys in KINDS[name].items()]
        else:
            pair.append((f"[{name}]", table))
    machine: list[tuple[str, type[Table]]] = [(f"[{name}]", table) for name, table in machine_file.SINGLE.items()]
    for name, table in machine_file.NAMED.items():
        if name not in ROTATIONAL and name not in SPATIAL:
            machine.append((f"[{name}.NAME]", table))
        if name == "bearings":
            machine += [(f"[bearings.NAME] with {key}", keys) for key, keys in ROLLING.items()]
    machine += [(f'[analysis] with kind = "{kind}"', keys) for kind, keys in machine_file.ANALYSES.items()]
    turning = [(f"[{name}.NAME]", table) for name, table in ROTATIONAL.items()]
    turning.append(('[analysis] with kind = "dynamic"', RotationalMotionTable))
    space = [(f"[{name}.NAME]", table) for name, table in SPATIAL.items()]
    space += [(f'[analysis] with kind = "{kind}"', keys) for kind, keys in machine_file.ANALYSES_IN_SPACE.items()]
    return {"pair": pair, "machine": machine, "torsional_parts": turning, "bodies_in_space": space}


TITLES = {
    "pair": ("Keys of a pair", "Two gears: `alegear run CASE.toml`. How they go together: [](../../case_guide.md)."),
    "machine": (
        "Keys of a machine",
        "Shafts, gears, meshes, bearings, drives and loads. The guide: [](../../machines.md).",
    ),
    "torsional_parts": (
        "Keys of torsional parts",
        "Tables of the same `[machine]`. The guide: [](../../torsional_parts.md), [](../../planetary_sets.md).",
    ),
    "bodies_in_space": (
        "Keys of bodies in space",
        "Tables of a `[machine]` of their own. The guide: [](../../bodies_in_space.md).",
    ),
}


def pages() -> dict[str, str]:
    """Return all pages by their names."""
    shown: dict[tuple[tuple[Key, ...], str], tuple[str, str]] = {}
    return {name: page(name, shown) for name in TITLES}


def page(name: str, shown: dict[tuple[tuple[Key, ...], str], tuple[str, str]]) -> str:
    """Return the page of one kind of case file.

    Tables with the same keys are shown once, as those of the pinion and of the wheel, on all pages; `shown` has page
    and heading of those that have been.
    """
    title, words = TITLES[name]
    lines = [f"# {title}", "", words, ""]
    headings = set()
    for heading, table in tables()[name]:
        for one in described(heading, table):
            same = shown.setdefault((one.keys, one.words), (name, one.heading))
            again = one.heading in headings  # of another kind of the table it is in
            if same == (name, one.heading) and again:
                continue
            headings.add(one.heading)
            lines += [f"## `{one.heading}`" if one.heading.startswith("[") else f"## {one.heading.capitalize()}", ""]
            if same != (name, one.heading):
                where, of = ("", "") if same[0] == name else (f"{same[0]}.md", f" of {TITLES[same[0]][0]}")
                lines += [f"As [`{same[1]}`]({where}#{anchor(same[1])}){of}.", ""]
                continue
            if one.words:
                lines += [one.words[:1].upper() + one.words[1:].rstrip(".") + ".", ""]
            lines += rows(one.keys)
        if heading == "[meshes.NAME]":
            lines += laws()
    return "\n".join(lines)


def anchor(heading: str) -> str:
    """Return what links to a heading say, as MyST has it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def rows(keys: tuple[Key, ...]) -> list[str]:
    """Return the rows of a table of keys, first those that are needed."""
    lines = ["| key | unit | values | default | limits | meaning |", "|---|---|---|---|---|---|"]
    for key in sorted(keys, key=lambda one: one.default != "needed"):
        cells = (f"`{key.name}`", key.unit, key.values, key.default, key.limits, key.description)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*lines, ""]


def laws() -> list[str]:
    """Return which keys of a mesh belong to which law."""
    lines = ["Keys of `[meshes.NAME]` that only some laws take:", "", "| key | `fidelity` |", "|---|---|"]
    takes: dict[str, list[str]] = {}
    for word, law in mesh_laws().items():
        for key in keys_of(law):
            takes.setdefault(key.name, []).append(word)
    for key, words in sorted(takes.items()):
        lines.append(f"| `{key}` | {', '.join(words)} |")
    return [*lines, ""]
