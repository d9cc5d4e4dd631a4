"""Losses of a gear by a table, as the friction of its link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.rotational.profiles import TableLike
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import MOST_ROWS, CsvFile, Grid
from alegear.system.coordinates import Array
from alegear.system.ode_terms import OdeTerms
from alegear.system.switches import LINES_SHAPE, FrictionLaw

#: A row of wrong length is refused by the table itself.
LOSS_ROWS = Grid(
    key="losses",
    words="rows of speed of shaft A (of a planetary set: of the sun against the carrier) in rad/s,"
    " efficiencies eta_mf1 (A or sun drives) and eta_mf2 (B drives, or the sun is driven) of the mesh (of a set"
    " between sun and ring with the carrier held), friction torques of bearings tau_bf1, tau_bf2 in N m",
    least=1,
    most=MOST_ROWS,
    columns=(1, 16),
)
LOSS_FILE = CsvFile("losses_csv", "path of such a table, from the case file's folder", LossTable.from_csv)
MESH_LOSSES = Limits(
    quantity="mesh efficiency",
    words="mesh efficiency in both directions, in place of a table",
    key="mesh_efficiency",
    least=0.0,
    most=1.0,
    above=True,
)


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
LossesLike = LossTable | TableLike | float | None


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
    """Refuse rows with both efficiencies 1 and bearing torques that differ."""
    for number, (_, eta_1, eta_2, tau_1, tau_2) in enumerate(table.values.tolist(), start=1):
        if eta_1 == eta_2 == 1.0 and tau_1 != tau_2:
            quantity = f"bearing torques tau_bf1 and tau_bf2 [N m] in row {number} of the losses of {what}"
            limit = "equal where both mesh efficiencies are 1: the loss torque would jump with the load"
            remedy = "give both torques alike, or an efficiency less than 1, such as 0.999"
            raise Fault(quantity, f"{tau_1:.6g} and {tau_2:.6g}", limit, remedy)
