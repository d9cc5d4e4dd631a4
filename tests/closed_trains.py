"""A train whose meshes close a path, and where its idlers stand so that teeth miss each other by part of a pitch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import brentq
from small_machines import COARSE, distance, gear

from alegear.drivetrain.gear_mesh import GearMesh, MeshLaw
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Shaft

TEETH = {"sun": 20, "a": 20, "b": 20, "out": 60}
MESHES = (("sun", "a"), ("sun", "b"), ("a", "out"), ("b", "out"))


def closed_parts(half: float, order: tuple[int, ...], law: MeshLaw) -> dict[str, Any]:
    """A sun 20, two idlers 20 at -half and +half along x, and a gear 60 below: mirrored about x = 0."""
    a, b = distance(20, 20), distance(20, 60)
    at = {
        "sun": (0.0, math.sqrt(a * a - half * half), 0.0),
        "a": (-half, 0.0, 0.0),
        "b": (half, 0.0, 0.0),
        "out": (0.0, -math.sqrt(b * b - half * half), 0.0),
    }
    return {
        "shafts": tuple(Shaft(name=name, fixed_axis=True, position=position) for name, position in at.items()),
        "gears": tuple(
            ShaftGear(name=f"g_{name}", shaft=name, at=0.0, gear=gear(z), grid_options=COARSE)
            for name, z in TEETH.items()
        ),
        "meshes": tuple(
            GearMesh(name=f"m{i}", gears=(f"g_{MESHES[i][0]}", f"g_{MESHES[i][1]}"), law=law) for i in order
        ),
        "drives": (Drive(name="motor", shaft="sun", speed=1.0),),
        "loads": (TorqueLoad(name="load", shaft="out", torque=600.0),),
    }


def misses(half: float) -> float:
    """Pitches by which the gear 60 of that train differs, seen over idler a and over idler b.

    Where a line of centres has the angle theta, teeth of gears 1 and 2 mesh if (alpha_1 - theta) z_1 and
    (theta + pi - alpha_2) z_2 differ by a constant and by whole turns: the number of teeth is all that remains.
    """
    a, b = distance(20, 20), distance(20, 60)
    above, below = math.asin(half / a), math.asin(half / b)  # of the lines of centres against the y axis
    towards = {
        "a": (-0.5 * math.pi - above, -0.5 * math.pi + below),
        "b": (-0.5 * math.pi + above, -0.5 * math.pi - below),
    }
    pitches = {name: (out * (60 + 20) - sun * (20 + 20)) / (2.0 * math.pi) for name, (sun, out) in towards.items()}
    return math.remainder(pitches["a"] - pitches["b"], 1.0)


def half_that_misses(by: float) -> float:
    """Place of the idlers near 37 mm at which the gear 60 is missed by a part of a pitch."""
    return float(brentq(lambda half: math.remainder(misses(half) - by, 1.0), *bracket(by), xtol=1e-15))


def bracket(by: float) -> tuple[float, float]:
    halves = np.linspace(34e-3, 39.5e-3, 400)
    off = np.array([math.remainder(misses(half) - by, 1.0) for half in halves])
    i = next(i for i in range(len(off) - 1) if off[i] * off[i + 1] <= 0.0 and abs(off[i]) < 0.25)
    return float(halves[i]), float(halves[i + 1])
