"""A folder that keeps what a long computation has got so far: a log that only grows, and the state it goes on from.

Saving costs what is new since the last time and the state, however long the log is. A program that is killed at any
moment leaves a sound folder: first the log grows, then the state, which says how much of the log counts, is exchanged
as a whole. What stands in the log behind that is ignored and overwritten.

Format: both files consist of frames, one line with the length in bytes and the CRC-32 of what follows, then the arrays
as NumPy's ``.npz``; in the state a frame of JSON comes before them.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import secrets
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from alegear.errors import AnalysisFailure
from alegear.results.store import StorageFailure, write_whole

Arrays = dict[str, npt.NDArray[Any]]

#: Raised whenever the content or the meaning of a file changes.
FORMAT = "alegear-journal-1"
STATE, LOCK, LOGS = "state", "lock", "journal-*.log"


class DamagedJournal(AnalysisFailure):
    """A journal that is there and cannot be read (cut short, changed, of another format)."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.reason)


class JournalInUse(AnalysisFailure):
    """A journal that another process writes at the moment."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder}: another run writes there")
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.folder,)


class Journal:
    """The folder; nothing is made or changed there before the first :meth:`save`.

    Parameters
    ----------
    folder : Path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "checkpoint"
    >>> journal = Journal(folder)
    >>> journal.save({"case": "a"}, {"t": np.array(0.1)}, {"x": np.arange(2.0)})
    >>> journal.save({"case": "a"}, {"t": np.array(0.2)}, {"x": np.arange(3.0)})
    >>> journal.close()
    >>> meta, state, log = Journal(folder).read()
    >>> meta["case"], float(state["t"]), [len(part["x"]) for part in log]
    ('a', 0.2, [2, 3])
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._log: Path | None = None
        self._length = 0  # bytes of the log that count
        self._lock: IO[bytes] | None = None

    # ------------------------------------------------------------------- read
    def meta(self) -> dict[str, Any] | None:
        """What was said of the last state; None if there is none.

        Raises
        ------
        DamagedJournal
        """
        state = self._state()
        return None if state is None else state[0]

    def read(self) -> tuple[dict[str, Any], Arrays, list[Arrays]]:
        """What was said of the last state, the state, and all parts of the log up to it; saving goes on from there.

        Raises
        ------
        DamagedJournal
            Also where there is no journal.
        """
        found = self._state()
        if found is None:
            raise DamagedJournal(self.folder, "holds no state")
        meta, state = found
        log = self.folder / meta["log"]
        try:
            content = log.read_bytes()[: meta["length"]]
        except OSError as error:
            raise DamagedJournal(log, error.strerror or str(error)) from error
        if len(content) < meta["length"]:
            raise DamagedJournal(log, f"{len(content)} bytes of {meta['length']}")
        parts, at = [], 0
        while at < len(content):
            payload, at = _unframed(log, content, at)
            parts.append(_arrays(log, payload))
        self._log, self._length = log, meta["length"]
        return meta, state, parts

    def _state(self) -> tuple[dict[str, Any], Arrays] | None:
        path = self.folder / STATE
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedJournal(path, error.strerror or str(error)) from error
        text, at = _unframed(path, content, 0)
        payload, at = _unframed(path, content, at)
        meta = json.loads(text)
        if meta["format"] != FORMAT:
            raise DamagedJournal(path, f"format {meta['format']}, not {FORMAT}")
        return meta, _arrays(path, payload)

    # ------------------------------------------------------------------ write
    def save(self, meta: Mapping[str, Any], state: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Add what is new to the log, then exchange the state.

        Parameters
        ----------
        meta : mapping
            Numbers and texts, readable without the log.
        state, new : mapping of str to array

        Raises
        ------
        StorageFailure
            If the disk is full, for example; the last state is then as it was.
        JournalInUse
        """
        try:
            self.hold()
            log = self._log or self.folder / LOGS.replace("*", secrets.token_hex(4))
            with open(log, "r+b" if self._log else "xb") as file:
                file.seek(self._length)
                file.truncate()
                file.write(_framed(_packed(new)))
                length = file.tell()
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StorageFailure(self.folder, error.strerror or str(error)) from error
        about = json.dumps({**meta, "format": FORMAT, "log": log.name, "length": length})
        write_whole(self.folder / STATE, _framed(about.encode()) + _framed(_packed(state)))
        if self._log is None:
            self._remove_logs(but=log)
        self._log, self._length = log, length

    def hold(self) -> None:
        """Make the folder and keep other processes from writing there until :meth:`close`, or the end of this one.

        Raises
        ------
        JournalInUse
        """
        if self._lock is not None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = open(self.folder / LOCK, "ab")  # noqa: SIM115, held as long as the journal is written
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.close()
            raise JournalInUse(self.folder) from error
        except OSError:
            pass  # a file system without locks: nobody can be kept away
        self._lock = lock

    def close(self) -> None:
        """Let others write."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def remove(self) -> None:
        """Remove its files, and the folder if nothing else is in it: what it was for is done."""
        for path in (self.folder / STATE, *self.folder.glob(f".{STATE}.part-*"), self.folder / LOCK):
            with contextlib.suppress(OSError):
                path.unlink()
        self._remove_logs()
        with contextlib.suppress(OSError):
            self.folder.rmdir()
        self.close()

    def _remove_logs(self, *, but: Path | None = None) -> None:
        """Remove the logs of older journals, which no state names any more."""
        for path in self.folder.glob(LOGS):
            if path != but:
                with contextlib.suppress(OSError):
                    path.unlink()


def _packed(arrays: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _framed(payload: bytes) -> bytes:
    return b"%d %d\n" % (len(payload), zlib.crc32(payload)) + payload


def _unframed(path: Path, content: bytes, at: int) -> tuple[bytes, int]:
    """Take the frame that begins at a place; returns what it holds, and where it ends."""
    line = content.find(b"\n", at, at + 64)
    try:
        length, checksum = (int(word) for word in content[at : max(line, at)].split())
    except ValueError as error:
        raise DamagedJournal(path, f"no frame at byte {at}") from error
    payload = content[line + 1 : line + 1 + length]
    if len(payload) != length or zlib.crc32(payload) != checksum:
        raise DamagedJournal(path, f"wrong checksum of the frame at byte {at}")
    return payload, line + 1 + length


def _arrays(path: Path, payload: bytes) -> Arrays:
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as found:
            return dict(found)
    except (OSError, ValueError) as error:
        raise DamagedJournal(path, str(error)) from error
