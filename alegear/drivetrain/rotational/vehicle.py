"""What is around the gearbox of a car: engine, torque converter, what the road resists with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.rotational.friction import FrictionOverSpeed
from alegear.drivetrain.rotational.places import relative
from alegear.drivetrain.rotational.profiles import SignalLike, TableLike, signal_of
from alegear.drivetrain.rotational.sources import Resistance
from alegear.drivetrain.rotational.torsional_element import TorsionalElement
from alegear.errors import Fault
from alegear.limits import Limits, array_of
from alegear.parameters import ANY, Columns, Grid, Numbers, OneOf, Words
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.machine_part import MachinePart, check_places
from alegear.system.ode_terms import cubic_numbers
from alegear.system.profiles import PiecewiseCubic, check_distances

#: Points of the speed ratio at which a converter is looked at for power that it would make.
POINTS = 2001
#: How many numbers axes of maps have.
AXIS = (2, 10_000)
STANDARD_GRAVITY = 9.80665  # m/s2, ISO 80000-3: roads are on the earth, as is the air whose density is the default


# ---------------------------------------------------------------------------------------------------------- engine
@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueMap(MachinePart):
    """An engine.

    Its torque is given over speed and throttle. Over the speed each row of the map is a monotone cubic, over the
    throttle the torque is linear from row to row; beyond the map it is constant. The row of throttle 0 has the drag,
    negative, and what keeps the engine idling. Its work counts as supplied, less what it takes where it drags.

    The throttle may also be a function of time, a signal or an input; beyond 0 to 1 it is the nearest row.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "torque_maps"
    is_load: ClassVar[bool] = True

    at: Annotated[str, Words("name of the rotor or shaft that it turns")]
    to: Annotated[str, Words("what carries it")] = GROUND
    throttle: Annotated[
        SignalLike,
        OneOf(
            Limits(quantity="throttle", words="throttle, 0 to 1", least=0.0, most=1.0),
            Columns(
                "s", "", words="pairs of a time in s and the throttle, in place of one; straight lines", most=10_000
            ),
        ),
    ]
    speeds: Annotated[
        ArrayLike, Numbers("speeds, rising,", Limits(quantity="speed", unit="rpm", least=-1e6, most=1e6), *AXIS)
    ]
    throttles: Annotated[ArrayLike, Numbers("throttles from 0 to 1, rising", ANY, *AXIS)]
    torque: Annotated[ArrayLike, Grid(words="a row of torques in N m for each throttle", each=replace(ANY, unit="N m"))]

    def __post_init__(self) -> None:
        super().__post_init__()
        speeds, throttles, torque = (
            array_of(getattr(self, one), f"{one} of {self.label}") for one in ("speeds", "throttles", "torque")
        )
        for what, axis in (("speeds", speeds), ("throttles", throttles)):
            if axis.ndim != 1 or len(axis) < 2 or not (np.diff(axis) > 0.0).all() or not np.isfinite(axis).all():
                limit = "two or more finite numbers that rise"
                raise Fault(f"{what} of {self.label}", axis.tolist(), limit, "put them in order, each once")
            check_distances(f"{what} of {self.label}", axis)
        if throttles[0] != 0.0 or throttles[-1] != 1.0:
            raise Fault(f"throttles of {self.label}", throttles.tolist(), "from 0 to 1", "give the drag, and full load")
        if torque.shape != (len(throttles), len(speeds)):
            limit = f"shape ({len(throttles)}, {len(speeds)}): a row for each throttle"
            raise Fault(f"torque of {self.label}", f"shape {torque.shape}", limit, "correct the table")
        if not np.isfinite(torque).all():
            raise Fault(f"torque of {self.label} [N m]", "not a number", "finite", "correct the number")
        rows = tuple(PiecewiseCubic.table(speeds.tolist(), row.tolist()) for row in torque)
        object.__setattr__(self, "_signal", signal_of(f"throttle of {self.label}", self.throttle))
        object.__setattr__(self, "_map", (throttles, rows))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        throttles, rows = self._map  # type: ignore[attr-defined]
        numbers = [float(len(throttles)), *throttles.tolist(), *(one for row in rows for one in cubic_numbers(row))]
        element = TorsionalElement(
            name=self.name,
            kind="torque map",
            numbers=numbers,
            rows=[relative(builder, self.name, (self.to, self.at))],
            signal=self._signal,  # type: ignore[attr-defined]
        )
        builder.element(element)


