"""Files of single pictures: they appear whole or not at all."""

from __future__ import annotations

import contextlib
import io
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.storage.whole_file import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis, Tick
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


def lay_out(figure: Figure, *, for_good: bool = True) -> None:
    """Give all parts of a figure their places, once and for all unless it is laid out again before it is drawn.

    Matplotlib lays out twice, in case ticks change when panels shrink, and measures all that is written around each
    panel for it, which takes half of the time of a drawing. Here it is measured again only where ticks have changed:
    what a panel has around it stays as wide when the panel moves, and the labels of its axes keep their distance from
    it, which else are looked for anew beside all ticks. Spines are not measured, for the names of their ticks reach
    further, and know no axis, whose ticks they would place anew each time that a label looks for its place.
    """
    layout = figure.get_layout_engine()
    if layout is None:
        return
    panels = [_Panel(axes) for axes in figure.axes]
    layout.execute(figure)
    for panel in panels:
        del panel.axes.get_tightbbox  # that of its class again
        if for_good:
            panel.keep_labels()
    if for_good:
        figure.set_layout_engine("none")


class _Panel:
    """A panel in a layout, which measures what is around it again only where its ticks have changed."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.measure = axes.get_tightbbox
        self.around: Array | None = None
        self.ticks: list[list[float]] = []
        self.distances: list[float] = []  # of the labels of both axes from the panel [inch]
        axes.spines[:].set_in_layout(False)
        for spine in axes.spines.values():
            spine.register_axis(None)  # type: ignore[arg-type]
        for axis in (axes.xaxis, axes.yaxis):
            if not axis.get_label_text():
                axis.set_label_coords(0.5, 0.5)  # else it looks for a place of what is not there
        axes.get_tightbbox = self.extent  # type: ignore[method-assign]

    def extent(self, renderer: Any = None, **options: Any) -> Bbox | None:
        """Extent of the panel with what is around it."""
        from matplotlib.transforms import Bbox

        axes = self.axes
        locator: Any = axes.get_axes_locator()  # of a colour bar, which is as narrow as its aspect asks for
        axes.apply_aspect(locator(axes, renderer) if locator else None)
        ticks = [axis.get_majorticklocs().tolist() for axis in (axes.xaxis, axes.yaxis)]
        if self.around is None or ticks != self.ticks:
            with _ticks_found_once(axes):
                whole = self.measure(renderer, **options)
            if whole is None:
                return None
            self.ticks, self.around = ticks, np.asarray(whole.extents) - np.asarray(axes.bbox.extents)
            self.distances = [self._distance(axes.xaxis, 1), self._distance(axes.yaxis, 0)]
        return Bbox.from_extents(*(np.asarray(axes.bbox.extents) + self.around))

    def _distance(self, axis: Axis, across: int) -> float:
        figure = self.axes.get_figure(root=True)
        assert figure is not None
        edge = self.axes.bbox.get_points()[int(_is_far(axis)), across]
        return (axis.label.get_position()[across] - float(edge)) / figure.dpi

    def keep_labels(self) -> None:
        """Keep the labels of both axes where they were measured beside the panel."""
        from matplotlib.transforms import ScaledTranslation

        axes = self.axes
        figure = axes.get_figure(root=True)
        assert figure is not None
        for axis, across, distance in zip((axes.xaxis, axes.yaxis), (1, 0), self.distances, strict=False):
            if axis.get_label_text():
                place, moved = list(axis.label.get_position()), [0.0, 0.0]
                place[across], moved[across] = float(_is_far(axis)), distance
                beside = ScaledTranslation(moved[0], moved[1], figure.dpi_scale_trans)
                axis.set_label_coords(place[0], place[1], axes.transAxes + beside)


@contextlib.contextmanager
def _ticks_found_once(axes: Axes) -> Iterator[None]:
    """Find the ticks of both axes and how far their names reach once: a label that looks for its place asks again."""
    both: tuple[Any, ...] = axes.xaxis, axes.yaxis
    for axis in both:
        axis._update_ticks = cache(axis._update_ticks)
        axis._get_ticklabel_bboxes = _once(axis._get_ticklabel_bboxes)
    try:
        yield
    finally:
        for axis in both:
            del axis._update_ticks, axis._get_ticklabel_bboxes  # those of their class again


def _once(measure: Callable[[Sequence[Tick], Any], Any]) -> Callable[[Sequence[Tick], Any], Any]:
    """A measurement of ticks that is done once."""
    found: list[Any] = []

    def of_ticks(ticks: Sequence[Tick], renderer: Any) -> Any:
        if not found:
            found.append(measure(ticks, renderer))
        return found[0]

    return of_ticks


def _is_far(axis: Axis) -> bool:
    """Whether the label of an axis stands on the far side of its panel."""
    return axis.get_label_position() in ("top", "right")


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
