"""Gears on bearings that give way: static and dynamic studies agree, forces and energy balance, faults are named."""

from __future__ import annotations

import numpy as np
import pytest
from derivatives import differences
from small_cases import (
    DAMPING,
    OVERHUNG,
    bearing,
    bearings,
    begun,
    case_of,
    contact_at,
    drive_at,
    dynamic_study,
    gear_rotation,
    missing_energy,
    motion_text,
    result_of,
    static_text,
)

import alegear as ag
from alegear.case.pair_machine import MESH
from alegear.contact.forces import N_SHIFTS, N_TURNS
from alegear.contact.numbering import GEARS, SPIN
from alegear.errors import Fault
from alegear.progress import Silent
from alegear.studies.preparation import prepare
from alegear.system.model import mass_matrix
from alegear.system.support import Support

ADDED = "added_mass_kg = 1.5\n"
MASSES = ADDED + "added_tilt_inertia_kg_m2 = 1e-3\n"  # the inertia is of no effect at rest, the mass without weight
TORQUE = 200.0


def dynamic_text(supports: str, analysis: str, speed: float = 500.0, **options) -> str:
    return motion_text(analysis, speed=speed, torque=TORQUE, tables=supports, **options)


def static(supports: str, **options) -> ag.Result:
    return result_of(static_text(torque=TORQUE, tables=supports, contact="slices = 6", **options))


@pytest.fixture(scope="module")
def overhung():
    return static(OVERHUNG + DAMPING).dataset


class TestStatic:
    def test_bearings_carry_the_tooth_forces(self, overhung):
        force = overhung.bearing_force.sel(gear="pinion")
        size = float(np.abs(overhung.contact_force).max())
        np.testing.assert_allclose(force, overhung.contact_force, atol=1e-8 * size)
        moment = overhung.bearing_moment.sel(gear="pinion")
        np.testing.assert_allclose(moment, overhung.contact_moment[:, :2], atol=1e-8 * size * 0.04)

    @pytest.mark.parametrize("driver", ["pinion", "wheel"])
    @pytest.mark.parametrize("supports", [bearing("pinion"), bearing("wheel") + bearing("pinion")])
    def test_back_flanks_are_the_mirror_image_of_the_front_flanks(self, supports, driver):
        front, back = (
            result_of(static_text(driver=driver, torque=torque, tables=supports, contact="slices = 6")).dataset
            for torque in (TORQUE, -TORQUE)
        )
        for sign, read in ((-1.0, np.mean), (1.0, np.ptp)):
            wanted = sign * read(front.transmission_error.values)
            assert read(back.transmission_error.values) == pytest.approx(wanted, rel=1e-8)
        mirrored = np.sort(back.bearing_force.values * [1.0, -1.0, 1.0], axis=0)
        size = float(np.abs(front.bearing_force).max())
        np.testing.assert_allclose(mirrored, np.sort(front.bearing_force.values, axis=0), atol=1e-8 * size)

    @pytest.mark.parametrize("supports", [OVERHUNG + ADDED, OVERHUNG + ADDED + bearing("wheel")])
    def test_bearings_carry_torque_and_weight(self, supports):
        gravity = "gravity_m_s2 = [0.0, -981.0, 50.0]\n[analysis]"
        text = static_text(torque=TORQUE, tables=supports, contact="slices = 6").replace("[analysis]", gravity)
        d, prepared = result_of(text).dataset, prepare(case_of(text), Silent())
        own = np.add([wheel.mass for wheel in prepared.wheels], [1.5, 0.0])  # and the pinion's shaft
        weight = np.outer(own, [0.0, -981.0, 50.0])
        contact = np.stack([d.contact_force, -d.contact_force], axis=1)
        size = float(np.abs(contact).max())
        np.testing.assert_allclose(d.bearing_force, contact + weight, atol=1e-9 * size)
        held = [case_of(text).supports[gear] for gear in range(2)]
        for gear, support in enumerate(held):
            if support is not None:
                s = np.hstack([d.displacement[:, gear], d.tilt[:, gear]])
                np.testing.assert_allclose(d.bearing_force[:, gear], (s @ support.stiffness)[:, :3], atol=1e-9 * size)

    def test_edge_load_is_that_of_the_tilt_the_shaft_takes(self, overhung):
        there = overhung.isel(position=4)  # single contact
        tilt = there.tilt.sel(gear="pinion").values
        alpha = case_of(static_text()).pair.alpha_wt
        leaning = np.array([tilt[1], -tilt[0]])
        in_plane = leaning @ np.array([np.sin(alpha), np.cos(alpha)])
        normal = leaning @ np.array([-np.cos(alpha), np.sin(alpha)])
        apart = -float(there.displacement.sel(gear="pinion", axis="x"))
        given = static(
            "[alignment]\n"
            f"tilt_plane_of_action_deg = {float(np.degrees(in_plane))!r}\n"
            f"tilt_normal_deg = {float(np.degrees(normal))!r}\n"
            f"center_distance_error_um = {1e6 * apart!r}\n"
        ).dataset
        assert np.degrees(in_plane) < -2e-3  # closes at -z
        load, expected = (d.line_load[4].sum("pair").values for d in (overhung, given))
        assert expected[0] > 1.2 * expected[-1]
        # positions count from the pitch point of another centre distance: 1e-4 pitches further on
        np.testing.assert_allclose(load, expected, rtol=1e-3)

    def test_a_hinge_beside_a_bearing_stays(self, overhung):
        wheel = overhung.sel(gear="wheel")
        np.testing.assert_array_equal(wheel.displacement, 0.0)
        np.testing.assert_array_equal(wheel.tilt, 0.0)

    def test_stiff_bearings_are_a_hinge(self):
        stiff = bearing("wheel").replace("3e8, 3e8, 2e8", "1e14, 1e14, 1e14").replace("2e5", "1e11")
        held, hinge = static(stiff).dataset, static("").dataset
        # 5 kN on 1e14 N/m are 0.05 nm of 15 um
        np.testing.assert_allclose(held.transmission_error, hinge.transmission_error, rtol=1e-5)

    def test_variants_stand_on_the_same_supports(self):
        case = case_of(static_text(torque=TORQUE, tables=OVERHUNG, contact="slices = 6"))
        varied = ag.vary(case, [ag.Variant()], workers=1)
        np.testing.assert_allclose(varied.transmission_error[0], static(OVERHUNG).dataset.transmission_error, rtol=1e-9)


