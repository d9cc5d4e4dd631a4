"""What a case asks for, in SI units: drive and load, the analysis and its settings, the output."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

from alegear.dynamics.generalized_alpha import SCHEMES
from alegear.errors import Fault
from alegear.limits import Limits, bound_in_words, bound_passed, check_choice, check_numbers, check_type, described

RPM = 2.0 * math.pi / 60.0  # in rad/s
MOST_POSITIONS = 100_000
MOST_STEPS = 10_000_000
LEAST = 1e-6
"""Smallest torque [N m] and speed [rpm] that are not 0."""
MOST_ROWS = 10_000  # of a table over time

_SECONDS: dict[str, Any] = {"unit": "s", "least": 1e-12, "most": 1e6}
_THRESHOLD = Limits(
    quantity="phase of the tooth-change", key="tooth_change_threshold", least=-1.0, most=1.0, optional=True
)


@dataclass(frozen=True, kw_only=True)
class Operation:
    """Drive and load.

    Parameters
    ----------
    driver : {"pinion", "wheel"}
    pinion_torque : float [N m]
        On the pinion shaft: positive loads the front flanks, negative the back flanks. Of a table the largest by
        magnitude.
    pinion_speed : float or None [rad/s]
        Speed of the pinion, positive, the largest of a table; None where none is given (static studies).
    speed_table : tuple of (float, float) or None [s, rad/s]
        Times from 0 on and speeds of the pinion; None: `pinion_speed`, ramped up.
    torque_table : tuple of (float, float) or None [s, N m]
        Times from 0 on and torques on the pinion shaft; None: `pinion_torque`, ramped up.
    gravity : tuple of three float [m/s2]
        On gears with supports that give way.

    Raises
    ------
    Fault
        For a value out of its range, times that do not rise from 0, and a table of torques that does not begin with 0
        or the sign of its largest one: the run starts in equilibrium on the flanks that carry that one.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "pinion_torque": Limits(
            quantity="torque on the pinion shaft", key="pinion_torque_Nm", unit="N m", least=-1e12, most=1e12
        ),
        "pinion_speed": Limits(
            quantity="speed of the pinion",
            key="pinion_speed_rpm",
            unit="rpm",
            factor=RPM,
            least=0.0,
            most=1e6,
            optional=True,
        ),
    }
    GRAVITY: ClassVar[Limits] = Limits(
        quantity="acceleration of gravity", key="gravity_m_s2", unit="m/s2", least=-1e4, most=1e4
    )

    driver: Literal["pinion", "wheel"] = "pinion"
    pinion_torque: float
    pinion_speed: float | None = None
    speed_table: tuple[tuple[float, float], ...] | None = None
    torque_table: tuple[tuple[float, float], ...] | None = None
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_choice(self, "driver", ("pinion", "wheel"))
        check_numbers(self)
        for name in self.LIMITS:
            self._check_least(name)
        self._check_gravity()
        speeds, torques = self._column("speed_table", "pinion_speed"), self._column("torque_table", "pinion_torque")
        if torques and torques[0] * max(torques, key=abs) < 0.0:
            raise Fault(
                "first torque of pinion_torque_table_s_Nm",
                torques[0],
                f"0 or of the sign of the largest torque, {max(torques, key=abs):g}",
                "put a point with torque 0.0 first",
            )
        if speeds and not max(speeds) > 0.0:
            limit = "greater than 0 at some time"
            raise Fault("speed in pinion_speed_table_s_rpm", max(speeds), limit, "give the speed of the pinion in rpm")

    def _check_least(self, name: str) -> None:
        limits, value = self.LIMITS[name], getattr(self, name) or 0.0
        if 0.0 < abs(value) / limits.factor < LEAST:
            limit = f"at least {LEAST:g} in magnitude"
            raise Fault(limits.name, value / limits.factor, limit, f"check the unit of {limits.key}, or give 0")

    def _check_gravity(self) -> None:
        if not isinstance(self.gravity, tuple | list) or len(self.gravity) != 3:
            raise Fault("Operation.gravity", described(self.gravity), "three numbers (x, y, z)", "give all three")
        for value in self.gravity:
            self.GRAVITY.check(value, "Operation.gravity")

    def _column(self, table: str, of: str) -> list[float]:
        """Values of a table over time, checked; empty without one."""
        rows, limits = getattr(self, table), self.LIMITS[of]
        if rows is None:
            return []
        where = f"Operation.{table}"
        if not isinstance(rows, tuple | list) or not 2 <= len(rows) <= MOST_ROWS:
            raise Fault(where, described(rows), f"2 to {MOST_ROWS} pairs of a time and a value", "give the points")
        for row in rows:
            if not isinstance(row, tuple | list) or len(row) != 2:
                raise Fault(where, described(row), "pairs of a time and a value", "give both")
            Limits(quantity="time", key=where, unit="s").check(row[0], where)
            limits.check(row[1], where)
        times, values = [row[0] for row in rows], [float(row[1]) for row in rows]
        if times[0] != 0.0 or any(b <= a for a, b in pairwise(times)):
            unit = "s_rpm" if table == "speed_table" else "s_Nm"
            quantity = f"times of pinion_{table}_{unit}"
            raise Fault(quantity, times[0], "rising from 0", "put the points in order, the first at 0.0")
        return values


