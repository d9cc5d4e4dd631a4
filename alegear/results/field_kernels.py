"""Compiled placing of stress fields; calls nothing outside itself. Components: xx, yy, zz, xy, yz, zx."""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from alegear.kernels.decorators import kernel, lean_kernel

TOGETHER = 64  # nodes that are put down one after the other in a frame: memory is not written in too many places


@lean_kernel
def _add_turned(cosine, sine, share, u, stress, node, sector, i, u_out, stress_out):
    """Add a share of displacement and stress of a node, turned about z by an angle for each frame.

    Whole arrays are given, not parts: of these the compiler would not know that the frames lie side by side.
    """
    for f in range(cosine.shape[1]):
        c, s = cosine[sector, f], sine[sector, f]
        u_out[i, 0, f] += share * (c * u[node, 0, sector, f] - s * u[node, 1, sector, f])
        u_out[i, 1, f] += share * (s * u[node, 0, sector, f] + c * u[node, 1, sector, f])
        u_out[i, 2, f] += share * u[node, 2, sector, f]
    for f in range(cosine.shape[1]):
        c, s = cosine[sector, f], sine[sector, f]
        xx, yy, xy = stress[node, 0, sector, f], stress[node, 1, sector, f], stress[node, 3, sector, f]
        shear = 2.0 * c * s * xy
        stress_out[i, 0, f] += share * (c * c * xx + s * s * yy - shear)
        stress_out[i, 1, f] += share * (s * s * xx + c * c * yy + shear)
        stress_out[i, 2, f] += share * stress[node, 2, sector, f]
        stress_out[i, 3, f] += share * (c * s * (xx - yy) + (c * c - s * s) * xy)
        stress_out[i, 4, f] += share * (c * stress[node, 4, sector, f] + s * stress[node, 5, sector, f])
        stress_out[i, 5, f] += share * (c * stress[node, 5, sector, f] - s * stress[node, 4, sector, f])


@kernel(nogil=True, long_loops=True)
def place_fields(
    # group: nodes of the sectors that each joined node is the mean of, CSR over sector * n + node; place of the nodes
    indptr,
    indices,
    share,
    points,
    axis,
    # in: cosine and sine (sectors + 1, m) of the angles of all sectors, and of the group, in each frame; (m,)
    cosine,
    sine,
    turn_ahead,
    # in: (n, 3, sectors, m), (n, 6, sectors, m)
    u,
    stress,
    # in: node of the output that the group begins with
    first,
    # out: (m, nodes, 3), (m, nodes, 3), (m, nodes, 6), (m, nodes)
    points_out,
    displacement_out,
    stress_out,
    von_mises_out,
):
    """Put the sectors of a group into the frame of the pinion, in all frames at once."""
    n_nodes, n_frames = u.shape[0], u.shape[3]
    d = np.empty((TOGETHER, 3, n_frames))
    sigma = np.empty((TOGETHER, 6, n_frames))
    for start in range(0, points.shape[0], TOGETHER):
        end = min(start + TOGETHER, points.shape[0])
        d[:] = 0.0
        sigma[:] = 0.0
        for joined in range(start, end):
            for k in range(indptr[joined], indptr[joined + 1]):
                sector, node = indices[k] // n_nodes, indices[k] % n_nodes
                _add_turned(cosine, sine, share[k], u, stress, node, sector, joined - start, d, sigma)
        for f in range(n_frames):
            c, s = cosine[-1, f], sine[-1, f]
            for joined in range(start, end):
                at, i = first + joined, joined - start
                x = c * points[joined, 0] - s * points[joined, 1]
                y = s * points[joined, 0] + c * points[joined, 1]
                points_out[f, at, 0] = x + axis[0]
                points_out[f, at, 1] = y + axis[1]
                points_out[f, at, 2] = points[joined, 2]
                displacement_out[f, at, 0] = d[i, 0, f] - turn_ahead[f] * y
                displacement_out[f, at, 1] = d[i, 1, f] + turn_ahead[f] * x
                displacement_out[f, at, 2] = d[i, 2, f]
                xx, yy, zz = sigma[i, 0, f], sigma[i, 1, f], sigma[i, 2, f]
                xy, yz, zx = sigma[i, 3, f], sigma[i, 4, f], sigma[i, 5, f]
                stress_out[f, at, 0] = xx
                stress_out[f, at, 1] = yy
                stress_out[f, at, 2] = zz
                stress_out[f, at, 3] = xy
                stress_out[f, at, 4] = yz
                stress_out[f, at, 5] = zx
                normal = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2)
                von_mises_out[f, at] = np.sqrt(normal + 3.0 * (xy * xy + yz * yz + zx * zx))
