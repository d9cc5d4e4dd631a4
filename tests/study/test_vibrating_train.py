"""Wheels with normal modes in motion: slow motion is that without, energy, free vibration, rotation, the case file."""

from __future__ import annotations

import numpy as np
import pytest
from small_cases import case_of, dynamic_study, result_of, static_text

import alegear as ag
from alegear.study.vibrating_train import VibratingTrain


def text_of(analysis: str, *, speed: float = 500.0, torque: float = 200.0, tables: str = "") -> str:
    text = static_text(torque=torque, pinion="tooth_thickness_allowance_um = 60.0", tables=tables)
    text = text.replace('kind = "static"', 'kind = "dynamic"').replace("positions_per_pitch = 8", analysis)
    return text.replace("pitches = 1\n", "").replace("[analysis]", f"pinion_speed_rpm = {speed!r}\n[analysis]")


def study_of(analysis: str, **options):
    study = dynamic_study(case_of(text_of(analysis, **options)))
    assert isinstance(study.system, VibratingTrain)
    return study


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
    study = study_of("duration_s = 1e-4\n" + FULL)
    system, q = study.system, study._start_angles()
    v = study._start_speeds()
    system.begin_step(0.0, q, np.zeros_like(q), 0.0)
    force = system.force(0.0, q, v)
    # at 500 rpm: modes are at rest in the turning wheels. The retardation of the mesh by the start speed is 1e-4
    np.testing.assert_allclose(force.Q / system.force_scale, 0.0, atol=1e-3)


def test_tangents():
    study = study_of("duration_s = 1e-4\n" + FULL)
    system, q, v = study.system, study._start_angles(), study._start_speeds()
    system.begin_step(0.0, q, v, 0.0)
    at = system.force(0.0, q, v)
    step = 1e-4 * system.displacement_scale
    step[0] = 1e-7
    weight = np.sqrt(np.abs(np.diag(at.dQ_dq)))
    for tangent, moved in ((at.dQ_dq, (1.0, 0.0)), (at.dQ_dv, (0.0, 1e4))):
        columns = []
        for direction in np.diag(step):
            d_q, d_v = moved[0] * direction, moved[1] * direction
            up, down = (system.force(0.0, q + s * d_q, v + s * d_v).Q for s in (1.0, -1.0))
            columns.append((up - down) / (2.0 * max(moved) * direction.max()))
        got, expected = (matrix / np.outer(weight, weight) for matrix in (tangent, np.array(columns).T))
        # what modes move teeth by changes over the flanks, which the tangent leaves out; speeds stiffen by 1e-6
        np.testing.assert_allclose(got, expected, atol=2e-3 * max(np.abs(expected).max(), 1e-9))


def test_energy_balances():
    """Trapezoidal rule, no damping: what is put in is in the motion and in the springs."""
    analysis = (
        "duration_s = 2e-3\ntime_step_s = 1e-6\noutput_every_s = 2e-5\nrho_inf = 1.0\nmesh_damping_ratio = 0.0\n"
        'inertia = "full"\nnormal_modes = 10\nmodal_damping_ratio = 0.0\n'
    )
    d = result_of(text_of(analysis, speed=3000.0)).dataset
    balance = d.energy_input - d.energy_kinetic - d.energy_elastic - d.energy_dissipated
    transmitted = 200.0 * 3000.0 * 2.0 * np.pi / 60.0 * 2e-3
    # 1 us is a fifth of the period of the highest mode: its error is 1e-5 of what passes through
    np.testing.assert_allclose(balance, balance[0], atol=2e-5 * transmitted)
    assert float(np.abs(d.energy_dissipated).max()) < 1e-9 * transmitted


def test_a_mode_that_nothing_loads_vibrates_at_its_frequency():
    """Back flanks and flanks apart: one mode of the pinion, put out of rest, against a cosine."""
    study = study_of("duration_s = 1e-4\nmodal_damping_ratio = 0.0\n" + FULL, torque=1e-3)
    system = study.system
    n, mode = system.n_rotations, 3
    q, v = study._start_angles(), study._start_speeds()
    q[0] += 2e-4  # the wheel ahead, into its backlash
    q[n:], v[n:] = 0.0, 0.0
    q[n + mode] = 1e-9
    system.begin_step(0.0, q, v, 0.0)
    force = system.force(0.0, q, v)
    assert not force.payload[0].torque.any()
    omega = np.sqrt(np.diag(system.stiffness)[mode])
    spin = float(force.payload[1].speed[0])
    moments = system.moments[0]
    expected = -(omega**2) * q[n:]
    expected[:10] += spin**2 * moments.outward
    expected[10:] += float(force.payload[1].speed[1]) ** 2 * system.moments[1].outward
    np.testing.assert_allclose(force.Q[n:], expected, rtol=1e-12, atol=1e-12 * omega**2 * 1e-9)
    np.testing.assert_allclose(np.diag(system.mass_matrix(q))[n:], 1.0)


def test_rotation_that_grows_turns_the_modes():
    """The mass matrix holds the moment of momentum of the modes, in the running direction of their gear."""
    system = study_of("duration_s = 1e-4\n" + FULL).system
    M = system.mass_matrix(np.zeros(system.n_dof))
    np.testing.assert_allclose(M, M.T)
    own = system.moments[1].spin
    np.testing.assert_allclose(M[0, -len(own) :], -own)  # the wheel runs about -z
    assert np.linalg.eigvalsh(M).min() > 0.0


@pytest.mark.parametrize(
    ("analysis", "tables", "words"),
    [
        ('inertia = "simplified"\nnormal_modes = 5', "", "excludes"),
        ("modal_damping_ratio = 0.02", "", "no effect without normal modes"),
        ("normal_modes = 0", "", "at least 1"),
        (
            'inertia = "full"',
            '[supports.pinion]\nkind = "bearing"\nstiffness_N_per_m = [1e8, 1e8, 1e8]\n'
            "tilt_stiffness_Nm_per_rad = [1e5, 1e5]",
            "with a bearing",
        ),
        ('inertia = "complete"', "", "full"),
    ],
)
def test_faults(analysis, tables, words):
    with pytest.raises(ag.CaseFaults) as caught:
        ag.Case.from_bytes(text_of(f"duration_s = 1e-3\n{analysis}\n", tables=tables).encode())
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
