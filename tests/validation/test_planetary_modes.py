"""Natural frequencies of planetary sets in the plane against Lin and Parker (1999), and their kinds."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from script_files import load_script

validation = load_script("validation/planetary_modes/run.py")


@pytest.mark.parametrize("n", validation.PLANETS)
def test_frequencies_and_kinds_are_those_of_lin_and_parker(n: int) -> None:
    expected = validation.published(n)
    if not expected:
        pytest.skip("no ../shared/reference/planetary_modes_lin_parker_1999.csv: it is no part of the project")
    modes = validation.modes_of(n)
    found = modes.frequencies / (2.0 * pi)
    assert len(found) == len(expected)
    assert found[0] < 1e-2  # the set turns freely, to the root of the round-off of 5e8 N/m
    np.testing.assert_allclose(found[1:], [f for f, _ in expected[1:]], rtol=validation.BOUND)  # agreed; seen 4e-4
    assert validation.kinds_of(modes) == [kind for _, kind in expected]


@pytest.mark.parametrize("n", validation.PLANETS)
def test_numbers_of_modes_by_kind(n: int) -> None:
    """Six rotational, six pairs of translational ones, three planet modes n - 3 times, each as often to round-off."""
    modes = validation.modes_of(n)
    kinds = np.array(validation.kinds_of(modes))
    assert [(kinds == kind).sum() for kind in ("rotational", "translational", "planet")] == [6, 12, 3 * (n - 3)]
    for kind, times in (("translational", 2), ("planet", n - 3)):
        alike = modes.frequencies[kinds == kind].reshape(-1, max(times, 1))
        np.testing.assert_allclose(alike, alike[:, :1] * np.ones((1, max(times, 1))), rtol=1e-8)  # root of a matrix
