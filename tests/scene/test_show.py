"""``alegear show``: the view that fits a result is found through what the folder holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from planetary_case import SET

import alegear as ag
from alegear import cli
from alegear.scene import gear_motion
from alegear.scene.show import view_of
from alegear.storage.store import names_in, write_summary

MESHES = Path(__file__).resolve().parents[2] / "meshes"
TURNING = SET.replace("duration_s = 0.002\noutput_every_s = 1e-4", "duration_s = 0.003\noutput_every_s = 1e-3").replace(
    "[analysis]", "[output]\nfields = false\nplots = false\n[analysis]"
)


@pytest.fixture(scope="module")
def modes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modes") / "out"
    ag.run(ag.case_from_file(MESHES / "planetary_lin_parker.toml"), folder)
    return folder


@pytest.fixture(scope="module")
def motion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("motion")
    (folder / "set.toml").write_text(TURNING)
    assert cli.main(["run", str(folder / "set.toml"), "--out", str(folder / "out")]) == 0
    return folder / "out"


def shown(*args: object) -> int:
    return cli.main(["show", *map(str, args)])


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("L"), dtype=float)


def test_modes_of_planetary_sets(modes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alegear.scene.planet_modes.INSTANTS", 4)
    assert view_of(modes).__name__ == "alegear.scene.planet_modes"
    pictures = [tmp_path / f"{mode}.png" for mode in (1, 8)]
    assert shown(modes, "--screenshot", pictures[0]) == 0  # the first one
    assert shown(modes, "--mode", 8, "--screenshot", pictures[1]) == 0
    first, eighth = map(pixels, pictures)
    assert (first < 200.0).any()
    assert (first != eighth).any()
    assert shown(modes, "--mode", 8, "--animation", tmp_path / "8.gif") == 0
    with Image.open(tmp_path / "8.gif") as moving:
        assert moving.n_frames == 4


def test_names_in_a_result_are_those_of_its_dataset(modes: Path) -> None:
    dimensions, variables = names_in(modes)
    data = ag.load(modes).dataset
    assert dimensions == set(data.sizes)
    assert variables == set(data.variables)


def test_what_modes_are_not_asked_for(modes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(modes, "--position", 3, "--screenshot", tmp_path / "f.png") == 2
    assert "--position = 3: must be left out" in capsys.readouterr().err
    assert shown(modes, "--mode", 99, "--screenshot", tmp_path / "f.png") == 2
    assert "mode = 99: must be between 1 and" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_motions_of_gears(motion: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a run without stress fields."""
    assert view_of(motion).__name__ == "alegear.scene.gear_motion"
    assert shown(motion, "--position", 1, "--screenshot", tmp_path / "f.png") == 0
    assert (pixels(tmp_path / "f.png") < 200.0).any()
    assert shown(motion, "--animation", tmp_path / "f.gif") == 0
    with Image.open(tmp_path / "f.gif") as moving:
        assert moving.n_frames == 4
    assert shown(motion, "--position", 4, "--screenshot", tmp_path / "g.png") == 2
    assert "position = 4: must be between 0 and 3" in capsys.readouterr().err
    assert shown(motion, "--mode", 1, "--screenshot", tmp_path / "g.png") == 2
    assert "--mode = 1: must be left out" in capsys.readouterr().err


def test_a_folder_says_what_its_case_says(motion: Path) -> None:
    """A scene out of a folder is that of the case and the dataset."""
    case = ag.case_from_file(motion.parent / "set.toml")
    stored, made = gear_motion.scene_of(motion), gear_motion.scene_of_motion(case, ag.load(motion).dataset)
    assert stored.names == made.names
    assert stored.shape == made.shape
    for name in ("_position", "_turned", "_forces", "_contacts"):
        np.testing.assert_array_equal(getattr(stored, name), getattr(made, name))


def test_positions_of_a_static_study(tmp_path: Path) -> None:
    case = tmp_path / "set.toml"
    begin = TURNING.index("[analysis]")
    text = TURNING[:begin].replace("inertia_kg_m2 = 0.5\n", "").replace("speed_rpm = 955.0\n", "")
    case.write_text(text + '[analysis]\nkind = "static"\npositions_per_pitch = 4\n')
    assert cli.main(["run", str(case), "--out", str(tmp_path / "out")]) == 0
    assert view_of(tmp_path / "out").__name__ == "alegear.scene.gear_motion"
    scene = gear_motion.scene_of(tmp_path / "out")
    assert scene.time is None
    # nothing but shafts is told: planets roll on the sun, by z_s (phi_s - phi_c) = -z_p (phi_p - phi_c)
    turned = [scene._turned[:, scene.names.index(name), 2] for name in ("set sun", "set carrier", "set planet 1")]
    sun, carrier, planet = (np.unwrap(one) for one in turned)
    rolled = 21.0 * (sun - carrier) + 39.0 * (planet - carrier)
    np.testing.assert_allclose(rolled - rolled[0], 0.0, atol=1e-9)  # round-off
    assert shown(tmp_path / "out", "--screenshot", tmp_path / "f.png") == 0


def test_folders_with_nothing_to_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(tmp_path) == 2
    assert "what there is to show" in capsys.readouterr().err


@pytest.mark.parametrize("machine", [False, True])
def test_a_sweep_keeps_no_fields(machine: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its check refuses `fields = true`, so that is no remedy."""
    write_summary(tmp_path, {"analysis": "sweep", "machine": machine})
    if machine:
        (tmp_path / "meshes").mkdir()
    assert shown(tmp_path) == 2
    said = capsys.readouterr().err
    assert "a sweep keeps no fields" in said
    assert "fields = true" not in said


def test_without_a_display(motion: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("alegear.scene.window.has_display", lambda: False)
    assert shown(motion) == 2
    assert "--screenshot" in capsys.readouterr().err
