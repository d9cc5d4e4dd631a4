"""Files of single pictures: they appear whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alegear.errors import Fault
from alegear.results.store import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_picture(path: Path, what: str = "screenshot") -> None:
    """Refuse a place where no picture can be written, before anything is drawn; `what` is the option that names it.

    Raises
    ------
    Fault
    """
    if path.suffix.lower() != ".png":
        raise Fault(what, path, "a .png file", "change the ending of the file name")
    if not path.parent.is_dir() or path.is_dir():
        raise Fault(what, path, "a file in an existing folder", f"make the folder or choose another --{what}")


def write_figure(path: Path, figure: Figure, dpi: float) -> None:
    """Write a figure as a PNG.

    Raises
    ------
    StorageFailure
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=dpi, format="png")
    write_whole(path, buffer.getvalue())


def write_screenshot(path: Path, plotter: Any) -> None:
    """Write what a plotter of PyVista shows as a PNG.

    Raises
    ------
    StorageFailure
    """
    buffer = io.BytesIO()
    plotter.screenshot(buffer)
    write_whole(path, buffer.getvalue())
