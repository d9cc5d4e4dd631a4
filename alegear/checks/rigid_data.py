"""What follows from a machine of rigid parts, torsional or in space, before anything is computed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.case.motion_in_time import SpatialMotion
from alegear.drivetrain.gear_mesh import PreparedMesh
from alegear.drivetrain.spatial.scales import bodies_of
from alegear.parameters import number_of, parameters_of
from alegear.system.profiles import PiecewiseCubic
from alegear.system.reduction import Reduction, reduction
from alegear.system.start import consistent_start, start_with_joints
from alegear.units import RPM

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.system.coordinates import Array
    from alegear.system.machine_part import MachinePart
    from alegear.system.model import SystemModel

#: Entries of speeds below this part of the largest are what round-off has left of a zero.
ROUND_OFF = 1e-9


def model_of(case: MachineCase) -> SystemModel:
    """Put a torsional machine together; drives lead their shafts with their largest speeds."""
    layout = case.layout
    meshes = {
        place.mesh.name: place.mesh.law.in_motion(PreparedMesh(stiffness=place.first_stiffness))
        for place in layout.meshes
    }
    speeds = {name: PiecewiseCubic.constant(drive.largest_speed or 0.0) for name, drive in layout.drives.items()}
    return case.machine.build(meshes, speeds=speeds).model


def rotational_data(case: MachineCase) -> dict[str, Any]:
    """Return bodies, parts and degrees of freedom; the unit is in the key.

    Parameters
    ----------
    case : MachineCase
        Whose parts only turn.

    Returns
    -------
    dict
        ``bodies`` by name: inertia, speed at the start, and with which body it turns at a fixed ratio, its own speed
        over that body's, while all clutches, brakes and freewheels are open; ``parts`` by name: kind, places, numbers;
        ``degrees_of_freedom`` of speeds that are not prescribed, with all of them ``open`` and all of them ``closed``.
    """
    model = model_of(case)
    opened = _reduced(model)
    couplings = {part.name for part in case.parts if part.is_clutch}
    closed = _reduced(model, [switch.rate for switch in model.switches if model.owner(switch.name) in couplings])
    speeds = consistent_start(model)[1]
    bodies = {}
    for i, (coordinate, follows) in enumerate(zip(model.coordinates, _followed(model, opened), strict=True)):
        bodies[coordinate.name] = {
            "inertia_kg_m2": float(model.mass[i, i]),
            "speed_rpm": float(speeds[i]) / RPM,
            **follows,
        }
    return {
        "bodies": bodies,
        "parts": {part.name: _part(part) for part in case.parts if not part.makes_bodies},
        "degrees_of_freedom": {"open": opened.f, "closed": closed.f},
    }


def _reduced(model: SystemModel, more: list[Array] | None = None) -> Reduction:
    """Independent speeds, with more rows of what does not turn against each other."""
    rows = np.vstack([model.constraint_rows, *(more or [])])
    return reduction(rows, model.prescribed_indices, model.displacement_scale)


def _followed(model: SystemModel, reduced: Reduction) -> Iterator[dict[str, Any]]:
    """With which body each one turns, and how fast against it; None of one that turns by itself or not at all."""
    speeds = np.hstack([reduced.T, reduced.by_prescribed])
    first: list[int] = []
    for number, row in enumerate(speeds):
        if not np.any(np.abs(row) > ROUND_OFF):
            yield {"turns_with": "ground", "ratio": 0.0}
            continue
        for i in first:
            other = speeds[i]
            ratio = float(row @ other) / float(other @ other)
            if np.abs(row - ratio * other).max() <= ROUND_OFF * np.abs(row).max():
                yield {"turns_with": model.coordinates[i].name, "ratio": ratio}
                break
        else:
            first.append(number)
            yield {"turns_with": None, "ratio": None}


def _part(part: MachinePart) -> dict[str, Any]:
    """Kind, places and numbers of a part, these under their keys in a file."""
    data: dict[str, Any] = {"kind": part.type_name, "places": part.places}
    owner: type = type(part)
    for parameter in parameters_of(owner):
        limits, value = number_of(parameter), getattr(part, parameter.name)
        if limits is not None and value is not None:  # what is optional and not given
            data[limits.key] = value / limits.factor
    data |= part.facts
    return data


#: Singular values of joint equations below this part of the largest are those of equations that say the same twice.
DEPENDENT = 1e-9


def spatial_data(case: MachineCase) -> dict[str, Any]:
    """Return bodies, gears, parts and degrees of freedom; the unit is in the key.

    Parameters
    ----------
    case : MachineCase
        With bodies in space.

    Returns
    -------
    dict
        ``bodies_in_space`` by name: mass, position, speeds at the start of a motion; ``gears_in_space``: body, teeth,
        pitch diameter; ``parts_in_space``: kind and bodies; ``degrees_of_freedom_in_space``: coordinates, equations of
        joints, and what is left where bodies stand at the start; ``warnings``.
    """
    moves = isinstance(case.analysis, SpatialMotion)
    model = case.machine.build({}, moves=moves).model
    x, v = start_with_joints(model) if moves else (model.start()[0], np.zeros(model.n))
    bodies = {}
    for body in bodies_of(case.parts):
        at = model.frames[body.name].coordinates
        bodies[body.name] = {"mass_kg": float(body.mass), "position_mm": (1e3 * x[at[:3]]).tolist()}
        if moves:
            bodies[body.name] |= {
                "velocity_m_per_s": v[at[:3]].tolist(),
                "angular_velocity_rad_per_s": v[at[3:]].tolist(),
            }
    rows = np.vstack([model.joint_rows.misfit(0.0, x)[1], model.constraint_rows])[:, model.free]
    rows = rows * model.displacement_scale[model.free]
    size = np.abs(rows).max(axis=1, initial=0.0)
    rank = (
        int(np.linalg.matrix_rank(rows / np.where(size > 0.0, size, 1.0)[:, None], tol=DEPENDENT)) if len(rows) else 0
    )
    return {
        "bodies_in_space": bodies,
        "gears_in_space": {
            gear.name: {
                "body": gear.body,
                "teeth": gear.n_teeth,
                "normal_module_mm": 1e3 * gear.normal_module,
                "pitch_diameter_mm": 2e3 * gear.pitch_radius or None,
            }
            for part in case.parts
            for gear in part.gears_in_space
        },
        "parts_in_space": {
            part.name: {
                "kind": part.joint_kind or part.type_name,
                "between": [gear.body for gear in part.gears_in_space] or list(part.places.values()),
            }
            for part in case.parts
            if not part.makes_bodies
        },
        "degrees_of_freedom_in_space": {
            "coordinates": len(model.free),
            "equations": len(rows),
            "left": len(model.free) - rank,
        },
        "warnings": [],
    }
