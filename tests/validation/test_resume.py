"""The script that kills and resumes, in its quick form: one kill in the middle of the time integration, each way."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

from alegear import cli
from alegear.drivetrain import compiled_motion

HERE = Path(__file__).parents[2] / "validation" / "resume"
resume = load_script("validation/resume/run.py")


@pytest.mark.thorough  # kills: test_nothing_lost, test_study; resumed motions: test_checkpoint
@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("resume")


# killed processes: the quick form; others: recording/test_checkpoint, studies/test_machine_motion and test_mechanisms
@pytest.mark.parametrize(("case", "duration"), [("stepwise", 0.003), ("machine", 0.02), ("spatial", 0.03)])
@pytest.mark.thorough
def test_a_killed_run_gives_what_one_run_gives(
    case: str, duration: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = resume.shortened(HERE / f"{case}.toml", tmp_path, duration)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    advance, calls = compiled_motion.kernels.advance, []
    monkeypatch.setattr(compiled_motion.kernels, "advance", lambda *given: calls.append(1) or advance(*given))
    assert cli.main(["run", str(path), "--out", str(whole)]) == 0  # the same as a process of its own, which is slower
    assert bool(calls) == (case not in ("stepwise", "spatial"))
    process = resume.command(path, killed)
    while resume.reached_in(killed) is None:  # as soon as there is a checkpoint
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert 0.0 < resume.reached_in(killed) < duration
    # once more, in a moment that is not chosen: at the start, most often
    resume.kill_and_resume(path, killed, 1, (0.0, 5.0), random.Random(1))
    assert resume.reached_in(killed) is None
    assert {p.name for p in tmp_path.iterdir()} == {path.name, "killed", "whole"}  # no working folder is left
    assert sorted(p.name for p in killed.iterdir()) == sorted(p.name for p in whole.iterdir())
    differences, (same, fields) = resume.compare(whole, killed)
    assert resume.TOLERANCE == max(differences.values()) == 0.0
    assert same == fields
    assert (fields > 0) == (case != "spatial")  # rigid bodies have none


def test_the_comparison_finds_the_last_digit_and_what_is_missing() -> None:
    one = np.array([1.0, np.nan, -4.0])
    assert resume._difference(one, one.copy()) == 0.0
    other = one.copy()
    other[0] = np.nextafter(1.0, 2.0)
    assert resume._difference(one, other) == pytest.approx(2.0**-54)
    assert resume._difference(one, np.array([1.0, 2.0, -4.0])) == np.inf
    assert resume._difference(one, one[:2]) == np.inf
