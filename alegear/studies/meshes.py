"""Meshes of a machine as its studies begin with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array, ComplexArray
from alegear.checks.displacement_limit import DisplacementLimit
from alegear.checks.pressed_flanks import SqueezedTeeth
from alegear.drivetrain.gear_mass import GearMass
from alegear.drivetrain.gear_mesh import MeshLoads, MeshPlace, PreparedMesh
from alegear.drivetrain.machine import MachineParts
from alegear.drivetrain.normal_modes import GearModes
from alegear.geometry.pair_geometry import PairNames
from alegear.system.linearised import Linearised
from alegear.system.modes import SystemModes, real_modes

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.reduction.normal_modes import NormalModes
    from alegear.studies.preparation import PreparedPair
    from alegear.system.model import SystemModel


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


def vibrating_gears(
    place: MeshPlace,
    stiffness: float,
    modes: tuple[NormalModes, NormalModes],
    amplitudes: Sequence[ComplexArray],
    damping_ratio: float,
) -> tuple[GearModes, GearModes]:
    """Normal modes of both gears of a mesh, under what it carries on its mean stiffness [N/m]."""
    first, second = (
        GearModes(
            modes=own,
            amplitudes=at_teeth,
            damping_ratio=damping_ratio,
            deflection=place.force / stiffness,
            force=place.force,
        )
        for own, at_teeth in zip(modes, amplitudes, strict=True)
    )
    return first, second


def modes_on_fixed_axes(model: SystemModel) -> SystemModes:
    """Modes without damping of a machine whose axes are all held, so that it only turns."""
    turning = [place.rotation for place in model.places.values() if place.rotation is not None]
    return real_modes(Linearised.of(model).holding_all_but(np.unique(turning)))


def values_of_meshes(loads: Sequence[MeshLoads], n: int) -> dict[str, Array]:
    """What meshes carry in n states, side by side: stiffness (n, m), forces and moments (n, m, 3) in space."""
    shape = (n, len(loads))
    stiffness, force, moment = np.empty(shape), np.empty((*shape, 3)), np.empty((*shape, 3))
    for m, one in enumerate(loads):
        stiffness[:, m], force[:, m], moment[:, m] = one.stiffness, one.force, one.moment
    return {"mesh_stiffness": stiffness, "mesh_force": force, "mesh_moment": moment}
