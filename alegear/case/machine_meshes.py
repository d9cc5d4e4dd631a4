"""``[meshes.NAME]`` of a machine: two gears and a law, whose parameters are keys."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import Field, create_model

from alegear.case.contact import used_of_friction
from alegear.case.faults import shown
from alegear.case.gears import PairTable
from alegear.case.machine_tables import MachineTables
from alegear.case.tables import field_of, table_of
from alegear.drivetrain.gear_mesh import GearMesh, MeshLaw
from alegear.drivetrain.laws import keys_of, law_named, mesh_laws, without_effect
from alegear.errors import Fault
from alegear.parameters import Key, StoredStudy, described, made_of, parameters_of
from alegear.results.load import load


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
    made: MeshLaw = made_of(law, given, folder, **studies)
    return made
