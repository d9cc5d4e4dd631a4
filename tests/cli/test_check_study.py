"""``alegear check`` of a study file: everything but the computation."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import alegear as ag
from alegear.cli import main

MESHES = Path(__file__).parents[2] / "meshes"
STUDY = f"""
case = "{MESHES / "spur_20_30.toml"}"

[axes]
"operation.pinion_torque_Nm"   = [100.0, 200.0]
"pinion.flank.lead_crowning_um"   = [0.0, 10.0, 20.0]
"pinion.teeth"                 = [20, 21]

[optimum]
quantity = "te_peak_to_peak"
over     = ["operation.pinion_torque_Nm"]
"""


def check(tmp_path: Path, text: str, *options: str) -> int:
    path = tmp_path / "study.toml"
    path.write_text(text)
    return main(["check", str(path), *options])


def test_points_cases_and_reductions_are_told(tmp_path, capsys) -> None:
    assert check(tmp_path, STUDY, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["axes"] == {
        "operation.pinion_torque_Nm": 2,
        "pinion.flank.lead_crowning_um": 3,
        "pinion.teeth": 2,
    }
    assert (told["points"], told["cases"], told["reductions"], told["refused"]) == (12, 12, 2, 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.toml"]  # nothing is computed


def test_points_that_are_no_case_are_counted(tmp_path, capsys) -> None:
    assert check(tmp_path, STUDY.replace("lead_crowning_um", "tip_relief_um")) == 0  # reliefs that begin nowhere
    told = capsys.readouterr()
    assert "12 points" in told.out
    assert "4 different cases on 2 reductions" in told.out
    assert "8 of 12 points are no case; the first: " in told.err


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("pinion.teeth", "pinion.teth", "no such key; the nearest key is teeth"),
        ("te_peak_to_peak", "te_peak", "te_peak"),
        ("[100.0, 200.0]", "[]", "operation.pinion_torque_Nm"),
        ('over     = ["operation.pinion_torque_Nm"]', 'over = ["load"]', "load"),
    ],
)
def test_what_vary_would_refuse_is_refused(tmp_path, capsys, old: str, new: str, words: str) -> None:
    assert check(tmp_path, STUDY.replace(old, new)) == 2
    assert words in capsys.readouterr().err


def test_a_study_has_no_layout(tmp_path, capsys) -> None:
    assert check(tmp_path, STUDY, "--picture", str(tmp_path / "layout.png")) == 2
    assert "which has no layout" in capsys.readouterr().err


def test_backlash_over_tolerances_is_told_of_pairs_and_meshes(tmp_path, capsys) -> None:
    """Least and largest over thickness allowances and centre distance, by the linear tolerance of the hand formula."""
    lines = [f'"{gear}.tooth_thickness_allowance_um" = [30.0, 40.0, 50.0]' for gear in ("pinion", "wheel")]
    text = "\n".join(
        [
            f'case = "{MESHES / "e_axle_stage.toml"}"',
            "[axes]",
            *lines,
            '"alignment.center_distance_error_um" = [-20, 20]',
        ]
    )
    assert check(tmp_path, text, "--json") == 0
    least, largest = json.loads(capsys.readouterr().out)["j_wt_mm"][""]
    pair = ag.Case.from_toml(MESHES / "e_axle_stage.toml").pair
    nominal = 1e3 * pair.j_wt
    to_working = pair.d_w[0] / pair.pinion.d / math.cos(pair.pinion.beta)
    width = 2.0 * (10e-3 * to_working + 20e-3 * math.tan(pair.alpha_wt))  # mm; a distance opens both flanks
    assert least == pytest.approx(nominal - width, abs=5e-5)
    assert largest == pytest.approx(nominal + width, abs=5e-5)  # of second order in the distance
    study = f'case = "{MESHES / "two_stage_helical.toml"}"\n[axes]\n"gears.p1.tooth_thickness_allowance_um" = [30, 50]'
    assert check(tmp_path, study) == 0
    told = capsys.readouterr().out
    assert "backlash j_wt of mesh first: 0.08661 to 0.1083 mm" in told
    assert "backlash j_wt of mesh second: 0.1026 to 0.1026 mm" in told
