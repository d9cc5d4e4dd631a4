"""Compiled kernels of flank contact: floats and contiguous arrays only, constants are arguments.

The equations are in ``README.md`` of this folder; names:

* secondary gear: its Gauss points are projected; primary gear: its true (modified) flank is projected on;
* all vectors of a contact are in the tooth frame of the primary tooth, transverse plane (x, y);
* ``phi`` are rotations positive in the running direction; ``spin`` = +1 (pinion) or -1 (wheel) turns them into
  rotations about +z.
"""

from __future__ import annotations

import numpy as np

from alegear.contact.interval_kernels import interval
from alegear.kernels.decorators import kernel

# Columns of the table of a candidate contact (one row per Gauss point that may touch).
S_FOOT = 0  # arc length of the foot point on the primary flank [m]
G_RIGID = 1  # gap of the undeformed, modified flanks [m], positive = open
G_PROFILE = 2  # the same without pitch deviations [m]: distance of the Gauss point from the foot
TX, TY = 3, 4  # unit tangent of the primary flank at the foot
NX, NY = 5, 6  # outward unit normal there
KAPPA = 7  # n . Y'' [1/m], negative on a convex flank
KAPPA_S = 8  # its derivative along the flank [1/m^2]
X_X, X_Y = 9, 10  # Gauss point, seen from the primary axis [m]
Z_X, Z_Y = 11, 12  # Gauss point, seen from the secondary axis [m]
COS_D, SIN_D = 13, 14  # rotation from the secondary tooth frame to the primary tooth frame
AREA = 15  # Gauss weight times the share of the pass [m^2]
N_COLUMNS = 16

# of the profile: from the foot; a hollow of a tenth of it in radius bends by half as much over that way
NEXT_TO, HOLLOW = 1e-3, 1e-5
LAST_STEP, FOUND = 1e-11, 1e-10  # of the profile: of the search for a foot
NODES = 8  # nodes of an interpolation: four rows along the profile, two columns across the face


@kernel
def hermite(t, h):
    """Cubic Hermite basis on an interval of length h at t in [0, 1], with two derivatives.

    Each derivative in the order value at 0, slope at 0, value at 1, slope at 1.
    """
    return (
        ((1 + 2 * t) * (1 - t) ** 2, t * (1 - t) ** 2 * h, t * t * (3 - 2 * t), t * t * (t - 1) * h),
        (6 * t * (t - 1) / h, (1 - t) * (1 - 3 * t), -6 * t * (t - 1) / h, t * (3 * t - 2)),
        ((12 * t - 6) / h**2, (6 * t - 4) / h, (6 - 12 * t) / h**2, (6 * t - 2) / h),
    )


@kernel
def row_weights(rows_s, coefficients, s, w, w_s, w_ss):
    """Weights of the C1 cubic through the rows of a face grid (:attr:`~alegear.contact.face_grid.FaceGrid`) at s.

    The elastic displacement along the profile is interpolated with a continuous slope, so that the direction of a
    contact force does not jump where a foot point passes a row. Beyond the first and last row the interpolation goes on
    as a straight line.

    Parameters
    ----------
    rows_s : (n_rows,) arc length of the rows, rising; s : float
    coefficients : (n_rows - 1, 4, 4) of the cubics
    w, w_s, w_ss : (4,) out: weights of the value, first and second derivative

    Returns
    -------
    int : the first of the four rows.
    """
    j, way, beyond = interval(rows_s, s)
    for i in range(4):
        c0, c1, c2, c3 = coefficients[j, 0, i], coefficients[j, 1, i], coefficients[j, 2, i], coefficients[j, 3, i]
        w_s[i] = c1 + way * (2.0 * c2 + 3.0 * way * c3)
        w[i] = c0 + way * (c1 + way * (c2 + way * c3)) + beyond * w_s[i]
        w_ss[i] = 2.0 * c2 + 6.0 * way * c3 if beyond == 0.0 else 0.0
    return min(max(j - 1, 0), rows_s.shape[0] - 4)


