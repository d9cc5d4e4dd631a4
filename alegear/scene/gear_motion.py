"""Positions or a motion of a machine of gears: wheels, planets about their carriers, shafts, and forces of the teeth.

The scene is that of a machine in space (:mod:`alegear.scene.mechanism`). Wheels are their pitch cylinders with a line
for each tooth, an arrow is the force of a mesh on its first gear, of planets that of a central gear on the planet. What
shafts and bearings give way is not drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.results.machine_shape import SHAPE, machine_shape, read_shape
from alegear.results.mechanism import GROUND
from alegear.scene.mechanism import MechanismScene, animate, show_scene
from alegear.storage import store

if TYPE_CHECKING:
    import xarray as xr

    from alegear.case.machine import MachineCase


#: Variables from which the places of all wheels follow.
NEEDED = ("drive_angle", "rotation_error")


def fits(directory: Path) -> bool:
    """Whether a result folder holds positions or a motion of gears."""
    if not (directory / SHAPE).exists() or not (directory / store.RESULT).exists():
        return False
    _, variables = store.names_in(directory)
    return variables.issuperset(NEEDED)


def show(directory: str | Path, *, screenshot: str | Path | None = None, position: int | None = None) -> None:
    """Show a machine of gears: a window with a slider over the samples, or a picture.

    Parameters
    ----------
    directory : path
        Result folder of a static or dynamic study of a machine.
    screenshot : path, optional
        Write a PNG of one sample there and open no window.
    position : int, optional
        Number of the sample, from 0, or from the last with -1. Default: the last.

    Raises
    ------
    Fault
        If there is nothing to draw, the sample does not exist, or there is no display to open a window on.
    """
    show_scene(scene_of(Path(directory)), screenshot=screenshot, position=-1 if position is None else position)


def write_animation(directory: str | Path, path: str | Path, *, frames: int = 60, fps: int = 20) -> None:
    """Write the samples of a result folder as an animated GIF; parameters as of :func:`write_motion`.

    Raises
    ------
    Fault
    """
    animate(scene_of(Path(directory)), Path(path), frames=frames, fps=fps)


def write_motion(case: MachineCase, dataset: xr.Dataset, path: str | Path, *, frames: int = 60, fps: int = 20) -> None:
    """Write a motion of a machine of gears as an animated GIF.

    Parameters
    ----------
    case : MachineCase
    dataset : xarray.Dataset
        Of its motion, or a stretch of it.
    path : path
        Ends in ``.gif``.
    frames : int
        At most, evenly over the motion.
    fps : int

    Raises
    ------
    Fault
    """
    animate(scene_of_motion(case, dataset), Path(path), frames=frames, fps=fps)


def scene_of(directory: Path) -> MechanismScene:
    """Gears of a machine and forces of their teeth, of a result folder.

    Raises
    ------
    Fault
    """
    return _scene(read_shape(directory), store.open_dataset(directory))


def scene_of_motion(case: MachineCase, dataset: xr.Dataset) -> MechanismScene:
    """Gears of a machine and forces of their teeth at the times of a motion; parameters as of :func:`write_motion`.

    Raises
    ------
    Fault
        For a result of another kind, and a machine without gears.
    """
    return _scene(machine_shape(case.layout, {}), dataset)


def _scene(shape: dict[str, Any], dataset: xr.Dataset) -> MechanismScene:
    if any(name not in dataset for name in NEEDED):
        limit = "positions or a motion of a machine of gears"
        raise Fault("result", str(dataset.attrs.get("analysis")), limit, "choose another")
    made = _Bodies(shape, dataset)
    made.add_shafts()
    made.add_gears()
    for name, one in shape["planetary_sets"].items():
        made.add_set(name, one)
    if not made.wheels:
        raise Fault("gears of the machine", 0, "at least 1", "choose another result")
    return made.scene()


class _Bodies:
    """Wheels, where they are over time, and forces."""

    def __init__(self, shape: dict[str, Any], dataset: xr.Dataset) -> None:
        self.shape, self.dataset = shape, dataset
        self.wheels: dict[str, dict[str, Any]] = {}
        self.arms: dict[str, list[list[float]]] = {GROUND: []}
        self._positions: dict[str, Array] = {}
        self._turned: dict[str, Array] = {}
        self._forces: list[Array] = []
        self._contacts: list[Array] = []

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.dataset["drive_angle"])

    def angle(self, name: str) -> Array:
        """Rotation of a shaft or a body in the samples [rad]; of the ground 0.

        Raises
        ------
        Fault
            For a body whose angle the result does not hold.
        """
        data = self.dataset
        if name == GROUND:
            return np.zeros(self.n)
        if name in data["shaft"].to_numpy():
            own = data.sel(shaft=name)
            return np.asarray(own["rotation_error"] + own["ratio"] * data["drive_angle"])
        if not self.holds_angle_of(name):
            raise Fault(f"angle of {name}", "not there", "a result with the angles of its bodies", "choose another")
        return np.asarray(data["body_angle"].sel(body=name))

    def holds_angle_of(self, body: str) -> bool:
        """Whether the result holds the angle of a body."""
        return "body_angle" in self.dataset and body in self.dataset["body"].to_numpy()

    def add(self, name: str, centre: Array, axis: Array, angle: Array) -> None:
        """Add a body with its centre (3,) or (m, 3), which turns about an axis that stands."""
        self._positions[name] = np.broadcast_to(centre, (self.n, 3))
        self._turned[name] = np.remainder(angle, 2.0 * np.pi)[:, None] * axis

    def add_wheel(
        self, name: str, axis: Array, radius: float, teeth: int, *, body: str = "", width: float | None = None
    ) -> None:
        """Add a wheel of a body (that of its name), its teeth negative if they are inside."""
        self.wheels[name] = {
            "body": body or name,
            "centre": [0.0, 0.0, 0.0],
            "axis": axis.tolist(),
            "pitch_radius": radius,
            "cone_angle": 0.0,
            "helix_angle": 0.0,
            "teeth": abs(teeth),
            "internal": teeth < 0,
            "face_width": width,
        }

    def add_force(self, force: Array, at: Array) -> None:
        """Add the force of a mesh (m, 3) at a point (3,) or (m, 3), unless it is not known."""
        if np.isfinite(force).all():
            self._forces.append(force)
            self._contacts.append(np.broadcast_to(at, (self.n, 3)))

    def add_shafts(self) -> None:
        """Add shafts as bars along their axes."""
        for name, shaft in self.shape["shafts"].items():
            length = sum(section[0] for section in shaft["sections"])
            if length:
                axis = np.array(shaft["direction"])
                self.add(name, np.array(shaft["origin"]), axis, np.zeros(self.n))
                self.arms[name] = [(length * axis).tolist()]

    def add_gears(self) -> None:
        """Add gears on shafts, and the forces of their meshes."""
        for mesh, place in self.shape["meshes"].items():
            for name, radius in zip(place["gears"], place["pitch_radii"], strict=True):
                one = self.shape["gears"][name]
                shaft = self.shape["shafts"][one["shaft"]]
                axis = np.array(shaft["direction"])
                self.add(name, np.array(shaft["origin"]) + one["at"] * axis, axis, self.angle(one["shaft"]))
                teeth = -one["teeth"] if one["internal"] else one["teeth"]
                self.add_wheel(name, axis, radius, teeth, width=one["b"])
            if "mesh_force" in self.dataset:
                self.add_force(self.dataset["mesh_force"].sel(mesh=mesh).to_numpy(), np.array(place["pitch_point"]))

    def add_set(self, name: str, one: dict[str, Any]) -> None:
        """Add sun, ring, carrier and planets of a set, and the forces on the planets."""
        origin, width = np.array(one["origin"]), one["face_width"]
        e_1, e_2, axis = np.array(one["axes"])
        carrier, carried = f"{name} carrier", self.angle(one["carrier"])
        self.add(carrier, origin, axis, carried)
        self.arms[carrier] = []
        for gear, own in one["gears"].items():
            self.add(gear, origin, axis, self.angle(own["on"]))
            self.add_wheel(gear, axis, own["pitch_radius"], own["teeth"], width=width)
        for planet, own in one["planets"].items():
            radius, begin = own["pin_radius"], own["pin_angle"]
            self.arms[carrier].append((radius * (np.cos(begin) * e_1 + np.sin(begin) * e_2)).tolist())
            out = np.cos(begin + carried)[:, None] * e_1 + np.sin(begin + carried)[:, None] * e_2
            turned = self.angle(own["on"]) if self.holds_angle_of(own["on"]) else self._rolled(one, planet, carried)
            self.add(planet, origin + radius * out, axis, turned)
            for gear, wheel in own["wheels"].items():
                called = planet if len(own["wheels"]) == 1 else f"{planet} {gear}"
                self.add_wheel(called, axis, wheel["pitch_radius"], wheel["teeth"], body=planet, width=width)
        if "planet_mesh_force" in self.dataset:
            for mesh, own in one["meshes"].items():
                self._add_force_on_planet(mesh, own, origin, axis)

    def _rolled(self, one: dict[str, Any], planet: str, carried: Array) -> Array:
        """Rotation of a planet that rolls on a central gear: positions at rest have those of shafts alone [rad]."""
        gear = next(mesh["gears"][0] for mesh in one["meshes"].values() if mesh["gears"][1] == planet)
        central, wheels = one["gears"][gear], one["planets"][planet]["wheels"]
        pitches = central["teeth"] * (self.angle(central["on"]) - carried)
        # of two wheels on a planet the one whose pitch circle touches that of the gear
        apart = one["planets"][planet]["pin_radius"]
        side = 1.0 if central["teeth"] > 0 else -1.0
        z = min(wheels.values(), key=lambda own: abs(central["pitch_radius"] + side * own["pitch_radius"] - apart))
        return carried - pitches / float(z["teeth"])

    def _add_force_on_planet(self, mesh: str, own: dict[str, Any], centre: Array, axis: Array) -> None:
        """Add what a central gear exerts on a planet, pushing it away along the line of action.

        With e from the axis of the set to the planet and t = axis x e the inner gear of a mesh, whose force N is
        counted positive where it drives counterclockwise, pushes the outer one by N cos(alpha) t + |N| sin(alpha) e.
        """
        _, planet = own["gears"]
        alpha, side = own["alpha_wt"], 1.0 if own["inner"] == 0 else -1.0  # the planet is the outer one, or the inner
        out = self._positions[planet] - centre
        out = out / np.linalg.norm(out, axis=1)[:, None]
        N = self.dataset["planet_mesh_force"].sel(planet_mesh=mesh).to_numpy()[:, None]
        force = side * (N * np.cos(alpha) * np.cross(axis, out) + np.abs(N) * np.sin(alpha) * out)
        self.add_force(force, centre + own["pitch_radius"] * out)

    def scene(self) -> MechanismScene:
        """All of it."""
        names = list(self._positions)
        return MechanismScene(
            shape={
                "bodies": {name: self.arms.get(name, []) for name in (*names, GROUND)},
                "wheels": self.wheels,
                "racks": {},
                "joints": {},
                "point_springs": {},
            },
            names=names,
            position=np.stack([self._positions[name] for name in names], axis=1),
            rotation_vector=np.stack([self._turned[name] for name in names], axis=1),
            forces=np.stack(self._forces, axis=1) if self._forces else None,
            contacts=np.stack(self._contacts, axis=1) if self._contacts else None,
            time=self.dataset["time"].to_numpy() if "time" in self.dataset.dims else None,
            title=str(self.dataset.attrs.get("title", "")),
        )
