"""The second grid: half of everything, the same positions, and a warning where it matters."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import pytest
from small_cases import case_of, static_text

import alegear as ag
from alegear.case.pair_machine import MESH, machine_of
from alegear.errors import AnalysisFailure
from alegear.progress import Silent
from alegear.studies import grid_estimate
from alegear.studies.grid_estimate import coarser, grid_warnings
from alegear.studies.preparation import prepare
from alegear.studies.static import StaticStudy

COUNTS = {"flank_elements": 8, "fillet_elements": 8, "thickness_elements": 8, "width_elements": 4, "rim_elements": 8}
GRID = "\n".join(f"{name} = {count}" for name, count in COUNTS.items())


def case(mesh: str = GRID, **options) -> ag.Case:
    return case_of(static_text(positions=4, mesh=mesh, **options))


def test_the_summary_tells_what_half_the_elements_change() -> None:
    of = case()
    fine = ag.run(of)
    half = coarser(machine_of(of), {MESH: 4})
    assert half is not None
    assert [gear.grid_options.width_elements for gear in half.gears] == [2, 2]
    assert half.meshes[0].law.slices == 2
    assert coarser(half, {MESH: 2}) is None
    halved = replace(half, analysis=replace(half.analysis, grid_estimate=True), output=of.output)
    there = ag.run(halved).meshes()[MESH].summary
    expected = abs(fine.summary["te_peak_to_peak_um"] - there["te_peak_to_peak_um"])
    # the tooth-change of the first grid, at which both pairs or none carry
    assert fine.summary["te_peak_to_peak_grid_um"] == pytest.approx(expected, rel=1e-6) != 0.0
    assert there["te_peak_to_peak_grid_um"] is None  # too coarse to be halved
    off = ag.run(replace(of, analysis=replace(of.analysis, grid_estimate=False))).summary
    assert off["te_peak_to_peak_grid_um"] is None
    assert off["te_peak_to_peak_um"] == fine.summary["te_peak_to_peak_um"]


def test_a_default_grid_stays_even_and_a_given_one_is_left_alone() -> None:
    half = coarser(machine_of(replace(case(), grid_options=(ag.GridOptions(), ag.GridOptions()))), {MESH: 11})
    assert half is not None
    options = half.gears[0].grid_options
    assert (options.flank_elements, options.fillet_elements, options.width_elements) == (8, 6, 6)
    assert half.meshes[0].law.slices == 5
    assert coarser(machine_of(case(contact='law = "penalty"')), {MESH: 10}) is None


def test_the_warning_names_figures_and_remedy_and_is_silent_where_little_changes() -> None:
    (warning,) = grid_warnings(0.41e-6, 0.12e-6, 4e-3)
    assert warning.startswith("peak-to-peak transmission error 0.41 um changes by 0.12 um")
    assert "raise width_elements" in warning
    assert grid_warnings(0.41e-6, 0.10e-6, 4e-3) == []
    assert grid_warnings(0.01e-6, 0.015e-6, 4e-3) == []  # nobody hears it
    assert grid_warnings(0.01e-8, 0.015e-8, 4e-5) == []
    assert grid_warnings(0.01e-6, 0.015e-6, 4e-5) != []  # of smaller teeth


def test_a_failure_does_not_wait_for_the_second_grid(monkeypatch, tmp_path) -> None:
    go_on, left = Event(), Event()

    def held_up(*args, **kwargs):
        go_on.wait(60.0)
        left.set()
        raise AnalysisFailure("no matter")

    def fails(self, progress):
        raise AnalysisFailure("no equilibrium")

    monkeypatch.setattr(grid_estimate, "prepare_meshes", held_up)
    monkeypatch.setattr(StaticStudy, "run", fails)
    with pytest.raises(AnalysisFailure, match="no equilibrium"):
        ag.run(case(), tmp_path / "out")
    assert not left.is_set()  # still at it
    go_on.set()


def test_an_interruption_while_fields_are_written_gives_up_the_second_grid(monkeypatch, tmp_path) -> None:
    started = Event()
    solve = grid_estimate.MachineSolver.solve

    class Slow(grid_estimate.MachineSolver):
        def solve(self, *args, **kwargs):
            started.wait(60.0)  # its first position ends when the fields have been interrupted
            return solve(self, *args, **kwargs)

    def interrupted(*args):
        started.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(grid_estimate, "MachineSolver", Slow)
    monkeypatch.setattr("alegear.studies.runs.write_fields", interrupted)
    of = case()
    with pytest.raises(KeyboardInterrupt):
        ag.run(replace(of, output=replace(of.output, fields=True)), tmp_path / "out")
    assert ag.load(tmp_path / "out").summary["te_peak_to_peak_grid_um"] is None


def test_both_grids_keep_a_chosen_limit_of_the_memory(monkeypatch) -> None:
    of = case()
    alone, both = 1e-6 * prepare(of, Silent(), fields=False).memory, ag.run(of).summary["memory_estimate_MB"]
    assert both > 1.1 * alone
    monkeypatch.setenv("ALEGEAR_MEMORY_MB", str(0.5 * (alone + both)))
    summary = ag.run(of).summary
    assert summary["te_peak_to_peak_grid_um"] is None
    assert summary["memory_estimate_MB"] == pytest.approx(alone, rel=1e-12)
    monkeypatch.setenv("ALEGEAR_MEMORY_MB", str(1.01 * both))
    assert ag.run(of).summary["te_peak_to_peak_grid_um"] is not None


def test_a_machine_has_it_of_each_mesh_and_fields_of_some_positions(tmp_path) -> None:
    pair = case()
    machine = machine_of(pair)
    output = replace(machine.output, fields=True, plots=False, field_positions=2)
    result = ag.run(replace(machine, preset=None, output=output), tmp_path / "out")
    expected = ag.run(pair).summary["te_peak_to_peak_grid_um"]
    for of_mesh in (result.meshes()[MESH].summary, result.summary["meshes"][MESH]):
        assert of_mesh["te_peak_to_peak_grid_um"] == pytest.approx(expected, rel=1e-6)
    assert len(list((tmp_path / "out" / "meshes" / MESH / "fields").glob("frame_*.vtu"))) == 2
