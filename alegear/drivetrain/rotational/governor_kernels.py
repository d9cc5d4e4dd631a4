"""A speed that is held, compiled: what `alegear.drivetrain.rotational.governor` says, by its address."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from alegear.kernels.decorators import kernel
from alegear.kernels.structs import copy_struct, kernel_struct, kind_of, struct_at
from alegear.system.element_kernels import LOST, N_ENERGY, STORED, SUPPLIED

Array = NDArray[np.float64]

# of a row of `reference`: from when on, angle and speed there, acceleration
BEGIN, ANGLE, SPEED, ACCELERATION, N_REFERENCE = range(5)


@kernel_struct
class Governor(NamedTuple):
    """Gains k_p, k_i, torque without error, and straight lines of speed, ``reference`` (n, N_REFERENCE)."""

    proportional: float
    integral: float
    torque: float
    reference: Array


GOVERNOR = kind_of(Governor(0.0, 0.0, 0.0, np.zeros((0, N_REFERENCE))))


@kernel
def copied(struct, memory):
    """Lay a governor out (``alegear.kernels.structs.handle_of``)."""
    return copy_struct(struct, memory)


@kernel
def reference_at(reference, t):
    """Angle and speed that are wanted at t; before the first line at rest where it begins."""
    last = 0
    for k in range(reference.shape[0]):
        if t >= reference[k, BEGIN]:
            last = k
    past = max(t - reference[last, BEGIN], 0.0)
    speed = reference[last, SPEED] + reference[last, ACCELERATION] * past
    return reference[last, ANGLE] + 0.5 * (reference[last, SPEED] + speed) * past, speed


@kernel
def governor_law(own, t, y, rate, force, by_y, by_rate, energy):
    """Write the torque on the one rotation, its derivatives, and the power that it supplies."""
    angle, speed = reference_at(own.reference, t)
    force[0] = own.torque - own.proportional * (rate[0] - speed) - own.integral * (y[0] - angle)
    by_y[0, 0], by_rate[0, 0] = -own.integral, -own.proportional
    energy[STORED] = energy[LOST] = 0.0
    energy[SUPPLIED] = force[0] * rate[0]


@kernel
def governor_element(handle, t, y, rate, force, by_y, by_rate, energy):
    """The same by its address."""
    governor_law(
        struct_at(handle, GOVERNOR), t, numba.carray(y, (1,)), numba.carray(rate, (1,)), numba.carray(force, (1,)),
        numba.carray(by_y, (1, 1)), numba.carray(by_rate, (1, 1)), numba.carray(energy, (N_ENERGY,)),
    )  # fmt: skip
    return 0
