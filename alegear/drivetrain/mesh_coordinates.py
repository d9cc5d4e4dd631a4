"""Rotations and displacements of both gears of a mesh, in its frame, by the coordinates of the system."""

from __future__ import annotations

from math import tan

import numpy as np

from alegear.drivetrain.gear_mesh import MeshPlace, MeshSurroundings
from alegear.system.coordinates import TURN, Array, Indices, Place, X, Y, Z

#: Part of the largest eigenvalue of a stiffness below which it is none: round-off of its tangent.
NONE = 1e-12


def mesh_rows(place: MeshPlace, surroundings: MeshSurroundings, axial: float) -> tuple[Indices, Array, Array]:
    """Coordinates of a mesh, and rows of phi_A, phi_B, x_A, y_A, x_B, y_B for normal forces and for friction.

    Displacements are those of the axes in a transverse section. Rotations for normal forces have the axial
    displacement of helical teeth in them, at the pitch point.

    Parameters
    ----------
    place : MeshPlace
    surroundings : MeshSurroundings
    axial : float [m]
        Where the section is, from mid-face of the first gear.

    Returns
    -------
    coordinates : shape (n_e,)
    normal, plain : shape (6, n_e)
    """
    pair, mid_face = place.pair, place.origin + axial * place.axes[2]
    centres = (mid_face, mid_face + pair.a_w * place.axes[0])
    radii = (pair.pinion.r_b, pair.wheel.r_b)
    return gear_rows(surroundings.gears, centres, place.pitch_point, place.axes, radii, pair.beta_b)


def gear_rows(
    gears: tuple[Place, Place],
    centres: tuple[Array, Array],
    pitch_point: Array,
    axes: Array,
    base_radii: tuple[float, float],
    beta_b: float,
) -> tuple[Indices, Array, Array]:
    """As :func:`mesh_rows`, of gears at their places: centres and pitch point in space (3,) [m], axes (3, 3)."""
    at = np.unique(np.concatenate([gear.coordinates for gear in gears]))
    plain, normal = np.zeros((6, len(at))), np.zeros((6, len(at)))
    for g, (gear, centre, r_b, hand) in enumerate(zip(gears, centres, base_radii, (-1.0, 1.0), strict=True)):
        own, used = np.searchsorted(at, gear.coordinates), np.array([g, 2 + 2 * g, 3 + 2 * g])
        plain[np.ix_(used, own)] = gear.at(centre).rows_along(axes)[[TURN, X, Y]]
        normal[used] = plain[used]
        normal[g, own] += hand * tan(beta_b) / r_b * gear.at(pitch_point).rows_along(axes)[Z]
    return at, normal, plain


def error_unturned(place: MeshPlace, surroundings: MeshSurroundings) -> float:
    """Transmission error [m] where no shaft has turned: of the driven gear against the driver along the line."""
    r_b = [gear.r_b for gear in place.pair.gears]
    driving, driven = place.driving, 1 - place.driving
    return float(r_b[driven] * surroundings.angles[driven] - r_b[driving] * surroundings.angles[driving])


def positive_part(stiffness: Array) -> tuple[Array, Array, Array]:
    """A stiffness of coordinates (n, n), its symmetric part without negative eigenvalues, as that of k deformations.

    Eigenvalues are those of the matrix scaled to ones on its diagonal, so that displacements and rotations weigh alike.

    Returns
    -------
    values : shape (k,)
        Stiffness of each deformation.
    rows : shape (k, n)
        Deformations by the coordinates.
    motions : shape (n, k)
        Of which each makes one deformation of 1.
    """
    size = np.sqrt(np.maximum(np.diag(stiffness), 0.0))
    size[size == 0.0] = 1.0
    values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T) / np.outer(size, size))
    kept = values > NONE * np.abs(values).max(initial=0.0)
    return values[kept], vectors[:, kept].T * size, vectors[:, kept] / size[:, None]
