"""Natural frequencies of planetary sets in the plane against Lin and Parker (1999), and their kinds."""

from __future__ import annotations

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

validation = load_script("validation/planetary_modes/run.py")


def test_quick_form() -> None:
    assert_within_bounds("planetary_modes")


@pytest.mark.parametrize("n", validation.PLANETS)
def test_numbers_of_modes_by_kind(n: int) -> None:
    """Five rotational, six pairs of translational ones, three planet modes n - 3 times, each as often to round-off."""
    modes = validation.modes_of(n)
    kinds, frequencies = modes["kind"].sel(planetary_set="set").to_numpy(), modes["frequency"].to_numpy()
    assert [(kinds == kind).sum() for kind in ("rotational", "translational", "planet")] == [5, 12, 3 * (n - 3)]
    assert len(kinds) == 17 + 3 * (n - 3)
    for kind, times in (("translational", 2), ("planet", n - 3)):
        alike = frequencies[kinds == kind].reshape(-1, max(times, 1))
        np.testing.assert_allclose(alike, alike[:, :1] * np.ones((1, max(times, 1))), rtol=1e-8)  # root of a matrix


def test_shapes_are_those_of_their_kind() -> None:
    """By symmetry: central members stand in planet modes, where the planets' motions have no sum."""
    modes = validation.modes_of(4)
    central = ["set sun", "set ring", "set carrier"]
    planets = [f"set planet {i + 1}" for i in range(4)]
    for number, kind in enumerate(modes["kind"].sel(planetary_set="set").to_numpy()):
        turned, moved = modes["member_rotation"][number], modes["member_displacement"][number]
        still = 1e-9  # of the largest coordinate, which is 1
        if kind != "rotational":
            assert float(np.abs(turned.sel(member=central)).max()) < still
            assert abs(float(turned.sel(member=planets).sum())) < still
        else:
            np.testing.assert_allclose(turned.sel(member=planets), turned.sel(member=planets[0]), atol=still)
        if kind != "translational":
            assert float(np.abs(moved.sel(member=central)).max()) < still
