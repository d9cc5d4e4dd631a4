"""``result.nc`` of recorded samples, joined chunk by chunk, so that few of them are in memory at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import AnyArray
from alegear.storage.recorded_samples import RecordedSamples
from alegear.storage.store import RESULT
from alegear.storage.whole_file import whole_file

if TYPE_CHECKING:
    from alegear.storage.netcdf import Contents

#: Bytes that HDF5 needs to find a chunk again: its entry in a tree of a node in use by half, two levels of it.
PER_CHUNK = 256.0


def write_samples(
    directory: Path, samples: RecordedSamples, contents: Callable[[Mapping[str, AnyArray]], Contents]
) -> Path:
    """Write variables over ``time``.

    The room on the disk is taken before HDF5 writes: on a full disk it can end the process.

    Parameters
    ----------
    directory : Path
        An existing folder; the file appears there whole or not at all.
    samples : RecordedSamples
        ``time`` is one of the variables.
    contents : callable
        Makes those of the file from the values of all variables; it is asked for those of no samples.

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
    layout = samples.layout
    none: dict[str, AnyArray] = {name: np.empty((0, *kind.shape), dtype=kind.dtype) for name, kind in layout.items()}
    chunks = {name: (samples.chunk, *kind.shape) for name, kind in layout.items()}
    with whole_file(path) as beside:
        beside.write_bytes(contents(none).to_bytes(chunks, len(samples)))
        size = beside.stat().st_size
        packed = 0 if samples.files is None else samples.files.size
        tail = sum(samples.tail(name).nbytes for name in layout)
        needed = packed + PER_CHUNK * (samples.n_chunks + 1) * len(layout) + tail
        with open(beside, "r+b") as file:
            os.posix_fallocate(file.fileno(), size, int(needed) + (1 << 20))
        _write_chunks(beside, samples)
    return path


def _write_chunks(path: Path, samples: RecordedSamples) -> None:
    """Copy the chunks as they are, and write the samples that are in none."""
    import h5py

    full = samples.n_chunks * samples.chunk
    with h5py.File(path, "r+") as file:
        for name, kind in samples.layout.items():
            if not np.prod(kind.shape):  # of what the machine has none of: bearings, for example
                continue
            beginning = (0,) * len(kind.shape)
            for number in range(samples.n_chunks):
                place = (number * samples.chunk, *beginning)
                file[name].id.write_direct_chunk(place, samples.packed(name, number))
            if len(samples) > full:
                file[name][full:] = samples.tail(name)
