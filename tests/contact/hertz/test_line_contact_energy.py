"""Elastic energy of line contact, and the torques that are its derivatives."""

import numpy as np
import pytest
from contact_answers import forces_at
from line_pairs import contact_of, rotations

from alegear.contact.forces import MeshMotion
from alegear.contact.hertz import evaluation_kernels
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
        forces = forces_at(contact, phi, energy=True)
        for x, e in enumerate(np.eye(2)):
            up, down = (forces_at(contact, phi + s * STEP * e, energy=True, tangent=False).energy for s in (1.0, -1.0))
            assert forces.energy_torque[x] == pytest.approx(-(up - down) / (2.0 * STEP), rel=rel)


def test_energy_of_a_spring():
    """Loading at a fixed place is linear but for the strips, which grow softer as they are narrow: E < T x/2."""
    contact = contact_of("spur")
    overlaps = np.linspace(0.0, 40e-6, 201)
    forces = [forces_at(contact, rotations(contact, 0.0, u), energy=True, tangent=False) for u in overlaps]
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
    """Without friction, from gaps that are ahead to where they are: positions and compliance are taken from before."""
    contact = contact_of(name, bodies=bodies, friction=friction, modified="relieved")
    phi, omega, data = rotations(contact, -0.3, 3e-5), np.array([150.0, 100.0]), contact.new_data()
    free = contact.lossless or contact
    forces_at(contact, phi, omega, data=data, gap_offset=np.array([2e-6, 0.0]))
    data.take(MeshMotion(phi=phi))
    wanted = evaluation_kernels.ENERGY + evaluation_kernels.AGAIN + (0 if all_points else evaluation_kernels.QUICK)
    assert evaluation_kernels.evaluate(free.model, data.motion, wanted, data.memory, data.points, data.response) > 0
    response, found = data.response, data.points.found
    fresh, fresh_data = contact_of(name, bodies=bodies, modified="relieved"), free.new_data()
    expected = forces_at(fresh, phi, data=fresh_data, energy=True, tangent=False)
    # what a Newton step below 1e-14 of the loads leaves, from another start
    assert response.energy[0] == pytest.approx(expected.energy, rel=1e-11)
    np.testing.assert_allclose(response.energy[1:], expected.energy_torque, rtol=1e-11)
    np.testing.assert_allclose(response.force, expected.torque, rtol=1e-11)
    gaps, fresh_gaps = (of.table[: of.count[0], GAP] for of in (found, fresh_data.points.found))
    assert gaps.min() == pytest.approx(fresh_gaps.min(), rel=1e-12)
    assert len(gaps) >= len(fresh_gaps)


@pytest.mark.parametrize(("name", "bodies"), [("spur", ""), ("spur", "both"), ("helical", "")])
@pytest.mark.parametrize("moved", [1e-12, 3e-11, 1e-6])
def test_an_evaluation_near_the_last_one_answers_as_a_fresh_one_would(name, bodies, moved):
    """From what was pushed at the last one where the rows of force hardly differ, from the compliance beyond."""
    contact = contact_of(name, bodies=bodies, modified="relieved")
    phi, data = rotations(contact, 0.2, 3e-5), contact.new_data()
    forces_at(contact, phi, data=data)
    there = phi + moved / contact.pair.pinion.r_b * np.array([3.0, 1.0])
    data.take(MeshMotion(phi=there))
    wanted = evaluation_kernels.ENERGY + evaluation_kernels.QUICK + evaluation_kernels.NEAR
    assert evaluation_kernels.evaluate(contact.model, data.motion, wanted, data.memory, data.points, data.response) > 0
    coupling = data.points.coupling
    assert coupling.pushed_of[0] == data.points.found.count[0]
    assert np.any(coupling.moved) == (moved < 1e-8)  # whether it is from what was pushed
    expected = forces_at(contact, there, data=contact.new_data(), energy=True, tangent=False)
    assert data.response.energy[0] == pytest.approx(expected.energy, rel=1e-10)
    np.testing.assert_allclose(data.response.energy[1:], expected.energy_torque, rtol=1e-9)
    np.testing.assert_allclose(data.response.force, expected.torque, rtol=1e-10)
