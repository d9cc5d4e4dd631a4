"""A mode of a planetary set as it vibrates: sun, ring and planets as wheels, the carrier by the arms to its pins.

The scene is that of a machine in space (:mod:`alegear.scene.mechanism`), its samples are instants of one period.
"""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.results.mechanism import GROUND
from alegear.scene.mechanism import MechanismScene, animate, show_scene
from alegear.storage import store

if TYPE_CHECKING:
    import xarray as xr


#: Largest displacement of a point that is drawn, over the radius of the pins.
LARGEST = 0.2
#: Instants of a period.
INSTANTS = 24


def fits(directory: Path) -> bool:
    """Whether a result folder holds modes of planetary sets."""
    if not (directory / store.RESULT).exists():
        return False
    dimensions, _ = store.names_in(directory)
    return {"mode", "planetary_set"} <= dimensions


def show(
    directory: str | Path,
    *,
    screenshot: str | Path | None = None,
    mode: int = 1,
    planetary_set: str | None = None,
) -> None:
    """Show a mode of the planetary sets of a machine: a window in which it moves, or a picture.

    Parameters
    ----------
    directory : path
        Result folder of a modal study of a machine.
    screenshot : path, optional
        Write a PNG where the displacement is largest and open no window.
    mode : int
        Its number, from 1.
    planetary_set : str, optional
        Default: all of them.

    Raises
    ------
    Fault
    """
    scene = scene_of_mode(store.open_dataset(Path(directory)), mode=mode, planetary_set=planetary_set)
    show_scene(scene, screenshot=screenshot, position=INSTANTS // 4, what=f"1/{INSTANTS} of the period")


def write_animation(
    directory: str | Path, path: str | Path, *, mode: int = 1, planetary_set: str | None = None, fps: int = 12
) -> None:
    """Write one period of a mode of planetary sets as an animated GIF; parameters as of :func:`show`.

    Raises
    ------
    Fault
    """
    scene = scene_of_mode(store.open_dataset(Path(directory)), mode=mode, planetary_set=planetary_set)
    animate(scene, Path(path), frames=INSTANTS, fps=fps)


def scene_of_mode(dataset: xr.Dataset, *, mode: int, planetary_set: str | None = None) -> MechanismScene:
    """Members of sets at instants of one period of a mode, magnified.

    Parameters
    ----------
    dataset : xarray.Dataset
        Of a modal study of a machine with planetary sets.
    mode : int
        Its number, from 1.
    planetary_set : str, optional
        Default: all of them.

    Raises
    ------
    Fault
        If there is no such mode or set.
    """
    if "planetary_set" not in dataset.dims:
        raise Fault(
            "planetary sets of the result", 0, "at least 1 with elastic or Hertz teeth", "choose another result"
        )
    sets = [str(one) for one in dataset["planetary_set"].to_numpy()]
    if planetary_set is not None and planetary_set not in sets:
        raise Fault("planetary_set", planetary_set, f"one of {', '.join(sets)}", "name one of them")
    n = len(dataset["mode"])
    if not 1 <= mode <= n:
        raise Fault("mode", mode, f"between 1 and {n}", "choose one of the modes computed")
    shown = sets if planetary_set is None else [planetary_set]
    own = [str(one) for one in dataset["member"].to_numpy() if _set_of(str(one), sets) in shown]
    members = dataset.sel(member=own).sel(mode=mode)
    axis, rest = members["member_axis"].to_numpy(), members["member_position"].to_numpy()
    moved = members["member_displacement"].to_numpy()
    turned = members["member_rotation"].to_numpy()[:, None] * axis + members["member_tilt"].to_numpy()
    radius = members["member_radius"].to_numpy()
    rims = np.linalg.norm(moved, axis=1) + radius * np.linalg.norm(turned, axis=1)
    arms = [float(radius[own.index(f"{one} carrier")]) for one in shown if f"{one} carrier" in own]
    size = LARGEST * (min(arms, default=0.0) or float(radius.max())) / (float(rims.max()) or 1.0)
    beat = size * np.sin(2.0 * pi * np.arange(INSTANTS) / INSTANTS)
    kinds = dataset["kind"].sel(mode=mode, planetary_set=shown).to_numpy().astype(str).tolist()
    named = (f"{one}: {kind}" for one, kind in zip(shown, kinds, strict=True))
    words = kinds[0] if len(sets) == 1 else ", ".join(named)
    title = f"{dataset.attrs.get('title', '')}\nmode {mode}, {float(members['frequency']):.1f} Hz, {words}"
    return MechanismScene(
        shape=_shape(shown, own, rest, axis, radius, members["member_teeth"].to_numpy()),
        names=own,
        position=rest + beat[:, None, None] * moved,
        rotation_vector=beat[:, None, None] * turned,
        title=title,
    )


def _set_of(member: str, sets: list[str]) -> str:
    """Name of the set of a member: of names that begin alike the longest."""
    return max((one for one in sets if member.startswith(f"{one} ")), key=len)


def _shape(
    sets: list[str], own: list[str], rest: Array, axis: Array, radius: Array, teeth: Indices
) -> dict[str, object]:
    """Wheels and arms as :func:`alegear.results.mechanism.mechanism_shape` has them."""
    wheels = {
        one: {
            "body": one,
            "centre": [0.0, 0.0, 0.0],
            "axis": axis[i].tolist(),
            "pitch_radius": float(radius[i]),
            "cone_angle": 0.0,
            "helix_angle": 0.0,
            "teeth": abs(int(teeth[i])),
            "internal": bool(teeth[i] < 0),
        }
        for i, one in enumerate(own)
        if teeth[i]
    }
    bodies: dict[str, list[list[float]]] = {one: [] for one in (*own, GROUND)}
    for name in sets:
        carrier = f"{name} carrier"
        if carrier in own:
            centre = rest[own.index(carrier)]
            planets = [i for i, one in enumerate(own) if one.startswith(f"{name} planet")]
            bodies[carrier] = [(rest[i] - centre).tolist() for i in planets]
    return {"bodies": bodies, "wheels": wheels, "racks": {}, "joints": {}, "point_springs": {}}
