"""Stress on the deformed pair, in three dimensions.

The picture looks at the place where the teeth mesh, in parallel projection. The displacement is magnified so that it
can be seen; because it holds the rigid rotation under load too, loaded flanks stay in contact in the picture. The
colours end at the largest root stress of the whole study, so that the roots are seen beside the far higher stress of
the contact.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from alegear.errors import Fault
from alegear.limits import Limits
from alegear.pictures.picture import labelled
from alegear.results import fields
from alegear.results.fields import VTK_HEXAHEDRON
from alegear.results.result import Result
from alegear.scene.window import WINDOW, show_samples
from alegear.storage import store

#: Height of the view in depths of engagement (two modules for ordinary teeth): about three teeth.
VIEW_HEIGHT = 5.0
#: Largest displacement in the picture, as part of the height of the view.
VISIBLE_DISPLACEMENT = 0.03
#: Directions from the pair to the eye: the ends of the teeth, and a little of the flanks and roots behind them.
EYES = tuple((x, y, 1.0) for x in (-0.15, 0.15) for y in (0.4, -0.4))
#: Part of the nodes below the end of the colours where the root stress is not known.
PERCENTILE = 99.5
#: Part of a stress by which fields, in single precision, may miss that of the curves; of the output step, by which the
#: time of a field may miss that of a sample.
FOUND, AT_SAMPLE = 1e-5, 1e-2
#: Part of the largest root stress by which that elsewhere on the same profile may be smaller, to be marked instead.
EVEN = 0.02
ZOOM = Limits(quantity="zoom", key="zoom", least=0.05, most=50.0)
#: Width of the strip beside the teeth that has the bar of the colours, in per cent of the picture.
STRIP = 13
#: Where the text of the mark stands, beside the caption: left end and lower end of its first line in parts of the view,
#: and the height of a line.
MARK, LINE = (0.5, 0.96), 0.027
#: From light to dark also without colour, told apart by all, and light where nothing happens.
COLOURS = "YlOrRd"
SCALAR = "von Mises [MPa]"


def fits(directory: Path) -> bool:
    """Whether a result folder holds stress fields of a pair."""
    return (directory / store.FIELDS).is_dir()


def show(
    directory: str | Path,
    *,
    screenshot: str | Path | None = None,
    position: int | None = None,
    magnification: float | None = None,
    zoom: float = 1.0,
) -> None:
    """Show the stress on the deformed pair: a window with a slider over the positions, or a picture.

    Parameters
    ----------
    directory : path
        Result folder with ``fields/series.pvd``.
    screenshot : path, optional
        Write a PNG of one position there and open no window. It appears whole or not at all.
    position : int, optional
        Number of the field, from 0, or from the last with -1. Default: the one with the largest root stress.
    magnification : float, optional
        Factor on the displacement. Default: one that makes it visible.
    zoom : float
        Above 1 closer to the teeth in mesh, below further away.

    Raises
    ------
    Fault
        If there are no fields, the position does not exist, or there is no display to open a window on.
    """
    ZOOM.check(zoom, "zoom")
    series = FieldSeries(Path(directory))
    number = series.most_stressed if position is None else series.checked(position)
    show_samples(
        lambda off_screen: _build(series, number, magnification, zoom, off_screen=off_screen),
        samples=len(series.frames), first=number, what="position", screenshot=screenshot,
    )  # fmt: skip


class RootMark(NamedTuple):
    """Where the largest root stress of a frame is: node of the grid, von Mises stress [Pa], gear, tooth pair."""

    node: int
    stress: float
    gear: str
    pair: int


@dataclass(frozen=True, eq=False)
class FieldSeries:
    """The fields of a result folder.

    Parameters
    ----------
    directory : Path
        Result folder.
    """

    directory: Path

    @cached_property
    def frames(self) -> list[tuple[float, Path]]:
        """Phase [pitches] or time [s], and the file of each frame."""
        return fields.read_series(self.directory / fields.FOLDER / fields.SERIES)

    @cached_property
    def dataset(self) -> Any:
        """Curves of the result; None where there are only fields."""
        try:
            dataset = store.open_dataset(self.directory)
            return labelled(Result(summary={}, dataset=dataset, directory=self.directory)).dataset
        except Fault:
            return None

    @cached_property
    def most_stressed(self) -> int:
        """Number of the frame with the largest root stress; the middle one where it is not known."""
        known = self._root_stress()
        if known is None:
            return len(self.frames) // 2
        value, stress = known
        nearest = [int(np.argmin(np.abs(value - v))) for v, _ in self.frames]
        return int(np.argmax(stress[nearest]))

    @cached_property
    def stress_limit(self) -> float:
        """End of the colours [Pa]: the largest root stress of the study, else what few nodes of a frame exceed."""
        known = self._root_stress()
        if known is not None:
            return float(known[1].max())
        return float(np.percentile(self.load(self.most_stressed)["von_mises"], PERCENTILE))

    def label(self, number: int) -> str:
        """Return where a frame is, in words."""
        value, path = self.frames[number]
        if self.dataset is not None and "wheel_mode" in self.dataset.dims:
            return path.stem.replace("_", " ")
        if self.dataset is not None and "time" in self.dataset.dims:
            return f"t = {value * 1e3:.4g} ms"
        return f"phase {value:.4g}"

    @property
    def title(self) -> str:
        """Title of the case."""
        return "" if self.dataset is None else str(self.dataset.attrs.get("title", ""))

    def checked(self, position: int) -> int:
        """Return the number of a frame counted from the first or, negative, from the last."""
        n = len(self.frames)
        if not -n <= position < n:
            raise Fault("position", position, f"between 0 and {n - 1}", "choose one of the fields written")
        return position % n

    def load(self, number: int) -> Any:
        """Read a frame as a pyvista grid."""
        import pyvista as pv

        path = self.frames[number][1]
        try:
            with warnings.catch_warnings(), _silent_vtk():
                # what VTK says about a broken file is said below, in one line
                warnings.simplefilter("ignore")
                grid = pv.read(store.stored_files(self.directory).checked(f"{fields.FOLDER}/{path.name}"))
        except Fault:
            raise
        except (OSError, ValueError, RuntimeError) as error:
            raise _not_a_field(path, str(error)) from error
        # VTK answers a truncated file with an empty grid
        needed = {"displacement", "von_mises"} - set(grid.point_data)
        if needed or "gear" not in grid.cell_data or grid.n_cells == 0:
            raise _not_a_field(path, "truncated, or written by another program")
        return grid

    def root_mark(self, number: int, grid: Any) -> RootMark | None:
        """Return where the largest von Mises stress on the tension side of a root is.

        Where the stress is nearly even across the face, at the node of these that is next to the eye. None where it is
        not known, or no node of the frame has it: a frame between two samples of a motion.
        """
        if self.dataset is None or "root_stress" not in self.dataset or "wheel_mode" in self.dataset.dims:
            return None
        lead = "time" if "time" in self.dataset.dims else "phase"
        value = np.asarray(self.dataset[lead].values, dtype=float)
        away = np.abs(value - self.frames[number][0])
        at = int(np.argmin(away))
        if away[at] > AT_SAMPLE * float(np.diff(value).max(initial=0.0)) + np.finfo(float).eps:
            return None
        stress = np.asarray(self.dataset["root_stress"].values[at, :, :, 0], dtype=float)
        if not (np.isfinite(stress) & (stress > 0.0)).any():
            return None
        gear, column = (int(i) for i in np.unravel_index(int(np.nanargmax(stress)), stress.shape))
        largest = float(np.nanmax(stress))
        of_cell = np.asarray(grid.cell_data["gear"])
        nodes = np.unique(grid.cells_dict[VTK_HEXAHEDRON][of_cell == gear])
        off = np.abs(np.asarray(grid.point_data["von_mises"], dtype=float)[nodes] - largest)
        nearest = int(np.argmin(off))
        if off[nearest] > FOUND * largest:
            return None
        points = np.asarray(grid.points, dtype=float)[nodes]
        same_profile = np.linalg.norm(points[:, :2] - points[nearest, :2], axis=1) <= 1e-4 * np.ptp(points[:, 0])
        even = np.flatnonzero(same_profile & (off <= max(EVEN * largest, off[nearest])))
        pairs = self.dataset["slot_pair"].values[at] if "slot_pair" in self.dataset else self.dataset["pair"].values
        node = int(nodes[even[np.argmax(points[even, 2])]])
        return RootMark(node, largest, str(self.dataset["gear"].values[gear]), int(pairs[column]))

    @cached_property
    def words_of_motion(self) -> str:
        """Say the largest stress there of a motion and when, beside that of a frame; empty of a study at rest."""
        if self.dataset is None or "root_stress" not in self.dataset or "time" not in self.dataset.dims:
            return ""
        tension = np.nan_to_num(np.asarray(self.dataset["root_stress"].values[..., 0], dtype=float))
        stress = tension.reshape(len(tension), -1).max(axis=1, initial=0.0)
        at = int(np.argmax(stress))
        return f"largest of the motion {1e-6 * stress[at]:.0f} MPa, at {1e3 * float(self.dataset['time'][at]):.4g} ms"

    def _root_stress(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return phase or time, and the largest root stress there [Pa], where it was computed."""
        if self.dataset is None or "root_stress" not in self.dataset:
            return None
        lead = "time" if "time" in self.dataset.dims else "phase"
        stress = np.asarray(self.dataset["root_stress"].values, dtype=float)
        largest = np.nan_to_num(stress).reshape(len(stress), -1).max(axis=1, initial=0.0)
        if not largest.any():
            return None
        return np.asarray(self.dataset[lead].values, dtype=float), largest


