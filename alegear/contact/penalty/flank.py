"""The true flank of a gear as a contact surface, and the grid on it that carries the elastic displacement.

The contact gap is measured between the true flanks (involute, tip round, generated root, microgeometry), never between
the flat facets of the grid: on a coarse grid the chord of a facet lies further from the involute than the teeth
deflect. The grid only interpolates the elastic displacement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from alegear.arrays import Array, Indices
from alegear.contact.face_grid import FaceGrid
from alegear.contact.penalty._kernels import NODES, gauss_weights
from alegear.contact.penalty.arc_profiles import FLANK_KNOTS, ArcProfiles, Round
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.unique_rows import unique_rows
from alegear.mesh.sector import SectorMesh

TOUCH = 5e-6  # modules by which flanks may come nearer between two points than at them: 0.02 um of module 4 mm
FLATTEST = 1.0  # modules: largest radius of relative curvature for which that holds; larger ones are off by less
SAME_PLACE, SAME_PROFILE = 2.5e-7, 2.5e-12  # modules


@dataclass(frozen=True, kw_only=True, eq=False)
class FlankSurface:
    """One loaded flank in its tooth frame, ready for the kernels.

    Attributes
    ----------
    side : float
        +1 for flank a (positive polar angle), -1 for flank b.
    knots : shape (n_curves, n_knots) [m]
        Rising arc lengths of the modified profiles from the root form point, tip round included.
    curve : shape (n_curves, n_knots, 4)
        x, y [m] and unit tangent towards the tip, there.
    curve_of : shape (n_sections,)
        Which of the curves is the profile in each section of the mating flank's Gauss points.
    grid : FaceGrid
        Carries the displacement.
    gauss_s, gauss_z, gauss_area : shape (n_gauss,) [m], [m], [m^2]
        Gauss points, facet after facet (facets row by row); area is the Gauss weight.
    gauss_section : shape (n_gauss,)
        Number of their place across the face, rising.
    facet_start : shape (n_facets + 1,)
        First Gauss point of each facet.
    gauss_xy : shape (n_gauss, 2) [m]
    gauss_nodes, gauss_weights : shape (n_gauss, 8)
        Interpolation of the displacement at the Gauss points; node = row * n_cols + column.
    flank_ends : (float, float) [m]
        Arc lengths between which the profiles are neither root nor edge in any section.
    row_s, row_centre, row_radius : shape (n_rows - 1,), (n_rows - 1, 2), (n_rows - 1,) [m]
        Arc length of the middle of each row of facets, and its bounding circle in the transverse plane.
    sphere_centre, sphere_radius : shape (n_facets, 3), (n_facets,) [m]
        Bounding spheres of the facets.
    """

    side: float
    knots: Array
    curve: Array
    curve_of: Indices
    grid: FaceGrid
    gauss_s: Array
    gauss_z: Array
    gauss_area: Array
    gauss_section: Indices
    facet_start: Indices
    gauss_xy: Array
    gauss_nodes: Indices
    gauss_weights: Array
    flank_ends: tuple[float, float]
    row_s: Array
    row_centre: Array
    row_radius: Array
    sphere_centre: Array
    sphere_radius: Array


def flank_surface(
    gear: CylindricalGear,
    sector: SectorMesh,
    flank: Literal["a", "b"],
    *,
    gauss_profile: int | None,
    gauss_face: int,
    face: tuple[float, float] | None = None,
    mating_z: Array | None = None,
) -> FlankSurface:
    """Build the contact surface of one flank.

    Parameters
    ----------
    gear : CylindricalGear
        Gives the true profile and the microgeometry.
    sector : SectorMesh
        Gives the grid; its flank nodes must lie on the unmodified flank.
    flank : {"a", "b"}
    gauss_profile : int or None
        Gauss points of one facet along the profile. None: points so close that between two of them flanks come no
        more than `TOUCH` nearer; so it is always on the tip round.
    gauss_face : int
        Gauss points of one facet across the face.
    face : (float, float), optional [m]
        Part of the face width that the mating flank has too; the Gauss rule covers this part only. Default: all of it.
    mating_z : shape (n_sections,), optional [m]
        Sections of the mating flank's Gauss points, :func:`gauss_sections` of its grid. Default: those of its own.

    Raises
    ------
    Fault
        If nodes of the grid do not lie on the flank (a sector mesh made elsewhere for another gear).
    """
    side = 1.0 if flank == "a" else -1.0
    grid = FaceGrid.of(gear, sector, flank)
    rows_s, cols_z = grid.rows_s, grid.cols_z
    own_z = gauss_sections(cols_z, gauss_face, face)
    mating_z = own_z if mating_z is None else mating_z
    all_z, profile_of = _different_profiles(gear, np.concatenate([own_z, mating_z]), flank)
    profiles = ArcProfiles.of(gear.modified_profile(all_z, flank=flank), float(rows_s[0]))

    lines = [_points_along(gear, rows_s, rounds, gauss_profile) for rounds in profiles.rounds]
    points = _points_of_facets(rows_s, cols_z, lines, profile_of[: len(own_z)], gauss_face, face)
    gauss_s, gauss_z, section = points["gauss_s"], points["gauss_z"], points["gauss_section"]
    gauss_xy = profiles.points(gauss_s, profile_of[section]) * np.array([1.0, side])
    nodes = np.empty((len(gauss_s), NODES), dtype=np.int64)
    weights = np.empty((len(gauss_s), NODES))
    gauss_weights(rows_s, grid.row_coefficients, cols_z, gauss_s, gauss_z, nodes, weights)
    return FlankSurface(
        side=side,
        knots=profiles.knots,
        curve=np.ascontiguousarray(profiles.curve * np.array([1.0, side, 1.0, side])),
        curve_of=profile_of[len(own_z) :],
        grid=grid,
        gauss_xy=np.ascontiguousarray(gauss_xy),
        gauss_nodes=nodes,
        gauss_weights=weights,
        flank_ends=profiles.flank_ends,
        **points,
        **_bounds(profiles, rows_s, cols_z, side),
    )


def gauss_sections(cols_z: Array, n_face: int, face: tuple[float, float] | None = None) -> Array:
    """Places of the Gauss points across the face, rising, shape (n_sections,) [m]."""
    z, weight = _across(cols_z, n_face, face)
    return z[weight > 0.0]


def _across(cols_z: Array, n: int, face: tuple[float, float] | None) -> tuple[Array, Array]:
    """Gauss points across the face and their weights [m], both (n_facets, n).

    A facet that reaches beyond `face` has its points on the part within, one that lies beyond has points of no weight.
    """
    eta, w_eta = np.polynomial.legendre.leggauss(n)
    edges = cols_z if face is None else np.clip(cols_z, *face)
    h = np.diff(edges)[:, None]
    return edges[:-1, None] + 0.5 * h * (1.0 + eta), 0.5 * h * w_eta


def _different_profiles(gear: CylindricalGear, z: Array, flank: Literal["a", "b"]) -> tuple[Array, Indices]:
    """Sections with different profiles [m], and which of them those at z (n,) have: without deviations in z, one."""
    profile = gear.tooth_profile
    roll = np.linspace(profile.roll_length_form, profile.roll_length_tip, FLANK_KNOTS)
    removal = np.round(gear.flank_removal(roll, z[:, None], flank) / (SAME_PROFILE * gear.m_n))
    first, which = unique_rows(removal)
    return z[first], which


def _points_along(gear: CylindricalGear, rows_s: Array, rounds: list[Round], n: int | None) -> tuple[Array, Array]:
    """Gauss points along a profile and their weights [m], rising.

    Between two points a distance h apart flanks of the radius of relative curvature rho come nearer by up to
    h^2/(8 rho).

    Parameters
    ----------
    rounds : of the profile, the tip round last
    n : int or None
        As `gauss_profile` above.
    """
    borders = np.union1d(rows_s, [place for low, high, _ in rounds for place in (low, high)])
    borders = borders[borders <= rounds[-1][1]]
    s, weight = [], []
    for low, high in pairwise(borders):
        if high - low < SAME_PLACE * gear.m_n:
            continue
        middle = 0.5 * (low + high)
        radius = next((radius for begin, end, radius in rounds if begin < middle < end), None)
        if radius is None and n is not None:
            xi, w_xi = np.polynomial.legendre.leggauss(n)
            x, w = middle + 0.5 * (high - low) * xi, 0.5 * (high - low) * w_xi
        else:
            if radius is None:
                radius = min(float(gear.tooth_profile.roll_length(max(middle, 0.0))), FLATTEST * gear.m_n)
            x, w = _cells(low, high, math.sqrt(8.0 * radius * TOUCH * gear.m_n))
        s.append(x)
        weight.append(w)
    return np.concatenate(s), np.concatenate(weight)


def _cells(low: float, high: float, largest: float) -> tuple[Array, Array]:
    """Middles and lengths of equal cells that are no longer than `largest` [m]."""
    n = math.ceil((high - low) / largest)
    return low + (high - low) * (np.arange(n) + 0.5) / n, np.full(n, (high - low) / n)


def _points_of_facets(
    rows_s: Array,
    cols_z: Array,
    lines: list[tuple[Array, Array]],
    line_of: Indices,
    n_face: int,
    face: tuple[float, float] | None,
) -> dict[str, Any]:
    """Gauss points facet after facet, from the points along the profile in each section across the face."""
    z, width = _across(cols_z, n_face, face)
    section = np.cumsum(width > 0.0).reshape(width.shape) - 1
    # points above the last row belong to its facet
    rows = [np.searchsorted(s, rows_s[1:-1]) for s, _ in lines]
    borders = [np.concatenate([[0], at, [len(s)]]) for at, (s, _) in zip(rows, lines, strict=True)]
    found: list[tuple[Array, ...]] = []
    start = [0]
    for row in range(len(rows_s) - 1):
        for column in range(len(cols_z) - 1):
            count = 0
            for q in np.flatnonzero(width[column] > 0.0):
                line = line_of[section[column, q]]
                here = slice(*borders[line][row : row + 2])
                s, length = lines[line][0][here], lines[line][1][here]
                same = np.ones(len(s))
                found.append((s, z[column, q] * same, width[column, q] * length, section[column, q] * same))
                count += len(s)
            start.append(start[-1] + count)
    s, at_z, area, of_section = (np.concatenate(column) for column in zip(*found, strict=True))
    return {
        "gauss_s": s,
        "gauss_z": at_z,
        "gauss_area": area,
        "gauss_section": of_section.astype(np.int64),
        "facet_start": np.array(start, dtype=np.int64),
    }


def _bounds(profiles: ArcProfiles, rows_s: Array, cols_z: Array, side: float) -> dict[str, Any]:
    """Bounding circles of the rows of facets, in all sections, and bounding spheres of the facets, which are curved."""
    samples = np.linspace(0.0, 1.0, 5)
    ends = np.append(rows_s[:-1], max(float(profiles.knots[:, -1].max()), rows_s[-1]))
    s = rows_s[:-1, None] + np.diff(ends)[:, None] * samples
    n = len(profiles.knots)
    xy = profiles.points(np.tile(s.reshape(-1), n), np.repeat(np.arange(n), s.size))
    xy = xy.reshape(n, *s.shape, 2) * np.array([1.0, side])
    middle = xy.mean(axis=(0, 2))
    off = np.linalg.norm(xy - middle[:, None, :], axis=3)
    row_radius = 1.02 * off.max(axis=(0, 2))  # 2 %: bulge between the samples
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
