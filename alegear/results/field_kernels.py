"""Compiled placing of stress fields; calls nothing outside itself. Components: xx, yy, zz, xy, yz, zx."""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from alegear.kernel_cache import kernel, lean_kernel


@lean_kernel
def _add_turned(cosine, sine, share, u, stress, u_out, stress_out):
    """Add a share of displacement (3, m) and stress (6, m) of a node, turned about z by an angle for each frame."""
    for f in range(cosine.shape[0]):
        c, s = cosine[f], sine[f]
        u_out[0, f] += share * (c * u[0, f] - s * u[1, f])
        u_out[1, f] += share * (s * u[0, f] + c * u[1, f])
        u_out[2, f] += share * u[2, f]
    for f in range(cosine.shape[0]):
        c, s = cosine[f], sine[f]
        xx, yy, xy = stress[0, f], stress[1, f], stress[3, f]
        shear = 2.0 * c * s * xy
        stress_out[0, f] += share * (c * c * xx + s * s * yy - shear)
        stress_out[1, f] += share * (s * s * xx + c * c * yy + shear)
        stress_out[2, f] += share * stress[2, f]
        stress_out[3, f] += share * (c * s * (xx - yy) + (c * c - s * s) * xy)
        stress_out[4, f] += share * (c * stress[4, f] + s * stress[5, f])
        stress_out[5, f] += share * (c * stress[5, f] - s * stress[4, f])


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
    d = np.empty((3, n_frames))
    sigma = np.empty((6, n_frames))
    for joined in range(points.shape[0]):
        d[:] = 0.0
        sigma[:] = 0.0
        for k in range(indptr[joined], indptr[joined + 1]):
            sector, node = indices[k] // n_nodes, indices[k] % n_nodes
            _add_turned(cosine[sector], sine[sector], share[k], u[node, :, sector], stress[node, :, sector], d, sigma)
        at = first + joined
        for f in range(n_frames):
            c, s = cosine[-1, f], sine[-1, f]
            x = c * points[joined, 0] - s * points[joined, 1]
            y = s * points[joined, 0] + c * points[joined, 1]
            points_out[f, at, 0] = x + axis[0]
            points_out[f, at, 1] = y + axis[1]
            points_out[f, at, 2] = points[joined, 2]
            displacement_out[f, at, 0] = d[0, f] - turn_ahead[f] * y
            displacement_out[f, at, 1] = d[1, f] + turn_ahead[f] * x
            displacement_out[f, at, 2] = d[2, f]
            xx, yy, zz, xy, yz, zx = sigma[0, f], sigma[1, f], sigma[2, f], sigma[3, f], sigma[4, f], sigma[5, f]
            stress_out[f, at, 0] = xx
            stress_out[f, at, 1] = yy
            stress_out[f, at, 2] = zz
            stress_out[f, at, 3] = xy
            stress_out[f, at, 4] = yz
            stress_out[f, at, 5] = zx
            normal = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2)
            von_mises_out[f, at] = np.sqrt(normal + 3.0 * (xy * xy + yz * yz + zx * zx))
