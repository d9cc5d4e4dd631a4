"""``[bearings.NAME]``: linear ones by their stiffness; with ``rollers`` or ``balls`` those of rolling elements."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from alegear.case.schema import Table, limited, listed
from alegear.case.units import MM
from alegear.drivetrain.bearing import Bearing, ShaftBearing
from alegear.drivetrain.bearing_defect import PLACES, BearingDefect
from alegear.drivetrain.parts import AT
from alegear.drivetrain.rolling.bearings import BallBearing, RollerBearing, RollingBearing

OF_ROLLERS, OF_BALLS, OF_DEFECTS = RollerBearing.LIMITS, BallBearing.LIMITS, BearingDefect.LIMITS
_DAMPING = listed(float, 3)
_TILT_DAMPING = listed(float, 2)


class BearingTable(Table):
    """Keys of all bearings."""

    shaft: str = Field(description="name of its shaft")
    at_mm: float = limited(AT, "position along the shaft in mm")
    to: str = Field(default="ground", description="what holds it: ground, a shaft, a point of a housing (ground)")
    to_at_mm: float | None = Field(default=None, description="position along the shaft that holds it, in mm")
    damping_Ns_per_m: _DAMPING | None = Field(  # type: ignore[valid-type]
        default=None, description="damping [x, y, z] in N s/m (0)"
    )
    tilt_damping_Nms_per_rad: _TILT_DAMPING | None = Field(  # type: ignore[valid-type]
        default=None, description="damping of tilting [about x, about y] in N m s/rad (0)"
    )

    def bearing(self, name: str) -> ShaftBearing:
        """Make the bearing in SI units.

        Raises
        ------
        Fault
        """
        raise NotImplementedError

    @property
    def common(self) -> dict[str, Any]:
        """What all bearings have."""
        return {
            "shaft": self.shaft,
            "at": self.at_mm * MM,
            "to": self.to,
            "to_at": None if self.to_at_mm is None else self.to_at_mm * MM,
            "damping": diagonal(self.damping_Ns_per_m, self.tilt_damping_Nms_per_rad),
        }


class LinearBearingTable(BearingTable):
    """``[bearings.NAME]`` on springs."""

    stiffness_N_per_m: listed(float, 3) = Field(  # type: ignore[valid-type]
        description="stiffness along the axes of the shaft [x, y, z] in N/m"
    )
    tilt_stiffness_Nm_per_rad: listed(float, 2) | None = Field(  # type: ignore[valid-type]
        default=None, description="stiffness against tilting [about x, about y] in N m/rad (0)"
    )

    def bearing(self, name: str) -> Bearing:
        """Make the bearing."""
        stiffness = diagonal(self.stiffness_N_per_m, self.tilt_stiffness_Nm_per_rad)
        return Bearing(name=name, stiffness=stiffness, **self.common)


class DefectTable(Table):
    """An entry of ``defects``."""

    on: Literal[PLACES] = Field(description="what the defect is in: outer ring, inner ring or roller")  # type: ignore[valid-type]
    at_deg: float = limited(OF_DEFECTS["at"], "angle of its middle in degrees (0)", default=0.0)
    width_mm: float = limited(OF_DEFECTS["width"], "arc in the direction of rolling in mm")
    depth_um: float = limited(OF_DEFECTS["depth"], "depth in micrometres")
    roller: int | None = limited(OF_DEFECTS["roller"], "number of the roller or ball that has it (1)", default=None)

    @property
    def defect(self) -> BearingDefect:
        """The defect."""
        return BearingDefect(
            on=self.on,
            at=self.at_deg * OF_DEFECTS["at"].factor,
            width=self.width_mm * MM,
            depth=self.depth_um * OF_DEFECTS["depth"].factor,
            roller=self.roller,
        )


class RollingBearingTable(BearingTable):
    """Keys of bearings with rolling elements."""

    pitch_diameter_mm: float = limited(OF_ROLLERS["pitch_diameter"], "diameter of the circle of their centres in mm")
    clearance_um: float = limited(OF_ROLLERS["clearance"], "radial internal clearance in micrometres (0)", default=0.0)
    cage_angle_deg: float = limited(
        OF_ROLLERS["cage_angle"], "azimuth of the first rolling element at the start in degrees (0)", default=0.0
    )
    defects: list[DefectTable] = Field(default=[], max_length=100, description="defects, one table each")

    @property
    def common(self) -> dict[str, Any]:
        """What both kinds have."""
        return super().common | {
            "pitch_diameter": self.pitch_diameter_mm * MM,
            "clearance": self.clearance_um * OF_ROLLERS["clearance"].factor,
            "cage_angle": self.cage_angle_deg * OF_ROLLERS["cage_angle"].factor,
            "defects": tuple(one.defect for one in self.defects),
        }


class RollerBearingTable(RollingBearingTable):
    """``[bearings.NAME]`` with ``rollers``."""

    rollers: int = limited(OF_ROLLERS["count"], "number of cylindrical rollers")
    roller_diameter_mm: float = limited(OF_ROLLERS["diameter"], "diameter of a roller in mm")
    roller_length_mm: float = limited(OF_ROLLERS["length"], "effective length of a roller in mm")
    profile: Literal["straight", "logarithmic"] = Field(
        default="straight", description="profile of a roller (straight)"
    )
    laminae: int = limited(OF_ROLLERS["laminae"], "laminae along a roller (30)", default=30)

    def bearing(self, name: str) -> RollingBearing:
        """Make the bearing."""
        return RollerBearing(
            name=name,
            count=self.rollers,
            diameter=self.roller_diameter_mm * MM,
            length=self.roller_length_mm * MM,
            profile=self.profile,
            laminae=self.laminae,
            **self.common,
        )


class BallBearingTable(RollingBearingTable):
    """``[bearings.NAME]`` with ``balls``."""

    balls: int = limited(OF_BALLS["count"], "number of balls")
    ball_diameter_mm: float = limited(OF_BALLS["diameter"], "diameter of a ball in mm")
    contact_angle_deg: float = limited(
        OF_BALLS["contact_angle"],
        "contact angle in degrees, positive holds the shaft along its direction (0)",
        default=0.0,
    )
    inner_groove_radius_mm: float | None = limited(
        OF_BALLS["inner_groove"], "radius of the groove of the inner ring in mm (0.52 diameters)", default=None
    )
    outer_groove_radius_mm: float | None = limited(
        OF_BALLS["outer_groove"], "radius of the groove of the outer ring in mm (0.53 diameters)", default=None
    )

    def bearing(self, name: str) -> RollingBearing:
        """Make the bearing."""
        inner, outer = self.inner_groove_radius_mm, self.outer_groove_radius_mm
        return BallBearing(
            name=name,
            count=self.balls,
            diameter=self.ball_diameter_mm * MM,
            contact_angle=self.contact_angle_deg * OF_BALLS["contact_angle"].factor,
            inner_groove=None if inner is None else inner * MM,
            outer_groove=None if outer is None else outer * MM,
            **self.common,
        )


#: Key that only one kind has -> keys of the table.
KINDS: dict[str, type[BearingTable]] = {"rollers": RollerBearingTable, "balls": BallBearingTable}


def bearing_table(content: Any) -> type[BearingTable]:
    """Keys of a table, by what stands in it; on springs where no rolling elements are named."""
    if isinstance(content, dict):
        for key, table in KINDS.items():
            if key in content:
                return table
    return LinearBearingTable


def of_another_kind(content: Any) -> dict[str, str]:
    """Keys of a table that only bearings of another kind have, and what these are made of."""
    own = bearing_table(content).model_fields
    kinds: dict[str, type[BearingTable]] = {"stiffness_N_per_m": LinearBearingTable, **KINDS}
    found = {}
    for key in content if isinstance(content, dict) else ():
        others = [kind for kind, table in kinds.items() if key in table.model_fields]
        if key not in own and others:
            found[key] = " or ".join(others)
    return found


def diagonal(shifts: list[float] | None, tilts: list[float] | None) -> list[float]:
    """Values of x, y, z, tilt x, tilt y; 0 where none are given."""
    return [*(shifts or [0.0] * 3), *(tilts or [0.0] * 2)]
