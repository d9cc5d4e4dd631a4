"""A machine with bodies in space as it moves: wheels, racks, bodies, springs, and the forces between teeth.

Wheels are drawn by their pitch cones or cylinders with a line for each tooth, racks as bars with lines for theirs,
bodies as bars from joint to joint. Nothing is magnified.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.drivetrain.spatial.scales import bodies_of
from alegear.errors import Fault
from alegear.results.mechanism import GROUND, mechanism_shape
from alegear.scene.window import WINDOW, Maker, prepare_off_screen, show_samples, write_picture
from alegear.storage import store
from alegear.storage.whole_file import write_whole
from alegear.system.rotation import rotation_matrix, rotation_vector

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase


WHEELS = ("#8fb8de", "#f2c48d", "#a8d5a2", "#d9b3d9", "#e6e09a", "#b8c4cc")
BODY, JOINT, SPRING, FORCE, TOOTH = "#6b7780", "#333333", "#009E73", "#D55E00", "#404040"
#: Face width of a wheel and width of a rack, and depth of its bar, over the pitch radius or over 20 modules.
FACE, DEPTH = 0.25, 0.12
#: Length of a rack in modules, to either side.
RACK = 24.0
#: Largest arrow, radius of bars and of joints, over the size of the machine.
ARROW, BAR, KNOT = 0.22, 0.006, 0.012
#: Height of the picture in those of what is drawn.
ROOM = 1.2
#: Direction to the eye, where all does not lie in one plane.
EYE = (-0.8, 0.7, 1.4)


def fits(directory: Path) -> bool:
    """Whether a result folder holds a machine with bodies in space."""
    return (directory / store.MECHANISM).exists()


def show(directory: str | Path, *, screenshot: str | Path | None = None, position: int | None = None) -> None:
    """Show a machine in space: a window with a slider over the samples, or a picture.

    Parameters
    ----------
    directory : path
        Result folder of a machine with bodies in space.
    screenshot : path, optional
        Write a PNG of one sample there and open no window.
    position : int, optional
        Number of the sample, from 0, or from the last with -1. Default: the last.

    Raises
    ------
    Fault
        If there is nothing to draw, the sample does not exist, or there is no display to open a window on.
    """
    scene = MechanismScene.of(Path(directory))
    show_scene(scene, screenshot=screenshot, position=-1 if position is None else position)


def show_scene(scene: MechanismScene, *, screenshot: str | Path | None, position: int, what: str = "sample") -> None:
    """Show a scene: a window with a slider over its samples, or a picture.

    Parameters
    ----------
    scene : MechanismScene
    screenshot : path or None
    position : int
        Number of the sample that is drawn, or drawn first.
    what : str
        A sample is.

    Raises
    ------
    Fault
    """
    number = scene.checked(position)
    show_samples(scene.maker(number), samples=len(scene), first=number, what=what, screenshot=screenshot)


def picture_at_start(case: MachineCase, path: str | Path) -> None:
    """Draw a machine with bodies in space where it starts."""
    bodies = bodies_of(case.parts)
    position = np.array([[np.asarray(body.position, dtype=np.float64) for body in bodies]]).reshape(1, -1, 3)
    turned = np.array([[rotation_vector(body.rotation) for body in bodies]]).reshape(1, -1, 3)
    scene = MechanismScene(
        shape=mechanism_shape(case.parts),
        names=[body.name for body in bodies],
        position=position,
        rotation_vector=turned,
        title=case.title,
    )
    write_picture(scene.maker(0), Path(path))


def write_animation(directory: str | Path, path: str | Path, *, frames: int = 60, fps: int = 20) -> None:
    """Write the samples of a result as an animated GIF.

    Parameters
    ----------
    directory : path
        Result folder of a machine with bodies in space.
    path : path
        Ends in ``.gif``.
    frames : int
        Evenly spread over the samples, as many as there are at most.
    fps : int
        Frames a second.

    Raises
    ------
    Fault
    """
    animate(MechanismScene.of(Path(directory)), Path(path), frames=frames, fps=fps)


def animate(scene: MechanismScene, path: Path, *, frames: int = 60, fps: int = 20) -> None:
    """Write samples of a scene as an animated GIF; parameters as of :func:`write_animation`."""
    if path.suffix.lower() != ".gif":
        raise Fault("animation", path, "a .gif file", "change the ending of the file name")
    from PIL import Image

    prepare_off_screen()
    plotter = scene.plotter(off_screen=True)
    numbers = np.unique(np.linspace(0, len(scene) - 1, frames).round().astype(int))
    pictures = []
    try:
        for number in numbers.tolist():
            scene.put(plotter, number)
            pictures.append(Image.fromarray(plotter.screenshot(return_img=True)).resize((700, 500)))
    finally:
        plotter.close()
    buffer = io.BytesIO()
    pictures[0].save(buffer, "GIF", save_all=True, append_images=pictures[1:], duration=round(1000 / fps), loop=0)
    write_whole(path, buffer.getvalue())


class MechanismScene:
    """What is drawn of a machine in space, sample by sample.

    Parameters
    ----------
    shape : dict
        As :func:`alegear.results.mechanism.mechanism_shape` has made it.
    names : list of str
        Of the bodies.
    position, rotation_vector : shape (m, n_bodies, 3) [m, rad]
    forces, contacts : shape (m, n_meshes, 3) [N, m], optional
        Of the teeth, and where.
    time : shape (m,) [s], optional
    title : str
    """

    def __init__(
        self,
        *,
        shape: dict[str, Any],
        names: list[str],
        position: Array,
        rotation_vector: Array,
        forces: Array | None = None,
        contacts: Array | None = None,
        time: Array | None = None,
        title: str = "",
    ) -> None:
        self.shape, self.names, self.title, self.time = shape, names, title, time
        self._position, self._turned = position, rotation_vector
        self._forces = np.zeros((len(position), 0, 3)) if forces is None else forces
        self._contacts = np.zeros((len(position), 0, 3)) if contacts is None else contacts
        self._largest = float(np.linalg.norm(self._forces, axis=-1).max(initial=0.0))
        self._outline = np.vstack([self._extent(number) for number in {0, len(position) // 2, len(position) - 1}])
        self.low, self.high = self._outline.min(axis=0), self._outline.max(axis=0)
        self.size = float(np.linalg.norm(self.high - self.low)) or 1.0

    @classmethod
    def of(cls, directory: Path) -> MechanismScene:
        """That of a result folder.

        Raises
        ------
        Fault
        """
        dataset = store.open_dataset(directory)
        return cls(
            shape=store.read_table(directory, store.MECHANISM),
            names=[str(name) for name in dataset["body"].to_numpy()],
            position=dataset["position"].to_numpy(),
            rotation_vector=dataset["rotation_vector"].to_numpy(),
            forces=dataset["tooth_force"].to_numpy(),
            contacts=dataset["contact_point"].to_numpy(),
            time=dataset["time"].to_numpy(),
            title=str(dataset.attrs.get("title", "")),
        )

    def __len__(self) -> int:
        return len(self._position)

    def checked(self, position: int) -> int:
        """Return the number of a sample counted from the first or, negative, from the last."""
        n = len(self)
        if not -n <= position < n:
            raise Fault("position", position, f"between 0 and {n - 1}", "choose one of the samples written")
        return position % n

    # ------------------------------------------------------------------ pictures
    def maker(self, number: int) -> Maker:
        """Return what makes a plotter with a sample in it."""

        def make(off_screen: bool) -> tuple[Any, Callable[[int], None]]:
            plotter = self.plotter(off_screen=off_screen)
            self.put(plotter, number)
            return plotter, partial(self.put, plotter)

        return make

    def plotter(self, *, off_screen: bool) -> Any:
        """A window that shows all of the motion."""
        import pyvista as pv

        plotter: Any = pv.Plotter(off_screen=off_screen, window_size=list(WINDOW), title="alegear")
        plotter.set_background("white")
        plotter.enable_parallel_projection()
        extent = self.high - self.low
        eye = np.array(EYE)
        if extent.min() < 0.1 * extent.max():  # all in a plane: from its front, a little from aside
            eye = np.full(3, 0.25)
            eye[int(np.argmin(extent))] = 1.0
        eye /= np.linalg.norm(eye)
        up = np.array([0.0, 1.0, 0.0] if abs(eye[1]) < 0.9 else [0.0, 0.0, 1.0])
        middle = 0.5 * (self.low + self.high)
        plotter.camera.position = middle + 3.0 * self.size * eye
        plotter.camera.focal_point = middle
        plotter.camera.up = up
        plotter.camera.parallel_scale = self._half_height(eye, up)
        plotter.camera.clipping_range = (0.1 * self.size, 10.0 * self.size)
        plotter.add_axes(color="black")
        return plotter

    def _half_height(self, eye: Array, up: Array) -> float:
        """Half of what the window shows from below to above [m]: all that is drawn, with room for arrows and words."""
        right = np.cross(up, eye)
        right /= np.linalg.norm(right)
        away = self._outline - 0.5 * (self.low + self.high)
        width, height = (float(np.abs(away @ axis).max()) for axis in (right, np.cross(eye, right)))
        return ROOM * max(height, width * WINDOW[1] / WINDOW[0])

    def put(self, plotter: Any, number: int) -> None:
        """Draw a sample in place of the one before."""
        for name, mesh, options in self._actors(number):
            plotter.add_mesh(mesh, name=name, reset_camera=False, render=False, **options)
        notes = [] if self.time is None else [f"t = {self.time[number]:.4g} s"]
        if self._largest:
            notes.append(f"longest arrow of the motion: {_force(self._largest)}")
        title = self.title.replace("$", r"\$")  # VTK takes what stands between two $ for a formula
        words = {"font_size": 11, "color": "black", "position": "upper_left"}
        plotter.add_text("\n".join([title, ", ".join(notes)]), name="title", render=False, **words)
        plotter.render()  # once, not with each of them

    def _frame(self, body: str, number: int) -> tuple[Array, Array]:
        if body == GROUND:
            return np.zeros(3), np.eye(3)
        i = self.names.index(body)
        return self._position[number, i], rotation_matrix(self._turned[number, i])

    def _point(self, body: str, point: Any, number: int) -> Array:
        p, R = self._frame(body, number)
        at: Array = p + R @ np.asarray(point)
        return at

    def _extent(self, number: int) -> Array:
        """Points around all that is drawn, shape (m, 3)."""
        points = [self._position[number]]
        for body, fixed in self.shape["bodies"].items():
            points += [self._point(body, point, number)[None] for point in fixed]
        for wheel in self.shape["wheels"].values():
            centre, r = self._point(wheel["body"], wheel["centre"], number), wheel["pitch_radius"]
            axis = self._frame(wheel["body"], number)[1] @ np.asarray(wheel["axis"])
            points.append(centre + r * np.vstack([np.eye(3), -np.eye(3)]) * np.sqrt(np.maximum(1.0 - axis**2, 0.0)))
        for rack in self.shape["racks"].values():
            points += [end[None] for end in self._rack_ends(rack, number)]
        return np.vstack(points)

    def _rack_ends(self, rack: dict[str, Any], number: int) -> tuple[Array, Array]:
        along = RACK * rack["normal_module"] / np.cos(rack["helix_angle"]) * np.asarray(rack["direction"])
        one, two = (self._point(rack["body"], np.asarray(rack["point"]) + s * along, number) for s in (-1.0, 1.0))
        return one, two

    # -------------------------------------------------------------------- actors
    def _actors(self, number: int) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """Name, mesh and options of all that is drawn of a sample."""
        import pyvista as pv

        for i, (name, wheel) in enumerate(self.shape["wheels"].items()):
            surface, teeth = self._wheel(wheel, number)
            colour = WHEELS[i % len(WHEELS)]
            yield f"wheel {name}", surface, {"color": colour, "smooth_shading": False, "opacity": 0.9}
            yield f"teeth {name}", teeth, {"color": TOOTH, "line_width": 1.5}
        for i, (name, rack) in enumerate(self.shape["racks"].items()):
            bar, teeth = self._rack(rack, number)
            yield f"rack {name}", bar, {"color": WHEELS[-1 - i % len(WHEELS)]}
            yield f"teeth {name}", teeth, {"color": TOOTH, "line_width": 1.5}
        for body, fixed in self.shape["bodies"].items():
            origin = self._frame(body, number)[0]
            for j, point in enumerate(fixed if body != GROUND else ()):
                end = self._point(body, point, number)
                if np.linalg.norm(end - origin) > 1e-6 * self.size:
                    line = pv.Line(origin, end).tube(radius=BAR * self.size)
                    yield f"body {body} {j}", line, {"color": BODY}
        for name, joint in self.shape["joints"].items():
            at = self._point(joint["between"][1], joint["points"][1], number)
            yield f"joint {name}", pv.Sphere(radius=KNOT * self.size, center=at), {"color": JOINT}
        for name, spring in self.shape["point_springs"].items():
            ends = [self._point(b, p, number) for b, p in zip(spring["between"], spring["points"], strict=True)]
            yield f"spring {name}", pv.Line(ends[0], ends[1]), {"color": SPRING, "line_width": 4.0}
        for i, (at, force) in enumerate(zip(self._contacts[number], self._forces[number], strict=True)):
            size = float(np.linalg.norm(force))
            if size > 1e-9 * self._largest:
                length = ARROW * self.size * size / self._largest
                arrow = pv.Arrow(start=at, direction=force, scale=length, tip_radius=0.08, shaft_radius=0.03)
                yield f"force {i}", arrow, {"color": FORCE}

    def _wheel(self, wheel: dict[str, Any], number: int) -> tuple[Any, Any]:
        """Pitch cone, or cylinder, of a wheel, and a line along it for each tooth."""
        import pyvista as pv

        p, R = self._frame(wheel["body"], number)
        e_1 = np.asarray(wheel["axis"])
        helper = np.eye(3)[int(np.argmin(np.abs(e_1)))]
        e_2 = np.cross(e_1, helper)
        e_2 /= np.linalg.norm(e_2)
        e_3 = np.cross(e_1, e_2)
        r, z, cone = wheel["pitch_radius"], wheel["teeth"], wheel["cone_angle"]
        half = 0.5 * (wheel.get("face_width") or FACE * r)

        def rim(s: float, angles: Array) -> Array:
            """Points of the pitch surface at s along its teeth from the middle of the face."""
            radius, along = r + s * math.sin(cone), s * math.cos(cone)
            turned = angles + s * math.tan(wheel["helix_angle"]) / r
            local = (
                np.asarray(wheel["centre"])
                + along * e_1
                + radius * (np.cos(turned)[:, None] * e_2 + np.sin(turned)[:, None] * e_3)
            )
            at: Array = p + local @ R.T
            return at

        around = np.linspace(0.0, 2.0 * math.pi, 97)
        rings = [rim(s, around) for s in (-half, half)]
        grid = np.stack(rings)
        n = grid.shape[1]
        quads = [[4, i, i + 1, n + i + 1, n + i] for i in range(n - 1)]
        surface = pv.PolyData(grid.reshape(-1, 3), np.array(quads).ravel())
        middle = p + R @ np.asarray(wheel["centre"])
        if not wheel["internal"]:  # a disc in the middle of the face
            disc = rim(0.0, around)
            faces = np.array([[3, 0, i + 1, i + 2] for i in range(len(disc) - 1)])
            surface = surface.merge(pv.PolyData(np.vstack([middle, disc]), faces.ravel()))
        angles = 2.0 * math.pi * np.arange(z) / z
        ends = np.stack([rim(-half, angles), rim(half, angles)], axis=1).reshape(-1, 3)
        # one spoke shows how far it has turned
        ends = np.vstack([ends, middle, rim(0.0, angles[:1])])
        teeth = pv.line_segments_from_points(ends)
        return surface, teeth

    def _rack(self, rack: dict[str, Any], number: int) -> tuple[Any, Any]:
        """The bar of a rack, and a line across it for each tooth."""
        import pyvista as pv

        p, R = self._frame(rack["body"], number)
        module = rack["normal_module"]
        along, out = np.asarray(rack["direction"]), np.asarray(rack["outwards"])
        across = np.cross(out, along)
        half, width, depth = RACK * module, 0.5 * FACE * 20.0 * module, DEPTH * 20.0 * module
        corners = np.array(
            [
                np.asarray(rack["point"]) + a * half * along + b * width * across - c * depth * out
                for c in (0.0, 1.0)
                for b in (-1.0, 1.0)
                for a in (-1.0, 1.0)
            ]
        )
        faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
        bar = pv.PolyData(p + corners @ R.T, np.array([[4, *face] for face in faces]).ravel())
        pitch, slant = math.pi * module / math.cos(rack["helix_angle"]), math.tan(rack["helix_angle"])
        places = np.arange(-math.floor(half / pitch), math.floor(half / pitch) + 1) * pitch
        ends = np.array(
            [
                np.asarray(rack["point"]) + (s + b * width * slant) * along + b * width * across
                for s in places
                for b in (-1.0, 1.0)
            ]
        )
        return bar, pv.line_segments_from_points(p + ends @ R.T)


def _force(value: float) -> str:
    """A force in words."""
    return f"{1e-3 * value:.3g} kN" if value >= 1e3 else f"{value:.3g} N"
