"""Stress fields: rotation of tensors, placing of sectors against the joined wheel, and files read back."""

import meshio
import numpy as np
import placed_fields
import pytest

from alegear.errors import Fault
from alegear.fe.stress import von_mises
from alegear.geometry import BasicRack, Gear
from alegear.mesh.grid_options import GridOptions
from alegear.mesh.sector import mesh_sector
from alegear.mesh.wheel import WheelMesh
from alegear.results import fields
from alegear.storage.recorded_samples import RecordedSamples
from alegear.storage.whole_file import StorageFailure

Z = 20


@pytest.fixture(scope="module")
def sector():
    gear = Gear(z=Z, m_n=0.004, rack=BasicRack(), b=0.03, bore_diameter=0.04)
    return mesh_sector(
        gear,
        GridOptions(flank_elements=4, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4),
    )


def place(sector, sectors, displacement=None, stress=None, **where):
    n = sector.volume.n_nodes
    displacement = np.zeros((len(sectors), n, 3)) if displacement is None else displacement
    stress = np.zeros((len(sectors), n, 6)) if stress is None else stress
    where = {"gear": 0, "turn": 0.0} | where
    return placed_fields.placed(sector, displacement, stress, sectors=sectors, **where)


def test_stress_turns_with_its_sector(sector):
    rng = np.random.default_rng(3)
    n = sector.volume.n_nodes
    stress = rng.normal(size=(1, n, 6))
    (c, s), k = (np.cos(0.3), np.sin(0.3)), 2
    as_it_is = place(sector, (k,), stress=stress, turn=-2.0 * np.pi / Z * k)  # back to the frame of tooth 0
    np.testing.assert_allclose(as_it_is.stress, stress[0], atol=1e-14)
    turned = place(sector, (0,), stress=stress, turn=0.3).stress
    np.testing.assert_allclose(von_mises(turned), von_mises(stress[0]), rtol=1e-13)  # round-off
    np.testing.assert_allclose(turned[:, :3].sum(axis=1), stress[0, :, :3].sum(axis=1), atol=1e-14)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    tensor = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2]])
    np.testing.assert_allclose(turned[:, tensor], R @ stress[0][:, tensor] @ R.T, atol=1e-14)


def test_many_frames_in_single_precision_are_those_placed_one_by_one(sector):
    rng = np.random.default_rng(7)
    sectors, n_frames, n = (-1, 0, 1), 3, sector.volume.n_nodes
    u, s = rng.normal(scale=1e-5, size=(n_frames, 3, n, 3)), rng.normal(scale=1e8, size=(n_frames, 3, n, 6))
    turn, ahead, axis = np.array([0.1, -0.4, 0.7]), np.array([0.0, 1e-4, -2e-4]), (0.1, 0.0)
    group = fields.SectorGroup.of(sector, sectors, gear=1, axis=axis)
    first = 5  # nodes of another group come before
    placed = fields.PlacedFields.empty(n_frames, first + len(group.points), np.float32)
    frames_last = [np.ascontiguousarray(np.transpose(field, (2, 3, 1, 0))) for field in (u, s)]
    group.place_frames(*frames_last, turn=turn, turn_ahead=ahead, out=placed, first=first)
    for i in range(n_frames):
        one = place(sector, sectors, u[i], s[i], turn=float(turn[i]), turn_ahead=float(ahead[i]), axis=axis, gear=1)
        single = {"rtol": 1e-6, "atol": 1e-7 * np.abs(one.stress).max()}  # of single precision
        np.testing.assert_allclose(placed.stress[i, first:], one.stress, **single)
        np.testing.assert_allclose(placed.von_mises[i, first:], von_mises(one.stress), **single)
        np.testing.assert_array_equal(placed.points[i, first:], one.points.astype(np.float32))
        np.testing.assert_array_equal(placed.displacement[i, first:], one.displacement.astype(np.float32))


@pytest.mark.parametrize("sectors", [(0,), (0, 1, 2), (-1, 0, 1), (2, 0, 1), (0, 5), tuple(range(Z))])
def test_placed_sectors_are_those_of_the_wheel(sector, sectors):
    placed = place(sector, sectors)
    wheel = WheelMesh(sector)
    of_wheel = np.unique(wheel.node_of[np.mod(sectors, Z)])
    # common cut planes are joined: as many nodes as the joined wheel has there, at the same places
    assert len(placed.points) == len(of_wheel)
    assert len(placed.cells) == len(sectors) * len(sector.volume.linear_cells)

    def ordered(points):
        rounded = np.round(points / 1e-9)  # far below an element, far above round-off
        return points[np.lexsort(rounded.T)]

    np.testing.assert_allclose(ordered(placed.points), ordered(wheel.volume.points[of_wheel]), atol=1e-12)


