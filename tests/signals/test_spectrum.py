"""Spectra against sines, modulated tones and Parseval's theorem."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import jv
from tones import made, times

from alegear.errors import Fault
from alegear.signals.signal import Signal
from alegear.signals.spectrum import spectrum


class TestAmplitude:
    @pytest.mark.parametrize("window", ["hann", "flattop", "boxcar"])
    def test_of_a_sine_in_a_bin_is_its_own(self, window) -> None:
        t = times(0.5, 1000.0)
        found = spectrum(made(7.0 + 3.0 * np.sin(2.0 * np.pi * 50.0 * t), rate=1000.0), window=window)
        assert found.at(50.0) == pytest.approx(3.0, rel=1e-9)  # round-off of the transform
        assert found.units == "m/s2"
        assert found.x[-1] == 500.0

    @settings(deadline=None)  # the first example imports SciPy
    @given(frequency=st.floats(20.0, 400.0), amplitude=st.floats(1e-3, 1e3), phase=st.floats(0.0, 6.3))
    def test_between_bins_by_a_flat_top_window(self, frequency, amplitude, phase) -> None:
        t = times(1.0, 1000.0)
        sine = amplitude * np.sin(2.0 * np.pi * frequency * t + phase)
        found = spectrum(made(sine, rate=1000.0), window="flattop")
        # ripple of the window between two bins, 0.01 dB
        assert found.values.max() == pytest.approx(amplitude, rel=1.2e-3)

    @settings(deadline=None)  # the first example imports SciPy
    @given(frequency=st.floats(20.0, 400.0), amplitude=st.floats(1e-3, 1e3), phase=st.floats(0.0, 6.3))
    def test_of_the_line_is_interpolated_between_bins(self, frequency, amplitude, phase) -> None:
        t = times(1.0, 1000.0)
        (line, *_) = spectrum(made(amplitude * np.sin(2.0 * np.pi * frequency * t + phase), rate=1000.0)).lines()
        # leakage of the line at the negative frequency, 40 bins and more away: (1/40)^3
        assert line.amplitude == pytest.approx(amplitude, rel=2e-5)
        assert line.x == pytest.approx(frequency, abs=2e-5)

    def test_at_half_of_the_sampling_rate_and_of_a_mean_is_not_doubled(self) -> None:
        values = 2.0 * (-1.0) ** np.arange(64)
        assert spectrum(made(values, rate=64.0), window="boxcar").at(32.0) == pytest.approx(2.0, rel=1e-12)

    def test_of_averaged_segments_is_the_root_of_the_mean_square(self) -> None:
        """A sine that lasts half of the record: of two segments apart one has it."""
        t = times(2.0, 1000.0)
        halved = np.where(t < 1.0, np.sin(2.0 * np.pi * 50.0 * t), 0.0)
        found = spectrum(made(halved, rate=1000.0), window="boxcar", segment=1.0)
        # three segments: amplitudes 1, 1/2 (half of it within), 0
        assert found.averages == 3
        assert found.at(50.0) == pytest.approx(np.sqrt((1.0 + 0.25) / 3.0), rel=1e-12)

    def test_sidebands_of_an_amplitude_modulated_tone(self) -> None:
        """(1 + m cos w_s t) cos w_0 t: m/2 on either side."""
        t = times(1.0, 5000.0)
        tone = (1.0 + 0.4 * np.cos(2.0 * np.pi * 25.0 * t)) * np.cos(2.0 * np.pi * 800.0 * t)
        found = spectrum(made(tone, rate=5000.0))
        assert [found.at(f) for f in (775.0, 800.0, 825.0)] == pytest.approx([0.2, 1.0, 0.2], rel=1e-9)

    def test_sidebands_of_a_phase_modulated_tone_are_bessel_functions(self) -> None:
        t = times(1.0, 5000.0)
        tone = np.cos(2.0 * np.pi * 800.0 * t + 1.5 * np.sin(2.0 * np.pi * 25.0 * t))
        found = spectrum(made(tone, rate=5000.0))
        expected = np.abs(jv(np.arange(-4, 5), 1.5))
        assert [found.at(800.0 + 25.0 * k) for k in range(-4, 5)] == pytest.approx(expected, rel=1e-9)

    def test_a_drift_is_no_line(self) -> None:
        t = times(1.0, 1000.0)
        found = spectrum(made(20.0 * t**2 + np.sin(2.0 * np.pi * 100.0 * t), rate=1000.0)).lines()
        assert [line.x for line in found] == pytest.approx([100.0], abs=1e-3)  # the tail of the drift


class TestDensity:
    @settings(deadline=None)  # the first example imports SciPy
    @given(st.lists(st.floats(-1e3, 1e3), min_size=8, max_size=200), st.floats(1e-3, 1e3))
    def test_integral_is_the_variance(self, values, rate) -> None:
        """Parseval, without a window."""
        found = spectrum(made(values, rate=rate), window="boxcar", scaling="density")
        # round-off of the mean that is taken away, of values up to 1e3
        assert found.values.sum() * found.spacing == pytest.approx(np.var(values), rel=1e-9, abs=1e-18 * 1e6)

    @settings(deadline=None)  # the first example imports SciPy
    @given(st.lists(st.floats(-1e3, 1e3), min_size=8, max_size=200))
    def test_half_of_the_squares_of_the_amplitudes_is_the_variance(self, values) -> None:
        found = spectrum(made(values, rate=1.0), window="boxcar")
        power = 0.5 * found.values**2
        if len(values) % 2 == 0:
            power[-1] *= 2.0
        assert power.sum() == pytest.approx(np.var(values), rel=1e-9, abs=1e-18 * 1e6)

    def test_of_white_noise_is_flat(self) -> None:
        noise = np.random.default_rng(5).standard_normal(200_000)
        found = spectrum(made(noise, rate=1000.0), scaling="density", segment=1.0)
        # 399 segments, of which 0.95 count as independent ones: 5 % a bin, and 22 bins a mean
        assert found.units == "(m/s2)2/Hz"
        assert found.values[1:-1].mean() == pytest.approx(1.0 / 500.0, rel=0.01)

    def test_has_no_lines(self) -> None:
        with pytest.raises(Fault, match="amplitude: lines have one"):
            spectrum(made(np.arange(16.0)), scaling="density").lines()


class TestResolution:
    @pytest.mark.parametrize(("window", "bins"), [("hann", 1.5), ("boxcar", 1.0), ("flattop", 3.7702)])
    def test_is_the_noise_bandwidth(self, window, bins) -> None:
        """Harris (1978), table 1: 1.50 and 1.00 bins; D'Antona, Ferrero (2006): 3.77."""
        found = spectrum(made(np.sin(np.arange(1000.0)), rate=1000.0), window=window)
        assert found.resolution / found.spacing == pytest.approx(bins, rel=1e-4)

    def test_of_segments_is_theirs(self) -> None:
        found = spectrum(made(np.sin(np.arange(1000.0)), rate=1000.0), segment=0.25)
        assert found.spacing == pytest.approx(4.0, rel=1e-12)


