"""``[analysis]`` with ``kind = "static"``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from alegear.case.part_table import AnalysisTable, table_of
from alegear.contact.law import TOOTH_CHANGE
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import Words, check_parameters
from alegear.short_repr import ShortRepr

MOST_POSITIONS = 100_000
POSITIONS = Limits(
    quantity="positions in a pitch",
    words="number of positions in a pitch",
    key="positions_per_pitch",
    least=1,
    most=MOST_POSITIONS,
    whole=True,
)
PITCHES = Limits(quantity="number of pitches", key="pitches", least=1, most=10000, whole=True)


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

    kind: ClassVar[str] = "static"
    positions_per_pitch: Annotated[int, POSITIONS] = 32
    pitches: Annotated[int, PITCHES] = 1
    tooth_change_threshold: Annotated[float | None, TOOTH_CHANGE] = None
    grid_estimate: Annotated[bool, Words("whether a coarser grid estimates how far the result depends on the grid")] = (
        True
    )

    def __post_init__(self) -> None:
        check_parameters(self)
        positions = self.positions_per_pitch * self.pitches
        if positions > MOST_POSITIONS:
            limit = f"at most {MOST_POSITIONS}"
            raise Fault("positions_per_pitch x pitches", positions, limit, "use fewer positions or pitches")


class StaticTable(AnalysisTable, table_of(StaticAnalysis)):  # type: ignore[misc]
    """``[analysis]`` with ``kind = "static"``."""

    kind: Literal["static"] = Field(description="kind of analysis")
