"""``[operation]``: drive and load."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np

from alegear.case.analysis import Analysis, ModalAnalysis, StaticAnalysis
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import MISSING, Finding, Findings, shown
from alegear.case.sweep import SweepAnalysis, SweepTable
from alegear.case.tables import CaseFile, Section, table_of
from alegear.contact.law import Friction
from alegear.errors import Fault
from alegear.limits import Limits, described
from alegear.parameters import Columns, Numbers, Words, check_parameters, limits_of, made_of
from alegear.short_repr import ShortRepr
from alegear.system.profiles import check_distances
from alegear.system.support import Support
from alegear.units import RPM

LEAST = 1e-6
"""Smallest torque [N m] and speed [rpm] that are not 0."""
MOST_ROWS = 10_000  # of a table over time
SAME = 1e-9  # relative: of a speed that is converted on two ways
_OF_TABLE: Any = None
TORQUE = Limits(quantity="torque on the pinion shaft", unit="N m", least=-1e12, most=1e12)
SPEED = Limits(quantity="speed of the pinion", unit="rpm", least=0.0, most=1e6)
GRAVITY = Limits(quantity="acceleration of gravity", key="gravity_m_s2", unit="m/s2", least=-1e4, most=1e4)
#: Times [s] and values.
OverTime = tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True)
class Operation(ShortRepr):
    """Drive and load.

    Parameters
    ----------
    driver : {"pinion", "wheel"}
    pinion_torque : float [N m]
        On the pinion shaft: positive loads the front flanks, negative the back flanks. Of a table the largest by
        magnitude, and left out with one.
    pinion_speed : float or None [rad/s]
        Speed of the pinion, positive, the largest of a table, and left out with one; None where none is given (static
        studies).
    speed_table : tuple of (float, float) or None [s, rad/s]
        Times from 0 on and speeds of the pinion; None: `pinion_speed`, ramped up.
    torque_table : tuple of (float, float) or None [s, N m]
        Times from 0 on and torques on the pinion shaft; None: `pinion_torque`, ramped up.
    gravity : tuple of three float [m/s2]
        Acts on gears with elastic supports.

    Raises
    ------
    Fault
        For a value out of its range or beside a table of which it is not the largest, times that do not rise from 0,
        and a table of torques that does not begin with 0 or the sign of its largest one: the run starts in equilibrium
        on the flanks that carry that one.
    """

    driver: Annotated[Literal["pinion", "wheel"], Words("driving gear")] = "pinion"
    pinion_torque: Annotated[float, TORQUE] = _OF_TABLE
    pinion_speed: Annotated[float | None, SPEED] = None
    speed_table: Annotated[
        OverTime | None,
        Columns(
            "s",
            "rpm",
            key="pinion_speed_table_s_rpm",
            words="pairs of a time in s and the speed of the pinion in rpm",
            least=2,
            most=MOST_ROWS,
            each=SPEED,
        ),
    ] = None
    torque_table: Annotated[
        OverTime | None,
        Columns(
            "s",
            "N m",
            key="pinion_torque_table_s_Nm",
            words="pairs of a time in s and the torque on the pinion shaft in N m",
            least=2,
            most=MOST_ROWS,
            each=TORQUE,
        ),
    ] = None
    gravity: Annotated[
        tuple[float, float, float],
        Numbers("acceleration of gravity [x, y, z] of gears on bearings", GRAVITY, 3, 3, key="gravity_m_s2"),
    ] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        speeds, torques = self._column("speed_table", "pinion_speed"), self._column("torque_table", "pinion_torque")
        self._lead("pinion_torque", torques)
        self._lead("pinion_speed", speeds)
        check_parameters(self)
        for name in limits_of(Operation):
            self._check_least(name)
        check_gravity(self.gravity, "Operation.gravity")
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

    @property
    def is_constant(self) -> bool:
        """Whether speed and torque are constant once they are reached."""
        return self.speed_table is None and self.torque_table is None

    def _lead(self, name: str, of_table: list[float]) -> None:
        """Take the largest value of a table where nothing is said, and refuse another one beside the table."""
        if not of_table:
            return
        largest, value, limits = max(of_table, key=abs), getattr(self, name), limits_of(Operation)[name]
        if value is None:
            object.__setattr__(self, name, largest)
            return
        limits.check(value, f"Operation.{name}")
        if not math.isclose(abs(value), abs(largest), rel_tol=SAME):
            limit = f"{largest / limits.factor:g}, the largest of the table over time"
            raise Fault(limits.name, value / limits.factor, limit, f"leave out {name} (None), or the table")

    def _check_least(self, name: str) -> None:
        limits, value = limits_of(Operation)[name], getattr(self, name) or 0.0
        if 0.0 < abs(value) / limits.factor < LEAST:
            limit = f"at least {LEAST:g} in magnitude"
            raise Fault(limits.name, value / limits.factor, limit, f"check the unit of {limits.key}, or give 0")

    def _column(self, table: str, of: str) -> list[float]:
        """Values of a table over time, checked; empty without one."""
        rows, limits = getattr(self, table), limits_of(Operation)[of]
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
        check_distances(where, np.array(times, dtype=float))
        return values


def check_gravity(value: Any, where: str) -> None:
    """Refuse what is no acceleration in space; `where` names it.

    Raises
    ------
    Fault
    """
    if not isinstance(value, tuple | list) or len(value) != 3:
        raise Fault(where, described(value), "three numbers (x, y, z)", "give all three")
    for one in value:
        GRAVITY.check(one, where)


class OperationTable(
    table_of(Operation, "driver", "pinion_torque", "torque_table", "pinion_speed", "speed_table", "gravity")  # type: ignore[misc]
):
    """``[operation]``: driver, torque, speed and weight."""


#: Key of a table over time -> key that it stands in place of.
_IN_PLACE_OF = {
    "pinion_speed_table_s_rpm": "pinion_speed_rpm",
    "pinion_torque_table_s_Nm": "pinion_torque_Nm",
}


def _read(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("operation")
    if table is None:
        return {}
    given, analysis = table.given, file.tables.get("analysis")
    others: dict[str, Any] = {}
    if isinstance(analysis, SweepTable):
        others["speed_table"] = tuple((t, rpm * RPM) for t, rpm in analysis.speeds)
        for key in ("pinion_speed_rpm", "pinion_speed_table_s_rpm"):
            if key in given:
                del given[key]
                value = file.shown_or_missing("operation", key)
                file.fault(f"operation.{key}", value, "excludes speed_from_rpm of a sweep", "leave it out")
    for key, other in _IN_PLACE_OF.items():
        if key in given and given.pop(other, None) is not None:
            file.fault(f"operation.{key}", shown(given[key][0]), f"excludes {other}", "leave out one of the two")
    if not {"pinion_torque_Nm", "pinion_torque_table_s_Nm"} & given.keys():
        words = OperationTable.model_fields["pinion_torque_Nm"].description
        file.fault("operation.pinion_torque_Nm", MISSING, "the key is needed", f"give the {words}")
        return {}
    with file.made_from_table("operation", OperationTable):
        return {"operation": made_of(Operation, given, file.path.parent, **others)}
    return {}


def _torque(operation: Operation, analysis: Analysis) -> Findings:
    if operation.pinion_torque == 0.0 and isinstance(analysis, StaticAnalysis | ModalAnalysis):
        yield Finding(
            "operation.pinion_torque_Nm",
            shown(operation.pinion_torque),
            f"must not be 0 in a {analysis.kind} analysis",
            "give the torque on the pinion shaft in N m, negative to load the back flanks",
        )


def _speed(operation: Operation, analysis: Analysis) -> Findings:
    if not isinstance(analysis, DynamicAnalysis):
        return
    if not operation.pinion_speed:
        yield Finding(
            "operation.pinion_speed_rpm",
            MISSING if operation.pinion_speed is None else shown(operation.pinion_speed),
            f"must be greater than 0 in a {analysis.kind} analysis",
            "give the speed of the pinion in rpm",
        )
    if isinstance(analysis, SweepAnalysis) and operation.speed_table is None:
        remedy = "give speed_from_rpm and speed_to_rpm"
        yield Finding("operation.speed_table", MISSING, "is needed in a sweep", remedy)


def _tables(operation: Operation, analysis: Analysis) -> Findings:
    swept = isinstance(analysis, SweepAnalysis)
    for key, table, of_sweep in (
        ("operation.pinion_speed_table_s_rpm", operation.speed_table, swept),
        ("operation.pinion_torque_table_s_Nm", operation.torque_table, False),
    ):
        if table is None or of_sweep:
            continue
        if not isinstance(analysis, DynamicAnalysis) or swept:
            limit = f"has no effect in a {analysis.kind} analysis"
            yield Finding(key, shown(list(table[0])), limit, "leave it out")
        elif table[-1][0] < analysis.duration:
            limit = f"must reach duration_s = {analysis.duration}"
            yield Finding(key, shown(list(table[-1])), limit, "add a point, or shorten duration_s")
    if isinstance(analysis, DynamicAnalysis) and analysis.ramp > 0.0 and operation.speed_table is not None:
        yield Finding("analysis.ramp_s", shown(analysis.ramp), "excludes pinion_speed_table_s_rpm", "leave it out")


def _sign_of_torque(operation: Operation, law: str) -> Findings:
    torques = [torque for _, torque in operation.torque_table or ((0.0, 0.0),)]
    if law == "penalty" and min(torques) * max(torques) < 0.0:
        limit = 'must not change its sign with law = "penalty", which knows the loaded flanks only'
        yield Finding("operation.pinion_torque_table_s_Nm", shown(min(torques)), limit, 'write law = "hertz"')


def _gravity(operation: Operation, supports: tuple[Support | None, Support | None]) -> Findings:
    if any(operation.gravity) and not any(support is not None for support in supports):
        remedy = 'leave it out, or write kind = "bearing"'
        value = shown(list(operation.gravity))
        yield Finding("operation.gravity_m_s2", value, "has no effect on gears on fixed axes", remedy)


def _friction(friction: Friction, operation: Operation) -> Findings:
    if friction.kind == "velocity" and not operation.pinion_speed:
        yield Finding(
            "operation.pinion_speed_rpm",
            MISSING if operation.pinion_speed is None else shown(operation.pinion_speed),
            'friction = "velocity" needs a speed greater than 0',
            "give the speed of the pinion in rpm",
        )


SECTION = Section(
    tables={"operation": OperationTable},
    fields=("operation",),
    required=True,
    read=_read,
    rules=(_torque, _speed, _tables, _sign_of_torque, _gravity, _friction),
)
