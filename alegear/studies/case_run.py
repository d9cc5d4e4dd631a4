"""What the runs of all kinds of cases have in common."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alegear.case.case import Case
from alegear.case.machine import MachineCase
from alegear.contact.law import PenaltyLaw
from alegear.contact.numbering import GEARS
from alegear.contact.penalty.contact import PenaltyContact
from alegear.results.summary import RunFacts

if TYPE_CHECKING:
    from alegear.progress import Progress
    from alegear.recording.checkpoint import Checkpoint
    from alegear.results.result import Report, Result
    from alegear.studies.preparation import PreparedPair


class CaseRun(ABC):
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

    @abstractmethod
    def compute(self, planned: Callable[[], None]) -> Result:
        """Do everything; what is in the directory afterwards is complete.

        `planned` is that of :func:`alegear.studies.preparation.prepare`.
        """

    def keep(self) -> bool:
        """After a failure: write what has been computed, marked incomplete; whether there is any."""
        return False

    @property
    def written(self) -> float:
        """What earlier runs have written already [bytes], which this one goes on from."""
        return 0.0 if self.checkpoint is None else self.checkpoint.written


def pair_facts(case: Case, prepared: PreparedPair, **further: Any) -> RunFacts:
    """What the summary of a pair says beside its results; `further` are other fields of :class:`RunFacts`."""
    pair = case.pair
    extra: dict[str, object] = {
        "j_wt_um": 1e6 * pair.j_wt,
        "j_bn_um": 1e6 * pair.j_bn,
        "contact_law": case.law,
        "window_pairs": prepared.contact.n_pairs,
        "memory_estimate_MB": 1e-6 * prepared.memory,
    }
    if isinstance(prepared.contact, PenaltyContact):
        extra["penalty_stiffness_N_per_mm3"] = _in_mpa_and_mm(prepared.contact.law)
    errors = {name: gear.microgeometry.resampling_error for name, gear in zip(GEARS, pair.gears, strict=True)}
    if any(errors.values()):
        extra["topography_error_um"] = {name: 1e6 * error for name, error in errors.items() if error}
    return RunFacts(
        contact_ratio_nominal=case.pair.eps_alpha_usable,
        contact_ratio_tip_circles=case.pair.eps_alpha,
        contact_ratio_total=case.pair.eps_alpha_usable + case.pair.eps_beta,
        dof_full=sum(w.dof_full for w in prepared.wheels),
        dof_boundary=sum(w.dof_boundary for w in prepared.wheels),
        **{**further, "extra": extra | further.get("extra", {})},
    )


def _in_mpa_and_mm(law: PenaltyLaw) -> float:
    """Penalty stiffness as the case file gives it: pressure in MPa at a penetration in mm."""
    return (law.stiffness or 0.0) * 1e-6 * 1e-3**law.exponent
