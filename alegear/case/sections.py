"""The sections of a case file, in its order: each is a file beside this one, and a line here."""

from __future__ import annotations

from alegear.case import (
    alignment,
    analysis,
    contact,
    gears,
    grid,
    material,
    operation,
    output,
    pair,
    shafts,
    supports,
    wear,
)
from alegear.case.schema import Section

SECTIONS: tuple[Section, ...] = (
    pair.SECTION,
    gears.SECTION,
    material.SECTION,
    alignment.SECTION,
    grid.SECTION,
    contact.SECTION,
    operation.SECTION,
    analysis.SECTION,
    supports.SECTION,
    shafts.SECTION,
    wear.SECTION,
    output.SECTION,
)
