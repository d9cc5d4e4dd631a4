"""Studies over named axes: every point is what a run of its own gives; what is computed is kept, and goes on."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from small_cases import case_of, static_text
from small_rigid_machine import MACHINE

import alegear as ag
from alegear.storage.store import CHECKPOINT
from alegear.storage.study_log import NAME, StudyLog, StudyPoint
from alegear.studies import study as study_module
from alegear.studies import varied_pairs

SAME = 1e-9  # relative; the solver stops at 1e-11 of the torque, from whatever guess
TORQUE, TILT = "operation.pinion_torque_Nm", "alignment.tilt_plane_of_action_deg"
RELIEF, START = "pinion.flank.tip_relief_um", "pinion.flank.tip_relief_start_diameter_mm"
MANY = {"from": 0.1, "to": 0.2, "points": 100_000}
#: A pinion with undercut, in whose mate a tip edge presses beside the root; few positions.
UNDERCUT = """
[pair]
normal_module_mm = 2.0
[pinion]
teeth = 17
profile_shift = -0.35
face_width_mm = 16.0
bore_diameter_mm = 18.0
[wheel]
teeth = 34
profile_shift = -0.1
face_width_mm = 16.0
bore_diameter_mm = 40.0
[grid]
flank_elements = 6
fillet_elements = 6
thickness_elements = 4
width_elements = 4
rim_elements = 4
[operation]
pinion_torque_Nm = 60.0
[analysis]
kind = "static"
positions_per_pitch = 3
grid_estimate = false
"""
AXES = {
    TORQUE: [150.0, 250.0],
    TILT: [-0.01, 0.0, 0.02],
    "relief": {RELIEF: [0.0, 10.0], "wheel.flank.tip_relief_um": [0.0, 12.0], START: 85.0,
               "wheel.flank.tip_relief_start_diameter_mm": 120.0},
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "case.toml"
    file.write_text(static_text())
    return file


@cache
def studied(workers: int = 1) -> ag.StudyResult:
    import tempfile

    file = Path(tempfile.mkdtemp()) / "case.toml"
    file.write_text(static_text())
    return ag.study(file, AXES, workers=workers)


def alone(path: Path, torque: float, tilt: float, relief: int) -> ag.Result:
    """A point as a case file of its own."""
    text = path.read_text().replace("pinion_torque_Nm = 200.0", f"pinion_torque_Nm = {torque}")
    text += f"[alignment]\ntilt_plane_of_action_deg = {tilt}\n"
    for gear, amount, start in (("pinion", (0.0, 10.0), 85.0), ("wheel", (0.0, 12.0), 120.0)):
        text += f"[{gear}.flank]\ntip_relief_um = {amount[relief]}\ntip_relief_start_diameter_mm = {start}\n"
    path.write_text(text)
    return ag.run(ag.Case.from_toml(path))


@pytest.mark.parametrize(("torque", "tilt", "relief"), [(0, 0, 1), (1, 2, 0), (1, 1, 1)])
def test_a_point_is_what_a_run_of_its_own_gives(path, torque, tilt, relief):
    point = studied().dataset.isel({TORQUE: torque, TILT: tilt, "relief": relief})
    result = alone(path, AXES[TORQUE][torque], AXES[TILT][tilt], relief)
    curves, summary = result.dataset, result.summary
    assert str(point.point_sha256.values) == summary["case_sha256"]
    assert float(point.contact_ratio_loaded) == summary["contact_ratio_loaded"]
    assert [1e6 * float(point[name]) for name in ("j_wt", "j_bn")] == [summary["j_wt_um"], summary["j_bn_um"]]
    np.testing.assert_allclose(point.transmission_error, curves.transmission_error, rtol=SAME)
    np.testing.assert_allclose(1e6 * point.te_peak_to_peak, summary["te_peak_to_peak_um"], rtol=1e-7)  # a difference
    np.testing.assert_allclose(point.contact_pressure_max, curves.contact_pressure.max(), rtol=SAME)
    for name in ("root_stress_max", "root_stress_principal_max"):
        told = [list(sides.values()) for sides in summary[f"{name}_MPa"].values()]
        np.testing.assert_allclose(1e-6 * point[name], told, rtol=SAME)


def test_a_point_warns_of_what_a_run_of_its_case_warns_of(tmp_path):
    """Undercut, a small bore, a tip edge beside the root, few positions; a run alone has a second grid and wear."""
    file = tmp_path / "case.toml"
    file.write_text(UNDERCUT)
    axes = {"wheel.bore_diameter_mm": [40.0, 12.0], TILT: [0.0, 0.2]}
    study = ag.study(file, axes, workers=1)
    told = study.dataset["warnings"].values
    keys = ag.Case.from_toml(file)
    for i, bore in enumerate(axes["wheel.bore_diameter_mm"]):
        for j, tilt in enumerate(axes[TILT]):
            wheel = replace(keys.pair.wheel, bore_diameter=1e-3 * bore)
            shafts = replace(keys.pair.alignment, tilt_plane_of_action=np.radians(tilt))
            case = replace(keys, pair=replace(keys.pair, wheel=wheel, alignment=shafts))
            assert told[i, j].split(" | ") == ag.run(case).summary["warnings"]
    for i, begins in ((0, "the pinion is undercut"), (1, "mesh stiffness = 0.55"), (0, "positions_per_pitch = 3")):
        assert begins in told[i, 0]
    assert "mesh stiffness = " not in told[0, 0]
    pressed = "the mating tip edge presses beside the root form circle"
    assert all(pressed in one for one in told.ravel())
    plain = ag.study(file, axes, workers=1, root_stress=False).dataset["warnings"].values
    assert plain[1, 0].split(" | ") == [one for one in told[1, 0].split(" | ") if pressed not in one]


def test_dimensions_are_the_axes_and_coordinates_have_the_keys_with_their_units():
    data = studied().dataset
    assert data.te_mean.dims == (TORQUE, TILT, "relief")
    np.testing.assert_array_equal(data[TORQUE], AXES[TORQUE])
    np.testing.assert_array_equal(data["wheel.flank.tip_relief_um"], [0.0, 12.0])
    np.testing.assert_array_equal(data[START], [85.0, 85.0])
    assert data[TORQUE].attrs["units"] == "N m"
    assert data[RELIEF].attrs["units"] == "um"
    assert float(data.te_peak_to_peak.sel({TORQUE: 250.0, TILT: 0.0}).isel(relief=1)) > 0.0
    assert (data.failure == "").all()


@pytest.mark.thorough  # test_variation
def test_the_result_does_not_depend_on_the_number_of_workers():
    assert studied(1).dataset.identical(studied(2).dataset)


def test_a_key_of_the_grid_makes_new_grids(path):
    result = ag.study(path, {"grid.width_elements": [2, 4], TORQUE: [200.0]}, root_stress=False, workers=1)
    finer = ag.Case.from_toml(path)
    finer = replace(finer, grid_options=tuple(replace(one, width_elements=4) for one in finer.grid_options))
    summary = ag.run(finer).summary
    np.testing.assert_allclose(
        1e6 * result.dataset.te_peak_to_peak.isel({"grid.width_elements": 1}).item(),
        summary["te_peak_to_peak_um"],
        1e-7,
    )
    assert "root_stress_max" not in result.dataset


def test_curves_of_different_lengths_stand_over_their_own_phases(path):
    result = ag.study(path, {"analysis.positions_per_pitch": [4, 8]}, root_stress=False, workers=1)
    phase = result.dataset["phase"]
    assert phase.dims == ("analysis.positions_per_pitch", "position")
    np.testing.assert_array_equal(phase[0, :4], [-0.5, -0.25, 0.0, 0.25])
    assert np.isnan(phase[0, 4:]).all()
    curves = result.dataset["transmission_error"].values
    np.testing.assert_allclose(curves[0, :4], curves[1, ::2], rtol=SAME)


def test_points_that_are_one_case_are_computed_once(path, monkeypatch):
    solved = []
    solve = study_module.solve_varied

    def counted(cases, **more):
        solved.append(len(cases))
        return solve(cases, **more)

    monkeypatch.setattr(study_module, "solve_varied", counted)
    data = ag.study(path, {TILT: [0.01, 0.01 * (1.0 + 1e-14), 0.0]}, workers=1, root_stress=False).dataset
    assert solved == [2]  # of numbers twelve digits count
    assert data.te_mean.values[0] == data.te_mean.values[1] != data.te_mean.values[2]
    with pytest.raises(ag.Fault, match="one along which the case changes"):
        ag.study(path, {TILT: [0.01, 0.01 * (1.0 + 1e-14)]}, workers=1)


def test_a_point_that_cannot_be_leaves_the_others_alone(path):
    axes = {RELIEF: [0.0, 10.0], TORQUE: [200.0, 1e9]}  # a relief without its start, a crushed pair
    data = ag.study(path, axes, workers=1).dataset
    np.testing.assert_array_equal(data.failure.values != "", [[False, True], [True, True]])
    assert "tip_relief_start_diameter_mm = (missing)" in data.failure.values[1, 0]
    assert np.isfinite(data.te_mean.values[0, 0])
    assert np.isnan(data.te_mean.values[1]).all()
    with pytest.raises(ag.AnalysisFailure, match="none of 1 points"):
        ag.study(path, {TORQUE: [1e9]}, workers=1)
    with pytest.raises(ag.Fault, match="none of which is a case"):
        ag.study(path, {RELIEF: [10.0]}, workers=1)


def test_a_start_without_relief_is_warned_of(path):
    result = ag.study(path, {START: [84.0, 86.0], TORQUE: [100.0, 200.0]}, workers=1, root_stress=False)
    (warning,) = result.summary["warnings"]
    assert warning.startswith(f"axis {START}: none of its 2 values changes anything")


def test_tolerances_are_an_axis_of_samples(path):
    given = {TILT: {"normal": [0.0, 0.01]}, "wheel.flank.helix_slope_um": {"uniform": [-3.0, 3.0]}, "samples": 3}
    result = ag.study(path, {TORQUE: [150.0, 200.0]}, tolerances=given, root_stress=False, workers=1)
    assert result.sizes == {"sample": 3, TORQUE: 2}
    assert result.dataset[TILT].dims == ("sample",)
    worst = result.dataset.te_peak_to_peak.max("sample").values
    assert result.optimum().worst == pytest.approx(1e6 * worst.min())
    case = ag.Case.from_toml(path)  # the same by the case
    assert ag.study(case, {TORQUE: [150.0, 200.0]}, tolerances=given, root_stress=False, workers=1).dataset.identical(
        result.dataset
    )


def test_a_case_made_in_python_varies_by_its_objects():
    case = replace(case_of(static_text()), operation=ag.Operation(pinion_torque=100.0), path=None)
    data = ag.study(case, {TORQUE: [150.0, 250.0], TILT: [0.02]}, workers=1).dataset
    expected = studied().dataset.te_mean.isel(relief=0).sel({TILT: [0.02]})
    np.testing.assert_allclose(data.te_mean, expected, rtol=SAME)


def test_efficiency_is_what_friction_leaves(path):
    r"""Independent: the loss is the friction :math:`\mu F_n` of every slice times its sliding, over a pitch.

    With line loads w_i of the slices at roll lengths xi on the pinion the sliding velocity is
    |(xi - xi_C) (omega_1 + omega_2)|, xi_C the pitch point; all over F v, the force and speed of the base circle.
    """
    mu = 0.06
    path.write_text(static_text(contact=f'friction = "coulomb"\nmu_dynamic = {mu}'))
    result = ag.study(path, {TORQUE: [200.0, 300.0]}, workers=1, root_stress=False)
    lost = 1.0 - result.dataset.efficiency.values
    case = ag.Case.from_toml(path)
    curves = ag.run(case).dataset
    pair = case.pair
    xi, load = curves.contact_roll_length.values, curves.line_load.values
    width = pair.b_w / load.shape[2]
    pitch_point = pair.pinion.r_b * np.tan(pair.alpha_wt)
    relative = np.abs(xi - pitch_point) * (1.0 / pair.pinion.r_b + 1.0 / pair.wheel.r_b)
    friction = mu * np.nansum(load * relative, axis=(1, 2)) * width
    expected = friction.mean() / (200.0 / pair.pinion.r_b)
    # friction shares the load a little differently, and edges slide at other places than their roll lengths say
    np.testing.assert_allclose(lost[0], expected, rtol=0.03)
    assert "efficiency" in result.quantities


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"pinion.flank.tip_relif_um": [1.0]}, "the nearest key is tip_relief_um"),
        ({"relief": {RELIEF: [1.0, 2.0], START: [85.0]}}, "of as many values for each key"),
        ({TORQUE: []}, "a list of at least one value"),
        ({TORQUE: [1.0, "x"]}, "must be a number"),
        (None, "at least one axis or tolerance"),
        ({TORQUE: MANY, TILT: MANY}, "points of the study = 100000 x 100000 = 10000000000: must be at most"),
    ],
)
def test_wrong_axes_are_told_before_anything_is_computed(path, axes, message, tmp_path, monkeypatch):
    monkeypatch.setattr(varied_pairs, "prepare", lambda *_, **__: pytest.fail("it computes"))
    with pytest.raises(ag.Fault) as caught:
        ag.study(path, axes, out=tmp_path / "out")
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_all_wrong_keys_are_told_at_once(path):
    with pytest.raises(ag.CaseFaults) as caught:
        ag.study(path, {"pinion.flank.tip_relif_um": [1.0], "operation.pinion_torque_kNm": [1.0]})
    assert len(caught.value.faults) == 2


def test_what_was_computed_before_it_was_stopped_is_kept_and_goes_on(path, tmp_path, monkeypatch):
    out, axes = tmp_path / "out", {name: AXES[name] for name in (TORQUE, TILT)}  # six points
    monkeypatch.setattr(varied_pairs, "CHUNK", 2)
    chunk, calls = varied_pairs._Job.chunk, itertools.count()

    def stopped(job, numbers):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return chunk(job, numbers)

    monkeypatch.setattr(varied_pairs._Job, "chunk", stopped)
    with pytest.raises(KeyboardInterrupt):
        ag.study(path, axes, out=out, workers=1)
    kept = ag.load(out)
    assert not kept.complete
    assert int(np.isfinite(kept.dataset.te_mean).sum()) == 4
    assert (kept.dataset.failure.values.ravel()[4:] == "not computed: the study was stopped").all()
    assert len((out / CHECKPOINT / NAME).read_text().splitlines()) == 1 + 4
    solved = []
    monkeypatch.setattr(varied_pairs._Job, "chunk", lambda job, numbers: solved.append(numbers) or chunk(job, numbers))
    whole = ag.study(path, axes, out=out, workers=1)
    assert solved == [[4, 5]]
    assert whole.complete
    assert whole.summary["computed_before"] == 4
    files = {"study.nc", "table.csv", "summary.json", "case_as_run.toml", "about.json", CHECKPOINT}
    assert {one.name for one in out.iterdir()} == files
    again = ag.study(path, axes, workers=1)
    assert again.dataset.identical(ag.load(out).dataset.load())


def test_more_values_compute_the_new_points_only_and_failed_ones_again(path, tmp_path, monkeypatch):
    out, solved = tmp_path / "out", []
    ag.study(path, {TORQUE: [100.0, 200.0]}, out=out, workers=1)
    with StudyLog(out / CHECKPOINT, {"root_stress": True}) as log:
        (digest, _), _ = log.points.items()
        log.add(digest, StudyPoint(row=None, failure="no memory"))
    chunk = varied_pairs._Job.chunk
    monkeypatch.setattr(varied_pairs._Job, "chunk", lambda job, numbers: solved.append(numbers) or chunk(job, numbers))
    more = ag.study(path, {TORQUE: [100.0, 150.0, 200.0]}, out=out, workers=1)
    assert sum(map(len, solved)) == 2
    assert more.summary["computed_before"] == 1
    at_once = ag.study(path, {TORQUE: [100.0, 150.0, 200.0]}, workers=1).dataset
    for name in more.quantities:  # each begins at the deflections of another neighbour
        np.testing.assert_allclose(more.dataset[name], at_once[name], rtol=SAME, atol=1e-15, err_msg=name)


KILLED = """
import sys
import alegear as ag
from alegear.studies import varied_pairs
varied_pairs.CHUNK = 2
ag.study(sys.argv[1], {axes!r}, out=sys.argv[2], workers=1)
"""


@pytest.mark.thorough  # one that is stopped: above; kills: results/test_nothing_lost
@pytest.mark.slow
def test_a_study_that_is_killed_goes_on(path, tmp_path, monkeypatch):
    out = tmp_path / "out"
    axes = {TORQUE: [float(t) for t in range(100, 116)]}
    program = [sys.executable, "-c", KILLED.format(axes=axes), str(path), str(out)]
    with subprocess.Popen(program) as process:
        until = time.monotonic() + 300.0
        while time.monotonic() < until:
            log = out / CHECKPOINT / NAME
            if log.exists() and len(log.read_bytes().splitlines()) > 4:
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    before = len((out / CHECKPOINT / NAME).read_bytes().splitlines()) - 1
    assert 4 <= before < 16
    monkeypatch.setattr(varied_pairs, "CHUNK", 2)
    solved = []
    chunk = varied_pairs._Job.chunk
    monkeypatch.setattr(varied_pairs._Job, "chunk", lambda job, numbers: solved.extend(numbers) or chunk(job, numbers))
    result = ag.study(path, axes, out=out, workers=1)
    assert len(solved) <= 16 - before + 1  # of a chunk of two one may be missing
    assert np.isfinite(result.dataset.te_mean).all()
    assert not [one for one in os.listdir(tmp_path) if ".part-" in one]


def test_a_full_disk_leaves_what_was_there(path, tmp_path, monkeypatch):
    out = tmp_path / "out"
    ag.study(path, {TORQUE: [150.0]}, out=out, workers=1)
    before = (out / "study.nc").read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("alegear.storage.store.os.fsync", full)
    with pytest.raises(ag.AnalysisFailure, match="No space left on device"):
        ag.study(path, {TORQUE: [150.0, 160.0]}, out=out, workers=1)
    assert (out / "study.nc").read_bytes() == before
    assert len((out / CHECKPOINT / NAME).read_text().splitlines()) == 3  # computed, and not to be computed again


def test_points_of_machines_are_runs_of_their_own(tmp_path):
    file = tmp_path / "machine.toml"
    file.write_text(MACHINE)
    result = ag.study(file, {"loads.machine.torque_Nm": [-100.0, -300.0]})
    for number, torque in enumerate((-100.0, -300.0)):
        file.write_text(MACHINE.replace("-300.0", str(torque)))
        summary = ag.run(ag.case_from_file(file)).summary
        numbers = dict(study_module._numbers(json.loads(json.dumps(summary))))
        assert numbers
        for name, value in numbers.items():
            np.testing.assert_allclose(result.dataset[name].values[number], value, rtol=SAME, err_msg=name)
    assert all(name in result.quantities for name in numbers)
