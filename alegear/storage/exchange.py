"""The exchange of an old result for a new one, file by file, which is finished whoever is killed in the middle of it.

The new files wait in a working folder in the folder of the result. First a journal is written that says which files go
and which come; with it the new result counts. Then the files are renamed, and the journal goes. Whoever opens a folder
with a journal whose writer has gone finishes the renaming: the place of each file shows whether it was done.

Nothing but files of the old result is taken away: what the list of neither result names stays where it is.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from alegear.errors import Fault, one_line
from alegear.storage.stored_files import LARGEST_TEXT, path_inside, with_checksum, without_checksum
from alegear.storage.whole_file import lock, read_regular, reason_of, sync, write_whole

#: In a result folder, as long as an exchange is under way.
JOURNAL = ".alegear-exchange"
#: In a working folder: what the old result was.
_OLD = ".old"
#: For how long to wait for another process that exchanges results [s]: renaming takes thousandths.
_PATIENCE = 10.0
_WORK = re.compile(r"\.[^/]*\.part-[a-z0-9_]{8}")


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """Files that go and files that come.

    Attributes
    ----------
    folder : Path
        Of the result.
    work : Path
        Folder in it with the new files.
    gone, new : sequence of str
        Names of the old files and of the new ones, with ``/`` between folders.
    """

    folder: Path
    work: Path
    gone: Sequence[str]
    new: Sequence[str]

    def carry_out(self) -> None:
        """Exchange the files; an error leaves the old result.

        Raises
        ------
        OSError
            If a file cannot be renamed.
        """
        if _WORK.fullmatch(self.folder.name):  # a folder in the making itself, which goes with whoever is killed
            for name in self.new:
                _rename(self.work / name, self.folder / name)
            return
        settle(self.folder)  # another process may be at it
        for place in (self.work, *(self.work / name for name in _folders(self.new))):
            sync(place)
        content = {"work": self.work.name, "gone": list(self.gone), "new": list(self.new)}
        write_whole(self.folder / JOURNAL, with_checksum(content))
        try:
            sync(self.folder)
            self.finish()
        except OSError:
            self._undo()
            raise

    def finish(self) -> None:
        """Rename what is not renamed yet, and remove the journal.

        Raises
        ------
        OSError
        """
        old = self.work / _OLD
        waiting = {name for name in self.new if os.path.lexists(self.work / name)}
        for name in self.gone:
            # of a name in both lists: as long as the new file waits, the one in place is the old one
            there = os.path.lexists(self.folder / name) and (name in waiting or name not in self.new)
            if there and not os.path.lexists(old / name):
                _rename(self.folder / name, old / name)
        for name in self.new:
            if name in waiting:
                _rename(self.work / name, self.folder / name)
        _remove_empty(self.folder, self.gone)
        for place in {self.folder, *(self.folder / name for name in _folders(self.new))}:
            sync(place)
        (self.folder / JOURNAL).unlink()
        with contextlib.suppress(OSError):
            sync(self.folder)

    def _undo(self) -> None:
        """Put the old files back; of who is killed meanwhile the journal is left, and the new result comes."""
        for name in self.new:
            if not os.path.lexists(self.work / name) and os.path.lexists(self.folder / name):
                _rename(self.folder / name, self.work / name)
        for name in self.gone:
            if os.path.lexists(self.work / _OLD / name):
                _rename(self.work / _OLD / name, self.folder / name)
        _remove_empty(self.folder, self.new)
        sync(self.folder)
        (self.folder / JOURNAL).unlink()


def settle(folder: Path) -> None:
    """Finish an exchange in a result folder whose process was killed.

    Raises
    ------
    Fault
        If that cannot be done, or another process is at it for long.
    """
    journal = folder / JOURNAL
    waited = time.monotonic() + _PATIENCE
    while os.path.lexists(journal):
        try:
            found = _read(folder)
            if found is None:
                continue
            with _held(found.work) as alone:
                if alone:
                    if os.path.lexists(journal):
                        found.finish()
                        shutil.rmtree(found.work, ignore_errors=True)
                    return
        except OSError as error:
            raise _unfinished(folder, reason_of(error)) from error
        if time.monotonic() > waited:
            raise _unfinished(folder, "another process is at it")
        time.sleep(0.01)


def _read(folder: Path) -> Exchange | None:
    """Read the journal; None if it has gone meanwhile."""
    try:
        content = without_checksum(read_regular(folder / JOURNAL, LARGEST_TEXT, follow=False))
        work, gone, new = content["work"], content["gone"], content["new"]
        for name in (*gone, *new):
            path_inside(folder, name)
        if not _WORK.fullmatch(work) or (folder / work).is_symlink() or not (folder / work).is_dir():
            raise ValueError("its working folder is missing")
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:  # a Fault is a ValueError
        raise _unfinished(folder, str(error)) from error
    return Exchange(folder=folder, work=folder / work, gone=gone, new=new)


@contextlib.contextmanager
def _held(work: Path) -> Iterator[bool]:
    """Hold a working folder that nobody else holds; whether it is so.

    On a file system without locks a folder that nobody has touched for a while counts as left.
    """
    held = os.open(work, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        alone = lock(held)
        yield time.time() - os.fstat(held).st_mtime > _PATIENCE if alone is None else alone
    finally:
        os.close(held)


def _unfinished(folder: Path, reason: str) -> Fault:
    limit = f"a folder in which no exchange of results is under way ({one_line(reason)})"
    remedy = "the next command that may write there finishes it; try again"
    return Fault("result folder", folder, limit, remedy)


def _rename(source: Path, target: Path) -> None:
    """Rename a file into a folder that is made if it is not there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    os.rename(source, target)


def _folders(names: Sequence[str]) -> list[str]:
    """Folders of names, and those above them, the innermost first."""
    found = {str(parent) for name in names for parent in Path(name).parents} - {"."}
    return sorted(found, key=lambda name: -name.count("/"))


def _remove_empty(folder: Path, names: Sequence[str]) -> None:
    """Remove the folders of names that nothing is in any more."""
    for name in _folders(names):
        with contextlib.suppress(OSError):
            (folder / name).rmdir()
