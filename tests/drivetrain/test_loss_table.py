"""Loss tables: values, loss torque and its inverse, position, temperature, and every table that cannot be right."""

from __future__ import annotations

import doctest
from math import pi
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alegear.drivetrain import loss_table
from alegear.drivetrain.loss_table import COLUMNS, LossMap, LossTable, PositionFactor
from alegear.errors import Fault

ROWS = [[10.0, 0.9, 0.85, 0.5, 0.8], [50.0, 0.94, 0.93, 0.7, 0.6], [200.0, 0.97, 0.95, 1.5, 1.6]]
EPS = np.finfo(float).eps
efficiency = st.floats(0.05, 1.0)
torque = st.floats(0.0, 20.0)


def of(eta_1: float, eta_2: float, tau_1: float, tau_2: float) -> LossTable:
    return LossTable(rows=[[0.0, eta_1, eta_2, tau_1, tau_2]])


def test_examples_of_the_docstrings() -> None:
    found = doctest.testmod(loss_table)
    assert found.failed == 0
    assert found.attempted > 5


class TestInterpolation:
    def test_no_losses_by_default(self) -> None:
        assert LossTable().at(12.3) == (1.0, 1.0, 0.0, 0.0)
        assert LossTable().loss_torque(-3.0, 7.0) == 0.0

    def test_rows_are_met_and_lines_lie_between(self) -> None:
        table = LossTable(rows=ROWS)
        for row in ROWS:
            assert table.at(row[0]) == tuple(row[1:])
        # round-off of a mean
        np.testing.assert_allclose(table.at(30.0), np.mean([ROWS[0][1:], ROWS[1][1:]], axis=0), rtol=4 * EPS)

    def test_constant_beyond_both_ends_and_even(self) -> None:
        table = LossTable(rows=ROWS)
        assert table.at(0.0) == table.at(9.0) == tuple(ROWS[0][1:])
        assert table.at(1e9) == table.at(-200.0) == tuple(ROWS[-1][1:])

    def test_arrays_are_interpolated_one_by_one(self) -> None:
        table, speeds = LossTable(rows=ROWS), np.linspace(-250.0, 250.0, 12).reshape(3, 4)
        found = table.at(speeds)
        for place in np.ndindex(speeds.shape):
            assert table.at(float(speeds[place])) == tuple(float(values[place]) for values in found)

    def test_what_was_given_can_change_without_effect(self) -> None:
        rows = np.array(ROWS)
        table = LossTable(rows=rows)
        rows[:] = 1.0
        assert table.at(10.0) == tuple(ROWS[0][1:])
        with pytest.raises(ValueError, match="read-only"):
            table.values[0, 0] = 1.0


def by_power_flow(table: LossTable, speed: float, tau_A: float) -> float:
    """Table 1 of the paper with the shifted switch, case by case."""
    eta_1, eta_2, tau_1, tau_2 = table.at(speed)
    shift = tau_1 / 2.0 if eta_1 == eta_2 == 1.0 else (tau_1 - tau_2) / (eta_1 - 1.0 / eta_2)
    if speed > 0.0:
        return (1 - eta_1) * tau_A + tau_1 if tau_A - shift >= 0.0 else (1 - 1 / eta_2) * tau_A + tau_2
    return (1 - eta_1) * tau_A - tau_1 if tau_A + shift <= 0.0 else (1 - 1 / eta_2) * tau_A - tau_2


