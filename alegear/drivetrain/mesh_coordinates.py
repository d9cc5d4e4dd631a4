"""Rotations and displacements of both gears of a mesh, in its frame, by the coordinates of the system."""

from __future__ import annotations

from math import tan

import numpy as np

from alegear.drivetrain.flexible import place_rows
from alegear.drivetrain.gear_mesh import MeshPlace, MeshSurroundings
from alegear.system.coordinates import TURN, Array, Indices, X, Y, Z


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
    at = np.unique(np.concatenate([gear.coordinates for gear in surroundings.gears]))
    plain, normal = np.zeros((6, len(at))), np.zeros((6, len(at)))
    pair = place.pair
    for g, (gear, r_b, hand) in enumerate(
        zip(surroundings.gears, (pair.pinion.r_b, pair.wheel.r_b), (-1.0, 1.0), strict=True)
    ):
        own = np.searchsorted(at, gear.coordinates)
        centre = place.origin + axial * place.axes[2] + (pair.a_w * place.axes[0] if g else 0.0)
        seen = place_rows(gear.at(centre), place.axes)
        plain[g, own] = seen[TURN]
        plain[2 + 2 * g, own], plain[3 + 2 * g, own] = seen[X], seen[Y]
        normal[[g, 2 + 2 * g, 3 + 2 * g]] = plain[[g, 2 + 2 * g, 3 + 2 * g]]
        along = place_rows(gear.at(place.pitch_point), place.axes)[Z]
        normal[g, own] += hand * tan(pair.beta_b) / r_b * along
    return at, normal, plain


def error_unturned(place: MeshPlace, surroundings: MeshSurroundings) -> float:
    """Transmission error [m] where no shaft has turned: of the driven gear against the driver along the line."""
    r_b = [gear.r_b for gear in place.pair.gears]
    driving, driven = place.driving, 1 - place.driving
    return float(r_b[driven] * surroundings.angles[driven] - r_b[driving] * surroundings.angles[driving])
