"""The dynamic study on coarse grids: quasi-static limit, resonance, energy, tooth-change, start, failures, files."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from datasets import contact_dataset
from small_cases import dynamic_study, mesh_solver, prescribed

import alegear as ag
from alegear.case.case import Case
from alegear.case.faults import CaseFaults
from alegear.case.pair_machine import DRIVE, LOAD, MESH
from alegear.contact.law import Friction
from alegear.contact.numbering import PINION, WHEEL
from alegear.errors import NonConvergence
from alegear.geometry import Microgeometry
from alegear.mesh import GridOptions
from alegear.progress import Silent
from alegear.results.by_pair import by_pair
from alegear.results.contact_result import ContactHistory
from alegear.storage.store import open_dataset, read_summary
from alegear.studies.dynamic import START_LOAD, DynamicStudy

Array = np.ndarray
CASE = Path(__file__).parents[2] / "meshes" / "spur_20_30_dynamic.toml"
COARSE = GridOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)
RPM = 2.0 * math.pi / 60.0
TORQUE = 400.0  # N m on the pinion
Z_1, Z_2 = 20, 30


@cache
def coarse_case() -> Case:
    """The delivered case on coarse grids: pinion drives with 1500 rpm, a pitch takes 2 ms."""
    case = Case.from_toml(CASE)
    return replace(case, grid_options=(COARSE, COARSE), output=replace(case.output, fields=False, plots=False))


def by_penalty(case: Case, damping: float = 0.0) -> Case:
    """By law penalty, which asks for linear elements."""
    meshes = tuple(replace(mesh, order=1) for mesh in case.grid_options)
    return replace(case, law="penalty", grid_options=meshes, penalty=replace(case.penalty, damping=damping))


def analysed(case: Case, **analysis) -> Case:
    return replace(case, analysis=replace(case.analysis, **analysis))


def running(case: Case, **operation) -> Case:
    return replace(case, operation=replace(case.operation, **operation))


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


def run_study(case: Case) -> tuple[DynamicStudy, ContactHistory]:
    study = dynamic_study(case)
    study.run(Silent())
    return study, study.mesh_history(MESH)


def static_error(study: DynamicStudy, history: ContactHistory, *, load_of_driven: bool) -> Array:
    """Static transmission error [m] at the very positions of a slow run.

    The static study counts the phase of the driven gear, the dynamic one that of the driver; the transmission error
    over the base pitch lies between them. The static study takes the torque of the pinion, while a driving pinion has
    the torque that the load of the wheel and its own prescribed speed ask for. `load_of_driven` makes the loads equal.
    """
    solver = mesh_solver(study)
    driven = 1 - solver.driving
    te = history.transmission_error
    phase_driven = history.phase + te / solver.contact.pair.p_bt
    load = study.torques[LOAD].largest
    error = np.empty(len(te))
    for i, phase in enumerate(phase_driven):
        first_pair = study.windows[MESH].first_pair(history.phase[i])
        torque = solver.torque
        for _ in range(4 if load_of_driven else 1):  # the ratio of the torques is 1.5 to a per cent: three are enough
            position = replace(solver, torque=torque).solve(phase, first_pair, -te[i])
            torque *= load / position.forces.torque[driven]
        error[i] = -position.deflection
    return error


# ------------------------------------------------------------------ quasi-static
@cache
def slow_run(driver: str) -> tuple[DynamicStudy, ContactHistory]:
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
    pair = study.layout.place(MESH).pair
    load = TORQUE / pair.pinion.r_b
    # the wheel pushes a pinion that turns about +z and drives it at +x back (-y) and away (-x)
    expected = -load * np.array([math.sin(pair.alpha_wt), math.cos(pair.alpha_wt), 0.0])
    on_pinion, on_wheel = history.bearing_force[:, PINION], history.bearing_force[:, WHEEL]
    np.testing.assert_array_equal(on_pinion, -on_wheel)
    off = np.linalg.norm(on_pinion - expected, axis=1) / load
    # pairs that touch before or after their nominal path do so with a tip round, whose normal has another direction
    begin, end = pair.engagement("pinion")
    own_phase = history.phase[:, None] - history.slot_pair
    nominal = ((history.tooth_load == 0.0) | ((begin < own_phase) & (own_phase < end))).all(axis=1)
    assert nominal.sum() > 50
    assert off[nominal].max() < 0.01  # the normals of bent teeth turn by a few thousandths
    assert off.max() < 0.1


def test_transmission_error_is_negative_and_the_driven_gear_lags():
    for driver in ("pinion", "wheel"):
        study, history = slow_run(driver)
        assert (history.transmission_error < 0.0).all()
        r_b, driving = study.built.contacts[MESH].r_b, study.built.contacts[MESH].driving
        driven = 1 - driving
        way = r_b[driven] * history.angle[:, driven] - r_b[driving] * history.angle[:, driving]
        np.testing.assert_allclose(history.transmission_error, way, atol=1e-16)


# --------------------------------------------------------------------- vibration
def test_resonance_lies_at_the_frequency_of_the_free_wheel_on_the_mean_mesh_stiffness():
    case = relieved_case()
    steps, cycles, last = (
        24,
        18,
        6,
    )  # steps a pitch; pitches run, of which the last ones count: 1e-4 of the start is left
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
    natural, solver = study.frequencies[MESH] / (2.0 * math.pi), mesh_solver(study)
    c = np.polyfit(ratio, amplitude, 2)
    peak = -0.5 * c[1] / c[0] * nominal
    window = study.windows[MESH]
    static = [solver.solve(phase, window.first_pair(phase)).deflection for phase in np.arange(steps) / steps]
    excitation = 2.0 * abs(np.fft.rfft(static)[1]) / steps
    assert max(amplitude) > 3.0 * excitation  # five times, for a linear oscillator
    assert peak == pytest.approx(natural, rel=0.05)


def test_mean_transmission_error_does_not_depend_on_the_speed():
    # a damping that fed on the rolling of the flanks, not on vibration, would carry load of its own at high speed
    case = analysed(relieved_case(), mesh_damping_ratio=0.1)
    means = []
    for pitch in (2e-3, 0.25e-3):
        fast = running(case, pinion_speed=2.0 * math.pi / Z_1 / pitch)
        n = 64 if pitch > 1e-3 else 32
        cycles, last = (4, 2) if pitch > 1e-3 else (16, 6)
        _, history = run_study(analysed(fast, duration=cycles * pitch, time_step=pitch / n, output_every=pitch / n))
        means.append(history.transmission_error[-last * n :].mean())
    assert means[1] == pytest.approx(means[0], rel=0.02)


def test_added_inertia_lowers_the_natural_frequency_with_its_root():
    plain = dynamic_study(coarse_case())
    inertia = plain.prepared[MESH].wheels[WHEEL].inertia
    heavier = dynamic_study(replace(coarse_case(), added_inertia=(0.0, 3.0 * inertia)))
    assert heavier.stiffness[MESH] == pytest.approx(plain.stiffness[MESH], rel=1e-12)
    assert heavier.frequencies[MESH] / plain.frequencies[MESH] == pytest.approx(0.5, rel=1e-12)
    other = dynamic_study(
        replace(coarse_case(), added_inertia=(3.0 * inertia, 0.0))
    )  # the driver's motion is prescribed
    assert other.frequencies[MESH] == pytest.approx(plain.frequencies[MESH], rel=1e-12)


# ------------------------------------------------------------------------ energy
LOSSES = {
    "none": {},
    "mesh damping": {"mesh_damping_ratio": 0.05},
    "friction": {"friction": Friction(kind="velocity", v_static=0.05, v_dynamic=0.5)},
    "contact damping": {"damping": 1e9},
}


def energy_error(
    losses: dict, step: float, law: str = "hertz", speed: float = 1500.0 * RPM
) -> tuple[float, ContactHistory]:
    """Largest error of the balance over the energy put in, in a run-up from rest over two and a half pitches."""
    case = running(coarse_case(), pinion_speed=speed)
    if "damping" in losses or law == "penalty":
        case = by_penalty(case, damping=losses.get("damping", 0.0))
    case = replace(case, friction=losses.get("friction", case.friction))
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


@pytest.mark.parametrize(
    ("losses", "step"),
    # contact damping: steps in Python, and longer ones, which miss more
    [(losses, 2.5e-5 if name == "contact damping" else 6.25e-6) for name, losses in LOSSES.items()],
    ids=LOSSES.keys(),
)
def test_energy_put_in_is_stored_or_dissipated(losses, step):
    error, history = energy_error(losses, step)
    assert error < 1e-4
    dissipated = history.energy_dissipated
    if losses:
        assert dissipated[-1] > 2.0 * error * history.energy_input[-1]  # not lost in the error of the balance
    else:
        assert np.abs(dissipated).max() < 1e-12 * history.energy_input[-1]


@pytest.mark.thorough  # validation/energy_drift
def test_energy_error_falls_with_the_step():
    """Of law penalty, r.m.s. over some speeds.

    Most of it is one kink of the torque, where a pair comes into mesh: x (1 - x) of the square of the step, x the place
    of the kink within its step. So a single halving divides it by anything: seen 2.2 to 5.4, law hertz 1.2 to 5.9.
    """
    speeds = 1500.0 * RPM * np.array([0.92, 0.96, 1.0, 1.04])
    errors = np.array([[energy_error({}, step, "penalty", v)[0] for v in speeds] for step in (2.5e-5, 1.25e-5)])
    assert errors.max() < 1e-4  # jumps of the torque where a tip round begins would cost 6e-4
    coarse, fine = np.sqrt(np.mean(errors**2, axis=1))
    assert fine < 0.4 * coarse  # a quarter, but for the kinks


# ------------------------------------------------------------------- tooth-change
def test_threshold_within_single_contact_changes_nothing():
    # both changes fall on the grid of fixed steps (50 a pitch from phase -0.5), so that the steps are the same
    histories = [
        run_study(
            analysed(coarse_case(), duration=3e-3, time_step=4e-5, output_every=4e-5, tooth_change_threshold=threshold)
        )[1]
        for threshold in (0.04, 0.20)
    ]
    first, second = histories
    te = np.abs(first.transmission_error).max()
    np.testing.assert_allclose(first.transmission_error, second.transmission_error, rtol=0.0, atol=1e-8 * te)
    one, other = (by_pair(contact_dataset(history), "tooth_load") for history in histories)
    np.testing.assert_array_equal(one.pair, other.pair)
    np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-8 * float(one.max()))
    np.testing.assert_allclose(first.energy_elastic, second.energy_elastic, rtol=0.0, atol=1e-8 * 0.1)


def test_a_threshold_is_a_phase_modulo_1_and_no_tooth_outside_carries_there():
    two_pairs = replace(coarse_case(), window_pairs=2)
    analysis = {"duration": 1e-4, "output_every": 1e-4}
    here, whole_pitch_back = (
        dynamic_study(analysed(two_pairs, tooth_change_threshold=threshold, **analysis)) for threshold in (0.1, -0.9)
    )
    one, other = (study.windows[MESH].threshold for study in (here, whole_pitch_back))
    assert other == pytest.approx(one, abs=1e-15)
    with pytest.raises(ag.AnalysisFailure, match=r"threshold = -0.4: tooth pair 1 is outside .* write 0\."):
        dynamic_study(analysed(two_pairs, tooth_change_threshold=-0.4, **analysis))


def test_tooth_change_leaves_the_forces_as_they_are():
    study = dynamic_study(coarse_case())
    system = study.system
    change = study._tooth_changes()[0]
    number, mesh, drive = study.built.number_of(MESH), study.built.contacts[MESH], prescribed(study)
    r_b, data = mesh.r_b, system.data.elements[number]
    turned = (r_b[PINION] * (drive.angle(change) + mesh.angle[PINION]) - 2e-5) / r_b[WHEEL]  # 20 um of deflection
    q, v = np.array([mesh.angle[WHEEL] - turned]), np.array([-drive.speed(change) * Z_1 / Z_2])  # about +z
    evaluated, energy, first_pairs = [], [], []
    for end in (change, change + 1e-6):  # of a step before and of one after the change
        system.begin_step(end, q, v, 1e-6)
        found = system.force(change, q, v).payload
        x, rates, forces = found.x, found.v, found.forces
        of_mesh = forces.elements[number]
        energy.append(mesh.energy(change, x[mesh.coordinates], rates[mesh.coordinates], of_mesh, data).stored)
        evaluated.append(of_mesh.response)
        first_pairs.append(data.first_pair)
    before, after = evaluated
    assert first_pairs[1] == first_pairs[0] + 1
    # the same contact problem in renumbered slots: round-off of the rotations over the strip's compliance
    np.testing.assert_allclose(after.torque, before.torque, rtol=1e-9)
    np.testing.assert_allclose(after.torque_phi, before.torque_phi, rtol=1e-7)
    np.testing.assert_allclose(after.pair_torque[:-1], before.pair_torque[1:], rtol=1e-9)
    assert energy[1] == pytest.approx(energy[0], rel=1e-9)


def test_contact_damping_does_not_see_the_tooth_change():
    # the deformation before the step, which the damping needs, is taken over into the new slots
    case = coarse_case()
    case = by_penalty(case, damping=1e10)
    torque = []
    for threshold in (0.04, 0.20):
        _, history = run_study(
            analysed(case, duration=1.6e-3, time_step=4e-5, output_every=4e-5, tooth_change_threshold=threshold)
        )
        torque.append(history.tooth_load.sum(axis=1))
    np.testing.assert_allclose(torque[0], torque[1], rtol=1e-7)


# -------------------------------------------------------------- drive and start
def test_wheel_drives_as_well_as_the_pinion():
    _, by_pinion = run_study(analysed(coarse_case(), duration=4e-3, time_step=2e-5, mesh_damping_ratio=0.1))
    _, by_wheel = run_study(
        analysed(running(coarse_case(), driver="wheel"), duration=4e-3, time_step=2e-5, mesh_damping_ratio=0.1)
    )
    np.testing.assert_allclose(by_wheel.speed[:, WHEEL], 1500.0 * RPM * Z_1 / Z_2, rtol=1e-12)
    np.testing.assert_allclose(by_pinion.speed[:, PINION], 1500.0 * RPM, rtol=1e-12)
    mean = [h.transmission_error[100:].mean() for h in (by_pinion, by_wheel)]
    assert mean[1] == pytest.approx(mean[0], rel=0.02)  # the same load on the same teeth, met in another order
    for history in (by_pinion, by_wheel):
        kinematic = history.speed[:, PINION] * Z_1 - history.speed[:, WHEEL] * Z_2
        assert np.abs(kinematic).max() < 0.05 * 1500.0 * RPM * Z_1


def test_ramp_from_rest_starts_without_a_kick():
    case = analysed(coarse_case(), duration=4e-3, ramp=4e-3, output_every=1e-5)
    study, history = run_study(case)
    load, ramp = study.torques[LOAD], study.speeds[DRIVE]
    inertia, r_b = study.prepared[MESH].wheels[WHEEL].inertia, study.built.contacts[MESH].r_b
    kick = history.acceleration[0, WHEEL] * inertia
    assert history.speed[0].tolist() == [0.0, 0.0]
    assert abs(kick) < 1.01 * START_LOAD * load.largest
    tooth_load = history.tooth_load.sum(axis=1)
    assert tooth_load.min() > 0.0  # the flanks touch from the beginning
    # the contact carries the load and accelerates the wheel: one curve without vibration until the speed is there
    torque = np.array([load.value(t) + inertia * ramp.derivative(t) * Z_1 / Z_2 for t in history.time])
    early = history.time < 1e-3
    excess = tooth_load[early] * r_b[WHEEL] - torque[early]
    assert np.abs(excess).max() < 0.1 * torque[early].max()


def test_slow_ramp_never_parts_the_teeth():
    # load and inertia rise so slowly that a start under a thousandth of the torque would push the flanks off each other
    case = analysed(coarse_case(), duration=0.2, ramp=0.2, output_every=1e-5)
    object.__setattr__(case.analysis, "duration", 1e-3)  # the beginning of the ramp
    _, history = run_study(case)
    assert history.tooth_load.sum(axis=1).min() > 0.0


def test_start_at_speed_is_in_equilibrium():
    study, history = run_study(analysed(coarse_case(), duration=1e-5, output_every=1e-5, mesh_damping_ratio=0.0))
    excess = history.acceleration[0, WHEEL] * study.prepared[MESH].wheels[WHEEL].inertia
    assert abs(excess) < 1e-7 * study.torques[LOAD].largest
    assert history.phase[0] == -0.5


def test_speed_zero_is_a_fault():
    content = CASE.read_text().replace("pinion_speed_rpm = 1500.0", "pinion_speed_rpm = 0.0")
    with pytest.raises(CaseFaults, match="pinion_speed_rpm"):
        Case.from_bytes(content.encode(), CASE)


# ------------------------------------------------------------------ step control
def test_steps_much_too_long_are_taken_in_parts_and_told():
    # without back flanks, which would catch the wheel
    case = by_penalty(running(coarse_case(), pinion_speed=5.0 * RPM))
    case = analysed(case, duration=0.5, time_step=0.02, output_every=0.02)
    study = dynamic_study(case)
    study.run(Silent())
    rejected = study.motion.count.rejected_by_newton
    assert rejected > 1
    assert f"time_step_s = 0.02: {rejected} attempted steps" in study.warnings[-1]
    # what came out is near equilibrium: one and two pairs in contact are about 1.3 and 0.8 of the mean deflection
    deflection = TORQUE / case.pair.pinion.r_b / study.stiffness[MESH]
    behind = -study.mesh_history(MESH).transmission_error / deflection
    assert 0.6 < behind.min() < behind.max() < 1.5


def test_a_run_that_diverges_keeps_its_last_state_and_names_body_time_residual_and_remedy(tmp_path: Path):
    # the load rises to sixty times what the pair is made for, in steps of half a pitch
    case = running(by_penalty(coarse_case()), pinion_torque=60.0 * TORQUE)
    case = replace(case, penalty=replace(case.penalty, gauss_points_profile=4))  # flanks are deep in each other
    case = analysed(case, duration=0.03, ramp=0.03, time_step=1e-4, output_every=4e-3)
    object.__setattr__(case.analysis, "time_step", 1e-3)  # longer than a case may ask for
    said = (
        r"no convergence at t = (\S+) s, rotation of wheel shaft: residual \S+ must fall below 1e-09; .*; "
        "the step is fixed at 0.001 s: "
    )
    with pytest.raises(NonConvergence, match=said) as caught:
        ag.run(case, tmp_path / "out")
    summary, stored = read_summary(tmp_path / "out"), open_dataset(tmp_path / "out")
    assert summary["complete"] is False
    time = stored["time"].values
    found = re.search(said, str(caught.value))
    assert found is not None
    assert time[-1] == pytest.approx(float(found.group(1)), rel=1e-5)  # printed with six digits
    assert 1e-4 < time[-1] - time[-2] < 3.9e-3  # between output times
    np.testing.assert_allclose(time[:-1], 4e-3 * np.arange(len(time) - 1), rtol=1e-12)
    for name in ("transmission_error", "tooth_load", "speed", "energy_input"):
        assert np.isfinite(stored[name].values).all()


def test_a_compiled_run_that_diverges_keeps_its_last_state():
    case = analysed(coarse_case(), duration=0.03, ramp=0.03, time_step=1e-4, output_every=4e-3)
    object.__setattr__(case.analysis, "time_step", 1.5e-3)  # longer than a case may ask for
    study = dynamic_study(case)
    study.torques[LOAD].coefficients[:] *= 200.0
    with pytest.raises(NonConvergence, match=r"t = .*wheel.*the step is fixed at") as caught:
        study.run(Silent())
    time = study.mesh_history(MESH).time
    assert len(time) > 2
    assert caught.value.where.startswith(f"t = {time[-1]:.6g} s")
    assert time[-1] > time[-2] == pytest.approx(4e-3 * (len(time) - 2), rel=1e-12)


def test_a_tenth_of_the_tolerance_gives_less_than_half_the_error():
    def run_with(tolerance: float) -> Array:
        case = analysed(coarse_case(), duration=1e-3, tolerance=tolerance, output_every=1e-4)
        return run_study(case)[1].transmission_error

    exact = run_with(1e-7)
    # at 1e-3 steps come to a 64th of a pitch, the longest there are, and the tolerance counts no more
    errors = [np.abs(run_with(tolerance) - exact).max() for tolerance in (3e-4, 3e-5, 3e-6)]
    # tolerance^(2/3) would be a factor of 4.6
    assert errors[1] < 0.5 * errors[0]
    assert errors[2] < 0.5 * errors[1]
    assert errors[0] < 2e-2 * np.abs(exact).mean()


def test_output_times_are_exact_and_complete():
    # tooth-changes of this threshold and the frames fall on output times up to round-off
    case = analysed(coarse_case(), duration=3e-3, time_step=5e-5, output_every=2e-5, tooth_change_threshold=0.05)
    times = tuple(np.linspace(0.0, 3e-3, 7))
    study = dynamic_study(case, times)
    study.run(Silent())
    history = study.mesh_history(MESH)
    np.testing.assert_allclose(history.time, 2e-5 * np.arange(151), rtol=1e-14)
    assert history.time[-1] == 3e-3
    assert [t for t, *_ in study.shown] == pytest.approx(list(times), rel=1e-14)


@pytest.mark.thorough  # recording/test_step_extremes
def test_extremes_are_those_of_all_steps():
    """Two samples in a pitch miss a part of the transmission error; extremes since the sample before do not.

    Steps end at the samples, so that those of a finer output are others.
    """
    case = analysed(coarse_case(), duration=6e-3, output_every=1e-3)
    (_, coarse), (_, fine) = run_study(case), run_study(analysed(case, output_every=1e-5))
    swing = np.ptp(fine.transmission_error)
    assert np.ptp(coarse.transmission_error) < 0.9 * swing
    for history in (coarse, fine):
        assert (history.transmission_error_low <= history.transmission_error).all()
        assert (history.transmission_error_high >= history.transmission_error).all()
        assert (history.tooth_load_high >= history.tooth_load.max(axis=1)).all()
        own = history.transmission_error_high.max() - history.transmission_error_low.min()
        assert own == pytest.approx(swing, rel=5e-3)  # of the error of the steps
        assert history.tooth_load_high.max() == pytest.approx(fine.tooth_load.max(), rel=5e-3)
    study = dynamic_study(case)
    study.run(Silent(), compiled=False)
    for name in ("transmission_error_low", "transmission_error_high", "tooth_load_high"):
        np.testing.assert_allclose(getattr(study.mesh_history(MESH), name), getattr(coarse, name), rtol=1e-6)


def test_phase_counts_the_driver_and_acceleration_follows_the_speed():
    _, history = run_study(analysed(coarse_case(), duration=1e-3, time_step=5e-6, output_every=5e-6))
    np.testing.assert_allclose(history.phase, history.angle[:, PINION] * Z_1 / (2.0 * np.pi), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(history.phase, -0.5 + history.time / 2e-3, rtol=1e-13, atol=1e-13)
    speed, acceleration = history.speed[:, WHEEL], history.acceleration[:, WHEEL]
    gained = np.cumsum(0.5 * (acceleration[1:] + acceleration[:-1]) * np.diff(history.time))
    # the trapezoidal sum of 60 points a period; seen 0.2 %
    np.testing.assert_allclose(speed[1:] - speed[0], gained, rtol=0.0, atol=0.01 * np.ptp(speed))


# --------------------------------------------------------------------- warnings
def test_warns_when_the_driven_gear_runs_ahead_by_more_than_the_backlash():
    # undamped at resonance the teeth part; this pair has no backlash
    case = analysed(
        by_penalty(running(coarse_case(), pinion_speed=9750.0 * RPM)),
        duration=1e-3,
        time_step=1e-5,
        output_every=1e-5,
        mesh_damping_ratio=0.005,
    )
    study, history = run_study(case)
    assert history.transmission_error.max() > 0.0
    assert history.tooth_load.sum(axis=1).min() == 0.0
    (warning,) = study.warnings  # once, not at every step
    assert "runs ahead" in warning
    assert "backlash" in warning
    quiet, _ = run_study(analysed(coarse_case(), duration=1e-4))
    assert quiet.warnings == []


# ------------------------------------------------------------------------- files
class _Interrupted:
    """Progress of a user who presses Ctrl-C when half is solved."""

    def stage(self, name: str) -> None:
        self.name = name

    def advance(self, done: int, total: int) -> None:
        if self.name == "solve" and done >= total // 2:
            raise KeyboardInterrupt


def test_interrupted_run_is_kept_and_marked_incomplete(tmp_path):
    case = analysed(coarse_case(), duration=1e-3, output_every=5e-6)
    out = tmp_path / "results"
    with pytest.raises(KeyboardInterrupt):
        ag.run(case, out, _Interrupted())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["results"]
    assert sorted(p.name for p in out.iterdir()) == ["about.json", "case_as_run.txt", "result.nc", "summary.json"]
    dataset = open_dataset(out)
    assert dataset.attrs["complete"] == 0
    assert read_summary(out)["complete"] is False
    assert 101 <= dataset.sizes["time"] < 201  # all but those that were planned after it
    assert np.isfinite(dataset.transmission_error.values).all()


@pytest.mark.thorough  # cli/test_cli
def test_interrupted_run_leaves_a_complete_result_alone(tmp_path):
    case = analysed(coarse_case(), duration=1e-3, output_every=5e-5)
    out = tmp_path / "results"
    result = ag.run(case, out)
    assert result.summary["complete"] is True
    hinged = result.summary["mesh_natural_frequency_fixed_axes_Hz"]
    assert result.summary["mesh_natural_frequency_Hz"] == hinged > 1000.0
    content = {p.name: p.read_bytes() for p in out.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        ag.run(case, out, _Interrupted())
    assert {p.name: p.read_bytes() for p in out.iterdir()} == content
    assert open_dataset(tmp_path / "results_incomplete").attrs["complete"] == 0
