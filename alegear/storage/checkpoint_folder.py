"""A folder that keeps what a long computation has got so far: chunks of samples, and the state it goes on from.

What is recorded goes to files chunk by chunk, so that saving costs the state alone, however long the motion. A program
that is killed at any moment leaves a sound folder: the state, which says how many chunks count, is exchanged as a
whole, once they are on the disk. Chunks behind these are ignored and replaced.

Format: every file begins with a checksum (:func:`alegear.storage.whole_file.write_checked`); the state is a line of
JSON and the arrays as NumPy's ``.npz``.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from alegear.arrays import AnyArray
from alegear.storage import whole_file
from alegear.storage.chunk_files import NAME, ChunkFiles
from alegear.storage.whole_file import DamagedFile, StorageFailure, lock, read_checked, reason_of, sync, write_checked

Arrays = dict[str, AnyArray]

#: Raised whenever the content or the meaning of a file changes.
FORMAT = "alegear-checkpoint-3"
STATE, LOCK = "state", "lock"
_LARGEST = 1 << 30  # bytes of a state
_UNFINISHED = re.compile(rf"\.{NAME.pattern}\.part-[0-9a-f]{{8}}")  # what a killed run leaves of a chunk


class CheckpointInUse(whole_file.FileFailure):
    """A folder that another process writes to at the moment."""


class CheckpointFolder:
    """The folder; nothing is made or changed there before :meth:`begin` or :meth:`hold`.

    Parameters
    ----------
    folder : Path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = CheckpointFolder(pathlib.Path(tempfile.mkdtemp()) / "checkpoint")
    >>> chunks = folder.begin()
    >>> chunks.append([b"first"])
    >>> folder.save({"case": "a"}, {"t": np.array(0.1)})
    >>> chunks.append([b"after the last state"])
    >>> folder.close()
    >>> meta, state, chunks = CheckpointFolder(folder.path).read()
    >>> meta["case"], float(state["t"]), len(chunks), chunks.read(0, 0)
    ('a', 0.1, 1, b'first')
    """

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder)
        self._chunks: ChunkFiles | None = None
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

    def read(self) -> tuple[dict[str, Any], Arrays, ChunkFiles]:
        """What was said of the last state, the state, and the chunks up to it; saving goes on from there.

        Raises
        ------
        DamagedFile
            Also where there is no state.
        """
        found = self._state()
        if found is None:
            raise DamagedFile(self.path, "holds no state")
        meta, state = found
        self._chunks = ChunkFiles(self.path, meta["series"], count=meta["chunks"])
        return meta, state, self._chunks

    def _state(self) -> tuple[dict[str, Any], Arrays] | None:
        path = self.path / STATE
        if not os.path.lexists(path):
            return None
        text, _, arrays = read_checked(path, _LARGEST).partition(b"\n")
        try:
            meta = json.loads(text)
            if meta["format"] != FORMAT:
                raise DamagedFile(path, f"not of the format {FORMAT}")
            if not NAME.fullmatch(f"{meta['series']}-000000") or not isinstance(meta["chunks"], int):
                raise DamagedFile(path, "it names no chunks of samples")
            with np.load(io.BytesIO(arrays), allow_pickle=False) as found:
                return meta, dict(found)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DamagedFile(path, "it is no state of a run") from error

    # ------------------------------------------------------------------ write
    def begin(self) -> ChunkFiles:
        """Begin new chunks; the state that is there, and its own, stay until the next :meth:`save`.

        Raises
        ------
        StorageFailure
            If nothing can be written there.
        CheckpointInUse
        """
        try:
            self.hold()
        except OSError as error:
            raise StorageFailure(self.path, reason_of(error)) from error
        self._chunks = ChunkFiles(self.path)
        return self._chunks

    def save(self, meta: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        """See to it that the chunks are on the disk, then exchange the state.

        Parameters
        ----------
        meta : mapping
            Numbers and texts, readable without the samples.
        state : mapping of str to array

        Raises
        ------
        StorageFailure
            If the disk is full, for example; the last state is then as it was.
        """
        chunks = self._chunks
        assert chunks is not None
        arrays = io.BytesIO()
        np.savez(arrays, allow_pickle=False, **state)
        about = json.dumps({**meta, "format": FORMAT, "series": chunks.series, "chunks": len(chunks)})
        try:
            sync(self.path)
        except OSError as error:
            raise StorageFailure(self.path, reason_of(error)) from error
        write_checked(self.path / STATE, about.encode(), b"\n", arrays.getbuffer())
        self._remove_chunks(but=chunks.series)

    def hold(self) -> None:
        """Make the folder and keep other processes from writing there until :meth:`close`, or the end of this one.

        Raises
        ------
        CheckpointInUse
        """
        if self._lock is not None:
            return
        self.path.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        held = open(os.open(self.path / LOCK, flags, 0o666), "ab")  # noqa: SIM115, held as long as it is written
        if lock(held) is False:
            held.close()
            raise CheckpointInUse(self.path, "another run writes there")
        self._lock = held

    def close(self) -> None:
        """Let others write; chunks that no state names go."""
        if self._lock is None:
            return
        with contextlib.suppress(DamagedFile):
            meta = self.meta()
            self._remove_chunks(but=None if meta is None else meta["series"])
            if meta is None:
                self._remove_rest()
        self._lock.close()
        self._lock = None

    def remove(self) -> None:
        """Remove its files, and the folder if nothing else is in it: what it was for is done."""
        for path in (self.path / STATE, *self.path.glob(f".{STATE}.part-*")):
            _remove(path)
        self._remove_chunks()
        self._remove_rest()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _remove_rest(self) -> None:
        """Remove the lock, and the folder if it is empty then."""
        _remove(self.path / LOCK)
        with contextlib.suppress(OSError):
            self.path.rmdir()

    def _remove_chunks(self, *, but: str | None = None) -> None:
        """Remove chunks of series that no state names any more, and what killed runs left of their files."""
        for path in self.path.glob("*chunk-*"):
            of = NAME.fullmatch(path.name) or _UNFINISHED.fullmatch(path.name)
            if of is not None and of[1] != but:
                _remove(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
