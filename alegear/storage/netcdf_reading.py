"""Datasets from the files of :mod:`alegear.storage.netcdf`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import xarray as xr
from xarray.backends import BackendArray, CachingFileManager
from xarray.core import indexing

from alegear.errors import Fault
from alegear.storage.netcdf import is_variable

#: Variables of at most so many bytes stay in memory once they are read: pictures ask for them five times.
KEPT = 2**20
#: Attributes that are no words about the values: those of dimension scales, and of NetCDF itself.
_OF_FILE = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_FillValue", "coordinates"}
_OF_NETCDF = {"_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties"}


class StoredArray(BackendArray):
    """Numbers of a variable in a file, loaded lazily."""

    def __init__(self, files: CachingFileManager, stored: h5py.Dataset) -> None:
        self.files, self.name, self.shape = files, stored.name, stored.shape
        self.dtype = stored.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        support = indexing.IndexingSupport.OUTER_1VECTOR
        return indexing.explicit_indexing_adapter(key, self.shape, support, self._read)

    def _read(self, key: tuple[Any, ...]) -> Any:
        return self.files.acquire()[self.name][key]


def open_netcdf(path: Path) -> xr.Dataset:
    """Open a file; numbers are loaded lazily, and the file stays open as long as the dataset is used.

    Those of a variable of more than `KEPT` bytes are loaded each time that they are asked for.

    Raises
    ------
    Fault
        If its dimensions have no names.
    """
    files = CachingFileManager(h5py.File, path, mode="r")
    file = files.acquire()
    beside = set(_words(file.attrs))
    found: dict[str, xr.Variable] = {}
    for name, stored in file.items():
        if is_variable(stored):
            beside.update(_words(stored.attrs))
            if h5py.check_string_dtype(stored.dtype) is None:
                values: Any = indexing.LazilyIndexedArray(StoredArray(files, stored))
                if stored.nbytes <= KEPT:
                    values = indexing.MemoryCachedArray(indexing.CopyOnWriteArray(values))
            else:  # names are few; NumPy's own strings, as they were given
                values = np.asarray(stored.asstr()[()], dtype=str)
            dims, attributes = _dimensions(path, name, stored), dict(_kept(stored.attrs))
            found[name] = xr.Variable(dims, values, attributes, {"source": str(path)})
    coordinates = {name: found.pop(name) for name in list(found) if name in beside or found[name].dims == (name,)}
    dataset = xr.Dataset(found, coords=coordinates, attrs=dict(_kept(file.attrs)))
    dataset.encoding["source"] = str(path)
    dataset.set_close(files.close)
    return dataset


def _words(attributes: Mapping[str, Any]) -> list[str]:
    """Names of the coordinates that attributes list."""
    return str(attributes.get("coordinates", "")).split()


def _kept(attributes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Attributes that say something about the values; single ones are scalars, whoever has written them."""
    for key, value in attributes.items():
        if key not in _OF_FILE | _OF_NETCDF:
            yield key, value[0] if isinstance(value, np.ndarray) and value.shape == (1,) else value


def _dimensions(path: Path, name: str, stored: h5py.Dataset) -> tuple[str, ...]:
    """Names of the dimensions of a variable: those of the scales that are attached to its axes."""
    if stored.is_scale:
        return (name,)
    if not all(len(axis) for axis in stored.dims):
        limit = f"a folder whose {path.name} names its dimensions"
        raise Fault("result folder", path.parent, limit, "run the case again")
    return tuple(axis[0].name.removeprefix("/") for axis in stored.dims)
