"""What a machine is described with besides shafts, bearings and housings: gears on shafts, meshes, drives and loads."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import radians
from pathlib import Path
from typing import ClassVar, Literal

from alegear.contact.law import Friction
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.alignment import Alignment
from alegear.geometry.gear import Gear
from alegear.limits import Limits, array_of, check_choice, check_kind, check_numbers, check_type, described
from alegear.mesh.sector import MeshOptions

RPM = radians(6.0)  # one revolution per minute [rad/s]
AT = Limits(quantity="position along the shaft", key="at_mm", unit="mm", factor=1e-3, least=-1e6, most=1e6)
SPEED = Limits(quantity="speed", key="speed_rpm", unit="rpm", factor=RPM, least=-1e6, most=1e6, optional=True)
TORQUE = Limits(quantity="torque", key="torque_Nm", unit="N m", least=-1e12, most=1e12, optional=True)
#: Laws of a mesh that are built, and those that are planned.
FIDELITIES, PLANNED = ("flexible", "rigid"), ("elastic", "lossy", "teeth")
#: What a part needs to be told by.
Table = tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class ShaftGear:
    """A gear on a shaft.

    Parameters
    ----------
    name, shaft : str
    at : float [m]
        Position of its mid-face along the shaft.
    gear : Gear
        Its deviations are given along the direction of the shaft.
    material : Material
    mesh_options : MeshOptions or None
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

    LIMITS: ClassVar[dict[str, Limits]] = {
        "at": AT,
        "tooth_angle": Limits(
            quantity="angle of tooth 0",
            key="tooth_angle_deg",
            unit="deg",
            factor=radians(1.0),
            least=-360.0,
            most=360.0,
        ),
    }

    name: str
    shaft: str
    at: float
    gear: Gear
    material: Material = field(default_factory=Material)
    mesh_options: MeshOptions | None = None
    mesh_file: Path | None = None
    tooth_angle: float = 0.0

    def __post_init__(self) -> None:
        for name, kind in (("name", str), ("shaft", str), ("gear", Gear), ("material", Material)):
            check_type(self, name, kind)
        check_type(self, "mesh_options", MeshOptions, optional=True)
        check_type(self, "mesh_file", Path, optional=True)
        check_numbers(self)
        if self.mesh_options is not None and self.mesh_file is not None:
            limit = "left out with a grid made elsewhere"
            raise Fault(f"mesh_options of gear {self.name}", "given", limit, "leave out one of the two")

    @property
    def tilt_inertia(self) -> float:
        """Inertia about a diameter of mid-face [kg m2]."""
        rho = self.material.rho
        return 0.5 * self.gear.inertia(rho) + self.gear.mass(rho) * self.gear.b**2 / 12.0


@dataclass(frozen=True, kw_only=True, eq=False)
class GearMesh:
    """Two gears in mesh.

    Parameters
    ----------
    name : str
    gears : (str, str)
        Which of them drives follows from drives and loads.
    fidelity : {"flexible", "rigid"}
        Law of the mesh: the contact of flexible teeth, or a fixed displacement along the line of action.
    alignment : Alignment
        Of the first gear's shaft against the second's, besides their positions; the axial offset follows from these.
    friction : Friction
    slices, window_pairs : int or None
        As of a case with two gears.

    Raises
    ------
    Fault
    """

    name: str
    gears: tuple[str, str]
    fidelity: Literal["flexible", "rigid"] = "flexible"
    alignment: Alignment = field(default_factory=Alignment)
    friction: Friction = field(default_factory=Friction)
    slices: int | None = None
    window_pairs: int | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        if self.fidelity in PLANNED:
            limit = " or ".join(f'"{one}"' for one in FIDELITIES)
            remedy = "the other laws are not in this version"
            raise Fault(f"fidelity of mesh {self.name}", f'"{self.fidelity}"', limit, remedy)
        check_choice(self, "fidelity", FIDELITIES, f"fidelity of mesh {self.name}")
        check_type(self, "alignment", Alignment)
        check_type(self, "friction", Friction)
        if not isinstance(self.gears, tuple | list) or len(self.gears) != 2:
            raise Fault(f"gears of mesh {self.name}", described(self.gears), "the names of two gears", "give both")
        for gear in self.gears:
            check_kind(gear, f"GearMesh.gears of {self.name}", str)
        if self.gears[0] == self.gears[1]:
            raise Fault(f"gears of mesh {self.name}", f'"{self.gears[0]}" twice', "two gears", "name another")
        if self.alignment.axial_offset:
            limit = "left out: it follows from at_mm of both gears"
            raise Fault(f"axial offset of mesh {self.name}", self.alignment.axial_offset, limit, "move a gear")
        if self.fidelity == "rigid":
            self._refuse_of_flexible()

    def _refuse_of_flexible(self) -> None:
        """Refuse what only a flexible mesh has."""
        given = {
            "alignment": self.alignment != Alignment(),
            "friction": self.friction.kind != "none",
            "slices": self.slices is not None,
            "window_pairs": self.window_pairs is not None,
        }
        for name, there in given.items():
            if there:
                limit = 'left out: it has no effect with fidelity = "rigid"'
                raise Fault(f"{name} of mesh {self.name}", "given", limit, 'leave it out, or write "flexible"')