@kernel
def grid_weights(rows_s, coefficients, cols_z, s, z, nodes, w, w_s, w_ss):
    """Nodes (row * n_cols + column) and weights of value, slope and second derivative at (s, z); all (8,) out.

    Across the face the interpolation is linear.
    """
    rw, rs, rss = np.empty(4), np.empty(4), np.empty(4)
    first = row_weights(rows_s, coefficients, s, rw, rs, rss)
    col, way, _ = interval(cols_z, z)
    t = way / (cols_z[col + 1] - cols_z[col])
    n_cols = cols_z.shape[0]
    for i in range(4):
        for c in range(2):
            f = t if c == 1 else 1.0 - t
            k = 2 * i + c
            nodes[k] = (first + i) * n_cols + col + c
            w[k] = rw[i] * f
            w_s[k] = rs[i] * f
            w_ss[k] = rss[i] * f


@kernel
def gauss_weights(rows_s, coefficients, cols_z, s, z, nodes, w):
    """Nodes (n, 8) and weights (n, 8) of the displacement at the points (s, z), both (n,)."""
    w_s, w_ss = np.empty(NODES), np.empty(NODES)
    for i in range(s.shape[0]):
        grid_weights(rows_s, coefficients, cols_z, s[i], z[i], nodes[i], w[i], w_s, w_ss)


@kernel
def curve_at(knots, curve, s):
    """Point, first, second and third derivative of a tabulated profile curve (cubic Hermite) at an arc length."""
    j, way, beyond = interval(knots, s)
    h = knots[j + 1] - knots[j]
    value, slope, second = hermite((way + beyond) / h, h)
    a, b = curve[j], curve[j + 1]
    x = value[0] * a[0] + value[1] * a[2] + value[2] * b[0] + value[3] * b[2]
    y = value[0] * a[1] + value[1] * a[3] + value[2] * b[1] + value[3] * b[3]
    # differences of the end points first: the terms cancel
    x1 = slope[0] * (a[0] - b[0]) + slope[1] * a[2] + slope[3] * b[2]
    y1 = slope[0] * (a[1] - b[1]) + slope[1] * a[3] + slope[3] * b[3]
    x2 = second[0] * (a[0] - b[0]) + second[1] * a[2] + second[3] * b[2]
    y2 = second[0] * (a[1] - b[1]) + second[1] * a[3] + second[3] * b[3]
    x3 = 12 / h**3 * (a[0] - b[0]) + 6 / h**2 * (a[2] + b[2])
    y3 = 12 / h**3 * (a[1] - b[1]) + 6 / h**2 * (a[3] + b[3])
    return x, y, x1, y1, x2, y2, x3, y3


@kernel
def points_of(knots, curves, section, s, xy):
    """Points ``xy (n, 2)`` of the curves of the sections (n,) at arc lengths (n,)."""
    for i in range(s.shape[0]):
        xy[i, 0], xy[i, 1], _, _, _, _, _, _ = curve_at(knots[section[i]], curves[section[i]], s[i])


