"""The law ``lossy``: rigid teeth that lose torque in sliding on each other, and stick."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

from alegear.drivetrain.gear_mesh import MeshPart, MeshPlace, MeshSurroundings, PreparedMesh
from alegear.drivetrain.laws.rigid import Rigid, RigidTeeth
from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.rotational import gear_losses
from alegear.errors import Fault
from alegear.parameters import OneOf
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Place

OF_FIRST_GEAR = replace(
    gear_losses.LOSS_ROWS,
    words="rows of speed of the first gear in rad/s, mesh efficiencies eta_mf1 (it drives) and eta_mf2 (the second"
    " drives), friction torques of bearings tau_bf1, tau_bf2 in N m",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Lossy(Rigid):
    """Teeth that neither bend nor part, with losses over the torque of the first gear (Pelchen et al. 2002).

    In equilibria and modes they are rigid teeth: at rest friction holds as well as not, and none is told.

    Raises
    ------
    Fault
        If none of the two is given, or both.
    """

    fidelity: ClassVar[str] = "lossy"

    mesh_efficiency: Annotated[float | None, gear_losses.MESH_LOSSES] = None
    losses: Annotated[Any, OneOf(OF_FIRST_GEAR, gear_losses.LOSS_FILE)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.mesh_efficiency is None) == (self.losses is None):
            given = "none" if self.losses is None else "both"
            raise Fault(
                "mesh_efficiency and losses", given, "one of the two", "give mesh_efficiency, or rows of losses"
            )
        table = gear_losses.loss_table(
            "a lossy mesh", self.losses if self.mesh_efficiency is None else self.mesh_efficiency
        )
        object.__setattr__(self, "losses", table)

    def in_motion(self, ready: PreparedMesh) -> MeshPart:
        """Rigid teeth with losses."""
        return LossyTeeth(table=self.losses)


@dataclass(frozen=True, kw_only=True, eq=False)
class LossyTeeth(RigidTeeth):
    """The constraint of rigid teeth, and the switch of its losses.

    The row of the constraint is that of the line of action over the lever of the first gear, so that its multiplier is
    the torque tau_A of the first gear into the mesh. What is lost, dtau about its axis, is missing at the second.

    Parameters
    ----------
    table : LossTable
    """

    table: LossTable

    def lever(self, place: MeshPlace, first: Place) -> float:
        """Of the first gear."""
        along = first.along(place.pitch_point, place.line_of_action)
        return float(along[list(first.coordinates).index(first.rotation)])

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add both."""
        super().add_to(builder, place, surroundings)
        name, (first, second) = place.mesh.name, surroundings.gears
        assert first.rotation is not None
        assert second.rotation is not None
        rate = {first.rotation: 1.0}
        builder.switch(
            f"{name} losses",
            rate=rate,
            push={second.rotation: -self.weights(place, surroundings.gears)[second.rotation]},
            law=gear_losses.GearLosses(table=self.table, angle=rate),
            follows=name,
        )
        builder.owns(name, f"{name} losses")


LAW = Lossy
