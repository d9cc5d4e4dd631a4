"""A motion of a machine of gears as an animation: wheels, planets about their carriers, and forces of the teeth.

The scene is that of a machine in space (:mod:`alegear.view.mechanism`). Wheels are their pitch cylinders with a line
for each tooth, an arrow is the force of a mesh on its first gear, of planets that of a central gear on the planet. What
shafts and bearings give way is not drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.gear_mesh import PreparedMesh
from alegear.drivetrain.rotational.couplings import shaft_of
from alegear.errors import Fault
from alegear.results.mechanism import GROUND
from alegear.view.mechanism import MechanismScene, animate

if TYPE_CHECKING:
    import xarray as xr

    from alegear.case.machine import MachineCase

Floats = NDArray[np.float64]


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


def scene_of_motion(case: MachineCase, dataset: xr.Dataset) -> MechanismScene:
    """Gears of a machine and forces of their teeth at the times of a motion; parameters as of :func:`write_motion`.

    Raises
    ------
    Fault
        For a result of another kind, and a machine without gears.
    """
    if "time" not in dataset.dims or "drive_angle" not in dataset:
        raise Fault("result", str(dataset.attrs.get("analysis")), "a motion of a machine of gears", "choose another")
    made = _Bodies(case, dataset)
    made.add_gears()
    for one in case.parts:
        if getattr(one, "elastic", False):
            made.add_planets(one)
    if not made.wheels:
        raise Fault("gears of the machine", 0, "at least 1", "choose another result")
    return made.scene()


class _Bodies:
    """Wheels, where they are over time, and forces."""

    def __init__(self, case: MachineCase, dataset: xr.Dataset) -> None:
        self.case, self.layout, self.dataset = case, case.layout, dataset
        self.wheels: dict[str, dict[str, Any]] = {}
        self.arms: dict[str, list[list[float]]] = {GROUND: []}
        self._positions: dict[str, Floats] = {}
        self._turned: dict[str, Floats] = {}
        self._forces: list[Floats] = []
        self._contacts: list[Floats] = []

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.dataset["time"])

    def angle(self, place: str) -> Floats:
        """Rotation of the shaft or the body of a place over time [rad]; of the ground 0."""
        name, data = shaft_of(place), self.dataset
        if name == GROUND:
            return np.zeros(self.n)
        if name in data["shaft"].to_numpy():
            own = data.sel(shaft=name)
            return np.asarray(own["rotation_error"] + own["ratio"] * data["drive_angle"])
        return np.asarray(data["body_angle"].sel(body=name))

    def add(self, name: str, centre: Floats, axis: Floats, angle: Floats) -> None:
        """Add a body with its centre (3,) or (m, 3), which turns about an axis that stands."""
        self._positions[name] = np.broadcast_to(centre, (self.n, 3))
        self._turned[name] = np.remainder(angle, 2.0 * np.pi)[:, None] * axis

    def add_wheel(self, name: str, axis: Floats, radius: float, teeth: int, body: str | None = None) -> None:
        """Add the wheel of a body, its teeth negative if they are inside."""
        self.wheels[name] = {
            "body": name if body is None else body,
            "centre": [0.0, 0.0, 0.0],
            "axis": axis.tolist(),
            "pitch_radius": abs(radius),
            "cone_angle": 0.0,
            "helix_angle": 0.0,
            "teeth": abs(teeth),
            "internal": teeth < 0,
        }

    def add_force(self, force: Floats, at: Floats) -> None:
        """Add the force of a mesh (m, 3) at a point (3,) or (m, 3)."""
        self._forces.append(force)
        self._contacts.append(np.broadcast_to(at, (self.n, 3)))

    def add_gears(self) -> None:
        """Add gears on shafts, and the forces of their meshes."""
        for place in self.layout.meshes:
            for number, name in enumerate(place.mesh.gears):
                one = self.layout.gears[name]
                axis = self.layout.shafts[one.shaft].axes[2]
                self.add(name, self.layout.centre(name), axis, self.angle(one.shaft))
                self.add_wheel(name, axis, 0.5 * place.pair.d_w[number], one.gear.z)
            force = self.dataset["mesh_force"].sel(mesh=place.mesh.name).to_numpy()
            if np.isfinite(force).all():
                self.add_force(force, place.pitch_point)

    def add_planets(self, one: Any) -> None:
        """Add sun, ring, carrier and planets of a set, and the forces on the planets."""
        meshes = {
            place.mesh.name: place.mesh.law.in_motion(PreparedMesh(stiffness=place.first_stiffness))
            for place in self.layout.meshes
        }
        places = self.case.machine.build(meshes, moves=False).model.places
        middle = places[one.carrier]
        e_1, e_2, axis = middle.axes
        carried = self.angle(one.carrier)
        self.add(f"{one.name} carrier", middle.origin, axis, carried)
        self.arms[f"{one.name} carrier"] = []
        for gear in one.teeth.central:
            place, own = str(getattr(one, gear)), one.teeth.teeth_of(gear)
            number = own.gears.index(gear)
            name = f"{one.name} {gear.replace('_', ' ')}"
            self.add(name, middle.origin, axis, self.angle(place))
            self.add_wheel(name, axis, own.radii[number], own.teeth[number])
        for planet in one.planet:
            radius, begin = one.held_at(planet)
            at = middle.origin + radius * (np.cos(begin) * e_1 + np.sin(begin) * e_2)
            self.arms[f"{one.name} carrier"].append((at - middle.origin).tolist())
            out = np.cos(begin + carried)[:, None] * e_1 + np.sin(begin + carried)[:, None] * e_2
            self.add(
                planet, middle.origin + radius * out, axis, np.asarray(self.dataset["body_angle"].sel(body=planet))
            )
        self._add_wheels_of_planets(one, axis)
        for gear in one.teeth.central:
            self._add_forces_on_planets(one, gear, middle.origin, axis)

    def _add_wheels_of_planets(self, one: Any, axis: Floats) -> None:
        for planet in one.planet:
            radius, z = one.outlines[planet]
            self.add_wheel(planet, axis, radius, z)

    def _add_forces_on_planets(self, one: Any, gear: str, centre: Floats, axis: Floats) -> None:
        """Add what a central gear exerts on each planet, pushing it away along the line of action.

        With e from the axis of the set to the planet and t = axis x e the inner gear of a mesh, whose force N is
        counted positive where it drives counterclockwise, pushes the outer one by N cos(alpha) t + |N| sin(alpha) e.
        """
        own = one.teeth.teeth_of(gear)
        number, alpha = own.gears.index(gear), own.alpha_wt
        side = 1.0 if number == 0 else -1.0  # the planet is the outer one, or the inner one
        for pin, mesh in enumerate(one.mesh_names[gear]):
            planet = one.planet[pin]
            out = self._positions[planet] - centre
            out = out / np.linalg.norm(out, axis=1)[:, None]
            N = self.dataset["planet_mesh_force"].sel(planet_mesh=mesh).to_numpy()[:, None]
            force = side * (N * np.cos(alpha) * np.cross(axis, out) + np.abs(N) * np.sin(alpha) * out)
            self.add_force(force, centre + abs(own.radii[number]) * out)

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
            time=self.dataset["time"].to_numpy(),
            title=str(self.dataset.attrs.get("title", "")),
        )
