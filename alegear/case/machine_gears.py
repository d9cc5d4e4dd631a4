"""``[gears.NAME]`` and ``[meshes.NAME]`` of a machine: gears take their rack of meshes, meshes their law of keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, get_args, get_origin

import numpy as np
from pydantic import Field, create_model

from alegear.case.contact import used_of_friction
from alegear.case.faults import MISSING, shown
from alegear.case.gears import (
    FROM_CENTRE_DISTANCE,
    EitherGearTable,
    PairTable,
    chosen_options,
    gear_of,
    grid_file,
    material_of,
    misses_a_key,
)
from alegear.case.machine_tables import MachineTables, shaft_of
from alegear.case.tables import field_of, table_of
from alegear.drivetrain.gear_mesh import GearMesh, MeshLaw
from alegear.drivetrain.laws import keys_of, law_named, mesh_laws, without_effect
from alegear.drivetrain.parts import ShaftGear
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.involute import profile_shift_sum
from alegear.parameters import Key, StoredStudy, described, made_of, parameters_of
from alegear.results.load import load
from alegear.units import MM

#: By which profile shifts that two meshes of a gear need may differ: positions of shafts are printed in micrometres.
SAME_SHIFT = 1e-3


class MachineGearTable(EitherGearTable, table_of(ShaftGear)):  # type: ignore[misc]
    """``[gears.NAME]``: as ``[pinion]``, on a shaft; it may be a ring."""


def gear_on_shaft(name: str, table: MachineGearTable, file: MachineTables) -> ShaftGear | None:
    """Make a gear in SI units; None with a fault."""
    rack = _rack(name, file)
    if rack is None or misses_a_key(file, f"gears.{name}", table.flank):
        return None
    if table.teeth_modelled is not None:
        key = f"gears.{name}.teeth_modelled"
        file.fault(key, shown(table.teeth_modelled), "is not for machines: wheels turn", "leave it out")
        return None
    kind = "a ring" if table.is_ring else "an external gear"
    for key in table.without_effect:
        value, limit = shown(getattr(table, key)), f"has no effect on {kind}"
        file.fault(f"gears.{name}.{key}", "given" if key == "grid" else value, limit, "leave it out")
    if table.missing is not None:
        file.fault(f"gears.{name}.{table.missing}", MISSING, f"is needed for {kind}", f"add {table.missing}")
    if table.without_effect or table.missing is not None:
        return None
    if table.profile_shift == FROM_CENTRE_DISTANCE:
        table = table.model_copy(update={"profile_shift": _solved_shift(name, file)})
    gear: CylindricalGear = gear_of(table, folder=file.path.parent, teeth=None, ring=table.is_ring, **rack)
    path = grid_file(file, f"gears.{name}", table.grid.file)
    if path is None and table.grid.file is not None:
        return None
    options = None
    if path is None and not gear.internal:
        options = chosen_options(gear, _contact_law(name, file), file.single("grid").given | table.grid.given)
    return made_of(
        ShaftGear,
        table.given,
        file.path.parent,
        name=name,
        gear=gear,
        material=material_of(file.tables.get("material"), table.material),
        grid_options=options,
        mesh_file=path,
    )


def _contact_law(gear: str, file: MachineTables) -> str:
    """The law of contact of the meshes that a gear is in: "penalty" asks for elements of order 1."""
    tables = [file.tables[f"meshes.{mesh}"] for mesh in file.names["meshes"]]
    return next((table.law for table in tables if gear in table.gears and table.law is not None), "hertz")


def _rack(gear: str, file: MachineTables) -> dict[str, Any] | None:
    """Module, pressure and helix angle of a gear, from the meshes that it is in; None with a fault."""
    found: dict[str, tuple[dict[str, float], str]] = {}
    if any(f"meshes.{mesh}" not in file.tables for mesh in file.names["meshes"]):
        return None  # a mesh that cannot be read has its own fault, and may name this gear
    for mesh in file.names["meshes"]:
        table = file.tables.get(f"meshes.{mesh}")
        if table is None:
            continue
        for number, name in enumerate(table.gears):
            if name == gear:
                turned = number and not any(_is_ring(one, file) for one in table.gears)  # hands are equal in a ring
                beta = math.radians(table.helix_angle_deg) * (-1.0 if turned else 1.0)
                given = {
                    "normal_module": table.normal_module_mm * MM,
                    "alpha_n": math.radians(table.pressure_angle_deg),
                    "beta": beta + 0.0,
                }
                found[mesh] = (given, mesh)
    if not found:
        remedy = "add a mesh that names it, or leave out the gear"
        file.fault(f"[gears.{gear}]", "in no mesh", "must be in a mesh", remedy)
        return None
    (first, given_by), *others = found.values()
    keys = {"normal_module": "normal_module_mm", "alpha_n": "pressure_angle_deg", "beta": "helix_angle_deg"}
    for given, mesh in others:
        for quantity, key in keys.items():
            if given[quantity] != first[quantity]:
                value = file.given(f"meshes.{mesh}", key)[0]
                limit = f"must be that of mesh {given_by}, which has gear {gear} too"
                if quantity == "beta":
                    limit += ", of the other sign where it is first in one mesh and second in the other"
                    limit += " (in a ring both gears have the same)"
                file.fault(f"meshes.{mesh}.{key}", shown(value), limit, "correct one of them")
                return None
    return first


def _solved_shift(gear: str, file: MachineTables) -> float:
    """The profile shift without backlash against the gears it meshes with, at the distances of their shafts.

    Raises
    ------
    Fault
        Where none of them has a shift that is known, and where two of its meshes need different ones.
    """
    needed = _needed_shifts(gear, file, ())
    given = f'"{FROM_CENTRE_DISTANCE}"'
    if not needed:
        limit = "solved for against a gear whose profile shift is known, on another shaft"
        raise Fault("profile_shift", given, limit, "give that of one gear of the mesh as a number")
    values = list(needed.values())
    if max(values) - min(values) > SAME_SHIFT:
        shown = ", ".join(f"{x:.5g} in mesh {mesh}" for mesh, x in needed.items())
        remedy = f"give profile_shift = {min(values):.5g}, which leaves backlash in the others, or correct position_mm"
        raise Fault("profile_shift", given, f"one number for all meshes of the gear: it is {shown}", remedy)
    return values[0]


def _needed_shifts(gear: str, file: MachineTables, through: tuple[str, ...]) -> dict[str, float]:
    """By mesh the profile shift of a gear that leaves no backlash, against gears whose own is given or solved for.

    `through` are gears that wait for this one.
    """
    found = {}
    for name, mesh in file.named("meshes"):
        other = next((one for one in mesh.gears if one != gear), gear)
        if gear not in mesh.gears or other in (gear, *through):
            continue
        own, mate = (file.tables.get(f"gears.{one}") for one in (gear, other))
        shafts = [None if one is None else file.tables.get(f"shafts.{one.shaft}") for one in (own, mate)]
        if mate is None or None in shafts:
            continue  # has its own fault
        x = mate.profile_shift
        if x == FROM_CENTRE_DISTANCE:
            x = next(iter(_needed_shifts(other, file, (*through, gear)).values()), None)
        if x is not None:
            found[name] = _sum_of_shifts(mesh, (own, mate), shafts, file) - x
    return found


def _sum_of_shifts(mesh: Any, gears: tuple[Any, Any], shafts: Sequence[Any], file: MachineTables) -> float:
    """Sum of the profile shifts without backlash at the distance of two shafts."""
    own, far = (shaft_of(gear.shaft, shaft, file) for gear, shaft in zip(gears, shafts, strict=True))
    z, between = own.axes[2], far.point(0.0) - own.point(0.0)
    return profile_shift_sum(
        z=_signed(*gears),
        m_n=mesh.normal_module_mm * MM,
        a_w=float(np.linalg.norm(between - (between @ z) * z)),
        alpha_n=math.radians(mesh.pressure_angle_deg),
        beta=math.radians(mesh.helix_angle_deg),
    )


def _signed(one: MachineGearTable, other: MachineGearTable) -> tuple[int, int]:
    """Teeth of both gears, those of a ring negative."""
    first, second = (-abs(gear.teeth) if gear.is_ring else gear.teeth for gear in (one, other))
    return first, second


def _is_ring(gear: str, file: MachineTables) -> bool:
    table = file.tables.get(f"gears.{gear}")
    return table is not None and table.is_ring


class MachineMeshTable(PairTable, table_of(GearMesh)):  # type: ignore[misc]
    """``[meshes.NAME]``: keys of ``[pair]``, ``[alignment]``, ``[contact]``, of the first gear against the second."""

    fidelity: str | None = Field(
        default=None, description="law of the mesh: flexible, teeth, elastic, lossy or rigid (that of [machine])"
    )


def mesh_table() -> type[MachineMeshTable]:
    """``[meshes.NAME]`` with the keys of all mesh laws."""
    return _table_of_laws(tuple(mesh_laws().values()))


@cache
def _table_of_laws(laws: tuple[type[MeshLaw], ...]) -> type[MachineMeshTable]:
    keys: dict[str, Key] = {}
    for key in [key for law in laws for key in keys_of(law)]:
        words = _words(keys[key.name].kind if key.name in keys else None, key.kind)
        kind = Literal[words] if words else key.kind
        said = described(key.words, "", key.default) if words else key.words
        keys[key.name] = Key(name=key.name, kind=kind, words=said)
    fields: dict[str, Any] = {name: field_of(key) for name, key in keys.items()}
    return create_model("MeshTableOfLaws", __base__=MachineMeshTable, **fields)


def _words(*kinds: Any) -> tuple[str, ...]:
    """Words that a key takes with any law; none of numbers."""
    return tuple(dict.fromkeys(word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)))


def mesh_of(name: str, table: MachineMeshTable, file: MachineTables) -> GearMesh | None:
    """Make a mesh of two gears; None with a fault."""
    where = f"meshes.{name}"
    if table.center_distance_mm is not None:
        limit = "has no effect: the positions of the shafts give it"
        file.fault(f"{where}.center_distance_mm", shown(table.center_distance_mm), limit, "leave it out")
    for gear in table.gears:
        if file.names["gears"] and gear not in file.names["gears"]:
            there = ", ".join(f'"{one}"' for one in file.names["gears"])
            file.fault(f"{where}.gears", shown(gear), "no such gear", f"name two of {there}")
    law = _law(name, table, file)
    gears = (table.gears[0], table.gears[1])
    return None if law is None else GearMesh(name=name, gears=gears, law=law, driver=table.driver)


def _law(name: str, table: MachineMeshTable, file: MachineTables) -> MeshLaw | None:
    """The law of a mesh; None with a fault. Keys of other laws have no effect, and are refused."""
    where, word = f"meshes.{name}", table.fidelity or file.single("machine").fidelity
    try:
        law = law_named(word, name)
    except Fault as fault:
        key = f"{where}.fidelity" if table.fidelity is not None else "machine.fidelity"
        file.fault(key, shown(word), f"must be {fault.limit}", fault.remedy)
        return None
    own = {key.name: key for key in keys_of(law)}
    others = {key.name for other in mesh_laws().values() for key in keys_of(other)} - own.keys()
    for key in table.given:
        if key in others and getattr(table, key) != 0.0:
            limit, remedy = without_effect(word, key, of_case=True)
            file.fault(f"{where}.{key}", shown(getattr(table, key)), f"must be {limit}", remedy)
    folder = file.path.parent
    given = {key: value for key, value in table.given.items() if key in own}
    if law.needs_contact:
        given = used_of_friction(file, where, given)
    studies = {
        one.name: load(one.value({one.name: given[one.name]}, folder))
        for one in parameters_of(law)
        if isinstance(one.declaration, StoredStudy) and one.name in given
    }
    return made_of(law, given, folder, **studies)
