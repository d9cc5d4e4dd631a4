"""The gear shift of meshes/, as a file and from Python."""

from __future__ import annotations

from pathlib import Path

import alegear as ag

GEAR_SHIFT = Path(__file__).parents[1] / "meshes" / "gear_shift.toml"


def gear_shift() -> ag.Machine:
    """What meshes/gear_shift.toml says; the parts in another order, for no order counts."""
    m = ag.Machine("Gear shift")
    m.add("brake", ag.Brake(at="ring", normal_force=100.0, effective_radius=2.0, signal=[(2.0, 1.0), (2.1, 0.0)]))
    m.add(
        "clutch",
        ag.Clutch(
            between=("engine", "ring"), normal_force=100.0, effective_radius=2.0, signal=[(2.0, 0.0), (2.1, 1.0)]
        ),
    )
    m.add("drag", ag.Resistance(at="load", quadratic=0.18237813055620228))
    m.add("engine_torque", ag.TorqueSource(at="engine", torque=[(0.5, 0.0), (0.5, 20.0)]))
    m.add("set", ag.PlanetaryGear(sun="engine", ring="ring", carrier="load", ratio=1.5))
    m.add("engine", ag.Rotor1D(inertia=1.0))
    m.add("ring", ag.Rotor1D(inertia=0.0))
    m.add("load", ag.Rotor1D(inertia=10.0))
    return m