class TestLossTorque:
    @given(efficiency, efficiency, torque, torque, st.floats(-100.0, 100.0), st.sampled_from([-2.0, 2.0]))
    def test_is_that_of_the_power_flow(self, eta_1, eta_2, tau_1, tau_2, tau_A, speed) -> None:
        table = of(eta_1, eta_2, tau_1, tau_2)
        largest = (1.0 / eta_2) * abs(tau_A) + tau_1 + tau_2
        # beside the switch the two lines differ by round-off of their values
        assert table.loss_torque(speed, tau_A) == pytest.approx(
            by_power_flow(table, speed, tau_A), abs=64 * EPS * largest
        )

    @given(efficiency, efficiency, torque, torque, st.floats(-100.0, 100.0))
    def test_never_gains_power_and_is_mirrored(self, eta_1, eta_2, tau_1, tau_2, tau_A) -> None:
        table = of(eta_1, eta_2, tau_1, tau_2)
        loss = table.loss_torque(1.0, tau_A)
        assert loss >= 0.0
        assert table.loss_torque(-1.0, -tau_A) == -loss

    @given(st.floats(0.05, 0.999), efficiency, torque, torque)
    def test_convex_and_continuous(self, eta_1, eta_2, tau_1, tau_2) -> None:
        table = of(eta_1, eta_2, tau_1, tau_2)
        switch = table.branches(1.0).switch
        tau = np.linspace(-3.0, 3.0, 301) * (1.0 + abs(switch))
        loss = np.asarray(table.loss_torque(1.0, tau))
        assert np.diff(loss, 2).min() >= -16 * EPS * np.abs(loss).max()
        driving, driven, _ = table.branches(1.0)
        at_switch = [line.constant + line.slope * switch for line in (driving, driven)]
        assert at_switch[0] == pytest.approx(at_switch[1], rel=1e-9, abs=1e-12 * (1.0 + abs(switch)))

    def test_the_paper_s_switch_jumps_where_ours_does_not(self) -> None:
        table = of(0.9, 0.9, 2.0, 0.5)
        driving, driven, switch = table.branches(1.0)
        assert driving.constant - driven.constant == 1.5  # the jump at tau_A = 0 that the shift takes away
        assert switch == pytest.approx((2.0 - 0.5) / (0.9 - 1.0 / 0.9))
        both = np.asarray(table.loss_torque(1.0, switch + np.array([-1e-9, 1e-9])))
        assert abs(both[1] - both[0]) < 1e-9  # slopes are below 1

    def test_without_mesh_friction_it_jumps_at_half_the_bearing_torque(self) -> None:
        table = of(1.0, 1.0, 2.0, 0.5)
        assert table.branches(1.0).switch == 1.0
        np.testing.assert_array_equal(table.loss_torque(1.0, [-9.0, 0.999, 1.0, 9.0]), [0.5, 0.5, 2.0, 2.0])
        np.testing.assert_array_equal(table.loss_torque(-1.0, [9.0, -0.999, -1.0, -9.0]), [-0.5, -0.5, -2.0, -2.0])

    def test_without_bearing_losses_it_is_the_table_of_the_paper(self) -> None:
        table = of(0.9, 0.8, 0.0, 0.0)
        for speed, tau_A, loss in [(1, 5, 0.1 * 5), (1, -5, 0.25 * 5), (-1, 5, -0.25 * 5), (-1, -5, -0.1 * 5)]:
            assert table.loss_torque(float(speed), float(tau_A)) == pytest.approx(loss, rel=1e-14)  # round-off

    def test_at_rest_a_direction_is_needed(self) -> None:
        table = LossTable(rows=ROWS)
        assert table.loss_torque(0.0, 5.0, 1) == table.loss_torque(1e-300, 5.0)
        assert table.branches(0.0, -1) == table.branches(-1e-300)
        with pytest.raises(Fault, match="give direction"):
            table.loss_torque(0.0, 5.0)
        with pytest.raises(Fault, match="direction of sliding = -1: must be that of the speed 3 rad/s"):
            table.loss_torque(3.0, 5.0, -1)
        with pytest.raises(Fault, match="direction of sliding = 2"):
            table.loss_torque(3.0, 5.0, 2)
        with pytest.raises(Fault, match="speed of shaft A"):
            table.loss_torque(float("nan"), 5.0)


