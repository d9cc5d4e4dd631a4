"""The script on long motions in its quick form: two short ones, and that its comparison finds a bit."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script
from small_cases import static_text

import alegear as ag

long_run = load_script("validation/long_run/run.py")


@pytest.mark.thorough
@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("long_run")


def test_the_comparison_finds_a_bit(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    ag.run(ag.Case.from_bytes(static_text().encode()), one)
    shutil.copytree(one, other)
    assert not any(long_run.different(one, other).values())
    with h5py.File(other / "result.nc", "r+") as file:
        te = file["transmission_error"]
        te[3] = np.nextafter(te[3], 1.0)
    assert long_run.different(one, other)["transmission_error"] >= 1


def test_time_per_second_of_motion_is_that_of_the_part() -> None:
    t = np.linspace(0.0, 3.0, 31)
    cpu = np.where(t < 1.0, 2.0 * t, 2.0 + (t - 1.0))
    run = long_run.Run(memory=0.0, way=np.column_stack([t, cpu, t, 10.0 + 7.0 * t]))
    assert run.cpu_per_second((0.0, 1.0 / 3.0)) == pytest.approx(2.0)
    assert run.cpu_per_second((2.0 / 3.0, 1.0)) == pytest.approx(1.0)
    other = replace(run, way=run.way[:16] + np.array([0.0, 0.0, 0.0, 3.5]))  # from 0.5 s to 2 s of the motion
    assert run.cpu_per_second_beside(other) == pytest.approx((0.5 * 2.0 + 1.0) / 1.5)