@kernel
def find_contacts(
    # model, secondary flank
    row_centre_sec, row_radius_sec, sphere_centre_sec, sphere_radius_sec,
    facet_start, gauss_xy, gauss_z, gauss_section, weighted_area,
    # model, primary flank
    row_centre_pri, row_radius_pri, row_s_pri, sphere_centre_pri, sphere_radius_pri,
    all_knots, curves, curve_of, side, rows_s, coefficients, cols_z,
    # in
    angle_sec, angle_pri, centre_x, centre_y, reach, pair, start,
    # out
    table, gauss_index, pair_index, nodes_pri, w_pri, w_s_pri, w_ss_pri,
):  # fmt: skip
    """Candidate contacts of one tooth pair and one pass: bounding spheres, then Newton projection.

    The facets of one row share their profile, so bounding circles of the rows in the transverse plane are tried
    before the bounding spheres of their facets. The projection starts from the middle of the nearest row of facets,
    and after other points of the same facet from where their feet lead.

    Parameters
    ----------
    row_centre_* (n_rows, 2), row_radius_* (n_rows,), row_s_pri (n_rows,) [m] : circles and arc length of facet rows
    sphere_centre_* (n_rows * n_cols, 3), sphere_radius_* (n_rows * n_cols,) [m] : of the facets, row by row
    facet_start (n_facets + 1,) : first Gauss point of each facet
    gauss_xy (n_gauss, 2), gauss_z, gauss_section, weighted_area (n_gauss,) : Gauss points; area times share of the pass
    all_knots (n_curves, n), curves (n_curves, n, 4) : rising arc lengths, x, y and tangent there
    curve_of (n_sections,) : which of the curves the profile is in each section of the Gauss points
    rows_s, coefficients, cols_z : interpolation on the primary flank, `row_weights`
    side : +1 flank a, -1 flank b (which side is outside)
    angle_sec, angle_pri : rotation of the two tooth frames about +z [rad]
    centre_x, centre_y : secondary axis seen from the primary axis in space [m]
    reach : gaps above this value are no candidates [m]
    table (n_max, N_COLUMNS) ... : out, filled from row `start`

    Returns
    -------
    int : number of rows filled so far, or minus the number that would be needed if the buffers are too small.
    """
    n_rows_sec, n_rows_pri = row_radius_sec.shape[0], row_radius_pri.shape[0]
    n_cols_sec = sphere_radius_sec.shape[0] // n_rows_sec
    n_cols_pri = sphere_radius_pri.shape[0] // n_rows_pri
    z_low, z_high = cols_z[0], cols_z[cols_z.shape[0] - 1]
    cos_d, sin_d = np.cos(angle_sec - angle_pri), np.sin(angle_sec - angle_pri)
    cos_p, sin_p = np.cos(angle_pri), np.sin(angle_pri)
    # secondary axis in the primary tooth frame
    cx = cos_p * centre_x + sin_p * centre_y
    cy = -sin_p * centre_x + cos_p * centre_y
    near = np.empty(n_rows_pri, dtype=np.int64)
    count = start
    for f in range(n_rows_sec * n_cols_sec):
        r = f // n_cols_sec
        if f % n_cols_sec == 0:
            n_near = 0
            px = cx + cos_d * row_centre_sec[r, 0] - sin_d * row_centre_sec[r, 1]
            py = cy + sin_d * row_centre_sec[r, 0] + cos_d * row_centre_sec[r, 1]
            for k in range(n_rows_pri):
                dx, dy = px - row_centre_pri[k, 0], py - row_centre_pri[k, 1]
                limit = row_radius_sec[r] + row_radius_pri[k] + reach
                if dx * dx + dy * dy < limit * limit:
                    near[n_near] = k
                    n_near += 1
        nearest, best = -1, 1e300
        if n_near > 0:
            px = cx + cos_d * sphere_centre_sec[f, 0] - sin_d * sphere_centre_sec[f, 1]
            py = cy + sin_d * sphere_centre_sec[f, 0] + cos_d * sphere_centre_sec[f, 1]
            pz = sphere_centre_sec[f, 2]
        for m in range(n_near):
            for c in range(n_cols_pri):
                k = near[m] * n_cols_pri + c
                dx = px - sphere_centre_pri[k, 0]
                dy = py - sphere_centre_pri[k, 1]
                dz = pz - sphere_centre_pri[k, 2]
                d2 = dx * dx + dy * dy + dz * dz
                limit = sphere_radius_sec[f] + sphere_radius_pri[k] + reach
                if d2 < limit * limit and d2 < best:
                    nearest, best = near[m], d2
        if nearest < 0:
            continue
        in_line, foot, foot_before = 0, 0.0, 0.0  # feet of the points before on the same curve, one after the other
        for i in range(facet_start[f], facet_start[f + 1]):
            if i > facet_start[f] and gauss_section[i] != gauss_section[i - 1]:
                in_line = 0
            z = gauss_z[i]
            if weighted_area[i] == 0.0 or z < z_low or z > z_high:
                continue
            knots, curve = all_knots[curve_of[gauss_section[i]]], curves[curve_of[gauss_section[i]]]
            s_low, s_high = knots[0], knots[knots.shape[0] - 1]
            profile = s_high - s_low
            step_limit = 0.2 * profile
            zx = cos_d * gauss_xy[i, 0] - sin_d * gauss_xy[i, 1]
            zy = sin_d * gauss_xy[i, 0] + cos_d * gauss_xy[i, 1]
            x, y = cx + zx, cy + zy
            s = row_s_pri[nearest]
            if in_line == 1:
                s = foot
            elif in_line > 1:
                s = min(max(2.0 * foot - foot_before, s_low), s_high)
            found, far = False, False
            for _ in range(30):
                yx, yy, tx, ty, bx, by, x3, y3 = curve_at(knots, curve, s)
                rx, ry = x - yx, y - yy
                residual = rx * tx + ry * ty
                slope = rx * bx + ry * by - tx * tx - ty * ty
                if slope > -0.1:  # beyond the centre of curvature: go on as on a straight line
                    slope = -1.0
                ds = min(max(-residual / slope, -step_limit), step_limit)
                s_new = min(max(s + ds, s_low), s_high)
                # from the tangent a flank bends away, or towards it in a hollow, but not by so much so near the foot
                if abs(ds) < NEXT_TO * profile and side * (tx * ry - ty * rx) > reach + HOLLOW * profile:
                    far, s = True, s_new
                    break
                if abs(s_new - s) < LAST_STEP * profile:
                    found = abs(ds) < FOUND * profile
                    s = s_new
                    break
                s = s_new
            if not (found or far) or s <= s_low or s >= s_high:
                in_line = 0
                continue
            in_line, foot, foot_before = in_line + 1, s, foot
            if far:
                continue
            yx, yy, tx, ty, bx, by, x3, y3 = curve_at(knots, curve, s)
            length = np.sqrt(tx * tx + ty * ty)
            tx, ty = tx / length, ty / length
            nx, ny = -side * ty, side * tx
            g = nx * (x - yx) + ny * (y - yy)
            if g > reach:
                continue
            if count < table.shape[0]:
                row = table[count]
                row[S_FOOT], row[G_RIGID], row[G_PROFILE] = s, g, g
                row[TX], row[TY], row[NX], row[NY] = tx, ty, nx, ny
                row[KAPPA] = nx * bx + ny * by
                row[KAPPA_S] = nx * x3 + ny * y3
                row[X_X], row[X_Y], row[Z_X], row[Z_Y] = x, y, zx, zy
                row[COS_D], row[SIN_D] = cos_d, sin_d
                row[AREA] = weighted_area[i]
                gauss_index[count] = i
                pair_index[count] = pair
                grid_weights(
                    rows_s, coefficients, cols_z, s, z,
                    nodes_pri[count], w_pri[count], w_s_pri[count], w_ss_pri[count],
                )  # fmt: skip
            count += 1
    if count > table.shape[0]:
        return -count
    return count


