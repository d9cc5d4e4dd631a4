"""Displaced gears: the same as gears that are misaligned, forces from energy and statics, on springs as supports."""

from __future__ import annotations

import numpy as np
import pytest
from contact_answers import forces_at, points_at
from line_pairs import OMEGA, contact_of, rotations, solve

from alegear.contact.forces import N_SHIFTS, N_TURNS, MeshMotion, mesh_stiffness
from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.contact import LineContact
from alegear.contact.law import Friction

names = pytest.mark.parametrize("name", ["spur", "helical"])
flanks = pytest.mark.parametrize("flank", ["a", "b"])
SHIFT, TILT = 5e-6, 1e-4
#: A displacement in all directions; what a length of 40 mm makes of a tilt weighs as much as a shift.
DISPLACED = np.array([[SHIFT, -SHIFT, 2 * SHIFT, TILT, -TILT], [-2 * SHIFT, SHIFT, SHIFT, -TILT, 0.5 * TILT]])
IN_POSITION = np.zeros((2, N_SHIFTS))
STEPS = np.tile([1e-8, 1e-8, 1e-8, 1e-7, 1e-7], 2)
ARM = np.tile([1.0, 1.0, 1.0, 0.04, 0.04], 2)  # forces and moments in one measure
PHASE = 0.04
TURNS, SHIFTS = slice(N_TURNS), slice(N_TURNS, N_TURNS + 2 * N_SHIFTS)


def on_gears(forces) -> np.ndarray:
    """Forces and moments about x and y on both gears, shape (2, 5)."""
    return forces.force[SHIFTS].reshape(2, N_SHIFTS)


def alignment_of(contact: LineContact, s: np.ndarray) -> dict[str, float]:
    """Alignment of shafts that stand as displaced gears do: the pinion's against the wheel's."""
    alpha, loaded = contact.pair.alpha_wt, contact.sides[0].side
    across = np.array([np.sin(alpha), loaded * np.cos(alpha)])
    along = np.array([-np.cos(alpha), loaded * np.sin(alpha)])
    leaning = np.array([s[0, 4] - s[1, 4], s[1, 3] - s[0, 3]])
    return {"tilt_plane_of_action": float(leaning @ across), "tilt_normal": float(leaning @ along)}


@names
@flanks
@pytest.mark.parametrize("kind", ["none", "coulomb"])
def test_gears_in_their_positions_are_those_that_cannot_be_displaced(name, flank, kind):
    contact = contact_of(name, flank=flank, friction=Friction(kind=kind))
    phi = rotations(contact, PHASE, 20e-6)
    held, free = forces_at(contact, phi, OMEGA), forces_at(contact, phi, OMEGA, displacement=IN_POSITION)
    np.testing.assert_allclose(free.torque, held.torque, rtol=1e-12)
    np.testing.assert_allclose(free.torque_phi, held.torque_phi, rtol=1e-10)
    np.testing.assert_allclose(free.torque_omega, held.torque_omega, rtol=1e-10)
    assert len(held.force) == N_TURNS
    assert len(free.force) == N_TURNS + 2 * N_SHIFTS


