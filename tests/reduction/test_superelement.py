"""The reduced wheel against one direct factorisation of the whole finite element grid."""

from dataclasses import dataclass

import numpy as np
import pytest
from block_sector import block_sector
from scipy.sparse import linalg

from alegear.errors import Fault
from alegear.fe import FEModel, Material, stress_operator
from alegear.geometry import Gear
from alegear.mesh import GridOptions, SectorMesh, WheelMesh, mesh_sector, sector_rotation
from alegear.reduction import SectorLayout, reduce_wheel, superelement
from alegear.reduction.root_stress import root_stress
from alegear.reduction.sparse import dofs_of

Z = 7


@dataclass(frozen=True)
class DirectWheel:
    """All sectors as one grid, solved by SuperLU. Sector k of the grid is turned by 2 pi k/z against sector 0."""

    sector: SectorMesh
    teeth_modelled: int | None = None

    def __post_init__(self):
        wheel = WheelMesh(self.sector, self.teeth_modelled)
        model = FEModel.from_mesh(wheel.volume, Material())
        free = np.setdiff1d(np.arange(model.n_dof), dofs_of(wheel.volume.node_sets["bore"]))
        factor = linalg.splu(model.stiffness[free][:, free].tocsc())
        for name, value in {"wheel": wheel, "model": model, "free": free, "factor": factor}.items():
            object.__setattr__(self, name, value)

    def solve(self, face, forces):
        """Solve for forces (n_rhs, n_sectors, nf) on a face, tooth frames in and out: (n_rhs, n_sectors, n, 3)."""
        node_of = self.wheel.node_of
        load = np.zeros((len(forces), self.model.n_dof))
        for k in range(len(node_of)):
            turned = forces[:, k].reshape(len(forces), -1, 3) @ sector_rotation(self.sector.teeth, k).T
            load[:, dofs_of(node_of[k][face.ravel()])] += turned.reshape(len(forces), -1)
        u = np.zeros_like(load)
        u[:, self.free] = self.factor.solve(load[:, self.free].T).T
        u = u.reshape(len(forces), -1, 3)
        return np.stack([u[:, node_of[k]] @ sector_rotation(self.sector.teeth, k) for k in range(len(node_of))], axis=1)


@pytest.fixture(scope="module")
def sector():
    return block_sector(Z)


@pytest.fixture(scope="module")
def direct(sector):
    return DirectWheel(sector)


def reduce(sector, **options):
    return reduce_wheel(sector, Material(), **{"flank": "a", **options})


def forces_on(superelement, n_rhs=2):
    return np.random.default_rng(5).normal(size=(n_rhs, superelement.dof_boundary))


