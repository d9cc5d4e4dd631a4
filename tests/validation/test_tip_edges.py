"""Relieved pair under load: smooth transmission error, loads that only fall; heavy load on an undercut edge."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import util
from pathlib import Path

import pytest

import alegear as ag

PATH = Path(__file__).parents[2] / "validation" / "tip_edges" / "under_load.py"
spec = util.spec_from_file_location("tip_edges_under_load", PATH)
assert spec is not None
assert spec.loader is not None
under_load = util.module_from_spec(spec)
sys.modules[spec.name] = under_load
spec.loader.exec_module(under_load)


@pytest.mark.parametrize(
    ("shape", "law"),
    [*((shape, "hertz") for shape in under_load.SHAPES[::2]), *((shape, "penalty") for shape in under_load.SHAPES[:4])],
)
def test_relieved_pair_is_smooth_under_load(shape: tuple[float, float, str], law: str) -> None:
    """The bounds of the second differences belong to 256 positions."""
    smoothness = under_load.smoothness(ag.run(under_load.relieved(*shape, law=law)).dataset)
    assert smoothness["away"] < 2e-3
    assert smoothness["load"] < 2e-3
    assert smoothness["rise"] == 0.0


def test_heavy_load_on_an_undercut_edge_has_equilibria() -> None:
    case = under_load.undercut(0.1, 16.0)
    result = ag.run(replace(case, analysis=ag.StaticAnalysis(positions_per_pitch=32)))
    assert result.summary["tooth_load_max_N"] > 0.0
    assert float(result.dataset.transmission_error.max()) < 0.0
