"""The journal of a long computation: what a kill, a full disk or a damaged file leave of it."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alegear.storage.journal import STATE, Journal, JournalInUse
from alegear.storage.log import DamagedFile, Log, framed, unframed
from alegear.storage.whole_file import StorageFailure


def content(k: int) -> bytes:
    return np.arange(10.0 * k, 10.0 * k + 5.0).tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A journal of three frames, saved after each."""
    journal = Journal(tmp_path / "out" / "checkpoint")
    log = journal.begin()
    for k in range(3):
        log.append([content(k)])
        journal.save({"t": 0.1 * k}, {"v": np.array([k, np.nan])})
    journal.close()
    return journal.folder


def only_log(folder: Path) -> Path:
    (log,) = folder.glob("journal-*.log")
    return log


def frames(log: Log) -> list[bytes]:
    return [log.read(place, len(content(0))) for place in log.places]


def test_what_was_saved_is_read(folder: Path) -> None:
    meta, state, log = Journal(folder).read()
    assert meta["t"] == 0.2
    np.testing.assert_array_equal(state["v"], [2.0, np.nan])
    assert frames(log) == [content(k) for k in range(3)]


def test_a_save_costs_the_state(folder: Path) -> None:
    before, state = only_log(folder).stat().st_size, (folder / STATE).stat().st_size
    journal = Journal(folder)
    _, _, log = journal.read()
    journal.save({"t": 0.3}, {"v": np.array([3, np.nan])})
    assert only_log(folder).stat().st_size == before
    log.append([content(3)])
    assert only_log(folder).stat().st_size == pytest.approx(before * 4 / 3, rel=0.01)  # checksums differ in length
    assert (folder / STATE).stat().st_size == pytest.approx(state, rel=0.01)


def test_what_a_killed_run_recorded_after_the_state_is_overwritten(folder: Path) -> None:
    with only_log(folder).open("ab") as log:
        log.write(b"40 4567\nhalf of a fra")
    (folder / f".{STATE}.part-1").write_bytes(b"half of a state")
    journal = Journal(folder)
    log_ = journal.read()[2]
    assert frames(log_) == [content(k) for k in range(3)]
    log_.append([content(3)])
    journal.save({"t": 0.3}, {})
    journal.close()
    assert frames(Journal(folder).read()[2]) == [content(k) for k in range(4)]


def test_a_new_journal_takes_the_place_of_the_old_one_as_a_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = Journal(folder)
    new.begin().append([content(9)])
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", _no_space)  # as if killed before the state is exchanged
        with pytest.raises(StorageFailure):
            new.save({"t": 9.0}, {})
    assert len(list(folder.glob("journal-*.log"))) == 2
    new.close()
    assert frames(Journal(folder).read()[2]) == [content(k) for k in range(3)]
    only_log(folder)  # the new one, which no state names, is gone
    again = Journal(folder)
    again.begin().append([content(9)])
    again.save({"t": 9.0}, {})
    assert frames(Journal(folder).read()[2]) == [content(9)]
    only_log(folder)


def _no_space(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_last_state(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(folder)
    log = journal.read()[2]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _no_space)
        with pytest.raises(StorageFailure, match="No space"):
            journal.save({"t": 0.3}, {})
        patch.setattr(os, "pwrite", _no_space)
        with pytest.raises(StorageFailure, match="No space"):
            log.append([content(3)])
    assert frames(log) == [content(k) for k in range(3)]
    log.append([content(4)])
    journal.save({"t": 0.4}, {})
    journal.close()
    meta, _, log = Journal(folder).read()
    assert meta["t"] == 0.4
    assert frames(log) == [content(k) for k in (0, 1, 2, 4)]


@pytest.mark.parametrize("which", ["state", "log"])
def test_every_changed_byte_is_found(folder: Path, which: str) -> None:
    path = folder / STATE if which == "state" else only_log(folder)
    sound = path.read_bytes()
    for at in range(0, len(sound), 7):
        damaged = bytearray(sound)
        damaged[at] ^= 0x21
        path.write_bytes(damaged)
        with pytest.raises(DamagedFile):
            Journal(folder).read()


@pytest.mark.parametrize("which", ["state", "log"])
def test_a_file_that_is_cut_short_is_found(folder: Path, which: str) -> None:
    path = folder / STATE if which == "state" else only_log(folder)
    sound = path.read_bytes()
    for length in (0, 5, len(sound) // 2, len(sound) - 1):
        path.write_bytes(sound[:length])
        with pytest.raises(DamagedFile):
            Journal(folder).read()


def test_a_log_that_is_gone_is_found(folder: Path) -> None:
    only_log(folder).unlink()
    with pytest.raises(DamagedFile, match="No such file"):
        Journal(folder).read()


def test_no_journal_is_no_damage_until_it_is_read(tmp_path: Path) -> None:
    assert Journal(tmp_path / "none").meta() is None
    with pytest.raises(DamagedFile, match="holds no state"):
        Journal(tmp_path / "none").read()
    assert not (tmp_path / "none").exists()


def test_a_journal_without_a_state_leaves_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "checkpoint")
    journal.begin().append([content(0)])
    journal.close()
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_user_stay(folder: Path) -> None:
    (folder / "weights.pt").write_bytes(b"mine")
    (folder / "train.log").write_bytes(b"mine")
    journal = Journal(folder)
    journal.begin()
    journal.save({}, {})
    assert len(list(folder.glob("journal-*.log"))) == 1
    journal.remove()
    assert sorted(p.name for p in folder.iterdir()) == ["train.log", "weights.pt"]


def test_two_do_not_write_at_the_same_time(folder: Path) -> None:
    one, two = Journal(folder), Journal(folder)
    one.hold()
    with pytest.raises(JournalInUse):
        two.begin()
    one.close()
    two.begin()
    two.save({}, {})
    two.remove()
    assert not folder.exists()


def test_a_log_without_a_name_goes_with_the_process(tmp_path: Path) -> None:
    log = Log(folder=tmp_path)
    log.append([content(1), content(2)])
    assert log.read(log.places[0] + len(content(1)), 40) == content(2)
    assert list(tmp_path.iterdir()) == []
    log.close()


@pytest.mark.parametrize("name", ["../../victim.txt", "/etc/hostname", "journal-0123456789.log", "state", None])
def test_a_state_names_no_file_but_a_log(folder: Path, name: str | None) -> None:
    victim = folder.parents[1] / "victim.txt"
    victim.write_text("mine")
    content = (folder / STATE).read_bytes()
    text, at = unframed(folder, content, 0)
    arrays, _ = unframed(folder, content, at)
    meta = json.loads(text) | {"length": 0}
    if name is None:  # a link of the name of a log
        only_log(folder).unlink()
        (folder / meta["log"]).symlink_to(victim)
    else:
        meta["log"] = name
    (folder / STATE).write_bytes(framed(json.dumps(meta).encode()) + framed(arrays))
    with pytest.raises(DamagedFile):
        Journal(folder).read()
    assert victim.read_text() == "mine"
