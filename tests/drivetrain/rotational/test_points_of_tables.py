"""Points of tables that are too close or too large for slopes and cubics are refused, whatever the table is of."""

from __future__ import annotations

import math
import warnings

import pytest

import alegear as ag
from alegear.drivetrain.loss_table import LossTable
from alegear.errors import Fault

CLOSE = (5e-324, 1e-308, 1e-200, 1e-13)


def _tables(close: float) -> dict[str, object]:
    """What makes each kind of object with a table whose second point lies so far behind the first."""
    torques = [(0.0, 0.0), (close, 1e3), (1.0, 0.0)]
    ratios = [(0.0, 1.0), (close, 2.0), (2.0 * math.pi, 1.0)]
    row = [0.97, 0.97, 1.0, 1.0]
    between = {"between": ("a", "b")}
    return {
        "torque": lambda: ag.TorqueSource(name="t", at="a", torque=torques),
        "speed": lambda: ag.SpeedSource(at="a", speed=torques),
        "drive": lambda: ag.Drive(shaft="a", speed_table=torques),
        "ratio over the angle": lambda: ag.VaryingRatio(**between, over_angle=ratios, stiffness=1e5),
        "ratio over time": lambda: ag.VaryingRatio(**between, over_time=ratios, damping=1.0),
        "friction": lambda: ag.BearingFriction(at="a", torque=[(0.0, 1.0), (close, 2.0)]),
        "throttle": lambda: ag.TorqueMap(at="a", throttle=torques, speeds=[0.0, 1.0], throttles=[0.0, 1.0],
                                         torque=[[0.0, 0.0], [1.0, 1.0]]),
        "torque map": lambda: ag.TorqueMap(at="a", throttle=1.0, speeds=[0.0, close], throttles=[0.0, 1.0],
                                           torque=[[0.0, 0.0], [1.0, 1.0]]),
        "converter": lambda: ag.TorqueConverter(pump="a", turbine="b",
                                                table=[[0.0, 0.2, 2.0], [close, 0.1, 1.1], [1.0, 0.0, 1.0]]),
        "losses": lambda: LossTable(rows=[[0.0, *row], [close, *row]]),
    }  # fmt: skip


@pytest.mark.parametrize("close", CLOSE)
@pytest.mark.parametrize("name", _tables(1.0))
def test_points_too_close_for_a_slope_are_refused(name: str, close: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Fault, match=r"distance of points 1 and 2 of .* leave out one of the two"):
            _tables(close)[name]()


@pytest.mark.parametrize("number", [1e300, -2e12, math.inf, math.nan])
def test_numbers_beyond_those_of_functions_are_refused(number: float) -> None:
    for torque in (number, [(0.0, 0.0), (1.0, number)]):
        with pytest.raises(Fault, match="torque"):
            ag.TorqueSource(name="t", at="a", torque=torque)


def test_a_last_point_far_away_keeps_the_first_ones() -> None:
    """Points are close beside their own abscissae, not beside the largest one: tables end with 1e9 s for ever."""
    ag.TorqueSource(name="t", at="a", torque=[(0.0, 0.0), (1e-6, 1.0), (1e9, 1.0)])
    ag.Drive(shaft="a", speed_table=[(0.0, 0.0), (1e-6, 1.0), (1e9, 1.0)])
