"""Gears and planetary sets by their ratios, without losses or with those of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.rotational.couplings import DENOMINATOR, speed_row
from alegear.drivetrain.rotational.ode_terms import OdeTerms
from alegear.drivetrain.rotational.places import check_between, check_places, rotation_weights
from alegear.drivetrain.rotational.profiles import Rows
from alegear.errors import Fault
from alegear.geometry.train_kinematics import SpeedRow
from alegear.limits import Limits, check_numbers, check_type
from alegear.short_repr import ShortRepr
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.switches import LINES_SHAPE, FrictionLaw

RATIO = Limits(quantity="ratio", key="ratio", least=-1e9, most=1e9)


@dataclass(frozen=True, kw_only=True, eq=False)
class GearLosses(FrictionLaw):
    """Losses of a gear over the torque tau_A that goes through it, from a table.

    The loss torque about shaft A is the larger of two lines forward, the smaller of those mirrored backward,

        dtau = max((1 - eta_1) tau_A + tau_1, (1 - 1/eta_2) tau_A + tau_2),    omega_A > 0

    so that it goes over from driving to driven where both are equal (Pelchen, Schweiger & Otter 2002, table 1, with
    the switch of the Modelica library since 3.2).

    Parameters
    ----------
    table : LossTable
    angle : mapping of int to float
        Weights of the rotation of shaft A, where losses depend on it.

    Raises
    ------
    Fault
        For a row without mesh friction whose bearing torques differ: its lines never meet, so that the loss torque
        jumps with tau_A (:meth:`~alegear.drivetrain.loss_table.LossTable.branches`), and the larger line is not it.
    """

    table: LossTable
    angle: Mapping[int, float]
    peak: float = 1.0

    def __post_init__(self) -> None:
        check_jumps("a gear", self.table)

    def lines(self, t: float, rate: float, x: Array, v: Array) -> Array:
        """Both lines of both directions."""
        angle = None
        if self.table.position_factor is not None:
            angle = sum(weight * float(x[i]) for i, weight in self.angle.items())
        eta_1, eta_2, tau_1, tau_2 = self.table.at(rate, angle)
        lines = np.empty(LINES_SHAPE)
        lines[0, 0], lines[0, 1] = (tau_1, 1.0 - eta_1), (tau_2, 1.0 - 1.0 / eta_2)
        lines[1] = lines[0]
        lines[1, :, 1] *= -1.0
        return lines

    def ode_terms(self) -> OdeTerms | None:
        """Rows of the table; losses that depend on the position are not known to compiled code."""
        if self.table.position_factor is not None:
            return None
        rows = self.table.values
        return OdeTerms(kind="losses", numbers=[float(len(rows)), *rows.ravel().tolist()])


#: A table, its rows, or a mesh efficiency for both directions; None: no losses.
LossesLike = LossTable | Rows | float | None


def loss_table(what: str, given: LossesLike) -> LossTable | None:
    """A loss table from one, from rows or from a mesh efficiency for both directions; None for none.

    Raises
    ------
    Fault
        Also for one whose loss torque jumps with the load.
    """
    if given is None:
        return None
    if isinstance(given, LossTable):
        table = given
    elif isinstance(given, int | float) and not isinstance(given, bool):
        table = LossTable(rows=[[0.0, given, given, 0.0, 0.0]])
    else:
        try:
            table = LossTable(rows=given)
        except Fault as fault:
            raise Fault(f"{fault.quantity} of {what}", fault.value, fault.limit, fault.remedy) from fault
    check_jumps(what, table)
    return table


def check_jumps(what: str, table: LossTable) -> None:
    """Refuse rows with both efficiencies 1 and bearing torques that differ.

    Raises
    ------
    Fault
    """
    for number, (_, eta_1, eta_2, tau_1, tau_2) in enumerate(table.values.tolist(), start=1):
        if eta_1 == eta_2 == 1.0 and tau_1 != tau_2:
            quantity = f"bearing torques tau_bf1 and tau_bf2 [N m] in row {number} of the losses of {what}"
            limit = "equal where both mesh efficiencies are 1: the loss torque would jump with the load"
            remedy = "give both torques alike, or an efficiency less than 1, such as 0.999"
            raise Fault(quantity, f"{tau_1:.6g} and {tau_2:.6g}", limit, remedy)


@dataclass(frozen=True, kw_only=True, eq=False)
class RatioGear(ShortRepr):
    """A gear of two shafts in a housing: omega_A - omega_H = i (omega_B - omega_H).

    The torques into the gear are tau_A, tau_B = i (-tau_A + dtau) and on the housing what is left.

    Parameters
    ----------
    name : str
    between : (str, str)
        Shafts A and B.
    ratio : float
        i; not 0, negative where they turn against each other.
    losses : LossTable, rows, efficiency or None
        dtau over omega_A - omega_H; None: no losses.
    housing : str
        What the gear is mounted on, which reacts.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "ratios"
    LIMITS: ClassVar[dict[str, Limits]] = {"ratio": RATIO}

    name: str
    between: tuple[str, str]
    ratio: float
    losses: LossesLike = None
    housing: str = GROUND

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        object.__setattr__(self, "between", check_between(self.name, self.between, self.housing))
        check_numbers(self)
        if self.ratio == 0.0:
            remedy = "give speed of the first over that of the second"
            raise Fault(f"ratio of gear {self.name}", self.ratio, "not 0", remedy)
        object.__setattr__(self, "losses", loss_table(f"gear {self.name}", self.losses))

    @property
    def coupled_ratio(self) -> float | None:
        """Speed of B over that of A, where the housing is fixed."""
        return 1.0 / self.ratio if self.housing == GROUND else None

    @property
    def speed_rows(self) -> tuple[SpeedRow, ...]:
        """Its ratio, as a row over the speeds."""
        return (willis_row(self.name, self.between[0], self.housing, self.between[1], self.ratio),)

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
class PlanetaryGear(ShortRepr):
    """A planetary set by its ratio: omega_sun - omega_carrier = i_0 (omega_ring - omega_carrier).

    i_0 = -ratio of a simple set, z_ring/z_sun positive. Losses depend on the speed of the sun against the carrier alone
    (rotation as a block loses nothing; Pelchen, Schweiger & Otter 2002, section 3).

    Parameters
    ----------
    name, sun, ring, carrier : str
    ratio : float
        z_ring/z_sun, positive for a ring with internal teeth and simple planets; -i_0.
    losses : LossTable, rows, efficiency or None

    Raises
    ------
    Fault
        For i_0 between -1 and 1, limits included: sun and ring have changed their names, or the set is a block.
    """

    TABLE: ClassVar[str] = "planetary_ratios"
    LIMITS: ClassVar[dict[str, Limits]] = {"ratio": RATIO}

    name: str
    sun: str
    ring: str
    carrier: str
    ratio: float
    losses: LossesLike = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_places(self.name, (self.sun, self.ring, self.carrier), 3)
        check_numbers(self)
        if -1.0 <= self.ratio < 1.0:
            limit = "at least 1 (i_0 at most -1), or less than -1"
            remedy = "give z_ring/z_sun; where it is below 1 exchange sun and ring"
            raise Fault(f"ratio of planetary set {self.name}", self.ratio, limit, remedy)
        object.__setattr__(self, "losses", loss_table(f"planetary set {self.name}", self.losses))

    @property
    def speed_rows(self) -> tuple[SpeedRow, ...]:
        """Its ratio, as a row over the speeds."""
        return (willis_row(self.name, self.sun, self.carrier, self.ring, -self.ratio),)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the constraint, and the switch of its losses."""
        add_willis(
            builder, self.name, self.sun, self.carrier, self.ring, -self.ratio, loss_table(self.name, self.losses)
        )


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
