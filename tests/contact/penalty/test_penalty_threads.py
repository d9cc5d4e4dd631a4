"""Threads may share a penalty contact, and a contact its search with the one without losses."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from small_pair import contact_pair, penalty, rotations

from alegear.contact.penalty.contact import PenaltyContact
from alegear.contact.penalty.search import ContactSearch


def torques(contact: PenaltyContact, phi: np.ndarray) -> np.ndarray:
    return contact.evaluate(phi).pair_torque


@pytest.mark.parametrize("lossless", [False, True], ids=["the same contact", "that without losses"])
def test_another_thread_between_both_passes_waits(monkeypatch: pytest.MonkeyPatch, lossless: bool) -> None:
    contact = contact_pair(law=penalty(damping=1e-3))
    beside = contact.lossless if lossless else contact_pair()
    assert beside is not None
    if not lossless:
        contact = beside
    here, there = rotations(contact, 0.1, 20e-6), rotations(contact, -0.3, 5e-6)
    search = contact.search
    assert search is beside.search
    expected = {"here": search.find(here, 1e-5).table, "there": torques(beside, there)}
    found: dict[str, np.ndarray] = {}
    done = threading.Event()
    other = threading.Thread(target=lambda: found.update(there=torques(beside, there)) or done.set())
    search_pass = ContactSearch._pass

    def meanwhile(self: ContactSearch, *args) -> int:
        count = search_pass(self, *args)
        if threading.current_thread() is not other and not other.ident:
            other.start()
            done.wait(0.5)  # long enough for an answer, if it did not have to wait
        return count

    monkeypatch.setattr(ContactSearch, "_pass", meanwhile)
    found["here"] = search.find(here, 1e-5).table
    other.join()
    np.testing.assert_array_equal(found["here"], expected["here"])
    np.testing.assert_allclose(found["there"], expected["there"], rtol=1e-9)


def test_another_thread_during_an_evaluation_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both start from the points that touched last, and leave theirs."""
    contact = contact_pair()
    here, there = rotations(contact, 0.1, 20e-6), rotations(contact, -0.3, 5e-6)
    order: list[str] = []
    other = threading.Thread(target=lambda: (torques(contact, there), order.append("there")))
    reach = PenaltyContact._reach

    def meanwhile(self: PenaltyContact, phi: np.ndarray) -> float:
        if threading.current_thread() is not other:
            other.start()
            other.join(0.5)  # long enough for an answer, if it did not have to wait
        return reach(self, phi)

    monkeypatch.setattr(PenaltyContact, "_reach", meanwhile)
    torques(contact, here)
    order.append("here")
    other.join()
    assert order == ["here", "there"]


def test_a_penalty_contact_can_be_pickled() -> None:
    contact = contact_pair()
    phi = rotations(contact, 0.1, 20e-6)
    again = pickle.loads(pickle.dumps(contact))
    np.testing.assert_allclose(torques(again, phi), torques(contact, phi), rtol=1e-12)
