"""``result.nc`` of recorded samples, joined chunk by chunk, so that few of them are in memory at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import AnyArray
from alegear.storage import lazy_xarray as xr
from alegear.storage.recorded_samples import RecordedSamples
from alegear.storage.store import RESULT, OpenBuffer
from alegear.storage.whole_file import whole_file

if TYPE_CHECKING:
    import h5py

#: Bytes that HDF5 needs to find a chunk again: its entry in a tree of a node in use by half, two levels of it.
PER_CHUNK = 256.0
#: Attributes in which HDF5 keeps what is attached to a dimension; it writes them itself.
_OF_SCALES = ("CLASS", "NAME", "REFERENCE_LIST")


def write_samples(
    directory: Path, samples: RecordedSamples, dataset: Callable[[Mapping[str, AnyArray]], xr.Dataset]
) -> Path:
    """Write a dataset over ``time``.

    The room on the disk is taken before HDF5 writes: on a full disk it can end the process.

    Parameters
    ----------
    directory : Path
        An existing folder; the file appears there whole or not at all.
    samples : RecordedSamples
        ``time`` is one of the variables.
    dataset : callable
        Makes the dataset from the values of all variables; it is asked for that of no samples.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    StorageFailure
        If the disk is full, for example.
    """
    path = directory / RESULT
    with whole_file(path) as beside:
        _write_head(beside, samples, dataset)
        size = beside.stat().st_size
        packed = 0 if samples.files is None else samples.files.size
        tail = sum(samples.tail(name).nbytes for name in samples.layout)
        needed = packed + PER_CHUNK * (samples.n_chunks + 1) * len(samples.layout) + tail
        with open(beside, "r+b") as file:
            os.posix_fallocate(file.fileno(), size, int(needed) + (1 << 20))
        _write_chunks(beside, samples)
    return path


def _write_head(path: Path, samples: RecordedSamples, dataset: Callable[[Mapping[str, AnyArray]], xr.Dataset]) -> None:
    """Write everything but the samples; the variables over time are there, of length 0."""
    layout = samples.layout
    none: dict[str, AnyArray] = {}
    for name, kind in layout.items():
        none[name] = np.empty((0, *kind.shape), dtype=kind.dtype)
    stored = {
        name: {
            "chunksizes": (samples.chunk, *(max(size, 1) for size in kind.shape)),
            "zlib": True, "complevel": 1, "shuffle": True,
        }
        for name, kind in layout.items()
    }  # fmt: skip
    buffer = OpenBuffer()  # HDF5 writes to memory only as long as there is no room for sure
    dataset(none).to_netcdf(buffer, engine="h5netcdf", unlimited_dims=["time"], encoding=stored)
    path.write_bytes(buffer.getvalue())


def _write_chunks(path: Path, samples: RecordedSamples) -> None:
    """Copy the chunks as they are, and write the samples that are in none."""
    import h5py

    full = samples.n_chunks * samples.chunk
    with h5py.File(path, "r+") as file:
        for name, kind in samples.layout.items():
            variable = file[name]
            variable.resize(len(samples), axis=0)
            if not np.prod(kind.shape):  # of what the machine has none of: bearings, for example
                continue
            beginning = (0,) * len(kind.shape)
            for number in range(samples.n_chunks):
                place = (number * samples.chunk, *beginning)
                variable.id.write_direct_chunk(place, samples.packed(name, number))
            if len(samples) > full:
                variable[full:] = samples.tail(name)
        if len(samples):
            _fix_length(file)


def _fix_length(file: h5py.File) -> None:
    """Replace the unlimited ``time`` by one of its length: it was that of chunks to come, and none come any more.

    For every variable over an unlimited dimension, h5netcdf asks all of them for their length: to open a file takes
    four times as long with 26 variables.
    """
    unlimited = file["time"]
    values = unlimited[:]
    kept = {name: value for name, value in unlimited.attrs.items() if name not in _OF_SCALES}
    over_time = [(file[reference].name, axis) for reference, axis in unlimited.attrs.get("REFERENCE_LIST", ())]
    for name, axis in over_time:
        file[name].dims[axis].detach_scale(unlimited)
    del file["time"]
    chunk = (min(unlimited.chunks[0], len(values)),)
    fixed = file.create_dataset("time", data=values, chunks=chunk, compression=1, shuffle=True)
    for name, value in kept.items():
        fixed.attrs[name] = value
    fixed.make_scale("time")
    for name, axis in over_time:
        file[name].dims[axis].attach_scale(fixed)
