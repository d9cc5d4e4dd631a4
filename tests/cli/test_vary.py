"""``alegear vary``: what it prints and writes, and what it refuses before anything is computed."""

import json
from pathlib import Path

import numpy as np
import pytest
from small_cases import static_text

import alegear as ag
from alegear.cli import main
from alegear.studies import varied_pairs

STUDY = """
case = "case.toml"
root_stress = false
workers = 1
[axes]
operation.pinion_torque_Nm = [150.0, 250.0]
"pinion.flank.lead_crowning_um" = { from = 0.0, to = 6.0, points = 2 }
[axes.relief]
pinion.flank.tip_relief_um = [0.0, 8.0]
"wheel.flank.tip_relief_um" = [0.0, 8.0]
pinion.flank.tip_relief_start_diameter_mm = 85.0
wheel.flank.tip_relief_start_diameter_mm = 120.0
[tolerances]
samples = 2
alignment.tilt_plane_of_action_deg = { uniform = [-0.01, 0.01] }
[optimum]
over = ["operation.pinion_torque_Nm"]
[[pareto]]
over = ["operation.pinion_torque_Nm"]
[harris_map]
at = { "pinion.flank.lead_crowning_um" = 0.0 }
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.toml").write_text(static_text())

    def write(text=STUDY):
        (tmp_path / "study.toml").write_text(text)
        return tmp_path

    return write


def test_it_computes_draws_and_prints(write, capsys):
    folder = write()
    assert main(["vary", "study.toml"]) == 0
    printed = capsys.readouterr().out
    assert "small pair: 16 points (2 sample x 2 operation.pinion_torque_Nm" in printed
    assert "best te_peak_to_peak [um] by its worst over sample, operation.pinion_torque_Nm" in printed
    assert "designs that no other one beats" in printed
    assert "written to study_results" in printed
    out = folder / "study_results"
    names = {path.name for path in out.iterdir()}
    assert names == {"study.nc", "table.csv", "summary.json", "effects.png", "optimum.png", "pareto.png",
                     "harris_map.png", "case_as_run.toml", "about.json", "checkpoint"}  # fmt: skip
    result = ag.load(out)
    assert result.sizes == {
        "sample": 2,
        "operation.pinion_torque_Nm": 2,
        "pinion.flank.lead_crowning_um": 2,
        "relief": 2,
    }
    assert np.isfinite(result.dataset.te_mean).all()
    assert result.record.text == (folder / "case.toml").read_text()
    assert result.record.started
    answers = json.loads((out / "summary.json").read_text())["evaluated"]
    best = result.optimum("te_peak_to_peak", over=["operation.pinion_torque_Nm"])
    assert answers["optimum"] == best.design | {
        "worst te_peak_to_peak [um]": best.worst,
        "mean te_peak_to_peak [um]": best.mean,
    }
    assert len(answers["pareto"]) == 1
    assert set(answers["harris_map"]) >= {"pinion.flank.tip_relief_um"}
    assert main(["report", str(out)]) == 0
    html = (out / "report.html").read_text()
    for words in (
        "Optimum: best peak to peak transmission error [µm]",
        "Pareto front: ",
        "Harris map of 2 designs",
        result.record.started,
        "[operation]",
    ):
        assert words in html
    assert len((out / "table.csv").read_text().splitlines()) == 17
    # asked something else, the study computes nothing
    study = folder / "study.toml"
    study.write_text(study.read_text().replace("[optimum]\n", '[optimum]\nquantity = "contact_pressure_max"\n'))
    assert main(["vary", "study.toml"]) == 0
    printed, told = capsys.readouterr()
    assert "best contact_pressure_max [MPa]" in printed
    assert "16 of them were computed before; to compute them again, delete study_results/checkpoint" in printed + told
    assert ag.load(out).dataset.identical(result.dataset)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pinion.flank.tip_relief_um", "pinion.flank.tip_releif_um", "the nearest key is tip_relief_um"),
        ('"wheel.flank.tip_relief_um" = [0.0, 8.0]', '"wheel.flank.tip_relief_um" = [8.0, 0.0, 1.0]', "as many values"),
        ("[150.0, 250.0]", "[]", "a list of at least one value"),
        ("uniform = [-0.01, 0.01]", "uniform = [0.01, 0.01]", "greater than 0"),
        ("[optimum]\n", '[optimum]\nquantity = "te_peak_to_peek"\n', "the nearest is te_peak_to_peak"),
        ("[optimum]\n", '[optimum]\nquantity = "root_stress_max"\n', "root_stress = true"),
        ("[optimum]\n", '[optimum]\nby = "best"\n', 'must be "worst" or "mean"'),
        ('over = ["operation.pinion_torque_Nm"]', 'over = ["torque"]', "axis = 'torque'"),
        ("[harris_map]\n", '[harris_map]\ntorque = "relief"\n[extra]\n', "no such key"),
        ('case = "case.toml"', 'case = "none.toml"', "none.toml: case file"),
        ('case = "case.toml"', 'cases = "case.toml"', "the nearest key is case"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_before_anything_is_computed(write, capsys, monkeypatch, old, new, message):
    monkeypatch.setattr(varied_pairs, "prepare", lambda *_, **__: pytest.fail("it computes"))
    folder = write(STUDY.replace(old, new, 1))
    assert main(["vary", "study.toml"]) == 2
    printed = capsys.readouterr().err.strip().splitlines()
    assert any(message in line for line in printed), printed
    assert not (folder / "study_results").exists()


def test_a_study_given_as_a_case_is_told_by_which_command_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parents[2] / "meshes" / "studies" / "e_axle_relief_study.toml"
    assert main(["run", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "must be a case, not a study of one; run it by: alegear vary e_axle_relief_study.toml" in line
