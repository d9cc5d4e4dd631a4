"""Results read back from their folders."""

from __future__ import annotations

from pathlib import Path

from alegear.limits import path_of
from alegear.results.result import Result, stored
from alegear.results.study_result import StudyResult
from alegear.storage.store import read_summary


def load(directory: str | Path) -> Result:
    """Read a result back that a study or :meth:`Result.save` has stored, an incomplete one too.

    The values of the dataset are read on access.

    Parameters
    ----------
    directory : path
        With ``result.nc``, of a study over named axes ``study.nc``, and ``summary.json``.

    Returns
    -------
    Result
        Of a study over named axes a :class:`alegear.StudyResult`.

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
    directory = path_of(directory, "result folder")
    return stored(directory, StudyResult if read_summary(directory).get("analysis") == "study" else Result)
