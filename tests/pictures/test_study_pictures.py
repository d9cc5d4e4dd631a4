"""Pictures of studies: labels that do not stand on each other, and what is drawn where."""

import itertools

import numpy as np
import pytest
from made_up_study import TORQUE, made_up
from matplotlib.text import Text
from scipy.optimize import minimize

import alegear as ag
from alegear.pictures.design_words import axis_label, short_key, varied_keys, with_unit
from alegear.pictures.labels import spread
from alegear.pictures.of_results.harris_map import draw_harris_map
from alegear.pictures.of_results.optimum import draw_optimum
from alegear.pictures.of_results.pareto import draw_fronts
from alegear.results.designs import HarrisMap, Quantity


@pytest.mark.parametrize("seed", range(4))
def test_labels_are_spread_as_little_as_the_gap_allows(seed):
    wanted = np.random.default_rng(seed).uniform(0.0, 4.0, 6)
    found = spread(wanted, 1.0, -10.0, 20.0)
    order = np.argsort(wanted)
    assert np.all(np.diff(found[order]) >= 1.0 - 1e-12)
    # independent: the least squares as an optimiser finds them under the same constraints
    gaps = [{"type": "ineq", "fun": lambda y, i=i: y[order[i + 1]] - y[order[i]] - 1.0} for i in range(5)]
    least = minimize(lambda y: np.sum((y - wanted) ** 2), wanted, constraints=gaps, tol=1e-12).fun
    np.testing.assert_allclose(np.sum((found - wanted) ** 2), least, rtol=1e-6)  # of the optimiser


def test_labels_stay_within_their_bounds():
    found = spread(np.array([9.9, 9.95, 0.0, 0.01]), 1.0, 0.0, 10.0)
    assert found.min() >= 0.0
    assert found.max() <= 10.0
    assert np.diff(np.sort(found)).min() >= 1.0 - 1e-12


def harris_of(values: np.ndarray) -> HarrisMap:
    quantity = Quantity(name="te_peak_to_peak", unit="um", words="peak to peak", values=None, worst=None, mean=None)
    reliefs = range(len(values))
    designs = tuple({"pinion.flank.tip_relief_um": float(n), "wheel.flank.tip_relief_um": 2.0 * n} for n in reliefs)
    return HarrisMap(
        title="made up",
        quantity=quantity,
        torque="operation.pinion_torque_Nm",
        torques=np.linspace(40.0, 180.0, values.shape[1]),
        largest=False,
        designs=designs,
        values=values,
        by="worst",
        over=("sample",),
        at={},
    )


@pytest.mark.parametrize("count", [2, 20, 60])
def test_labels_at_the_ends_of_a_harris_map_do_not_collide(count):
    values = 1.0 + 1e-3 * np.random.default_rng(0).uniform(size=(count, 4))  # all end at one place
    figure = draw_harris_map(harris_of(values))
    figure.draw_without_rendering()
    texts = [one for one in figure.axes[0].texts if one.get_text()]
    assert len(texts) <= 26
    # of the text alone, without its line
    boxes = sorted((Text.get_window_extent(one) for one in texts), key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 0.5 for low, high in itertools.pairwise(boxes))  # half a dot of rounding


def test_the_curve_that_is_lowest_stands_out():
    values = np.array([[1.0, 5.0], [2.0, 3.0], [4.0, np.nan]])
    harris = harris_of(values)
    assert harris.best == 1
    widths = [line.get_linewidth() for line in draw_harris_map(harris).axes[0].lines]
    assert int(np.argmax(widths)) == 1


def test_keys_are_written_in_words():
    assert axis_label("pinion.flank.tip_relief_um") == "pinion tip relief [µm]"
    assert with_unit("pinion.flank.lead_crowning_um", "4") == "pinion lead crowning = 4 µm"
    assert with_unit("wheel.profile_shift", "0.1") == "wheel profile shift = 0.1"
    assert short_key("alignment.tilt_plane_of_action_deg") == "tilt plane of action"
    designs = [{"a_um": n, "b_um": 2 * n, "c": 1, "d": m} for n in (1, 2) for m in (3, 4)]
    assert varied_keys(designs) == ["a_um", "d"]  # b says no more than a, c nothing


def test_optimum_and_fronts_are_drawn(tmp_path):
    study = made_up()
    for asked, panels in ((study.optimum(over=[TORQUE]), 1), (study.optimum(), 2)):
        assert len(draw_optimum(study.dataset, asked).axes) == panels
    figure = draw_fronts("made up", [study.pareto("te_peak_to_peak", "root_stress_max", over=[TORQUE])])
    drawn = figure.axes[0]
    np.testing.assert_allclose(drawn.lines[1].get_ydata(), [3.0])  # the front
    assert "N m" not in drawn.get_xlabel()
    figure.draw_without_rendering()
    (listed,) = figure.axes[-1].texts
    assert listed.get_window_extent().x1 <= figure.bbox.x1  # of the designs
    assert isinstance(study, ag.StudyResult)
