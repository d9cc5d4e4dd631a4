"""From a case file to a case in SI units.

The modules ``case_*`` are the only ones that know millimetres, degrees, micrometres and revolutions per minute:
everything that leaves them is in SI units. All faults of a file are collected before it is refused.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from alegear.contact.law import PenaltyLaw
from alegear.study.case_contact import ContactSection
from alegear.study.case_faults import CaseFault, CaseFaults
from alegear.study.case_gears import GearSection
from alegear.study.case_motion import AnalysisSection, OperationSection, SupportSection
from alegear.study.case_output import OutputSection
from alegear.study.case_tables import GEARS, CaseTables

T = TypeVar("T")


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
        raw = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _no_case(path, str(error), "must be TOML in UTF-8", "save the file as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _no_case(path, str(error), "must be TOML in UTF-8", "correct the line it names") from error
    return _fields(CaseTables(raw, path)) | {"path": path, "sha256": hashlib.sha256(content).hexdigest()}


def _no_case(path: Path, reason: str, limit: str, remedy: str) -> CaseFaults:
    return CaseFaults([CaseFault(str(path), "case file", reason, limit, remedy)])


def _fields(file: CaseTables) -> dict[str, Any]:
    """Read all sections; the fields of a case by name."""
    tables = file.checked()
    law = tables["contact"].law if "contact" in tables else None
    motion, gears, results = OperationSection(file), GearSection(file), OutputSection(file)
    operation = motion.operation(tables.get("operation"), tables.get("analysis"))
    timing = AnalysisSection(file)
    analysis = timing.analysis(tables.get("analysis"))
    output = results.output(tables, analysis)
    penalty, friction = ContactSection(file).contact(tables.get("contact"), operation, tables.get("analysis"))
    materials = [gears.material(tables, gear) for gear in GEARS]
    mesh_options = [gears.mesh_options(tables, gear) for gear in GEARS]
    mesh_files = [gears.mesh_file(tables, gear) for gear in GEARS]
    teeth_modelled = [gears.teeth_modelled(tables, gear, analysis) for gear in GEARS]
    gears.window_pairs(tables)
    gears.pitches(tables)
    pair = gears.pair(tables)
    results.points_on_teeth(output, pair)
    if pair is not None and law == "penalty" and not PenaltyLaw.serves(pair):
        limit = f"is a law for {PenaltyLaw.SERVED}"
        file.fault("contact.law", '"penalty"', limit, 'write law = "hertz", or leave the key out')
    shafts = motion.shafts(tables.get("shafts"), operation)
    supports = SupportSection(file).supports(tables, law)
    timing.time_step(analysis, pair, operation)
    if file.faults:
        raise CaseFaults(file.faults)
    # without faults everything is there
    return {
        "title": tables[""].title or file.path.stem,
        "pair": _there(pair),
        "materials": _both(materials),
        "mesh_options": _both(mesh_options),
        "mesh_files": (mesh_files[0], mesh_files[1]),
        "teeth_modelled": (teeth_modelled[0], teeth_modelled[1]),
        "law": law,
        "slices": tables["contact"].slices,
        "penalty": _there(penalty),
        "friction": _there(friction),
        "window_pairs": tables["contact"].window_pairs,
        "operation": _there(operation),
        "analysis": _there(analysis),
        "added_inertia": tuple(getattr(tables["supports"], gear).added_inertia_kg_m2 for gear in GEARS),
        "supports": supports,
        "shafts": shafts,
        "output": _there(output),
    }


def _there(value: T | None) -> T:
    """Return a value that is there because no fault was found."""
    assert value is not None
    return value


def _both(values: list[T | None]) -> tuple[T, T]:
    return _there(values[0]), _there(values[1])
