"""Signals over the angle of a shaft: run-ups in closed form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tones import angle_of, made, run_up, times

from alegear.errors import Fault
from alegear.signals.angle import resample_by_angle
from alegear.signals.spectrum import order_spectrum, spectrum

T = times(4.0)
PHI = run_up(T, 5.0, 10.0, wobble=0.05)  # 5 to 45 turns a second


class TestResampled:
    def test_values_are_those_at_the_angles(self) -> None:
        found = resample_by_angle(made(3.0 + np.cos(27.3 * PHI)), angle_of(PHI))
        expected = 3.0 + np.cos(27.3 * 2.0 * np.pi * found.x)
        # filters of 100 dB and the interpolation of degree 5
        np.testing.assert_allclose(found.values, expected, atol=2e-5)
        assert found.over == "turns"

    def test_samples_are_at_parts_of_a_turn_of_the_recorded_angle(self) -> None:
        found = resample_by_angle(made(np.cos(PHI)), angle_of(PHI), samples_per_turn=100)
        numbers = found.x * 100
        np.testing.assert_allclose(numbers, np.round(numbers), atol=1e-8)  # round-off of some hundred turns

    def test_a_constant_stays_one(self) -> None:
        found = resample_by_angle(made(np.full(len(T), 1e6)), angle_of(PHI))
        np.testing.assert_allclose(found.values, 1e6, rtol=1e-12)

    def test_speed_is_that_of_the_shaft(self) -> None:
        phi = run_up(T, 5.0, 10.0)
        found = resample_by_angle(made(np.cos(phi)), angle_of(phi))
        # phi = 2 pi (5 t + 5 t^2): speed^2 = (2 pi)^2 (25 + 20 turns)
        np.testing.assert_allclose(found.speed, 2.0 * np.pi * np.sqrt(25.0 + 20.0 * found.x), rtol=1e-9)

    def test_a_shaft_that_turns_backward_all_the_time_has_the_same_orders(self) -> None:
        forward, backward = (order_spectrum(made(np.cos(8.0 * PHI)), angle_of(sense * PHI)) for sense in (1.0, -1.0))
        np.testing.assert_allclose(backward.values, forward.values, atol=1e-12)

    def test_starts_anywhere(self) -> None:
        found = resample_by_angle(made(np.cos(8.0 * PHI), start=7.0), angle_of(PHI + 1000.0, start=7.0))
        np.testing.assert_allclose(found.values, np.cos(8.0 * (2.0 * np.pi * found.x - 1000.0)), atol=2e-5)


class TestOrders:
    def test_a_chirp_is_one_line_while_the_plain_spectrum_smears(self) -> None:
        signal, angle = made(2.0 * np.cos(27.3 * PHI)), angle_of(PHI)
        orders, plain = order_spectrum(signal, angle), spectrum(signal)
        (line,) = orders.lines()
        assert line.x == pytest.approx(27.3, abs=1e-3 * orders.spacing)
        assert line.amplitude == pytest.approx(2.0, rel=1e-4)  # neighbours at the negative order, and the filters
        assert plain.values.max() < 0.1 * line.amplitude
        assert (plain.values > 0.3 * plain.values.max()).sum() > 1000

    def test_plain_spectrum_of_a_chirp_is_that_of_its_stationary_phase(self) -> None:
        """A w(t)/(mean(w) T sqrt(c)), c the change of its frequency: 2/(2 sqrt(273)) in the middle of the window."""
        phi = run_up(T, 5.0, 10.0)
        plain = spectrum(made(2.0 * np.cos(27.3 * phi)))
        near = plain.values[np.abs(plain.x - 27.3 * 25.0) < 30.0]
        # Fresnel ripple of the ends of the record is small, the window being smooth
        assert near == pytest.approx(1.0 / np.sqrt(273.0), rel=0.02)

    @settings(max_examples=25, deadline=None)
    @given(order=st.floats(0.5, 170.0), amplitude=st.floats(1e-3, 1e3), first=st.floats(5.0, 20.0))
    def test_amplitude_and_order_of_any_line(self, order, amplitude, first) -> None:
        t = times(2.0)
        phi = run_up(t, first, 10.0)
        found = order_spectrum(made(amplitude * np.sin(order * phi)), angle_of(phi))
        (line, *_) = found.lines()
        assert found.x[-1] > 190.0  # of at most 40 turns a second, 0.4 of 500 samples a turn
        # leakage from the negative order falls with the third power: ten lines away it is 1e-3
        assert line.amplitude == pytest.approx(amplitude, rel=2e-3)
        assert line.x == pytest.approx(order, abs=2e-2 * found.spacing + 1e-12)

    def test_what_the_slow_shaft_does_not_sample_stays_away(self) -> None:
        """A resonance at 7.9 kHz is order 1580 at 5 turns a second, and 176 at 45: of 100 samples a turn nothing."""
        found = resample_by_angle(made(np.cos(2.0 * np.pi * 7900.0 * T)), angle_of(PHI), samples_per_turn=100)
        assert np.abs(found.values).max() < 1e-5  # filters of 100 dB

    def test_ends_where_the_fastest_turn_is_sampled(self) -> None:
        found = order_spectrum(made(np.cos(PHI)), angle_of(PHI))
        fastest = 2.0 * np.pi / np.diff(PHI).max()  # samples a turn
        assert found.x[-1] == pytest.approx(0.4 * fastest, rel=0.01)
        assert found.unit_of_x == "orders"

    def test_speeds_are_told(self) -> None:
        low, high = order_spectrum(made(np.cos(PHI)), angle_of(PHI)).speed
        assert 2.0 * np.pi * 4.5 < low < 2.0 * np.pi * 5.5
        assert 2.0 * np.pi * 44.0 < high < 2.0 * np.pi * 46.0


class TestRefused:
    def refused(self, message, signal, angle, **more) -> None:
        with pytest.raises(Fault, match=message):
            resample_by_angle(signal, angle, **more)

    def test_standstill(self) -> None:
        phi = np.concatenate([PHI, np.full(100, PHI[-1])])
        self.refused("at 3.99995 s = stands still", made(np.cos(phi)), angle_of(phi))

    def test_reversal(self) -> None:
        phi = np.sin(2.0 * np.pi * T)
        self.refused("turns back: must be turning in one direction", made(np.cos(phi)), angle_of(phi))

    def test_more_samples_a_turn_than_there_are(self) -> None:
        self.refused("samples_per_turn = 1000: must be a whole number from 4 to", made(np.cos(PHI)), angle_of(PHI),
                     samples_per_turn=1000)  # fmt: skip

    @pytest.mark.parametrize("given", [3, 10.5, True, "ten"])
    def test_no_number_of_samples(self, given) -> None:
        self.refused("samples_per_turn", made(np.cos(PHI)), angle_of(PHI), samples_per_turn=given)

    def test_turns_of_two_samples(self) -> None:
        phi = 2.0 * np.pi * 8000.0 * T
        self.refused("in the fastest turn = 2: must be at least 4", made(np.cos(phi)), angle_of(phi))

    def test_speeds_too_far_apart(self) -> None:
        phi = 2.0 * np.pi * (1e-5 * T + 5.0 * T**2)
        self.refused("not so far below the largest.*leave the slow part out", made(np.cos(phi)), angle_of(phi))

    def test_angle_of_another_record(self) -> None:
        self.refused("take both from one record", made(np.cos(PHI)), angle_of(PHI[1:]))
        self.refused("take both from one record", made(np.cos(PHI)), angle_of(PHI, start=1.0))

    def test_angle_in_degrees(self) -> None:
        self.refused("unit of angle x = deg", made(np.cos(PHI)), made(np.degrees(PHI), name="x", units="deg"))

    def test_what_is_over_turns_already(self) -> None:
        turned = resample_by_angle(made(np.cos(PHI)), angle_of(PHI))
        self.refused("steps of signal signal = turns: must be of time", turned, angle_of(PHI))

    def test_a_record_shorter_than_the_filter(self) -> None:
        self.refused("samples of signal signal.* = 20: must be at least", made(np.cos(PHI[:20])), angle_of(PHI[:20]))
