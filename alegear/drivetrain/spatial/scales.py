"""What is typical of a machine in space: its size, the forces in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from alegear.system.coordinates import Scales
from alegear.system.machine_part import MachinePart

#: Displacement that matters, in sizes of the machine.
MATTERS = 1e-3


def spatial_scales(parts: Sequence[MachinePart], gravity: Sequence[float]) -> Scales:
    """Take the size from where all stands, and the force from loads, springs, weight and speeds at the start.

    Parameters
    ----------
    parts : sequence of parts
        Of which some are in space.
    gravity : shape (3,) [m/s2]
    """
    length = machine_size(parts)
    forces = [float(part.largest_force(length)) for part in parts]
    for body in bodies_of(parts):
        if body.mass:
            speed = float(np.linalg.norm(body.velocity))
            spin = float(np.linalg.norm(body.angular_velocity))
            turning = float(np.abs(body.inertia_tensor).max()) * spin**2 / length
            forces.append(body.mass * (float(np.linalg.norm(gravity)) + speed**2 / length) + turning)
    force = max(forces, default=0.0) or 1.0
    return Scales(deflection=MATTERS * length, force=force, radius=length)


def machine_size(parts: Sequence[MachinePart]) -> float:
    """Largest distance of bodies and parts, or the largest pitch radius [m]; 1 m of a machine in one point."""
    points = [at for part in parts for _, at in part.fixed_points] + [body.position for body in bodies_of(parts)]
    around = np.reshape(points, (-1, 3)) if points else np.zeros((1, 3))
    radii = [gear.pitch_radius for part in parts for gear in part.gears_in_space]
    return max([float(np.ptp(around, axis=0).max()), *radii]) or 1.0


def bodies_of(parts: Iterable[MachinePart]) -> list[Any]:
    """Return the bodies in space among parts."""
    return [part for part in parts if part.in_space and part.makes_bodies]
