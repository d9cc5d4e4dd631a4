"""Plots: every file is there, also where values are missing; patterns and steady parts against closed forms."""

import io
from dataclasses import replace
from itertools import product

import made_up_results as made_up
import numpy as np
import pytest
from datasets import contact_dataset
from families import mostly_thorough
from histories import FACTS
from matplotlib.figure import Figure
from PIL import Image

import alegear as ag
from alegear.pictures import files as plots
from alegear.pictures import picture_file
from alegear.pictures.of_results import contact_pattern, fillet, pictures, root_stress, wear
from alegear.pictures.of_results.bearings import draw_bearings
from alegear.pictures.of_results.contact_pattern import draw_contact_pattern
from alegear.pictures.of_results.points import draw_points
from alegear.pictures.of_results.root_stress import draw_root_stress
from alegear.pictures.of_results.spectrum import draw_spectrum, has_spectrum, order_lines
from alegear.pictures.of_results.te import draw_transmission_error
from alegear.pictures.of_results.tooth_load import draw_tooth_load
from alegear.pictures.picture_file import png
from alegear.results.case_record import CaseRecord
from alegear.results.contact_result import contact_summary
from alegear.results.pair_difference import pattern_of_pair, touching_pairs, unlike_pair
from alegear.results.reading import last_pitches
from alegear.results.root_cycle import tooth_cycle
from alegear.results.steady_window import window_of_dataset
from alegear.storage.whole_file import StorageFailure
from alegear.studies.wear import wear_of

WITH_SPEED = ag.Case(
    pair=ag.GearPair(
        pinion=ag.Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35e-3),
        wheel=ag.Gear(z=30, m_n=4e-3, x=-0.2, b=30e-3, bore_diameter=54e-3),
    ),
    operation=ag.Operation(pinion_torque=400.0, pinion_speed=300.0),
    analysis=ag.StaticAnalysis(),
    wear=ag.WearConditions(friction_coefficient=0.05),
)
STATIC = ["te.png", "tooth_load.png", "contact_pattern.png", "root_stress.png"]
MOTION = ["te.png", "spectrum.png", *STATIC[1:], "speeds.png", "energy.png"]
#: Kinds of studies and how many samples they left: those that run always have each kind and each number.
BROKEN_OFF = {("static", 1), ("dynamic", 0)}


def caption_of(module, dataset):
    """Caption of the picture that a module defines."""
    return module.PICTURE.caption(ag.Result(summary={}, dataset=dataset))


@pytest.fixture
def without_pixels(monkeypatch):
    """Plots are made and their files are empty: for tests of what is drawn, not of how it looks."""
    monkeypatch.setattr(plots, "png", lambda figure, caption: b"")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("dataset", "names"),
    [
        pytest.param(made_up.static(), STATIC, marks=pytest.mark.thorough),  # those of the last one, too
        (made_up.static(uncomputed=True, title=r"cost $5 and $\\frac [/b]"), STATIC),
        (made_up.dynamic(), MOTION),
        (made_up.static(with_points=True), [*STATIC, "points.png"]),
    ],
    ids=["static", "some not computed, markup in the title", "dynamic", "points of the teeth"],
)
def test_every_plot_is_written_whole(dataset, names, tmp_path):
    files = made_up.drawn(dataset, tmp_path)
    assert [f.name for f in files] == names
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(names)  # nothing left beside them
    for file in files:
        pixels = np.asarray(Image.open(file).convert("L"))
        assert pixels.shape[1] >= 1000
        assert 0.005 < (pixels < 128).mean() < 0.9  # something is drawn, and it does not fill the page


