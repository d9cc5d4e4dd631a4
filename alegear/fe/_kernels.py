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
def _condense(k, n, work):
    """Condense all rows after the first ``n`` in place: ``K_uu - K_ua K_aa^-1 K_au``; ``work (m, n)``.

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
            work[r, c] = k[n + r, c]
        for s in range(r):
            factor = k[n + r, n + s]
            for c in range(n):
                work[r, c] -= factor * work[s, c]
        scale = 1.0 / k[n + r, n + r]
        for c in range(n):
            work[r, c] *= scale
    for s in range(m):
        for i in range(n):
            factor = work[s, i]
            for j in range(i, n):
                k[i, j] -= factor * work[s, j]
    for i in range(n):
        for j in range(i):
            k[i, j] = k[j, i]


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
    work = np.empty((3 * (n_all - n), 3 * n))
    x = np.empty((n, 3))
    for e in range(cells.shape[0]):
        for a in range(n):
            for i in range(3):
                x[a, i] = points[cells[e, a], i]
        _gradients(gradients, internal_gradients, centre_gradients, x, g, dv)
        for q in range(dv.shape[0]):
            dv[q] *= weights[q]
        _full_stiffness(g, dv, lame_lambda, mu, k)
        _condense(k, 3 * n, work)
        for a in range(n):
            row = cells[e, a]
            first, last = indptr[row], indptr[row + 1]
            for b in range(n):
                at = 9 * first + 3 * (_find(indices, first, last, cells[e, b]) - first)
                for i in range(3):
                    for j in range(3):
                        data_out[at + j] += k[3 * a + i, 3 * b + j]
                    at += 3 * (last - first)


@lean_kernel
def _stress_of_gradients(h, lame_lambda, mu, stress_out):
    """Stress of a node, ``(6, m)``, from the gradients ``h (3, 3, m)`` of all fields."""
    for f in range(h.shape[2]):
        pressure = lame_lambda * (h[0, 0, f] + h[1, 1, f] + h[2, 2, f])
        stress_out[0, f] = pressure + 2.0 * mu * h[0, 0, f]
        stress_out[1, f] = pressure + 2.0 * mu * h[1, 1, f]
        stress_out[2, f] = pressure + 2.0 * mu * h[2, 2, f]
        stress_out[3, f] = mu * (h[0, 1, f] + h[1, 0, f])
        stress_out[4, f] = mu * (h[1, 2, f] + h[2, 1, f])
        stress_out[5, f] = mu * (h[2, 0, f] + h[0, 2, f])


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
    # in: displacement of all fields (n, 3, m), of the nodes and of what else the gradients depend on
    u,
    # out
    stress_out,
):
    """Stress at the nodes from the mean gradients there, ``stress_out (n_nodes, 6, m)``."""
    m = u.shape[2]
    h = np.empty((3, 3, m))
    for node in range(stress_out.shape[0]):
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
        _stress_of_gradients(h, lame_lambda, mu, stress_out[node])
