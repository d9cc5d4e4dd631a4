"""Motion of bodies in space: how far they have moved, and turned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.pictures.in_space import curves_by_size, two_panels
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.reading import has

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

#: Units of lengths, the largest first.
LENGTHS = ((1.0, "m"), (1e3, "mm"), (1e6, "µm"), (1e9, "nm"))


def draw_motion(dataset: xr.Dataset) -> Figure:
    """Draw how far bodies have moved from where they began, and turned: whole turns included."""
    position, turned = dataset["position"].to_numpy(), dataset["rotation_vector"].to_numpy()
    moved = np.linalg.norm(position - position[:1], axis=-1)
    figure, (above, below) = two_panels(dataset, 2)
    names = dataset["body"].to_numpy().tolist()
    factor, unit = _length_unit(float(moved.max(initial=0.0)))
    curves_by_size(above, dataset, factor * moved, names)
    curves_by_size(below, dataset, np.degrees(angles_turned(turned)), names)
    above.set_ylabel(f"displacement [{unit}]")
    below.set(ylabel="angle turned [°]", xlabel="time [s]")
    return figure


def _length_unit(largest: float) -> tuple[float, str]:
    """Factor on metres and name of the unit in which a length has one to three digits before the point."""
    return next(
        ((factor, unit) for factor, unit in LENGTHS if factor * largest >= 1.0), LENGTHS[0 if not largest else -1]
    )


def angles_turned(vectors: Floats) -> Floats:
    """Angles [rad] by which bodies have turned, sample by sample added up, from rotation vectors (m, n, 3)."""
    from alegear.system.rotation import composed

    found = np.zeros(vectors.shape[:2])
    for body in range(vectors.shape[1]):
        steps = [
            float(np.linalg.norm(composed(-before, after)))
            for before, after in zip(vectors[:-1, body], vectors[1:, body], strict=True)
        ]
        found[1:, body] = np.cumsum(steps)
    return found


PICTURE = Picture(
    name="motion",
    heading="Motion",
    order=169,
    holds=of_dataset(lambda dataset: has(dataset, "rotation_vector", "position")),
    draw=of_dataset(draw_motion),
    caption=lambda result: "How far bodies have moved from where they began, and turned, whole turns included",
)
