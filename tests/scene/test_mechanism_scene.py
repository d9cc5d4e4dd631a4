"""Pictures of machines in space: where things are drawn, and what is refused."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up_results import drawn

import alegear as ag
from alegear.pictures.of_results.motion import angles_turned
from alegear.results.mechanism import mechanism_shape
from alegear.scene.mechanism import MechanismScene, show, write_animation
from alegear.storage.store import MECHANISM, read_table

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three positions of the double rack."""
    case = ag.MachineCase.from_toml(ROOT / "meshes" / "double_rack.toml")
    out = tmp_path_factory.mktemp("scene") / "out"
    ag.run(replace(case, analysis=ag.Kinematics(duration=1.0, positions=3)), out)
    return out


def test_shape_has_points_in_the_frames_of_the_bodies(folder):
    shape = read_table(folder, MECHANISM)
    assert set(shape["wheels"]) == {"bevel"}
    assert set(shape["racks"]) == {"upright", "lying"}
    assert shape["joints"]["axle"]["points"] == [[-3.0, 0.0, 3.0], [0.0, 0.0, 0.0]]
    case = ag.MachineCase.from_toml(ROOT / "meshes" / "double_rack.toml")
    assert json.loads(json.dumps(mechanism_shape(case.parts))) == shape


def test_wheel_and_racks_are_drawn_where_they_are(folder):
    scene = MechanismScene.of(folder)
    drawn = {name: np.asarray(mesh.points) for name, mesh, _ in scene._actors(len(scene) - 1)}
    centre = np.array([-3.0, 0.0, 3.0])
    axis = np.array([1.0, 0.0, -1.0]) / math.sqrt(2.0)
    r = 6.0 / math.sqrt(2.0)
    off = drawn["wheel bevel"] - centre
    along = off @ axis
    radius = np.linalg.norm(off - along[:, None] * axis, axis=1)
    rim = radius > 0.5 * r  # not the centre of its disc
    assert radius[rim] == pytest.approx(r - along[rim], abs=1e-6)  # a cone of -45 deg; float32 coordinates
    rack = drawn["rack upright"]
    assert rack[:, 1].mean() == pytest.approx(5.0, abs=1e-5)  # it was moved by 5 m
    assert rack[:, 0].min() == pytest.approx(0.0, abs=1e-5)  # its teeth look along -x
    assert drawn["teeth lying"][:, 2] == pytest.approx(0.0, abs=1e-5)


def test_teeth_turn_with_their_wheel(folder):
    """Between two samples the wheel turns by u/r: so does the spoke that marks it."""
    scene = MechanismScene.of(folder)
    spokes = []
    for number in (0, 1):
        points = {name: np.asarray(mesh.points) for name, mesh, _ in scene._actors(number)}["teeth bevel"]
        spokes.append((points[-1] - points[-2]) / np.linalg.norm(points[-1] - points[-2]))
    angle = math.acos(float(np.clip(spokes[0] @ spokes[1], -1.0, 1.0)))
    assert angle == pytest.approx(2.5 / (6.0 / math.sqrt(2.0)), abs=1e-5)


def test_animation_and_pictures_are_written(folder, tmp_path):
    from PIL import Image

    write_animation(folder, tmp_path / "a.gif", frames=3)
    assert Image.open(tmp_path / "a.gif").n_frames == 3
    show(folder, screenshot=tmp_path / "a.png", position=1)
    picture = np.asarray(Image.open(tmp_path / "a.png").convert("L"))
    assert (picture < 200).mean() > 0.02  # something is drawn


@pytest.mark.parametrize(
    ("arguments", "words"), [({"position": 3}, "between 0 and 2"), ({"screenshot": "a.jpg", "position": 0}, ".png")]
)
def test_what_is_refused(folder, tmp_path, arguments, words):
    with pytest.raises(ag.Fault, match=words):
        show(folder, **{"screenshot": tmp_path / "a.png"} | arguments)


def test_an_animation_is_a_gif(folder, tmp_path):
    with pytest.raises(ag.Fault, match=r"a \.gif file"):
        write_animation(folder, tmp_path / "a.mp4")


def test_plots_are_drawn(folder, tmp_path):
    files = drawn(ag.load(folder).dataset, tmp_path)
    assert [path.name for path in files] == ["motion.png", "reactions.png", "contact_forces.png"]


def test_angles_go_on_beyond_half_a_turn():
    """Steps of 1 rad about z: rotation vectors fold at pi, the angle turned does not."""
    angles = np.arange(8.0)
    folded = np.remainder(angles + math.pi, 2.0 * math.pi) - math.pi
    vectors = np.zeros((8, 1, 3))
    vectors[:, 0, 2] = folded
    assert angles_turned(vectors)[:, 0] == pytest.approx(angles, abs=1e-12)
