"""Machines of shafts on bearings and torsional parts, without any teeth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from small_machines import solved

import alegear as ag
from alegear.case.analysis import MachineStatic
from alegear.case.machine import MachineCase
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.parts import Drive, TorqueLoad
from alegear.drivetrain.rotational.springs import Spring
from alegear.drivetrain.shaft import Shaft
from alegear.errors import Fault
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.system.bodies import Rotor1D


def without_meshes(analysis, **changes) -> MachineCase:
    """A shaft on bearings that drives a body on a spring; nothing has teeth."""
    fields = {
        "shafts": (Shaft(name="s", sections=[[0.2, 0.03, 0.0]], highest_mode=None),),
        "bearings": (
            Bearing(name="a", shaft="s", at=0.02, stiffness=(1e8, 1e8, 1e8), damping=(1e3, 1e3, 1e3)),
            Bearing(name="b", shaft="s", at=0.18, stiffness=(1e8, 1e8, 0.0), damping=(1e3, 1e3, 0.0)),
        ),
        "drives": (Drive(name="motor", shaft="s", speed=100.0),),
        "loads": (TorqueLoad(name="machine", shaft="s", at=0.2, torque=5.0),),
        "parts": (
            Rotor1D(name="body", inertia=1e-2, speed=100.0),
            Spring(name="spring", between=("s", "body"), stiffness=1e3, damping=0.1),
        ),
        "analysis": analysis,
        "gravity": (0.0, -9.81, 0.0),
    }
    return MachineCase(**{**fields, **changes})


def test_a_machine_without_meshes_is_computed() -> None:
    """A position, modes and a motion: without teeth there are no pitches, and steps follow the rotation."""
    case = without_meshes(MachineStatic())
    history = solved(case).history()
    assert len(history) == 1
    weight = ag.Material().rho * 0.2 * math.pi * 0.015**2 * 9.81
    # consistent loads of beam elements: round-off of the equilibrium
    assert history.values["bearing_force"].sum(axis=1)[0, 1] == pytest.approx(-weight, rel=1e-9)
    study = DynamicStudy(without_meshes(ag.DynamicAnalysis(duration=2e-3, output_every=1e-4)), {})
    study.run(Silent())
    values = study.history().values
    assert values["mesh_force"].shape == (21, 0, 3)
    # led; the load at its end begins with the motion and twists it by 1e-4 rad within a millisecond
    np.testing.assert_allclose(values["speed"][:, 0], 100.0, rtol=1e-3)
    np.testing.assert_allclose(values["body_speed"][:, 0], 100.0, rtol=1e-3)
    assert ag.run(without_meshes(ag.ModalAnalysis(), gravity=(0.0, 0.0, 0.0))).dataset["frequency"].size > 0


def test_positions_of_no_pitches_are_refused() -> None:
    for given in ({"positions_per_pitch": 4}, {"pitches": 2}):
        with pytest.raises(Fault, match="must be left out: without meshes there is one position"):
            without_meshes(MachineStatic(**given))
