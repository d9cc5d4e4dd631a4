"""Show a result in three dimensions: the view that fits is found through what the result folder holds.

A view is a module of this folder with ``fits(directory)`` and ``show(directory, screenshot=...)``; what else it can be
asked for are further keywords of ``show``. One that moves has ``write_animation(directory, path)`` with the same
keywords.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from alegear.errors import Fault
from alegear.results.load import load
from alegear.results.machine_shape import SHAPE
from alegear.storage.store import FIELDS, SUMMARY, read_summary
from alegear.storage.stored_files import MESHES

#: Views, those that show more of a result before the others.
VIEWS = ("machine_scene", "mechanism", "planet_modes", "gear_motion", "scene")
#: Those of them that have no animation.
STILL = ("machine_scene", "scene")


def show_result(
    directory: Path, *, screenshot: Path | None = None, animation: Path | None = None, **wanted: float | None
) -> None:
    """Show a result: in a window, or as a picture or an animation in its place.

    Parameters
    ----------
    directory : Path
        Result folder.
    screenshot : Path, optional
        Write a PNG there.
    animation : Path, optional
        Write a GIF there.
    **wanted : float or None
        What to show of it: `position` of fields and motions, `mode` of modes, `zoom` of
        stress fields of a pair.

    Raises
    ------
    Fault
        If there is nothing to show, or the view that fits does not know what is wanted.
    """
    view = view_of(directory)
    given = {name: value for name, value in wanted.items() if value is not None}
    if screenshot is not None or animation is None:
        _call(view.show, directory, given, screenshot=screenshot)
    if animation is not None:
        if view.__name__.rpartition(".")[2] in STILL:
            limit = "left out: of stress fields there are pictures, one a position"
            raise Fault("animation", animation, limit, "give --screenshot, or set fields = false in [output] and run")
        _call(view.write_animation, directory, given, path=animation)


def view_of(directory: Path) -> ModuleType:
    """Return the view that fits a result folder.

    Raises
    ------
    Fault
        If none does, with what is missing.
    """
    if not directory.is_dir():
        raise Fault("result folder", directory, "a folder that alegear run has written", "check the path")
    for name in VIEWS:
        view = import_module(f"alegear.scene.{name}")
        if view.fits(directory):
            return view
    summary = read_summary(directory) if (directory / SUMMARY).exists() else {}
    if summary.get("analysis") == "sweep":
        limit = "the folder of a static study or a motion at one speed: a sweep keeps no fields"
        remedy = f"look at {_pictures(directory)}; for fields run a resonance that they show as a motion of its own"
        raise Fault("stress fields", directory, limit, remedy)
    if summary.get("rotational"):
        limit = "the folder of a run with gears in contact: torsional parts have no stress"
        raise Fault("stress fields", directory, limit, f"look at {_pictures(directory)}")
    if (directory / MESHES).is_dir():
        limit = f"{SHAPE} and {MESHES}/NAME/{FIELDS}, which static and dynamic studies of machines have"
        raise Fault("fields of the machine", directory, limit, "run one of them, with fields = true in [output]")
    limit = f"{FIELDS}, {SHAPE} or modes of planetary sets in it"
    raise Fault("what there is to show", directory, limit, "run the case with fields = true in [output]")


def _pictures(directory: Path) -> str:
    """Name the pictures of a result, which its folder or its report has."""
    try:
        names = dir(load(directory).plot)
    except Fault:  # of curves that cannot be read
        names = []
    return ", ".join(f"{name}.png" for name in names) or "its summary"


def _call(do: Callable[..., None], directory: Path, given: dict[str, float], **where: Any) -> None:
    """Call what a view does with what is wanted of it.

    Raises
    ------
    Fault
    """
    known = inspect.signature(do).parameters
    for name, value in given.items():
        if name not in known:
            limit = "left out: this result has none to choose from"
            raise Fault(f"--{name}", value, limit, "leave it out")
    do(directory, **where, **given)
