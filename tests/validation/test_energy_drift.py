"""Energy over 20 tooth pairs without losses: the validation with one or a few steps."""

from __future__ import annotations

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

energy_drift = load_script("validation/energy_drift/run.py")


def test_quick_form() -> None:
    assert_within_bounds("energy_drift")


@pytest.mark.slow
@pytest.mark.thorough  # the full form of the validation has it, too
def test_drift_falls_with_the_square_of_the_step_where_flanks_are_smooth() -> None:
    def mean(step: float) -> float:
        speeds = (0.92, 1.0, 1.04)
        cases = [energy_drift.case_of(step=step, speed=speed, relief=True) for speed in speeds]
        return float(np.sqrt(np.mean([energy_drift.drift_of(case).booked ** 2 for case in cases])))

    # a sixteenth, were all of it of second order; the steps meet the contact events at other places. Seen a fortieth
    assert mean(5e-6) < mean(2e-5) / 10.0


def test_order_of_a_power_law() -> None:
    steps = np.array(energy_drift.STEPS)
    assert energy_drift.order(3.0 * steps**2) == pytest.approx(2.0, abs=1e-12)
