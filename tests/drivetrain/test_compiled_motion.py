"""The compiled motion of any system against the one that goes from step to step in Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from system_parts import FixedRatio

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))
from cases import TEXTS
from curves import tight_newton

from alegear.case.case import Case
from alegear.case.pair_machine import MESH, machine_of
from alegear.drivetrain import compiled_motion, system_kernels
from alegear.drivetrain.compiled_motion import is_compiled
from alegear.errors import NonConvergence
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import prepare
from alegear.system.builder import SystemBuilder
from alegear.system.profiles import PiecewiseCubic

#: Two pitches in place of ten.
SHORT = ("duration_s = 0.01", "duration_s = 2e-3")
ADAPTIVE = ("time_step_s = 2e-5", "tolerance = 1e-3")
MODES = ("mesh_damping_ratio = 0.05\n", 'mesh_damping_ratio = 0.05\ninertia = "full"\nnormal_modes = 10\n')
#: Newton ends at 1e-9 of the torque, from another start, and an acceleration or a stiffness feels it most.
SAME = 1e-6


def study_of(name: str, *changes: tuple[str, str], frame_times: tuple[float, ...] = ()) -> DynamicStudy:
    text = TEXTS[name]
    for before, after in (SHORT, *changes):
        assert before in text
        text = text.replace(before, after)
    case = Case.from_bytes(text.encode())
    prepared = prepare(case, Silent(), fields=False, root_stress=False)
    return DynamicStudy(machine_of(case), {MESH: prepared}, frame_times=frame_times)


def both_ways(name: str, *changes: tuple[str, str], **options: Any) -> list[DynamicStudy]:
    """The same study run in compiled code, and step by step in Python."""
    studies = []
    for compiled in (True, False):
        study = study_of(name, *changes, **options)
        study.run(Silent(), compiled=compiled)
        studies.append(study)
    return studies


def assert_same(compiled: DynamicStudy, plain: DynamicStudy) -> None:
    one, two = compiled.mesh_history(MESH), plain.mesh_history(MESH)
    assert one.samples.layout == two.samples.layout
    work = np.abs(two.energy_input).max()
    for name in one.samples.layout:
        a, b = getattr(one, name), getattr(two, name)
        assert a.shape == b.shape, name
        scale = work if name.startswith("energy") else np.nanmax(np.abs(b), initial=0.0)
        np.testing.assert_allclose(a, b, atol=SAME * scale, rtol=0.0, err_msg=name)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("motion", [("driver = \"pinion\"", "driver = \"wheel\"")]),
        ("motion", [ADAPTIVE]),
        pytest.param("motion_helical_back_flanks", [], marks=pytest.mark.thorough),
        ("motion_both_flanks", []),
        ("motion_friction", [("time_step_s", "method = \"hht\"\nrho_inf = 0.6\ntime_step_s")]),
        pytest.param("motion_shafts", [], marks=pytest.mark.thorough),
        ("motion_tables", []),
        pytest.param("motion_unbalance", [], marks=pytest.mark.thorough),
        pytest.param("motion_bearings_shafts_friction", [ADAPTIVE], marks=pytest.mark.thorough),
        ("motion_modes_shafts_friction", []),
        ("motion_unbalance", [MODES]),
    ],
)  # fmt: skip
def test_the_compiled_motion_is_the_motion(name: str, changes: list[tuple[str, str]]) -> None:
    compiled, plain = both_ways(name, *changes)
    assert is_compiled(compiled.built.model)
    assert_same(compiled, plain)
    one, two = compiled.motion.count, plain.motion.count
    assert one.accepted == two.accepted
    assert one.rejected_by_error == two.rejected_by_error
    assert one.h_shortest == pytest.approx(two.h_shortest, rel=1e-6)


def test_steps_of_displaced_wheels_with_modes_are_the_same_to_round_off() -> None:
    """Newton's iteration to round-off, so that nothing else is between the two."""
    with tight_newton():
        compiled, plain = both_ways("motion_unbalance", MODES, ("duration_s = 2e-3", "duration_s = 2e-4"))
    one, two = compiled.mesh_history(MESH), plain.mesh_history(MESH)
    for name in ("transmission_error", "displacement", "bearing_force"):
        a, b = getattr(one, name), getattr(two, name)
        np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-12 * np.abs(b).max())  # 6e-14 seen, ten steps on


def test_blocks_and_pauses_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = study_of("motion_bearings")
    whole.run(Silent())
    monkeypatch.setattr(compiled_motion, "SAMPLES", 3)
    parts = study_of("motion_bearings")
    parts.run(Silent())
    assert_same(parts, whole)
    assert vars(parts.motion.count) == vars(whole.motion.count)


def test_frames_off_the_output_times_are_kept() -> None:
    times = (0.0, 1.23e-3, 2e-3)
    compiled, plain = both_ways("motion", frame_times=times)
    assert [frame.label for frame in compiled.frames(MESH)] == list(times)
    for one, two in zip(compiled.frames(MESH), plain.frames(MESH), strict=True):
        np.testing.assert_allclose(one.phi + one.ahead, two.phi + two.ahead, rtol=1e-10)
        assert one.first_pair == two.first_pair
        for force, expected in zip(one.face_force, two.face_force, strict=True):
            np.testing.assert_allclose(force, expected, atol=SAME * np.abs(expected).max())
    assert len(compiled) == len(plain)


def test_a_step_that_fails_is_told_in_words_and_what_came_before_is_kept() -> None:
    # the teeth carry sixty times the torque no longer, and steps of a pitch are longer than a case may ask for
    study = study_of("motion")
    object.__setattr__(study.analysis, "time_step", 1e-3)
    load = study.built.model.loads[0]
    torque = load.profile.value(0.0)
    object.__setattr__(load, "profile", PiecewiseCubic.step(torque, 60.0 * torque, 1e-3, 1.5e-3))
    with pytest.raises(NonConvergence, match=r"t = .*the step is fixed at"):
        study.run(Silent())
    assert len(study) >= 1


def test_what_compiled_code_does_not_know_is_integrated_step_by_step() -> None:
    assert not is_compiled(study_of("motion_penalty").built.model)
    builder = SystemBuilder()
    for name in ("one", "two"):
        builder.rotor(name, inertia=1.0)
    builder.add(FixedRatio(name="ratio", between=("one", "two"), radii=(1.0, 2.0)))
    assert not is_compiled(builder.build())


def test_profiles_in_compiled_code_are_those_of_python() -> None:
    profiles = [
        PiecewiseCubic.step(2.0, 5.0, 0.1, 0.3),
        PiecewiseCubic.table((0.0, 0.2, 0.5, 0.6), (1.0, -2.0, 3.0, 3.0)),
        PiecewiseCubic.table((0.0, 0.2, 0.5), (1.0, 4.0, 2.0), straight=True),
        PiecewiseCubic.constant(7.0),
        PiecewiseCubic.step(1.0, 2.0, 0.2, 0.2),
    ]
    arrays = compiled_motion._profiles(profiles)
    for t in (-0.1, 0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.55, 0.6, 0.9):
        for number, profile in enumerate(profiles):
            found = system_kernels.profile_values(arrays, number, t)
            expected = (profile.value(t), profile.derivative(t), profile.integral(t), profile.jump(t))
            np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-15)
