"""What is drawn of a result besides its numbers."""

from __future__ import annotations

from pathlib import Path

from alegear.results.result import Result
from alegear.view.plots import write_plots


def write_report(result: Result, directory: str | Path) -> list[Path]:
    """Draw the plots of a result into an existing folder; return the files.

    Raises
    ------
    alegear.results.store.StorageFailure
        If a file cannot be written.
    alegear.view.plots.PlotFailure
        If plots cannot be drawn; the others are written.
    """
    return write_plots(result.dataset, directory)
