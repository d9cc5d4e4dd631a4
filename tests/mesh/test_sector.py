"""One tooth sector: exact boundary, symmetry, shape of the cells, order of the facets."""

import contextlib
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from alegear.errors import AnalysisFailure, Fault
from alegear.geometry import BasicRack, Gear
from alegear.mesh import SET_NAMES, GridOptions, VolumeMesh, mesh_quality, mesh_sector, sector_rotation

COARSE = GridOptions(
    flank_elements=4, fillet_elements=3, thickness_elements=3, width_elements=2, rim_elements=3, order=1
)
FIRST = GridOptions(width_elements=2, order=1)
FINE = GridOptions(
    flank_elements=24, fillet_elements=16, thickness_elements=16, width_elements=1, rim_elements=24, order=1
)
COARSE_2 = GridOptions(
    flank_elements=4, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=2
)
DEFAULT = GridOptions(width_elements=2, order=2)
FINE_2 = GridOptions(
    flank_elements=24, fillet_elements=16, thickness_elements=16, width_elements=2, rim_elements=24, order=2
)
ROUND_OFF = 1e-12  # [m] on a wheel of a few 100 mm


def gear(z, bore=0.5, x=0.0, **rack):
    """A gear with module 4 mm whose bore is the given part of its root diameter."""
    x = max(x, 0.25) if z < 8 else x
    root = 4e-3 * (z + 2.0 * x - 2.0 * rack.get("dedendum_factor", 1.25))
    return Gear(z=z, m_n=4e-3, x=x, b=30e-3, bore_diameter=bore * root, rack=BasicRack(**rack))


def exact_volume(g):
    return g.tooth_profile.section_moment(0.5 * g.bore_diameter) * g.b


CASES = [
    (z, bore, options)
    for z, bores in {
        5: (0.1, 0.7),
        8: (0.4, 0.9),
        13: (0.1, 0.5, 0.95),
        20: (0.1, 0.5, 0.8, 0.97),
        30: (0.1, 0.5, 0.97),
        97: (0.1, 0.5, 0.97),
        200: (0.1, 0.6, 0.99),
    }.items()
    for bore in bores
    for options in (COARSE, FIRST, FINE, COARSE_2, DEFAULT, FINE_2)
]


@pytest.mark.parametrize(("z", "bore", "options"), CASES)
def test_cells_are_well_shaped(z, bore, options):
    g = gear(z, bore)
    quality = mesh_quality(mesh_sector(g, options).volume, exact_volume(g))
    assert quality.min_jacobian > 0.0
    # The sine of the smallest corner angle: worst for few teeth with pointed tips and undercut.
    assert quality.min_scaled_jacobian > (0.3 if z < 10 else 0.5)
    # Chords cut h^2/8R off the flanks and add it at the bore, which is much against a rim of 1 or 2 % of the radius;
    # h falls by 3 and by 2. With 27 nodes the sides are parabolas.
    limit = {COARSE: 2e-2, FIRST: 3e-3, FINE: 8e-4, COARSE_2: 1e-3, DEFAULT: 1e-4, FINE_2: 3e-5}[options]
    assert abs(quality.volume_error) < limit


def random_gears(n):
    """Sane gears from 8 to 120 teeth, spur and helical, thin and thick rims, also with undercut and sharp roots."""
    rng = np.random.default_rng(11)
    gears = []
    while len(gears) < n:
        z, m_n = int(rng.integers(8, 121)), float(np.exp(rng.uniform(np.log(0.5e-3), np.log(20e-3))))
        beta = float(rng.choice([0.0, rng.uniform(-0.52, 0.52)]))
        x, root = float(rng.uniform(-0.5, 1.0)), float(rng.choice([0.38, 0.38, 0.25, 0.1]))
        d_f = z * m_n / np.cos(beta) + 2.0 * (x - 1.25) * m_n
        with contextlib.suppress(Fault):  # pointed or undercut beyond use: not a gear
            gears.append(
                Gear(
                    z=z,
                    m_n=m_n,
                    x=x,
                    beta=beta,
                    b=float(rng.uniform(2.0, 20.0)) * m_n,
                    bore_diameter=float(rng.uniform(0.15, 0.97)) * d_f,
                    rack=BasicRack(root_radius_factor=root),
                )
            )
    return gears


@pytest.mark.parametrize(
    "options",
    [FIRST, pytest.param(COARSE_2, marks=pytest.mark.thorough), DEFAULT],
    ids=["order 1", "coarse", "default"],
)
def test_no_cell_of_forty_gears_is_tangled(options):
    for g in random_gears(40):
        quality = mesh_quality(mesh_sector(g, options).volume)
        assert quality.min_jacobian > 0.0
        # strong undercut and sharp roots share angles worse, and a helix leans by up to 35 deg: 0.82
        assert quality.min_scaled_jacobian > 0.2


