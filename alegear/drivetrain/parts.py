"""What a machine is described with besides shafts, bearings, housings and meshes: gears on shafts, drives and loads."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, ClassVar

from alegear.drivetrain.gear_mass import GearMass
from alegear.drivetrain.rotational.governor import INTEGRAL, PROPORTIONAL, SpeedGovernor
from alegear.drivetrain.rotational.profiles import pairs_of
from alegear.drivetrain.rotational.sources import SPEED, TORQUE
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.cylindrical_gear import CylindricalGear, Gear
from alegear.geometry.internal_gear import InternalGear
from alegear.limits import Limits, check_type
from alegear.mesh.grid_options import GridOptions
from alegear.parameters import Columns, NamedPart, Words
from alegear.units import RPM

AT = Limits(quantity="position along the shaft", key="at_mm", unit="mm", least=-1e6, most=1e6)
COORDINATE = Limits(quantity="position", key="position_mm", unit="mm", least=-1e8, most=1e8)
SHAFT = Words("name of its shaft")
#: Rows of tables over time at most.
MOST_ROWS = 10_000
#: What a part needs to be told by.
Table = tuple[tuple[float, float], ...]
#: Speed of a drive of which none is given [rad/s]: only its sense matters, for friction.
NO_SPEED = 100.0


@dataclass(frozen=True, kw_only=True, eq=False)
class ShaftGear(NamedPart):
    """A gear on a shaft.

    Parameters
    ----------
    gear : Gear or InternalGear
        Its deviations are given along the direction of the shaft.
    material : Material
    grid_options : GridOptions or None
        Of its grid; None: as fine as its faces need.
    mesh_file : Path or None
        A sector mesh made elsewhere.
    tooth_angle : float [rad]
        Of the centre line of tooth 0 at mid-face against another gear of the same shaft, about the direction of the
        shaft. It is what the phases of meshes on one shaft depend on.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "gears"

    shaft: Annotated[str, SHAFT]
    at: Annotated[float, replace(AT, words="position of its mid-face along the shaft")]
    gear: CylindricalGear
    material: Material = field(default_factory=Material)
    grid_options: GridOptions | None = None
    mesh_file: Path | None = None
    tooth_angle: Annotated[
        float,
        Limits(
            quantity="angle of tooth 0",
            words="angle of tooth 0 against other gears of the shaft",
            unit="deg",
            least=-360.0,
            most=360.0,
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_type(self, "material", Material)
        check_type(self, "gear", (Gear, InternalGear))
        check_type(self, "grid_options", GridOptions, optional=True)
        check_type(self, "mesh_file", Path, optional=True)
        if self.grid_options is not None and self.mesh_file is not None:
            limit = "left out with a grid made elsewhere"
            raise Fault(f"grid_options of gear {self.name}", "given", limit, "leave out one of the two")

    @property
    def rigid_body(self) -> GearMass:
        """What it is as a rigid body, by its geometry."""
        return GearMass.of(self.gear, self.material)


@dataclass(frozen=True, kw_only=True, eq=False)
class Drive(NamedPart):
    """What turns a shaft.

    It prescribes the speed of the shaft, or holds it in motions by a PI controller
    (:class:`~alegear.drivetrain.rotational.governor.SpeedGovernor`) which begins with the torque that balances the
    loads. Without a speed it turns positively (static analyses). The torque is needed where a load takes what it
    leaves, else it follows from the loads.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "drives"

    shaft: Annotated[str, SHAFT]
    at: Annotated[float, AT] = 0.0
    speed: Annotated[float | None, replace(SPEED, words="speed about the direction of the shaft")] = None
    speed_table: Annotated[
        Table | None,
        Columns(
            "s",
            "rpm",
            key="speed_table_s_rpm",
            words="pairs of a time in s and the speed in rpm",
            least=2,
            most=MOST_ROWS,
            each=SPEED,
        ),
    ] = None
    torque: Annotated[float | None, replace(TORQUE, words="torque in the direction of rotation")] = None
    proportional: Annotated[
        float,
        replace(
            PROPORTIONAL,
            words="proportional gain of a PI controller that holds the speed in motions (0: it is prescribed)",
        ),
    ] = 0.0
    integral: Annotated[float, replace(INTEGRAL, words="integral gain of that controller")] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.torque == 0.0:
            raise Fault(f"torque [N m] of drive {self.label}", 0.0, "not 0", "leave it out, or give the torque")
        if self.speed_table is not None:
            if self.speed is not None:
                limit = "left out with a table of speeds"
                rpm = float(f"{self.speed / RPM:.9g}")
                raise Fault(f"speed [rpm] of drive {self.label}", rpm, limit, "leave out one of the two")
            object.__setattr__(self, "speed_table", _table(self, "speed_table", replace(SPEED, key="speed_rpm")))
            speeds = [value for _, value in self.speed_table or ()]
            if min(speeds) < 0.0 < max(speeds) or not any(speeds):
                limit = "of one sign, not all 0"
                value = f"{min(speeds) / RPM:.6g} to {max(speeds) / RPM:.6g}"
                remedy = "run one sense of rotation at a time"
                raise Fault(f"speeds [rpm] of drive {self.label}", value, limit, remedy)

    @property
    def governed(self) -> bool:
        """Whether a controller holds its speed in motions."""
        return bool(self.proportional or self.integral)

    def governor(self, at: str, *, torque: float, angle: float) -> SpeedGovernor:
        """The controller, at its place, which begins with a torque [N m] at an angle [rad], about the shaft."""
        speed = self.speed if self.speed_table is None else self.speed_table
        assert speed is not None
        return SpeedGovernor(
            name=self.name,
            at=at,
            speed=speed,
            proportional=self.proportional,
            integral=self.integral,
            torque=torque,
            angle=angle,
        )

    @property
    def largest_speed(self) -> float | None:
        """Largest speed by magnitude, with its sign [rad/s]; None if none is given."""
        if self.speed_table is not None:
            return max((value for _, value in self.speed_table), key=abs)
        return self.speed

    @property
    def size_of_speed(self) -> float:
        """Largest speed without its sign [rad/s]; of one without a speed :data:`NO_SPEED`."""
        return abs(self.largest_speed or NO_SPEED)

    @property
    def sense(self) -> float:
        """+1 where it turns about the direction of its shaft, else -1."""
        return -1.0 if (self.largest_speed or 0.0) < 0.0 else 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueLoad(NamedPart):
    """What a shaft drives.

    Its torque brakes the rotation where it is positive, or is what the torque of the drive leaves.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "loads"

    shaft: Annotated[str, SHAFT]
    at: Annotated[float, AT] = 0.0
    torque: Annotated[float | None, replace(TORQUE, words="torque against the rotation")] = None
    torque_table: Annotated[
        Table | None,
        Columns(
            "s",
            "N m",
            key="torque_table_s_Nm",
            words="pairs of a time in s and the torque in N m",
            least=2,
            most=MOST_ROWS,
            each=TORQUE,
        ),
    ] = None
    balances_drive: Annotated[bool, Words("whether it takes what the torque of the drive leaves")] = False
    inertia: Annotated[
        float, Limits(quantity="inertia", words="inertia of what is driven", unit="kg m2", least=0.0, most=1e12)
    ] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.torque is not None, self.torque_table is not None, self.balances_drive]
        if sum(given) != 1:
            limit = "one of torque_Nm, torque_table_s_Nm and balances_drive = true"
            raise Fault(f"torque of load {self.label}", f"{sum(given)} of them", limit, "give one of the three")
        if self.torque_table is not None:
            object.__setattr__(self, "torque_table", _table(self, "torque_table", replace(TORQUE, key="torque_Nm")))
            first, largest = (self.torque_table or ())[0][1], self.largest_torque
            if first * largest < 0.0:
                limit = f"0 or of the sign of the largest one, {largest:g}"
                raise Fault(
                    f"first torque [N m] of load {self.label}", first, limit, "put a point with torque 0.0 first"
                )

    @property
    def largest_torque(self) -> float:
        """Largest torque by magnitude, with its sign [N m]; 0 of one that reacts."""
        if self.torque_table is not None:
            return max((value for _, value in self.torque_table), key=abs)
        return self.torque or 0.0


def _table(made: Drive | TorqueLoad, name: str, limits: Limits) -> Table:
    """Check a table over time: rising times from 0."""
    where = f"{name} of {made.label}"
    rows = pairs_of(where, getattr(made, name), "two or more pairs of a time and a value", 2)
    for value in rows[:, 1].tolist():
        limits.check(value, where)
    times = rows[:, 0].tolist()
    if times[0] != 0.0:
        raise Fault(f"first time [s] of {where}", times[0], "0", "put the points in order, the first at 0.0")
    for before, after in pairwise(times):
        if not after > before:
            raise Fault(f"time [s] of {where} after {before:g}", after, "later", "put the points in order")
    return tuple((float(t), float(y)) for t, y in rows)