@dataclass(frozen=True, kw_only=True, eq=False)
class Drive:
    """A drive: it prescribes the speed of a shaft.

    Parameters
    ----------
    name, shaft : str
    at : float [m]
        Position along the shaft.
    speed : float or None [rad/s]
        About the direction of the shaft. None: none is given; it turns about it then (static analyses), or
        `speed_table` says how.
    torque : float or None [N m]
        In the direction of rotation; needed where a load ``reacts``, else what the loads make of it.
    speed_table : tuple of (float, float) or None [s, rad/s]

    Raises
    ------
    Fault
    """

    LIMITS: ClassVar[dict[str, Limits]] = {"at": AT, "speed": SPEED, "torque": TORQUE}

    name: str
    shaft: str
    at: float = 0.0
    speed: float | None = None
    torque: float | None = None
    speed_table: Table | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_type(self, "shaft", str)
        check_numbers(self)
        if self.torque == 0.0:
            raise Fault(f"torque [N m] of drive {self.name}", 0.0, "not 0", "leave it out, or give the torque")
        if self.speed_table is not None:
            if self.speed is not None:
                limit = "left out with a table of speeds"
                raise Fault(f"speed of drive {self.name}", self.speed, limit, "leave out one of the two")
            object.__setattr__(self, "speed_table", _table(self, "speed_table", SPEED))
            speeds = [value for _, value in self.speed_table or ()]
            if min(speeds) < 0.0 < max(speeds) or not any(speeds):
                limit = "speeds of one sign, not all 0"
                raise Fault(
                    f"speed_table of drive {self.name}", f"{min(speeds):g} to {max(speeds):g}", limit, "split it"
                )

    @property
    def largest_speed(self) -> float | None:
        """Largest speed by magnitude, with its sign [rad/s]; None if none is given."""
        if self.speed_table is not None:
            return max((value for _, value in self.speed_table), key=abs)
        return self.speed

    @property
    def sense(self) -> float:
        """+1 where it turns about the direction of its shaft, else -1."""
        return -1.0 if (self.largest_speed or 0.0) < 0.0 else 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueLoad:
    """A load on a shaft.

    Parameters
    ----------
    name, shaft : str
    at : float [m]
        Position along the shaft.
    torque : float or None [N m]
        Positive: it brakes the rotation.
    reacts : bool
        Whether it takes what the torque of the drive leaves; in place of a torque.
    inertia : float [kg m2]
        Of what is driven, on the shaft.
    torque_table : tuple of (float, float) or None [s, N m]

    Raises
    ------
    Fault
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "at": AT,
        "torque": TORQUE,
        "inertia": Limits(quantity="inertia", key="inertia_kg_m2", unit="kg m2", least=0.0, most=1e12),
    }

    name: str
    shaft: str
    at: float = 0.0
    torque: float | None = None
    reacts: bool = False
    inertia: float = 0.0
    torque_table: Table | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_type(self, "shaft", str)
        check_type(self, "reacts", bool)
        check_numbers(self)
        given = [self.torque is not None, self.torque_table is not None, self.reacts]
        if sum(given) != 1:
            limit = "one of torque_Nm, torque_table_s_Nm and reacts = true"
            raise Fault(f"torque of load {self.name}", f"{sum(given)} of them", limit, "give one of the three")
        if self.torque_table is not None:
            object.__setattr__(self, "torque_table", _table(self, "torque_table", TORQUE))
            first, largest = (self.torque_table or ())[0][1], self.largest_torque
            if first * largest < 0.0:
                limit = f"0 or of the sign of the largest one, {largest:g}"
                raise Fault(
                    f"first torque [N m] of load {self.name}", first, limit, "put a point with torque 0.0 first"
                )

    @property
    def largest_torque(self) -> float:
        """Largest torque by magnitude, with its sign [N m]; 0 of one that reacts."""
        if self.torque_table is not None:
            return max((value for _, value in self.torque_table), key=abs)
        return self.torque or 0.0


def _table(made: Drive | TorqueLoad, name: str, limits: Limits) -> Table:
    """Check a table over time: rising times from 0."""
    where = f"{name} of {made.name}"
    rows = array_of(getattr(made, name), where)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < 2:
        raise Fault(where, f"shape {rows.shape}", "two or more pairs of a time and a value", "give the points")
    for value in rows[:, 1].tolist():
        limits.check(value, where)
    times = rows[:, 0].tolist()
    if times[0] != 0.0 or any(not after > before for before, after in pairwise(times)):
        raise Fault(f"times of {where}", times[0], "rising from 0", "put the points in order, the first at 0.0")
    return tuple((float(t), float(y)) for t, y in rows)
