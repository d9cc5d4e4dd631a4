"""Gears displaced by their supports: the same as gears that stand so, forces from energy, tangents, equilibrium."""

from __future__ import annotations

import numpy as np
import pytest
from line_pairs import OMEGA, contact_of, rotations, solve

from alegear.contact.forces import mesh_stiffness
from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.supported import N_SHIFTS, SupportedContact
from alegear.contact.law import Friction
from alegear.errors import NonConvergence

names = pytest.mark.parametrize("name", ["spur", "helical"])
flanks = pytest.mark.parametrize("flank", ["a", "b"])
SHIFT, TILT = 5e-6, 1e-4
#: A displacement in all directions; what a length of 40 mm makes of a tilt weighs as much as a shift.
DISPLACED = np.array([[SHIFT, -SHIFT, 2 * SHIFT, TILT, -TILT], [-2 * SHIFT, SHIFT, SHIFT, -TILT, 0.5 * TILT]])
STEPS = np.tile([1e-8, 1e-8, 1e-8, 1e-7, 1e-7], 2)
ARM = np.tile([1.0, 1.0, 1.0, 0.04, 0.04], 2)  # forces and moments in one measure
PHASE = 0.04


def stiff(k: float, coupling: float = 0.0) -> np.ndarray:
    """A stiffness of k [N/m] in all directions, with that of tilting on 30 mm, and a shaft that bends."""
    K = k * np.diag([1.0, 1.0, 1.0, 9e-4, 9e-4])
    K[0, 4] = K[4, 0] = coupling * k * 0.03
    K[1, 3] = K[3, 1] = -coupling * k * 0.03
    return K


def supported(name="spur", flank="a", k=5e8, coupling=0.0, **options) -> SupportedContact:
    contact = contact_of(name, flank=flank, **options)
    return SupportedContact.on_supports(contact, (stiff(k, coupling), stiff(k, coupling)))


def alignment_of(contact, s) -> dict[str, float]:
    """Alignment of shafts that stand as displaced gears do: the pinion's against the wheel's."""
    alpha, loaded = contact.pair.alpha_wt, contact.sides[0].side
    across = np.array([np.sin(alpha), loaded * np.cos(alpha)])
    along = np.array([-np.cos(alpha), loaded * np.sin(alpha)])
    leaning = np.array([s[0, 4] - s[1, 4], s[1, 3] - s[0, 3]])
    return {"tilt_plane_of_action": float(leaning @ across), "tilt_normal": float(leaning @ along)}


@names
@flanks
def test_gears_in_their_places_are_those_on_hinges(name, flank):
    contact = supported(name, flank)
    phi = rotations(contact, PHASE, 20e-6)
    held, free = contact.on_hinges.evaluate(phi, OMEGA), contact.evaluate_at(phi, np.zeros((2, N_SHIFTS)), OMEGA)
    # the active set starts from other loads: round-off of some iterations
    np.testing.assert_allclose(free.torque, held.torque, rtol=1e-10)
    np.testing.assert_allclose(free.torque_phi, held.torque_phi, rtol=1e-8)
    np.testing.assert_allclose(free.wrench[0, :3], held.force_on_pinion, atol=1e-8 * np.abs(held.force_on_pinion).max())


@flanks
@pytest.mark.parametrize("member", [0, 1])
def test_a_displaced_spur_gear_is_one_that_is_misaligned(flank, member):
    contact = supported("spur", flank)
    s = np.zeros((2, N_SHIFTS))
    s[member] = [0.0, 0.0, 0.0, 2e-4, -3e-4]
    aligned = contact_of("spur", flank=flank, **alignment_of(contact, s))
    phi = rotations(contact, PHASE, 20e-6)
    contact.displace(s)
    displaced, _, _ = contact.find(contact.sides[0], phi, 1e-4)
    misaligned, _, _ = aligned.find(aligned.sides[0], phi, 1e-4)
    # the same numbers in another order: digits of a centre distance of 0.1 m
    np.testing.assert_allclose(displaced[:, kernels.GAP], misaligned[:, kernels.GAP], atol=1e-15)
    np.testing.assert_allclose(contact.evaluate_at(phi, s).torque, aligned.evaluate(phi).torque, rtol=1e-9)


