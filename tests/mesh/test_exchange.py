"""Grids through files: nothing is lost, grids made elsewhere are taken, damaged ones refused by name."""

import dataclasses

import meshio
import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import Gear
from alegear.mesh import (
    SET_NAMES,
    GridOptions,
    VolumeMesh,
    WheelMesh,
    mesh_sector,
    read_sector,
    sector_rotation,
    write_mesh,
)
from alegear.mesh.exchange import bore_diameter, check_sector_fits
from alegear.storage.whole_file import StorageFailure

TEETH = 13  # undercut: along the lower flank the polar angle grows on the way up
OPTIONS = GridOptions(
    flank_elements=5, fillet_elements=5, thickness_elements=3, width_elements=3, rim_elements=3, order=1
)
SECOND_ORDER = GridOptions(
    flank_elements=4, fillet_elements=4, thickness_elements=6, width_elements=2, rim_elements=4, order=2
)
GRIDS = ("flank_a", "flank_b", "root_a", "root_b")


@pytest.fixture(scope="module")
def sector():
    return mesh_sector(Gear(z=TEETH, m_n=4e-3, b=30e-3, bore_diameter=20e-3), OPTIONS)


@pytest.fixture(scope="module")
def sector_27():
    return mesh_sector(Gear(z=TEETH, m_n=4e-3, b=30e-3, bore_diameter=20e-3), SECOND_ORDER)


def changed(volume, **changes):
    return dataclasses.replace(volume, **changes)


def shuffled(volume, rng):
    """The same body with nodes, cells and sets in another order, and nodes that belong to no cell."""
    lonely = 3
    place = rng.permutation(volume.n_nodes + lonely)
    points = np.zeros((volume.n_nodes + lonely, 3))
    points[place[: volume.n_nodes]] = volume.points
    cells = place[rng.permutation(volume.cells)]
    sets = {name: rng.permutation(place[nodes]) for name, nodes in volume.node_sets.items()}
    sets["bore"] = np.append(sets["bore"], place[-1])
    return VolumeMesh(points=points, cells=cells, node_sets=sets)


@pytest.mark.parametrize("ending", [".msh", ".vtu", ".MSH"])
def test_round_trip_changes_nothing(sector, tmp_path, ending):
    path = tmp_path / f"sector{ending}"
    write_mesh(path, sector)
    read = read_sector(path, TEETH)
    assert np.abs(read.volume.points - sector.volume.points).max() < 1e-12  # [m], asked of the exchange
    assert np.array_equal(read.volume.cells, sector.volume.cells)
    assert read.teeth == TEETH
    for name in SET_NAMES:
        assert np.array_equal(getattr(read, name), getattr(sector, name))
        assert np.array_equal(read.volume.node_sets[name], sector.volume.node_sets[name])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", [".msh", ".vtu"])
def test_second_order_comes_back_as_such(sector_27, tmp_path, ending):
    path = tmp_path / f"sector{ending}"
    write_mesh(path, shuffled(sector_27.volume, np.random.default_rng(7)))
    read = read_sector(path, TEETH)
    assert read.order == 2
    assert read.volume.cells.shape == sector_27.volume.cells.shape
    # nodes are numbered anew, but the middles of edges and sides are still where they were
    assert read.volume.volume == pytest.approx(sector_27.volume.volume, rel=1e-12)
    for name in GRIDS:
        found = read.volume.points[getattr(read, name)]
        assert np.abs(found - sector_27.volume.points[getattr(sector_27, name)]).max() < 1e-12  # as above


def test_second_order_in_vtk(sector_27, tmp_path):
    """VTK numbers the 27 nodes as we do: the volume it integrates is ours."""
    import pyvista

    write_mesh(tmp_path / "a.vtu", sector_27)
    grid = pyvista.read(tmp_path / "a.vtu")
    assert set(grid.celltypes) == {29}  # VTK_TRIQUADRATIC_HEXAHEDRON
    # VTK cuts each cell into tetrahedra on all of its nodes: chords of half an element, 1e-3 of the volume
    assert grid.volume == pytest.approx(sector_27.volume.volume, rel=3e-3)


