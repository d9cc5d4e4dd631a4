"""Samples of a motion, variable by variable: in memory, or chunk by chunk in files.

However long the motion, with files a chunk of samples is in memory. A full one is written as it will stand in
``result.nc``: each variable shuffled and deflated, as HDF5 has its filters, so that the result is made by copying.
"""

from __future__ import annotations

import copy
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from alegear.arrays import AnyArray
from alegear.storage.chunk_files import ChunkFiles
from alegear.storage.growing_array import GrowingArray

Block = dict[str, AnyArray]

CHUNK = 1024  # samples; 20 ms at the default output interval, 2 to 10 MB of all variables
LEVEL = 1  # of compression: most values by slot and slice are 0 or NaN, the lightest is enough


class Kind(NamedTuple):
    """Shape and type of one sample of a variable."""

    shape: tuple[int, ...]
    dtype: type = np.float64


Layout = dict[str, Kind]


class Samples(Protocol):
    """Samples that can be read again."""

    @property
    def layout(self) -> Layout:
        """The variables."""

    def __len__(self) -> int: ...

    def read(self, name: str, begin: int = 0, end: int | None = None) -> AnyArray:
        """Read a variable of the samples from `begin` up to `end`, shape (n, ...)."""


class RecordedSamples:
    """Samples as they were recorded.

    Parameters
    ----------
    layout : Layout
    files : ChunkFiles, optional
        Those of these samples alone. Default: all samples stay in memory.
    chunk : int
        Samples that go to a file together.
    """

    def __init__(self, layout: Layout, files: ChunkFiles | None = None, chunk: int = CHUNK) -> None:
        self.layout, self.files, self.chunk = layout, files, chunk
        self._tail = {name: GrowingArray(kind.shape, kind.dtype) for name, kind in layout.items()}
        self._number = {name: i for i, name in enumerate(layout)}
        self._last: dict[str, tuple[int, AnyArray]] = {}  # chunk of each variable that was read last
        self._start = ""  # of the names of a part

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> RecordedSamples:
        """Samples of arrays (n, ...) by name, in memory.

        Raises
        ------
        ValueError
            If they are not of the same length.
        """
        arrays = {name: np.asarray(array) for name, array in values.items()}
        samples = cls({name: Kind(array.shape[1:], array.dtype.type) for name, array in arrays.items()})
        samples.append(arrays)
        return samples

    def __len__(self) -> int:
        return self.n_chunks * self.chunk + self._n_tail

    @property
    def n_chunks(self) -> int:
        """Chunks in files."""
        return 0 if self.files is None else len(self.files)

    @property
    def _n_tail(self) -> int:
        return len(next(iter(self._tail.values()), ()))

    def append(self, block: Mapping[str, AnyArray]) -> None:
        """Append samples; of `block` the variables of the layout are taken.

        Raises
        ------
        ValueError
            If the variables have not the same number of samples.
        StorageFailure
            If the disk is full, for example.
        """
        counts = {len(block[name]) for name in self._tail}
        if len(counts) > 1:
            raise ValueError(f"samples of different number: {sorted(counts)}")
        for name, rows in self._tail.items():
            rows.append(block[name])
        while self.files is not None and self._n_tail >= self.chunk:
            self.files.append([pack(rows.values[: self.chunk]) for rows in self._tail.values()])
            for rows in self._tail.values():
                rows.drop(self.chunk)

    def read(self, name: str, begin: int = 0, end: int | None = None) -> AnyArray:
        """Read a variable of some samples; a view where they are in memory alone."""
        if self.files is None:
            return self.tail(name)[begin:end]
        begin, end, _ = slice(begin, end).indices(len(self))
        kind, full = self.layout[name], self.n_chunks * self.chunk
        out: AnyArray = np.empty((max(end - begin, 0), *kind.shape), dtype=kind.dtype)
        for number in range(begin // self.chunk, min(-(-end // self.chunk), self.n_chunks)):
            at = number * self.chunk
            low, high = max(begin, at), min(end, at + self.chunk)
            out[low - begin : high - begin] = self._chunk(name, number)[low - at : high - at]
        if end > full:
            low = max(begin, full)
            out[low - begin :] = self.tail(name)[low - full : end - full]
        return out

    def packed(self, name: str, number: int) -> bytes:
        """Return a variable of a chunk as it stands in its file."""
        assert self.files is not None
        return self.files.read(number, self._number[self._start + name])

    def tail(self, name: str) -> AnyArray:
        """Return a variable of the samples that are in no file, a view."""
        return self._tail[self._start + name].values

    def part(self, name: str) -> RecordedSamples:
        """Samples of the variables ``name/...``, by what follows; to be read only."""
        part = copy.copy(self)
        part._start, part._last = f"{name}/", {}
        part.layout = {
            key.removeprefix(part._start): kind for key, kind in self.layout.items() if key.startswith(part._start)
        }
        return part

    # ------------------------------------------------------------------ resume
    def memory(self) -> Block:
        """What is in no file, by name."""
        return {name: rows.values for name, rows in self._tail.items()}

    def recall(self, memory: Mapping[str, AnyArray]) -> None:
        """Take up a memory that belongs to the files."""
        self.append(memory)

    def _chunk(self, name: str, number: int) -> AnyArray:
        last, values = self._last.get(name, (-1, None))
        if values is None or last != number:
            values = unpack(self.packed(name, number), self.layout[name], self.chunk)
            self._last[name] = number, values
        return values


@dataclass(kw_only=True, eq=False)
class JointSamples:
    """Samples of several recorders that are kept together: they come in block by block, from each as many.

    Parameters
    ----------
    samples : RecordedSamples
        Its variables are named ``part/name``.
    waiting : dict of dict
        Blocks that others have not brought yet.
    """

    samples: RecordedSamples
    parts: Sequence[str]
    waiting: dict[str, Mapping[str, AnyArray]] = field(default_factory=dict)

    def append(self, part: str, block: Mapping[str, AnyArray]) -> None:
        """Take the block of a part; the last one of them is appended together with the others."""
        self.waiting[part] = {name: np.array(values) for name, values in block.items()}
        if len(self.waiting) == len(self.parts):
            joint = {f"{one}/{name}": v for one, values in self.waiting.items() for name, v in values.items()}
            self.waiting.clear()
            self.samples.append(joint)


def blocks(samples: Samples, names: Sequence[str], part: slice = slice(None), size: int = CHUNK) -> Iterator[Block]:
    """Read some variables of a part of the samples block by block, so that few are in memory at a time."""
    begin, end, _ = part.indices(len(samples))
    borders = [begin, *range((begin // size + 1) * size, end, size), max(begin, end)]
    for low, high in pairwise(borders):
        if high > low:
            yield {name: samples.read(name, low, high) for name in names}


def pack(values: AnyArray) -> bytes:
    """Shuffle and deflate an array, as the filters of HDF5 do."""
    flat = np.ascontiguousarray(values).view(np.uint8).reshape(-1, values.dtype.itemsize)
    return zlib.compress(flat.T.tobytes(), LEVEL)


def unpack(packed: bytes, kind: Kind, n: int) -> AnyArray:
    """Undo :func:`pack` for `n` samples."""
    flat = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(np.dtype(kind.dtype).itemsize, -1)
    return np.ascontiguousarray(flat.T).view(kind.dtype).reshape(n, *kind.shape)
