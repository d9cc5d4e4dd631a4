"""Angles and phases that a case gives: whole turns or periods more or less are the same, below 0 as above."""

import math

import numpy as np
import pytest

import alegear as ag
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.rolling.element import contacts_at
from alegear.drivetrain.rotational.profiles import Sine

TURN = 2.0 * math.pi
SHARES = (-1.0, -0.3, 0.0, 0.7, 1.0)  # of a turn or period


def factor(share: float) -> list[float]:
    one = PeriodicFactor(period=3e-3, values=(1.0, 1.3, 0.9, 0.7), start=3e-3 * share)
    return [value for x in (-4e-3, 0.0, 1.1e-3) for value in (one.at(x), one.slope(x), one.curvature(x))]


def sine(share: float) -> list[float]:
    one = Sine(mean=1.0, amplitude=2.0, frequency=50.0, phase=TURN * share)
    return [one.value(t) for t in (0.0, 1e-3, 7e-3)]


def bearing(*, cage: float = 0.1, defect: float = 0.3, on: str = "outer ring") -> list[float]:
    one = ag.RollerBearing(
        name="b",
        shaft="s",
        at=0.0,
        count=14,
        diameter=10e-3,
        pitch_diameter=60e-3,
        length=12e-3,
        cage_angle=TURN * cage,
        defects=(ag.BearingDefect(on=on, at=TURN * defect, width=4e-3, depth=40e-6),),
    )
    found = []
    for turned in np.linspace(-7.0, 7.0, 141):
        energy, gradient, _, loads = contacts_at(one.tables, np.array([6e-5, 2e-5, 0.0, 1e-4, 0.0, turned, 0.0]))
        found += [energy, *gradient, loads.sum()]
    return found


PHASES = {
    "start of a periodic factor": factor,
    "phase of a sine": sine,
    "angle of a cage": lambda share: bearing(cage=share),
    "defect of the outer ring": lambda share: bearing(defect=share),
    "defect of the inner ring": lambda share: bearing(defect=share, on="inner ring"),
}


@pytest.mark.parametrize("name", PHASES)
def test_a_whole_turn_more_is_the_same(name):
    told = {share: np.array(PHASES[name](share)) for share in SHARES}
    scale = np.abs(told[0.0]) + 1e-9 * np.abs(told[0.0]).max()
    assert np.abs((told[0.7] - told[0.0]) / scale).max() > 1e-3  # it has an effect
    for share, same in ((-1.0, 0.0), (1.0, 0.0), (-0.3, 0.7)):
        np.testing.assert_allclose(told[share], told[same], rtol=1e-9, atol=1e-9 * scale.max())
