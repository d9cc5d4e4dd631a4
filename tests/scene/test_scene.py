"""Pictures of the stress on the deformed pair, of made-up fields on two real sectors."""

import shutil

import made_up_results as made_up
import numpy as np
import placed_fields
import pytest
import xarray as xr
from PIL import Image

from alegear.errors import Fault
from alegear.geometry import BasicRack, Gear
from alegear.mesh.grid_options import GridOptions
from alegear.mesh.sector import mesh_sector
from alegear.results import fields
from alegear.scene import scene
from alegear.storage import store
from alegear.storage.netcdf import Contents

A_W = 0.1
PHASES = (-0.25, 0.0, 0.25)


def part(gear, *, z, x, turn, axis):
    """Three teeth of a gear, with a stress that is high only near the flank at the pitch point."""
    body = Gear(z=z, m_n=0.004, rack=BasicRack(), x=x, b=0.03, bore_diameter=0.04)
    coarse = GridOptions(
        flank_elements=4, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=3, order=1
    )
    sector = mesh_sector(body, coarse)
    n = sector.volume.n_nodes
    displacement = np.zeros((3, n, 3))
    displacement[:, :, 2] = 2e-5
    placed = placed_fields.placed(
        sector, displacement, np.zeros((3, n, 6)), sectors=(-1, 0, 1), gear=gear, turn=turn, axis=axis
    )
    stress = np.zeros((len(placed.points), 6))
    distance = np.linalg.norm(placed.points[:, :2] - np.array([0.4 * A_W, 0.0]), axis=1)
    stress[:, 0] = 400e6 * np.exp(-distance / 0.004)
    return placed_fields.Part(
        points=placed.points, cells=placed.cells, displacement=placed.displacement, stress=stress, gear=placed.gear
    )


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    directory = tmp_path_factory.mktemp("result")
    dataset = made_up.static()
    store.write_files(directory, Contents.of(dataset), {"complete": True})
    folder = directory / fields.FOLDER
    folder.mkdir()
    pair = placed_fields.joined(
        [
            part(0, z=20, x=0.2, turn=0.0, axis=(0.0, 0.0)),
            part(1, z=30, x=-0.2, turn=np.pi * (1 + 1 / 30), axis=(A_W, 0.0)),
        ]
    )
    for k in range(len(PHASES)):
        placed_fields.write(folder / f"position_{k:04d}.vtu", pair)
    fields.write_series(folder / fields.SERIES, [(p, f"position_{k:04d}.vtu") for k, p in enumerate(PHASES)])
    return directory


def test_the_frame_with_the_largest_root_stress_is_chosen_and_ends_the_colours(result):
    series = scene.FieldSeries(result)
    # one pair carries all around phase 0, and there the root stress is largest
    assert series.most_stressed == 1
    assert series.stress_limit == pytest.approx(float(series.dataset["root_stress"].max()))


def test_without_root_stress_few_nodes_exceed_the_colours(result, tmp_path):
    shutil.copytree(result / fields.FOLDER, tmp_path / fields.FOLDER)
    series = scene.FieldSeries(tmp_path)
    von_mises = series.load(0)["von_mises"]
    assert 0.0 < (von_mises > series.stress_limit).mean() <= 0.01
    assert series.most_stressed == 1  # the middle one


def test_the_camera_looks_at_the_engagement(result):
    grid = scene.FieldSeries(result).load(0)
    view = scene.View.of(grid)
    # middle between the tip circles, 44.8 mm and 100 - 63.2 mm; the wheel has a tooth space on the line of centres, so
    # that its tips lie 0.2 mm further out there
    assert view.focus == pytest.approx((0.0408, 0.0, 0.0), abs=2e-4)
    assert 3 * np.pi * 0.004 <= view.height <= 5 * np.pi * 0.004  # some pitches high
    factor = view.magnification(grid)
    assert 0.4 * scene.VISIBLE_DISPLACEMENT <= factor * 2e-5 / view.height <= scene.VISIBLE_DISPLACEMENT


def test_points_move_by_the_magnified_displacement(result):
    grid = scene.FieldSeries(result).load(0)
    still, moved = scene.deformed_surface(grid, 0.0), scene.deformed_surface(grid, 100.0)
    moves = np.linalg.norm(moved.points - still.points, axis=1)
    np.testing.assert_allclose(moves, 100.0 * 2e-5, atol=2e-8)  # single precision of coordinates of 0.1 m
    assert still[scene.SCALAR].max() == pytest.approx(grid["von_mises"].max() * 1e-6, rel=1e-6)


