"""Samples of a motion, variable by variable: in memory, or in a file that only grows.

However long the motion, :class:`SampleLog` holds a chunk of samples in memory. A full chunk goes to the log as it will
stand in ``result.nc``: each variable shuffled and deflated, as HDF5 has its filters, so that the result is made by
copying bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from alegear.storage.growing_array import GrowingArray
from alegear.storage.log import Log

Block = dict[str, NDArray[Any]]

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

    def read(self, name: str, begin: int = 0, end: int | None = None) -> NDArray[Any]:
        """Read a variable of the samples from `begin` up to `end`, shape (n, ...)."""


class MemorySamples:
    """Samples in memory.

    Parameters
    ----------
    layout : Layout
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._rows = {name: GrowingArray(kind.shape, kind.dtype) for name, kind in layout.items()}
        self._n = 0

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> MemorySamples:
        """Samples of arrays (n, ...) by name.

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
        return self._n

    def append(self, block: Mapping[str, NDArray[Any]]) -> None:
        """Append samples; of `block` the variables of the layout are taken."""
        self._n += _add(self._rows, block)

    def read(self, name: str, begin: int = 0, end: int | None = None) -> NDArray[Any]:
        """Read a variable of some samples, a view."""
        return self._rows[name].values[begin:end]


class SampleLog:
    """Samples in a log.

    Parameters
    ----------
    log : Log
        Used for this alone.
    layout : Layout
    chunk : int
        Samples that go to the log together.
    """

    def __init__(self, log: Log, layout: Layout, chunk: int = CHUNK) -> None:
        self.log, self.layout, self.chunk = log, layout, chunk
        self._tail = {name: GrowingArray(kind.shape, kind.dtype) for name, kind in layout.items()}
        self._n_tail = 0
        self._borders: list[NDArray[np.int64]] = []  # of each chunk: where the variables begin in the log, and the end
        self._number = {name: i for i, name in enumerate(layout)}
        self._last: dict[str, tuple[int, NDArray[Any]]] = {}  # chunk of each variable that was read last

    def __len__(self) -> int:
        return self.n_chunks * self.chunk + self._n_tail

    @property
    def n_chunks(self) -> int:
        """Chunks in the log."""
        return len(self._borders)

    def append(self, block: Mapping[str, NDArray[Any]]) -> None:
        """Append samples; of `block` the variables of the layout are taken.

        Raises
        ------
        StorageFailure
            If the disk is full, for example.
        """
        self._n_tail += _add(self._tail, block)
        while self._n_tail >= self.chunk:
            packed = [pack(rows.values[: self.chunk]) for rows in self._tail.values()]
            sizes = np.array([len(part) for part in packed], dtype=np.int64)
            place = self.log.append([sizes.tobytes(), *packed])
            self._borders.append(_borders(place, sizes))
            for rows in self._tail.values():
                rows.drop(self.chunk)
            self._n_tail -= self.chunk

    def read(self, name: str, begin: int = 0, end: int | None = None) -> NDArray[Any]:
        """Read a variable of some samples."""
        begin, end, _ = slice(begin, end).indices(len(self))
        first, last = begin // self.chunk, min(-(-end // self.chunk), self.n_chunks)
        kind, tail_at = self.layout[name], self.n_chunks * self.chunk
        out: NDArray[Any] = np.empty((max(end - begin, 0), *kind.shape), dtype=kind.dtype)
        for number in range(first, last):
            at = number * self.chunk
            low, high = max(begin, at), min(end, at + self.chunk)
            out[low - begin : high - begin] = self._chunk(name, number)[low - at : high - at]
        if end > tail_at:
            low = max(begin, tail_at)
            out[low - begin :] = self._tail[name].values[low - tail_at : end - tail_at]
        return out

    def packed(self, name: str, number: int) -> bytes:
        """Return a variable of a chunk as it stands in the log."""
        borders, i = self._borders[number], self._number[name]
        return self.log.read(int(borders[i]), int(borders[i + 1] - borders[i]))

    def packed_bytes(self) -> int:
        """Size of all chunks [bytes]."""
        return sum(int(borders[-1] - borders[0]) for borders in self._borders)

    def tail(self, name: str) -> NDArray[Any]:
        """Return a variable of the samples that do not fill a chunk yet, a view."""
        return self._tail[name].values

    def part(self, name: str) -> LogPart:
        """Samples of the variables ``name/...``, by what follows."""
        return LogPart(self, name)

    # ------------------------------------------------------------------ resume
    def memory(self) -> Block:
        """What is not in the log yet, by name."""
        return {name: rows.values for name, rows in self._tail.items()}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take up the log as it is, and a memory that belongs to it."""
        n = 8 * len(self.layout)
        for place in self.log.places:
            self._borders.append(_borders(place, np.frombuffer(self.log.read(place, n), dtype=np.int64)))
        self._n_tail = _add(self._tail, memory)

    def _chunk(self, name: str, number: int) -> NDArray[Any]:
        last, values = self._last.get(name, (-1, None))
        if values is None or last != number:
            values = unpack(self.packed(name, number), self.layout[name], self.chunk)
            self._last[name] = number, values
        return values


