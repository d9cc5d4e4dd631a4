"""Plots: every file is there, also where values are missing; patterns and steady parts against closed forms."""

import io

import made_up_results as made_up
import numpy as np
import pytest
from PIL import Image

from alegear.results.store import StorageFailure
from alegear.view import picture_file, plots
from alegear.view.pair.contact_pattern import draw_contact_pattern, end_of_scale
from alegear.view.pair.curves import steady_part
from alegear.view.pair.points import draw_points
from alegear.view.pair.spectrum import draw_spectrum
from alegear.view.pair.tooth_load import draw_tooth_load
from alegear.view.pair.transmission_error import draw_transmission_error
from alegear.view.picture_file import png

STATIC = ["te.png", "tooth_load.png", "root_stress.png", "contact_pattern.png"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("dataset", "names"),
    [
        (made_up.static(), STATIC),
        (made_up.static(uncomputed=True), STATIC),
        (made_up.dynamic(), [*STATIC, "spectrum.png"]),
        (made_up.static(with_points=True), [*STATIC, "points.png"]),
    ],
    ids=["static", "some not computed", "dynamic", "points of the teeth"],
)
def test_every_plot_is_written_whole(dataset, names, tmp_path):
    files = plots.write_plots(dataset, tmp_path)
    assert [f.name for f in files] == names
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(names)  # nothing left beside them
    for file in files:
        pixels = np.asarray(Image.open(file).convert("L"))
        assert pixels.shape[1] >= 1000
        assert 0.005 < (pixels < 128).mean() < 0.9  # something is drawn, and it does not fill the page


@pytest.mark.parametrize(
    "draw",
    [
        lambda: draw_transmission_error(made_up.static()),
        lambda: draw_contact_pattern(made_up.static()),
        lambda: draw_spectrum(made_up.dynamic()),
    ],
    ids=["shared axis", "colour bars and legend below", "second axis"],
)
def test_a_picture_is_to_the_pixel_that_of_matplotlib(draw, tmp_path):
    draw().savefig(tmp_path / "expected.png", dpi=picture_file.DPI)
    picture, expected = Image.open(io.BytesIO(png(draw()))), Image.open(tmp_path / "expected.png")
    assert (picture.mode, picture.info) == (expected.mode, expected.info)
    np.testing.assert_array_equal(np.asarray(picture), np.asarray(expected))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [0, 1])
def test_what_a_broken_off_study_left_can_be_drawn(n, tmp_path, monkeypatch):
    monkeypatch.setattr(picture_file, "DPI", 30)
    static = made_up.static().isel(position=slice(n))
    dynamic = made_up.dynamic(duration=0.001, pairs=made_up.PAIRS).isel(time=slice(n))
    assert len(plots.write_plots(static, tmp_path)) == 4
    assert len(plots.write_plots(dynamic, tmp_path)) == 5


def test_points_are_drawn_on_the_tooth_most_stressed():
    dataset = made_up.static(with_points=True)
    above, below = draw_points(dataset).axes
    root, flank = above.lines
    tooth = int(np.nanargmax(dataset["point_stress"].sel(point="root").max("position").values))
    assert root.get_label() == f"root, tooth {dataset['tooth'].values[tooth]}"
    np.testing.assert_array_equal(root.get_ydata(), dataset["point_stress"].values[:, 0, tooth] * 1e-6)
    np.testing.assert_array_equal(below.lines[0].get_ydata(), dataset["point_rotation"].values[:, 0, tooth] * 1e3)
    assert np.isnan(flank.get_ydata()).all()


def test_axes_have_units_and_the_curve_of_the_data():
    dataset = made_up.static()
    figure = draw_transmission_error(dataset)
    above, below = figure.axes
    assert above.get_ylabel() == "transmission error [µm]"
    assert below.get_xlabel().startswith("phase [pitches]")
    np.testing.assert_array_equal(above.lines[0].get_xdata(), dataset["phase"])
    np.testing.assert_array_equal(above.lines[0].get_ydata(), dataset["transmission_error"].values * 1e6)


