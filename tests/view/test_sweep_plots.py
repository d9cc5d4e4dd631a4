"""Pictures of sweeps: a panel says something of its own, names of modes lie above the curves and inside the picture."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg

from alegear.view.sweep import MOST_BEARINGS, draw_bearing_orders, draw_machine_sweep, has_bearing_orders

SPEED = np.linspace(50.0, 600.0, 60)


def linear(bearings: int, *, motion: bool = False) -> xr.Dataset:
    """A machine with one mesh and two modes in it, near each other and at the beginning of the range."""
    n = len(SPEED)
    orders = np.abs(1e-6 / (1.0 - (SPEED[:, None] / 300.0) ** 2 + 0.05j)) * np.array([1.0, 0.3])
    data = {
        "linear_speed": ("speed", SPEED),
        "linear_transmission_error_order": (("speed", "mesh", "linear_order"), orders[:, None]),
        "linear_mesh_frequency": (("speed", "mesh"), 20.0 * SPEED[:, None] / (2.0 * np.pi)),
        "natural_frequency": ("mode", np.array([170.0, 260.0, 900.0])),
        "mode_share": (("mode", "mesh"), np.array([[0.2], [0.3], [0.01]])),
    }
    coords = {"mesh": ["first"], "linear_order": [1.0, 2.0], "bearing": [f"b{k}" for k in range(bearings)]}
    if bearings:
        force = np.ones((n, bearings, 1, 2, 3))
        data["linear_bearing_force_order"] = (("speed", "bearing", "mesh", "linear_order", "axis"), force)
    if motion:
        data |= {
            "drive_speed": ("point", SPEED[::10]),
            "direction": ("point", np.ones(6)),
            "order": ("order", np.array([1.0, 2.0])),
            "transmission_error_order": (("point", "mesh", "order"), orders[::10, None]),
            "rotation_error_rms": (("point", "shaft"), np.column_stack([np.zeros(6), np.full(6, 1e-5)])),
        }
        coords |= {"shaft": ["input", "output"]}
    return xr.Dataset(data, coords=coords, attrs={"machine": 1, "title": "a machine"})


def labels(figure) -> list[str]:
    return [axes.get_ylabel().replace("\n", " ") for axes in figure.axes]


def test_without_bearings_no_panel_stands_twice() -> None:
    assert labels(draw_machine_sweep(linear(0, motion=True))) == [
        "transmission error of first [dB re 1 µm]",
        "rotation error, r.m.s. [µrad]",
    ]
    assert labels(draw_machine_sweep(linear(0))) == ["transmission error of first [dB re 1 µm]"]
    assert len(labels(draw_machine_sweep(linear(2)))) == 2


def test_a_mode_that_has_an_order_is_marked_whatever_its_share_is() -> None:
    part = np.zeros((3, 1, 2))
    part[2, 0, 1] = 0.5
    figure = draw_machine_sweep(linear(0).assign(mode_part=(("mode", "mesh", "linear_order"), part)))
    assert [text.get_text() for text in figure.axes[0].texts][-1] == "900 Hz, 1 %"


def test_names_of_modes_lie_above_the_curves_and_inside() -> None:
    figure = draw_machine_sweep(linear(0))
    FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == ["mode 170 Hz, 20 % in the mesh", "260 Hz, 30 %"]
    boxes = [text.get_window_extent() for text in axes.texts]
    frame = axes.get_window_extent()
    highest = max(
        float(axes.transData.transform((0.0, np.nanmax(line.get_ydata())))[1])
        for line in axes.lines
        if len(line.get_xdata()) == len(SPEED)
    )
    for box in boxes:
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert highest < box.y0 < box.y1 <= frame.y1
    assert not boxes[0].overlaps(boxes[1])


@pytest.mark.parametrize("bearings", [1, 3, MOST_BEARINGS + 2])
def test_all_bearings_have_their_orders_on_one_scale(bearings: int) -> None:
    dataset = linear(bearings)
    loud = 10.0 ** np.arange(bearings)
    dataset["linear_bearing_force_order"] = dataset["linear_bearing_force_order"] * xr.DataArray(loud, dims="bearing")
    figure = draw_bearing_orders(dataset)
    FigureCanvasAgg(figure).draw()
    shown = [axes.get_title(loc="left") for axes in figure.axes]
    assert shown == [f"b{k}" for k in range(bearings)][-MOST_BEARINGS:]  # those with the largest forces
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert ("of 8 bearings" in figure.get_supxlabel()) == (bearings > MOST_BEARINGS)
    assert set(labels(figure)) == {"force [dB re 1 N]"}  # no displacement is there


def test_a_bearing_without_force_has_an_empty_panel() -> None:
    dataset = linear(2)
    dataset["linear_bearing_force_order"] = 0.0 * dataset["linear_bearing_force_order"]
    FigureCanvasAgg(draw_bearing_orders(dataset)).draw()
    assert not has_bearing_orders(linear(0))
