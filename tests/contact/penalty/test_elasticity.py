"""Deformed teeth: compliance, law at every point, rigid and Hertz limits, warm start, failure."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import small_pair
from contact_answers import forces_at, gap_at
from families import mostly_thorough
from numpy.testing import assert_allclose
from small_pair import NO_FRICTION, RELIEVED, contact_pair, gear_pair, load, penalty, rotations

from alegear.contact.law import Friction, PenaltyLaw
from alegear.contact.numbering import PINION, WHEEL, loaded_flank, slot_order
from alegear.contact.penalty import _kernels as kernels
from alegear.contact.penalty import solution
from alegear.contact.penalty.contact import PenaltyContact, hertz_matched_stiffness
from alegear.contact.penalty.flank import flank_surface
from alegear.contact.penalty.search import SearchRoom
from alegear.errors import Fault, NonConvergence
from alegear.fe import Material
from alegear.geometry import Gear
from alegear.mesh import GridOptions, mesh_sector

ROUGH = Friction(kind="coulomb", mu_dynamic=0.07, v_static=1e-3)
OMEGA = np.array([30.0, 20.0])
STEEL = (Material(), Material())

drivers = pytest.mark.parametrize("driver", ["pinion", "wheel"])


def stiffened(contact, compliance, stiffness=1.0):
    """The same pair with scaled compliance of the bodies and stiffness of the layer."""
    return replace(
        contact,
        compliance=tuple(compliance * C for C in contact.compliance),
        law=replace(contact.law, stiffness=stiffness * contact.law.stiffness),
    )


# ------------------------------------------------------------------------------------------------ equilibrium
@drivers
def test_displacement_is_compliance_times_force(driver):
    """Against the superelement: three axes, its slots counted counter-clockwise."""
    contact = contact_pair(driver=driver)
    forces = forces_at(contact, rotations(contact, 0.37, 2e-5, driver))
    for gear, wheel in enumerate(small_pair.wheels(3, loaded_flank(driver))):
        order = slot_order(contact.n_pairs, gear)
        f = np.zeros((wheel.slots, wheel.rows * wheel.cols, 3))
        f[order, :, :2] = forces.nodal_force[gear].reshape(contact.n_pairs, -1, 2)
        u = (wheel.C_ff @ f.ravel()).reshape(f.shape)[order, :, :2]
        assert_allclose(forces.displacement[gear], u.ravel(), rtol=0.0, atol=1e-12 * np.abs(u).max())


def penetrations(contact, phi, forces, candidates):
    """Depth of every candidate from rigid gap and displacements, without the solver: -(g + n . (u_A - u_P))."""
    depth = np.empty(len(candidates))
    u = [v.reshape(contact.n_pairs, -1, 2) for v in forces.displacement]
    for c in range(len(candidates)):
        secondary = PINION if c < candidates.n_pass0 else WHEEL
        primary = 1 - secondary
        slot, gauss = candidates.slot[c], candidates.gauss[c]
        flank = contact.flanks[secondary]
        u_gauss = flank.gauss_weights[gauss] @ u[secondary][slot, flank.gauss_nodes[gauss]]
        u_foot = candidates.weights[0, c] @ u[primary][slot, candidates.nodes[c]]
        turned = [
            complex(*v) * np.exp(1j * contact.search.tooth_angle(g, phi, slot))
            for v, g in ((u_gauss, secondary), (u_foot, primary))
        ]
        apart = (turned[0] - turned[1]) * np.exp(-1j * contact.search.tooth_angle(primary, phi, slot))
        normal = candidates.table[c, [kernels.NX, kernels.NY]]
        depth[c] = -(candidates.rigid_gap[c] + normal @ [apart.real, apart.imag])
    return np.maximum(depth, 0.0)


@drivers
@pytest.mark.parametrize(
    "law", [penalty(), penalty(stiffness=1e17, exponent=1.5), penalty(pass_weight=0.3)], ids=["1", "1.5", "passes"]
)
@pytest.mark.parametrize("friction", [NO_FRICTION, ROUGH], ids=["smooth", "rough"])
def test_the_law_holds_at_every_point(driver, law, friction):
    """F = A K delta^e at all points that may touch, those beyond the solver's reach included."""
    contact = contact_pair(driver=driver, law=law, friction=friction, microgeometry=RELIEVED)
    phi = rotations(contact, 0.4, 2.5e-5, driver)
    forces = forces_at(contact, phi, OMEGA)
    candidates = contact.search.find(SearchRoom(), phi, 1e-4)
    depth = penetrations(contact, phi, forces, candidates)
    by_law = candidates.table[:, kernels.AREA] * law.stiffness * depth**law.exponent
    largest = by_law.max()
    carrying = forces.normal_force > 1e-9 * largest
    assert carrying.sum() > 10
    assert (by_law > 1e-9 * largest).sum() == carrying.sum()
    for slot in range(contact.n_pairs):
        theirs = by_law[(candidates.slot == slot) & (by_law > 1e-9 * largest)]
        ours = forces.normal_force[(forces.slot == slot) & carrying]
        # round-off of the gap, 1e-17 m of 2e-5 m, and the solver's own 1e-12
        assert_allclose(np.sort(ours), np.sort(theirs), rtol=0.0, atol=5e-12 * largest)


