"""The page of the variables of ``result.nc``, from the table by which results are written."""

from __future__ import annotations

from collections.abc import Mapping

from alegear.results import variables as table
from alegear.results.variables import Variable

#: Headings, leading dimensions, and the variables below.
CHAPTERS: dict[str, tuple[str, Mapping[str, Variable]]] = {
    "Pair, or flexible mesh: statics and motions": (
        "After `position` of a static study and `time` of a motion, where `slot` stands for `pair`.",
        table.SHARED | table.FILLET | table.POINTS,
    ),
    "Pair: motions besides": (
        "After `time`.",
        table.MOTION | table.OF_STEPS | {"slot_pair": table.OF_MOTION["slot_pair"]},
    ),
    "Pair: gears on bearings": ("After `position` or `time`.", table.SUPPORTS),
    "Pair: sliding and wear": ("After `position`; of motions on demand.", table.WEAR),
    "Pair: the study as a whole": ("One value, or over these dimensions alone.", table.OVERALL | table.POINT_PLACES),
    "Machine: statics and motions": ("After `position` or `time`.", table.MACHINE),
    "Machine: trains": ("", table.OF_SHAFTS),
    "Machine: motions besides": ("After `time`.", table.MACHINE_MOTION),
    "Machine: where there are such parts": ("After `position` or `time`.", table.IN_PLACE),
    "Torsional parts": ("After `time`.", table.ROTATIONAL | table.INPUTS),
    "Bodies in space": ("After `time`, of positions `position_number`.", table.SPATIAL),
    "Bodies in space: motions besides": ("After `time`.", table.SPATIAL_MOTION),
    "Events of switches": ("Of motions with parts that stick or slide.", table.EVENTS),
    "Modes of wheels: of a pair, of a machine in which they vibrate": ("", table.MODES_OF_WHEELS),
    "Modes of a pair": ("", table.PAIR_MODES),
    "Modes of a machine": ("", table.MACHINE_MODES | table.MODES_OF_SETS),
    "Run-up and run-down of a pair": ("After `point`, a stretch of pitches.", table.PAIR_SWEEP),
    "Run-up and run-down of a machine": ("After `point`.", table.MACHINE_SWEEP),
    "Linearised response": (
        "A pair has one mesh, whose dimension is left out, and `gear` in place of `bearing`.",
        table.LINEAR | {"response_difference": table.RESPONSE_DIFFERENCE.by("point", "linear_order")},
    ),
    "Variants and studies": ("After `variant`, or the axes of the study.", table.VARIATION),
}


def page() -> str:
    """Return the text of the page."""
    lines = ["# Variables of `result.nc`", "", "SI units; which of them there are depends on the case.", ""]
    for heading, (words, variables) in CHAPTERS.items():
        lines += [f"## {heading}", "", *([words, ""] if words else [])]
        lines += ["| variable | dimensions | unit | meaning |", "|---|---|---|---|"]
        for name, one in variables.items():
            dims = ", ".join(f"`{dim}`" for dim in one.dims)
            lines.append(f"| `{name}` | {dims} | {one.units} | {one.long_name} |")
        lines.append("")
    return "\n".join(lines)
