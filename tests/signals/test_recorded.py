"""Signals out of results: a torsional machine, saved and loaded, and one of shafts and gears."""

import math

import numpy as np
import pytest

import alegear as ag
from alegear.errors import Fault
from alegear.results.result import Result
from alegear.signals.recorded import recorded_angle, recorded_signal, recorded_speeds

SPEED, SWING, RATE = 100.0, 3.0, 40.0  # [rad/s], [rad/s], [rad/s]


@pytest.fixture(scope="module")
def turning(tmp_path_factory):
    """A rotor that is prescribed with a speed that rises, and one behind a gear; read from its folder."""
    m = ag.Machine("prescribed")
    m.add("motor", ag.Rotor1D(inertia=1.0, speed=SPEED))
    m.add("drum", ag.Rotor1D(inertia=1.0, speed=-SPEED / 2.5))
    m.add("gear", ag.RatioGear(between=("motor", "drum"), ratio=-2.5))
    m.add("lead", ag.SpeedSource(at="motor", speed=[(0.0, SPEED), (1.0, 2.0 * SPEED)]))
    folder = tmp_path_factory.mktemp("results") / "prescribed"
    m.run(duration=1.0, output_every=7e-4).save(folder)  # the last step is shorter
    return ag.load(folder)


class TestPartsThatTurn:
    def test_signal_with_name_units_and_equal_steps(self, turning) -> None:
        found = recorded_signal(turning, "speed", body="drum")
        assert (found.name, found.units) == ("speed drum", "rad/s")
        assert found.step == pytest.approx(7e-4, rel=1e-9)
        np.testing.assert_allclose(found.values, -(SPEED + SPEED * found.x) / 2.5, rtol=1e-7)  # of the integration

    def test_angle(self, turning) -> None:
        found = recorded_angle(turning, "drum")
        np.testing.assert_allclose(found.values, -(SPEED * found.x + 0.5 * SPEED * found.x**2) / 2.5, atol=1e-6)
        assert found.units == "rad"

    def test_speeds(self, turning) -> None:
        assert recorded_speeds(turning) == pytest.approx({"motor": 1.5 * SPEED, "drum": -0.6 * SPEED}, rel=1e-6)

    def test_orders_of_it(self, turning) -> None:
        turned = ag.resample_by_angle(recorded_signal(turning, "speed", body="motor"), recorded_angle(turning, "motor"))
        np.testing.assert_allclose(turned.speed, turned.values, rtol=1e-6)

    @pytest.mark.parametrize(
        ("variable", "labels", "message"),
        [
            ("speeed", {}, "variable of the result = 'speeed': must be one of angle, speed"),
            ("speed", {}, "labels given = none: must be those of speed: body"),
            ("speed", {"body": "motor", "axis": "x"}, "labels given = body, axis"),
            ("speed", {"body": "axle"}, "body of speed = 'axle': must be one of motor, drum"),
        ],
    )
    def test_refused(self, turning, variable, labels, message) -> None:
        with pytest.raises(Fault, match=message):
            recorded_signal(turning, variable, **labels)

    def test_angle_of_nobody(self, turning) -> None:
        with pytest.raises(Fault, match="shaft = 'axle': must be one of motor, drum"):
            recorded_angle(turning, "axle")

    def test_what_is_no_result(self) -> None:
        with pytest.raises(Fault, match="result"):
            recorded_signal("results", "speed")


@pytest.fixture(scope="module")
def shafts():
    """Two shafts that vibrate: angles and speeds in closed form, as a machine's result has them."""
    import xarray as xr

    time = 1e-4 * np.arange(2000)
    drive = SPEED * time + SWING / RATE * np.sin(RATE * time)
    error = 1e-3 * np.sin(3.0 * RATE * time)
    speed = SPEED + SWING * np.cos(RATE * time)
    rates = [speed, -0.5 * speed + 3e-3 * RATE * np.cos(3.0 * RATE * time), np.full(2000, 77.0)]
    data = xr.Dataset(
        {
            "drive_angle": ("time", drive),
            "rotation_error": (("time", "shaft"), np.stack([0.0 * time, error, 0.0 * time], axis=1)),
            "speed": (("time", "shaft"), np.stack(rates, axis=1)),
            "bearing_force": (("time", "bearing", "axis"), np.arange(12000.0).reshape(2000, 2, 3), {"units": "N"}),
        },
        coords={
            "time": time, "shaft": ["a", "b", "other"], "ratio": ("shaft", [1.0, -0.5, 2.0]),
            "bearing": ["left", "right"], "axis": list("xyz"),
        },
    )  # fmt: skip
    return Result(summary={"analysis": "dynamic", "complete": True}, dataset=data)


class TestShafts:
    def test_angle_is_that_of_the_drive_and_the_error(self, shafts) -> None:
        found = recorded_angle(shafts, "b")
        expected = -0.5 * (SPEED * found.x + SWING / RATE * np.sin(RATE * found.x)) + 1e-3 * np.sin(
            3.0 * RATE * found.x
        )
        np.testing.assert_allclose(found.values, expected, atol=1e-12)

    def test_a_shaft_of_another_drive_is_refused(self, shafts) -> None:
        with pytest.raises(Fault, match="'other': must be one that the first drive turns"):
            recorded_angle(shafts, "other")

    def test_one_of_several_dimensions(self, shafts) -> None:
        found = recorded_signal(shafts, "bearing_force", bearing="right", axis="y")
        assert (found.name, found.units) == ("bearing force right y", "N")
        assert found.values[:2].tolist() == [4.0, 10.0]

    def test_mean_speeds(self, shafts) -> None:
        assert recorded_speeds(shafts)["other"] == pytest.approx(77.0, rel=1e-12)


def test_a_static_result_has_no_signals() -> None:
    import xarray as xr

    still = Result(summary={}, dataset=xr.Dataset({"x": ("position", np.zeros(3))}))
    with pytest.raises(Fault, match="dimensions of the result = position: must be time among them"):
        recorded_signal(still, "x")


@pytest.mark.parametrize(("begin", "end"), [(math.nan, 1.0), (0.0, math.inf)])
def test_a_part_has_numbers_as_its_ends(begin, end) -> None:
    whole = ag.Signal.recorded(np.arange(20) * 0.1, np.zeros(20))
    with pytest.raises(Fault, match=r"of a part of signal = .* finite"):
        whole.between(begin, end)


def test_complex_values_are_refused() -> None:
    """NumPy would leave out what is imaginary."""
    with pytest.raises(Fault, match="array of numbers"):
        ag.Signal.recorded(np.arange(20) * 0.1, np.full(20, 1j))