def from_both_axes(contact: LineContact, forces, s: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Forces (m, 3) on the pinion at all points, and where they act from the axes of both gears as they stand there."""
    push, _, place = forces.loaded.unit_forces()
    offset = contact.pair.alignment.axial_offset
    own_z = place[:, 2] + np.array([[0.0], [offset]])
    axes = np.stack([s[:, :1] + s[:, 4:] * own_z, s[:, 1:2] - s[:, 3:4] * own_z, np.zeros_like(own_z)], axis=2)
    wheel = np.array([contact.pair.a_w, 0.0, -offset]) + axes[1] - axes[0]
    return forces.loaded.record.force[:, None] * push, [place, place - wheel]


@names
@flanks
@pytest.mark.parametrize("kind", ["none", "coulomb"])
@pytest.mark.parametrize("amount", [0.0, 1.0, 5.0])
def test_forces_on_both_gears_are_those_in_space(name, flank, kind, amount):
    """Axial offset included: its lever is that of the wheel's own mid-face."""
    offset = 2e-3
    contact = contact_of(name, flank=flank, friction=Friction(kind=kind), axial_offset=offset)
    s = amount * DISPLACED
    forces = forces_at(contact, rotations(contact, PHASE, 60e-6), OMEGA, displacement=s)
    force, moment = forces.force_on_pinion, forces.moment_on_pinion
    wheel = np.array([contact.pair.a_w, 0.0, -offset])
    expected = [[*force, *moment[:2]], [*-force, *(np.cross(wheel, force) - moment)[:2]]]
    # round-off of some hundred products
    size = np.linalg.norm(force)
    assert size > 1e3
    np.testing.assert_allclose(on_gears(forces) / ARM[:5], expected / ARM[:5], atol=1e-11 * size)
    # one place for both gears, half-way between those that they have it in as they stand
    push, (from_pinion, from_wheel) = from_both_axes(contact, forces, s)
    np.testing.assert_allclose(push.sum(axis=0), force, rtol=1e-12)
    half_way = np.cross(0.5 * (from_pinion + from_wheel + wheel), push).sum(axis=0)
    np.testing.assert_allclose(moment[:2], half_way[:2], atol=1e-12 * size)
    own = [np.cross(from_pinion, push)[:, 2].sum(), -np.cross(from_wheel, push)[:, 2].sum()]
    assert moment[2] == pytest.approx(own[0], rel=1e-12)
    if amount == 0.0 or name == "spur":
        np.testing.assert_allclose(forces.torque, [own[0], -own[1]], rtol=1e-10)


@names
@flanks
@pytest.mark.parametrize("amount", [0.0, 1.0, 5.0])
def test_rows_of_forces_are_the_derivatives_of_the_gaps(name, flank, amount):
    """Virtual work, point by point: across the axes to round-off, whatever the displacement."""
    contact = contact_of(name, flank=flank)
    data = contact.new_data(displaced=True)
    forces_at(contact, rotations(contact, PHASE, 60e-6), data=data, displacement=amount * DISPLACED)
    points, n = data.points, len(data.loaded_points)
    rows, by = points.generalized.opening[:n, SHIFTS], points.generalized.moves[:n, SHIFTS, kernels.MOVE_GAP]
    off = np.abs(rows - by) / ARM
    across = [0, 1, 5, 6]
    assert n > 2
    assert off[:, across].max() < 1e-14
    tips = [side.samples[0, -7, 0] for side in contact.sides[0][1:3]]
    table = points.found.table[data.loaded_points]
    inside = np.all(table[:, 1:3] < tips, axis=1)
    assert inside.any()
    # a lever of 40 mm has an overlap of 60 um in it
    assert off[inside].max() < 1e-3


@flanks
@pytest.mark.parametrize("member", [0, 1])
def test_a_displaced_spur_gear_is_one_that_is_misaligned(flank, member):
    contact = contact_of("spur", flank=flank)
    s = np.zeros((2, N_SHIFTS))
    s[member] = [0.0, 0.0, 0.0, 2e-4, -3e-4]
    aligned = contact_of("spur", flank=flank, **alignment_of(contact, s))
    phi = rotations(contact, PHASE, 20e-6)
    displaced, _, _ = points_at(contact, phi, 1e-4, displacement=s)
    misaligned, _, _ = points_at(aligned, phi, 1e-4)
    # the same numbers in another order: digits of a centre distance of 0.1 m
    np.testing.assert_allclose(displaced[:, kernels.GAP], misaligned[:, kernels.GAP], atol=1e-15)
    torque = forces_at(contact, phi, displacement=s).torque
    np.testing.assert_allclose(torque, forces_at(aligned, phi).torque, rtol=1e-9)


@flanks
def test_a_displaced_helical_pinion_is_one_that_is_misaligned(flank):
    contact = contact_of("helical", flank=flank)
    r_1 = contact.pair.a_w * 20 / 50
    s = np.zeros((2, N_SHIFTS))
    s[0] = [0.0, 0.0, -3e-4 * r_1, 2e-4, -3e-4]  # a misaligned pinion is tilted about the pitch point
    aligned = contact_of("helical", flank=flank, **alignment_of(contact, s))
    phi = rotations(contact, PHASE, 20e-6)
    displaced, _, _ = points_at(contact, phi, 1e-4, displacement=s)
    misaligned, _, _ = points_at(aligned, phi, 1e-4)
    tips = [side.samples[0, -7, 0] for side in contact.sides[0][1:3]]
    inside = np.all(displaced[:, 1:3] < tips, axis=1)
    assert inside.sum() >= 4
    # Along its axis a point moves by the tilt times its distance from the pitch point; here that of the rotation is
    # taken, there that of the roll length. They are one on the line of action, but for what the tilt itself moves the
    # contact along it: 3e-4 x 15 mm over tan 20 deg, 12 um, times the tilt and the helix
    np.testing.assert_allclose(displaced[inside, kernels.GAP], misaligned[inside, kernels.GAP], atol=2e-9)


def test_moved_apart_is_another_centre_distance():
    contact = contact_of()
    s = np.zeros((2, N_SHIFTS))
    s[:, 0] = [-20e-6, 30e-6]
    apart = contact_of("spur", center_distance_error=50e-6)
    # rotations count from the contact at the pitch point, which has moved
    turned = apart.reference_angle - contact.reference_angle
    phi = rotations(contact, PHASE, 60e-6)
    displaced, _, _ = points_at(contact, phi, 2e-4, displacement=s)
    other, _, _ = points_at(apart, phi - turned * np.array([1.0, -1.0]), 2e-4)
    # knots of both profiles lie in the same positions
    np.testing.assert_allclose(displaced[:, kernels.GAP], other[:, kernels.GAP], atol=1e-12)


@names
def test_forces_are_the_derivatives_of_the_energy(name):
    contact = contact_of(name)
    phi, data = rotations(contact, PHASE, 20e-6), contact.new_data(displaced=True)

    def energy(s):
        motion = MeshMotion(phi=phi, displacement=s.reshape(2, N_SHIFTS))
        return contact.evaluate(data, motion, tangent=False, energy=True).energy

    begin = DISPLACED.ravel()
    slope = np.array([(energy(begin + d) - energy(begin - d)) / (2.0 * d.max()) for d in np.diag(STEPS)])
    push = forces_at(contact, phi, displacement=DISPLACED).force[SHIFTS]
    size = np.abs(push / ARM).max()
    # the contact moves over flanks of changing compliance, whose work the forces do not know (README, section 6); a
    # coarse grid, of four elements across the tooth, exaggerates it
    np.testing.assert_allclose(-slope / ARM, push / ARM, atol=5e-3 * size)


# ------------------------------------------------------------------------------------------------ on springs
def spring(k: float, coupling: float = 0.0) -> np.ndarray:
    """Stiffness of both supports: k [N/m] in all directions, that of tilting on 30 mm, and a shaft that bends."""
    K = k * np.diag([1.0, 1.0, 1.0, 9e-4, 9e-4])
    K[0, 4] = K[4, 0] = coupling * k * 0.03
    K[1, 3] = K[3, 1] = -coupling * k * 0.03
    return np.kron(np.eye(2), K)


def settle(contact: LineContact, K: np.ndarray, torque: float):
    """Newton's method on the pinion's rotation and the displacements on springs, ended after few steps.

    Returns the deflection [m], the displacements, the forces and the residuals of all steps over the load.
    """
    side = 1.0 if contact.flank == "a" else -1.0
    r_b, data, residuals = contact.pair.pinion.r_b, contact.new_data(displaced=True), []
    force = torque / r_b
    # those of teeth and springs for a force along the line of action
    x = np.concatenate([[20e-6 + 2.0 * force / K[0, 0]], np.zeros(2 * N_SHIFTS)])
    for _ in range(14):
        phi = rotations(contact, PHASE, x[0])
        forces = forces_at(contact, phi, OMEGA, data=data, displacement=x[1:].reshape(2, N_SHIFTS))
        misses = np.concatenate([[(side * forces.torque[0] + torque) / r_b], (K @ x[1:] - forces.force[SHIFTS]) / ARM])
        residuals.append(np.abs(misses).max() / force)
        if residuals[-1] < 1e-12:
            return x[0], x[1:].reshape(2, N_SHIFTS), forces, residuals
        J = forces.by_coordinate
        turning = J[:, 0] * side / r_b  # by the deflection
        tangent = np.block(
            [
                [np.array([[side * turning[0] / r_b]]), side * J[None, 0, SHIFTS] / r_b],
                [-(turning[SHIFTS] / ARM)[:, None], (K - J[SHIFTS, SHIFTS]) / ARM[:, None]],
            ]
        )
        x = x - np.linalg.solve(tangent, misses)
    raise AssertionError(f"no equilibrium: {residuals}")


@names
@flanks
@pytest.mark.parametrize("friction", [Friction(), Friction(kind="coulomb", mu_dynamic=0.08, v_static=1e-3)])
def test_newtons_method_on_springs_converges_quadratically(name, flank, friction):
    contact = contact_of(name, flank=flank, friction=friction)
    _, s, forces, residuals = settle(contact, spring(2e8, 0.6), 300.0)
    last = np.array(residuals[-4:])
    assert np.any(last[1:] < 50.0 * last[:-1] ** 2)
    # the torque is the moment about the gear's own axis, which is tilted by half of what the shafts lean against each
    # other by from where both flanks have one normal; what leaning displaces at tip edges is that of the flanks
    push, levers = from_both_axes(contact, forces, s)
    tilt_x, tilt_y = 0.5 * (s[0, 3:] - s[1, 3:])
    for gear, (lever, sign) in enumerate(zip(levers, (1.0, -1.0), strict=True)):
        axis = np.array([sign * tilt_y, -sign * tilt_x, 1.0])
        own_z = levers[0][:, 2:]
        moment = np.cross(lever + own_z * (axis - [0.0, 0.0, 1.0]), sign * push).sum(axis=0)
        assert moment @ axis == pytest.approx(sign * forces.torque[gear], rel=5e-5)


@flanks
def test_soft_springs_add_their_own_deflection(flank):
    k, torque = 3e8, 300.0
    contact = contact_of("spur", flank=flank)
    held, _, _, _ = settle(contact, spring(1e16), torque)
    given, s, _, _ = settle(contact, spring(k), torque)
    force = torque / contact.pair.pinion.r_b
    # both gears yield along the line of action by F/k; across it they part by 9 um, which moves the contact by 3e-4
    # of its position and the pressure angle by as much
    assert given - held == pytest.approx(2.0 * force / k, rel=2e-3)
    assert np.allclose(s[:, [2, 3, 4]], 0.0, atol=1e-12)


@names
def test_stiffness_at_the_shaft_is_that_of_the_deflection(name):
    contact, K = contact_of(name), spring(2e8, 0.5)
    lower, upper = (settle(contact, K, torque)[0] for torque in (299.9, 300.1))
    expected = 0.2 / contact.pair.pinion.r_b / (upper - lower)
    J = settle(contact, K, 300.0)[2].by_coordinate
    condensed = J[TURNS, TURNS] + J[TURNS, SHIFTS] @ np.linalg.solve(K - J[SHIFTS, SHIFTS], J[SHIFTS, TURNS])
    r_b = np.array([gear.r_b for gear in contact.pair.gears])
    # the third derivative of the deflection: (0.1/300)^2 of it
    assert mesh_stiffness(condensed, r_b, 0) == pytest.approx(expected, rel=1e-6)
    assert mesh_stiffness(J[TURNS, TURNS], r_b, 0) > 3.0 * expected  # of the teeth and wheels alone


@names
def test_mesh_stiffness_is_that_of_axes_held_where_they_stand(name):
    """What bearings change of it is the position that they give way to: the less, the stiffer they are."""
    contact = contact_of(name)
    r_b = np.array([gear.r_b for gear in contact.pair.gears])
    held = solve(contact, PHASE, 300.0).mesh_stiffness
    soft, stiff, rigid = (
        abs(mesh_stiffness(settle(contact, spring(k), 300.0)[2].torque_phi, r_b, 0) / held - 1.0)
        for k in (2e9, 2e10, 2e14)
    )
    assert soft == pytest.approx(10.0 * stiff, rel=0.1)
    assert rigid < 1e-6


def test_displacements_need_data_that_have_them():
    contact = contact_of()
    with pytest.raises(ValueError, match="displaced=True"):
        forces_at(contact, rotations(contact, PHASE, 20e-6), data=contact.new_data(), displacement=DISPLACED)
