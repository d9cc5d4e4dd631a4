"""What a machine in space came to: bodies, joints, meshes, bushings, springs, energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.results._variables import Variable, global_attributes

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

#: Of motions and positions; after the leading dimension, time or position.
SPATIAL = {
    "position": Variable(("body", "axis"), "m", "position of the frame of the body in space"),
    "rotation_vector": Variable(("body", "axis"), "rad", "rotation vector of the body from the axes of space"),
    "angle": Variable(("rotor",), "rad", "angle of what only turns"),
    "reaction_force": Variable(("joint", "axis"), "N", "force of the joint on the second body, in space"),
    "reaction_torque": Variable(
        ("joint", "axis"), "N m", "torque of the joint on the second body about the point of the joint, in space"
    ),
    "joint_point": Variable(("joint", "axis"), "m", "point of the joint on the second body, in space"),
    "normal_force": Variable(
        ("mesh",), "N", "force normal to the flanks; its sign says which flanks bear (multiplier of the rolling)"
    ),
    "tooth_force": Variable(("mesh", "axis"), "N", "force of the teeth on the second toothed body, in space"),
    "contact_point": Variable(("mesh", "axis"), "m", "where the teeth touch, in space"),
    "roll": Variable(("mesh", "side"), "rad", "roll of the contact around each toothed body; of racks in m"),
    "bushing_force": Variable(("bushing", "axis"), "N", "force of the bushing on the second body, in space"),
    "bushing_torque": Variable(("bushing", "axis"), "N m", "torque of the bushing on the second body, in space"),
    "spring_length": Variable(("point_spring",), "m", "length of the spring"),
    "spring_force": Variable(("point_spring",), "N", "tension of the spring, its damper included"),
}
#: Of motions besides.
IN_MOTION = {
    "velocity": Variable(("body", "axis"), "m/s", "velocity of the frame of the body in space"),
    "angular_velocity": Variable(("body", "axis"), "rad/s", "angular velocity, in the axes of space"),
    "angular_velocity_of_body": Variable(("body", "axis"), "rad/s", "angular velocity, in the axes of the body"),
    "acceleration": Variable(("body", "axis"), "m/s2", "acceleration of the frame of the body in space"),
    "angular_acceleration": Variable(("body", "axis"), "rad/s2", "angular acceleration, in the axes of space"),
    "speed": Variable(("rotor",), "rad/s", "speed of what only turns"),
    "joint_power": Variable(("joint",), "W", "power that a prescribed joint supplies"),
    "sliding_velocity": Variable(("mesh",), "m/s", "sliding of the first against the second along the tooth"),
    "friction_loss": Variable(("mesh",), "W", "power lost by friction along the tooth"),
    "energy_input": Variable((), "J", "work of loads and prescribed joints since the start"),
    "energy_kinetic": Variable((), "J", "kinetic energy"),
    "energy_stored": Variable((), "J", "energy stored in bushings, springs and modes, and of weight in these"),
    "energy_dissipated": Variable((), "J", "energy lost since the start"),
    "energy_missing": Variable(
        (), "J", "put in less lost less what is there more than at the start: 0 but for the steps"
    ),
}
WORDS = {
    "body": "body",
    "rotor": "what only turns",
    "joint": "joint",
    "mesh": "mesh",
    "bushing": "bushing",
    "point_spring": "spring between two points",
    "axis": "axis of space, or of the body",
    "side": "first or second toothed body",
}
AXES, SIDES = ("x", "y", "z"), ("first", "second")


@dataclass(frozen=True, kw_only=True, eq=False)
class SpatialHistory:
    """Results of a machine in space.

    Parameters
    ----------
    time : shape (m,) [s]
        Of a sequence of positions what motions and loads are given over.
    moves : bool
        Whether it is a motion; else a sequence of positions.
    names : mapping of str to sequence of str
        By dimension.
    values : mapping of str to array
        Variables of :data:`SPATIAL`, of a motion also of :data:`IN_MOTION`.
    counts : mapping of str to int
        What it cost.
    """

    time: Floats
    moves: bool
    names: Mapping[str, Sequence[str]]
    values: Mapping[str, NDArray[Any]]
    counts: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.time)

    @property
    def kind(self) -> str:
        """Of the analysis."""
        return "dynamic" if self.moves else "kinematic"


def spatial_dataset(
    history: SpatialHistory, *, title: str = "", case_sha256: str = "", complete: bool = True
) -> xr.Dataset:
    """Build the dataset of ``result.nc``."""
    import xarray as xr

    def described(units: str, long_name: str) -> dict[str, str]:
        return {"units": units, "long_name": long_name}

    sample_dim = "time" if history.moves else "position_number"
    coords: dict[str, Any] = {
        "time": (
            sample_dim,
            history.time,
            described("s", "time" if history.moves else "time that motions are given over"),
        )
    }
    for name, labels in {**history.names, "axis": AXES, "side": SIDES}.items():
        # arrays of no names have no type of their own
        coords[name] = (name, np.array(labels, dtype=str if not labels else None), described("1", WORDS[name]))
    variables = SPATIAL | IN_MOTION if history.moves else SPATIAL
    data = {
        name: ((sample_dim, *variable.dims), history.values[name], described(variable.units, variable.long_name))
        for name, variable in variables.items()
    }
    extra = {"machine": 1, "spatial": 1}
    attrs = global_attributes(history.kind, title=title, case_sha256=case_sha256, complete=complete, extra=extra)
    return xr.Dataset(data, coords=coords, attrs=attrs)


def spatial_summary(history: SpatialHistory, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Build ``summary.json``."""
    values, names = history.values, history.names

    def largest(name: str, i: int) -> float:
        own = values[name][:, i]
        return float((np.linalg.norm(own, axis=-1) if own.ndim > 1 else np.abs(own)).max())

    bodies: dict[str, dict[str, Any]] = {}
    for i, name in enumerate(names["body"]):
        bodies[name] = {
            "position_end_m": values["position"][-1, i].tolist(),
            "rotation_vector_end_rad": values["rotation_vector"][-1, i].tolist(),
        }
        if history.moves:
            bodies[name] |= {
                "speed_max_m_per_s": largest("velocity", i),
                "angular_speed_max_rad_per_s": largest("angular_velocity", i),
            }
    found: dict[str, Any] = {
        "analysis": history.kind,
        "machine": True,
        "spatial": True,
        "bodies": bodies,
        "joints": {
            name: {
                "reaction_force_max_N": largest("reaction_force", i),
                "reaction_torque_max_Nm": largest("reaction_torque", i),
                "reaction_force_end_N": values["reaction_force"][-1, i].tolist(),
                "reaction_torque_end_Nm": values["reaction_torque"][-1, i].tolist(),
            }
            for i, name in enumerate(names["joint"])
        },
        "meshes": {
            name: {
                "normal_force_max_N": largest("normal_force", i),
                "normal_force_end_N": float(values["normal_force"][-1, i]),
                "tooth_force_end_N": values["tooth_force"][-1, i].tolist(),
            }
            for i, name in enumerate(names["mesh"])
        },
        "bushings": {
            name: {
                "force_max_N": largest("bushing_force", i),
                "torque_max_Nm": largest("bushing_torque", i),
            }
            for i, name in enumerate(names["bushing"])
        },
        "point_springs": {
            name: {
                "force_max_N": largest("spring_force", i),
                "force_end_N": float(values["spring_force"][-1, i]),
                "length_end_m": float(values["spring_length"][-1, i]),
            }
            for i, name in enumerate(names["point_spring"])
        },
        "samples": len(history),
        "counts": dict(history.counts),
        "version": __version__,
    }
    if history.moves:
        told = ("input", "dissipated", "kinetic", "stored", "missing")
        found["energy"] = {f"{name}_J": float(values[f"energy_{name}"][-1]) for name in told}
    return found | dict(facts)