@dataclass(frozen=True, kw_only=True)
class StaticAnalysis:
    """Positions of the driven gear under constant torque.

    Parameters
    ----------
    positions_per_pitch, pitches : int
    tooth_change_threshold : float or None [1]
        Phase modulo 1 of the tooth-change; None: chosen from the computed loads.
    grid_estimate : bool
        Whether a second, coarser grid tells how far the peak-to-peak transmission error depends on the grid.

    Raises
    ------
    Fault
        For a value out of its range, and more than :data:`MOST_POSITIONS` positions.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "positions_per_pitch": Limits(
            quantity="positions in a pitch", key="positions_per_pitch", least=1, most=MOST_POSITIONS, whole=True
        ),
        "pitches": Limits(quantity="number of pitches", key="pitches", least=1, most=10000, whole=True),
        "tooth_change_threshold": _THRESHOLD,
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


@dataclass(frozen=True, kw_only=True)
class DynamicAnalysis:
    """Motion in time: the driver's speed is prescribed, the driven gear carries the torque.

    Parameters
    ----------
    duration, ramp : float [s]
        A ramp of 0 starts at speed under the static load.
    tolerance : float [1]
        Relative error of a step; without effect with a fixed step.
    time_step : float or None [s]
        Fixed step; None: chosen from the tolerance.
    method : {"generalized-alpha", "hht", "backward-euler"}
    rho_inf : float [1]
        Spectral radius at infinite frequency; without effect on backward Euler.
    mesh_damping_ratio : float [1]
        Damping ratio of the pair's first mode.
    output_every : float [s]
    tooth_change_threshold : float or None [1]
    normal_modes : int
        Of each wheel, with their inertia; 0 drops the elastic inertia.
    modal_damping_ratio : float [1]
        Of each of them.

    Raises
    ------
    Fault
        For a value out of its range, spacings longer than the duration, and too many steps or samples.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "duration": Limits(quantity="duration", key="duration_s", **_SECONDS),
        "ramp": Limits(quantity="duration of the run-up", key="ramp_s", unit="s", least=0.0, most=1e6),
        "tolerance": Limits(quantity="relative error of a step", key="tolerance", least=1e-12, most=0.1),
        "time_step": Limits(quantity="fixed time step", key="time_step_s", optional=True, **_SECONDS),
        "rho_inf": Limits(quantity="spectral radius at infinity", key="rho_inf", least=0.0, most=1.0),
        "mesh_damping_ratio": Limits(
            quantity="damping ratio of the mesh", key="mesh_damping_ratio", least=0.0, most=1e3
        ),
        "output_every": Limits(quantity="spacing of the output", key="output_every_s", **_SECONDS),
        "tooth_change_threshold": _THRESHOLD,
        "normal_modes": Limits(
            quantity="normal modes of each wheel", key="normal_modes", least=0, most=400, whole=True
        ),
        "modal_damping_ratio": Limits(
            quantity="damping ratio of each normal mode", key="modal_damping_ratio", least=0.0, most=1.0, below=True
        ),
    }
    kind: ClassVar[str] = "dynamic"
    duration: float
    ramp: float = 0.0
    tolerance: float = 1e-4
    time_step: float | None = None
    method: Literal["generalized-alpha", "hht", "backward-euler"] = "generalized-alpha"
    rho_inf: float = 0.8
    mesh_damping_ratio: float = 0.02
    output_every: float = 2e-5
    tooth_change_threshold: float | None = None
    normal_modes: int = 0
    modal_damping_ratio: float = 0.01

    def __post_init__(self) -> None:
        check_choice(self, "method", tuple(SCHEMES))
        check_numbers(self)
        least = SCHEMES[self.method].LEAST_RADIUS
        if self.method != "backward-euler" and self.rho_inf < least:
            limit = f'{bound_in_words("ge", least)} with method = "{self.method}"'
            raise Fault("rho_inf", self.rho_inf, limit, 'use 0.8, or method = "generalized-alpha"')
        for name in ("ramp", "output_every", "time_step"):
            value, limits = getattr(self, name), self.LIMITS[name]
            if value is not None and bound_passed("le", value, self.duration):
                raise Fault(limits.name, value, f"at most duration_s = {self.duration:g}", f"shorten {limits.key}")
        for name in ("output_every", "time_step"):
            value, key = getattr(self, name), self.LIMITS[name].key
            if value is not None and self.duration > MOST_STEPS * value:
                raise Fault(
                    f"number of steps {key} in duration_s",
                    f"{self.duration / value:.4g}",
                    f"at most {MOST_STEPS}",
                    f"increase {key} or shorten duration_s",
                )


