"""Forces and torques of joints, bushings and springs in space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.in_space import curves_by_size, two_panels
from alegear.pictures.picture import Picture, of_dataset

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


def draw_reactions(dataset: xr.Dataset) -> Figure:
    """Draw the forces and torques of joints, of bushings and springs, by magnitude."""
    force, torque = ([np.linalg.norm(dataset[f"reaction_{what}"].to_numpy(), axis=-1)] for what in ("force", "torque"))
    names = [str(name) for name in dataset["joint"].to_numpy()]
    force.append(np.linalg.norm(dataset["bushing_force"].to_numpy(), axis=-1))
    torque.append(np.linalg.norm(dataset["bushing_torque"].to_numpy(), axis=-1))
    names += [str(name) for name in dataset["bushing"].to_numpy()]
    springs = [str(name) for name in dataset["point_spring"].to_numpy()]
    figure, (above, below) = two_panels(dataset)
    curves_by_size(above, dataset, np.hstack([*force, np.abs(dataset["spring_force"].to_numpy())]), [*names, *springs])
    curves_by_size(below, dataset, np.hstack(torque), names)
    above.set_ylabel("force [N]")
    below.set_ylabel("torque [N m]")
    return figure


PICTURE = Picture(
    name="reactions",
    heading="Bodies in space",
    order=270,
    holds=of_dataset(lambda dataset: "reaction_force" in dataset and "rotation_vector" in dataset),
    draw=of_dataset(draw_reactions),
    caption=lambda result: "Forces and torques of joints, of bushings and springs, by magnitude",
)
