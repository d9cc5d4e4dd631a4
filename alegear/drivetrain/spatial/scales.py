"""What is typical of a machine in space: its size, the forces in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from alegear.system.coordinates import Scales

#: Displacement that matters, in sizes of the machine.
MATTERS = 1e-3


def spatial_scales(parts: Sequence[Any], gravity: Sequence[float]) -> Scales:
    """Take the size from where all stands, and the force from loads, springs, weight and speeds at the start.

    Parameters
    ----------
    parts : sequence of parts
        Of which some are in space.
    gravity : shape (3,) [m/s2]
    """
    length = machine_size(parts)
    forces = [float(part.largest_force(length)) for part in parts if hasattr(part, "largest_force")]
    for body in parts:
        if hasattr(body, "inertia_tensor") and body.mass:
            speed = float(np.linalg.norm(body.velocity))
            spin = float(np.linalg.norm(body.angular_velocity))
            turning = float(np.abs(body.inertia_tensor).max()) * spin**2 / length
            forces.append(body.mass * (float(np.linalg.norm(gravity)) + speed**2 / length) + turning)
    force = max(forces, default=0.0) or 1.0
    return Scales(deflection=MATTERS * length, force=force, radius=length)


def machine_size(parts: Sequence[Any]) -> float:
    """Largest distance of bodies and parts, or the largest pitch radius [m]; 1 m of a machine in one point."""
    points = [np.reshape(part.reach, (-1, 3)) for part in parts if hasattr(part, "reach")]
    points += [np.reshape(part.position, (1, 3)) for part in parts if hasattr(part, "inertia_tensor")]
    around = np.vstack(points) if points else np.zeros((1, 3))
    radii = [gear.pitch_radius for part in parts for gear in getattr(part, "gears", ()) if hasattr(gear, "rolls")]
    return max([float(np.ptp(around, axis=0).max()), *radii]) or 1.0
