"""Sections: what they compute, and that every kind of result has those it holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_cases
import xarray as xr
from test_html_report import Page, made_up

import alegear as ag
from alegear import cli
from alegear.checks.case_data import case_data
from alegear.report import sections as folder
from alegear.report.blocks import cell
from alegear.report.report import report_html, write_report
from alegear.report.sections import case
from alegear.report.sections.misalignment import mesh_misalignment
from alegear.report.values import label_of
from alegear.results.case_record import CaseRecord

MESHES = Path(__file__).parents[2] / "meshes"
TE = "Transmission error and mesh stiffness"
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


def titles(result: ag.Result) -> list[str]:
    return Page(report_html(result)).titles


def test_pairs_on_bearings_have_forces_and_misalignment():
    found = titles(
        small_cases.result_of(small_cases.static_text(tables=small_cases.OVERHUNG + small_cases.bearing("wheel")))
    )
    assert {"Bearing forces", "Displacement and misalignment", "Load sharing"} < set(found)
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


def test_modes_and_motions_of_torsional_parts(tmp_path):
    shift = ag.run(ag.case_from_file(MESHES / "gear_shift.toml"))
    found = titles(shift)
    assert found[:1] == ["Case"]
    assert {"Motion", "Torsional parts"} < set(found)
    assert TE not in found
    page = Page(report_html(shift)).text
    assert "stuck" in page
    # the power of the largest flange, by trapezoids
    dataset = shift.dataset
    mean = np.abs(np.trapezoid(dataset["power"].values, dataset["time"].values, axis=0)) / float(dataset["time"][-1])
    assert f"{mean.max():.5g}" in page[page.index("Power flow") :]


def test_machines_have_their_meshes_and_their_layout(tmp_path):
    text = (MESHES / "idler_3_gears.toml").read_text().replace("positions_per_pitch = 32", "positions_per_pitch = 4")
    path = tmp_path / "case.toml"
    path.write_text(f"{text}\n[output]\nfields = false\nplots = false\n[grid]\n{small_cases.COARSE}")
    assert cli.main(["run", str(path), "--out", str(tmp_path / "out")]) == 0
    assert cli.main(["report", str(tmp_path / "out")]) == 0
    html = (tmp_path / "out" / "report.html").read_text()
    page = Page(html)
    assert page.open == []
    assert {
        "Layout",
        "Shafts and meshes",
        "Mesh first: transmission error and mesh stiffness",
        "Mesh second: root stress",
    } < set(page.titles)
    assert page.titles[-1] == "Case as it was run"
    assert page.text.count("Idler train 20/30/25") >= 2  # title, and the case as it was run
    anchors = re.findall(r'<section id="([^"]+)"', html)
    assert len(set(anchors)) == len(anchors)
    assert {f"#{one}" for one in anchors} == set(re.findall(r'<a href="([^"]+)"', html))


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
    assert path.stat().st_size < 300_000
    assert {TE, "Spectrum", "Motion"} < set(Page(path.read_text()).titles)


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
    assert (
        label_of("air_density_kg_per_m3", {"air_density_kg_per_m3": "density of the air"})
        == "density of the air [kg/m³]"
    )
    assert label_of("drag_Nms2_per_rad2") == "drag [N m s²/rad²]"


def test_planets_tell_how_they_share_the_load():
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


def test_the_residual_of_the_energy_is_compared_with_the_work_of_the_drive():
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
