"""Two shafts at a ratio of ten under 2 sin(2 pi t) N m on the first, by rigid teeth of three kinds in space.

With J_1 = 0.030237829 and J_2 = 0.483805269 kg m2, from rest,

    omega_2 = 20/(100 J_1 + J_2) (1 - cos 2 pi t)/(2 pi),    phi_2 = 20/(100 J_1 + J_2) (t - sin(2 pi t)/(2 pi))/(2 pi)

A scheme of second order changes the amplitude of a motion exp(i omega t) by (omega h)^2/12: steps follow from a bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.spatial import SpatialGear, SpatialMesh, mating_position
from alegear.system import Scales, SystemBuilder, SystemMotion
from alegear.system.model import SystemModel
from alegear.system.spatial import FloatingBody, PointLoad, revolute
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, State, integrate

Array = NDArray[np.float64]

INERTIAS = (0.030237829, 0.483805269)  # kg m2
RATIO, PEAK, OMEGA = 10.0, 2.0, 2.0 * math.pi  # N m, rad/s
STEP = 1e-3  # s: (omega h)^2/12 = 3.3e-6
REFERENCE = Path(__file__).resolve().parents[3] / "shared/reference/rotational/msl400_MB_GearConstraint.csv"
ORIGIN, X, Z = np.zeros(3), *np.eye(3)[[0, 2]]

CONE = math.atan(1.0 / RATIO)
LEAD = math.radians(8.0)
#: First gear, on the body "one", and second.
PAIRS = {
    "internal": (
        SpatialGear(name="pinion", body="one", teeth=20, normal_module=4e-3),
        SpatialGear(name="ring", body="two", teeth=200, normal_module=4e-3, internal=True),
    ),
    "bevel": (
        SpatialGear(name="pinion", body="one", teeth=20, normal_module=4e-3, cone_angle=-CONE),
        SpatialGear(name="wheel", body="two", teeth=200, normal_module=4e-3, cone_angle=0.5 * math.pi - CONE),
    ),
    "worm": (
        SpatialGear(name="worm", body="one", teeth=2, normal_module=4e-3, helix_angle=0.5 * math.pi - LEAD),
        SpatialGear(name="wheel", body="two", teeth=20, normal_module=4e-3, helix_angle=LEAD),
    ),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Motion:
    """Times [s] (n,), the roll of the second gear [rad] and its rate [rad/s], both counted beyond whole turns."""

    t: Array
    angle: Array
    speed: Array

    def off(self) -> tuple[float, float]:
        """Largest differences of angle and speed from the closed form, as parts of its largest values."""
        angle, speed = closed_form(self.t)
        return part_of(np.abs(self.angle), angle), part_of(np.abs(self.speed), speed)


def closed_form(t: Array) -> tuple[Array, Array]:
    """Angle and speed of the second shaft."""
    rate = PEAK * RATIO / (RATIO**2 * INERTIAS[0] + INERTIAS[1]) / OMEGA
    return rate * (t - np.sin(OMEGA * t) / OMEGA), rate * (1.0 - np.cos(OMEGA * t))


def part_of(values: Array, expected: Array) -> float:
    """Largest difference as a part of the largest value expected."""
    return float(np.abs(values - expected).max() / np.abs(expected).max())


def machine(kind: str) -> SystemModel:
    """Both bodies on hinges where their gears mesh, the load on the first."""
    first, second = PAIRS[kind]
    centre, axis = mating_position(first, second, X)
    builder = SystemBuilder(Scales(deflection=1e-6, force=10.0, radius=0.1))
    bodies = (("one", INERTIAS[0], ORIGIN, Z), ("two", INERTIAS[1], centre, axis))
    for name, inertia, point, direction in bodies:
        builder.add(FloatingBody(name=name, mass=1.0, inertia=(inertia,) * 3, position=point))
        builder.add(revolute(f"hinge {name}", ("ground", name), (point, ORIGIN), (direction, direction)))
    builder.add(SpatialMesh(name="mesh", gears=(first, replace(second, axis=axis))))
    builder.add(PointLoad(name="load", body="one", value=load))
    return builder.build()


def load(t: float) -> Array:
    """Force and torque on the first body, shape (6,)."""
    return np.concatenate([ORIGIN, PEAK * math.sin(OMEGA * t) * Z])


def move(kind: str, duration: float, step: float = STEP) -> Motion:
    """The motion from rest."""
    model = machine(kind)
    system = SystemMotion(model)
    state = system.begin(0.0, *model.start())
    roll = model.index("mesh roll of its second gear")
    rows = []

    def on_step(new: State) -> None:
        motion = system.motion(new)
        rows.append((new.t, motion.x[roll], motion.v[roll]))

    scheme, control = GeneralizedAlpha(rho_inf=0.9), FixedStep(h=step)
    integrate(system, state, duration, scheme=scheme, control=control, on_step=on_step)
    t, angle, speed = np.array(rows).T
    return Motion(t=t, angle=angle, speed=speed)


def from_file(motion: Motion) -> tuple[float, float]:
    """Largest differences of angle and speed from the file of another program, at its times that are steps."""
    every = np.genfromtxt(REFERENCE, delimiter=",", names=True, deletechars="")
    steps = np.round(every["time"] / motion.t[0]).astype(np.int64)
    there = (np.abs(steps * motion.t[0] - every["time"]) < 1e-9) & (steps > 0) & (steps <= len(motion.t))
    at = steps[there] - 1
    return (
        part_of(np.abs(motion.angle[at]), every["inertia2.phi"][there]),
        part_of(np.abs(motion.speed[at]), every["inertia2.w"][there]),
    )
