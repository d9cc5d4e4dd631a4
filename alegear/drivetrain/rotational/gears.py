"""Gears and planetary sets by their ratios, without losses or with those of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, ClassVar

from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.rotational.gear_losses import (
    LOSS_FILE,
    LOSS_ROWS,
    MESH_LOSSES,
    GearLosses,
    LossesLike,
    loss_table,
)
from alegear.drivetrain.rotational.places import A_AND_B, HOUSING, rotation_weights
from alegear.drivetrain.rotational.set_losses import (
    MESH_EFFICIENCY,
    STATIONARY_EFFICIENCY,
    SetLosses,
    SetLossesLike,
    first_row,
)
from alegear.drivetrain.rotational.speed_relations import DENOMINATOR, speed_row
from alegear.errors import Fault
from alegear.geometry.train_kinematics import SpeedRow
from alegear.limits import Limits
from alegear.parameters import OneOf, Words
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.machine_part import MachinePart

RATIO = Limits(quantity="ratio", key="ratio", least=-1e9, most=1e9)


@dataclass(frozen=True, kw_only=True, eq=False)
class RatioGear(MachinePart):
    """A gear by its ratio.

    Of two shafts in a housing that reacts: ``omega_A - omega_H = i (omega_B - omega_H)``. The torques into the gear are
    tau_A, ``tau_B = i (-tau_A + dtau)`` and on the housing what is left, with the loss torque dtau over
    ``omega_A - omega_H``. The ratio i is negative where the shafts turn against each other.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "ratios"

    losses: Annotated[LossesLike, OneOf(LOSS_ROWS, LOSS_FILE, MESH_LOSSES)] = None
    between: Annotated[tuple[str, str], A_AND_B]
    ratio: Annotated[float, replace(RATIO, words="speed of A over speed of B")]
    housing: Annotated[str, HOUSING] = GROUND

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ratio == 0.0:
            remedy = "give speed of the first over that of the second"
            raise Fault(f"ratio of gear {self.label}", self.ratio, "not 0", remedy)
        object.__setattr__(self, "losses", loss_table(f"gear {self.label}", self.losses))

    @property
    def coupled_ratio(self) -> float | None:
        """Speed of B over that of A, where the housing is fixed."""
        return 1.0 / self.ratio if self.housing == GROUND else None

    @property
    def speed_rows(self) -> tuple[SpeedRow, ...]:
        """Its ratio, as a row over the speeds."""
        return (willis_row(self.name, self.between[0], self.housing, self.between[1], self.ratio),)

    @property
    def facts(self) -> dict[str, list[float]]:
        """What a check prints besides: mesh efficiencies at rest, while A drives and while B does."""
        return first_row("mesh_efficiency", loss_table(self.name, self.losses))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the constraint, and the switch of its losses."""
        add_willis(
            builder,
            self.name,
            self.between[0],
            self.housing,
            self.between[1],
            self.ratio,
            loss_table(self.name, self.losses),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetaryGear(MachinePart, SetLosses):
    """A planetary set by its ratio.

    ``omega_sun - omega_carrier = i_0 (omega_ring - omega_carrier)``

    with i_0 the negative of the ratio, which is z_ring/z_sun, positive for a ring with internal teeth and simple
    planets. Losses depend on the speed of the sun against the carrier alone (rotation as a block loses nothing;
    Pelchen, Schweiger & Otter 2002, section 3); they are given once, by a table between sun and ring, by the
    efficiency of each of both meshes (``eta_0 = eta^2``) or by that from sun to ring with the carrier held, eta_0.

    Raises
    ------
    Fault
        For i_0 between -1 and 1, limits included: sun and ring have changed their names, or the set is a block; and for
        the efficiency of a mesh where i_0 is positive, as the number of meshes is not known.
    """

    TABLE: ClassVar[str] = "planetary_ratios"

    losses: Annotated[SetLossesLike, OneOf(LOSS_ROWS, LOSS_FILE)] = None
    sun: Annotated[str, Words("name of the rotor or shaft that is the sun")]
    ring: Annotated[str, Words("name of the rotor or shaft that is the ring")]
    carrier: Annotated[str, Words("name of the rotor or shaft that is the carrier")]
    ratio: Annotated[float, replace(RATIO, words="teeth of the ring over those of the sun")]
    mesh_efficiency: Annotated[
        float | None, replace(MESH_EFFICIENCY, words="efficiency of each of both meshes, in place of a table")
    ] = None
    stationary_efficiency: Annotated[
        float | None,
        replace(STATIONARY_EFFICIENCY, words="efficiency from sun to ring and back with the carrier held, likewise"),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if -1.0 <= self.ratio < 1.0:
            limit = "at least 1 (i_0 at most -1), or less than -1"
            remedy = "give z_ring/z_sun; where it is below 1 exchange sun and ring"
            raise Fault(f"ratio of planetary set {self.label}", self.ratio, limit, remedy)
        self.take_losses()
        if self.mesh_efficiency is not None and self.ratio < 0.0:
            limit = "left out with a negative ratio: how many meshes lie between sun and ring is not known"
            remedy = "give stationary_efficiency, from sun to ring with the carrier held: the product of all meshes"
            raise Fault(f"mesh_efficiency of planetary set {self.label}", self.mesh_efficiency, limit, remedy)

    @property
    def table(self) -> LossTable | None:
        """Losses between sun and ring; None without."""
        return self.table_of((self.mesh_efficiency or 1.0,) * 2)

    @property
    def facts(self) -> dict[str, list[float]]:
        """What a check prints besides: efficiency at rest from sun to ring and back, with the carrier held."""
        return first_row("stationary_efficiency", self.table)

    @property
    def speed_rows(self) -> tuple[SpeedRow, ...]:
        """Its ratio, as a row over the speeds."""
        return (willis_row(self.name, self.sun, self.carrier, self.ring, -self.ratio),)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the constraint, and the switch of its losses."""
        add_willis(builder, self.name, self.sun, self.carrier, self.ring, -self.ratio, self.table)


def willis_row(name: str, a: str, b: str, c: str, i_0: float) -> SpeedRow:
    """Row of omega_a - omega_b = i_0 (omega_c - omega_b) over the speeds."""
    ratio = Fraction(i_0).limit_denominator(DENOMINATOR)
    return speed_row(name, {a: Fraction(1), b: ratio - 1, c: -ratio})


def add_willis(builder: SystemBuilder, name: str, a: str, b: str, c: str, i_0: float, losses: LossTable | None) -> None:
    """Add omega_a - omega_b = i_0 (omega_c - omega_b), and its losses over omega_a - omega_b, for links of a name.

    The multiplier is tau_a. A loss torque dtau about shaft a acts as i_0 dtau on c, and back on b.
    """
    weights = rotation_weights(builder, name, {a: 1.0, b: i_0 - 1.0, c: -i_0})
    builder.constrain(name, weights)
    if losses is None or (losses.values == LossTable().values)[:, 1:].all():
        return
    switch = f"{name} losses"
    rate = rotation_weights(builder, name, {a: 1.0, b: -1.0})
    builder.switch(
        switch,
        rate=rate,
        push=rotation_weights(builder, name, {c: i_0, b: -i_0}),
        law=GearLosses(table=losses, angle=rate),
        follows=name,
    )
    builder.owns(name, switch)