@pytest.mark.parametrize("wheel_speed", [19.0, 20.6], ids=["closing", "opening"])
def test_the_law_with_damping(wheel_speed):
    """p = K delta + c s(deeper one of both instants) d(delta)/dt, the rate from the displacement before."""
    law = penalty(damping=3e11, damping_depth=5e-6, pass_weight=1.0)
    contact = contact_pair(law=law)
    phi, omega, step = rotations(contact, 0.12, 1.5e-5), np.array([30.0, wheel_speed]), 1e-5
    before = forces_at(contact, phi - step * omega, tangent=False)
    history = solution.ElasticHistory(displacement=before.displacement, step=step)
    forces = forces_at(contact, phi, omega, history=history)
    candidates = contact.search.find(SearchRoom(), phi, 1e-4)
    depth = penetrations(contact, phi, forces, candidates)
    # rates: of the rigid gap by a small turn of both gears, of the elastic one between the two instants, same rows
    h = 1e-8
    later, sooner = (contact.search.find(SearchRoom(), phi + sign * h * omega, 1e-4) for sign in (1.0, -1.0))
    assert later.gauss.tolist() == sooner.gauss.tolist() == candidates.gauss.tolist()
    rigid_rate = (later.rigid_gap - sooner.rigid_gap) / (2.0 * h)
    was = -penetration_sum(contact, phi, before, candidates)
    elastic_rate = (-penetration_sum(contact, phi, forces, candidates) - was) / step
    approach = -(rigid_rate + elastic_rate)
    t = np.clip(np.maximum(depth, depth - step * approach) / law.damping_depth, 0.0, 1.0)
    fade = t * t * (3.0 - 2.0 * t)
    area = candidates.table[:, kernels.AREA]
    by_law = area * (law.stiffness * depth - law.damping * fade * -approach)
    by_law = np.where(depth > 0.0, np.maximum(by_law, 0.0), 0.0)
    ours = np.zeros(len(candidates))
    at = {key: c for c, key in enumerate(zip(candidates.slot.tolist(), candidates.gauss.tolist(), strict=True))}
    for slot, gauss, force in zip(forces.slot.tolist(), forces.gauss.tolist(), forces.normal_force, strict=True):
        ours[at[slot, gauss]] = force
    damped = np.abs(by_law - area * law.stiffness * depth).max()
    assert damped > 0.02 * ours.max()
    assert_allclose(ours, by_law, rtol=0.0, atol=1e-6 * ours.max())  # round-off of the gap over 2 h: 1e-9 of 0.05 m/s


@pytest.mark.parametrize("wheel_speed", [100.0, pytest.param(104.0, marks=pytest.mark.thorough), 109.0])
def test_a_damped_step_has_one_solution(wheel_speed):
    """Whatever points it begins with: at 1500 rpm, under a damper stiffer than the layer, closing and opening."""
    contact = contact_pair(law=PenaltyLaw(stiffness=small_pair.STIFFNESS, damping=1e11))
    omega, step, data = np.array([157.08, wheel_speed]), 4e-5, contact.new_data()
    for phase in np.linspace(-0.5, 0.5, 41):
        phi = rotations(contact, phase, 1.5e-5)
        before = forces_at(contact, phi - step * omega, data=data, tangent=False)
        history = solution.ElasticHistory(displacement=before.displacement, step=step)
        warm = forces_at(contact, phi, omega, data=data, history=history, tangent=False)
        contact.forget(data)
        cold = forces_at(contact, phi, omega, data=data, history=history, tangent=False)
        # the solver's own 1e-11, summed over some hundred points
        assert_allclose(cold.torque, warm.torque, rtol=0.0, atol=1e-9 * max(np.abs(warm.torque).max(), 1e-3))


