"""What a picture of a machine in space needs besides its result: ``mechanism.json`` in a result folder, SI units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from alegear.drivetrain.spatial.scales import bodies_of
from alegear.system.machine_part import MachinePart

GROUND = "ground"


def mechanism_shape(parts: Sequence[MachinePart]) -> dict[str, Any]:
    """Describe a machine in space for pictures.

    Parameters
    ----------
    parts : sequence of parts

    Returns
    -------
    dict
        ``bodies`` by name: ``points`` (m, 3) of the body at which something is fixed, in its frame; the ground has an
        entry, too. ``wheels`` by name: body, centre, axis, pitch radius, cone and helix angle, teeth, normal module,
        whether internal. ``racks`` by name: body, point, direction, outwards, normal module. ``joints`` and
        ``point_springs`` by name: the bodies, and a point in the frame of each.
    """
    frames = {GROUND: (np.zeros(3), np.eye(3))}
    frames |= {
        body.name: (np.asarray(body.position, dtype=np.float64), np.asarray(body.axes, dtype=np.float64))
        for body in bodies_of(parts)
    }
    points: dict[str, list[list[float]]] = {name: [] for name in frames}

    def fixed(body: str, point: Any) -> list[float]:
        """A point of space in the frame of a body, fixed to it."""
        p, R = frames[body]
        local: list[float] = (R.T @ (np.asarray(point) - p)).tolist()
        points[body].append(local)
        return local

    shape: dict[str, Any] = {"bodies": points, "wheels": {}, "racks": {}, "joints": {}, "point_springs": {}}
    for part in parts:
        ends = part.fixed_points
        if not ends or any(body not in frames for body, _ in ends):
            continue
        joined = {"between": [body for body, _ in ends], "points": [fixed(body, point) for body, point in ends]}
        if part.TABLE == "point_springs":
            shape["point_springs"][part.name] = joined
        else:
            shape["joints"][part.name] = joined | {"kind": part.joint_kind}
    for gear in (gear for part in parts for gear in part.gears_in_space if gear.body in frames):
        kind = "wheels" if gear.pitch_radius else "racks"
        if kind == "wheels":
            points[gear.body].append(np.asarray(gear.outline["centre"], dtype=np.float64).tolist())
        shape[kind][gear.name] = {"body": gear.body, "normal_module": gear.normal_module, **gear.outline}
    return shape
