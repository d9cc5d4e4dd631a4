"""``[meshes.NAME]`` of a machine: two gears and a law, whose parameters are keys."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, get_args

from pydantic import Field, create_model

from alegear.case.contact import FrictionTable, PenaltyTable, contact_friction, penalty_law
from alegear.case.damaged_teeth import DamagedToothTable
from alegear.case.faults import shown
from alegear.case.machine_tables import MOST_ROWS, MachineTables
from alegear.case.pair import PairTable
from alegear.case.schema import limited, limited_number, listed
from alegear.contact.law import Friction, PenaltyLaw
from alegear.drivetrain.gear_mesh import GearMesh, MeshLaw
from alegear.drivetrain.laws import law_named, law_of, mesh_laws, parameters_of, without_effect
from alegear.drivetrain.loss_table import LossTable
from alegear.errors import Fault
from alegear.geometry.alignment import Alignment
from alegear.limits import Limits
from alegear.parameters import ANY
from alegear.results.load import load

PAIR_OF_EFFICIENCY = Limits(quantity="mesh velocity or efficiency", key="efficiency_m_per_s", least=0.0, most=1e6)
_Pairs = listed(listed(limited_number(PAIR_OF_EFFICIENCY), 2), 1, MOST_ROWS)
LossRows = listed(listed(limited_number(ANY), 1, 16), 1, 100_000)  # the loss table reports a row of wrong length itself


class MachineMeshTable(PairTable, FrictionTable):
    """``[meshes.NAME]``: keys of ``[pair]``, ``[alignment]``, ``[contact]``, of the first gear against the second."""

    gears: listed(str, 2) = Field(description="names of the two gears")  # type: ignore[valid-type]
    fidelity: str | None = Field(
        default=None, description="law of the mesh: flexible, teeth, elastic, lossy or rigid (that of [machine])"
    )
    tilt_plane_of_action_deg: float = limited(
        Alignment.LIMITS["tilt_plane_of_action"],
        "tilt of the first gear in the plane of action in degrees, positive closes the gap at +z",
        default=0.0,
    )
    tilt_normal_deg: float = limited(
        Alignment.LIMITS["tilt_normal"], "tilt of the first gear in the plane normal to it in degrees", default=0.0
    )
    center_distance_error_um: float = limited(
        Alignment.LIMITS["center_distance_error"],
        "error of the centre distance in micrometres, added to it",
        default=0.0,
    )

    losses: LossRows | None = Field(  # type: ignore[valid-type]
        default=None,
        description="rows of speed of the first gear in rad/s, mesh efficiencies eta_mf1 (it drives) and eta_mf2"
        " (the second drives), friction torques of bearings tau_bf1, tau_bf2 in N m",
    )
    losses_csv: str | None = Field(default=None, description="path of such a table, from the case file's folder")
    efficiency_m_per_s: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a mesh velocity in m/s, rising, and the efficiency of the mesh"
    )
    stiffness_from: str | None = Field(
        default=None,
        description="folder with the result of a static study of the two gears, as seen from the case file's folder",
    )
    bending_from: str | None = Field(
        default=None, description="folder of such a result, for the bending of the teeth beside Hertz's indentation"
    )
    driver: str | None = Field(
        default=None,
        description="gear against which the transmission error is counted (the one that power comes from)",
    )
    law: str | None = Field(default=None, description="law of contact of a flexible mesh (hertz)")
    penalty: PenaltyTable | None = Field(default=None, description="constants of the penalty law")
    spring: str | None = Field(default=None, description="how the stiffness changes with the load (linear)")
    damaged_teeth: list[DamagedToothTable] | None = Field(
        default=None, max_length=1000, description="teeth that have lost material, or are missing, one table each"
    )


#: Parameters of laws that are objects -> keys of the table that they are made of. Numbers have theirs in the law.
OBJECTS_OF_LAWS: dict[str, tuple[str, ...]] = {
    "alignment": ("tilt_plane_of_action_deg", "tilt_normal_deg", "center_distance_error_um"),
    "friction": tuple(FrictionTable.model_fields),
    "penalty": ("penalty",),
    "losses": ("losses", "losses_csv"),
    "efficiency": ("efficiency_m_per_s",),
    "stiffness_from": ("stiffness_from",),
    "damaged_teeth": ("damaged_teeth",),
    "bending_from": ("bending_from",),
}


def mesh_table() -> type[MachineMeshTable]:
    """``[meshes.NAME]`` with the keys of all mesh laws."""
    return _table_of_laws(tuple(mesh_laws().values()))


@cache
def _table_of_laws(laws: tuple[type[MeshLaw], ...]) -> type[MachineMeshTable]:
    numbers = {limits.key: limits for law in laws for limits in law.LIMITS.values()}
    fields: dict[str, Any] = {
        key: (int | None if one.whole else float | None, limited(one, _described(one), default=None))
        for key, one in numbers.items()
    }
    for key, words in _words().items():
        own = MachineMeshTable.model_fields.get(key)
        described = key if own is None or own.description is None else own.description
        fields[key] = (Literal[words] | None, Field(default=None, description=described))  # type: ignore[valid-type]
    return create_model("MeshTableOfLaws", __base__=MachineMeshTable, **fields)


def _words() -> dict[str, tuple[str, ...]]:
    """Words that a key takes with any law, by keys that have words."""
    found: dict[str, list[str]] = {"friction": list(get_args(FrictionTable.model_fields["friction"].annotation))}
    for law in mesh_laws().values():
        for key, words in law.WORDS.items():
            found.setdefault(key, []).extend(words)
    return {key: tuple(dict.fromkeys(words)) for key, words in found.items()}


def _described(limits: Limits) -> str:
    return limits.quantity + (f" in {limits.unit}" if limits.unit else "")


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
    own, keys_of_law = parameters_of(law), {limits.key for limits in law.LIMITS.values()}
    of_objects: dict[str, Callable[[], Any]] = {
        "alignment": lambda: _alignment(table),
        "friction": lambda: _friction(where, table, file),
        "penalty": lambda: penalty_law(file, table.penalty or PenaltyTable(), f"{where}.penalty") or PenaltyLaw(),
        "losses": lambda: _losses(table, file),
        "efficiency": lambda: table.efficiency_m_per_s,
        "stiffness_from": lambda: _study(table.stiffness_from, file),
        "bending_from": lambda: _study(table.bending_from, file),
        "damaged_teeth": lambda: tuple(one.damage() for one in table.damaged_teeth or ()),
    }
    found = {name: make() for name, make in of_objects.items() if name in own and name not in law.WORDS}
    found |= {name: getattr(table, name) for name in law.WORDS if getattr(table, name) is not None}
    for parameter, keys in OBJECTS_OF_LAWS.items():
        if parameter not in own or parameter in law.WORDS:
            others = tuple(key for key in keys if key not in law.WORDS)
            _refuse(file, where, table, others, *without_effect(word, parameter))
    for other in mesh_laws().values():
        for parameter in other.WORDS:
            if parameter not in own and parameter not in OBJECTS_OF_LAWS:
                _refuse(file, where, table, (parameter,), *without_effect(word, parameter))
        for parameter, limits in other.LIMITS.items():
            if limits.key not in keys_of_law:
                _refuse(file, where, table, (limits.key,), *without_effect(word, parameter, limits.key))
            elif other is law and getattr(table, limits.key) is not None:
                value = getattr(table, limits.key)
                found[parameter] = value if limits.whole else value * limits.factor
    return law_of(word, name, **found)


def _friction(where: str, table: MachineMeshTable, file: MachineTables) -> Friction:
    """The friction of flanks in contact."""
    words = get_args(FrictionTable.model_fields["friction"].annotation)
    if table.friction is not None and table.friction not in words:
        known = " or ".join(f'"{one}"' for one in words)
        file.fault(f"{where}.friction", shown(table.friction), f"must be {known} with this law", "correct it")
        return Friction()
    given = table if table.friction is not None else table.model_copy(update={"friction": "none"})
    return contact_friction(file, given, where) or Friction()


def _study(folder: str | None, file: MachineTables) -> Any:
    return None if folder is None else load(file.path.parent / folder)


def _losses(table: MachineMeshTable, file: MachineTables) -> Any:
    if table.losses_csv is None:
        return table.losses
    if table.losses is not None:
        raise Fault("losses", "losses and losses_csv", "one of them", "leave out losses_csv")
    return LossTable.from_csv(file.path.parent / table.losses_csv)


def _refuse(
    file: MachineTables, where: str, table: MachineMeshTable, keys: tuple[str, ...], limit: str, remedy: str
) -> None:
    for key in keys:
        if getattr(table, key) != type(table).model_fields[key].default:
            file.fault(f"{where}.{key}", shown(getattr(table, key)), f"must be {limit}", remedy)


def _alignment(table: MachineMeshTable) -> Alignment:
    return Alignment(
        tilt_plane_of_action=math.radians(table.tilt_plane_of_action_deg),
        tilt_normal=math.radians(table.tilt_normal_deg),
        center_distance_error=table.center_distance_error_um * 1e-6,
    )
