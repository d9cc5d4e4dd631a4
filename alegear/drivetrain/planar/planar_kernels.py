"""Compiled planar gear contact: kinematics, directions of its forces, laws of friction and of springs.

Laws are told from their parameters by the first number of a small array, which the Python objects of the same name
make. Coordinates are (phi_A, phi_B, x_A, y_A, x_B, y_B); signs are those of the README.
"""

from __future__ import annotations

import numpy as np

from alegear.kernels.decorators import kernel

# of the coordinates
PHI_A, PHI_B, X_A, Y_A, X_B, Y_B, N_COORDINATES = 0, 1, 2, 3, 4, 5, 6
# of a mesh: base radii [m], working pressure angle [rad], mean friction force, mean way from the pitch point [m]
L_A, L_B, ALPHA, D_F, D_P, N_MESH = 0, 1, 2, 3, 4, 5

# of a friction law: which, coefficient at rest; then its own numbers
LAW, MU_0, OWN = 0, 1, 2
COULOMB, DIN_3990, TABULATED = 0.0, 1.0, 2.0

# of a spring: which, stiffness [N/m], backlash [m], damping [N s/m]; then its own numbers
SPRING, C, BACKLASH, DAMPING, FIRST, SECOND, N_SPRING = 0, 1, 2, 3, 4, 5, 6
LINEAR, ISO_6336, NIEMANN_WINTER = 0.0, 1.0, 2.0

# of a periodic factor: its period, where it starts; then four coefficients a piece, of rising powers
PERIOD, START, PIECES = 0, 1, 2


# --------------------------------------------------------------------------------- kinematics
@kernel
def line_of_centres(mesh, x_A, y_A, x_B, y_B, near):
    """Gear angle [rad], signed centre distance [m], working pressure angle [rad] of centres at (x, y).

    Of all gear angles 2 pi apart that within pi of `near`. The pressure angle is not a number where the base circles
    leave no line of action.
    """
    between = mesh[L_A] + mesh[L_B]
    sense = 1.0 if between > 0.0 else -1.0
    x, y = sense * (x_B - x_A), sense * (y_B - y_A)
    co, si = np.cos(near), np.sin(near)
    phi_gear = near + np.arctan2(co * y - si * x, co * x + si * y)
    a = sense * np.hypot(x, y)
    return phi_gear, a, np.arccos(between / a)


@kernel
def deformation(mesh, side, phi_A, phi_B, phi_gear, alpha):
    """How far the flanks of a side overlap along the line of action [m], negative where they are apart."""
    turned = mesh[L_A] * (phi_A - phi_gear) + mesh[L_B] * (phi_B - phi_gear)
    if alpha == mesh[ALPHA]:
        return side * turned
    nominal = mesh[ALPHA]
    parted = (np.tan(alpha) - alpha) - (np.tan(nominal) - nominal)
    return side * turned - (mesh[L_A] + mesh[L_B]) * parted


@kernel
def normal_direction(mesh, side, phi_gear, alpha, out):
    """Write the forces (6,) on the coordinates per unit of normal force; their negatives are the deformation's rate."""
    co, si = np.cos(phi_gear), np.sin(phi_gear)
    along, across = np.sin(alpha), side * np.cos(alpha)
    out[PHI_A] = -side * mesh[L_A]
    out[PHI_B] = -side * mesh[L_B]
    out[X_B] = along * co - across * si
    out[Y_B] = along * si + across * co
    out[X_A] = -out[X_B]
    out[Y_A] = -out[Y_B]


@kernel
def normal_tangent(mesh, side, phi_gear, alpha, out):
    """Write how the direction of the normal force changes with the coordinates (6, 6): it turns with the flanks."""
    co, si = np.cos(phi_gear), np.sin(phi_gear)
    along, across = -side * np.cos(alpha), np.sin(alpha)
    m_x, m_y = along * co - across * si, along * si + across * co
    weight = 1.0 / ((mesh[L_A] + mesh[L_B]) * np.tan(alpha))  # the line of action, a sin alpha
    out[:] = 0.0
    for i in range(X_A, N_COORDINATES):
        m_i = (m_x if i % 2 == 0 else m_y) * (-1.0 if i < X_B else 1.0)
        for j in range(X_A, N_COORDINATES):
            m_j = (m_x if j % 2 == 0 else m_y) * (-1.0 if j < X_B else 1.0)
            out[i, j] = weight * (m_i * m_j)


@kernel
def friction_direction(mesh, side, phi_gear, alpha, out):
    """Write the forces (6,) on the coordinates per unit of mu |F_n| while v_mesh > 0."""
    co, si = np.cos(phi_gear), np.sin(phi_gear)
    d_F, tan = mesh[D_F], np.tan(alpha)
    along, across = -side * np.cos(alpha), np.sin(alpha)
    out[PHI_A] = d_F * mesh[L_A] * tan - mesh[D_P]
    out[PHI_B] = d_F * mesh[L_B] * tan + mesh[D_P]
    out[X_A] = d_F * (along * co - across * si)
    out[Y_A] = d_F * (along * si + across * co)
    out[X_B] = -out[X_A]
    out[Y_B] = -out[Y_A]


