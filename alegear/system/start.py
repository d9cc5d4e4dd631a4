"""Where a motion starts: as given, the rest as joints and what is led make it follow."""

from __future__ import annotations

from alegear.system.coordinates import Array
from alegear.system.model import SystemModel
from alegear.system.reduction import reduction


def consistent_start(model: SystemModel) -> tuple[Array, Array]:
    """Coordinates and velocities (n,) at the start of a motion.

    Speeds that are given stay as they are, whether or not they go together: who integrates from them refuses those that
    leave a joint.
    """
    x, v = model.start()
    asked, given = v.copy(), list(model.start_speeds)
    basis = reduction(model.constraint_rows, model.led_indices, model.displacement_scale, given)
    angles, speeds, _ = model.led_motion(0.0)
    x[model.led_indices] = angles
    v = basis.T @ v[basis.independent] + basis.by_led @ speeds
    for index in given:  # those that had to follow others all the same
        if index in basis.dependent:
            v[index] = asked[index]
    return x, v
