"""A file that only grows, frame by frame; what is read of it again is what was written, or an error.

A frame is one line with the length in bytes and the CRC-32 of what follows, then its content.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from alegear.errors import AnalysisFailure
from alegear.storage.whole_file import StorageFailure, reason_of

_LINE = 64  # bytes, more than the longest first line


class DamagedFile(AnalysisFailure):
    """A file that is there and cannot be read (cut short, changed, of another format)."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[type, tuple[Path, str]]:
        return type(self), (self.path, self.reason)


def framed(content: bytes) -> bytes:
    """Return a content with its first line."""
    return b"%d %d\n" % (len(content), zlib.crc32(content)) + content


def unframed(path: Path, data: bytes, at: int) -> tuple[bytes, int]:
    """Take the frame that begins at a place of `data`; returns its content, and where it ends.

    Raises
    ------
    DamagedFile
        Naming `path`, from which the data are.
    """
    line = data.find(b"\n", at, at + _LINE)
    try:
        length, checksum = (int(word) for word in data[at : max(line, at)].split())
    except ValueError as error:
        raise DamagedFile(path, f"no frame at byte {at}") from error
    content = data[line + 1 : line + 1 + length]
    if len(content) != length or zlib.crc32(content) != checksum:
        raise DamagedFile(path, f"wrong checksum of the frame at byte {at}")
    return content, line + 1 + length


class Log:
    """The file, open for reading and writing.

    Parameters
    ----------
    path : Path, optional
        Default: a file without a name in `folder`, which goes with the process.
    folder : Path, optional
        Default: that of the system for temporary files.
    length : int, optional
        Bytes of an older file that count, the rest is cut off. Default: the file is new.

    Attributes
    ----------
    places : list of int
        Where the content of each frame begins.

    Raises
    ------
    OSError
        If the file cannot be opened.
    DamagedFile
        If an older file is not what was written.
    """

    _file = -1

    def __init__(self, path: Path | None = None, *, folder: Path | None = None, length: int | None = None) -> None:
        self.path, self.length, self.places = path, 0, list[int]()
        if path is None:
            with tempfile.TemporaryFile(dir=folder) as nameless:
                self._file = os.dup(nameless.fileno())
            self.path = Path(folder or tempfile.gettempdir())
        elif length is None:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        else:
            self._file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                if not stat.S_ISREG(os.fstat(self._file).st_mode) or os.fstat(self._file).st_nlink > 1:
                    raise DamagedFile(path, "it is no file of its own")
                self._take_up(path, length)
            except BaseException:
                self.close()
                raise

    def append(self, parts: Iterable[bytes]) -> int:
        """Append a frame; returns where its content begins.

        Raises
        ------
        StorageFailure
            If the disk is full, for example; the log is then as it was before.
        """
        content = b"".join(parts)
        frame = framed(content)
        try:
            rest = memoryview(frame)
            while len(rest):
                rest = rest[os.pwrite(self._file, rest, self.length + len(frame) - len(rest)) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self.length)
            assert self.path is not None
            raise StorageFailure(self.path, reason_of(error)) from error
        place = self.length + len(frame) - len(content)
        self.length += len(frame)
        self.places.append(place)
        return place

    def read(self, place: int, size: int) -> bytes:
        """Read so many bytes from a place on."""
        return os.pread(self._file, size, place)

    def sync(self) -> None:
        """Wait until everything is on the disk: some file systems report a full one only here."""
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file; one without a name is gone then."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __del__(self) -> None:
        if self._file >= 0:
            self.close()

    def _take_up(self, path: Path, length: int) -> None:
        """Check all frames of an older file up to a length, one after the other, and cut off the rest."""
        there = os.fstat(self._file).st_size
        if there < length:
            raise DamagedFile(path, f"{there} bytes of {length}")
        while self.length < length:
            line = self.read(self.length, _LINE)
            head = line[: line.find(b"\n") + 1]
            size = head.split()[0] if head.split() else b""
            if not size.isdigit() or self.length + len(head) + int(size) > length:
                raise DamagedFile(path, f"no frame at byte {self.length}")
            try:
                unframed(path, head + self.read(self.length + len(head), int(size)), 0)
            except DamagedFile as damage:
                raise DamagedFile(path, f"wrong checksum of the frame at byte {self.length}") from damage
            self.places.append(self.length + len(head))
            self.length += len(head) + int(size)
        os.ftruncate(self._file, length)
