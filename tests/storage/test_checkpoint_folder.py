"""The folder of a long computation: what a kill, a full disk or a damaged file leave of it."""

from __future__ import annotations

import errno
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alegear.storage.checkpoint_folder import STATE, CheckpointFolder, CheckpointInUse
from alegear.storage.chunk_files import ChunkFiles
from alegear.storage.whole_file import DamagedFile, StorageFailure, write_checked


def content(k: int) -> bytes:
    return np.arange(10.0 * k, 10.0 * k + 5.0).tobytes()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three chunks, saved after each."""
    folder = CheckpointFolder(tmp_path / "out" / "checkpoint")
    chunks = folder.begin()
    for k in range(3):
        chunks.append([b"first", content(k)])
        folder.save({"t": 0.1 * k}, {"v": np.array([k, np.nan])})
    folder.close()
    return folder.path


def files(place: Path) -> list[Path]:
    return sorted(place.glob("chunk-*"))


def contents(chunks: ChunkFiles) -> list[bytes]:
    return [chunks.read(number, 1) for number in range(len(chunks))]


def test_what_was_saved_is_read(place: Path) -> None:
    meta, state, chunks = CheckpointFolder(place).read()
    assert meta["t"] == 0.2
    np.testing.assert_array_equal(state["v"], [2.0, np.nan])
    assert contents(chunks) == [content(k) for k in range(3)]
    assert chunks.size == 3 * (5 + len(content(0)))


def test_a_save_costs_the_state(place: Path) -> None:
    before, state = [(path, path.stat().st_mtime_ns) for path in files(place)], (place / STATE).stat().st_size
    folder = CheckpointFolder(place)
    _, _, chunks = folder.read()
    folder.save({"t": 0.3}, {"v": np.array([3, np.nan])})
    chunks.append([b"first", content(3)])
    assert [(path, path.stat().st_mtime_ns) for path in files(place)][:3] == before
    assert len(files(place)) == 4
    assert (place / STATE).stat().st_size == pytest.approx(state, rel=0.01)


def test_what_a_killed_run_recorded_after_the_state_is_replaced(place: Path) -> None:
    series = files(place)[0].name.rpartition("-")[0]
    (place / f"{series}-000003").write_bytes(b"after the state")
    (place / f".{STATE}.part-0123abcd").write_bytes(b"half of a state")
    (place / f".{series}-000004.part-0123abcd").write_bytes(b"half of a chunk")
    folder = CheckpointFolder(place)
    _, _, chunks = folder.read()
    assert contents(chunks) == [content(k) for k in range(3)]
    chunks.append([b"first", content(3)])
    folder.save({"t": 0.3}, {})
    folder.close()
    assert contents(CheckpointFolder(place).read()[2]) == [content(k) for k in range(4)]
    folder.remove()
    assert not place.exists()


def test_new_chunks_take_the_place_of_the_old_ones_as_a_whole(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = CheckpointFolder(place)
    new.begin().append([b"first", content(9)])
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", _no_space)  # as if killed before the state is exchanged
        with pytest.raises(StorageFailure):
            new.save({"t": 9.0}, {})
    assert len(files(place)) == 4
    new.close()
    assert contents(CheckpointFolder(place).read()[2]) == [content(k) for k in range(3)]
    assert len(files(place)) == 3  # the new one, which no state names, is gone
    again = CheckpointFolder(place)
    again.begin().append([b"first", content(9)])
    again.save({"t": 9.0}, {})
    assert contents(CheckpointFolder(place).read()[2]) == [content(9)]
    assert len(files(place)) == 1


def _no_space(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_last_state(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = CheckpointFolder(place)
    chunks = folder.read()[2]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _no_space)
        with pytest.raises(StorageFailure, match="No space"):
            folder.save({"t": 0.3}, {})
        with pytest.raises(StorageFailure, match="No space"):
            chunks.append([b"first", content(3)])
    assert contents(chunks) == [content(k) for k in range(3)]
    chunks.append([b"first", content(4)])
    folder.save({"t": 0.4}, {})
    folder.close()
    meta, _, chunks = CheckpointFolder(place).read()
    assert meta["t"] == 0.4
    assert contents(chunks) == [content(k) for k in (0, 1, 2, 4)]


@pytest.mark.parametrize("which", ["state", "chunk"])
def test_every_changed_byte_and_every_length_is_found(place: Path, which: str) -> None:
    path = place / STATE if which == "state" else files(place)[1]
    sound = path.read_bytes()
    flipped = [sound[:at] + bytes([sound[at] ^ 0x21]) + sound[at + 1 :] for at in range(0, len(sound), 7)]
    for damaged in (*flipped, b"", sound[:5], sound[:-1], sound + b"\0"):
        path.write_bytes(damaged)
        with pytest.raises(DamagedFile):
            CheckpointFolder(place).read()


def test_a_chunk_that_is_gone_is_found(place: Path) -> None:
    chunks = CheckpointFolder(place).read()[2]
    files(place)[1].unlink()
    for read in (CheckpointFolder(place).read, lambda: chunks.read(1, 0)):
        with pytest.raises(DamagedFile, match="No such file"):
            read()


def test_no_state_is_no_damage_until_it_is_read(tmp_path: Path) -> None:
    assert CheckpointFolder(tmp_path / "none").meta() is None
    with pytest.raises(DamagedFile, match="holds no state"):
        CheckpointFolder(tmp_path / "none").read()
    assert not (tmp_path / "none").exists()


def test_chunks_without_a_state_leave_nothing(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path / "checkpoint")
    folder.begin().append([content(0)])
    folder.close()
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_user_stay(place: Path) -> None:
    for name in ("weights.pt", "chunk-1", "my-chunk-00000000-000001"):
        (place / name).write_bytes(b"mine")
    folder = CheckpointFolder(place)
    folder.begin()
    folder.save({}, {})
    assert files(place) == [place / "chunk-1"]
    folder.remove()
    assert sorted(p.name for p in place.iterdir()) == ["chunk-1", "my-chunk-00000000-000001", "weights.pt"]


def test_two_do_not_write_at_the_same_time(place: Path) -> None:
    one, two = CheckpointFolder(place), CheckpointFolder(place)
    one.hold()
    with pytest.raises(CheckpointInUse):
        two.begin()
    one.close()
    two.begin()
    two.save({}, {})
    two.remove()
    assert not place.exists()


@pytest.mark.parametrize("series", ["../../victim", "/etc/hostname", "chunk-0123456789", "state", None])
def test_a_state_names_no_file_but_chunks(place: Path, series: str | None) -> None:
    victim = place.parents[1] / "victim-000000"
    write_checked(victim, np.array([1, 4]).tobytes(), b"mine")
    meta = CheckpointFolder(place).meta() | {"chunks": 1}
    if series is None:  # a link of the name of a chunk
        first = files(place)[0]
        first.unlink()
        first.symlink_to(victim)
    else:
        meta["series"] = series
    arrays = io.BytesIO()
    np.savez(arrays, v=1.0)
    write_checked(place / STATE, json.dumps(meta).encode(), b"\n", arrays.getvalue())
    with pytest.raises(DamagedFile):
        CheckpointFolder(place).read()
    assert victim.read_bytes().endswith(b"mine")
