"""Sections of sweeps, modes and studies over axes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import small_cases
import xarray as xr

import alegear as ag
from alegear.report.report import report_html
from alegear.report.study_keys import words_of
from alegear.results.case_record import CaseRecord


def sweep_of() -> ag.Result:
    """A run-up and a run-down in closed form, beside a linearised response that parts from them at the top."""
    n = 12
    speed = np.concatenate([np.linspace(100.0, 200.0, n), np.linspace(200.0, 100.0, n)])
    data: dict[str, Any] = {
        "pinion_speed": ("point", speed),
        "direction": ("point", np.repeat([1.0, -1.0], n)),
        "transmission_error_rms": ("point", 1e-6 * speed / 100.0),
        "transmission_error_order": (("point", "order"), 1e-6 * np.stack([speed / 100.0, 0.0 * speed], axis=1)),
        "linear_speed": ("speed", np.linspace(100.0, 200.0, 50)),
        "linear_transmission_error_order": (("speed", "linear_order"), np.full((50, 1), 1e-5)),
        "bearing_force_order": (("point", "order", "gear", "axis"), np.full((2 * n, 2, 2, 3), 2.0)),
    }
    coords = {"order": [1.0, 2.0], "linear_order": [1], "gear": ["pinion", "wheel"], "axis": ["x", "y", "z"]}
    part = {"order": 1, "from_rpm": 1800.5, "to_rpm": 1909.5, "largest_percent": -50.0}
    summary = {"complete": True, "analysis": "sweep", "run-up": {"te_rms_max_um": 2.0, "nonlinear_ranges": [part]}}
    return ag.Result(dataset=xr.Dataset(data, coords=coords, attrs={"title": "sweep"}), summary=summary)


def test_orders_stand_in_decibels_over_the_speed():
    result = sweep_of()
    orders, _, errors, *_ = result.plot.sweep().axes
    curves = [np.asarray(line.get_ydata()) for line in orders.lines if len(line.get_xdata()) > 2]
    linear, up, down = curves[:3]
    assert up[0] == down[-1]  # the same amplitude at the same speed
    # of 1 um, 2 um and 10 um
    assert (up[0], up[-1], linear[0]) == pytest.approx((0.0, 20.0 * np.log10(2.0), 20.0), abs=1e-9)
    assert [line.get_label() for line in errors.lines] == ["run-up", "run-down"]
    html = report_html(result)
    assert "1800.5" in html
    assert "run-up" in html


def test_noise_studies_draw_the_shafts_that_reach_most():
    """Of eight shafts six."""
    data: dict[str, Any] = {
        "drive_speed": ("point", np.linspace(100.0, 200.0, 5)),
        "direction": ("point", np.ones(5)),
        "transmission_error_order": (("point", "mesh", "order"), np.full((5, 1, 1), 1e-6)),
        "rotation_error_rms": (("point", "shaft"), np.tile(1e-6 * np.arange(8.0), (5, 1))),
    }
    coords = {"order": [1.0], "mesh": ["first"], "shaft": [f"shaft {k}" for k in range(8)]}
    result = ag.Result(dataset=xr.Dataset(data, coords=coords), summary={"complete": True})
    names = [line.get_label() for line in result.plot.sweep().axes[-1].lines]
    assert names == [f"shaft {k}, run-up" for k in range(2, 8)]


def test_studies_tell_their_axes_and_best_points():
    import json

    te = 1e-6 * np.array([[3.0, 1.0], [2.0, np.nan]])
    dims = ("relief", "torque")
    failure = np.array([["", ""], ["", "no convergence"]], dtype=object)
    dataset = xr.Dataset(
        {"te_peak_to_peak": (dims, te), "failure": (dims, failure)},
        coords={"relief": [0.0, 10.0], "torque": [100.0, 200.0]},
        attrs={"title": "study", "analysis": "study", "axes": json.dumps({"relief": ["relief"], "torque": ["torque"]})},
    )
    html = report_html(ag.Result(dataset=dataset, summary={"complete": True, "analysis": "study"}))
    assert "1 of 4 points: no convergence" in html
    best = html[html.index("Single points with the smallest") :]
    rows = re.findall(r"<tr>(.*?)</tr>", best)
    cells = [re.findall(r">([^<]*)</td>", row) for row in rows[:4]]
    assert [row for row in cells if row] == [["0", "200", "1"], ["10", "100", "2"], ["0", "100", "3"]]


def test_studies_answer_what_their_file_asks():
    from made_up_study import TORQUE, made_up

    study = made_up()
    asked = {
        "optimum": {"quantity": "te_peak_to_peak", "over": [TORQUE], "by": "worst"},
        "pareto": [{"quantities": ["te_peak_to_peak", "efficiency"], "over": [TORQUE], "by": "worst"}],
        "harris_map": {"quantity": "te_peak_to_peak", "over": [], "by": "worst"},
    }
    html = report_html(study.with_summary(study.summary | {"requested": asked})).replace("\u200b", "")
    names = ["pinion tip relief [µm]", "pinion tip relief shape"]
    over = "the samples of tolerances, pinion torque"
    best = html[html.index(f"Optimum: best peak to peak transmission error [µm] by its worst over {over}") :]
    assert re.findall(r">([^<]*)</td>", best)[:8] == [names[0], "5", names[1], "linear",
                                                      "worst value", "3", "mean", "2"]  # fmt: skip
    assert f"Pareto front: 1 of 3 designs that no other one beats, worst over {over}" in html
    assert "principal root stress, tension side [MPa]" in html
    rows = re.findall(r"<tr>(.*?)</tr>", html[html.index("Single points with the smallest") :], re.DOTALL)
    assert any("209" in row for row in rows)  # 1.1 times 190 MPa: the principal stress; von Mises would be 190
    assert "smallest, mean and largest over the other axes" in html
    front = html[html.index("Pareto front") :]
    heads = [*names, "peak to peak transmission error [µm]", "mean efficiency of the teeth in contact"]
    assert re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", front)[:8] == [*heads, "5", "linear", "3", "0.997"]
    assert "Optimum" not in report_html(study)


def test_studies_say_whose_operating_point_and_geometry_are_shown():
    from made_up_study import made_up

    record = CaseRecord(data={"operating_point": "180 N m", "teeth": {"pinion": {"z": 20}}})
    html = report_html(made_up().with_record(record))
    assert "<td>operating point of the case, from which the study starts</td><td>180 N m</td>" in html
    geometry = html[html.index("<h2>Geometry</h2>") :]
    assert (
        "the study starts; it varies pinion torque [N m], pinion tip relief [µm], pinion tip relief shape," in geometry
    )
    single = report_html(small_cases.result_of(small_cases.static_text()))
    assert "<td>operating point</td>" in single
    assert "the study" not in single


def test_a_harris_map_says_which_design_is_the_best():
    from made_up_study import made_up

    study = made_up()
    asked = {"harris_map": {"quantity": "te_peak_to_peak", "over": [], "by": "worst"}}
    html = report_html(study.with_summary(study.summary | {"requested": asked}))
    said = "Harris map of 3 designs, worst over the samples of tolerances; at the curves: pinion tip relief [µm]; "
    assert f"{said}lowest largest value: pinion tip relief = 5 µm" in html
    for name in ("0", "5", "10"):
        assert f">{name}</text>" in html


def test_keys_of_a_study_are_told_apart():
    assert words_of("operation.pinion_torque_Nm", []) == "pinion torque [N m]"
    two = ["bearings.left.at_mm", "bearings.right.at_mm"]
    assert [words_of(key, two) for key in two] == ["bearings left at [mm]", "bearings right at [mm]"]


def test_a_linear_answer_alone_has_a_row_an_order():
    result = sweep_of()
    dataset = result.dataset[["linear_speed", "linear_transmission_error_order"]]
    told = {"te_static_um": 1.25, "te_max_um": 10.0, "at_speed_rpm": 955.0, "at_frequency_Hz": 318.5}
    summary = {"complete": True, "analysis": "sweep", "linear": {"order_1": told}}
    html = report_html(ag.Result(dataset=dataset, summary=summary))
    row = next(one for one in re.findall(r"<tr>.*?</tr>", html, re.DOTALL) if "order 1" in one)
    assert [float(one) for one in re.findall(r">([\d.]+)<", row)] == [1.25, 10.0, 955.0, 318.5]


def test_machines_with_a_speed_have_a_campbell_diagram(tmp_path):
    data = {"frequency": ("mode", [100.0, 200.0]), "energy_share": (("mode", "part"), [[0.5, 0.5], [0.0, 1.0]])}
    still = {
        "turning_frequency": ("turning_mode", [100.0, 200.0]),
        "turning_energy_share": (("turning_mode", "part"), [[0.5, 0.5], [0.0, 1.0]]),
        "damping_ratio": ("turning_mode", [0.0, 0.0]),
        "whirl": ("turning_mode", [0.0, 0.0]),
    }
    dataset = xr.Dataset(data | still, coords={"part": ["first", "shaft"]}, attrs={"title": "m", "machine": 1})
    summary = {"complete": True, "analysis": "modal"}
    record = CaseRecord(data={"drives": {"d": {"speed_rpm": 60.0}}, "meshes": {"first": {"mesh_frequency_Hz": 20.0}}})
    html = report_html(ag.Result(dataset=dataset, summary=summary).with_record(record))
    assert "Campbell diagram" in html
    for words in ("0.1 kHz, 50 %", "0.2 kHz, 0.0 %", "order meets mode", "speeds up to 60 rpm, of the case"):
        assert words in html
    assert "Turning" not in html  # neither rotation nor damping change anything
    dataset["damping_ratio"][:] = 0.01
    html = report_html(ag.Result(dataset=dataset, summary=summary))
    assert "Turning, damped" in html
    assert "Campbell" not in html  # no speed is known
