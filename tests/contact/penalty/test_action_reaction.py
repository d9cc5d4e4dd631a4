"""Forces on both gears are equal and opposite; loads of pairs and slices add up; a turn by a pitch changes nothing.

What is exact: the nodal forces of a contact on its two teeth have opposite resultants, because both interpolations are
partitions of unity. Without friction the force at the Gauss point and its reaction at the foot share one line, so their
moments about any point are opposite too. The nodal forces act at undeformed nodes, and the torque, being the derivative
of the energy, contains the slope of the deformed flank as well: it differs from the moment of the forces in first order
of the displacement, that is by 1e-3 here, and not at all on rigid flanks.
"""

from dataclasses import replace

import numpy as np
import pytest
from contact_answers import forces_at
from numpy.testing import assert_allclose
from small_pair import NO_FRICTION, RELIEVED, contact_pair, penalty, rotations

from alegear.contact.law import Friction
from alegear.contact.numbering import PINION, SPIN, WHEEL, loaded_flank, slot_order
from alegear.contact.penalty import _kernels as kernels
from alegear.contact.penalty.search import SearchRoom

ROUGH = Friction(kind="coulomb", mu_dynamic=0.07, v_static=1e-3)
OMEGA = np.array([30.0, 20.0])
ROUND_OFF = 1e-12

passes = pytest.mark.parametrize("pass_weight", [1.0, 0.0, 0.3], ids=["first pass", "second pass", "both"])
drivers = pytest.mark.parametrize("driver", ["pinion", "wheel"])


def loaded_state(driver="pinion", friction=NO_FRICTION, deflection=2e-5, phase=0.37, **options):
    contact = contact_pair(driver=driver, friction=friction, **options)
    phi = rotations(contact, phase, deflection, driver)
    return contact, phi, forces_at(contact, phi, OMEGA)


def nodal_in_space(contact, phi, forces, gear):
    """Nodal forces (n_pairs, n_nodes, 2) of a gear [N], turned from the tooth frames into space."""
    f = forces.nodal_force[gear].reshape(contact.n_pairs, -1, 2)
    angle = contact.search.tooth_angle(gear, phi, np.arange(contact.n_pairs))[:, None]
    turned = f.copy().view(complex)[..., 0] * np.exp(1j * angle)
    return np.stack([turned.real, turned.imag], axis=-1)


def nodes_in_space(contact, phi, gear):
    """The undeformed nodes (n_pairs, n_nodes, 2) [m], seen from the pinion's axis."""
    flank, profile = contact.flanks[gear], contact.pair.gears[gear].tooth_profile
    xy = profile.points(np.repeat(flank.grid.rows_s, len(flank.grid.cols_z))) * [1.0, flank.side]
    angle = contact.search.tooth_angle(gear, phi, np.arange(contact.n_pairs))[:, None]
    turned = (xy[:, 0] + 1j * xy[:, 1]) * np.exp(1j * angle) + (contact.pair.a_w if gear == WHEEL else 0.0)
    return np.stack([turned.real, turned.imag], axis=-1)


def moment(point, force):
    return point[..., 0] * force[..., 1] - point[..., 1] * force[..., 0]


@drivers
@passes
@pytest.mark.parametrize("friction", [NO_FRICTION, ROUGH], ids=["smooth", "rough"])
def test_nodal_forces_of_each_pair_are_opposite(driver, pass_weight, friction):
    contact, phi, forces = loaded_state(driver, friction, law=penalty(pass_weight=pass_weight))
    on_pinion, on_wheel = (nodal_in_space(contact, phi, forces, gear).sum(axis=1) for gear in (PINION, WHEEL))
    scale = np.abs(on_pinion).max()
    assert scale > 1e3
    assert (np.abs(on_pinion).max(axis=1) > 0.0).sum() == 2  # two pairs carry
    assert_allclose(on_pinion, -on_wheel, rtol=0.0, atol=ROUND_OFF * scale)
    assert_allclose(on_pinion.sum(axis=0), forces.force_on_pinion[:2], rtol=0.0, atol=ROUND_OFF * scale)
    assert forces.force_on_pinion[2] == 0.0


