"""``[torque_maps.NAME]``, ``[converters.NAME]``, ``[road_loads.NAME]``: what is around the gearbox of a car."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from alegear.case.part_table import PartTable, one_of
from alegear.case.schema import limited, limited_number, listed
from alegear.case.units import MM, RPM
from alegear.drivetrain.rotational.vehicle import RoadLoad, TorqueConverter, TorqueMap
from alegear.limits import Limits
from alegear.system.builder import GROUND

MOST_ROWS = 10_000
_ANY = limited_number(Limits(quantity="value", key="value", least=-1e15, most=1e15))
_SPEED = limited_number(Limits(quantity="speed", key="speeds_rpm", unit="rpm", least=-1e6, most=1e6))
_Numbers = listed(_ANY, 2, MOST_ROWS)
_Speeds = listed(_SPEED, 2, MOST_ROWS)
_Rows = listed(listed(_ANY, 1, MOST_ROWS), 2, MOST_ROWS)  # a row of wrong length is reported by the part itself
_Pairs = listed(listed(_ANY, 2), 1, MOST_ROWS)


class TorqueMapTable(PartTable):
    """``[torque_maps.NAME]``: an engine."""

    at: str = Field(description="name of the rotor or shaft that it turns")
    to: str = Field(default=GROUND, description="what carries it (ground)")
    throttle: float | None = Field(default=None, ge=0.0, le=1.0, description="throttle, 0 to 1")
    throttle_s: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the throttle, in place of one; straight lines"
    )
    speeds_rpm: _Speeds = Field(description="speeds in rpm, rising")  # type: ignore[valid-type]
    throttles: _Numbers = Field(description="throttles from 0 to 1, rising")  # type: ignore[valid-type]
    torque_Nm: _Rows = Field(description="a row of torques in N m for each throttle")  # type: ignore[valid-type]

    def part(self, name: str, folder: Path) -> TorqueMap:
        """Make the engine."""
        speeds: Any = self.speeds_rpm
        return TorqueMap(
            name=name,
            at=self.at,
            to=self.to,
            throttle=one_of(self, "throttle", "throttle_s"),
            speeds=[speed * RPM for speed in speeds],
            throttles=self.throttles,
            torque=self.torque_Nm,
        )


class ConverterTable(PartTable):
    """``[converters.NAME]``: a hydrodynamic torque converter."""

    pump: str = Field(description="name of the rotor or shaft of the pump")
    turbine: str = Field(description="name of the rotor or shaft of the turbine")
    table: _Rows = Field(  # type: ignore[valid-type]
        description="rows of speed ratio from 0 to 1, capacity in N m s2/rad2, torque ratio"
    )

    def part(self, name: str, folder: Path) -> TorqueConverter:
        """Make the converter."""
        return TorqueConverter(name=name, pump=self.pump, turbine=self.turbine, table=self.table)


class RoadLoadTable(PartTable):
    """``[road_loads.NAME]``: rolling resistance, air and gradient of a car."""

    at: str = Field(description="rotor that stands for the car and turns as its wheels do")
    mass_kg: float = limited(RoadLoad.LIMITS["mass"], "mass in kg")
    radius_mm: float = limited(RoadLoad.LIMITS["radius"], "radius of the wheels in mm")
    rolling: float = limited(RoadLoad.LIMITS["rolling"], "coefficient of rolling resistance (0.01)", default=0.01)
    drag_area_m2: float = limited(RoadLoad.LIMITS["drag_area"], "drag coefficient times area in m2 (0)", default=0.0)
    air_density_kg_per_m3: float = limited(
        RoadLoad.LIMITS["air_density"], "density of the air in kg/m3 (1.2)", default=1.2
    )
    gradient: float | None = Field(default=None, ge=-10.0, le=10.0, description="rise over distance (0)")
    gradient_s: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the rise over the distance; straight lines"
    )

    def part(self, name: str, folder: Path) -> RoadLoad:
        """Make the load."""
        given: Any = 0.0
        if self.gradient is not None or self.gradient_s is not None:
            given = one_of(self, "gradient", "gradient_s")
        return RoadLoad(
            name=name,
            at=self.at,
            mass=self.mass_kg,
            radius=self.radius_mm * MM,
            rolling=self.rolling,
            drag_area=self.drag_area_m2,
            air_density=self.air_density_kg_per_m3,
            gradient=given,
        )
