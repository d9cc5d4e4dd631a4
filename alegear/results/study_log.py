"""What a study of many points has computed, point by point: it goes on from there when killed or given more points.

A file of lines in JSON, which only grows: the first says what the others belong to, each of them is a point. Of a line
that is torn, for the program was killed or the disk was full, only the lines before it count.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

import numpy as np

from alegear._version import __version__
from alegear.errors import AnalysisFailure
from alegear.results.store import StorageFailure

#: Raised whenever the content or the meaning of a line changes.
FORMAT = "alegear-study-1"
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
            self._file = open(self.path, "r+b" if self.path.exists() else "w+b", buffering=0)
        except OSError as error:
            raise StorageFailure(self.path, error.strerror or str(error)) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise AnalysisFailure(f"{self.path.parent}: another study writes there; choose another --out") from error
        except OSError:
            pass  # a file system without locks
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
        end = 0
        for number, line in enumerate(lines[:-1]):  # the last one has no end
            try:
                content = json.loads(line)
            except ValueError:
                break
            if number == 0 and content != self._head:
                break
            if number:
                digest = content.pop("digest")
                self.points[digest] = StudyPoint(**content)
            end += len(line) + 1
        self._file.seek(end)
        self._file.truncate()
        if not end:
            self._write(self._head)

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
            self._file.write((json.dumps(content) + "\n").encode())
        except OSError as error:
            raise StorageFailure(self.path, error.strerror or str(error)) from error