@kernel
def rigid_derivatives(
    # in
    table, n_pass0, spin,
    # out
    s_i, s_ij, g_i, g_ij, lever, lever_j,
):  # fmt: skip
    """Derivatives of the foot point and of the rigid gap with respect to both rotations phi.

    ``n_pass0`` rows have the pinion as secondary, the rest the wheel. Out, per contact: ``s_i (n, 2)``,
    ``s_ij (n, 2, 2)`` of the foot; ``g_i (n, 2)``, ``g_ij (n, 2, 2)`` of the gap; ``lever (n, 2)``,
    ``lever_j (n, 2, 2)``: t . dX/dphi_i, the lever arm of a tangential force, and its derivatives.
    """
    x_i = np.empty((2, 2))
    x_ij = np.empty((2, 2, 2))
    for c in range(table.shape[0]):
        row = table[c]
        a = 0 if c < n_pass0 else 1
        p = 1 - a
        tx, ty, nx, ny = row[TX], row[TY], row[NX], row[NY]
        k, k_s = row[KAPPA], row[KAPPA_S]
        zx, zy, x, y = row[Z_X], row[Z_Y], row[X_X], row[X_Y]
        x_i[a, 0], x_i[a, 1] = -spin[a] * zy, spin[a] * zx
        x_i[p, 0], x_i[p, 1] = spin[p] * y, -spin[p] * x
        x_ij[a, a, 0], x_ij[a, a, 1] = -zx, -zy
        x_ij[a, p, 0], x_ij[a, p, 1] = spin[a] * spin[p] * zx, spin[a] * spin[p] * zy
        x_ij[p, a, 0], x_ij[p, a, 1] = x_ij[a, p, 0], x_ij[a, p, 1]
        x_ij[p, p, 0], x_ij[p, p, 1] = -x, -y
        m = 1.0 / (1.0 - row[G_PROFILE] * k)
        for i in range(2):
            lever[c, i] = tx * x_i[i, 0] + ty * x_i[i, 1]
            s_i[c, i] = m * lever[c, i]
        for i in range(2):
            g_i[c, i] = nx * x_i[i, 0] + ny * x_i[i, 1]
        for i in range(2):
            for j in range(2):
                n_xj = nx * x_i[j, 0] + ny * x_i[j, 1]
                n_xi = nx * x_i[i, 0] + ny * x_i[i, 1]
                t_xij = tx * x_ij[i, j, 0] + ty * x_ij[i, j, 1]
                n_xij = nx * x_ij[i, j, 0] + ny * x_ij[i, j, 1]
                m_j = m * m * (n_xj * k + row[G_PROFILE] * k_s * s_i[c, j])
                lever_j[c, i, j] = k * s_i[c, j] * n_xi + t_xij
                s_ij[c, i, j] = m_j * lever[c, i] + m * lever_j[c, i, j]
                g_ij[c, i, j] = n_xij - k * s_i[c, j] * lever[c, i]


