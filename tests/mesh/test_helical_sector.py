"""Sectors of helical gears: the spur section turned along the axis, in files, in wheels and reduced."""

from itertools import product
from math import atan, cos, radians

import numpy as np
import pytest
from families import mostly_thorough
from scipy.sparse import linalg

from alegear.errors import Fault
from alegear.fe import FEModel, Material
from alegear.geometry import Gear
from alegear.mesh import GridOptions, WheelMesh, mesh_quality, mesh_sector, read_sector, sector_rotation, write_mesh
from alegear.mesh.exchange import check_sector_fits
from alegear.reduction import reduce_wheel

FIRST = GridOptions(
    flank_elements=4, fillet_elements=4, thickness_elements=4, width_elements=3, rim_elements=3, order=1
)
SECOND = GridOptions(
    flank_elements=4, fillet_elements=4, thickness_elements=6, width_elements=2, rim_elements=4, order=2
)
BOTH = pytest.mark.parametrize("options", [FIRST, SECOND], ids=["order 1", "order 2"])
GRIDS = ("flank_a", "flank_b", "root_a", "root_b")
ROUND_OFF = 1e-12  # [m] on a wheel of a few 100 mm


def helical(z, beta_deg, *, m_n=4e-3, x=0.0, bore=0.6, width=None):
    """A gear whose bore is the given part of its root diameter; the default face width is 1.5 reference diameters."""
    beta = radians(beta_deg)
    x = max(x, 0.3) if z < 13 else x
    d = z * m_n / cos(beta)
    return Gear(
        z=z,
        m_n=m_n,
        x=x,
        beta=beta,
        b=1.5 * d if width is None else width,
        bore_diameter=bore * (d + 2.0 * (x - 1.25) * m_n),
    )


def turned(points, angle):
    """Points (n, 3) turned about z, each by its own angle or all by one."""
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = points.T
    return np.stack([c * x - s * y, s * x + c * y, z], axis=1)


def across(sector):
    """Steps from layer to layer of nodes [m]."""
    return np.diff(sector.volume.points[sector.flank_a[0], 2])


TEETH, HELICES = (8, 13, 20, 97), (-35.0, -10.0, 20.0, 35.0)


def in_turn(one):
    """Whether a wheel runs always: with each helix and each number of teeth, the orders by turns."""
    z, beta, order = one
    return (TEETH.index(z) + HELICES.index(beta) + order) % 2 == 0


@pytest.mark.parametrize(("z", "beta", "order"), mostly_thorough(product(TEETH, HELICES, [1, 2]), always=in_turn))
def test_wide_faces_have_sound_cells_and_the_volume_of_their_facets(z, beta, order):
    g = helical(z, beta)
    options = GridOptions(order=order)
    sector = mesh_sector(g, options)
    quality = mesh_quality(sector.volume, g.tooth_profile.section_moment(0.5 * g.bore_diameter) * g.b)
    assert quality.min_jacobian > 0.0
    # The edges along the tooth lean by the helix angle of their radius: on the tip circle 43 deg of 35 deg on the
    # reference circle of 8 teeth.
    assert quality.min_scaled_jacobian > 0.5 * cos(atan(abs(sector.twist) * g.r_a))
    # Between two layers turned by delta the section is the mean of both; over the way its area is less by (1 - cos)/3.
    # A parabola through three layers leaves the next term, delta^4/45.
    delta = sector.twist * across(sector)
    if order == 1:
        lost = np.average((1.0 - np.cos(delta)) / 3.0, weights=np.abs(delta))
        assert quality.volume_error == pytest.approx(-lost, abs=1.5e-3)  # and section's chords
    else:
        assert abs(quality.volume_error) < np.max(delta**4) / 45.0 + 1e-4  # and what parabolas leave of the section


