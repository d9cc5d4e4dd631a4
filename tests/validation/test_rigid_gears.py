"""Rigid gears in space: the validation with longer steps, and what it does not compare."""

from __future__ import annotations

import math

import pytest
from quick_form import assert_within_bounds
from script_files import load_script

run = load_script("validation/rigid_gears/run.py")
ratio, sliding = run.rigid_ratio, run.sliding_teeth


@pytest.mark.thorough  # below: ratios and friction of the same pairs
@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("rigid_gears")


def test_the_ratio_of_ten_turns_beyond_what_a_rotation_vector_holds() -> None:
    motion = ratio.move("internal", 1.0, 4.0 * ratio.STEP)
    assert ratio.RATIO * abs(motion.angle[-1]) > math.pi


@pytest.mark.parametrize("kind", sliding.PAIRS)
def test_what_friction_takes_is_booked(kind: str) -> None:
    lossy = sliding.driven(kind, 0, friction=0.05, steps=20)
    assert lossy.lost == pytest.approx(lossy.into - lossy.out, abs=1e-9 * lossy.into)