@flanks
def test_a_displaced_helical_pinion_is_one_that_is_misaligned(flank):
    contact = supported("helical", flank)
    r_1 = contact.pair.a_w * 20 / 50
    s = np.zeros((2, N_SHIFTS))
    s[0] = [0.0, 0.0, -3e-4 * r_1, 2e-4, -3e-4]  # a misaligned pinion is tilted about the pitch point
    aligned = contact_of("helical", flank=flank, **alignment_of(contact, s))
    phi = rotations(contact, PHASE, 20e-6)
    contact.displace(s)
    displaced, _, _ = contact.find(contact.sides[0], phi, 1e-4)
    misaligned, _, _ = aligned.find(aligned.sides[0], phi, 1e-4)
    tips = [side.samples[0, -7, 0] for side in contact.profiles[0]]
    inside = np.all(displaced[:, 1:3] < tips, axis=1)
    assert inside.sum() >= 4
    # Along its axis a point moves by the tilt times its way from the pitch point; here that of the rotation is taken,
    # there that of the roll length. They are one on the line of action, but for what the tilt itself moves the contact
    # along it: 3e-4 x 15 mm over tan 20 deg, 12 um, times the tilt and the helix
    np.testing.assert_allclose(displaced[inside, kernels.GAP], misaligned[inside, kernels.GAP], atol=2e-9)


def test_moved_apart_is_another_centre_distance():
    contact = supported()
    s = np.zeros((2, N_SHIFTS))
    s[:, 0] = [-20e-6, 30e-6]
    apart = contact_of("spur", center_distance_error=50e-6)
    # rotations count from the contact at the pitch point, which has moved
    turned = apart.reference_angle - contact.reference_angle
    phi = rotations(contact, PHASE, 60e-6)
    contact.displace(s)
    displaced, _, _ = contact.find(contact.sides[0], phi, 2e-4)
    other, _, _ = apart.find(apart.sides[0], phi - turned * np.array([1.0, -1.0]), 2e-4)
    # knots of both profiles lie in the same places
    np.testing.assert_allclose(displaced[:, kernels.GAP], other[:, kernels.GAP], atol=1e-12)


@names
def test_forces_are_the_derivatives_of_the_energy(name):
    contact = supported(name)
    phi = rotations(contact, PHASE, 20e-6)

    def energy(s):
        return contact.evaluate_at(phi, s.reshape(2, N_SHIFTS), tangent=False, energy=True).energy

    slope = np.array(
        [(energy(DISPLACED.ravel() + d) - energy(DISPLACED.ravel() - d)) / (2.0 * d.max()) for d in np.diag(STEPS)]
    )
    push = contact.evaluate_at(phi, DISPLACED).push
    size = np.abs(push / ARM).max()
    # the contact moves over flanks of changing compliance, whose work the forces do not know (README, section 6); a
    # coarse grid, of four elements across the tooth, exaggerates it; levers are of gears that are not displaced
    np.testing.assert_allclose(-slope / ARM, push / ARM, atol=5e-3 * size)


@names
@flanks
def test_tangents(name, flank):
    contact = supported(name, flank)
    phi = rotations(contact, PHASE, 20e-6)
    forces = contact.evaluate_at(phi, DISPLACED)

    def answer(x):
        there = contact.evaluate_at(x[:2], x[2:].reshape(2, N_SHIFTS))
        return np.concatenate([there.torque, there.push])

    x = np.concatenate([phi, DISPLACED.ravel()])
    expected = np.column_stack(
        [(answer(x + d) - answer(x - d)) / (2.0 * d.max()) for d in np.diag(np.concatenate([[1e-7, 1e-7], STEPS]))]
    )
    arm = np.concatenate([[0.04, 0.06], ARM])
    tangent = np.block([[forces.torque_phi, forces.torque_y], [forces.push_phi, forces.push_y]]) / np.outer(arm, arm)
    expected /= np.outer(arm, arm)
    # forces turn with the flanks and move over them: F/rho beside the stiffness of the teeth, 5 kN/10 mm to 0.5 N/nm
    np.testing.assert_allclose(tangent, expected, atol=5e-3 * np.abs(expected).max())
    np.testing.assert_allclose(tangent[:2, :2], expected[:2, :2], atol=1e-6 * np.abs(expected).max())  # exact


