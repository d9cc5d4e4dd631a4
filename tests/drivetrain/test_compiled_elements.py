"""Elements that compiled motions call by their address: the same motion as step by step in Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kept_motion import KeptMotion
from small_machines import one_stage

import alegear as ag
from alegear.drivetrain.compiled_motion import is_compiled
from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.parts import TorqueLoad
from alegear.kernels.elements import BY_ADDRESS
from alegear.recording.motion import MotionIntegration
from alegear.studies.dynamic import DynamicStudy
from alegear.system import PiecewiseCubic, SystemBuilder, SystemModel, SystemMotion
from alegear.system.profiles import PrescribedRotation
from alegear.system.time_integration import AdaptiveStep, FixedStep, GeneralizedAlpha
from alegear.system.time_integration.newton import NewtonParameters
from alegear.system.time_integration.stop_times import StopTimes

pytestmark = pytest.mark.skipif(not BY_ADDRESS, reason="kernels have no addresses here")
DEFECTS = (ag.BearingDefect(on="outer ring", at=0.3, width=2e-3, depth=40e-6),)


def shaft_on_two_bearings() -> SystemModel:
    """A driven and loaded rotor on rollers with a defect and on balls, over a spring that carries the balls."""
    builder = SystemBuilder()
    rotor = builder.rotor("s@0mm", inertia=1e-3, mass=2.0, tilt_inertia=2e-3)
    builder.rotor("h", inertia=1.0, mass=1.0, tilt_inertia=1e-2)
    rollers = {"count": 14, "diameter": 10e-3, "pitch_diameter": 60e-3, "length": 12e-3}
    balls = {"count": 9, "diameter": 12.7e-3, "pitch_diameter": 65e-3, "contact_angle": 0.4}
    ag.RollerBearing(
        name="a", shaft="s", at=0.0, clearance=5e-6, defects=DEFECTS, damping=(300.0, 300.0, 300.0), **rollers
    ).add_to(builder)
    ag.BallBearing(name="b", shaft="s", at=0.0, to="h", clearance=-4e-6, damping=(50.0, 50.0, 50.0), **balls).add_to(
        builder
    )
    h = builder.node("h")
    builder.linear("foot", at=h.coordinates, stiffness=np.diag([1e4] + [1e7] * 5), damping=np.diag([1.0] + [100.0] * 5))
    assert rotor.rotation is not None
    builder.prescribe("motor", rotor.rotation, PrescribedRotation(speed_ramp=PiecewiseCubic.constant(60.0)))
    builder.load("pull", PiecewiseCubic.constant(1.0), {model_index(rotor, 1): 800.0, model_index(rotor, 3): 300.0})
    return builder.build()


def model_index(rotor, number: int) -> int:
    return int(rotor.coordinates[number])


def moved(model: SystemModel, control, newton, *, compiled: bool, filtered: bool = False):
    """Output times, coordinates and energies there, and what the steps cost."""
    system = SystemMotion(model)
    run = MotionIntegration(system, GeneralizedAlpha(rho_inf=0.8, newton=newton, filtered=filtered), control)
    client, stops = KeptMotion(run), StopTimes.of(4e-3, 2e-4)
    x, v = model.start()
    v[model.prescribed_indices] = 60.0
    run.run(client, stops, lambda: system.begin(0.0, x, v), compiled=compiled)
    out = [i for i, t in enumerate(client.t) if stops.is_output(t)]
    energies = np.column_stack([client.energies[name] for name in ("input", "dissipated", "missing")])
    return client.t[out], client.q[out], energies[out], run.count


@pytest.mark.parametrize("control", [FixedStep(h=2e-5), AdaptiveStep(tolerance=1e-4, h_max=5e-5)])
def test_compiled_motion_is_that_of_python(control) -> None:
    model = shaft_on_two_bearings()
    assert is_compiled(model)
    tight = NewtonParameters(tolerance=1e-12, max_iterations=30)
    kept = [moved(model, control, tight, compiled=compiled) for compiled in (True, False)]
    (t, q, fast_energy, fast_count), (expected_t, expected, slow_energy, slow_count) = kept
    assert t.tolist() == expected_t.tolist()
    assert len(t) == 21
    assert np.abs(expected).max(axis=0).min() > 0.0  # all of it moves
    # by round-off through some hundred steps of a contact with corners of its tangent
    np.testing.assert_allclose(q, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
    size = np.abs(slow_energy).max()
    np.testing.assert_allclose(fast_energy, slow_energy, rtol=0.0, atol=1e-6 * size)
    assert fast_count.accepted == slow_count.accepted


def test_errors_are_filtered_alike() -> None:
    """The last iteration matrices differ: compiled code begins closer to the solution."""
    model, control = shaft_on_two_bearings(), AdaptiveStep(tolerance=3e-2, h_max=2e-4)
    tight = NewtonParameters(tolerance=1e-9, max_iterations=30)
    runs = {
        (compiled, filtered): moved(model, control, tight, compiled=compiled, filtered=filtered)
        for compiled, filtered in ((True, True), (False, True), (True, False))
    }
    steps = {which: count.accepted for which, (*_, count) in runs.items()}
    assert steps[True, True] == steps[False, True] < steps[True, False]
    fast, slow = (runs[which][1] for which in ((True, True), (False, True)))
    # lengths of steps follow the matrices, and the motion them by its error
    np.testing.assert_allclose(fast, slow, rtol=0.0, atol=1e-6 * np.abs(slow).max())


def test_a_system_of_springs_alone_is_stepped_in_python() -> None:
    """Nothing in it is worth compiled code."""
    builder = SystemBuilder()
    rotor = builder.rotor("disk", inertia=1.0)
    builder.linear("spring", at=rotor.coordinates, stiffness=[[1.0]])
    assert not is_compiled(builder.build())


def one_stage_on_teeth() -> DynamicStudy:
    """The helical pair of a gearbox whose shafts stand on bearings."""
    mesh = GearMesh(name="mesh", gears=("p", "w"), law=law_of("teeth", "mesh", slices=3))
    case = one_stage(beta=0.2, meshes=(mesh,))
    case = replace(
        case,
        drives=(replace(case.drives[0], torque=None, speed=100.0),),
        loads=(TorqueLoad(name="machine", shaft="out", at=120e-3, torque=300.0),),
        analysis=ag.DynamicAnalysis(duration=1e-3, mesh_damping_ratio=0.05, time_step=2e-6),
    )
    return DynamicStudy(case, {})


def test_teeth_move_alike() -> None:
    """Teeth of three slices that are damped, from a state in which they carry."""
    study = one_stage_on_teeth()
    model, (start, v) = study.system.model, study._start
    assert is_compiled(model)
    tight = NewtonParameters(tolerance=1e-12, max_iterations=30)
    kept = []
    for compiled in (True, False):
        system = SystemMotion(model)
        run = MotionIntegration(system, GeneralizedAlpha(rho_inf=0.8, newton=tight), FixedStep(h=2e-6))
        client = KeptMotion(run)
        run.run(client, StopTimes.of(4e-4, 1e-4), lambda: system.begin(0.0, start, v), compiled=compiled)  # noqa: B023
        kept.append((client.q[-1], run.energy))
    (q, energy), (expected, expected_energy) = kept
    np.testing.assert_allclose(q, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
    for name in ("input", "dissipated", "kinetic", "stored"):
        size = abs(expected_energy.kinetic)
        assert getattr(energy, name) == pytest.approx(getattr(expected_energy, name), abs=1e-7 * size)