def test_both_orders_in_one_file_are_refused(sector, sector_27, tmp_path):
    shift = sector.volume.n_nodes
    blocks = [("hexahedron", sector.volume.cells), ("hexahedron27", sector_27.volume.cells + shift)]
    points = np.concatenate([sector.volume.points, sector_27.volume.points])
    meshio.vtu.write(tmp_path / "a.vtu", meshio.Mesh(points, blocks))
    with pytest.raises(Fault, match="both orders"):
        read_sector(tmp_path / "a.vtu", TEETH)


@pytest.mark.parametrize("ending", [".msh", ".vtu"])
def test_order_of_nodes_and_cells_does_not_matter(sector, tmp_path, ending):
    path = tmp_path / f"sector{ending}"
    write_mesh(path, shuffled(sector.volume, np.random.default_rng(5)))
    read = read_sector(path, TEETH)
    assert read.volume.n_nodes == sector.volume.n_nodes
    assert read.volume.volume == pytest.approx(sector.volume.volume, rel=1e-13)  # another order of summation
    for name in GRIDS:
        assert np.array_equal(read.volume.points[getattr(read, name)], sector.volume.points[getattr(sector, name)])
    turned = read.volume.points[read.cut_low] @ sector_rotation(TEETH, 1).T
    assert np.abs(turned - read.volume.points[read.cut_high]).max() < 1e-15  # round-off
    for name in ("bore", "tip", "cut_low"):
        assert len(getattr(read, name)) == len(getattr(sector, name))


@pytest.mark.parametrize("version", [2.2, 4.1])
@pytest.mark.parametrize("binary", [0, 1])
def test_a_file_saved_by_gmsh_is_read(sector, tmp_path, version, binary):
    import gmsh

    write_mesh(tmp_path / "ours.msh", sector)
    gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.open(str(tmp_path / "ours.msh"))
        names = {gmsh.model.getPhysicalName(*group) for group in gmsh.model.getPhysicalGroups()}
        gmsh.option.setNumber("Mesh.MshFileVersion", version)
        gmsh.option.setNumber("Mesh.Binary", binary)
        gmsh.write(str(tmp_path / "gmsh.msh"))
    finally:
        gmsh.finalize()
    assert names == {*SET_NAMES, "body"}
    read = read_sector(tmp_path / "gmsh.msh", TEETH)
    for name in GRIDS:
        found = read.volume.points[getattr(read, name)]
        assert np.abs(found - sector.volume.points[getattr(sector, name)]).max() < 1e-12  # 16 digits in the file


def face_cells(grid):
    return np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=-1).reshape(-1, 4)


def test_sets_as_physical_surfaces(sector, tmp_path):
    """The usual way in Gmsh: groups of quadrilaterals, here for the tooth faces."""
    blocks = [("hexahedron", sector.volume.cells)]
    tags = [np.full(sector.volume.n_cells, 99)]
    names = {"wheel": np.array([99, 3])}
    for tag, name in enumerate(SET_NAMES, start=1):
        nodes = getattr(sector, name)
        cells = face_cells(nodes) if nodes.ndim == 2 else nodes[:, None]
        blocks.append(("quad" if nodes.ndim == 2 else "vertex", cells))
        tags.append(np.full(len(cells), tag))
        names[name] = np.array([tag, 2 if nodes.ndim == 2 else 0])
    mesh = meshio.Mesh(
        sector.volume.points,
        blocks,
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data=names,
    )
    meshio.gmsh.write(tmp_path / "faces.msh", mesh, fmt_version="2.2", binary=True)
    read = read_sector(tmp_path / "faces.msh", TEETH)
    for name in SET_NAMES:
        assert np.array_equal(getattr(read, name), getattr(sector, name))


def test_sets_as_abaqus_node_sets(sector, tmp_path):
    mesh = meshio.Mesh(
        sector.volume.points, [("hexahedron", sector.volume.cells)], point_sets=dict(sector.volume.node_sets)
    )
    meshio.abaqus.write(tmp_path / "sector.inp", mesh)
    read = read_sector(tmp_path / "sector.inp", TEETH)
    for name in SET_NAMES:
        assert np.array_equal(getattr(read, name), getattr(sector, name))


