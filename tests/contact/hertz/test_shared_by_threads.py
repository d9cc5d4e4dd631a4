"""Threads may share a contact: whoever comes while it computes waits, and each gets the answer to its own question."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from line_pairs import contact_of, rotations

from alegear.contact.hertz.contact import LineContact


def loads(contact: LineContact, phi: np.ndarray) -> np.ndarray:
    forces = contact.evaluate(phi)
    return np.concatenate([forces.torque, forces.slices.line_load.ravel()])


def test_another_thread_between_solution_and_record_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    contact = contact_of()
    here, there = rotations(contact, 0.1, 20e-6), rotations(contact, -0.3, 5e-6)
    expected = {"here": loads(contact, here), "there": loads(contact, there)}
    found: dict[str, np.ndarray] = {}
    done = threading.Event()
    other = threading.Thread(target=lambda: found.update(there=loads(contact, there)) or done.set())
    check_room = LineContact._check_room

    def meanwhile(self: LineContact) -> None:
        check_room(self)
        if threading.current_thread() is not other and not other.ident:
            other.start()
            done.wait(0.5)  # long enough for an answer, if it did not have to wait

    monkeypatch.setattr(LineContact, "_check_room", meanwhile)
    found["here"] = loads(contact, here)
    other.join()
    for place, values in expected.items():
        np.testing.assert_allclose(found[place], values, rtol=1e-9, atol=1e-9 * np.abs(values).max())


def test_a_contact_can_be_pickled() -> None:
    contact = contact_of()
    phi = rotations(contact, 0.1, 20e-6)
    expected = loads(contact, phi)
    again = pickle.loads(pickle.dumps(contact))
    np.testing.assert_allclose(loads(again, phi), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
