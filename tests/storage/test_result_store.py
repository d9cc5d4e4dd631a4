"""Result folders appear whole or not at all; an older result is never half overwritten."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import histories
import pytest
from datasets import contact_dataset

from alegear.errors import Fault
from alegear.results.contact_result import contact_summary
from alegear.results.load import load
from alegear.results.result import Result
from alegear.storage import store
from alegear.storage.netcdf import Contents
from alegear.storage.whole_file import StorageFailure


def result(complete: bool = True) -> Result:
    history = histories.static_history(8)
    summary = contact_summary(history, histories.FACTS) | {"complete": complete}
    return Result(dataset=contact_dataset(history, replace(histories.CASE, complete=complete)), summary=summary)


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def no_space(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_new_folder_with_its_parents(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "out"
    assert result().save(target) == target
    assert sorted(content(tmp_path)) == ["a/b/out/about.json", "a/b/out/result.nc", "a/b/out/summary.json"]
    assert oct(target.stat().st_mode & 0o777) == oct(0o777 & ~store._umask())


def test_nothing_is_left_without_commit(tmp_path: Path) -> None:
    with store.ResultFolder(tmp_path / "a" / "out") as folder:
        (folder.path / "summary.json").write_text("{}")
    assert list(tmp_path.iterdir()) == []


def test_a_new_result_replaces_all_parts_of_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with store.ResultFolder(target) as folder:
        (folder.path / "fields").mkdir()
        (folder.path / "fields" / "frame_0000.vtu").write_text("old")
        (folder.path / "te.png").write_text("old")
        (folder.path / "summary.json").write_text('{"case_sha256": "ab"}')
        folder.commit()
    (target / "notes.txt").write_text("mine")
    (target / "fields" / "view.pvsm").write_text("mine")
    (target / "my.png").write_text("mine")
    (target / "report.html").write_text("mine")
    result().save(target)
    assert sorted(content(tmp_path)) == [
        "out/about.json",
        "out/fields/view.pvsm",
        "out/my.png",
        "out/notes.txt",
        "out/report.html",
        "out/result.nc",
        "out/summary.json",
    ]


@pytest.mark.parametrize("existed", [False, True])
def test_working_folders_of_killed_processes_go_and_those_in_use_stay(tmp_path: Path, existed: bool) -> None:
    target = tmp_path / "out"
    abandoned = [tmp_path / ".out.part-abcdefgh", tmp_path / ".other.part-abcdefgh"]
    if existed:
        result().save(target)
        abandoned.append(target / ".out.part-abcdefgh")
    for folder in abandoned:
        folder.mkdir()
        (folder / "result.nc").write_text("half")
    with store.ResultFolder(target) as first:
        assert [folder.exists() for folder in abandoned[:2]] == [False, True]  # the other one belongs to another result
        with store.ResultFolder(target):
            assert first.path.is_dir()
        assert first.path.is_dir()
    assert not any(folder.exists() for folder in abandoned[2:])


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_full_disk_while_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    target = tmp_path / "out"
    result().save(target)
    before = content(tmp_path)
    monkeypatch.setattr(os, where, no_space)
    message = r"out/result\.nc: No space left on device; nothing was changed there; free some"
    with pytest.raises(StorageFailure, match=message) as caught:
        result().save(target)
    assert ".part-" not in str(caught.value)
    assert content(tmp_path) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]
    assert sorted(p.name for p in target.iterdir()) == ["about.json", "result.nc", "summary.json"]


@pytest.mark.parametrize("survived", range(6))
def test_failure_in_the_middle_of_the_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survived: int) -> None:
    """Old files go out, new ones come in, six renames; whichever fails, the old result is back."""
    target = tmp_path / "out"
    result().save(target)
    before = content(tmp_path)
    rename, calls = os.rename, iter(range(100))

    def fails_once(source: Any, destination: Any) -> None:
        if next(calls) == survived:
            no_space()
        rename(source, destination)

    monkeypatch.setattr(os, "rename", fails_once)
    with pytest.raises(StorageFailure):
        result().save(target)
    assert content(tmp_path) == before


def test_any_disk_error_of_a_writer_inside_the_block(tmp_path: Path) -> None:
    def write_fields() -> None:
        with store.ResultFolder(tmp_path / "out") as folder:
            (folder.path / "fields").mkdir()
            no_space()

    with pytest.raises(StorageFailure, match="No space left"):
        write_fields()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for target in (tmp_path / "file", tmp_path / "file" / "out", tmp_path / "file" / "a" / "out"):
        with pytest.raises(Fault, match=r"output folder = .*choose another --out"), store.ResultFolder(target):
            pass
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_incomplete_result_goes_where_no_complete_one_is(tmp_path: Path) -> None:
    target = tmp_path / "out"
    assert result(complete=False).save(target) == target
    assert store.read_summary(target)["complete"] is False
    assert store.open_dataset(target).attrs["complete"] == 0
    # an incomplete one gives way to either
    assert result(complete=False).save(target) == target
    assert result().save(target) == target
    before = content(target)
    assert result(complete=False).save(target) == tmp_path / "out_incomplete"
    assert content(target) == before


def test_marking_a_stored_result_incomplete(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    made = result()
    store.write_files(tmp_path / "out", Contents.of(made.dataset), made.summary)  # in the making: not listed yet
    store.mark_incomplete(tmp_path / "out")
    assert store.read_summary(tmp_path / "out")["complete"] is False
    assert store.open_dataset(tmp_path / "out").attrs["complete"] == 0


def test_the_current_folder_can_be_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.toml").write_text("mine")
    result().save(".")
    assert sorted(content(tmp_path)) == ["about.json", "case.toml", "result.nc", "summary.json"]


def test_reading_what_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="run the case first"):
        store.read_summary(tmp_path)
    with pytest.raises(Fault, match="run the case first"):
        store.open_dataset(tmp_path)
    (tmp_path / "result.nc").write_bytes(b"CDF? no")
    with pytest.raises(Fault, match="run the case first"):
        store.open_dataset(tmp_path)
    (tmp_path / "summary.json").write_text("[1, 2")
    with pytest.raises(Fault, match="run the case first"):
        store.read_summary(tmp_path)


@pytest.mark.parametrize("name", ["summary.json", "te.png", "fields", "result.nc"])
@pytest.mark.parametrize("beside_a_result", [False, True])
def test_files_of_the_user_named_like_parts_are_not_replaced(tmp_path: Path, name: str, beside_a_result: bool) -> None:
    target = tmp_path / "out"
    if beside_a_result:
        result().save(target)
        if (target / name).exists():
            return
    target.mkdir(exist_ok=True)
    if name == "fields":
        (target / name).symlink_to(tmp_path / "wheat", target_is_directory=True)
        (tmp_path / "wheat").mkdir()
    else:
        (target / name).write_text("mine")
    before = content(tmp_path)
    with pytest.raises(Fault, match=rf"holds .*{name} that alegear has not written\); choose another --out"):
        result().save(target)
    assert content(tmp_path) == before


def test_an_incomplete_result_does_not_replace_files_of_the_user_either(tmp_path: Path) -> None:
    result().save(tmp_path / "out")
    (tmp_path / "out_incomplete").mkdir()
    (tmp_path / "out_incomplete" / "te.png").write_text("mine")
    assert result(complete=False).save(tmp_path / "out") == tmp_path / "out_incomplete_2"
    assert (tmp_path / "out_incomplete" / "te.png").read_text() == "mine"


def test_a_failure_after_the_result_is_in_place_names_the_place(tmp_path: Path) -> None:
    def fail_late() -> None:
        with store.ResultFolder(tmp_path / "out") as folder:
            late = folder.path / "fields" / "series.pvd"
            (folder.path / "summary.json").write_text("{}")
            folder.commit(complete=False)
            raise StorageFailure(late, "No space left on device")

    with pytest.raises(StorageFailure, match=r"out/fields/series\.pvd: No space") as caught:
        fail_late()
    assert ".part-" not in str(caught.value)


def test_a_link_to_nowhere_is_found_before_anything_is_computed(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "gone")
    with pytest.raises(Fault, match=r"a folder \(it is a link to .*gone, which is not there"):
        store.ResultFolder(tmp_path / "out").__enter__()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("complete", [True, False])
def test_a_result_comes_back_as_it_was_stored(tmp_path: Path, complete: bool) -> None:
    """An incomplete one too; and what is stored again is the same."""
    before = result(complete)
    place = before.save(tmp_path / "out")
    after = load(place)
    assert after.dataset.identical(before.dataset)
    assert after.summary == before.summary
    assert (after.complete, after.directory) == (complete, place)
    again = load(after.save(tmp_path / "again"))
    assert again.dataset.identical(before.dataset)
    assert again.summary == before.summary


def test_parts_of_two_runs_are_no_result(tmp_path: Path) -> None:
    place = result().save(tmp_path / "out")
    with pytest.raises(Fault, match=r"readable summary\.json"):
        load(tmp_path)
    (place / "about.json").unlink()  # files copied from two folders
    store.write_summary(place, result().summary | {"case_sha256": "other"})
    with pytest.raises(Fault, match=r"a folder whose result.nc and summary.json are of one run; run the case again"):
        load(place)
