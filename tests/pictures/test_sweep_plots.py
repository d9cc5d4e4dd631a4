"""Pictures of sweeps: a panel says something of its own, names of modes lie above the curves and inside the picture."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg

from alegear.pictures.of_results import bearing_orders, sweep
from alegear.pictures.of_results.bearing_orders import MOST_BEARINGS, draw_bearing_orders
from alegear.pictures.of_results.sweep import MOST_MESHES, draw_machine_sweep
from alegear.pictures.speed_orders import has_bearing_orders
from alegear.results.result import Result

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
        "mode_part": (("mode", "mesh", "linear_order"), np.zeros((3, 1, 2))),
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


def two_meshes(**options) -> xr.Dataset:
    """And another mesh that excites nothing."""
    first = linear(2, **options)
    second = first.assign_coords(mesh=["second"])
    second["linear_mesh_frequency"] = 0.4 * second["linear_mesh_frequency"]
    third = first.assign_coords(mesh=["third"])
    third["linear_transmission_error_order"] = np.nan * third["linear_transmission_error_order"]
    if "transmission_error_order" in third:
        third["transmission_error_order"] = np.nan * third["transmission_error_order"]
    over_mesh = [name for name in first if "mesh" in first[name].dims]
    return xr.merge([xr.concat([one[over_mesh] for one in (first, second, third)], "mesh"), first.drop_dims("mesh")])


@pytest.mark.parametrize("motion", [False, True])
def test_each_mesh_has_a_panel_with_its_modes(motion: bool) -> None:
    dataset = two_meshes(motion=motion).assign_attrs(title="a machine", machine=1)
    figure = draw_machine_sweep(dataset)
    titles = [axes.get_title(loc="left").split(",")[0] for axes in figure.axes]
    assert titles == ["mesh first", "mesh second", "orders of mesh first", ""][: 3 + motion]
    for axes, per_rpm in zip(figure.axes, (20.0 / 60.0, 8.0 / 60.0), strict=False):
        marks = [
            line.get_xdata()[0] for line in axes.lines if len(set(line.get_xdata())) == 1 and line.get_zorder() == 0
        ]
        met = np.array([170.0, 260.0]) / per_rpm
        assert marks == pytest.approx(met[met <= axes.get_xlim()[1]])
        assert f"mesh frequency {1e3 * per_rpm:.4g} Hz at 1000 rpm" in axes.get_title(loc="left")


def test_of_many_meshes_the_loudest_are_drawn() -> None:
    dataset = linear(0)
    loud = xr.DataArray(np.arange(1.0, MOST_MESHES + 3.0), dims="mesh")
    many = dataset.drop_vars("mesh").isel(mesh=np.zeros(MOST_MESHES + 2, dtype=int))
    many = many.assign_coords(mesh=[f"m{k}" for k in range(MOST_MESHES + 2)])
    many["linear_transmission_error_order"] = many["linear_transmission_error_order"] * loud
    figure = draw_machine_sweep(many)
    shown = [axes.get_title(loc="left").split(",")[0] for axes in figure.axes]
    assert shown == [f"mesh m{k}" for k in range(2, MOST_MESHES + 2)]
    assert f"the {MOST_MESHES} of {MOST_MESHES + 2} meshes" in sweep.PICTURE.caption(Result(summary={}, dataset=many))


def test_a_motion_alone_has_static_orders_and_modes() -> None:
    """Of the reference beside it."""
    dataset = linear(0, motion=True)
    dataset = dataset.drop_vars([name for name in dataset if str(name).startswith("linear_")])
    dataset = dataset.assign(
        mesh_frequency_per_speed=("mesh", [20.0 / (2.0 * np.pi)]),
        static_transmission_error_order=(("mesh", "linear_order"), [[1e-6, 1e-7]]),
    )
    figure = draw_machine_sweep(dataset)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["mode 170 Hz, 20 % in the mesh", "260 Hz, 30 %"]
    static = {float(line.get_ydata()[0]) for line in axes.lines if len(line.get_xdata()) == 2}
    assert {0.0, -20.0} <= {round(level, 9) for level in static}  # dB of 1 and 0.1 micrometre
    assert "static" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_of_modes_side_by_side_those_with_the_largest_part_are_named() -> None:
    n = 12
    part = np.zeros((n, 1, 2))
    part[:, 0, 0] = np.linspace(0.2, 0.9, n)
    dataset = (
        linear(0)
        .drop_dims("mode")
        .assign(
            natural_frequency=("mode", 500.0 + 4.0 * np.arange(n)),
            mode_share=(("mode", "mesh"), np.full((n, 1), 0.01)),
            mode_part=(("mode", "mesh", "linear_order"), part),
        )
    )
    axes = draw_machine_sweep(dataset).axes[0]
    names = [text.get_text() for text in axes.texts]
    assert len(names) < n
    assert {"mode 500 Hz, 1 % in the mesh", "544 Hz, 1 %"} <= set(names)
    assert sum(line.get_zorder() == 0 for line in axes.lines) == n  # all have a line


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
    words = bearing_orders.PICTURE.caption(Result(summary={}, dataset=dataset))
    assert ("of 8 bearings" in words) == (bearings > MOST_BEARINGS)
    assert set(labels(figure)) == {"force [dB re 1 N]"}  # no displacement is there


def test_a_bearing_without_force_has_an_empty_panel() -> None:
    dataset = linear(2)
    dataset["linear_bearing_force_order"] = 0.0 * dataset["linear_bearing_force_order"]
    FigureCanvasAgg(draw_bearing_orders(dataset)).draw()
    assert not has_bearing_orders(linear(0))
