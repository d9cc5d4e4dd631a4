"""Compiled: compliance of tooth faces seen by slices instead of columns of nodes."""

from __future__ import annotations

import numpy as np

from alegear.kernels.decorators import kernel


@kernel(nogil=True, long_loops=True)
def slice_means(C, starts_i, starts_j, n_rows, n_cols, n_axes, first_col, weight, out):
    """Mean over the slices, at both ends, of the compliance between the faces of two teeth.

    Parameters
    ----------
    C : (n_dof, n_dof) [m/N], nodes of a face ordered row, column, axis
    starts_i, starts_j : (n_faces,) first degrees of freedom of the faces of both teeth
    first_col, weight : (n_slices,), (n_slices, n_w) mean over a slice of the columns from the first on
    out : (m, m, n, n), m = n_faces n_slices, n = n_rows n_axes: what two slices of two faces need lies together
    """
    n_faces, n_slices, n_w = starts_i.shape[0], first_col.shape[0], weight.shape[1]
    width = 3 * n_rows * n_cols
    line = np.empty(n_faces * width)
    by_column = np.empty((n_faces, n_cols, n_rows * n_axes))
    for f in range(n_faces):
        for k in range(n_slices):
            for row in range(n_rows):
                for axis in range(n_axes):
                    line[:] = 0.0
                    for c in range(n_w):
                        w = weight[k, c]
                        dof = starts_i[f] + 3 * (row * n_cols + first_col[k] + c) + axis
                        for g in range(n_faces):
                            for d in range(width):
                                line[g * width + d] += w * C[dof, starts_j[g] + d]
                    for g in range(n_faces):
                        for other in range(n_rows):
                            for col in range(n_cols):
                                for b in range(n_axes):
                                    by_column[g, col, other * n_axes + b] = line[
                                        g * width + 3 * (other * n_cols + col) + b
                                    ]
                        for m in range(n_slices):
                            mean = out[f * n_slices + k, g * n_slices + m, row * n_axes + axis]
                            mean[:] = 0.0
                            for c in range(n_w):
                                w, of_column = weight[m, c], by_column[g, first_col[m] + c]
                                for d in range(mean.shape[0]):
                                    mean[d] += w * of_column[d]
