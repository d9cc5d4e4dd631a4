"""Result folders that appear whole or not at all.

Everything is written into a working folder beside the target and moved into place at the end. A program that is
stopped or killed, a full disk or a failed analysis leaves the result that was there before, or the new one, whole
(:mod:`alegear.storage.exchange`). What is in place is listed with checksums (:mod:`alegear.storage.stored_files`).
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

from alegear.errors import Fault, one_line
from alegear.storage import lazy_xarray as xr
from alegear.storage import netcdf
from alegear.storage.exchange import JOURNAL, Exchange, settle
from alegear.storage.netcdf import Contents
from alegear.storage.stored_files import ABOUT, StoredFiles, checksum, files_in, read_about, write_about
from alegear.storage.whole_file import StorageFailure, lock, reason_of, sync, write_whole

logger = logging.getLogger(__name__)

RESULT = "result.nc"
SUMMARY = "summary.json"
#: Of a study over named axes, and its points as a table.
STUDY, TABLE = "study.nc", "table.csv"
#: Folder in a result folder with what an unfinished run goes on from; no part of a result.
CHECKPOINT = "checkpoint"
#: Folder of the stress fields and of the modes.
FIELDS = "fields"
#: Events of a torsional machine, as a table.
EVENTS_FILE = "events.csv"
#: Shapes of a machine, and of one in space, for pictures.
SHAPE, MECHANISM = "machine.json", "mechanism.json"
#: Orders at which a machine is heard, for pictures.
ORDERS = "orders.json"
#: The case as it was run: the text of its file, or the values of one made in Python.
CASE_TEXT, CASE_IN_SI = "case_as_run.toml", "case_as_run.txt"
#: What ``alegear report`` writes unless another place is named.
REPORT = "report.html"
#: What ``alegear export`` writes unless another place is named: a folder of CSV files, or a workbook.
TABLES, WORKBOOK = "tables", "result.xlsx"
#: Pictures that runs draw.
PICTURES = (
    "te", "fillet", "tooth_load", "root_stress", "contact_pattern", "spectrum", "campbell", "sweep", "bearing_orders",
    "points", "machine", "speeds", "torques", "modes", "losses", "energy", "power_flow", "motion", "reactions",
    "contact_forces", "waterfall", "harris_map", "optimum", "pareto",
)  # fmt: skip
#: Names that runs give to their files: where a file of the user's has one of them, no run begins.
PARTS = (
    RESULT, SUMMARY, *(f"{name}.png" for name in PICTURES), SHAPE, STUDY, TABLE, MECHANISM, ORDERS, EVENTS_FILE,
    CASE_TEXT, CASE_IN_SI, ABOUT, f"{FIELDS}/series.pvd",
)  # fmt: skip


class ResultFolder:
    """A result folder in the making (a context manager).

    Write into :attr:`path`, then call :meth:`commit`; leaving the block without it discards what was written.

    Parameters
    ----------
    target : Path
        The folder in which the result shall appear; made, with its parents, if there is none.
    parts : tuple of str
        Names of the files that may come, as far as they are known. Where one is there that the list of the folder does
        not name, it is the user's.
    adds : bool
        Whether the files come beside those of the result that is there. Default: they come in the place of all of them.
    gone : tuple of str
        With `adds`: files of the result that go when the new ones come.

    Raises
    ------
    Fault
        On entering, if nothing can be written there, or a file of the user's is in the way.
    StorageFailure
        If an ``OSError`` ends the block: the disk is full, for example.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "results"
    >>> with ResultFolder(target) as folder:
    ...     _ = (folder.path / "summary.json").write_text("{}")
    ...     _ = folder.commit()
    >>> sorted(p.name for p in target.iterdir())
    ['about.json', 'summary.json']
    """

    def __init__(
        self,
        target: str | Path,
        *,
        parts: tuple[str, ...] = PARTS,
        adds: bool = False,
        gone: tuple[str, ...] = (),
    ) -> None:
        self.target = Path(target)
        self.parts = parts
        self.adds = adds
        self.gone = gone
        self._made: list[Path] = []
        self._work: Path | None = None
        self._held = -1  # descriptor that holds the working folder
        #: The working folder, also after it has gone: messages may still name files in it.
        self._known: Path | None = None

    @property
    def path(self) -> Path:
        """The working folder to write into."""
        if self._work is None:
            raise ValueError("the result folder is not open")
        return self._work

    def __enter__(self) -> ResultFolder:
        target = Path(os.path.abspath(self.target))
        if target.is_symlink() and not target.exists():
            limit = f"a folder (it is a link to {os.readlink(target)}, which is not there)"
            raise Fault("output folder", self.target, limit, "make that folder, or choose another --out")
        settle(target)
        foreign = _foreign(target, self.parts)
        if foreign:
            raise Fault(
                "output folder",
                self.target,
                f"a new folder or one of results (it holds {', '.join(foreign)} that alegear has not written)",
                "choose another --out, or move them away",
            )
        try:
            if target.exists():
                # inside an existing folder: it may be the only one that can be written, or a mount point
                home = target
                if not target.is_dir():
                    raise NotADirectoryError(20, "a file of that name exists")
            else:
                home = target.parent
                self._made = _make_parents(home)
            prefix = f".{target.name or 'results'}.part-"
            for place in {home, target.parent}:  # the folder was not there yet when the killed one began
                _remove_abandoned(place, prefix)
            self._work, self._held = _working_folder(home, prefix)
            # mkdtemp makes it private; the result shall have the rights the user's umask gives
            self._work.chmod(0o777 & ~_umask())
            self._known = self._work
        except OSError as error:
            self._discard()
            raise Fault(
                "output folder",
                self.target,
                f"a folder that can be written ({reason_of(error)})",
                "choose another --out",
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        work = self._known
        self._discard()
        if isinstance(error, StorageFailure) and work is not None and error.path.is_relative_to(work):
            # name the file by where it would have come to be
            raise StorageFailure(self.target / error.path.relative_to(work), error.reason) from error
        if isinstance(error, OSError):
            raise StorageFailure(self.target, reason_of(error)) from error

    def commit(self, *, complete: bool = True) -> Path:
        """Move what was written into place.

        Parameters
        ----------
        complete : bool
            False for what a failed analysis left: it does not replace a complete result, but is put beside it
            in a folder with ``_incomplete`` added to the name.

        Returns
        -------
        Path
            The folder in which the result now is.
        """
        work = self.path
        target = Path(os.path.abspath(self.target))
        names = [name for name in files_in(work) if name != ABOUT]
        if not complete and holds_complete_result(target):
            target = _beside(target, "incomplete", (*self.parts, *names))
        elif in_the_way := _foreign(target, (*names, ABOUT)):
            # they came while it was computed: neither they nor the result shall be lost
            beside = _beside(target, "beside", (*self.parts, *names))
            logger.warning("%s holds %s, which came meanwhile: the result is in %s", target, in_the_way[0], beside)
            target = beside
        try:
            before = StoredFiles.of(target)
            gone = [name for name in before.listed if not self.adds or name in {*names, *self.gone}]
            listed = {name: checksum(work / name) for name in names}
            kept = {name: one for name, one in before.listed.items() if name not in gone}
            write_about(work, (before.about if self.adds else None) or read_about(work), kept | listed)
            if target.exists():
                if work.parent != target:
                    os.rename(work, work := target / work.name)
                    self._work = work
                present = [name for name in (*gone, ABOUT) if os.path.lexists(target / name)]
                Exchange(folder=target, work=work, gone=present, new=[*names, ABOUT]).carry_out()
            else:
                for place in {work, *(work / name for name in names)}:
                    sync(place)
                os.rename(work, target)
                sync(target.parent)
        except OSError as error:
            raise StorageFailure(self.target, reason_of(error)) from error
        self._made.clear()
        self._discard()
        return target

    def _discard(self) -> None:
        """Remove the working folder and the parents made for it, as far as they are left."""
        if self._work is not None:
            if not os.path.lexists(self._work.parent / JOURNAL):  # else the next command finishes the exchange
                shutil.rmtree(self._work, ignore_errors=True)
            os.close(self._held)
            self._work = None
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        self._made.clear()


def load_libraries() -> None:
    """Import what reading a result needs, which takes half a second, ahead of the need."""
    import alegear.storage.netcdf_reading  # noqa: F401


@contextlib.contextmanager
def library_beside(name: str) -> Iterator[Callable[[], None]]:
    """Give what begins to import a module in a thread, beside work that leaves Python for long.

    At the end the thread is waited for: the interpreter must not end in the middle of an import.
    """

    def load() -> None:
        with contextlib.suppress(Exception):  # what is missing is reported where it is needed
            import_module(name)

    thread = threading.Thread(target=load, name="imports", daemon=True)
    try:
        yield thread.start
    finally:
        if thread.ident is not None:
            thread.join()


def write_files(directory: Path, contents: Contents, summary: Mapping[str, object], *, name: str = RESULT) -> None:
    """Write ``result.nc`` and ``summary.json`` into an existing folder, each whole or not at all.

    Parameters
    ----------
    directory : Path
    contents : Contents
        Of the first.
    summary : dict
        Numbers, strings and dicts of them; None for what was not computed.
    name : str
        Of the first.

    Raises
    ------
    StorageFailure
        If a file cannot be written.
    """
    write_whole(directory / name, contents.to_bytes())
    write_summary(directory, summary)


def write_summary(directory: Path, summary: Mapping[str, object]) -> None:
    """Write ``summary.json`` into an existing folder, whole or not at all.

    Raises
    ------
    StorageFailure
    """
    write_whole(directory / SUMMARY, (json.dumps(summary, indent=2, allow_nan=False) + "\n").encode())


def mark_incomplete(directory: Path) -> None:
    """Mark the stored result as incomplete, in both files; nobody else may have it open."""
    import h5py

    summary = json.loads((directory / SUMMARY).read_bytes())  # in the making: no list names it yet
    if summary.get("complete") and (directory / RESULT).exists():
        with h5py.File(directory / RESULT, "r+") as file:
            file.attrs.modify("complete", file.attrs["complete"] * 0)  # in its place: no room is needed
        write_summary(directory, summary | {"complete": False})


def stored_files(directory: Path) -> StoredFiles:
    """Return the files of a result folder; an exchange in it that was interrupted is finished before.

    Raises
    ------
    Fault
        If its list is damaged.
    """
    found = StoredFiles.of(directory)
    if os.path.lexists(found.folder / JOURNAL):
        settle(found.folder)
        found = StoredFiles.of(directory)
    return found


def read_summary(directory: Path) -> dict[str, Any]:
    """Read ``summary.json`` of a result folder.

    Raises
    ------
    Fault
        If there is none, it is not a summary, or not the one that was written.
    """
    return read_table(directory, SUMMARY, "summary")


def write_table(directory: Path, name: str, content: Mapping[str, Any], *, indent: int | None = None) -> None:
    """Write a table in JSON into a result folder, whole or not at all.

    Raises
    ------
    StorageFailure
    """
    write_whole(directory / name, json.dumps(content, indent=indent, allow_nan=False).encode())


def read_table(directory: Path, name: str, quantity: str = "table of the result") -> dict[str, Any]:
    """Read a table in JSON of a result folder, as pictures are made of.

    Raises
    ------
    Fault
        As of :func:`read_summary`.
    """
    try:
        content = json.loads(stored_files(directory).read(name))
    except Fault:  # which is a ValueError
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(directory, error, name) from error
    if not isinstance(content, dict):
        raise Fault(quantity, directory / name, "a table", "run the case again")
    return content


def open_dataset(directory: Path) -> xr.Dataset:
    """Read ``result.nc`` of a result folder into memory.

    Raises
    ------
    Fault
        If there is none, or it is not the NetCDF file that was written.
    """
    with open_lazily(directory) as dataset, _readable(directory):
        return dataset.load()


def open_lazily(directory: Path, name: str = RESULT) -> xr.Dataset:
    """Open ``result.nc`` of a result folder, or its file of another name; values are read when they are asked for.

    Raises
    ------
    Fault
        If there is none, or it is not the NetCDF file that was written.
    """
    from alegear.storage.netcdf_reading import open_netcdf

    path = _checked(directory, name)
    with _readable(directory, name):
        return open_netcdf(path)


def names_in(directory: Path) -> tuple[set[str], set[str]]:
    """Names of dimensions and of variables in ``result.nc`` of a result folder, without opening each variable.

    Raises
    ------
    Fault
        If there is none, or it is not a NetCDF file.
    """
    path = _checked(directory, RESULT)
    with _readable(directory):
        return netcdf.names_in(path)


def _checked(directory: Path, name: str) -> Path:
    """Return where a file of a result folder is, once it is the one that was written, and its head can be read."""
    import h5py

    try:
        path = stored_files(directory).checked(name)
        with _readable(directory, name), h5py.File(path, "r") as file:
            dict(file.attrs)
    except OSError as error:
        raise _unreadable(directory, error, name) from error
    return path


def damaged(place: Path | str, error: Exception) -> Fault:
    """Return the fault of a file that opens, and whose values cannot be read."""
    reason = f"a file whose values can be read ({one_line(str(error))})"
    return Fault("result", place, reason, "it is damaged: run the case again")


@contextlib.contextmanager
def _readable(directory: Path, name: str = RESULT) -> Iterator[None]:
    """Refuse a file that the library cannot read: of a damaged one it raises whatever it stumbles over."""
    try:
        yield
    except (MemoryError, Fault):
        raise
    except Exception as error:
        raise _unreadable(directory, error, name) from error


def _unreadable(directory: Path, error: Exception, name: str = RESULT) -> Fault:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)  # without number and path
    return Fault("result folder", directory, f"a folder with a readable {name} ({reason})", "run the case first")


def holds_complete_result(target: Path) -> bool:
    """Whether a folder holds a result of a study that came to its end."""
    try:
        return bool(read_summary(target).get("complete"))
    except Fault:
        return False


def _foreign(target: Path, parts: Iterable[str]) -> list[str]:
    """Names of parts in a folder whose list does not name them, and of its own folders that are none: the user's."""
    listed = StoredFiles.of(target).listed
    known = {*listed, *([ABOUT] if listed or read_about(target) else [])}
    found = []
    for name in parts:
        folders = [str(folder) for folder in reversed(Path(name).parents) if str(folder) != "."]
        found += [
            one for one in folders if os.path.lexists(at := target / one) and (at.is_symlink() or not at.is_dir())
        ]
        if name not in known and os.path.lexists(target / name):
            found.append(f"{name}/" if (target / name).is_dir() else name)
    return list(dict.fromkeys(found))


