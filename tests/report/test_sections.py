"""Sections: what they compute, and that every kind of result has those it holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_cases
import xarray as xr
from histories import FACTS, dynamic_history
from test_charts import curve, frame
from test_html_report import Page, made_up

import alegear as ag
from alegear import cli
from alegear.checks.case_data import case_data
from alegear.report import sections as folder
from alegear.report.blocks import Figure, Table, cell
from alegear.report.report import report_html, write_report
from alegear.report.sections import bearing_forces, case, contact_pattern, root_stress, transmission_error
from alegear.report.sections.contact_pattern import end_of_scale
from alegear.report.sections.misalignment import mesh_misalignment
from alegear.report.study_keys import words_of
from alegear.report.values import label_of
from alegear.results.case_record import CaseRecord
from alegear.results.dynamic_result import dynamic_dataset, dynamic_summary
from alegear.results.root_cycle import tooth_cycle

MESHES = Path(__file__).parents[2] / "meshes"
BLOCKS = (Figure, Table)
README = Path(folder.__file__).parents[1] / "README.md"


def turned(point: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """A point after a small turn, to second order (Rodrigues, 1840)."""
    angle = float(np.linalg.norm(rotation))
    axis = rotation / angle
    moved: np.ndarray = (
        point * np.cos(angle) + np.cross(axis, point) * np.sin(angle) + axis * (axis @ point) * (1.0 - np.cos(angle))
    )
    return moved


def test_misalignment_is_how_the_gap_opens_along_the_axis():
    rng = np.random.default_rng(5)
    along = np.array([2.0, -1.0, 2.0]) / 3.0
    first, second = 1e-6 * rng.normal(size=(2, 4, 3))
    force = rng.normal(size=(4, 3))
    found = mesh_misalignment(first, second, along, force)
    z = 0.01
    for k in range(4):
        normal = force[k] - (force[k] @ along) * along
        normal /= np.linalg.norm(normal)
        # a point of the first gear goes along the force on it, away from the second gear
        gap = (turned(z * along, first[k]) - turned(z * along, second[k])) @ normal
        assert found[k] == pytest.approx(gap / z, rel=1e-4, abs=1e-11)  # second order of the turns
    assert np.isnan(mesh_misalignment(first, second, along, 0.0 * force)).all()


def test_equal_tilts_and_those_across_the_force_misalign_nothing():
    tilt = np.array([[1e-4, 2e-4, 0.0]])
    along, force = np.array([0.0, 0.0, 1.0]), np.array([[0.0, 5.0, 3.0]])
    assert mesh_misalignment(tilt, tilt, along, force) == pytest.approx(0.0, abs=1e-18)
    about_the_force = np.array([[0.0, 1e-4, 0.0]])
    assert mesh_misalignment(about_the_force, 0.0 * tilt, along, force) == pytest.approx(0.0, abs=1e-18)
    # about +x a point at +z goes to -y, against the force on the first gear: the gap closes
    assert mesh_misalignment(np.array([[1e-4, 0.0, 0.0]]), 0.0 * tilt, along, force) == pytest.approx(-1e-4)


def test_root_stress_is_drawn_where_its_range_is_told():
    """The curve goes from the smallest to the largest value of the table."""
    result = small_cases.result_of(small_cases.static_text(pitches=1))
    figure, table = (next(one for one in root_stress._blocks(result) if isinstance(one, kind)) for kind in BLOCKS)
    assert "at the point of the root fillet where its range is widest" in figure.caption
    for row, (g, s) in zip(table.rows, np.ndindex(2, 2), strict=True):
        high, low = tooth_cycle(result.dataset, g, s).ends
        assert row[5:7] == pytest.approx((low, high), rel=1e-6, abs=1e-6)
    without = result.dataset.drop_vars("root_stress_fillet_principal")
    (figure, *_) = root_stress._blocks(ag.Result(dataset=without, summary=result.summary))
    assert "of changing points" in figure.caption


def test_narrow_peaks_do_not_use_up_the_colours():
    values = np.full((20, 20), 100.0)
    assert end_of_scale(values) is None
    values[0, 0] = 900.0
    assert end_of_scale(values) == pytest.approx(120.0)


def test_contact_maps_tell_diameters_load_and_edges():
    result = small_cases.result_of(small_cases.static_text())
    edge = np.zeros_like(result.dataset["pattern_edge_pressure"].values)
    edge[-2:] = 3e9
    dataset = result.dataset.assign(pattern_edge_pressure=(("roll", "slice"), edge))
    html = report_html(ag.Result(dataset=dataset, summary=result.summary))
    section = html[html.index("<h2>Contact pattern</h2>") :]
    chart, caption = re.findall(r"<figure>(.*?)<figcaption>(.*?)</figcaption>", section)[0]
    torque = float(dataset["load_mean"]) * float(dataset["base_radius"][0])
    assert f"({torque:.4g} N m on the pinion), K Hβ {float(dataset['face_load_factor']):.3g}" in caption
    assert "hatched: a tip edge or undercut edge touches there, with up to 3000 MPa" in caption
    assert "url(#hatch)" in chart
    assert chart.count('class="cross"') == 2  # black on white
    # numbers below the frame: a row of roll lengths, a row of diameters
    bottom = frame(chart)[3]
    rows: dict[float, list[tuple[float, float]]] = {}
    for x, y, number in re.findall(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="middle">([\d.]+)</text>', chart):
        if float(y) > bottom:
            rows.setdefault(float(y), []).append((float(x), float(number)))
    rolls, found = rows.values()
    scale, begin = np.polyfit([number for _, number in rolls], [x for x, _ in rolls], 1)
    radius = 1e3 * float(dataset["base_radius"][0])
    for x, diameter in found:
        assert x == pytest.approx(begin + scale * np.sqrt(0.25 * diameter**2 - radius**2), abs=0.2)  # tenths of a unit
    assert len(found) > 3
    assert "diameter of the pinion [mm]" in chart


def test_the_axis_of_a_contact_map_reaches_to_the_ends_of_both_flanks():
    found = small_cases.result_of(small_cases.static_text()).dataset
    limits = 1e3 * found["flank_limit"].values
    axis = contact_pattern._over_all(1e3 * found["roll_length"].values, limits.ravel().tolist())
    assert axis.low < limits.min()
    assert axis.high > limits.max()


def titles(result: ag.Result) -> list[str]:
    return Page(report_html(result)).titles


def test_pairs_on_bearings_have_forces_and_misalignment():
    found = titles(
        small_cases.result_of(small_cases.static_text(tables=small_cases.OVERHUNG + small_cases.bearing("wheel")))
    )
    assert {"Bearing forces", "Displacement and misalignment", "Load sharing", "Mesh stiffness"} < set(found)
    assert "Layout" not in found
    assert "Motion" not in found


def test_tilted_pairs_tell_what_the_gap_does():
    """An overhung pinion tilts; the misalignment is that of the tilts of the result."""
    text = small_cases.static_text(tables=small_cases.OVERHUNG + small_cases.bearing("wheel"))
    result = small_cases.result_of(text)
    tilt, force = (result.dataset[name].values.mean(axis=0) for name in ("tilt", "contact_force"))
    turn = tilt[0] - tilt[1]
    size = np.hypot(force[0], force[1])
    expected = 1e6 * (turn[1] * force[0] - turn[0] * force[1]) / size  # (turn x e_z) . n
    cells = re.findall(r'<td>pinion, wheel</td><td class="number">([^<]+)</td>', report_html(result))
    number = float(cells[0].replace("−", "-"))
    # the mean of the quotients is that of the means as far as the force keeps its direction
    assert number == pytest.approx(expected, rel=1e-3)


def test_modes_and_motions_of_parts_that_turn(tmp_path):
    shift = ag.run(ag.case_from_file(MESHES / "gear_shift.toml"))
    found = titles(shift)
    assert found[:1] == ["Case"]
    assert {"Motion", "Parts that only turn"} < set(found)
    assert "Transmission error" not in found
    page = Page(report_html(shift)).text
    assert "stuck" in page
    # the power of the largest flange, by trapezoids
    dataset = shift.dataset
    mean = np.abs(np.trapezoid(dataset["power"].values, dataset["time"].values, axis=0)) / float(dataset["time"][-1])
    assert f"{mean.max():.5g}" in page[page.index("Power flow") :]


def test_machines_have_their_meshes_and_their_layout(tmp_path):
    text = (MESHES / "idler_3_gears.toml").read_text().replace("positions_per_pitch = 32", "positions_per_pitch = 8")
    path = tmp_path / "case.toml"
    path.write_text(f"{text}\n[output]\nfields = false\nplots = false\n[mesh]\n{small_cases.COARSE}")
    assert cli.main(["run", str(path), "--out", str(tmp_path / "out")]) == 0
    assert cli.main(["report", str(tmp_path / "out")]) == 0
    html = (tmp_path / "out" / "report.html").read_text()
    page = Page(html)
    assert page.open == []
    assert {"Layout", "Shafts and meshes", "Mesh first: transmission error", "Mesh second: root stress"} < set(
        page.titles
    )
    assert page.titles[-1] == "Case as it was run"
    assert page.text.count("Idler train 20/30/25") >= 2  # title, and the case as it was run
    anchors = re.findall(r'<section id="([^"]+)"', html)
    assert len(set(anchors)) == len(anchors)
    assert {f"#{one}" for one in anchors} == set(re.findall(r'href="([^"]+)"', html))


def test_an_incomplete_motion_says_how_far_it_came():
    one = made_up(complete=False, te_mean_um=None)
    html = report_html(one)
    top = html[: html.index("<nav>")]
    assert "it holds 8 positions" in top
    assert "transmission error, mean [µm]" in top


def test_a_section_is_a_file(tmp_path, monkeypatch):
    """The example of the README, put into a folder that is looked through."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    (tmp_path / "thrust.py").write_text(example)
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    result = small_cases.result_of(small_cases.static_text())
    found = titles(result)
    assert found.index("Root stress") < found.index("Thrust") < found.index("Case as it was run")


