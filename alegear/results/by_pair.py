"""The view by tooth pair of what a motion keeps by slot of the window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from alegear.errors import Fault
from alegear.limits import check_kind, described
from alegear.reduction.memory import check_memory
from alegear.results.dataset import coordinates
from alegear.storage import lazy_xarray as xr

#: Without a load a pair carries nothing, but its stress is not computed outside the window.
UNLOADED = ("tooth_load", "line_load", "contact_pressure", "edge_pressure")


def by_pair(
    dataset: xr.Dataset, name: str, pairs: Sequence[int] | None = None, *, time: slice | None = None
) -> xr.DataArray:
    """Return a variable over the dimension ``pair``, as static results have it.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc``, of a motion (by ``slot``) or of a static study (by ``pair``).
    name : str
        ``"tooth_load"``, ``"root_stress"`` or another one by slot.
    pairs : sequence of int, optional
        Default: all that come into mesh. Of a long motion they are many: time x pairs grows with the square of the
        duration.
    time : slice of float, optional [s]
        From and up to which time. Default: all.

    Returns
    -------
    xarray.DataArray
        Where a pair is outside the window it carries nothing (0); what is not computed there is NaN.

    Raises
    ------
    Fault
        If the variable is not one by pairs, if a pair does not come into mesh, or if the view does not fit into memory.

    Examples
    --------
    >>> import alegear as ag
    >>> data = ag.run(ag.Case.from_toml("meshes/spur_20_30_dynamic.toml")).dataset  # doctest: +SKIP
    >>> ag.by_pair(data, "tooth_load", [3, 4], time=slice(0.01, 0.02)).max("time")  # doctest: +SKIP
    """
    if name not in dataset or not {"slot", "pair"} & set(dataset[name].dims):
        known = sorted(str(n) for n, v in dataset.items() if {"slot", "pair"} & set(v.dims) and n != "slot_pair")
        raise Fault("variable", name, f"one by tooth pair: {', '.join(known)}", "choose one of them")
    if pairs is not None and not all(isinstance(pair, int | np.integer) for pair in pairs):
        raise Fault("pairs", described(pairs), "a list of numbers of tooth pairs", "give whole numbers")
    check_kind(time, "time", slice, optional=True)
    if time is not None and "time" in dataset.dims:
        dataset = dataset.sel(time=time)
    if "pair" in dataset[name].dims:
        found = dataset[name]
        _refuse_unknown(pairs, found["pair"].values)
        return found if pairs is None else found.sel(pair=list(pairs))
    slot_pair = dataset["slot_pair"].values
    there = np.unique(slot_pair)
    _refuse_unknown(pairs, there)
    wanted = there if pairs is None else np.asarray(pairs, dtype=np.int64)
    if not len(wanted):
        raise Fault("pairs", pairs, "at least one pair, in a time with samples", "choose some, or another time")
    return _view(dataset[name], slot_pair, wanted)


def _view(variable: xr.DataArray, slot_pair: Any, wanted: Any) -> xr.DataArray:
    """Put the values by slot into the columns of the wanted pairs."""
    sample_dim, axis = variable.dims[0], variable.dims.index("slot")
    shape = list(variable.shape)
    shape[axis] = len(wanted)
    name = f"{variable.name} by pair"
    check_memory({name: 8.0 * float(np.prod(shape, dtype=float))}, {name: "choose some pairs, or a shorter time"})
    values = np.full(shape, 0.0 if variable.name in UNLOADED else np.nan)
    columns = np.moveaxis(values, axis, 1)
    order = np.argsort(wanted)
    place = np.searchsorted(wanted, slot_pair, sorter=order).clip(max=len(wanted) - 1)
    wanted_here = wanted[order][place] == slot_pair
    rows = np.flatnonzero(wanted_here.any(axis=1))
    if rows.size:
        first = int(rows[0])
        given = np.moveaxis(variable.isel({sample_dim: slice(first, int(rows[-1]) + 1)}).values, axis, 1)
        at, slot = np.nonzero(wanted_here)
        columns[at, order[place[at, slot]]] = given[at - first, slot]
    coords: dict[str, Any] = {str(key): value for key, value in variable.coords.items() if "slot" not in value.dims}
    coords |= coordinates({"pair": wanted})
    dims = ["pair" if dim == "slot" else dim for dim in variable.dims]
    return xr.DataArray(values, coords=coords, dims=dims, name=variable.name, attrs=variable.attrs)


def _refuse_unknown(pairs: Sequence[int] | None, there: Any) -> None:
    missing = [] if pairs is None else [int(pair) for pair in pairs if pair not in there]
    if missing:
        known = f"{int(there.min())} to {int(there.max())}" if len(there) else "none"
        raise Fault("pair", missing[0], f"one that comes past: {known}", "choose others, or another time")