def test_a_wheel_stands_where_it_is_told(sector):
    turn, axis = 0.7, (0.1, -0.02)
    placed = place(sector, (0,), turn=turn, axis=axis, gear=1)
    x = sector.volume.points
    np.testing.assert_allclose(
        np.hypot(*(placed.points[:, :2] - axis).T), np.hypot(x[:, 0], x[:, 1]), rtol=1e-12, atol=0
    )
    centre = placed.points[:, :2].mean(axis=0) - axis
    assert np.arctan2(centre[1], centre[0]) == pytest.approx(turn, abs=1e-9)
    assert set(placed.gear) == {1}


def test_turning_ahead_is_a_rigid_rotation_and_adds_to_the_elastic_displacement(sector):
    rng = np.random.default_rng(4)
    u = rng.normal(scale=1e-5, size=(1, sector.volume.n_nodes, 3))
    angle, axis = 1e-4, (0.1, 0.0)
    ahead = place(sector, (0,), displacement=u, turn=0.3, turn_ahead=angle, axis=axis)
    elastic = place(sector, (0,), displacement=u, turn=0.3, axis=axis)
    rotation = ahead.displacement - elastic.displacement
    arm = ahead.points - np.array([*axis, 0.0])
    np.testing.assert_allclose(rotation, angle * np.cross([0.0, 0.0, 1.0], arm), atol=1e-17)
    # what is left is the given displacement, turned
    np.testing.assert_allclose(
        np.sort(np.linalg.norm(elastic.displacement, axis=1)), np.sort(np.linalg.norm(u[0], axis=1)), rtol=1e-12
    )


def test_common_nodes_get_the_mean_of_both_sides(sector):
    n = sector.volume.n_nodes
    stress = np.zeros((2, n, 6))
    stress[0, :, 2], stress[1, :, 2] = 10.0, 30.0
    placed = place(sector, (0, 1), stress=stress)
    values, counts = np.unique(placed.stress[:, 2].round(9), return_counts=True)
    np.testing.assert_array_equal(values, [10.0, 20.0, 30.0])
    assert counts[1] == len(sector.cut_low)


def test_both_gears_in_one_frame(sector):
    pair = placed_fields.joined([place(sector, (0, 1)), place(sector, (0,), gear=1, axis=(0.1, 0.0))])
    assert pair.cells.max() == len(pair.points) - 1
    of_wheel = np.unique(pair.cells[pair.gear == 1])
    assert not np.intersect1d(of_wheel, pair.cells[pair.gear == 0]).size


@pytest.fixture
def frame(sector):
    rng = np.random.default_rng(5)
    n = sector.volume.n_nodes
    u, s = rng.normal(scale=1e-5, size=(1, n, 3)), rng.normal(scale=1e8, size=(1, n, 6))
    return place(sector, (0,), displacement=u, stress=s)


def test_a_frame_is_read_back(frame, tmp_path):
    path = tmp_path / "position_0000.vtu"
    placed_fields.write(path, frame)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    grid = meshio.read(path)
    single = 1e-6  # of single precision, 6e-8, after a rotation
    np.testing.assert_allclose(grid.points, frame.points, rtol=single, atol=1e-8)
    np.testing.assert_array_equal(grid.cells_dict["hexahedron"], frame.cells)
    np.testing.assert_allclose(grid.point_data["displacement"], frame.displacement, rtol=single)
    np.testing.assert_allclose(grid.point_data["stress"], frame.stress, rtol=single)
    np.testing.assert_allclose(grid.point_data["von_mises"], von_mises(frame.stress), rtol=single)
    np.testing.assert_array_equal(grid.cell_data["gear"][0], frame.gear)


