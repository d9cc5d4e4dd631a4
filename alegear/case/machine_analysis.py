"""``[analysis]`` of a machine with ``kind = "static"``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from alegear.case.case_file import CaseFile
from alegear.case.schema import Table, limited
from alegear.case.static import MOST_POSITIONS, StaticAnalysis
from alegear.errors import Fault, unknown_name
from alegear.limits import Limits, check_numbers, check_type
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

    LIMITS: ClassVar[dict[str, Limits]] = {
        name: StaticAnalysis.LIMITS[name] for name in ("positions_per_pitch", "pitches")
    }
    kind: ClassVar[str] = "static"
    positions_per_pitch: int = 32
    pitches: int = 1
    mesh: str | None = None
    grid_estimate: bool = False

    def __post_init__(self) -> None:
        check_numbers(self)
        check_type(self, "grid_estimate", bool)
        check_type(self, "mesh", str, optional=True)
        positions = self.positions_per_pitch * self.pitches
        if positions > MOST_POSITIONS:
            raise Fault(
                "positions_per_pitch x pitches",
                positions,
                f"at most {MOST_POSITIONS}",
                "use fewer positions or pitches",
            )

    def check_counts(self) -> None:
        """Refuse numbers of positions and pitches where nothing has teeth."""
        for name, limits in self.LIMITS.items():
            if getattr(self, name) != getattr(MachineStatic, name):
                limit = "left out: without meshes there is one position"
                raise Fault(limits.name, getattr(self, name), limit, f"leave out {limits.key}")

    def check_mesh(self, meshes: Sequence[str]) -> None:
        """Refuse a mesh that the machine does not have."""
        if self.mesh is not None and self.mesh not in meshes:
            raise unknown_name("mesh of the analysis", self.mesh, meshes)


class MachineStaticTable(Table):
    """``[analysis]`` of a machine with ``kind = "static"``."""

    kind: Literal["static"] = Field(description="kind of analysis")
    positions_per_pitch: int = limited(
        MachineStatic.LIMITS["positions_per_pitch"], "number of positions in a pitch (32)", default=32
    )
    pitches: int = limited(MachineStatic.LIMITS["pitches"], "number of pitches (1)", default=1)
    mesh: str | None = Field(default=None, description="mesh whose pitches are counted (the slowest one)")
    grid_estimate: bool = Field(
        default=False, description="whether coarser grids estimate how far the result depends on the grids (false)"
    )

    def analysis(self, file: CaseFile) -> MachineStatic | None:
        """Return the analysis; None with a fault, which goes to the file."""
        with file.made_from_table("analysis", type(self)):
            return MachineStatic(**self.model_dump(exclude={"kind"}))
        return None
