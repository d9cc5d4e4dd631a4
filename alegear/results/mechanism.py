"""What a picture of a machine in space needs besides its result: ``mechanism.json`` in a result folder, SI units."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.results.store import MECHANISM, read_table
from alegear.whole_file import write_whole

Array = NDArray[np.float64]
GROUND = "ground"


def mechanism_shape(parts: Sequence[Any]) -> dict[str, Any]:
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
        part.name: (np.asarray(part.position, dtype=np.float64), np.asarray(part.axes, dtype=np.float64))
        for part in parts
        if hasattr(part, "inertia_tensor")
    }
    points: dict[str, list[list[float]]] = {name: [] for name in frames}

    def fixed(body: str, point: Any) -> list[float]:
        """A point of space in the frame of a body, fixed to it."""
        p, R = frames[body]
        local: list[float] = (R.T @ (np.asarray(point) - p)).tolist()
        points[body].append(local)
        return local

    def between(part: Any, ends: Sequence[Any]) -> dict[str, Any]:
        return {
            "between": list(part.between),
            "points": [fixed(body, end) for body, end in zip(part.between, ends, strict=True)],
        }

    shape: dict[str, Any] = {"bodies": points, "wheels": {}, "racks": {}, "joints": {}, "point_springs": {}}
    for part in parts:
        if not all(body in frames for body in getattr(part, "between", (None,))):
            continue
        heading = getattr(part, "TABLE", None)
        if heading in ("joints", "bushings"):
            shape["joints"][part.name] = between(part, (part.point, part.point)) | {"kind": getattr(part, "kind", "")}
        elif heading == "point_springs":
            shape["point_springs"][part.name] = between(part, part.points)
    for gear in (gear for part in parts for gear in getattr(part, "gears", ()) if hasattr(gear, "rolls")):
        if gear.body not in frames:
            continue
        own = {"body": gear.body, "normal_module": gear.normal_module, "helix_angle": gear.helix_angle}
        if gear.pitch_radius:
            points[gear.body].append(np.asarray(gear.centre).tolist())
            shape["wheels"][gear.name] = own | {
                "centre": np.asarray(gear.centre).tolist(),
                "axis": np.asarray(gear.axis).tolist(),
                "pitch_radius": gear.pitch_radius,
                "cone_angle": gear.cone_angle,
                "teeth": gear.teeth,
                "internal": gear.internal,
            }
        else:
            shape["racks"][gear.name] = own | {
                what: np.asarray(getattr(gear, what)).tolist() for what in ("point", "direction", "outwards")
            }
    return shape


def write_mechanism(directory: Path, shape: dict[str, Any]) -> None:
    """Write ``mechanism.json``.

    Raises
    ------
    StorageFailure
    """
    write_whole(directory / MECHANISM, json.dumps(shape, indent=1).encode())


def read_mechanism(directory: Path) -> dict[str, Any]:
    """Read ``mechanism.json``.

    Raises
    ------
    Fault
    """
    return read_table(directory, MECHANISM)
