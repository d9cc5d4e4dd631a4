"""The result of a study: a dataset, a summary, and how they are stored."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

from alegear.errors import Fault
from alegear.limits import path_of
from alegear.results.by_pair import by_pair
from alegear.results.case_record import CaseRecord
from alegear.results.export import ExportTable, fields_of, tables_of, write_csv, write_excel
from alegear.results.summary_keys import Summary, odd_key
from alegear.results.switch_events import events, has_events, write_events
from alegear.storage import lazy_xarray as xr
from alegear.storage import store
from alegear.storage.netcdf import Contents
from alegear.storage.stored_files import MESHES, files_in, path_inside
from alegear.storage.whole_file import reason_of, write_whole

logger = logging.getLogger(__name__)


class ResultPlot(Protocol):
    """A picture of a result."""

    @property
    def caption(self) -> str:
        """What it shows, in words and numbers."""

    def __call__(self) -> Any:
        """Draw it as a figure of Matplotlib."""


class ResultPlots(Protocol):
    """Pictures of a result, an attribute each (:class:`alegear.pictures.plot.Plots`)."""

    def __getattr__(self, name: str) -> ResultPlot: ...


class Result:
    """What :func:`alegear.run` returns.

    Parameters
    ----------
    summary : dict
        Numbers for scripts and reports, as in ``summary.json``.
    dataset : xarray.Dataset, optional
        Curves and loads, SI units, as in ``result.nc``. Default: that of `directory`, which is opened when it is asked
        for; its values are read when they are.
    directory : Path, optional
        Where the study has stored this result and its fields; None if it was not asked to.
    record : CaseRecord, optional
        The case that was run. Default: that of `directory`.
    meshes : mapping of str to Result, optional
        Of a machine in memory, of its flexible meshes. Default: those in `directory`.
    """

    #: Name of the file of the dataset.
    FILE: ClassVar[str] = store.RESULT

    def __init__(
        self,
        *,
        summary: Mapping[str, object],
        dataset: xr.Dataset | None = None,
        directory: Path | None = None,
        record: CaseRecord | None = None,
        meshes: Mapping[str, Result] | None = None,
    ) -> None:
        if dataset is None and directory is None:
            raise ValueError("a result needs a dataset, or the folder that holds it")
        #: Numbers for scripts and reports, as in ``summary.json``.
        self.summary = cast(Summary, summary)
        self.directory = directory
        self._dataset, self._record, self._meshes = dataset, record, meshes
        self._stored_meshes: dict[str, Result] | None = None  # those in the folder, once they are asked for
        #: Whether the dataset is read from the folder.
        self.is_stored = dataset is None

    def __repr__(self) -> str:
        place = "in memory" if self.directory is None else f"in {self.directory}"
        return f"<alegear.Result of a {self.summary.get('analysis', '')} study, {place}>"

    @property
    def dataset(self) -> xr.Dataset:
        """Curves and loads."""
        if self._dataset is None:
            assert self.directory is not None
            self._dataset = store.open_lazily(self.directory, self.FILE)
        return self._dataset

    @property
    def record(self) -> CaseRecord:
        """The case as it was run; empty where the result does not hold it."""
        if self._record is None:
            self._record = CaseRecord() if self.directory is None else CaseRecord.read(self.directory)
        return self._record

    @property
    def plot(self) -> ResultPlots:
        """Pictures of the result, a method each, which returns a figure of Matplotlib; ``dir(result.plot)`` lists them.

        Returns
        -------
        alegear.pictures.plot.Plots

        Examples
        --------
        >>> import alegear as ag
        >>> figure = ag.load("results").plot.te()  # doctest: +SKIP
        """
        # by name: pictures read results, which are below them and import nothing from above
        plots: ResultPlots = import_module("alegear.pictures.plot").Plots(self)
        return plots

    @property
    def complete(self) -> bool:
        """Whether the study came to its end."""
        return bool(self.summary["complete"])

    def tooth_load(self, pairs: Sequence[int] | None = None, *, time: slice | None = None) -> xr.DataArray:
        """Return the loads of the tooth pairs [N] over ``pair``; see :func:`alegear.by_pair`."""
        return by_pair(self.dataset, "tooth_load", pairs, time=time)

    def by_pair(self, name: str, pairs: Sequence[int] | None = None, *, time: slice | None = None) -> xr.DataArray:
        """Return a variable over ``pair``; see :func:`alegear.by_pair`."""
        return by_pair(self.dataset, name, pairs, time=time)

    def with_summary(self, summary: Mapping[str, object]) -> Result:
        """Return the same with another summary."""
        return self._with(summary=summary)

    def with_dataset(self, dataset: xr.Dataset) -> Result:
        """Return the same with another dataset, which is in memory."""
        return self._with(dataset=dataset)

    def with_record(self, record: CaseRecord) -> Result:
        """Return the same with the case that was run."""
        return self._with(record=record)

    def moved(self, directory: Path) -> Result:
        """Return the same, whose folder is another one now."""
        return self._with(directory=directory)

    def _with(self, **changed: Any) -> Result:
        """Return the same but for what is given."""
        kept: dict[str, Any] = {
            "summary": self.summary,
            "dataset": None if self.is_stored else self._dataset,
            "directory": self.directory,
            "record": self._record,
            "meshes": self._meshes,
        }
        return type(self)(**kept | changed)

    def meshes(self) -> dict[str, Result]:
        """Return the results of the flexible meshes of a machine, by name; their contact has the variables of a pair.

        Raises
        ------
        Fault
            If one of them cannot be read.
        """
        if self._meshes is not None:
            return dict(self._meshes)
        if self.directory is None or not self.summary.get("machine"):
            return {}
        if self._stored_meshes is None:
            names = self.summary.get("meshes", {})
            folders = {name: path_inside(self.directory, f"{MESHES}/{name}") for name in names}
            self._stored_meshes = {name: stored(folder) for name, folder in folders.items() if folder.is_dir()}
        return dict(self._stored_meshes)

    def to_csv(
        self,
        folder: str | Path | None = None,
        *,
        only: Sequence[str] = (),
        without: Sequence[str] = (),
        fields: bool = False,
    ) -> Path:
        """Write the variables into tables of a folder of CSV files; see :mod:`alegear.results.export`.

        Parameters
        ----------
        folder : path, optional
            Default: ``tables`` in the folder of the result.
        only, without : sequence of str
            Variables to write, by default all but fields, and variables to leave out.
        fields : bool
            Whether the stress of all points of root fillets at each position or time is written, too.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        Fault, StorageFailure
            As of :func:`alegear.results.export.write_csv`.

        Examples
        --------
        >>> import alegear as ag
        >>> ag.load("results").to_csv("tables", without=["line_load"])  # doctest: +SKIP
        """
        return write_csv(self._export_place(folder, store.TABLES), self._tables(only, without, fields), **self._head())

    def to_excel(
        self,
        path: str | Path | None = None,
        *,
        only: Sequence[str] = (),
        without: Sequence[str] = (),
        fields: bool = False,
    ) -> Path:
        """Write the variables into the sheets of a workbook of Excel; see :mod:`alegear.results.export`.

        Parameters
        ----------
        path : path, optional
            Ends with ``.xlsx``. Default: ``result.xlsx`` in the folder of the result.
        only, without : sequence of str
            Variables to write, by default all but fields, and variables to leave out.
        fields : bool
            Whether the stress of all points of root fillets at each position or time is written, too.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        Fault, StorageFailure
            As of :func:`alegear.results.export.write_excel`.
        """
        place = self._export_place(path, store.WORKBOOK)
        return write_excel(place, self._tables(only, without, fields), **self._head(), write=self.write_beside)

    def write_beside(self, path: Path, content: bytes | memoryview) -> None:
        """Write a file made of the result, whole or not at all.

        In the folder of the result, under the name that such a file has there, it belongs to the result and goes with
        it; a file of the user's in that place is refused.

        Raises
        ------
        Fault, StorageFailure
        """
        home = self.directory
        if home is None or path.name not in (store.REPORT, store.WORKBOOK) or not path.parent.samefile(home):
            write_whole(path, content)
            return
        with store.ResultFolder(home, parts=(path.name,), adds=True) as folder:
            write_whole(folder.path / path.name, content)
            folder.commit()

    def _export_place(self, given: str | Path | None, name: str) -> Path:
        if given is None and self.directory is None:
            raise Fault("place of the tables", None, "given: the result is in no folder", "name one")
        return path_of(given, "place of the tables") if given is not None else Path(self.directory or "") / name

    def _tables(self, only: Sequence[str], without: Sequence[str], fields: bool) -> list[ExportTable]:
        return tables_of(self._parts(), only=only, without=without, fields=fields)

    def _parts(self) -> dict[str, xr.Dataset]:
        return {"": self.dataset} | {f"mesh_{name}": mesh.dataset for name, mesh in self.meshes().items()}

    def fields_left_out(self, only: Sequence[str] = (), without: Sequence[str] = ()) -> list[str]:
        """Return the variables that an export without `fields` leaves out."""
        found = [] if only else [name for part in self._parts().values() for name in fields_of(part)]
        return [name for name in dict.fromkeys(found) if name not in without]

    def _head(self) -> dict[str, Any]:
        return {
            "summary": self.summary,
            "title": str(self.dataset.attrs.get("title", "")),
            "complete": self.complete,
        }

    def save(self, directory: str | Path) -> Path:
        """Store the result in `directory`, replacing an older one as a whole.

        A result that is in a folder is copied with all that belongs to it: fields, pictures, results of meshes, tables.
        In the folder that it is in already, nothing is done. A result in memory alone has its dataset, ``summary.json``
        and the case; of a motion of torsional parts, or stick and slide beside flexible teeth, ``events.csv``.

        Returns
        -------
        Path
            The folder of the result.

        Raises
        ------
        Fault
            If a file is not the one that was written.
        StorageFailure
        """
        target = path_of(directory, "result folder")
        if self.directory is not None and target.exists() and target.samefile(self.directory):
            return target
        with store.ResultFolder(target) as folder:
            if self.directory is not None:
                self._copy_into(folder.path)
            self.write(folder.path)
            return folder.commit(complete=self.complete)

    def write(self, directory: Path) -> None:
        """Write dataset, summary and case into an existing folder, each file whole or not at all.

        Raises
        ------
        StorageFailure
        """
        if self.is_stored:
            store.write_summary(directory, self.summary)
        else:
            store.write_files(directory, Contents.of(self.dataset), self.summary, name=self.FILE)
            for name, mesh in (self._meshes or {}).items():
                place = directory / MESHES / name
                place.mkdir(parents=True, exist_ok=True)
                store.write_files(place, Contents.of(mesh.dataset), mesh.summary)
        if has_events(self.dataset):
            write_events(directory, events(self.dataset))
        if self.record.text:
            self.record.write(directory)

    def _copy_into(self, folder: Path) -> None:
        """Copy the files that belong to the result, checked; say which ones are left for want of a list."""
        assert self.directory is not None
        files = store.stored_files(self.directory)
        names = files.names()
        if not names:
            names = [self.FILE]
            left = sorted({name.split("/")[0] for name in files_in(self.directory)} - {self.FILE, store.SUMMARY})
            if left:
                logger.warning("%s has no list of its files: %s stay there", self.directory, ", ".join(left))
        for name in names:
            try:
                files.copy(name, folder / name)
            except OSError as error:
                raise Fault(
                    "result folder", self.directory, f"a folder with a readable {name} ({reason_of(error)})",
                    "run the case again",
                ) from error  # fmt: skip


def stored(directory: Path, kind: type[Result] = Result) -> Result:
    """Return a result that is stored in a folder, of a kind that is known.

    Raises
    ------
    Fault
        If one of its two files is missing, cannot be read, is not what was written, or of another run than the other.
    """
    summary = store.read_summary(directory)
    result = kind(summary=summary, directory=directory)
    dataset = result.dataset
    if (key := odd_key(summary)) is not None:
        limit = f"a folder whose {store.SUMMARY} alegear wrote ({key} is missing or not what it is)"
    elif summary.get("case_sha256") != dataset.attrs.get("case_sha256"):
        limit = f"a folder whose {kind.FILE} and {store.SUMMARY} are of one run"
    else:
        return result
    raise Fault("result folder", directory, limit, "run the case again")


#: What draws a stored result into its folder.
Report = Callable[[Result, Path], object]
