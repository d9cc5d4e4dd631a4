"""Tables of parts and quantities, with units in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

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
