"""Torques and speeds that are given, and torques that follow from speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.rotational import profiles
from alegear.drivetrain.rotational.places import REACTS_ON, relative
from alegear.drivetrain.rotational.profiles import SignalLike, Sine, TableLike
from alegear.drivetrain.rotational.torsional_element import TorsionalElement
from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_function
from alegear.parameters import Columns, OneOf, SubTable, Words
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array, Indices
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement
from alegear.system.machine_part import MachinePart, check_places
from alegear.system.ode_terms import cubic_numbers
from alegear.system.profiles import LARGEST, PiecewiseCubic, PrescribedRotation

TORQUE = Limits(quantity="torque", unit="N m", least=-1e12, most=1e12)
TORQUE_OVER_TIME = Columns(
    "s", "N m", key="torque_table_s_Nm", words="pairs of a time in s and the torque in N m; straight lines"
)
SPEED = Limits(quantity="speed", unit="rpm", least=-1e6, most=1e6)
SPEED_OVER_TIME = Columns(
    "s", "rpm", key="speed_table_s_rpm", words="pairs of a time in s and the speed in rpm; straight lines"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueSource(MachinePart):
    """A torque over time, positive about the axis.

    It may also be any function of time, and reacts on what carries it.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "torques"
    is_load: ClassVar[bool] = True

    at: Annotated[str, Words("name of the rotor or shaft that it turns")]
    to: Annotated[str, REACTS_ON] = GROUND
    torque: Annotated[
        SignalLike, OneOf(TORQUE, TORQUE_OVER_TIME, SubTable(Sine, "sine_Nm", "a sine over time, in N m"))
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_signal", profiles.signal_of(f"torque of {self.label}", self.torque))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the load."""
        builder.load(self.name, self._signal, relative(builder, self.name, (self.to, self.at)))  # type: ignore[attr-defined]


@dataclass(frozen=True, kw_only=True, eq=False)
class SpeedSource(MachinePart):
    """The speed of a body over time.

    It is prescribed, in straight lines without a jump; the torque follows.

    Raises
    ------
    Fault
        Also for a table in which the speed jumps.
    """

    TABLE: ClassVar[str] = "speeds"
    prescribes_motion: ClassVar[bool] = True

    at: Annotated[str, Words("name of the rotor or shaft that has this speed")]
    speed: Annotated[float | TableLike, OneOf(SPEED, SPEED_OVER_TIME)]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_signal", profiles.speed_lines(f"speed of {self.label}", self.speed))

    def add_to(self, builder: SystemBuilder) -> None:
        """Lead the place."""
        motion = PrescribedRotation(speed_ramp=self._signal)  # type: ignore[attr-defined]
        builder.prescribe(self.name, builder.rotation(self.at, self.name), motion)


@dataclass(frozen=True, kw_only=True, eq=False)
class Resistance(MachinePart):
    """A torque against the rotation that grows with the speed.

    ``c_1 omega + c_2 omega |omega|``, and a table over the speed by magnitude, odd in the speed, whose first point has
    speed and torque 0.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "resistances"
    is_load: ClassVar[bool] = True

    at: Annotated[str, Words("name of the rotor or shaft that it brakes")]
    to: Annotated[str, REACTS_ON] = GROUND
    linear: Annotated[float, Limits(quantity="torque over speed", unit="N m s/rad", least=0.0, most=1e12)] = 0.0
    quadratic: Annotated[
        float,
        Limits(
            quantity="torque over speed squared",
            unit="N m s2/rad2",
            least=0.0,
            most=1e12,
        ),
    ] = 0.0
    table: Annotated[
        TableLike | None,
        Columns(
            "rad/s",
            "N m",
            key="torque_rad_per_s_Nm",
            words="pairs of a speed in rad/s and the torque in N m, beside the others",
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        table = None
        if self.table is not None:
            what = f"torque over speed of {self.label}"
            table = profiles.straight_lines(what, self.table)
            if table.times[0] != 0.0 or table.value(0.0) != 0.0:
                limit = "torque 0 at speed 0: friction that sticks is a part of its own"
                raise Fault(f"first point of {what}", table.value(0.0), limit, "add a friction for the rest")
        if table is None and not self.linear and not self.quadratic:
            raise Fault(f"resistance {self.label}", 0, "one of linear, quadratic, table", "give one, or leave it out")
        object.__setattr__(self, "_over_speed", table)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        builder.element(self.element(relative(builder, self.name, (self.to, self.at))))

    def element(self, weights: dict[int, float]) -> TorsionalElement:
        """Its torque on a rotation by weights of coordinates; all that it takes is lost."""
        table: PiecewiseCubic | None = self._over_speed  # type: ignore[attr-defined]
        numbers = [self.linear, self.quadratic, *([0.0] if table is None else cubic_numbers(table))]
        return TorsionalElement(name=self.name, kind="resistance", numbers=numbers, rows=[weights])


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueFunction(MachinePart):
    """Torques on some bodies by any function of time, angles and speeds; from Python only.

    Parameters
    ----------
    name : str
    at : tuple of str
    function : callable (t, angles (m,), speeds (m,)) -> torques (m,) [N m]
        Smooth between events; without memory.

    Raises
    ------
    Fault
    """

    is_load: ClassVar[bool] = True

    at: tuple[str, ...]
    function: Callable[[float, Array, Array], ArrayLike]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "at", check_places(self.label, self.at, len(self.at)))
        check_function(self.function, f"function of {self.label}", ("t", "angles", "speeds"))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        at = np.array([builder.rotation(place, self.name) for place in self.at], dtype=np.int64)
        builder.element(TorqueFunctionElement(name=self.name, at=at, function=self.function))


class TorqueFunctionElement(StatelessElement):
    """A function of state as an element; what it gives counts as supplied."""

    def __init__(self, *, name: str, at: Indices, function: Callable[[float, Array, Array], ArrayLike]) -> None:
        self.name, self.coordinates, self.function = name, at, function

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Torques, and tangents by differences."""
        n = len(x)
        Q = self._torques(t, x, v)
        if not (np.abs(Q) <= LARGEST).all():  # nor not a number
            return self._refused(t, x, v, Q)
        by_x, by_v = np.empty((n, n)), np.empty((n, n))
        for j in range(n):
            for matrix, given, other in ((by_x, x, v), (by_v, v, x)):
                e = 1e-7 * (1.0 + abs(given[j]))
                moved = given.copy()
                moved[j] += e
                pair = (moved, other) if matrix is by_x else (other, moved)
                beside = self._torques(t, *pair)
                if not np.isfinite(beside).all():
                    return self._refused(t, *pair, beside)
                matrix[:, j] = (beside - Q) / e
        return ElementForces(Q=Q, by_x=by_x, by_v=by_v)

    def _refused(self, t: float, x: Array, v: Array, torques: Array) -> ElementForces:
        """Torques that are none: at the start a wrong input, after it a state that a shorter step may not come to."""
        returned, angles, speeds = (", ".join(f"{value:.6g}" for value in one.tolist()) for one in (torques, x, v))
        state = f"angles {angles} rad and speeds {speeds} rad/s"
        limit = f"numbers from -{LARGEST:g} to {LARGEST:g}"
        if t <= 0.0:
            what = f"torques [N m] of {self.name} at t = {t:.6g} s, {state}"
            raise Fault(what, returned, limit, "correct the function")
        reason = f"its function returns {returned} N m at {state}: must be {limit}; correct the function"
        return ElementForces.failed(len(x), reason)

    def _torques(self, t: float, x: Array, v: Array) -> Array:
        """What the function returns: a number for each place.

        Raises
        ------
        Fault, AnalysisFailure
            Where these are no such numbers: the one at the start, the other after it.
        """
        n = len(x)
        given = self.function(t, x, v)
        what = f"torques of {self.name} at t = {t:.6g} s"
        try:
            torques = array_of(given, what)
            if torques.size != n:
                limit = f"{n} {'numbers, one' if n > 1 else 'number,'} for each place"
                raise Fault(what, f"shape {torques.shape}", limit, "correct the function")
        except Fault as fault:
            raise profiles.at_time(t, fault) from fault
        return torques.reshape(n)

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """All of it is supplied."""
        return ElementEnergy(stored=0.0, supplied_power=float(forces.Q @ v))
