"""Pictures of a result as PNG files.

Only Matplotlib's object interface is used: no global state, no display, safe beside a program's own figures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alegear.errors import AnalysisFailure
from alegear.pictures.of_results import pictures
from alegear.pictures.picture import labelled
from alegear.pictures.picture_file import png
from alegear.results.result import Result
from alegear.storage.whole_file import write_whole


class PlotFailure(AnalysisFailure):
    """Pictures that could not be drawn; the numbers they show are not touched by that (exit code 1).

    Parameters
    ----------
    reasons : dict
        Name of a picture -> what was met.
    """

    def __init__(self, reasons: dict[str, str]) -> None:
        listed = ", ".join(f"{name} ({reason})" for name, reason in reasons.items())
        super().__init__(f"warning: not drawn: {listed}; the numbers of the result are complete")
        self.reasons = reasons

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reasons,)


def load_libraries() -> None:
    """Import what drawing needs, which takes half a second, ahead of the need; for a process that only draws.

    A seventh of it is the lists of properties in the documentation of Matplotlib's classes, which are left empty.
    """
    from matplotlib import artist

    lists, artist.kwdoc = artist.kwdoc, lambda artist: ""
    try:
        import matplotlib.backends.backend_agg
        import matplotlib.figure  # noqa: F401
    finally:
        artist.kwdoc = lists
    pictures()


def write_pictures(result: Result, directory: str | Path | None = None, some: slice = slice(None)) -> list[Path]:
    """Draw every picture that a result has as a PNG, with its caption below; each file appears whole or not at all.

    Parameters
    ----------
    result : Result
    directory : path, optional
        An existing folder. Default: that of the result.
    some : slice
        Of all pictures. Default: each.

    Returns
    -------
    list of Path
        ``NAME.png`` of each picture of :mod:`alegear.pictures.of_results` that holds.

    Raises
    ------
    alegear.storage.whole_file.StorageFailure
        If a file cannot be written.
    PlotFailure
        If pictures cannot be drawn; the others are written.
    """
    shown = labelled(result)
    folder = Path(directory if directory is not None else result.directory or "")
    files = []
    failed: dict[str, str] = {}
    for one in pictures()[some]:
        try:
            drawn = png(one.draw(shown), one.caption(shown)) if one.holds(shown) else None
        except Exception as error:  # a picture is not worth a result, whatever goes wrong in it
            failed[f"{one.name}.png"] = reason_of(error)
            continue
        if drawn is not None:
            write_whole(folder / f"{one.name}.png", drawn)
            files.append(folder / f"{one.name}.png")
    if failed:
        raise PlotFailure(failed)
    return files


def reason_of(error: Exception) -> str:
    """Write what a picture failed of in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
