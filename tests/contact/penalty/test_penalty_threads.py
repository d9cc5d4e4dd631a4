"""Threads may share a penalty contact, which is constant, and a contact its search with the one without losses."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
from contact_answers import forces_at
from small_pair import contact_pair, penalty, rotations

from alegear.contact.penalty.contact import PenaltyContact

N_THREADS, N_STATES = 3, 6


def answers(contact: PenaltyContact, seed: int) -> np.ndarray:
    """Torques of some states, one after the other with the same data."""
    rng, data, out = np.random.default_rng(seed), contact.new_data(), []
    for phase in rng.uniform(-0.4, 0.4, N_STATES):
        phi = rotations(contact, phase, rng.uniform(5e-6, 30e-6))
        out.append(forces_at(contact, phi, data=data).pair_torque.ravel())
    return np.concatenate(out)


def test_threads_get_the_same_answers_as_one_after_the_other() -> None:
    """Among them one that asks the contact without losses, whose search is the same."""
    contact = contact_pair(law=penalty(damping=1e-3))
    lossless = contact.lossless
    assert lossless is not None
    assert lossless.search is contact.search
    asked = [contact, lossless, contact]
    expected = [answers(one, seed) for seed, one in enumerate(asked)]
    together = Barrier(N_THREADS)

    def at_once(seed: int) -> np.ndarray:
        together.wait(10.0)
        return answers(asked[seed], seed)

    with ThreadPoolExecutor(N_THREADS) as threads:
        found = list(threads.map(at_once, range(N_THREADS)))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.abs(expected[0] - expected[2]).max() > 1.0  # they were asked different things


def test_a_penalty_contact_can_be_pickled() -> None:
    contact = contact_pair()
    again = pickle.loads(pickle.dumps(contact))
    np.testing.assert_array_equal(answers(again, 4), answers(contact, 4))