class TestMotion:
    def test_starts_in_equilibrium_and_bearings_balance_the_teeth(self):
        supports = OVERHUNG + DAMPING + MASSES + bearing("wheel")
        text = dynamic_text(supports, "duration_s = 1e-4").replace(
            "pinion_speed_rpm = 500.0", "pinion_speed_table_s_rpm = [[0.0, 0.0], [1.0, 500.0]]"
        )
        study = dynamic_study(case_of(text))
        system, q, _ = begun(study)
        force = system.force(0.0, q, np.zeros_like(q))
        # 1e-8 of the torque and of the force that the gears carry
        np.testing.assert_allclose(force.Q / system.force_scale, 0.0, atol=1e-8)
        x, v, _ = system.whole(0.0, q, np.zeros_like(q))
        push = contact_at(study, force).force[N_TURNS : N_TURNS + 2 * N_SHIFTS].reshape(2, N_SHIFTS)
        carried = np.concatenate(study.supports.carried(x[None], v[None]), axis=2)[0]
        np.testing.assert_allclose(carried, push, atol=1e-8 * np.abs(push).max())

    def test_tangents(self):
        supports = OVERHUNG + DAMPING + MASSES + bearing("wheel", DAMPING)
        study = dynamic_study(case_of(dynamic_text(supports, "duration_s = 1e-4")))
        system, q, v = begun(study)
        v[1:] = 1e-4
        at, size, scale = system.force(0.0, q, v), system.displacement_scale, system.force_scale
        for tangent, way in ((at.dQ_dq, (1.0, 0.0)), (at.dQ_dv, (0.0, 1e4))):

            def force(d, way=way):
                return system.force(0.0, q + way[0] * size * d, v + way[1] * size * d).Q / scale

            got, expected = tangent * np.outer(1.0 / scale, max(way) * size), differences(force, len(q))
            np.testing.assert_allclose(got, expected, atol=1e-6 * np.abs(expected).max())

    def test_slow_motion_is_the_static_study(self):
        """At 5 rpm: the dynamic transmission error, displacements and edge load are those of the static positions."""
        supports = OVERHUNG + DAMPING + MASSES + bearing("wheel", DAMPING)
        # a pitch of the pinion takes 0.6 s; an eighth of one
        text = dynamic_text(supports, "duration_s = 0.075\ntime_step_s = 2.5e-3\noutput_every_s = 0.0125", speed=5.0)
        moving = result_of(text).dataset
        study = dynamic_study(case_of(text))
        solver = study.equilibria()
        mesh = solver.system.contacts[MESH]
        for i in (2, 6):
            found = solver.solve(drive_at(study, float(moving.phase[i])))
            # steps of 2.5 ms damp every vibration; the mesh passes 5e-3 pitches in one
            error = solver.transmission_error(MESH, found)
            assert float(moving.transmission_error[i]) == pytest.approx(error, rel=2e-5)
            displaced = mesh.displacements(found.x[mesh.coordinates])
            np.testing.assert_allclose(moving.displacement[i], displaced[:, :3], atol=2e-5 * np.abs(displaced).max())
            np.testing.assert_allclose(moving.tilt[i], displaced[:, 3:], atol=2e-5 * np.abs(displaced[:, 3:]).max())
            load = moving.line_load[i].sum("slot").values
            expected = found.forces[MESH].slices.line_load.sum(axis=0)
            np.testing.assert_allclose(load, expected, rtol=1e-4)

    def test_energy_balances(self):
        """Without friction, what is put in is in the motion, in the springs, or lost in the dampers."""
        supports = OVERHUNG + DAMPING + MASSES + bearing("wheel", DAMPING)
        text = dynamic_text(supports, "duration_s = 4e-3\ntime_step_s = 2e-6\noutput_every_s = 2e-5", speed=3000.0)
        d = result_of(text).dataset
        moved = float(np.abs(np.diff(d.energy_elastic)).sum() + abs(float(d.energy_dissipated[-1])))
        # the work of a contact that moves over changing compliance is booked for rotations, not for displacements
        np.testing.assert_allclose(missing_energy(d), 0.0, atol=2e-3 * moved)

    def test_gyroscopic_moments_do_no_work_and_are_those_of_the_spin(self):
        supports = bearings()
        study = dynamic_study(case_of(dynamic_text(supports, "duration_s = 1e-4")))
        model, (system, q, v) = study.built.model, begun(study)
        _, v, _ = system.whole(0.0, q, v)
        assert len(model.gyroscopic) == 2
        for term, gear in zip(model.gyroscopic, range(2), strict=True):
            np.testing.assert_array_equal(term.matrix, -term.matrix.T)
            assert term.speed == gear_rotation(study, gear)
            place = model.places[GEARS[gear]]
            rows = place.rows_along(np.eye(3))[:N_SHIFTS]
            at = np.searchsorted(place.coordinates, term.coordinates)
            in_space = rows[:, at] @ (v[term.speed] * term.matrix) @ rows[:, at].T
            spin = study.prepared[MESH].wheels[gear].inertia * v[term.speed]
            assert np.sign(spin) == SPIN[gear]
            # dH/dt of an angular momentum along an axis that tilts: about x it grows as the axis tilts about y
            expected = np.zeros((N_SHIFTS, N_SHIFTS))
            expected[3, 4], expected[4, 3] = spin, -spin
            np.testing.assert_allclose(in_space, expected, rtol=1e-12)

    def test_unbalance_turns_with_the_gear(self):
        supports = bearing("pinion", "unbalance_g_mm = 500.0\n")
        study = dynamic_study(case_of(dynamic_text(supports, "duration_s = 1e-4", speed=3000.0)))
        x, v = np.zeros((2, study.built.model.n))
        turn, speed = gear_rotation(study, 0), 3000.0 * 2.0 * np.pi / 60.0
        x[turn], v[turn] = 0.7 - study.built.contacts[MESH].angle[0], speed  # from the pitch-point contact of pair 0
        force = unbalanced_force(study, 0, x, v)
        np.testing.assert_allclose(np.hypot(*force[:2]), 500e-6 * speed**2, rtol=1e-12)
        np.testing.assert_allclose(np.arctan2(force[1], force[0]), 0.7, rtol=1e-12)

    def test_unbalance_feels_that_the_gear_speeds_up(self):
        """Forces on a gear whose unbalance moves on a circle: minus mass times the acceleration of its place."""
        supports = bearing("pinion", "unbalance_g_mm = 500.0\n") + bearing("wheel")
        supports += "unbalance_g_mm = 300.0\n"
        study = dynamic_study(case_of(dynamic_text(supports, "duration_s = 1e-3", speed=3000.0)))
        angle, speed, alpha, h = 0.7, 200.0, 3e5, 1e-6
        for gear, size in enumerate((500e-6, 300e-6)):
            model, turn, sense = study.built.model, gear_rotation(study, gear), SPIN[gear]
            x, v, a = np.zeros((3, model.n))
            x[turn] = sense * (angle - study.built.contacts[MESH].angle[gear])
            v[turn], a[turn] = sense * speed, sense * alpha
            inertia, place = mass_matrix(model, study.system.data, x) @ a, model.places[GEARS[gear]]
            moved = (place.rows_along(np.eye(3)) @ inertia[place.coordinates])[:2]
            whole = unbalanced_force(study, gear, x, v)[:2] - moved
            angles = sense * np.array([angle + speed * k * h + 0.5 * alpha * (k * h) ** 2 for k in (-1, 0, 1)])
            at = size * np.array([np.cos(angles), np.sin(angles)])
            np.testing.assert_allclose(whole, -(at[:, 0] - 2.0 * at[:, 1] + at[:, 2]) / h**2, rtol=1e-4)

    def test_energy_balances_while_unbalanced_gears_speed_up(self):
        supports = bearing("wheel", "unbalance_g_mm = 3000.0\n")
        analysis = "duration_s = 1e-3\ntime_step_s = 2e-6\noutput_every_s = 2e-5\nrho_inf = 1.0\n"
        d = result_of(dynamic_text(supports, analysis, speed=3000.0)).dataset
        moved = float(np.abs(np.diff(d.energy_kinetic)).sum())
        np.testing.assert_allclose(missing_energy(d), 0.0, atol=2e-3 * moved)

    def test_weight_is_that_of_gear_and_shaft(self):
        supports = OVERHUNG + DAMPING + MASSES
        text = dynamic_text(supports, "duration_s = 1e-4").replace(
            "[analysis]", "gravity_m_s2 = [0.0, -9.81, 0.0]\n[analysis]"
        )
        study = dynamic_study(case_of(text))
        mass = case_of(text).pair.pinion.mass(7860.0)
        # facets of a coarse grid leave out 1 % of a gear
        weight = study.supports.weight
        np.testing.assert_allclose(weight[0], [0.0, -9.81 * (mass + 1.5), 0.0], rtol=0.01)
        # the wheel on its hinge does not give way, but its bearing carries it
        mass = case_of(text).pair.wheel.mass(7860.0)
        np.testing.assert_allclose(weight[1], [0.0, -9.81 * mass, 0.0], rtol=0.01)


