"""Tooth-change: a shift of labels that leaves forces, energy and displacements as they are."""

import numpy as np
import pytest
from contact_answers import forces_at
from numpy.testing import assert_allclose, assert_array_equal
from small_pair import RELIEVED, contact_pair, load, rotations

from alegear.ale import change_teeth, shift_slots
from alegear.contact.numbering import PINION, WHEEL

N = 3
SLOTS = np.arange(1.0, 13.0)  # 3 slots of 4 values


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        (0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (1, [5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0]),
        (2, [9, 10, 11, 12, 0, 0, 0, 0, 0, 0, 0, 0]),
        (-1, [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
        (-2, [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
        (3, [0] * 12),
        (-3, [0] * 12),
        (7, [0] * 12),
    ],
)
def test_shift_of_slots(shift, expected):
    assert_array_equal(shift_slots(SLOTS, shift, N), expected)
    both = np.stack([SLOTS, -SLOTS])
    assert_array_equal(shift_slots(both, shift, N), [expected, np.negative(expected)])


def test_shift_leaves_its_argument():
    before = SLOTS.copy()
    shift_slots(SLOTS, 1, N)[:] = 99.0
    shift_slots(SLOTS, 0, N)[:] = 99.0
    assert_array_equal(SLOTS, before)


def test_forth_and_back():
    kept = shift_slots(shift_slots(SLOTS, 1, N), -1, N)
    assert_array_equal(kept[4:], SLOTS[4:])
    assert not kept[:4].any()


def windows_before_and_after(driver, microgeometry=""):
    """A loaded state just where pair -1 has left: pairs in slots 1 and 2, and the same with the slots one pair on."""
    contact = contact_pair(driver=driver, slots=N, microgeometry=microgeometry)
    phase = 1.37  # pairs 1 and, coming in, 2
    deflection = load(contact, phase, 250.0, driver)
    phi = rotations(contact, phase, deflection, driver)
    before = forces_at(contact, phi)
    after = forces_at(contact, phi - contact.pitch_angle)
    return contact, before, after


@pytest.mark.parametrize("driver", ["pinion", "wheel"])
@pytest.mark.parametrize("microgeometry", ["", RELIEVED])
@pytest.mark.parametrize("gear", [PINION, WHEEL])
def test_forces_displacements_and_energy_survive_a_tooth_change(driver, microgeometry, gear):
    """What changed labels equals what the contact finds in the new window, the incoming tooth included."""
    contact, before, after = windows_before_and_after(driver, microgeometry)
    assert (np.abs(before.pair_torque[:, 0]) > 1.0).tolist() == [False, True, True]
    force, displacement = change_teeth(contact.compliance[gear], before.nodal_force[gear], 1, N)
    f_scale, u_scale = np.abs(force).max(), np.abs(displacement).max()
    # same angles plus or minus a pitch: round-off of 0.1 m in gaps of 2e-5 m, carried through the solution
    assert_allclose(force, after.nodal_force[gear], rtol=0.0, atol=1e-9 * f_scale)
    assert_allclose(displacement, after.displacement[gear], rtol=0.0, atol=1e-9 * u_scale)
    assert after.energy == pytest.approx(before.energy, rel=1e-10)
    assert_allclose(after.torque, before.torque, rtol=1e-10)
    # of the teeth that stay, nothing changes
    m = len(force) // N
    assert_allclose(displacement[: 2 * m], before.displacement[gear][m:], rtol=0.0, atol=1e-12 * u_scale)
    assert_array_equal(force[: 2 * m], before.nodal_force[gear][m:])
    # the strain energy of the wheel too
    strain = before.nodal_force[gear] @ before.displacement[gear]
    assert force @ displacement == pytest.approx(strain, rel=1e-12)


@pytest.mark.parametrize("gear", [PINION, WHEEL])
def test_the_incoming_tooth_is_bent_by_its_neighbours(gear):
    contact, before, after = windows_before_and_after("pinion")
    force, displacement = change_teeth(contact.compliance[gear], before.nodal_force[gear], 1, N)
    m = len(force) // N
    incoming = displacement[2 * m :]
    assert not force[2 * m :].any()
    largest = np.abs(displacement).max()
    assert 1e-2 * largest < np.abs(incoming).max() < largest
    assert_allclose(incoming, after.displacement[gear][2 * m :], rtol=0.0, atol=1e-9 * largest)


@pytest.mark.parametrize("gear", [PINION, WHEEL])
def test_a_loaded_tooth_that_leaves_takes_its_share_along(gear):
    """Why the threshold matters: with a loaded outgoing tooth the change is not harmless."""
    contact = contact_pair(slots=N)
    forces = forces_at(contact, rotations(contact, 0.37, 2e-5))  # pairs 0 and 1 carry
    force, displacement = change_teeth(contact.compliance[gear], forces.nodal_force[gear], 1, N)
    m = len(force) // N
    assert np.abs(displacement[:m] - forces.displacement[gear][m : 2 * m]).max() > 1e-3 * np.abs(displacement).max()


@pytest.mark.parametrize("gear", [PINION, WHEEL])
def test_back_again(gear):
    contact, before, _ = windows_before_and_after("pinion")
    C = contact.compliance[gear]
    force, _ = change_teeth(C, before.nodal_force[gear], 1, N)
    force, displacement = change_teeth(C, force, -1, N)
    assert_array_equal(force, before.nodal_force[gear])
    assert_allclose(displacement, before.displacement[gear], rtol=0.0, atol=1e-12 * np.abs(displacement).max())
