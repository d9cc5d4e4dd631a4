"""``[grid]``, and ``[pinion.grid]`` for one gear alone: the grids, made here or elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from alegear.case.faults import MISSING, Finding, Findings, shown
from alegear.case.tables import CaseFile, Section, table_of
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.mesh.sector import GridOptions, default_width_elements

MOST_ELEMENTS = 1_000_000


class GridTable(table_of(GridOptions)):  # type: ignore[misc]
    """``[grid]``: how fine the grids are; a key left out has the default of :class:`~alegear.GridOptions`."""


class GearGridTable(GridTable):
    """``[pinion.grid]``: as ``[grid]``, or a sector mesh made elsewhere."""

    file: str | None = Field(
        default=None, description="path of a sector mesh (.msh or .vtu), from the case file's folder"
    )


def _read(file: CaseFile) -> dict[str, Any]:
    """Read the grids of both gears, each either made here or elsewhere."""
    options = [_grid_options(file, gear) for gear in GEARS]
    if not all(gear in file.tables for gear in GEARS):
        return {}
    files = [_grid_file(file, gear) for gear in GEARS]
    if all((path is None) != (numbers is None) for path, numbers in zip(files, options, strict=True)):
        return {"grid_files": tuple(files), "grid_options": tuple(options)}
    return {}


def _grid_options(file: CaseFile, gear: str) -> GridOptions | None:
    tables = file.tables
    if "grid" not in tables or gear not in tables:
        return None
    given = tables["grid"].given | tables[gear].grid.given
    if given.pop("file", None) is not None:
        _no_numbers_beside_a_file(file, gear)
        return None
    pair = tables.get("pair")
    width = None if pair is None else tables[gear].face_width_mm / pair.normal_module_mm
    helical = pair is not None and pair.helix_angle_deg != 0.0
    try:
        return _completed(given, width, helical, tables["contact"].law if "contact" in tables else "hertz")
    except Fault as fault:
        own = file.given(gear, f"grid.{fault.quantity}")[1]
        key = f"{gear}.grid.{fault.quantity}" if own else f"grid.{fault.quantity}"
        file.fault(key, str(fault.value), f"must be {fault.limit}", fault.remedy)
        return None


def _completed(given: dict[str, int], width: float | None, helical: bool, law: str) -> GridOptions:
    """Return the options of a grid, what is not given chosen; `width`: of the face in modules, None where not known."""
    if width is not None:
        given = {"width_elements": default_width_elements(width, helical=helical)} | given
    odd = any(value % 2 for key, value in given.items() if key != "order")
    return GridOptions(**({"order": 1 if law == "penalty" or odd else GridOptions.order} | given))


def completed_options(gear: CylindricalGear, general: GridTable, special: GearGridTable, law: str) -> GridOptions:
    """Return the grid of a gear for a law of contact, from the keys of its table and a more general one."""
    given = general.given | special.given
    given.pop("file", None)
    return _completed(given, round(gear.b / gear.m_n, 12), gear.beta != 0.0, law)


def chosen_options(gear: CylindricalGear, law: str) -> GridOptions:
    """Return the grid that a gear has where nothing is said of it, as in a case file without ``[grid]``."""
    # of 35.8e-3 m as of 35.8 mm: a step more across the face is not for the last digit to decide
    return _completed({}, round(gear.b / gear.m_n, 12), gear.beta != 0.0, law)


def _no_numbers_beside_a_file(file: CaseFile, gear: str) -> None:
    """Refuse numbers of elements that a grid made elsewhere leaves without effect."""
    tables = file.tables
    own = {key: value for key, value in tables[gear].grid.given.items() if key != "file"}
    both = all(name in tables and tables[name].grid.file is not None for name in GEARS)
    general = tables["grid"].given if both else {}
    for where, given in ((f"{gear}.grid", own), ("grid", general)):
        for key, value in given.items():
            limit = f"has no effect with {gear}.grid.file, a grid made elsewhere"
            file.fault(f"{where}.{key}", shown(value), limit, "leave out one of the two")


def _grid_file(file: CaseFile, gear: str) -> Path | None:
    given = file.tables[gear].grid.file
    if given is None:
        return None
    path = file.path.parent / given
    if "\0" in given or not path.is_file():
        file.fault(f"{gear}.grid.file", shown(given), f"no such file: {path}", "check the path")
        return None
    return path


def _grids(grid_options: tuple[GridOptions | None, GridOptions | None], grid_files: tuple[Any, Any]) -> Findings:
    for gear, options, file in zip(GEARS, grid_options, grid_files, strict=True):
        if options is not None and file is not None:
            limit = f"has no effect with {gear}.grid.file, a grid made elsewhere"
            yield Finding(f"{gear}.grid", "{table}", limit, "leave out one of the two (None in grid_options)")
        elif options is None and file is None:
            yield Finding(f"{gear}.grid", MISSING, "is needed without a grid made elsewhere", "give GridOptions()")
        elif options is not None and options.n_cells > MOST_ELEMENTS:
            numbers = {name: value for name, value in vars(options).items() if name != "order"}
            largest = max(numbers, key=lambda name: numbers[name])
            yield Finding(
                f"{gear}.grid.{largest}",
                shown(numbers[largest]),
                f"a sector of {options.n_cells} elements is too large: at most {MOST_ELEMENTS}",
                "use fewer elements",
            )


def _order(grid_options: tuple[GridOptions | None, GridOptions | None], law: str) -> Findings:
    for gear, options in zip(GEARS, grid_options, strict=True):
        if law == "penalty" and options is not None and options.order == 2:
            limit = 'does not go with law = "penalty", which interpolates linearly across the face'
            yield Finding(f"{gear}.grid.order", "2", limit, 'write order = 1, or law = "hertz" in [contact]')


SECTION = Section(
    tables={"grid": GridTable},
    of_gear="grid",
    fields=("grid_options", "grid_files"),
    read=_read,
    rules=(_grids, _order),
)
