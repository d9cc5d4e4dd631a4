"""Captions and places of pictures: numbers are those of the summary, and a file of the folder is a picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import made_up_results as made_up
import numpy as np
import pytest
import small_cases
import xarray as xr
from datasets import contact_dataset
from histories import FACTS, dynamic_history

import alegear as ag
from alegear.pictures import of_results
from alegear.pictures.flank_map import end_of_scale
from alegear.pictures.of_results import bearings, contact_pattern, pictures, root_stress, te
from alegear.report.report import report_html
from alegear.results.contact_result import contact_summary
from alegear.results.root_cycle import tooth_cycle

README = Path(of_results.__file__).parents[1] / "README.md"


def test_a_picture_is_a_file(tmp_path, monkeypatch):
    """The example of the README, put into a folder that is looked through."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    (tmp_path / "thrust.py").write_text(example)
    monkeypatch.setattr(of_results, "__path__", [*of_results.__path__, str(tmp_path)])
    result = small_cases.result_of(small_cases.static_text())
    assert "thrust" in dir(result.plot)
    assert result.plot.thrust().axes[0].get_ylabel() == "thrust [N]"
    assert "<h2>Thrust</h2>" in report_html(result)
    assert "thrust.png" in [path.name for path in made_up.drawn(result.dataset, tmp_path)]


def test_pictures_have_names_of_their_own():
    names = [one.name for one in pictures()]
    assert len(set(names)) == len(names)
    for one in pictures():
        assert (Path(of_results.__file__).parent / f"{one.name}.py").exists()


def test_a_result_tells_which_pictures_it_has():
    result = small_cases.result_of(small_cases.static_text())
    assert {"te", "tooth_load", "contact_pattern", "root_stress", "fillet"} <= set(dir(result.plot))
    figure = result.plot.te()
    assert figure.axes[0].get_ylabel().startswith("transmission error")
    assert result.plot.te.caption.startswith("Transmission error about its mean")
    with pytest.raises(AttributeError, match=r"no picture 'spectrum'; it has: te, tooth_load"):
        result.plot.spectrum()
    assert not hasattr(result.plot, "sweep")


def test_root_stress_is_drawn_where_its_range_is_told():
    """The curve goes from the smallest to the largest value of the table."""
    result = small_cases.result_of(small_cases.static_text(pitches=1))
    assert "at the point of the root fillet where its range is widest" in result.plot.root_stress.caption
    for g, axes in enumerate(root_stress.PICTURE.draw(result).axes):
        for s, line in enumerate(line for line in axes.lines if len(line.get_xdata()) > 2):
            high, low = tooth_cycle(result.dataset, g, s).ends
            drawn = np.asarray(line.get_ydata())
            assert {float(np.nanmin(drawn)), float(np.nanmax(drawn))} == {min(low, high), max(low, high)}
    without = result.dataset.drop_vars("root_stress_fillet_principal")
    assert "of changing points" in root_stress.PICTURE.caption(ag.Result(dataset=without, summary=result.summary))


def test_narrow_peaks_do_not_use_up_the_colours():
    values = np.full(400, 100.0)
    assert end_of_scale(values) is None
    values[0] = 900.0
    assert end_of_scale(values) == pytest.approx(120.0)


def test_contact_maps_tell_load_and_edges_and_reach_to_the_ends_of_both_flanks():
    result = small_cases.result_of(small_cases.static_text())
    edge = np.zeros_like(result.dataset["pattern_edge_pressure"].values)
    edge[-2:] = 3e9
    dataset = result.dataset.assign(pattern_edge_pressure=(("roll", "slice"), edge))
    caption = contact_pattern.PICTURE.caption(ag.Result(dataset=dataset, summary=result.summary))
    torque = float(dataset["load_mean"]) * float(dataset["base_radius"][0])
    assert f"({torque:.4g} N m on the pinion), K\u00a0Hβ {float(dataset['face_load_factor']):.3g}" in caption
    assert "hatched: a tip edge or undercut edge touches there, with up to 3000 MPa" in caption
    limits = 1e3 * dataset["flank_limit"].values
    low, high = contact_pattern.PICTURE.draw(result).axes[0].get_xlim()
    assert low < limits.min()
    assert high > limits.max()


def test_a_mesh_of_a_machine_has_no_bearing_forces_of_its_own():
    """Its gears stand on shafts: the forces are those of the machine, in the mesh they are NaN."""
    found = small_cases.result_of(small_cases.static_text()).dataset
    forces = [np.full((found.sizes["position"], 2, 3), value) for value in (np.nan, 0.0, 5.0)]
    for force, there in zip(forces, (False, False, True), strict=True):
        dataset = found.assign(bearing_force=(("position", "gear", "axis"), force))
        assert bearings.PICTURE.holds(ag.Result(summary={}, dataset=dataset)) == there


def heights(result: ag.Result) -> list[float]:
    """Bars of the orders of the transmission error [um]."""
    axes = next(one for one in te.PICTURE.draw(result).axes if one.get_xlabel() == "mesh order")
    return [bar.get_height() for bar in axes.patches if not bar.get_hatch()]


def test_errors_of_a_motion_are_those_of_its_key_figures():
    """They are of the whole pitches of the second half; fewer are drawn."""
    history = dynamic_history()
    summary: dict[str, Any] = dict(contact_summary(history, FACTS, ramp=0.004))
    result = ag.Result(summary=summary, dataset=contact_dataset(history, ramp=0.004))
    titles = " ".join(axes.get_title(loc="left") for axes in te.PICTURE.draw(result).axes)
    assert f"mean {summary['te_mean_um']:.4g} µm, peak to peak {summary['te_peak_to_peak_um']:.3g} µm" in titles
    assert heights(result)[:5] == pytest.approx(summary["te_harmonics_um"])


def test_orders_at_rest_are_of_whole_pitches():
    """The rest of 2.07 pitches has a mean of its own."""
    phase = -0.5 + np.arange(31) / 15
    wave = 0.4 * np.cos(2.0 * np.pi * phase) + 0.1 * np.cos(4.0 * np.pi * phase)
    dataset = xr.Dataset({"phase": ("position", phase), "transmission_error": ("position", 1e-6 * (wave - 20.0))})
    result = ag.Result(summary={}, dataset=dataset)
    assert heights(result)[:3] == pytest.approx([0.4, 0.1, 0.0], abs=1e-9)
    assert te.PICTURE.draw(result).axes[0].get_title(loc="left").startswith("mean -20 µm")
