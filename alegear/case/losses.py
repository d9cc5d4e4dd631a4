"""Keys of gears whose losses are given by a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from alegear.case.part_table import PartTable
from alegear.case.schema import limited_number, listed
from alegear.drivetrain.loss_table import LossTable
from alegear.errors import Fault
from alegear.limits import Limits

MOST_ROWS = 100_000
ANY = limited_number(Limits(quantity="value", key="value", least=-1e15, most=1e15))
LossRows = listed(listed(ANY, 1, 16), 1, MOST_ROWS)  # a row of wrong length is reported by the loss table itself


class LossesTable(PartTable):
    """Keys of gears with losses over the speed."""

    losses: LossRows | None = Field(  # type: ignore[valid-type]
        default=None,
        description="rows of speed of shaft A (of a planetary set: of the sun against the carrier) in rad/s,"
        " efficiencies eta_mf1 (A or sun drives) and eta_mf2 (B drives, or the sun is driven) of the mesh (of a set"
        " between sun and ring with the carrier held), friction torques of bearings tau_bf1, tau_bf2 in N m",
    )
    losses_csv: str | None = Field(default=None, description="path of such a table, from the case file's folder")

    def loss_table(self, folder: Path) -> Any:
        """The table, its rows, or None."""
        if self.losses is not None and self.losses_csv is not None:
            raise Fault("losses", "losses and losses_csv", "given once", "leave out losses_csv")
        return self.losses if self.losses_csv is None else LossTable.from_csv(folder / self.losses_csv)


class GearLossesTable(LossesTable):
    """Keys of gears of two shafts with losses."""

    mesh_efficiency: float | None = Field(
        default=None, gt=0.0, le=1.0, description="mesh efficiency in both directions, in place of a table"
    )

    def loss_table(self, folder: Path) -> Any:
        """The losses, or None."""
        table = super().loss_table(folder)
        if table is not None and self.mesh_efficiency is not None:
            given = "losses" if self.losses_csv is None else "losses_csv"
            raise Fault("losses", f"{given} and mesh_efficiency", "given once", "leave out mesh_efficiency")
        return table if self.mesh_efficiency is None else self.mesh_efficiency