def colour_bars() -> Figure:
    figure = Figure(layout="constrained")
    for axes in figure.subplots(1, 2):
        figure.colorbar(axes.pcolormesh(np.arange(6.0).reshape(2, 3)), ax=axes)
    return figure


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda: draw_transmission_error(made_up.static()), marks=pytest.mark.thorough),
        lambda: draw_contact_pattern(made_up.static()),
        lambda: draw_spectrum(made_up.dynamic()),
        colour_bars,
    ],
    ids=["shared axis", "colour bars and legend below", "second axis", "colour bars in the grid"],
)
def test_a_picture_is_that_of_matplotlib(draw, tmp_path):
    """Panels stand within two pixels of where Matplotlib lays them out; to the pixel it is what it draws there."""
    laid, expected = draw(), draw()
    for figure in (laid, expected):
        figure.set_dpi(picture_file.DPI)
    expected.draw_without_rendering()
    picture = Image.open(io.BytesIO(png(laid)))
    for one, other in zip(laid.axes, expected.axes, strict=True):
        np.testing.assert_allclose(one.get_window_extent().extents, other.get_window_extent().extents, atol=2.0)
    laid.savefig(tmp_path / "expected.png", dpi=picture_file.DPI)
    np.testing.assert_array_equal(np.asarray(picture), np.asarray(Image.open(tmp_path / "expected.png")))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("kind", "n"), mostly_thorough(product(["static", "dynamic"], [0, 1]), always=BROKEN_OFF.__contains__)
)
def test_what_a_broken_off_study_left_can_be_drawn(kind, n, tmp_path, monkeypatch):
    monkeypatch.setattr(picture_file, "DPI", 30)
    if kind == "static":
        left = made_up.static().isel(position=slice(n))
    else:
        left = made_up.dynamic(duration=0.001, pairs=made_up.PAIRS).isel(time=slice(n))
    files = {file.name for file in made_up.drawn(left, tmp_path)}
    assert files == (({*STATIC} | ({"speeds.png", "energy.png"} if kind == "dynamic" else set())) if n else set())


def test_points_are_drawn_on_the_tooth_most_stressed():
    dataset = made_up.static(with_points=True)
    above, below = draw_points(dataset).axes
    root, flank = above.lines
    tooth = int(np.nanargmax(dataset["point_stress"].sel(point="root").max("position").values))
    assert root.get_label() == f"root\n(pinion, tooth {dataset['tooth'].values[tooth]})"
    np.testing.assert_array_equal(root.get_ydata(), dataset["point_stress"].values[:, 0, tooth] * 1e-6)
    np.testing.assert_array_equal(below.lines[0].get_ydata(), dataset["point_rotation"].values[:, 0, tooth] * 1e3)
    assert np.isnan(flank.get_ydata()).all()


def test_the_error_is_drawn_about_its_mean_with_its_orders():
    dataset = made_up.static()
    figure = draw_transmission_error(dataset)
    error, orders, stiffness = figure.axes
    te = dataset["transmission_error"].values * 1e6
    assert error.get_xlabel().startswith("phase [pitches]")
    np.testing.assert_array_equal(error.lines[0].get_xdata(), dataset["phase"])
    np.testing.assert_allclose(error.lines[0].get_ydata(), te - te.mean(), atol=1e-12)  # round-off
    assert f"mean {te.mean():.4g} µm, peak to peak {np.ptp(te):.3g} µm" in error.get_title(loc="left")
    # the bars are the Fourier coefficients of the pitch
    k = np.arange(1, 11)
    expected = np.abs(2.0 / len(te) * np.exp(-2j * np.pi * np.outer(k, np.arange(len(te))) / len(te)) @ te)
    np.testing.assert_allclose([bar.get_height() for bar in orders.patches], expected, atol=1e-9)
    assert stiffness.get_ylim()[0] == 0.0


@pytest.mark.parametrize(("positions", "orders"), [(32, []), (16, [8, 9, 10]), (10, [5, 6, 7, 8, 9, 10])])
def test_orders_that_are_not_resolved_are_hatched(positions, orders):
    """From that with two samples a period on: their places are no bars of height zero."""
    _, axes, _ = draw_transmission_error(made_up.static(n=positions)).axes
    bars = [patch for patch in axes.patches if not patch.get_hatch()]
    hatched = [patch for patch in axes.patches if patch.get_hatch()]
    assert len(bars) == 10 - len(orders)
    assert [patch.get_x() + 0.5 * patch.get_width() for patch in hatched] == pytest.approx(orders)
    assert ("not resolved" in [text.get_text() for text in axes.texts]) == bool(orders)


