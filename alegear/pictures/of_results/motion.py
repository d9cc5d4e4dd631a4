"""Motion of bodies in space: how far they have moved, and turned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.pictures.in_space import curves_by_size, two_panels
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.scales import prefixed
from alegear.results.reading import has

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


def draw_motion(dataset: xr.Dataset) -> Figure:
    """Draw how far bodies have moved from where they began, and turned: whole turns included."""
    position, turned = dataset["position"].to_numpy(), dataset["rotation_vector"].to_numpy()
    moved = np.linalg.norm(position - position[:1], axis=-1)
    figure, (above, below) = two_panels(dataset)
    names = dataset["body"].to_numpy().tolist()
    factor, unit = prefixed(float(moved.max(initial=0.0)), "m")
    curves_by_size(above, dataset, factor * moved, names)
    curves_by_size(below, dataset, np.degrees(angles_turned(turned)), names)
    above.set_ylabel(f"displacement [{unit}]")
    below.set_ylabel("angle turned [°]")
    return figure


def angles_turned(vectors: Array) -> Array:
    """Angles [rad] by which bodies have turned, sample by sample added up, from rotation vectors (m, n, 3)."""
    from scipy.spatial.transform import Rotation

    found = np.zeros(vectors.shape[:2])
    for body in range(vectors.shape[1]) if len(vectors) > 1 else ():
        turned = Rotation.from_rotvec(vectors[:, body])
        found[1:, body] = np.cumsum((turned[:-1].inv() * turned[1:]).magnitude())
    return found


PICTURE = Picture(
    name="motion",
    heading="Motion",
    order=169,
    holds=of_dataset(lambda dataset: has(dataset, "rotation_vector", "position")),
    draw=of_dataset(draw_motion),
    caption=lambda result: "Displacements of bodies from their starts, and angles of rotation, whole turns included",
)
