"""Samples of a motion in files and in the joined one: the same numbers, whatever the chunks, after a resume too."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import h5py
import histories
import numpy as np
import pytest
import xarray as xr
from datasets import contact_dataset

import alegear as ag
from alegear.results.contact_pattern import contact_pattern
from alegear.results.contact_result import ContactHistory, contact_summary, write_contact
from alegear.results.result import Result
from alegear.storage.chunk_files import ChunkFiles
from alegear.storage.recorded_samples import Kind, RecordedSamples, blocks, pack, unpack
from alegear.storage.whole_file import StorageFailure

LAYOUT = {"a": Kind(()), "b": Kind((2, 3)), "k": Kind((4,), np.int64)}
N = 57


def values(n: int = N) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(n)
    return {"a": rng.normal(size=n), "b": rng.normal(size=(n, 2, 3)), "k": rng.integers(-9, 9, (n, 4))}


def filled(samples: RecordedSamples, given: dict[str, np.ndarray], *, begin: int = 0, step: int = 7) -> RecordedSamples:
    n = len(given["a"])
    for low in range(begin, n, step):
        samples.append({name: array[low : low + step] for name, array in given.items()} | {"other": np.zeros(3)})
    return samples


def in_files(history: ContactHistory, folder: Path, chunk: int) -> ContactHistory:
    """The same history in files of a folder within."""
    (folder / "chunks").mkdir()
    samples = RecordedSamples(history.samples.layout, ChunkFiles(folder / "chunks"), chunk)
    for block in blocks(history.samples, tuple(samples.layout), size=13):
        samples.append(block)
    return ContactHistory(samples=samples, slice_position=history.slice_position, flank_limit=history.flank_limit)


@pytest.mark.parametrize("chunk", [1, 5, 57, 100, None])
def test_samples_give_back_what_they_were_given(chunk: int | None, tmp_path: Path) -> None:
    given = values()
    files = None if chunk is None else ChunkFiles(tmp_path)
    samples = filled(RecordedSamples(LAYOUT, files, chunk or 5), given)
    assert len(samples) == N
    assert samples.n_chunks == (0 if chunk is None else N // chunk)
    for name, array in given.items():
        np.testing.assert_array_equal(samples.read(name), array)
        for begin, end in ((0, 0), (3, 4), (4, 23), (50, 57), (56, 99)):
            np.testing.assert_array_equal(samples.read(name, begin, end), array[begin:end])
    parts = list(blocks(samples, ("a", "k"), slice(3, 50), size=11))
    np.testing.assert_array_equal(np.concatenate([part["k"] for part in parts]), given["k"][3:50])
    assert max(len(part["a"]) for part in parts) <= 11


def test_a_part_is_read_by_its_own_names(tmp_path: Path) -> None:
    samples = RecordedSamples({"m/a": Kind(()), "n/a": Kind((2,))}, ChunkFiles(tmp_path), 3)
    part = samples.part("n")
    samples.append({"m/a": np.arange(7.0), "n/a": np.arange(14.0).reshape(7, 2)})
    assert part.layout == {"a": Kind((2,))}
    assert len(part) == 7
    np.testing.assert_array_equal(part.read("a", 2, 7), np.arange(14.0).reshape(7, 2)[2:])
    np.testing.assert_array_equal(part.tail("a"), [[12.0, 13.0]])


def test_samples_are_taken_up_where_they_were_left(tmp_path: Path) -> None:
    given, files = values(), ChunkFiles(tmp_path)
    first = filled(RecordedSamples(LAYOUT, files, 5), {name: array[:33] for name, array in given.items()})
    left, count = {name: array.copy() for name, array in first.memory().items()}, len(files)
    filled(first, values(60))  # recorded after the checkpoint
    again = RecordedSamples(LAYOUT, ChunkFiles(tmp_path, files.series, count=count), 5)
    again.recall(left)
    filled(again, given, begin=33)
    for name, array in given.items():
        np.testing.assert_array_equal(again.read(name), array)


def test_a_full_disk_stops_samples_and_leaves_what_they_have(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = values()
    samples = filled(RecordedSamples(LAYOUT, ChunkFiles(tmp_path), 5), given)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageFailure, match="No space"):
        filled(samples, given)
    np.testing.assert_array_equal(samples.read("b", 0, N), given["b"])


def test_samples_of_different_number_are_refused() -> None:
    with pytest.raises(ValueError, match="different number"):
        RecordedSamples.of({"a": np.zeros(3), "b": np.zeros((4, 2))})


@pytest.mark.parametrize("kind", [Kind((3,)), Kind((), np.int64)])
def test_packed_chunks_are_those_of_hdf5(kind: Kind, tmp_path: Path) -> None:
    array = np.random.default_rng(1).integers(0, 99, (8, *kind.shape)).astype(kind.dtype)
    np.testing.assert_array_equal(unpack(pack(array), kind, 8), array)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("x", data=array, chunks=array.shape, shuffle=True, compression="gzip")
        _, chunk = made.id.read_direct_chunk((0,) * array.ndim)
        np.testing.assert_array_equal(unpack(bytes(chunk), kind, 8), array)


@pytest.mark.parametrize("chunk", [16, 201, 1000])
def test_the_file_is_the_dataset(chunk: int, tmp_path: Path) -> None:
    history = histories.dynamic_history()
    identity = replace(histories.CASE, complete=False)
    expected = contact_dataset(history, identity, ramp=0.004)
    write_contact(tmp_path, in_files(history, tmp_path, chunk), identity, ramp=0.004)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chunks", "result.nc"]
    with xr.open_dataset(tmp_path / "result.nc") as found:
        xr.testing.assert_identical(found.load(), expected)
        assert found["line_load"].encoding["chunksizes"][0] == min(chunk, len(expected["time"]))
        assert not found.encoding["unlimited_dims"]  # their length is looked for at every variable


@pytest.mark.parametrize("chunk", [16, 1000])
def test_the_summary_does_not_depend_on_the_chunks(chunk: int, tmp_path: Path) -> None:
    history = histories.dynamic_history()
    expected = contact_summary(history, histories.FACTS, ramp=0.004)
    assert contact_summary(in_files(history, tmp_path, chunk), histories.FACTS, ramp=0.004) == expected


@pytest.mark.parametrize("size", [1, 3, 20, 50])
def test_the_pattern_does_not_depend_on_how_many_samples_are_looked_at_together(size: int) -> None:
    history = histories.dynamic_history()
    window = history.window(0.004).part
    expected = contact_pattern(history.samples, window, history.flank_limit)
    found = contact_pattern(history.samples, window, history.flank_limit, size=size)
    np.testing.assert_array_equal(found.pressure, expected.pressure)
    np.testing.assert_array_equal(found.line_load, expected.line_load)
    assert expected.pressure.max() > 0.0


def test_a_disk_too_small_for_the_file_is_found_before_hdf5_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    history = in_files(histories.dynamic_history(), tmp_path, 16)
    monkeypatch.setattr(os, "posix_fallocate", full)
    monkeypatch.setattr("alegear.storage.sample_file._write_chunks", None)
    with pytest.raises(StorageFailure, match="No space"):
        write_contact(tmp_path, history)
    assert [path.name for path in tmp_path.iterdir()] == ["chunks"]


def test_a_result_in_a_file_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    history = histories.dynamic_history()
    write_contact(tmp_path, in_files(history, tmp_path, 16))
    result = Result(summary=contact_summary(history, histories.FACTS), directory=tmp_path)
    variable = result.dataset["line_load"].variable
    assert not variable._in_memory
    np.testing.assert_array_equal(result.dataset["line_load"][5:9], history.line_load[5:9])
    assert not variable._in_memory
    copy = result.save(tmp_path / "copy")
    assert (copy / "result.nc").read_bytes() == (tmp_path / "result.nc").read_bytes()


# ----------------------------------------------------------------------------------- by pair
def moving_window() -> ContactHistory:
    """Two slots through which five pairs pass; the load of a pair is its number and the time."""
    time = np.arange(12.0)
    first = np.array([0, 0, 0, 1, 1, 1, 0, 1, 2, 2, 3, 3])  # a driver that swings back
    slot_pair = first[:, None] + np.arange(2)
    history = histories.dynamic_history(12)
    layout = history.samples.layout
    arrays = {name: np.zeros((12, *(2 if n == 3 and name in SLOTTED else n for n in kind.shape))) for name, kind in
              layout.items()}  # fmt: skip
    arrays |= {"time": time, "slot_pair": slot_pair, "tooth_load": 100.0 * slot_pair + time[:, None]}
    arrays["root_stress"] = np.broadcast_to(slot_pair[:, None, :, None], (12, 2, 2, 2)) + 0.5
    return ContactHistory.of(arrays, slice_position=history.slice_position, flank_limit=history.flank_limit)


SLOTTED = (
    "slot_pair", "tooth_load", "line_load", "contact_pressure", "edge_pressure", "contact_half_width",
    "contact_shear_stress", "contact_roll_length", "root_stress", "root_stress_principal",
)  # fmt: skip


def test_the_view_by_pair() -> None:
    data = contact_dataset(moving_window())
    load = ag.by_pair(data, "tooth_load")
    assert load.dims == ("time", "pair")
    assert load.attrs["units"] == "N"
    np.testing.assert_array_equal(load["pair"], np.arange(5))
    first = data["slot_pair"].values[:, 0]
    for t in range(12):
        for pair in range(5):
            inside = pair in (first[t], first[t] + 1)
            assert float(load.sel(pair=pair)[t]) == (100.0 * pair + t if inside else 0.0)
    np.testing.assert_array_equal(load.sum("pair"), data["tooth_load"].sum("slot"))
    stress = ag.by_pair(data, "root_stress", [3, 1], time=slice(2.0, 9.0))
    assert stress.dims == ("time", "gear", "pair", "side")
    assert stress.shape == (8, 2, 2, 2)
    assert np.isnan(stress.sel(pair=3, time=2.0)).all()
    assert (stress.sel(pair=3, time=8.0) == 3.5).all()
    assert (stress.sel(pair=1, time=7.0) == 1.5).all()


def test_what_has_no_view_by_pair_is_refused() -> None:
    data = contact_dataset(moving_window())
    with pytest.raises(ag.Fault, match=r"variable = phase: must be one by tooth pair: .*tooth_load"):
        ag.by_pair(data, "phase")
    with pytest.raises(ag.Fault, match="pair = 7: must be one that comes past: 0 to 4"):
        ag.by_pair(data, "tooth_load", [1, 7])
    with pytest.raises(ag.Fault, match="at least one pair"):
        ag.by_pair(data, "tooth_load", time=slice(100.0, 200.0))


def test_a_view_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALEGEAR_MEMORY_MB", "0.0001")
    with pytest.raises(ag.Fault, match=r"memory needed \[MB\].*choose some pairs, or a shorter time"):
        ag.by_pair(contact_dataset(moving_window()), "tooth_load")


def test_a_static_result_has_its_pairs_already() -> None:

    data = contact_dataset(histories.static_history())
    xr.testing.assert_identical(ag.by_pair(data, "tooth_load"), data["tooth_load"])
    assert ag.by_pair(data, "tooth_load", [1]).shape == (32, 1)
