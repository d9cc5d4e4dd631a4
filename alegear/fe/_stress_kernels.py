"""Compiled invariants of stresses; calls nothing outside itself. Components: xx, yy, zz, xy, yz, zx."""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from alegear.kernels.decorators import kernel


@kernel
def _largest_principal(xx, yy, zz, xy, yz, zx):
    """Principal stress largest by magnitude, signed; of two as large the tensile one.

    With the mean ``m``, the deviator ``B``, ``p^2 = B:B / 6`` and ``r = det(B) / (2 p^3)`` the eigenvalues of ``B`` are
    ``p x`` with ``x^3 - 3 x - 2 r = 0``. The root with the sign of ``r`` lies in ``sqrt(3) <= |x| <= 2``, at least
    ``sqrt(3)`` away from the other two, and is found to round-off by Newton's method. The other two may be equal, and
    the cubic would give them to half the digits only: they are the eigenvalues of ``B`` in the plane normal to the
    first eigenvector.
    """
    m = (xx + yy + zz) / 3.0
    a, b, c = xx - m, yy - m, zz - m
    p = np.sqrt((a * a + b * b + c * c + 2.0 * (xy * xy + yz * yz + zx * zx)) / 6.0)
    if p == 0.0:
        return m
    scale = 1.0 / p
    a, b, c, d, e, f = a * scale, b * scale, c * scale, xy * scale, yz * scale, zx * scale
    r = 0.5 * (a * (b * c - e * e) - d * (d * c - e * f) + f * (d * e - b * f))
    sign = 1.0 if r >= 0.0 else -1.0
    r = min(abs(r), 1.0)
    x = 1.7320508075688772 + r * (0.3333333333333333 - 0.0653841409022106 * r)  # within 0.004 of the root
    for _ in range(3):  # the error goes 4e-3, 2e-5, 3e-10, round-off
        x -= (x * (x * x - 3.0) - 2.0 * r) / (3.0 * (x * x - 1.0))
    x *= sign
    first = m + p * x
    if m * sign >= 0.0:
        return first
    # The largest of the vectors that are normal to two rows of B - x I; its length is 1 or more.
    a, b, c = a - x, b - x, c - x
    n_x, n_y, n_z = b * c - e * e, e * f - d * c, d * e - b * f
    best = n_x * n_x + n_y * n_y + n_z * n_z
    v_x, v_y, v_z = n_y, a * c - f * f, d * f - a * e
    length = v_x * v_x + v_y * v_y + v_z * v_z
    if length > best:
        n_x, n_y, n_z, best = v_x, v_y, v_z, length
    v_x, v_y, v_z = d * e - b * f, d * f - a * e, a * b - d * d
    length = v_x * v_x + v_y * v_y + v_z * v_z
    if length > best:
        n_x, n_y, n_z, best = v_x, v_y, v_z, length
    length = 1.0 / np.sqrt(best)
    n_x, n_y, n_z = n_x * length, n_y * length, n_z * length
    # u and w complete n to an orthonormal frame
    if abs(n_x) > abs(n_y):
        length = 1.0 / np.sqrt(n_x * n_x + n_z * n_z)
        u_x, u_y, u_z = -n_z * length, 0.0, n_x * length
    else:
        length = 1.0 / np.sqrt(n_y * n_y + n_z * n_z)
        u_x, u_y, u_z = 0.0, n_z * length, -n_y * length
    w_x, w_y, w_z = n_y * u_z - n_z * u_y, n_z * u_x - n_x * u_z, n_x * u_y - n_y * u_x
    # (B - x I) w and its components; the trace of B - x I in the plane of u and w is -3 x
    q_x, q_y, q_z = a * w_x + d * w_y + f * w_z, d * w_x + b * w_y + e * w_z, f * w_x + e * w_y + c * w_z
    uw = u_x * q_x + u_y * q_y + u_z * q_z
    ww = w_x * q_x + w_y * q_y + w_z * q_z
    half = np.sqrt((ww + 1.5 * x) ** 2 + uw * uw)  # half the difference of the two
    other = m - p * (0.5 * x + sign * half)
    if abs(first) == abs(other):
        return abs(first)
    return first if abs(first) > abs(other) else other


@kernel
def _von_mises_squared(xx, yy, zz, xy, yz, zx):
    """Square of the equivalent stress after von Mises."""
    normal = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2)
    return normal + 3.0 * (xy * xy + yz * yz + zx * zx)


@kernel
def largest_principals(
    # in
    stress,
    # out
    principal_out,
):
    """Principal stress largest by magnitude of stresses (n, 6)."""
    for i in range(len(stress)):
        s = stress[i]
        principal_out[i] = _largest_principal(s[0], s[1], s[2], s[3], s[4], s[5])


@kernel
def fillet_maxima(
    # in: (n, slots, sides, points, 6)
    stress,
    # out: (n, slots, sides, 2); (sides, points) twice; (n, slots, sides, points, 2), of n = 0 if not wanted
    maxima_out,
    highest_out,
    lowest_out,
    points_out,
):
    """Equivalent (0) and largest principal stress (1) of root fillets: maxima over the points, range at each point.

    The maximum of the principal stress is that by magnitude, with its sign. ``highest_out`` and ``lowest_out`` go on
    from what they hold.
    """
    n, slots, sides, points, _ = stress.shape
    keep = len(points_out) > 0
    for i in range(n):
        for k in range(slots):
            for side in range(sides):
                most = 0.0
                extreme = 0.0
                for j in range(points):
                    s = stress[i, k, side, j]
                    squared = _von_mises_squared(s[0], s[1], s[2], s[3], s[4], s[5])
                    principal = _largest_principal(s[0], s[1], s[2], s[3], s[4], s[5])
                    most = max(most, squared)
                    if abs(principal) > abs(extreme):
                        extreme = principal
                    highest_out[side, j] = max(highest_out[side, j], principal)
                    lowest_out[side, j] = min(lowest_out[side, j], principal)
                    if keep:
                        points_out[i, k, side, j, 0] = np.sqrt(squared)
                        points_out[i, k, side, j, 1] = principal
                maxima_out[i, k, side, 0] = np.sqrt(most)
                maxima_out[i, k, side, 1] = extreme
