"""What a sweep over the speed of a machine found of shafts, meshes and bearings, as a dataset and as a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.results.dataset import coordinates, global_attributes
from alegear.results.linear_response import REFERENCE, LinearResponse, difference, parting
from alegear.results.run_up_rate import run_up_seconds
from alegear.results.sweep_result import DIRECTIONS
from alegear.results.variables import AXES, MACHINE_SWEEP, RESPONSE_DIFFERENCE

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineSweep:
    """Response over n stretches of whole pitches of the slowest mesh; the names are those of :data:`MACHINE_SWEEP`.

    Parameters
    ----------
    names : mapping of str to sequence of str
        Of the dimensions shaft, mesh, bearing.
    orders : shape (m,)
        Of each mesh.
    time, drive_speed, direction : shape (n,) [s, rad/s, 1]
    rotation_error_rms, rotation_error_peak_to_peak : shape (n, n_shafts) [rad]
    mesh_force_mean, mesh_force_max : shape (n, n_meshes) [N]
    bearing_force_mean, bearing_force_max : shape (n, n_bearings) [N]
    transmission_error_order : shape (n, n_meshes, m) [m]
    bearing_force_order, bearing_displacement_order : shape (n, n_meshes, m, n_bearings, 3) [N, m]
        In space.
    """

    names: Mapping[str, Sequence[str]]
    orders: Floats
    time: Floats
    drive_speed: Floats
    direction: Floats
    rotation_error_rms: Floats
    rotation_error_peak_to_peak: Floats
    mesh_force_mean: Floats
    mesh_force_max: Floats
    bearing_force_mean: Floats
    bearing_force_max: Floats
    transmission_error_order: Floats
    bearing_force_order: Floats
    bearing_displacement_order: Floats


def machine_sweep_dataset(
    found: MachineSweep | None,
    linear: LinearResponse | None = None,
    *,
    reference: LinearResponse | None = None,
    title: str = "",
    case_sha256: str = "",
    complete: bool = True,
) -> xr.Dataset:
    """Build the dataset of ``result.nc``: motion over ``point``, linearised response over ``speed``; SI units.

    The linearised response has the meshes that excite: those of the motion are named alike, and others are NaN in it.
    Of a `reference` only the static orders and the modes.
    """
    import xarray as xr

    data: dict[str, Any] = {}
    coords: dict[str, Any] = {}
    if linear is not None:
        data, coords = linear.entries(pair=False)
    elif reference is not None:
        data, coords = reference.entries(pair=False, names=REFERENCE)
    if found is not None:
        data |= {name: of.entry(getattr(found, name), "point") for name, of in MACHINE_SWEEP.items()}
        coords |= coordinates({**found.names, "order": found.orders, "axis": AXES})
    if found is not None and linear is not None:
        apart = machine_response_difference(found, linear)
        data["response_difference"] = RESPONSE_DIFFERENCE.entry(apart, "point", "mesh")
    extra = {"machine": 1}
    attrs = global_attributes("sweep", title=title, case_sha256=case_sha256, complete=complete, extra=extra)
    return xr.Dataset(data, coords=coords, attrs=attrs)


def machine_response_difference(found: MachineSweep, linear: LinearResponse) -> Floats:
    """Motion over linearised response less one in the orders 1, 2, ... of the transmission errors, (n, n_meshes, m)."""
    return difference(found.transmission_error_order[:, :, found.orders >= 1.0], linear.at(found.drive_speed))


def machine_sweep_summary(
    found: MachineSweep | None,
    meshes: Mapping[str, Mapping[str, Any]],
    facts: Mapping[str, Any],
    linear: LinearResponse | None = None,
    reference: LinearResponse | None = None,
) -> dict[str, Any]:
    """Build ``summary.json``: the largest responses, and the speeds of the drive at which they are.

    Parameters
    ----------
    found : MachineSweep or None
    meshes : mapping of str to mapping
        Summary of each flexible mesh, as that of a pair.
    facts : mapping
        Further entries.
    linear, reference : LinearResponse, optional
    """
    summary: dict[str, Any] = {"analysis": "sweep", "machine": True}
    if linear is not None:
        summary["linear"] = linear.told()
        summary["run_up_needed_s"] = run_up_seconds(linear)
    if (known := linear or reference) is not None:
        summary["natural_frequency_Hz"] = known.natural_frequency.tolist()
    if found is not None and linear is not None:
        summary["nonlinear_ranges"] = _parting(found, linear)
    if found is None:
        return summary | {"shafts": {}, "bearings": {}, "meshes": {}, "version": __version__, **facts}
    return summary | {
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


def _parting(found: MachineSweep, linear: LinearResponse) -> dict[str, dict[str, Any]]:
    """Where the answers part, by mesh and direction."""
    apart = machine_response_difference(found, linear)
    return {
        mesh: {
            name: parting(found.drive_speed[here], apart[here, m])
            for name, sign in DIRECTIONS.items()
            if len(here := np.flatnonzero(found.direction == sign))
        }
        for m, mesh in enumerate(linear.meshes)
    }


def _largest(found: MachineSweep, values: Floats, name: str, factor: float = 1.0) -> dict[str, float | None]:
    if not np.isfinite(values).any():
        return {name: None, "at_drive_speed_rpm": None}
    at = int(np.nanargmax(values))
    return {name: factor * float(values[at]), "at_drive_speed_rpm": float(found.drive_speed[at]) * 30.0 / np.pi}