def penetration_sum(contact, phi, forces, candidates):
    """-(n . (u_A - u_P)) of every candidate."""
    closed = replace(candidates, table=candidates.table.copy())
    closed.table[:, kernels.G_RIGID] = -1.0  # far inside, so that nothing is cut off
    return penetrations(contact, phi, forces, closed) - 1.0


def test_compliance_of_the_window_is_symmetric_and_positive():
    for C in contact_pair().compliance:
        assert_allclose(C, C.T, rtol=0.0, atol=1e-12 * np.abs(C).max())
        assert np.linalg.eigvalsh(C).min() > 0.0


@drivers
@pytest.mark.parametrize("phase", [-0.4, 0.12, 0.37])
def test_torque_rises_with_the_driver(driver, phase):
    contact = contact_pair(driver=driver)
    sign = -1.0 if driver == "pinion" else 1.0
    torque = [
        sign * forces_at(contact, rotations(contact, phase, x, driver)).torque[PINION] for x in np.linspace(0, 4e-5, 21)
    ]
    assert torque[0] == pytest.approx(0.0, abs=1e-2)
    assert (np.diff(torque) > 0.0).all()
    slope = np.diff(torque)
    assert slope[5:].min() > 0.5 * slope.max()  # no step where points or pairs come in


def test_stiffness_of_a_tooth_pair():
    """ISO 6336-1 gives c' of about 14 N/(mm um) for steel; rim, bore and load differ, so within 30 %."""
    contact = contact_pair()
    forces = forces_at(contact, rotations(contact, 0.0, load(contact, 0.0, 400.0)), tangent=True)
    r_b, b = contact.pair.pinion.r_b, contact.pair.b_w
    assert (forces.pair_torque[:, 0] != 0.0).sum() == 1
    assert -forces.torque_phi[0, 0] / r_b**2 / b == pytest.approx(14e9, rel=0.3)


def test_open_flanks_carry_nothing():
    contact = contact_pair()
    forces = forces_at(contact, rotations(contact, 0.2, -5e-6), OMEGA, tangent=True)
    assert not forces.torque.any()
    assert not forces.torque_phi.any()
    assert not forces.normal_force.any()
    assert not any(u.any() for u in forces.displacement)
    assert forces.energy == 0.0
    assert gap_at(contact, rotations(contact, 0.2, -5e-6), 1e-4) == pytest.approx(5e-6, rel=0.1)
    assert gap_at(contact, rotations(contact, 0.2, -5e-3), 1e-4) == np.inf


@drivers
def test_the_answer_does_not_depend_on_what_was_evaluated_before(driver):
    contact = contact_pair(driver=driver)
    phi, data = rotations(contact, 0.37, 2e-5, driver), contact.new_data()
    fresh = forces_at(contact, phi)
    for phase, deflection in ((-0.4, 4e-5), (1.2, 1e-6), (0.4, 2e-5), (0.2, -1e-4)):
        forces_at(contact, rotations(contact, phase, deflection, driver), data=data)
        again = forces_at(contact, phi, data=data)
        assert_allclose(again.torque, fresh.torque, rtol=1e-12)
        assert_allclose(again.normal_force, fresh.normal_force, rtol=0.0, atol=1e-11 * fresh.normal_force.max())


@pytest.mark.parametrize(
    ("driver", "exponent"),
    mostly_thorough(product(["pinion", "wheel"], [1.0, 1.5]), always={("pinion", 1.5), ("wheel", 1.0)}.__contains__),
)
def test_torque_is_continuous_over_a_pitch(driver, exponent):
    """The active set settles everywhere; the steepest place, where the next tip comes in, is steep and not a jump."""
    stiffness = small_pair.STIFFNESS if exponent == 1.0 else 1e17
    contact = contact_pair(driver=driver, law=penalty(stiffness=stiffness, exponent=exponent))

    def torque(phases):
        return np.array([forces_at(contact, rotations(contact, p, 2e-5, driver)).torque[0] for p in phases])

    phases = np.linspace(0.0, 1.0, 101)
    change = np.abs(np.diff(torque(phases)))
    steepest = change.argmax()
    finer = np.abs(np.diff(torque(np.linspace(phases[steepest], phases[steepest + 1], 65))))
    assert finer.max() < 0.1 * change.max()


