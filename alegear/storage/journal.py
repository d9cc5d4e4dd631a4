"""A folder that keeps what a long computation has got so far: a log that only grows, and the state it goes on from.

What is recorded goes to the log as it comes, so that saving costs the state alone, however long the log is. A program
that is killed at any moment leaves a sound folder: the state, which says how much of the log counts, is exchanged as a
whole, once the log is on the disk. What stands in the log behind that is ignored and overwritten.

Format: both files consist of frames (:mod:`alegear.storage.log`); the state is a frame of JSON and one of the arrays as
NumPy's ``.npz``.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from alegear.errors import AnalysisFailure
from alegear.storage.log import DamagedFile, Log, framed, unframed
from alegear.storage.whole_file import StorageFailure, open_regular, reason_of, write_whole

Arrays = dict[str, npt.NDArray[Any]]

#: Raised whenever the content or the meaning of a file changes.
FORMAT = "alegear-journal-2"
STATE, LOCK, LOGS = "state", "lock", "journal-*.log"
#: What the state may call its log: a state from somebody else names no other file.
_LOG = re.compile(r"journal-[0-9a-f]{8}\.log")
_LARGEST = 1 << 30  # bytes of a state


class JournalInUse(AnalysisFailure):
    """A journal that another process writes at the moment."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder}: another run writes there")
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.folder,)


class Journal:
    """The folder; nothing is made or changed there before :meth:`begin` or :meth:`hold`.

    Parameters
    ----------
    folder : Path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "checkpoint"
    >>> journal = Journal(folder)
    >>> log = journal.begin()
    >>> place = log.append([b"first"])
    >>> journal.save({"case": "a"}, {"t": np.array(0.1)})
    >>> place = log.append([b"after the last state"])
    >>> journal.close()
    >>> meta, state, log = Journal(folder).read()
    >>> meta["case"], float(state["t"]), [log.read(place, 5) for place in log.places]
    ('a', 0.1, [b'first'])
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._log: Log | None = None
        self._lock: IO[bytes] | None = None

    # ------------------------------------------------------------------- read
    def meta(self) -> dict[str, Any] | None:
        """What was said of the last state; None if there is none.

        Raises
        ------
        DamagedFile
        """
        state = self._state()
        return None if state is None else state[0]

    def read(self) -> tuple[dict[str, Any], Arrays, Log]:
        """What was said of the last state, the state, and the log up to it; saving goes on from there.

        Raises
        ------
        DamagedFile
            Also where there is no journal.
        """
        found = self._state()
        if found is None:
            raise DamagedFile(self.folder, "holds no state")
        meta, state = found
        path = self.folder / meta["log"]
        try:
            self._log = Log(path, length=meta["length"])
        except OSError as error:
            raise DamagedFile(path, reason_of(error)) from error
        return meta, state, self._log

    def _state(self) -> tuple[dict[str, Any], Arrays] | None:
        path = self.folder / STATE
        try:
            with open(open_regular(path, _LARGEST, follow=False), "rb") as file:
                content = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedFile(path, reason_of(error)) from error
        text, at = unframed(path, content, 0)
        payload, at = unframed(path, content, at)
        try:
            meta = json.loads(text)
            if meta["format"] != FORMAT:
                raise DamagedFile(path, f"not of the format {FORMAT}")
            if not _LOG.fullmatch(meta["log"]) or not isinstance(meta["length"], int) or meta["length"] < 0:
                raise DamagedFile(path, "it names no log of samples")
        except (ValueError, TypeError, KeyError) as error:
            raise DamagedFile(path, "it is no state of a run") from error
        return meta, _arrays(path, payload)

    # ------------------------------------------------------------------ write
    def begin(self) -> Log:
        """Begin a new log; the state that is there, and its log, stay until the next :meth:`save`.

        Raises
        ------
        StorageFailure
            If it cannot be made.
        JournalInUse
        """
        try:
            self.hold()
            self._log = Log(self.folder / LOGS.replace("*", secrets.token_hex(4)))
        except OSError as error:
            raise StorageFailure(self.folder, reason_of(error)) from error
        return self._log

    def save(self, meta: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        """See to it that the log is on the disk, then exchange the state.

        Parameters
        ----------
        meta : mapping
            Numbers and texts, readable without the log.
        state : mapping of str to array

        Raises
        ------
        StorageFailure
            If the disk is full, for example; the last state is then as it was.
        """
        log = self._log
        assert log is not None
        assert log.path is not None
        try:
            log.sync()
        except OSError as error:
            raise StorageFailure(self.folder, reason_of(error)) from error
        about = json.dumps({**meta, "format": FORMAT, "log": log.path.name, "length": log.length})
        write_whole(self.folder / STATE, framed(about.encode()) + framed(_packed(state)))
        self._remove_logs(but=log.path)

    def hold(self) -> None:
        """Make the folder and keep other processes from writing there until :meth:`close`, or the end of this one.

        Raises
        ------
        JournalInUse
        """
        if self._lock is not None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        lock = open(os.open(self.folder / LOCK, flags, 0o666), "ab")  # noqa: SIM115, held as long as it is written
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.close()
            raise JournalInUse(self.folder) from error
        except OSError:
            pass  # a file system without locks: nobody can be kept away
        self._lock = lock

    def close(self) -> None:
        """Let others write; a log that no state names goes."""
        if self._lock is None:
            return
        with contextlib.suppress(DamagedFile):
            meta = self.meta()
            self._remove_logs(but=None if meta is None else self.folder / meta["log"])
            if meta is None:
                self._remove_rest()
        self._lock.close()
        self._lock = None

    def remove(self) -> None:
        """Remove its files, and the folder if nothing else is in it: what it was for is done."""
        for path in (self.folder / STATE, *self.folder.glob(f".{STATE}.part-*")):
            with contextlib.suppress(OSError):
                path.unlink()
        self._remove_logs()
        self._remove_rest()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _remove_rest(self) -> None:
        """Remove the lock, and the folder if it is empty then."""
        with contextlib.suppress(OSError):
            (self.folder / LOCK).unlink()
        with contextlib.suppress(OSError):
            self.folder.rmdir()

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


def _arrays(path: Path, payload: bytes) -> Arrays:
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as found:
            return dict(found)
    except (OSError, ValueError) as error:
        raise DamagedFile(path, str(error)) from error
