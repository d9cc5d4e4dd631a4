"""Elastic energy of line contact, and the torques that are its derivatives."""

import numpy as np
import pytest
from line_pairs import contact_of, rotations

from alegear.contact.hertz import load_kernels
from alegear.contact.hertz.model import empty_answer
from alegear.contact.hertz.model_kernels import GAP
from alegear.contact.law import Friction

STEP = 2e-7  # rad


@pytest.mark.parametrize("modified", ["", "relieved", "crowned"])
@pytest.mark.parametrize(("name", "rel"), [("spur", 1e-6), ("helical", 5e-4)])
def test_energy_torque_is_minus_the_derivative_of_the_energy(name, rel, modified):
    """Gauss's rule in the load is exact to 3e-7 where the strip is smooth in it.

    Where a strip grows across the end of a flank onto the tip round it is not, which six points notice by some 1e-4;
    a helical pair has such slices at any time.
    """
    contact = contact_of(name, modified=modified)
    for phase, overlap in [(-0.42, 3e-5), (-0.1, 2e-5), (0.23, 4e-5)]:
        phi = rotations(contact, phase, overlap)
        forces = contact.evaluate(phi, energy=True)
        for x, e in enumerate(np.eye(2)):
            up, down = (contact.evaluate(phi + s * STEP * e, energy=True, tangent=False).energy for s in (1.0, -1.0))
            assert forces.energy_torque[x] == pytest.approx(-(up - down) / (2.0 * STEP), rel=rel)


def test_energy_of_a_spring():
    """Loading at a fixed place is linear but for the strips, which grow softer as they are narrow: E < T x/2."""
    contact = contact_of("spur")
    overlaps = np.linspace(0.0, 40e-6, 201)
    forces = [contact.evaluate(rotations(contact, 0.0, u), energy=True, tangent=False) for u in overlaps]
    torque = [abs(f.energy_torque[0]) for f in forces]
    energy = [f.energy for f in forces]
    arm = contact.pair.pinion.r_b
    work = np.trapezoid(torque, overlaps / arm)
    # the trapezoids of a curve as smooth as this: (1/200)^1.5 near the first touch
    assert energy[-1] - energy[0] == pytest.approx(work, rel=1e-4)
    assert energy[0] == pytest.approx(0.0, abs=1e-15)
    assert energy[-1] < 0.5 * torque[-1] * overlaps[-1] / arm


@pytest.mark.parametrize("friction", [Friction(), Friction(kind="coulomb")], ids=lambda friction: friction.kind)
@pytest.mark.parametrize(("name", "bodies"), [("spur", ""), ("spur", "both"), ("helical", "")])
@pytest.mark.parametrize("all_points", [False, True], ids=["quick", "all points"])
def test_a_second_look_at_a_state_answers_as_the_first_would(name, bodies, friction, all_points):
    """Without friction, from gaps that are ahead to where they are: places and compliance are taken from before."""
    contact = contact_of(name, bodies=bodies, friction=friction, modified="relieved")
    phi, omega, ahead, rest = (
        rotations(contact, -0.3, 3e-5),
        np.array([150.0, 100.0]),
        np.array([2e-6, 0.0]),
        np.zeros(2),
    )
    free = contact.lossless or contact
    model, memory, points, answer = free.model, contact._memory, contact._points, empty_answer(contact.n_pairs)
    contact.evaluate(phi, omega, ahead=ahead)
    wanted = load_kernels.ENERGY + load_kernels.AGAIN + (0 if all_points else load_kernels.QUICK)
    assert load_kernels.evaluate(model, phi, rest, rest, 0, wanted, memory, points, answer) > 0
    table = points.found.table[: points.found.count[0], GAP].copy()
    fresh = contact_of(name, bodies=bodies, modified="relieved")
    expected = fresh.evaluate(phi, energy=True, tangent=False)
    # what a Newton step below 1e-14 of the loads leaves, from another start
    assert answer.energy[0] == pytest.approx(expected.energy, rel=1e-11)
    np.testing.assert_allclose(answer.energy[1:], expected.energy_torque, rtol=1e-11)
    np.testing.assert_allclose(answer.torque, expected.torque, rtol=1e-11)
    gaps = fresh._points.found.table[: fresh._points.found.count[0], GAP]
    assert table.min() == pytest.approx(gaps.min(), rel=1e-12)
    assert len(table) >= len(gaps)
