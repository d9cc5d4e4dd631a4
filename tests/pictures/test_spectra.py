"""Pictures of spectra and spectrograms: what is in them."""

import numpy as np
import pytest

from alegear.pictures.spectra import RANGE, draw_spectrogram, draw_spectrum
from alegear.signals.angle import resample_by_angle
from alegear.signals.causes import Cause
from alegear.signals.marks import mark
from alegear.signals.signal import Signal
from alegear.signals.spectrogram import order_map, spectrogram
from alegear.signals.spectrum import order_spectrum, spectrum

RATE = 5000.0
T = np.arange(10_000) / RATE
PHI = 2.0 * np.pi * (10.0 * T + 5.0 * T**2)  # 10 to 30 turns a second
CAUSES = (
    Cause(name="mesh $one_", kind="mesh", order=20.0),
    Cause(name="mesh $one_, +1 input", kind="sideband", order=21.0, sideband=1),
    Cause(name="rotation of input x21", kind="shaft", order=21.0, harmonic=21),
    Cause(name="another", kind="bearing", order=21.001, harmonic=30),
)


def made(values, units="m/s2", name="housing"):
    return Signal(name=name, units=units, values=values, step=1.0 / RATE)


SIGNAL = made((1.0 + 0.4 * np.cos(PHI)) * np.cos(20.0 * PHI) + 0.2 * np.cos(33.3 * PHI))
ANGLE = made(PHI, "rad", "input")


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


class TestSpectrum:
    def test_lines_are_numbered_and_told(self) -> None:
        found = order_spectrum(SIGNAL, ANGLE)
        figure = draw_spectrum(found, mark(found, CAUSES, least=0.05), up_to=60.0)
        (axes,) = figure.axes
        # by order: 19 unknown, the mesh, its upper sideband or two more, 33.3 unknown
        assert [text.get_text() for text in axes.texts] == ["1", "2", "3", "4"]
        told = legend(figure)
        assert told[1].endswith("20  mesh $one_")
        assert told[2].endswith("21  mesh $one_, +1 input or rotation of input x21 or 1 more")
        assert told[3].endswith("33.3  unknown")
        assert told[4:] == ["mesh", "sideband", "unknown"]
        assert axes.get_xlim() == (0.0, 60.0)
        assert axes.get_ylabel() == "amplitude [m/s²]"
        assert "resolution" in axes.get_title(loc="left")
        figure.canvas.draw()  # dollars in names are no formulas

    def test_lines_beyond_the_end_are_left_out(self) -> None:
        found = order_spectrum(SIGNAL, ANGLE)
        figure = draw_spectrum(found, mark(found, CAUSES, least=0.05), up_to=20.5, logarithmic=False)
        assert len(figure.axes[0].texts) == 2
        assert figure.axes[0].get_yscale() == "linear"

    def test_a_density_without_lines(self) -> None:
        figure = draw_spectrum(spectrum(SIGNAL, scaling="density"))
        assert figure.axes[0].get_ylabel() == "density [(m/s²)²/Hz]"
        assert not figure.legends

    def test_a_signal_of_zeros(self) -> None:
        draw_spectrum(spectrum(made(np.zeros(100)))).canvas.draw()


class TestSpectrogram:
    def test_levels_are_below_the_highest(self) -> None:
        found = spectrogram(SIGNAL, segment=0.1)
        figure = draw_spectrogram(found)
        values = figure.axes[0].collections[0].get_array()
        assert values.max() == pytest.approx(0.0, abs=1e-12)
        assert figure.axes[0].collections[0].get_clim() == (-RANGE, 0.0)
        assert values.size == found.amplitude.size

    def test_a_line_is_not_lost_where_cells_are_put_together(self) -> None:
        long = made(np.cos(2.0 * np.pi * 1234.0 * T))
        found = spectrogram(long, segment=1.6, overlap=0.9)
        assert len(found.x) > 2400
        values = draw_spectrogram(found).axes[0].collections[0].get_array()
        assert values.shape[0] <= 1200
        assert np.all(values.max(axis=0) > -0.1)

    def test_orders_are_lines_over_frequencies(self) -> None:
        figure = draw_spectrogram(spectrogram(SIGNAL, segment=0.1, angle=ANGLE), CAUSES[:1])
        (line,) = figure.axes[0].lines
        np.testing.assert_allclose(line.get_ydata(), 20.0 * (10.0 + 10.0 * line.get_xdata()), rtol=1e-3)
        assert [text.get_text() for text in figure.axes[0].texts] == ["mesh $one_"]

    def test_a_line_that_leaves_the_picture_is_named_where_it_does(self) -> None:
        figure = draw_spectrogram(spectrogram(SIGNAL, segment=0.1, angle=ANGLE), CAUSES[:1], up_to=400.0)
        (name,) = figure.axes[0].texts
        assert name.xy[0] == pytest.approx(1.0, abs=0.01)  # 20 (10 + 10 t) = 400
        figure.canvas.draw()

    def test_orders_over_the_speed(self) -> None:
        found = order_map(SIGNAL, ANGLE, segment=5.0)
        figure = draw_spectrogram(found, CAUSES, over="speed", up_to=50.0)
        axes = figure.axes[0]
        assert axes.get_xlabel() == "speed of the shaft [rpm]"
        assert axes.get_xlim()[0] == pytest.approx(found.speed[0] * 30.0 / np.pi, rel=1e-12)
        assert [line.get_ydata()[0] for line in axes.lines] == [20.0, 21.0, 21.0, 21.001]

    def test_what_cannot_be_drawn(self) -> None:
        plain = spectrogram(SIGNAL, segment=0.1)
        with pytest.raises(ValueError, match="give spectrogram the angle"):
            draw_spectrogram(plain, over="speed")
        with pytest.raises(ValueError, match="give spectrogram the angle"):
            draw_spectrogram(plain, CAUSES)
        with pytest.raises(ValueError, match="must be"):
            draw_spectrogram(plain, over="rpm")
        swinging = made(2.0 * np.pi * 20.0 * T + 10.0 * np.sin(2.0 * np.pi * T), "rad", "input")
        with pytest.raises(ValueError, match="neither rises nor falls"):
            draw_spectrogram(spectrogram(resample_by_angle(SIGNAL, swinging), segment=2.0), over="speed")
