"""The law ``rigid``: teeth that neither bend nor part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from alegear.drivetrain.gear_mesh import MeshLaw, MeshLoads, MeshPart, MeshPlace, MeshSurroundings, PreparedMesh
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, Place, line_weights
from alegear.system.model import SystemModel


@dataclass(frozen=True, kw_only=True, eq=False)
class Rigid(MeshLaw):
    """Both gears have the same displacement along the line of action."""

    fidelity: ClassVar[str] = "rigid"

    def in_statics(self, ready: PreparedMesh) -> MeshPart:
        """A constraint, as everywhere."""
        return RigidTeeth()

    def on_springs(self, ready: PreparedMesh) -> MeshPart:
        """The same: there is nothing nonlinear in it."""
        return RigidTeeth()


class RigidTeeth(MeshPart):
    """The constraint; its multiplier is the force along the line of action, times the :meth:`lever`."""

    def lever(self, place: MeshPlace, first: Place) -> float:
        """By which the row of the line of action is divided [m]: 1."""
        return 1.0

    def weights(self, place: MeshPlace, gears: tuple[Place, Place]) -> dict[int, float]:
        """Row of the constraint."""
        row = line_weights(gears, place.pitch_point, place.line_of_action)
        lever = self.lever(place, gears[0])
        return {index: weight / lever for index, weight in row.items()}

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add it."""
        builder.constrain(place.mesh.name, self.weights(place, surroundings.gears))

    def loads(self, place: MeshPlace, model: SystemModel, x: Array, v: Array, multipliers: Array) -> MeshLoads:
        """The force from the multiplier, positive where the flanks that carry press."""
        number = [one.name for one in model.constraints].index(place.mesh.name)
        lever = self.lever(place, model.places[place.mesh.gears[0]])
        force, moment = place.pressed(multipliers[:, number] / lever)
        return MeshLoads(force=force, moment=moment, stiffness=np.full(len(x), np.nan))


LAW = Rigid
