"""What a machine in space came to: bodies, joints, meshes, bushings, springs, energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.results.dataset import UNNAMED, Identity, coordinates
from alegear.results.variables import AXES, SPATIAL, SPATIAL_MOTION

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]


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
        Variables of :data:`SPATIAL`, of a motion also of :data:`SPATIAL_MOTION`.
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


def spatial_dataset(history: SpatialHistory, identity: Identity = UNNAMED) -> xr.Dataset:
    """Build the dataset of ``result.nc``."""
    import xarray as xr

    sample_dim = "time" if history.moves else "position_number"
    labels = {**history.names, "axis": AXES, "side": ("first", "second")}
    words = {"body": "body", "axis": "axis of space, or of the body", "side": "first or second toothed body"}
    of_time = "time" if history.moves else "time that motions are given over"
    coords = {"time": (sample_dim, history.time, {"units": "s", "long_name": of_time}), **coordinates(labels, **words)}
    variables = SPATIAL | SPATIAL_MOTION if history.moves else SPATIAL
    data = {name: variable.entry(history.values[name], sample_dim) for name, variable in variables.items()}
    return xr.Dataset(data, coords=coords, attrs=identity.attributes(history.kind, machine=1, spatial=1))


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
