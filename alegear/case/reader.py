"""From a case file to a case in SI units.

The modules ``case_*`` are the only ones that know millimetres, degrees, micrometres and revolutions per minute:
everything that leaves them is in SI units. All faults of a file are collected before it is refused.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from alegear.case.contact import ContactSection
from alegear.case.faults import CaseFault, CaseFaults
from alegear.case.gears import GearSection
from alegear.case.motion import AnalysisSection, OperationSection, SupportSection
from alegear.case.output_section import OutputSection
from alegear.case.rules import broken_rules
from alegear.case.tables import CaseTables
from alegear.contact.numbering import GEARS


def read_case(path: Path) -> dict[str, Any]:
    """Read and check a case file.

    Raises
    ------
    CaseFaults
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise _no_case(path, reason, "must be a readable file", "check the path") from error
    return parse_case(content, path)


def parse_case(content: bytes, path: Path) -> dict[str, Any]:
    """Check the content of a case file; `path` names it in messages and anchors the paths it holds.

    Raises
    ------
    CaseFaults
    """
    try:
        raw = tomllib.loads(content.decode("utf-8-sig"))  # Notepad on Windows begins a file with a byte order mark
    except UnicodeDecodeError as error:
        raise _no_case(path, str(error), "must be TOML in UTF-8", "save the file as UTF-8") from error
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is one; of numbers with thousands of digits too
        raise _no_case(path, str(error), "must be TOML in UTF-8", "correct the line it names") from error
    return _fields(CaseTables(raw, path)) | {"path": path}


def _no_case(path: Path, reason: str, limit: str, remedy: str) -> CaseFaults:
    return CaseFaults([CaseFault(str(path), "case file", reason, limit, remedy)])


def _where_it_is_written(file: CaseTables, fault: CaseFault) -> CaseFault:
    """Name ``[mesh]`` where the number of elements of a gear stands there."""
    gear, _, rest = fault.key.partition(".")
    if gear in GEARS and rest.startswith("mesh.") and not file.given(gear, rest)[1]:
        return fault._replace(key=rest)
    return fault


def _fields(file: CaseTables) -> dict[str, Any]:
    """Read all sections and apply the rules between them; the fields of a case by name."""
    tables = file.checked()
    motion, gears = OperationSection(file), GearSection(file)
    contact = tables.get("contact")
    analysis = AnalysisSection(file).analysis(tables.get("analysis"))
    penalty, friction = ContactSection(file).contact(contact)
    materials = [gears.material(tables, gear) for gear in GEARS]
    mesh_options = [gears.mesh_options(tables, gear) for gear in GEARS]
    supports = tables.get("supports")
    parts: dict[str, Any] = {
        "pair": gears.pair(tables),
        "operation": motion.operation(tables.get("operation"), tables.get("analysis")),
        "analysis": analysis,
        "output": OutputSection(file).output(tables, analysis),
        "penalty": penalty,
        "friction": friction,
        "materials": None if None in materials else tuple(materials),
    }
    parts = {name: part for name, part in parts.items() if part is not None}
    if all(gear in tables for gear in GEARS):
        parts["teeth"] = tuple(tables[gear].teeth for gear in GEARS)
        parts["teeth_modelled"] = tuple(tables[gear].teeth_modelled for gear in GEARS)
        files = tuple(gears.mesh_file(tables, gear) for gear in GEARS)
        grids = zip(files, mesh_options, strict=True)
        if all((file is None) != (options is None) for file, options in grids):
            parts |= {"mesh_files": files, "mesh_options": tuple(mesh_options)}
    if contact is not None:
        parts |= {name: getattr(contact, name) for name in ("law", "slices", "window_pairs")}
    if supports is not None:
        parts["added_inertia"] = tuple(getattr(supports, gear).added_inertia_kg_m2 for gear in GEARS)
        parts["supports"] = SupportSection(file).supports(tables)
    if "shafts" in tables:
        parts["shafts"] = motion.shafts(tables["shafts"])
    file.faults += [_where_it_is_written(file, fault) for fault in broken_rules(parts, str(file.path))]
    if file.faults:
        raise CaseFaults(file.faults)
    # without faults everything is there
    return {"title": tables[""].title or file.path.stem} | {k: v for k, v in parts.items() if k != "teeth"}
