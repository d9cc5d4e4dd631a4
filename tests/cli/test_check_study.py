"""``alegear check`` of a study file: everything but the computation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
