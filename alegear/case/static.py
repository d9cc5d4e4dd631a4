"""``[analysis]`` with ``kind = "static"``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from pydantic import Field

from alegear.case.case_file import CaseFile
from alegear.case.schema import Table, limited
from alegear.contact.law import TOOTH_CHANGE
from alegear.errors import Fault
from alegear.limits import Limits, check_numbers
from alegear.short_repr import ShortRepr

MOST_POSITIONS = 100_000


@dataclass(frozen=True, kw_only=True)
class StaticAnalysis(ShortRepr):
    """Positions of the driven gear under constant torque.

    Parameters
    ----------
    positions_per_pitch, pitches : int
    tooth_change_threshold : float or None [1]
        Phase modulo 1 of the tooth-change; None: chosen from the computed loads.
    grid_estimate : bool
        Whether a second, coarser grid estimates how far the peak-to-peak transmission error depends on the grid.

    Raises
    ------
    Fault
        For a value out of its range, and more than 100 000 positions.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "positions_per_pitch": Limits(
            quantity="positions in a pitch", key="positions_per_pitch", least=1, most=MOST_POSITIONS, whole=True
        ),
        "pitches": Limits(quantity="number of pitches", key="pitches", least=1, most=10000, whole=True),
        "tooth_change_threshold": replace(TOOTH_CHANGE, optional=True),
    }
    kind: ClassVar[str] = "static"
    positions_per_pitch: int = 32
    pitches: int = 1
    tooth_change_threshold: float | None = None
    grid_estimate: bool = True

    def __post_init__(self) -> None:
        check_numbers(self)
        positions = self.positions_per_pitch * self.pitches
        if positions > MOST_POSITIONS:
            limit = f"at most {MOST_POSITIONS}"
            raise Fault("positions_per_pitch x pitches", positions, limit, "use fewer positions or pitches")


class StaticTable(Table):
    """``[analysis]`` with ``kind = "static"``."""

    kind: Literal["static"] = Field(description="kind of analysis")
    positions_per_pitch: int = limited(
        StaticAnalysis.LIMITS["positions_per_pitch"], "number of positions in a pitch (32)", default=32
    )
    pitches: int = limited(StaticAnalysis.LIMITS["pitches"], "number of pitches (1)", default=1)
    tooth_change_threshold: float | None = limited(
        StaticAnalysis.LIMITS["tooth_change_threshold"],
        "phase modulo 1 at which the window of tooth pairs moves on by a pair; none outside of it may carry there",
        default=None,
    )
    grid_estimate: bool = Field(
        default=True, description="whether a coarser grid estimates how far the result depends on the grid (true)"
    )

    def analysis(self, file: CaseFile) -> StaticAnalysis | None:
        """Return the analysis in SI units; None with a fault, which goes to the file."""
        with file.made_from_table("analysis", type(self)):
            return StaticAnalysis(**self.model_dump(exclude={"kind"}))
        return None
