"""The result of a study: a dataset, a summary, and how they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alegear.errors import Fault
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


def load(directory: str | Path) -> Result:
    """Read a result back that a study or :meth:`Result.save` has stored, an incomplete one too.

    Parameters
    ----------
    directory : path
        With ``result.nc`` and ``summary.json``.

    Raises
    ------
    Fault
        If one of the two is missing, cannot be read, or is of another run than the other.

    Examples
    --------
    >>> import alegear as ag
    >>> result = ag.load("results")  # doctest: +SKIP
    >>> result.summary["te_mean_um"], result.complete  # doctest: +SKIP
    """
    directory = Path(directory)
    summary, dataset = store.read_summary(directory), store.open_dataset(directory)
    if summary.get("case_sha256") != dataset.attrs.get("case_sha256"):
        limit = f"a folder whose {store.RESULT} and {store.SUMMARY} are of one run"
        raise Fault("result folder", directory, limit, "run the case again")
    return Result(dataset=dataset, summary=summary, directory=directory)
