"""One run of a case: what it needs is prepared, solved, written; kinds of studies add to it in classes of their own."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from threadpoolctl import threadpool_limits

from alegear.case.machine import MachineCase
from alegear.checks.disk_space import check_disk
from alegear.checks.machine_data import machine_chunk_bytes, machine_warnings
from alegear.results.dataset import Identity
from alegear.results.result import Result
from alegear.storage.store import write_files, write_summary
from alegear.studies.preparation import PreparedPair, prepare_meshes

if TYPE_CHECKING:
    from alegear.progress import Progress
    from alegear.recording.checkpoint import Checkpoint
    from alegear.results.result import Report
    from alegear.storage.netcdf import Contents


class CaseStudy(Protocol):
    """What a run asks of any study."""

    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for."""

    def __len__(self) -> int:
        """Return the number of samples, or of modes."""


Study = TypeVar("Study", bound=CaseStudy)


class CaseRun(ABC, Generic[Study]):
    """One run of a case: everything is computed and written, or after a failure what there is.

    Parameters
    ----------
    case : MachineCase
    directory : Path or None
        Folder of the results; None: nothing is written.
    progress : Progress
    report : callable of (Result, Path), optional
        Called once the numbers are stored.
    checkpoint : Checkpoint, optional
        Of a motion, to go on from.
    """

    def __init__(
        self,
        case: MachineCase,
        directory: Path | None,
        progress: Progress,
        report: Report | None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.case = case
        self.directory, self.progress, self.report, self.checkpoint = directory, progress, report, checkpoint
        self.sha256 = case.sha256  # of the files it names as they are now, not when the result is written
        self.started = time.perf_counter()
        self.seconds: dict[str, float] = {}
        self.prepared: dict[str, PreparedPair] = {}
        self.stiffness: dict[str, float] = {}  # mean of flexible meshes that was stored last [N/m]
        self.meshes: dict[str, Result] = {}  # of what is kept in memory
        self._study: Study | None = None

    def compute(self, planned: Callable[[], None]) -> Result:
        """Do everything; what is in the directory afterwards is complete.

        `planned` is that of :func:`alegear.studies.preparation.prepare`.
        """
        written = 0.0 if self.checkpoint is None else self.checkpoint.written  # by earlier runs, this one goes on
        check_disk(machine_chunk_bytes(self.case), self.directory, written=written)
        self.prepared = prepare_meshes(
            self.case, self.progress, planned, fields=self.wants_fields, out=self.directory, written=written
        )
        if self.case.meshes:
            self.seconds["mesh"] = sum(one.seconds["mesh"] for one in self.prepared.values())
            self.seconds["reduce"] = time.perf_counter() - self.started - self.seconds["mesh"]
        begun = time.perf_counter()
        self.progress.stage("solve")
        with threadpool_limits(limits=1, user_api="blas"):
            self._solve()
        self.seconds["solve"] = time.perf_counter() - begun
        writing = time.perf_counter()
        result = self._write()
        now = time.perf_counter()
        self.seconds |= {"write": now - writing, "total": now - self.started}
        result = result.with_summary(result.summary | {"seconds": dict(self.seconds)})
        if self.directory is not None:
            write_summary(self.directory, result.summary)
        return result

    def keep(self) -> bool:
        """After a failure: write what has been computed, marked incomplete; whether there is any."""
        if self._study is None or not len(self._study):
            return False
        self._store(complete=False)
        return True

    @property
    def study(self) -> Study:
        """What was begun."""
        assert self._study is not None
        return self._study

    @abstractmethod
    def _solve(self) -> None:
        """Make the study and run it."""

    @abstractmethod
    def _store(self, *, complete: bool) -> Result:
        """Write the numbers, or where nothing is to be written make the dataset."""

    # ------------------------------------------------------------------ output
    @property
    def wants_fields(self) -> bool:
        """Whether stress fields are written."""
        return False

    def _write(self) -> Result:
        """Write everything."""
        self.progress.stage("write")
        return self._store(complete=True)

    def _keep(
        self,
        folder: Path | None,
        summary: dict[str, Any],
        contents: Callable[[], Contents],
        write: Callable[[Path], object] | None = None,
        *,
        complete: bool = True,
    ) -> Result:
        """Write a result and draw it, or where nothing is to be written make its dataset.

        Parameters
        ----------
        folder : Path or None
        summary : dict
        contents : callable
            Makes those of the file in memory.
        write : callable, optional
            Writes the file to a folder, chunk by chunk; default: what `contents` makes.
        complete : bool
        """
        if folder is None:
            return Result(dataset=contents().dataset(), summary=summary, meshes=dict(self.meshes))
        folder.mkdir(parents=True, exist_ok=True)
        if write is None:
            write_files(folder, contents(), summary)
        else:
            write(folder)
            write_summary(folder, summary)
        result = Result(summary=summary, directory=folder)
        if self.report is not None and complete:
            self.report(result, folder)
        return result

    def _identity(self, complete: bool, title: str | None = None) -> Identity:
        """What the attributes of the result say of it."""
        return Identity(title=self.case.title if title is None else title, case_sha256=self.sha256, complete=complete)

    def _facts(self, complete: bool) -> dict[str, Any]:
        """What a summary says beside the results."""
        facts = {
            "warnings": self._warnings(),
            "seconds": dict(self.seconds),
            "case_sha256": self.sha256,
            "complete": complete,
        }
        if self.case.meshes:
            facts["memory_estimate_MB"] = 1e-6 * max((one.memory for one in self.prepared.values()), default=0.0)
        return facts

    def _warnings(self) -> list[str]:
        sectors = {name: one.sectors for name, one in self.prepared.items()}
        return [*machine_warnings(self.case, sectors, self.stiffness), *self.study.all_warnings()]
