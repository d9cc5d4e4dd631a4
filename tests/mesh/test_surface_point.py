"""Places on the surface of a tooth: at nodes they are the nodes, between them what is linear is exact."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import Gear
from alegear.mesh import GridOptions, mesh_sector
from alegear.mesh.surface_point import locate_point, profile_grid

GEAR = Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35.8e-3)
COARSE = GridOptions(flank_elements=4, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)


@pytest.fixture(scope="module")
def sector():
    return mesh_sector(GEAR, COARSE)


def at(sector, place):
    """Coordinates of a place (3,), as everything known at nodes."""
    return place.weights @ sector.straight_points[place.nodes]


@pytest.mark.parametrize("flank", ["a", "b"])
def test_the_profile_runs_from_the_tooth_space_to_the_tip(sector, flank):
    grid = profile_grid(sector, flank)
    assert len(np.unique(grid)) == grid.size == 3 * (4 + 4 + 1)
    r = np.hypot(*sector.straight_points[grid[:, 1], :2].T)
    assert r[[0, -1]] == pytest.approx([GEAR.r_f, GEAR.r_a])
    y = sector.straight_points[grid[:, 1], 1]
    assert (y > 0.0).all() if flank == "a" else (y < 0.0).all()


@pytest.mark.parametrize(("share", "row"), [(0.0, 0), (0.5, 2), (1.0, 4)])
def test_a_share_of_the_fillet_that_is_a_node(sector, share, row):
    # the nodes of the fillet are equal in arc length, but for the chords between them: 1e-3 of a step
    place = locate_point(sector, "a", fillet_share=share)
    node = sector.root_a[row, 1]
    step = np.linalg.norm(sector.straight_points[sector.root_a[1, 1]] - sector.straight_points[sector.root_a[0, 1]])
    assert np.linalg.norm(at(sector, place) - sector.straight_points[node]) < 0.02 * step
    if share in (0.0, 1.0):
        assert node in place.nodes
        np.testing.assert_allclose(place.weights, 1.0)


def test_weights_are_linear_between_the_nodes(sector):
    place = locate_point(sector, "b", radius=0.5 * (GEAR.r + GEAR.r_a), face_position=4e-3)
    assert len(place.nodes) == 4
    assert place.weights.sum() == pytest.approx(1.0)
    x, y, z = at(sector, place)
    assert z == pytest.approx(4e-3)
    assert y < 0.0
    # a chord lies inside the involute by its sagitta, 1e-5 of the radius here
    assert np.hypot(x, y) == pytest.approx(place.radius, rel=1e-4)
    assert place.radius == pytest.approx(0.5 * (GEAR.r + GEAR.r_a))


def test_a_diameter_of_a_node_is_the_node(sector):
    grid = profile_grid(sector, "a")
    node = grid[6, 1]
    r = float(np.hypot(*sector.straight_points[node, :2]))
    place = locate_point(sector, "a", radius=float(f"{r:.12g}"))
    assert place.nodes.tolist() == [node]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"fillet_share": 1.5}, "share of the root fillet"),
        ({"radius": 0.1}, "radius"),
        ({"radius": 40e-3, "face_position": 16e-3}, "face position"),
        ({}, "position on the tooth"),
        ({"fillet_share": 0.5, "radius": 40e-3}, "position on the tooth"),
    ],
    ids=str,
)
def test_places_off_the_tooth_are_refused(sector, options, named):
    with pytest.raises(Fault, match=named):
        locate_point(sector, "a", **options)
