"""Compliance of a tooth of the whole wheel: the validation on two grids, orders of elements, other modules."""

import functools

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script


@pytest.fixture(scope="module")
def single_tooth():
    return load_script("validation/single_tooth/run.py")


@pytest.fixture(scope="module")
def compliance(single_tooth):
    """Compliance [um mm/N] of z teeth, loaded at a radius in modules, by refinement and order; each solved once."""

    @functools.cache
    def solve(z, radius, root_over_bore, level, order=2):
        gear, options = single_tooth.wheel(z, root_over_bore), single_tooth.grid_options(level, order)
        return 1e9 * single_tooth.tooth_compliance(gear, radius * single_tooth.MODULE, options)

    return solve


@pytest.mark.thorough
@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("single_tooth")


@pytest.mark.thorough
def test_first_order_needs_twice_the_elements(single_tooth, compliance):
    """Of a wheel that the quick form leaves out: beside the reference, too."""
    place = 20, 10.0, 1.4
    exact = compliance(*place, 2)
    row = next(one for one in single_tooth.expected_rows("tooth") if one["teeth"] == "20")
    assert place == (20, float(row["load_radius_modules"]), float(row["root_over_bore_radius"]))
    assert exact == pytest.approx(float(row["value"]), rel=single_tooth.APART)
    error = [1.0 - compliance(*place, level, order) / exact for level, order in ((1, 1), (2, 1), (1, 2))]
    assert 1.6 < np.log2(error[0] / error[1]) < 2.4  # elements of first order: second order of the error
    assert error[2] < min(error[1], single_tooth.COARSE)  # 0.18 against 0.23 %, on an eighth of the elements


def test_compliance_does_not_depend_on_the_module(single_tooth, monkeypatch):
    options = single_tooth.grid_options(1)
    small = single_tooth.tooth_compliance(single_tooth.wheel(20, 1.4), 10 * single_tooth.MODULE, options)
    monkeypatch.setattr(single_tooth, "MODULE", 4e-3)
    large = single_tooth.tooth_compliance(single_tooth.wheel(20, 1.4), 10 * single_tooth.MODULE, options)
    # the same equations scaled: round-off of the direct solution, and of Gmsh's node positions
    assert large == pytest.approx(small, rel=1e-9)


def test_pair_stiffness_from_the_reference_teeth_is_the_reference_pair(single_tooth):
    compliance = {
        (row["teeth"], row["load_radius_modules"], row["root_over_bore_radius"]): 1e-9 * float(row["value"])
        for row in single_tooth.expected_rows("tooth")
    }
    for row in single_tooth.expected_rows("pair"):
        teeth = [row["teeth"], row["mating_teeth"]]
        gears = [single_tooth.wheel(int(z), 1.4) for z in teeth]
        tooth = [compliance[z, f"{int(z) / 2:g}", "1.4"] for z in teeth]
        load = float(row["line_load_per_module_N_per_mm2"]) * 1e6 * single_tooth.MODULE
        # rounding of the reference's digits: 0.03 % each
        assert 1e-9 * single_tooth.pair_stiffness(gears, load, tooth) == pytest.approx(float(row["value"]), rel=6e-4)
