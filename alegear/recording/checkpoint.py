"""Checkpoints of a dynamic run: what a killed run goes on from with the same result.

They hold all that the next step depends on, and how many chunks of samples count that were written on the way; not
the reduced wheels: a run that goes on takes these from the store of reductions, or reduces again. What cannot serve is
refused: the checkpoint of another case or of other program text, and one that is damaged.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alegear._version import __version__
from alegear.case.digest import case_identity
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.motion_in_time import RotationalMotion, SpatialMotion
from alegear.contact.forces import Arrays
from alegear.errors import Fault
from alegear.storage.checkpoint_folder import STATE, CheckpointFolder, CheckpointInUse
from alegear.storage.chunk_files import ChunkFiles
from alegear.storage.store import holds_complete_result
from alegear.storage.whole_file import DamagedFile, StorageFailure

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase

logger = logging.getLogger(__name__)

_PACKAGE = Path(__file__).resolve().parents[1]
_ANEW = "leave out --resume (resume=True) to begin anew"


@dataclass(frozen=True, kw_only=True, eq=False)
class Left:
    """What a run has left: the time that it had reached [s], warnings, memory, and chunks of its samples."""

    t: float
    warnings: list[str]
    memory: Arrays
    chunks: ChunkFiles


class Checkpoint:
    """Checkpoint of one run (a context manager, which keeps other runs from writing to the same).

    Parameters
    ----------
    folder : Path
        Made with the first checkpoint.
    case : Case or MachineCase
        Of a dynamic study.
    resume : bool
        Whether to go on from the checkpoint that is there.

    Raises
    ------
    Fault
        If another run writes there; with `resume`, if there is no checkpoint or it cannot serve.
    """

    def __init__(self, folder: Path, case: Case | MachineCase, *, resume: bool) -> None:
        if not isinstance(case.analysis, DynamicAnalysis | SpatialMotion):
            if resume and isinstance(case.analysis, RotationalMotion):
                limit = "a run with checkpoints: that of a torsional machine takes seconds and leaves none"
                raise Fault("--resume", case.title, limit, _ANEW)
            if resume:
                kind = f'"{case.analysis.kind}"'
                raise Fault("analysis.kind", kind, '"dynamic" to be resumed', "leave out --resume (resume=True)")
            self._every: float | None = None
        else:
            self._every = case.output.checkpoint_every
        self._folder = CheckpointFolder(folder)
        self._case, self._of_case = case, case_identity(case)
        self._identity: dict[str, Any] = {
            "version": __version__,
            "program": program_digest(),
            "case": self._of_case.parts,
        }
        self._refuse_indeterminate(resume)
        self._last, self._failed = time.monotonic(), False
        #: What the run goes on from; None for a run from the beginning.
        self.left = self._read() if resume else None
        if not resume and self._every is not None:
            self._warn_of_an_older_one()
        if (folder / STATE).exists():
            self._hold()

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.close()

    # ------------------------------------------------------------------ resume
    @property
    def reached(self) -> float | None:
        """Time [s] from which the run goes on; None for a run from the beginning."""
        return None if self.left is None else self.left.t

    @property
    def written(self) -> float:
        """Size of the samples that the run goes on with [bytes]."""
        return 0.0 if self.left is None else float(self.left.chunks.size)

    def chunks(self) -> ChunkFiles | None:
        """Return the files for the samples: those that are left, or new ones; None where none can be written."""
        if self.left is not None:
            return self.left.chunks
        try:
            return self._folder.begin()
        except (StorageFailure, CheckpointInUse) as failure:
            logger.warning("no checkpoints: %s; the run goes on, with its samples in memory", failure)
            self._every = None
            return None

    def _read(self) -> Left:
        folder = self._folder.path
        try:
            meta = self._folder.meta()
            if meta is None:
                if holds_complete_result(folder.parent):
                    raise Fault(
                        "--resume", folder.parent, "the folder of an unfinished run (this one is complete)", _ANEW
                    )
                raise Fault("--resume", folder.parent, "a folder with a checkpoint (there is none)", _ANEW)
            self._refuse_another(meta)
            self._hold()
            meta, memory, chunks = self._folder.read()
        except DamagedFile as damage:
            self._folder.close()
            raise Fault("checkpoint", damage.path, f"sound ({damage.reason})", _ANEW) from damage
        return Left(t=meta["t"], warnings=meta["warnings"], memory=memory, chunks=chunks)

    def _refuse_indeterminate(self, resume: bool) -> None:
        """Refuse to go on with functions that may not be the same; warn before the run."""
        indeterminate = self._of_case.indeterminate
        if not indeterminate:
            return
        if resume:
            limit = "of functions that return the same every time (random generators, clocks, open files do not)"
            raise Fault("--resume", indeterminate[0], limit, f"draw such values into an array beforehand, or {_ANEW}")
        if self._every is not None:
            text = (
                "no checkpoints: %s, so that this run could not be resumed; draw such values into an array beforehand"
            )
            logger.warning(text, indeterminate[0])
            self._every = None

    def _refuse_another(self, meta: Mapping[str, Any]) -> None:
        folder = self._folder.path
        if meta["version"] != __version__ or meta["program"] != self._identity["program"]:
            same = " with other program text" if meta["version"] == __version__ else ""
            raise Fault(
                "checkpoint",
                folder,
                f"of this version, alegear {__version__} (it is of alegear {meta['version']}{same})",
                f"go on with that version, or {_ANEW}",
            )
        now = self._identity["case"]
        differ = sorted(name for name in {*now, *meta["case"]} if now.get(name) != meta["case"].get(name))
        if differ:
            raise Fault(
                "checkpoint",
                folder,
                f"of this case (changed since: {', '.join(differ)})",
                f"restore the case file, or {_ANEW}",
            )

    def _warn_of_an_older_one(self) -> None:
        try:
            meta = self._folder.meta()
        except DamagedFile:
            return
        if meta is not None and all(meta[key] == value for key, value in self._identity.items()):
            logger.warning(
                "%s holds a checkpoint of this case at t = %.6g s, from which --resume goes on; this run begins anew "
                "and replaces it in %g s",
                self._folder.path,
                meta["t"],
                self._every,
            )

    def _hold(self) -> None:
        folder = self._folder.path
        try:
            self._folder.hold()
        except CheckpointInUse as used:
            limit = "of a run that has ended (another one writes there)"
            remedy = "wait for its end, or stop it; a run from the beginning may take another --out"
            raise Fault("checkpoint", folder, limit, remedy) from used
        except OSError as error:
            raise Fault(
                "checkpoint", folder, f"in a folder that can be written ({error.strerror})", "choose another --out"
            ) from error

    # -------------------------------------------------------------------- save
    @property
    def is_due(self) -> bool:
        """Whether so much time has gone by since the last one that the next is to be saved."""
        return self._every is not None and time.monotonic() - self._last >= self._every

    def save(self, t: float, memory: Arrays, warnings: list[str]) -> None:
        """Save a run that has come to the time t [s]; if that fails it says so once, and the run goes on."""
        if self._of_case.has_functions and case_identity(self._case) != self._of_case:
            text = "no more checkpoints: a function keeps values from call to call, which a resumed run would not have"
            logger.warning("%s; the run goes on", text)
            self._every = None
            return
        try:
            self._folder.save({**self._identity, "t": t, "warnings": warnings}, memory)
        except StorageFailure as failure:
            if not self._failed:
                logger.warning("no checkpoint at t = %.6g s: %s; the run goes on", t, failure)
            self._failed = True
        else:
            self._failed = False
        self._last = time.monotonic()

    def remove(self) -> None:
        """Remove it: the run is complete."""
        self._folder.remove()


# ---------------------------------------------------------------------- identity
@cache
def program_digest() -> str:
    """Hash the text of all that computes: other program text may give another result."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        place = path.relative_to(_PACKAGE)
        if place.parts[0] not in ("pictures", "scene", "report", "cli"):
            digest.update(str(place).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
