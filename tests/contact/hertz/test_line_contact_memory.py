"""What a data set keeps from one evaluation to the next, and small changes about its last state."""

from __future__ import annotations

import numpy as np
import pytest
from contact_answers import forces_at
from line_pairs import OMEGA, contact_of, rotations

from alegear.contact.forces import N_SHIFTS, N_TURNS, MeshMotion
from alegear.contact.law import Friction

SHIFT = np.array([[3e-6, -2e-6, 5e-6, 5e-5, -4e-5], [-2e-6, 3e-6, 1e-6, -3e-5, 6e-5]])


def test_recalled_memory_goes_on_to_the_last_bit() -> None:
    """What is not in the memory changes nothing: a motion may be stopped and gone on with."""
    contact = contact_of("helical", modified="relieved", friction=Friction(kind="velocity"))
    first = contact.new_data(displaced=True)
    for phase in (-0.3, -0.25, -0.22):
        forces = forces_at(contact, rotations(contact, phase, 2e-5), OMEGA, data=first, displacement=SHIFT)
    memory = contact.memory(first, forces)
    second = contact.new_data(displaced=True)
    contact.recall(second, memory)
    for phase in (-0.2, -0.15):
        phi = rotations(contact, phase, 2.2e-5)
        one, two = (forces_at(contact, phi, OMEGA, data=d, displacement=SHIFT) for d in (first, second))
        np.testing.assert_array_equal(one.force, two.force)
        np.testing.assert_array_equal(one.by_coordinate, two.by_coordinate)
    contact.forget(first)
    assert not contact.memory(first, None)["line_load"].any()
    assert memory["line_load"].any()  # a copy


@pytest.mark.parametrize("name", ["spur", "helical"])
def test_small_changes_about_a_state(name: str) -> None:
    """Rows, compliance and loads are those of the evaluation; the stiffness is its tangent but for F/rho."""
    contact = contact_of(name, friction=Friction(kind="coulomb"))
    smooth = contact.lossless
    assert smooth is not None
    phi, data = rotations(contact, 0.04, 2e-5), contact.new_data(displaced=True)
    motion = MeshMotion(phi=phi, displacement=SHIFT)
    small = contact.linearise(data, motion)
    forces = forces_at(smooth, phi, displacement=SHIFT)
    rows = np.hstack([small.arms, small.displaced])
    assert rows.shape == (len(small.force), N_TURNS + 2 * N_SHIFTS)
    np.testing.assert_allclose(rows.T @ small.force, forces.force, atol=1e-10 * np.abs(forces.force).max())
    for gear in range(2):
        np.testing.assert_allclose(
            small.force @ small.nodal[gear], forces.face_force[gear], atol=1e-9 * small.force.max()
        )
    np.testing.assert_allclose(small.compliance, small.compliance.T, rtol=1e-10)
    measure = np.concatenate([[20.0, 20.0], np.tile([1.0, 1.0, 1.0, 20.0, 20.0], 2)])
    stiffness, tangent = (K * np.outer(measure, measure) for K in (small.stiffness(rows), -forces.by_coordinate))
    # forces turn with the flanks and move over them: 10 kN/10 mm to 0.5 N/nm
    np.testing.assert_allclose(stiffness, tangent, atol=5e-3 * np.abs(tangent).max())
    # the gaps are ahead by the same rows, and nothing moves
    np.testing.assert_allclose(
        -stiffness, forces.by_gap_offset * np.outer(measure, measure), atol=1e-9 * stiffness.max()
    )
