"""Free ends of the face in line contact: where they count, and what they do to the loads there."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
import pytest
from contact_answers import forces_at
from line_pairs import OMEGA, contact_of, rotations

from alegear.contact.hertz import compliance
from alegear.contact.hertz.compliance import end_compliance
from alegear.contact.hertz.contact import LineContact

PINION, WHEEL = 0, 1


def ends_in_the_middle_row(contact: LineContact, gear: int) -> np.ndarray:
    """Further compliance of the slices of the first face where the contact is in the middle row [m/N]."""
    body = contact.bodies[gear]
    row = len(body.grid.rows_s) // 2
    cos_beta_b = float(contact.sides[0].axial[0])
    return end_compliance(body, contact.own_borders(gear), cos_beta_b)[0, :, row, row]


def line_loads(contact: LineContact) -> np.ndarray:
    """Loads of the slices of the pair that touches at the pitch point [N]."""
    data = contact.new_data()
    forces_at(contact, rotations(contact, 0.05, 40e-6), OMEGA, data=data)
    found, force = data.points.found, data.points.loads.force
    n = found.count[0]
    pair = found.pair_of[:n][force[:n].argmax()]
    here = found.pair_of[:n] == pair
    return np.bincount(found.slice_of[:n][here], force[:n][here], contact.model.n_slices)


def test_both_ends_of_a_spur_gear_are_alike() -> None:
    ends = ends_in_the_middle_row(contact_of(n_slices=10), PINION)
    np.testing.assert_allclose(ends, ends[::-1], rtol=1e-9)
    assert ends[0] > 10.0 * ends[2] > 0.0


def test_the_mean_over_the_face_does_not_depend_on_the_slices() -> None:
    """Displacement of an even load: 4 slices against 12, to the interpolation of the table."""
    few, many = (ends_in_the_middle_row(contact_of(n_slices=n), PINION) for n in (4, 12))
    assert few[0] / 4 == pytest.approx(many[:3].sum() / 12 / 3, rel=1e-3)


def test_a_face_that_goes_on_has_no_end_there() -> None:
    """A wheel 15 mm wider than the pinion on either side, more than its layer is deep four times over."""
    contact = contact_of("very wide", n_slices=7)
    assert np.all(ends_in_the_middle_row(contact, WHEEL) == 0.0)
    assert ends_in_the_middle_row(contact, PINION)[0] > 0.0


def test_one_end_of_a_helical_flank_is_acute_and_its_mate_obtuse_there() -> None:
    contact = contact_of("helical", n_slices=10)
    pinion, wheel = (ends_in_the_middle_row(contact, gear) for gear in (PINION, WHEEL))
    acute = int(np.argmax(pinion[[0, -1]]))
    ends = [0, -1]
    assert pinion[ends[acute]] > 0.0 > pinion[ends[1 - acute]]
    assert wheel[ends[1 - acute]] > 0.0 > wheel[ends[acute]]


def test_the_ends_carry_less_than_in_plane_strain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outermost slices of a spur pair, 1 mm wide; the sum of both bodies is 10 % of the approach there."""
    softer = line_loads(contact_of(n_slices=30))
    monkeypatch.setattr(compliance, "_made", WeakKeyDictionary())  # forget it, and what follows after the test
    monkeypatch.setattr(compliance, "end_compliance", lambda *arguments: 0.0 * end_compliance(*arguments))
    plane = line_loads(contact_of(n_slices=30))
    change = softer / plane - 1.0
    assert np.all((change[[0, -1]] > -0.2) & (change[[0, -1]] < -0.03))
    assert np.abs(change[8:-8]).max() < 0.01
