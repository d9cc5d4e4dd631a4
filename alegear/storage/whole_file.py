"""Files that appear whole or not at all, and files from others that are read up to a size and from a disk only."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from alegear.errors import AnalysisFailure, Fault

_LIKE_A_NUMBER = re.compile(r"[-+\d.,;eEdD \t]*|[-+]?(nan|inf|infinity)", re.IGNORECASE)

#: Largest sizes of files that a case names [bytes], each read within seconds: a case file, tables of numbers, grids.
CASE_BYTES, TABLE_BYTES, GRID_BYTES = 1 << 20, 16 << 20, 64 << 20
#: Bytes before the content of a file with a checksum.
HEAD = len(b"%08x\n" % 0)


class FileFailure(AnalysisFailure):
    """A file or folder that does not do what it is for, and why."""

    WORDS = "{path}: {reason}"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(self.WORDS.format(path=path, reason=reason))
        self.path, self.reason = path, reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.reason)


class StorageFailure(FileFailure):
    """A result that could not be written, for want of space or of permission (exit code 1)."""

    WORDS = "writing {path}: {reason}; nothing was changed there; free some space or choose another folder"


class DamagedFile(FileFailure):
    """A file that is there and cannot be read (cut short, changed, of another format)."""


@contextlib.contextmanager
def whole_file(path: Path, *, synced: bool = True) -> Iterator[Path]:
    """Give a new file beside a place to write to, which takes the place at the end, once it is on the disk (`synced`).

    Its name cannot be foreseen: nobody can have put a link there.

    Raises
    ------
    StorageFailure
        If it cannot be written; an older file of that name is then unchanged.
    """
    beside = path.with_name(f".{path.name}.part-{secrets.token_hex(4)}")
    try:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
        yield beside
        if synced:
            sync(beside)  # some file systems report a full disk only here
        os.replace(beside, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError):
            raise StorageFailure(path, reason_of(error)) from error
        raise


def write_whole(path: Path, *content: bytes | memoryview) -> None:
    """Write a file, piece by piece, which appears whole or not at all.

    Raises
    ------
    StorageFailure
        If it cannot be written; an older file of that name is then unchanged.
    """
    with whole_file(path) as beside, open(beside, "wb") as file:
        file.writelines(content)


def write_checked(path: Path, *content: bytes | memoryview) -> None:
    """Write a file as :func:`write_whole` does, headed by a line with the CRC-32 of its content.

    Raises
    ------
    StorageFailure
    """
    checksum = 0
    for part in content:
        checksum = zlib.crc32(part, checksum)
    write_whole(path, b"%08x\n" % checksum, *content)


def read_checked(path: Path, largest: int | None = None) -> bytes:
    """Read what :func:`write_checked` has written.

    Raises
    ------
    DamagedFile
        If it is another content, or none that can be read.
    """
    try:
        with open(open_regular(path, largest, follow=False), "rb") as file:
            head, content = file.read(HEAD), file.read()
    except OSError as error:
        raise DamagedFile(path, reason_of(error)) from error
    if head != b"%08x\n" % zlib.crc32(content):
        raise DamagedFile(path, "wrong checksum")
    return content


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk.

    Raises
    ------
    OSError
    """
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def lock(file: int | IO[bytes]) -> bool | None:
    """Lock an open file or folder; False: another process holds it, None: its file system has no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def read_regular(path: Path, largest: int, *, follow: bool = True) -> bytes:
    """Read a file that is one on a disk: no pipe that nobody writes to, no device without an end.

    Raises
    ------
    OSError
        With the reason in ``strerror``; also for another kind of file, and a larger one than `largest` bytes.
    """
    with open(open_regular(path, largest, follow=follow), "rb") as opened:
        content = opened.read(largest + 1)
    if len(content) > largest:
        raise OSError(27, _too_large(largest), str(path))
    return content


def open_regular(path: Path, largest: int | None = None, *, follow: bool = True) -> int:
    """Open a file as :func:`read_regular` does; return its descriptor.

    Raises
    ------
    OSError
    """
    # without waiting for who writes to a pipe
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        file = os.open(path, flags)
    except ValueError as error:  # a name that no file can have
        raise OSError(22, str(error), str(path)) from error
    status, reason = os.fstat(file), None
    if stat.S_ISDIR(status.st_mode):
        reason = "it is a folder"
    elif not stat.S_ISREG(status.st_mode):
        reason = "it is no file on a disk, but a pipe or a device"
    elif largest is not None and status.st_size > largest:
        reason = _too_large(largest)
    if reason is not None:
        os.close(file)
        raise OSError(22, reason, str(path))
    return file


def check_regular(path: Path, largest: int) -> None:
    """Refuse what :func:`read_regular` would, for readers that open the file themselves.

    Raises
    ------
    OSError
    """
    os.close(open_regular(path, largest))


def refuse_existing(path: Path, option: str, *, overwrite: bool) -> None:
    """Refuse to write where there is something already, before any work is done; `option` names the place.

    Raises
    ------
    Fault
    """
    if path.is_dir():
        raise Fault(option, path, "a file, not a folder", "name a file")
    if not overwrite and os.path.lexists(path):
        raise Fault(option, path, "a new file (there is one of that name)", "choose another one, or add --overwrite")


def cell_shown(text: str) -> str:
    """Return what a message may show of a file: what could be a mistyped number, and else how long the text is.

    A case may name any file, that of a password too, and somebody else may read the message.

    Examples
    --------
    >>> cell_shown("1,5"), cell_shown("root:x:0:0"), cell_shown(" ")
    ('1,5', 'a text of 10 characters', 'nothing')
    """
    if not text.strip():
        return "nothing"
    if len(text) <= 40 and _LIKE_A_NUMBER.fullmatch(text):
        return text
    return f"a text of {len(text)} character{'s' if len(text) > 1 else ''}"


def reason_of(error: OSError) -> str:
    """Say in words why a file cannot be read or written."""
    return error.strerror or str(error)


def _too_large(largest: int) -> str:
    return f"it is larger than {largest / (1 << 20):.0f} MB"