@dataclass(frozen=True, kw_only=True)
class SweepAnalysis(DynamicAnalysis):
    """A motion over a range of speeds, of which statistics over stretches of whole pitches are kept.

    Parameters
    ----------
    turn : float or None [s]
        Time at which the speed goes back; None: it does not.
    settling : float [s]
        What is left out at the beginning.
    pitches : int
        Of a stretch.

    Raises
    ------
    Fault
        As `DynamicAnalysis`, and for a turn or a settling that is not in the motion.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        **DynamicAnalysis.LIMITS,
        "turn": Limits(quantity="time of the turn", key="turn", optional=True, **_SECONDS),
        "settling": Limits(quantity="time left out at the beginning", key="settling_s", unit="s", least=0.0, most=1e6),
        "pitches": Limits(
            quantity="pitches that make a point", key="pitches_per_point", least=2, most=10000, whole=True
        ),
    }
    kind: ClassVar[str] = "sweep"
    turn: float | None = None
    settling: float = 0.0
    pitches: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.turn is not None and not self.turn < self.duration:
            raise Fault("time of the turn [s]", self.turn, f"below the duration {self.duration:g}", "correct turn")
        one_way = self.duration if self.turn is None else self.turn
        if bound_passed("le", self.settling, one_way):
            limit = f"at most duration_s = {one_way:g}, of one way"
            raise Fault(self.LIMITS["settling"].name, self.settling, limit, "shorten settling_s")


@dataclass(frozen=True, kw_only=True)
class ModalAnalysis:
    """Natural vibrations of both wheels and of the loaded pair.

    Parameters
    ----------
    n_modes : int
        Modes of each wheel that are listed, with the bore held and free, and of the pair.
    normal_modes : int
        Normal modes of each wheel that vibrate in the pair; 0: wheels without elastic inertia.
    phase : float or None [pitches]
        Position of the driven gear at which the pair is linearised; None: the mean over a pitch.

    Raises
    ------
    Fault
        For a value out of its range.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "n_modes": Limits(quantity="number of modes", key="n_modes", least=1, most=200, whole=True),
        "normal_modes": Limits(
            quantity="normal modes of each wheel that vibrate in the pair",
            key="normal_modes",
            least=0,
            most=200,
            whole=True,
        ),
        "phase": Limits(
            quantity="position of the driven gear in pitches", key="phase", least=-0.5, most=0.5, optional=True
        ),
    }
    kind: ClassVar[str] = "modal"
    n_modes: int = 10
    normal_modes: int = 0
    phase: float | None = None

    def __post_init__(self) -> None:
        check_numbers(self)