def test_the_command_says_one_line_for_what_is_wrong(tmp_path, capsys):
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "summary.json").write_text("{}")
    (tmp_path / "damaged" / "result.nc").write_text("x")
    for wrong in (["nowhere"], ["damaged"], ["damaged", "--out", "x.pdf"], []):
        arguments = [str(tmp_path / one) if not one.startswith("--") else one for one in wrong]
        assert cli.main(["report", *arguments]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_report_has_the_size_of_its_pictures_not_of_its_data(tmp_path):
    """A motion of 200 000 samples: curves are bands."""
    import xarray as xr

    n = 200_000
    time = np.linspace(0.0, 10.0, n)
    values: dict[str, Any] = {
        "phase": 100.0 * time,
        "transmission_error": -2e-5 + 1e-6 * np.sin(2.0 * np.pi * 100.0 * time),
        "mesh_stiffness": 3e8 + 0.0 * time,
        "energy_input": time,
    }
    data = {name: ("time", own, {"units": "1"}) for name, own in values.items()}
    data["speed"] = (("time", "gear"), np.ones((n, 2)), {"units": "rad/s"})
    dataset = xr.Dataset(data, coords={"time": time, "gear": ["pinion", "wheel"]}, attrs={"title": "long"})
    path = write_report(ag.Result(dataset=dataset, summary={"complete": True}), tmp_path / "F.html")
    assert path.stat().st_size < 200_000
    assert {"Transmission error", "Spectrum", "Motion", "Mesh stiffness"} < set(Page(path.read_text()).titles)


def sweep_of() -> ag.Result:
    """A run-up and a run-down in closed form, beside a linear answer that parts from them at the top."""
    import xarray as xr

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

    import xarray as xr

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
    best = html[html.index("Points with the smallest") :]
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
    assert "root stress, tension side [MPa]" in html
    rows = re.findall(r"<tr>(.*?)</tr>", html[html.index("Points with the smallest") :], re.DOTALL)
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


def test_an_efficiency_without_friction_is_left_out():
    """Damping alone takes a millionth of the power, which would be written as 100 %."""
    for efficiency, told in ((0.999999, False), (0.9931, True)):
        result = made_up(efficiency=efficiency, power_loss_mean_W=1.0)
        html = report_html(result)
        assert ("<td>efficiency [%]</td>" in html) == told
        assert ("only motions with friction have one" in html) != told
        assert (">99.31<" in html) == told


def test_keys_of_summaries_stand_in_words():
    """What the summary of a small pair has as numbers, and words for keys that are told nowhere."""
    result = small_cases.result_of(small_cases.static_text())
    text = Page(report_html(result)).text
    text = text[: text.index("Case as it was run")]
    assert not [key for key in result.summary if "_" in key and key in text]
    assert label_of("contact_temperature_max_C") == "contact temperature, largest [°C]"
    assert label_of("air_density_kg_per_m3") == "air density [kg/m³]"
    assert label_of("drag_Nms2_per_rad2") == "drag [N m s²/rad²]"


def test_keys_of_a_study_are_told_apart():
    assert words_of("operation.pinion_torque_Nm", []) == "pinion torque [N m]"
    two = ["bearings.left.at_mm", "bearings.right.at_mm"]
    assert [words_of(key, two) for key in two] == ["bearings left at [mm]", "bearings right at [mm]"]


def test_planets_tell_how_they_share_the_load():
    import xarray as xr

    share = np.tile([0.9, 1.1, 1.0], (5, 1)) + 0.01 * np.arange(5)[:, None]
    data = {
        "load_share": (("time", "planet_mesh"), share),
        "planet_mesh_force": (("time", "planet_mesh"), 1e4 * share),
        "pin_force": (("time", "planet", "of_pin"), np.full((5, 3, 3), 7.0)),
    }
    names = [f"set sun planet {k}" for k in (1, 2, 3)]
    coords = {"time": np.arange(5.0), "planet_mesh": names, "planet": ["1", "2", "3"], "of_pin": ["r", "t", "a"]}
    result = ag.Result(dataset=xr.Dataset(data, coords=coords), summary={"complete": True})
    html = report_html(result)
    (row,) = re.findall(r"<tr><td>set sun planet 2</td>(.*?)</tr>", html)
    assert re.findall(r">([^<]+)</td>", row) == ["1.12", "1.1", "1.14", "11200"]
    assert "Planet load shares" in html


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
    import xarray as xr

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


def test_a_mesh_of_a_machine_has_no_section_of_bearing_forces():
    """Its gears stand on shafts: the forces are those of the machine, in the mesh they are NaN."""
    found = small_cases.result_of(small_cases.static_text()).dataset
    forces = [np.full((found.sizes["position"], 2, 3), value) for value in (np.nan, 0.0, 5.0)]
    for force, there in zip(forces, (False, False, True), strict=True):
        dataset = found.assign(bearing_force=(("position", "gear", "axis"), force))
        assert bearing_forces.SECTION.holds(ag.Result(summary={}, dataset=dataset)) == there


def drawn_bars(monkeypatch, result: ag.Result) -> tuple[str, np.ndarray]:
    """Captions of the section of the transmission error, and the heights of its bars [um]."""
    heights = []
    chart = transmission_error.bar_chart
    monkeypatch.setattr(
        transmission_error,
        "bar_chart",
        lambda names, bars, *rest, **more: heights.append(bars[0][1]) or chart(names, bars, *rest, **more),
    )
    blocks = list(transmission_error.SECTION.blocks(result))
    return " ".join(getattr(block, "caption", "") for block in blocks), heights[0]


def test_errors_of_a_motion_are_those_of_its_key_figures(monkeypatch):
    """They are of the whole pitches of the second half; fewer are drawn."""
    history = dynamic_history()
    summary = dynamic_summary(history, FACTS, ramp=0.004)
    result = ag.Result(summary=summary, dataset=dynamic_dataset(history, ramp=0.004))
    captions, bars = drawn_bars(monkeypatch, result)
    size = cell(summary["te_peak_to_peak_um"])
    assert f"as in the key figures: mean {cell(summary['te_mean_um'])} µm, peak to peak {size} µm" in captions
    assert bars[:5] == pytest.approx(summary["te_harmonics_um"])


def test_orders_at_rest_are_of_whole_pitches(monkeypatch):
    """The rest of 2.07 pitches has a mean of its own."""
    phase = -0.5 + np.arange(31) / 15
    wave = 0.4 * np.cos(2.0 * np.pi * phase) + 0.1 * np.cos(4.0 * np.pi * phase)
    dataset = xr.Dataset({"phase": ("position", phase), "transmission_error": ("position", 1e-6 * (wave - 20.0))})
    captions, bars = drawn_bars(monkeypatch, ag.Result(summary={}, dataset=dataset))
    assert bars[:3] == pytest.approx([0.4, 0.1, 0.0], abs=1e-9)
    assert "mean −20 µm" in captions


def test_geometry_tells_planetary_sets():
    record = CaseRecord(data=case_data(ag.case_from_file(MESHES / "planetary_nrel_5mw.toml")))
    html = report_html(made_up().with_record(record))
    text = html[html.index("<h2>Geometry</h2>") :]
    for words in (
        "planetary sets", "planetary gears", "planetary meshes", "st1 planet", "radius of the circle of pins [mm]",
        "Diameters of rings and their centre distances are negative",
    ):  # fmt: skip
        assert words in text
    (row,) = re.findall(r"<tr><td>number of teeth z</td>(.*?)</tr>", text)
    assert re.findall(r">([^<]+)</td>", row) == ["19", "17", "56"]


def test_geometry_has_the_digits_of_check():
    assert cell(122.0984, 6) == "122.098"
    assert cell(122.0984) == "122.1"


def test_missing_energy_is_told_of_the_work_of_the_drive():
    """The net input is what drive and load leave to losses, which is little beside what goes through."""
    time = np.linspace(0.0, 2.0, 21)
    through = xr.Dataset(
        {
            "contact_moment": (("time", "axis"), np.tile([0.0, 0.0, -100.0], (21, 1))),
            "speed": (("time", "gear"), np.tile([50.0, 30.0], (21, 1))),
        },
        coords={"time": time},
    )
    assert case.work_of_drive(through) == pytest.approx(100.0 * 50.0 * 2.0)
    parts = xr.Dataset(
        {"energy_supplied": (("time", "part"), np.stack([70.0 * time, -60.0 * time], 1))}, {"time": time}
    )
    assert case.work_of_drive(parts) == pytest.approx(140.0)
    assert case.work_of_drive(parts.drop_vars("energy_supplied")) is None
