"""Relieved pair under load: smooth transmission error, loads that only fall; heavy load on an undercut edge."""

from __future__ import annotations

import pytest
from families import mostly_thorough
from quick_form import assert_within_bounds
from script_files import load_script

import alegear as ag

load_script("validation/tip_edges/run.py")  # which says where the checks are that the other imports
under_load = load_script("validation/tip_edges/under_load.py")
ALWAYS = under_load.SHAPES[2:3]  # the quick form has the first


@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("tip_edges")


@pytest.mark.parametrize(
    ("shape", "law"),
    [
        *mostly_thorough(((shape, "hertz") for shape in under_load.SHAPES[::2]), lambda one: one[0] in ALWAYS),
        *mostly_thorough(((shape, "penalty") for shape in under_load.SHAPES[:4]), lambda one: one[0] in ALWAYS),
    ],
)
def test_relieved_pair_is_smooth_under_load(shape: tuple[float, float, str], law: str) -> None:
    """The bounds of the second differences belong to 256 positions."""
    smoothness = under_load.smoothness(ag.run(under_load.relieved(*shape, law=law)).dataset)
    assert smoothness["away"] < 2e-3
    assert smoothness["load"] < 2e-3
    assert smoothness["rise"] == 0.0
