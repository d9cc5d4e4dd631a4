"""Windows in which scenes are shown, and what stands in for one where there is no display."""

from __future__ import annotations

import ctypes
import io
import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from alegear.errors import Fault
from alegear.pictures.picture_file import check_picture
from alegear.storage.whole_file import write_whole

#: Makes a plotter of PyVista, off screen or not, and what puts a sample into it.
Maker = Callable[[bool], tuple[Any, Callable[[int], None]]]

WINDOW = (1400, 1000)


def has_display() -> bool:
    """Whether there is a display to open a window on."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def prepare_off_screen() -> None:
    """Let VTK draw without a display; it would first complain about the missing one, and crash without EGL."""
    if has_display() or "VTK_DEFAULT_OPENGL_WINDOW" in os.environ:
        return
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError as error:
        raise Fault(
            "display", "none", "there, or the library libEGL.so.1 to draw without one", "install libegl1 (Debian)"
        ) from error
    os.environ["VTK_DEFAULT_OPENGL_WINDOW"] = "vtkEGLRenderWindow"


def show_samples(make: Maker, *, samples: int, first: int, what: str, screenshot: str | Path | None = None) -> None:
    """Show samples of a scene: a window with a slider over them, or a picture of one; the space bar plays all.

    Parameters
    ----------
    make : callable
        Returns a plotter, off screen or not, with the first sample in it, and what puts another one there.
    samples, first : int
        How many there are, and the number of the one that is drawn, or drawn first.
    what : str
        A sample is.
    screenshot : path, optional
        Write a PNG there and open no window.

    Raises
    ------
    Fault
        If there is no display, or the file cannot be of that name.
    StorageFailure
    """
    if screenshot is not None:
        write_picture(make, Path(screenshot))
        return
    if not has_display():
        raise Fault("display", "none", "there to open a window", "write a picture with --screenshot F.png")
    plotter, put = make(False)
    if samples > 1:
        _add_player(plotter, put, last=samples - 1, first=first, what=f"{what} (space: play)")
    plotter.show()


def write_picture(make: Maker, path: Path) -> None:
    """Write what is first in a plotter as a PNG, whole or not at all."""
    check_picture(path)
    prepare_off_screen()
    buffer = io.BytesIO()
    with closing(make(True)[0]) as plotter:
        plotter.screenshot(buffer)
    write_whole(path, buffer.getvalue())


def _add_player(plotter: Any, put: Callable[[int], None], *, last: int, first: int, what: str) -> None:
    slider = plotter.add_slider_widget(
        lambda value: put(round(value)),
        (0, last),
        value=first,
        title=what,
        color="black",
        fmt="%.0f",
        pointa=(0.05, 0.08),
        pointb=(0.5, 0.08),
    )

    def play() -> None:
        for k in range(last + 1):
            slider.GetRepresentation().SetValue(k)
            put(k)
            plotter.update()

    plotter.add_key_event("space", play)
