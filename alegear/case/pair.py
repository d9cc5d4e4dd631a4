"""``[pair]``: what both gears share, and the pair that is made of it, the gears and their alignment."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from alegear.case.alignment import AlignmentTable
from alegear.case.case_file import CaseFile
from alegear.case.faults import shown
from alegear.case.flank import FlankTable, misses_a_key
from alegear.case.gears import FROM_CENTRE_DISTANCE, GearTable, gear_of
from alegear.case.part_table import table_of
from alegear.case.schema import Section, limited
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.centre_distance import profile_shift_sum
from alegear.geometry.gear import Gear
from alegear.geometry.gear_pair import CENTRE_DISTANCE, GearPair
from alegear.units import MM


class PairTable(table_of(Gear, "m_n", "beta"), table_of(BasicRack, "alpha_n")):  # type: ignore[misc]
    """``[pair]``: what both gears share."""

    center_distance_mm: float | None = limited(CENTRE_DISTANCE, "centre distance in mm", default=None)


def _read(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("pair")
    if table is None:
        return {}
    gears, shifts = [], _profile_shifts(file, table)
    for name in GEARS:
        if name not in shifts or name not in file.tables or misses_a_key(file, name, file.tables[name].flank):
            continue
        with _blaming_keys(file, name):
            gears.append(_gear(file, table, name, shifts[name]))
    if len(gears) < 2 or "alignment" not in file.tables:
        return {}
    a_w = table.center_distance_mm
    with _blaming_keys(file, "pair"):
        return {
            "pair": GearPair(
                pinion=gears[0],
                wheel=gears[1],
                a_w=None if a_w is None else a_w * MM,
                alignment=file.tables["alignment"].made(file.path.parent),
            )
        }
    return {}


def _profile_shifts(file: CaseFile, pair: PairTable) -> dict[str, float]:
    """Return the profile shifts of the gears whose tables could be read, that of one solved for if it asks for it."""
    tables = {name: file.tables[name] for name in GEARS if name in file.tables}
    solved = [name for name, table in tables.items() if table.profile_shift == FROM_CENTRE_DISTANCE]
    found = {name: table.profile_shift for name, table in tables.items() if name not in solved}
    if not solved or len(tables) < 2:
        return found
    key, value = f"{solved[-1]}.profile_shift", shown(FROM_CENTRE_DISTANCE)
    if len(solved) > 1:
        file.fault(key, value, "must be a number: that of the other gear is solved for", "give one of the two")
    elif pair.center_distance_mm is None:
        file.fault(key, value, "needs the centre distance", "give pair.center_distance_mm, or the profile shift")
    else:
        with _blaming_keys(file, "pair"):
            total = profile_shift_sum(
                z=(tables["pinion"].teeth, tables["wheel"].teeth),
                m_n=pair.normal_module_mm * MM,
                a_w=pair.center_distance_mm * MM,
                alpha_n=math.radians(pair.pressure_angle_deg),
                beta=math.radians(pair.helix_angle_deg),
            )
            found[solved[0]] = total - sum(found.values())
    return found


def _gear(file: CaseFile, pair: PairTable, name: str, profile_shift: float) -> Gear:
    """Make a gear; the wheel has the hand opposite to the pinion's."""
    beta = math.radians(pair.helix_angle_deg)
    return gear_of(
        file.tables[name].model_copy(update={"profile_shift": profile_shift}),
        normal_module=pair.normal_module_mm * MM,
        alpha_n=math.radians(pair.pressure_angle_deg),
        beta=0.0 - beta if name == "wheel" else beta,  # not -0.0
        folder=file.path.parent,
    )


@contextmanager
def _blaming_keys(file: CaseFile, where: str) -> Iterator[None]:
    """Write a fault of the gear geometry as a fault of the key that causes it."""
    try:
        yield
    except Fault as fault:
        table, key = _blamed_key(file, where, f"{fault.remedy} {fault.quantity}")
        given, found = file.given(table, key)
        same = found and isinstance(given, int | float) and str(float(given)) == _as_float(fault.value)
        file.fault(
            f"{table}.{key}" if key else f"[{table}]",
            shown(given) if found else "(default)" if key else str(fault.value),
            f"{fault.quantity}{'' if same else f' = {fault.value}'} must be {fault.limit}",
            fault.remedy,
        )


def _blamed_key(file: CaseFile, where: str, text: str) -> tuple[str, str]:
    """Return the table and key to blame: the first key a message names that the file gives, else the first."""
    named: list[tuple[str, str]] = []
    for match in re.finditer(r"[a-z]+(?:_[A-Za-z]+)+|teeth|topography", text):
        key, gear = match.group(), where
        if where == "pair":
            # whose key it is: "... of the wheel" right after it, else the gear named last before it
            after = re.match(r" of (?:the )?(pinion|wheel)", text[match.end() :])
            before = re.findall(r"pinion|wheel", text[: match.start()])
            gear = after.group(1) if after else before[-1] if before else "pinion"
        if key in PairTable.model_fields:
            named.append(("pair", key))
        elif key in AlignmentTable.model_fields:
            named.append(("alignment", key))
        elif key.startswith("topography"):
            keys = ("topography.file", "topography_left.file", "topography_right.file")
            named.extend((gear, f"flank.{one}") for one in keys if one.startswith(key))
        elif key in FlankTable.model_fields:
            named.append((gear, f"flank.{key}"))
        elif key in GearTable.model_fields and not (where == "pair" and key == "teeth"):
            named.append((gear, key))
    given = [place for place in named if file.given(*place)[1]]
    return (given or named or [(where, "")])[0]


def _as_float(value: object) -> str:
    return str(float(value)) if isinstance(value, int | float) else str(value)


SECTION = Section(tables={"pair": PairTable}, required=True, read=_read)
