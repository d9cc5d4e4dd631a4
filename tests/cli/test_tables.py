"""Tables that the command prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from alegear.case.from_file import case_from_file
from alegear.cli import tables
from alegear.cli.summary_tables import print_summary
from alegear.results.result import Result

SPUR = Path(__file__).parents[2] / "meshes" / "spur_20_30.toml"


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("power_loss_mean_W", "power_loss_mean W"),
        ("memory_estimate_MB", "memory_estimate MB"),
        ("resumed_at_s", "resumed_at s"),
        ("mesh_stiffness_mean_N_per_um", "mesh_stiffness_mean N/um"),
        ("contact_ratio_loaded", "contact_ratio_loaded"),
    ],
)
def test_units_stand_apart(key: str, label: str) -> None:
    assert tables.label(key) == label


def test_names_stay_apart_in_a_narrow_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    summary = {"contact_ratio_nominal": 1.5, "contact_ratio_tip_circles": 1.6, "seconds": {"total": 1.0}}
    print_summary(Result(summary=summary, directory=tmp_path), tmp_path, case_from_file(SPUR))
    words = "".join(line.strip("│ ").split("│")[0].strip() for line in capsys.readouterr().out.splitlines())
    assert "contact_ratio_nominal" in words
    assert "contact_ratio_tip_circles" in words
    assert "..." not in words
