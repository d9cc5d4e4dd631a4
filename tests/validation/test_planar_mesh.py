"""Averages, losses and driving gears of validation/planar_mesh, and the misprints of the paper that it shows."""

from __future__ import annotations

import pytest
from script_files import load_script

run = load_script("validation/planar_mesh/run.py")


def test_averages_follow_from_the_formulas_and_not_from_table_3():
    rows = run.table_3()
    assert [row.quantity for row in rows] == ["d_F", "d_tauA", "d_tauB"]
    for row in rows:
        assert row.found == pytest.approx(row.by_formulas, rel=5e-3)  # three digits
        assert abs(row.printed / row.found) > 7.0
    found = run.missing_moment(*(row.found * (1e-3 if row.unit else 1.0) for row in rows))
    printed = run.missing_moment(*(row.printed * (1e-3 if row.unit else 1.0) for row in rows))
    assert abs(found) < 1e-17  # round-off of 2 mm
    assert abs(printed) > 5e-3


@pytest.mark.parametrize("quadrant", [1, 2, 3, 4])
def test_table_2_loses_power_only_where_the_other_gear_drives(quadrant):
    v, _, driver, _ = run.QUADRANTS[quadrant]
    of_shafts, of_gears = run.printed_loss(quadrant)
    assert (of_shafts < 0.0, run.printed_driver(quadrant, False)) == (True, driver)
    assert (of_gears > 0.0, run.printed_driver(quadrant, True)) == (True, "AB".replace(driver, ""))
    lost, drives = run.loss(v, v if driver == "A" else -v)
    assert drives == driver
    assert lost == pytest.approx(run.loss_of_teeth(), rel=1e-11)  # round-off of 1 kW


def test_displaced_centres_change_the_path_little():
    here, left = run.displaced(10e-6)
    assert here == pytest.approx(0.0, abs=1e-9)
    assert -0.007 < left < -0.005


def test_springs_of_the_figure_have_the_same_stiffness_in_the_end():
    for spring in run.springs().values():
        assert spring.stiffness(30e-6) == pytest.approx(spring.c, rel=1e-12)
