"""The cross-section of a tooth sector, filled with quadrilaterals by Gmsh.

In the tooth frame (x along the tooth's centre line):

- a surface layer on each side: along the whole profile from the middle of the tooth space through the fillet and up the
  flank to the tip land, a few elements deep, its grid lines normal to the fillet. So no irregular node lies near the
  root's critical section, and the elements there are thin;
- the core of the tooth between the layers, its rows run on from theirs;
- under it the centre rim block, down to the middle part of the bore arc;
- on both sides of that a side block from the lower part of the fillet's layer down to the bore, ending at the cut plane
  in the middle of the tooth space.

The three blocks that meet at the inner corner M under the middle of the fillet share its straight angle: about 60
degrees each, as far as the rim leaves room. Gmsh fills these blocks by transfinite interpolation between the given
boundary nodes; the layers are straight between the exact profile and their inner line.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.errors import AnalysisFailure
from alegear.mesh.grid_options import GridOptions

if TYPE_CHECKING:
    from alegear.geometry import ToothProfile
    from alegear.geometry.cylindrical_gear import CylindricalGear

_GMSH_LOCK = threading.Lock()  # Gmsh has one global state for the whole process.
_GMSH_OPTIONS = {
    "General.Terminal": 0,
    "Mesh.ElementOrder": 1,
    "Mesh.Smoothing": 0,
    "Mesh.SubdivisionAlgorithm": 0,
}

# Along the fillet the surface layer is this part of the smallest radius of curvature deep: there the stress has fallen
# to about half of that at the surface. Thin rims and teeth limit it to a part of their own size. On this lowest part of
# the flank it grows to its share of the tooth's thickness.
LAYER_OF_RADIUS = 0.55
LAYER_OF_RIM = 0.35
LAYER_OF_NECK = 0.25
LAYER_GROWS_OVER = 0.4
LEAST_ELEMENTS_TO_GRADE_AT_BORE = 3  # of the rim block


@dataclass(frozen=True, kw_only=True, eq=False)
class _Boundary:
    """Boundary nodes of the section's blocks, each (n, 2) [m]; mirrored lines run in the mirrored sense.

    ``outer`` runs up the profile from the tooth space's middle to the tip, ``inner`` likewise on the other side of the
    surface layer (the same line if there is none); M is the node of ``inner`` after the lower fillet elements. ``tip``
    and ``waist`` (the line between the two M) run from -y to +y between the layers, ``bore`` likewise over the whole
    sector, ``spoke`` from M down to the bore, ``cut`` from the lowest node of ``inner`` down to the bore.
    """

    outer: Array
    inner: Array
    tip: Array
    waist: Array
    spoke: Array
    cut: Array
    bore: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class SectorSection:
    """Nodes of the section's blocks, each (rows, cols, 2) [m].

    ``rim``: rows from the bore up, columns from -y to +y over the three rim blocks. ``core``: rows from the waist to
    the tip, columns likewise; its first row lies in the last of the rim. ``layer``: rows up the profile of flank a,
    columns from the surface inwards; its last column lies in rim and core.
    """

    rim: Array
    core: Array
    layer: Array


def section_of(gear: CylindricalGear, options: GridOptions) -> SectorSection:
    """The section of a tooth sector, its own mirror image in y.

    Raises
    ------
    AnalysisFailure
        If Gmsh cannot be loaded or fails.
    """
    return _fill_blocks(_boundary(gear, options), gear.m_n, options)


# --- boundary ---------------------------------------------------------------------------------------------------------


def _boundary(gear: CylindricalGear, options: GridOptions) -> _Boundary:
    profile = gear.tooth_profile
    half_pitch = np.pi / gear.z
    r_bore = gear.r_rim
    lower = options.lower_fillet_elements

    fillet_s = profile.s_root * np.arange(options.fillet_elements, 0, -1) / options.fillet_elements
    flank_s = profile.s_tip * np.arange(options.flank_elements + 1) / options.flank_elements
    s = np.concatenate([fillet_s, flank_s])
    outer = profile.points(s)
    # The cut planes must match by rotation, so their corner lies on the exact angle even if s_root is rounded.
    outer[0] = _polar(np.hypot(*outer[0]), half_pitch)
    inner = _inner_line(gear, outer, s, options)

    corner, fillet = inner[lower], inner[lower::-1]
    r_corner, theta_corner = np.hypot(*corner), np.arctan2(corner[1], corner[0])
    waist_slope, spoke_lean = _corner_angles(_direction(inner, lower), theta_corner)

    depth = np.hypot(*fillet[-1]) - r_bore
    n_rim = options.rim_elements - options.layer_elements
    fraction = _graded(n_rim, depth, _finest(fillet, lower, r_corner * theta_corner, options), options.order)
    spoke = _spoke(r_corner, theta_corner, r_bore, spoke_lean, fraction)
    spoke[0] = corner
    cut = _polar(_mix(np.hypot(*fillet[-1]), r_bore, fraction), half_pitch)
    cut[0] = fillet[-1]

    theta_bore = np.arctan2(spoke[-1, 1], spoke[-1, 0])
    side = np.linspace(theta_bore, half_pitch, lower + 1)
    middle = theta_bore * _symmetric_steps(options.core_elements)
    bore = _polar(r_bore, np.concatenate([-side[:0:-1], middle, side[1:]]))
    bore[0], bore[-1] = mirrored(cut[-1:])[0], cut[-1]

    waist = _waist(r_corner, theta_corner, r_bore, waist_slope, options.core_elements)
    waist[0], waist[-1] = mirrored(corner[None])[0], corner
    theta_tip = np.arctan2(inner[-1, 1], inner[-1, 0])
    tip = _polar(np.hypot(*outer[-1]), theta_tip * _symmetric_steps(options.core_elements))
    tip[0], tip[-1] = mirrored(inner[-1:])[0], inner[-1]
    return _Boundary(outer=outer, inner=inner, tip=tip, waist=waist, spoke=spoke, cut=cut, bore=bore)


def _inner_line(gear: CylindricalGear, outer: Array, s: Array, options: GridOptions) -> Array:
    """Inner side of the surface layer, a node for each of the profile, (n, 2) [m].

    Along the fillet it is the profile's parallel. Up the flank its depth soon goes over into a share of the thickness
    there, equal to that of the other elements across the tooth, and the direction of its rows from the normal into that
    of the tip circle.
    """
    if options.layer_elements == 0:
        return outer.copy()
    profile = gear.tooth_profile
    below_form = np.linspace(profile.s_root_circle, 0.0, 200)[1:-1]
    sharpest = float(np.max(-profile.curvature(below_form)))
    neck = float(outer[options.lower_fillet_elements : options.fillet_elements + 1, 1].min())
    rim = float(np.hypot(*outer[0])) - gear.r_rim
    depth = min(LAYER_OF_RADIUS / sharpest, LAYER_OF_RIM * rim, LAYER_OF_NECK * neck)

    radius, theta = np.hypot(*outer.T), np.arctan2(outer[:, 1], outer[:, 0])
    share = 2.0 * options.layer_elements / options.thickness_elements
    t = np.clip(s / (LAYER_GROWS_OVER * profile.s_tip), 0.0, 1.0)
    flank = (t**2 * (3.0 - 2.0 * t))[:, None]  # from 0 to 1 without kinks
    inwards = _mix(-_smooth_normals(profile, s, depth), _polar(1.0, theta[-1] - 0.5 * np.pi), flank)
    inwards /= np.linalg.norm(inwards, axis=1)[:, None]
    inner = outer + inwards * _mix(depth, (share * radius * theta)[:, None], flank)
    inner[0] = _polar(radius[0] - depth, np.pi / gear.z)
    inner[-1] = _polar(radius[-1], (1.0 - share) * theta[-1])
    return inner


def _smooth_normals(profile: ToothProfile, s: Array, width: float) -> Array:
    """Outward unit normals of the profile, their angle averaged over -width ... +width [m] of arc length, (n, 2).

    Across the edge that undercut leaves at the root form circle parallel lines would cross otherwise.
    """
    half_pitch = np.pi / profile.z
    fine = np.linspace(profile.s_root - 2.0 * width, profile.s_tip, 2001)
    # beyond the middle of the tooth space the next tooth's flank, which is the mirror image
    beyond = fine < profile.s_root
    normals = profile.normals(np.where(beyond, 2.0 * profile.s_root - fine, fine))
    angle = np.arctan2(normals[:, 1], normals[:, 0])
    angle[beyond] = 2.0 * half_pitch - angle[beyond]
    angle = np.unwrap(angle)
    fine, angle = np.append(fine, profile.s_tip + 2.0 * width), np.append(angle, angle[-1])
    integral = np.concatenate([[0.0], np.cumsum(0.5 * (angle[1:] + angle[:-1]) * np.diff(fine))])
    mean = (np.interp(s + width, fine, integral) - np.interp(s - width, fine, integral)) / (2.0 * width)
    return _polar(1.0, mean)


def _direction(line: Array, i: int) -> Array:
    """Unit vector along a line of nodes at node i, (2,)."""
    chord = line[min(i + 1, len(line) - 1)] - line[max(i - 1, 0)]
    return chord / np.linalg.norm(chord)


def _corner_angles(tangent: Array, theta: float) -> tuple[float, float]:
    """Slope of the waist line at the corner M (positive: sags towards the axis) and lean of the spoke [rad].

    The layer leaves M upwards at ``up`` from the radius, leaning to the tooth's centre. Waist and spoke divide the
    straight angle under it in three equal parts; neither may turn away too far from the circle and the radius.
    """
    radial, tangential = tangent @ _polar(1.0, theta), tangent @ _polar(1.0, theta + 0.5 * np.pi)
    up = np.arctan2(-tangential, radial)
    slope = np.clip(up - np.pi / 6.0, np.radians(-5.0), np.radians(40.0))
    lean = np.clip(np.pi / 3.0 - up, np.radians(0.0), np.radians(45.0))
    return float(slope), float(lean)


def _finest(fillet: Array, lower: int, half_width: float, options: GridOptions) -> float:
    """Radial size [m] of the uppermost rim elements: between those of the fillet and those across the tooth."""
    along_fillet = float(np.linalg.norm(np.diff(fillet, axis=0), axis=1).sum()) / lower
    across_tooth = 2.0 * half_width / options.core_elements
    return float(np.sqrt(along_fillet * across_tooth))


def _graded(n: int, length: float, first: float, order: int) -> Array:
    """Fractions 0 ... 1 of n steps over a length [m], the first of the given size, growing in geometric progression.

    The steps of one element of second order are equal. The last element is half as long as the one before: at the bore
    the clamped body has its own stress concentration, strong in a segment with free cut planes. Steps never shrink
    otherwise: if n steps of the given size reach beyond the length, all are equal.
    """
    element = np.arange(n) // order
    if n * first >= length or element[-1] == 0:
        return np.arange(n + 1) / n
    at_bore = (element == element[-1]) & (element[-1] >= LEAST_ELEMENTS_TO_GRADE_AT_BORE)
    power, factor = element - at_bore, np.where(at_bore, 0.5, 1.0)
    low, high = 1.0, 1.0 + 2.0 * length / first
    for _ in range(100):  # bisection: the sum of the steps rises with the ratio
        ratio = 0.5 * (low + high)
        if first * np.sum(factor * ratio**power) < length:
            low = ratio
        else:
            high = ratio
    steps = factor * low**power
    fractions = np.concatenate([[0.0], np.cumsum(steps) / steps.sum()])
    fractions[-1] = 1.0
    return fractions


def _spoke(r_corner: float, theta_corner: float, r_bore: float, lean: float, fraction: Array) -> Array:
    """Line from the corner M to the bore: leaves M leaning to the centre, ends radially."""
    depth = r_corner - r_bore
    # theta(t) = theta_corner - swing (1 - (1 - t)^power) has the slope power * swing at M.
    wanted = np.tan(lean) * depth / r_corner
    swing = min(0.5 * wanted, 0.35 * theta_corner)
    power = min(wanted / swing, 10.0) if swing > 0.0 else 2.0
    theta = theta_corner - swing * (1.0 - (1.0 - fraction) ** power)
    return _polar(_mix(r_corner, r_bore, fraction), theta)


def _waist(r_corner: float, theta_corner: float, r_bore: float, slope: float, n: int) -> Array:
    """Line between the two corners M: a parabola in polar coordinates with the given slope at its ends."""
    sag = 0.5 * np.tan(slope) * r_corner * theta_corner
    sag = min(sag, 0.35 * (r_corner - r_bore))
    position = _symmetric_steps(n)
    return _polar(r_corner - sag * (1.0 - position**2), theta_corner * position)


def _symmetric_steps(n: int) -> Array:
    """Return -1 ... 1 in n equal steps, symmetric to the last bit (which linspace is not)."""
    return np.arange(-n, n + 1, 2) / n


def _polar(r: float | Array, theta: float | Array) -> Array:
    """Points (..., 2) from polar coordinates."""
    return np.stack(np.broadcast_arrays(r * np.cos(theta), r * np.sin(theta)), axis=-1)


def _mix(start: float | Array, end: float | Array, fraction: Array) -> Array:
    return start + (end - start) * fraction


def mirrored(points: Array) -> Array:
    """Mirror image in y of points (..., 2)."""
    return points * np.array([1.0, -1.0])


# --- Gmsh -------------------------------------------------------------------------------------------------------------


def _fill_blocks(boundary: _Boundary, scale: float, options: GridOptions) -> SectorSection:
    """Nodes of all blocks. Gmsh works in units of ``scale`` [m], because its tolerances are absolute."""
    b = boundary
    n_side, n_core = options.lower_fillet_elements, options.core_elements
    fillet, face = b.inner[n_side::-1], b.inner[n_side:]
    left, middle, right = b.bore[: n_side + 1], b.bore[n_side : n_side + n_core + 1], b.bore[n_side + n_core :]
    blocks = [
        (b.waist, face, b.tip, mirrored(face)),
        (middle, b.spoke[::-1], b.waist, mirrored(b.spoke[::-1])),
        (right, b.cut[::-1], fillet, b.spoke[::-1]),
        (left, mirrored(b.spoke[::-1]), mirrored(fillet[::-1]), mirrored(b.cut[::-1])),
    ]
    with _gmsh_model() as gmsh:
        core, centre, side_a, side_b = (
            scale * grid for grid in _transfinite(gmsh, [[side / scale for side in block] for block in blocks])
        )
    rim = np.concatenate([side_b[:, :-1], centre, side_a[:, 1:]], axis=1)

    for block in (core, rim):
        _make_symmetric(block)
    # Scaling rounds: put the boundary nodes back where they were given.
    rim[0] = b.bore
    rim[-1] = np.concatenate([mirrored(fillet[:0:-1]), b.waist, fillet[1:]])
    rim[:, 0], rim[:, -1] = mirrored(b.cut[::-1]), b.cut[::-1]
    core[0], core[-1] = b.waist, b.tip
    core[:, 0], core[:, -1] = mirrored(face), face
    return SectorSection(rim=rim, core=core, layer=_layer(b, options.layer_elements))


def _layer(boundary: _Boundary, n: int) -> Array:
    """Nodes of the surface layer, n equal steps from the profile to the inner line; the last row on the tip circle."""
    if n == 0:
        return boundary.outer[:, None]
    fraction = (np.arange(n + 1) / n)[:, None]
    layer = _mix(boundary.outer[:, None], boundary.inner[:, None], fraction)
    outer, inner = (float(np.arctan2(line[-1, 1], line[-1, 0])) for line in (boundary.outer, boundary.inner))
    layer[-1, 1:-1] = _polar(np.hypot(*boundary.outer[-1]), _mix(outer, inner, fraction[1:-1, 0]))
    layer[:, 0], layer[:, -1] = boundary.outer, boundary.inner
    return layer


def _make_symmetric(block: Array) -> None:
    """Replace each node by the mean of itself and its mirror image, in place: Gmsh is symmetric to round-off only."""
    block[:] = 0.5 * (block + mirrored(block[:, ::-1]))


def _restore_signal_handlers() -> None:
    """Undo that Gmsh lets a broken pipe or a request to end end the process at once, past all Python code."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        handler = signal.getsignal(number)
        if handler is not None:  # None: set by a program around Python, which knows what it wants
            signal.signal(number, handler)