@dataclass(frozen=True, kw_only=True)
class OutputPoint:
    """A point of the teeth of a gear whose stress and motion are recorded.

    Parameters
    ----------
    name : str
    gear : int
        0 pinion, 1 wheel.
    side : {"front", "back"}
        Of the tooth; positive torque loads the front flanks.
    fillet_share : float or None
        Place in the root fillet: 0 in the middle of the tooth space, 1 at the root form circle.
    radius : float or None [m]
        In place of it, in the fillet above the root circle or on the flank.
    face_position : float [m]
        Along the axis from mid-face.
    teeth : tuple of int or None
        Teeth on which; None: all. Tooth i is in the pairs i, i + z, ...

    Raises
    ------
    Fault
        For a value out of its range, and unless one of `fillet_share` and `radius` says the place.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "gear": Limits(quantity="gear of the point", key="gear", least=0, most=1, whole=True),
        "fillet_share": Limits(quantity="place in the fillet", key="fillet_share", least=0.0, most=1.0, optional=True),
        "radius": Limits(
            quantity="diameter of the point",
            key="diameter_mm",
            unit="mm",
            factor=0.5e-3,
            least=0.01,
            most=1e5,
            optional=True,
        ),
        "face_position": Limits(
            quantity="place along the axis", key="face_position_mm", unit="mm", factor=1e-3, least=-1e5, most=1e5
        ),
    }

    name: str
    gear: int
    side: Literal["front", "back"] = "front"
    fillet_share: float | None = None
    radius: float | None = None
    face_position: float = 0.0
    teeth: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_choice(self, "side", ("front", "back"))
        check_numbers(self)
        if (self.fillet_share is None) == (self.radius is None):
            limit = "in one of fillet_share and diameter_mm"
            raise Fault(f"place of the point {self.name!r}", "in none or both", limit, "give one of the two")
        if self.teeth is not None:
            check_type(self, "teeth", (tuple, list))
            for tooth in self.teeth:
                Limits(quantity="tooth", key="teeth", least=0, whole=True).check(tooth, "OutputPoint.teeth")


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """What is written beside the curves.

    Parameters
    ----------
    fields, plots : bool
    field_times : tuple of float or None [s]
        Times of the fields of a dynamic study; None: twenty, evenly spread.
    checkpoint_every : float or None [s]
        Wall time between the checkpoints of a dynamic study; None: no checkpoints.
    points : tuple of OutputPoint
        Whose histories of stress and motion are recorded.

    Raises
    ------
    Fault
        For a value out of its range, and names of points given twice.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "checkpoint_every": Limits(
            quantity="wall time between checkpoints",
            key="checkpoint_every_s",
            unit="s",
            least=0.0,
            most=1e6,
            optional=True,
        ),
    }
    TIME: ClassVar[Limits] = Limits(quantity="time of a field", key="field_times_s", unit="s", least=0.0)
    MOST_POINTS: ClassVar[int] = 100

    fields: bool = True
    field_times: tuple[float, ...] | None = None
    plots: bool = True
    checkpoint_every: float | None = 60.0
    points: tuple[OutputPoint, ...] = ()

    def __post_init__(self) -> None:
        check_type(self, "fields", bool)
        check_type(self, "plots", bool)
        check_numbers(self)
        check_type(self, "field_times", (tuple, list), optional=True)
        for time in self.field_times or ():
            self.TIME.check(time, "OutputOptions.field_times")
        if self.field_times is not None and not self.fields:
            raise Fault("field_times_s", "given", "left out with fields = false", "leave out one of the two")
        check_type(self, "points", (tuple, list))
        if len(self.points) > self.MOST_POINTS:
            raise Fault("number of points", len(self.points), f"at most {self.MOST_POINTS}", "give fewer points")
        for number, point in enumerate(self.points):
            if not isinstance(point, OutputPoint):
                raise Fault(f"OutputOptions.points[{number}]", described(point), "an OutputPoint", "give one")
            if point.name in [other.name for other in self.points[:number]]:
                raise Fault(f"points[{number}].name", point.name, "that of no other point", "choose another name")
