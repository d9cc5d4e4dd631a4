"""Threads may share a contact, which is constant: each with data of its own gets what it would get alone."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
from contact_answers import forces_at
from line_pairs import OMEGA, contact_of, rotations

from alegear.contact.hertz.contact import LineContact
from alegear.contact.law import Friction

N_THREADS, N_STATES = 3, 30


def answers(contact: LineContact, seed: int) -> np.ndarray:
    """Forces, tangents and loads of some states of displaced gears, one after the other with the same data."""
    rng, data, out = np.random.default_rng(seed), contact.new_data(displaced=True), []
    for phase in rng.uniform(-0.5, 0.5, N_STATES):
        phi = rotations(contact, phase, rng.uniform(5e-6, 30e-6))
        displacement = rng.normal(size=(2, 5)) * 1e-6 * np.array([1.0, 1.0, 1.0, 20.0, 20.0])
        forces = forces_at(contact, phi, OMEGA, data=data, displacement=displacement)
        out += [forces.force, forces.by_coordinate.ravel(), forces.slices.line_load.ravel()]
    return np.concatenate(out)


def test_threads_get_the_same_answers_as_one_after_the_other() -> None:
    contact = contact_of("helical", friction=Friction(kind="velocity"))
    expected = [answers(contact, seed) for seed in range(N_THREADS)]
    together = Barrier(N_THREADS)

    def at_once(seed: int) -> np.ndarray:
        together.wait(10.0)
        return answers(contact, seed)

    with ThreadPoolExecutor(N_THREADS) as threads:
        found = list(threads.map(at_once, range(N_THREADS)))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.abs(expected[0] - expected[1]).max() > 1.0  # they were asked different things


def test_what_is_computed_first_is_found_by_all_threads() -> None:
    """The model of a contact is made by the first question."""
    contact = contact_of()
    with ThreadPoolExecutor(N_THREADS) as threads:
        found = list(threads.map(lambda _: answers(contact, 7), range(N_THREADS)))
    for values in found[1:]:
        np.testing.assert_array_equal(values, found[0])


def test_a_contact_can_be_pickled() -> None:
    contact = contact_of()
    expected = answers(contact, 4)
    again = pickle.loads(pickle.dumps(contact))
    np.testing.assert_array_equal(answers(again, 4), expected)