class TestRefused:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"window": "kaiser"}, "window"),
            ({"scaling": "power"}, "scaling"),
            ({"segment": 2.0}, "from 0.0004 to 1, the signal"),
            ({"segment": 1e-5}, "segment"),
            ({"segment": float("nan")}, "segment"),
        ],
    )
    def test_by_name(self, arguments, message) -> None:
        with pytest.raises(Fault, match=message):
            spectrum(made(np.sin(times(1.0))), **arguments)

    def test_a_place_beyond_the_end(self) -> None:
        with pytest.raises(Fault, match="from 0 to 10000"):
            spectrum(made(np.sin(times(1.0)))).at(10_001.0)

    @pytest.mark.parametrize(("given", "what"), [({"least": 0.0}, "least"), ({"most": 0}, "most")])
    def test_lines_that_cannot_be(self, given, what) -> None:
        with pytest.raises(Fault, match=what):
            spectrum(made(np.sin(times(1.0)))).lines(**given)


class TestRecords:
    def test_of_equal_steps(self) -> None:
        found = Signal.recorded([1.0 + 0.1 * i for i in range(20)], np.arange(20.0), name="x", units="m")
        assert (found.start, found.step) == pytest.approx((1.0, 0.1), rel=1e-12)

    @pytest.mark.parametrize(
        ("time", "values", "message"),
        [
            (np.arange(5.0), np.arange(5.0), "samples of signal signal = 5: must be at least 8"),
            (np.arange(10.0), [*range(9), np.nan], "value 9 of signal signal = nan"),
            (np.r_[np.arange(9.0), 8.0], np.arange(10.0), "later than the one before, 8"),
            (np.arange(9.0), np.arange(10.0), "number of times of signal signal = 9: must be 10"),
            (np.arange(10.0), np.ones((10, 2)), "that of a row"),
            (np.r_[np.arange(8.0), 9.0], np.arange(9.0), "the same everywhere.*Signal.interpolated"),
        ],
    )
    def test_refused(self, time, values, message) -> None:
        with pytest.raises(Fault, match=message):
            Signal.recorded(time, values)

    def test_part_of_one(self) -> None:
        part = made(np.arange(100.0), rate=10.0, start=2.0).between(4.0, 6.0)
        assert part.start == pytest.approx(4.0, rel=1e-12)
        assert part.values.tolist() == list(range(20, 41))
        with pytest.raises(Fault, match="at least 8"):
            made(np.arange(100.0), rate=10.0).between(200.0, 300.0)

    def test_of_unequal_steps_is_interpolated(self) -> None:
        """Times that swing by a third of a step: a sine with 25 samples a period."""
        t = times(2.0, 1000.0)
        t = t + 3e-4 * np.sin(2.0 * np.pi * 3.0 * t)
        found = Signal.interpolated(t, np.sin(2.0 * np.pi * 40.0 * t), step=1e-3)
        (line,) = spectrum(found).lines()
        # the cubic spline: (w h)^4/720 with w h = 0.25, and edges
        assert line.amplitude == pytest.approx(1.0, rel=1e-4)
        assert line.x == pytest.approx(40.0, abs=1e-3)
        assert found.known_up_to < 0.4 / 1e-3

    def test_fewer_samples_mirror_nothing(self) -> None:
        """At 50 Hz a sine of 60 Hz would come back at 10 Hz."""
        t = times(4.0, 1000.0)
        found = Signal.interpolated(t, np.sin(2.0 * np.pi * 60.0 * t) + np.sin(2.0 * np.pi * 15.0 * t), step=0.02)
        (line,) = spectrum(found).lines(least=1e-3)
        assert line.x == pytest.approx(15.0, abs=1e-3)  # neighbours are 1e-4 high
        assert line.amplitude == pytest.approx(1.0, rel=1e-4)
        assert found.known_up_to == pytest.approx(20.0, rel=1e-12)

    @pytest.mark.parametrize("step", [0.0, -1.0, 100.0, float("nan")])
    def test_step_that_cannot_be(self, step) -> None:
        with pytest.raises(Fault, match="step of signal"):
            Signal.interpolated(np.arange(10.0), np.arange(10.0), step=step)


@pytest.mark.parametrize("large", [1e300, -1e101])
def test_what_has_no_square_is_refused(large: float) -> None:
    """Amplitudes of 1e300 came out as no numbers."""
    with pytest.raises(Fault, match=r"value 7 of signal s = .*: must be between -1e\+100 and 1e\+100; check its unit"):
        Signal.recorded(np.arange(16) / 16.0, [0.0] * 7 + [large] + [0.0] * 8, name="s")
    largest = Signal.recorded(np.arange(64) / 64.0, 1e100 * np.sin(2.0 * np.pi * np.arange(64) / 8.0), name="s")
    assert spectrum(largest).lines()[0].amplitude == pytest.approx(1e100, rel=1e-12)
