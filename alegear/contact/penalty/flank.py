"""The true flank of a gear as a contact surface, and the grid on it that carries the elastic displacement.

The contact gap is measured between the true flanks (involute, tip round, generated root, microgeometry), never between
the flat facets of the grid: on a coarse grid the chord of a facet lies further from the involute than the teeth
deflect. The grid only interpolates the elastic displacement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from alegear.contact.face_grid import FaceGrid
from alegear.contact.penalty._kernels import NODES, gauss_weights
from alegear.contact.tip_round import SHARP_TIP, TipRound
from alegear.geometry.gear import Gear
from alegear.geometry.tooth_profile import ToothProfile
from alegear.mesh.sector import SectorMesh

Array = NDArray[np.float64]

CURVE_KNOTS = 1500  # spacing about 1e-5 m on a tooth of module 4 mm: the cubic is then exact to 1e-12 m
REMOVAL_COLUMNS = 17  # columns of the microgeometry table; cubic in z, so exact for a lead crowning


@dataclass(frozen=True, kw_only=True, eq=False)
class FlankSurface:
    """One loaded flank in its tooth frame, ready for the kernels.

    Attributes
    ----------
    side : float
        +1 for flank a (positive polar angle), -1 for flank b.
    curve_s0, curve_h : float [m]
        First knot and spacing of the profile curve, in arc length from the root form point.
    curve : shape (n_knots, 4)
        x, y [m] and unit tangent towards the tip.
    removal, removal_s : shape (n_knots, n_columns) [m], [1]
        Material removed normal to the flank, and its derivative along the profile.
    removal_z0, removal_dz : float [m]
        First column of that table and their distance.
    rows_s, cols_z : shape (n_rows,), (n_cols,) [m]
        The grid that carries the displacement.
    gauss_s, gauss_z, gauss_area, gauss_removal : shape (n_gauss,) [m], [m], [m^2], [m]
        Gauss points, facet after facet; area is the Gauss weight.
    gauss_xy : shape (n_gauss, 2) [m]
    gauss_nodes, gauss_weights : shape (n_gauss, 8)
        Interpolation of the displacement at the Gauss points; node = row * n_cols + column.
    row_s, row_centre, row_radius : shape (n_rows - 1,), (n_rows - 1, 2), (n_rows - 1,) [m]
        Arc length of the middle of each row of facets, and its bounding circle in the transverse plane.
    sphere_centre, sphere_radius : shape (n_facets, 3), (n_facets,) [m]
        Bounding spheres of the facets.
    """

    side: float
    curve_s0: float
    curve_h: float
    curve: Array
    removal: Array
    removal_s: Array
    removal_z0: float
    removal_dz: float
    rows_s: Array
    cols_z: Array
    gauss_s: Array
    gauss_z: Array
    gauss_area: Array
    gauss_removal: Array
    gauss_xy: Array
    gauss_nodes: NDArray[np.int64]
    gauss_weights: Array
    row_s: Array
    row_centre: Array
    row_radius: Array
    sphere_centre: Array
    sphere_radius: Array

    @property
    def n_nodes(self) -> int:
        """Nodes of the grid."""
        return len(self.rows_s) * len(self.cols_z)


def flank_surface(
    gear: Gear,
    sector: SectorMesh,
    flank: Literal["a", "b"],
    *,
    gauss_profile: int,
    gauss_face: int,
    face: tuple[float, float] | None = None,
) -> FlankSurface:
    """Build the contact surface of one flank.

    Parameters
    ----------
    gear : Gear
        Gives the true profile and the microgeometry.
    sector : SectorMesh
        Gives the grid; its flank nodes must lie on the unmodified flank.
    flank : {"a", "b"}
    gauss_profile, gauss_face : int
        Gauss points of one facet in both directions.
    face : (float, float), optional [m]
        Part of the face width that the mating flank has too; the Gauss rule covers this part only. Default: all of it.

    Raises
    ------
    Fault
        If nodes of the grid do not lie on the flank (a sector mesh made elsewhere for another gear).
    """
    side = 1.0 if flank == "a" else -1.0
    profile = gear.tooth_profile
    grid = FaceGrid.of(gear, sector, flank)
    rows_s, cols_z = grid.rows_s, grid.cols_z
    edge = TipRound.of(gear, SHARP_TIP)

    s_low = float(rows_s[0])
    s_high = edge.s_end
    knots = np.linspace(s_low, s_high, CURVE_KNOTS)
    xy, tangent = edge.curve(profile, knots)
    curve = np.column_stack([xy[:, 0], side * xy[:, 1], tangent[:, 0], side * tangent[:, 1]])

    half = 0.5 * gear.b
    columns = np.linspace(-half, half, REMOVAL_COLUMNS)
    roll = profile.roll_length(np.clip(knots, 0.0, profile.s_tip))
    removal = gear.flank_removal(np.repeat(roll, REMOVAL_COLUMNS), np.tile(columns, CURVE_KNOTS))
    removal = np.ascontiguousarray(removal.reshape(CURVE_KNOTS, REMOVAL_COLUMNS))
    removal_s = np.gradient(removal, knots, axis=0)

    gauss_s, gauss_z, gauss_area = _gauss_points(rows_s, cols_z, gauss_profile, gauss_face, face)
    gauss_xy, _ = edge.curve(profile, gauss_s)
    gauss_xy[:, 1] *= side
    gauss_roll = profile.roll_length(np.clip(gauss_s, 0.0, profile.s_tip))
    nodes = np.empty((len(gauss_s), NODES), dtype=np.int64)
    weights = np.empty((len(gauss_s), NODES))
    gauss_weights(rows_s, cols_z, gauss_s, gauss_z, nodes, weights)
    bounds = _bounds(edge, profile, rows_s, cols_z, side)
    return FlankSurface(
        side=side,
        curve_s0=s_low,
        curve_h=float(knots[1] - knots[0]),
        curve=np.ascontiguousarray(curve),
        removal=removal,
        removal_s=np.ascontiguousarray(removal_s),
        removal_z0=-half,
        removal_dz=float(columns[1] - columns[0]),
        rows_s=rows_s,
        cols_z=cols_z,
        gauss_s=gauss_s,
        gauss_z=gauss_z,
        gauss_area=gauss_area,
        gauss_removal=gear.flank_removal(gauss_roll, gauss_z),
        gauss_xy=np.ascontiguousarray(gauss_xy),
        gauss_nodes=nodes,
        gauss_weights=weights,
        **bounds,
    )


def _gauss_points(
    rows_s: Array, cols_z: Array, n_profile: int, n_face: int, face: tuple[float, float] | None
) -> tuple[Array, Array, Array]:
    """Arc length, z and area weight of all Gauss points, facet after facet (facets row by row).

    A facet that reaches beyond `face` has its points on the part within, one that lies beyond has points of no weight.
    """
    xi, w_xi = np.polynomial.legendre.leggauss(n_profile)
    eta, w_eta = np.polynomial.legendre.leggauss(n_face)
    edges = cols_z if face is None else np.clip(cols_z, *face)
    h_s, h_z = np.diff(rows_s), np.diff(edges)
    s = rows_s[:-1, None] + 0.5 * h_s[:, None] * (1.0 + xi)  # (facet row, point)
    z = edges[:-1, None] + 0.5 * h_z[:, None] * (1.0 + eta)
    area = 0.25 * np.einsum("i,j,p,q->ijpq", h_s, h_z, w_xi, w_eta)
    shape = area.shape
    s_all = np.broadcast_to(s[:, None, :, None], shape)
    z_all = np.broadcast_to(z[None, :, None, :], shape)
    return (
        np.ascontiguousarray(s_all).reshape(-1),
        np.ascontiguousarray(z_all).reshape(-1),
        np.ascontiguousarray(area).reshape(-1),
    )


def _bounds(edge: TipRound, profile: ToothProfile, rows_s: Array, cols_z: Array, side: float) -> dict[str, Array]:
    """Bounding circles of the rows of facets and bounding spheres of the facets, which are curved."""
    samples = np.linspace(0.0, 1.0, 5)
    s = rows_s[:-1, None] + np.diff(rows_s)[:, None] * samples
    xy, _ = edge.curve(profile, s.reshape(-1))
    xy = xy.reshape(*s.shape, 2) * np.array([1.0, side])
    middle = xy.mean(axis=1)
    row_radius = 1.02 * np.linalg.norm(xy - middle[:, None, :], axis=2).max(axis=1)  # 2 %: bulge between the samples
    z_middle, z_half = 0.5 * (cols_z[1:] + cols_z[:-1]), 0.5 * np.diff(cols_z)
    centre = np.empty((len(middle), len(z_middle), 3))
    centre[:, :, :2] = middle[:, None, :]
    centre[:, :, 2] = z_middle
    return {
        "row_s": np.ascontiguousarray(s[:, 2]),
        "row_centre": np.ascontiguousarray(middle),
        "row_radius": row_radius,
        "sphere_centre": np.ascontiguousarray(centre.reshape(-1, 3)),
        "sphere_radius": np.ascontiguousarray(np.hypot(row_radius[:, None], z_half).reshape(-1)),
    }
