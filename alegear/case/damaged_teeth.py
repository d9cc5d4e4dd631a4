"""``[[meshes.NAME.damaged_teeth]]``: single teeth that have lost material, or are missing."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from alegear.case.schema import Table, limited, limited_number, listed
from alegear.drivetrain.teeth.tooth_damage import ToothDamage
from alegear.limits import Limits
from alegear.units import MM

UM = 1e-6
MOST_ROWS = 1000
_Profile = listed(
    listed(limited_number(Limits(quantity="diameter or depth", key="profile_um", least=0.0, most=1e6)), 2),
    2,
    MOST_ROWS,
)


class DamagedToothTable(Table):
    """A tooth, and one of ``depth_um``, ``profile_um`` and ``missing``."""

    gear: str = Field(description="name of its gear")
    tooth: int = limited(
        ToothDamage.LIMITS["tooth"], "number of the tooth in the order in which teeth come into mesh, 0 in pair 0"
    )
    depth_um: float | None = limited(
        ToothDamage.LIMITS["depth"], "depth lost all over the flank, in micrometres", default=None
    )
    profile_um: _Profile | None = Field(  # type: ignore[valid-type]
        default=None, description="rows of a diameter in mm and the depth lost there in micrometres, from root to tip"
    )
    missing: bool = Field(default=False, description="whether the tooth is missing (false)")
    flank: Literal["a", "b", "both"] = Field(
        default="both", description='"a" at the positive polar angle of the tooth, "b", or "both" (both)'
    )

    def damage(self) -> ToothDamage:
        """Make it.

        Raises
        ------
        Fault
        """
        rows = None if self.profile_um is None else [(MM * diameter, UM * lost) for diameter, lost in self.profile_um]
        return ToothDamage(
            gear=self.gear,
            tooth=self.tooth,
            depth=None if self.depth_um is None else UM * self.depth_um,
            profile=rows,
            missing=self.missing,
            flank=self.flank,
        )
