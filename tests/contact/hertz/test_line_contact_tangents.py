"""Consistent tangents of line contact against central differences: rotations and speeds."""

import itertools

import numpy as np
import pytest
from contact_answers import forces_at
from families import mostly_thorough
from line_pairs import OMEGA, contact_of, rotations

from alegear.contact.law import Friction

TILTED = {"tilt_plane_of_action": 3e-4, "tilt_normal": -2e-4, "axial_offset": 2e-3}
# phase [pitches], overlap [m], gear turned ahead: single and double contact, edge contact before and after the path
STATES = [(-0.42, 3e-5, 0), (-0.1, 2e-5, 1), (0.23, 4e-5, 1), (0.37, 6e-5, 0)]


def differences(response, x, step):
    """Central differences, fourth order: the error of the second order shows where a slice is about to open."""
    rows = []
    for e in np.eye(2):
        near = (response(x + step * e) - response(x - step * e)) / (2.0 * step)
        far = (response(x + 2.0 * step * e) - response(x - 2.0 * step * e)) / (4.0 * step)
        rows.append((4.0 * near - far) / 3.0)
    return np.array(rows).T


def check(contact, states=STATES):
    for phase, overlap, leading in states:
        phi = rotations(contact, phase, overlap, leading=leading)
        forces = forces_at(contact, phi, OMEGA)
        by_phi = differences(lambda p: forces_at(contact, p, OMEGA, tangent=False).torque, phi, 5e-8)
        by_omega = differences(lambda w, p=phi: forces_at(contact, p, w, tangent=False).torque, OMEGA, 1e-5)
        # truncation and round-off of the differences meet at about 1e-8
        np.testing.assert_allclose(forces.torque_phi, by_phi, atol=1e-6 * np.abs(by_phi).max())
        # the speed of sliding changes friction only: differences of a part in 1e5 of the torque
        np.testing.assert_allclose(forces.torque_omega, by_omega, atol=1e-6 * np.abs(forces.torque).max())


NAMES, MODIFIED, KINDS = ("spur", "helical", "left"), ("", "relieved", "crowned"), ("none", "coulomb", "velocity")


def in_latin_square(one: tuple[str, str, str]) -> bool:
    """Whether every two of name, modification and friction meet once among those that run always."""
    return sum(values.index(value) for values, value in zip((NAMES, MODIFIED, KINDS), one, strict=True)) % 3 == 0


@pytest.mark.parametrize(
    ("name", "modified", "kind"), mostly_thorough(itertools.product(NAMES, MODIFIED, KINDS), always=in_latin_square)
)
def test_friction_and_microgeometry(name, modified, kind):
    check(contact_of(name, modified=modified, friction=Friction(kind=kind), flank="a"), STATES[::2])
    check(contact_of(name, modified=modified, friction=Friction(kind=kind), flank="b"), STATES[1::2])


@pytest.mark.parametrize("flank", ["a", "b"])
@pytest.mark.parametrize("name", ["spur", "helical"])
def test_tilted_and_displaced(name, flank):
    check(contact_of(name, modified="crowned", flank=flank, friction=Friction(kind="velocity"), **TILTED))


@pytest.mark.parametrize("name", ["spur", "helical"])
def test_back_flanks(name):
    contact = contact_of(name, modified="thick", bodies="both", friction=Friction(kind="coulomb"))
    assert contact.has_back_flanks
    for phase in (0.7, 1.1):  # the middle of the window: a back flank needs the next slot too
        phi = rotations(contact, phase, 1e-7)
        assert np.ptp(np.sign(forces_at(contact, phi, OMEGA).pair_torque[:, 0])) == 2.0  # both ways
        check(contact, [(phase, 1e-7, 0)])


def test_undercut():
    """The mating tip touches the corner where the trochoid cuts the involute off."""
    contact = contact_of("undercut")
    check(contact, [(-0.42, 3e-5, 0), (0.2366, 4.64e-5, 0), (0.2049, 3.99e-5, 1), (-0.7045, 3.63e-5, 0)])


def test_no_contact_no_torque():
    contact = contact_of("spur", friction=Friction(kind="coulomb"))
    forces = forces_at(contact, rotations(contact, 0.1, -1e-5), OMEGA)
    for zero in (forces.torque, forces.torque_phi, forces.torque_omega):
        assert not zero.any()
