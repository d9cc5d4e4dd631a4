"""Helical five-tooth segments, default grid, against nonlinear finite elements: quick form of the validation."""

from pathlib import Path

import numpy as np
import pytest
from script_files import load_script

import alegear as ag

HERE = Path(__file__).parents[2] / "validation" / "fe_helical_20_30"
run = load_script("validation/fe_helical_20_30/run.py")


@pytest.mark.slow
def test_error_and_loads_are_within_their_bounds():
    data = ag.run(ag.Case.from_toml(HERE / "case.toml")).dataset
    here, reference = run.computed(data), run.expected()
    for a, b in zip(here, reference, strict=True):
        assert abs(a.error / b.error - 1.0) < 1e-2 * run.ERROR_BOUND
        assert np.abs(a.loads - b.loads).max() < 1e-2 * run.LOAD_BOUND * b.loads.sum()
    assert abs(run.range_of(here) / run.range_of(reference) - 1.0) < 1e-2 * run.RANGE_BOUND
    for load in run.line_loads(data):
        inside, tip, face, corner = load.places()
        assert np.abs(load.off[inside | tip | face]).max(initial=0.0) < run.LINE_BOUND  # none: a line in a corner
        assert np.abs(load.off[corner]).max(initial=0.0) < run.corner_bound(load)
