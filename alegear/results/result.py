"""The result of a study: a dataset, a summary, and how they are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from alegear.errors import Fault
from alegear.limits import path_of
from alegear.results import store
from alegear.results.by_pair import by_pair
from alegear.results.case_record import CaseRecord
from alegear.results.export import Table, tables_of, write_csv, write_excel
from alegear.results.rotational_result import events, has_events, write_events
from alegear.results.summary_keys import Summary

if TYPE_CHECKING:
    import xarray as xr


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
        folders = {name: self.directory / store.MESHES / name for name in self.summary.get("meshes", {})}
        return {name: stored(folder) for name, folder in folders.items() if folder.is_dir()}

    def to_csv(
        self, folder: str | Path | None = None, *, only: Sequence[str] = (), without: Sequence[str] = ()
    ) -> Path:
        """Write every variable into tables of a folder of CSV files; see :mod:`alegear.results.export`.

        Parameters
        ----------
        folder : path, optional
            Default: ``tables`` in the folder of the result.
        only, without : sequence of str
            Variables to write, by default all, and variables to leave out.

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
        return write_csv(self._export_place(folder, store.TABLES), self._tables(only, without), **self._told())

    def to_excel(
        self, path: str | Path | None = None, *, only: Sequence[str] = (), without: Sequence[str] = ()
    ) -> Path:
        """Write every variable into the sheets of a workbook of Excel; see :mod:`alegear.results.export`.

        Parameters
        ----------
        path : path, optional
            Ends with ``.xlsx``. Default: ``result.xlsx`` in the folder of the result.
        only, without : sequence of str
            Variables to write, by default all, and variables to leave out.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        Fault, StorageFailure
            As of :func:`alegear.results.export.write_excel`.
        """
        return write_excel(self._export_place(path, store.WORKBOOK), self._tables(only, without), **self._told())

    def _export_place(self, given: str | Path | None, name: str) -> Path:
        if given is None and self.directory is None:
            raise Fault("place of the tables", None, "given: the result is in no folder", "name one")
        return path_of(given, "place of the tables") if given is not None else Path(self.directory or "") / name

    def _tables(self, only: Sequence[str], without: Sequence[str]) -> list[Table]:
        parts = {"": self.dataset} | {f"mesh_{name}": mesh.dataset for name, mesh in self.meshes().items()}
        return tables_of(parts, only=only, without=without)

    def _told(self) -> dict[str, Any]:
        return {
            "summary": self.summary,
            "title": str(self.dataset.attrs.get("title", "")),
            "complete": self.complete,
        }

    def save(self, directory: str | Path) -> Path:
        """Store ``result.nc`` and ``summary.json`` in `directory`, replacing an older result as a whole.

        Of a motion of parts that only turn, or stick and slide beside flexible teeth, also ``events.csv``.

        Returns
        -------
        Path
            The folder of the result.
        """
        with store.ResultFolder(path_of(directory, "result folder")) as folder:
            if self.is_stored:
                assert self.directory is not None
                store.copy_file(self.directory / store.RESULT, folder.path / store.RESULT)
                store.write_summary(folder.path, self.summary)
            else:
                store.write_files(folder.path, self.dataset, self.summary)
                for name, mesh in (self._meshes or {}).items():
                    place = folder.path / store.MESHES / name
                    place.mkdir(parents=True, exist_ok=True)
                    store.write_files(place, mesh.dataset, mesh.summary)
            if has_events(self.dataset):
                write_events(folder.path, events(self.dataset))
            if self.record.text:
                self.record.write(folder.path)
            return folder.commit(complete=self.complete)


def stored(directory: Path, kind: type[Result] = Result) -> Result:
    """Return a result that is stored in a folder, of a kind that is known.

    Raises
    ------
    Fault
        If one of its two files is missing, cannot be read, or is of another run than the other.
    """
    result = kind(summary=store.read_summary(directory), directory=directory)
    if result.summary.get("case_sha256") != result.dataset.attrs.get("case_sha256"):
        limit = f"a folder whose {kind.FILE} and {store.SUMMARY} are of one run"
        raise Fault("result folder", directory, limit, "run the case again")
    return result


#: What draws a stored result into its folder.
Report = Callable[[Result, Path], object]
