"""Overall efficiency: the hyperbolas of the paper, all quadrants, and loads that turn nothing."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from alegear.drivetrain import overall_efficiency as module
from alegear.drivetrain.loss_table import LossTable, PositionFactor
from alegear.drivetrain.overall_efficiency import overall_efficiency
from alegear.errors import Fault

ROWS = [[0.0, 0.97, 0.95, 0.5, 0.4], [100.0, 0.9, 0.85, 1.5, 2.0]]


def test_examples_of_the_docstrings() -> None:
    found = doctest.testmod(module)
    assert found.failed == 0
    assert found.attempted > 1


def test_hyperbolas_of_the_paper() -> None:
    """Figure 6: eta_mf1 0.97, tau_bf1 = 0.01 (omega_B^2 + 2 omega_B + 5) of the largest load."""
    loads = np.linspace(0.02, 1.0, 50)
    for speed in (0.5, 1.0, 2.0):
        tau_bf = 0.01 * (speed**2 + 2.0 * speed + 5.0)
        table = LossTable(rows=[[speed, 0.97, 0.97, tau_bf, tau_bf]])
        eta = overall_efficiency(table, ratio=1.0, speed=speed, tau_B=-loads)
        np.testing.assert_allclose(eta, 0.97 * loads / (loads + tau_bf), rtol=1e-14)  # round-off
        assert (np.diff(eta) > 0.0).all()


def powers(table: LossTable, ratio: float, speed: float, tau_B: float) -> tuple[float, float]:
    """Power into A and into B; the torque on A is found from the torque balance alone."""
    reach = 1e3 * (1.0 + abs(tau_B / ratio))
    tau_A = brentq(lambda tau: ratio * (-tau + table.loss_torque(speed, tau)) - tau_B, -reach, reach, xtol=1e-13)
    return speed * tau_A, speed / ratio * tau_B


@given(st.sampled_from([-3.0, -0.5, 1.0, 4.0]), st.sampled_from([-80.0, -20.0, 5.0, 60.0]), st.floats(-200.0, 200.0))
def test_is_power_out_over_power_in_in_all_quadrants(ratio: float, speed: float, tau_B: float) -> None:
    table = LossTable(rows=ROWS)
    eta = float(overall_efficiency(table, ratio=ratio, speed=speed, tau_B=tau_B))
    into = powers(table, ratio, speed, tau_B)
    out = -min(*into, 0.0)
    # tolerance of the root and round-off, over the bearing power of 0.4 N m at least, which always comes in
    assert eta == pytest.approx(out / max(into), abs=1e-9)
    assert 0.0 <= eta < 0.97


@pytest.mark.parametrize("ratio", [2.0, -2.0])
@pytest.mark.parametrize("speed", [50.0, -50.0])
def test_tends_to_the_mesh_efficiency_of_the_shaft_that_drives(ratio: float, speed: float) -> None:
    table = LossTable(rows=ROWS)
    eta_1, eta_2, *_ = table.at(speed)
    towards = np.sign(speed / ratio) * 1e9
    found = overall_efficiency(table, ratio=ratio, speed=speed, tau_B=[-towards, towards])
    np.testing.assert_allclose(found, [eta_1, eta_2], rtol=1e-8)  # bearing losses of 1 N m under 1e9


def test_nothing_comes_out_under_small_loads_from_b() -> None:
    table = LossTable(rows=[[0.0, 0.9, 0.9, 1.0, 2.0]])
    eta = overall_efficiency(table, ratio=1.0, speed=1.0, tau_B=[0.0, 1.0, 1.99, 2.01, 4.0])
    np.testing.assert_array_equal(eta[:3], 0.0)
    np.testing.assert_allclose(eta[3:], [0.9 * 0.01 / 2.01, 0.9 * 2.0 / 4.0], rtol=1e-12)


def test_without_losses() -> None:
    eta = overall_efficiency(LossTable(), ratio=3.0, speed=-2.0, tau_B=[-1.0, 0.0, 1.0])
    np.testing.assert_array_equal(eta, [1.0, np.nan, 1.0])


def test_position_counts() -> None:
    factor = PositionFactor(angles=[0.0, 1.0], factors=[0.0, 1.0])
    table = LossTable(rows=ROWS, position_factor=factor)
    assert overall_efficiency(table, ratio=1.0, speed=1.0, tau_B=-5.0, angle=0.0) == 1.0
    assert overall_efficiency(table, ratio=1.0, speed=1.0, tau_B=-5.0, angle=1.0) < 0.9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ratio": 0.0}, "gear ratio = 0.0: must be a finite number other than 0"),
        ({"ratio": float("nan")}, "gear ratio = nan"),
        ({"ratio": "2"}, "gear ratio"),
        ({"speed": 0.0}, "speed of shaft A"),
        ({"tau_B": [1.0, np.inf]}, r"torque on shaft B \[N m\] = inf"),
        ({"table": ROWS}, "a LossTable"),
    ],
)
def test_what_cannot_be(changes: dict, message: str) -> None:
    given_ = {"table": LossTable(rows=ROWS), "ratio": 1.0, "speed": 1.0, "tau_B": -1.0} | changes
    with pytest.raises(Fault, match=message):
        overall_efficiency(given_.pop("table"), **given_)