# ------------------------------------------------------------------------------------------------------- converter
@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueConverter(MachinePart):
    """A hydrodynamic torque converter.

    The pump drives the turbine, the stator reacts on the housing. With the speed ratio nu =
    omega_T/omega_P from 0 to 1 the torques are

        tau_P = k(nu) omega_P^2,   tau_T = mu(nu) tau_P

    Where the turbine runs ahead, 0 <= omega_P < omega_T, it drives the pump as a fluid coupling does, and where they
    turn against each other the torque grows with both,

        tau_P = tau_T = -k(omega_P/omega_T) omega_T^2
        tau_P = k(0) s,   tau_T = k(0) (s + (mu(0) - 1) omega_P^2),   s = omega_P^2 + omega_T^2

    which goes over into the others without a jump; with both signs changed, both torques change theirs.

    It must not make power: mu nu at most 1. Between the rows there are monotone cubics.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "converters"

    pump: Annotated[str, Words("name of the rotor or shaft of the pump")]
    turbine: Annotated[str, Words("name of the rotor or shaft of the turbine")]
    table: Annotated[TableLike, Grid(words="rows of speed ratio from 0 to 1, capacity in N m s2/rad2, torque ratio")]

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"table of converter {self.label}"
        rows = array_of(self.table, what)
        if rows.ndim != 2 or rows.shape[1] != 3 or len(rows) < 2:
            limit = "two or more rows of speed ratio, capacity, torque ratio"
            raise Fault(what, f"shape {rows.shape}", limit, "give the rows")
        if not np.isfinite(rows).all():
            raise Fault(what, "not a number", "finite numbers", "correct the number")
        nu, k, mu = rows.T
        if nu[0] != 0.0 or nu[-1] != 1.0 or not (np.diff(nu) > 0.0).all():
            raise Fault(
                f"speed ratios of converter {self.label}", nu.tolist(), "rising from 0 to 1", "correct the table"
            )
        check_distances(f"speed ratios of converter {self.label}", nu)
        if (k < 0.0).any() or k[-1] != 0.0 or not k[0] > 0.0:
            limit = "not negative, positive at speed ratio 0 and 0 at 1"
            raise Fault(f"capacities of converter {self.label} [N m s2/rad2]", k.tolist(), limit, "correct the table")
        if (mu < 0.0).any():
            raise Fault(f"torque ratios of converter {self.label}", mu.tolist(), "not negative", "correct the table")
        capacity, ratio = (PiecewiseCubic.table(nu.tolist(), of.tolist()) for of in (k, mu))
        between = np.linspace(0.0, 1.0, POINTS)
        efficiency = ratio.values(between) * between
        worst = int(np.argmax(efficiency))
        if efficiency[worst] > 1.0 + 1e-12:
            found = f"{efficiency[worst]:.4g} at speed ratio {between[worst]:.3g}"
            raise Fault(f"efficiency of converter {self.label}", found, "at most 1", "lower the torque ratio")
        object.__setattr__(self, "_curves", (capacity, ratio))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        at = [builder.rotation(place, self.name) for place in (self.pump, self.turbine)]
        capacity, ratio = self._curves  # type: ignore[attr-defined]
        numbers, rows = cubic_numbers(capacity) + cubic_numbers(ratio), [{index: 1.0} for index in at]
        builder.element(TorsionalElement(name=self.name, kind="converter", numbers=numbers, rows=rows))


# ------------------------------------------------------------------------------------------------------------ road
@dataclass(frozen=True, kw_only=True, eq=False)
class RoadLoad(MachinePart):
    """Rolling resistance, air and gradient of a car.

    On the rotor that represents the car, which turns as the wheels do: its inertia is at least m r^2. With the speed of
    the car r omega: rolling resistance f m g, friction that holds the car at rest; air c_d A rho/2 (r omega)^2 against
    the motion; gradient m g times the rise over the distance, as a load.

    The normal force is m g on any road (cos of a slope of 15 % is 0.99). The gradient may also be a function of time, a
    signal or an input.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "road_loads"
    is_load: ClassVar[bool] = True

    at: Annotated[str, Words("rotor that stands for the car and turns as its wheels do")]
    mass: Annotated[float, Limits(quantity="mass", unit="kg", least=0.0, most=1e9, above=True)]
    radius: Annotated[float, Limits(quantity="radius of the wheels", unit="mm", least=0.0, most=1e5, above=True)]
    rolling: Annotated[float, Limits(quantity="coefficient of rolling resistance", least=0.0, most=10.0)] = 0.01
    drag_area: Annotated[float, Limits(quantity="drag coefficient times area", unit="m2", least=0.0, most=1e4)] = 0.0
    air_density: Annotated[float, Limits(quantity="density of the air", unit="kg/m3", least=0.0, most=1e3)] = 1.2
    gradient: Annotated[
        SignalLike,
        OneOf(
            Limits(quantity="rise over distance", key="gradient", least=-10.0, most=10.0),
            Columns("s", "", words="pairs of a time in s and the rise over the distance; straight lines", most=10_000),
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_places(self.label, (GROUND, self.at), 2)
        signal = signal_of(f"gradient of {self.label}", self.gradient)
        if not self.rolling and not self.drag_area * self.air_density and self.gradient == 0.0:
            limit = "one of rolling, drag_area, gradient"
            raise Fault(f"road load {self.label}", 0, limit, "give one, or leave it out")
        object.__setattr__(self, "_signal", signal)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add friction, resistance and load, all under the name of the part."""
        wheel = relative(builder, self.name, (GROUND, self.at))
        weight = self.mass * STANDARD_GRAVITY * self.radius
        links = {one: f"{self.name} {one}" for one in ("rolling", "air", "gradient")}
        if self.rolling:
            bound = np.full(1, self.rolling * weight)
            law = FrictionOverSpeed(speeds=np.zeros(1), ahead=bound, back=bound)
            builder.switch(links["rolling"], rate=wheel, law=law)
        if self.drag_area * self.air_density:
            quadratic = 0.5 * self.air_density * self.drag_area * self.radius**3
            air = Resistance(name=links["air"], at=self.at, quadratic=quadratic)
            builder.element(air.element(wheel))
        if self.gradient != 0.0:
            signal = self._signal  # type: ignore[attr-defined]
            builder.load(links["gradient"], signal, {i: -weight * one for i, one in wheel.items()})
        builder.owns(self.name, *links.values())