@kernel
def normal_rows(
    # model
    nodes_gauss, w_gauss, n_nodes,
    # in
    table, n_pass0, gauss_index, pair_index, nodes_pri, w_pri,
    # out
    dof, weight_n, weight_t,
):  # fmt: skip
    """Rows b = d(gap)/d(displacement) of every contact, and the rows of the relative tangential displacement.

    Out: ``dof (2, n, 16)``, ``weight_n``, ``weight_t`` likewise; first axis is the gear. The unknown displacements of a
    gear are numbered (pair slot, node, x or y of that tooth's frame). ``nodes_gauss``, ``w_gauss`` are of both gears.
    """
    for c in range(table.shape[0]):
        row = table[c]
        secondary = 0 if c < n_pass0 else 1
        primary = 1 - secondary
        nx, ny, tx, ty = row[NX], row[NY], row[TX], row[TY]
        # the primary frame's vectors in the secondary tooth frame
        ax, ay = row[COS_D] * nx + row[SIN_D] * ny, -row[SIN_D] * nx + row[COS_D] * ny
        qx, qy = row[COS_D] * tx + row[SIN_D] * ty, -row[SIN_D] * tx + row[COS_D] * ty
        first = 2 * n_nodes[secondary] * pair_index[c]
        g = gauss_index[c]
        for k in range(NODES):
            node, w = nodes_gauss[secondary][g, k], w_gauss[secondary][g, k]
            for axis in range(2):
                e = 2 * k + axis
                dof[secondary, c, e] = first + 2 * node + axis
                weight_n[secondary, c, e] = w * (ax if axis == 0 else ay)
                weight_t[secondary, c, e] = w * (qx if axis == 0 else qy)
        first = 2 * n_nodes[primary] * pair_index[c]
        for k in range(NODES):
            w = w_pri[c, k]
            for axis in range(2):
                e = 2 * k + axis
                dof[primary, c, e] = first + 2 * nodes_pri[c, k] + axis
                weight_n[primary, c, e] = -w * (nx if axis == 0 else ny)
                weight_t[primary, c, e] = -w * (tx if axis == 0 else ty)