class TestDrivingTorque:
    @given(efficiency, efficiency, torque, torque, st.floats(-100.0, 100.0), st.sampled_from([-2.0, 2.0]))
    def test_is_the_inverse(self, eta_1, eta_2, tau_1, tau_2, load, speed) -> None:
        table = of(eta_1, eta_2, tau_1, tau_2)
        tau_A = table.driving_torque(speed, load)
        if eta_1 == eta_2 == 1.0 and tau_1 != tau_2:
            return  # a jump: see below
        scale = (abs(load) + tau_1 + tau_2 + abs(tau_A)) / min(eta_1, eta_2)
        assert tau_A - table.loss_torque(speed, tau_A) == pytest.approx(load, abs=64 * EPS * scale)

    @pytest.mark.parametrize(("tau_1", "tau_2"), [(2.0, 0.5), (0.5, 2.0)])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_across_the_jump(self, tau_1: float, tau_2: float, sign: int) -> None:
        table = of(1.0, 1.0, tau_1, tau_2)
        loads = sign * np.linspace(-4.0, 4.0, 801)
        tau = np.asarray(table.driving_torque(float(sign), loads))
        left = tau - np.asarray(table.loss_torque(float(sign), tau)) - loads
        stands = tau == table.branches(float(sign)).switch
        assert np.abs(left[~stands]).max() < 1e-14  # round-off
        # filled where no torque belongs to the load: from tau_1/2 - tau_2 to -tau_1/2, in steps of 0.01
        assert stands.sum() == pytest.approx(100 * max(tau_2 - tau_1, 0.0), abs=1.5)


class TestPosition:
    def test_periodic_and_linear(self) -> None:
        factor = PositionFactor(angles=[0.1, 0.3, 0.4], factors=[1.0, 1.4, 0.6], period=0.5)
        np.testing.assert_allclose(
            factor.at([0.1, 0.2, 0.4, 0.5, 0.6, 0.0]), [1.0, 1.2, 0.6, 0.8, 1.0, 0.8], rtol=1e-12
        )
        angles = np.linspace(-1.0, 1.0, 57)
        np.testing.assert_allclose(factor.at(angles + 4 * 0.5), factor.at(angles), rtol=1e-12)  # round-off of angles

    def test_scales_all_losses(self) -> None:
        factor = PositionFactor(angles=[0.0, pi], factors=[0.0, 2.0])
        plain, varied = LossTable(rows=ROWS), LossTable(rows=ROWS, position_factor=factor)
        assert varied.at(50.0, 0.0) == (1.0, 1.0, 0.0, 0.0)
        eta_1, eta_2, tau_1, tau_2 = plain.at(50.0)
        expected = (2 * eta_1 - 1, 2 * eta_2 - 1, 2 * tau_1, 2 * tau_2)
        np.testing.assert_allclose(varied.at(50.0, pi), expected, rtol=1e-14)  # round-off
        np.testing.assert_allclose(varied.at(50.0, -pi / 2), plain.at(50.0), rtol=1e-14)
        assert varied.loss_torque(50.0, 3.0, angle=pi) == pytest.approx(2 * (1 - eta_1) * 3.0 + 2 * tau_1)

    def test_an_angle_is_given_with_a_factor_and_only_then(self) -> None:
        factor = PositionFactor(angles=[0.0], factors=[1.1])
        with pytest.raises(Fault, match="no effect without a position factor"):
            LossTable().at(1.0, 0.5)
        with pytest.raises(Fault, match="give angle"):
            LossTable(position_factor=factor).at(1.0)

    def test_factors_that_use_up_an_efficiency(self) -> None:
        factor = PositionFactor(angles=[0.0, 1.0], factors=[1.0, 6.7])
        with pytest.raises(Fault, match=r"6\.7: must be less than 6\.66667, with which .* 0\.85 comes down to 0"):
            LossTable(rows=ROWS, position_factor=factor)
        with pytest.raises(Fault, match=r"less than 6\.66667"):
            LossMap(temperatures=[300.0], tables=[LossTable(rows=ROWS)], position_factor=factor)

    @pytest.mark.parametrize(
        ("given_", "message"),
        [
            ({"angles": [0.0, 1.0], "factors": [1.0]}, "number of factors over the position = 1: must be 2"),
            ({"angles": [0.0, 1.0, 1.0], "factors": [1.0] * 3}, r"\[rad\] = 1\.0: must be rising"),
            ({"angles": [0.0, 1.0], "factors": [1.0] * 2, "period": 1.0}, "less than 1, where the period begins again"),
            ({"angles": [0.0, 1.0], "factors": [1.0, -0.1]}, r"= -0\.1: must be at least 0"),
            ({"angles": [0.0, 1.0], "factors": [1.0, np.nan]}, "factors of a position factor = not finite"),
            ({"angles": [], "factors": []}, "angles of a position factor"),
            ({"angles": [[0.0]], "factors": [1.0]}, "angles of a position factor"),
            ({"angles": ["a"], "factors": [1.0]}, "an array of numbers"),
            ({"angles": [0.0], "factors": [1.0], "period": 0.0}, "period of a position factor"),
            ({"angles": [0.0], "factors": [1.0], "period": "turn"}, "PositionFactor.period"),
        ],
    )
    def test_factors_that_cannot_be(self, given_: dict, message: str) -> None:
        with pytest.raises(Fault, match=message):
            PositionFactor(**given_)


