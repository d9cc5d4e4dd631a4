"""The law ``rigid``: teeth that neither bend nor part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from alegear.drivetrain.gear_mesh import MeshLaw, MeshLoads, MeshPart, MeshPlace, MeshSurroundings, PreparedMesh
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, line_weights
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
    """The constraint; its multiplier is the force along the line of action."""

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add it."""
        weights = line_weights(surroundings.gears, place.pitch_point, place.line_of_action)
        builder.constrain(place.mesh.name, weights)

    def loads(self, place: MeshPlace, model: SystemModel, x: Array, v: Array, multipliers: Array) -> MeshLoads:
        """The force from the multiplier, positive where the flanks that carry press."""
        number = [one.name for one in model.constraints].index(place.mesh.name)
        force, moment = place.pressed(multipliers[:, number])
        return MeshLoads(force=force, moment=moment, stiffness=np.full(len(x), np.nan))


LAW = Rigid
