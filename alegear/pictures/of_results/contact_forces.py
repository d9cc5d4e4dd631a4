"""Forces of teeth in space, and the rolls of contact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alegear.pictures.in_space import curves_by_size, two_panels
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.reading import has

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


def draw_contact_forces(dataset: xr.Dataset) -> Figure:
    """Draw the forces normal to the flanks, and the rolls of contact."""
    figure, (above, below) = two_panels(dataset)
    names = [str(name) for name in dataset["mesh"].to_numpy()]
    curves_by_size(above, dataset, dataset["normal_force"].to_numpy(), names)
    rolls = dataset["roll"].to_numpy()
    both = [f"{name}, {side}" for name in names for side in ("first", "second")]
    curves_by_size(below, dataset, rolls.reshape(len(rolls), -1), both)
    above.set_ylabel("normal force [N]")
    below.set_ylabel("roll [rad], of racks [m]")
    return figure


PICTURE = Picture(
    name="contact_forces",
    heading="Bodies in space",
    order=271,
    holds=of_dataset(lambda dataset: has(dataset, "normal_force", "roll") and dataset.sizes.get("mesh", 0) > 0),
    draw=of_dataset(draw_contact_forces),
    caption=lambda result: "Forces normal to the flanks, whose sign says which flanks bear, and the rolls of contact",
)
