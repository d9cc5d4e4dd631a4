"""The journal of a long computation: what a kill, a full disk or a damaged file leave of it."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alegear.results.journal import STATE, DamagedJournal, Journal, JournalInUse
from alegear.results.store import StorageFailure


def part(k: int) -> dict[str, np.ndarray]:
    return {"x": np.arange(10.0 * k, 10.0 * k + 5.0), "pair/first": np.array([k])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A journal of three parts."""
    journal = Journal(tmp_path / "out" / "checkpoint")
    for k in range(3):
        journal.save({"t": 0.1 * k}, {"v": np.array([k, np.nan])}, part(k))
    journal.close()
    return journal.folder


def only_log(folder: Path) -> Path:
    (log,) = folder.glob("journal-*.log")
    return log


def assert_parts(found: list[Any], numbers: list[int]) -> None:
    assert len(found) == len(numbers)
    for one, k in zip(found, numbers, strict=True):
        assert sorted(one) == ["pair/first", "x"]
        np.testing.assert_array_equal(one["x"], part(k)["x"])


def test_what_was_saved_is_read(folder: Path) -> None:
    meta, state, parts = Journal(folder).read()
    assert meta["t"] == 0.2
    np.testing.assert_array_equal(state["v"], [2.0, np.nan])
    assert_parts(parts, [0, 1, 2])


def test_a_save_costs_what_is_new(folder: Path) -> None:
    log, journal = only_log(folder), Journal(folder)
    before, state = log.stat().st_size, (folder / STATE).stat().st_size
    journal.read()
    journal.save({"t": 0.3}, {"v": np.array([3, np.nan])}, part(3))
    assert log.stat().st_size == pytest.approx(before * 4 / 3, rel=0.01)  # the checksums differ in length
    assert (folder / STATE).stat().st_size == pytest.approx(state, rel=0.01)


def test_what_a_killed_save_wrote_is_overwritten(folder: Path) -> None:
    with only_log(folder).open("ab") as log:
        log.write(b"123 4567\nhalf of a fra")
    (folder / f".{STATE}.part-1").write_bytes(b"half of a state")
    journal = Journal(folder)
    assert_parts(journal.read()[2], [0, 1, 2])
    journal.save({"t": 0.3}, {}, part(3))
    journal.close()
    assert_parts(Journal(folder).read()[2], [0, 1, 2, 3])


def test_a_new_journal_takes_the_place_of_the_old_one_as_a_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = Journal(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", _no_space)  # as if killed before the state is exchanged
        with pytest.raises(StorageFailure):
            new.save({"t": 9.0}, {}, part(9))
    assert_parts(Journal(folder).read()[2], [0, 1, 2])
    new.close()
    again = Journal(folder)
    again.save({"t": 9.0}, {}, part(9))
    assert_parts(Journal(folder).read()[2], [9])
    only_log(folder)  # there is but one


def _no_space(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_last_state(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(folder)
    journal.read()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _no_space)
        with pytest.raises(StorageFailure, match="No space"):
            journal.save({"t": 0.3}, {}, part(3))
    assert_parts(Journal(folder).read()[2], [0, 1, 2])
    journal.save({"t": 0.4}, {}, part(4))
    assert_parts(Journal(folder).read()[2], [0, 1, 2, 4])


@pytest.mark.parametrize("which", ["state", "log"])
def test_every_changed_byte_is_found(folder: Path, which: str) -> None:
    path = folder / STATE if which == "state" else only_log(folder)
    sound = path.read_bytes()
    for at in range(0, len(sound), 7):
        damaged = bytearray(sound)
        damaged[at] ^= 0x21
        path.write_bytes(damaged)
        with pytest.raises(DamagedJournal):
            Journal(folder).read()


@pytest.mark.parametrize("which", ["state", "log"])
def test_a_file_that_is_cut_short_is_found(folder: Path, which: str) -> None:
    path = folder / STATE if which == "state" else only_log(folder)
    sound = path.read_bytes()
    for length in (0, 5, len(sound) // 2, len(sound) - 1):
        path.write_bytes(sound[:length])
        with pytest.raises(DamagedJournal):
            Journal(folder).read()


def test_a_log_that_is_gone_is_found(folder: Path) -> None:
    only_log(folder).unlink()
    with pytest.raises(DamagedJournal, match="No such file"):
        Journal(folder).read()


def test_no_journal_is_no_damage_until_it_is_read(tmp_path: Path) -> None:
    assert Journal(tmp_path / "none").meta() is None
    with pytest.raises(DamagedJournal, match="holds no state"):
        Journal(tmp_path / "none").read()
    assert not (tmp_path / "none").exists()


def test_files_of_the_user_stay(folder: Path) -> None:
    (folder / "weights.pt").write_bytes(b"mine")
    (folder / "train.log").write_bytes(b"mine")
    journal = Journal(folder)
    journal.save({}, {}, part(9))
    assert len(list(folder.glob("journal-*.log"))) == 1
    journal.remove()
    assert sorted(p.name for p in folder.iterdir()) == ["train.log", "weights.pt"]


def test_two_do_not_write_at_the_same_time(folder: Path) -> None:
    one, two = Journal(folder), Journal(folder)
    one.hold()
    with pytest.raises(JournalInUse):
        two.save({}, {}, {})
    one.close()
    two.save({}, {}, {})
    two.remove()
    assert not folder.exists()
