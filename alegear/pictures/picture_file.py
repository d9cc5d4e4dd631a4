"""Files of single pictures: they appear whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alegear.errors import Fault
from alegear.whole_file import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


DPI = 150


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


def png(figure: Figure) -> bytes:
    """Return a figure as a PNG file, to the pixel what ``savefig`` gives.

    ``savefig`` goes through the whole drawing twice, the first time only to lay it out; the layout alone is enough.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(DPI)
    canvas = FigureCanvasAgg(figure)
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure)
        figure.set_layout_engine("none")
    buffer = io.BytesIO()
    canvas.print_png(buffer, pil_kwargs={"compress_level": 1})  # higher levels take a few times as long for a tenth
    return buffer.getvalue()


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
