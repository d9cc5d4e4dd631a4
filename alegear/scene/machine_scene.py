"""A whole gearbox in three dimensions: shafts, gears and bearings, and the loaded teeth by their stress.

Each mesh has stress fields of its own, in its own frame (:mod:`alegear.results.fields`); they are put where the mesh
stands in space, in place of the same teeth of the gears, which are drawn by their outline. Nothing is magnified: teeth
of the fields stand beside those of the gears. ``alegear show DIR/meshes/NAME`` magnifies the displacement of one mesh.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.results.machine_shape import SHAPE, read_shape, section_at, shaft_sections
from alegear.scene.scene import COLOURS, SCALAR, FieldSeries, deformed_surface, feature_edges
from alegear.scene.window import WINDOW, show_samples
from alegear.storage import store
from alegear.storage.stored_files import MESHES, path_inside

SHAFT, GEAR, BEARING, DRIVE, LOAD = "#9aa7b0", "#e8e8e4", "#d9a441", "#009E73", "#D55E00"
#: Points around a shaft, and layers across the face of a gear for each tenth of a radian of its twist.
AROUND, LAYERS = 72, 4
#: Direction to the eye: along the shafts, to the right of them and upwards.
EYE = (-1.0, 0.75, 0.55)
#: Height of the picture in those of the machine.
ROOM = 1.12
#: Outer over inner diameter of a bearing, and its width over the inner diameter.
RING, RING_WIDTH = 1.5, 0.28
#: Points nearer than this are one [m]: round-off.
SAME = 1e-9
#: A tooth of a gear is left out where a point of the fields lies this far from its middle, in pitches, near its tip.
SAME_TOOTH, NEAR_TIP = 0.25, 0.8


def fits(directory: Path) -> bool:
    """Whether a result folder holds stress fields of meshes of a machine."""
    return (directory / SHAPE).exists() and any((directory / MESHES).glob(f"*/{store.FIELDS}"))


def show(directory: str | Path, *, screenshot: str | Path | None = None, position: int | None = None) -> None:
    """Show a machine and the stress of its loaded teeth: a window with a slider over the positions, or a picture.

    Parameters
    ----------
    directory : path
        Result folder of a machine, with ``machine.json`` and the fields of its meshes.
    screenshot : path, optional
        Write a PNG of one position there and open no window.
    position : int, optional
        Number of the field, from 0, or from the last with -1. Default: the one with the largest root stress.

    Raises
    ------
    Fault
        If there is nothing to draw, the position does not exist, or there is no display to open a window on.
    """
    machine = MachineFields(Path(directory))
    number = machine.most_stressed if position is None else machine.checked(position)

    def make(off_screen: bool) -> tuple[Any, Callable[[int], None]]:
        scene = _Scene(machine, off_screen=off_screen)
        scene.put(number)
        return scene.plotter, scene.put

    show_samples(make, samples=machine.n_fields, first=number, what="position", screenshot=screenshot)


@dataclass(frozen=True, eq=False)
class MachineFields:
    """What a result folder of a machine holds for its picture.

    Parameters
    ----------
    directory : Path
    """

    directory: Path

    @cached_property
    def shape(self) -> dict[str, Any]:
        """As :func:`alegear.results.machine_shape.machine_shape` has made it."""
        return read_shape(self.directory)

    @cached_property
    def series(self) -> dict[str, FieldSeries]:
        """Fields of the meshes that have some, by name; one position or time has the same number in all."""
        folders = {name: path_inside(self.directory, f"{MESHES}/{name}") for name in self.shape["meshes"]}
        found = {name: FieldSeries(folder) for name, folder in folders.items() if (folder / store.FIELDS).is_dir()}
        for name, one in found.items():
            n = len(one.frames)
            if n != self.n_fields:
                limit = f"as many as positions of the machine, {self.n_fields}"
                raise Fault(f"fields of mesh {name}", n, limit, "run the case again")
        return found

    @property
    def n_fields(self) -> int:
        """Number of positions or times that are drawn."""
        return min(len(angles) for angles in self.shape["angles"].values())

    def angles(self, number: int) -> dict[str, float]:
        """Rotation of each drive in a field [rad]."""
        return {drive: angles[number] for drive, angles in self.shape["angles"].items()}

    @cached_property
    def most_stressed(self) -> int:
        """Number of the field with the largest root stress of all meshes; 0 where there is none."""
        if not self.series:
            return 0
        return max(self.series.values(), key=lambda one: one.stress_limit).most_stressed

    @cached_property
    def stress_limit(self) -> float:
        """End of the colours [Pa]."""
        return max((one.stress_limit for one in self.series.values()), default=1.0)

    @cached_property
    def dataset(self) -> Any:
        """Results of the machine; None where there are none."""
        try:
            return store.open_dataset(self.directory)
        except Fault:
            return None

    @property
    def title(self) -> str:
        """Title of the case."""
        return "" if self.dataset is None else str(self.dataset.attrs.get("title", ""))

    def label(self, number: int) -> str:
        """Return where a field is, in words."""
        angle = next(iter(self.angles(number).values()))
        turned = f"drive turned by {math.degrees(angle):.4g} deg"
        first = next(iter(self.series.values()), None)
        if first is not None and self.dataset is not None and "time" in self.dataset.dims:
            return f"t = {1e3 * first.frames[number][0]:.4g} ms, {turned}"
        return turned

    def checked(self, position: int) -> int:
        """Return the number of a field counted from the first or, negative, from the last."""
        n = self.n_fields
        if not -n <= position < n:
            raise Fault("position", position, f"between 0 and {n - 1}", "choose one of the fields written")
        return position % n

    def loaded(self, number: int) -> dict[str, Any]:
        """Outside of the loaded teeth of each mesh, in space."""
        return {
            name: self._in_space(name, deformed_surface(series.load(number), 1.0))
            for name, series in self.series.items()
        }

    def _in_space(self, mesh: str, surface: Any) -> Any:
        """Put each gear of a field where it stands: the axial offset of the gears is not in the fields."""
        place = self.shape["meshes"][mesh]
        axes, middle = np.array(place["axes"]), np.array([place["a_w"], 0.0, 0.0])
        of_point = surface.cell_data_to_point_data()["gear"] > 0.5
        first, second = (gear_centre(self.shape, name) for name in place["gears"])
        local = np.asarray(surface.points, dtype=float)
        surface.points = np.where(of_point[:, None], second + (local - middle) @ axes, first + local @ axes)
        surface.point_data["second"] = of_point
        return surface


# --------------------------------------------------------------------------------------------------- surfaces of parts


def gear_centre(shape: dict[str, Any], name: str) -> Array:
    """Mid-face of a gear in space (3,) [m]."""
    gear = shape["gears"][name]
    return _point(shape["shafts"][gear["shaft"]], gear["at"])


def gear_frame(shape: dict[str, Any], name: str, angles: Mapping[str, float]) -> Array:
    """Axes of a gear where the drives have turned so far: its tooth 0, across, its shaft; one a row (3, 3)."""
    gear = shape["gears"][name]
    shaft = np.array(shape["shafts"][gear["shaft"]]["direction"])
    start = np.array(gear["direction"])
    across = np.cross(shaft, start)
    turned = gear["ratio"] * angles[gear["drive"]]
    tooth = math.cos(turned) * start + math.sin(turned) * across
    return np.array([tooth, np.cross(shaft, tooth), shaft])


def teeth_left_out(shape: dict[str, Any], name: str, frame: Array, points: Array) -> set[int]:
    """Numbers of the teeth of a gear on which points of the fields lie, near their tips."""
    gear = shape["gears"][name]
    local = (points - gear_centre(shape, name)) @ frame.T
    radius = np.hypot(local[:, 0], local[:, 1])
    tip = radius > gear["r_f"] + NEAR_TIP * (gear["r_a"] - gear["r_f"])
    tooth = (np.arctan2(local[tip, 1], local[tip, 0]) - gear["twist"] * local[tip, 2]) * gear["teeth"] / (2.0 * np.pi)
    near = np.abs(tooth - np.round(tooth)) < SAME_TOOTH
    return {int(k) % gear["teeth"] for k in np.unique(np.round(tooth[near]))}


def gear_surface(shape: dict[str, Any], name: str, frame: Array, left_out: set[int]) -> Any:
    """Outside of a gear by its outline, without some teeth, as a pyvista surface in space.

    The surface of a tooth is the strip between outline and bore at both ends of the face, the outline from end to end,
    and the bore.
    """
    import pyvista as pv

    gear = shape["gears"][name]
    outline = np.array(gear["outline"])
    angle = np.arctan2(outline[:, 1], outline[:, 0])
    inner = 0.5 * gear["bore"] * np.column_stack([np.cos(angle), np.sin(angle)])
    layers = 2 + int(LAYERS * 10.0 * abs(gear["twist"]) * gear["b"])
    z = np.linspace(-0.5, 0.5, layers) * gear["b"]
    # around the section: along the front end from the bore outwards, along the face, back to the bore
    rings = [(inner, z[0]), *((outline, one) for one in z), (inner, z[-1]), (inner, z[0])]
    tooth = np.array([_twisted(line, gear["twist"] * at, at) for line, at in rings])
    n_rings, n = tooth.shape[:2]
    corner = np.arange(n_rings * n).reshape(n_rings, n)
    quads = np.stack([corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]], axis=-1).reshape(-1, 4)
    points: list[Array] = []
    faces: list[Indices] = []
    for k in range(gear["teeth"]):
        if k in left_out:
            continue
        turn = 2.0 * np.pi * k / gear["teeth"]
        c, s = math.cos(turn), math.sin(turn)
        rotation = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        faces.append(quads + len(points) * n_rings * n)
        points.append(tooth.reshape(-1, 3) @ rotation @ frame + gear_centre(shape, name))
    if not points:
        return pv.PolyData()
    cells = np.concatenate(faces)
    body = pv.PolyData(np.concatenate(points), np.column_stack([np.full(len(cells), 4), cells]).ravel())
    return body.clean(tolerance=SAME, absolute=True)


def _twisted(line: Array, turn: float, z: float) -> Array:
    c, s = math.cos(turn), math.sin(turn)
    return np.column_stack([line @ np.array([[c, s], [-s, c]]), np.full(len(line), z)])


def tube(shaft: dict[str, Any], begin: float, length: float, outer: float, inner: float) -> Any:
    """A hollow or solid cylinder on the axis of a shaft."""
    import pyvista as pv

    direction = np.array(shaft["direction"])
    if inner <= 0.0:
        middle = _point(shaft, begin + 0.5 * length)
        body = pv.Cylinder(center=middle, direction=direction, radius=outer, height=length, resolution=AROUND)
        return body.clean(tolerance=SAME, absolute=True)
    disc = pv.Disc(center=_point(shaft, begin), inner=inner, outer=outer, normal=direction, c_res=AROUND)
    return disc.extrude(length * direction, capping=True).clean(tolerance=SAME, absolute=True)


def _point(shaft: dict[str, Any], at: float) -> Array:
    point: Array = np.array(shaft["origin"]) + at * np.array(shaft["direction"])
    return point


# ------------------------------------------------------------------------------------------------------------ the scene


class _Scene:
    """A plotter with what does not change, and what :meth:`put` puts into it for a position."""

    def __init__(self, machine: MachineFields, *, off_screen: bool) -> None:
        import pyvista as pv

        self.machine, self.shape = machine, machine.shape
        plotter: Any = pv.Plotter(off_screen=off_screen, window_size=list(WINDOW), title="alegear")
        self.plotter = plotter
        self.plotter.set_background("white")
        self._add_shafts()
        self._add_bearings()
        self._add_marks()
        self._set_camera()

    # ----------------------------------------------------------------- parts
    def _add_shafts(self) -> None:
        for name, shaft in self.shape["shafts"].items():
            for section in shaft_sections(self.shape, name):
                self._add_body(tube(shaft, *section), SHAFT)
        for gear in self.shape["gears"].values():  # what is between the shaft and the bore of a gear is rigid
            shaft = self.shape["shafts"][gear["shaft"]]
            outer, _ = section_at(self.shape, gear["shaft"], gear["at"])
            if outer < 0.5 * gear["bore"] and not gear.get("internal"):
                self._add_body(tube(shaft, gear["at"] - 0.5 * gear["b"], gear["b"], 0.5 * gear["bore"], outer), SHAFT)

    def _add_bearings(self) -> None:
        for one in self.shape["bearings"].values():
            inner, _ = section_at(self.shape, one["shaft"], one["at"])
            outer = RING * inner
            if one["to_at"] is not None:
                hollow = section_at(self.shape, one["to"], one["to_at"])[1]
                outer = hollow if hollow > inner else outer
            width = 2.0 * RING_WIDTH * inner
            shaft = self.shape["shafts"][one["shaft"]]
            self._add_body(tube(shaft, one["at"] - 0.5 * width, width, outer, inner), BEARING)

    def _add_body(self, body: Any, colour: str) -> None:
        self.plotter.add_mesh(body, color=colour, ambient=0.35, diffuse=0.6, specular=0.15, smooth_shading=False)
        edges = feature_edges(body)
        if edges.n_points:
            self.plotter.add_mesh(edges, color="#303030", line_width=1.0, lighting=False)

    def _add_marks(self) -> None:
        """Rings around the shaft where drives and loads act, and their names."""
        for kind, colour in (("drives", DRIVE), ("loads", LOAD)):
            for name, one in self.shape[kind].items():
                outer, _ = section_at(self.shape, one["shaft"], one["at"])
                if outer <= 0.0:
                    continue
                shaft = self.shape["shafts"][one["shaft"]]
                width = 0.2 * outer
                self._add_body(tube(shaft, one["at"] - 0.5 * width, width, 1.12 * outer, outer), colour)
                label = _point(shaft, one["at"]) + 1.2 * outer * self._up
                self.plotter.add_point_labels(
                    [label], [name.replace("$", r"\$")], text_color=colour, font_size=20, show_points=False,
                    shape_color="white", shape_opacity=0.7, always_visible=True,
                )  # fmt: skip

    # ---------------------------------------------------------------- camera
    @property
    def _along(self) -> Array:
        first = next(iter(self.shape["drives"].values()))
        return np.array(self.shape["shafts"][first["shaft"]]["direction"])

    @property
    def _up(self) -> Array:
        along = self._along
        up = np.array([0.0, 1.0, 0.0] if abs(along[2]) > 0.9 else [0.0, 0.0, 1.0])
        up = up - (up @ along) * along
        return np.asarray(up / np.linalg.norm(up))

    def _set_camera(self) -> None:
        along, up = self._along, self._up
        frame = np.array([along, np.cross(up, along), up])
        eye = np.array(EYE) / np.linalg.norm(EYE) @ frame
        corners = self._corners(frame)
        focus = 0.5 * (corners.min(axis=0) + corners.max(axis=0)) @ frame
        seen_up = up - (up @ eye) * eye
        seen_up /= np.linalg.norm(seen_up)
        right = np.cross(seen_up, eye)
        seen = (corners @ frame - focus) @ np.column_stack([right, seen_up])
        aspect = WINDOW[0] / WINDOW[1]
        height = 2.0 * max(float(np.abs(seen[:, 1]).max()), float(np.abs(seen[:, 0]).max()) / aspect)
        camera = self.plotter.camera
        self.plotter.enable_parallel_projection()
        camera.focal_point = tuple(focus)
        camera.position = tuple(focus + 4.0 * height * eye)
        camera.up = tuple(up)
        camera.parallel_scale = 0.5 * ROOM * height
        camera.clipping_range = (0.1 * height, 20.0 * height)

    def _corners(self, frame: Array) -> Array:
        """Points at the rims of gears and shafts, in a frame (n, 3)."""
        around = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
        found = []
        rims = [
            (self.shape["shafts"][name], begin + end * length, outer)
            for name in self.shape["shafts"]
            for begin, length, outer, _ in shaft_sections(self.shape, name)
            for end in (0.0, 1.0)
        ]
        rims += [
            (self.shape["shafts"][gear["shaft"]], gear["at"] + side * gear["b"], gear["r_a"])
            for gear in self.shape["gears"].values()
            for side in (-0.5, 0.5)
        ]
        for shaft, at, radius in rims:
            axis = np.array(shaft["direction"])
            first = np.cross(axis, frame[np.argmin(np.abs(frame @ axis))])
            first /= np.linalg.norm(first)
            second = np.cross(axis, first)
            circle = np.outer(np.cos(around), first) + np.outer(np.sin(around), second)
            found.append(_point(shaft, at) + radius * circle)
        return np.concatenate(found) @ frame.T

    # -------------------------------------------------------------- position
    def put(self, number: int) -> None:
        """Put gears and loaded teeth of a position into the picture."""
        loaded = self.machine.loaded(number)
        angles = self.machine.angles(number)
        for name in self.shape["gears"]:
            frame = gear_frame(self.shape, name, angles)
            left_out: set[int] = set()
            for mesh, surface in loaded.items():
                gears = self.shape["meshes"][mesh]["gears"]
                if name in gears:
                    own = np.asarray(surface.point_data["second"]) == (name == gears[1])
                    left_out |= teeth_left_out(self.shape, name, frame, np.asarray(surface.points)[own])
            body = gear_surface(self.shape, name, frame, left_out)
            self._replace(f"gear {name}", body, color=GEAR, ambient=0.35, diffuse=0.65)
        for mesh, surface in loaded.items():
            self._replace(
                f"mesh {mesh}", surface, scalars=SCALAR, clim=(0.0, 1e-6 * self.machine.stress_limit), cmap=COLOURS,
                ambient=0.5, diffuse=0.5, scalar_bar_args=_BAR,
            )  # fmt: skip
        title = self.machine.title.replace("$", r"\$")  # VTK takes what stands between two $ for a formula
        text = f"{title}\n{self.machine.label(number)}".strip()
        self.plotter.add_text(text, position="upper_left", font_size=12, color="black", name="caption")

    def _replace(self, name: str, body: Any, **style: Any) -> None:
        if not body.n_points:
            for one in (name, f"edges of {name}"):
                self.plotter.remove_actor(one)
            return
        self.plotter.add_mesh(body, name=name, reset_camera=False, **style)
        self.plotter.add_mesh(
            feature_edges(body), name=f"edges of {name}", color="#202020", line_width=1.0, lighting=False,
            reset_camera=False,
        )  # fmt: skip


_BAR = {
    "title": SCALAR,
    "color": "black",
    "vertical": True,
    "position_x": 0.9,
    "position_y": 0.2,
    "height": 0.6,
    "width": 0.06,
    "title_font_size": 18,
    "label_font_size": 18,
    "fmt": "%.0f",
    "n_labels": 6,
    "fill": True,
    "background_color": "white",
}