@contextmanager
def _gmsh_model() -> Iterator[Any]:
    """A fresh, silent Gmsh model, removed afterwards; Gmsh itself stays as it was found (started or not)."""
    try:
        import gmsh
    except (OSError, ImportError) as error:
        raise AnalysisFailure(
            f"Gmsh cannot be loaded ({error}); install its system libraries, "
            "on Debian: apt-get install libglu1-mesa libxcursor1 libxft2 libxinerama1"
        ) from error
    with _GMSH_LOCK:
        found_running = bool(gmsh.isInitialized())
        if not found_running:
            # interruptible=True would set a signal handler, which works in the main thread only.
            gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
            _restore_signal_handlers()
        found_options = {name: gmsh.option.getNumber(name) for name in _GMSH_OPTIONS}
        active = gmsh.model.getCurrent()
        try:
            for name, value in _GMSH_OPTIONS.items():
                gmsh.option.setNumber(name, value)
            gmsh.model.add("alegear_sector")
            yield gmsh
        except AnalysisFailure:
            raise
        except Exception as error:  # Gmsh raises plain Exception
            raise AnalysisFailure(f"Gmsh failed on the tooth sector: {error}") from error
        finally:
            if found_running:
                gmsh.model.setCurrent("alegear_sector")
                gmsh.model.remove()
                gmsh.model.setCurrent(active)
                for name, value in found_options.items():
                    gmsh.option.setNumber(name, value)
            else:
                gmsh.finalize()