# --------------------------------------------------------------------------------- factors over the mesh position
@kernel
def periodic_factor(table, x):
    """Value and slope [1/m] of a periodic factor at a mesh position; 1 and 0 of a table without entries."""
    if table.shape[0] == 0:
        return 1.0, 0.0
    n = (table.shape[0] - PIECES) // 4
    way = (x - table[START]) / table[PERIOD]
    way = n * (way - np.floor(way))
    piece = min(int(way), n - 1)
    s, first = way - piece, PIECES + 4 * piece
    a, b, c, d = table[first], table[first + 1], table[first + 2], table[first + 3]
    return a + s * (b + s * (c + s * d)), (b + s * (2.0 * c + 3.0 * s * d)) * n / table[PERIOD]


@kernel
def periodic_curvature(table, x):
    """Second derivative [1/m2] of a periodic factor at a mesh position; 0 of a table without entries."""
    if table.shape[0] == 0:
        return 0.0
    n = (table.shape[0] - PIECES) // 4
    way = (x - table[START]) / table[PERIOD]
    way = n * (way - np.floor(way))
    piece = min(int(way), n - 1)
    s, first = way - piece, PIECES + 4 * piece
    return (2.0 * table[first + 2] + 6.0 * s * table[first + 3]) * (n / table[PERIOD]) ** 2


# --------------------------------------------------------------------------------- friction
@kernel
def coefficient_from_efficiency(eta, drives, cos_alpha, lever_A, lever_B):
    """Coefficient of friction of an efficiency, where gear A drives (`drives` > 0) or gear B.

    ``lever = d_tau/r``. Not positive where no coefficient of friction has this efficiency.
    """
    if drives > 0.0:
        return cos_alpha * (1.0 - eta) / (lever_B - eta * lever_A)
    return cos_alpha * (1.0 - eta) / (eta * lever_B - lever_A)


@kernel
def friction_coefficient(law, v_mesh, F_n):
    """Coefficient of friction of sliding flanks; at v_mesh = 0 its limit from where gear A drives for F_n > 0."""
    speed = abs(v_mesh)
    if law[LAW] == COULOMB:
        return law[OWN]
    if law[LAW] == DIN_3990:
        # one power of all that changes; the bound first, because the formula has no value at rest
        load, bound = law[OWN] * abs(F_n), law[MU_0] ** 4 * speed
        return law[MU_0] if load >= bound else (load / speed) ** 0.25
    n = (law.shape[0] - OWN - 3) // 2
    speeds, etas = OWN + 3, OWN + 3 + n
    if speed <= law[speeds]:
        eta = law[etas]
    elif speed >= law[speeds + n - 1]:
        eta = law[etas + n - 1]
    else:
        i = 1
        while law[speeds + i] < speed:
            i += 1
        part = (speed - law[speeds + i - 1]) / (law[speeds + i] - law[speeds + i - 1])
        eta = law[etas + i - 1] + part * (law[etas + i] - law[etas + i - 1])
    sense = 1.0 if v_mesh >= 0.0 else -1.0
    drives = sense if F_n >= 0.0 else -sense
    return coefficient_from_efficiency(eta, drives, law[OWN], law[OWN + 1], law[OWN + 2])


# --------------------------------------------------------------------------------- springs
@kernel
def spring_force(spring, p):
    """Force [N], stiffness [N/m] and energy [J] of flanks that overlap by p, without damping; 0 where p <= 0."""
    if p <= 0.0:
        return 0.0, 0.0, 0.0
    c = spring[C]
    if spring[SPRING] == LINEAR:
        return c * p, c, 0.5 * c * p * p
    if spring[SPRING] == ISO_6336:
        R = spring[FIRST]
        if p < R:
            return 0.5 * c * p * p / R, c * p / R, c * p * p * p / (6.0 * R)
        beyond = p - R
        return c * (p - 0.5 * R), c, c * (R * R / 6.0 + 0.5 * beyond * (R + beyond))
    F_0, kappa = spring[FIRST], spring[SECOND]
    rise = (1.0 - kappa) * c / F_0  # [1/m]
    end = -np.log(kappa) / rise
    scale = F_0 * kappa / (1.0 - kappa)
    reach = min(p, end)
    grown = np.expm1(rise * reach)
    force = scale * grown
    # expm1(x) - x by its series where the difference has no digits left
    x = rise * reach
    rest = grown - x if x > 1e-3 else x * x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x / 120.0)))
    energy = scale / rise * rest
    if p <= end:
        return force, c * kappa * (1.0 + grown), energy
    beyond = p - end
    return F_0 + c * beyond, c, energy + beyond * (F_0 + 0.5 * c * beyond)


@kernel
def flank_force(spring, factor, delta, rate):
    """Force [N] of one flank that pushes, never pulls; its slopes over deformation [N/m] and rate [N s/m]."""
    p = delta - 0.5 * spring[BACKLASH]
    if p <= 0.0:
        return 0.0, 0.0, 0.0
    elastic, stiffness, _ = spring_force(spring, p)
    force = factor * elastic + spring[DAMPING] * rate
    if force <= 0.0:
        return 0.0, 0.0, 0.0
    return force, factor * stiffness, spring[DAMPING]


@kernel
def corner_of_flank(spring, factor, touch, delta, rate):
    """How far a flank is from beginning, or from ending, to push [N]; positive while it pushes or touches.

    An overlap below touch [m] is none: flanks at rest without a load touch. A flank pushes where it overlaps and its
    damper does not pull more than the spring pushes. The smaller one of both changes its sign where the force begins
    and ends, and nowhere else.
    """
    p = delta - 0.5 * spring[BACKLASH]
    return min(spring[C] * p, factor * spring_force(spring, p)[0] + spring[DAMPING] * rate) + spring[C] * touch
