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
    """Keys of gears with losses."""

    losses: LossRows | None = Field(  # type: ignore[valid-type]
        default=None,
        description="rows of speed of shaft A (of a planetary set: of the sun against the carrier) in rad/s, mesh"
        " efficiencies eta_mf1 (A or sun drives) and eta_mf2 (B drives, or the sun is driven),"
        " friction torques of bearings tau_bf1, tau_bf2 in N m",
    )
    losses_csv: str | None = Field(default=None, description="path of such a table, from the case file's folder")
    mesh_efficiency: float | None = Field(
        default=None, gt=0.0, le=1.0, description="mesh efficiency in both directions, in place of a table"
    )

    def loss_table(self, folder: Path) -> Any:
        """The losses, or None."""
        given = [key for key in ("losses", "losses_csv", "mesh_efficiency") if getattr(self, key) is not None]
        if len(given) > 1:
            raise Fault("losses", " and ".join(given), "given once", f"leave out {given[-1]}")
        if self.losses_csv is not None:
            return LossTable.from_csv(folder / self.losses_csv)
        return self.losses if self.mesh_efficiency is None else self.mesh_efficiency
