"""What a picture of a machine needs besides its stress fields: ``machine.json`` in a result folder, SI units.

It holds shafts by their sections, whole gears by the outline of a tooth, bearings, disks, drives, loads, planetary sets
by their pitch circles and pins, the frames of the meshes that fields stand in, and how far each drive has turned in
each of the fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.contact.numbering import SPIN
from alegear.errors import Fault
from alegear.storage.store import SHAPE, read_table, write_table

if TYPE_CHECKING:
    from alegear.drivetrain.gear_mesh import MeshPlace
    from alegear.drivetrain.layout import Layout
    from alegear.drivetrain.parts import Drive, TorqueLoad
    from alegear.geometry.cylindrical_gear import CylindricalGear

KEYS = {
    "shafts", "gears", "bearings", "disks", "drives", "loads", "turning", "meshes", "planetary_sets", "angles",
}  # fmt: skip
#: A shaft without sections is drawn this far beyond its gears, in their face widths.
STUB = 0.4
#: Places on a shaft nearer than this are one [m]: round-off.
SAME = 1e-9
#: Points of half a tooth's outline.
FLANK_POINTS = 16


def machine_shape(layout: Layout, angles: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Describe a machine for pictures.

    Parameters
    ----------
    layout : Layout
    angles : mapping of str to sequence of float [rad]
        Rotation of each drive, in its sense, in each of the fields.

    Returns
    -------
    dict
        ``shafts``, ``gears``, ``bearings``, ``disks``, ``drives``, ``loads``, ``meshes``, ``planetary_sets`` by name,
        and ``angles``. A shaft has its speed over that of its drive (``ratio``), and its largest speed [rad/s], None
        without a drive that says one. A gear has its shaft, position along it, radii of tip and root circle, bore, face
        width, helix angle, twist and number of teeth, the outline of a tooth (n, 2) with its centre line along x, the
        direction in space of the centre line of tooth 0 at mid-face where no drive has turned, its drive, and its
        rotation about its shaft over that of the drive. Where nothing drives it the drive is None. A bearing has its
        rolling elements, None where it is given by a stiffness. Drives and loads have their torques [N m]; those on
        bodies that only turn, which have no place in space, are ``turning``: name of the body by theirs. Sets are those
        of :func:`alegear.results.planetary_shape.planetary_shapes`.
    """
    from alegear.results.planetary_shape import planetary_shapes  # reports read shapes and need none of the parts

    ends: list[Drive | TorqueLoad] = [*layout.drives.values(), *layout.loads.values()]
    disks: list[Any] = [one for one in layout.parts if one.TABLE == "disks"]
    return {
        "shafts": {
            name: {
                "origin": shaft.point(0.0).tolist(),
                "direction": shaft.axes[2].tolist(),
                "sections": np.asarray(shaft.sections).tolist(),
                "ratio": layout.ratio[name],
                "speed": _speed(layout, name),
            }
            for name, shaft in layout.shafts.items()
        },
        "gears": {name: _gear(layout, name) for name in layout.gears},
        "bearings": {
            one.name: {
                "shaft": one.shaft,
                "at": one.at,
                "to": one.to,
                "to_at": one.to_at,
                "rolling_elements": _rolling_elements(one),
            }
            for one in layout.bearings
        },
        "disks": {
            one.name: {"shaft": one.shaft, "at": one.at, "mass": one.mass}
            for one in disks
            if one.shaft in layout.shafts
        },
        "drives": _places(layout, layout.drives),
        "loads": _places(layout, layout.loads),
        "turning": {one.name: one.shaft for one in ends if one.shaft not in layout.shafts},
        "meshes": {
            place.mesh.name: {
                "gears": list(place.mesh.gears),
                "origin": place.origin.tolist(),
                "axes": place.axes.tolist(),
                "a_w": place.pair.a_w,
                "pitch_radii": [0.5 * abs(float(d)) for d in place.pair.d_w],
                "pitch_point": place.pitch_point.tolist(),
            }
            for place in layout.meshes
        },
        "planetary_sets": planetary_shapes(layout),
        "angles": {drive: [float(angle) for angle in of_drive] for drive, of_drive in angles.items()},
    }


def write_shape(directory: Path, layout: Layout, angles: Mapping[str, Sequence[float]]) -> None:
    """Write ``machine.json``; see :func:`machine_shape`.

    Raises
    ------
    StorageFailure
    """
    write_table(directory, SHAPE, machine_shape(layout, angles))