def relative(value, expected):
    assert value.shape == expected.shape
    return np.abs(value - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize(
    ("slots", "flank"), [(1, "a"), (2, "b"), (3, "a"), (Z - 1, "a"), (Z, "a")], ids=lambda value: str(value)
)
def test_equals_the_direct_factorisation_of_the_whole_wheel(sector, direct, slots, flank):
    wheel = reduce(sector, slots=slots, flank=flank)
    face = sector.flank_a if flank == "a" else sector.flank_b
    f = forces_on(wheel)
    forces = np.zeros((2, Z, wheel.nf))
    forces[:, :slots] = f.reshape(2, slots, -1)
    u = direct.solve(face, forces)
    u_f = u[:, :slots, face.ravel()].reshape(2, -1)
    # issue "done means 3"; what remains is the round-off of two direct solutions, 1e-13
    assert relative(f @ wheel.C_ff, u_f) < 1e-10
    assert relative(wheel.expand(f), u) < 1e-8
    # root stress: averaged over the elements of the slot's own sector
    model = FEModel.from_mesh(sector.volume, Material())
    nodes = np.stack([sector.root_a, sector.root_b])
    operator = stress_operator(model, nodes.ravel())
    stress = np.stack([[operator @ u[r, k].ravel() for k in range(slots)] for r in range(2)])
    assert relative(root_stress(wheel, f), stress.reshape(2, slots, *nodes.shape, 6)) < 1e-10


def test_compliance_column_by_column(sector, direct):
    """Every entry of C_ff, not a sample."""
    wheel = reduce(sector, slots=2)
    forces = np.zeros((wheel.dof_boundary, Z, wheel.nf))
    forces[:, :2] = np.eye(wheel.dof_boundary).reshape(-1, 2, wheel.nf)
    u = direct.solve(sector.flank_a, forces)[:, :2, sector.flank_a.ravel()].reshape(wheel.dof_boundary, -1)
    assert relative(wheel.C_ff, u) < 1e-10  # issue "done means 3"


@pytest.mark.parametrize("slots", [1, 2, 4, Z - 1])
def test_a_window_is_the_sub_block_of_the_window_of_all_teeth(sector, slots):
    """Whether the other faces are retained and free of load, or never retained, is the same."""
    every, few = reduce(sector, slots=Z), reduce(sector, slots=slots)
    n = few.dof_boundary
    assert relative(few.C_ff, every.C_ff[:n, :n]) < 1e-10  # same problem, other order of elimination
    assert relative(few.root_stress_operator, every.root_stress_operator[:slots, ..., :n]) < 1e-10


def test_no_tooth_is_special(sector):
    """Counting the slots from another tooth changes nothing: the compliance depends on the distance of two slots."""
    wheel = reduce(sector, slots=Z)
    C = wheel.C_ff.reshape(Z, wheel.nf, Z, wheel.nf)
    turned = np.roll(C, (1, 1), axis=(0, 2))
    assert relative(turned, C) < 1e-12  # round-off
    f = forces_on(wheel)
    shifted = np.roll(f.reshape(2, Z, -1), 2, axis=1).reshape(2, -1)
    assert relative(wheel.expand(shifted), np.roll(wheel.expand(f), 2, axis=1)) < 1e-11  # round-off


def test_compliance_is_symmetric_and_positive_definite(sector):
    wheel = reduce(sector, slots=3)
    assert np.array_equal(wheel.C_ff, wheel.C_ff.T)
    eigenvalues = np.linalg.eigvalsh(wheel.C_ff)
    assert eigenvalues[0] > 0.0
    # round-off times the condition of the compliance
    condition = eigenvalues[-1] / eigenvalues[0]
    assert np.abs(wheel.K_r @ wheel.C_ff - np.eye(wheel.dof_boundary)).max() < 1e-14 * condition


def test_work_is_reciprocal(sector):
    """Betti-Maxwell on the expanded fields: forces of case 1 through the displacements of case 2 and the reverse."""
    wheel = reduce(sector, slots=3)
    f = forces_on(wheel)
    u = wheel.expand(f)[:, :3, sector.flank_a.ravel()].reshape(2, -1)
    np.testing.assert_allclose(f[0] @ u[1], f[1] @ u[0], rtol=1e-11)  # round-off


@pytest.mark.parametrize(("slots", "teeth_modelled"), [(1, 1), (1, 3), (2, 3), (3, 3), (2, 5), (3, 5)])
def test_segment_equals_the_direct_factorisation(sector, slots, teeth_modelled):
    segment = reduce(sector, slots=slots, teeth_modelled=teeth_modelled)
    layout = segment.layout
    assert layout.below == (teeth_modelled - slots) // 2
    # in the grid the sectors ascend from the free low cut plane; in the superelement they start at slot 0
    ascending = np.argsort(layout.tooth_offsets)
    assert np.array_equal(layout.tooth_offsets[ascending], np.arange(teeth_modelled) - layout.below)
    f = forces_on(segment)
    forces = np.zeros((2, teeth_modelled, segment.nf))
    forces[:, layout.below : layout.below + slots] = f.reshape(2, slots, -1)
    u = DirectWheel(sector, teeth_modelled).solve(sector.flank_a, forces)
    assert relative(segment.expand(f)[:, ascending], u) < 1e-10  # round-off of two direct solutions
    u_f = u[:, layout.below : layout.below + slots, sector.flank_a.ravel()].reshape(2, -1)
    assert relative(f @ segment.C_ff, u_f) < 1e-10


def test_expansion_of_some_sectors(sector):
    wheel = reduce(sector, slots=2)
    f = forces_on(wheel, 3)
    everything = wheel.expand(f)
    some = wheel.expand(f, sectors=[4, 0, -1])
    # the same operations on other numbers of columns: round-off of the matrix products
    assert relative(some, everything[:, [4, 0, -1]]) < 1e-13
    assert relative(wheel.expand(f[1]), everything[1]) < 1e-13
    assert wheel.expand(f, sectors=[]).shape == (3, 0, len(sector.volume.points), 3)
    with pytest.raises(Fault, match="sector"):
        wheel.expand(f, sectors=[Z])


@pytest.mark.parametrize("options", [{}, {"teeth_modelled": 5}, {"flank": "both"}])
def test_factors_that_are_kept_spare_the_second_condensation(sector, options, tmp_path, monkeypatch):
    again = reduce(sector, slots=2, **options, cache_dir=tmp_path / "again")
    f = forces_on(again, 2)
    expected = again.expand(f)
    kept = reduce(sector, slots=2, **options, cache_dir=tmp_path / "kept", keep_factors=True)
    monkeypatch.setattr(superelement, "condense_sector", lambda *a, **k: pytest.fail("condensed again"))
    assert np.array_equal(kept.expand(f), expected)  # the same operations


@pytest.mark.parametrize("options", [{}, {"teeth_modelled": 5}, {"flank": "both"}])
def test_a_wheel_from_the_store_has_its_factors(sector, options, tmp_path, monkeypatch):
    first = reduce(sector, slots=2, **options, cache_dir=tmp_path, keep_factors=True)
    f = forces_on(first, 2)
    expected = first.expand(f)
    monkeypatch.setattr(superelement, "condense_sector", lambda *a, **k: pytest.fail("condensed again"))
    second = reduce(sector, slots=2, **options, cache_dir=tmp_path, keep_factors=True)
    assert np.array_equal(second.expand(f), expected)  # the same operations
    nodes = np.unique(sector.root_a)
    rows = (3 * nodes[:, None] + np.arange(3)).ravel()
    assert np.array_equal(second.around(f, nodes)[rows], first.around(f, nodes)[rows])


def test_factors_that_are_damaged_are_made_again(sector, tmp_path):
    without = reduce(sector, slots=2, cache_dir=tmp_path)  # of a run without fields: none are stored
    assert without.kept is None
    assert len(list(tmp_path.iterdir())) == 1
    f = forces_on(without, 2)
    for _ in range(2):
        kept = reduce(sector, slots=2, cache_dir=tmp_path, keep_factors=True)
        assert kept.kept is not None
        assert np.array_equal(kept.expand(f), without.expand(f))
        (file,) = tmp_path.glob("*-recovery.reduction")
        content = bytearray(file.read_bytes())
        content[-5] ^= 16
        file.write_bytes(content)


def test_numbers_of_the_whole_wheel(sector, direct):
    wheel = reduce(sector, slots=2)
    body = direct.model.mass_properties()
    np.testing.assert_allclose([wheel.mass, wheel.inertia], [body.mass, body.inertia_z], rtol=1e-12)  # round-off
    assert wheel.dof_full == direct.model.n_dof
    assert wheel.dof_boundary == 2 * wheel.nf == len(wheel.C_ff)
    assert reduce(sector, slots=1, teeth_modelled=3).dof_full == 3 * WheelMesh(sector, 3).volume.n_nodes


@pytest.mark.parametrize(
    ("slots", "teeth_modelled", "named"),
    [
        (0, None, "window"),
        (Z + 1, None, "window"),
        (4, 3, "window"),
        (1, 4, "teeth modelled"),
        (1, 9, "teeth modelled"),
    ],
)
def test_windows_that_do_not_fit_are_refused(slots, teeth_modelled, named):
    with pytest.raises(Fault, match=named):
        SectorLayout.of(Z, slots, teeth_modelled)


def test_an_unknown_flank_is_refused(sector):
    with pytest.raises(Fault, match="flank"):
        reduce(sector, slots=1, flank="c")


def test_a_gear_made_by_gmsh():
    """Twelve teeth, tooth grid of the mesher: condensed sector against the whole wheel."""
    options = GridOptions(
        flank_elements=3, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=3, order=1
    )
    sector = mesh_sector(Gear(z=12, m_n=3e-3, x=0.3, b=20e-3, bore_diameter=12e-3), options)
    wheel = reduce(sector, slots=3)
    f = forces_on(wheel)
    forces = np.zeros((2, 12, wheel.nf))
    forces[:, :3] = f.reshape(2, 3, -1)
    u = DirectWheel(sector).solve(sector.flank_a, forces)
    assert relative(f @ wheel.C_ff, u[:, :3, sector.flank_a.ravel()].reshape(2, -1)) < 1e-10  # issue "done means 3"
    assert relative(wheel.expand(f), u) < 1e-8
    every = reduce(sector, slots=12)
    assert relative(wheel.C_ff, every.C_ff[: wheel.dof_boundary, : wheel.dof_boundary]) < 1e-10


# --- helical ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("twist", [15.0, -40.0])  # rad/m: 10 and -28 degrees over the face
@pytest.mark.parametrize(("slots", "flank", "teeth_modelled"), [(3, "both", None), (2, "b", 5), (Z, "a", None)])
def test_helical_sector_equals_the_direct_factorisation(twist, slots, flank, teeth_modelled):
    """The cut planes are helicoids; every sector is still the same one, turned."""
    sector = block_sector(Z, n_rim=3, twist=twist)
    wheel = reduce(sector, slots=slots, flank=flank, teeth_modelled=teeth_modelled)
    layout = wheel.layout
    faces = {"a": [sector.flank_a], "b": [sector.flank_b], "both": [sector.flank_a, sector.flank_b]}[flank]
    face = np.concatenate([grid.ravel() for grid in faces])
    f = forces_on(wheel)
    forces = np.zeros((2, wheel.n_sectors, wheel.nf))
    loaded = slice(layout.below, layout.below + slots)
    forces[:, loaded] = f.reshape(2, slots, -1)
    u = DirectWheel(sector, teeth_modelled).solve(face, forces)
    ascending = np.argsort(layout.tooth_offsets)
    # round-off of two direct solutions
    assert relative(wheel.expand(f)[:, ascending], u) < 1e-10
    assert relative(f @ wheel.C_ff, u[:, loaded, face].reshape(2, -1)) < 1e-10
    model = FEModel.from_mesh(sector.volume, Material())
    nodes = np.stack([sector.root_a, sector.root_b])
    operator = stress_operator(model, nodes.ravel())
    stress = np.stack([[operator @ u[r, k].ravel() for k in range(loaded.start, loaded.stop)] for r in range(2)])
    stress = stress.reshape(2, slots, *nodes.shape, 6)
    assert relative(root_stress(wheel, f), stress) < 1e-10
    assert relative(np.moveaxis(wheel.root_stress_operator @ f.T, -1, 0), stress) < 1e-10


def test_hand_of_the_helix(sector):
    """A left-hand wheel is the right-hand one seen in the mirror z = 0; no twist at all is the spur wheel."""
    right, left = (reduce(block_sector(Z, twist=twist), slots=2).C_ff for twist in (20.0, -20.0))
    grid = (2, *sector.flank_a.shape, 3)
    sign = np.array([1.0, 1.0, -1.0])
    mirrored = right.reshape(grid + grid)[:, :, ::-1, :, :, :, ::-1] * sign * sign[:, None, None, None, None]
    assert relative(np.ascontiguousarray(mirrored).reshape(left.shape), left) < 1e-11  # round-off
    slight = reduce(block_sector(Z, twist=1e-9), slots=2).C_ff
    assert relative(slight, reduce(sector, slots=2).C_ff) < 1e-9  # of the order of the angle, 1e-11, over one element
    assert relative(left, slight) > 1e-3  # the twist is not lost on the way