def _beside(target: Path, word: str, names: Iterable[str]) -> Path:
    """Where a result goes beside a folder: one without files of the user's that are in the way."""
    numbered = (target.name + f"_{word}" + (f"_{k}" if k > 1 else "") for k in itertools.count(1))
    return next(path for path in map(target.with_name, numbered) if not _foreign(path, (*names, ABOUT)))


def _working_folder(home: Path, prefix: str) -> tuple[Path, int]:
    """Make a working folder and hold it, so that no other process takes it for an abandoned one."""
    while True:
        work = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
        held = os.open(work, os.O_RDONLY)
        lock(held)  # on a file system without locks nobody can take it for abandoned either
        if work.is_dir():
            return work, held
        os.close(held)  # another process was quicker to look than this one to hold


def _remove_abandoned(home: Path, prefix: str) -> None:
    """Remove the working folders of processes that were killed: nobody holds them any more.

    That of an exchange under way holds a result, and stays.
    """
    found: list[Path] = []
    if os.path.lexists(home / JOURNAL):
        return
    with contextlib.suppress(OSError):
        found = [folder for folder in home.iterdir() if folder.name.startswith(prefix) and folder.is_dir()]
    for folder in found:
        with contextlib.suppress(OSError):
            held = os.open(folder, os.O_RDONLY)
            try:
                if lock(held):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(held)


def _make_parents(folder: Path) -> list[Path]:
    """Make `folder` and its parents; return those that were made, the outermost first."""
    missing = []
    probe = folder
    while not probe.exists():
        missing.append(probe)
        probe = probe.parent
    made: list[Path] = []
    try:
        for path in reversed(missing):
            path.mkdir()
            made.append(path)
    except OSError:
        for path in reversed(made):
            path.rmdir()
        raise
    return made


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
