"""Stress by the vibration of normal modes: amplitudes, roots, points and fields against the modes' own fields."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from small_cases import begun, case_of, contact_at, dynamic_study, gear_rotation, motion_text, result_of

from alegear.case.pair_machine import MESH
from alegear.contact.hertz.face_modes import teeth_of_slots, window_teeth
from alegear.contact.numbering import slot_order
from alegear.drivetrain.normal_modes import face_modes
from alegear.fe import FEModel, nodal_stress
from alegear.fe.stress import von_mises
from alegear.progress import Silent
from alegear.recording.vibration import root_rows, teeth_of_pairs
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.normal_modes import find_modes_of_harmonics
from alegear.reduction.root_stress import RootStress
from alegear.reduction.rotation_loads import AxialMoments
from alegear.reduction.sector_condensation import face_grids
from alegear.studies.dynamic import DynamicStudy

FULL = 'inertia = "full"\nnormal_modes = 10\n'
SHORT = "duration_s = 4e-4\ntime_step_s = 1e-6\noutput_every_s = 4e-6\n"
POINTS = """
[[output.points]]
name = "{gear} fillet"
gear = "{gear}"
fillet_share = 0.5
[[output.points]]
name = "{gear} middle of the space"
gear = "{gear}"
fillet_share = 0.0
"""
TABLES = "".join(POINTS.format(gear=gear) for gear in ("pinion", "wheel"))


@cache
def prepared_study() -> DynamicStudy:
    """A study at 3000 rpm with points, that nothing has run."""
    return dynamic_study(case_of(motion_text(SHORT + FULL, speed=3000.0, tables=TABLES)))


def test_vibration_is_what_modes_stand_away_from_where_the_loads_hold_them():
    """From accelerations, against amplitudes less contact, centrifugal and Euler forces over omega squared."""
    study = prepared_study()
    built, contact = study.built, study.built.contacts[MESH].contact
    system, q, v = begun(study)
    rng = np.random.default_rng(1)
    x, rates, _ = system.whole(0.0, q, v)
    amplitudes = [wheel.coordinates for wheel in built.vibrating[MESH]]
    for own in amplitudes:
        x[own] += 0.3 * rng.standard_normal(len(own)) * built.model.displacement_scale[own]
        rates[own] += rng.standard_normal(len(own)) * 1e5 * built.model.displacement_scale[own]
    force = system.force(0.0, system.free_of(x), system.free_of(rates))
    whole, forces = force.payload.x, contact_at(study, force)
    a = system._whole(np.linalg.solve(system.mass_matrix(q), force.Q), built.model.prescribed_motion(0.0)[2])
    first_pair = system.data.elements[built.number_of(MESH)].first_pair
    for gear, away in enumerate(built.vibration(MESH, rates[None], a[None])):
        modes, moments = study.modes[MESH][gear], AxialMoments.of(study.modes[MESH][gear])
        on_teeth = contact.modes[gear].on_teeth(window_teeth(contact.n_pairs, gear, first_pair))
        at = gear_rotation(study, gear)  # about +z, as that of the modes
        held = forces.face_force[gear] @ on_teeth + rates[at] ** 2 * moments.outward - a[at] * moments.spin
        expected = whole[amplitudes[gear]] - held / modes.frequencies**2
        assert np.abs(held).max() > 0.0
        np.testing.assert_allclose(away[0], expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("gear", [0, 1])
def test_a_wheel_that_vibrates_in_one_mode_has_the_stress_of_its_field(gear: int):
    """No contact force; tooth pairs far from pair 0, both modes of a pair of nodal diameters."""
    study = prepared_study()
    recorder, modes = study.recorders[MESH], study.modes[MESH][gear]
    model = FEModel.from_mesh(modes.sector.volume, modes.material)
    sides = recorder._sides
    for mode in range(4):
        amplitudes = np.zeros((1, modes.n_modes))
        amplitudes[0, mode] = 1e-6
        pairs = np.array([[37, 38, 39, 40]])
        teeth = teeth_of_pairs(gear, pairs)
        stress = recorder._root_modes[gear](amplitudes, teeth).reshape(4, 2, -1, 6)
        for number, tooth in enumerate(teeth[0]):
            field = nodal_stress(model, 1e-6 * modes.of_tooth(int(tooth))[mode])
            roots = [modes.sector.root_a, modes.sector.root_b]
            expected = np.stack([field[np.asarray(roots[side])[recorder._rows[gear]].ravel()] for side in sides])
            np.testing.assert_allclose(stress[number], expected, rtol=0.0, atol=1e-10 * np.abs(field).max())


@pytest.mark.parametrize("gear", [0, 1])
def test_points_of_a_wheel_that_vibrates_have_the_mean_over_both_sectors_in_the_middle_of_a_space(gear: int):
    """Without contact force, against the field of the mode on the whole wheel."""
    study = prepared_study()
    points, modes = study.recorders[MESH].points, study.modes[MESH][gear]
    wheels = study.recorders[MESH].wheels
    n_teeth = points.shape[1]
    nothing = tuple(np.zeros((1, wheel.dof_boundary)) for wheel in wheels)
    model = FEModel.from_mesh(modes.sector.volume, modes.material)
    for mode in (0, 3):
        amplitudes = [np.zeros((1, study.modes[MESH][g].n_modes)) for g in (0, 1)]
        amplitudes[gear][0, mode] = 1e-6
        values = points.values(np.array([5]), nothing, tuple(amplitudes))
        fillet = 2 * gear
        place = points.places[fillet]
        for tooth in range(0, wheels[gear].teeth, 7):
            on_wheel = int(teeth_of_pairs(gear, np.array(tooth)))
            field = nodal_stress(model, 1e-6 * modes.of_tooth(on_wheel)[mode])
            expected = von_mises((place.weights @ field[place.nodes])[None])[0]
            assert values[0, fillet, tooth, 0] == pytest.approx(expected, rel=1e-9)
            assert np.isfinite(values[0, fillet + 1, tooth, 0])
        assert n_teeth == 30
        # the other gear stands still
        other = values[0, 2 * (1 - gear)]
        assert not np.nanmax(np.abs(other))


def test_slow_motion_has_the_stress_of_the_motion_without_modes():
    """At 50 rpm, as the transmission error: what differs is the shock where the load comes upon one pair."""
    analysis = "duration_s = 0.03\ntime_step_s = 2e-4\noutput_every_s = 1e-3\n"
    full = result_of(motion_text(analysis + FULL, speed=50.0)).dataset.root_stress
    simple = result_of(motion_text(analysis, speed=50.0)).dataset.root_stress
    size = float(simple.max())
    np.testing.assert_allclose(full, simple, rtol=0.0, atol=5e-3 * size)
    assert np.nanmedian(np.abs(full - simple)) < 1e-5 * size


def test_compiled_and_python_steps_give_the_same():
    text = motion_text("duration_s = 6e-5\ntime_step_s = 1e-6\noutput_every_s = 4e-6\n" + FULL, speed=6000.0)
    found = []
    for compiled in (True, False):
        study = dynamic_study(case_of(text), frame_times=(4e-5,))
        study.run(Silent(), compiled=compiled)
        found.append((study.mesh_history(MESH).root_stress, study.frames(MESH)[-1].vibration))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-6)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0.0, atol=1e-5 * np.abs(found[1][1]).max())


@pytest.mark.parametrize("gear", [0, 1])
def test_tooth_numbers_are_those_of_the_contact(gear: int):
    pairs = np.arange(-2, 5)
    assert teeth_of_pairs(gear, pairs).tolist() == teeth_of_slots(len(pairs), gear, -2)


@pytest.mark.parametrize("gear", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_stress_by_a_load_that_comes_at_once_goes_to_its_limit_with_the_number_of_modes(gear: int):
    """At first nothing has moved: the vibration takes away the static stress, the better the more modes there are.

    After a step of the load, of undamped modes that were at rest, q_v = -(phi^T f/omega^2) cos(omega t).
    """
    study = prepared_study()
    recorder, wheel = study.recorders[MESH], study.recorders[MESH].wheels[gear]
    n_pairs, first_pair = recorder.n_slots, 3
    loaded = 1
    slot = slot_order(n_pairs, gear)[loaded]
    rows, cols = face_grids(wheel.sector, wheel.flank)[0].shape
    force = np.zeros((1, wheel.slots, len(wheel.faces), rows, cols, 3))
    force[0, slot, wheel.faces.index("a"), rows // 2, :, 1] = 100.0
    force = force.reshape(1, -1)
    static = RootStress(wheel, slots=slot_order(n_pairs, gear), sides=recorder._sides, rows=recorder._rows[gear])
    at_rest = static(force).reshape(n_pairs, 2, -1, 6)[loaded]
    roots = (wheel.sector.root_a, wheel.sector.root_b)
    nodes = np.stack([np.asarray(roots[side])[recorder._rows[gear]] for side in recorder._sides])
    tooth = teeth_of_pairs(gear, np.array([first_pair + loaded]))
    left = []
    cyclic = CyclicSector.of(wheel.sector, wheel.material)
    for each in (1, 4, 16):  # of every nodal diameter
        modes = find_modes_of_harmonics(cyclic, wheel.material, range(cyclic.last_harmonic + 1), each)
        excited = force @ face_modes(modes, wheel).on_teeth(window_teeth(n_pairs, gear, first_pair))
        vibrating = root_rows(modes, nodes)(-excited / modes.frequencies**2, tooth).reshape(at_rest.shape)
        left.append(np.linalg.norm(at_rest + vibrating) / np.linalg.norm(at_rest))
    assert left[0] > left[1] > left[2]
    assert left[2] < 0.1
