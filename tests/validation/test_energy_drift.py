"""Energy over 20 tooth pairs without losses: the validation with one or a few steps."""

from __future__ import annotations

import numpy as np
import pytest
from script_files import load_script

energy_drift = load_script("validation/energy_drift/run.py")


def test_energy_drifts_by_less_than_a_hundred_thousandth_of_the_transmitted_work() -> None:
    drift = energy_drift.drift_of(energy_drift.case_of(step=1e-5))
    assert drift.booked < 1e-5  # the aim; seen 1.1e-6
    assert 1e-5 < drift.bare < 4e-5  # seen 2.7e-5: why the account books the work of the undeformed geometry


def test_at_a_quarter_of_the_load_the_contact_torques_alone_keep_the_energy() -> None:
    drift = energy_drift.drift_of(energy_drift.case_of(step=5e-6, torque=100.0))
    assert drift.booked < 1e-6
    assert drift.bare < 1e-5  # seen 7.6e-6, a quarter of that at 400 N m


@pytest.mark.slow
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
