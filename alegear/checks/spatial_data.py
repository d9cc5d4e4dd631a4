"""What follows from a machine with bodies in space before anything is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.case.motion_in_time import SpatialMotion
from alegear.drivetrain.spatial.scales import bodies_of
from alegear.system.start import start_with_joints

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.system.machine_part import MachinePart

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
            part.name: {"kind": part.joint_kind or part.type_name, "between": _bodies(part)}
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


def _bodies(part: MachinePart) -> list[str]:
    return [gear.body for gear in part.gears_in_space] or list(part.places.values())
