"""What a study of many points has computed, point by point: it goes on from there when killed or given more points.

A file of lines, which only grows: the first says what the others belong to, each of them is a point. A line is the
CRC-32 of what follows, and JSON. A line that is torn, for the program was killed or the disk was full, or that is
damaged, does not count: its point is computed again.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

import numpy as np

from alegear._version import __version__
from alegear.errors import AnalysisFailure
from alegear.storage.whole_file import StorageFailure, lock, reason_of

#: Raised whenever the content or the meaning of a line changes.
FORMAT = "alegear-study-2"
NAME = "points.jsonl"


class StudyPoint(NamedTuple):
    """A point: its values by name, or None and why there are none, and what they are to be read with caution for."""

    row: dict[str, Any] | None
    failure: str = ""
    warnings: str = ""


class StudyLog:
    """The file (a context manager), held by one process at a time.

    Parameters
    ----------
    folder : Path
        Made if there is none.
    settings : mapping
        What all points have in common besides their cases; points of other settings, or of another version of the
        program, do not count and are overwritten.

    Raises
    ------
    AnalysisFailure
        On entering, if another process holds it.
    StorageFailure
        If it cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with StudyLog(folder, {"root_stress": True}) as log:
    ...     log.add("a", StudyPoint({"te_mean": 1.5}))
    >>> with StudyLog(folder, {"root_stress": True}) as log:
    ...     log.points["a"].row
    {'te_mean': 1.5}
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.path = Path(folder) / NAME
        self._head = {"format": FORMAT, "version": __version__, **settings}
        #: Digest of the case -> point.
        self.points: dict[str, StudyPoint] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> StudyLog:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            self._file = open(os.open(self.path, flags, 0o666), "r+b", buffering=0)
        except OSError as error:
            raise StorageFailure(self.path, reason_of(error)) from error
        if lock(self._file) is False:
            self._file.close()
            raise AnalysisFailure(f"{self.path.parent}: another study writes there; choose another --out")
        self._read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def _read(self) -> None:
        """Take what counts, and go on writing behind it."""
        assert self._file is not None
        lines = self._file.read().split(b"\n")
        torn = lines.pop()  # the last one has no end
        if not lines or _content(lines[0]) != json.loads(json.dumps(self._head)):
            self._file.seek(0)
            self._file.truncate()
            self._write(self._head)
            return
        for line in lines[1:]:
            content = _content(line)
            if content is not None:
                digest = content.pop("digest")
                self.points[digest] = StudyPoint(**content)
        self._file.seek(-len(torn), os.SEEK_END)
        self._file.truncate()

    def add(self, digest: str, point: StudyPoint) -> None:
        """Add a point.

        Raises
        ------
        StorageFailure
        """
        row = None if point.row is None else {name: np.asarray(value).tolist() for name, value in point.row.items()}
        self._write({"digest": digest, **point._replace(row=row)._asdict()})
        self.points[digest] = point

    def _write(self, content: Mapping[str, Any]) -> None:
        assert self._file is not None
        try:
            line = json.dumps(content).encode()
            self._file.write(b"%08x %s\n" % (zlib.crc32(line), line))
        except OSError as error:
            raise StorageFailure(self.path, reason_of(error)) from error


def _content(line: bytes) -> dict[str, Any] | None:
    """Return what a line says; None if it is another one than was written."""
    checksum, _, text = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    found: dict[str, Any] = json.loads(text)
    return found