@names
@flanks
@pytest.mark.parametrize("friction", [Friction(), Friction(kind="coulomb", mu_dynamic=0.08, v_static=1e-3)])
def test_supports_carry_the_contact_forces(name, flank, friction):
    contact = supported(name, flank, k=2e8, coupling=0.6, friction=friction)
    driver = "pinion" if flank == "a" else "wheel"
    forces = solve(contact, PHASE, 300.0, driver=driver).forces
    carried = np.einsum("gij,gj->gi", contact.stiffness, forces.displacement)
    size = np.linalg.norm(forces.wrench[0, :3])
    # 1e-12 of the force, by the tolerance of the search
    np.testing.assert_allclose(carried, forces.wrench, atol=2e-12 * size)
    np.testing.assert_allclose(forces.wrench[0, :3] + forces.wrench[1, :3], 0.0, atol=1e-14 * size)
    assert forces.torque[0] == pytest.approx(-300.0 if flank == "a" else 300.0, rel=1e-10)
    # the torque is the moment about the gear's own axis, which is tilted; levers are of gears in their places, and lack
    # what a tilt of 1e-3 displaces the face ends by, 20 um of 40 mm, times the part of the forces that is off centre
    tilt_x, tilt_y = forces.displacement[0, 3:]
    about_axis = forces.moment_on_pinion @ np.array([tilt_y, -tilt_x, 1.0])
    assert about_axis == pytest.approx(forces.torque[0], rel=1e-4)


@flanks
def test_soft_supports_add_their_own_way(flank):
    driver = "pinion" if flank == "a" else "wheel"
    k, torque = 3e8, 300.0
    contact = supported("spur", flank, k=k)
    held = solve(contact.on_hinges, PHASE, torque, driver=driver).deflection
    given = solve(contact, PHASE, torque, driver=driver)
    force = torque / contact.pair.pinion.r_b
    # both gears yield along the line of action by F/k; across it they part by 9 um, which moves the contact by 3e-4
    # of its way and the pressure angle by as much
    assert given.deflection - held == pytest.approx(2.0 * force / k, rel=2e-3)
    assert np.allclose(given.forces.displacement[:, [2, 3, 4]], 0.0, atol=1e-12)


@names
def test_stiffness_at_the_shaft_is_that_of_the_deflection(name):
    contact = supported(name, k=2e8, coupling=0.5)
    lower, upper = (solve(contact, PHASE, torque).deflection for torque in (299.0, 301.0))
    expected = 2.0 / contact.pair.pinion.r_b / (upper - lower)
    # exact but for how forces turn with the flanks
    given = solve(contact, PHASE, 300.0)
    r_b = np.array([gear.r_b for gear in contact.pair.gears])
    assert mesh_stiffness(given.forces.torque_phi, r_b, 0) == pytest.approx(expected, rel=3e-3)
    assert given.mesh_stiffness > 3.0 * expected  # of the teeth and wheels alone


@names
def test_mesh_stiffness_is_that_of_axes_held_where_they_stand(name):
    """What bearings change of it is the place that they give way to: the less, the stiffer they are."""
    hinges = solve(supported(name).on_hinges, PHASE, 300.0).mesh_stiffness
    soft, stiff_, rigid = (
        abs(solve(supported(name, k=k), PHASE, 300.0).mesh_stiffness / hinges - 1.0) for k in (2e9, 2e10, 2e14)
    )
    assert soft == pytest.approx(10.0 * stiff_, rel=0.1)
    assert rigid < 1e-6


def test_weight_hangs_on_the_supports():
    weight = np.zeros((2, N_SHIFTS))
    weight[0, 1] = -50.0
    contact = contact_of("spur")
    contact = SupportedContact.on_supports(contact, (stiff(1e8), None), weight)
    forces = contact.evaluate(rotations(contact, PHASE, -1e-4))  # flanks do not touch
    np.testing.assert_allclose(forces.displacement[0], [0.0, -5e-7, 0.0, 0.0, 0.0], atol=1e-18)
    np.testing.assert_array_equal(forces.displacement[1], 0.0)
    assert not forces.torque.any()


def test_supports_too_soft_are_refused_with_a_remedy():
    contact = supported("spur", k=1e4)  # 20 kN/mm is what bearings have, 10 N/mm is a spring of a pen
    with pytest.raises(NonConvergence, match=r"stiffness_N_per_m|reduce pinion_torque_Nm"):
        solve(contact, PHASE, 300.0)
