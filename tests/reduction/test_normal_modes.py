"""Normal modes by cyclic symmetry: against the matrices of the whole wheel, put together element by element."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import linalg
from scipy.sparse.linalg import ArpackNoConvergence, eigsh, spsolve

from alegear.errors import Fault, NonConvergence
from alegear.fe import FEModel, Material
from alegear.geometry import Gear
from alegear.mesh import GridOptions, SectorMesh, WheelMesh, mesh_sector
from alegear.reduction import normal_modes
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.inertia import MassInvariants
from alegear.reduction.normal_modes import (
    NormalModes,
    find_free_modes,
    find_normal_modes,
    free_modes,
    harmonic_modes,
)

N_MODES = 24
ROUND_OFF = 1e-10  # of frequencies and products; the residual of the search is below 1e-11
COARSE = {"flank_elements": 4, "fillet_elements": 4, "thickness_elements": 2, "width_elements": 2, "rim_elements": 4}
#: Teeth (odd and even), helix angle [rad], order of the elements.
WHEELS = {"spur": (12, 0.0, 1), "helical": (11, 0.3, 1), "second order": (10, 0.0, 2)}


@cache
def sector(name: str) -> SectorMesh:
    teeth, beta, order = WHEELS[name]
    gear = Gear(z=teeth, m_n=4e-3, x=0.4, b=12e-3, bore_diameter=18e-3, beta=beta)
    return mesh_sector(gear, GridOptions(**COARSE, order=order))


@cache
def wheel(name: str) -> tuple[WheelMesh, FEModel]:
    mesh = WheelMesh(sector(name))
    return mesh, FEModel.from_mesh(mesh.volume, Material())


@cache
def modes(name: str) -> NormalModes:
    return find_normal_modes(sector(name), Material(), N_MODES)


def shapes(name: str) -> np.ndarray:
    """All modes on the whole wheel as columns, shape (n_dof, m)."""
    return modes(name).of_wheel(wheel(name)[0]).reshape(wheel(name)[1].n_dof, -1)


def free_dofs(name: str) -> np.ndarray:
    mesh, model = wheel(name)
    return np.setdiff1d(np.arange(model.n_dof), 3 * mesh.volume.node_sets["bore"][:, None] + np.arange(3))


@cache
def whole_wheel_frequencies(name: str) -> np.ndarray:
    _, model = wheel(name)
    free = free_dofs(name)
    K, M = model.stiffness[free][:, free].tocsc(), model.mass[free][:, free].tocsc()
    return np.sqrt(np.sort(eigsh(K, N_MODES + 6, M, sigma=0.0, return_eigenvectors=False)))


@cache
def whole_free_wheel(name: str) -> np.ndarray:
    """Frequencies with the bore rigid and free, without the six that are zero."""
    mesh, model = wheel(name)
    bore = mesh.volume.node_sets["bore"]
    rigid = np.zeros((model.n_nodes, 3, 6))
    rigid[bore] = normal_modes._rigid_shapes(mesh.volume.points[bore])
    inner = sp.identity(model.n_dof, format="csc")[:, free_dofs(name)]
    T = sp.hstack([sp.csc_matrix(rigid.reshape(-1, 6)), inner]).tocsc()
    K, M = (T.T @ model.stiffness @ T).tocsc(), (T.T @ model.mass @ T).tocsc()
    # a shift below zero: K alone is singular
    squares = np.sort(eigsh(K, 22, M, sigma=-1e9, return_eigenvectors=False))
    assert np.abs(squares[:6]).max() < 1e-6 * squares[6]
    return np.sqrt(squares[6:])


@pytest.mark.parametrize("name", WHEELS)
def test_frequencies_are_the_lowest_of_the_whole_wheel(name: str) -> None:
    found = modes(name).frequencies
    assert N_MODES <= len(found) <= N_MODES + 1
    np.testing.assert_allclose(found, whole_wheel_frequencies(name)[: len(found)], rtol=ROUND_OFF)


@pytest.mark.parametrize("name", WHEELS)
def test_modes_are_orthogonal_in_mass_and_stiffness(name: str) -> None:
    phi, (_, model), omega = shapes(name), wheel(name), modes(name).frequencies
    one = np.eye(len(omega))
    np.testing.assert_allclose(phi.T @ (model.mass @ phi), one, atol=ROUND_OFF)
    # the diagonal holds the Rayleigh quotients
    stiffness = phi.T @ (model.stiffness @ phi)
    np.testing.assert_allclose(stiffness / np.outer(omega, omega), one, atol=ROUND_OFF)


@pytest.mark.parametrize("name", WHEELS)
def test_nodal_diameters_are_the_harmonics_around_the_wheel(name: str) -> None:
    m, z = modes(name), sector(name).teeth
    tip = sector(name).tip[:1]
    around = np.stack([m.of_tooth(k, tip).reshape(m.n_modes, 3) for k in range(z)])
    spectrum = np.abs(np.fft.fft(around, axis=0)).sum(axis=2)
    others = spectrum.copy()
    for mode, n in enumerate(m.nodal_diameters):
        others[[n, (z - n) % z], mode] = 0.0
    assert others.max() < 1e-12 * spectrum.max()
    counts = np.array([np.count_nonzero(m.nodal_diameters == n) for n in range(z // 2 + 1)])
    assert np.all(counts[1 : (z + 1) // 2] % 2 == 0)  # pairs, but for n = 0 and z/2


@pytest.mark.parametrize("name", WHEELS)
def test_invariants_are_those_of_the_whole_grid(name: str) -> None:
    mesh, model = wheel(name)
    expected = MassInvariants.of(model, modes(name).of_wheel(mesh), quadratic=False)
    found = modes(name).invariants
    assert found.mass == pytest.approx(expected.mass, rel=1e-12)
    np.testing.assert_allclose(found.first, expected.first, atol=1e-12 * expected.mass)
    for part in ("second", "modal", "mixed"):
        right = getattr(expected, part)
        np.testing.assert_allclose(getattr(found, part), right, atol=1e-12 * np.abs(right).max())
    beyond = modes(name).nodal_diameters > 1
    assert np.abs(found.U2[:, beyond]).max() < 1e-12 * np.abs(found.U2).max()
    assert np.abs(found.U3[:, beyond]).max() < 1e-12 * np.abs(found.U3).max()


def test_no_mode_is_missed_if_the_first_look_is_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normal_modes, "FIRST_LOOK", 1)
    monkeypatch.setattr(normal_modes, "HARMONICS_ABOVE", 1)
    found = find_normal_modes(sector("spur"), Material(), N_MODES)
    np.testing.assert_allclose(found.frequencies, modes("spur").frequencies, rtol=ROUND_OFF)
    assert np.array_equal(found.nodal_diameters, modes("spur").nodal_diameters)


def test_above_the_frequencies_of_the_held_sector_all_harmonics_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CyclicSector, "condensed_below", lambda self, eigenvalue: None)
    found = find_normal_modes(sector("spur"), Material(), N_MODES)
    np.testing.assert_allclose(found.frequencies, modes("spur").frequencies, rtol=ROUND_OFF)


def test_the_count_sees_every_mode_of_a_harmonic() -> None:
    cyclic = CyclicSector.of(sector("spur"), Material())
    squares = {n: harmonic_modes(cyclic, n, 6)[0] for n in (0, 2, 6)}
    limit = squares[2][1] * (1.0 + 1e-6)
    condensed = cyclic.condensed_below(limit)
    assert condensed is not None
    assert cyclic.count_below(2, condensed) == 2
    for n, values in squares.items():
        assert cyclic.count_below(n, condensed) == np.count_nonzero(values < limit)
        assert cyclic.has_none_below(n, condensed) == (values[0] > limit)
    # a sector between two held planes vibrates by itself up here: no count
    assert cyclic.condensed_below(1e4 * limit) is None


def test_a_pair_is_not_divided() -> None:
    diameters = modes("spur").nodal_diameters
    first = int(np.flatnonzero(diameters[1:] == diameters[:-1])[0]) + 1  # ends with the first one of a pair
    assert find_normal_modes(sector("spur"), Material(), first).n_modes == first + 1


def test_solution_of_a_harmonic_is_that_of_the_whole_wheel() -> None:
    cyclic, n = CyclicSector.of(sector("helical"), Material()), 2
    mesh, model = wheel("helical")
    rng = np.random.default_rng(3)
    load = rng.normal(size=(cyclic.model.n_dof, 1)) + 1j * rng.normal(size=(cyclic.model.n_dof, 1))
    U = cyclic.solver(n)(load)

    def on_wheel(amplitude: np.ndarray, *, add: bool) -> np.ndarray:
        field = NormalModes(
            sector=cyclic.sector,
            material=Material(),
            frequencies=np.ones(1),
            nodal_diameters=np.array([n]),
            amplitudes=amplitude.T.reshape(1, -1, 3),
        )
        if not add:
            return field.of_wheel(mesh).reshape(-1)
        total = np.zeros((model.n_nodes, 3))
        for k in range(cyclic.teeth):
            R = normal_modes.sector_rotation(cyclic.teeth, k)
            np.add.at(total, mesh.node_of[k], field.of_tooth(k)[0] @ R.T)
        return total.reshape(-1)

    free = free_dofs("helical")
    expected = spsolve(model.stiffness[free][:, free].tocsc(), on_wheel(load, add=True)[free])
    np.testing.assert_allclose(on_wheel(U, add=False)[free], expected, atol=1e-10 * np.abs(expected).max())


# --- free wheel -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [pytest.param("spur", marks=pytest.mark.thorough), "helical"])
def test_free_modes_come_down_to_those_of_the_whole_wheel(name: str) -> None:
    exact, errors = whole_free_wheel(name)[:12], []
    for each in (3, 8, 24):
        found = find_free_modes(sector(name), Material(), 12, each=each)
        errors.append(found.frequencies / exact - 1.0)
    assert np.min(errors) > -ROUND_OFF  # Ritz: from above
    assert errors[1].max() < 3e-3  # the range of 8 frequencies ends at four times that of the modes
    assert errors[2].max() < 0.3 * errors[1].max() < 0.1 * errors[0].max()
    # what has no momentum knows nothing of the shaft
    assert np.abs(errors[2][found.nodal_diameters > 1]).max() < ROUND_OFF


def test_free_modes_are_of_unit_mass_and_have_no_momentum() -> None:
    mesh, model = wheel("spur")
    found = free_modes(modes("spur"))
    phi = found.of_wheel(mesh).reshape(model.n_dof, -1)
    np.testing.assert_allclose(phi.T @ (model.mass @ phi), np.eye(phi.shape[1]), atol=ROUND_OFF)
    stiffness = phi.T @ (model.stiffness @ phi)
    np.testing.assert_allclose(
        stiffness / np.outer(found.frequencies, found.frequencies), np.eye(phi.shape[1]), atol=ROUND_OFF
    )
    rigid = normal_modes._rigid_shapes(mesh.volume.points).reshape(model.n_dof, 6)
    momentum, scale = rigid.T @ (model.mass @ phi), np.sqrt(np.diag(rigid.T @ (model.mass @ rigid)))
    assert np.abs(momentum / scale[:, None]).max() < ROUND_OFF


# --- the search by itself ---------------------------------------------------------------------------------------------


def test_a_search_without_success_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(*_: object, **__: object) -> None:
        raise ArpackNoConvergence("no convergence", np.zeros(0), np.zeros((0, 0)))

    monkeypatch.setattr(linalg, "eigsh", gives_up)
    with pytest.raises(NonConvergence, match="nodal diameter 2, lowest 3 modes"):
        harmonic_modes(CyclicSector.of(sector("spur"), Material()), 2, 3)


def test_a_mode_that_the_search_leaves_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    count = CyclicSector.count_below
    monkeypatch.setattr(CyclicSector, "count_below", lambda *of: count(*of) + 1)
    monkeypatch.setattr(
        normal_modes, "harmonic_modes", lambda cyclic, n, wanted: harmonic_modes(cyclic, n, min(wanted, 3))
    )
    with pytest.raises(NonConvergence, match="as near to another one as round-off"):
        find_normal_modes(sector("spur"), Material(), 2)


@pytest.mark.parametrize("count", [0, -1, 10**6])
def test_a_number_of_modes_that_makes_no_sense(count: int) -> None:
    with pytest.raises(Fault, match="number of normal modes"):
        find_normal_modes(sector("spur"), Material(), count)


def test_modes_come_from_the_store_as_they_were_found(tmp_path, monkeypatch):
    monkeypatch.setenv("ALEGEAR_CACHE_DIR", str(tmp_path))
    wheel, found = sector("spur"), []
    monkeypatch.setattr(normal_modes, "find_normal_modes", lambda *args: found.append(args) or find_normal_modes(*args))
    one, two = (normal_modes.stored_normal_modes(wheel, Material(), 5) for _ in range(2))
    assert len(found) == 1
    for name in ("frequencies", "nodal_diameters", "amplitudes"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    normal_modes.stored_normal_modes(wheel, Material(E=1e11), 5)
    assert len(found) == 2


def test_held_and_free_modes_come_from_the_store_as_they_were_found(tmp_path, monkeypatch):
    monkeypatch.setenv("ALEGEAR_CACHE_DIR", str(tmp_path))
    wheel = sector("spur")
    held, free = normal_modes.stored_held_and_free_modes(wheel, Material(), 5, 4)
    expected = find_free_modes(wheel, Material(), 4)
    monkeypatch.setattr(normal_modes, "CyclicSector", None)  # what is found in the store needs none
    again, free_again = normal_modes.stored_held_and_free_modes(wheel, Material(), 5, 4)
    for name in ("frequencies", "nodal_diameters", "amplitudes"):
        np.testing.assert_array_equal(getattr(again, name), getattr(held, name))
    for name in ("frequencies", "nodal_diameters", "shaft", "coordinates"):
        np.testing.assert_array_equal(getattr(free_again, name), getattr(free, name))
    np.testing.assert_allclose(free.frequencies, expected.frequencies, rtol=1e-12)
