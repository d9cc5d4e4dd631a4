"""Losses of a gear as data: mesh efficiencies and bearing torques over speed, position and temperature.

A gear with ratio i has the torques tau_A, tau_B on its shafts, both positive into the gear, and loses the torque dtau:

    omega_A = i omega_B,        tau_B = i (-tau_A + dtau),        loss power = omega_A dtau >= 0
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from alegear.errors import Fault
from alegear.limits import array_of, check_kind, check_type, described
from alegear.short_repr import ShortRepr
from alegear.storage.column_file import read_columns
from alegear.system.coordinates import Array
from alegear.system.profiles import check_distances

COLUMNS = ("speed_rad_per_s", "eta_mf1", "eta_mf2", "tau_bf1_Nm", "tau_bf2_Nm")
QUANTITIES = (
    "speed [rad/s]",
    "mesh efficiency eta_mf1",
    "mesh efficiency eta_mf2",
    "bearing torque tau_bf1 [N m]",
    "bearing torque tau_bf2 [N m]",
)
NO_LOSS = ((0.0, 1.0, 1.0, 0.0, 0.0),)


class Losses(NamedTuple):
    """What a loss table says at a speed, or at many.

    Parameters
    ----------
    eta_1, eta_2 : float or array
        Mesh efficiencies where shaft A drives and where shaft B does, in (0, 1].
    tau_1, tau_2 : float or array [N m]
        Bearing torques, about shaft A, in these two cases: absolute values.
    """

    eta_1: Any
    eta_2: Any
    tau_1: Any
    tau_2: Any


class LossLine(NamedTuple):
    """A loss torque that is linear in tau_A: constant + slope tau_A.

    Parameters
    ----------
    constant : float [N m]
    slope : float
    """

    constant: float
    slope: float


class LossBranches(NamedTuple):
    """The loss torque in sliding of one direction.

    Parameters
    ----------
    driving, driven : LossLine
        While shaft A drives, and while it is driven.
    switch : float [N m]
        tau_A at which one takes over from the other; `driving` holds at it and beyond it in the direction of sliding.
    """

    driving: LossLine
    driven: LossLine
    switch: float


@dataclass(frozen=True, kw_only=True, eq=False)
class PositionFactor(ShortRepr):
    """A factor on all losses over the angle of shaft A, which comes again with a period.

    Between the angles it is linear, between the last and the first of the next period too.

    Parameters
    ----------
    angles : shape (n,) [rad]
        Rising, within one period: the last less than the first + `period`.
    factors : shape (n,)
        Not negative.
    period : float [rad]
        A turn by default; 2 pi/z for what every tooth does alike.

    Raises
    ------
    Fault

    Examples
    --------
    >>> from math import pi
    >>> eccentric = PositionFactor(angles=[0.0, pi], factors=[0.9, 1.1])
    >>> float(eccentric.at(2.5 * pi).round(12))
    1.0
    """

    angles: ArrayLike
    factors: ArrayLike
    period: float = 2.0 * math.pi

    def __post_init__(self) -> None:
        check_kind(self.period, "PositionFactor.period", (float, int))
        if not (math.isfinite(self.period) and self.period > 0.0):
            raise Fault("period of a position factor [rad]", self.period, "greater than 0", "correct period")
        for name in ("angles", "factors"):
            values = array_of(getattr(self, name), f"PositionFactor.{name}")
            if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
                found = f"shape {values.shape}" if values.ndim != 1 or not len(values) else "not finite"
                raise Fault(f"{name} of a position factor", found, "one or more numbers in a row", f"correct {name}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        angles, factors = np.asarray(self.angles), np.asarray(self.factors)
        if angles.shape != factors.shape:
            limit = f"{len(angles)}, one an angle"
            raise Fault("number of factors over the position", len(factors), limit, "give as many factors as angles")
        steps = np.diff(angles, append=angles[0] + self.period)
        if (steps <= 0.0).any():
            number = int(np.argmax(steps <= 0.0)) + 1  # of the one after the step
            value = float(angles[number % len(angles)] if number < len(angles) else angles[-1])
            limit = f"rising and less than {angles[0] + self.period:.6g}, where the period begins again"
            raise Fault("angle of a position factor [rad]", value, limit, "put the angles in order, each once")
        if (factors < 0.0).any():
            value = float(factors[np.argmax(factors < 0.0)])
            raise Fault("factor on losses over the position", value, "at least 0", "correct factors")

    def at(self, angle: ArrayLike) -> Array:
        """The factor at angles of any shape [rad]."""
        return np.interp(
            np.asarray(angle, dtype=np.float64), np.asarray(self.angles), np.asarray(self.factors), period=self.period
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class LossTable(ShortRepr):
    """Losses of a gear over the speed of its shaft A.

    Between the rows all values are linear in abs(omega_A), below the first and above the last they are constant: a
    line that goes on would leave (0, 1] with its efficiency, or turn losses into gains, at a speed that depends on the
    last two rows alone. The first row need not be at 0.

    Parameters
    ----------
    rows : shape (m, 5)
        abs(omega_A) [rad/s], rising; mesh efficiencies eta_mf1 (shaft A drives), eta_mf2 (shaft B drives), in (0, 1];
        bearing torques abs(tau_bf1), abs(tau_bf2) [N m], about shaft A, in the same two cases. By default no losses.
    position_factor : PositionFactor or None
        Scales 1 - eta and the bearing torques: ``eta' = 1 - factor (1 - eta)``, ``tau' = factor tau``.

    Raises
    ------
    Fault
        With the number of the row, counted from 1.

    Notes
    -----
    Source: Pelchen, Schweiger and Otter, 2nd Modelica Conference (2002), tables 1 and 2. Two things differ. The paper
    takes the driving shaft from the sign of tau_A; then the loss torque jumps by tau_bf1 - tau_bf2 at tau_A = 0, and a
    gear near it chatters. Here the two lines change where they meet (:meth:`branches`). And the paper lets positions
    change the mesh efficiencies only, not the bearing torques.

    Examples
    --------
    >>> table = LossTable(rows=[[0.0, 0.95, 0.94, 0.25, 0.5], [100.0, 0.97, 0.96, 0.75, 1.0]])
    >>> table.at(50.0)
    Losses(eta_1=0.96, eta_2=0.95, tau_1=0.5, tau_2=0.75)
    >>> round(table.loss_torque(50.0, 10.0), 12)
    0.9
    """

    rows: ArrayLike = NO_LOSS
    position_factor: PositionFactor | None = None

    def __post_init__(self) -> None:
        check_type(self, "position_factor", PositionFactor, optional=True)
        rows = _five_columns(self.rows)
        _check_rows(rows)
        rows.setflags(write=False)
        object.__setattr__(self, "rows", rows)
        if self.position_factor is not None:
            self._check_factor(self.position_factor)

    def _check_factor(self, position: PositionFactor) -> None:
        factor, worst = float(np.max(position.factors)), float(np.max(1.0 - self.values[:, 1:3]))
        if factor * worst >= 1.0:
            limit = f"less than {1.0 / worst:.6g}, with which the smallest efficiency {1.0 - worst:.6g} comes down to 0"
            raise Fault("factor on losses over the position", factor, limit, "reduce factors of position_factor")

    @property
    def values(self) -> Array:
        """The rows as an array (m, 5), not to be written to."""
        return np.asarray(self.rows)

    @classmethod
    def from_csv(cls, path: str | Path, position_factor: PositionFactor | None = None) -> LossTable:
        """Read a file with one row of the table a line (:mod:`alegear.storage.column_file`).

        Its columns are speed_rad_per_s, eta_mf1, eta_mf2, tau_bf1_Nm, tau_bf2_Nm.

        Raises
        ------
        Fault
        """
        return cls(rows=read_columns(Path(path), COLUMNS, "loss_table"), position_factor=position_factor)

    # ----------------------------------------------------------------- values
    def at(self, speed: ArrayLike, angle: ArrayLike | None = None) -> Losses:
        """Interpolate at speeds of shaft A, of any sign.

        Parameters
        ----------
        speed : float or array [rad/s]
        angle : float or array or None [rad]
            Of shaft A; needed with a position factor, and without effect, and refused, otherwise.

        Raises
        ------
        Fault
        """
        values = self.values
        speed = np.abs(speed)
        eta_1, eta_2, tau_1, tau_2 = (np.interp(speed, values[:, 0], values[:, column]) for column in range(1, 5))
        factor = self._factor(angle)
        if factor is not None:
            eta_1, eta_2 = 1.0 - factor * (1.0 - eta_1), 1.0 - factor * (1.0 - eta_2)
            tau_1, tau_2 = factor * tau_1, factor * tau_2
        return (
            Losses(eta_1, eta_2, tau_1, tau_2) if np.ndim(eta_1) else Losses(*map(float, (eta_1, eta_2, tau_1, tau_2)))
        )

    def _factor(self, angle: ArrayLike | None) -> Array | None:
        if (angle is None) != (self.position_factor is None):
            if angle is None:
                raise Fault("angle of shaft A [rad]", None, "given with a position factor", "give angle")
            limit = "left out: it has no effect without a position factor"
            raise Fault("angle of shaft A [rad]", described(angle), limit, "leave it out, or give position_factor")
        return None if self.position_factor is None or angle is None else self.position_factor.at(angle)

    def branches(self, speed: float, direction: int | None = None, angle: float | None = None) -> LossBranches:
        """Find the two straight lines of the loss torque in sliding.

        ::

            driving = direction tau_1 + (1 - eta_1) tau_A
            driven  = direction tau_2 + (1 - 1/eta_2) tau_A
            switch  = direction (tau_1 - tau_2)/(eta_1 - 1/eta_2)

        They meet at the switch, the slope of the first is not negative and that of the second not positive. So the loss
        torque is their larger one forwards, their smaller one backwards: continuous in tau_A, convex forwards, concave
        backwards, never against the direction. Without mesh friction (both efficiencies 1) they are parallel; the
        switch is at direction tau_1/2, where the loss torque jumps if tau_1 differs from tau_2.

        Parameters
        ----------
        speed : float [rad/s]
            Of shaft A.
        direction : 1 or -1 or None
            Of sliding; None: that of the speed. At rest: that in which it would begin.
        angle : float or None [rad]
            Of shaft A.

        Raises
        ------
        Fault
            At rest without a direction.

        Notes
        -----
        Source: table 1 of the paper, with the switch of LossyGear in the Modelica Standard Library since 3.2.
        """
        sign = _direction(speed, direction)
        eta_1, eta_2, tau_1, tau_2 = self.at(speed, angle)
        if eta_1 == 1.0 and eta_2 == 1.0:
            return LossBranches(LossLine(sign * tau_1, 0.0), LossLine(sign * tau_2, 0.0), 0.5 * sign * tau_1)
        driving, driven = LossLine(sign * tau_1, 1.0 - eta_1), LossLine(sign * tau_2, 1.0 - 1.0 / eta_2)
        return LossBranches(driving, driven, (driven.constant - driving.constant) / (driving.slope - driven.slope))

    def loss_torque(
        self, speed: float, tau_A: ArrayLike, direction: int | None = None, angle: float | None = None
    ) -> Array | float:
        """Find the loss torque in sliding, dtau of ``tau_B = i (-tau_A + dtau)``.

        ::

            forwards    dtau = max(tau_1 + (1 - eta_1) tau_A, tau_2 + (1 - 1/eta_2) tau_A)
            backwards   dtau = min(-tau_1 + (1 - eta_1) tau_A, -tau_2 + (1 - 1/eta_2) tau_A)

        Without mesh friction tau_1 or tau_2, on either side of the switch.

        Parameters
        ----------
        speed : float [rad/s]
            Of shaft A.
        tau_A : float or array [N m]
            Into the gear.
        direction : 1 or -1 or None
            Of sliding; None: that of the speed. At rest: the torque at which it begins.
        angle : float or None [rad]
            Of shaft A.

        Returns
        -------
        float or shape of tau_A [N m]
            With the sign of the speed.

        Raises
        ------
        Fault
            At rest without a direction.
        """
        sign = _direction(speed, direction)
        driving, driven, switch = self.branches(speed, sign, angle)
        tau = np.asarray(tau_A, dtype=np.float64)
        first, second = (line.constant + line.slope * tau for line in (driving, driven))
        if driving.slope == driven.slope:
            loss = np.where(sign * tau >= sign * switch, first, second)
        else:
            loss = sign * np.maximum(sign * first, sign * second)
        return loss if tau.ndim else float(loss)

    def driving_torque(
        self, speed: float, load: ArrayLike, direction: int | None = None, angle: float | None = None
    ) -> Array | float:
        """Find the torque on shaft A in sliding under a given load: the inverse of ``load = tau_A - dtau(tau_A)``.

        ::

            forwards    tau_A = max((load + tau_1)/eta_1, eta_2 (load + tau_2))
            backwards   tau_A = min((load - tau_1)/eta_1, eta_2 (load - tau_2))

        Without mesh friction load + tau_1 beyond the switch, load + tau_2 before it. Where both hold (tau_1 > tau_2),
        the first counts; where none does (tau_1 < tau_2), tau_A is that of the switch, inside the jump.

        Parameters
        ----------
        speed : float [rad/s]
            Of shaft A.
        load : float or array [N m]
            -tau_B/i: the load on shaft B, brought to shaft A.
        direction, angle
            As for :meth:`loss_torque`.

        Returns
        -------
        float or shape of load [N m]

        Raises
        ------
        Fault
            At rest without a direction.
        """
        sign = _direction(speed, direction)
        driving, driven, switch = self.branches(speed, sign, angle)
        given = np.asarray(load, dtype=np.float64)
        first, second = ((given + line.constant) / (1.0 - line.slope) for line in (driving, driven))
        if driving.slope == driven.slope:
            otherwise = np.where(sign * second < sign * switch, second, switch)
            tau = np.where(sign * first >= sign * switch, first, otherwise)
        else:
            tau = sign * np.maximum(sign * first, sign * second)
        return tau if given.ndim else float(tau)


@dataclass(frozen=True, kw_only=True, eq=False)
class LossMap(ShortRepr):
    """Loss tables of a gear at several temperatures.

    Between the temperatures all values are linear, at each speed; beyond the first and the last they are constant.

    Parameters
    ----------
    temperatures : shape (n,) [K]
        Rising. Only differences count: degrees Celsius do as well, if `temperature` has them, too.
    tables : tuple of LossTable
        One a temperature; their speeds need not be the same. Without position factors of their own.
    position_factor : PositionFactor or None
        For all temperatures.

    Raises
    ------
    Fault

    Examples
    --------
    >>> cold = LossTable(rows=[[0.0, 0.9, 0.9, 0.5, 0.5]])
    >>> warm = LossTable(rows=[[0.0, 0.95, 0.95, 0.25, 0.25]])
    >>> LossMap(temperatures=(293.0, 353.0), tables=(cold, warm)).at(10.0, temperature=323.0)
    Losses(eta_1=0.925, eta_2=0.925, tau_1=0.375, tau_2=0.375)
    """

    temperatures: ArrayLike
    tables: Sequence[LossTable]
    position_factor: PositionFactor | None = None

    def __post_init__(self) -> None:
        check_kind(self.tables, "LossMap.tables", (tuple, list))
        for number, table in enumerate(self.tables):
            check_kind(table, f"LossMap.tables[{number}]", LossTable)
            if table.position_factor is not None:
                limit = "left out of single tables: one holds for all temperatures"
                raise Fault(f"LossMap.tables[{number}].position_factor", "given", limit, "give it to the LossMap")
        temperatures = array_of(self.temperatures, "LossMap.temperatures")
        if temperatures.ndim != 1 or not len(temperatures) or len(temperatures) != len(self.tables):
            limit = f"shape ({len(self.tables)},), one a table, and one table at least"
            raise Fault("temperatures of a loss map", f"shape {temperatures.shape}", limit, "give one a table")
        if not np.isfinite(temperatures).all() or (np.diff(temperatures) <= 0.0).any():
            limit = "finite numbers, rising"
            raise Fault(
                "temperatures of a loss map", temperatures.tolist(), limit, "put the tables in order, each once"
            )
        check_distances("temperatures of a loss map", temperatures)
        temperatures.setflags(write=False)
        object.__setattr__(self, "temperatures", temperatures)
        object.__setattr__(self, "tables", tuple(self.tables))
        for table in self.tables:  # the factor goes with each of them, and so with what is between them
            LossTable(rows=table.rows, position_factor=self.position_factor)

    def table_at(self, temperature: float) -> LossTable:
        """Make the table of one temperature; its rows are at the speeds of both neighbouring tables.

        Raises
        ------
        Fault
            If the temperature is no finite number.
        """
        check_kind(temperature, "temperature", (float, int))
        if not math.isfinite(temperature):
            raise Fault("temperature of a loss map", temperature, "a finite number", "correct temperature")
        places = np.asarray(self.temperatures)
        after = int(np.clip(np.searchsorted(places, temperature), 1, max(len(places) - 1, 1)))
        neighbours = self.tables[after - 1 : after + 1]
        first, last = neighbours[0], neighbours[-1]
        weight = 0.0
        if last is not first:
            low, high = places[after - 1], places[after]
            weight = float(np.clip((temperature - low) / (high - low), 0.0, 1.0))
        speeds = np.unique(np.concatenate([first.values[:, 0], last.values[:, 0]]))
        cold, warm = (np.column_stack(table.at(speeds)) for table in (first, last))
        # one plus a part of the difference: what both have stays, to the last digit, and an efficiency of 1 is 1
        rows = np.column_stack([speeds, cold + weight * (warm - cold)])
        return LossTable(rows=rows, position_factor=self.position_factor)

    def at(self, speed: ArrayLike, angle: ArrayLike | None = None, *, temperature: float) -> Losses:
        """Interpolate at speeds of shaft A [rad/s], with a position factor at its angle [rad], at a temperature [K].

        Raises
        ------
        Fault
        """
        return self.table_at(temperature).at(speed, angle)


# ---------------------------------------------------------------------- checks
def _five_columns(rows: ArrayLike) -> Array:
    """The rows as an array; a row of another length is told by its number."""
    if isinstance(rows, Sequence) and not isinstance(rows, str):
        for number, row in enumerate(rows, start=1):
            if isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) and len(row) != 5:
                raise Fault(
                    f"length of row {number} of a loss table", len(row), f"5: {', '.join(COLUMNS)}", "correct it"
                )
    values = array_of(rows, "LossTable.rows")
    if values.ndim != 2 or values.shape[1] != 5 or not len(values):
        limit = f"(m, 5), m at least 1: {', '.join(COLUMNS)}"
        raise Fault("shape of a loss table", values.shape, limit, "give one row of five numbers a speed")
    return values


def _check_rows(rows: Array) -> None:
    """Refuse numbers out of their ranges, and speeds that do not rise."""
    for number, row in enumerate(rows, start=1):
        for quantity, value in zip(QUANTITIES, row.tolist(), strict=True):
            what, remedy = f"{quantity} in row {number} of a loss table", "correct this row"
            if not math.isfinite(value):
                raise Fault(what, value, "a finite number", remedy)
            if quantity.startswith("mesh") and not 0.0 < value <= 1.0:
                raise Fault(what, value, "greater than 0 and at most 1", remedy)
            if value < 0.0:
                remedy = "give absolute values: losses of negative speeds follow from those of positive ones"
                raise Fault(what, value, "at least 0", remedy)
    for number, (before, speed) in enumerate(pairwise(rows[:, 0].tolist()), start=2):
        if speed <= before:
            what, limit = (
                f"{QUANTITIES[0]} in row {number} of a loss table",
                f"greater than {before:.9g} of the row before",
            )
            raise Fault(what, speed, limit, "put the rows in order, each speed once")
    check_distances("speeds of a loss table", rows[:, 0])


def _direction(speed: float, direction: int | None) -> int:
    """The sign of sliding."""
    check_kind(speed, "speed of shaft A [rad/s]", (float, int, np.number))
    if math.isnan(speed):
        raise Fault("speed of shaft A [rad/s]", speed, "a number", "correct speed")
    if direction is None:
        if speed == 0.0:
            limit = "other than 0, or the direction given in which sliding would begin"
            raise Fault("speed of shaft A [rad/s]", speed, limit, "give direction = 1 or -1")
        return 1 if speed > 0.0 else -1
    if direction not in (1, -1):
        raise Fault("direction of sliding", described(direction), "1 or -1", "correct direction")
    if speed * direction < 0.0:
        raise Fault("direction of sliding", direction, f"that of the speed {speed:.6g} rad/s", "leave direction out")
    return direction
