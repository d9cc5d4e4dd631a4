"""Cycle of a tooth: alike teeth make one passage, teeth that differ have one each; warnings of contact stress."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from alegear.results.root_cycle import critical_point, teeth_differ, tooth_cycle

PITCHES, POSITIONS = 4, 8
PAIRS = np.arange(-1, 6)


def teeth(factors=None, points=False) -> xr.Dataset:
    """Stress of one gear's teeth, one triangle a tooth over the phase of its pair, of 100 MPa times a factor."""
    phase = -0.5 + np.arange(PITCHES * POSITIONS) / POSITIONS
    own = phase[:, None] - PAIRS
    stress = 1e8 * np.clip(1.0 - np.abs(own), -0.2, None) * (np.ones(len(PAIRS)) if factors is None else factors)
    stress = np.where(np.abs(own) < 1.6, stress, np.nan)
    principal = np.stack([stress, -stress], axis=-1)[:, None].repeat(2, axis=1)
    found = xr.Dataset(
        {"root_stress_principal": (("position", "gear", "pair", "side"), principal)},
        coords={"phase": ("position", phase), "pair": PAIRS},
    )
    if not points:
        return found
    along = np.array([0.5, 1.0, 0.9])  # of the stress, at three points of the fillet
    place = (("gear", "side"), np.full((2, 2), 2e-3))
    return found.assign(
        root_stress_fillet_principal=(
            ("position", "gear", "pair", "side", "fillet", "face"),
            principal[..., None, None] * along[:, None],
        ),
        fillet_arc_length=(("gear", "fillet"), np.tile([1e-3, 2e-3, 3e-3], (2, 1))),
        face_position=(("gear", "face"), np.zeros((2, 1))),
        root_critical_arc_length=place,
        root_critical_face_position=(("gear", "side"), np.zeros((2, 2))),
    )


def test_alike_teeth_make_one_passage():
    dataset = teeth()
    assert not teeth_differ(dataset)
    cycle = tooth_cycle(dataset, 0, 0)
    assert not cycle.apart
    assert (np.diff(cycle.phase) >= 0.0).all()
    assert cycle.ends == pytest.approx((100.0, -20.0))


@pytest.mark.parametrize("points", [False, True])
def test_teeth_that_differ_have_a_passage_each_and_the_range_of_the_worst(points):
    """The largest and the smallest stress of different teeth are no cycle: no tooth has both."""
    factors = np.ones(len(PAIRS))
    factors[3] = 1.3
    factors[4] = 0.7
    dataset = teeth(factors, points)
    dataset["root_stress_principal"][:, :, 4].data[:] -= 1e7
    if points:
        dataset["root_stress_fillet_principal"][:, :, 4].data[:] -= 1e7
    assert teeth_differ(dataset)
    cycle = tooth_cycle(dataset, 0, 0)
    assert cycle.apart
    for part in np.split(cycle.phase, np.flatnonzero(np.isnan(cycle.phase))):
        assert (np.diff(part[np.isfinite(part)]) > 0.0).all()
    assert np.nanmin(cycle.stress) == pytest.approx(-26.0) or points
    assert cycle.ends == pytest.approx((130.0, -26.0))
    point = critical_point(dataset, 0, 0)
    assert (point is None) == (not points)
    assert point is None or point == (1, 0, PAIRS[3])


def test_one_pitch_shows_no_difference():
    assert not teeth_differ(teeth(np.linspace(0.5, 1.5, len(PAIRS))).isel(position=slice(0, POSITIONS)))
