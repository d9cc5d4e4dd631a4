"""``[analysis]`` of a machine with ``kind = "static"``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from alegear.case.analysis import PITCHES, POSITIONS, check_positions
from alegear.case.tables import AnalysisTable, table_of
from alegear.errors import Fault, unknown_name
from alegear.parameters import Words, check_parameters, limits_of
from alegear.short_repr import ShortRepr


@dataclass(frozen=True, kw_only=True)
class MachineStatic(ShortRepr):
    """Positions of a machine under constant torques.

    Parameters
    ----------
    positions_per_pitch, pitches : int
        Of the mesh. Without meshes there is one position.
    mesh : str or None
        Whose pitches are counted; None: the mesh whose teeth follow each other most slowly, so that every mesh sees a
        whole pitch.
    grid_estimate : bool
        Whether a second, coarser grid of all gears estimates how far the peak-to-peak transmission errors depend on the
        grids.

    Raises
    ------
    Fault
    """

    kind: ClassVar[str] = "static"
    positions_per_pitch: Annotated[int, POSITIONS] = 32
    pitches: Annotated[int, PITCHES] = 1
    mesh: Annotated[str | None, Words("mesh whose pitches are counted (the slowest one)")] = None
    grid_estimate: Annotated[bool, Words("whether coarser grids estimate how far the result depends on the grids")] = (
        False
    )

    def __post_init__(self) -> None:
        check_parameters(self)
        check_positions(self.positions_per_pitch * self.pitches)

    def check_counts(self) -> None:
        """Refuse numbers of positions and pitches where nothing has teeth."""
        for name, limits in limits_of(MachineStatic).items():
            if getattr(self, name) != getattr(MachineStatic, name):
                limit = "left out: without meshes there is one position"
                raise Fault(limits.name, getattr(self, name), limit, f"leave out {limits.key}")

    def check_mesh(self, meshes: Sequence[str]) -> None:
        """Refuse a mesh that the machine does not have."""
        if self.mesh is not None and self.mesh not in meshes:
            raise unknown_name("mesh of the analysis", self.mesh, meshes)


class MachineStaticTable(AnalysisTable, table_of(MachineStatic)):  # type: ignore[misc]
    """``[analysis]`` of a machine with ``kind = "static"``."""

    kind: Literal["static"] = Field(description="kind of analysis")
