"""Plots of a machine, of made-up results."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from made_up_results import drawn

from alegear.pictures.of_results.campbell import draw_campbell
from alegear.pictures.of_results.machine import draw_machine
from alegear.pictures.of_results.natural_frequencies import draw_natural_frequencies
from alegear.results.campbell import machine_diagram
from alegear.results.case_record import CaseRecord


def result(lead: str, *, bearings: int = 7) -> xr.Dataset:
    n, names = 8, [f"bearing {b}" for b in range(bearings)]
    angle = np.linspace(0.0, 0.2, n)
    error = np.column_stack([np.zeros(n), 1e-4 + 1e-5 * np.sin(angle)])
    data = {
        "drive_angle": (lead, angle),
        "transmission_error": ((lead, "mesh"), np.column_stack([-1e-5 + 1e-6 * np.sin(angle), np.zeros(n)])),
        "mesh_stiffness": ((lead, "mesh"), np.column_stack([np.full(n, 5e8), np.full(n, np.nan)])),
        "mesh_force": ((lead, "mesh", "axis"), np.tile([3e3, 4e3, 0.0], (n, 2, 1))),
        "rotation_error": ((lead, "shaft"), error),
        "bearing_force": ((lead, "bearing", "axis"), np.ones((n, bearings, 3))),
    }
    coords = {
        "mesh": ["first", "rigid $one$"],
        "shaft": ["input", "output"],
        "bearing": names,
        lead: np.arange(n) * 1e-3,
    }
    return xr.Dataset(data, coords=coords, attrs={"machine": 1, "title": "a $title$"})


def legends(figure) -> list[list[str]]:
    return [[text.get_text() for text in axes.get_legend().get_texts()] for axes in figure.axes]


def test_static_results_are_drawn_over_the_rotation_of_the_drive() -> None:
    figure = draw_machine(result("position"))
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "", "", "rotation of the drive [°]"]
    assert figure.axes[0].lines[0].get_xdata()[-1] == pytest.approx(np.degrees(0.2), rel=1e-12)
    assert [one.get_ylabel().replace("\n", " ") for one in figure.axes] == [
        "transmission error about its mean [µm]",
        "mesh stiffness [N/µm]",
        "shaft rotation error about its mean [µrad]",
        "bearing force [kN]",
        "bearing force about its mean [N]",
    ]
    assert figure.axes[1].get_ylim()[0] == 0.0  # a stiffness that hardly changes looks like that
    assert legends(figure)[1] == ["first, mean 500"]  # a rigid mesh has no stiffness; N per micrometre
    assert [text.split(",")[0] for text in legends(figure)[2]] == ["output"]  # the drive's own shaft has no error


def test_motions_are_drawn_over_time_with_the_forces_of_meshes() -> None:
    figure = draw_machine(result("time"))
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "", "", "time [ms]"]
    assert figure.axes[0].lines[0].get_xdata()[-1] == pytest.approx(7.0, rel=1e-12)
    assert figure.axes[1].lines[0].get_ydata() == pytest.approx(5.0, rel=1e-12)  # kN, of 3 and 4


def test_more_curves_than_colours_stay_apart() -> None:
    lines = draw_machine(result("position")).axes[3].lines
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(lines) == 7


def test_without_bearings_three_plots_are_left(tmp_path) -> None:
    dataset = result("position", bearings=0)
    assert len(draw_machine(dataset).axes) == 3
    assert [path.name for path in drawn(dataset, tmp_path)] == ["machine.png"]


def test_all_labels_lie_within_the_picture() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = draw_machine(result("position"))
    FigureCanvasAgg(figure).draw()
    for axes in figure.axes:
        for text in (axes.yaxis.label, axes.xaxis.label):
            box = text.get_window_extent()
            assert 0.0 <= box.x0 <= box.x1 <= figure.bbox.width
            assert 0.0 <= box.y0 <= box.y1 <= figure.bbox.height


def modal(parts: int) -> xr.Dataset:
    """Modes of which each has its energy in one part, the first half of it in the mesh."""
    share = np.eye(parts)
    share[0, :2] = 0.5
    names = ["mesh one", *(f"part {k}" for k in range(1, parts))]
    data = {
        "frequency": ("mode", 100.0 * np.arange(1.0, parts + 1.0)),
        "energy_share": (("mode", "part"), share),
    }
    coords = {"mode": np.arange(1, parts + 1), "part": names}
    return xr.Dataset(data, coords=coords, attrs={"machine": 1, "title": "modes", "analysis": "modal"})


def test_bars_of_many_parts_stay_apart() -> None:
    bars = draw_natural_frequencies(modal(14)).axes[1].collections
    looks = {(tuple(bar.get_facecolor()[0]), bar.get_hatch()) for bar in bars}
    assert len(looks) == len(bars) == 14


def test_orders_of_meshes_meet_the_modes_where_they_are_equal() -> None:
    rpm, of_mesh = 600.0, 200.0
    figure = draw_campbell(machine_diagram(modal(4), rpm, {"mesh one": of_mesh}))
    (axes,) = figure.axes
    assert axes.get_xlim() == pytest.approx((0.0, 900.0))
    dots = [line for line in axes.lines if line.get_marker() == "o" and len(line.get_xdata())]
    met = {(round(x), round(1e3 * y)) for line in dots for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)}
    expected = {
        (round(rpm * f / (order * of_mesh)), f)
        for f in (100, 200, 300, 400)
        for order in (1, 2, 3)
        if rpm * f / (order * of_mesh) <= 900.0
    }
    assert met == expected
    names = {text.get_text(): text.get_color() for text in axes.texts}
    assert names["0.1 kHz, 50 %"] == "black"
    assert names["0.2 kHz, 0.0 %"] == "0.5"  # faint


def test_a_machine_with_a_speed_has_a_campbell_diagram(tmp_path) -> None:
    assert [path.name for path in drawn(modal(3), tmp_path)] == ["natural_frequencies.png"]
    data = {"drives": {"motor": {"speed_rpm": -600.0}}, "meshes": {"mesh one": {"mesh_frequency_Hz": 200.0}}}
    CaseRecord(data=data).write(tmp_path)
    assert [path.name for path in drawn(modal(3), tmp_path)] == ["natural_frequencies.png", "campbell.png"]
    record = CaseRecord.read(tmp_path)
    assert (record.drive_speed(), record.mesh_frequencies()) == (600.0, {"mesh one": 200.0})
    assert (CaseRecord().drive_speed(), CaseRecord().mesh_frequencies()) == (None, {})


def test_what_swings_less_lies_above() -> None:
    dataset = result("time", bearings=2)
    swing = np.array([1.0, -1.0] * 4)
    force = np.stack([np.outer(size * swing, [1.0, 0.0, 0.0]) for size in (10.0, 300.0)], axis=1)
    dataset = dataset.assign(bearing_force=(("time", "bearing", "axis"), force)).assign_coords(axis=["x", "y", "z"])
    small, large = draw_machine(dataset).axes[4].lines
    assert small.get_zorder() > large.get_zorder()
