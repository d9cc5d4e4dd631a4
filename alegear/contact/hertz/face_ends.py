"""Free ends of the face: what the layers under the flanks give way there beyond plane strain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.body import ElasticBody

Array = NDArray[np.float64]

LEAST_DEPTH = 1e-3  # of the mean one: where the layer is clamped it has none


def end_compliance(body: ElasticBody, borders: Array, cos_beta_b: float) -> Array:
    """Further normal displacement of a slice per force on it, by the ends of the gear's own face.

    The distance from an end and the depth of the layer count, so a face that goes on beyond the common one has no end
    there. Between two rows the depth is their mean: what a point has of them by interpolation is that of its own place.

    Parameters
    ----------
    borders : shape (n_slices + 1,) [m]
        Of the slices, from mid-face of the gear.
    cos_beta_b : float
        A slice of the width h has a line of contact of the length h/cos beta_b.

    Returns
    -------
    shape (n_faces, n_slices, n_rows, n_rows) [m/N]
    """
    lengths = np.diff(borders) / cos_beta_b
    depth = 0.5 * (body.depth[:, None] + body.depth)
    depth = np.maximum(depth, LEAST_DEPTH * body.depth.mean())
    low, high = body.grid.cols_z[0], body.grid.cols_z[-1]
    from_low, from_high = borders - low, high - borders
    near = np.stack([from_low[:-1], from_high[1:]])[:, :, None, None] / (cos_beta_b * depth)
    size = lengths[:, None, None] / depth
    out = np.zeros((len(body.faces), len(lengths), *depth.shape))
    for of_face, ends in zip(out, body.ends, strict=True):
        for end, distance in zip(ends, np.maximum(near, 0.0), strict=True):
            of_face += end.mean(distance, distance + size)
    return out * body.softness / lengths[:, None, None]