def test_a_frame_that_cannot_be_written_leaves_the_old_one(frame, tmp_path, monkeypatch):
    path = tmp_path / "position_0000.vtu"
    path.write_text("old")

    def full_disk(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(StorageFailure, match="No space left"):
        placed_fields.write(path, frame)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "old"


@pytest.mark.parametrize("n_cells", [0, 1, 4095, 4096, 4097, 9000])
def test_any_number_of_blocks_is_read_back_by_vtk_and_meshio(n_cells, tmp_path):
    import pyvista as pv

    # 4096 cells of eight corners, four bytes each, fill a block to the last byte
    rng = np.random.default_rng(6)
    points = rng.normal(size=(max(n_cells, 8), 3))
    cells = rng.integers(0, len(points), size=(n_cells, 8))
    path = tmp_path / "frame.vtu"
    fields.write_field_frame(
        path,
        points=points,
        cells=fields.EncodedCells.of(cells, np.arange(n_cells) % 2),
        displacement=np.zeros_like(points),
        stress=np.zeros((len(points), 6)),
        von_mises=points[:, 0],
    )
    grid = pv.read(path)
    assert grid.n_cells == n_cells
    np.testing.assert_array_equal(grid.points, points.astype(np.float32))
    np.testing.assert_array_equal(grid.point_data["von_mises"], points[:, 0].astype(np.float32))
    if n_cells:
        np.testing.assert_array_equal(grid.cells_dict[pv.CellType.HEXAHEDRON], cells)
        np.testing.assert_array_equal(grid.cell_data["gear"], np.arange(n_cells) % 2)
        np.testing.assert_array_equal(meshio.read(path).cells_dict["hexahedron"], cells)


def test_vtk_and_meshio_read_the_same_numbers(frame, tmp_path):
    import pyvista as pv

    path = tmp_path / "frame.vtu"
    placed_fields.write(path, frame)
    grid, mesh = pv.read(path), meshio.read(path)
    np.testing.assert_array_equal(grid.points, mesh.points)
    np.testing.assert_array_equal(grid.cells_dict[pv.CellType.HEXAHEDRON], mesh.cells_dict["hexahedron"])
    assert set(grid.point_data.keys()) == set(mesh.point_data) == {"displacement", "stress", "von_mises"}
    for name, values in mesh.point_data.items():
        np.testing.assert_array_equal(grid.point_data[name], values)
    # as it was given, to the last bit of single precision
    np.testing.assert_array_equal(grid.point_data["stress"], frame.stress.astype(np.float32))
    np.testing.assert_array_equal(grid.point_data["displacement"], frame.displacement.astype(np.float32))


def test_the_series_is_read_back_and_by_pyvista(frame, tmp_path):
    import pyvista as pv

    times = [-0.5, 0.123456789, 0.5]
    names = [f"position_{k:04d}.vtu" for k in range(3)]
    for name in names:
        placed_fields.write(tmp_path / name, frame)
    fields.write_series(tmp_path / fields.SERIES, list(zip(times, names, strict=True)))
    assert fields.read_series(tmp_path / fields.SERIES) == [
        (t, tmp_path / n) for t, n in zip(times, names, strict=True)
    ]
    reader = pv.get_reader(tmp_path / fields.SERIES)
    np.testing.assert_allclose(reader.time_values, times)
    reader.set_active_time_value(0.5)
    assert reader.read()[0].n_points == len(frame.points)


@pytest.mark.parametrize("content", [None, "", "<VTKFile>", "<VTKFile><Collection/></VTKFile>", "<V><DataSet/></V>"])
def test_a_missing_or_broken_series_is_a_fault(content, tmp_path):
    path = tmp_path / fields.SERIES
    if content is not None:
        path.write_text(content)
    with pytest.raises(Fault, match="stress fields"):
        fields.read_series(path)


def test_a_frame_says_phase_and_torque(frame, tmp_path):
    import pyvista as pv

    samples = RecordedSamples.of(
        {
            "phase": np.array([-0.5, 0.0, 0.5]),
            "contact_moment": np.array([[0.0, 0.0, -390.0], [0.0, 0.0, -400.0], [0.0, 0.0, -410.0]]),
        }
    )
    facts = fields.facts_of_frames(samples, [0.5])[0]
    assert facts == {"phase": 0.5, "pinion_torque": 410.0}
    path = tmp_path / "frame.vtu"
    fields.write_field_frame(
        path,
        points=frame.points,
        cells=fields.EncodedCells.of(frame.cells, frame.gear),
        displacement=frame.displacement,
        stress=frame.stress,
        von_mises=frame.stress[:, 0],
        facts=facts,
    )
    read = pv.read(path).field_data
    assert (float(read["phase"][0]), float(read["pinion_torque"][0])) == (0.5, 410.0)
    assert len(meshio.read(path).points) == len(frame.points)  # another reader takes it too