# ------------------------------------------------------------------------------------------------ limits
def test_rigid_flanks_leave_the_microgeometry_alone():
    """Approach = least removal among the pairs, at the points on the line of action."""
    contact = stiffened(contact_pair(microgeometry=RELIEVED, flank_elements=24, slots=4), 1e-6, 10.0)
    pair = contact.pair

    def removed(phase):
        """Removed from both flanks where pair 0 touches at a phase, infinite outside its engagement; mid-face."""
        phase_in, phase_out = pair.engagement("pinion")
        if not phase_in + 0.02 < phase < phase_out - 0.02:
            return np.inf
        roll = pair.contact_roll_lengths(phase, "pinion")
        on_mid_face = contact.flanks[0].gauss_z
        nearest = np.abs(on_mid_face).min()  # crowning counts at the Gauss points next to mid-face
        return sum(
            float(gear.flank_removal(np.array([float(xi)]), nearest)[0])
            for gear, xi in zip(pair.gears, roll, strict=True)
        )

    seen = []
    for phase in np.linspace(1.0, 2.0, 9):
        expected = min(removed(phase - k) for k in range(4))
        deflection = load(contact, phase, 1.0, guess=1e-6)
        seen.append(expected)
        # spacing of the Gauss points s = 0.1 mm: s^2/(8 rho_red) = 2.5e-7 m, and the load of 1 N m
        assert deflection == pytest.approx(expected, abs=3e-7)
    assert max(seen) > min(seen) + 1e-6


@pytest.mark.parametrize("torque", [100.0, 400.0])
def test_hertz_matched_stiffness_closed_form(torque):
    """K = 3 pi E*/(8 b_H); b_H^2 = 4 q rho_red/(pi E*)."""
    pair = gear_pair()
    e_star = 1.0 / sum((1.0 - m.nu**2) / m.E for m in STEEL)
    line_load = torque / pair.pinion.r_b / pair.b_w
    rho_1, rho_2 = (r_w * np.sin(pair.alpha_wt) / 2.0 for r_w in pair.d_w)
    b_H = np.sqrt(4.0 * line_load * rho_1 * rho_2 / (rho_1 + rho_2) / (np.pi * e_star))
    assert hertz_matched_stiffness(pair, STEEL, torque) == pytest.approx(3.0 * np.pi * e_star / (8.0 * b_H), rel=1e-12)


def test_hertz_matched_strip_is_as_wide_as_the_hertz_strip():
    """Rigid bodies with the matched layer, many Gauss points: half-width and peak pressure of the strip."""
    pair, torque = gear_pair(), 400.0
    law = penalty(stiffness=hertz_matched_stiffness(pair, STEEL, torque), gauss_points_profile=16, pass_weight=1.0)
    contact = stiffened(contact_pair(law=law, flank_elements=24), 1e-9)
    phi = rotations(contact, 0.0, load(contact, 0.0, torque))
    forces = forces_at(contact, phi)
    e_star = 1.0 / sum((1.0 - m.nu**2) / m.E for m in STEEL)
    rho_1, rho_2 = (float(r) for r in pair.curvature_radii(0.0, "pinion"))
    rho_red = rho_1 * rho_2 / (rho_1 + rho_2)
    line_load = torque / pair.pinion.r_b / pair.b_w
    b_H = np.sqrt(4.0 * line_load * rho_red / (np.pi * e_star))

    loaded = forces.normal_force > 0.0
    area = contact.search.find(SearchRoom(), phi, contact._reach(phi)).table[loaded, kernels.AREA].sum()
    spacing = 0.38e-3 / 16 * 1.5  # elements of 0.38 mm, Gauss points up to 1.5 times their mean distance apart
    assert area / pair.b_w / 2.0 == pytest.approx(b_H, abs=0.5 * spacing)
    # parabola instead of ellipse: p_0 = 3 q/(4 b_H), 6/(8/pi... ) of the Hertz peak 2 q/(pi b_H), i.e. 3 pi/8
    peak = 3.0 * line_load / (4.0 * b_H)
    assert forces.pressure.max() == pytest.approx(peak, rel=0.01)  # the next Gauss point off the middle: (s/b_H)^2
    hertz_peak = 2.0 * line_load / (np.pi * b_H)
    assert peak / hertz_peak == pytest.approx(3.0 * np.pi / 8.0, rel=1e-12)


