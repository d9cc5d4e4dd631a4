"""Files of single pictures: they appear whole or not at all."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.errors import Fault
from alegear.storage.whole_file import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox


DPI = 150
#: Of captions: letters of an inch, height of a line and margin [in].
LETTERS, LINE, MARGIN = 16.0, 0.15, 0.1


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


def png(figure: Figure, caption: str = "") -> bytes:
    """Return a figure as a PNG file with its caption below; without one it is to the pixel what ``savefig`` gives.

    ``savefig`` goes through the whole drawing twice, the first time only to lay it out; the layout alone is enough.
    """
    from PIL import Image

    figure.set_dpi(DPI)
    pixels = _pixels(figure)
    if caption:
        pixels = np.concatenate([pixels, _pixels(_words_below(float(figure.get_size_inches()[0]), caption))])
    buffer = io.BytesIO()
    # higher levels of compression take a few times as long for a tenth
    Image.fromarray(pixels).save(buffer, format="png", dpi=(DPI, DPI), compress_level=1)
    return buffer.getvalue()


def lay_out(figure: Figure) -> None:
    """Give all parts of a figure their places, once and for all.

    Matplotlib lays out twice, in case ticks change when panels shrink, and measures all that is written around each
    panel for it, which takes half of the time of a drawing. Here it is measured once: what a panel has around it stays
    as wide when the panel moves, and the labels of its axes keep their distance from it, which else are looked for anew
    beside all ticks. Spines are not measured, for the names of their ticks reach further, and know no axis, whose ticks
    they would place anew each time that a label looks for its place.
    """
    layout = figure.get_layout_engine()
    if layout is None:
        return
    measured = figure.axes
    for axes in measured:
        axes.spines[:].set_in_layout(False)
        for spine in axes.spines.values():
            spine.register_axis(None)  # type: ignore[arg-type]
        for axis in (axes.xaxis, axes.yaxis):
            if not axis.get_label_text():
                axis.set_label_coords(0.5, 0.5)  # else it looks for a place of what is not there
        axes.get_tightbbox = _measured_once(axes)  # type: ignore[method-assign]
    layout.execute(figure)
    figure.set_layout_engine("none")
    for axes in measured:
        del axes.get_tightbbox  # that of its class again


def _measured_once(axes: Axes) -> Callable[..., Bbox | None]:
    """Return the extent of a panel with what is around it, which is as wide at every call as at the first one."""
    from matplotlib.transforms import Bbox

    measure = axes.get_tightbbox
    around: NDArray[np.float64] | None = None

    def extent(renderer: Any = None, **options: Any) -> Bbox | None:
        nonlocal around
        if around is None:
            whole = measure(renderer, **options)
            if whole is None:
                return None
            around = np.asarray(whole.extents) - np.asarray(axes.bbox.extents)
            _keep_labels(axes)
        locator: Any = axes.get_axes_locator()  # of a colour bar, which is as narrow as its aspect asks for
        axes.apply_aspect(locator(axes, renderer) if locator else None)
        return Bbox.from_extents(*(np.asarray(axes.bbox.extents) + around))

    return extent


def _keep_labels(axes: Axes) -> None:
    """Keep the labels of both axes where they are beside their panel, however it moves."""
    from matplotlib.transforms import ScaledTranslation

    figure, panel = axes.get_figure(root=True), axes.bbox
    assert figure is not None
    for axis, across, low, high in ((axes.xaxis, 1, panel.y0, panel.y1), (axes.yaxis, 0, panel.x0, panel.x1)):
        if not axis.get_label_text():
            continue
        place = list(axis.label.get_position())  # across the axis in dots of the figure
        side = axis.get_label_position() in ("top", "right")
        distance = [0.0, 0.0]
        distance[across] = (place[across] - (high if side else low)) / figure.dpi
        place[across] = float(side)
        moved = axes.transAxes + ScaledTranslation(distance[0], distance[1], figure.dpi_scale_trans)
        axis.set_label_coords(place[0], place[1], transform=moved)


def _pixels(figure: Figure) -> NDArray[np.uint8]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)  # which keeps the extents of texts from the layout for the drawing
    lay_out(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def _words_below(width: float, words: str) -> Figure:
    """A caption in lines, as wide as its figure [in]."""
    from matplotlib.figure import Figure

    lines = [line for part in words.split("\n") for line in textwrap.wrap(part, int(LETTERS * width))]
    height = LINE * len(lines) + LINE
    figure = Figure(figsize=(width, height), dpi=DPI)
    text = figure.text(MARGIN / width, 1.0 - 0.3 * LINE / height, "\n".join(lines), va="top", fontsize=8, color="0.25")
    text.set_parse_math(False)
    return figure


def write_figure(path: Path, figure: Figure, dpi: float) -> None:
    """Write a figure as a PNG.

    Raises
    ------
    StorageFailure
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=dpi, format="png")
    write_whole(path, buffer.getvalue())
