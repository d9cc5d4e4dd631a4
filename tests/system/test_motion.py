"""Motion and energy of systems against closed forms and reduced systems."""

from __future__ import annotations

import numpy as np
import pytest
from machines import chain, clamped_disk, overhung_stiffness
from system_parts import FixedRatio, PrescribedSpeed, Torque, TorsionSpring

from alegear.errors import Fault
from alegear.system import PiecewiseCubic, SystemBuilder, SystemEnergy, SystemMotion, Unbalance
from alegear.system.beam import HollowCircle
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, NewtonParameters, integrate, start

OVERHUNG = overhung_stiffness(0.5, HollowCircle(outer=0.05))
TIGHT = NewtonParameters(tolerance=1e-13)
FREE = GeneralizedAlpha(rho_inf=1.0, newton=TIGHT)


def run(model, x, v, h, steps, scheme=FREE, energy_balance=False, stops=()):
    system = SystemMotion(model)
    state = system.begin(0.0, x, v)
    energy = SystemEnergy()
    energy.carry_on(system, state)
    drift = [0.0]

    def on_step(state):
        energy.carry_on(system, state)
        drift.append(energy.missing)

    state, _ = integrate(
        system,
        state,
        steps * h,
        scheme=scheme,
        control=FixedStep(h=h),
        on_step=on_step if energy_balance else None,
        stop_times=stops,
    )
    return system, state, energy, np.array(drift)


def test_a_chain_swings_in_its_mode():
    model, k, J = chain(2), 3e4, 0.2
    omega = np.sqrt(2 * k / J)
    ends = []
    for steps in (200, 400):
        _, state, _, _ = run(model, np.array([1e-3, -1e-3]), np.zeros(2), 0.1 / steps, steps)
        ends.append(state.q[0] - 1e-3 * np.cos(omega * 0.1))
    assert np.log2(abs(ends[0] / ends[1])) == pytest.approx(2.0, abs=0.1)  # order of the scheme


def gyroscopic_machine():
    """An overhung disk that tilts, whirls and slows down a little: nothing takes energy, nothing is put in."""
    model = clamped_disk(OVERHUNG)
    x, v = np.zeros(model.n), np.zeros(model.n)
    x[1], x[4], v[0], v[2], v[5] = 1e-4, 2e-4, 300.0, 0.05, 0.3
    return model, x, v


def test_energy_of_a_gyroscopic_machine():
    model, x, v = gyroscopic_machine()
    _, _, energy, drift = run(model, x, v, 1e-4, 1000, energy_balance=True)
    swinging = energy.start - 0.5 * 0.4 * 300.0**2
    assert np.abs(drift).max() < 1e-6 * swinging  # even of what swings, a millionth of what turns


def driven():
    """Motor that is prescribed, shaft, disk, load: with a damper in the shaft."""
    builder = SystemBuilder()
    builder.rotor("motor", inertia=0.05)
    builder.rotor("disk", inertia=0.2)
    return builder.add(
        TorsionSpring(name="shaft", between=("motor", "disk"), stiffness=2e3, damping=1.0),
        PrescribedSpeed(name="drive", place="motor", speed=PiecewiseCubic.step(0.0, 100.0, 0.0, 0.05)),
        Torque(name="load", place="disk", profile=PiecewiseCubic.step(0.0, -40.0, 0.02, 0.06)),
    ).build()


def test_energy_of_a_driven_and_damped_shaft():
    missing = []
    for h in (1e-4, 5e-5):
        _, _, energy, drift = run(driven(), np.zeros(2), np.zeros(2), h, round(0.1 / h), energy_balance=True)
        assert energy.dissipated > 1.0
        missing.append(np.abs(drift).max() / energy.input)
    assert missing[0] < 1e-5
    assert np.log2(missing[0] / missing[1]) == pytest.approx(2.0, abs=0.2)  # of the trapezoidal rule


def test_power_of_a_drive_counts_the_inertia_that_it_leads():
    """In the end the drive has given the kinetic energy of both, what the load took, and what is lost."""
    _, state, energy, _ = run(driven(), np.zeros(2), np.zeros(2), 1e-4, 1000, energy_balance=True)
    kinetic = 0.5 * 0.05 * 100.0**2 + 0.5 * 0.2 * state.v[0] ** 2
    assert energy.kinetic == pytest.approx(kinetic, rel=1e-12)


def test_energy_where_the_acceleration_of_a_drive_jumps():
    """A straight table, its corners at ends of steps: the torque jumps there, and the account keeps its order."""
    builder = SystemBuilder()
    builder.rotor("motor", inertia=0.4)
    builder.rotor("fan", inertia=0.2)
    builder.add(TorsionSpring(name="shaft", between=("motor", "fan"), stiffness=3e4, damping=2.0))
    speed = PiecewiseCubic.table((0.0, 0.02, 0.04), (10.0, 30.0, 5.0), straight=True)
    builder.add(PrescribedSpeed(name="drive", place="motor", speed=speed))
    model, drifts = builder.build(), []
    for steps in (400, 800):
        h = 0.04 / steps
        _, _, energy, drift = run(
            model, np.zeros(2), np.full(2, 10.0), h, steps, energy_balance=True, stops=speed.corners
        )
        drifts.append(np.abs(drift).max())
    assert drifts[1] < 1e-5 * energy.start
    assert np.log2(drifts[0] / drifts[1]) == pytest.approx(2.0, abs=0.1)


