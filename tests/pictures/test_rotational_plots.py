"""Plots of torsional machines, of made-up results."""

from __future__ import annotations

import numpy as np
import pytest
from made_up_results import drawn
from made_up_trains import overlapping_texts, train

from alegear.pictures import files as plots
from alegear.pictures.of_results.energy import draw_energy
from alegear.pictures.of_results.losses import draw_losses
from alegear.pictures.of_results.modes import draw_switches
from alegear.pictures.of_results.power_flow import draw_power_flow
from alegear.pictures.of_results.speeds import draw_speeds
from alegear.pictures.of_results.torques import draw_torques
from alegear.pictures.over_time import MOST, merged

DRAWINGS = {
    "speeds.png": draw_speeds,
    "energy.png": draw_energy,
    "losses.png": draw_losses,
    "power_flow.png": draw_power_flow,
    "torques.png": draw_torques,
    "modes.png": draw_switches,
}


def labels(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def curves(figure) -> list:
    return [line for line in figure.axes[0].lines if len(line.get_xdata()) > 2]


def test_every_picture_is_drawn(tmp_path) -> None:
    files = drawn(train(4), tmp_path)
    assert [path.name for path in files] == list(DRAWINGS)
    assert all(path.stat().st_size > 5000 for path in files)


def test_a_machine_without_switches_has_no_picture_of_their_modes(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(plots, "png", lambda figure, caption: b"")  # which there are, not how they look
    names = [path.name for path in drawn(train(3, switches=False), tmp_path)]
    assert names == [name for name in DRAWINGS if name != "modes.png"]


def test_bodies_that_turn_alike_share_a_curve() -> None:
    dataset = train(4)
    dataset["speed"][:, 2] = dataset["speed"][:, 1]
    figure = draw_speeds(dataset)
    assert labels(figure) == ["body 0", "body 1, body 2", "body 3"]
    np.testing.assert_array_equal(curves(figure)[1].get_ydata(), dataset["speed"][:, 1])


def test_the_largest_have_names_and_the_others_are_grey() -> None:
    figure = draw_speeds(train(30))
    assert labels(figure) == [f"body {i}" for i in range(20, 30)] + ["20 others"]
    assert len(curves(figure)) == 30
    assert len({(line.get_color(), line.get_linestyle()) for line in curves(figure)}) == MOST + 1


def test_events_are_lines() -> None:
    lines = [line for line in draw_speeds(train(4)).axes[0].lines if len(line.get_xdata()) == 2]
    assert sorted(line.get_xdata()[0] for line in lines) == pytest.approx([0.5 / 3, 1.0 / 3, 0.5], rel=1e-12)


def test_a_thousand_events_are_a_number() -> None:
    figure = draw_speeds(train(301))
    assert "300 events" in [text.get_text() for text in figure.axes[0].texts]
    assert not [line for line in figure.axes[0].lines if len(line.get_xdata()) == 2]


def test_of_opposite_torques_one_is_drawn_and_of_none_none() -> None:
    dataset = train(2)
    assert labels(draw_torques(dataset)) == ["drive", "body 0 on gear 0", "body 1 on gear 0", "load"]
    dataset["torque"][:, 2] = -dataset["torque"][:, 1]
    dataset["torque"][:, 3] = 0.0
    assert labels(draw_torques(dataset)) == ["drive", "body 0 on gear 0"]


def test_modes_are_bands_between_the_events() -> None:
    figure = draw_switches(train(3))
    bands = figure.axes[0].collections
    assert len(bands) == 2
    for band, t in zip(bands, (0.25, 0.5), strict=True):
        edges = [(path.get_extents().x0, path.get_extents().x1) for path in band.get_paths()]
        assert edges == [pytest.approx((0.0, t)), pytest.approx((t, 2.0))]
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["gear 0", "gear 1"]


def test_losses_of_many_parts_are_summed() -> None:
    dataset = train(30)
    left, right = draw_losses(dataset).axes
    names = [tick.get_text() for tick in right.get_yticklabels()]
    assert names == [f"gear {i}" for i in range(MOST)] + [f"{29 - MOST} others"]  # the first carry most
    assert sum(bar.get_width() for bar in right.patches) == pytest.approx(float(dataset["energy_dissipated"][-1]))
    whole = sum(line.get_ydata() for line in left.lines if len(line.get_xdata()) > 2)
    np.testing.assert_allclose(whole, dataset["loss"].sum("part"), rtol=1e-12)


def test_the_account_says_what_is_missing() -> None:
    dataset = train(3)
    dataset["energy_missing"][5] = -2e-6
    above, below = draw_energy(dataset).axes
    assert below.get_title(loc="left").startswith("residual: 2 µJ at most, ")
    assert [line.get_label() for line in above.lines[:3]] == ["input", "dissipated", "change of kinetic energy"]


@pytest.mark.parametrize("draw", DRAWINGS.values())
@pytest.mark.parametrize("bodies", [pytest.param(2, marks=pytest.mark.thorough), 30])
def test_no_text_lies_on_another(draw, bodies: int) -> None:
    assert overlapping_texts(draw(train(bodies))) == []


def test_curves_that_look_the_same_are_one() -> None:
    x = np.linspace(0.0, 1.0, 11)
    values = np.column_stack([x, x + 1e-3, 1.0 - x])  # a thousandth of the height is not seen
    drawn, names = merged(values, ["a", "b", "c"])
    assert names == ["a, b", "c"]
    np.testing.assert_array_equal(drawn, values[:, [0, 2]])
    assert merged(np.zeros((3, 0)), [])[1] == []