@kernel(long_loops=True)
def compliance_between(C, dof, weight_left, weight_right, active, G):
    """Add b_c C e_d^T of one gear to ``G (n_active, n_active)``: displacement at contact c from a unit force at d."""
    n = active.shape[0]
    n_dof = C.shape[0]
    line = np.empty(n_dof)
    n_entries = dof.shape[1]
    # columns that any contact reads
    used = np.zeros(n_dof, dtype=np.bool_)
    for c in range(n):
        for e in range(n_entries):
            used[dof[active[c], e]] = True
    columns = np.flatnonzero(used)
    n_columns = columns.shape[0]
    position = np.empty(n_dof, dtype=np.int64)
    for k in range(n_columns):
        position[columns[k]] = k
    reduced = np.empty((n_columns, n_columns))
    for i in range(n_columns):
        source = C[columns[i]]
        for k in range(n_columns):
            reduced[i, k] = source[columns[k]]
    local = np.empty((n, n_entries), dtype=np.int64)
    for c in range(n):
        for e in range(n_entries):
            local[c, e] = position[dof[active[c], e]]
    for c in range(n):
        ac = active[c]
        for k in range(n_columns):
            line[k] = 0.0
        for e in range(n_entries):
            w = weight_left[ac, e]
            source = reduced[local[c, e]]
            for k in range(n_columns):
                line[k] += w * source[k]
        for d in range(n):
            ad = active[d]
            total = 0.0
            for e in range(n_entries):
                total += weight_right[ad, e] * line[local[d, e]]
            G[c, d] += total


@kernel
def scatter(dof, weight, value, out):
    """out[dof] += weight * value, contact by contact."""
    for c in range(dof.shape[0]):
        v = value[c]
        if v != 0.0:
            for e in range(dof.shape[1]):
                out[dof[c, e]] += weight[c, e] * v


@kernel
def gather(dof, weight, field, out):
    """out[c] += weight . field[dof]."""
    for c in range(dof.shape[0]):
        total = 0.0
        for e in range(dof.shape[1]):
            total += weight[c, e] * field[dof[c, e]]
        out[c] += total


@kernel(long_loops=True)
def multiply_sparse(C, field, out):
    """out = C field for a symmetric C and a field that is zero in most places (face forces)."""
    n = C.shape[0]
    for i in range(n):
        out[i] = 0.0
    for j in range(n):
        f = field[j]
        if f != 0.0:
            source = C[j]
            for i in range(n):
                out[i] += f * source[i]


