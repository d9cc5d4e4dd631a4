"""Windows in which scenes are shown, and what stands in for one where there is no display."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from typing import Any

from alegear.errors import Fault

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


def add_slider(plotter: Any, change: Callable[[int], None], *, last: int, first: int, what: str) -> Any:
    """Add a slider over pictures 0 to `last`; `change` draws one of them, `first` is there already.

    Returns
    -------
    pyvista slider
    """
    return plotter.add_slider_widget(
        lambda value: change(round(value)),
        (0, last),
        value=first,
        title=what,
        color="black",
        fmt="%.0f",
        pointa=(0.05, 0.08),
        pointb=(0.5, 0.08),
    )


def add_player(plotter: Any, change: Callable[[int], None], *, last: int, first: int, what: str) -> None:
    """Add such a slider, and the space bar to show all pictures one after the other."""
    slider = add_slider(plotter, change, last=last, first=first, what=f"{what} (space: play)")

    def play() -> None:
        for k in range(last + 1):
            slider.GetRepresentation().SetValue(k)
            change(k)
            plotter.update()

    plotter.add_key_event("space", play)