@dataclass(frozen=True, kw_only=True)
class View:
    """Where the camera looks, and how much is seen.

    Parameters
    ----------
    focus : (float, float, float) [m]
        Middle of the engagement.
    height : float [m]
        Height of the picture.
    """

    focus: tuple[float, float, float]
    height: float

    @classmethod
    def of(cls, grid: Any) -> View:
        """Look at where the two gears overlap along the line of centres (the x axis)."""
        of_cell = np.asarray(grid.cell_data["gear"])
        x = [grid.extract_cells(np.flatnonzero(of_cell == g)).points[:, 0] for g in np.unique(of_cell)]
        outer, inner = float(x[0].max()), float(x[-1].min())
        depth = outer - inner
        if len(x) < 2 or not 0.0 < depth < 0.25 * float(np.ptp(grid.points[:, 0])):
            # one gear alone, or one inside the other: all of it
            return cls(focus=grid.center, height=1.1 * float(np.ptp(grid.points[:, 1])))
        return cls(focus=(0.5 * (outer + inner), 0.0, 0.0), height=VIEW_HEIGHT * depth)

    def magnification(self, grid: Any) -> float:
        """Return the largest of 1, 2, 5, 10, 20 ... that keeps the displacement below its part of the picture."""
        near = np.linalg.norm(grid.points[:, :2] - np.array(self.focus[:2]), axis=1) < 0.7 * self.height
        largest = float(np.linalg.norm(grid.point_data["displacement"][near], axis=1).max(initial=0.0))
        if largest == 0.0:
            return 1.0
        exact = VISIBLE_DISPLACEMENT * self.height / largest
        power = 10.0 ** math.floor(math.log10(exact))
        return max(1.0, power * max(step for step in (1.0, 2.0, 5.0) if step * power <= exact * (1.0 + 1e-12)))


