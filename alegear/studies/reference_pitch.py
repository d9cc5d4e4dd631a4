"""Reference pitch of a machine study, and the drive rotations in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.case.mesh_period import planet_meshes
from alegear.drivetrain.gear_mesh import MeshPlace

if TYPE_CHECKING:
    from alegear.case.analysis import MachineStatic
    from alegear.case.machine import MachineCase


#: Phase of the driven gear of the counted mesh at which a study begins [pitches], as of a pair.
START_PHASE = -0.5


def reference_mesh(case: MachineCase, name: str | None = None) -> MeshPlace:
    """The mesh whose pitches are counted: the one that is named, else that whose teeth follow most slowly."""
    if name is not None:
        return case.layout.place(name)
    return max(case.layout.meshes, key=pitch_of_drive)


def turned_drives(case: MachineCase, turned: float, mesh: str | None = None) -> dict[str, float]:
    """Rotations [rad] of all drives, that of the counted mesh having turned so far since the start of a study.

    It begins half a pitch before pair 0 is central; without meshes of gears where none has turned.
    """
    layout = case.layout
    if not layout.meshes:
        speeds = [drive.size_of_speed for drive in layout.drives.values()]
        return {name: turned * speed / speeds[0] for name, speed in zip(layout.drives, speeds, strict=True)}
    place = reference_mesh(case, mesh)
    driven = 1 - place.driving
    pitch = 2.0 * math.pi / place.pair.gears[driven].z
    begin = (START_PHASE * pitch - layout.phases[place.mesh.name][driven]) / place.ratios[driven]
    own = layout.drive_of[layout.gears[place.mesh.gears[0]].shaft]
    return {
        drive.name: (begin + turned) * (drive.size_of_speed / own.size_of_speed) for drive in layout.drives.values()
    }


def pitch_of_drive(place: MeshPlace) -> float:
    """Rotation of the drive in a pitch of a mesh [rad]."""
    return 2.0 * math.pi / place.pair.pinion.z / place.ratios[0]


def planned_drives(case: MachineCase, analysis: MachineStatic) -> Array:
    """Rotations of the first drive, or of that of the counted mesh, [rad] in its sense, if gears were perfect.

    Without meshes of gears the pitches are those of the planets whose teeth follow most slowly; without any teeth there
    is one position.
    """
    layout = case.layout
    if layout.meshes:
        pitch = pitch_of_drive(reference_mesh(case, analysis.mesh))
    else:
        passing = [mesh.frequency(layout.ratio) for mesh in planet_meshes(case) if mesh.known(layout.ratio)]
        if not any(passing):
            return np.zeros(1)
        pitch = 2.0 * math.pi / min(one for one in passing if one)
    n = analysis.positions_per_pitch
    turned: Array = pitch * np.arange(n * analysis.pitches) / n
    return turned
