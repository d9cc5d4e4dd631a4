"""Pitch deviations: a tooth that is out of its place, front flank and back flank alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_cases import case_of, static_text

import alegear as ag

TEETH = {"pinion": 20, "wheel": 30}


def deviation(teeth: int) -> np.ndarray:
    tooth = np.arange(teeth)
    return 4e-6 * np.sin(0.9 * tooth + 0.4) + 2e-6 * np.cos(2.1 * tooth)


@pytest.mark.parametrize("driver", ["pinion", "wheel"])
@pytest.mark.parametrize("gear", ["pinion", "wheel"])
def test_a_tooth_out_of_its_place_leads_by_it_whichever_flank_carries(gear: str, driver: str) -> None:
    given = deviation(TEETH[gear])
    for torque in (200.0, -200.0):
        text = static_text(
            torque=torque, driver=driver, positions=2, pitches=4, pinion="tooth_thickness_allowance_um = 60.0"
        )
        case = case_of(text)
        pair = case.pair.with_microgeometry(**{gear: ag.Microgeometry(pitch_deviation=given)})
        perfect, deviating = (ag.run(c).dataset.transmission_error for c in (case, replace(case, pair=pair)))
        assert float(perfect[1]) * torque < 0.0
        ahead = (deviating - perfect).values[1::2]  # at the pitch point one pair carries all
        # the flank that touches has turned with its tooth: a few millionths of its radius
        np.testing.assert_allclose(ahead, given[:4], atol=2e-9)