@kernel
def elastic_derivatives(
    # model
    nodes_gauss, w_gauss, n_nodes, spin,
    # in
    table, n_pass0, gauss_index, pair_index, nodes_pri, w_pri, w_s_pri, w_ss_pri, s_i, s_ij, u,
    # out
    e_i, e_ij,
):  # fmt: skip
    """Derivatives of the elastic part of the gap, n . (u_A - u_P), with respect to both rotations at frozen u.

    ``u`` are the displacements of both gears. Out: ``e_i (n, 2)`` and ``e_ij (n, 2, 2)``; they make the torque the
    exact derivative of the contact energy.
    """
    twist = np.empty(2)
    for c in range(table.shape[0]):
        row = table[c]
        a = 0 if c < n_pass0 else 1
        p = 1 - a
        tx, ty, nx, ny = row[TX], row[TY], row[NX], row[NY]
        k, k_s = row[KAPPA], row[KAPPA_S]
        ux, uy = 0.0, 0.0
        base = 2 * n_nodes[a] * pair_index[c]
        g = gauss_index[c]
        for q in range(NODES):
            node, w = base + 2 * nodes_gauss[a][g, q], w_gauss[a][g, q]
            ux += w * u[a][node]
            uy += w * u[a][node + 1]
        ax, ay = row[COS_D] * ux - row[SIN_D] * uy, row[SIN_D] * ux + row[COS_D] * uy
        px, py, dx, dy, ddx, ddy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        base = 2 * n_nodes[p] * pair_index[c]
        for q in range(NODES):
            node = base + 2 * nodes_pri[c, q]
            vx, vy = u[p][node], u[p][node + 1]
            px += w_pri[c, q] * vx
            py += w_pri[c, q] * vy
            dx += w_s_pri[c, q] * vx
            dy += w_s_pri[c, q] * vy
            ddx += w_ss_pri[c, q] * vx
            ddy += w_ss_pri[c, q] * vy
        t_d = tx * (ax - px) + ty * (ay - py)
        n_d = nx * (ax - px) + ny * (ay - py)
        t_turn = -tx * ay + ty * ax  # t . (e_z x a)
        n_turn = -nx * ay + ny * ax
        n_a = nx * ax + ny * ay
        w1 = -k * t_d - (nx * dx + ny * dy)
        w2 = -k_s * t_d - k * k * n_d + 2 * k * (tx * dx + ty * dy) - (nx * ddx + ny * ddy)
        twist[a], twist[p] = spin[a], -spin[p]
        for i in range(2):
            e_i[c, i] = w1 * s_i[c, i] + twist[i] * n_turn
        for i in range(2):
            for j in range(2):
                e_ij[c, i, j] = (
                    w2 * s_i[c, i] * s_i[c, j] + w1 * s_ij[c, i, j]
                    - k * t_turn * (twist[j] * s_i[c, i] + twist[i] * s_i[c, j])
                    - twist[i] * twist[j] * n_a
                )  # fmt: skip


@kernel
def turned_rows(
    # model
    nodes_gauss, w_gauss, n_nodes, spin,
    # in
    table, n_pass0, gauss_index, pair_index, nodes_pri, w_pri, w_s_pri, s_i, force_n, force_t,
    # out
    y,
):  # fmt: skip
    """Nodal vectors of both gears: sum of F d(b)/dphi_j + F_t d(t row)/dphi_j over the contacts, one per rotation.

    ``y (2, n_dof)`` each: the change of the nodal forces at frozen contact force when gear j turns.
    """
    for c in range(table.shape[0]):
        fn, ft = force_n[c], force_t[c]
        if fn == 0.0 and ft == 0.0:
            continue
        row = table[c]
        a = 0 if c < n_pass0 else 1
        p = 1 - a
        tx, ty, nx, ny, k = row[TX], row[TY], row[NX], row[NY], row[KAPPA]
        # force vector on the secondary and its derivative along the flank: n' = -k t, t' = k n
        fx, fy = fn * nx + ft * tx, fn * ny + ft * ty
        gx, gy = k * (ft * nx - fn * tx), k * (ft * ny - fn * ty)
        for j in range(2):
            twist = spin[a] if j == a else -spin[p]
            # d(Rot(D)^T f)/dphi = Rot^T (f' s_j - twist e_z x f)
            vx = gx * s_i[c, j] + twist * fy
            vy = gy * s_i[c, j] - twist * fx
            bx, by = row[COS_D] * vx + row[SIN_D] * vy, -row[SIN_D] * vx + row[COS_D] * vy
            base = 2 * n_nodes[a] * pair_index[c]
            g = gauss_index[c]
            for q in range(NODES):
                node, w = base + 2 * nodes_gauss[a][g, q], w_gauss[a][g, q]
                y[a][j, node] += w * bx
                y[a][j, node + 1] += w * by
            base = 2 * n_nodes[p] * pair_index[c]
            for q in range(NODES):
                node = base + 2 * nodes_pri[c, q]
                w, ws = w_pri[c, q], w_s_pri[c, q]
                y[p][j, node] -= (w * gx + ws * fx) * s_i[c, j]
                y[p][j, node + 1] -= (w * gy + ws * fy) * s_i[c, j]
