"""``[rotors.NAME]``, ``[springs.NAME]``, ``[clutches.NAME]`` ...: parts that only turn."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from alegear.case.disks import DiskTable
from alegear.case.elastic_mesh import ElasticMeshTable
from alegear.case.losses import ANY, MOST_ROWS, GearLossesTable, LossesTable
from alegear.case.losses import LossRows as LossRows
from alegear.case.part_table import PartTable, one_of
from alegear.case.planetary import PlanetaryTable
from alegear.case.schema import Table, limited, listed
from alegear.case.units import RPM
from alegear.case.vehicle import ConverterTable, RoadLoadTable, TorqueMapTable
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh
from alegear.drivetrain.rotational.friction import BearingFriction, Brake, Clutch, Freewheel
from alegear.drivetrain.rotational.gears import PlanetaryGear, RatioGear
from alegear.drivetrain.rotational.governor import SpeedGovernor
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.drivetrain.rotational.profiles import Sine
from alegear.drivetrain.rotational.set_losses import MESH_EFFICIENCY, STATIONARY_EFFICIENCY
from alegear.drivetrain.rotational.sources import Resistance, SpeedSource, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.drivetrain.rotational.varying_ratio import VaryingRatio
from alegear.drivetrain.rotational.vehicle import RoadLoad, TorqueConverter, TorqueMap
from alegear.drivetrain.shaft import Disk
from alegear.system.bodies import Rotor1D
from alegear.system.builder import GROUND

_Pairs = listed(listed(ANY, 2), 1, MOST_ROWS)


class RotorTable(PartTable):
    """``[rotors.NAME]``: a body with an angle."""

    inertia_kg_m2: float = limited(Rotor1D.LIMITS["inertia"], "moment of inertia in kg m2")
    angle_deg: float = limited(Rotor1D.LIMITS["angle"], "angle at the start in degrees (0)", default=0.0)
    speed_rpm: float = limited(Rotor1D.LIMITS["speed"], "speed at the start in rpm (0)", default=0.0)

    def part(self, name: str, folder: Path) -> Rotor1D:
        """Make the body."""
        angle = self.angle_deg * Rotor1D.LIMITS["angle"].factor
        return Rotor1D(name=name, inertia=self.inertia_kg_m2, angle=angle, speed=self.speed_rpm * RPM)


class SpringTable(PartTable):
    """``[springs.NAME]``: spring and damper, perhaps with backlash."""

    between: listed(str, 2) = Field(description="names of the rotors or shafts, or 'ground'")  # type: ignore[valid-type]
    stiffness_Nm_per_rad: float = limited(Spring.LIMITS["stiffness"], "stiffness in N m/rad (0)", default=0.0)
    damping_Nms_per_rad: float = limited(Spring.LIMITS["damping"], "damping in N m s/rad (0)", default=0.0)
    free_angle_deg: float = limited(Spring.LIMITS["free_angle"], "angle without load in degrees (0)", default=0.0)
    backlash_deg: float = limited(Spring.LIMITS["backlash"], "backlash from side to side in degrees (0)", default=0.0)

    def part(self, name: str, folder: Path) -> Spring:
        """Make the spring."""
        first, second = self.between
        return Spring(
            name=name,
            between=(first, second),
            stiffness=self.stiffness_Nm_per_rad,
            damping=self.damping_Nms_per_rad,
            free_angle=self.free_angle_deg * Spring.LIMITS["free_angle"].factor,
            backlash=self.backlash_deg * Spring.LIMITS["backlash"].factor,
        )


class RatioTable(GearLossesTable):
    """``[ratios.NAME]``: a gear by its ratio."""

    between: listed(str, 2) = Field(description="names of the rotors or shafts A and B")  # type: ignore[valid-type]
    ratio: float = limited(RatioGear.LIMITS["ratio"], "speed of A over speed of B")
    housing: str = Field(default=GROUND, description="what it is mounted on (ground)")

    def part(self, name: str, folder: Path) -> RatioGear:
        """Make the gear."""
        first, second = self.between
        losses = self.loss_table(folder)
        return RatioGear(name=name, between=(first, second), ratio=self.ratio, losses=losses, housing=self.housing)


class VaryingRatioTable(PartTable):
    """``[varying_ratios.NAME]``: a gear whose ratio varies over an angle or over time."""

    between: listed(str, 2) = Field(description="names of the rotors or shafts A and B")  # type: ignore[valid-type]
    ratio_deg: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of an angle of B in degrees, 0 to 360, and speed of A over speed of B there"
    )
    ratio_s: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and speed of A over speed of B, in place of ratio_deg"
    )
    stiffness_Nm_per_rad: float = limited(
        VaryingRatio.LIMITS["stiffness"], "stiffness about A in N m/rad, with ratio_deg", default=0.0
    )
    damping_Nms_per_rad: float = limited(
        VaryingRatio.LIMITS["damping"], "torque over creep about A in N m s/rad (0)", default=0.0
    )
    housing: str = Field(default=GROUND, description="what it is mounted on (ground)")

    def part(self, name: str, folder: Path) -> VaryingRatio:
        """Make the gear."""
        first, second = self.between
        over_angle = self.ratio_deg and [[math.radians(angle), ratio] for angle, ratio in self.ratio_deg]
        return VaryingRatio(
            name=name,
            between=(first, second),
            over_angle=over_angle,
            over_time=self.ratio_s,
            stiffness=self.stiffness_Nm_per_rad,
            damping=self.damping_Nms_per_rad,
            housing=self.housing,
        )


class PlanetaryRatioTable(LossesTable):
    """``[planetary_ratios.NAME]``: a planetary set by its ratio."""

    sun: str = Field(description="name of the rotor or shaft that is the sun")
    ring: str = Field(description="name of the rotor or shaft that is the ring")
    carrier: str = Field(description="name of the rotor or shaft that is the carrier")
    ratio: float = limited(PlanetaryGear.LIMITS["ratio"], "teeth of the ring over those of the sun")
    mesh_efficiency: float | None = limited(
        MESH_EFFICIENCY, "efficiency of each of both meshes, in place of a table", default=None
    )
    stationary_efficiency: float | None = limited(
        STATIONARY_EFFICIENCY, "efficiency from sun to ring and back with the carrier held, likewise", default=None
    )

    def part(self, name: str, folder: Path) -> PlanetaryGear:
        """Make the set."""
        return PlanetaryGear(
            name=name,
            sun=self.sun,
            ring=self.ring,
            carrier=self.carrier,
            ratio=self.ratio,
            losses=self.loss_table(folder),
            mesh_efficiency=self.mesh_efficiency,
            stationary_efficiency=self.stationary_efficiency,
        )


class FrictionPartTable(PartTable):
    """``[frictions.NAME]``: friction of a bearing or a seal."""

    at: str = Field(description="name of the rotor or shaft that turns in it")
    to: str = Field(default=GROUND, description="what it is fixed to (ground)")
    torque_Nm: float | None = Field(default=None, ge=0.0, le=1e12, description="friction torque in N m")
    torque_rad_per_s_Nm: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a speed in rad/s and the torque in N m, in place of one torque"
    )
    peak: float = limited(BearingFriction.LIMITS["peak"], "static over sliding friction (1)", default=1.0)

    def part(self, name: str, folder: Path) -> BearingFriction:
        """Make the friction."""
        torque = one_of(self, "torque_Nm", "torque_rad_per_s_Nm")
        return BearingFriction(name=name, at=self.at, to=self.to, torque=torque, peak=self.peak)


class ClutchKeys(PartTable):
    """Keys of clutches and brakes."""

    normal_force_N: float = limited(Clutch.LIMITS["normal_force"], "largest normal force in N")
    friction_coefficient: float | None = Field(default=None, ge=0.0, le=1e3, description="friction coefficient (0.5)")
    friction_rad_per_s: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a relative speed in rad/s and the friction coefficient"
    )
    geometry_factor_m: float = limited(
        Clutch.LIMITS["geometry_factor"], "number of faces times mean radius in m (1)", default=1.0
    )
    peak: float = limited(Clutch.LIMITS["peak"], "static over sliding friction (1)", default=1.0)
    signal_s: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the fraction of the normal force, 0 open to 1 (closed)"
    )

    one_way: Literal["forward", "backward"] | None = Field(
        default=None, description="as with a freewheel in series: it drives in this sense alone (both senses)"
    )

    def values(self) -> dict[str, Any]:
        """What clutches and brakes have in common."""
        given = self.friction_coefficient is not None or self.friction_rad_per_s is not None
        return {
            "normal_force": self.normal_force_N,
            "friction": one_of(self, "friction_coefficient", "friction_rad_per_s") if given else 0.5,
            "geometry_factor": self.geometry_factor_m,
            "peak": self.peak,
            "signal": 1.0 if self.signal_s is None else self.signal_s,
            "one_way": self.one_way,
        }


class ClutchTable(ClutchKeys):
    """``[clutches.NAME]``: a clutch by its normal force."""

    between: listed(str, 2) = Field(description="names of the rotors or shafts, or 'ground'")  # type: ignore[valid-type]

    def part(self, name: str, folder: Path) -> Clutch:
        """Make the clutch."""
        first, second = self.between
        return Clutch(name=name, between=(first, second), **self.values())


class BrakeTable(ClutchKeys):
    """``[brakes.NAME]``: a brake by its normal force."""

    at: str = Field(description="name of the rotor or shaft that it brakes")
    to: str = Field(default=GROUND, description="what it is fixed to (ground)")

    def part(self, name: str, folder: Path) -> Brake:
        """Make the brake."""
        return Brake(name=name, at=self.at, to=self.to, **self.values())


class FreewheelTable(PartTable):
    """``[freewheels.NAME]``: the first body drives the second forward, which may run ahead."""

    between: listed(str, 2) = Field(description="names of the rotors or shafts, or 'ground'")  # type: ignore[valid-type]
    sense: Literal["forward", "backward"] = Field(default="forward", description="in which sense it drives")

    def part(self, name: str, folder: Path) -> Freewheel:
        """Make the freewheel."""
        first, second = self.between
        return Freewheel(name=name, between=(first, second), sense=1 if self.sense == "forward" else -1)


class SineTable(Table):
    """A sine over time."""

    amplitude: float = limited(Sine.LIMITS["amplitude"], "amplitude, in the unit of what it stands for")
    frequency_Hz: float = limited(Sine.LIMITS["frequency"], "frequency in Hz")
    phase_deg: float = limited(Sine.LIMITS["phase"], "phase in degrees (0)", default=0.0)
    mean: float = limited(Sine.LIMITS["mean"], "mean value, likewise (0)", default=0.0)

    def sine(self) -> Sine:
        """The sine."""
        return Sine(
            amplitude=self.amplitude,
            frequency=self.frequency_Hz,
            phase=self.phase_deg * Sine.LIMITS["phase"].factor,
            mean=self.mean,
        )


class TorqueTable(PartTable):
    """``[torques.NAME]``: a torque over time, positive about the axis."""

    at: str = Field(description="name of the rotor or shaft that it turns")
    to: str = Field(default=GROUND, description="what it reacts on (ground)")
    torque_Nm: float | None = Field(default=None, ge=-1e12, le=1e12, description="torque in N m")
    torque_table_s_Nm: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the torque in N m; straight lines"
    )
    sine_Nm: SineTable | None = Field(default=None, description="a sine over time, in N m")

    def part(self, name: str, folder: Path) -> TorqueSource:
        """Make the source."""
        torque = one_of(self, "torque_Nm", "torque_table_s_Nm", "sine_Nm")
        if isinstance(torque, SineTable):
            torque = torque.sine()
        return TorqueSource(name=name, at=self.at, to=self.to, torque=torque)


class SpeedTable(PartTable):
    """``[speeds.NAME]``: the speed of a body over time."""

    at: str = Field(description="name of the rotor or shaft that has this speed")
    speed_rpm: float | None = Field(default=None, ge=-1e6, le=1e6, description="speed in rpm")
    speed_table_s_rpm: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the speed in rpm; straight lines"
    )

    def part(self, name: str, folder: Path) -> SpeedSource:
        """Make the source."""
        return SpeedSource(name=name, at=self.at, speed=_in_si(one_of(self, "speed_rpm", "speed_table_s_rpm")))


class ResistanceTable(PartTable):
    """``[resistances.NAME]``: a torque against the rotation that grows with the speed."""

    at: str = Field(description="name of the rotor or shaft that it brakes")
    to: str = Field(default=GROUND, description="what it reacts on (ground)")
    linear_Nms_per_rad: float = limited(Resistance.LIMITS["linear"], "torque over speed in N m s/rad (0)", default=0.0)
    quadratic_Nms2_per_rad2: float = limited(
        Resistance.LIMITS["quadratic"], "torque over its square in N m s2/rad2 (0)", default=0.0
    )
    torque_rad_per_s_Nm: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a speed in rad/s and the torque in N m, beside the others"
    )

    def part(self, name: str, folder: Path) -> Resistance:
        """Make the resistance."""
        return Resistance(
            name=name,
            at=self.at,
            to=self.to,
            linear=self.linear_Nms_per_rad,
            quadratic=self.quadratic_Nms2_per_rad2,
            table=self.torque_rad_per_s_Nm,
        )


class GovernorTable(PartTable):
    """``[governors.NAME]``: a speed over time that a torque holds, by a PI controller that acts all the time."""

    at: str = Field(description="name of the rotor or shaft that it turns")
    to: str = Field(default=GROUND, description="what it reacts on (ground)")
    speed_rpm: float | None = Field(default=None, ge=-1e6, le=1e6, description="speed in rpm")
    speed_table_s_rpm: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the speed in rpm; straight lines"
    )
    proportional_Nms_per_rad: float = limited(
        SpeedGovernor.LIMITS["proportional"], "torque over the error of the speed in N m s/rad"
    )
    integral_Nm_per_rad: float = limited(
        SpeedGovernor.LIMITS["integral"], "torque over its integral in N m/rad (0)", default=0.0
    )
    torque_Nm: float = limited(
        SpeedGovernor.LIMITS["torque"], "torque without an error in N m, positive about the axis (0)", default=0.0
    )

    def part(self, name: str, folder: Path) -> SpeedGovernor:
        """Make the governor."""
        return SpeedGovernor(
            name=name,
            at=self.at,
            to=self.to,
            speed=_in_si(one_of(self, "speed_rpm", "speed_table_s_rpm")),
            proportional=self.proportional_Nms_per_rad,
            integral=self.integral_Nm_per_rad,
            torque=self.torque_Nm,
        )


def _in_si(speed: Any) -> Any:
    """A speed or a table of speeds in rpm, in rad/s."""
    return [[t, y * RPM] for t, y in speed] if isinstance(speed, list) else speed * RPM


#: Heading -> keys of each of its tables.
ROTATIONAL: dict[str, type[PartTable]] = {
    Rotor1D.TABLE: RotorTable,
    Spring.TABLE: SpringTable,
    RatioGear.TABLE: RatioTable,
    VaryingRatio.TABLE: VaryingRatioTable,
    PlanetaryGear.TABLE: PlanetaryRatioTable,
    PlanetaryGearSet.TABLE: PlanetaryTable,
    ElasticMesh.TABLE: ElasticMeshTable,
    BearingFriction.TABLE: FrictionPartTable,
    Clutch.TABLE: ClutchTable,
    Brake.TABLE: BrakeTable,
    Freewheel.TABLE: FreewheelTable,
    TorqueMap.TABLE: TorqueMapTable,
    TorqueConverter.TABLE: ConverterTable,
    RoadLoad.TABLE: RoadLoadTable,
    TorqueSource.TABLE: TorqueTable,
    SpeedSource.TABLE: SpeedTable,
    Resistance.TABLE: ResistanceTable,
    SpeedGovernor.TABLE: GovernorTable,
    Disk.TABLE: DiskTable,
}
