"""Compiled: where and in which direction the loaded points push, in space (``README.md`` of this folder, section 6)."""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.approach_kernels import curve_at
from alegear.contact.hertz.model_kernels import APART, NX, NY, SIGN, S
from alegear.kernel_cache import kernel


@kernel(_nrt=False)
def unit_forces(model, twist, z, record, row, phi, force, normal, place):
    """What a unit load of each recorded point exerts on the pinion, out (m, 3) each.

    Parameters
    ----------
    twist : (2, n_slices) angle of the pinion's sections against z = 0, on both sides of the teeth [rad]
    z : (n_slices,) [m]
    row : (m,) which of the pinion's profiles touches at each point
    record, phi : loaded points of many states, and their rotations (n, 2)
    force, normal : with and without friction
    place : where it acts, from the centre of the pinion's mid-face [m]
    """
    tooth = model.pinion.place
    for i in range(record.force.shape[0]):
        number, sample, slot, k = record.side_of[i], record.sample[i], record.pair_of[i], record.slice_of[i]
        side = model.loaded if number == 0 else model.back
        mirror, cos_beta_b, table = side.side, side.axial[0], record.table[i]
        angle = mirror * (tooth[0] + tooth[3] * (phi[sample, 0] - slot * tooth[2])) + twist[number, k]
        co, si = np.cos(angle), np.sin(angle)
        nx, ny = co * table[NX] - si * table[NY], si * table[NX] + co * table[NY]  # outward normal of P
        on_pinion, mu = table[SIGN], record.mu[i]  # the force pushes A away from P
        normal[i, 0], normal[i, 1] = on_pinion * cos_beta_b * nx, mirror * on_pinion * cos_beta_b * ny
        normal[i, 2] = on_pinion * (side.axial[1] if on_pinion < 0.0 else -side.axial[1])
        force[i, 0], force[i, 1] = normal[i, 0] + on_pinion * mu * ny, normal[i, 1] - mirror * on_pinion * mu * nx
        force[i, 2] = normal[i, 2]
        px, py, _, _, _, _ = curve_at(side.pinion.knots[row[i]], side.pinion.curve[row[i]], table[S])
        x, y = co * px - si * py, si * px + co * py
        if on_pinion < 0.0:
            # everything acts at A's point, which the gap parts from that of the pinion where the wheel is A
            x, y = x + table[APART] * nx, y + table[APART] * ny
        place[i, 0], place[i, 1], place[i, 2] = x, mirror * y, z[k]
