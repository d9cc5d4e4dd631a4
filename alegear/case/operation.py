"""Drive and load."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

from alegear.case.units import RPM
from alegear.errors import Fault
from alegear.limits import Limits, check_choice, check_numbers, described

LEAST = 1e-6
"""Smallest torque [N m] and speed [rpm] that are not 0."""
MOST_ROWS = 10_000  # of a table over time


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
