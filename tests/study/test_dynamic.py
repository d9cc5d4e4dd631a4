"""The dynamic study on coarse grids: quasi-static limit, resonance, energy, tooth-change, start, failures, files."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear.contact.numbering import PINION, WHEEL
from alegear.errors import NonConvergence
from alegear.geometry import Microgeometry
from alegear.mesh import MeshOptions
from alegear.results.store import open_dataset, read_summary
from alegear.study.case import Case, CaseFaults
from alegear.study.dynamic import START_LOAD, DynamicStudy, contact_of
from alegear.study.preparation import PreparedPair, prepare
from alegear.study.progress import Silent
from alegear.study.static import StaticSolver, nominal_speeds

CASE = Path(__file__).parents[2] / "meshes" / "spur_20_30_dynamic.toml"
COARSE = MeshOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)
RPM = 2.0 * math.pi / 60.0
TORQUE = 400.0  # N m on the pinion
Z_1, Z_2 = 20, 30


@cache
def coarse_case() -> Case:
    """The delivered case on coarse grids: pinion drives with 1500 rpm, a pitch takes 2 ms."""
    case = Case.from_toml(CASE)
    return replace(case, mesh_options=(COARSE, COARSE), output=replace(case.output, fields=False, plots=False))


def analysed(case: Case, **analysis) -> Case:
    return replace(case, analysis=replace(case.analysis, **analysis))


def running(case: Case, **operation) -> Case:
    return replace(case, operation=replace(case.operation, **operation))


@cache
def prepared(case: Case) -> PreparedPair:
    return prepare(case, Silent())


@cache
def relieved_case() -> Case:
    """Long linear tip relief on both gears, so that the excitation stays below the static deflection at resonance."""
    case = coarse_case()
    pair = case.pair
    gears = []
    for gear in pair.gears:
        single = math.sqrt(gear.r_a**2 - gear.r_b**2) - (pair.eps_alpha_usable - 1.0) * pair.p_bt
        start = 2.0 * math.hypot(gear.r_b, single)
        gears.append(replace(gear, microgeometry=Microgeometry(tip_relief=18e-6, tip_relief_start_diameter=start)))
    return replace(case, pair=replace(pair, pinion=gears[0], wheel=gears[1]))


def study_of(case: Case) -> DynamicStudy:
    """A study that has not run yet."""
    model = prepare(case, Silent())
    solver = StaticSolver(
        contact=model.contact,
        driver=case.operation.driver,
        torque=case.operation.pinion_torque,
        omega=nominal_speeds(model.contact, case.operation.pinion_speed),
    )
    return DynamicStudy(model, solver, case, frame_times=())


def run_study(case: Case) -> tuple[DynamicStudy, DynamicHistory]:
    study = study_of(case)
    study.run(Silent())
    return study, study.history()


def static_error(study: DynamicStudy, history: DynamicHistory, *, load_of_driven: bool) -> Array:
    """Static transmission error [m] at the very positions of a slow run.

    The static study counts the phase of the driven gear, the dynamic one that of the driver; the transmission error
    over the base pitch lies between them. The static study takes the torque of the pinion, while a driving pinion has
    the torque that the load of the wheel and its own prescribed speed ask for. `load_of_driven` makes the loads equal.
    """
    system, solver = study.system, study.solver
    te = history.transmission_error
    phase_driven = history.phase + te / solver.contact.pair.p_bt
    load = system.load.y1
    error = np.empty(len(te))
    for i, phase in enumerate(phase_driven):
        first_pair = study.window.first_pair(history.phase[i])
        torque = solver.torque
        for _ in range(4 if load_of_driven else 1):  # the ratio of the torques is 1.5 to a per cent: three are enough
            position = replace(solver, torque=torque).solve(phase, first_pair, -te[i])
            torque *= load / position.forces.torque[system.driven]
        error[i] = -position.deflection
    return error


# ------------------------------------------------------------------ quasi-static
@cache
def slow_run(driver: str) -> tuple[DynamicStudy, DynamicHistory]:
    """Five rpm of the pinion, from double contact over the loss and the gain of a pair: a whole pitch."""
    case = running(coarse_case(), driver=driver, pinion_speed=5.0 * RPM)
    pitch = 60.0 / 5.0 / Z_1
    return run_study(analysed(case, duration=pitch, tolerance=1e-3, output_every=pitch / 64))


def test_slow_wheel_driving_is_static():
    study, history = slow_run("wheel")
    static = static_error(study, history, load_of_driven=False)
    # the driven pinion carries just the torque the static study takes; seen 0.04 %, vibration after each Gauss point
    assert np.abs(history.transmission_error / static - 1.0).max() < 5e-3


def test_slow_pinion_driving_is_static_under_the_load_of_the_wheel():
    study, history = slow_run("pinion")
    static = static_error(study, history, load_of_driven=True)
    assert np.abs(history.transmission_error / static - 1.0).max() < 5e-3  # seen 0.04 %
    # under equal torque of the pinion they differ where the deflection changes quickly (power goes into the teeth)
    static = static_error(study, history, load_of_driven=False)
    difference = history.transmission_error / static - 1.0
    assert abs(difference.mean()) < 5e-4
    assert np.median(np.abs(difference)) < 3e-3


def test_bearings_carry_the_tooth_load_along_the_line_of_action():
    study, history = slow_run("pinion")
    pair = study.solver.contact.pair
    load = TORQUE / pair.pinion.r_b
    # the wheel pushes a pinion that turns about +z and drives it at +x back (-y) and away (-x)
    expected = -load * np.array([math.sin(pair.alpha_wt), math.cos(pair.alpha_wt), 0.0])
    on_pinion, on_wheel = history.bearing_force[:, PINION], history.bearing_force[:, WHEEL]
    np.testing.assert_array_equal(on_pinion, -on_wheel)
    off = np.linalg.norm(on_pinion - expected, axis=1) / load
    # the pressure of deflected, tip-rounded teeth is inclined by a few thousandths against the line of action
    assert np.median(off) < 0.005
    assert off.max() < 0.03


def test_transmission_error_is_negative_and_the_driven_gear_lags():
    for driver in ("pinion", "wheel"):
        study, history = slow_run(driver)
        assert (history.transmission_error < 0.0).all()
        r_b = study.system.r_b
        lead, driven = study.system.lead, study.system.driven
        way = r_b[driven] * history.angle[:, driven] - r_b[lead] * history.angle[:, lead]
        np.testing.assert_allclose(history.transmission_error, way, atol=1e-16)


# --------------------------------------------------------------------- vibration
def test_resonance_lies_at_the_frequency_of_the_free_wheel_on_the_mean_mesh_stiffness():
    case = relieved_case()
    steps, cycles, last = 24, 18, 6  # steps a pitch; pitches run, of which the last ones count: 1e-4 of the start is left
    ratio, amplitude, nominal = np.array([0.85, 0.91, 0.97, 1.03, 1.09]), [], 3200.0
    for r in ratio:
        pitch = 1.0 / (r * nominal)
        fast = running(case, pinion_speed=2.0 * math.pi / Z_1 / pitch)
        study, history = run_study(
            analysed(
                fast,
                duration=cycles * pitch,
                time_step=pitch / steps,
                output_every=pitch / steps,
                mesh_damping_ratio=0.1,
            )
        )
        assert history.tooth_load.sum(axis=1).min() > 0.5 * TORQUE / case.pair.pinion.r_b  # the teeth never part
        wave = history.transmission_error[-last * steps :]
        amplitude.append(2.0 * abs(np.fft.rfft(wave)[last]) / len(wave))
    natural = study.stiffness.natural_frequency / (2.0 * math.pi)
    c = np.polyfit(ratio, amplitude, 2)
    peak = -0.5 * c[1] / c[0] * nominal
    assert max(amplitude) > 3.0 * 0.5e-6  # far above the 0.5 um without resonance
    assert peak == pytest.approx(natural, rel=0.05)


def test_mean_transmission_error_does_not_depend_on_the_speed():
    # a damping that fed on the rolling of the flanks, not on vibration, would carry load of its own at high speed
    case = analysed(relieved_case(), mesh_damping_ratio=0.1)
    means = []
    for pitch in (2e-3, 0.25e-3):
        fast = running(case, pinion_speed=2.0 * math.pi / Z_1 / pitch)
        n = 64 if pitch > 1e-3 else 32
        cycles, last = (4, 2) if pitch > 1e-3 else (16, 6)
        _, history = run_study(
            analysed(fast, duration=cycles * pitch, time_step=pitch / n, output_every=pitch / n)
        )
        means.append(history.transmission_error[-last * n :].mean())
    assert means[1] == pytest.approx(means[0], rel=0.02)


def test_added_inertia_lowers_the_natural_frequency_with_its_root():
    plain = study_of(coarse_case())
    inertia = plain.bodies[WHEEL].inertia
    heavier = study_of(replace(coarse_case(), added_inertia=(0.0, 3.0 * inertia)))
    assert heavier.stiffness.mean == pytest.approx(plain.stiffness.mean, rel=1e-12)
    ratio = heavier.stiffness.natural_frequency / plain.stiffness.natural_frequency
    assert ratio == pytest.approx(0.5, rel=1e-12)
    other = study_of(replace(coarse_case(), added_inertia=(3.0 * inertia, 0.0)))  # the driver's motion is prescribed
    assert other.stiffness.natural_frequency == pytest.approx(plain.stiffness.natural_frequency, rel=1e-12)


# ------------------------------------------------------------------------ energy
LOSSES = {
    "none": {},
    "mesh damping": {"mesh_damping_ratio": 0.05},
    "friction": {"friction": Friction(kind="velocity", v_static=0.05, v_dynamic=0.5)},
    "contact damping": {"damping": 1e9},
}


def energy_error(losses: dict, step: float) -> tuple[float, DynamicHistory]:
    """Largest error of the balance over the energy put in, in a run-up from rest over two and a half pitches."""
    case = coarse_case()
    case = replace(
        case,
        friction=losses.get("friction", case.friction),
        penalty=replace(case.penalty, damping=losses.get("damping", 0.0)),
    )
    case = analysed(
        case,
        duration=0.005,
        ramp=0.005,
        time_step=step,
        output_every=step,
        rho_inf=1.0,
        mesh_damping_ratio=losses.get("mesh_damping_ratio", 0.0),
    )
    _, history = run_study(case)
    stored = history.energy_kinetic + history.energy_elastic
    error = history.energy_input - (stored - stored[0]) - history.energy_dissipated
    return float(np.abs(error).max() / history.energy_input[-1]), history


@pytest.mark.parametrize("losses", LOSSES.values(), ids=LOSSES.keys())
def test_energy_put_in_is_stored_or_dissipated(losses):
    error, history = energy_error(losses, 6.25e-6)
    assert error < 1e-4
    dissipated = history.energy_dissipated
    if losses:
        assert dissipated[-1] > 100.0 * error * 0.01 * history.energy_input[-1]
    else:
        assert np.abs(dissipated).max() < 1e-12 * history.energy_input[-1]


def test_energy_error_falls_with_the_step():
    errors = [energy_error({}, step)[0] for step in (2.5e-5, 1.25e-5)]
    assert errors[1] < 0.4 * errors[0]  # a quarter, but for the small jumps of the torque where a tip round begins


# ------------------------------------------------------------------- tooth-change
def test_threshold_within_single_contact_changes_nothing():
    # both changes fall on the grid of fixed steps (50 a pitch from phase -0.5), so that the steps are the same
    histories = [
        run_study(
            analysed(
                coarse_case(), duration=3e-3, time_step=4e-5, output_every=4e-5, tooth_change_threshold=threshold
            )
        )[1]
        for threshold in (0.04, 0.20)
    ]
    first, second = histories
    te = np.abs(first.transmission_error).max()
    np.testing.assert_allclose(first.transmission_error, second.transmission_error, rtol=0.0, atol=1e-8 * te)
    np.testing.assert_array_equal(first.pairs, second.pairs)
    np.testing.assert_allclose(first.tooth_load, second.tooth_load, rtol=0.0, atol=1e-8 * first.tooth_load.max())
    np.testing.assert_allclose(first.energy_elastic, second.energy_elastic, rtol=0.0, atol=1e-8 * 0.1)


def test_tooth_change_leaves_the_forces_as_they_are():
    study = study_of(analysed(coarse_case(), duration=2e-3, time_step=2e-5, output_every=2e-5))
    system, states = study.system, []
    change = study._tooth_changes()[0]
    record = study._record

    def keep(state):
        record(state)
        states.append(state)

    study._record = keep
    study.run(Silent())
    at_change = next(state for state in states if state.t == change)
    before, motion = contact_of(at_change)
    assert motion.first_pair == -1
    system.begin_step(change + 1e-6, at_change.q, at_change.v, 1e-6)
    after, motion = contact_of(at_change.__class__(**{**vars_of(at_change), "force": system.force(change, at_change.q, at_change.v)}))
    assert motion.first_pair == 0
    np.testing.assert_allclose(after.torque, before.torque, rtol=1e-10)
    np.testing.assert_allclose(after.torque_phi, before.torque_phi, rtol=1e-8)
    assert after.conservative[0] == pytest.approx(before.conservative[0], rel=1e-10)


def vars_of(state) -> dict:
    return {name: getattr(state, name) for name in state.__slots__}
