"""Envelopes of modulated tones, and of impacts that make a resonance ring."""

import numpy as np
import pytest
from tones import RATE, angle_of, made, run_up, times

from alegear.errors import Fault
from alegear.signals.envelope import envelope, envelope_spectrum
from alegear.signals.spectrum import order_spectrum, spectrum


def ringing(t, impacts, frequency=4000.0, decay=800.0):
    """A resonance after impacts at these times."""
    found = np.zeros(len(t))
    for at in impacts:
        first = int(np.ceil(at * RATE))
        after = t[first : first + int(20.0 / decay * RATE)] - at
        found[first : first + len(after)] += np.exp(-decay * after) * np.sin(2.0 * np.pi * frequency * after)
    return found


class TestModulatedTone:
    T = times(2.0)
    TONE = 3.0 * (1.0 + 0.4 * np.cos(2.0 * np.pi * 30.0 * T)) * np.cos(2.0 * np.pi * 4000.0 * T + 0.7)
    BAND = (3000.0, 5000.0)

    def test_envelope_is_what_modulates_it(self) -> None:
        found = envelope(made(self.TONE), self.BAND)
        inside = slice(2000, -2000)  # away from the ends, which filter and transform do not know
        expected = 3.0 * (1.0 + 0.4 * np.cos(2.0 * np.pi * 30.0 * self.T))
        # the jump that a transform sees at the ends of a record, 3 times 1/(pi w t) of either: 4e-4 at 0.1 s
        np.testing.assert_allclose(found.values[inside], expected[inside], atol=2e-3)
        assert found.units == "m/s2"

    def test_its_line_is_the_depth_of_modulation(self) -> None:
        found = envelope_spectrum(made(self.TONE), self.BAND)
        assert found.at(30.0) == pytest.approx(3.0 * 0.4, rel=1e-3)  # ends
        assert found.at(60.0) < 2e-3

    def test_lines_of_the_square(self) -> None:
        """A^2 (1 + m cos)^2 = A^2 (1 + m^2/2 + 2 m cos + m^2/2 cos 2)."""
        found = envelope_spectrum(made(self.TONE), self.BAND, squared=True)
        assert [found.at(30.0), found.at(60.0)] == pytest.approx([9.0 * 0.8, 9.0 * 0.08], rel=2e-3)  # ends
        assert found.units == "(m/s2)2"

    def test_what_is_outside_of_the_band_does_not_count(self) -> None:
        other = 50.0 * np.cos(2.0 * np.pi * 200.0 * self.T)
        with_other = envelope_spectrum(made(self.TONE + other), self.BAND)
        assert with_other.at(30.0) == pytest.approx(1.2, rel=1e-3)


class TestImpacts:
    def test_line_at_their_rate_which_the_spectrum_has_not(self) -> None:
        t = times(2.0)
        rate = 87.3
        signal = made(ringing(t, np.arange(0.003, 1.97, 1.0 / rate)))
        found = envelope_spectrum(signal, (3000.0, 5000.0))
        line = found.lines()[0]
        assert line.x == pytest.approx(rate, abs=0.05 * found.resolution)
        assert abs(line.x / rate - 1.0) < 0.005
        harmonics = sorted(one.x / rate for one in found.lines(most=3))
        assert harmonics == pytest.approx([1.0, 2.0, 3.0], abs=1e-3)
        assert spectrum(signal).at(rate) < 0.05 * line.amplitude  # what the resonance lets pass far below it

    def test_line_at_their_order_while_the_speed_rises(self) -> None:
        """Impacts at 3.57 a turn, from 10 to 30 turns a second: the resonance stays, their rate does not."""
        t = times(4.0)
        phi = run_up(t, 10.0, 5.0)
        impacts = np.interp(np.arange(1, int(3.57 * phi[-1] / 2.0 / np.pi) - 2) / 3.57, phi / 2.0 / np.pi, t)
        signal = made(ringing(t, impacts))
        by_order = envelope_spectrum(signal, (3000.0, 5000.0), angle=angle_of(phi))
        plain = envelope_spectrum(signal, (3000.0, 5000.0))
        line = by_order.lines()[0]
        assert line.x == pytest.approx(3.57, abs=0.1 * by_order.resolution)
        assert plain.values[plain.x > 5.0].max() < 0.3 * line.amplitude


class TestRefused:
    @pytest.mark.parametrize(
        "band",
        [(5000.0, 3000.0), (0.0, 100.0), (100.0, 10_000.0), (100.0, 20_000.0), (float("nan"), 100.0), 5.0, (1.0,)],
    )
    def test_bands(self, band) -> None:
        with pytest.raises(Fault, match="band"):
            envelope(made(np.sin(times(1.0))), band)

    def test_a_record_shorter_than_the_filter_rings(self) -> None:
        with pytest.raises(Fault, match="for a band of 10 Hz"):
            envelope(made(np.sin(times(0.5))), (100.0, 110.0))


def test_round_off_has_no_lines() -> None:
    """Neither what is left of a constant in a band, nor over the angle of a shaft; a weak tone beside it has one."""
    t = times(1.0)
    phi = 2.0 * np.pi * 20.0 * t
    for constant in (0.0, 1.0, -3e6):
        signal = made(constant + 0.0 * t)
        assert envelope_spectrum(signal, (3000.0, 5000.0)).lines() == ()
        assert envelope_spectrum(signal, (3000.0, 5000.0), squared=True).lines() == ()
        assert order_spectrum(signal, angle_of(phi)).lines() == ()
    weak = 1e-6 * (1.0 + 0.5 * np.cos(2.0 * np.pi * 40.0 * t)) * np.cos(2.0 * np.pi * 4000.0 * t)
    line = envelope_spectrum(made(3e6 + weak), (3000.0, 5000.0)).lines()[0]
    # 1e-2: what the filter leaves of the constant, 3e-10 of it in round-off
    assert (line.x, line.amplitude) == (pytest.approx(40.0, abs=0.1), pytest.approx(0.5e-6, rel=1e-2))
