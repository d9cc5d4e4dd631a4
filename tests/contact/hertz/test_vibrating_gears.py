"""Gears with normal modes in contact: at rest the contact without them, forces from energy; tangents elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from contact_answers import forces_at
from line_pairs import OMEGA, contact_of, modes_on_faces, rotations, vibrating_contact_of

from alegear.contact.forces import N_TURNS
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.face_modes import teeth_of_slots
from alegear.contact.law import Friction
from alegear.errors import Fault

names = pytest.mark.parametrize("name", ["spur", "helical"])
flanks = pytest.mark.parametrize("flank", ["a", "b"])
TURNS, MODES = slice(N_TURNS), slice(N_TURNS, None)


def squares(contact: LineContact) -> np.ndarray:
    """Squares of the frequencies of all modes, those of the pinion first."""
    assert contact.modes is not None
    return np.concatenate([modes.frequencies**2 for modes in contact.modes])


def at_rest(contact: LineContact, still, first_pair: int = 0) -> np.ndarray:
    """Modal coordinates at rest under the forces of the contact without modes."""
    pushes = [still.face_force[gear] @ contact.on_faces(gear, first_pair) for gear in range(2)]
    return np.concatenate(pushes) / squares(contact)


@names
@flanks
@pytest.mark.parametrize("first_pair", [0, 1, -3])
def test_at_rest_it_is_the_contact_without_modes(name, flank, first_pair):
    rigid, contact = contact_of(name, flank=flank), vibrating_contact_of(name, flank=flank)
    phi = rotations(contact, 0.04, 20e-6)
    still = forces_at(rigid, phi, OMEGA, first_pair=first_pair)
    q = at_rest(contact, still, first_pair)
    moving = forces_at(contact, phi, OMEGA, first_pair=first_pair, modal=q)
    pushes = moving.force[MODES]
    # the same equations in another order: round-off of the loads
    np.testing.assert_allclose(moving.torque, still.torque, rtol=1e-12)
    np.testing.assert_allclose(moving.loaded.record.force, still.loaded.record.force, rtol=1e-11)
    np.testing.assert_allclose(pushes, squares(contact) * q, atol=1e-12 * np.abs(pushes).max())
    # modes that follow the loads give the tangent of the contact without them
    K = moving.by_coordinate
    followed = np.linalg.solve(np.diag(squares(contact)) - K[MODES, MODES], K[MODES, TURNS])
    np.testing.assert_allclose(moving.torque_phi + K[TURNS, MODES] @ followed, still.torque_phi, rtol=1e-9)


def test_back_flanks_have_modes_too():
    rigid, contact = contact_of(bodies="both"), vibrating_contact_of(bodies="both")
    phi = rotations(contact, 0.04, -5e-6)  # without backlash the back flanks touch
    still = forces_at(rigid, phi, OMEGA)
    assert abs(still.torque[0]) > 1.0
    moving = forces_at(contact, phi, OMEGA, modal=at_rest(contact, still))
    np.testing.assert_allclose(moving.torque, still.torque, rtol=1e-12)


def test_friction_is_felt_by_the_modes():
    rough = Friction(kind="coulomb", mu_dynamic=0.08, v_static=1e-3)
    rigid, contact = (make("spur", friction=rough) for make in (contact_of, vibrating_contact_of))
    phi = rotations(contact, 0.2, 20e-6)
    still = forces_at(rigid, phi, 30.0 * OMEGA)
    q = at_rest(contact, still)
    moving = forces_at(contact, phi, 30.0 * OMEGA, modal=q)
    pushes = moving.force[MODES]
    np.testing.assert_allclose(moving.torque, still.torque, rtol=1e-12)
    np.testing.assert_allclose(pushes, squares(contact) * q, atol=1e-12 * np.abs(pushes).max())
    # at most mu of the normal forces, on a mode that these hardly push perhaps more than that
    assert 0.0 < np.linalg.norm(moving.friction[MODES]) < 0.08 * np.linalg.norm(pushes)
    smooth = contact.lossless
    assert smooth is not None
    assert smooth.friction.kind == "none"
    assert smooth.modes is contact.modes


@names
def test_energy_of_modes_and_rest_is_that_of_the_contact(name):
    rigid, contact = contact_of(name), vibrating_contact_of(name)
    phi = rotations(contact, 0.04, 20e-6)
    still = forces_at(rigid, phi, tangent=False, energy=True)
    q = at_rest(contact, still)
    rest = forces_at(contact, phi, tangent=False, energy=True, modal=q).energy
    in_modes = 0.5 * float(q @ (squares(contact) * q))
    assert rest + in_modes == pytest.approx(still.energy, rel=1e-12)
    assert in_modes > 0.2 * still.energy  # they carry something


@names
def test_forces_are_derivatives_of_the_energy(name):
    contact = vibrating_contact_of(name)
    phi = rotations(contact, 0.04, 20e-6)
    rng = np.random.default_rng(4)
    q = at_rest(contact, forces_at(contact_of(name), phi))
    size = np.abs(q).max()
    q = q + 0.3 * size * rng.normal(size=len(q)) * squares(contact)[0] / squares(contact)
    pushes = forces_at(contact, phi, modal=q).force[MODES]
    data, step = contact.new_data(), 1e-4 * size

    def energy(x):
        return forces_at(contact, phi, data=data, tangent=False, energy=True, modal=x).energy

    slope = np.array([(energy(q + step * e) - energy(q - step * e)) / (2.0 * step) for e in np.eye(len(q))])
    # Gauss's rule in the load is exact to 1e-7 of the energy where strips are smooth in it, and to some 1e-4 where they
    # grow across the end of a flank, as in some slices of a helical pair
    np.testing.assert_allclose(-slope, pushes, atol=3e-4 * np.abs(pushes).max())


@pytest.mark.parametrize("coordinate", ["modal", "modal_gap_offset"])
def test_teeth_apart_in_flight_may_be_closed_by_their_vibration(coordinate):
    """A gap of the rigid flanks that the vibration, or what it is ahead, more than closes carries load."""
    contact = vibrating_contact_of()
    phi = rotations(contact, 0.04, -3e-6)
    assert not forces_at(contact, phi).force.any()
    turned = np.where(contact.modes[0].nodal_diameters == 0)[0][0]  # all teeth about the axis or along it
    q = np.zeros(sum(contact.mode_counts))
    moved = []
    for sign in (1.0, -1.0):
        q[turned] = sign * 20e-6 / np.abs(contact.on_faces(0, 0)[:, turned]).max()
        moved.append(bool(forces_at(contact, phi, **{coordinate: q}).force.any()))
    assert sorted(moved) == [False, True]  # one way they come closer, the other way they part


def test_growth_by_rotation_opens_the_gaps_of_gears_with_and_without_modes():
    """What the loads displace the faces by is given: modes at rest and what they leave of it are the whole of it."""
    rigid, faces = contact_of(), modes_on_faces("spur", "a")
    rng = np.random.default_rng(3)
    nf = [body.n_dof // rigid.n_pairs for body in rigid.bodies]
    answers = tuple(1e-12 * rng.normal(size=(1, n)) for n in nf)
    turning = rigid.turning(answers)
    loads, phi = np.array([[5e5], [2e5]]), rotations(rigid, 0.04, 20e-6)
    still, grown = forces_at(rigid, phi), forces_at(turning, phi, loads=loads)
    assert np.abs(grown.torque[0] - still.torque[0]) > 1.0
    # the same displacements put into the gap by modes that are given them: of nodal diameter 0, all teeth alike
    contact = rigid.vibrating(faces, answers)
    q = at_rest(contact, grown)
    np.testing.assert_allclose(forces_at(contact, phi, modal=q, loads=loads).torque, grown.torque, rtol=1e-12)
    np.testing.assert_array_equal(forces_at(turning, phi).torque, still.torque)  # no loads, no growth


def test_the_next_pair_has_the_next_tooth():
    assert teeth_of_slots(3, 0, 2) == [-2, -3, -4]
    assert teeth_of_slots(3, 1, 2) == [2, 3, 4]


def test_modes_of_other_faces_are_refused():
    with pytest.raises(Fault, match="normal modes"):
        contact_of("spur", bodies="both").vibrating(modes_on_faces("spur", "a"))


def test_another_number_of_modes_is_refused():
    contact = vibrating_contact_of()
    with pytest.raises(ValueError, match=r"modal: 3 numbers, the contact has 24"):
        forces_at(contact, rotations(contact, 0.04, 20e-6), modal=np.zeros(3))
