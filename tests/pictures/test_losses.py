"""Pictures of losses: the curves are those of the table, and what is not known is not drawn."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from alegear.drivetrain.loss_identification import MeasuredTorques, identify_losses
from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.overall_efficiency import overall_efficiency
from alegear.pictures.loss_tables import draw_identified_losses, draw_loss_torque, draw_overall_efficiency

TABLE = LossTable(rows=[[0.0, 0.95, 0.94, 0.3, 0.4], [100.0, 0.97, 0.96, 0.6, 0.5]])


def drawn(figure) -> Image.Image:
    file = BytesIO()
    figure.savefig(file, format="png")
    return Image.open(file)


def identified(loads: int, error: float = 0.1):
    random, load = np.random.default_rng(1), np.linspace(10.0, 40.0, loads)
    speeds = TABLE.values[:, 0]

    def torques(sign: float) -> MeasuredTorques:
        exact = np.array([TABLE.driving_torque(float(speed), sign * load, 1) for speed in speeds])
        return MeasuredTorques(tau_A=exact + error * random.standard_normal(exact.shape), tau_B=-2.0 * sign * load)

    return identify_losses(ratio=2.0, speeds=speeds, driving=torques(1.0), driven=torques(-1.0))


def test_loss_torque_forwards_and_backwards() -> None:
    tau_A = np.linspace(-10.0, 10.0, 21)
    figure = draw_loss_torque(TABLE, speeds=[0.0, 100.0], tau_A=tau_A)
    curves = {line.get_label(): line.get_ydata() for line in figure.axes[0].lines}
    np.testing.assert_array_equal(curves["0 rad/s, forwards"], TABLE.loss_torque(0.0, tau_A, 1))
    np.testing.assert_array_equal(curves["100 rad/s, backwards"], TABLE.loss_torque(-100.0, tau_A))
    assert min(drawn(figure).size) > 400


def test_overall_efficiency_by_speed() -> None:
    tau_B = np.linspace(-50.0, 50.0, 11)
    figure = draw_overall_efficiency(TABLE, ratio=2.0, speeds=[50.0, 100.0], tau_B=tau_B)
    for line, speed in zip(figure.axes[0].lines, (50.0, 100.0), strict=True):
        expected = overall_efficiency(TABLE, ratio=2.0, speed=speed, tau_B=tau_B)
        np.testing.assert_allclose(line.get_ydata(), 100.0 * expected, rtol=1e-15)  # round-off
    assert min(drawn(figure).size) > 400


def test_estimates_have_their_intervals() -> None:
    found = identified(6)
    figure = draw_identified_losses(found, known=TABLE)
    for column, axes in enumerate(figure.axes):
        (bars,) = axes.collections
        ends = np.array([path.vertices[:, 1] for path in bars.get_paths()])
        np.testing.assert_allclose(ends, np.column_stack([found.lower, found.upper])[:, [column, column + 4]])
        assert {line.get_label() for line in axes.lines} >= {"table", "true"}
    assert min(drawn(figure).size) > 400


@pytest.mark.parametrize("loads", [2, 3])
def test_intervals_that_are_not_known_or_have_no_end_are_left_out(loads: int) -> None:
    found = identified(loads, error=10.0)
    assert not np.isfinite(found.upper).all()
    assert min(drawn(draw_identified_losses(found)).size) > 400