def test_both_orders_have_the_same_nodes():
    g = gear(20)
    first, second = mesh_sector(g, FIRST), mesh_sector(g, DEFAULT)
    # order 1 grades the rim element by element, order 2 by twos: only nodes of the rim differ
    for name in ("flank_a", "root_a", "tip"):
        assert np.array_equal(first.volume.points[getattr(first, name)], second.volume.points[getattr(second, name)])
    assert (first.order, second.order) == (1, 2)
    assert first.volume.n_nodes == second.volume.n_nodes
    assert second.volume.linear_cells.shape == first.volume.cells.shape
    assert mesh_quality(VolumeMesh(points=second.volume.points, cells=second.volume.linear_cells)).tangled == 0


@pytest.mark.parametrize("z", [13, 30])
@pytest.mark.parametrize("options", [FIRST, DEFAULT], ids=["order 1", "order 2"])
def test_roots_are_the_free_surface_with_its_normals(z, options):
    g = gear(z, 0.5)
    sector = mesh_sector(g, options)
    free = sector.volume.free_surface
    roots = np.concatenate([sector.root_a.ravel(), sector.root_b.ravel()])
    assert np.array_equal(free.nodes, roots)
    exact = g.tooth_profile.normals(np.linspace(g.tooth_profile.s_root, 0.0, options.fillet_elements + 1))
    normals = free.normals.reshape(2, *sector.root_a.shape, 3)
    for side, mirror in enumerate((1.0, -1.0)):
        expected = np.column_stack([exact[:, 0], mirror * exact[:, 1], np.zeros(len(exact))])
        off = np.abs(normals[side] - expected[:, None]).max(axis=(1, 2))
        # central differences over 0.1 m_n each way; where the root circle ends the radius falls to 0.45 m_n: 0.1/1.8
        assert off[1:-1].max() < 0.05
        assert off[0] < 1e-12  # radial by symmetry; at the other end the tangent of an undercut tooth jumps


@pytest.mark.parametrize("z", [20, 97])
def test_a_sharp_root_with_a_flat_bottom_still_meshes(z):
    g = gear(z, 0.9, root_radius_factor=0.1)
    quality = mesh_quality(mesh_sector(g, DEFAULT).volume)
    assert quality.min_scaled_jacobian > 0.5  # as above