class TestTemperature:
    COLD = LossTable(rows=[[0.0, 0.8, 0.7, 2.0, 3.0], [100.0, 0.9, 0.8, 4.0, 5.0]])
    WARM = LossTable(rows=[[50.0, 1.0, 0.9, 1.0, 1.0], [80.0, 0.9, 0.9, 2.0, 2.0]])

    def both(self, **changes) -> LossMap:
        return LossMap(**({"temperatures": [300.0, 400.0], "tables": (self.COLD, self.WARM)} | changes))

    @pytest.mark.parametrize("speed", [0.0, 20.0, 50.0, 65.0, 90.0, 300.0])
    @pytest.mark.parametrize("temperature", [300.0, 310.0, 377.0, 400.0])
    def test_linear_at_each_speed(self, speed: float, temperature: float) -> None:
        weight = (temperature - 300.0) / 100.0
        expected = (1 - weight) * np.array(self.COLD.at(speed)) + weight * np.array(self.WARM.at(speed))
        # round-off: the table of a temperature bends where one of the two does, and nowhere else
        np.testing.assert_allclose(self.both().at(speed, temperature=temperature), expected, rtol=1e-14)

    def test_constant_beyond_the_first_and_last(self) -> None:
        # round-off: at speeds of the warm table the cold one is interpolated first
        np.testing.assert_allclose(self.both().at(60.0, temperature=200.0), self.COLD.at(60.0), rtol=1e-14)
        np.testing.assert_allclose(self.both().at(60.0, temperature=999.0), self.WARM.at(60.0), rtol=1e-14)

    def test_three_tables_and_one(self) -> None:
        third = of(0.5, 0.5, 9.0, 9.0)
        three = LossMap(temperatures=[300.0, 400.0, 500.0], tables=(self.COLD, self.WARM, third))
        np.testing.assert_allclose(three.at(60.0, temperature=350.0), self.both().at(60.0, temperature=350.0))
        mean = np.mean([self.WARM.at(60.0), third.at(60.0)], axis=0)
        np.testing.assert_allclose(three.at(60.0, temperature=450.0), mean, rtol=1e-14)
        assert LossMap(temperatures=[300.0], tables=(third,)).at(1.0, temperature=17.0) == third.at(1.0)

    def test_no_mesh_friction_stays_none(self) -> None:
        """An efficiency of 1 at both temperatures is 1 in between: the switch of the loss torque hangs on it."""
        tables = (of(1.0, 1.0, 0.1, 0.2), of(1.0, 1.0, 0.3, 0.7))
        for temperature in np.linspace(300.0, 400.0, 37):
            found = LossMap(temperatures=[300.0, 400.0], tables=tables).at(1.0, temperature=float(temperature))
            assert found[:2] == (1.0, 1.0)

    def test_position_goes_with_every_temperature(self) -> None:
        factor = PositionFactor(angles=[0.0, pi], factors=[0.5, 1.5])
        varied = self.both(position_factor=factor).at(60.0, pi, temperature=350.0)
        plain = self.both().at(60.0, temperature=350.0)
        np.testing.assert_allclose(varied.tau_1, 1.5 * plain.tau_1)
        np.testing.assert_allclose(1.0 - varied.eta_2, 1.5 * (1.0 - plain.eta_2))

    def test_maps_that_cannot_be(self) -> None:
        with_factor = LossTable(position_factor=PositionFactor(angles=[0.0], factors=[1.0]))
        for changes, message in [
            ({"temperatures": [300.0]}, r"shape \(1,\): must be shape \(2,\)"),
            ({"temperatures": [400.0, 300.0]}, "finite numbers, rising"),
            ({"temperatures": [300.0, np.nan]}, "finite numbers, rising"),
            ({"tables": [], "temperatures": []}, "one table at least"),
            ({"tables": self.COLD}, "LossMap.tables"),
            ({"tables": (self.COLD, ROWS)}, r"LossMap.tables\[1\]"),
            ({"tables": (self.COLD, with_factor)}, r"tables\[1\].position_factor = given"),
        ]:
            with pytest.raises(Fault, match=message):
                self.both(**changes)
        with pytest.raises(Fault, match="temperature of a loss map"):
            self.both().at(1.0, temperature=float("inf"))
        with pytest.raises(Fault, match="temperature"):
            self.both().table_at("warm")