class LogPart:
    """Samples of one of several that share a log, whose variables are named ``part/name`` there.

    Parameters
    ----------
    log : SampleLog
    part : str
    """

    def __init__(self, log: SampleLog, part: str) -> None:
        self._log, self._start = log, f"{part}/"
        whole = log.layout.items()
        self.layout = {name.removeprefix(self._start): kind for name, kind in whole if name.startswith(self._start)}

    def __len__(self) -> int:
        return len(self._log)

    @property
    def chunk(self) -> int:
        """Samples that went to the log together."""
        return self._log.chunk

    @property
    def n_chunks(self) -> int:
        """Chunks in the log."""
        return self._log.n_chunks

    def read(self, name: str, begin: int = 0, end: int | None = None) -> NDArray[Any]:
        """Read a variable of some samples."""
        return self._log.read(self._start + name, begin, end)

    def packed(self, name: str, number: int) -> bytes:
        """Return a variable of a chunk as it stands in the log."""
        return self._log.packed(self._start + name, number)

    def packed_bytes(self) -> int:
        """Size of all chunks of all parts [bytes]."""
        return self._log.packed_bytes()

    def tail(self, name: str) -> NDArray[Any]:
        """Return a variable of the samples that do not fill a chunk yet, a view."""
        return self._log.tail(self._start + name)


def blocks(samples: Samples, names: Sequence[str], part: slice = slice(None), size: int = CHUNK) -> Iterator[Block]:
    """Read some variables of a part of the samples block by block, so that few are in memory at a time."""
    begin, end, _ = part.indices(len(samples))
    borders = [begin, *range((begin // size + 1) * size, end, size), max(begin, end)]
    for low, high in pairwise(borders):
        if high > low:
            yield {name: samples.read(name, low, high) for name in names}


def pack(values: NDArray[Any]) -> bytes:
    """Shuffle and deflate an array, as the filters of HDF5 do."""
    flat = np.ascontiguousarray(values).view(np.uint8).reshape(-1, values.dtype.itemsize)
    return zlib.compress(flat.T.tobytes(), LEVEL)


def unpack(packed: bytes, kind: Kind, n: int) -> NDArray[Any]:
    """Undo :func:`pack` for `n` samples."""
    flat = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(np.dtype(kind.dtype).itemsize, -1)
    return np.ascontiguousarray(flat.T).view(kind.dtype).reshape(n, *kind.shape)


def _add(rows: Mapping[str, GrowingArray], block: Mapping[str, NDArray[Any]]) -> int:
    """Append a block to rows by name; returns the number of its samples."""
    counts = {len(block[name]) for name in rows}
    if len(counts) > 1:
        raise ValueError(f"samples of different number: {sorted(counts)}")
    for name, values in rows.items():
        values.add(len(block[name]))[:] = block[name]
    return counts.pop() if counts else 0


def _borders(place: int, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return place + sizes.nbytes + np.concatenate([[0], np.cumsum(sizes)])
