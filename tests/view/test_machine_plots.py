"""Plots of a machine, of made-up results."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from alegear.view.machine.curves import draw_machine
from alegear.view.plots import write_plots


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
    assert [path.name for path in write_plots(dataset, tmp_path)] == ["machine.png"]


def test_all_labels_lie_within_the_picture() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = draw_machine(result("position"))
    FigureCanvasAgg(figure).draw()
    for axes in figure.axes:
        for text in (axes.yaxis.label, axes.xaxis.label):
            box = text.get_window_extent()
            assert 0.0 <= box.x0 <= box.x1 <= figure.bbox.width
            assert 0.0 <= box.y0 <= box.y1 <= figure.bbox.height