@pytest.mark.parametrize("ending", [".msh", ".vtu"])
def test_wheel_is_written_with_its_sets(sector, tmp_path, ending):
    wheel = WheelMesh(sector, 3)
    path = tmp_path / f"wheel{ending}"
    write_mesh(path, wheel)
    mesh = meshio.gmsh.read(path) if ending == ".msh" else meshio.vtu.read(path)
    assert np.array_equal(mesh.points, wheel.volume.points)
    assert np.array_equal(mesh.cells[0].data, wheel.volume.cells)
    named = mesh.field_data if ending == ".msh" else mesh.point_data
    assert set(wheel.volume.node_sets) <= set(named)


# --- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".msh", ".vtu"])
@pytest.mark.parametrize("name", SET_NAMES)
def test_a_missing_set_is_named(sector, tmp_path, name, ending):
    sets = {other: nodes for other, nodes in sector.volume.node_sets.items() if other != name}
    write_mesh(tmp_path / f"a{ending}", changed(sector.volume, node_sets=sets))
    with pytest.raises(Fault, match=f"node set {name} .*missing"):
        read_sector(tmp_path / f"a{ending}", TEETH)


@pytest.mark.parametrize("name", ["a.msh", "a.vtu", "a.inp"])
def test_a_missing_file_is_a_fault(tmp_path, name):
    with pytest.raises(Fault, match="existing file") as fault:
        read_sector(tmp_path / name, TEETH)
    assert "path" in fault.value.remedy


@pytest.mark.parametrize("ending", [".msh", ".vtu"])
@pytest.mark.parametrize("part", [0.0, 0.001, 0.1, 0.3, 0.6, 0.9, 0.999])
def test_a_truncated_file_is_a_fault(sector, tmp_path, ending, part, capfd):
    path = tmp_path / f"a{ending}"
    write_mesh(path, sector)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(Fault, match="cannot be read") as fault:
        read_sector(path, TEETH)
    assert "truncated" in fault.value.remedy
    assert capfd.readouterr() == ("", "")