def test_far_from_the_start_no_digits_are_lost():
    """Ten thousand radians on, the shaft twists by the load as at the start: strains are differences."""
    model = driven()
    system = SystemMotion(model)
    x = np.array([1e4, 1e4 - 0.02])
    forces = system.force(10.0, x[1:], np.array([100.0])).Q  # the motor is prescribed: at 100 (10 - 0.025) rad
    twist = 100.0 * (10.0 - 0.025) - x[1]
    assert forces[0] == pytest.approx(2e3 * twist - 40.0, rel=1e-12)


def geared():
    builder = SystemBuilder()
    builder.rotor("pinion", inertia=0.05)
    builder.rotor("wheel", inertia=0.4)
    return builder.add(
        FixedRatio(name="mesh", between=("pinion", "wheel"), radii=(20.0, 50.0)),
        TorsionSpring(name="spring", between=("wheel", "ground"), stiffness=900.0, damping=0.7),
        Torque(name="motor", place="pinion", profile=PiecewiseCubic.step(0.0, 12.0, 0.0, 0.03)),
    ).build()


def test_fixed_ratio_moves_as_the_reduced_system():
    i = -20.0 / 50.0
    builder = SystemBuilder()
    builder.rotor("pinion", inertia=0.05 + 0.4 * i * i)
    reduced = builder.add(
        TorsionSpring(name="spring", between=("pinion", "ground"), stiffness=900.0 * i * i, damping=0.7 * i * i),
        Torque(name="motor", place="pinion", profile=PiecewiseCubic.step(0.0, 12.0, 0.0, 0.03)),
    ).build()
    scheme = GeneralizedAlpha(rho_inf=0.8, newton=TIGHT)
    system, both, _, _ = run(geared(), np.zeros(2), np.zeros(2), 1e-4, 1000, scheme)
    _, one, _, _ = run(reduced, np.zeros(1), np.zeros(1), 1e-4, 1000, scheme)
    x, v = system.motion(both).x, system.motion(both).v
    assert x[0] == pytest.approx(one.q[0], rel=1e-10)
    assert x[1] == pytest.approx(i * one.q[0], rel=1e-10)
    assert v[0] == pytest.approx(one.v[0], rel=1e-10)


def test_velocities_that_leave_a_ratio_slowly():
    with pytest.raises(Fault, match=r"start velocities, rate of mesh, = 2e-11: must be along the constraints"):
        SystemMotion(geared()).begin(0.0, np.zeros(2), np.array([1e-12, 0.0]))


def test_energy_with_a_constraint():
    scheme = GeneralizedAlpha(rho_inf=0.9, newton=TIGHT)
    _, _, energy, drift = run(geared(), np.zeros(2), np.zeros(2), 5e-5, 2000, scheme, energy_balance=True)
    assert np.abs(drift).max() < 1e-5 * energy.input


def rotor_with_unbalance(lead=False):
    builder = SystemBuilder()
    disk = builder.rotor("disk", mass=3.0, inertia=0.02, tilt_inertia=0.01)
    builder.linear("bearing", at=disk.coordinates[1:], stiffness=np.diag([2e6, 3e6, 1e6, 2e4, 2e4]))
    builder.element(Unbalance("unbalance", disk, 2e-3, phase=0.4))
    if lead:
        builder.add(PrescribedSpeed(name="motor", place="disk", speed=PiecewiseCubic.step(0.0, 200.0, 0.0, 0.1)))
    return builder.build()


def test_energy_of_an_unbalance_that_turns_freely():
    model = rotor_with_unbalance()
    v = np.zeros(model.n)
    v[0] = 150.0
    _, state, energy, drift = run(model, np.zeros(model.n), v, 2e-5, 1500, energy_balance=True)
    assert np.ptp(drift) < 1e-5 * energy.start
    assert abs(state.v[0] - 150.0) > 1e-4  # the whirl has taken energy from the rotation


def test_energy_of_an_unbalance_that_is_led():
    model = rotor_with_unbalance(lead=True)
    _, _, energy, drift = run(model, np.zeros(model.n), np.zeros(model.n), 8e-5, 1250, energy_balance=True)
    assert energy.input > 300.0
    assert np.abs(drift).max() < 1e-5 * energy.input


def test_an_account_goes_on_from_its_arrays():
    model, x, v = gyroscopic_machine()
    system = SystemMotion(model)
    state = start(system, t=0.0, q=x, v=v)
    one = SystemEnergy()
    one.carry_on(system, state)
    other = SystemEnergy.from_arrays(one.to_arrays())
    state, _ = integrate(system, state, 1e-3, scheme=FREE, control=FixedStep(h=1e-4))
    for energy_balance in (one, other):
        energy_balance.carry_on(system, state)
    assert one.to_arrays().keys() == other.to_arrays().keys()
    for key, values in one.to_arrays().items():
        np.testing.assert_array_equal(values, other.to_arrays()[key])
