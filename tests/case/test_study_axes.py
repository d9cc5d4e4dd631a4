"""Axes and tolerances of a study: what they come to, and what is refused in one line."""

import numpy as np
import pytest
from scipy import stats

import alegear as ag
from alegear.case.study_axes import SAMPLE, study_axes, tolerances_of


def test_axes_and_ranges_and_keys_that_vary_together():
    torque, relief = study_axes(
        {
            "operation.pinion_torque_Nm": {"from": 40.0, "to": 180.0, "points": 3},
            "relief": {
                "pinion.flank.tip_relief_um": np.array([0.0, 5.0]),
                "wheel.flank.tip_relief_um": (0, 6),
                "pinion.flank.tip_relief_shape": "parabolic",
            },
        },
        None,
    )
    assert torque.name == "operation.pinion_torque_Nm"
    assert torque.values == {"operation.pinion_torque_Nm": (40.0, 110.0, 180.0)}
    assert len(relief) == 2
    assert relief.values["pinion.flank.tip_relief_um"] == (0.0, 5.0)
    assert relief.values["wheel.flank.tip_relief_um"] == (0, 6)
    assert relief.values["pinion.flank.tip_relief_shape"] == ("parabolic", "parabolic")


@pytest.mark.parametrize(
    ("axes", "tolerances", "message"),
    [
        ({"a_um": []}, None, "axis a_um = []: must be a list of at least one value"),
        ({}, None, "axes = none: must be at least one axis"),
        ({"z": {"a": [1, 2], "b": [1]}}, None, "axis z = a: 2, b: 1: must be of as many values for each key"),
        ({"a_um": 3.0}, None, "axis a_um = 3.0: must be a list of values"),
        ({"a_um": [1, 1.0]}, None, "axis a_um = 1.0 twice"),
        ({"a_um": [1], "z": {"a_um": [2]}}, None, "key of the axis z = a_um: must be on one axis only"),
        ({"position": {"a": [1]}}, None, "name of an axis = 'position'"),
        ({"a": {"from": 0.0, "to": 1.0, "points": 1}}, None, "points of the range of a = 1"),
        ({"a": {"from": 0.0, "to": 1.0, "point": 3}}, None, "axis a = a table of from, to, point: must be a range"),
        ({"z": {"a": {"to": 1.0, "points": 3}}}, None, "axis a = a table of to, points: must be a range"),
        ({}, {"a_deg": {"normal": [0.0, 0.0]}}, "whose standard deviation is greater than 0"),
        ({}, {"a_deg": {"uniform": [2.0, 2.0]}}, "tolerance of a_deg = uniform = [2, 2]: must be a distribution whose"),
        ({}, {"a_deg": {"gamma": [2.0, 2.0]}}, "tolerance of a_deg = a dict: must be { normal = [mean"),
        ({}, {"a_deg": {"uniform": [2.0, float("nan")]}}, "must be a finite number"),
        ({}, {"samples": 4}, "tolerances = no keys: must be at least one key"),
        ({}, {"samples": 0, "a": {"uniform": [0, 1]}}, "number of samples = 0: must be at least 1"),
        ({}, {"samples": 2.5, "a": {"uniform": [0, 1]}}, "must be a whole number"),
    ],
)
def test_what_is_no_axis_is_refused_in_one_line(axes, tolerances, message):
    with pytest.raises(ag.Fault) as caught:
        study_axes(axes, tolerances)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_samples_follow_their_distributions_one_in_each_part_of_equal_probability():
    n = 200
    given = {"a": {"normal": [3.0, 2.0]}, "b": {"uniform": [-1.0, 4.0]}, "samples": n, "seed": 7}
    axis = tolerances_of(given).axis
    assert axis.name == SAMPLE
    for key, distribution in (("a", stats.norm(3.0, 2.0)), ("b", stats.uniform(-1.0, 5.0))):
        shares = np.sort(distribution.cdf(axis.values[key]))
        assert np.array_equal(np.floor(n * shares), np.arange(n))
    assert abs(np.corrcoef(axis.values["a"], axis.values["b"])[0, 1]) < 4.0 / np.sqrt(n)  # four standard deviations
    again, other = tolerances_of(given).axis, tolerances_of(given | {"seed": 8}).axis
    assert again.values == axis.values
    assert other.values != axis.values
