"""What a study of a machine computed besides the contact of each mesh: shafts, bearings, meshes as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.results import signals
from alegear.results._variables import AXES, Variable, global_attributes

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

#: After the leading dimension, position or time.
MACHINE = {
    "drive_angle": Variable((), "rad", "rotation of the first drive if gears were perfect, in its sense"),
    "rotation_error": Variable(
        ("shaft",), "rad", "rotation of the shaft where it is loaded, less ratio times that of its drive's place"
    ),
    "transmission_error": Variable(
        ("mesh",), "m", "transmission error along the line of action, driven gear minus driver, negative under load"
    ),
    "mesh_stiffness": Variable(
        ("mesh",), "N/m", "tangent mesh stiffness along the line of action at the load, axes held where they stand"
    ),
    "torque": Variable(
        ("shaft",), "N m", "torque of drives and loads on the shaft about its direction, what holds the train included"
    ),
    "mesh_force": Variable(("mesh", "axis"), "N", "contact force on the first gear of the mesh, in space"),
    "mesh_moment": Variable(
        ("mesh", "axis"), "N m", "moment of the contact forces on the first gear about its mid-face, in space"
    ),
    "displacement": Variable(("place", "axis"), "m", "displacement of the shaft's axis, in space"),
    "tilt": Variable(("place", "axis"), "rad", "small turn of the shaft's axis, in space"),
    "bearing_force": Variable(("bearing", "axis"), "N", "force of the shaft on its bearing, in space"),
    "bearing_moment": Variable(
        ("bearing", "axis"), "N m", "moment of the shaft on its bearing about its place, in space"
    ),
}
#: Of motions.
MACHINE_MOTION = {
    "speed": Variable(("shaft",), "rad/s", "speed of the shaft where it is loaded, about its direction"),
    "energy_input": Variable((), "J", "work of drives, loads and weight since the start"),
    "energy_kinetic": Variable((), "J", "kinetic energy of the machine"),
    "energy_elastic": Variable((), "J", "elastic energy of meshes, shafts and bearings"),
    "energy_dissipated": Variable((), "J", "energy lost by damping and friction since the start"),
    "energy_dissipated_outside": Variable((), "J", "part of it lost in the dampers of bearings"),
}
_LABELS = {
    "position": ("1", "number of the position"),
    "time": ("s", "time"),
    "shaft": ("1", "shaft"),
    "mesh": ("1", "mesh"),
    "bearing": ("1", "bearing"),
    "place": ("1", "place on a shaft, named by its position along it"),
    "axis": ("1", "axis in space"),
}
_RADIANS = 1e6  # microradians


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineHistory:
    """Results of a machine over positions or times.

    Parameters
    ----------
    lead : {"position", "time"}
    labels : mapping of str to sequence
        Of the lead and of the dimensions shaft, mesh, bearing, place.
    values : mapping of str to array
        By the names of :data:`MACHINE` and :data:`MACHINE_MOTION`.
    ratio : shape (n_shafts,)
        Speed of each shaft about its direction, over that of its drive in its sense.
    gear_place : mapping of str to str
        Place of the mid-face of each gear.
    """

    lead: Literal["position", "time"]
    labels: Mapping[str, Sequence[Any] | NDArray[Any]]
    values: Mapping[str, Floats]
    ratio: Floats
    gear_place: Mapping[str, str]

    def __post_init__(self) -> None:
        n = len(self.labels[self.lead])
        for name, array in self.values.items():
            expected = (n, *(3 if dim == "axis" else len(self.labels[dim]) for dim in _variable(name).dims))
            if np.shape(array) != expected:
                raise ValueError(f"{name} has shape {np.shape(array)}, expected {expected}")


def _variable(name: str) -> Variable:
    return (MACHINE | MACHINE_MOTION)[name]


def machine_dataset(
    history: MachineHistory, *, analysis: str, title: str, case_sha256: str, complete: bool = True
) -> xr.Dataset:
    """Build the dataset of ``result.nc`` of a machine."""
    import xarray as xr

    labels = {**history.labels, "axis": list(AXES)}
    coords: dict[str, Any] = {
        name: (name, np.asarray(label) if name == history.lead else list(label), _described(*_LABELS[name]))
        for name, label in labels.items()
    }
    coords["ratio"] = ("shaft", history.ratio, _described("1", "speed over that of the drive of its train"))
    gears = list(history.gear_place)
    coords["gear"] = ("gear", gears, _described("1", "gear"))
    coords["gear_place"] = ("gear", list(history.gear_place.values()), _described("1", "place of its mid-face"))
    data = {}
    for name, array in history.values.items():
        variable = _variable(name)
        data[name] = ((history.lead, *variable.dims), array, _described(variable.units, variable.long_name))
    attrs = global_attributes(analysis, title=title, case_sha256=case_sha256, complete=complete, extra={"machine": 1})
    return xr.Dataset(data, coords=coords, attrs=attrs)


def _described(units: str, long_name: str) -> dict[str, str]:
    return {"units": units, "long_name": long_name}


def machine_summary(
    history: MachineHistory,
    meshes: Mapping[str, Mapping[str, Any]],
    *,
    analysis: str,
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """Build ``summary.json`` of a machine; statistics run over all positions or times.

    Parameters
    ----------
    history : MachineHistory
    meshes : mapping of str to mapping
        Summary of each flexible mesh, as that of a pair.
    analysis : str
    facts : mapping
        Further entries.
    """
    force = np.linalg.norm(history.values["bearing_force"], axis=2)
    error = history.values["rotation_error"]
    moved = np.linalg.norm(history.values["displacement"], axis=2)
    places = list(history.labels["place"])
    return {
        "analysis": analysis,
        "machine": True,
        "shafts": {
            name: {
                "ratio": float(history.ratio[s]),
                "rotation_error_mean_urad": _number(signals.mean(error[:, s]), _RADIANS),
                "rotation_error_peak_to_peak_urad": _number(signals.peak_to_peak(error[:, s]), _RADIANS),
            }
            for s, name in enumerate(history.labels["shaft"])
        },
        "bearings": {
            name: {
                "force_mean_N": _number(float(force[:, b].mean())),
                "force_max_N": _number(float(force[:, b].max())),
            }
            for b, name in enumerate(history.labels["bearing"])
        },
        "gears": {
            gear: {"displacement_max_um": _number(float(moved[:, places.index(place)].max()), 1e6)}
            for gear, place in history.gear_place.items()
        },
        "meshes": {name: dict(one) for name, one in meshes.items()},
        "version": __version__,
        **facts,
    }


def _number(value: float, factor: float = 1.0) -> float | None:
    return float(value) * factor if np.isfinite(value) else None


def transmission_error(dataset: xr.Dataset, start: str, end: str) -> xr.DataArray:
    """Return the transmission error of a machine from one shaft to another.

    Parameters
    ----------
    dataset : xarray.Dataset
        Of a machine.
    start, end : str
        Shafts of one train.

    Returns
    -------
    xarray.DataArray [rad]
        Rotation of the end less ratio times that of the start, about the direction of the end's shaft.

    Raises
    ------
    KeyError
        For a shaft that there is not.
    """
    ratio = float(dataset["ratio"].sel(shaft=end)) / float(dataset["ratio"].sel(shaft=start))
    error = dataset["rotation_error"]
    between = error.sel(shaft=end, drop=True) - ratio * error.sel(shaft=start, drop=True)
    return between.assign_attrs(units="rad", long_name=f"rotation of {end} less {ratio:g} times that of {start}")
