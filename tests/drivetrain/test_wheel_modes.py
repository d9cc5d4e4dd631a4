"""Wheels with normal modes in motion: slow motion is that without, energy, free vibration, rotation, the case file."""

from __future__ import annotations

import numpy as np
import pytest
from derivatives import differences
from small_cases import (
    begun,
    case_of,
    contact_at,
    dynamic_study,
    free_numbers,
    gear_rotation,
    missing_energy,
    motion_text,
    result_of,
)

import alegear as ag
from alegear.case.pair_machine import MESH
from alegear.reduction.rotation_loads import AxialMoments


def text_of(analysis: str, *, speed: float = 500.0, torque: float = 200.0, tables: str = "") -> str:
    return motion_text(analysis, speed=speed, torque=torque, tables=tables)


def study_of(analysis: str, **options):
    return dynamic_study(case_of(text_of(analysis, **options)))


FULL = 'inertia = "full"\nnormal_modes = 10\n'


def test_full_inertia_is_without_effect_on_slow_motion():
    """At 50 rpm over half a pitch: mesh frequency 17 Hz, the lowest mode at 20 kHz."""
    analysis = "duration_s = 0.03\ntime_step_s = 2e-4\noutput_every_s = 1e-3\n"
    full = result_of(text_of(analysis + FULL, speed=50.0)).dataset.transmission_error
    simple = result_of(text_of(analysis, speed=50.0)).dataset.transmission_error
    # the load that jumps from two pairs to one shakes both, and the modes take part: 1.2e-3 there, 1e-6 elsewhere
    np.testing.assert_allclose(full, simple, rtol=2e-3)
    assert np.median(np.abs(full / simple - 1.0)) < 1e-5


def test_starts_in_equilibrium():
    system, q, v = begun(study_of("duration_s = 1e-4\n" + FULL))
    force = system.force(0.0, q, v)
    # at 500 rpm: modes are at rest in the turning wheels. The retardation of the mesh by the start speed is 1e-4
    np.testing.assert_allclose(force.Q / system.force_scale, 0.0, atol=1e-3)


def test_tangents():
    system, q, v = begun(study_of("duration_s = 1e-4\n" + FULL))
    at, size = system.force(0.0, q, v), system.displacement_scale
    weight = np.sqrt(np.abs(np.diag(at.dQ_dq)))
    for tangent, moved in ((at.dQ_dq, (1.0, 0.0)), (at.dQ_dv, (0.0, 1e4))):

        def force(d, moved=moved):
            return system.force(0.0, q + moved[0] * size * d, v + moved[1] * size * d).Q / weight

        expected = differences(force, len(q)) / (max(moved) * size * weight)
        # speeds stiffen by what the loads of rotation follow the drive, not the wheel: none is a coordinate
        np.testing.assert_allclose(tangent / np.outer(weight, weight), expected, atol=1e-6 * np.abs(expected).max())


def test_energy_balances():
    """Trapezoidal rule, no damping: what is put in is in the motion and in the springs."""
    analysis = (
        "duration_s = 2e-3\ntime_step_s = 1e-6\noutput_every_s = 2e-5\nrho_inf = 1.0\nmesh_damping_ratio = 0.0\n"
        'inertia = "full"\nnormal_modes = 10\nmodal_damping_ratio = 0.0\n'
    )
    d = result_of(text_of(analysis, speed=3000.0)).dataset
    transmitted = 200.0 * 3000.0 * 2.0 * np.pi / 60.0 * 2e-3
    # 1 us is a fifth of the period of the highest mode: its error is 1e-5 of what passes through
    np.testing.assert_allclose(missing_energy(d), 0.0, atol=2e-5 * transmitted)
    assert float(np.abs(d.energy_dissipated).max()) < 1e-9 * transmitted


