"""Loads of single rolling elements, from the rings of their bearing in a result."""

from __future__ import annotations

import numpy as np

from alegear.drivetrain.rolling.bearings import RollingBearing
from alegear.errors import Fault
from alegear.limits import check_kind
from alegear.storage import lazy_xarray as xr


def roller_loads(dataset: xr.Dataset, bearing: RollingBearing) -> xr.DataArray:
    """Return the normal load of every rolling element of a bearing over positions or times.

    Parameters
    ----------
    dataset : xarray.Dataset
        Of a machine.
    bearing : RollerBearing or BallBearing
        Of the case that was computed, one of ``case.bearings``.

    Returns
    -------
    xarray.DataArray [N]
        Dimensions position or time, and roller, from 1.

    Raises
    ------
    Fault
        If the result has no motion of the rings of this bearing.
    """
    check_kind(bearing, "bearing", RollingBearing)
    known = list(dataset.coords["rolling_bearing"].values) if "rolling_bearing" in dataset.coords else []
    if bearing.name not in known:
        there = ", ".join(f'"{name}"' for name in known) or "none: it has no rolling bearings"
        raise Fault("bearing of the result", f'"{bearing.name}"', "one that it holds", f"there is {there}")
    rings = dataset.sel(rolling_bearing=bearing.name)
    motion = np.hstack([rings.ring_displacement.values, rings.ring_tilt.values, rings.ring_angle.values])
    (sample_dim,) = rings.cage_angle.dims
    return xr.DataArray(
        bearing.roller_loads(motion),
        dims=(sample_dim, "roller"),
        coords={sample_dim: dataset[sample_dim], "roller": np.arange(1, bearing.count + 1)},
        attrs={"units": "N", "long_name": f"load of the rolling element of bearing {bearing.name}"},
    )
