"""The multifrontal condensation against dense elimination, and the order it works in."""

import numpy as np
import pytest
from block_sector import block_sector
from scipy import sparse

from alegear.errors import AnalysisFailure
from alegear.fe import FEModel, Material
from alegear.reduction import condense, constraint_modes
from alegear.reduction.nested_dissection import layers_from, nested_dissection, node_adjacency
from alegear.reduction.sparse import dofs_of


@pytest.fixture(scope="module")
def grid():
    sector = block_sector(7, n_rim=4, n_tooth=4, n_width=8, strip=2)
    K = FEModel.from_mesh(sector.volume, Material()).stiffness
    fields = [np.ascontiguousarray(sector.volume.points[:, axis]) for axis in range(3)]
    return sector, K, fields


def test_condensation_is_the_schur_complement(grid):
    sector, K, fields = grid
    retained = np.concatenate([sector.flank_a.ravel(), sector.tip[::2][::-1]])
    retained = retained[np.sort(np.unique(retained, return_index=True)[1])]
    result = condense(K, retained, sector.bore, fields)
    Psi_c, K_r = constraint_modes(K, dofs_of(retained), dofs_of(sector.bore))
    assert len(result.factors[0].fronts) > 3  # the grid was really divided
    # two direct methods differ by round-off times the condition of K_ii
    assert np.abs(result.S - K_r).max() < 1e-11 * np.abs(K_r).max()
    u_b = np.random.default_rng(1).normal(size=(len(K_r), 3))
    u = result.expand(u_b).reshape(-1, 3)
    assert np.abs(u - Psi_c @ u_b).max() < 1e-11 * np.abs(u).max()


def test_expansion_to_some_nodes_gives_the_same_values_there(grid):
    sector, K, fields = grid
    result = condense(K, sector.flank_a.ravel(), sector.bore, fields)
    u_b = np.random.default_rng(2).normal(size=(len(result.S), 2))
    nodes = sector.root_b.ravel()
    everywhere = result.expand(u_b)
    assert np.array_equal(result.expand(u_b, nodes)[nodes], everywhere[nodes])


def test_two_bodies_that_do_not_touch(grid):
    """A separator without nodes: each body keeps its own condensed stiffness."""
    sector, K, fields = grid
    n = len(sector.volume.points)
    both = sparse.csr_array(sparse.block_diag([K, K]))
    far = [np.concatenate([field, field + shift]) for field, shift in zip(fields, (0.0, 0.0, 1.0), strict=True)]
    face = sector.flank_a.ravel()
    result = condense(both, np.concatenate([face, n + face]), np.concatenate([sector.bore, n + sector.bore]), far)
    one = condense(K, face, sector.bore, fields).S
    size = len(one)
    # the same elimination in another order: round-off
    assert np.abs(result.S[:size, :size] - one).max() < 1e-11 * np.abs(one).max()
    assert np.abs(result.S[size:, size:] - one).max() < 1e-11 * np.abs(one).max()
    assert not result.S[:size, size:].any()


def test_every_node_is_eliminated_once_and_halves_share_no_element(grid):
    sector, K, fields = grid
    adjacency = node_adjacency(K)
    layers = layers_from(adjacency, sector.bore).astype(float)
    subdomains = nested_dissection(adjacency, [*fields, layers], leaf_nodes=20)
    order = np.concatenate([part.nodes for part in subdomains])
    assert np.array_equal(np.sort(order), np.arange(len(sector.volume.points)))

    def below(number):
        return np.concatenate([subdomains[number].nodes, *(below(c) for c in subdomains[number].children)])

    for part in subdomains:
        if len(part.children) == 2:
            first, second = (below(child) for child in part.children)
            assert adjacency[first][:, second].nnz == 0


def test_layers_count_elements(grid):
    sector, K, _ = grid
    layers = layers_from(node_adjacency(K), sector.cut_low)
    assert layers[sector.cut_low].max() == 0
    assert set(layers[sector.cut_high]) == {6}  # 2 strip + 2 elements under the tooth, twice the strip


def test_a_free_body_is_refused(grid):
    sector, K, fields = grid
    soft = K - 1e9 * sparse.eye_array(K.shape[0], format="csr")
    with pytest.raises(AnalysisFailure, match="bore"):
        condense(soft, sector.flank_a.ravel(), sector.bore, fields)


def test_constraint_modes_reproduce_the_boundary(grid):
    sector, K, _ = grid
    b, fixed = dofs_of(sector.flank_b.ravel()), dofs_of(sector.bore)
    Psi_c, K_r = constraint_modes(K, b, fixed)
    assert np.array_equal(Psi_c[b], np.eye(b.size))
    assert not Psi_c[fixed].any()
    # K_r is the energy of the modes, Psi^T K Psi: round-off of a sum over all degrees of freedom
    assert np.abs(Psi_c.T @ (K @ Psi_c) - K_r).max() < 1e-11 * np.abs(K_r).max()


def test_loads_on_eliminated_nodes(grid):
    sector, K, fields = grid
    face = sector.flank_a.ravel()
    result = condense(K, face, sector.bore, fields)
    f = np.random.default_rng(3).normal(size=(len(sector.volume.points), 3, 2))
    f_b, inner = result.condense_load(f)
    u_b = np.linalg.solve(result.S, f_b)
    u = result.expand(u_b, loads=inner).reshape(-1, 2)
    free = np.setdiff1d(np.arange(len(u)), dofs_of(sector.bore))
    expected = np.linalg.solve(K[free][:, free].toarray(), f.reshape(-1, 2)[free])
    # two direct methods differ by round-off times the condition of the stiffness
    assert np.abs(u[free] - expected).max() < 1e-10 * np.abs(expected).max()
    assert not u[dofs_of(sector.bore)].any()
