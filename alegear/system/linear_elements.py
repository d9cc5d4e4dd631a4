"""Springs and dampers between places: added once into constant matrices, never called in a step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_type
from alegear.parameters import check_parameters
from alegear.system.builder import GROUND, Part, SystemBuilder
from alegear.system.coordinates import DISPLACEMENTS, Array, Place, line_weights
from alegear.system.definite import check_definite
from alegear.system.support import Support

#: Axes are parallel whose directions differ by less [rad], to round-off of what a user writes down.
PARALLEL = 1e-6
STIFFNESS = Limits(quantity="stiffness", key="stiffness", unit="N/m", least=0.0, most=Support.LARGEST_STIFFNESS)
DAMPING = Limits(quantity="damping", key="damping", unit="N s/m", least=0.0, most=Support.LARGEST_DAMPING)


@dataclass(frozen=True, kw_only=True, eq=False)
class LineSpring(Part):
    """A spring between two bodies at a point, along a line: teeth of constant stiffness on their line of action.

    Parameters
    ----------
    name : str
    between : (str, str)
        Names of the places whose bodies it presses on.
    point : shape (3,) [m]
        A point on the line, in space.
    direction : shape (3,)
        Along the line; made a unit vector.
    stiffness : float [N/m], damping : float [N s/m]
    kind : str
        Heading under which its energy is reported.
    """

    name: str
    between: tuple[str, str]
    point: ArrayLike
    direction: ArrayLike
    stiffness: Annotated[float, STIFFNESS]
    damping: Annotated[float, DAMPING] = 0.0
    kind: str = "meshes"

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_parameters(self)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the spring: its deflection is that of the first body less that of the second."""
        first, second = (builder.node(name) for name in self.between)
        if first.name == second.name:
            raise Fault(f"bodies of {self.name}", f'"{first.name}" twice', "two", "name another")
        weights = line_weights((first, second), self.point, array_of(self.direction, "LineSpring.direction"))
        builder.linear(
            self.name,
            at=list(weights),
            rows=[list(weights.values())],
            stiffness=[[self.stiffness]],
            damping=[[self.damping]],
            kind=self.kind,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class BearingLink(Part):
    """A bearing between two places: it resists displacement and tilt, and leaves the rotation free.

    Parameters
    ----------
    name : str
    place : str
        What is held; displacements are along its axes.
    to : str
        What it is held to; ``"ground"`` by default.
    stiffness, damping : shape (5, 5) or (5,) or (3,) [N/m, N, N m/rad; times s]
        Of x, y, z, tilt x, tilt y: a matrix, its diagonal, or that of the displacements alone.

    Raises
    ------
    Fault
    """

    name: str
    place: str
    to: str = GROUND
    stiffness: ArrayLike
    damping: ArrayLike = field(default=(0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        for which, largest in (("stiffness", Support.LARGEST_STIFFNESS), ("damping", Support.LARGEST_DAMPING)):
            what = f"{which} of bearing {self.name}"
            matrix = _five_by_five(what, array_of(getattr(self, which), f"BearingLink.{which}"))
            check_definite(what, matrix, 5)
            if float(np.abs(matrix).max()) > largest:
                raise Fault(what, float(np.abs(matrix).max()), f"at most {largest:g}", "check the unit")
            object.__setattr__(self, which, matrix)
        if not np.any(self.stiffness) and not np.any(self.damping):
            raise Fault(f"stiffness of bearing {self.name}", 0, "positive in one direction", "give it, or no bearing")

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the bearing."""
        place, to = builder.node(self.place), builder.node(self.to)
        _check_parallel(self.name, place, to)
        at, rows = builder.between(place, to)
        deformation = -rows[: len(DISPLACEMENTS)]  # of the place against what holds it
        used = np.flatnonzero(deformation.any(axis=0))
        if not len(used):
            raise Fault(f"bearing {self.name}", "on a hinge", "on what can be displaced", "leave it out")
        builder.linear(
            self.name,
            at=at[used],
            rows=deformation[:, used],
            stiffness=self.stiffness,
            damping=self.damping,
            kind="bearings",
        )


def coordinates_of_node(node: Place) -> Array:
    """Coordinates of a node in the order of DIRECTIONS."""
    indices: Array = node.coordinates[np.argmax(node.rows != 0.0, axis=1)]
    return indices


def _five_by_five(what: str, given: Array) -> Array:
    if given.shape in ((3,), (5,)):
        return np.diag(np.concatenate([given, np.zeros(5 - len(given))]))
    if given.shape != (5, 5):
        raise Fault(what, f"shape {given.shape}", "shape (3,), (5,) or (5, 5)", "give x, y, z, tilt x, tilt y")
    return given


def _check_parallel(name: str, first: Place, second: Place) -> None:
    both_turn = first.rotation is not None and second.rotation is not None
    if both_turn and np.linalg.norm(np.cross(first.axes[2], second.axes[2])) > PARALLEL:
        what = f"axes that {name} connects"
        raise Fault(what, f"{first.axes[2].tolist()} and {second.axes[2].tolist()}", "parallel", "turn one of them")
