"""Sectors joined to a wheel or a segment."""

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import Gear
from alegear.mesh import GridOptions, WheelMesh, mesh_quality, mesh_sector, sector_rotation

FIRST = GridOptions(
    flank_elements=3, fillet_elements=4, thickness_elements=3, width_elements=2, rim_elements=3, order=1
)
SECOND = GridOptions(
    flank_elements=4, fillet_elements=4, thickness_elements=6, width_elements=2, rim_elements=4, order=2
)


@pytest.fixture(scope="module", params=[FIRST, SECOND], ids=["order 1", "order 2"])
def options(request):
    return request.param


@pytest.fixture(scope="module")
def sector(options):
    return mesh_sector(Gear(z=12, m_n=3e-3, x=0.3, b=20e-3, bore_diameter=12e-3), options)


@pytest.mark.parametrize("teeth", [None, 12, 1, 2, 5, 11])
def test_numbers_and_places_of_the_nodes(sector, teeth):
    wheel = WheelMesh(sector, teeth_modelled=teeth)
    n_sectors = 12 if teeth is None else teeth
    closed = n_sectors == 12
    assert wheel.closed == closed
    assert wheel.node_of.shape == (n_sectors, sector.volume.n_nodes)
    joints = n_sectors if closed else n_sectors - 1
    assert wheel.volume.n_nodes == n_sectors * sector.volume.n_nodes - joints * len(sector.cut_low)
    assert wheel.volume.n_cells == n_sectors * sector.volume.n_cells
    for k in range(n_sectors):
        turned = sector.volume.points @ sector_rotation(12, k).T
        # shared nodes carry the place of one of their two sectors: equal to round-off
        assert np.abs(wheel.volume.points[wheel.node_of[k]] - turned).max() < 1e-15


@pytest.mark.parametrize("teeth", [None, 4])
def test_neighbours_share_their_cut_plane(sector, teeth):
    wheel = WheelMesh(sector, teeth)
    for k in range(wheel.n_sectors if wheel.closed else wheel.n_sectors - 1):
        following = (k + 1) % wheel.n_sectors
        assert np.array_equal(wheel.node_of[k, sector.cut_high], wheel.node_of[following, sector.cut_low])


@pytest.mark.parametrize(("teeth", "free_planes"), [(None, 0), (4, 2)])
def test_sectors_are_joined_without_gap(sector, options, teeth, free_planes):
    """Faces of one cell only: none is left on a joint, so their number is that of the outer surface."""

    def outer_faces(cells):
        quads = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
        faces = np.sort(np.concatenate([cells[:, quad] for quad in quads]), axis=1)
        _, count = np.unique(faces, axis=0, return_counts=True)
        return np.count_nonzero(count == 1)

    wheel = WheelMesh(sector, teeth)
    on_plane = options.rim_elements * options.width_elements
    expected = wheel.n_sectors * (outer_faces(sector.volume.linear_cells) - 2 * on_plane) + free_planes * on_plane
    assert outer_faces(wheel.volume.linear_cells) == expected


def test_volume_adds_up(sector):
    wheel = WheelMesh(sector)
    quality = mesh_quality(wheel.volume, exact_volume=12 * sector.volume.volume)
    assert quality.tangled == 0
    assert abs(quality.volume_error) < 1e-13  # round-off


def test_free_surface_is_that_of_the_sectors_turned(sector):
    for wheel in (WheelMesh(sector), WheelMesh(sector, 3)):
        free = wheel.volume.free_surface
        assert len(np.unique(free.nodes)) == len(free.nodes)
        place = {node: i for i, node in enumerate(free.nodes.tolist())}
        for k in range(wheel.n_sectors):
            own = sector.volume.free_surface
            found = free.normals[[place[node] for node in wheel.node_of[k, own.nodes].tolist()]]
            turned = own.normals @ sector_rotation(12, k).T
            assert np.abs(found - turned).max() < 1e-14  # round-off


def test_sets_of_the_segment(sector, options):
    wheel = WheelMesh(sector, 3)
    sets = wheel.volume.node_sets
    assert np.array_equal(sets["cut_low"], wheel.node_of[0, sector.cut_low])
    assert np.array_equal(sets["cut_high"], wheel.node_of[2, sector.cut_high])
    assert len(sets["flank_a"]) == 3 * sector.flank_a.size
    assert len(sets["bore"]) == 3 * len(sector.bore) - 2 * (options.width_elements + 1)
    assert "cut_low" not in WheelMesh(sector).volume.node_sets


@pytest.mark.parametrize("teeth", [0, -1, 13])
def test_wrong_number_of_teeth_is_a_fault(sector, teeth):
    with pytest.raises(Fault, match="teeth modelled"):
        WheelMesh(sector, teeth)
