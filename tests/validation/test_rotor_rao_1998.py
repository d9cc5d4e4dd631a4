"""Two rotors coupled by a spur mesh against an independent program: the validation with long elements."""

from __future__ import annotations

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

rotor_rao = load_script("validation/rotor_rao_1998/run.py")


def test_quick_form() -> None:
    assert_within_bounds("rotor_rao_1998")


def test_bearings_damp_every_mode_a_little() -> None:
    found = rotor_rao.compare(0.5)
    np.testing.assert_allclose(found.deviations, 0.0, atol=5e-4)  # a tenth of the agreed bound; seen 2e-4
    assert (found.decay_rates > 0.0).all()


def test_the_flank_that_drives_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    front = rotor_rao.compare(1.0).frequencies
    monkeypatch.setattr(rotor_rao, "PRESSURE_ANGLE", -rotor_rao.PRESSURE_ANGLE)
    np.testing.assert_allclose(rotor_rao.compare(1.0).frequencies, front, rtol=1e-9)  # of an eigenvalue solver


def test_elements_are_converged() -> None:
    coarse, fine = (rotor_rao.compare(length).frequencies for length in (0.5, 0.25))
    np.testing.assert_allclose(coarse, fine, rtol=2e-4)
