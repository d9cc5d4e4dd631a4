"""Where alegear keeps what a later run can use again, reduced wheels and compiled kernels, and who can write there."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import stat
import tempfile
from pathlib import Path

from alegear.errors import Fault


def cache_directory() -> Path:
    """Return the cache folder: ALEGEAR_CACHE_DIR, else alegear in the user's cache folder.

    A relative XDG_CACHE_HOME does not count (XDG Base Directory Specification, version 0.8). A user without a home gets
    a folder with his number among the temporary files.
    """
    chosen = os.environ.get("ALEGEAR_CACHE_DIR")
    if chosen:
        return Path(chosen)
    of_user = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(of_user):
        of_user = os.path.expanduser("~/.cache")
    if not os.path.isabs(of_user):
        return Path(tempfile.gettempdir()) / f"alegear-{os.geteuid()}"
    return Path(of_user) / "alegear"


def kernel_directory() -> Path:
    """Return the folder of the compiled kernels: alegear-kernels in NUMBA_CACHE_DIR, else kernels in the cache folder.

    NUMBA_CACHE_DIR goes first because it says more: who sets it has chosen a place for machine code, a disk of the
    computing node for example, and the reduced wheels may well lie elsewhere.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) / "alegear-kernels" if chosen else cache_directory() / "kernels"


def megabytes(name: str) -> float | None:
    """Return a size that a variable of the environment sets [MB]; None if it is not set.

    Raises
    ------
    Fault
    """
    given = os.environ.get(name, "").strip()
    if not given:
        return None
    try:
        size = float(given)
    except ValueError:
        size = float("nan")
    if not size >= 0.0:
        raise Fault(name, given, "a number of megabytes from 0, or inf", "correct or unset it")
    return size


def who_else_writes(folder: Path) -> str | None:
    """Say who else than the user can put files into a folder, or another folder in its place; None if nobody can.

    The folder itself must belong to the user and be writable by nobody else; the folders above it may belong to root
    too, and be writable by others where only owners can remove what is in them (sticky, as ``/tmp``). Of folders that
    are not there yet those above them count.
    """
    user = os.geteuid()
    absolute = Path(os.path.abspath(folder))
    for path in (absolute, *absolute.parents):
        try:
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                if path == absolute:
                    return f"{path} is a link"
                reason = who_else_writes(path.resolve(strict=True))
                if reason is not None:
                    return reason
        except FileNotFoundError:
            continue
        except OSError as error:
            return f"{path}: {error.strerror}"
        owners = {user} if path == absolute else {user, 0}
        if status.st_uid not in owners:
            return f"{path} belongs to another user"
        if stat.S_ISLNK(status.st_mode) or (path != absolute and status.st_mode & stat.S_ISVTX):
            continue
        if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid)):
            return f"others can write in {path}"
    return None


def _is_own_group(group: int) -> bool:
    """Whether a group is that of the user alone, as many systems make one for each: named as he is, with no others."""
    with contextlib.suppress(KeyError):
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
        return user.pw_gid == group and found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}
    return False


def own_file(path: Path) -> bytes | None:
    """Read a file that belongs to the user and that nobody else can write; None if it is another one, or none.

    Links are not followed.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(file, "rb") as opened:
        status = os.fstat(opened.fileno())
        shared = status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid))
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or shared:
            return None
        try:
            return opened.read()
        except OSError:
            return None


def make_own_folder(path: Path) -> None:
    """Make a folder, and those above it, that only the user can open.

    Raises
    ------
    OSError
    """
    if not path.parent.exists():
        make_own_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
