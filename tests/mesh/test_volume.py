"""Volume and shape of hexahedra against closed forms."""

import numpy as np
import pytest

from alegear.mesh import VolumeMesh, mesh_quality

CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=float)


def one_cell(points):
    return VolumeMesh(points=np.asarray(points, dtype=float), cells=np.arange(8, dtype=np.int64)[None])


def test_brick():
    quality = mesh_quality(one_cell(CUBE * [1.0, 2.0, 3.0]), exact_volume=6.0)
    # determinant of the map from [-1, 1]^3: volume/8; 1e-14: round-off
    assert quality.min_jacobian == pytest.approx(6.0 / 8.0, rel=1e-14)
    assert quality.min_scaled_jacobian == pytest.approx(1.0, rel=1e-14)
    assert quality.max_aspect_ratio == pytest.approx(3.0, rel=1e-14)
    assert quality.shortest_edge == pytest.approx(1.0, rel=1e-14)
    assert abs(quality.volume_error) < 1e-14
    assert quality.tangled == 0


def test_scaled_jacobian_of_a_sheared_cube_is_the_cosine_of_the_shear():
    angle = np.radians(35.0)
    sheared = CUBE @ np.array([[1.0, 0.0, 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    assert mesh_quality(one_cell(sheared)).min_scaled_jacobian == pytest.approx(np.cos(angle), rel=1e-14)  # round-off


def test_volume_of_a_frustum_is_exact():
    top, height = 0.4, 2.0
    points = CUBE.copy()
    points[:, :2] -= 0.5
    points[4:, :2] *= top
    points[4:, 2] = height
    # the determinant is quadratic: two Gauss points a direction integrate it exactly
    assert one_cell(points).volume == pytest.approx(height / 3.0 * (1.0 + top + top**2), rel=1e-14)


def test_volume_does_not_change_under_a_rigid_motion():
    rng = np.random.default_rng(1)
    points = CUBE + 0.1 * rng.standard_normal((8, 3))
    rotation, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    rotation *= np.linalg.det(rotation)
    assert one_cell(points @ rotation.T + 3.0).volume == pytest.approx(one_cell(points).volume, rel=1e-12)  # round-off


@pytest.mark.parametrize("order", [[3, 2, 1, 0, 7, 6, 5, 4], [0, 2, 1, 3, 4, 5, 6, 7]])
def test_cells_turned_inside_out_are_counted(order):
    quality = mesh_quality(one_cell(CUBE[order]))
    assert quality.tangled == 1
    assert quality.min_jacobian <= 0.0


def test_a_corner_pushed_in_is_found_although_the_volume_is_positive():
    points = CUBE.copy()
    points[6] = [0.3, 0.3, 0.3]
    quality = mesh_quality(one_cell(points))
    assert quality.volume > 0.0
    assert quality.tangled == 1


def test_a_collapsed_edge_is_flat_not_a_crash():
    points = CUBE.copy()
    points[1] = points[0]
    quality = mesh_quality(one_cell(points))
    assert quality.min_scaled_jacobian == 0.0
    assert quality.tangled == 1
    assert quality.shortest_edge == 0.0
