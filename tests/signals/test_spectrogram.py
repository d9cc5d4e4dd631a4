"""Spectrograms and order maps of run-ups."""

import numpy as np
import pytest
from tones import angle_of, made, run_up, times

from alegear.errors import Fault
from alegear.signals.spectrogram import order_map, spectrogram

T = times(4.0)
PHI = run_up(T, 5.0, 10.0)


class TestSpectrogram:
    def test_ridge_follows_the_frequency(self) -> None:
        found = spectrogram(made(np.cos(50.0 * PHI)), segment=0.1)
        expected = 50.0 * (5.0 + 10.0 * found.at)
        assert np.abs(found.ridge - expected).max() <= 0.51 / 0.1  # half of the spacing of the lines

    def test_amplitude_is_that_of_the_sine(self) -> None:
        found = spectrogram(made(2.5 * np.cos(2.0 * np.pi * 1000.0 * T) + 4.0), segment=0.05)
        # the mean is taken away segment by segment
        np.testing.assert_allclose(found.amplitude[found.x == 1000.0], 2.5, rtol=1e-9)
        assert found.amplitude[0].max() < 1e-9

    def test_segments_are_whole_and_their_middles_told(self) -> None:
        found = spectrogram(made(np.cos(PHI)), segment=0.1, overlap=0.5)
        assert found.at[0] == pytest.approx(0.5 * (0.1 - 1.0 / 20_000.0), rel=1e-9)
        assert found.at[-1] <= 4.0 - 0.05
        assert np.diff(found.at) == pytest.approx(0.05, rel=1e-9)
        assert found.amplitude.shape == (len(found.x), len(found.at))

    @pytest.mark.parametrize("n", [100, 101])
    def test_first_and_last_segment_are_those_of_the_signal(self, n) -> None:
        """Of even and odd length: an impulse is seen where it is, at either end."""
        for place in (0, 2000):
            values = np.zeros(2001)
            values[place] = 1.0
            found = spectrogram(made(values, rate=1000.0), segment=n / 1000.0, overlap=0.0, window="boxcar")
            seen = np.flatnonzero(found.amplitude.max(axis=0) > 1e-9)
            within = [k for k, at in enumerate(found.at) if abs(at - place / 1000.0) < 0.5 * n / 1000.0]
            assert seen.tolist() == within

    def test_tells_the_speed(self) -> None:
        found = spectrogram(made(np.cos(PHI)), segment=0.1, angle=angle_of(PHI))
        np.testing.assert_allclose(found.speed, 2.0 * np.pi * (5.0 + 10.0 * found.at), rtol=1e-4)

    @pytest.mark.parametrize(
        ("what", "value"), [("overlap", 1.0), ("overlap", -0.1), ("segment", 5.0), ("window", "x")]
    )
    def test_refused(self, what, value) -> None:
        with pytest.raises(Fault, match=what):
            spectrogram(made(np.cos(PHI)), **{"segment": 0.1, what: value})


class TestOrderMap:
    def test_an_order_is_a_straight_line_over_the_speed(self) -> None:
        found = order_map(made((1.0 + T) * np.cos(20.0 * PHI)), angle_of(PHI), segment=8.0)
        assert np.all(found.ridge == found.x[np.abs(found.x - 20.0).argmin()])
        assert np.all(np.diff(found.speed) > 0.0)
        # time at a speed: (speed/2 pi - 5)/10; the amplitude changes over a segment, and its curvature with the window
        t = (found.speed / 2.0 / np.pi - 5.0) / 10.0
        np.testing.assert_allclose(found.amplitude.max(axis=0), 1.0 + t, rtol=0.02)

    @pytest.mark.parametrize("samples_per_turn", [100, 101, 102, 103])
    def test_speeds_are_those_of_the_record(self, samples_per_turn) -> None:
        """Also where the window of the first slice begins with its zero one sample before the record: of 202, 206."""
        signal = made(np.cos(20.0 * PHI))
        found = order_map(signal, angle_of(PHI), segment=2.0, samples_per_turn=samples_per_turn)
        assert found.speed.min() >= 2.0 * np.pi * 5.0
        assert found.speed.max() <= 2.0 * np.pi * 45.0
        assert (np.diff(found.speed) > 0.0).all()

    def test_a_resonance_is_not_one_of_the_orders(self) -> None:
        found = order_map(made(np.cos(2.0 * np.pi * 600.0 * T)), angle_of(PHI), segment=8.0)
        in_hertz = found.ridge * found.speed / 2.0 / np.pi
        inside = found.speed > 2.0 * np.pi * 12.0  # where it is below the highest order and the speed hardly changes
        np.testing.assert_allclose(in_hertz[inside], 600.0, rtol=0.03)  # spread by the change of speed in a segment

    def test_an_angle_for_what_has_its_speed_is_refused(self) -> None:
        from alegear.signals.angle import resample_by_angle

        turned = resample_by_angle(made(np.cos(PHI)), angle_of(PHI))
        with pytest.raises(Fault, match="left out: a signal over turns has its speed"):
            spectrogram(turned, segment=8.0, angle=angle_of(PHI))
