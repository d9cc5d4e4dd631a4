"""Room on the disk of a motion: estimated beforehand as what it comes to, and refused where there is less."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import h5py
import pytest
from small_cases import case_of, checked, static_text

import alegear as ag
from alegear import cli
from alegear.checks.disk_space import check_disk, chunk_bytes

POINT = '[[output.points]]\ngear = "pinion"\nfillet_share = 0.5\n'


def motion_text(duration: float, every: float = 2e-5, output: str = "") -> str:
    text = static_text().replace('kind = "static"\npositions_per_pitch = 8\npitches = 1', 'kind = "dynamic"')
    text = text.replace("[analysis]", "pinion_speed_rpm = 1500.0\n[analysis]")
    return (
        text
        + f"duration_s = {duration!r}\noutput_every_s = {every!r}\n[output]\nplots = false\nfields = false\n{output}"
    )


def free(monkeypatch: pytest.MonkeyPatch, megabytes: float) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1e6 * megabytes))


def test_the_estimate_is_above_what_a_motion_takes_and_not_three_times_as_much(tmp_path: Path) -> None:
    case = case_of(motion_text(0.045))
    data = ag.run(case, tmp_path / "out").dataset
    n_slots, n_slices = data.sizes["slot"], data.sizes["slice"]
    data.close()
    with h5py.File(tmp_path / "out" / "result.nc") as file:
        over_time = [
            v for name, v in file.items() if len(v.shape) and len(v) == len(file["time"]) and "fillet" not in name
        ]
        taken = sum(v.id.get_storage_size() for v in over_time)
    estimate = chunk_bytes(case, n_slots, n_slices, 0.0)
    assert taken < estimate < 3.0 * taken


def test_it_grows_with_samples_and_points_and_is_none_of_other_studies() -> None:
    one, two, coarse = (chunk_bytes(case_of(motion_text(*way)), 4, 10, 0.0) for way in ((10.0,), (20.0,), (10.0, 4e-5)))
    assert two == pytest.approx(2.0 * one, rel=1e-5)
    assert coarse == pytest.approx(0.5 * one, rel=1e-5)
    assert chunk_bytes(case_of(motion_text(10.0)), 4, 10, 20.0) > one
    assert chunk_bytes(case_of(static_text()), 4, 10, 0.0) == 0.0


def test_a_minute_is_refused_where_there_is_no_room_for_chunks_and_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    case = case_of(motion_text(60.0))
    chunks = chunk_bytes(case, 4, 2, 0.0)
    free(monkeypatch, 2.1e-6 * chunks)
    checked(case, tmp_path / "not" / "yet")
    free(monkeypatch, 1.9e-6 * chunks)
    with pytest.raises(
        ag.Fault, match=r"disk space needed \[MB\] = \d+ \(samples on the way, and result.nc\): must be at most \d+"
    ):
        checked(case, tmp_path)
    with pytest.raises(ag.Fault, match="raise output_every_s or shorten duration_s"):
        ag.run(case, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_what_a_resumed_run_has_written_needs_no_more_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    free(monkeypatch, 150.0)
    assert check_disk(1e8, tmp_path, written=6e7) == pytest.approx(1.4e8)
    with pytest.raises(ag.Fault, match="choose another --out"):
        check_disk(1e8, tmp_path)


def test_without_a_folder_no_room_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 1.0)
    assert check_disk(1e8, None) == 0.0


def test_check_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.toml"
    path.write_text(motion_text(60.0, output=POINT))
    free(monkeypatch, 100.0)
    assert cli.main(["check", str(path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "disk space needed [MB]" in said
    assert len(said.splitlines()) == 1
