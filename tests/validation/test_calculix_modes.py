"""What validation/calculix_modes gives to CalculiX and reads from it; the solver itself only where it is installed."""

import importlib
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from quick_form import assert_within_bounds

from alegear.fe import Material
from alegear.geometry import Gear
from alegear.mesh import GridOptions, WheelMesh, mesh_sector
from alegear.reduction.normal_modes import find_free_modes, find_normal_modes

HERE = Path(__file__).parents[2] / "validation" / "calculix_modes"
COARSE = {"flank_elements": 4, "fillet_elements": 4, "thickness_elements": 2, "width_elements": 4}


@pytest.fixture(scope="module")
def calculix():
    sys.path.insert(0, str(HERE))
    try:
        yield importlib.import_module("calculix_modes")
    finally:
        sys.path.remove(str(HERE))
        sys.modules.pop("calculix_modes", None)


@pytest.fixture(scope="module")
def gear():
    return Gear(z=15, m_n=4e-3, b=8e-3, bore_diameter=30e-3)


@pytest.mark.thorough
def test_quick_form():
    assert_within_bounds("calculix_modes")


def test_the_deck_holds_the_whole_grid(calculix, gear, tmp_path):
    sector = mesh_sector(gear, GridOptions(order=2, rim_elements=4, **COARSE))
    calculix.write_deck(tmp_path / "a.inp", sector, Material(), support="free", n_modes=10)
    text = (tmp_path / "a.inp").read_text()
    volume = WheelMesh(sector).volume
    elements = text.split("*ELEMENT, TYPE=C3D20, ELSET=BODY\n")[1].split("*")[0].replace(",\n", ",").splitlines()
    assert len(elements) == volume.n_cells
    used = set(np.unique(volume.cells[:, :20]) + 1)
    assert {int(node) for row in elements for node in row.split(",")[1:]} == used
    listed = text.split("*NODE, NSET=ALL\n")[1].split("*")[0].splitlines()
    assert {int(row.split(",")[0]) for row in listed} == used
    assert "*RIGID BODY, NSET=BORE" in text
    assert "*FREQUENCY\n16\n" in text  # six of them rigid


def test_nodal_diameters_are_told_from_displacements_in_space(calculix):
    teeth, k = 12, np.arange(12)
    shapes = []
    for n in (0, 1, 4, 6):
        own = np.column_stack([np.cos(2 * np.pi * n * k / teeth), np.zeros(teeth), 0.2 * np.ones(teeth) * (n == 0)])
        turn = [calculix.sector_rotation(teeth, j) for j in k]
        shapes.append([R @ u for R, u in zip(turn, own, strict=True)])
    diameters, purity = calculix.nodal_diameters(np.array(shapes), teeth)
    assert list(diameters) == [0, 1, 4, 6]
    assert purity.min() > 1.0 - 1e-12


def test_modes_are_matched_by_nodal_diameter(calculix):
    assert list(calculix.matched(np.array([0, 1, 1, 2]), np.array([1, 1, 0, 3, 2]))) == [2, 0, 1, 4]
    with pytest.raises(ValueError, match="not all among"):
        calculix.matched(np.array([0, 0]), np.array([0, 1]))


def test_a_missing_solver_says_what_to_install(calculix, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="calculix-ccx"):
        calculix.find_solver()


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX (Debian package calculix-ccx) is not installed")
@pytest.mark.parametrize("support", ["held", "free"])
def test_first_ten_modes_are_those_of_calculix(calculix, gear, support, tmp_path):
    sector = mesh_sector(gear, GridOptions(order=1, rim_elements=8, **COARSE))
    calculix.write_deck(tmp_path / "a.inp", sector, Material(), support=support, n_modes=10)
    theirs = calculix.run(tmp_path / "a.inp", sector)
    find = find_normal_modes if support == "held" else find_free_modes
    ours = find(sector, Material(), 10)
    # the same grid, two formulations of incompatible modes: the bound asked for
    np.testing.assert_allclose(ours.frequencies[:10] / (2.0 * np.pi), theirs.frequencies[:10], rtol=0.01)
    assert np.array_equal(ours.nodal_diameters[:10], theirs.nodal_diameters[:10])