def read_shape(directory: Path) -> dict[str, Any]:
    """Read ``machine.json`` of a result folder.

    Raises
    ------
    Fault
        If it is missing or cannot be read.
    """
    found = read_table(directory, SHAPE)
    if missing := KEYS - set(found):
        limit = f"a readable file (without {', '.join(sorted(missing))})"
        raise Fault("shape of the machine", directory / SHAPE, limit, "run the case again")
    return found


def _places(layout: Layout, parts: Mapping[str, Drive | TorqueLoad]) -> dict[str, Any]:
    """Where drives or loads are on shafts, and their torques; a body that only turns has no place in space."""
    return {
        name: {"shaft": one.shaft, "at": one.at, "torque": layout.torque[name]}
        for name, one in parts.items()
        if one.shaft in layout.shafts
    }


def _speed(layout: Layout, shaft: str) -> float | None:
    """Largest speed of a shaft [rad/s]; None without a drive that says one."""
    drive = layout.drive_of.get(shaft)
    largest = None if drive is None else drive.largest_speed
    return None if largest is None else abs(layout.ratio[shaft] * largest)


def _rolling_elements(bearing: Any) -> dict[str, Any] | None:
    """Of a rolling bearing the pitch diameter, diameter and length (0: balls) of its elements, and defects."""
    if not bearing.rolls:
        return None
    return {
        "pitch_diameter": bearing.pitch_diameter,
        "diameter": bearing.diameter,
        "length": bearing.roller_length,
        "defects": [defect.on for defect in bearing.defects],
    }


def _gear(layout: Layout, name: str) -> dict[str, Any]:
    one = layout.gears[name]
    place = next(place for place in layout.meshes if name in place.mesh.gears)
    gear, drive = one.gear, layout.drive_of.get(one.shaft)
    return {
        "shaft": one.shaft,
        "at": one.at,
        "teeth": abs(gear.z),
        "r_a": abs(gear.r_a),
        "r_f": abs(gear.r_f),
        "bore": abs(gear.d_rim),  # of a ring the cylinder outside
        "internal": gear.internal,
        "b": gear.b,
        "beta": gear.beta,
        "twist": gear.twist,
        "outline": tooth_outline(gear).tolist(),
        "direction": _tooth_0(layout, place, name).tolist(),
        "drive": None if drive is None else drive.name,
        "ratio": layout.ratio[one.shaft],
    }


def _tooth_0(layout: Layout, place: MeshPlace, name: str) -> np.ndarray:
    """Direction of the centre line of tooth 0 where no drive has turned, in space (3,)."""
    g = place.mesh.gears.index(name)
    turned = float(SPIN[g]) * layout.phases[place.mesh.name][g]
    polar = place.reference_angles[g] + turned
    direction: np.ndarray = math.cos(polar) * place.axes[0] + math.sin(polar) * place.axes[1]
    return direction


def tooth_outline(gear: CylindricalGear) -> np.ndarray:
    """Outline of one tooth from the middle of a tooth space to the next, counter-clockwise, shape (n, 2) [m]."""
    profile = gear.tooth_profile
    upper = profile.points(np.linspace(profile.s_tip, profile.s_root, FLANK_POINTS))
    outline: np.ndarray = np.concatenate([(upper * [1.0, -1.0])[::-1], upper])
    return outline[::-1] if gear.internal else outline


def shaft_sections(shape: Mapping[str, Any], name: str) -> list[tuple[float, float, float, float]]:
    """Begin, length, outer and inner radius [m] of the sections of a shaft; without any a stub in its gears' bores."""
    sections = shape["shafts"][name]["sections"]
    if sections:
        begins = np.cumsum([0.0, *(length for length, *_ in sections)]).tolist()
        return [(b, length, 0.5 * d, 0.5 * i) for b, (length, d, i) in zip(begins, sections, strict=False)]
    gears = [gear for gear in shape["gears"].values() if gear["shaft"] == name and not gear.get("internal")]
    if not gears:
        return []
    begin = min(gear["at"] - (0.5 + STUB) * gear["b"] for gear in gears)
    end = max(gear["at"] + (0.5 + STUB) * gear["b"] for gear in gears)
    return [(begin, end - begin, 0.5 * max(gear["bore"] for gear in gears), 0.0)]


def section_at(shape: Mapping[str, Any], shaft: str, at: float) -> tuple[float, float]:
    """Outer and inner radius of a shaft at a place [m]; 0 of one with neither sections nor gears."""
    sections = shaft_sections(shape, shaft)
    before = [one for one in sections if one[0] <= at + SAME] or sections
    return before[-1][2:] if before else (0.0, 0.0)
