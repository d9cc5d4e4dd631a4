"""Characteristics of the springs of planar meshes: force and stiffness over the deformation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from alegear.drivetrain.planar import MeshSpring
from alegear.errors import Fault
from alegear.limits import check_kind
from alegear.pictures.colours import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 1001
LINES = ("-", "--", ":")


def draw_mesh_springs(springs: Mapping[str, MeshSpring], largest: float) -> Figure:
    """Draw force and stiffness of springs over the deformation, both ways.

    Parameters
    ----------
    springs : mapping of str to MeshSpring
        By what the legend calls them; one at least.
    largest : float [m]
        Deformation up to which they are drawn.

    Raises
    ------
    Fault
    """
    from matplotlib.figure import Figure

    if not springs:
        raise Fault("springs to draw", 0, "one at least", "name one")
    for name, spring in springs.items():
        check_kind(spring, f"spring {name}", MeshSpring)
    if not (np.isfinite(largest) and largest > 0.0):
        raise Fault("deformation up to which springs are drawn [um]", 1e6 * largest, "above 0", "correct largest")
    deformations = np.linspace(-largest, largest, POINTS)
    figure = Figure(figsize=(8.0, 7.0), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    for number, (name, spring) in enumerate(springs.items()):
        style = {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number // len(COLOURS) % len(LINES)]}
        upper.plot(1e6 * deformations, [1e-3 * spring.force(one) for one in deformations], label=name, **style)
        lower.plot(1e6 * deformations, [1e-6 * spring.stiffness(one) for one in deformations], **style)
    upper.set_ylabel("normal force [kN]")
    lower.set(xlabel="deformation along the line of action [µm]", ylabel="stiffness [N/µm]")
    upper.legend(fontsize="small")
    for axes in (upper, lower):
        axes.grid(alpha=0.3)
    return figure
