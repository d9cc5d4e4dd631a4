"""Short form of ``scripts/kills.py``: killed, a result is whole; flipped bits are told; no place is trusted."""

from __future__ import annotations

import gc
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import histories
import numpy as np
import pytest
from datasets import contact_dataset
from script_files import load_script

import alegear as ag
from alegear import cli
from alegear.case.from_file import case_from_file
from alegear.errors import Fault
from alegear.report.report import write_report
from alegear.results.contact_result import contact_summary
from alegear.storage import store
from alegear.storage.column_file import as_cells
from alegear.storage.exchange import JOURNAL, Exchange, settle
from alegear.storage.stored_files import StoredFiles, files_in, path_inside, with_checksum

kills = load_script("scripts/kills.py")


def result(positions: int = 4, **changes: object) -> ag.Result:
    history = histories.static_history(positions)
    case = replace(histories.CASE, case_sha256=f"{positions:02d}" * 32)
    summary = contact_summary(history, histories.FACTS) | {"complete": True, "case_sha256": case.case_sha256}
    return ag.Result(dataset=contact_dataset(history, case), summary=summary | changes)


def older(folder: Path) -> None:
    """A result with a stress field, tables and a report, which the newer one does not have."""
    with store.ResultFolder(folder) as made:
        result().write(made.path)
        (made.path / "fields").mkdir()
        (made.path / "fields" / "frame_0000.vtu").write_text("field")
        made.commit()
    ag.load(folder).to_csv(only=["tooth_load"])


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("command", ["save", "report", "export"])
def test_killed_before_any_renaming_the_old_or_the_new_result_is_whole(
    tmp_path: Path, command: str, every: int
) -> None:
    do = {
        "save": lambda folder: result(6).save(folder),
        "report": lambda folder: ag.load(folder).write_beside(folder / store.REPORT, b"<html>"),
        "export": lambda folder: ag.load(folder).to_csv(only=["phase", "tooth_load"]),
    }[command]
    found = kills.killed_everywhere(tmp_path, older, do, every=every)
    assert not [told for told in found if told.startswith("wrong")]
    assert found["not killed"] == 0
    assert found["old"] >= 1
    assert found["new"] >= 1


@pytest.mark.parametrize("text", [kills.TURNING.format(inertia=2.0), kills.PAIR.format(torque=100.0)])
def test_the_cases_of_the_script_are_read(tmp_path: Path, text: str) -> None:
    """It runs them for twenty minutes before a release, and would fail at the first key that is gone."""
    (tmp_path / "case.toml").write_text(text)
    case_from_file(tmp_path / "case.toml")


def test_no_flipped_bit_is_read(tmp_path: Path) -> None:
    older(tmp_path / "out")
    stores = kills.small_stores(tmp_path) | {"result": kills.stored_result(tmp_path / "out")}
    counts, wrong = kills.flipped(stores, 300, seed=3)
    assert wrong == []
    assert sum(counts.values()) == 300
    assert counts["result: refused"] > 30


def test_an_exchange_that_was_interrupted_is_finished_by_whoever_reads(tmp_path: Path) -> None:
    older(tmp_path / "older")
    killed = kills.Killed(lambda: result(6).save(tmp_path / "older"))
    step = next(n for n in range(1, 50) if killed.before(n) and (tmp_path / "older" / JOURNAL).exists())
    assert step > 1
    assert ag.load(tmp_path / "older").summary["case_sha256"] == "06" * 32
    assert not (tmp_path / "older" / "fields").exists()
    assert not (tmp_path / "older" / JOURNAL).exists()


def test_saving_into_the_own_folder_does_nothing_and_elsewhere_takes_all(tmp_path: Path, caplog) -> None:
    older(tmp_path / "out")
    before = {name: (tmp_path / "out" / name).read_bytes() for name in files_in(tmp_path / "out")}
    one = ag.load(tmp_path / "out")
    assert one.save(tmp_path / "out") == tmp_path / "out"
    assert {name: (tmp_path / "out" / name).read_bytes() for name in files_in(tmp_path / "out")} == before
    again = one.save(tmp_path / "again")
    assert StoredFiles.of(again).listed == StoredFiles.of(tmp_path / "out").listed
    (tmp_path / "out" / "about.json").unlink()
    one.save(tmp_path / "third")
    assert "has no list of its files: fields, tables stay there" in caplog.text


