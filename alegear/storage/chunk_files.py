"""Chunks of samples in files of a folder, each there as a whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from alegear.arrays import Indices
from alegear.storage.whole_file import HEAD, DamagedFile, open_regular, read_checked, reason_of, write_checked

#: Names of the files of a series: it, and the number of the chunk.
NAME = re.compile(r"(chunk-[0-9a-f]{8})-\d{6,}")


class ChunkFiles:
    """The chunks of one series, the first of which is number 0.

    A file holds the numbers of bytes of its parts, then the parts, one variable each.

    Parameters
    ----------
    folder : Path
        An existing one.
    series : str, optional
        Of an older series, as in :data:`NAME`. Default: a new one.
    count : int
        Chunks of the older series that count; further ones are replaced.

    Raises
    ------
    DamagedFile
        If an older chunk is not what was written.
    """

    def __init__(self, folder: Path, series: str | None = None, *, count: int = 0) -> None:
        self.folder, self.series = folder, series or f"chunk-{secrets.token_hex(4)}"
        self._borders: list[Indices] = []  # of each chunk: where its parts begin in the file, and the end
        for number in range(count):
            content = read_checked(self.path(number))
            n = int(np.frombuffer(content, dtype=np.int64, count=1)[0])
            self._borders.append(_borders(np.frombuffer(content, dtype=np.int64, count=n, offset=8)))

    def __len__(self) -> int:
        return len(self._borders)

    def path(self, number: int) -> Path:
        """Return the file of a chunk."""
        return self.folder / f"{self.series}-{number:06d}"

    @property
    def size(self) -> int:
        """Size of all parts of all chunks [bytes]."""
        return sum(int(borders[-1] - borders[0]) for borders in self._borders)

    def append(self, parts: Sequence[bytes]) -> None:
        """Write the next chunk.

        Raises
        ------
        StorageFailure
            If the disk is full, for example; the chunk is then not there.
        """
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        write_checked(self.path(len(self)), np.int64(len(parts)).tobytes(), sizes.tobytes(), *parts)
        self._borders.append(_borders(sizes))

    def read(self, number: int, part: int) -> bytes:
        """Read a part of a chunk.

        Raises
        ------
        DamagedFile
            If somebody has taken it away.
        """
        begin, end = self._borders[number][part : part + 2].tolist()
        try:
            file = open_regular(self.path(number), follow=False)
        except OSError as error:
            raise DamagedFile(self.path(number), reason_of(error)) from error
        try:
            return os.pread(file, end - begin, begin)
        finally:
            os.close(file)


def _borders(sizes: Indices) -> Indices:
    return HEAD + 8 * (1 + len(sizes)) + np.concatenate([[0], np.cumsum(sizes)])
