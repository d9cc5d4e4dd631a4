"""Tables that the command prints."""

from __future__ import annotations

from pathlib import Path
from typing import get_type_hints

import pytest

from alegear.case.from_file import case_from_file
from alegear.cli import tables
from alegear.cli.summary_tables import GROUPS, INTERNAL, number_groups, print_summary
from alegear.results.result import Result
from alegear.results.summary_keys import Summary

SPUR = Path(__file__).parents[2] / "meshes" / "spur_20_30.toml"


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("power_loss_mean_W", "power_loss_mean W"),
        ("memory_estimate_MB", "memory_estimate MB"),
        ("resumed_at_s", "resumed_at s"),
        ("mesh_stiffness_mean_N_per_um", "mesh_stiffness_mean N/um"),
        ("pressure_velocity_max_MPa_m_per_s", "pressure_velocity_max MPa m/s"),
        ("flash_temperature_max_K", "flash_temperature_max K"),
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


def rows_of(summary: dict[str, object], positions_per_pitch: int | None = None) -> list[list[str]]:
    return [[row.name for row in rows] for rows in number_groups(summary, positions_per_pitch)]


def test_numbers_that_belong_together_stand_together_and_internals_are_left_to_the_file() -> None:
    sides = {"tension": 300.0, "compression": -350.0}
    summary = {
        "tooth_change_threshold": 0.1,
        "contact_pressure_max_MPa": 900.0,
        "new_number_um": 1.0,
        "te_mean_um": -20.0,
        "root_stress_principal_max_MPa": {"pinion": sides, "wheel": sides | {"compression": None}},
        "te_peak_to_peak_um": 5.0,
        "memory_estimate_MB": 257.0,
        "te_peak_to_peak_grid_um": 0.1,
        "dof_full": 1000,
        "complete": True,
    }
    assert rows_of(summary) == [
        ["te_mean um", "te_peak_to_peak um", "te_peak_to_peak_grid um, its change on half the elements"],
        ["contact_pressure_max MPa"],
        [
            "root_stress_principal_max pinion tension MPa",
            "root_stress_principal_max wheel tension MPa",
            "root_stress_principal_max pinion compression MPa",
        ],
        ["new_number um"],  # nothing that is computed is lost for want of a group
    ]


def test_a_contact_ratio_is_told_once_and_with_what_it_is_known_to() -> None:
    ratios = {"contact_ratio_nominal": 1.586, "contact_ratio_tip_circles": 1.586, "contact_ratio_total": 1.586}
    assert rows_of(ratios | {"contact_ratio_loaded": 1.6875}, 32) == [
        ["contact_ratio_nominal", "contact_ratio_loaded, known to 1/32"]
    ]
    helical = ratios | {"contact_ratio_total": 2.6}
    assert rows_of(helical) == [["contact_ratio_nominal", "contact_ratio_total"]]


@pytest.mark.parametrize("key", [key for group in GROUPS for key in group] + list(INTERNAL))
def test_every_key_of_the_groups_is_one_of_a_summary(key: str) -> None:
    assert key in get_type_hints(Summary)


@pytest.mark.parametrize("kind", [{}, {"set": "rotational"}])
def test_modes_of_a_machine_with_and_without_damping(
    kind: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    still = {"frequency_Hz": 812.34, "energy_share": {"input": 0.75, "bearing": 0.25}} | (
        {"kind": kind} if kind else {}
    )
    turning = {"frequency_Hz": 807.5, "damping_ratio": 0.0123, "whirl": 0.0, "energy_share": {"input": 1.0}}
    summary = {"analysis": "modal", "machine": True, "modes": [still], "turning_modes": [turning]}
    case = case_from_file(SPUR)
    print_summary(Result(summary=summary | {"seconds": {"total": 1.0}}, directory=tmp_path), tmp_path, case)
    printed = capsys.readouterr().out
    assert ("rotational" in printed) is bool(kind)
    for words in ("standing still", "812.3", "input 75 %, bearing 25 %", "turning, damped", "807.5", "0.0123"):
        assert words in printed


def test_a_part_may_have_the_name_of_its_kind() -> None:
    (table,) = tables.part_tables("meshes", {"meshes": {"te_mean_um": 1.0}, "other": {"te_mean_um": 2.0}}, None)
    assert [column.header for column in table.columns] == ["meshes", "meshes", "other"]
    assert [list(column.cells) for column in table.columns] == [["te_mean um"], ["1"], ["2"]]
