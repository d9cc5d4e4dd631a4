"""NetCDF-4 files by h5py, with the names and units that xarray gives to variables.

A NetCDF-4 file is an HDF5 file whose dimensions are dimension scales (NetCDF User's Guide, "File Format
Specifications"). Any NetCDF library reads what is written here. None writes it because of time: h5netcdf opens the
scale of each dimension again whenever a variable is asked for its size: 0.45 s of processor time to write the 40
variables of a static pair, and as long to read them, where h5py takes 0.04 s and 0.08 s. netCDF4 comes with an HDF5 of
its own, which does not go together with that of h5py in one process (h5py issue 2453).
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import AnyArray
from alegear.storage import lazy_xarray as xr

if TYPE_CHECKING:
    import h5py

#: Bytes of a variable from which it is compressed; smaller ones are not worth it.
COMPRESSED_FROM = 1 << 20
#: What the scale of a dimension without labels is called; its length follows (NetCDF User's Guide).
_NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable."


@dataclass(frozen=True, kw_only=True, eq=False)
class Contents:
    """What a file holds; entries are those of :class:`xarray.Dataset`, which is not needed to write them.

    Parameters
    ----------
    variables, coordinates : mapping of str to tuple
        Name -> dimensions (one, or several), values, attributes. Values are numbers or strings.
    attributes : mapping of str to str or number
    """

    variables: Mapping[str, tuple[Any, ...]]
    coordinates: Mapping[str, tuple[Any, ...]]
    attributes: Mapping[str, Any]

    @classmethod
    def of(cls, dataset: xr.Dataset) -> Contents:
        """Return those of a dataset."""
        entries = {str(name): (one.dims, one.values, one.attrs) for name, one in dataset.variables.items()}
        coordinates = {name: entries.pop(name) for name in map(str, dataset.coords)}
        return cls(variables=entries, coordinates=coordinates, attributes=dataset.attrs)

    def dataset(self) -> xr.Dataset:
        """Return the dataset."""
        return xr.Dataset(dict(self.variables), coords=dict(self.coordinates), attrs=dict(self.attributes))

    def to_bytes(self, later: Mapping[str, tuple[int, ...]] | None = None, length: int = 0) -> bytes:
        """Return the file.

        HDF5 on a full disk can end the process; in memory it cannot, and the bytes are then an ordinary file.

        Parameters
        ----------
        later : mapping of str to tuple of int
            Variables whose values come later, and their chunks; the given values have no samples.
        length : int
            Samples that these variables have then, along their first dimension.
        """
        import h5py

        buffer = io.BytesIO()
        with h5py.File(buffer, "w", track_order=True) as file:
            _write(file, self, later or {}, length)
        return buffer.getvalue()


def _write(file: h5py.File, contents: Contents, later: Mapping[str, tuple[int, ...]], length: int) -> None:
    entries = {
        name: ((dims,) if isinstance(dims, str) else tuple(dims), np.asarray(values), dict(*attributes))
        for name, (dims, values, *attributes) in {**contents.coordinates, **contents.variables}.items()
    }
    shapes = {
        name: (length, *values.shape[1:]) if name in later else values.shape for name, (_, values, _) in entries.items()
    }
    sizes = {dim: size for name, (dims, *_) in entries.items() for dim, size in zip(dims, shapes[name], strict=True)}
    for number, (dim, size) in enumerate(sizes.items()):
        if dim in entries:
            _create(file, dim, entries[dim][1], shapes[dim], later.get(dim)).make_scale(dim)
        else:
            file.create_dataset(dim, shape=(size,), dtype=">f4").make_scale(f"{_NO_VARIABLE} {size:10d}")
        file[dim].attrs["_Netcdf4Dimid"] = np.int32(number)
    scales = {dim: file[dim] for dim in sizes}
    beside = sorted({*contents.coordinates} - {*sizes})  # coordinates that are no labels
    for name, (dims, values, attributes) in entries.items():
        variable = scales.get(name)
        if variable is None:
            variable = _create(file, name, values, shapes[name], later.get(name))
            for axis, dim in enumerate(dims):
                variable.dims[axis].attach_scale(scales[dim])
            if values.dtype.kind == "f":
                attributes["_FillValue"] = values.dtype.type(np.nan)
            if name in contents.variables and (own := [one for one in beside if {*entries[one][0]} <= {*dims}]):
                attributes["coordinates"] = " ".join(own)
        for key, value in attributes.items():
            variable.attrs[key] = value
    for key, value in contents.attributes.items():
        file.attrs[key] = value
    if beside:
        file.attrs["coordinates"] = " ".join(beside)


def _create(
    file: h5py.File, name: str, values: AnyArray, shape: tuple[int, ...], chunks: tuple[int, ...] | None
) -> h5py.Dataset:
    """Create a variable with its values, or with room for those that come later in chunks."""
    import h5py

    packed = {"compression": 1, "shuffle": True}
    if chunks is not None:
        in_chunks = {**packed, "chunks": tuple(map(min, chunks, shape))} if 0 not in shape else {}
        return file.create_dataset(name, shape=shape, dtype=values.dtype, **in_chunks)
    if values.dtype.kind in "UO":
        return file.create_dataset(name, data=values.astype(object), dtype=h5py.string_dtype())
    return file.create_dataset(name, data=values, **(packed if values.nbytes >= COMPRESSED_FROM else {}))


def names_in(path: Path) -> tuple[set[str], set[str]]:
    """Return the names of the dimensions and of the variables of a file."""
    import h5py

    with h5py.File(path, "r") as file:
        dimensions = {name for name, stored in file.items() if stored.is_scale}
        return dimensions, {name for name, stored in file.items() if is_variable(stored)}


def is_variable(stored: h5py.Dataset) -> bool:
    """Whether a dataset of HDF5 is more than the scale of a dimension without labels."""
    import h5py

    return not (stored.is_scale and h5py.h5ds.get_scale_name(stored.id).startswith(_NO_VARIABLE.encode()))