@pytest.mark.parametrize("order", [1, 2])
def test_order_of_the_volume_error_along_the_helix(order):
    g = helical(20, 30.0)

    def options(n):
        return GridOptions(
            flank_elements=4, fillet_elements=4, thickness_elements=4, width_elements=n, rim_elements=4, order=order
        )

    section = mesh_quality(mesh_sector(helical(20, 30.0, width=1e-4), options(2)).volume).volume / 1e-4
    error = [mesh_quality(mesh_sector(g, options(n)).volume, section * g.b).volume_error for n in (6, 12, 24)]
    # the elements at the ends are shorter: their part in the mean of h^(2 order) changes with their number
    expected = []
    for n in (6, 12, 24):
        h = across(mesh_sector(g, options(n)))
        expected.append(np.average(h ** (2 * order), weights=h))
    ratio = np.array(error) / expected
    assert np.all(np.abs(ratio[:-1] / ratio[1:] - 1.0) < 0.07)  # next term some per cent of the first


@BOTH
@pytest.mark.parametrize("beta", [-25.0, 15.0])
def test_layers_are_the_turned_section_on_the_true_profile(beta, options):
    g = helical(17, beta, width=40e-3)
    sector = mesh_sector(g, options)
    layers = sector.volume.points.reshape(-1, options.width_elements + 1, 3)
    twist = np.tan(g.beta) / g.r
    assert sector.twist == pytest.approx(twist, rel=1e-15)
    back = turned(sector.volume.points, -twist * sector.volume.points[:, 2])
    assert np.abs(sector.straight_points - back).max() < ROUND_OFF
    back = back.reshape(layers.shape)
    assert np.abs(back[:, :, :2] - back[:, :1, :2]).max() < ROUND_OFF
    # right hand: the tooth turns counter-clockwise on the way up
    middle = layers[sector.tip.reshape(-1, layers.shape[1])[2, 0] // layers.shape[1]]
    assert np.sign(np.arctan2(middle[-1, 1], middle[-1, 0])) == np.sign(beta)
    flank = sector.straight_points[sector.flank_a]
    profile = g.tooth_profile
    s = profile.s_at_radius(np.hypot(flank[:, 0, 0], flank[:, 0, 1]))
    for column in range(flank.shape[1]):
        assert np.abs(flank[:, column, :2] - profile.points(s)).max() < ROUND_OFF
    for a, b in (("flank_a", "flank_b"), ("root_a", "root_b")):
        mirrored = sector.straight_points[getattr(sector, a)] * [1.0, -1.0, 1.0]
        assert np.abs(mirrored - sector.straight_points[getattr(sector, b)]).max() < ROUND_OFF


@BOTH
def test_left_hand_is_the_mirror_image_of_right_hand(options):
    right, left = (mesh_sector(helical(15, beta, width=30e-3), options).volume.points for beta in (20.0, -20.0))
    mirrored = right.reshape(-1, options.width_elements + 1, 3)[:, ::-1] * [1.0, 1.0, -1.0]  # in the plane z = 0
    assert np.abs(mirrored - left.reshape(mirrored.shape)).max() < ROUND_OFF


@BOTH
def test_vanishing_helix_is_the_spur_sector(options):
    spur, helix = (mesh_sector(helical(15, beta, width=30e-3), options) for beta in (0.0, 1e-7))
    assert spur.twist == 0.0
    assert np.abs(spur.volume.points - helix.volume.points).max() < 1e-9 * 60e-3  # 1e-7 deg on the tip radius


@BOTH
@pytest.mark.parametrize("z", [9, 20])
def test_cut_planes_match_by_rotation(z, options):
    g = helical(z, 30.0)
    sector = mesh_sector(g, options)
    points = sector.volume.points
    low, high = points[sector.cut_low], points[sector.cut_high]
    assert np.abs(low @ sector_rotation(z, 1).T - high).max() < 1e-15  # round-off of a radius below 1 m
    angle = np.arctan2(high[:, 1], high[:, 0]) - sector.twist * high[:, 2]
    off = np.angle(np.exp(1j * (angle - np.pi / z)))
    assert np.abs(off).max() < 1e-13  # round-off


@BOTH
def test_wheel_and_segment_are_joined_without_gap(options):
    sector = mesh_sector(helical(9, 25.0, width=30e-3), options)
    for teeth in (None, 3):
        wheel = WheelMesh(sector, teeth)
        quality = mesh_quality(wheel.volume, wheel.n_sectors * sector.volume.volume)
        assert quality.tangled == 0
        assert abs(quality.volume_error) < 1e-13  # round-off
        joints = wheel.n_sectors if wheel.closed else wheel.n_sectors - 1
        assert wheel.volume.n_nodes == wheel.n_sectors * sector.volume.n_nodes - joints * len(sector.cut_low)
        for k in range(wheel.n_sectors):
            there = sector.volume.points @ sector_rotation(9, k).T
            assert np.abs(wheel.volume.points[wheel.node_of[k]] - there).max() < 1e-15  # round-off


@pytest.mark.parametrize("ending", [".msh", ".vtu"])
@pytest.mark.parametrize("beta", [-30.0, 30.0])
@BOTH
def test_round_trip_through_a_file(tmp_path, ending, beta, options):
    g = helical(13, beta)
    sector = mesh_sector(g, options)
    path = tmp_path / f"sector{ending}"
    write_mesh(path, sector)
    read = read_sector(path, g.z, sector.twist)
    check_sector_fits(read, g, path)
    assert np.abs(read.volume.points - sector.volume.points).max() < 1e-12  # [m], asked of the exchange
    assert read.twist == sector.twist
    for name in (*GRIDS, "cut_low", "cut_high"):
        assert np.array_equal(getattr(read, name), getattr(sector, name))


def test_the_wrong_hand_of_a_wide_tooth_is_refused(tmp_path):
    sector = mesh_sector(helical(13, 30.0), FIRST)
    write_mesh(tmp_path / "left.vtu", sector)
    with pytest.raises(Fault, match="flank_a") as fault:
        read_sector(tmp_path / "left.vtu", 13, -sector.twist)
    assert "hand" in fault.value.remedy


@BOTH
@pytest.mark.parametrize("slots", [1, 3])
def test_reduced_wheel_equals_the_direct_factorisation(slots, options, tmp_path):
    """The cut planes are helicoids; their frames turn by one pitch from plane to plane all the same."""
    sector = mesh_sector(helical(9, 25.0, width=30e-3), options)
    wheel = WheelMesh(sector)
    model = FEModel.from_mesh(wheel.volume, Material())
    free = np.setdiff1d(np.arange(model.n_dof), (3 * wheel.volume.node_sets["bore"][:, None] + np.arange(3)).ravel())
    rng = np.random.default_rng(3)
    force = rng.normal(size=(slots, sector.flank_a.size, 3))
    load = np.zeros((model.n_nodes, 3))
    for k in range(slots):
        load[wheel.node_of[k, sector.flank_a.ravel()]] += force[k] @ sector_rotation(9, k).T
    u = np.zeros(model.n_dof)
    u[free] = linalg.spsolve(model.stiffness[free][:, free].tocsc(), load.reshape(-1)[free])
    u = u.reshape(-1, 3)

    reduced = reduce_wheel(sector, Material(), slots=slots, flank="a", cache_dir=tmp_path)
    on_faces = np.stack(
        [u[wheel.node_of[k, sector.flank_a.ravel()]] @ sector_rotation(9, k) for k in range(slots)]
    ).reshape(-1)
    found = reduced.C_ff @ force.reshape(-1)
    assert np.abs(found - on_faces).max() < 1e-10 * np.abs(on_faces).max()  # round-off of two factorisations
    everywhere = np.stack([u[wheel.node_of[k]] @ sector_rotation(9, k) for k in range(9)])
    expanded = reduced.expand(force.reshape(1, -1))[0]
    assert np.abs(expanded - everywhere).max() < 1e-10 * np.abs(everywhere).max()  # likewise
