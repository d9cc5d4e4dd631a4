"""Compiled element loops.

Arguments come in groups: tables of the reference element, grid, material, then input, then output (``_out``).
Element DOF are ``3 * local node + axis``; the internal modes follow the nodes as further "nodes" whose
gradients carry Taylor's correction. Stress components: xx, yy, zz, xy, yz, zx.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from alegear.kernels.decorators import inner_kernel, kernel, lean_kernel


@inner_kernel
def _invert_3x3(a, inverse_out):
    """Write the inverse of ``a`` and return its determinant; of a singular matrix the inverse is not finite."""
    c00 = a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]
    c10 = a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]
    c20 = a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]
    determinant = a[0, 0] * c00 + a[0, 1] * c10 + a[0, 2] * c20
    scale = 1.0 / determinant
    inverse_out[0, 0] = c00 * scale
    inverse_out[1, 0] = c10 * scale
    inverse_out[2, 0] = c20 * scale
    inverse_out[0, 1] = (a[0, 2] * a[2, 1] - a[0, 1] * a[2, 2]) * scale
    inverse_out[1, 1] = (a[0, 0] * a[2, 2] - a[0, 2] * a[2, 0]) * scale
    inverse_out[2, 1] = (a[0, 1] * a[2, 0] - a[0, 0] * a[2, 1]) * scale
    inverse_out[0, 2] = (a[0, 1] * a[1, 2] - a[0, 2] * a[1, 1]) * scale
    inverse_out[1, 2] = (a[0, 2] * a[1, 0] - a[0, 0] * a[1, 2]) * scale
    inverse_out[2, 2] = (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]) * scale
    return determinant


@inner_kernel
def _jacobian(x, dn, jacobian_out):
    """``J_ik = dx_i / dxi_k = sum_a x_ai dN_a/dxi_k``."""
    for i in range(3):
        for k in range(3):
            total = 0.0
            for a in range(x.shape[0]):
                total += x[a, i] * dn[a, k]
            jacobian_out[i, k] = total


@inner_kernel
def _gradients(
    # reference element
    gradients,
    internal_gradients,
    centre_gradients,
    # in
    x,
    # out
    g_out,
    j_out,
):
    """Gradients in space of all shape functions, internal modes last; determinants of the map.

    ``x (n, 3)``, ``g_out (q, n + k, 3)``, ``j_out (q,)``.
    """
    n_points, n_nodes = gradients.shape[0], gradients.shape[1]
    n_modes = internal_gradients.shape[1]
    jac = np.empty((3, 3))
    inverse = np.empty((3, 3))
    inverse_centre = np.empty((3, 3))
    _jacobian(x, centre_gradients, jac)
    j_centre = _invert_3x3(jac, inverse_centre)
    for q in range(n_points):
        _jacobian(x, gradients[q], jac)
        j = _invert_3x3(jac, inverse)
        j_out[q] = j
        for a in range(n_nodes):
            for i in range(3):
                g_out[q, a, i] = (
                    inverse[0, i] * gradients[q, a, 0]
                    + inverse[1, i] * gradients[q, a, 1]
                    + inverse[2, i] * gradients[q, a, 2]
                )
        ratio = j_centre / j
        for a in range(n_modes):
            for i in range(3):
                g_out[q, n_nodes + a, i] = ratio * (
                    inverse_centre[0, i] * internal_gradients[q, a, 0]
                    + inverse_centre[1, i] * internal_gradients[q, a, 1]
                    + inverse_centre[2, i] * internal_gradients[q, a, 2]
                )


@inner_kernel
def _full_stiffness(g, dv, lame_lambda, mu, k_out):
    """Stiffness over all shape functions, before condensation; only from the products of the gradients.

    ``K_(ai)(bj) = lambda H_aibj + mu H_ajbi + mu delta_ij sum_m H_ambm``, ``H_aibj = int g_ai g_bj dV``.
    Only blocks with ``a <= b`` are summed, row by row, and mirrored, so the matrix is symmetric to the last bit.
    """
    n_points, n = g.shape[0], g.shape[1]
    flat = g.reshape(n_points, 3 * n)
    for r in range(3 * n):
        row = k_out[r, 3 * (r // 3) :]
        row[:] = 0.0
        for q in range(n_points):
            weighted, others = dv[q] * flat[q, r], flat[q, 3 * (r // 3) :]
            for c in range(row.shape[0]):
                row[c] += weighted * others[c]
    h = np.empty((3, 3))
    for a in range(n):
        for b in range(a, n):
            for i in range(3):
                for j in range(3):
                    h[i, j] = k_out[3 * a + i, 3 * b + j]
            trace = mu * (h[0, 0] + h[1, 1] + h[2, 2])
            for i in range(3):
                for j in range(3):
                    value = lame_lambda * h[i, j] + mu * h[j, i]
                    if i == j:
                        value += trace
                    k_out[3 * a + i, 3 * b + j] = value
                    k_out[3 * b + j, 3 * a + i] = value


@inner_kernel
def _condense(k, n, recovery_out):
    """Condense all rows after the first ``n`` in place: ``K_uu - K_ua K_aa^-1 K_au``.

    ``recovery_out (m, n)`` receives ``-K_aa^-1 K_au``, which gives the internal parameters from the nodes.
    ``K_aa`` is positive definite for positive Jacobians; its Cholesky factor overwrites its lower half.
    """
    m = k.shape[0] - n
    for c in range(m):
        for r in range(c, m):
            total = k[n + r, n + c]
            for s in range(c):
                total -= k[n + r, n + s] * k[n + c, n + s]
            if r == c:
                k[n + c, n + c] = np.sqrt(total)
            else:
                k[n + r, n + c] = total / k[n + c, n + c]
    # y = L^-1 K_au, then K_uu -= y^T y keeps the symmetry and the positive semidefiniteness
    for r in range(m):
        for c in range(n):
            recovery_out[r, c] = k[n + r, c]
        for s in range(r):
            factor = k[n + r, n + s]
            for c in range(n):
                recovery_out[r, c] -= factor * recovery_out[s, c]
        scale = 1.0 / k[n + r, n + r]
        for c in range(n):
            recovery_out[r, c] *= scale
    for s in range(m):
        for i in range(n):
            factor = recovery_out[s, i]
            for j in range(i, n):
                k[i, j] -= factor * recovery_out[s, j]
    for i in range(n):
        for j in range(i):
            k[i, j] = k[j, i]
    for r in range(m - 1, -1, -1):
        for s in range(r + 1, m):
            factor = k[n + s, n + r]
            for c in range(n):
                recovery_out[r, c] -= factor * recovery_out[s, c]
        scale = 1.0 / k[n + r, n + r]
        for c in range(n):
            recovery_out[r, c] *= scale
    for r in range(m):
        for c in range(n):
            recovery_out[r, c] = -recovery_out[r, c]


@inner_kernel
def _condensed_stiffness(
    # reference element
    gradients,
    internal_gradients,
    centre_gradients,
    weights,
    # material
    lame_lambda,
    mu,
    # in
    x,
    # work
    g,
    dv,
    # out
    k_out,
    recovery_out,
):
    """Stiffness of one element in the first 3n rows and columns of ``k_out``, and its internal parameters."""
    _gradients(gradients, internal_gradients, centre_gradients, x, g, dv)
    for q in range(dv.shape[0]):
        dv[q] *= weights[q]
    _full_stiffness(g, dv, lame_lambda, mu, k_out)
    _condense(k_out, 3 * gradients.shape[1], recovery_out)


@inner_kernel
def _gather(points, cell, x_out):
    for a in range(cell.shape[0]):
        for i in range(3):
            x_out[a, i] = points[cell[a], i]


@inner_kernel
def _find(indices, first, last, column):
    """Position of ``column`` in the ascending ``indices[first:last]``."""
    while last - first > 1:
        middle = (first + last) // 2
        if indices[middle] <= column:
            first = middle
        else:
            last = middle
    return first


@kernel(nogil=True, long_loops=True)
def assemble_stiffness(
    # reference element
    gradients,
    internal_gradients,
    centre_gradients,
    weights,
    # grid and pattern of the node graph
    points,
    cells,
    indptr,
    indices,
    # material
    lame_lambda,
    mu,
    # out
    data_out,
):
    """Add the element matrices into the values of a CSR matrix whose rows are DOF.

    ``indptr``, ``indices`` describe the graph of nodes; the three DOF rows of node ``i`` start at
    ``9 indptr[i]`` and hold three columns for each neighbour. ``data_out (9 nnz,)`` must come as zeros.
    """
    n = cells.shape[1]
    n_all = n + internal_gradients.shape[1]
    g = np.empty((gradients.shape[0], n_all, 3))
    dv = np.empty(gradients.shape[0])
    k = np.empty((3 * n_all, 3 * n_all))
    recovery = np.empty((3 * (n_all - n), 3 * n))
    x = np.empty((n, 3))
    for e in range(cells.shape[0]):
        _gather(points, cells[e], x)
        _condensed_stiffness(
            gradients, internal_gradients, centre_gradients, weights, lame_lambda, mu, x, g, dv, k, recovery
        )
        for a in range(n):
            row = cells[e, a]
            first, last = indptr[row], indptr[row + 1]
            for b in range(n):
                at = 9 * first + 3 * (_find(indices, first, last, cells[e, b]) - first)
                for i in range(3):
                    for j in range(3):
                        data_out[at + j] += k[3 * a + i, 3 * b + j]
                    at += 3 * (last - first)


@kernel
def element_stiffnesses(
    # reference element
    gradients,
    internal_gradients,
    centre_gradients,
    weights,
    # grid
    points,
    cells,
    # material
    lame_lambda,
    mu,
    # out
    k_out,
):
    """Condensed stiffness of every element, ``k_out (m, 3n, 3n)``."""
    n = cells.shape[1]
    n_all = n + internal_gradients.shape[1]
    g = np.empty((gradients.shape[0], n_all, 3))
    dv = np.empty(gradients.shape[0])
    k = np.empty((3 * n_all, 3 * n_all))
    recovery = np.empty((3 * (n_all - n), 3 * n))
    x = np.empty((n, 3))
    for e in range(cells.shape[0]):
        _gather(points, cells[e], x)
        _condensed_stiffness(
            gradients, internal_gradients, centre_gradients, weights, lame_lambda, mu, x, g, dv, k, recovery
        )
        for i in range(3 * n):
            for j in range(3 * n):
                k_out[e, i, j] = k[i, j]


@kernel
def assemble_scalar_mass(
    # reference element
    shape,
    gradients,
    weights,
    # grid and pattern of the node graph
    points,
    cells,
    indptr,
    indices,
    # out
    data_out,
):
    """Add ``int N_a N_b dV`` into a CSR matrix over the graph of nodes, ``data_out (nnz,)`` comes as zeros."""
    n = cells.shape[1]
    jac = np.empty((3, 3))
    inverse = np.empty((3, 3))
    x = np.empty((n, 3))
    m = np.empty((n, n))
    for e in range(cells.shape[0]):
        _gather(points, cells[e], x)
        m[:, :] = 0.0
        for q in range(shape.shape[0]):
            _jacobian(x, gradients[q], jac)
            dv = weights[q] * _invert_3x3(jac, inverse)
            for a in range(n):
                for b in range(a, n):
                    m[a, b] += dv * shape[q, a] * shape[q, b]
        for a in range(n):
            row = cells[e, a]
            for b in range(n):
                at = _find(indices, indptr[row], indptr[row + 1], cells[e, b])
                data_out[at] += m[min(a, b), max(a, b)]


@inner_kernel
def _add_stress(lame_lambda, mu, i, j, slope, stress_out):
    """Add the stress of the gradient d(u_i)/dx_j, ``stress_out (6,)``: xx, yy, zz, xy, yz, zx."""
    if i == j:
        for k in range(3):
            stress_out[k] += lame_lambda * slope
        stress_out[i] += 2.0 * mu * slope
    else:
        stress_out[3 + (i + j == 3) + 2 * (i + j == 2)] += mu * slope


@inner_kernel
def _stress_operator(g, recovery, extrapolation, lame_lambda, mu, node, strain_work, operator_out):
    """Stress of one element at its local ``node`` from its nodal displacements, ``operator_out (6, 3n)``.

    The gradient of the displacement is extrapolated first, the law of elasticity is linear and follows.
    ``strain_work (n_all, 3)`` holds the extrapolated gradients of the shape functions.
    """
    n_points, n_all = g.shape[0], g.shape[1]
    n = recovery.shape[1] // 3
    work = strain_work.reshape(-1)
    work[:] = 0.0
    for q in range(n_points):
        share, of_point = extrapolation[node, q], g[q].reshape(-1)
        for i in range(work.shape[0]):
            work[i] += share * of_point[i]
    # d(u_i)/dx_j at the node as a row over the DOF: own gradient plus that of the internal modes
    operator_out[:] = 0.0
    for a in range(n):
        for axis in range(3):
            for j in range(3):
                _add_stress(lame_lambda, mu, axis, j, strain_work[a, j], operator_out[:, 3 * a + axis])
    for k in range(n_all - n):
        for c in range(3 * n):
            for i in range(3):
                alpha = recovery[3 * k + i, c]
                for j in range(3):
                    _add_stress(lame_lambda, mu, i, j, alpha * strain_work[n + k, j], operator_out[:, c])


@lean_kernel
def _add_scaled(factor, row, sum_out):
    """Add a multiple of a row."""
    for i in range(row.shape[0]):
        sum_out[i] += factor * row[i]


@lean_kernel
def _add_weighted_stress(h, lame_lambda, mu, weight, stress_out):
    """Add the weighted stress of the gradients ``h (3, 3, m)`` of all fields to that of a node, ``(6, m)``."""
    for f in range(h.shape[2]):
        pressure = lame_lambda * (h[0, 0, f] + h[1, 1, f] + h[2, 2, f])
        stress_out[0, f] += weight * (pressure + 2.0 * mu * h[0, 0, f])
        stress_out[1, f] += weight * (pressure + 2.0 * mu * h[1, 1, f])
        stress_out[2, f] += weight * (pressure + 2.0 * mu * h[2, 2, f])
        stress_out[3, f] += weight * (mu * (h[0, 1, f] + h[1, 0, f]))
        stress_out[4, f] += weight * (mu * (h[1, 2, f] + h[2, 1, f]))
        stress_out[5, f] += weight * (mu * (h[2, 0, f] + h[0, 2, f]))


@kernel(nogil=True)
def weighted_node_gradients(
    # reference element
    internal_gradients,
    centre_gradients,
    recovery_gradients,
    # grid
    points,
    cells,
    # in: share of each element in its nodes (cells, n); pairs (q,) of a local node and one that its gradient depends on
    share,
    at,
    of,
    # out
    slopes_out,
):
    """Share of an element in the gradient at its nodes, per value at others, ``slopes_out (cells, q, 3)``."""
    n = cells.shape[1]
    g = np.empty((recovery_gradients.shape[0], n, 3))
    j = np.empty(recovery_gradients.shape[0])
    x = np.empty((n, 3))
    for e in range(cells.shape[0]):
        _gather(points, cells[e], x)
        _gradients(recovery_gradients, internal_gradients, centre_gradients, x, g, j)
        for q in range(at.shape[0]):
            for i in range(3):
                slopes_out[e, q, i] = share[e, at[q]] * g[at[q], of[q], i]


@lean_kernel
def _add_gradient(slope, u, h_out):
    """Add the product of a slope (3,) and the values of a node in all fields (m,), ``h_out (3, m)``."""
    s_x, s_y, s_z = slope[0], slope[1], slope[2]
    for f in range(u.shape[0]):
        h_out[0, f] += s_x * u[f]
        h_out[1, f] += s_y * u[f]
        h_out[2, f] += s_z * u[f]


@lean_kernel
def _add_three_gradients(slopes, u_0, u_1, u_2, h_out):
    """Add the products of three slopes (3, 3) and the values of their nodes at once, which saves going over the sum."""
    x_0, y_0, z_0 = slopes[0, 0], slopes[0, 1], slopes[0, 2]
    x_1, y_1, z_1 = slopes[1, 0], slopes[1, 1], slopes[1, 2]
    x_2, y_2, z_2 = slopes[2, 0], slopes[2, 1], slopes[2, 2]
    for f in range(u_0.shape[0]):
        h_out[0, f] += x_0 * u_0[f] + x_1 * u_1[f] + x_2 * u_2[f]
        h_out[1, f] += y_0 * u_0[f] + y_1 * u_1[f] + y_2 * u_2[f]
        h_out[2, f] += z_0 * u_0[f] + z_1 * u_1[f] + z_2 * u_2[f]


@kernel(nogil=True, long_loops=True)
def stresses_of_gradients(
    # in: mean gradient at each node over others, CSR with slopes (nnz, 3)
    indptr,
    indices,
    slopes,
    # material
    lame_lambda,
    mu,
    # in: displacement of all fields (n_nodes, 3, m)
    u,
    # out: comes as zeros
    stress_out,
):
    """Stress at the nodes from the mean gradients there, ``stress_out (n_nodes, 6, m)``."""
    m = u.shape[2]
    h = np.empty((3, 3, m))
    for node in range(u.shape[0]):
        h[:] = 0.0
        k, last = indptr[node], indptr[node + 1]
        while k + 3 <= last:
            first, second, third = u[indices[k]], u[indices[k + 1]], u[indices[k + 2]]
            for i in range(3):
                _add_three_gradients(slopes[k : k + 3], first[i], second[i], third[i], h[i])
            k += 3
        while k < last:
            for i in range(3):
                _add_gradient(slopes[k], u[indices[k], i], h[i])
            k += 1
        _add_weighted_stress(h, lame_lambda, mu, 1.0, stress_out[node])


@kernel(nogil=True, long_loops=True)
def mean_node_stresses(
    # reference element
    gradients,
    internal_gradients,
    centre_gradients,
    weights,
    recovery_gradients,
    recovery_internal_gradients,
    extrapolation,
    # grid
    points,
    cells,
    # material
    lame_lambda,
    mu,
    # in: share of each element in the stress of its nodes (cells, n); displacement of all fields (n_nodes, 3, m)
    share,
    u,
    # out: comes as zeros
    stress_out,
):
    """Stress at the nodes, averaged over their elements, ``stress_out (n_nodes, 6, m)``."""
    n, m = cells.shape[1], u.shape[2]
    n_points, n_all = recovery_gradients.shape[0], n + internal_gradients.shape[1]
    g = np.empty((gradients.shape[0], n_all, 3))
    dv = np.empty(gradients.shape[0])
    g_r = np.empty((n_points, n_all, 3))
    j_r = np.empty(n_points)
    k = np.empty((3 * n_all, 3 * n_all))
    recovery = np.empty((3 * (n_all - n), 3 * n))
    x = np.empty((n, 3))
    slope = np.empty(3 * n_all)
    amplitude = np.empty((n_all - n, 3, m))
    h = np.empty(9 * m)
    for e in range(cells.shape[0]):
        _gather(points, cells[e], x)
        if n_all > n:
            _condensed_stiffness(
                gradients, internal_gradients, centre_gradients, weights, lame_lambda, mu, x, g, dv, k, recovery
            )
        _gradients(recovery_gradients, recovery_internal_gradients, centre_gradients, x, g_r, j_r)
        for s in range(n_all - n):
            for i in range(3):
                for f in range(m):
                    amplitude[s, i, f] = 0.0
                for a in range(n):
                    for j in range(3):
                        _add_scaled(recovery[3 * s + i, 3 * a + j], u[cells[e, a], j], amplitude[s, i])
        for node in range(n):
            for i in range(slope.shape[0]):
                slope[i] = 0.0
            for q in range(n_points):
                if extrapolation[node, q] != 0.0:
                    _add_scaled(extrapolation[node, q], g_r[q].reshape(-1), slope)
            for i in range(h.shape[0]):
                h[i] = 0.0
            for a in range(n_all):
                s_x, s_y, s_z = slope[3 * a], slope[3 * a + 1], slope[3 * a + 2]
                if s_x == 0.0 and s_y == 0.0 and s_z == 0.0:
                    continue
                for i in range(3):
                    of_node = u[cells[e, a], i] if a < n else amplitude[a - n, i]
                    first = 3 * m * i
                    for f in range(m):
                        h[first + f] += s_x * of_node[f]
                        h[first + m + f] += s_y * of_node[f]
                        h[first + 2 * m + f] += s_z * of_node[f]
            _add_weighted_stress(h.reshape(3, 3, m), lame_lambda, mu, share[e, node], stress_out[cells[e, node]])


@kernel(nogil=True, long_loops=True)
def stress_operators(
    # reference element
    gradients,
    internal_gradients,
    centre_gradients,
    weights,
    recovery_gradients,
    recovery_internal_gradients,
    extrapolation,
    # grid
    points,
    cells,
    # material
    lame_lambda,
    mu,
    # in
    pair_cell,
    pair_local_node,
    # out
    operator_out,
):
    """Stress at (element, local node) pairs as rows over the element's DOF, ``operator_out (p, 6, 3n)``."""
    n = cells.shape[1]
    n_all = n + internal_gradients.shape[1]
    g = np.empty((gradients.shape[0], n_all, 3))
    dv = np.empty(gradients.shape[0])
    g_r = np.empty((recovery_gradients.shape[0], n_all, 3))
    j_r = np.empty(recovery_gradients.shape[0])
    k = np.empty((3 * n_all, 3 * n_all))
    recovery = np.empty((3 * (n_all - n), 3 * n))
    x = np.empty((n, 3))
    work = np.empty((n_all, 3))
    for p in range(pair_cell.shape[0]):
        if p == 0 or pair_cell[p] != pair_cell[p - 1]:
            _gather(points, cells[pair_cell[p]], x)
            if n_all > n:
                _condensed_stiffness(
                    gradients, internal_gradients, centre_gradients, weights, lame_lambda, mu, x, g, dv, k, recovery
                )
            _gradients(recovery_gradients, recovery_internal_gradients, centre_gradients, x, g_r, j_r)
        _stress_operator(g_r, recovery, extrapolation, lame_lambda, mu, pair_local_node[p], work, operator_out[p])
