"""What follows from a case of any kind before anything is computed, as ``alegear check --json`` prints it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from alegear.case.case import Case
from alegear.parameters import limits_of

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.geometry.gear_pair import GearPair
    from alegear.mesh.sector import SectorMesh


def case_data(case: Case | MachineCase, sectors: Sequence[SectorMesh | None] = (None, None)) -> dict[str, Any]:
    """Return the derived data of a case: of a pair, a machine, torsional parts, bodies in space.

    Parameters
    ----------
    case : Case or MachineCase
    sectors : sequence of SectorMesh or None
        Of both gears of a pair, where grids made elsewhere have been read.
    """
    if isinstance(case, Case):
        from alegear.checks.gear_data import gear_data

        return gear_data(case, sectors)
    if case.in_space:
        from alegear.checks.rigid_data import spatial_data

        return spatial_data(case)
    from alegear.checks.machine_data import machine_data

    if not case.is_torsional:
        return machine_data(case)
    from alegear.checks.rigid_data import rotational_data

    return {**rotational_data(case), **machine_data(case)}


def part_quantities(case: Case | MachineCase) -> dict[str, str]:
    """Return what the parts of a machine call their numbers, by the keys of these; without keys of which two differ."""
    found: dict[str, set[str]] = {}
    for part in () if isinstance(case, Case) else case.parts:
        for limits in limits_of(type(part)).values():
            found.setdefault(limits.key, set()).add(limits.quantity)
    return {key: names.pop() for key, names in found.items() if len(names) == 1}


def teeth_data(case: Case | MachineCase) -> dict[str, dict[str, Any]]:
    """Return what the gears of each mesh of cylindrical gears are given by, lists of the first and the second one."""
    if isinstance(case, Case):
        return {"pinion, wheel": _teeth(case.pair)}
    if case.in_space:
        return {}
    return {place.mesh.name: _teeth(place.pair) for place in case.layout.meshes}


def _teeth(pair: GearPair) -> dict[str, Any]:
    first = pair.pinion
    return {
        "z": [gear.z for gear in pair.gears],
        "m_n_mm": 1e3 * first.m_n,
        "alpha_n_deg": math.degrees(first.rack.alpha_n),
        "beta_deg": math.degrees(first.beta),
        "x": [gear.x for gear in pair.gears],
        "b_mm": [1e3 * gear.b for gear in pair.gears],
        "a_w_mm": 1e3 * pair.a_w,
    }