def unbalanced_force(study, gear, x, v):
    """Force of the unbalance of a gear on its displacements, in space (5,)."""
    (element,) = (e for e in study.built.model.elements if e.name == f"unbalance of added to the {GEARS[gear]}")
    at, place = element.coordinates, study.built.model.places[GEARS[gear]]
    np.testing.assert_array_equal(at, place.coordinates)
    return (place.rows_along(np.eye(3)) @ element.evaluate(0.0, x[at], v[at], None).Q)[:5]


class TestFaults:
    @pytest.mark.parametrize(
        ("supports", "key", "words"),
        [
            ('[supports.pinion]\nkind = "bearing"', "supports.pinion.stiffness_N_per_m", "needed"),
            ("[supports.wheel]\nstiffness_N_per_m = [1e8, 1e8, 1e8]", "supports.wheel.stiffness_N_per_m", "no effect"),
            (
                bearing("wheel").replace("[2e5, 2e5]", "[2e5, 0.0]"),
                "supports.wheel.tilt_stiffness_Nm_per_rad[1]",
                "greater than 0",
            ),
            (
                bearing("wheel").replace("[2e5, 2e5]", "[2e5]"),
                "supports.wheel.tilt_stiffness_Nm_per_rad",
                "at least 2 entries",
            ),
            (OVERHUNG.replace("-6e6, 0.0]", "-5e6, 0.0]"), "[supports.pinion]", "asymmetric"),
            (OVERHUNG.replace("6e6", "6e7"), "[supports.pinion]", "positive definite"),
            (OVERHUNG.replace("[0.0, 0.0, 2e8,", "[0.0, 0.0, 0.0,"), "[supports.pinion]", "holds the gear in z"),
            (
                OVERHUNG.replace("0.0, 0.0, 0.0, 0.0, 0.0, 0.0]", "0.0, 0.0, 0.0, 0.0, 0.0, 1e3]"),
                "supports.pinion.stiffness_matrix_N_m_rad",
                "turns about z",
            ),
            (
                OVERHUNG + "stiffness_N_per_m = [1e8, 1e8, 1e8]",
                "supports.pinion.stiffness_N_per_m",
                "excludes stiffness_matrix",
            ),
        ],
    )
    def test_supports(self, supports, key, words):
        with pytest.raises(ag.CaseFaults) as caught:
            ag.Case.from_bytes(static_text(tables=supports).encode())
        (fault,) = caught.value.faults
        assert fault.key == key
        assert words in f"{fault.value} {fault.limit}"
        assert fault.remedy

    def test_supports_too_soft_are_named(self):
        soft = bearing("wheel").replace("3e8, 3e8, 2e8", "3e4, 3e4, 2e4")
        with pytest.raises(ag.CaseFaults, match=r"the gear is displaced by .* must be at most 4 mm, 1 module"):
            static(soft)

    def test_penalty_knows_hinges_only(self):
        with pytest.raises(ag.CaseFaults, match="law"):
            ag.Case.from_bytes(static_text(tables=OVERHUNG, contact='law = "penalty"').encode())

    def test_gravity_needs_a_bearing(self):
        text = static_text().replace("[analysis]", "gravity_m_s2 = [0.0, -9.81, 0.0]\n[analysis]")
        with pytest.raises(ag.CaseFaults, match="no effect on gears on fixed axes"):
            ag.Case.from_bytes(text.encode())

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"stiffness": np.eye(4)}, "shape"),
            ({"damping": -np.eye(5)}, "not negative"),
            ({"damping": np.full((5, 5), np.nan)}, "finite"),
            ({"added_mass": -1.0}, "at least 0"),
        ],
    )
    def test_support_from_python(self, change, words):
        with pytest.raises(Fault, match=words):
            Support(**{"name": "pinion", "stiffness": np.eye(5), **change})


def test_energy_in_the_dampers_of_bearings_is_apart_and_no_loss_of_the_mesh():
    """Force times rate of the dampers, from the displacements that are recorded."""
    supports = bearings(DAMPING)
    analysis = "duration_s = 2e-3\noutput_every_s = 2e-6\nmesh_damping_ratio = 0.0"
    result = result_of(dynamic_text(supports, analysis))
    d = result.dataset
    rate = np.concatenate([np.gradient(d[name].values, d.time.values, axis=0) for name in ("displacement", "tilt")], 2)
    power = np.einsum("tgi,i->t", rate**2, [3e3, 3e3, 3e3, 2.0, 2.0])
    outside = float(d.energy_dissipated_outside[-1])
    assert outside == pytest.approx(np.trapezoid(power, d.time.values), rel=0.01)
    # without damping of the mesh and friction there is no other loss
    np.testing.assert_allclose(d.energy_dissipated, d.energy_dissipated_outside, atol=1e-6 * outside)
    assert result.summary["power_loss_mean_W"] == pytest.approx(0.0, abs=1e-3 * outside / 2e-3)
    assert result.summary["efficiency"] == pytest.approx(1.0, abs=1e-9)
