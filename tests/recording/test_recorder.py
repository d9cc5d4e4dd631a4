"""What a study records of the contact and of the root, held against equilibrium and against itself."""

from __future__ import annotations

import numpy as np
import pytest
from small_cases import case_of, result_of, solve, static_text

import alegear as ag
from alegear.recording import recorder
from alegear.storage.growing_array import GrowingArray

SAME = 1e-8  # promised for forces; the solver stops at 1e-11 of the torque
HELICAL = static_text(positions=8).replace("[pair]", "[pair]\nhelix_angle_deg = 12.0\ncenter_distance_mm = 102.5")
TORQUE = 200.0


def width(data) -> float:
    """Width of a slice [m]."""
    return float(np.diff(data["slice"].values)[0])


@pytest.mark.parametrize("text", [static_text(), HELICAL], ids=["spur", "helical"])
def test_the_moment_about_the_pinion_axis_is_the_torque(text: str) -> None:
    data = result_of(text).dataset
    # pinion drives: the contact brakes it
    np.testing.assert_allclose(data["contact_moment"].sel(axis="z"), -TORQUE, rtol=SAME)


def test_line_loads_of_a_single_pair_add_up_to_the_force() -> None:
    data = solve()
    alone = ((data["tooth_load"] > 0.0).sum("pair") == 1).values
    assert alone.any()
    total = data["line_load"].sum(["pair", "slice"]).values * width(data)
    force = np.linalg.norm(data["contact_force"].values, axis=1)
    np.testing.assert_allclose(force[alone], total[alone], rtol=SAME)
    np.testing.assert_allclose(data["contact_force"].sel(axis="z"), 0.0, atol=SAME * force.max())
    # on the line of action the lever is r_b
    np.testing.assert_allclose(data["tooth_load"].sum("pair").values[alone], total[alone], rtol=SAME)


def test_thrust_of_a_helical_pair() -> None:
    pair = case_of(HELICAL).pair
    data = result_of(HELICAL).dataset
    expected = TORQUE * abs(pair.pinion.twist)
    thrust = data["contact_force"].sel(axis="z").values
    # tip edges lean a little otherwise than flanks
    np.testing.assert_allclose(np.abs(thrust), expected, rtol=5e-3)
    assert result_of(HELICAL).summary["thrust_max_N"] == pytest.approx(expected, rel=5e-3)


def test_strips_are_known_where_there_is_load() -> None:
    data = solve()
    loaded = data["line_load"].values > 0.0
    for name in ("contact_half_width", "contact_shear_stress", "contact_roll_length"):
        np.testing.assert_array_equal(np.isfinite(data[name].values), loaded, err_msg=name)
    # Hertz: q = pi/2 p b_H; the largest shear of a line contact is 0.3003 p
    pressure = np.maximum(data["contact_pressure"].values, data["edge_pressure"].values)
    line = 0.5 * np.pi * pressure * data["contact_half_width"].values
    np.testing.assert_allclose(line[loaded], data["line_load"].values[loaded], rtol=1e-9)
    ratio = data["contact_shear_stress"].values[loaded] / pressure[loaded]
    np.testing.assert_allclose(ratio, 0.3003, atol=2e-4)
    roll = data["contact_roll_length"].values[loaded]
    low, high = data["flank_limit"].values[0]
    assert low <= roll.min()
    assert roll.max() <= high + 1e-4  # the tip round lies beyond


def test_the_pattern_holds_the_largest_pressure() -> None:
    data = solve(positions=32)
    for pattern, pressure in (("pattern_pressure", "contact_pressure"), ("pattern_edge_pressure", "edge_pressure")):
        assert float(data[pattern].max()) == float(data[pressure].max()) > 0.0


