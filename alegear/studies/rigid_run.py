"""One run of a case of a machine of rigid parts: nothing to mesh and to reduce; solve, then write."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from alegear.progress import Progress
from alegear.results.result import Result
from alegear.storage.store import write_files
from alegear.studies.case_run import CaseRun

if TYPE_CHECKING:
    import xarray as xr


class RigidStudy(Protocol):
    """What such a run asks of its study."""

    def run(self, progress: Progress) -> None:
        """Compute; what was recorded before a failure stays."""

    def __len__(self) -> int:
        """Return the number of samples taken."""


Study = TypeVar("Study", bound=RigidStudy)


class RigidRun(CaseRun, Generic[Study]):
    """Solve, then write; what a kind of machine has besides is in its own class."""

    study: Study | None = None
    solved = 0.0  # time until then [s]

    @abstractmethod
    def _begun(self) -> Study:
        """Make the study."""

    @abstractmethod
    def _stored(self, study: Study, facts: dict[str, Any]) -> tuple[xr.Dataset, dict[str, Any]]:
        """Dataset and summary of what was recorded; `facts` are those of the run."""

    @abstractmethod
    def _write_beside(self, directory: Path, dataset: xr.Dataset) -> None:
        """Write what goes beside them."""

    def _solve(self, study: Study) -> None:
        """Run the study."""
        study.run(self.progress)

    def _warnings(self, study: Study) -> list[str]:
        """What a user should know and can act on."""
        return []

    def compute(self, planned: Callable[[], None]) -> Result:
        """Do everything; what is in the directory afterwards is complete."""
        planned()
        self.progress.stage("solve")
        self.study = self._begun()
        self._solve(self.study)
        self.solved = time.perf_counter() - self.started
        self.progress.stage("write")
        return self._store(self.study, complete=True)

    def keep(self) -> bool:
        """After a failure: write what has been computed, marked incomplete; whether there is any."""
        if self.study is None or not len(self.study):
            return False
        self._store(self.study, complete=False)
        return True

    def _store(self, study: Study, *, complete: bool) -> Result:
        facts = {
            "warnings": self._warnings(study),
            "seconds": {"solve": self.solved, "total": time.perf_counter() - self.started},
            "case_sha256": self.sha256,
            "complete": complete,
        }
        dataset, summary = self._stored(study, facts)
        result = Result(dataset=dataset, summary=summary, directory=self.directory)
        if self.directory is not None:
            self.directory.mkdir(parents=True, exist_ok=True)
            write_files(self.directory, dataset, summary)
            self._write_beside(self.directory, dataset)
            if self.report is not None and complete:
                self.report(result, self.directory)
        return result
