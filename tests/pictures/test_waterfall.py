"""Waterfalls of run-ups: a line that rises with the speed lies on the order that is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from made_up_results import drawn

import alegear as ag
from alegear.errors import Fault
from alegear.pictures.of_results.waterfall import draw_waterfall, has_run_up
from alegear.results.orders import ExpectedOrder, read_orders, write_orders

MESHES = Path(__file__).resolve().parents[2] / "meshes"
T = np.arange(8000) / 4000.0
ORDERS = [
    ExpectedOrder(name="mesh first", kind="mesh", order=20.0),
    ExpectedOrder(name="rotation of input", kind="shaft", order=1.0),
]


def run_up(begin: float = 10.0, rate: float = 10.0) -> xr.Dataset:
    """A shaft from `begin` turns a second that gains `rate` in a second; the mesh force has its twentieth order."""
    angle = 2.0 * np.pi * (begin * T + 0.5 * rate * T**2)
    force = np.zeros((len(T), 1, 3))
    force[:, 0, 0], force[:, 0, 1] = 100.0, 5.0 * np.cos(20.0 * angle)
    return xr.Dataset(
        {"angle": (("time", "body"), angle[:, None]), "mesh_force": (("time", "mesh", "axis"), force, {"units": "N"})},
        coords={"time": T, "body": ["input"], "mesh": ["first"], "axis": ["x", "y", "z"]},
        attrs={"title": "a $run-up$"},
    )


def test_the_line_lies_on_its_order_and_levels_have_a_reference() -> None:
    figure = draw_waterfall(run_up(), "input", ORDERS)
    axes, bar = figure.axes
    assert axes.get_xlabel() == "speed of the shaft [rpm]"
    mesh = axes.lines[0].get_xydata() if axes.lines[0].get_ydata()[0] > 100.0 else axes.lines[1].get_xydata()
    np.testing.assert_allclose(mesh[:, 1], 20.0 * mesh[:, 0] / 60.0, rtol=1e-9)
    picture = axes.collections[0]
    levels, corners = picture.get_array(), picture.get_coordinates()
    y = 0.5 * (corners[:-1, 0, 1] + corners[1:, 0, 1])
    highest = y[levels.argmax(axis=0)]
    # a bin, 1/segment: as wide as the line runs through in a segment
    assert np.abs(highest - mesh[:, 1]).max() < 1.5 * (y[1] - y[0])
    assert bar.get_ylabel().startswith("dB re 4.")  # of 5 N, smeared a little
    assert {text.get_text() for text in axes.texts} == {"mesh first", "rotation of input"}
    assert "mesh force first y" in axes.get_title(loc="left")  # the component that varies most
    figure.canvas.draw()


def test_only_speeds_that_change_are_run_ups() -> None:
    assert has_run_up(run_up(), "input")
    assert has_run_up(run_up(30.0, -10.0), "input")
    assert not has_run_up(run_up(rate=0.0), "input")
    assert not has_run_up(run_up(-10.0, 10.0), "input")  # turns back
    assert not has_run_up(run_up(), "another")
    assert not has_run_up(run_up().isel(time=slice(0, 50)), "input")


def test_names_at_the_edge_stand_apart() -> None:
    near = [ExpectedOrder(name=f"line {k}", kind="mesh", order=20.0 + 0.1 * k) for k in range(6)]
    figure = draw_waterfall(run_up(), "input", near)
    spots = sorted(text.get_position()[1] for text in figure.axes[0].texts)
    assert np.diff(spots).min() >= 0.99 * 0.028 * figure.axes[0].get_ylim()[1]


def test_orders_are_read_as_written(tmp_path: Path) -> None:
    assert read_orders(tmp_path) is None
    write_orders(tmp_path, "input", ORDERS)
    assert read_orders(tmp_path) == ("input", ORDERS)
    (tmp_path / "orders.json").write_text("{")
    with pytest.raises(Fault, match=r"readable orders\.json"):
        read_orders(tmp_path)


def test_a_run_up_is_drawn_with_the_orders_of_its_case(tmp_path: Path) -> None:
    """Of torsional parts, with the lines of the set: z_r n_carrier."""
    text = (MESHES / "planetary_nrel_5mw.toml").read_text()
    table = "[[0.0, 0.0], [0.2, 3.945990e6]]"
    assert table in text
    text = text.replace(table, "[[0.0, 0.0], [0.2, 6.0e6]]").replace(
        "output_every_s = 0.001", "output_every_s = 0.0005"
    )
    path = tmp_path / "run_up.toml"
    path.write_text(text.replace("tolerance = 1e-11", "tolerance = 1e-7"))
    case = ag.case_from_file(path)
    result = ag.run(case, tmp_path / "out")
    told = read_orders(tmp_path / "out")
    assert told is not None
    reference, orders = told
    meshes = [one.order for one in orders if one.kind == "mesh"]
    per_turn = {"carrier": 56.0, "sun": 56.0 * 19.0 / 75.0}[reference]
    assert min(meshes) == pytest.approx(per_turn, rel=1e-12)
    assert has_run_up(result.dataset, reference)
    assert "waterfall.png" in [one.name for one in drawn(result.dataset, tmp_path / "out")]