def test_screenshot_shows_stress_in_the_middle(result, tmp_path):
    scene.show(result, screenshot=tmp_path / "pair.png", position=0)
    assert [p.name for p in tmp_path.iterdir()] == ["pair.png"]
    picture = np.asarray(Image.open(tmp_path / "pair.png").convert("RGB"), dtype=float)
    red = (picture[..., 0] > 1.6 * picture[..., 1]) & (picture[..., 0] > 60)
    rows, columns = red.shape
    middle = red[rows // 3 : 2 * rows // 3, columns // 3 : 2 * columns // 3]
    assert middle.mean() > 0.1  # the loaded place
    assert middle.mean() > 3 * red[:, : columns // 5].mean()  # far from it there is none


@pytest.mark.parametrize(
    ("damage", "match"),
    [
        (lambda d: (d / "fields" / "series.pvd").unlink(), "run the case with fields = true"),
        (lambda d: (d / "fields" / "series.pvd").write_text("<VTKFile"), "readable list"),
        (lambda d: (d / "fields" / "series.pvd").write_text("<VTKFile/>"), "at least one"),
        (lambda d: (d / "fields" / "position_0001.vtu").unlink(), "readable .vtu"),
        (lambda d: (d / "fields" / "position_0001.vtu").write_bytes(b"<VTKFile"), "readable .vtu"),
    ],
    ids=["no list", "truncated list", "empty list", "no field", "truncated field"],
)
def test_missing_or_truncated_fields_are_faults(result, tmp_path, damage, match, capfd):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(result, copy)
    damage(copy)
    with pytest.raises(Fault, match=match):
        scene.show(copy, screenshot=tmp_path / "pair.png", position=1)
    assert not (tmp_path / "pair.png").exists()
    assert not any(capfd.readouterr())  # VTK has lines of its own about such files, with addresses


def test_wrong_requests_are_faults(result, tmp_path, monkeypatch):
    with pytest.raises(Fault, match="between 0 and 2"):
        scene.show(result, screenshot=tmp_path / "pair.png", position=3)
    with pytest.raises(Fault, match=r"a \.png file"):
        scene.show(result, screenshot=tmp_path / "pair.jpg")
    with pytest.raises(Fault, match="run the case"):
        scene.show(tmp_path / "nowhere", screenshot=tmp_path / "pair.png")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Fault, match="--screenshot"):
        scene.show(result)


@pytest.mark.parametrize("place", ["nowhere/a.png", "folder.png"])
def test_a_bad_place_for_a_picture_is_named_before_drawing(result, tmp_path, place):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(Fault, match="choose another --screenshot"):
        scene.show(result, screenshot=tmp_path / place)


def test_a_title_with_markup_is_drawn(result, tmp_path):
    shutil.copytree(result / fields.FOLDER, tmp_path / fields.FOLDER)
    dataset = store.open_dataset(result).assign_attrs(title=r"cost $5 and $\frac [/b]")
    store.write_files(tmp_path, Contents.of(dataset), {"complete": True})
    scene.show(tmp_path, screenshot=tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 0


def two_cubes():
    """A grid of two gears of one cell, of which nodes 3 and 10 have the same stress."""
    import pyvista as pv

    cells = np.array([[8, *range(8)], [8, *range(8, 16)]])
    cube = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)
    grid = pv.UnstructuredGrid(cells, np.full(2, 12), np.concatenate([cube, cube + np.array([2.0, 0.0, 0.0])]))
    grid.cell_data["gear"] = np.array([0, 1])
    stress = np.zeros(16)
    stress[3] = stress[10] = 300e6
    grid.point_data["von_mises"] = stress
    return grid


def series_of(tmp_path, dataset, frame):
    series = scene.FieldSeries(tmp_path)
    vars(series)["frames"] = [(frame, tmp_path)]
    vars(series)["dataset"] = dataset.assign_coords(gear=["pinion", "wheel"])
    return series


def test_the_largest_root_stress_is_marked_where_it_is(tmp_path):
    """The node that has the von Mises stress of the curves, as the bar of the colours; of the gear that has it."""
    grid = two_cubes()
    curves = np.full((1, 2, 1, 2), 10e6)
    curves[0, 1, 0] = 300e6, 400e6
    dims = ("position", "gear", "pair", "side")
    data = {"root_stress": (dims, curves), "phase": ("position", [0.25])}
    series = series_of(tmp_path, xr.Dataset(data, coords={"pair": [3]}), 0.25)
    assert series.root_mark(0, grid) == (10, 300e6, "wheel", 3)
    assert series.words_of_motion == ""
    grid.point_data["von_mises"][14] = 0.99 * 300e6  # nearly the same on the same profile, next to the eye
    assert series.root_mark(0, grid).node == 14
    curves[0, 1, 0, 0] = 310e6  # no node of the frame has it
    assert series.root_mark(0, grid) is None


def test_root_stress_of_a_motion_is_marked_at_its_samples(tmp_path):
    """With the tooth pair in that slot then; between two samples the curves do not have the stress of the field."""
    curves = np.full((3, 2, 2, 2), 10e6)
    curves[1, 1, 0] = 300e6, 700e6
    curves[2, 0, 1, 0] = 450e6
    dims = ("time", "gear", "slot", "side")
    data = {"root_stress": (dims, curves), "slot_pair": (("time", "slot"), [[6, 7], [7, 8], [8, 9]])}
    dataset = xr.Dataset(data, coords={"time": [0.0, 1e-3, 2e-3]})
    at_sample = series_of(tmp_path, dataset, 1e-3 + 1e-12)  # of nine digits
    assert at_sample.root_mark(0, two_cubes()) == (10, 300e6, "wheel", 7)
    assert at_sample.words_of_motion == "largest of the motion 450 MPa, at 2 ms"
    assert series_of(tmp_path, dataset, 1.1e-3).root_mark(0, two_cubes()) is None


def test_the_eye_sees_the_mark():
    import pyvista as pv

    cube = pv.Cube().triangulate()
    for eye in (np.array([0.0, 0.0, 2.0]), np.array([0.0, 3.0, 1.0])):
        point = 0.5 * eye / np.abs(eye).max()
        assert scene.sees(cube, point, eye)
        assert not scene.sees(cube, -point, eye)
    below = np.array([0.0, -0.5, 0.4])  # on the side of the cube that looks down
    direction = scene.direction_to_eye(cube, below, 1.0)
    assert direction @ direction == pytest.approx(1.0)
    assert direction[1] < 0.0 < direction[2]
    assert scene.direction_to_eye(cube, -below, 1.0) == pytest.approx(scene.direction_to_eye(cube, None, 1.0))


def test_a_zoom_out_of_reason_is_refused(tmp_path):
    with pytest.raises(Fault, match="zoom"):
        scene.show(tmp_path, zoom=0.0)
