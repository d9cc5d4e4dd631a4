"""The Campbell diagram: what it draws where."""

from __future__ import annotations

import numpy as np
import pytest
from made_up_results import drawn
from matplotlib.figure import Figure

from alegear.pictures.labels import spread
from alegear.pictures.of_results.campbell import FAINT_COLOUR, draw_campbell
from alegear.results.campbell import ModeLine, crossings, merged, pair_diagram
from alegear.results.dataset import ResultArrays
from alegear.results.variables import MODES_OF_WHEELS, PAIR_MODES


def history(pinion_speed: float | None = None, **changes) -> ResultArrays:
    """A pinion of 20 and a wheel of 30 teeth; pair at 3 and 9 kHz, the second a mode of the wheel."""
    values = {
        "held_frequency": np.array([[20e3, 24e3, 24e3], [9e3, 10e3, 10e3]]),
        "held_nodal_diameter": np.array([[0, 1, 1], [0, 2, 2]]),
        "free_frequency": np.array([[25e3, 25e3, 30e3], [10e3, 10e3, 12e3]]),
        "free_nodal_diameter": np.array([[2, 2, 0], [2, 2, 0]]),
        "pair_frequency": np.array([3e3, 9.1e3]),
        "pair_energy_share": np.array([[0.7, 0.1, 0.2, 0.0, 0.0], [0.02, 0.0, 0.98, 0.0, 0.0]]),
        "pair_shape": np.ones((2, 1)),
        "mesh_stiffness": 5e8,
        "mesh_frequency": 3e3,
        "fixed_axis_mesh_frequency": 3e3,
    }
    return ResultArrays(
        analysis="modal",
        variables=MODES_OF_WHEELS | PAIR_MODES,
        values=values | changes,
        labels={"gear": ("pinion", "wheel"), "part": ("mesh", "pinion", "wheel", "shafts", "supports")},
        attributes={"teeth": (20, 30)} | ({} if pinion_speed is None else {"pinion_speed": pinion_speed}),
    )


def diagram(modes: ResultArrays) -> Figure:
    return draw_campbell(pair_diagram(modes.dataset()))


def dots(figure: Figure, frequency: float) -> list[float]:
    """Speeds [rpm] at which a mode is marked."""
    lines = [line for line in figure.axes[0].lines if line.get_marker() == "o" and len(line.get_xdata())]
    return [
        float(x) for line in lines for x, y in zip(*line.get_data(), strict=True) if abs(y - 1e-3 * frequency) < 1e-9
    ]


def horizontal(figure: Figure) -> list[float]:
    """Frequencies [Hz] of the modes drawn."""
    lines = [line.get_ydata() for line in figure.axes[0].lines if len(line.get_ydata()) == 2]
    return sorted({round(1e3 * float(y[0]), 6) for y in lines if y[0] == y[1]})


def test_orders_meet_a_mode_running_with_and_against_the_wheel() -> None:
    assert crossings(6200.0, 1, 30, 1) == pytest.approx((200.0, 6200.0 / 29.0))
    assert crossings(6000.0, 0, 30, 2) == pytest.approx((100.0,))


def test_modes_and_where_the_orders_meet_them() -> None:
    figure = diagram(history())
    # the pair's second mode is the wheel's own, which is drawn; the pinion's modes are above the diagram
    assert horizontal(figure) == [3e3, 9e3, 10e3]
    assert dots(figure, 3e3) == pytest.approx([60.0 * 3e3 / (h * 20.0) for h in (1, 2, 3)])
    # the wheel turns 20/30 times as fast as the pinion
    met = [60.0 * 1.5 * 10e3 / (h * 30.0 + n) for h in (1, 2, 3) for n in (2, -2)]
    assert sorted(dots(figure, 10e3)) == pytest.approx(sorted(s for s in met if s <= figure.axes[0].get_xlim()[1]))


@pytest.mark.parametrize(("speed", "end"), [(300.0, 1.1 * 3e3 * 60.0 / 20.0), (900.0, 1.5 * 900.0 * 30.0 / np.pi)])
def test_the_diagram_reaches_beyond_the_speed_of_the_case_and_the_first_resonance(speed: float, end: float) -> None:
    figure = diagram(history(pinion_speed=speed))
    assert figure.axes[0].get_xlim() == pytest.approx((0.0, end))
    assert figure.axes[0].get_ylim()[1] == pytest.approx(3e-3 * 20.0 * end / 60.0)


def test_it_is_the_only_plot_of_a_modal_study(tmp_path) -> None:
    assert [file.name for file in drawn(history().dataset(), tmp_path)] == ["campbell.png"]


def test_modes_outside_the_mesh_are_faint() -> None:
    shares = np.array([[0.7, 0.1, 0.2, 0.0, 0.0], [0.03, 0.0, 0.1, 0.0, 0.87]])
    figure = draw_campbell(
        pair_diagram(history(pair_energy_share=shares, pair_frequency=np.array([3e3, 5e3])).dataset())
    )
    colours = {round(float(line.get_ydata()[0]), 9): line.get_color() for line in figure.axes[0].lines if flat(line)}
    assert (colours[3.0], colours[5.0]) == ("black", FAINT_COLOUR)


def flat(line) -> bool:
    y = line.get_ydata()
    return len(y) == 2 and y[0] == y[1]


def test_lines_that_fall_on_each_other_are_one() -> None:
    modes = [
        ModeLine(1000.0, "pair", "2 %", "faint"),
        ModeLine(1000.5, "pair", "3 %", "faint"),
        ModeLine(1000.0, "wheel", "n = 2", "wheel"),
    ]
    assert [(one.whose, one.detail) for one in merged(modes)] == [("pair", "2 %, 3 %"), ("wheel", "n = 2")]


def test_names_keep_their_distance() -> None:
    places = spread(np.array([1.0, 1.01, 1.02, 5.0, 9.99, 10.0]), 0.5, 0.0, 10.0)
    assert np.diff(places).min() >= 0.5 - 1e-12
    assert (places[3], places[-1]) == (5.0, 10.0)
    assert places[:3].mean() == pytest.approx(1.01)  # as little as may be


def test_the_speeds_of_the_case_are_shaded() -> None:
    labels = diagram(history(pinion_speed=300.0)).axes[0].get_legend_handles_labels()[1]
    assert any(label.startswith("speeds up to 2865 rpm") for label in labels)