class TestTablesThatCannotBe:
    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([ROWS[0], ROWS[1][:4]], "length of row 2 of a loss table = 4: must be 5: speed_rad_per_s, eta_mf1"),
            ([*ROWS, [1.0] * 6], "length of row 4 of a loss table = 6"),
            ([], r"shape of a loss table"),
            ([0.0, 1.0, 1.0, 0.0, 0.0], r"shape of a loss table = \(5,\)"),
            (np.ones((2, 4)), r"shape of a loss table = \(2, 4\)"),
            ("none", "an array of numbers"),
            ([[-1.0, 1.0, 1.0, 0.0, 0.0]], r"speed \[rad/s\] in row 1 of a loss table = -1.0: must be at least 0"),
            ([ROWS[1], ROWS[0]], r"speed \[rad/s\] in row 2 .* = 10.0: must be greater than 50 of the row before"),
            ([ROWS[0], ROWS[0]], "must be greater than 10"),
            ([[0.0, 0.0, 1.0, 0.0, 0.0]], "eta_mf1 in row 1 .* = 0.0: must be greater than 0 and at most 1"),
            ([[0.0, 1.0, 1.01, 0.0, 0.0]], "eta_mf2 in row 1 .* = 1.01: must be greater than 0 and at most 1"),
            ([[0.0, 1.0, 1.0, -0.1, 0.0]], r"tau_bf1 \[N m\] in row 1 .* at least 0; give absolute values"),
            ([[0.0, 1.0, 1.0, 0.0, np.nan]], r"tau_bf2 \[N m\] in row 1 .* = nan: must be a finite number"),
            ([[np.inf, 1.0, 1.0, 0.0, 0.0]], "a finite number"),
        ],
    )
    def test_rows(self, rows: object, message: str) -> None:
        with pytest.raises(Fault, match=message):
            LossTable(rows=rows)

    def test_what_is_no_position_factor(self) -> None:
        with pytest.raises(Fault, match=r"LossTable\.position_factor"):
            LossTable(position_factor=[1.0])


class TestFile:
    def test_with_and_without_names_of_columns(self, tmp_path: Path) -> None:
        lines = [",".join(map(str, row)) for row in ROWS]
        path = tmp_path / "losses.csv"
        path.write_text("\n".join(["# measured", ", ".join(COLUMNS), *lines]))
        np.testing.assert_array_equal(LossTable.from_csv(path).values, ROWS)
        path.write_text("\n".join(lines))
        factor = PositionFactor(angles=[0.0], factors=[1.0])
        assert LossTable.from_csv(path, factor).position_factor is factor
        path.write_text("speed [rad/s],eta mf1,eta mf2,tau bf1 [Nm],tau bf2 [Nm]\n" + lines[0])
        with pytest.raises(Fault, match=r"losses.csv: columns .* speed_rad_per_s"):
            LossTable.from_csv(path)

    def test_faults_name_the_line_or_the_row(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.csv"
        path.write_text("0,1,1,0,0\n\n10,1,1,0\n")
        with pytest.raises(Fault, match=r"losses.csv, line 3: columns = 4: must be 5"):
            LossTable.from_csv(path)
        path.write_text("0,1,1,0,0\n\n10,1.2,1,0,0\n")
        with pytest.raises(Fault, match=r"eta_mf1 in row 2 of a loss table = 1.2"):
            LossTable.from_csv(path)
        with pytest.raises(Fault, match="a readable file"):
            LossTable.from_csv(tmp_path / "none.csv")
