"""Summaries of machines of torsional parts and of bodies in space: each part by its name, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from alegear._version import __version__
from alegear.results.dataset import ResultArrays

#: Numbers of a summary by table, dimension and key: of which variable. ``max``: its largest size; else its last value.
ROTATIONAL = {
    ("bodies", "body"): {
        "speed_max_rad_per_s": "speed",
        "speed_end_rad_per_s": "speed",
        "angle_end_rad": "angle",
    },
    ("parts", "part"): {
        "energy_lost_J": "energy_lost",
        "energy_supplied_J": "energy_supplied",
        "energy_stored_J": "energy_stored",
    },
    ("switches", "switch"): {"friction_torque_max_Nm": "friction_torque"},
}
#: Likewise of bodies in space; variables of motions alone are left out of positions.
SPATIAL = {
    ("bodies", "body"): {
        "position_end_m": "position",
        "rotation_vector_end_rad": "rotation_vector",
        "speed_max_m_per_s": "velocity",
        "angular_speed_max_rad_per_s": "angular_velocity",
    },
    ("joints", "joint"): {
        "reaction_force_max_N": "reaction_force",
        "reaction_torque_max_Nm": "reaction_torque",
        "reaction_force_end_N": "reaction_force",
        "reaction_torque_end_Nm": "reaction_torque",
    },
    ("meshes", "mesh"): {
        "normal_force_max_N": "normal_force",
        "normal_force_end_N": "normal_force",
        "tooth_force_end_N": "tooth_force",
    },
    ("bushings", "bushing"): {"force_max_N": "bushing_force", "torque_max_Nm": "bushing_torque"},
    ("point_springs", "point_spring"): {
        "force_max_N": "spring_force",
        "force_end_N": "spring_force",
        "length_end_m": "spring_length",
    },
}


def body_summary(history: ResultArrays, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Build ``summary.json`` of a motion of torsional parts, or of a motion or positions of bodies in space."""
    values, kind = history.values, "spatial" if "spatial" in history.attributes else "rotational"
    tables: dict[str, dict[str, dict[str, Any]]] = {
        table: {
            name: {key: _number(key, values[of][:, i]) for key, of in keys.items() if of in values}
            for i, name in enumerate(history.labels[dim])
        }
        for (table, dim), keys in (SPATIAL if kind == "spatial" else ROTATIONAL).items()
    }
    found: dict[str, Any] = {"analysis": history.analysis, "machine": True, kind: True, **tables}
    if "event_switch" in history.coordinates:
        switches = list(history.coordinates["event_switch"][1])
        found["events"] = len(switches)
        for name, table in tables["switches"].items():
            table["events"] = switches.count(name)
    energies = [name for name, one in history.variables.items() if name.startswith("energy_") and not one.dims]
    if energies:
        found["energy"] = {f"{name.removeprefix('energy_')}_J": float(values[name][-1]) for name in energies}
    return found | {"counts": dict(history.facts["counts"]), "version": __version__, **facts}


def _number(key: str, values: Any) -> Any:
    """Largest size over time, or the last value, of a number or a vector over time."""
    if "_max_" not in key:
        return values[-1].tolist()
    return float((np.linalg.norm(values, axis=-1) if values.ndim > 1 else np.abs(values)).max())