@contextlib.contextmanager
def _silent_vtk() -> Iterator[None]:
    """Keep VTK from printing, with addresses in memory."""
    from vtkmodules.vtkCommonCore import vtkObject

    shown = vtkObject.GetGlobalWarningDisplay()
    vtkObject.GlobalWarningDisplayOff()
    try:
        yield
    finally:
        vtkObject.SetGlobalWarningDisplay(shown)


def feature_edges(surface: Any) -> Any:
    """Return the edges of the body: they part the two gears where both have the same colour."""
    return surface.extract_feature_edges(
        feature_angle=40.0, boundary_edges=False, non_manifold_edges=False, manifold_edges=False
    )


def deformed_surface(grid: Any, magnification: float) -> Any:
    """Return the outside of the deformed gears with the von Mises stress in MPa at its points."""
    moved = grid.copy(deep=False)
    moved.points = grid.points + magnification * grid.point_data["displacement"]
    moved.point_data[SCALAR] = grid.point_data["von_mises"] * 1e-6
    return moved.extract_surface(algorithm="dataset_surface")


def _build(
    series: FieldSeries, number: int, magnification: float | None, zoom: float, *, off_screen: bool
) -> tuple[Any, Any]:
    """Return the plotter and the function that puts another frame into it.

    The bar of the colours has a strip of its own, so that it lies on no tooth.
    """
    import pyvista as pv

    grid = series.load(number)
    view = View.of(grid)
    factor = view.magnification(grid) if magnification is None else magnification
    plotter: Any = pv.Plotter(
        off_screen=off_screen,
        window_size=list(WINDOW),
        title="alegear",
        shape=(1, 2),
        col_weights=[100 - STRIP, STRIP],
        border=False,
    )
    plotter.set_background("white")
    plotter.subplot(0, 0)
    surface = deformed_surface(grid, factor)
    drawn = plotter.add_mesh(
        surface,
        scalars=SCALAR,
        clim=(0.0, series.stress_limit * 1e-6),
        cmap=COLOURS,
        show_edges=True,
        edge_color="black",
        edge_opacity=0.12,
        line_width=1.0,
        ambient=0.55,
        diffuse=0.45,
        specular=0.0,
        show_scalar_bar=False,
    )
    plotter.subplot(0, 1)
    plotter.add_scalar_bar(
        title=SCALAR.replace(" ", "\n") + "\n",  # the last line stays clear of the uppermost number
        mapper=drawn.mapper,
        color="black",
        vertical=True,
        position_x=0.1,
        position_y=0.15,
        height=0.7,
        width=0.5,
        title_font_size=18,
        label_font_size=18,
        fmt="%.0f",
        n_labels=6,
    )
    plotter.subplot(0, 0)
    edges = feature_edges(surface)
    plotter.add_mesh(edges, color="black", line_width=2.0, lighting=False)
    plotter.enable_parallel_projection()
    marked = series.root_mark(number, grid)
    point = None if marked is None else _moved(marked.node, grid, factor)
    eye = 10.0 * view.height * direction_to_eye(surface, point, view.height)
    plotter.camera.focal_point = view.focus
    plotter.camera.position = tuple(np.array(view.focus) + eye)
    plotter.camera.up = (0.0, 1.0, 0.0)
    plotter.camera.parallel_scale = 0.5 * view.height / zoom
    plotter.camera.clipping_range = (0.1 * view.height, 40.0 * view.height)

    def caption(k: int) -> None:
        # VTK takes what stands between two $ for a formula
        title = series.title.replace("$", r"\$")
        text = f"{title}\n{series.label(k)}, displacement x {factor:g}"
        actor = plotter.add_text(text.strip(), position="upper_left", font_size=12, color="black", name="caption")
        actor.prop.background_color = "white"
        actor.prop.background_opacity = 0.8

    def mark(k: int, grid: Any) -> None:
        for name in ("mark", "leader"):
            plotter.remove_actor(name, render=False)
        found = series.root_mark(k, grid)
        if found is None:
            return
        point = _moved(found.node, grid, factor)
        plotter.subplot(0, 0)
        hidden = "" if sees(surface, point, eye) else " (hidden)"
        lines = [
            "largest on the tension side of a root",
            f"von Mises {1e-6 * found.stress:.0f} MPa",
            f"{found.gear}, tooth in pair {found.pair}{hidden}",
            *filter(None, [series.words_of_motion]),
        ]
        low = MARK[1] - LINE * (len(lines) - 1)
        text = "\n".join(lines)
        label = plotter.add_text(text, position=(MARK[0], low), viewport=True, font_size=12, color="black", name="mark")
        label.prop.background_color = "white"
        label.prop.background_opacity = 0.8
        plotter.add_actor(_leader(point, low), name="leader", reset_camera=False)

    def change(k: int) -> None:
        grid = series.load(k)
        surface.copy_from(deformed_surface(grid, factor))
        edges.copy_from(feature_edges(surface))
        mark(k, grid)
        caption(k)

    mark(number, grid)
    caption(number)
    return plotter, change


