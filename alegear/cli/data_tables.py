"""Tables of what ``alegear check`` derives from a case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from alegear.cli.printing import new_console
from alegear.cli.tables import cell, label, new_table, part_tables, plain
from alegear.errors import one_line


def print_gear_data(title: str, data: dict[str, Any]) -> None:
    """Tables of what a case of two gears has."""
    from rich.markup import escape
    from rich.table import Table

    console = new_console()
    gears = Table(title=escape(one_line(title)), title_justify="left")
    gears.add_column("", overflow="fold")
    gears.add_column("pinion", justify="right")
    gears.add_column("wheel", justify="right")
    for key in data["pinion"]:
        values = [data[gear][key] for gear in ("pinion", "wheel")]
        if any(value is not None for value in values):
            gears.add_row(label(key), *map(cell, values))
    console.print(gears)
    pair = Table()
    pair.add_column("pair", overflow="fold")
    pair.add_column("", justify="right")
    for key, value in data["pair"].items():
        pair.add_row(label(key), cell(value))
    console.print(pair)
    for table in part_tables("deviations", data["deviations"], None):
        console.print(table)
    for table in flank_tables(data["flanks"]):
        console.print(table)
    console.print("The bores are held to rigid shafts; what is between bore and root circle (rim_modules) is elastic.")


def flank_tables(flanks: dict[str, dict[str, dict[str, float | None]]]) -> Iterator[Any]:
    """Tables of the points of flanks: one a gear, a row a point from root to tip."""
    for gear, at in flanks.items():
        columns = list(next(iter(at.values())))
        table = new_table("", {gear: "left", **{label(key).replace("_", " "): "right" for key in columns}})
        for point, one in at.items():
            table.add_row(_POINTS[point], *(cell(one[key]) for key in columns))
        yield table


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
    bodies = new_table(
        title, {"body": "left", "inertia kg m2": "right", "start rpm": "right", "turns with": "left", "ratio": "right"}
    )
    for name, one in data["bodies"].items():
        bodies.add_row(
            plain(name), cell(one["inertia_kg_m2"]), cell(one["speed_rpm"]), plain(one["turns_with"] or ""),
            "" if one["ratio"] is None else cell(one["ratio"]),
        )  # fmt: skip
    parts = new_table("", {"part": "left", "kind": "left", "places": "left", "": "left"})
    from alegear.system.builder import GROUND

    for name, one in data["parts"].items():
        default = {("to", GROUND), ("housing", GROUND)}
        places = ", ".join(" ".join(place) for place in one["places"].items() if place not in default)
        given = {key: value for key, value in one.items() if value and key not in ("kind", "places")}
        numbers = ", ".join(f"{label(key)} {cell(value)}" for key, value in given.items())
        parts.add_row(plain(name), one["kind"].replace("_", " "), plain(places), plain(numbers))
    console.print(bodies)
    console.print(parts)
    free = data["degrees_of_freedom"]
    line = f"degrees of freedom: {free['open']} with clutches, brakes and freewheels open, {free['closed']} with all"
    console.print(f"{line} of them closed", highlight=False, soft_wrap=True)


def _print_spatial_data(console: Any, title: str, data: dict[str, Any]) -> None:
    """Bodies in space, gears and what joins them, a row each, and how many degrees of freedom are left."""
    tables = [new_table(title, {"body": "left", "mass kg": "right", "position mm": "right"})]
    for name, one in data["bodies_in_space"].items():
        tables[0].add_row(plain(name), cell(one["mass_kg"]), cell(one["position_mm"]))
    if data["gears_in_space"]:
        gears = new_table("", {"gear": "left", "body": "left", "teeth": "right", "pitch diameter mm": "right"})
        for name, one in data["gears_in_space"].items():
            gears.add_row(plain(name), plain(one["body"]), cell(one["teeth"]), cell(one["pitch_diameter_mm"]))
        tables.append(gears)
    parts = new_table("", {"part": "left", "kind": "left", "between": "left"})
    for name, one in data["parts_in_space"].items():
        parts.add_row(plain(name), one["kind"].replace("_", " "), plain(", ".join(one["between"])))
    for table in [*tables, parts]:
        console.print(table)
    free = data["degrees_of_freedom_in_space"]
    line = f"degrees of freedom: {free['left']}, of {free['coordinates']} coordinates and {free['equations']} equations"
    console.print(line, highlight=False, soft_wrap=True)
