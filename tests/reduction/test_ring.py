"""Chains of sectors: repeated doubling against elimination in one go."""

import numpy as np
import pytest

from alegear.reduction.ring import Chains, cut_compliance, cuts_of_chain, free_end, free_face


def stiff_sector(n_c, n_f=0):
    """Give a random symmetric positive definite sector on (low, face, high)."""
    a = np.random.default_rng(n_c).normal(size=(2 * n_c + n_f, 4 * n_c + n_f))
    return a @ a.T


def chain_in_one(S, m):
    n = len(S) // 2
    K = np.zeros(((m + 1) * n,) * 2)
    for k in range(m):
        K[k * n : (k + 2) * n, k * n : (k + 2) * n] += S
    return K


@pytest.mark.parametrize("m", [1, 2, 3, 5, 8, 13, 95])
def test_doubling_equals_elimination_of_all_inner_cuts(m):
    n = 3
    S = stiff_sector(n)
    chains = Chains(stiffness={1: S})
    K = chain_in_one(S, m)
    ends = np.r_[0:n, m * n : (m + 1) * n]
    inner = np.r_[n : m * n]
    modes = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, ends)])
    expected = K[np.ix_(ends, ends)] + K[np.ix_(ends, inner)] @ modes
    # round-off of two direct solutions
    assert np.abs(chains.of(m) - expected).max() < 1e-11 * np.abs(expected).max()
    u_ends = np.random.default_rng(0).normal(size=(2 * n, 2))
    cuts = cuts_of_chain(chains.recovery, m, u_ends[:n], u_ends[n:])
    assert sorted(cuts) == list(range(m + 1))
    u = np.zeros(((m + 1) * n, 2))
    u[ends], u[inner] = u_ends, modes @ u_ends
    assert np.abs(np.vstack([cuts[k] for k in range(m + 1)]) - u).max() < 1e-11 * np.abs(u).max()
    few = cuts_of_chain(chains.recovery, m, u_ends[:n], u_ends[n:], {1, m})
    assert {0, min(1, m), m} <= set(few)
    assert m < 8 or len(few) < m
    assert all(np.array_equal(cuts[k], plane) for k, plane in few.items())


@pytest.mark.parametrize(("slots", "rest"), [(1, 4), (2, 1), (3, 5), (5, 0), (4, 3)])
def test_cuts_of_a_window_move_as_the_whole_ring_does(slots, rest):
    """The stiffness of all cut planes of the ring, inverted in one go."""
    n, m = 3, slots + rest
    S = stiff_sector(n)
    ring = np.zeros((m * n, m * n))
    for k in range(m):
        dofs = np.r_[k * n : (k + 1) * n, (k + 1) % m * n : ((k + 1) % m + 1) * n]
        ring[np.ix_(dofs, dofs)] += S
    expected = np.linalg.inv(ring)[: (slots + (rest > 0)) * n, :n].reshape(-1, n, n)
    chains = Chains(stiffness={1: S})
    closing = [((slots, 0), chains.of(rest))] if rest else []
    found = cut_compliance(chains, slots, closing)
    assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()  # round-off of two direct solutions


def test_springs_in_series():
    """m springs of stiffness k in a row have k/m: the chain needs no ground to be right."""
    chains = Chains(stiffness={1: 6.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])})
    round_off = 4 * 6.0 * np.finfo(float).eps  # of one spring, at each of four joints: what is left is a difference
    expected = 0.5 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    np.testing.assert_allclose(chains.of(12), expected, rtol=0.0, atol=2.0 * round_off)


def test_chain_lengths_stay_few():
    chains = Chains(stiffness={1: stiff_sector(2)})
    chains.of(95)
    assert len(chains.stiffness) <= 2 * 7  # two lengths at most for each halving of 95


def test_free_face_and_free_end_carry_no_force():
    n_c, n_f = 3, 4
    S = stiff_sector(n_c, n_f)
    face = np.arange(n_c, n_c + n_f)
    S_cuts, G, C_0 = free_face(S, np.setdiff1d(np.arange(len(S)), face), face)
    u_c = np.random.default_rng(3).normal(size=2 * n_c)
    u = np.concatenate([u_c[:n_c], G @ u_c, u_c[n_c:]])
    force = S @ u
    # round-off against the largest stiffness
    assert np.abs(force[n_c : n_c + n_f]).max() < 1e-12 * np.abs(S).max()
    np.testing.assert_allclose(np.r_[force[:n_c], force[n_c + n_f :]], S_cuts @ u_c, atol=1e-12 * np.abs(S).max())
    np.testing.assert_allclose(C_0 @ S[n_c:-n_c, n_c:-n_c], np.eye(n_f), atol=1e-11)
    S_inner, end = free_end(S_cuts, outer=slice(n_c, 2 * n_c), inner=slice(0, n_c))
    force = S_cuts @ np.concatenate([u_c[:n_c], end @ u_c[:n_c]])
    np.testing.assert_allclose(force, np.r_[S_inner @ u_c[:n_c], np.zeros(n_c)], atol=1e-12 * np.abs(S).max())