def _moved(node: int, grid: Any, factor: float) -> np.ndarray:
    """Where a node is on the deformed gears [m]."""
    return np.asarray(grid.points[node] + factor * grid.point_data["displacement"][node], dtype=float)


def sees(surface: Any, point: np.ndarray, eye: np.ndarray) -> bool:
    """Whether nothing of a surface lies between a point of it and an eye, given from there."""
    return len(surface.ray_trace(point + 1e-3 * eye, point + eye)[0]) == 0


def direction_to_eye(surface: Any, point: np.ndarray | None, height: float) -> np.ndarray:
    """Return the first of :data:`EYES` from which a point is seen in a view of this height."""
    eyes = [np.array(eye) / np.linalg.norm(eye) for eye in EYES]
    if point is None:
        return eyes[0]
    return next((eye for eye in eyes if sees(surface, point, 10.0 * height * eye)), eyes[0])


def _leader(point: Any, low: float) -> Any:
    """An arrow from below the text of the mark, at a height, to a point in space, on top of all that is drawn."""
    from vtkmodules.vtkRenderingAnnotation import vtkLeaderActor2D

    leader = vtkLeaderActor2D()
    start, end = leader.GetPositionCoordinate(), leader.GetPosition2Coordinate()
    start.SetCoordinateSystemToNormalizedViewport()
    start.SetValue(MARK[0] + 0.1, low, 0.0)
    end.SetReferenceCoordinate(None)  # type: ignore[arg-type]  # else it would count from the start
    end.SetCoordinateSystemToWorld()
    end.SetValue(*map(float, point))
    leader.SetArrowPlacementToPoint2()
    leader.SetArrowStyleToFilled()
    leader.GetProperty().SetColor(0.0, 0.0, 1.0)
    leader.GetProperty().SetLineWidth(2.0)
    return leader


def _not_a_field(path: Path, reason: str) -> Fault:
    return Fault("stress field", path, f"a readable .vtu file of a result ({reason})", "run the case again")
