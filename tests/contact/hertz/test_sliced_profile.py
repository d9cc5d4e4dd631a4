"""Tables of the true flank: slopes that keep the direction falling, cubics between rows, the tip round."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

from alegear.contact.hertz.profile import _falling_slopes
from alegear.errors import Fault
from alegear.geometry import Gear


def falling_steps(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Values that fall over uneven places, with level stretches inside and at an end."""
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.uniform(0.1, 1.0, 40))
    steps = -(rng.uniform(0.0, 1.0, (3, 39)) ** 4)
    steps[0, 10:15] = steps[1, :2] = steps[2, -3:] = 0.0
    return x, np.concatenate([np.ones((3, 1)), 1.0 + np.cumsum(steps, axis=1)], axis=1)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_slopes_of_falling_values_never_rise(seed: int) -> None:
    x, y = falling_steps(seed)
    slopes = _falling_slopes(np.tile(x, (3, 1)), y)
    between = CubicHermiteSpline(x, y, slopes, axis=1)(np.linspace(x[0], x[-1], 5000))
    assert np.diff(between, axis=1).max() < 1e-14  # round-off
    assert_allclose(slopes, PchipInterpolator(x, y, axis=1).derivative()(x), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("smallest", [0.0005, 0.05])
@pytest.mark.parametrize("z", [12, 20, 97])
def test_tip_round_touches_flank_and_tip_circle(z: int, smallest: float) -> None:
    gear = Gear(z=z, m_n=4e-3, b=30e-3, x=0.2, bore_diameter=z * 2e-3)
    gear = replace(gear, tip_rounding=0.0)
    made = gear.modified_profile(np.zeros(1), sharpest_tip=smallest)
    # its circle touches the tip circle from within, to the last digits of a radius
    assert_allclose(np.hypot(*made.centre[0]) + made.radius, gear.r_a, rtol=4e-16)
    ends = np.array([made.s_start[0], made.s_end[0]])
    xy, tangents = (values[0] for values in made.curve(ends[None]))
    assert_allclose(xy[0], made.centre[0] + made.radius * gear.tooth_profile.normals(ends[:1])[0], rtol=1e-14)
    assert_allclose(np.hypot(*xy[1]), gear.r_a, rtol=1e-14)
    assert abs(np.sum(tangents[1] * xy[1])) < 1e-12 * gear.r_a  # along the tip circle


def test_a_tip_round_larger_than_the_tooth_is_a_fault() -> None:
    with pytest.raises(Fault, match="tip_rounding_mm"):
        Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=40e-3).modified_profile(np.zeros(1), sharpest_tip=5.0)
