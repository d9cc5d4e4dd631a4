"""Slices that touch in part: what the gap changes by along them, their approach, and how smoothly pairs come in."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from contact_answers import forces_at, gap_at, points_at
from line_pairs import contact_of, rotations

from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.model_kernels import EASE, EASE_X, GAP, S
from alegear.contact.hertz.strip_kernels import partial_approach

TILTED = {"tilt_plane_of_action": 2e-4, "tilt_normal": 1e-4}
NEAR, CLOSELY = 60e-6, 1e-9


def by_slot(contact: LineContact, phi: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """Rows of the nearest place of each pair and slice that is near."""
    data = contact.new_data()
    table, slot, k = points_at(contact, phi, NEAR, data=data)
    first = data.points.found.place_of[: len(table)] == 0
    return {(int(j), int(i)): row for j, i, row in zip(slot[first], k[first], table[first], strict=True)}


@pytest.mark.parametrize(("name", "modified"), [("helical", ""), ("helical", "relieved"), ("left", "relieved")])
def test_ease_is_how_much_nearer_a_pair_comes_at_the_closer_end_of_a_slice(name: str, modified: str) -> None:
    """Every other border of eight slices is the middle of one of four."""
    fine, coarse = (contact_of(name, modified=modified, n_slices=n) for n in (8, 4))
    compared = 0
    for phase in np.linspace(-0.5, 0.5, 33):
        phi = rotations(fine, phase, 0.0)
        at_borders = by_slot(coarse, phi)
        for (slot, k), row in by_slot(fine, phi).items():
            border = at_borders.get((slot, k // 2))
            nearer = 0.0 if border is None else row[GAP] - border[GAP]
            if nearer > 1e-8:
                assert row[EASE] == pytest.approx(nearer, rel=1e-6)
                compared += 1
    assert compared > 10


def test_spur_gears_touch_in_whole_slices() -> None:
    contact = contact_of("spur", modified="crowned", n_slices=12, tilt_plane_of_action=2e-4)
    rows = by_slot(contact, rotations(contact, 0.31, 0.0))
    assert all(row[EASE] == 0.0 for row in rows.values())


@pytest.mark.parametrize("modified", ["", "relieved", "crowned"])
def test_ease_follows_the_rotations(modified: str) -> None:
    contact, step = contact_of("helical", modified=modified, n_slices=12, **TILTED), 1e-7
    compared = 0
    for phase, turn in product((-0.4, 0.05, 0.31), step * np.eye(2)):
        x, phi = int(turn.argmax()), rotations(contact, phase, 0.0)
        here = by_slot(contact, phi)
        up, down = by_slot(contact, phi + turn), by_slot(contact, phi - turn)
        for at, row in here.items():
            if at in up and at in down and row[EASE] > 1e-7:
                rate = (up[at][EASE] - down[at][EASE]) / (2.0 * step)
                assert row[EASE_X + x] == pytest.approx(rate, rel=1e-5, abs=1e-9)
                compared += 1
    assert compared > 10


def approach(contact: LineContact, row: np.ndarray, ease: float, q: float) -> tuple[float, float, float]:
    """Approach of a slice at the place of a point [m], its derivative [m^2/N], and the part that touches."""
    out = partial_approach(contact.model, 0, (0, 0), row[S], row[S + 1], ease, q, 0.0, 0.0, CLOSELY)
    return out[0], out[1], out[6]


def test_approach_in_part_passes_into_that_of_the_whole_slice() -> None:
    contact = contact_of()
    row = next(iter(by_slot(contact, rotations(contact, -0.1, 0.0)).values()))
    ease, touched = 3e-6, []
    for q in np.geomspace(1e2, 3e5, 60):
        u, u_q, touching = approach(contact, row, ease, q)
        step = 1e-4 * q
        ahead, behind = (approach(contact, row, ease, q + s)[0] for s in (step, -step))
        touched.append(touching)
        assert u_q == pytest.approx((ahead - behind) / (2.0 * step), rel=1e-4)
        if touching == 1.0:
            assert u == approach(contact, row, 0.0, q)[0]
        else:
            assert u == pytest.approx((2.0 * touching - 1.0) * ease, rel=1e-9)
            local, _, _ = approach(contact, row, 0.0, q / touching)
            assert local == pytest.approx(touching * ease, rel=1e-6)  # the mean overlap where it touches
    assert touched[0] < 0.1
    assert touched[-1] == 1.0
    assert np.all(np.diff(touched) >= 0.0)


def largest_jump(n_slices: int) -> float:
    """Largest second difference of the torque over a pitch, as a part of its mean, at a given overlap."""
    contact = contact_of("helical", n_slices=n_slices)
    torque = [
        forces_at(contact, rotations(contact, phase, 20e-6), tangent=False).torque[0]
        for phase in np.linspace(-0.5, 0.5, 161)
    ]
    return float(np.abs(np.diff(torque, 2)).max() / abs(np.mean(torque)))


def test_pairs_come_in_smoothly_on_few_slices() -> None:
    """Ten slices that touch as a whole or not at all make 1.1e-2 of it, ten that touch in part 1.9e-3."""
    assert largest_jump(10) < 3e-3


@pytest.mark.parametrize("n_slices", [5, 12])
def test_flanks_that_touch_by_round_off_carry_next_to_nothing(n_slices: int) -> None:
    """A slice at the end of a line of contact closes by far less than the others carry, and came and went for ever."""
    contact, step = contact_of("helical", n_slices=n_slices), np.array([1e-7, 0.0])
    for phase in np.linspace(-0.5, 0.5, 101):
        phi = rotations(contact, phase, 0.0)
        nearer = (gap_at(contact, phi + step, NEAR) - gap_at(contact, phi, NEAR)) / step[0]
        for _ in range(3):  # to the last bits of the rotation
            phi[0] -= gap_at(contact, phi, NEAR) / nearer
        phi[0] -= 1e-15 / nearer
        forces = forces_at(contact, phi)
        assert np.linalg.norm(forces.force_on_pinion) < 1e-4
