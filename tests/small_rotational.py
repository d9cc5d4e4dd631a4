"""The gear shift of meshes/, as a file and from Python."""

from __future__ import annotations

from pathlib import Path

import alegear as ag

GEAR_SHIFT = Path(__file__).parents[1] / "meshes" / "gear_shift.toml"


def gear_shift() -> ag.Machine:
    """What meshes/gear_shift.toml says; the parts in another order, for no order counts."""
    m = ag.Machine("Gear shift")
    m.brake("brake", "ring", normal_force=100.0, geometry_factor=2.0, signal=[(2.0, 1.0), (2.1, 0.0)])
    m.clutch("clutch", "engine", "ring", normal_force=100.0, geometry_factor=2.0, signal=[(2.0, 0.0), (2.1, 1.0)])
    m.resistance("drag", "load", quadratic=0.18237813055620228)
    m.torque("engine_torque", "engine", torque=[(0.5, 0.0), (0.5, 20.0)])
    m.planetary_ratio("set", sun="engine", ring="ring", carrier="load", ratio=1.5)
    m.rotor("engine", inertia=1.0)
    m.rotor("ring", inertia=0.0)
    m.rotor("load", inertia=10.0)
    return m