@pytest.mark.parametrize("z", [13, 20, 30, 97])
def test_flank_and_root_nodes_lie_on_the_profile_at_equal_arc_length(z):
    g = gear(z)
    profile = g.tooth_profile
    sector = mesh_sector(g, DEFAULT)
    s_flank = np.linspace(0.0, profile.s_tip, DEFAULT.flank_elements + 1)
    s_fillet = np.linspace(profile.s_root, 0.0, DEFAULT.fillet_elements + 1)
    s_face = np.concatenate([s_fillet[-1 - DEFAULT.upper_fillet_elements : -1], s_flank])
    points = sector.volume.points
    for nodes, s in ((sector.flank_a, s_face), (sector.root_a, s_fillet)):
        for column in nodes.T:
            assert np.abs(points[column, :2] - profile.points(s)).max() < ROUND_OFF
    for nodes_a, nodes_b in ((sector.flank_a, sector.flank_b), (sector.root_a, sector.root_b)):
        assert np.array_equal(points[nodes_b], points[nodes_a] * [1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("options", "lower", "upper", "layer"),
    [
        (GridOptions(flank_elements=5, fillet_elements=4, thickness_elements=4, rim_elements=6, order=1), 2, 2, 1),
        (GridOptions(flank_elements=5, fillet_elements=5, thickness_elements=9, rim_elements=6, order=1), 3, 2, 2),
        (GridOptions(flank_elements=2, fillet_elements=2, thickness_elements=2, rim_elements=1, order=1), 1, 1, 0),
        (GridOptions(order=2), 6, 6, 2),
        (GridOptions(flank_elements=4, fillet_elements=6, thickness_elements=16, rim_elements=4, order=2), 4, 2, 2),
        (GridOptions(flank_elements=4, fillet_elements=2, thickness_elements=4, rim_elements=4, order=2), 2, 0, 0),
    ],
)
def test_grids_have_the_numbers_of_the_options(options, lower, upper, layer):
    g = gear(20)
    sector = mesh_sector(g, options)
    cols = options.width_elements + 1
    core = options.thickness_elements - 2 * layer
    along = options.flank_elements + options.fillet_elements
    assert (options.lower_fillet_elements, options.upper_fillet_elements) == (lower, upper)
    assert (options.layer_elements, options.core_elements) == (layer, core)
    assert sector.flank_a.shape == sector.flank_b.shape == (options.flank_elements + upper + 1, cols)
    assert sector.root_a.shape == sector.root_b.shape == (lower + upper + 1, cols)
    assert sector.cut_low.shape == sector.cut_high.shape == ((options.rim_elements + 1) * cols,)
    assert sector.bore.shape == ((core + 2 * lower + 1) * cols,)
    assert sector.tip.shape == ((options.thickness_elements + 1) * cols,)
    in_section = (options.rim_elements - layer) * (core + 2 * lower)
    in_section += (options.flank_elements + upper) * core + 2 * layer * along
    assert len(sector.volume.linear_cells) == options.width_elements * in_section
    assert sector.volume.n_cells * options.order**3 == len(sector.volume.linear_cells)
    assert set(sector.volume.node_sets) == set(SET_NAMES)
    # root and flank overlap in the upper fillet rows
    assert np.array_equal(sector.root_a[-upper - 1 :], sector.flank_a[: upper + 1])
    assert np.array_equal(sector.volume.node_sets["flank_a"], sector.flank_a.ravel())


@pytest.fixture(scope="module")
def sector_20():
    g = gear(20)
    return g, mesh_sector(g, DEFAULT)


def test_grid_is_its_own_mirror_image(sector_20):
    _, sector = sector_20
    points = sector.volume.points
    mirrored = points * [1.0, -1.0, 1.0]
    in_order = points[np.lexsort(points.T)]
    assert np.array_equal(mirrored[np.lexsort(mirrored.T)], in_order)  # to the last bit


def test_all_layers_are_alike(sector_20):
    g, sector = sector_20
    layers = sector.volume.points.reshape(-1, DEFAULT.width_elements + 1, 3)
    assert np.array_equal(layers[:, :, :2], np.broadcast_to(layers[:, :1, :2], layers[:, :, :2].shape))
    assert np.allclose(layers[:, :, 2], np.linspace(-0.5 * g.b, 0.5 * g.b, 3), rtol=0.0, atol=1e-17)  # round-off


@pytest.mark.parametrize("z", [13, 20, 97])
def test_cut_planes_match_by_rotation(z):
    sector = mesh_sector(gear(z), COARSE)
    points = sector.volume.points
    turned = points[sector.cut_low] @ sector_rotation(z, 1).T
    assert np.abs(turned - points[sector.cut_high]).max() < 1e-15  # round-off of a radius below 1 m
    angle = np.arctan2(points[sector.cut_high, 1], points[sector.cut_high, 0])
    assert np.allclose(angle, np.pi / z, rtol=0.0, atol=1e-14)  # round-off


def test_bore_and_tip_lie_on_their_circles(sector_20):
    g, sector = sector_20
    for nodes, radius in ((sector.bore, 0.5 * g.bore_diameter), (sector.tip, g.r_a)):
        assert np.abs(np.hypot(*sector.volume.points[nodes, :2].T) - radius).max() < ROUND_OFF


def test_sets_are_the_outer_surface(sector_20):
    """The faces of one cell only are those of the sets, the lower root, and the two ends."""
    _, sector = sector_20
    cells = sector.volume.linear_cells
    quads = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
    faces = np.sort(np.concatenate([cells[:, quad] for quad in quads]), axis=1)
    unique, count = np.unique(faces, axis=0, return_counts=True)
    assert count.max() == 2
    outer = np.unique(unique[count == 1])
    named = np.unique(np.concatenate([nodes.ravel() for nodes in sector.volume.node_sets.values()]))
    ends = np.flatnonzero(np.abs(sector.volume.points[:, 2]) > 0.49 * 30e-3)
    assert np.array_equal(outer, np.union1d(named, ends))


@pytest.mark.parametrize("z", [13, 30])
def test_facet_error_of_the_volume_is_of_second_order(z):
    g = gear(z)
    error = []
    for n in (2, 4, 8):
        options = GridOptions(
            flank_elements=6 * n,
            fillet_elements=4 * n,
            thickness_elements=4 * n,
            width_elements=1,
            rim_elements=3,
            order=1,
        )
        error.append(mesh_quality(mesh_sector(g, options).volume, exact_volume(g)).volume_error)
    order = np.log2(np.array(error[:-1]) / error[1:])
    assert np.all(np.abs(order - 2.0) < 0.1)  # chord of an arc: h^2/8R, next term h^4


def test_rim_grows_from_the_root_and_halves_its_last_element(sector_20):
    _, sector = sector_20
    radius = np.hypot(*sector.volume.points[sector.cut_high, :2].T)
    steps = np.diff(np.unique(np.round(radius, 12)))[::-1]  # from the root down; the radii are rounded to 1e-12
    elements = steps.reshape(-1, 2)
    assert np.abs(np.diff(elements, axis=1)).max() < 1e-11  # both halves alike
    assert np.all(np.diff(elements[:-1].sum(axis=1)) > 0.0)
    assert elements[-1].sum() == pytest.approx(0.5 * elements[-2].sum(), rel=1e-6)


def test_default_options_take_less_than_a_second():
    g = gear(20)
    mesh_sector(g, COARSE)  # loads Gmsh
    start = time.perf_counter()
    mesh_sector(g)
    assert time.perf_counter() - start < 1.0


def test_same_grid_again_and_from_other_threads():
    g = gear(20)
    reference = mesh_sector(g, COARSE).volume.points
    found, faults = [], []

    def work():
        try:
            found.append(mesh_sector(g, COARSE).volume.points)
        except BaseException as error:  # a thread would swallow it
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert len(found) == 3
    assert all(np.array_equal(points, reference) for points in found)


def test_nothing_is_printed(capfd):
    mesh_sector(gear(20), COARSE)
    assert capfd.readouterr() == ("", "")


def test_requests_to_end_still_come_to_python():
    program = """
import os, signal
from alegear.geometry import BasicRack, Gear
from alegear.mesh import GridOptions, mesh_sector
asked = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE)
for one in asked:
    signal.signal(one, lambda number, _: print(signal.Signals(number).name, flush=True))
gear = Gear(z=20, m_n=4e-3, rack=BasicRack(), x=0.0, b=20e-3, bore_diameter=30e-3)
mesh_sector(gear, GridOptions(flank_elements=4, fillet_elements=4, width_elements=2, rim_elements=4, order=1))
for one in asked:
    os.kill(os.getpid(), one)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, ["SIGTERM", "SIGHUP", "SIGINT", "SIGPIPE"]), ended.stderr


def test_a_running_gmsh_is_left_as_it_was():
    import gmsh

    gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("Mesh.ElementOrder", 2)
        gmsh.model.add("of the user")
        mesh_sector(gear(20), COARSE)
        assert gmsh.isInitialized()
        assert gmsh.model.getCurrent() == "of the user"
        assert "alegear_sector" not in gmsh.model.list()
        assert gmsh.option.getNumber("Mesh.ElementOrder") == 2
    finally:
        gmsh.finalize()
    mesh_sector(gear(20), COARSE)
    assert not gmsh.isInitialized()


def test_missing_system_libraries_are_named(monkeypatch):
    class Missing:
        def find_spec(self, name, path=None, target=None):
            if name == "gmsh":
                raise OSError("libGLU.so.1: cannot open shared object file: No such file or directory")

    monkeypatch.delitem(sys.modules, "gmsh", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    with pytest.raises(AnalysisFailure, match=r"libGLU.*libglu1-mesa libxcursor1 libxft2 libxinerama1"):
        mesh_sector(gear(20), COARSE)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("flank_elements", 0),
        ("fillet_elements", 1),
        ("thickness_elements", 1),
        ("width_elements", -3),
        ("rim_elements", 401),
        ("rim_elements", 3.0),
        ("width_elements", True),
        ("order", 3),
    ],
)
def test_options_out_of_range_are_faults(key, value):
    with pytest.raises(Fault) as fault:
        GridOptions(**{key: value})
    assert fault.value.quantity.startswith(key)
    assert fault.value.remedy


@pytest.mark.parametrize("key", ["flank_elements", "fillet_elements", "thickness_elements", "width_elements"])
def test_odd_numbers_need_the_first_order(key):
    with pytest.raises(Fault, match="order = 1") as fault:
        GridOptions(**{key: 5}, order=2)
    assert fault.value.quantity == key
    assert "use 6" in fault.value.remedy
    assert getattr(GridOptions(**{key: 5}, order=1), key) == 5


def test_a_broken_pipe_stays_an_error_of_python():
    """Gmsh lets it end the process."""
    program = """
import os
from alegear.geometry import Gear
from alegear.mesh import mesh_sector
mesh_sector(Gear(z=20, m_n=4e-3, b=20e-3, bore_diameter=40e-3))
read, write = os.pipe()
os.close(read)
try:
    os.write(write, b"nobody reads this")
except BrokenPipeError:
    print("told")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "told\n"), ended.stderr


@pytest.mark.parametrize("rows", [(), (0, 0, 1), (2, 1), (-1, 3), (3, 7)])
def test_loaded_rows_are_rising_rows_of_the_flanks(rows):
    sector = mesh_sector(gear(20), COARSE)
    assert len(sector.flank_a) == 6
    with pytest.raises(Fault, match="loaded_rows"):
        replace(sector, loaded_rows=rows)
    assert np.array_equal(replace(sector, loaded_rows=(1, 4)).loaded("b"), sector.flank_b[[1, 4]])
