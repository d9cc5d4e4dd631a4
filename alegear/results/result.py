"""The result of a study: a dataset, a summary, and how they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alegear.results import store

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """What :func:`alegear.run` returns.

    Parameters
    ----------
    dataset : xarray.Dataset
        Curves and loads, SI units, as in ``result.nc``.
    summary : dict
        Numbers for scripts and reports, as in ``summary.json``.
    directory : Path or None
        Where the study has stored this result and its fields; None if it was not asked to.
    """

    dataset: xr.Dataset
    summary: dict[str, Any]
    directory: Path | None = None

    @property
    def complete(self) -> bool:
        """Whether the study came to its end."""
        return bool(self.summary["complete"])

    def save(self, directory: str | Path) -> Path:
        """Store ``result.nc`` and ``summary.json`` in `directory`, replacing an older result as a whole.

        Returns
        -------
        Path
            The folder of the result.
        """
        with store.ResultFolder(Path(directory)) as folder:
            store.write_files(folder.path, self.dataset, self.summary)
            return folder.commit(complete=self.complete)