def test_pairs_without_load_are_not_listed():
    figure = draw_tooth_load(made_up.static(uncomputed=True))
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert labels == ["all pairs", "pair 0", "pair 1"]


def test_the_pattern_is_drawn_over_the_flank_with_its_ends():
    dataset = made_up.static()
    figure = draw_contact_pattern(dataset)
    pressure, line_load = figure.axes[:2]
    assert line_load.get_xlabel() == "roll length on the pinion's flank [mm]"
    ends = [line.get_xdata()[0] for line in pressure.lines]
    np.testing.assert_allclose(ends, dataset["flank_limit"].values.ravel() * 1e3)
    drawn = pressure.collections[0].get_array()
    np.testing.assert_allclose(drawn.max(), dataset["pattern_pressure"].max() * 1e-6, rtol=1e-12)


def test_a_narrow_peak_does_not_use_up_the_colours():
    values = np.full(1000, 100.0)
    assert end_of_scale(values, 100.0) == 100.0
    values[:10] = 400.0
    assert end_of_scale(values, 400.0) == pytest.approx(120.0)


def test_spectrum_shows_the_harmonics_of_the_steady_part():
    dataset = made_up.dynamic()
    part = steady_part(dataset)
    assert dataset["time"].values[part.start] >= 0.75 * 0.1 - 1e-9  # second half of the time at speed
    turned = np.diff(dataset["phase"].values[[part.start - 1, part.stop - 1]])[0]
    assert turned == pytest.approx(round(turned), abs=0.03)  # whole pitches, to the spacing of the output
    figure = draw_spectrum(dataset)
    frequency, amplitude = figure.axes[0].lines[-1].get_data()
    mesh_frequency = 157.0 * 20 / (2.0 * np.pi)
    near = np.abs(frequency - mesh_frequency) < 0.3 * mesh_frequency
    # a line between two bins of the Hann window loses at most 15 % of its height
    assert 0.85 * 3.0 <= amplitude[near].max() <= 3.0 * 1.01


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(StorageFailure, match="missing"):
        plots.write_plots(made_up.static(), tmp_path / "missing")


def test_a_title_with_markup_is_drawn_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(picture_file, "DPI", 30)
    title = r"cost $5 and $\\frac [/b]"
    assert len(plots.write_plots(made_up.static(title=title), tmp_path)) == len(STATIC)


def test_a_plot_that_fails_is_named_and_the_others_are_written(tmp_path, monkeypatch):
    def broken(dataset):
        raise ValueError("no\nfont")

    monkeypatch.setattr(picture_file, "DPI", 30)
    monkeypatch.setattr(plots, "draw_tooth_load", broken)
    with pytest.raises(plots.PlotFailure, match=r"not drawn: tooth_load\.png \(ValueError: no font\); the numbers"):
        plots.write_plots(made_up.static(), tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(set(STATIC) - {"tooth_load.png"})


def test_a_short_dynamic_study_is_not_enlarged():
    short = made_up.dynamic(duration=0.005, pairs=made_up.PAIRS)
    assert len(draw_transmission_error(short).axes) == 2
    assert len(draw_transmission_error(made_up.dynamic()).axes) == 3


def test_edges_are_hatched_and_named() -> None:
    data = made_up.static()
    touches = data["pattern_pressure"].values > 0.0
    data["pattern_edge_pressure"].values[-30:] = 2.5e9 * touches[-30:]
    data["pattern_pressure"].values[-30:] = 0.0
    figure = draw_contact_pattern(data)
    assert "edge touches, up to 2500 MPa" in [text.get_text() for text in figure.legends[0].get_texts()]
    assert any(collection.get_hatch() for collection in figure.axes[0].collections)
    png(figure)  # it can be drawn
    plain = draw_contact_pattern(made_up.static())
    assert not any("edge touches" in text.get_text() for text in plain.legends[0].get_texts())
