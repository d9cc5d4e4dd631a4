"""Gears with normal modes in contact: at rest the contact without them, forces from energy, tangents."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from line_pairs import COARSE, OMEGA, contact_of, rotations

from alegear.contact.hertz.vibrating import FaceModes, VibratingContact, teeth_of_slots
from alegear.contact.law import Friction
from alegear.errors import Fault
from alegear.fe import Material
from alegear.mesh import mesh_sector
from alegear.reduction.normal_modes import NormalModes, find_normal_modes
from alegear.reduction.sector_condensation import face_grids

N_MODES = 12
STEEL = Material(E=2.06e11)
names = pytest.mark.parametrize("name", ["spur", "helical"])
flanks = pytest.mark.parametrize("flank", ["a", "b"])


@cache
def modes_of(name: str, gear: int) -> NormalModes:
    return find_normal_modes(mesh_sector(contact_of(name).pair.gears[gear], COARSE), STEEL, N_MODES)


def on_faces(modes: NormalModes, faces: str) -> FaceModes:
    nodes = np.concatenate([grid.ravel() for grid in face_grids(modes.sector, faces)])
    amplitudes = np.ascontiguousarray(modes.amplitudes[:, nodes].reshape(modes.n_modes, -1))
    return FaceModes(
        frequencies=modes.frequencies,
        nodal_diameters=modes.nodal_diameters,
        amplitudes=amplitudes,
        teeth=modes.teeth,
    )


def vibrating(name="spur", flank="a", bodies="", **options) -> VibratingContact:
    contact = contact_of(name, flank=flank, bodies=bodies, **options)
    faces = bodies or flank
    return VibratingContact.with_modes(
        contact, (on_faces(modes_of(name, 0), faces), on_faces(modes_of(name, 1), faces))
    )


def squares(contact: VibratingContact) -> np.ndarray:
    return np.concatenate([modes.frequencies**2 for modes in contact.modes])


@names
@flanks
@pytest.mark.parametrize("first_pair", [0, 1, -3])
def test_at_rest_it_is_the_contact_without_modes(name, flank, first_pair):
    contact = vibrating(name, flank)
    phi = rotations(contact, 0.04, 20e-6)
    still = contact.evaluate(phi, OMEGA, first_pair=first_pair)
    q = contact.at_rest(still.face_force, first_pair)
    moving = contact.evaluate_at(phi, q, OMEGA, first_pair=first_pair)
    # the same equations in another order: round-off of the loads
    np.testing.assert_allclose(moving.torque, still.torque, rtol=1e-12)
    np.testing.assert_allclose(moving.loaded.record.force, still.loaded.record.force, rtol=1e-11)
    np.testing.assert_allclose(moving.push, squares(contact) * q, atol=1e-12 * np.abs(moving.push).max())
    # modes that follow the loads give the tangent of the contact without them, but for their slope along the flank
    followed = np.linalg.solve(np.diag(squares(contact)) - moving.push_y, moving.push_phi)
    np.testing.assert_allclose(moving.torque_phi + moving.torque_y @ followed, still.torque_phi, rtol=2e-3)


def test_back_flanks_have_modes_too():
    contact = vibrating("spur", "a", bodies="both")
    phi = rotations(contact, 0.04, -5e-6)  # without backlash the back flanks touch
    still = contact.evaluate(phi, OMEGA)
    assert abs(still.torque[0]) > 1.0
    q = contact.at_rest(still.face_force, 0)
    np.testing.assert_allclose(contact.evaluate_at(phi, q, OMEGA).torque, still.torque, rtol=1e-12)


def test_friction_is_felt_by_the_modes():
    contact = vibrating("spur", friction=Friction(kind="coulomb", mu_dynamic=0.08, v_static=1e-3))
    phi = rotations(contact, 0.2, 20e-6)
    still = contact.evaluate(phi, 30.0 * OMEGA)
    q = contact.at_rest(still.face_force, 0)
    moving = contact.evaluate_at(phi, q, 30.0 * OMEGA)
    np.testing.assert_allclose(moving.torque, still.torque, rtol=1e-12)
    np.testing.assert_allclose(moving.push, squares(contact) * q, atol=1e-12 * np.abs(moving.push).max())
    assert contact.lossless.friction.kind == "none"


@names
def test_energy_of_modes_and_rest_is_that_of_the_contact(name):
    contact = vibrating(name)
    phi = rotations(contact, 0.04, 20e-6)
    still = contact.evaluate(phi, tangent=False, energy=True)
    q = contact.at_rest(still.face_force, 0)
    rest = contact.evaluate_at(phi, q, tangent=False, energy=True).energy
    in_modes = 0.5 * float(q @ (squares(contact) * q))
    assert rest + in_modes == pytest.approx(still.energy, rel=1e-12)
    assert in_modes > 0.2 * still.energy  # they carry something


@names
def test_forces_and_tangents_are_derivatives(name):
    contact = vibrating(name)
    phi = rotations(contact, 0.04, 20e-6)
    rng = np.random.default_rng(4)
    q = contact.at_rest(contact.evaluate(phi).face_force, 0)
    size = np.abs(q).max()
    q = q + 0.3 * size * rng.normal(size=len(q)) * squares(contact)[0] / squares(contact)
    moving = contact.evaluate_at(phi, q)

    def answer(x):
        there = contact.evaluate_at(x[:2], x[2:])
        return np.concatenate([there.torque, there.push])

    def energy(x):
        return contact.evaluate_at(phi, x, tangent=False, energy=True).energy

    steps = np.concatenate([[1e-7, 1e-7], np.full(len(q), 1e-4 * size)])
    x = np.concatenate([phi, q])
    expected = np.column_stack([(answer(x + d) - answer(x - d)) / (2.0 * d.max()) for d in np.diag(steps)])
    given = np.block([[moving.torque_phi, moving.torque_y], [moving.push_phi, moving.push_y]])
    weight = np.sqrt(np.abs(np.diag(expected)).clip(1e-3 * np.abs(np.diag(expected)[2:]).max()))
    weight[:2] = np.sqrt(np.abs(np.diag(expected)[:2]))
    # what modes move teeth by changes over the flank, which the coupled part of the tangent leaves out: 20 um of 5 mm
    np.testing.assert_allclose(given / np.outer(weight, weight), expected / np.outer(weight, weight), atol=2e-3)
    np.testing.assert_allclose(given[:2, :2], expected[:2, :2], rtol=1e-6)  # exact
    slope = np.array([(energy(q + d) - energy(q - d)) / (2.0 * d.max()) for d in np.diag(steps[2:])])
    # modes shift no contact along the flanks in the first order; the second is 1e-4 of it on a helical pair
    np.testing.assert_allclose(-slope, moving.push, atol=3e-4 * np.abs(moving.push).max())


def test_teeth_apart_in_flight_may_be_closed_by_their_vibration():
    """A gap of the rigid flanks that the vibration more than closes carries load."""
    contact = vibrating()
    phi = rotations(contact, 0.04, -3e-6)
    assert not contact.evaluate(phi).torque.any()
    turned = np.where(contact.modes[0].nodal_diameters == 0)[0][0]  # all teeth about the axis or along it
    q = np.zeros(sum(contact.counts))
    moved = []
    for sign in (1.0, -1.0):
        q[turned] = sign * 20e-6 / np.abs(contact.on_faces(0, 0)[:, turned]).max()
        moved.append(bool(contact.evaluate_at(phi, q).torque.any()))
    assert sorted(moved) == [False, True]  # one way they come closer, the other way they part


def test_the_next_pair_has_the_next_tooth():
    assert teeth_of_slots(3, 0, 2) == [-2, -3, -4]
    assert teeth_of_slots(3, 1, 2) == [2, 3, 4]


def test_modes_of_other_faces_are_refused():
    contact = contact_of("spur", bodies="both")
    with pytest.raises(Fault, match="normal modes"):
        VibratingContact.with_modes(contact, (on_faces(modes_of("spur", 0), "a"), on_faces(modes_of("spur", 1), "a")))
