"""Grids made elsewhere and sizes: what a run refuses once it has begun, `check` refuses before."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import small_cases

import alegear as ag
from alegear import cli
from alegear.case.case import Case
from alegear.case.faults import CaseFaults
from alegear.checks.before_run import given_sectors
from alegear.errors import Fault
from alegear.mesh.exchange import write_mesh
from alegear.mesh.grid_options import GridOptions
from alegear.mesh.sector import SectorMesh, mesh_sector
from alegear.progress import Silent
from alegear.studies.preparation import prepare

OPTIONS = GridOptions(
    order=1, flank_elements=6, fillet_elements=6, thickness_elements=4, width_elements=2, rim_elements=4
)


def pinion_grid() -> SectorMesh:
    return mesh_sector(small_cases.case_of(small_cases.static_text()).pair.pinion, OPTIONS)


def case_with(folder: Path, sector: SectorMesh, **options: str) -> Path:
    """Case file whose pinion has a grid made elsewhere."""
    write_mesh(folder / "tooth.vtu", sector)
    path = folder / "case.toml"
    path.write_text(small_cases.static_text(**options) + "[pinion.grid]\nfile = 'tooth.vtu'\n")
    return path


def test_a_sound_grid_is_taken(tmp_path: Path) -> None:
    pinion, wheel = given_sectors(Case.from_toml(case_with(tmp_path, pinion_grid())))
    assert pinion is not None
    assert wheel is None


@pytest.mark.parametrize("gear", ["pinion"])
def test_numbers_of_elements_beside_a_grid_are_refused(tmp_path: Path, gear: str) -> None:
    path = case_with(tmp_path, pinion_grid())
    path.write_text(path.read_text() + "order = 1\nflank_elements = 6\n")
    with pytest.raises(CaseFaults) as caught:
        Case.from_toml(path)
    keys = {fault.key for fault in caught.value.faults}
    assert keys == {f"{gear}.grid.order", f"{gear}.grid.flank_elements"}


def flank_off(sector: SectorMesh) -> SectorMesh:
    """The upper nodes of flank a 0.23 mm off: the cells stay sound."""
    points = sector.volume.points.copy()
    points[sector.flank_a[4:-1], 1] -= 0.23e-3
    return dataclasses.replace(sector, volume=dataclasses.replace(sector.volume, points=points))


def bore_of_a_node(sector: SectorMesh) -> SectorMesh:
    sets = {**sector.volume.node_sets, "bore": sector.bore[:1]}
    return dataclasses.replace(sector, volume=dataclasses.replace(sector.volume, node_sets=sets))


@pytest.mark.parametrize(("spoil", "words"), [(flank_off, "from the true flank"), (bore_of_a_node, "node set bore")])
def test_check_and_run_refuse_a_grid_by_file_key_and_gear(
    tmp_path: Path, spoil: object, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(spoil)
    path = case_with(tmp_path, spoil(pinion_grid()))
    assert cli.main(["check", str(path)]) == 2
    line = capsys.readouterr().err.strip()
    assert line.startswith(f"{path}: pinion.grid.file = ")
    assert words in line
    with pytest.raises(CaseFaults) as caught:
        prepare(Case.from_toml(path), Silent())
    assert str(caught.value) == line


def test_a_quadratic_grid_does_not_go_with_the_penalty_law(tmp_path: Path) -> None:
    gear = small_cases.case_of(small_cases.static_text()).pair.pinion
    options = GridOptions(flank_elements=6, fillet_elements=6, thickness_elements=4, width_elements=2, rim_elements=4)
    case = Case.from_toml(case_with(tmp_path, mesh_sector(gear, options), contact='law = "penalty"'))
    with pytest.raises(CaseFaults, match=r"pinion.grid.file = .*order of the elements of .*1 with law"):
        small_cases.checked(case)


def test_memory_is_refused_before_anything_is_meshed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default grid where there are 100 MB; a coarse one fits."""
    text = small_cases.static_text(mesh="").replace('kind = "static"\npositions_per_pitch = 8\npitches = 1', "{}")
    monkeypatch.setenv("ALEGEAR_MEMORY_MB", "100")
    small_cases.checked(small_cases.case_of(small_cases.static_text()))
    fine = Case.from_bytes(text.replace("{}", 'kind = "static"').encode())
    with pytest.raises(Fault, match=r"memory needed \[MB\]"):
        small_cases.checked(fine)


@pytest.mark.parametrize("given", ["nan", "abc", "-1"])
@pytest.mark.parametrize("name", ["ALEGEAR_MEMORY_MB", "ALEGEAR_CACHE_MB"])
def test_sizes_of_the_environment_that_are_none(monkeypatch: pytest.MonkeyPatch, name: str, given: str) -> None:
    monkeypatch.setenv(name, given)
    with pytest.raises(Fault, match=f"{name} = {given}: must be a number of megabytes from 0, or inf"):
        small_cases.checked(small_cases.case_of(small_cases.static_text()))


def test_numbers_of_a_sector_follow_from_the_options() -> None:
    gear = small_cases.case_of(small_cases.static_text()).pair.pinion
    for options in (OPTIONS, GridOptions(width_elements=2), GridOptions(**dict.fromkeys(vars(OPTIONS), 2))):
        sector = mesh_sector(gear, options)
        found = (options.n_cells, options.n_nodes, options.n_bore_nodes)
        assert found == (sector.volume.n_cells, sector.volume.n_nodes, sector.bore.size)


def test_a_bore_up_to_the_thinnest_rim_can_be_meshed() -> None:
    pair = small_cases.case_of(small_cases.static_text()).pair
    largest = pair.pinion.d_f - 0.02 * pair.pinion.m_n
    assert np.isfinite(mesh_sector(dataclasses.replace(pair.pinion, bore_diameter=largest), OPTIONS).volume.volume)
    with pytest.raises(Fault, match=r"leaves a rim of 0.01 modules; reduce bore_diameter_mm"):
        dataclasses.replace(pair.pinion, bore_diameter=largest + 1e-6)


def test_digest_is_that_of_what_is_computed(tmp_path: Path) -> None:
    """Of the content, wherever it was made: not of the text of a file, but of what the files that it names hold."""
    text = small_cases.static_text()
    case = Case.from_bytes(text.encode())
    same = "# a comment\n" + text.replace("small pair", "another title").replace("torque_Nm = 200.0", "torque_Nm = 2e2")
    assert Case.from_bytes(same.encode()).sha256 == case.sha256
    assert Case.from_bytes(text.replace("200.0", "200.1").encode()).sha256 != case.sha256
    changed = dataclasses.replace(case, operation=dataclasses.replace(case.operation, pinion_torque=200.1))
    assert changed.sha256 == Case.from_bytes(text.replace("200.0", "200.1").encode()).sha256
    pinion = ag.Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3)
    made = ag.GearPair(pinion=pinion, wheel=case.pair.wheel)
    assert dataclasses.replace(case, pair=made, path=None).sha256 == case.sha256
    given = Case.from_toml(case_with(tmp_path, pinion_grid()))
    before = given.sha256
    write_mesh(tmp_path / "tooth.vtu", mesh_sector(given.pair.pinion, dataclasses.replace(OPTIONS, rim_elements=5)))
    assert given.sha256 != before