def _transfinite(gmsh: Any, blocks: list[list[Array]]) -> list[Array]:
    """Fill four-sided blocks by transfinite quadrilaterals between given nodes.

    Each block is (bottom, right, top, left): bottom and top from left to right, left and right upwards, each (n, 2).
    Every element edge on a side becomes a Gmsh line of its own, so that the boundary nodes are exactly the given ones.

    Returns the nodes of each block, (len(left), len(bottom), 2).
    """
    geo = gmsh.model.geo
    surfaces = []
    for bottom, right, top, left in blocks:
        loop = np.concatenate([bottom[:-1], right[:-1], top[:0:-1], left[:0:-1]])
        points = [geo.addPoint(x, y, 0.0) for x, y in loop.tolist()]
        lines = [geo.addLine(start, end) for start, end in pairwise([*points, points[0]])]
        surface = geo.addPlaneSurface([geo.addCurveLoop(lines)])
        across, up = len(bottom) - 1, len(left) - 1
        corners = [points[0], points[across], points[across + up], points[2 * across + up]]
        geo.mesh.setTransfiniteSurface(surface, "Left", corners)
        for line in lines:
            geo.mesh.setTransfiniteCurve(line, 2)
        surfaces.append(surface)
    geo.synchronize()
    gmsh.model.mesh.generate(2)

    grids = []
    for surface, (bottom, right, top, left) in zip(surfaces, blocks, strict=True):
        # the nodes inside come column by column
        inside = gmsh.model.mesh.getNodes(2, surface)[1].reshape(len(bottom) - 2, len(left) - 2, 3)
        grid = np.empty((len(left), len(bottom), 2))
        grid[0], grid[-1], grid[:, 0], grid[:, -1] = bottom, top, left, right
        grid[1:-1, 1:-1] = inside[:, :, :2].swapaxes(0, 1)
        grids.append(grid)
    return grids