def test_edges_are_told_from_flanks() -> None:
    """What touches is a flank or an edge, and the strip on an edge is as narrow as its radius is small."""
    data = solve(positions=32)
    flank, edge = data["contact_pressure"].values, data["edge_pressure"].values
    loaded = data["line_load"].values > 0.0
    np.testing.assert_array_equal((flank > 0.0) | (edge > 0.0), loaded)
    # Hertz: b = 4 p rho (1 - nu^2)/E, steel on steel; the strips of the flanks are those of both involutes
    radius = data["contact_half_width"].values * 210e9 / (1.0 - 0.3**2) / 4.0 / np.maximum(flank, edge)
    pair = case_of(static_text(positions=32)).pair
    roll, path = data["contact_roll_length"].values, pair.a_w * np.sin(pair.alpha_wt)
    of_involutes = roll * (path - roll) / path
    np.testing.assert_allclose(radius[edge == 0.0], of_involutes[edge == 0.0], rtol=1e-3)  # what nothing touches is NaN
    assert (radius < 0.9 * of_involutes)[edge > 0.0].all()  # cut off by the edge, or round as it is
    assert radius[edge > 0.0].min() < 0.05 * 4e-3  # the tips are rounded by 0.05 modules
    summary = result_of(static_text(positions=32)).summary
    assert summary["contact_pressure_max_MPa"] == pytest.approx(1e-6 * flank.max())
    assert summary["edge_pressure_max_MPa"] == pytest.approx(1e-6 * edge.max())
    # of the flanks too
    assert summary["contact_shear_stress_max_MPa"] == pytest.approx(0.3003e-6 * flank.max(), rel=1e-3)


def test_the_root_point_by_point_has_the_recorded_maximum() -> None:
    data = solve()
    points = data["root_stress_fillet"].max(["fillet", "face"]).values
    np.testing.assert_array_equal(points, data["root_stress"].values)
    principal = data["root_stress_fillet_principal"]
    largest = np.abs(principal).max(["fillet", "face"]).values
    np.testing.assert_array_equal(largest, np.abs(data["root_stress_principal"].values))
    known = np.isfinite(data["fillet_arc_length"].values)
    assert (np.diff(data["fillet_arc_length"].values[0][known[0]]) > 0.0).all()
    half_width = 0.5 * case_of(static_text()).pair.pinion.b
    assert data["face_position"].values[0][[0, -1]] == pytest.approx([-half_width, half_width])


def test_the_range_of_the_root_stress_is_that_of_one_point() -> None:
    result = result_of(static_text())
    data = result.dataset
    high = np.maximum(data["root_stress_fillet_principal"].max(["position", "pair"]), 0.0)
    low = np.minimum(data["root_stress_fillet_principal"].min(["position", "pair"]), 0.0)
    expected = (high - low).max(["fillet", "face"]).values
    np.testing.assert_array_equal(data["root_stress_range"].values, expected)
    # at least what the tension side reaches from rest
    tension = data["root_stress_principal"].sel(gear="pinion", side="tension").max()
    assert result.summary["root_stress_range_MPa"]["pinion"]["tension"] >= 1e-6 * float(tension)


def test_a_segment_has_no_cycle() -> None:
    assert result_of(static_text(gear="teeth_modelled = 5")).summary["root_stress_range_MPa"] is None


def test_a_long_study_keeps_no_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "FILLET_BYTES", 1e4)
    text = static_text(torque=201.0)
    data = result_of(text).dataset
    assert "root_stress_fillet" not in data
    assert float(data["root_stress_range"].max()) > 0.0


def test_summary_of_the_load_distribution() -> None:
    summary = result_of(static_text(positions=32)).summary
    assert len(summary["te_harmonics_um"]) == 5
    assert 1.0 <= summary["face_load_factor"] < 1.2  # aligned, no modifications
    assert summary["contact_ratio_total"] == pytest.approx(summary["contact_ratio_nominal"])
    assert result_of(HELICAL).summary["contact_ratio_total"] > result_of(HELICAL).summary["contact_ratio_nominal"]


def test_rows_grow_and_are_used_again() -> None:
    rows = GrowingArray((2,))
    for i in range(300):
        rows.add()[0] = i, -i
    rows.add(500)[:] = np.arange(300, 800)[:, None] * np.array([1.0, -1.0])
    assert len(rows) == 800
    np.testing.assert_array_equal(rows.values, np.arange(800)[:, None] * np.array([1.0, -1.0]))
    rows.drop(795)
    np.testing.assert_array_equal(rows.values[:, 0], np.arange(795, 800))
    rows.clear()
    assert len(rows) == 0
    assert rows.values.shape == (0, 2)


def test_the_length_of_a_block_is_of_no_influence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples alone go through the cut planes; the blocks of others are summed up in another order."""
    expected = solve()  # 8 positions in one block
    monkeypatch.setattr(recorder, "BLOCK", 1)
    data = ag.run(case_of(static_text())).dataset
    for name in ("root_stress", "root_stress_principal", "root_stress_fillet", "root_stress_range"):
        largest = float(np.abs(expected[name]).max())
        np.testing.assert_allclose(data[name], expected[name], rtol=0.0, atol=1e-12 * largest, err_msg=name)
