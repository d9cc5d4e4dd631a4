"""Natural frequencies, whirl and energy shares against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from machines import chain, clamped_disk, overhung_stiffness, whirl_frequencies
from system_parts import FixedRatio

from alegear.errors import Fault
from alegear.system import (
    ElementForces,
    Linearised,
    StatelessElement,
    SystemBuilder,
    campbell_map,
    complex_modes,
    real_modes,
)
from alegear.system.beam import HollowCircle

OVERHUNG = overhung_stiffness(0.5, HollowCircle(outer=0.05))
MIDDLE = np.diag([4e6, 3e5])  # a disk in the middle: displacement and tilt know nothing of each other


@pytest.mark.parametrize("n", [2, 3, 8])
def test_chain_of_equal_disks(n):
    J, k, j = 0.2, 3e4, np.arange(n)
    modes = real_modes(Linearised.of(chain(n, J, k)))
    exact = 2.0 * np.sqrt(k / J) * np.sin(j * np.pi / (2 * n))
    np.testing.assert_allclose(modes.frequencies[1:], exact[1:], rtol=1e-12)  # of an eigenvalue solver
    assert modes.frequencies[0] < 1e-6 * exact[-1]  # the root of its round-off
    assert len(modes.elastic().frequencies) == n - 1


@pytest.mark.parametrize("n", [1, 2, 5])
def test_chain_tied_at_both_ends(n):
    J, k = 0.2, 3e4
    modes = real_modes(Linearised.of(chain(n, J, k, ends=(True, True))))
    exact = 2.0 * np.sqrt(k / J) * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1)))
    np.testing.assert_allclose(modes.frequencies, exact, rtol=1e-12)


@pytest.mark.parametrize("stiffness", [OVERHUNG, MIDDLE])
@pytest.mark.parametrize("speed", [0.0, 50.0, 400.0, 3000.0, -400.0])
def test_whirl_of_a_disk(stiffness, speed):
    model = clamped_disk(stiffness)
    v = np.zeros(model.n)
    v[0] = speed
    modes = complex_modes(Linearised.of(model, v=v)).elastic()
    bending = modes.taken(np.flatnonzero(np.abs(modes.shapes[[1, 2, 4, 5]]).max(axis=0) > 1e-6))
    exact = whirl_frequencies(stiffness, speed=speed)
    np.testing.assert_allclose(bending.frequencies, np.sort(np.abs(exact)), rtol=1e-9)  # the bound asked for is 1e-6
    if speed != 0.0 and stiffness is OVERHUNG:  # of the others those of displacement are double, in any plane
        signed = bending.frequencies * np.sign(bending.whirl_of_modes()) * np.sign(speed)
        np.testing.assert_allclose(np.sort(signed), exact, rtol=1e-9)
        np.testing.assert_allclose(np.abs(bending.whirl_of_modes()), 1.0, atol=1e-9)
    np.testing.assert_allclose(modes.decay_rates, 0.0, atol=1e-9 * modes.frequencies.max())


def test_campbell_map_follows_the_branches():
    model, speeds = clamped_disk(OVERHUNG), np.linspace(0.0, 3000.0, 61)
    found = campbell_map(model, speeds, np.eye(model.n)[0], 5)
    for k, speed in enumerate(speeds):
        exact = whirl_frequencies(OVERHUNG, speed=speed)
        axial = np.sqrt(2.0 * OVERHUNG[0, 0] / 12.0)
        np.testing.assert_allclose(np.sort(found.frequencies[k]), np.sort([*np.abs(exact), axial]), rtol=1e-9)
    turning = np.abs(found.whirl[-1]) > 0.5
    assert turning.sum() == 4
    np.testing.assert_allclose(found.whirl[1:, turning] * np.sign(found.whirl[-1, turning]), 1.0)
    assert (np.diff(found.frequencies[:, found.whirl[-1] > 0.5], axis=0) > 0.0).all()  # forward rises, all the way
    assert (np.diff(found.frequencies[:, found.whirl[-1] < -0.5], axis=0) < 0.0).all()
    assert found.assurance[1:-1].min() > 0.9


def test_a_branch_that_ends_is_said():
    """Dampers that grow with the speed: at the lowest one both modes vibrate, at the highest only one does."""

    class Drag(StatelessElement):
        name, coordinates = "drag", np.array([0, 1])

        def evaluate(self, t, x, v, data):
            drag = np.diag([200.0 - v[1], 0.0])
            return ElementForces(Q=-drag @ v, by_x=np.zeros((2, 2)), by_v=-drag)

    builder = SystemBuilder()
    one, other = builder.rotor("one", inertia=1.0), builder.rotor("other", inertia=1.0)
    for name, disk in (("a", one), ("b", other)):
        builder.linear(name, at=[disk.rotation], stiffness=[[1000.0]])
    builder.element(Drag())
    with pytest.raises(Fault, match="modes that vibrate at speed 0 = 1"):
        campbell_map(builder.build(), np.array([0.0, 199.0]), np.array([0.0, 1.0]), 2)


def test_damped_oscillator():
    builder = SystemBuilder()
    disk = builder.rotor("disk", inertia=0.5)
    builder.linear("spring", at=[disk.rotation], stiffness=[[800.0]], damping=[[6.0]])
    modes = complex_modes(Linearised.of(builder.build()))
    decay, undamped = 6.0 / (2 * 0.5), np.sqrt(800.0 / 0.5)
    np.testing.assert_allclose(modes.decay_rates, [decay], rtol=1e-12)
    np.testing.assert_allclose(modes.frequencies, [np.sqrt(undamped**2 - decay**2)], rtol=1e-12)
    np.testing.assert_allclose(modes.damping_ratios, [decay / undamped], rtol=1e-12)


def test_what_only_creeps_back_has_two_rates_and_no_frequency():
    builder = SystemBuilder()
    disk = builder.rotor("disk", inertia=0.5)
    builder.linear("spring", at=[disk.rotation], stiffness=[[8.0]], damping=[[6.0]])
    modes = complex_modes(Linearised.of(builder.build()))
    np.testing.assert_allclose(np.sort(modes.decay_rates), np.sort(-np.roots([0.5, 6.0, 8.0])), rtol=1e-12)
    np.testing.assert_array_equal(modes.frequencies, 0.0)


def test_fixed_ratio_against_the_reduced_system():
    builder = SystemBuilder()
    motor, pinion = builder.rotor("motor", inertia=0.1), builder.rotor("pinion", inertia=0.02)
    wheel, load = builder.rotor("wheel", inertia=0.3), builder.rotor("load", inertia=2.0)
    builder.linear("in", at=[motor.rotation, pinion.rotation], rows=[[-1, 1]], stiffness=[[1e4]])
    builder.linear("out", at=[wheel.rotation, load.rotation], rows=[[-1, 1]], stiffness=[[4e4]])
    builder.add(FixedRatio(name="mesh", between=("pinion", "wheel"), radii=(20.0, 50.0)))
    found = real_modes(Linearised.of(builder.build())).elastic()
    i = -20.0 / 50.0  # wheel by pinion
    M = np.diag([0.1, 0.02 + 0.3 * i * i, 2.0])
    K = np.array([[1e4, -1e4, 0.0], [-1e4, 1e4 + 4e4 * i * i, -4e4 * i], [0.0, -4e4 * i, 4e4]])
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    np.testing.assert_allclose(found.frequencies, np.sqrt(squares[1:]), rtol=1e-10)
    np.testing.assert_allclose(found.shapes[2], i * found.shapes[1], rtol=1e-10)


def test_energy_shares_sum_to_one():
    modes = real_modes(Linearised.of(chain(5))).elastic()
    names, shares = modes.energy_shares()
    assert names == tuple(f"shaft {i}" for i in range(4))
    np.testing.assert_allclose(shares.sum(axis=0), 1.0, rtol=1e-12)


def test_a_coordinate_without_inertia_has_no_modes():
    builder = SystemBuilder()
    disk = builder.rotor("disk", inertia=0.0)
    builder.linear("spring", at=[disk.rotation], stiffness=[[800.0]])
    with pytest.raises(Fault, match="inertia"):
        Linearised.of(builder.build(moves=False))


@pytest.mark.parametrize("stiffness", [1.0, 3.0, 7e5])
def test_modes_of_the_same_frequency_are_one_combination_whatever_the_stiffness(stiffness: float) -> None:
    """Three equal wheels in a ring of springs: any two motions without a mean would do, round-off is not asked."""
    builder = SystemBuilder()
    for name in "abc":
        builder.rotor(name, inertia=0.02)
    for k, pair in enumerate(([0, 1], [1, 2], [2, 0])):
        builder.linear(f"spring {k}", at=pair, rows=[[1.0, -1.0]], stiffness=[[stiffness]])
    shapes = np.real(real_modes(Linearised.of(builder.build())).elastic().shapes)
    expected = np.array([[2.0, -1.0, -1.0], [0.0, 1.0, -1.0]]).T
    assert np.allclose(shapes / np.abs(shapes).max(axis=0), expected / np.abs(expected).max(axis=0), atol=1e-9)


@pytest.mark.parametrize("unit", [2.0**-20, 1.0 / 64.0, 64.0, 2.0**20])
def test_what_stands_still_does_so_to_the_same_digit_in_every_unit_of_length(unit: float) -> None:
    """Two gears with rigid teeth, held but for their rotations: the mode is that of fixed axes."""
    r_1, r_2, arm, J, k, stretch = 0.3, 0.07, 0.2, 0.2, 3e4, 1e-6

    def frequency(unit: float) -> float:
        builder = SystemBuilder()
        turns = [builder.rotor(name, inertia=J).rotation for name in ("pinion", "wheel")]
        weights = {turns[0]: r_1 * unit, turns[1]: r_2 * unit}
        for name, sign in (("pinion", 1.0), ("wheel", -1.0)):
            size = stretch * unit
            centre = builder.coordinate(name, "x", displacement_scale=size, force_scale=0.1 / size, unit="m")
            tilt = builder.coordinate(name, "tilt_x", displacement_scale=stretch, force_scale=0.1 / stretch)
            builder.linear(f"mass of {name}", at=[centre, tilt], mass=np.diag([5.0 / unit**2, 0.5 * J]))
            weights |= {centre: sign, tilt: sign * arm * unit}
        builder.linear("spring", at=[turns[0]], stiffness=[[k]])
        builder.constrain("teeth", weights)
        (found,) = real_modes(Linearised.of(builder.build()).holding_all_but(np.array(turns))).frequencies
        return float(found)

    assert frequency(1.0) == pytest.approx(np.sqrt(k / (J + J * (r_1 / r_2) ** 2)), rel=1e-13)
    assert frequency(unit) == frequency(1.0)
