"""Tables of parts and quantities, with units in words, and of what ``alegear check`` derives from a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from alegear.cli.printing import new_console
from alegear.errors import one_line


def new_table(title: str, columns: dict[str, Any], rows: Iterable[Sequence[str]] = ()) -> Any:
    """A table with columns of names that fold where the window is narrow; rows are texts without markup."""
    from rich.table import Table

    table = Table(title=plain(title) if title else None, title_justify="left")
    for column, justify in columns.items():
        table.add_column(column, justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*map(plain, row))
    return table


#: Parts side by side in a table: more would be unreadable in a window of usual width.
_SIDE_BY_SIDE = 4


def part_tables(kind: str, named: dict[str, dict[str, Any]], title: str | None) -> Iterator[Any]:
    """Tables of parts of a kind: a column a part, a row a quantity."""
    names = list(named)
    for first in range(0, len(names), _SIDE_BY_SIDE):
        some = names[first : first + _SIDE_BY_SIDE]
        table = new_table("" if first or title is None else title, {kind.replace("_", " "): "left"})
        for name in some:  # a mesh may be called "meshes"
            table.add_column(plain(name), justify="right", overflow="fold")
        for key in dict.fromkeys(key for name in some for key in named[name]):
            table.add_row(label(key), *(plain(cell(named[name].get(key))) for name in some))
        yield table


def plain(text: str) -> str:
    """A text as it is, whatever looks like markup in it."""
    from rich.markup import escape

    return str(escape(one_line(text)))


def cell(value: Any) -> str:
    """A value of a part in words."""
    if isinstance(value, list):
        return ", ".join(cell(one) for one in value)
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.6g}"


#: Units at the end of printed keys, an ending of another one behind it.
_UNITS = (
    "Nms2_per_rad2", "Nms_per_rad", "Nm_per_rad", "N_per_mm_um", "N_per_mm3", "N_per_um", "N_per_m", "MPa_m_per_s",
    "m_per_s", "kg_m2",
    "pitches", "rpm", "urad", "MPa", "deg", "mm", "um", "kg", "Hz", "MB", "Nm", "N", "W", "K", "C", "m", "s",
)  # fmt: skip


def label(key: str) -> str:
    """Return a key with its unit in words: ``d_b_mm`` -> ``d_b mm``."""
    for unit in _UNITS:
        if key.endswith(f"_{unit}"):
            words = unit.replace("mm_um", "(mm um)").replace("_per_", "/").replace("_m2", " m2").replace("a_m/", "a m/")
            return f"{key[: -len(unit) - 1]} {words}"
    return key


def print_gear_data(title: str, data: dict[str, Any]) -> None:
    """Tables of what a case of two gears has."""
    console, gears = new_console(), [data[gear] for gear in ("pinion", "wheel")]
    known = [key for key in gears[0] if any(gear[key] is not None for gear in gears)]
    columns = {"": "left", "pinion": "right", "wheel": "right"}
    tables = [
        new_table(title, columns, ((label(key), *(cell(gear[key]) for gear in gears)) for key in known)),
        new_table("", {"pair": "left", "": "right"}, ((label(key), cell(one)) for key, one in data["pair"].items())),
        *part_tables("deviations", data["deviations"], None),
        *flank_tables(data["flanks"]),
    ]
    for table in tables:
        console.print(table)
    console.print("The bores are held to rigid shafts; what is between bore and root circle (rim_modules) is elastic.")


def flank_tables(flanks: dict[str, dict[str, dict[str, float | None]]]) -> Iterator[Any]:
    """Tables of the points of flanks: one a gear, a row a point from root to tip."""
    for gear, at in flanks.items():
        keys = list(next(iter(at.values())))
        columns = {gear: "left", **{label(key).replace("_", " "): "right" for key in keys}}
        yield new_table("", columns, ((_POINTS[point], *(cell(one[key]) for key in keys)) for point, one in at.items()))


#: What the points of a flank are called.
_POINTS = {
    "Ff": "root form (Ff)",
    "Nf": "active root (Nf)",
    "LPSTC": "LPSTC",
    "C": "pitch point (C)",
    "HPSTC": "HPSTC",
    "Fa": "tip form (Fa)",
    "Na": "active tip (Na)",
    "a": "tip",
}


def print_machine_data(title: str, data: dict[str, Any]) -> None:
    """Tables of what a machine has, parts side by side."""
    console = new_console()
    if "degrees_of_freedom_in_space" in data:
        _print_spatial_data(console, title, data)
        return
    if "degrees_of_freedom" in data:
        _print_rotational_data(console, title, data)
        title = ""
    parts = {key: value for key, value in data.items() if key not in (*_OF_ROTATIONAL, "flanks", "warnings") and value}
    for number, (kind, named) in enumerate(parts.items()):
        for table in part_tables(kind, named, title if not number else None):
            console.print(table)
    for table in flank_tables(data.get("flanks", {})):
        console.print(table)


#: Keys of a torsional machine.
_OF_ROTATIONAL = ("bodies", "parts", "degrees_of_freedom")


def _print_rotational_data(console: Any, title: str, data: dict[str, Any]) -> None:
    """Bodies and torsional parts, a row each, and how many of their speeds are free."""
    from alegear.system.builder import GROUND

    columns = {"body": "left", "inertia kg m2": "right", "start rpm": "right", "turns with": "left", "ratio": "right"}
    bodies = (
        (
            name,
            *(cell(one[key]) for key in ("inertia_kg_m2", "speed_rpm")),
            one["turns_with"] or "",
            "" if one["ratio"] is None else cell(one["ratio"]),
        )
        for name, one in data["bodies"].items()
    )
    console.print(new_table(title, columns, bodies))
    parts, default = [], {("to", GROUND), ("housing", GROUND)}
    for name, one in data["parts"].items():
        places = ", ".join(" ".join(place) for place in one["places"].items() if place not in default)
        given = {key: value for key, value in one.items() if value and key not in ("kind", "places")}
        numbers = ", ".join(f"{label(key)} {cell(value)}" for key, value in given.items())
        parts.append((name, one["kind"].replace("_", " "), places, numbers))
    console.print(new_table("", {"part": "left", "kind": "left", "places": "left", "": "left"}, parts))
    free = data["degrees_of_freedom"]
    line = f"degrees of freedom: {free['open']} with clutches, brakes and freewheels open, {free['closed']} with all"
    console.print(f"{line} of them closed", highlight=False, soft_wrap=True)


def _print_spatial_data(console: Any, title: str, data: dict[str, Any]) -> None:
    """Bodies in space, gears and what joins them, a row each, and how many degrees of freedom are left."""
    bodies, gears, parts = (data[f"{kind}_in_space"].items() for kind in ("bodies", "gears", "parts"))
    tables = [
        new_table(
            title,
            {"body": "left", "mass kg": "right", "position mm": "right"},
            ((name, cell(one["mass_kg"]), cell(one["position_mm"])) for name, one in bodies),
        ),
        new_table(
            "",
            {"gear": "left", "body": "left", "teeth": "right", "pitch diameter mm": "right"},
            ((name, *(cell(one[key]) for key in ("body", "teeth", "pitch_diameter_mm"))) for name, one in gears),
        ),
        new_table(
            "",
            {"part": "left", "kind": "left", "between": "left"},
            ((name, one["kind"].replace("_", " "), ", ".join(one["between"])) for name, one in parts),
        ),
    ]
    for table in tables:
        if table.row_count or table is not tables[1]:
            console.print(table)
    free = data["degrees_of_freedom_in_space"]
    line = f"degrees of freedom: {free['left']}, of {free['coordinates']} coordinates and {free['equations']} equations"
    console.print(line, highlight=False, soft_wrap=True)
