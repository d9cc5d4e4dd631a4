"""What a sweep over the speed of a machine found of shafts, meshes and bearings, as a dataset and as a summary."""

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

#: After the dimension ``point``.
VARIABLES = {
    "time": Variable((), "s", "time in the middle of the stretch"),
    "drive_speed": Variable((), "rad/s", "mean speed of the drive"),
    "way": Variable((), "1", "1 on the way to the last speed, -1 on the way back"),
    "rotation_error_rms": Variable(("shaft",), "rad", "root mean square of the rotation error about its mean"),
    "rotation_error_peak_to_peak": Variable(("shaft",), "rad", "largest less smallest rotation error"),
    "mesh_force_mean": Variable(("mesh",), "N", "mean size of the contact force"),
    "mesh_force_max": Variable(("mesh",), "N", "largest size of the contact force"),
    "bearing_force_mean": Variable(("bearing",), "N", "mean size of the force on the bearing"),
    "bearing_force_max": Variable(("bearing",), "N", "largest size of the force on the bearing"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineSweep:
    """Response over n stretches of whole pitches of the slowest mesh; the names are those of :data:`VARIABLES`.

    Parameters
    ----------
    names : mapping of str to sequence of str
        Of the dimensions shaft, mesh, bearing.
    time, drive_speed, way : shape (n,) [s, rad/s, 1]
    rotation_error_rms, rotation_error_peak_to_peak : shape (n, n_shafts) [rad]
    mesh_force_mean, mesh_force_max : shape (n, n_meshes) [N]
    bearing_force_mean, bearing_force_max : shape (n, n_bearings) [N]
    """

    names: Mapping[str, Sequence[str]]
    time: Floats
    drive_speed: Floats
    way: Floats
    rotation_error_rms: Floats
    rotation_error_peak_to_peak: Floats
    mesh_force_mean: Floats
    mesh_force_max: Floats
    bearing_force_mean: Floats
    bearing_force_max: Floats


def machine_sweep_dataset(
    found: MachineSweep, *, title: str = "", case_sha256: str = "", complete: bool = True
) -> xr.Dataset:
    """Build the dataset of ``result.nc``, dimension ``point``, SI units."""
    import xarray as xr

    data = {
        name: (("point", *of.dims), getattr(found, name), {"units": of.units, "long_name": of.long_name})
        for name, of in VARIABLES.items()
    }
    coords = {name: (name, list(labels)) for name, labels in found.names.items()}
    extra = {"machine": 1}
    attrs = global_attributes("sweep", title=title, case_sha256=case_sha256, complete=complete, extra=extra)
    return xr.Dataset(data, coords=coords, attrs=attrs)


def machine_sweep_summary(
    found: MachineSweep, meshes: Mapping[str, Mapping[str, Any]], facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Build ``summary.json``: the largest responses, and the speeds of the drive at which they are.

    Parameters
    ----------
    found : MachineSweep
    meshes : mapping of str to mapping
        Summary of each flexible mesh, as that of a pair.
    facts : mapping
        Further entries.
    """
    return {
        "analysis": "sweep",
        "machine": True,
        "shafts": {
            name: _largest(found, found.rotation_error_rms[:, s], "rotation_error_rms_max_urad", 1e6)
            for s, name in enumerate(found.names["shaft"])
        },
        "bearings": {
            name: _largest(found, found.bearing_force_max[:, b], "force_max_N")
            for b, name in enumerate(found.names["bearing"])
        },
        "meshes": {name: dict(one) for name, one in meshes.items()},
        "version": __version__,
        **facts,
    }


def _largest(found: MachineSweep, values: Floats, name: str, factor: float = 1.0) -> dict[str, float | None]:
    if not np.isfinite(values).any():
        return {name: None, "at_drive_speed_rpm": None}
    at = int(np.nanargmax(values))
    return {name: factor * float(values[at]), "at_drive_speed_rpm": float(found.drive_speed[at]) * 30.0 / np.pi}
