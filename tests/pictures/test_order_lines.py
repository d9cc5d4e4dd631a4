"""Order lines of run-ups: amplitudes that are put in are found over the speed."""

from __future__ import annotations

import made_up_results as made_up
import numpy as np
import pytest
from test_waterfall import ORDERS, run_up

from alegear.pictures import files as plots
from alegear.pictures.of_results.orders import PICTURE, draw_machine_orders, pair_lines
from alegear.pictures.picture_file import png
from alegear.results.result import Result


def test_orders_of_a_pair_over_its_speed(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(plots, "png", lambda figure, caption: b"")  # the layout of all the others takes seconds
    dataset = made_up.dynamic(duration=0.2)
    rpm, lines = pair_lines(dataset)
    assert rpm[-1] == pytest.approx(157.0 * 30.0 / np.pi, rel=1e-9)
    # the mean drifts with the speed, by 20 um over half the time, which least squares of 8 pitches see as some per cent
    for order, amplitude in ((1, 3.0), (2, 1.0)):
        assert np.median(lines[f"mesh order {order}"]) == pytest.approx(amplitude, rel=0.02)
    assert np.median(lines["mesh order 3"]) < 0.02
    figure = PICTURE.draw(Result(summary={}, dataset=dataset))
    axes = figure.axes[0]
    png(figure)  # it can be drawn
    assert np.median(axes.lines[0].get_ydata()) == pytest.approx(20.0 * np.log10(3.0), abs=0.2)
    assert "orders.png" in [file.name for file in made_up.drawn(dataset, tmp_path)]


def test_a_steady_motion_has_no_order_lines() -> None:
    dataset = made_up.dynamic()
    assert pair_lines(dataset.isel(time=slice(len(dataset["time"]) // 2 + 2, None))) is None


def test_orders_of_a_machine_over_the_speed_of_a_shaft() -> None:
    axes = draw_machine_orders(run_up(), "input", ORDERS).axes[0]
    assert axes.get_xlabel() == "speed of input [rpm]"
    assert [line.get_label() for line in axes.lines] == ["mesh first"]
    assert np.median(axes.lines[0].get_ydata()) == pytest.approx(20.0 * np.log10(5.0), abs=0.3)  # 5 N are put in
