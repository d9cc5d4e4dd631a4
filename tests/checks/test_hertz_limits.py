"""Warnings where a result leaves the range of line contact."""

import numpy as np
import pytest

from alegear.checks.hertz_limits import CORNER, SHORTEST_LINE, WIDEST_STRIP, line_contact_warnings, squeeze_warnings
from alegear.geometry import Gear, GearPair
from alegear.storage.recorded_samples import RecordedSamples

FACE, SLICES = 30e-3, 12


@pytest.fixture(scope="module")
def pair():
    return GearPair(
        pinion=Gear(z=20, m_n=4e-3, x=0.2, b=FACE, bore_diameter=35.8e-3),
        wheel=Gear(z=30, m_n=4e-3, x=-0.2, b=FACE, bore_diameter=54.2e-3),
    )


def warnings_of(pair, half_width, loaded=slice(None), load=1e5, more=()):
    """One tooth pair at its pitch point, loaded on some slices; further samples with other total loads."""
    n = 1 + len(more)
    line_load, width, roll = np.zeros((n, 1, SLICES)), np.full((n, 1, SLICES), np.nan), np.full((n, 1, SLICES), np.nan)
    line_load[0, 0, loaded] = load
    width[0, 0, loaded] = half_width
    roll[0, 0, loaded] = pitch_point(pair)
    for i, small in enumerate(more, start=1):
        line_load[i, 0, 0], width[i, 0, 0], roll[i, 0, 0] = small, half_width, pitch_point(pair)
    return contact_warnings(pair, line_load, width, roll, FACE / SLICES)


def contact_warnings(pair, line_load, width, roll, slice_width):
    values = {"line_load": line_load, "contact_half_width": width, "contact_roll_length": roll}
    return line_contact_warnings(pair, RecordedSamples.of(values), slice_width)


def pitch_point(pair):
    return pair.pinion.r_b * np.tan(pair.alpha_wt)


def reduced_radius(pair):
    """r_w1 sin(alpha_w) against r_w2 sin(alpha_w) at the pitch point."""
    one = pitch_point(pair)
    two = pair.wheel.r_b * np.tan(pair.alpha_wt)
    return one * two / (one + two)


def test_a_good_contact_has_none(pair):
    assert warnings_of(pair, 0.1e-3) == []
    assert contact_warnings(pair, np.zeros((1, 1, 4)), *np.full((2, 1, 1, 4), np.nan), 1e-3) == []


@pytest.mark.parametrize(("share", "found"), [(0.99, 0), (1.01, 1)])
def test_a_wide_strip(pair, share, found):
    half_width = share * WIDEST_STRIP * reduced_radius(pair)
    warnings = warnings_of(pair, half_width)
    assert len(warnings) == found
    for text in warnings:  # value, limit, remedy
        assert f"{1e3 * half_width:.3g} mm" in text
        assert f"above {WIDEST_STRIP:g}" in text
        assert "pinion_torque_Nm" in text


@pytest.mark.parametrize(("slices", "found"), [(3, 1), (4, 0)])
def test_a_corner(pair, slices, found):
    """A quarter of the face is 3 of 12 slices."""
    assert slices / SLICES <= CORNER or not found
    warnings = warnings_of(pair, 0.1e-3, loaded=slice(slices))
    assert len(warnings) == found
    for text in warnings:
        assert f"{1e3 * slices * FACE / SLICES:.3g} mm of the 30 mm face" in text
        assert "tilt" in text


def test_a_line_as_short_as_it_is_wide(pair):
    length = 4 * FACE / SLICES
    # both strips are too wide as well; that is the first warning
    assert len(warnings_of(pair, 0.99 * length / SHORTEST_LINE, loaded=slice(4))) == 1
    _, short = warnings_of(pair, 1.01 * length / SHORTEST_LINE, loaded=slice(4))
    assert "half-widths" in short


def test_a_short_contact_under_hardly_any_load_is_nothing(pair):
    """As a crowned pair has between two impacts."""
    total = SLICES * 1e5
    assert warnings_of(pair, 0.1e-3, more=[0.09 * total]) == []
    assert len(warnings_of(pair, 0.1e-3, more=[0.11 * total])) == 1


@pytest.mark.parametrize(("back", "found"), [(0.0, 0), (0.009, 0), (0.011, 1), (0.2, 1)])
def test_squeezed_teeth(pair, back, found):
    """Front flanks carry 1 + back, back flanks -back: 1 + 2 back in all. A fiftieth is what leaning normals may add."""
    width = FACE / SLICES
    tooth_load = np.array([[10e3, -back * 10e3]]) + np.array([[back * 10e3, 0.0]])
    line_load = np.abs(tooth_load)[:, :, None] / width * np.full(SLICES, 1.0 / SLICES)
    warnings = squeeze_warnings(pair, line_load, tooth_load, width)
    assert len(warnings) == found
    for text in warnings:
        assert f"{10.0 + 20.0 * back:.4g} kN" in text
        assert "the torque takes 10 kN" in text
        assert "tooth_thickness_allowance_um" in text


def test_one_slice_is_no_corner(pair):
    roll = pair.pinion.r_b * np.tan(pair.alpha_wt)
    assert contact_warnings(pair, *(np.full((1, 1, 1), v) for v in (1e5, 0.1e-3, roll)), FACE) == []
