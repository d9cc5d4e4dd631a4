"""Coordinates that follow from others: exact where rows are ones, complete where they are not, redundant rows told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alegear.system.reduction import reduction

NONE = np.zeros(0, dtype=np.int64)


def reduced(rows, prescribed=(), scale=None, avoided=()):
    rows = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    scale = np.ones(rows.shape[1]) if scale is None else np.asarray(scale)
    return reduction(rows, np.array(prescribed, dtype=np.int64), scale, avoided)


def test_two_that_are_stuck_to_each_other_move_as_one_to_the_last_bit() -> None:
    found = reduced([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    assert found.f == 1
    assert (found.T == 1.0).all()


def test_what_is_stuck_to_the_ground_has_no_freedom() -> None:
    found = reduced([[1.0, 0.0], [-1.0, 1.0]])
    assert found.f == 0
    assert found.T.shape == (2, 0)


def test_no_negative_zeros() -> None:
    """-0.0 would show in results."""
    found = reduced([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    assert not np.signbit(found.T).any()


def test_a_row_that_says_nothing_new_is_left_out() -> None:
    found = reduced([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0], [-1.0, 0.0, 1.0], [1.0, -2.5, 1.5]])
    assert found.used == (0, 1)
    assert found.unused == (2, 3)
    assert len(found.dependent) == 2


def test_stuck_rows_before_a_planetary_set_stay_exact() -> None:
    """Sun and ring locked: all three turn as one, though 1/3 and 2/3 are no binary fractions."""
    ratio = 2.0 / 3.0 + 1.0
    found = reduced([[1.0, -1.0, 0.0], [1.0, ratio, -1.0 - ratio]])
    assert found.f == 1
    assert found.T[0, 0] == found.T[1, 0]
    assert found.T[2, 0] == pytest.approx(found.T[0, 0], rel=1e-15)  # by the row of the set: to round-off


def test_led_coordinates_are_not_eliminated() -> None:
    found = reduced([[1.0, -2.0]], prescribed=[1])
    assert found.f == 0
    assert found.dependent.tolist() == [0]
    assert found.by_prescribed.ravel().tolist() == [2.0, 1.0]


def test_a_row_of_led_coordinates_alone_says_nothing_of_the_others() -> None:
    found = reduced([[1.0, -1.0, 0.0], [0.0, 1.0, -2.0]], prescribed=[0, 1])
    assert found.unused == (0,)
    assert found.by_prescribed[2].tolist() == [0.0, 0.5]


def test_coordinates_to_be_kept_are_kept_while_others_are_left() -> None:
    rows = [[1.0, -1.0, 0.0], [0.0, 1.0, -3.0]]
    found = reduced(rows, avoided=[2])
    assert found.independent.tolist() == [2]
    assert set(reduced(rows, avoided=[0, 1, 2]).dependent.tolist()) <= {0, 1, 2}


numbers = st.one_of(st.just(0.0), st.floats(0.01, 100.0), st.floats(-100.0, -0.01))


@st.composite
def systems(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rows = np.array(draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=m, max_size=m)))
    if draw(st.booleans()) and m > 1:  # one that follows from another two
        rows[-1] = 2.0 * rows[0] - (rows[1] if m > 2 else 0.0)
    prescribed = draw(st.lists(st.integers(0, n - 1), max_size=n // 2, unique=True))
    return rows, sorted(prescribed)


@given(systems())
def test_all_solutions_are_found(system) -> None:
    """T spans the null space of the rows, prescribed parts solve them; the rank is that of singular values."""
    rows, prescribed = system
    found = reduced(rows, prescribed=prescribed)
    m, n = rows.shape
    free = np.setdiff1d(np.arange(n), prescribed)
    size = np.linalg.svd(rows[:, free], compute_uv=False) if len(free) else np.zeros(0)
    border = size / size.max(initial=1e-300)
    if ((border > 1e-12) & (border < 1e-7)).any():
        return  # neither of full rank nor without: nobody can tell
    rank = int((border > 1e-7).sum()) if size.max(initial=0.0) > 0.0 else 0
    assert found.f == len(free) - rank
    used = list(found.used)
    A = rows[used]
    size = np.abs(A) @ np.abs(found.T) + 1.0
    growth = 1e-9  # round-off, multiplied by entries of 1e4 between pivots
    assert (np.abs(A @ found.T) <= growth * size).all()
    assert (np.abs(A @ found.by_prescribed) <= growth * (np.abs(A) @ np.abs(found.by_prescribed) + 1.0)).all()
    by_row = A @ found.by_row[:, used]
    assert (np.abs(by_row - np.eye(len(used))) <= growth * (np.abs(A) @ np.abs(found.by_row[:, used]) + 1.0)).all()
    assert (found.T[found.independent] == np.eye(found.f)).all()
    assert (found.by_prescribed[prescribed] == np.eye(len(prescribed))).all()
    assert sorted([*found.used, *found.unused]) == list(range(m))
