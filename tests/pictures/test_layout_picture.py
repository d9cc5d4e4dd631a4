"""Drawings of layouts: what stands where, in mm."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import mostly_thorough
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from matplotlib.text import Text

from alegear import cli
from alegear.case.from_file import case_from_file
from alegear.case.operation import Operation
from alegear.case.pair_machine import machine_of
from alegear.errors import Fault
from alegear.pictures.layout import WIDTH, arrange, draw_layout, has_places, write_layout
from alegear.pictures.layout_sketch import Sketch
from alegear.results.machine_shape import machine_shape

MESHES = Path(__file__).parents[2] / "meshes"


@cache
def layout(name: str):
    return case_from_file(MESHES / f"{name}.toml").layout


def shape(name: str) -> dict[str, Any]:
    return machine_shape(layout(name), {})


def test_axes_in_one_plane_are_drawn_where_they_are() -> None:
    sketch = Sketch(shape("two_stage_helical"))
    assert not sketch.is_unfolded
    # sums of coordinates
    assert sketch.heights["input"] - sketch.heights["middle"] == pytest.approx(0.19, rel=1e-12)
    assert sketch.heights["input"] == pytest.approx(sketch.heights["output"], abs=1e-15)
    assert sketch.position("output", 0.065) == pytest.approx(0.155, rel=1e-12)


def test_other_axes_are_unfolded_at_their_centre_distances() -> None:
    sketch = Sketch(shape("idler_3_gears"))
    assert sketch.is_unfolded
    heights = [sketch.heights[name] for name in ("input", "idler", "output")]
    # positions in the case have nine digits
    assert np.abs(np.diff(heights)) == pytest.approx([0.1, 0.11], rel=1e-8)


def test_gears_are_as_large_as_their_tip_circles_and_faces() -> None:
    machine = layout("two_stage_helical")
    side, end = draw_layout(machine_shape(machine, {})).axes
    drawn = {
        (round(one.get_width(), 6), round(one.get_height(), 6)) for one in side.patches if isinstance(one, Rectangle)
    }
    for gear in machine.gears.values():
        assert (round(1e3 * gear.gear.b, 6), round(1e3 * gear.gear.d_a, 6)) in drawn
    radii = [one.get_radius() for one in end.patches if isinstance(one, Circle)]
    for place in machine.meshes:
        for d_w in place.pair.d_w:
            assert min(abs(radius - 500.0 * d_w) for radius in radii) < 1e-9  # mm


def test_lines_of_teeth_lean_to_the_hand_of_the_gear() -> None:
    """Seen from the side a right-handed gear (p1) has teeth that go down to the right, its mate ones that go up."""
    machine = layout("two_stage_helical")
    lines = [line.get_xydata() for line in draw_layout(machine_shape(machine, {})).axes[0].lines]
    for name, side in (("p1", -1.0), ("w1", 1.0)):
        gear = machine.gears[name].gear
        rise = side * 1e3 * gear.b * np.tan(np.radians(21.0))
        assert any(len(xy) == 2 and abs(xy[1, 1] - xy[0, 1] - rise) < 1e-6 for xy in lines)  # mm


def test_every_part_is_named() -> None:
    machine = layout("two_stage_helical")
    figure = draw_layout(machine_shape(machine, {}), "a $title$")
    texts = " ".join(text.get_text() for axes in figure.axes for text in axes.texts)
    for name in (*machine.gears, *(one.name for one in machine.bearings), *machine.drives, *machine.loads):
        assert name in texts
    assert all(name in texts for name in machine.shafts)


@pytest.mark.parametrize(
    "name",
    [
        "wind_turbine",
        pytest.param("two_stage_helical", marks=pytest.mark.thorough),  # the other one has such stages, and more
        pytest.param("clutch_gearbox", marks=pytest.mark.thorough),
        "planetary_lin_parker",
    ],
)
def test_names_can_be_read_on_a_page(name: str) -> None:
    """170 mm wide; none lies on another one, or beyond the frame."""
    figure = draw_layout(shape(name), "a title")
    width, height = figure.get_size_inches()
    assert height <= 11.0
    figure.draw_without_rendering()
    for axes in figure.axes:
        boxes = [Text.get_window_extent(text) for text in axes.texts]
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
        frame = axes.get_window_extent()
        assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)
        assert all(frame.y0 <= box.y0 and box.y1 <= frame.y1 for box in boxes)
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    assert min(text.get_fontsize() for text in texts) * 170.0 / (25.4 * width) >= 6.5


@pytest.mark.parametrize(("size", "stacked"), [((100.0, 20.0), True), ((20.0, 100.0), False)])
def test_views_stand_where_they_are_larger(size: tuple[float, float], stacked: bool) -> None:
    figure = Figure(layout="constrained")
    side, end = figure.subplots(1, 2)
    for axes in (side, end):
        axes.set(xlim=(0.0, size[0]), ylim=(0.0, size[1]))
    arrange(figure, side, end, WIDTH)
    figure.draw_without_rendering()
    assert (side.get_position().y0 > end.get_position().y1) == stacked
    assert (side.get_position().x1 < end.get_position().x0) == (not stacked)


@pytest.mark.parametrize(
    ("driver", "speed"),
    mostly_thorough(
        product(["pinion", "wheel"], [None, 100.0]), always={("pinion", None), ("wheel", 100.0)}.__contains__
    ),
)
def test_the_pinion_of_a_pair_runs_positively_whichever_drives(driver: Any, speed: float | None) -> None:
    case = case_from_file(MESHES / "spur_13_97.toml")
    case = replace(case, operation=Operation(driver=driver, pinion_torque=200.0, pinion_speed=speed))
    pair = machine_of(case).layout
    turns = {name: pair.ratio[name] * shaft.axes[2][2] for name, shaft in pair.shafts.items()}
    assert turns["pinion shaft"] > 0.0 > turns["wheel shaft"]
    texts = [text.get_text() for text in draw_layout(machine_shape(pair, {})).axes[1].texts]
    assert "pinion shaft ↺" in texts  # counter-clockwise, z towards the reader
    assert "wheel shaft ↻" in texts
    (drive,) = pair.drives.values()
    assert drive.shaft == f"{driver} shaft"
    if speed is not None:
        assert drive.speed is not None
        ratio = pair.ratio["pinion shaft"] / pair.ratio[drive.shaft]
        assert abs(drive.speed * ratio) == pytest.approx(speed)


@pytest.mark.parametrize("place", ["layout.pdf", "missing/layout.png"])
def test_a_bad_place_for_a_picture_is_named(place: str, tmp_path: Path) -> None:
    case = case_from_file(MESHES / "idler_3_gears.toml")
    with pytest.raises(Fault, match="picture"):
        write_layout(case, tmp_path / place)
    assert not list(tmp_path.iterdir())


def test_planetary_sets_are_drawn_with_all_members() -> None:
    """Planets at their pins as seen from the end, two of them in the section; circles by hand from teeth and module."""
    machine = layout("planetary_lin_parker")
    figure = draw_layout(machine_shape(machine, {}), "set")
    side, end = figure.axes
    module, (z_s, z_p, z_r) = 3.1528297635155487, (27, 33, 93)
    circles = [(*one.center, one.get_radius()) for one in end.patches if isinstance(one, Circle)]
    pins = 0.5 * module * (z_s + z_p)
    for i in range(3):
        at = pins * np.exp(2j * np.pi * i / 3.0)
        # round-off of the directions
        assert any(
            np.hypot(x - at.real, y - at.imag) < 1e-9 and abs(r - 0.5 * module * z_p) < 1e-9 for x, y, r in circles
        )
    for z in (z_s, z_r):
        assert any(np.hypot(x, y) < 1e-9 and abs(r - 0.5 * module * z) < 1e-9 for x, y, r in circles)
    boxes = [
        one for one in side.patches if isinstance(one, Rectangle) and abs(one.get_height() - module * (z_p + 2)) < 1e-9
    ]
    middles = {round(one.get_y() + 0.5 * one.get_height(), 6) for one in boxes}
    assert middles == {round(pins, 6), round(-pins, 6)}
    words = " ".join(text.get_text() for axes in figure.axes for text in axes.texts)
    words += " ".join(text.get_text() for text in figure.legends[0].get_texts())
    for name in ("set sun", "set ring", "set carrier", "set planet 1", "set planet 2", "set planet 3", "sun_bearing"):
        assert name in words
    assert "carrier_body, 5.43 kg" in words


def test_rolling_bearings_have_their_elements_and_defects() -> None:
    side, _ = draw_layout(shape("bearing_defect")).axes
    balls = [one for one in side.patches if isinstance(one, Circle)]
    assert len(balls) == 4  # of two bearings above and below their shafts
    assert all(one.get_radius() == pytest.approx(5.5, rel=1e-12) for one in balls)
    assert "defect: outer ring" in [text.get_text() for text in side.texts]


def test_check_draws_a_machine_whose_gears_are_those_of_sets(tmp_path: Path) -> None:
    path = tmp_path / "layout.png"
    assert cli.main(["check", str(MESHES / "planetary_lin_parker.toml"), "--picture", str(path)]) == 0
    assert path.stat().st_size > 0


def test_disks_are_no_fault_in_a_graph(tmp_path: Path) -> None:
    """A disk on a shaft that only turns: its position along it is a number, no place."""
    case = tmp_path / "turning.toml"
    case.write_text(
        "[machine]\n[shafts.s]\nfixed_axis = true\n[disks.d]\nshaft = 's'\ninertia_kg_m2 = 0.5\n[torques.t]\nat = 's'\n"
        "torque_Nm = 1.0\n[analysis]\nkind = 'dynamic'\nduration_s = 0.1\n"
    )
    assert cli.main(["check", str(case), "--picture", str(tmp_path / "graph.png")]) == 0


SET = """
[planetary.{name}]
sun = "{sun}"
ring = "ground"
carrier = "{carrier}"
sun_teeth = 24
planet_teeth = 30
ring_teeth = 84
planets = 3
normal_module_mm = 2.0
fidelity = "elastic"
planet_inertia_kg_m2 = 1e-4
sun_mesh = {{ stiffness_N_per_m = 4e8, backlash_um = 50 }}
ring_mesh = {{ stiffness_N_per_m = 5e8, backlash_um = 50 }}
"""


@pytest.mark.parametrize("several", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_machines_without_any_shaft_are_drawn_and_reported(tmp_path: Path, several: bool) -> None:
    """A set alone has a place to be drawn at; several sets between bodies that only turn would all have the same."""
    bodies = ["a", "b", "c"][: 2 + several]
    text = "[machine]\n" + "".join(f"[rotors.{name}]\ninertia_kg_m2 = 0.01\n" for name in bodies)
    text += SET.format(name="one", sun="a", carrier="b") + (SET.format(name="two", sun="b", carrier="c") * several)
    text += '[drives.motor]\nshaft = "a"\nspeed_rpm = 100\n'
    text += f'[loads.brake]\nshaft = "{bodies[-1]}"\ntorque_Nm = 100\n'
    text += '[analysis]\nkind = "static"\npositions_per_pitch = 1\n[output]\nplots = false\n'
    path = tmp_path / "case.toml"
    path.write_text(text)
    case = case_from_file(path)
    drawn = machine_shape(case.layout, {})
    assert has_places(drawn) is not several
    assert cli.main(["check", str(path), "--picture", str(tmp_path / "picture.png")]) == 0
    if not several:
        notes = [text.get_text() for axes in draw_layout(drawn).axes for text in axes.texts]
        assert "on bodies that only turn: motor on a, brake on b" in notes
    assert cli.main(["run", str(path), "--out", str(tmp_path / "run")]) == 0
    assert cli.main(["report", str(tmp_path / "run")]) == 0
    assert "<h2>Layout</h2>" in (tmp_path / "run" / "report.html").read_text()