def test_hertz_matched_strip_on_elastic_teeth():
    """The layer sets the width on a grid that is coarser than the strip; bending hardly changes it."""
    pair, torque = gear_pair(), 400.0
    law = penalty(stiffness=hertz_matched_stiffness(pair, STEEL, torque), gauss_points_profile=16)
    contact = contact_pair(law=law)
    forces = forces_at(contact, rotations(contact, 0.0, load(contact, 0.0, torque)))
    b_H = 3.0 * np.pi / (8.0 * law.stiffness) / sum((1.0 - m.nu**2) / m.E for m in STEEL)
    loaded = forces.gauss[forces.normal_force > 0.0]
    width = contact.flanks[0].gauss_area[loaded].sum() / pair.b_w / 2.0  # mean of both passes: elements of equal length
    assert 0.5 * width == pytest.approx(b_H, rel=0.2)


# ------------------------------------------------------------------------------------------------ what can fail
def test_a_mesh_of_another_gear_is_refused():
    sectors, wheels = small_pair.sectors(), small_pair.wheels()
    with pytest.raises(Fault, match="flank nodes from the true flank"):
        PenaltyContact.build(gear_pair(), sectors[::-1], wheels[::-1], flank="a", law=penalty(), friction=NO_FRICTION)


def test_windows_must_be_of_one_size():
    wheels = (small_pair.wheels(3)[0], small_pair.wheels(4)[1])
    with pytest.raises(ValueError, match="same number of slots"):
        PenaltyContact.build(gear_pair(), small_pair.sectors(), wheels, flank="a", law=penalty(), friction=NO_FRICTION)


def test_a_law_without_stiffness_is_refused():
    with pytest.raises(ValueError, match="hertz_matched_stiffness"):
        contact_pair(law=PenaltyLaw())


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_an_active_set_that_does_not_settle(monkeypatch, exponent):
    contact = contact_pair(law=penalty(exponent=exponent, stiffness=4e14 if exponent == 1.0 else 1e17))
    data = contact.new_data()
    monkeypatch.setattr(solution, "ITERATIONS", 1)
    with pytest.raises(NonConvergence, match=r"rotations .* rad") as failure:
        forces_at(contact, rotations(contact, 0.4, 6e-5), data=data)
    assert "softer penalty" in str(failure.value)
    assert failure.value.residual > failure.value.tolerance
    monkeypatch.undo()
    assert forces_at(contact, rotations(contact, 0.4, 3e-5), data=data).torque.any()  # and is as good as before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stiffness", 0.0),
        ("stiffness", -1.0),
        ("stiffness", float("nan")),
        ("exponent", 0.9),
        ("exponent", 3.5),
        ("damping", -1.0),
        ("damping_depth", 0.0),
        ("pass_weight", 1.1),
        ("pass_weight", -0.1),
        ("gauss_points_profile", 0),
        ("gauss_points_face", 17),
    ],
)
def test_constants_of_the_law_out_of_range(name, value):
    with pytest.raises(Fault) as fault:
        PenaltyLaw(**{name: value})
    assert name in fault.value.remedy


@pytest.mark.parametrize(
    "constants",
    [{"mu_static": 1.0}, {"mu_dynamic": -0.1}, {"v_static": 0.0}, {"v_static": 0.02, "v_dynamic": 0.01}],
)
def test_constants_of_friction_out_of_range(constants):
    with pytest.raises(Fault):
        Friction(kind="velocity", **constants)


def test_stiff_penalties_settle():
    """Sets that follow each other in a circle: stiff layers on elastic teeth, without a warm start."""
    contact = contact_pair(driver="wheel", law=penalty(stiffness=4e18))
    for phase in np.linspace(1.5, 1.6, 40):
        assert forces_at(contact, rotations(contact, phase, 3e-5, "wheel"), tangent=False).torque.any()


@pytest.mark.parametrize(("wide", "columns"), [(36e-3, 8), (44e-3, 8), (44e-3, 3)])
def test_gauss_points_cover_the_common_face_only(wide, columns):
    """The wider gear's Gauss points weigh the face width that both have, wherever the columns of its grid lie."""
    gear = Gear(z=20, m_n=4e-3, x=0.2, b=wide, bore_diameter=35.8e-3)
    options = GridOptions(
        flank_elements=4, fillet_elements=4, thickness_elements=4, width_elements=columns, rim_elements=4, order=1
    )
    surface = flank_surface(gear, mesh_sector(gear, options), "a", gauss_profile=2, gauss_face=1, face=(-15e-3, 15e-3))
    length = surface.knots[0, -1] - surface.grid.rows_s[0]
    assert surface.gauss_area.sum() == pytest.approx(length * 30e-3, rel=1e-12)
    weighing = surface.gauss_z[surface.gauss_area > 0.0]
    assert np.abs(weighing).max() < 15e-3
