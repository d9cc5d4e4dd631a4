"""The second grid: half of everything, the same positions, and a warning where it matters."""

from __future__ import annotations

from dataclasses import replace

import pytest
from study.small_cases import case_of, static_text

import alegear as ag
from alegear.study.grid_estimate import coarser, grid_warnings

COUNTS = {"flank_elements": 8, "fillet_elements": 8, "thickness_elements": 8, "width_elements": 4, "rim_elements": 8}
GRID = "\n".join(f"{name} = {count}" for name, count in COUNTS.items())


def case(mesh: str = GRID, **options) -> ag.Case:
    return case_of(static_text(positions=4, mesh=mesh, **options))


def test_the_summary_tells_what_half_the_elements_change() -> None:
    of = case()
    fine = ag.run(of)
    half = coarser(of, 4)
    assert half is not None
    assert [options.width_elements for options in half.mesh_options] == [2, 2]
    assert half.slices == 2
    assert coarser(half, 2) is None
    there = ag.run(half).summary
    expected = abs(fine.summary["te_peak_to_peak_um"] - there["te_peak_to_peak_um"])
    # the tooth-change of the first grid, at which both pairs or none carry
    assert fine.summary["te_peak_to_peak_grid_um"] == pytest.approx(expected, rel=1e-6) != 0.0
    assert there["te_peak_to_peak_grid_um"] is None  # too coarse to be halved
    off = ag.run(replace(of, analysis=replace(of.analysis, grid_estimate=False))).summary
    assert off["te_peak_to_peak_grid_um"] is None
    assert off["te_peak_to_peak_um"] == fine.summary["te_peak_to_peak_um"]


def test_a_default_grid_stays_even_and_a_given_one_is_left_alone() -> None:
    half = coarser(replace(case(), mesh_options=(ag.MeshOptions(), ag.MeshOptions())), 11)
    assert half is not None
    options = half.mesh_options[0]
    assert (options.flank_elements, options.fillet_elements, options.width_elements) == (8, 6, 6)
    assert half.slices == 5
    assert coarser(case(contact='law = "penalty"'), 10) is None


def test_the_warning_names_figures_and_remedy_and_is_silent_where_little_changes() -> None:
    (warning,) = grid_warnings(0.41e-6, 0.12e-6)
    assert warning.startswith("peak-to-peak transmission error 0.41 um changes by 0.12 um")
    assert "raise width_elements" in warning
    assert grid_warnings(0.41e-6, 0.10e-6) == []
    assert grid_warnings(0.01e-6, 0.015e-6) == []  # nobody hears it
