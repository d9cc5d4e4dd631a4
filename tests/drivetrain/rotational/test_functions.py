"""Functions of time and of state that return what is no torque: an input at the start, the end of a motion after it."""

import math
import re

import numpy as np
import pytest

import alegear as ag


def moved(kind, function):
    m = ag.Machine("disk")
    m.add("a", ag.Rotor1D(inertia=1.0))
    if kind == "of time":
        m.add("t", ag.TorqueSource(at="a", torque=function))
    else:
        m.add("t", ag.TorqueFunction(at=("a",), function=lambda t, angles, speeds: function(t)))
    return m.run(duration=1e-2, output_every=1e-3)


@pytest.mark.parametrize(
    ("kind", "value"),
    [("of time", "x"), ("of time", None), ("of time", [1.0, 2.0]), ("of time", math.nan), ("of time", 2e12),
     ("of state", "x"), ("of state", [1.0, 2.0])],
)  # fmt: skip
@pytest.mark.parametrize(("begins", "error"), [(0.0, ag.Fault), (5e-3, ag.AnalysisFailure)])
def test_what_is_no_torque_is_refused_or_ends_the_motion(kind, value, begins, error):
    with pytest.raises(error, match=r" of t at t = 0.* s = .*: must be .*; (correct the function|give numbers)"):
        moved(kind, lambda t: value if t >= begins else 1.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e300])
@pytest.mark.parametrize(("begins", "error"), [(0.0, ag.Fault), (5e-3, ag.AnalysisFailure)])
def test_the_message_of_a_torque_beyond_numbers_names_part_and_state(value, begins, error):
    """Not as a residual that is not met; a huge one does not shorten the steps to nothing."""
    message = rf"t.*t = 0.*{re.escape(f'{value:.6g}')}.*must be numbers from -1e.12 to 1e.12; correct the function"
    with pytest.raises(error, match=message) as caught:
        moved("of state", lambda t: value if t >= begins else 1.0)
    assert "rad/s" in str(caught.value)
    assert "residual" not in str(caught.value)


@pytest.mark.parametrize("value", [math.nan, 1e300, "x"])
@pytest.mark.parametrize(("begins", "error"), [(0.0, ag.Fault), (5e-3, ag.AnalysisFailure)])
def test_loads_in_space_likewise(value, begins, error):
    m = ag.Machine("a body in space")
    m.add("body", ag.FloatingBody(mass=2.0, inertia=[0.1, 0.1, 0.1]))
    m.add("push", ag.SpatialLoad(body="body", force=lambda t: [0.0, 0.0, value if t >= begins else 1.0]))
    with pytest.raises(
        error, match=r"force of push at t = 0.* s = .*: must be .*; (correct the function|give numbers)"
    ):
        m.run(duration=1e-2)


@pytest.mark.parametrize("value", [1, np.float32(1.0), np.array(1.0), [1.0]])
def test_a_torque_in_other_forms_is_taken(value):
    result = moved("of state", lambda t: value)
    np.testing.assert_allclose(result.dataset.speed[-1], 1e-2, rtol=1e-9)  # relative error of the steps