def test_pairs_without_load_are_not_listed():
    figure = draw_tooth_load(made_up.static(uncomputed=True))
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert labels == ["all pairs", "pair 0", "pair 1"]


@pytest.mark.parametrize("pitches", [20, 70])
def test_many_pairs_have_their_numbers_at_their_curves(pitches):
    dataset = made_up.static(pitches=pitches, pairs=np.arange(-1, pitches + 1))
    (axes,) = draw_tooth_load(dataset).axes
    numbers = {int(text.get_text()): text.xy[0] for text in axes.texts}
    assert all(abs(x - pair) < 0.1 for pair, x in numbers.items() if 0 <= pair < pitches - 1)  # where each is alone
    assert set(np.diff(list(numbers))) == {1 if pitches == 20 else 3}
    assert axes.get_title(loc="left").startswith(f"number at {'each curve' if pitches == 20 else 'one curve in 3'}: ")
    assert axes.get_legend() is None


def test_the_pattern_is_drawn_over_the_flank_with_its_ends():
    dataset = made_up.static()
    figure = draw_contact_pattern(dataset)
    pressure, line_load = figure.axes[:2]
    assert line_load.get_xlabel() == "roll length on the flank of the pinion [mm]"
    ends = [line.get_xdata()[0] for line in pressure.lines if len(line.get_xdata()) == 2]
    np.testing.assert_allclose(ends, dataset["flank_limit"].values.ravel() * 1e3)
    drawn = pressure.collections[0].get_array()
    np.testing.assert_allclose(drawn.max(), dataset["pattern_pressure"].max() * 1e-6, rtol=1e-12)


def test_spectrum_has_the_harmonics_of_the_steady_part_in_decibels():
    dataset = made_up.dynamic()
    part = window_of_dataset(dataset).part
    assert dataset["time"].values[part.start] >= 0.75 * 0.1 - 1e-9  # second half of the time at speed
    turned = np.diff(dataset["phase"].values[[part.start - 1, part.stop - 1]])[0]
    assert turned == pytest.approx(round(turned), abs=0.03)  # whole pitches, to the spacing of the output
    order, amplitude, frequency = order_lines(dataset)
    assert frequency == pytest.approx(157.0 * 20 / (2.0 * np.pi), rel=1e-6)
    # amplitudes of 40 samples a pitch that are interpolated to as many: up to (pi/40)^2 of the first, 4 of the second
    assert amplitude[np.isclose(order, [[1.0], [2.0]]).any(axis=0)] == pytest.approx([3e-6, 1e-6], rel=0.03)
    assert amplitude[~np.isclose(order, [[1.0], [2.0]]).any(axis=0)].max() < 0.02e-6
    dots = draw_spectrum(dataset).axes[0].lines[0].get_ydata()
    assert dots.max() == pytest.approx(20.0 * np.log10(3.0), abs=0.3)