@drivers
@passes
def test_moments_of_the_contact_points_are_opposite(driver, pass_weight):
    """Gauss point and foot lie on one normal: exact about any common point."""
    contact, phi, _ = loaded_state(driver, law=penalty(pass_weight=pass_weight))
    found = contact.search.find(SearchRoom(), phi, 1e-4)
    t = found.table
    at_gauss = t[:, [kernels.X_X, kernels.X_Y]]
    normal = t[:, [kernels.NX, kernels.NY]]
    at_foot = at_gauss - t[:, [kernels.G_PROFILE]] * normal
    assert_allclose(moment(at_gauss, normal), moment(at_foot, normal), rtol=0.0, atol=1e-16)
    curve = [
        kernels.curve_at(flank.knots[0], flank.curve[0], s)[:2]
        for flank, rows in zip(contact.flanks[::-1], found.passes, strict=True)
        for s in t[rows, kernels.S_FOOT]
    ]
    assert_allclose(at_foot, curve, rtol=0.0, atol=1e-14)


@drivers
def test_moments_of_the_nodal_forces_are_opposite(driver):
    """About one point; off by the interpolation of the flank's shape through its nodes, of third order."""

    def mismatch(flank_elements):
        worst = 0.0
        for phase in (0.37, 0.42, 0.6):
            contact, phi, forces = loaded_state(driver, flank_elements=flank_elements, phase=phase)
            m = [
                moment(nodes_in_space(contact, phi, g), nodal_in_space(contact, phi, forces, g)).sum()
                for g in (PINION, WHEEL)
            ]
            worst = max(worst, abs(m[0] + m[1]) / abs(m[0]))
        return worst

    assert mismatch(8) < 1e-5
    assert mismatch(16) < 0.3 * mismatch(8)  # 1/8 at one place; the places of the contacts in their elements differ


def out_of_balance(contact, forces):
    """Torques on both gears and the moment of the forces between their axes, which together should be nothing."""
    on_wheel = -forces.force_on_pinion
    total = SPIN @ forces.torque + contact.pair.a_w * on_wheel[1]
    return abs(total) / np.abs(forces.torque).max()


@drivers
@pytest.mark.parametrize("friction", [NO_FRICTION, ROUGH], ids=["smooth", "rough"])
def test_torques_balance_on_rigid_flanks(driver, friction):
    contact = contact_pair(driver=driver, friction=friction)
    contact = replace(contact, compliance=tuple(1e-9 * C for C in contact.compliance))
    for phase in (-0.33, 0.12, 0.37):
        forces = forces_at(contact, rotations(contact, phase, 2e-6, driver), OMEGA)
        assert forces.torque.any()
        # displacements of 1e-14 m; friction turns about the Gauss point on both gears, 1e-6 m off the foot
        assert out_of_balance(contact, forces) < (1e-9 if friction is NO_FRICTION else 1e-5)


@drivers
def test_torques_balance_to_first_order_of_the_displacement(driver):
    """On bodies so stiff that the layer sets the forces, displacement and imbalance both go with the compliance."""
    contact = contact_pair(driver=driver)
    phi = rotations(contact, 0.37, 2e-5, driver)
    assert out_of_balance(contact, forces_at(contact, phi)) < 2e-3

    def residual(scale):
        stiff = replace(contact, compliance=tuple(scale * C for C in contact.compliance))
        return out_of_balance(contact, forces_at(stiff, phi))

    assert residual(1e-3) / residual(1e-4) == pytest.approx(10.0, rel=0.05)  # the bodies still take 1 % of the approach


@drivers
@pytest.mark.parametrize("friction", [NO_FRICTION, ROUGH], ids=["smooth", "rough"])
def test_loads_add_up(driver, friction):
    contact, _, forces = loaded_state(driver, friction, phase=0.3)
    assert_allclose(forces.pair_torque.sum(axis=0), forces.torque, rtol=ROUND_OFF)
    assert (forces.normal_force >= 0.0).all()
    line_load, pressure = forces.slices.line_load, forces.slices.pressure
    load = (line_load * np.diff(contact.slices())).sum(axis=1)
    by_pair = [forces.normal_force[forces.slot == j].sum() for j in range(contact.n_pairs)]
    assert_allclose(load, by_pair, rtol=ROUND_OFF)
    assert pressure.max() == forces.pressure.max()
    assert_allclose(line_load, line_load[:, ::-1], rtol=1e-9, atol=1e-6)  # the pair is symmetric about mid-face
    assert forces.force_on_pinion[0] != 0.0