def test_a_mode_that_nothing_loads_vibrates_at_its_frequency():
    """Back flanks and flanks apart: one mode of the pinion, put out of rest, against a cosine."""
    study = study_of("duration_s = 1e-4\nmodal_damping_ratio = 0.0\n" + FULL, torque=1e-3)
    system, q, v = begun(study)
    wheel = free_numbers(study, [gear_rotation(study, 1)])
    modes = [free_numbers(study, own.coordinates) for own in study.built.vibrating[MESH]]
    q[wheel] -= 2e-4  # ahead of a pinion that turns about +z, into its backlash
    for own in modes:
        q[own], v[own] = 0.0, 0.0
    q[modes[0][3]] = 1e-9
    system.begin_step(0.0, q, v, 0.0)
    force = system.force(0.0, q, v)
    assert not contact_at(study, force).torque.any()
    _, rates, _ = system.whole(0.0, q, v)
    for gear, own in enumerate(modes):
        omega, spin = study.modes[MESH][gear].frequencies, rates[gear_rotation(study, gear)]
        outward = AxialMoments.of(study.modes[MESH][gear]).outward
        expected = spin**2 * outward - omega**2 * q[own]
        np.testing.assert_allclose(force.Q[own], expected, rtol=1e-12, atol=1e-21 * omega.max() ** 2)
        np.testing.assert_allclose(np.diag(system.mass_matrix(q))[own], 1.0)


def test_rotation_that_grows_turns_the_modes():
    """The mass matrix holds the moment of momentum of the modes, about +z as the rotations."""
    study = study_of("duration_s = 1e-4\n" + FULL)
    M = study.built.model.mass
    np.testing.assert_allclose(M, M.T)
    for gear, own in enumerate(study.built.vibrating[MESH]):
        spin = AxialMoments.of(study.modes[MESH][gear]).spin
        np.testing.assert_allclose(M[gear_rotation(study, gear), own.coordinates], spin)
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_stiff_bearings_carry_what_hinges_carry():
    """Their force is that of the contact less the rate of the momentum of the modes, a closed form on fixed axes."""
    stiff = "".join(
        f"""
[supports.{gear}]
kind = "bearing"
stiffness_N_per_m = [1e13, 1e13, 1e13]
tilt_stiffness_Nm_per_rad = [1e10, 1e10]
damping_Ns_per_m = [4e6, 4e6, 4e6]
tilt_damping_Nms_per_rad = [4e3, 4e3]
"""
        for gear in ("pinion", "wheel")
    )
    analysis = "duration_s = 1e-3\ntime_step_s = 2e-6\noutput_every_s = 1e-5\n" + FULL
    hinges, bearings = (result_of(text_of(analysis, speed=6000.0, tables=tables)).dataset for tables in ("", stiff))
    size = float(np.abs(hinges.contact_force).max())
    of_modes = np.abs(hinges.bearing_force.sel(gear="pinion") - hinges.contact_force)
    assert float(of_modes.max()) > 0.1 * size
    # modes at 20 kHz and a bearing at 300 kHz: (20/300)^2 more than on a hinge
    np.testing.assert_allclose(bearings.bearing_force, hinges.bearing_force, rtol=0.0, atol=0.01 * size)
    error = float(np.abs(hinges.transmission_error).max())
    np.testing.assert_allclose(bearings.transmission_error, hinges.transmission_error, rtol=0.0, atol=1e-3 * error)


@pytest.mark.parametrize(
    ("analysis", "words"),
    [
        ('inertia = "simplified"\nnormal_modes = 5', "excludes"),
        ("modal_damping_ratio = 0.02", "no effect without normal modes"),
        ("normal_modes = 0", "at least 1"),
        ('inertia = "complete"', "full"),
    ],
)
def test_faults(analysis, words):
    with pytest.raises(ag.CaseFaults) as caught:
        ag.Case.from_bytes(text_of(f"duration_s = 1e-3\n{analysis}\n").encode())
    assert any(words in str(fault) for fault in caught.value.faults)


def test_law_penalty_has_no_modes():
    text = text_of('duration_s = 1e-3\ninertia = "full"\n').replace("[contact]", '[contact]\nlaw = "penalty"')
    with pytest.raises(ag.CaseFaults, match="not in this version with law"):
        ag.Case.from_bytes(text.encode())


def test_a_case_asks_for_modes_by_number_or_in_full():
    assert case_of(text_of("duration_s = 1e-3")).analysis.normal_modes == 0
    assert case_of(text_of("duration_s = 1e-3\nnormal_modes = 7")).analysis.normal_modes == 7
    full = case_of(text_of('duration_s = 1e-3\ninertia = "full"')).analysis
    assert full.normal_modes == 24
    assert full.modal_damping_ratio == 0.01
