"""The pair of validation/fidelity on coarse grids: each level becomes the next in its limits."""

from __future__ import annotations

import numpy as np
import pytest
from script_files import load_script
from small_machines import COARSE

run = load_script("validation/fidelity/run.py")


@pytest.mark.slow
def test_levels_become_the_next_in_their_limits() -> None:
    found = run.compared(positions=16, mesh_options=(COARSE, COARSE), limits=True)
    steps = {(limit.level, limit.becomes.split()[0]) for limit in found.limits}
    assert {("lossy", "rigid"), ("elastic", "lossy"), ("teeth", "rigid"), ("teeth", "elastic")} < steps
    assert {("flexible", "teeth"), ("flexible", "elastic")} < steps
    for limit in found.limits:
        assert limit.holds, limit
        if limit.parameter != "positions of the study":  # which are no limit: it is as near as it comes
            assert (np.diff(np.abs(limit.differences)) < 0.0).all(), limit
    assert len(found.table_of_limits().splitlines()) == 2 + len(found.limits)
    assert found.table_of_limits() in str(found)