@drivers
def test_contact_brakes_the_driver_and_drives_the_driven(driver):
    _, _, forces = loaded_state(driver)
    driving = PINION if driver == "pinion" else WHEEL
    assert forces.torque[driving] < 0.0 < forces.torque[1 - driving]
    ratio = -forces.torque[WHEEL] / forces.torque[PINION]
    assert ratio == pytest.approx(1.5, rel=5e-3)  # first order of the displacement


def test_friction_turns_the_force_by_its_angle():
    smooth, rough = (loaded_state(friction=f, phase=-0.3)[2].force_on_pinion for f in (NO_FRICTION, ROUGH))
    angle = np.arctan2(rough[1], rough[0]) - np.arctan2(smooth[1], smooth[0])
    assert abs(angle) == pytest.approx(np.arctan(0.07), rel=1e-2)  # the points share the load a little differently


@drivers
@pytest.mark.parametrize("microgeometry", ["", RELIEVED])
@pytest.mark.parametrize("shift", [1, 2])
def test_a_turn_by_a_pitch_moves_the_loads_by_a_slot(driver, microgeometry, shift):
    """The tooth-change in contact: phase p with its slots is phase p + 1 with the next slots, to round-off."""
    contact = contact_pair(driver=driver, microgeometry=microgeometry, slots=4, law=penalty(exponent=1.0))
    phi = rotations(contact, 0.37, 2e-5, driver)
    now = forces_at(contact, phi, tangent=True)
    later = forces_at(contact, phi + shift * contact.pitch_angle, tangent=True)
    assert (np.abs(now.pair_torque[:, 0]) > 0.0).tolist() == [True, True, False, False]
    # rotations of 1 rad, gaps of 2e-5 m from coordinates of 0.1 m: 1e-17/2e-5, summed
    assert later.energy == pytest.approx(now.energy, rel=1e-10)
    assert_allclose(later.torque, now.torque, rtol=1e-10)
    assert_allclose(later.torque_phi, now.torque_phi, rtol=1e-8, atol=1e-8 * np.abs(now.torque_phi).max())
    assert_allclose(later.pair_torque[shift:], now.pair_torque[:-shift], rtol=1e-9)
    assert_allclose(later.force_on_pinion, now.force_on_pinion, rtol=1e-9)
    for f_now, f_later in zip(now.nodal_force, later.nodal_force, strict=True):
        f_now, f_later = (f.reshape(contact.n_pairs, -1) for f in (f_now, f_later))
        assert_allclose(f_later[shift:], f_now[:-shift], rtol=0.0, atol=1e-9 * np.abs(f_now).max())


def test_numbering_of_slots_and_flanks():
    """The pinion turns counter-clockwise, so its next tooth to come lies clockwise; the wheel's the other way round."""
    assert slot_order(4, PINION).tolist() == [3, 2, 1, 0]
    assert slot_order(4, WHEEL).tolist() == [0, 1, 2, 3]
    assert loaded_flank("pinion") == "a"
    assert loaded_flank("wheel") == "b"


def test_wrong_order_of_slots_would_show_in_double_contact():
    """The coupling of two loaded teeth through the rim depends on which of them lies ahead."""
    contact = contact_pair()
    n = len(contact.compliance[0]) // contact.n_pairs
    C = contact.compliance[0].reshape(contact.n_pairs, n, contact.n_pairs, n)
    ahead = C[0, :, 1, :]
    assert np.abs(ahead - ahead.T).max() > 1e-3 * np.abs(ahead).max()
    assert_allclose(C[1, :, 2, :], ahead, rtol=0.0, atol=1e-9 * np.abs(C).max())  # the same for any two neighbours
    assert_allclose(C[1, :, 0, :], ahead.T, rtol=0.0, atol=1e-9 * np.abs(C).max())
