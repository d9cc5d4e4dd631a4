"""Losses of planetary sets, by the efficiency of a mesh or by that between central gears with the carrier held.

The stationary efficiency is that of the train of meshes between both central gears, through which all power rolls while
the carrier is held:

    eta_0 = product of the efficiencies of these meshes,    eta_0 = eta_sun eta_ring of a simple set
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import prod

from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.rotational.gear_losses import loss_table
from alegear.drivetrain.rotational.profiles import TableLike
from alegear.errors import Fault
from alegear.limits import Limits, described

MESH_EFFICIENCY = Limits(
    quantity="efficiency of a mesh", key="mesh_efficiency", least=0.0, most=1.0, above=True, optional=True
)
STATIONARY_EFFICIENCY = Limits(
    quantity="efficiency between central gears, carrier held",
    key="stationary_efficiency",
    least=0.0,
    most=1.0,
    above=True,
    optional=True,
)
#: Losses of a set: a table or its rows, with efficiencies between the central gears; None: none.
SetLossesLike = LossTable | TableLike | None
Efficiencies = float | tuple[float, ...] | None
#: What says the losses of a set, one of them at a time.
WAYS = ("losses", "mesh_efficiency", "stationary_efficiency")


class SetLosses(ABC):
    """What sets with losses have in common.

    Attributes
    ----------
    name, label : str
    losses, mesh_efficiency, stationary_efficiency
    """

    name: str
    losses: SetLossesLike
    mesh_efficiency: Efficiencies
    stationary_efficiency: float | None

    @property
    @abstractmethod
    def label(self) -> str:
        """Its name in messages."""

    def take_losses(self) -> None:
        """Take a table from its rows; refuse losses that are said twice, and an efficiency without its kind."""
        what = f"planetary set {self.label}"
        given = self.ways
        if len(given) > 1:
            limit = "given once"
            raise Fault(f"losses of {what}", " and ".join(given), limit, f"leave out {given[-1]}")
        if isinstance(self.losses, int | float) and not isinstance(self.losses, bool):
            limit = "a table or its rows: of one efficiency it is not known whether it is that of a mesh"
            remedy = (
                f"give stationary_efficiency={self.losses!r}, from central gear to central gear with the carrier held,"
                " or mesh_efficiency, of each mesh"
            )
            raise Fault(f"losses of {what}", described(self.losses), limit, remedy)
        object.__setattr__(self, "losses", loss_table(what, self.losses))

    @property
    def ways(self) -> list[str]:
        """Which of the ways to say losses are taken."""
        return [key for key in WAYS if getattr(self, key) is not None]

    def table_of(self, meshes: tuple[float, ...]) -> LossTable | None:
        """Losses between two central gears with such efficiencies of the meshes between them; None without losses."""
        if self.mesh_efficiency is not None:
            return loss_table(f"planetary set {self.name}", prod(meshes))
        if self.stationary_efficiency is not None:
            return loss_table(f"planetary set {self.name}", self.stationary_efficiency)
        return self.losses if isinstance(self.losses, LossTable) else None


def efficiencies_of(given: Efficiencies, meshes: tuple[str, ...], name: str) -> dict[str, float]:
    """Efficiency of each mesh by its name, of one for all or of one each; nothing of None."""
    if given is None:
        return {}
    values = tuple(given) if isinstance(given, tuple | list) else (given,) * len(meshes)
    if len(values) not in (1, len(meshes)):
        limit = f"one for all, or {len(meshes)} in the order {', '.join(meshes)}"
        raise Fault(f"number of values of mesh_efficiency of {name}", len(values), limit, "correct mesh_efficiency")
    for value in values:
        MESH_EFFICIENCY.check(value, f"mesh_efficiency of {name}")
    return dict(zip(meshes, values * (len(meshes) if len(values) == 1 else 1), strict=True))


def first_row(key: str, table: LossTable | None) -> dict[str, list[float]]:
    """Efficiencies in both directions at rest under a key; nothing without losses."""
    return {} if table is None else {key: [float(value) for value in table.values[0, 1:3]]}