def test_a_hostile_result_names_nothing_outside_of_it(tmp_path: Path) -> None:
    result(machine=True, meshes={"../../other": {}}).save(tmp_path / "out")
    result().save(tmp_path / "other")
    with pytest.raises(Fault, match=r"\.\./\.\./other: must be a name within the folder of the result"):
        ag.load(tmp_path / "out").meshes()
    (tmp_path / "out" / "link").symlink_to(tmp_path / "other")
    for name in ("/etc/passwd", "..", "link/summary.json", "a/../../b", "", "a\0b"):
        with pytest.raises(Fault, match="within the folder"):
            path_inside(tmp_path / "out", name)
    (tmp_path / "out" / "about.json").unlink()
    (tmp_path / "out" / "summary.json").unlink()
    (tmp_path / "out" / "summary.json").symlink_to("/etc/hostname")
    with pytest.raises(Fault, match="do not use a result that names others' files"):
        store.read_summary(tmp_path / "out")


@pytest.mark.parametrize(
    "odd",
    [{"complete": None}, {"complete": "x"}, {"seconds": 5}, {"warnings": [1, None]}, {"meshes": 3}, {"analysis": {}}],
)
def test_odd_summaries_are_refused(tmp_path: Path, odd: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    out = result().save(tmp_path / "out")
    (out / "about.json").unlink()
    summary = json.loads((out / "summary.json").read_text()) | odd
    (out / "summary.json").write_text(json.dumps({key: one for key, one in summary.items() if one is not None}))
    for command in (["report", str(out)], ["export", str(out), "--csv"]):
        assert cli.main(command) == 2
        assert f"({next(iter(odd))} is missing or not what it is)" in capsys.readouterr().err


def test_a_file_without_names_of_its_dimensions_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = result().save(tmp_path / "out")
    (out / "about.json").unlink()
    with h5py.File(out / "result.nc", "a") as file:
        file["nameless"] = np.zeros((4, 7))
    for command in (["report", str(out)], ["export", str(out), "--csv"]):
        assert cli.main(command) == 2
        assert "names its dimensions" in capsys.readouterr().err


def test_a_flipped_byte_says_nothing_behind_the_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without checksums, as in a folder that was put together by hand; ``Exception ignored in`` comes by this hook."""
    said: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    out = result().save(tmp_path / "out")
    (out / "about.json").unlink()
    whole = (out / "result.nc").read_bytes()
    refused = 0
    gc.collect()
    gc.freeze()  # what is there already need not be gone through again and again
    for at in np.random.default_rng(1).integers(0, len(whole), 50):
        flipped = bytearray(whole)
        flipped[at] ^= 0xFF
        (out / "result.nc").write_bytes(flipped)
        try:
            ag.load(out)
        except Fault:
            refused += 1
        gc.collect()
    assert refused > 5
    assert not said


def test_a_file_of_the_user_is_replaced_only_where_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = result().save(tmp_path / "out")
    mine = tmp_path / "mine.html"
    mine.write_text("mine")
    assert cli.main(["report", str(out), "--out", str(mine)]) == 2
    assert "--out = " in (told := capsys.readouterr().err)
    assert "add --overwrite" in told
    assert mine.read_text() == "mine"
    assert cli.main(["report", str(out), "--out", str(mine), "--overwrite"]) == 0
    (out / "report.html").write_text("mine")
    with pytest.raises(Fault, match=r"report\.html that alegear has not written"):
        write_report(out)
    assert (out / "report.html").read_text() == "mine"
    (tmp_path / "book.xlsx").touch()
    assert cli.main(["export", str(out), "--xlsx", "--out", str(tmp_path / "book.xlsx")]) == 2


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / f".a.txt.part-{os.getpid()}").symlink_to(victim)
    store.write_whole(tmp_path / "a.txt", b"new")
    assert victim.read_text() == "mine"


def test_texts_that_begin_as_formulas_are_texts(tmp_path: Path) -> None:
    one = result()
    dataset = one.dataset.assign_coords(gear=["=SUM(A1:A2)", "@in"])
    folder = ag.Result(dataset=dataset, summary=one.summary).to_csv(tmp_path / "t", only=["flank_limit"])
    assert "'=SUM(A1:A2),tip" in (folder / "gear_limit.csv").read_text()
    assert as_cells([-1.0, "-1.0", "-in", "+in", "in"]) == [-1.0, "-1.0", "'-in", "'+in", "in"]


def test_an_exchange_that_cannot_be_finished_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".results.part-abcd1234").mkdir()
    content = {"work": ".results.part-abcd1234", "gone": [], "new": []}
    store.write_whole(tmp_path / JOURNAL, with_checksum(content))

    def full(self: Exchange) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Exchange, "finish", full)
    with pytest.raises(Fault, match="No space left on device"):
        settle(tmp_path)
