"""A car with the automatic gearbox ZF 4HP22: parts, gearbox control, driver. `automatic_gearbox.py` drives it.

The gearbox has three planetary sets, seven shafts, six clutches and brakes and three freewheels (Pelchen, Schweiger &
Otter 2002, figures 14 and 18; which shafts they join follows from the ratios). The tooth numbers are inferred from the
published ratios. Engine, converter, car, driver and shift lines are those of a car of its class and nothing else.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import pi
from typing import Any, ClassVar

import numpy as np

import alegear as ag
from alegear.system.controllers import Sample

RPM, KMH = pi / 30.0, 1.0 / 3.6

#: Gear -> what is closed; F14 and F15 need no pressure (figure 14).
CLOSED = {
    "N": (),
    "1": ("C4", "C11"),
    "2": ("C4", "C6", "C7", "C11"),
    "3": ("C4", "C5", "C7", "C11"),
    "4": ("C4", "C5", "C7", "C12"),
    "R": ("C5", "C8", "C11"),
}
#: Ratios by hand: Willis' equation of p1 and p2 with a common sun, and of p3 with its sun held.
RATIOS = {"1": 2 + 35 / 73, "2": 1 + 35 / 73, "3": 1.0, "4": 91 / 125, "R": -73 / 35}
#: Torque that each holds under full pressure [N m]: what it takes at 250 N m of the engine in its gears, and half more.
CAPACITY = {"C4": 900.0, "C5": 900.0, "C6": 500.0, "C7": 500.0, "C8": 2500.0, "C11": 700.0, "C12": 700.0}
SHAFTS = {  # kg m2
    "input": 0.03,
    "driven": 0.01,
    "sun": 0.01,
    "front carrier": 0.01,
    "middle": 0.02,
    "rear sun": 0.005,
    "output": 0.02,
}
FACES = {"friction": 0.12, "effective_radius": 0.6}  # six faces at a mean radius of 0.1 m


def gearbox(pressure: Callable[[str], Any], efficiency: float | None = 0.975) -> list[Any]:
    """Return the parts from shaft "input" to shaft "output".

    Parameters
    ----------
    pressure : callable (name of a clutch) -> signal
    efficiency : float or None
        Of each planetary set with its carrier held; None: no losses.
    """

    def closed_by(name: str) -> dict[str, Any]:
        normal = CAPACITY[name] / (FACES["friction"] * FACES["effective_radius"])
        return {"name": name, "normal_force": normal, "signal": pressure(name), **FACES}

    sets = {"p1": ("sun", "front carrier", "middle"), "p2": ("sun", "middle", "driven")}
    sets["p3"] = ("rear sun", "middle", "output")
    teeth = {"p1": (35, 73), "p2": (35, 73), "p3": (34, 91)}
    return [
        *(ag.Rotor1D(name=name, inertia=inertia) for name, inertia in SHAFTS.items()),
        *(
            ag.PlanetaryGear(
                name=name,
                sun=sun,
                carrier=carrier,
                ring=ring,
                ratio=teeth[name][1] / teeth[name][0],
                stationary_efficiency=efficiency,
            )
            for name, (sun, carrier, ring) in sets.items()
        ),
        ag.Clutch(between=("input", "driven"), **closed_by("C4")),
        ag.Clutch(between=("input", "sun"), **closed_by("C5")),
        ag.Brake(at="sun", **closed_by("C6")),
        ag.Brake(at="sun", overrunning="forward", **closed_by("C7")),  # through F16
        ag.Brake(at="front carrier", **closed_by("C8")),
        ag.Clutch(between=("middle", "rear sun"), **closed_by("C11")),
        ag.Brake(at="rear sun", **closed_by("C12")),
        ag.Freewheel(name="F14", between=("rear sun", "middle")),
        ag.Freewheel(name="F15", between=("ground", "front carrier")),
    ]


# --- engine and converter ---------------------------------------------------------------------------------------------

SPEEDS = RPM * np.array([0.0, 600.0, 800.0, 1000.0, 1500.0, 2000.0, 3000.0, 4000.0, 5000.0, 6000.0, 6500.0])
FULL = np.array([60.0, 130.0, 155.0, 180.0, 215.0, 235.0, 255.0, 260.0, 245.0, 205.0, 100.0])
DRAG = np.array([60.0, 55.0, 35.0, 5.0, -16.0, -20.0, -26.0, -33.0, -41.0, -50.0, -55.0])  # positive: it idles
THROTTLES = np.array([0.0, 0.2, 0.4, 0.7, 1.0])


def engine_map() -> np.ndarray:
    """Return the torque over throttle and speed [N m]: the slower the engine, the sooner the throttle gives all."""
    gain = 2.0 / (0.3 + SPEEDS / (4000.0 * RPM))
    part = (1.0 - np.exp(-THROTTLES[:, None] * gain)) / (1.0 - np.exp(-gain))
    return DRAG + part * (FULL - DRAG)


K_0 = 4.7e-3  # N m s2/rad2: 250 N m at 2200 rpm with the turbine held
CONVERTER = np.array(
    [
        # speed ratio, capacity, torque ratio
        [0.0, K_0, 2.0],
        [0.2, K_0, 1.78],
        [0.4, 0.97 * K_0, 1.55],
        [0.6, 0.90 * K_0, 1.32],
        [0.8, 0.72 * K_0, 1.07],
        [0.86, 0.60 * K_0, 1.0],
        [0.92, 0.42 * K_0, 1.0],
        [1.0, 0.0, 1.0],
    ]
)

# --- control ----------------------------------------------------------------------------------------------------------


@dataclass
class Shifting:
    """What the gearbox control remembers."""

    gear: str
    since: float = -np.inf
    rising: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, eq=False)
class GearboxControl:
    """Gears by lines of speed over throttle, with hysteresis; pressures in two ramps.

    Parameters
    ----------
    up, down : mapping of str to (float, float) [m/s]
        Gear -> speed at which it is left for the next one, without throttle and what full throttle adds.
    radius, axle : float
        Speed of the car by that of the wheels; not used where only gears are held.
    pause : float [s]
        Least time between two shifts.
    release, bite, slip, lock : float
        Times [s] of falling pressure, of the first and of the second ramp, and the pressure between these.
    """

    up: ClassVar[dict[str, tuple[float, float]]] = {
        "1": (14 * KMH, 22 * KMH),
        "2": (27 * KMH, 38 * KMH),
        "3": (44 * KMH, 48 * KMH),
    }
    down: ClassVar[dict[str, tuple[float, float]]] = {
        "2": (9 * KMH, 12 * KMH),
        "3": (19 * KMH, 28 * KMH),
        "4": (34 * KMH, 40 * KMH),
    }
    radius: float
    pause: float = 1.2
    release: float = 0.15
    slip: float = 0.6
    lock: float = 0.2
    bite: float = 0.45

    def __call__(self, now: Sample, memory: Shifting) -> dict[str, Any]:
        """Shift, and go on with a shift."""
        if now.t - memory.since < self.pause:
            if memory.rising and now.t - memory.since >= self.slip - 1e-9:
                rising, memory.rising = memory.rising, []
                return {name: ag.Ramp(value=1.0, over=self.lock) for name in rising}
            return {}
        wanted = self.wanted(memory.gear, self.radius * now.speed["wheels"], now.inputs["throttle"])
        if wanted == memory.gear:
            return {}
        before, after = set(CLOSED[memory.gear]), set(CLOSED[wanted])
        memory.gear, memory.since, memory.rising = wanted, now.t, sorted(after - before)
        falling = {name: ag.Ramp(value=0.0, over=self.release) for name in sorted(before - after)}
        rising = {name: ag.Ramp(value=self.bite, over=self.slip) for name in memory.rising}
        return falling | rising | {"gear": ag.Ramp(value=float(wanted), over=0.0)}

    def wanted(self, gear: str, speed: float, throttle: float) -> str:
        """Return the gear for a speed [m/s] and a throttle."""
        for lines, step, passed in ((self.up, 1, speed.__gt__), (self.down, -1, speed.__lt__)):
            if gear in lines:
                without, more = lines[gear]
                if passed(without + more * throttle):
                    return str(int(gear) + step)
        return gear


@dataclass(frozen=True, kw_only=True, eq=False)
class Driver:
    """A proportional and integral controller of the speed of the car, with the pedals of a careful foot.

    Parameters
    ----------
    wish : shape (p, 2)
        Rows of time [s] and speed [m/s], straight lines.
    radius : float [m]
    interval : float [s]
    ahead : float [s]
        How far the driver looks ahead.
    proportional, integral, by_acceleration : float [s/m, 1/m, s2/m]
        Pedal (1 full throttle, -1 full brake) by what is missing of the speed, its integral and the acceleration
        that is wanted.
    """

    wish: np.ndarray
    radius: float
    interval: float = 0.05
    ahead: float = 0.5
    proportional: float = 0.25
    integral: float = 0.06
    by_acceleration: float = 0.18

    def __call__(self, now: Sample, memory: dict[str, float]) -> dict[str, float]:
        """Set both pedals."""
        speed = self.radius * now.speed["wheels"]
        soon, later = (float(np.interp(now.t + dt, *self.wish.T)) for dt in (0.0, self.ahead))
        if later < 0.1 and speed < 0.7:
            memory["sum"] = 0.0
            return {"throttle": 0.0, "brake": 0.3}
        missing = soon - speed
        total = memory.get("sum", 0.0)
        pedal = self.proportional * missing + total + self.by_acceleration * (later - soon) / self.ahead
        if abs(pedal) < 1.0 or pedal * missing < 0.0:  # at its end the integral waits
            memory["sum"] = total + self.integral * missing * self.interval
        return {"throttle": min(max(pedal, 0.0), 1.0), "brake": min(max(-pedal, 0.0), 1.0)}


# --- the car ----------------------------------------------------------------------------------------------------------

MASS, RADIUS, AXLE = 1700.0, 0.31, 3.45

#: Time [s] and speed [km/h].
URBAN = [[0, 0], [2, 0], [9, 32], [13, 32], [23, 62], [33, 62], [37, 72], [41, 72], [54, 0], [60, 0]]


def car(wish: Any = URBAN, first: str = "1") -> list[Any]:
    """Return the parts of the car and its driver; speeds in km/h."""
    table = np.array(wish, dtype=float) * [1.0, KMH]
    driver = Driver(wish=table, radius=RADIUS)
    control = GearboxControl(radius=RADIUS)
    pressures = {name: float(name in CLOSED[first]) for name in CAPACITY}
    idle = 800.0 * RPM
    return [
        ag.Rotor1D(name="engine", inertia=0.25, speed=idle),
        ag.TorqueMap(
            name="combustion",
            at="engine",
            throttle=ag.Input(name="throttle"),
            speeds=SPEEDS,
            throttles=THROTTLES,
            torque=engine_map(),
        ),
        ag.TorqueConverter(name="converter", pump="engine", turbine="input", table=CONVERTER),
        *gearbox(lambda name: ag.Input(name=name)),
        ag.Rotor1D(name="wheels", inertia=MASS * RADIUS**2 + 4.0),
        ag.RatioGear(name="axle", between=("output", "wheels"), ratio=AXLE, losses=0.97),
        ag.RoadLoad(name="road", at="wheels", mass=MASS, radius=RADIUS, rolling=0.012, drag_area=0.66),
        ag.Brake(name="brakes", at="wheels", normal_force=1.0e4, friction=0.4, signal=ag.Input(name="brake")),
        ag.Controller(
            name="driver",
            interval=driver.interval,
            reads=("wheels",),
            sets={"throttle": 0.0, "brake": 0.3},
            function=driver,
        ),
        ag.Controller(
            name="gearbox control",
            interval=0.05,
            reads=("wheels",),
            sets={"gear": float(first), **pressures},
            function=control,
            memory=lambda: Shifting(gear=first),
        ),
    ]


def drive(duration: float = 60.0, wish: Any = URBAN, *, output_every: float = 0.05, stiff: bool = False) -> ag.Result:
    """Drive the car. Nothing in it is stiff: shafts do not twist, and clutches that slip are friction, not dampers."""
    machine = ag.Machine("car with the automatic gearbox ZF 4HP22")
    for part in car(wish):
        machine.add(part.name, part)
    return machine.run(duration=duration, output_every=output_every, stiff=stiff, tolerance=1e-11)
