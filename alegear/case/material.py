"""``[material]``, and ``[pinion.material]`` for one gear alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alegear.case.case_file import CaseFile
from alegear.case.part_table import table_of
from alegear.case.schema import Section
from alegear.contact.numbering import GEARS
from alegear.fe.material import Material
from alegear.parameters import made_of


class MaterialTable(table_of(Material)):  # type: ignore[misc]
    """``[material]``, ``[pinion.material]``: elastic constants; what is left out is that of the more general table.

    Strengths and thermal constants that no table has are those of steel if modulus and density are, else not known.
    """


def _read(file: CaseFile) -> dict[str, Any]:
    materials = [_material(file, gear) for gear in GEARS]
    return {} if None in materials else {"materials": tuple(materials)}


def _material(file: CaseFile, gear: str) -> Material | None:
    if "material" not in file.tables or gear not in file.tables:
        return None
    with file.made_from(f"{gear}.material"):
        return material_of(file.tables["material"], file.tables[gear].material)
    return None


def material_of(general: MaterialTable | None, special: MaterialTable) -> Material:
    """Return the material of a table and a more general one, in SI units."""
    made: Material = made_of(Material, ({} if general is None else general.given) | special.given, Path())
    return made


SECTION = Section(tables={"material": MaterialTable}, read=_read)
