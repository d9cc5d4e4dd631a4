"""The sections of a case file, in its order: each is a file beside this one, and a line here."""

from __future__ import annotations

from alegear.case import analysis, contact, gears, operation, output, supports, wear
from alegear.case.tables import Section

SECTIONS: tuple[Section, ...] = (
    gears.PAIR,
    gears.GEAR_TABLES,
    gears.MATERIAL,
    gears.ALIGNMENT,
    gears.GRIDS,
    contact.SECTION,
    operation.SECTION,
    analysis.SECTION,
    supports.SECTION,
    supports.SHAFTS,
    wear.SECTION,
    output.SECTION,
)
