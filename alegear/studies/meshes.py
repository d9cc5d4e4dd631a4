"""Meshes of a machine as its studies begin with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from alegear.checks.displacement_limit import DisplacementLimit
from alegear.checks.pressed_flanks import SqueezedTeeth
from alegear.drivetrain.gear_mass import GearMass
from alegear.drivetrain.gear_mesh import PreparedMesh
from alegear.drivetrain.machine import MachineParts
from alegear.drivetrain.normal_modes import GearModes
from alegear.geometry.pair_names import PairNames

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.studies.preparation import PreparedPair


def small_displacements(case: MachineCase) -> dict[str, DisplacementLimit]:
    """What looks at the displacements of the gears of each mesh, by its name."""
    return {
        place.mesh.name: DisplacementLimit(
            place.pair, PairNames(pinion=f"gear {place.mesh.gears[0]}", wheel=f"gear {place.mesh.gears[1]}")
        )
        for place in case.layout.meshes
    }


def squeezed_teeth(case: MachineCase) -> dict[str, SqueezedTeeth]:
    """What looks at both flanks of each mesh, by its name."""
    return {
        place.mesh.name: SqueezedTeeth(
            mesh=place.mesh.name,
            backlash=place.mesh.law.backlash_of(place),
            stiffness=place.first_stiffness,
            key=place.mesh.law.backlash_key,
        )
        for place in case.layout.meshes
    }


def ready_meshes(case: MachineCase, prepared: Mapping[str, PreparedPair]) -> dict[str, PreparedMesh]:
    """All meshes as their laws get them in statics, by name."""
    return {
        place.mesh.name: PreparedMesh(
            stiffness=place.first_stiffness,
            contact=prepared[place.mesh.name].contact if place.mesh.name in prepared else None,
        )
        for place in case.layout.meshes
    }


def machine_of(case: MachineCase, prepared: Mapping[str, PreparedPair]) -> MachineParts:
    """The machine whose gears in flexible meshes weigh what their grids do; a gear in two meshes has one grid."""
    found: dict[str, GearMass] = {}
    for place in case.layout.meshes:
        if place.mesh.name in prepared:
            for gear, wheel in zip(place.mesh.gears, prepared[place.mesh.name].wheels, strict=True):
                own = GearMass(mass=wheel.mass, inertia=wheel.inertia, tilt_inertia=wheel.transverse_inertia)
                found.setdefault(gear, own)
    return replace(case.machine, wheels=found)


def modes_of(ready: Mapping[str, PreparedMesh]) -> dict[str, tuple[GearModes, GearModes]]:
    """Normal modes of the gears of each mesh whose wheels vibrate, by its name."""
    return {name: one.modes for name, one in ready.items() if one.modes is not None}