def test_truncation_at_the_end_of_a_line_is_a_fault(sector, tmp_path):
    write_mesh(tmp_path / "a.msh", sector)
    lines = (tmp_path / "a.msh").read_text().splitlines(keepends=True)
    for keep in (len(lines) - 1, len(lines) - 2, len(lines) // 2, 4):
        (tmp_path / "b.msh").write_text("".join(lines[:keep]))
        with pytest.raises(Fault):
            read_sector(tmp_path / "b.msh", TEETH)


@pytest.mark.parametrize("name", ["a.msh", "a.vtu", "a.inp"])
def test_a_file_of_something_else_is_a_fault(tmp_path, name):
    (tmp_path / name).write_bytes(bytes(range(256)) * 4)
    with pytest.raises(Fault):
        read_sector(tmp_path / name, TEETH)


def test_unknown_ending_is_a_fault(sector, tmp_path):
    with pytest.raises(Fault, match=r"\.msh or \.vtu"):
        write_mesh(tmp_path / "a.step", sector)
    with pytest.raises(Fault, match=r"\.msh, \.vtu or \.inp"):
        read_sector(tmp_path / "a.step", TEETH)


@pytest.mark.parametrize("folder", ["nowhere", "a file"])
def test_a_folder_that_is_not_there_is_an_error_of_the_disk(sector, tmp_path, folder):
    (tmp_path / "a file").touch()
    with pytest.raises(StorageFailure, match="directory"):
        write_mesh(tmp_path / folder / "a.msh", sector)


def test_a_full_disk_leaves_the_old_file_and_nothing_else(sector, tmp_path, monkeypatch):
    path = tmp_path / "a.vtu"
    path.write_text("old")

    def half_written(beside, mesh):
        beside.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(meshio.vtu, "write", half_written)
    with pytest.raises(StorageFailure, match="No space left"):
        write_mesh(path, sector)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "old"


def test_a_folder_in_place_of_the_file_is_a_fault(tmp_path):
    (tmp_path / "a.vtu").mkdir()
    with pytest.raises(Fault):
        read_sector(tmp_path / "a.vtu", TEETH)


@pytest.mark.parametrize(("kind", "corners"), [("tetra", 4), ("wedge", 6), ("hexahedron20", 20)])
def test_other_cells_are_named(sector, tmp_path, kind, corners):
    other = (kind, np.arange(corners)[None])
    for blocks in ([other], [("hexahedron", sector.volume.cells), other]):
        meshio.vtu.write(tmp_path / "a.vtu", meshio.Mesh(sector.volume.points, blocks))
        with pytest.raises(Fault, match=f"{kind}: must be hexahedra, all with 8 nodes or all with 27"):
            read_sector(tmp_path / "a.vtu", TEETH)


def test_a_grid_of_surface_cells_only_is_a_fault(sector, tmp_path):
    blocks = [("quad", face_cells(sector.flank_a))]
    meshio.vtu.write(tmp_path / "a.vtu", meshio.Mesh(sector.volume.points, blocks))
    with pytest.raises(Fault, match="no hexahedra"):
        read_sector(tmp_path / "a.vtu", TEETH)


def test_cut_planes_that_do_not_match_give_the_distance(sector, tmp_path):
    points = sector.volume.points.copy()
    points[sector.cut_high[5], 2] += 0.25e-3
    write_mesh(tmp_path / "a.vtu", changed(sector.volume, points=points))
    with pytest.raises(Fault, match=r"cut planes .* 0\.25 mm apart"):
        read_sector(tmp_path / "a.vtu", TEETH)


def test_wrong_number_of_teeth_shows_in_the_cut_planes(sector, tmp_path):
    write_mesh(tmp_path / "a.vtu", sector)
    with pytest.raises(Fault, match=r"cut planes .* apart.*number of teeth"):
        read_sector(tmp_path / "a.vtu", TEETH + 1)


def test_cut_planes_with_other_numbers_of_nodes(sector, tmp_path):
    sets = {**sector.volume.node_sets, "cut_low": sector.cut_low[1:]}
    write_mesh(tmp_path / "a.vtu", changed(sector.volume, node_sets=sets))
    with pytest.raises(Fault, match=r"cut planes .* 15 and 16 nodes"):
        read_sector(tmp_path / "a.vtu", TEETH)


@pytest.mark.parametrize("spoil", ["one node less", "a column less inside", "a row less inside", "inner nodes"])
@pytest.mark.parametrize("name", GRIDS)
def test_a_set_that_is_no_grid_of_faces(sector, tmp_path, name, spoil):
    grid = getattr(sector, name)
    nodes = {
        "one node less": grid.ravel()[1:],
        "a column less inside": np.delete(grid, 1, axis=1).ravel(),
        "a row less inside": np.delete(grid, 2, axis=0).ravel(),
        "inner nodes": np.append(grid.ravel(), sector.cut_low[4:8]),
    }[spoil]
    if spoil == "inner nodes" and name.endswith("_a"):
        nodes = np.append(grid.ravel(), sector.cut_high[4:8])
    sets = {**sector.volume.node_sets, name: nodes}
    write_mesh(tmp_path / "a.vtu", changed(sector.volume, node_sets=sets))
    with pytest.raises(Fault, match=f"node set {name} .*do not form a grid"):
        read_sector(tmp_path / "a.vtu", TEETH)


def test_exchanged_flanks_are_a_fault(sector, tmp_path):
    sets = {**sector.volume.node_sets, "flank_a": sector.flank_b.ravel(), "flank_b": sector.flank_a.ravel()}
    write_mesh(tmp_path / "a.vtu", changed(sector.volume, node_sets=sets))
    with pytest.raises(Fault, match=r"node set flank_a .*other side"):
        read_sector(tmp_path / "a.vtu", TEETH)


def test_cells_turned_inside_out_are_counted(sector, tmp_path):
    cells = sector.volume.cells.copy()
    cells[3:5] = cells[3:5][:, [3, 2, 1, 0, 7, 6, 5, 4]]
    write_mesh(tmp_path / "a.vtu", changed(sector.volume, cells=cells))
    with pytest.raises(Fault, match="Jacobian that is not positive = 2"):
        read_sector(tmp_path / "a.vtu", TEETH)


def test_nodes_that_were_not_joined_are_a_fault(sector, tmp_path):
    volume = sector.volume
    inner = np.setdiff1d(volume.cells, np.concatenate(list(volume.node_sets.values())))[0]
    cells = volume.cells.copy()
    cell, corner = np.argwhere(cells == inner)[0]
    cells[cell, corner] = volume.n_nodes
    points = np.concatenate([volume.points, volume.points[inner : inner + 1]])
    write_mesh(tmp_path / "a.vtu", changed(volume, points=points, cells=cells))
    with pytest.raises(Fault, match="coincident nodes"):
        read_sector(tmp_path / "a.vtu", TEETH)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_coordinates_that_are_no_numbers_are_a_fault(sector, tmp_path, bad):
    points = sector.volume.points.copy()
    points[7, 1] = bad
    write_mesh(tmp_path / "a.msh", changed(sector.volume, points=points))
    with pytest.raises(Fault):
        read_sector(tmp_path / "a.msh", TEETH)


def test_the_grid_of_another_gear_is_refused(sector, tmp_path):
    gear = Gear(z=TEETH, m_n=4e-3, b=30e-3, bore_diameter=20e-3)
    path = tmp_path / "a.msh"
    check_sector_fits(sector, gear, path)
    check_sector_fits(sector, dataclasses.replace(gear, bore_diameter=25e-3), path)  # a web may be part of a grid
    assert bore_diameter(sector) == pytest.approx(20e-3, rel=1e-12)
    for change, quantity in (({"b": 31e-3}, "face width"), ({"x": 0.1}, "tip diameter")):
        with pytest.raises(Fault, match=rf"{quantity} \[mm\] of .*a\.msh"):
            check_sector_fits(sector, dataclasses.replace(gear, **change), path)
    volume = changed(sector.volume, points=sector.volume.points + np.array([0.0, 0.0, 1e-3]))
    moved = dataclasses.replace(sector, volume=volume)
    with pytest.raises(Fault, match="middle of the face"):
        check_sector_fits(moved, gear, path)


@pytest.mark.parametrize("corners", [list(range(8)), [4, 5, 6, 7, 0, 1, 2, 3]])
def test_a_cell_that_is_there_twice_is_a_fault(sector, tmp_path, corners):
    """Twice as it is, and with its nodes in another order."""
    cells = np.concatenate([sector.volume.cells, sector.volume.cells[5:6][:, corners]])
    write_mesh(tmp_path / "a.vtu", changed(sector.volume, cells=cells))
    with pytest.raises(Fault, match=r"cells of .*a.vtu that are there more than once = 1, the first at"):
        read_sector(tmp_path / "a.vtu", TEETH)


@pytest.mark.parametrize("name", ["bore", "tip"])
def test_a_surface_of_a_single_node_is_a_fault(sector, tmp_path, name):
    sets = {**sector.volume.node_sets, name: getattr(sector, name)[:1]}
    write_mesh(tmp_path / "a.vtu", changed(sector.volume, node_sets=sets))
    with pytest.raises(Fault, match=f"node set {name} .*1 nodes, 1 of them on no face of an element"):
        read_sector(tmp_path / "a.vtu", TEETH)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("bore", "tip", "diameter [mm] of the node set bore"),
        ("flank_a", "root_a", "diameters [mm] of the node set root_a"),
    ],
)
def test_sets_in_each_others_place_are_a_fault(sector, tmp_path, one, other, words):
    gear = Gear(z=TEETH, m_n=4e-3, b=30e-3, bore_diameter=20e-3)
    swapped = dataclasses.replace(sector, **{one: getattr(sector, other), other: getattr(sector, one)})
    with pytest.raises(Fault) as fault:
        check_sector_fits(swapped, gear, tmp_path / "a.vtu")
    assert words in str(fault.value)