def test_a_run_up_has_orders_and_no_frequencies():
    dataset = made_up.dynamic()
    rising = dataset.isel(time=slice(0, len(dataset["time"]) // 2))
    order, amplitude, frequency = order_lines(rising)
    assert frequency is None
    first, second = (amplitude[np.argmin(np.abs(order - k))] for k in (1, 2))
    assert (first, second) == (pytest.approx(3e-6, rel=0.05), pytest.approx(1e-6, rel=0.05))
    assert draw_spectrum(rising).axes[0].get_xlabel() == "mesh order; the speed changes"


@pytest.mark.usefixtures("without_pixels")
def test_a_short_run_has_no_spectrum(tmp_path):
    short = made_up.dynamic(duration=0.001, pairs=made_up.PAIRS)
    assert not has_spectrum(short)
    assert "spectrum.png" not in [file.name for file in made_up.drawn(short, tmp_path)]


def test_a_tooth_goes_through_the_mesh_once():
    """All pairs of one pitch together are one passage: the stress of a tooth is that of its own phase."""
    dataset = made_up.static()
    cycle = tooth_cycle(dataset, 0, 1)
    assert (np.diff(cycle.phase) >= 0.0).all()
    assert (cycle.phase[0], cycle.phase[-1]) == pytest.approx((-2.5, 1.5 - 1 / 32))
    expected = -34e3 * made_up.TOTAL * made_up.share(cycle.phase) * 1e-6
    np.testing.assert_allclose(cycle.stress, expected, atol=1e-9)  # round-off
    assert cycle.ends == (0.0, pytest.approx(-34e3 * made_up.TOTAL * 1e-6, rel=1e-9))
    above, _ = draw_root_stress(dataset).axes
    words = above.get_legend_handles_labels()[1]
    assert words[0] == "tension side: 0 to 307 MPa"  # of changing points of the fillet: no range, no amplitude


def test_teeth_of_a_motion_have_a_line_each():
    """They are loaded differently: put together over the phase they would be a band between the lines."""
    dataset = made_up.dynamic()
    cycle = tooth_cycle(dataset, 0, 1, last_pitches(dataset))
    breaks = np.flatnonzero(np.isnan(cycle.stress))
    assert len(breaks) > 2
    for part in np.split(cycle.phase, breaks):
        known = part[np.isfinite(part)]
        assert (np.diff(known) >= 0.0).all()
    text = caption_of(root_stress, dataset)
    principal = 1e-6 * dataset["root_stress_principal"].to_numpy()
    assert f"the whole motion: pinion {np.nanmin(principal[:, 0]):.0f} to {np.nanmax(principal[:, 0]):.0f} MPa" in text


def with_points(dataset):
    """The same stress at three points of the fillet and two across the face."""
    shape = (*dataset["root_stress_principal"].shape, 3, 2)
    values = np.broadcast_to(dataset["root_stress_principal"].to_numpy()[..., None, None], shape)
    arc = np.tile([1e-3, 2e-3, 3e-3], (2, 1))
    return dataset.assign(
        root_stress_fillet_principal=((*dataset["root_stress_principal"].dims, "fillet", "face"), values),
        fillet_arc_length=(("gear", "fillet"), arc),
        fillet_tangent_angle=(("gear", "fillet"), np.zeros((2, 3))),
        face_position=(("gear", "face"), np.tile([-0.01, 0.01], (2, 1))),
    )


def test_maps_of_fillets_tell_of_rings_only_where_there_are_some():
    dataset = with_points(made_up.static())
    assert "; ring: " not in caption_of(fillet, dataset)
    place = dict.fromkeys(("root_critical_arc_length", "root_critical_face_position"))
    ringed = dataset.assign({name: (("gear", "side"), np.full((2, 2), 1e-3)) for name in place})
    assert "; ring: " in caption_of(fillet, ringed)


def test_pattern_says_load_and_diameters():
    dataset = made_up.static().assign(base_radius=("gear", [0.0376, 0.0564]), load_mean=10600.0, face_load_factor=1.25)
    figure = draw_contact_pattern(dataset)
    words = caption_of(contact_pattern, dataset)
    assert "10.6 kN (398.6 N m on the pinion), K\u00a0Hβ 1.25" in words
    top = figure.axes[0].child_axes[0]
    assert top.get_xlabel() == "diameter of the pinion [mm]"
    png(figure)  # so that the second axis is laid out
    left = figure.axes[0].get_xlim()[0]
    assert top.get_xlim()[0] == pytest.approx(2.0 * np.hypot(37.6, left), rel=1e-6)


def test_a_pair_that_differs_is_drawn_alone():
    dataset = made_up.static(pitches=6, pairs=np.arange(-1, 7))
    pair = int(np.flatnonzero(dataset["pair"].values == 2)[0])
    for name, none in (("line_load", 0.0), ("contact_pressure", 0.0), ("contact_roll_length", np.nan)):
        dataset[name].values[:, pair, 3:5] = none  # a hole all along the flank
    hidden, _, alone = draw_contact_pattern(dataset).axes[:3]
    assert "largest of the tooth pairs -1 to 6" in caption_of(contact_pattern, dataset)
    assert alone.get_title(loc="left") == "tooth pair 2 alone, loaded unlike the others"
    pressure, own = (axes.collections[0].get_array() for axes in (hidden, alone))
    touched = ~np.ma.getmaskarray(pressure)
    assert touched.any(axis=1).all()
    assert np.ma.getmaskarray(own)[3:5].all()
    others = [0, 1, 2, 5, 6, 7, 8]  # the same as of all, but for columns between samples and at the ends
    np.testing.assert_allclose(own[others], pressure[others], rtol=1e-9)
    assert len(draw_contact_pattern(made_up.static(pitches=6, pairs=np.arange(-1, 7))).legends) == 1
    assert "alone" not in draw_contact_pattern(made_up.static(pitches=6)).axes[-1].get_title(loc="left")


def test_the_pair_that_differs_is_found_in_motions_with_a_speed_that_is_reached():
    """And one that is cut at an end of the times that count."""
    dataset = made_up.dynamic()
    assert unlike_pair(dataset) is None
    first, _ = touching_pairs(dataset)
    for pair, whole in ((first + 2, True), (first + 1, False)):
        changed = dataset.copy(deep=True)
        changed["line_load"].values[changed["slot_pair"].values == pair, 4:] *= 0.7
        assert unlike_pair(changed) == pair
        assert unlike_pair(changed.isel(time=slice(0, 1000))) is None  # the speed rises to the end
        assert pattern_of_pair(changed, pair).whole is whole


@pytest.mark.usefixtures("without_pixels")
def test_wear_is_drawn_where_there_is_a_speed(tmp_path):
    history = replace(made_up.static_history(), wear=wear_of(WITH_SPEED))
    names = [file.name for file in made_up.drawn(contact_dataset(history), tmp_path)]
    assert names == [*STATIC, "wear.png"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(StorageFailure, match="missing"):
        made_up.drawn(made_up.static(), tmp_path / "missing")


@pytest.mark.usefixtures("without_pixels")
def test_a_plot_that_fails_is_named_and_the_others_are_written(tmp_path, monkeypatch):
    def broken(dataset):
        raise ValueError("no\nfont")

    listed = [replace(one, draw=broken) if one.name == "tooth_load" else one for one in pictures()]
    monkeypatch.setattr(plots, "pictures", lambda: listed)
    with pytest.raises(plots.PlotFailure, match=r"not drawn: tooth_load\.png \(ValueError: no font\); the numbers"):
        made_up.drawn(made_up.static(), tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(set(STATIC) - {"tooth_load.png"})


def test_a_short_dynamic_study_is_not_enlarged():
    short = made_up.dynamic(duration=0.005, pairs=made_up.PAIRS)
    assert len(draw_transmission_error(short).axes) == 3
    assert len(draw_transmission_error(made_up.dynamic()).axes) == 4


def test_edges_are_hatched_and_named() -> None:
    data = made_up.static()
    touches = data["pattern_pressure"].values > 0.0
    data["pattern_edge_pressure"].values[-30:] = 2.5e9 * touches[-30:]
    data["pattern_pressure"].values[-30:] = 0.0
    figure = draw_contact_pattern(data)
    assert any("edge touches, up to 2500 MPa" in text.get_text() for text in figure.legends[0].get_texts())
    hatched = [patch for patch in figure.axes[0].patches if patch.get_hatch()]
    cell = np.prod([np.ptp(data[name].values[:2]) * 1e3 for name in ("roll_length", "slice")])
    area = sum(patch.get_width() * patch.get_height() for patch in hatched)
    assert area == pytest.approx(touches[-30:].sum() * cell)  # all of the edge, and nothing else
    assert not any(patch.get_fill() for patch in hatched)  # the colours below are seen
    png(figure)  # it can be drawn
    plain = draw_contact_pattern(made_up.static())
    assert not any("edge touches" in text.get_text() for text in plain.legends[0].get_texts())


@pytest.mark.usefixtures("without_pixels")
def test_bearings_are_drawn_about_their_means(tmp_path):
    dataset = made_up.static()
    n = dataset.sizes["position"]
    wave = np.cos(2.0 * np.pi * np.arange(n) / n)
    force = np.zeros((n, 2, 3))
    force[:, 0, 0] = 1000.0 + 50.0 * wave
    moved = np.zeros((n, 2, 3))
    moved[:, 0, 0] = 5e-6 + 1e-7 * wave
    dims = ("position", "gear", "axis")
    on_bearings = dataset.assign(
        bearing_force=(dims, force),
        displacement=(dims, moved),
        tilt=(("position", "gear", "diameter"), np.full((n, 2, 2), 1e-18)),  # round-off
    )
    force_axes, moved_axes = draw_bearings(on_bearings).axes
    np.testing.assert_allclose(force_axes.lines[0].get_ydata(), 50.0 * wave, atol=1e-9)
    assert moved_axes.lines[0].get_label() == "pinion x, mean 5 µm\npeak to peak 0.2 µm"
    assert "bearings.png" in [file.name for file in made_up.drawn(on_bearings, tmp_path)]
    assert "bearings.png" not in [file.name for file in made_up.drawn(dataset, tmp_path)]


def test_a_run_up_to_its_end_has_mean_and_orders_of_its_last_pitches():
    whole = made_up.dynamic(duration=0.08, ramp=0.04)
    dataset = whole.isel(time=slice(0, whole.sizes["time"] // 2))
    figure = draw_transmission_error(dataset)
    _, error, orders, _ = figure.axes
    assert error.get_title(loc="left").endswith("of the last 4 pitches")
    assert len(orders.patches) == 10  # a bar an order
    te, phase = dataset["transmission_error"].values, dataset["phase"].values
    last = te[phase > phase[-1] - 4.0]  # the last four pitches
    size = float(error.get_title(loc="left").split("peak to peak ")[1].split(" ")[0])
    assert size == pytest.approx(1e6 * np.ptp(last), rel=5e-3)  # of three digits
    # what is drawn lies about its mean
    drawn = error.lines[0].get_ydata()
    assert abs(np.mean(drawn)) < 0.05 * np.ptp(drawn)


def test_numbers_in_the_picture_are_those_of_the_summary():
    history = made_up.dynamic_history()
    summary = contact_summary(history, FACTS, ramp=0.05)
    figure = draw_transmission_error(made_up.dynamic())
    _, error, orders, stiffness = figure.axes
    size = f"peak to peak {summary['te_peak_to_peak_um']:.3g} µm of the steady part"
    assert error.get_title(loc="left") == f"mean {summary['te_mean_um']:.4g} µm, {size}"
    heights = [bar.get_height() for bar in orders.patches]
    np.testing.assert_allclose(heights[:5], summary["te_harmonics_um"], atol=1e-9)
    low, high = (summary[f"mesh_stiffness_{end}_N_per_um"] for end in ("min", "max"))
    assert f"{low:.4g} to {high:.4g} N/µm" in stiffness.get_title(loc="left")


def test_a_speed_that_vibrates_does_not_change():
    """The driver on a shaft that gives way: its speed vibrates with the mesh, by more than a hundredth."""
    history = made_up.dynamic_history()
    phase = history.phase + 0.01 * np.sin(2.0 * np.pi * history.phase)
    speed = history.speed * (1.0 + 0.06 * np.cos(2.0 * np.pi * history.phase))[:, None]
    dataset = made_up.dynamic().assign(phase=("time", phase), speed=(("time", "gear"), speed))
    _, _, frequency = order_lines(dataset)
    assert frequency == pytest.approx(157.0 * 20 / (2.0 * np.pi), rel=1e-3)
    assert draw_spectrum(dataset).axes[0].get_xlabel().startswith("mesh order (mesh frequency")
    title = draw_transmission_error(dataset).axes[1].get_title(loc="left")
    assert title.endswith("of the steady part")


def test_less_than_a_pitch_is_said():
    short = made_up.dynamic(duration=0.002, pairs=made_up.PAIRS)
    assert np.ptp(short["phase"].values) < 1.0
    assert draw_transmission_error(short).axes[0].get_title(loc="left").endswith("of less than a pitch")
    words = "less than a pitch: flank not reached everywhere"
    assert words in caption_of(contact_pattern, short)
    assert words not in caption_of(contact_pattern, made_up.dynamic())
    history = made_up.dynamic_history(duration=0.002, pairs=made_up.PAIRS)
    worn = contact_dataset(replace(history, wear=wear_of(WITH_SPEED)))
    assert words in caption_of(wear, worn)
    for axes in draw_root_stress(short).axes:
        assert all("no whole passage" in text for text in axes.get_legend_handles_labels()[1])
    part = made_up.static().isel(position=slice(0, 20))  # of 32 a pitch
    assert words in caption_of(contact_pattern, part)


def test_pairs_out_of_mesh_are_not_drawn():
    figure = draw_tooth_load(made_up.static())
    (first,) = [line for line in figure.axes[0].lines if line.get_label() == "pair 0"]
    drawn = first.get_ydata()
    carries = np.nan_to_num(drawn) > 0.0
    assert carries.any()
    assert np.isnan(drawn).sum() == max((~carries).sum() - np.abs(np.diff(carries.astype(int))).sum(), 0)


def test_the_operating_point_of_the_folder_stands_below_the_title(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(plots, "png", lambda figure, caption: seen.append(figure.get_suptitle()) or b"")
    CaseRecord(data={"operating_point": "180 N m on the pinion"}).write(tmp_path)
    made_up.drawn(made_up.static(), tmp_path)
    assert len(seen) == 4
    assert all(text.endswith("\n180 N m on the pinion") for text in seen)
    (tmp_path / "none").mkdir()
    seen.clear()
    made_up.drawn(made_up.static(), tmp_path / "none")
    assert not any("\n" in text for text in seen)


def test_a_mesh_of_a_machine_has_the_names_of_its_gears_and_its_torque(tmp_path, monkeypatch):
    seen = {}
    monkeypatch.setattr(plots, "png", lambda figure, caption: seen.setdefault(len(seen), figure) and b"")
    data = {
        "operating_point": "motor 100 N m",
        "meshes": {"second": {"gears": ["p$2", "w$2"]}},
        "mesh_operating_points": {"second": "180 N m on p$2"},
    }
    CaseRecord(data=data).write(tmp_path)
    folder = tmp_path / "meshes" / "second"
    folder.mkdir(parents=True)
    made_up.drawn(made_up.static(with_points=True), folder)
    assert {figure.get_suptitle().split("\n")[1] for figure in seen.values()} == {"180 N m on p$2"}
    _, _, pattern, root_stress, points = seen.values()
    assert [axes.get_ylabel().split(":")[0] for axes in root_stress.axes] == [r"p\$2", r"w\$2"]
    assert pattern.axes[1].get_xlabel() == r"roll length on the flank of p\$2 [mm]"
    assert {text.get_text() for text in pattern.legends[0].get_texts()} >= {r"tip, p\$2", r"root form, w\$2"}
    assert points.axes[0].lines[0].get_label().startswith("root\n(p")
    assert "tip, pinion" in {text.get_text() for text in draw_contact_pattern(made_up.static()).legends[0].get_texts()}
