"""Sections of sweeps, modes and studies over axes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import small_cases
import xarray as xr
from test_charts import curve, frame

import alegear as ag
from alegear.report.report import report_html
from alegear.report.study_keys import words_of
from alegear.results.case_record import CaseRecord


def sweep_of() -> ag.Result:
    """A run-up and a run-down in closed form, beside a linear answer that parts from them at the top."""
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
    summary = {"complete": True, "analysis": "sweep", "run-up": {"te_rms_max_um": 2.0, "answers_part": [part]}}
    return ag.Result(dataset=xr.Dataset(data, coords=coords, attrs={"title": "sweep"}), summary=summary)


def test_orders_stand_in_decibels_over_the_speed():
    html = report_html(sweep_of())
    charts = re.findall(r"<svg class=\"chart\".*?</svg>", html)
    orders = next(one for one in charts if "order of TE" in one)
    left = frame(orders)[0]
    up, down, linear = (curve(orders, k)[0] for k in range(3))
    assert up[0] == down[-1]  # the same amplitude at the same speed
    assert up[0][0] == pytest.approx(left, abs=0.06)
    # 1 um, 2 um and 10 um are 0, 6.02 and 20 dB: lengths on paper are as these differences
    first, last = up[0][1] - linear[0][1], up[-1][1] - linear[-1][1]
    assert first / (first - last) == pytest.approx(20.0 / (20.0 * np.log10(2.0)), rel=1e-2)  # tenths of a unit
    assert "1800.5" in html
    assert "run-up" in html
    forces = next(one for one in charts if "force on the bearing" in one)
    assert "pinion, run-up" in forces


def test_noise_studies_say_which_bearings_are_drawn():
    """Of six bearings the four with the largest forces, in their order; of eight shafts six."""
    names = [f"bearing {k}" for k in range(6)]
    force = np.array([1.0, 9.0, 2.0, 8.0, 7.0, 6.0])
    found = np.tile(force[None, None, :, None], (5, 1, 1, 3))
    data: dict[str, Any] = {
        "drive_speed": ("point", np.linspace(100.0, 200.0, 5)),
        "direction": ("point", np.ones(5)),
        "bearing_force_order": (("point", "order", "bearing", "axis"), found),
        "rotation_error_rms": (("point", "shaft"), np.tile(1e-6 * np.arange(8.0), (5, 1))),
    }
    coords = {"order": [1.0], "bearing": names, "axis": ["x", "y", "z"], "shaft": [f"shaft {k}" for k in range(8)]}
    html = report_html(ag.Result(dataset=xr.Dataset(data, coords=coords), summary={"complete": True}))
    figures = re.findall(r"<figure>(.*?)<figcaption>(.*?)</figcaption>", html)
    charts = {caption: chart for chart, caption in figures}
    (told,) = (one for one in charts if "the 4 of 6 bearings with the largest force amplitudes" in one)
    assert re.findall(r">(bearing \d), run-up<", charts[told]) == [f"bearing {k}" for k in (1, 3, 4, 5)]
    (told,) = (one for one in charts if "the 6 of 8 that reach most" in one)
    assert re.findall(r">(shaft \d), run-up<", charts[told]) == [f"shaft {k}" for k in range(2, 8)]


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
    html = report_html(study.with_summary(study.summary | {"asked": asked})).replace("\u200b", "")
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


def test_curves_of_a_harris_map_have_their_values_at_their_ends():
    from made_up_study import made_up

    study = made_up()
    asked = {"harris_map": {"quantity": "te_peak_to_peak", "over": [], "by": "worst"}}
    html = report_html(study.with_summary(study.summary | {"asked": asked}))
    said = "Harris map of 3 designs, worst over the samples of tolerances; at the curves: pinion tip relief [µm]; "
    assert f"{said}lowest largest value: pinion tip relief [µm] = 5" in html
    (chart,) = (one for one in re.findall(r"<svg class=\"chart\".*?</svg>", html) if 'r="2.2"' in one)
    bottom = frame(chart)[3]
    words = re.findall(r'y="([\d.]+)"[^>]*class="word" style="fill:([^"]+)">([^<]+)<', chart)
    assert [name for *_, name in words] == ["0", "10", "5"]  # the best one is drawn last
    assert len({colour for _, colour, _ in words}) == 3
    curves = {name: curve(chart, k)[0] for k, (*_, name) in enumerate(words)}
    # 6 um at 180 N m and 1 um at 40: the axis begins at zero
    assert (bottom - curves["0"][-1][1]) / (bottom - curves["0"][0][1]) == pytest.approx(6.0, rel=2e-2)
    assert float(words[0][0]) < float(words[2][0]) < float(words[1][0])


def test_keys_of_a_study_are_told_apart():
    assert words_of("operation.pinion_torque_Nm", []) == "pinion torque [N m]"
    two = ["bearings.left.at_mm", "bearings.right.at_mm"]
    assert [words_of(key, two) for key in two] == ["bearings left at [mm]", "bearings right at [mm]"]


def test_a_linear_answer_alone_has_full_lines_and_a_row_an_order():
    result = sweep_of()
    dataset = result.dataset[["linear_speed", "linear_transmission_error_order"]]
    told = {"te_static_um": 1.25, "te_max_um": 10.0, "at_speed_rpm": 955.0, "at_frequency_Hz": 318.5}
    summary = {"complete": True, "analysis": "sweep", "linear": {"order_1": told}}
    html = report_html(ag.Result(dataset=dataset, summary=summary))
    chart = next(one for one in re.findall(r"<svg class=\"chart\".*?</svg>", html) if "order of TE" in one)
    assert "stroke-dasharray" not in chart
    row = next(one for one in re.findall(r"<tr>.*?</tr>", html, re.DOTALL) if "order 1" in one)
    assert [float(one) for one in re.findall(r">([\d.]+)<", row)] == [1.25, 10.0, 955.0, 318.5]


def pair_of_modes(dataset: xr.Dataset, rpm: float) -> str:
    """Campbell diagram at another speed of the drive, the mesh frequency in proportion."""
    record = CaseRecord(
        data={"drives": {"d": {"speed_rpm": rpm}}, "meshes": {"first": {"mesh_frequency_Hz": rpm / 3.0}}}
    )
    html = report_html(ag.Result(dataset=dataset, summary={"complete": True, "analysis": "modal"}).with_record(record))
    return next(one for one in re.findall(r"<svg class=\"chart\".*?</svg>", html) if "frequency [kHz]" in one)


def test_modes_are_marked_where_the_first_order_meets_them():
    """At 100 Hz for 1500 rpm; one has next to nothing of its energy in the mesh, one is met beyond the speeds."""
    dataset = sweep_of().dataset[["linear_speed", "linear_transmission_error_order"]]
    speed = dataset["linear_speed"].values
    dataset = dataset.assign(
        linear_mesh_frequency=("speed", 100.0 * speed / (1500.0 * np.pi / 30.0)),
        natural_frequency=("mode", [100.0, 110.0, 500.0]),
        mode_share=("mode", [0.25, 0.01, 0.5]),
    )
    html = report_html(ag.Result(dataset=dataset, summary={"complete": True, "analysis": "sweep"}))
    (chart,) = (one for one in re.findall(r"<svg class=\"chart\".*?</svg>", html) if "order of TE" in one)
    assert re.findall(r">([^<]*) %</text>", chart) == ["100 Hz, 25"]
    left, right, *_ = frame(chart)
    (place,) = map(float, re.findall(r'class="mark" d="M([\d.]+) ', chart))
    rpm = speed * 30.0 / np.pi
    assert place == pytest.approx(left + (1500.0 - rpm[0]) / (rpm[-1] - rpm[0]) * (right - left), abs=0.06)
    assert "marked: modes where order 1 meets them" in html


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
    (chart,) = (one for one in re.findall(r"<svg class=\"chart\".*?</svg>", html) if "frequency [kHz]" in one)
    for words in (
        "order 3 of first", "0.1 kHz, 50 %", "0.2 kHz, 0.0 %", "with less than 5 %", "order meets mode",
        "speeds up to 60 rpm, of the case",
    ):  # fmt: skip
        assert words in chart
    # orders 1, 2, 3 meet 100 Hz at 300, 150, 100 rpm; this diagram ends at 90
    assert chart.count("<circle") == 1  # that of the legend
    found = pair_of_modes(dataset, rpm=300.0)
    left, right, top, _ = frame(found)
    dots = sorted(float(x) for x in re.findall(r'<circle cx="([\d.]+)" cy="[\d.]+" r="3" fill="#222"', found))
    assert dots == pytest.approx([left + (right - left) * met / 450.0 for met in (100.0, 150.0, 300.0)], abs=0.11)
    band = float(re.findall(rf'<rect x="64" y="{top:g}" width="([\d.]+)"[^>]*fill="#e69f00"', found)[0])
    assert band == pytest.approx((right - left) * 300.0 / 450.0, abs=0.11)
    assert "Turning" not in html  # neither rotation nor damping change anything
    dataset["damping_ratio"][:] = 0.01
    html = report_html(ag.Result(dataset=dataset, summary=summary))
    assert "Turning, damped" in html
    assert "Campbell" not in html  # no speed is known
