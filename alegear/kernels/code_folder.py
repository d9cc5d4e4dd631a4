"""Where machine code is kept: one folder a digest of everything that it depends on.

The digest is that of all kernel files of the package, of what makes machine code of them, of the versions of Python,
NumPy, Numba and llvmlite and of Numba's settings: whatever a kernel calls, in whichever file, its code is right or is
not found. Kernel files are those whose name ends in ``kernels.py``; constants that a kernel uses must stand in such a
file too, because compiled code holds their values.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import os
import platform
import re
import shutil
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

from alegear.kernels.private_names import LEFT_OUT
from alegear.storage.cache_folder import make_own_folder, own_file, who_else_writes

logger = logging.getLogger(__name__)

#: Its attributes are made when Numba is imported.
config: Any = numba.config

#: First word of every file; raised whenever what follows it changes.
FORMAT = b"alegear-kernel-1"

#: Code of other sources or versions is forgotten when nobody has used it for so long [s].
FORGET_AFTER = 30 * 86400.0

#: Longest wait for another process that compiles the same kernel [s]; a stopped one might never be done.
WAIT_AT_MOST = 300.0

#: Names of the folders: the first digits of a digest. Whatever else lies beside them is somebody's own.
_NAME = re.compile(r"[0-9a-f]{24}")

#: Settings of Numba that shape the machine code; the processor is in the name of each file.
_SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DISABLE_INTEL_SVML")

PACKAGE = Path(__file__).resolve().parents[1]
_FILES = sorted({*PACKAGE.glob("kernels/*.py"), *PACKAGE.rglob("*kernels.py")})


class Folder:
    """The files of one digest.

    Machine code does what whoever wrote it likes: where others than the user can write, none is read or stored.

    Parameters
    ----------
    path : Path
        Named by the digest; made when the first kernel is written.
    digest : str
    """

    def __init__(self, path: Path, digest: str) -> None:
        self.path = path
        self._digest = digest
        self._writable = True
        self._used = False
        self._is_own: bool | None = None

    @property
    def is_own(self) -> bool:
        """Whether only the user can write here; that others can is said once."""
        if self._is_own is None:
            reason = who_else_writes(self.path)
            self._is_own = reason is None
            if reason is not None:
                logger.warning(
                    "compiled kernels in %s are neither read nor stored (%s) and are compiled again by every run; "
                    "let nobody else write there (chmod go-w), or set ALEGEAR_CACHE_DIR to a folder of your own",
                    self.path,
                    reason,
                )
        return self._is_own

    def read(self, name: str, key: bytes) -> bytes | None:
        """Return what is stored under a key; None if there is no sound file of the user's own."""
        content = own_file(self.path / name) if self.is_own else None
        if content is None:
            return None
        head = _head(key)
        # 4 bytes of checksum, behind them the data
        body = memoryview(content)[len(head) + 4 :]
        checksum = content[len(head) : len(head) + 4]
        if not content.startswith(head) or zlib.crc32(body).to_bytes(4, "little") != checksum:
            logger.info("stored kernel %s is damaged; compiling again", self.path / name)
            return None
        self._use()
        return bytes(body)

    def write(self, name: str, key: bytes, data: bytes) -> None:
        """Store data under a key, whole or not at all; a failure is said once and costs the storing only."""
        if not self._writable or not self.is_own:
            return
        if _digest() != self._digest:
            # the program text was changed after this process had read it: its code must not stand under either digest
            self._writable = False
            logger.info("kernel files have changed; nothing compiled from now on is stored")
            return
        temporary = self.path / f"{uuid.uuid4().hex}.part"
        try:
            self._make()
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
                file.write(_head(key) + zlib.crc32(data).to_bytes(4, "little") + data)
            temporary.replace(self.path / name)
        except OSError as error:
            self._cannot_write(error)
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)

    @contextlib.contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Be the only process that makes a file of this name: what another one is at is waited for.

        Where files cannot be locked nobody waits, and both make it.
        """
        path = self.path / f"{name}.lock"
        try:
            if not self._writable or not self.is_own:
                raise PermissionError(path)
            self._make()
            lock = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            yield
            return
        try:
            _wait_for(lock)
            yield
        finally:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            os.close(lock)

    def within(self, name: str) -> Path | None:
        """Return a folder in this one, for files that another library writes; None if there can be none."""
        place = self.path / name
        if not self._writable or not self.is_own:
            return None
        try:
            self._make()
            make_own_folder(place)
            # where Numba cannot write it takes another folder, which knows no digest
            tempfile.TemporaryFile(dir=place).close()
        except OSError as error:
            self._cannot_write(error)
            return None
        self._use()
        return place if who_else_writes(place) is None else None

    def _make(self) -> None:
        if not self.path.is_dir():
            make_own_folder(self.path)
            _forget_unused(self.path)

    def _cannot_write(self, error: OSError) -> None:
        """Say once that nothing is stored."""
        self._writable = False
        logger.warning(
            "compiled kernels are not stored in %s (%s) and are compiled again by every run; "
            "set ALEGEAR_CACHE_DIR to a writable folder",
            self.path,
            error,
        )

    def _use(self) -> None:
        """Note once a process that this folder is in use."""
        if not self._used:
            self._used = True
            with contextlib.suppress(OSError):
                os.utime(self.path)


def _wait_for(lock: int) -> None:
    """Lock an open file, within the longest wait."""
    give_up = time.monotonic() + WAIT_AT_MOST
    while time.monotonic() < give_up:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        except OSError:  # a file system without locks
            return
        else:
            return


def _head(key: bytes) -> bytes:
    return FORMAT + len(key).to_bytes(4, "little") + key


def _digest() -> str | None:
    """Hash what machine code depends on; None if the program text cannot be read."""
    digest = hashlib.sha256(FORMAT)
    try:
        for path in _FILES:
            text = path.read_bytes()
            digest.update(f"{path.relative_to(PACKAGE).as_posix()} {len(text)};".encode())
            digest.update(text)
    except OSError:
        return None
    versions = (platform.python_version(), np.__version__, numba.__version__, llvmlite.__version__)
    settings = [(name, getattr(config, name, None)) for name in _SETTINGS]
    digest.update(repr((platform.python_implementation(), versions, settings, sorted(LEFT_OUT))).encode())
    return digest.hexdigest()


#: Digest of the program text as this process reads it: kernel modules import this one first.
_DIGEST = _digest()


@cache
def folder_of(module: str, root: Path) -> Folder | None:
    """Return the folder of the kernels of a module; None if they must not be stored.

    A module that is imported after a kernel file has changed would mix new kernels with old ones.
    """
    if _DIGEST is None or _digest() != _DIGEST:
        logger.info("the kernels of %s are compiled in memory: program text changed or not at hand", module)
        return None
    return _folder_at(root / _DIGEST[:24], _DIGEST)


@cache
def _folder_at(path: Path, digest: str) -> Folder:
    """Return the one folder of this path, so that a failure is said once."""
    return Folder(path, digest)


def _forget_unused(current: Path) -> None:
    """Remove the folders of other digests that nobody has used for long; called when a new one is made."""
    for path in current.parent.iterdir():
        if path == current or not _NAME.fullmatch(path.name) or path.is_symlink():
            continue
        with contextlib.suppress(OSError):
            if path.is_dir() and time.time() - path.stat().st_mtime > FORGET_AFTER:
                shutil.rmtree(path, ignore_errors=True)
