"""Plots drawn by a process of their own: the same files and the same failures."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import made_up_results as made_up
import pytest

from alegear.pictures import process as process_of_pictures
from alegear.pictures.files import PlotFailure, write_pictures
from alegear.pictures.process import DrawingProcess
from alegear.results.result import Result
from alegear.storage.whole_file import StorageFailure


def result_of(dataset) -> Result:
    return Result(dataset=dataset, summary={})


@pytest.fixture(scope="module")
def process() -> Iterator[DrawingProcess]:
    """One for several results; started where the backend that a user likes is not there, or needs a display."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MPLBACKEND", "Qt4Agg")
            process = stack.enter_context(DrawingProcess())
        yield process
    assert process._process.returncode is not None


def test_the_process_draws_the_same_files(process, tmp_path):
    """The windows a user likes do not matter."""
    result = result_of(made_up.dynamic(duration=0.02))
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    files = write_pictures(result, here)
    process.write(result, there)
    assert {f.name: f.read_bytes() for f in files} == {f.name: f.read_bytes() for f in there.iterdir()}


def test_failures_come_back(process, tmp_path):
    whole = made_up.static()
    with pytest.raises(PlotFailure, match=r"contact_pattern\.png") as met:
        process.write(result_of(whole.drop_vars("pattern_edge_pressure")), tmp_path)
    assert list(met.value.reasons) == ["contact_pattern.png"]
    assert (tmp_path / "te.png").exists()
    with pytest.raises(StorageFailure) as full:
        process.write(result_of(whole), tmp_path / "nowhere")
    assert Path(full.value.path).parent == tmp_path / "nowhere"


def test_failures_of_both_halves_are_told(monkeypatch):
    def fails(result, directory, some):
        raise PlotFailure({f"{some.start}.png": "no paper"})

    monkeypatch.setattr(process_of_pictures, "processors", lambda: 2)
    monkeypatch.setattr(process_of_pictures, "write_pictures", fails)
    failure = process_of_pictures._draw(result_of(made_up.static()))
    assert list(failure.reasons) == ["0.png", "1.png"]


def test_a_fork_that_has_ended_is_told(monkeypatch):
    def ends(result, directory, some):
        if some.start:
            os._exit(1)

    monkeypatch.setattr(process_of_pictures, "processors", lambda: 2)
    monkeypatch.setattr(process_of_pictures, "write_pictures", ends)
    failure = process_of_pictures._draw(result_of(made_up.static()))
    assert list(failure.reasons) == ["every other plot"]


def test_a_process_that_has_ended_draws_nothing(tmp_path):
    with DrawingProcess() as process:
        process._process.kill()
        process._process.wait()
        with pytest.raises(PlotFailure, match="has ended"):
            process.write(result_of(made_up.static()), tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_process_ends_with_the_one_that_started_it():
    with DrawingProcess() as process:
        process._process.stdin.close()  # as if that one had been killed
        assert process._process.wait(60) == 0
        process._process.stdin = None


def test_an_orphan_says_nothing(capfd):
    """The one that computes is killed in the middle of what it sends."""
    with DrawingProcess() as process:
        process._process.stdin.write(b"\x80\x05\x95")
        process._process.stdin.close()
        assert process._process.wait(60) == 0
        process._process.stdin = None
    assert capfd.readouterr().err == ""
