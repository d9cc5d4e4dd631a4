"""The law ``lossy``: rigid teeth that lose torque in sliding on each other, and stick."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from alegear.drivetrain.gear_mesh import MeshLaw, MeshLoads, MeshPart, MeshPlace, MeshSurroundings, PreparedMesh
from alegear.drivetrain.laws.rigid import RigidTeeth
from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.rotational.gear_losses import (
    LOSS_FILE,
    LOSS_ROWS,
    MESH_LOSSES,
    GearLosses,
    loss_table,
)
from alegear.errors import Fault
from alegear.parameters import OneOf
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, line_weights
from alegear.system.model import SystemModel

OF_FIRST_GEAR = replace(
    LOSS_ROWS,
    words="rows of speed of the first gear in rad/s, mesh efficiencies eta_mf1 (it drives) and eta_mf2 (the second"
    " drives), friction torques of bearings tau_bf1, tau_bf2 in N m",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Lossy(MeshLaw):
    """Teeth that neither bend nor part, with losses over the torque of the first gear (Pelchen et al. 2002).

    Raises
    ------
    Fault
        If none of the two is given, or both.
    """

    fidelity: ClassVar[str] = "lossy"

    mesh_efficiency: Annotated[float | None, MESH_LOSSES] = None
    losses: Annotated[Any, OneOf(OF_FIRST_GEAR, LOSS_FILE)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.mesh_efficiency is None) == (self.losses is None):
            given = "none" if self.losses is None else "both"
            raise Fault(
                "mesh_efficiency and losses", given, "one of the two", "give mesh_efficiency, or rows of losses"
            )
        table = loss_table("a lossy mesh", self.losses if self.mesh_efficiency is None else self.mesh_efficiency)
        object.__setattr__(self, "losses", table)

    def in_statics(self, ready: PreparedMesh) -> MeshPart:
        """Rigid teeth: at rest friction holds as well as not, and none is told."""
        return RigidTeeth()

    def in_motion(self, ready: PreparedMesh) -> MeshPart:
        """Rigid teeth with losses."""
        return LossyTeeth(table=self.losses)

    def in_modes(self, ready: PreparedMesh) -> MeshPart:
        """Rigid teeth."""
        return RigidTeeth()

    def on_springs(self, ready: PreparedMesh) -> MeshPart:
        """Rigid teeth: there is nothing nonlinear in them."""
        return RigidTeeth()


@dataclass(frozen=True, kw_only=True, eq=False)
class LossyTeeth(MeshPart):
    """The constraint of rigid teeth, and the switch of its losses.

    The row of the constraint is that of the line of action over the lever of the first gear, so that its multiplier is
    the torque tau_A of the first gear into the mesh. What is lost, dtau about its axis, is missing at the second.

    Parameters
    ----------
    table : LossTable
    """

    table: LossTable

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add both."""
        name, (first, second) = place.mesh.name, surroundings.gears
        row = line_weights((first, second), place.pitch_point, place.line_of_action)
        assert first.rotation is not None
        assert second.rotation is not None
        lever = row[first.rotation]
        row = {index: weight / lever for index, weight in row.items()}
        builder.constrain(name, row)
        rate = {first.rotation: 1.0}
        builder.switch(
            f"{name} losses",
            rate=rate,
            push={second.rotation: -row[second.rotation]},
            law=GearLosses(table=self.table, angle=rate),
            follows=name,
        )
        builder.owns(name, f"{name} losses")

    def loads(self, place: MeshPlace, model: SystemModel, x: Array, v: Array, multipliers: Array) -> MeshLoads:
        """The force from the torque of the first gear, positive where the flanks that carry press."""
        number = [one.name for one in model.constraints].index(place.mesh.name)
        gear = place.mesh.gears[0]
        first = model.places[gear]
        lever = float(
            first.along(place.pitch_point, place.line_of_action)[list(first.coordinates).index(first.rotation)]
        )
        force, moment = place.pressed(multipliers[:, number] / lever)
        return MeshLoads(force=force, moment=moment, stiffness=np.full(len(x), np.nan))


LAW = Lossy
