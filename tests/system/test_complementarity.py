"""Modes and accelerations of all switches together, against the whole system solved for every combination of modes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alegear.drivetrain.rotational.gears import PlanetaryGear, RatioGear
from alegear.errors import Fault, NonConvergence
from alegear.system import SystemBuilder
from alegear.system.bodies import Rotor1D
from alegear.system.complementarity import ComplementaritySystem, reduced_system, room_for
from alegear.system.friction_kernels import SOLVED, sliding_and_stuck
from alegear.system.switches import LINES_SHAPE, FrictionLaw

SLACK = 1e-8  # of forces: round-off of systems whose inertias differ by 1e6


class Capacity(FrictionLaw):
    """Bounds that do not change."""

    def __init__(self, ahead: float, back: float | None = None, peak: float = 1.0) -> None:
        self.ahead, self.back, self.peak = ahead, ahead if back is None else back, peak

    def __repr__(self) -> str:
        return f"Capacity({self.ahead}, {self.back}, {self.peak})"

    def lines(self, t, rate, x, v):
        lines = np.zeros(LINES_SHAPE)
        lines[0, :, 0], lines[1, :, 0] = self.ahead, self.back
        return lines


def built(inertias, parts=(), switches=()):
    """Rotors 0, 1, ... with parts and with switches (row, law)."""
    builder = SystemBuilder()
    builder.add(*(Rotor1D(name=str(i), inertia=J) for i, J in enumerate(inertias)), *parts)
    for number, (row, law) in enumerate(switches):
        builder.switch(f"switch {number}", rate={i: w for i, w in enumerate(row) if w}, law=law)
    return builder.build()


def chosen(model, Q, at_rest=None, rates=None, guess=None):
    """What the mixed system chooses."""
    mixed, k = ComplementaritySystem(model), len(model.switches)
    rates = np.zeros(k) if rates is None else np.asarray(rates, dtype=np.float64)
    at_rest = rates == 0.0 if at_rest is None else np.asarray(at_rest)
    nothing = np.zeros(model.n)
    guess = np.zeros(k, dtype=np.int64) if guess is None else guess
    line = np.zeros(k, dtype=np.int64)
    Q = np.asarray(Q, dtype=np.float64)
    return mixed.choose(0.0, nothing, nothing, Q, nothing, rates, at_rest, guess, line)


def all_solutions(model, Q, rates):
    """Modes, lines, accelerations and frictions that hold, one after the other: the whole system for all combinations.

    M a + G^T mu + F lam = Q, G a = 0, and for each switch W a = 0 or lam = d (c + b mu).
    """
    n, m, k = model.n, len(model.constraints), len(model.switches)
    G = model.constraint_rows
    W = np.array([s.rate for s in model.switches]).reshape(k, n)
    F = np.array([s.push for s in model.switches]).reshape(k, n).T
    lines = np.array([s.law.lines(0.0, abs(r), None, None) for s, r in zip(model.switches, rates, strict=True)])
    found = []
    choices = [(0, 1, -1) if rate == 0.0 else (1 if rate > 0.0 else -1,) for rate in rates]
    for modes in product(*choices):
        for on in product(*[(0, 1) if mode else (0,) for mode in modes]):
            A, right = np.zeros((n + m + k, n + m + k)), np.zeros(n + m + k)
            A[:n, :n], A[:n, n : n + m], A[:n, n + m :], A[n : n + m, :n] = model.mass, G.T, F, G
            right[:n] = Q
            for i, mode in enumerate(modes):
                row = n + m + i
                if mode == 0:
                    A[row, :n] = W[i]
                    continue
                c, b = lines[i, 0 if mode > 0 else 1, on[i]]
                A[row, row], right[row] = 1.0, mode * c
                if model.switches[i].follows is not None:
                    A[row, n + model.switches[i].follows] = -mode * b
            try:
                solution = np.linalg.solve(A, right)
            except np.linalg.LinAlgError:
                continue
            a, mu, lam = solution[:n], solution[n : n + m], solution[n + m :]
            if not np.isfinite(solution).all() or np.abs(A @ solution - right).max() > 1e-6 * (1.0 + np.abs(Q).max()):
                continue
            if all(
                _holds(model, lines, i, mode, on, rates[i], W @ a, np.abs(W) @ np.abs(a), mu, lam)
                for i, mode in enumerate(modes)
            ):
                found.append((modes, on, a, lam))
    return found


def _holds(model, lines, i, mode, on, rate, speeding, size, mu, lam) -> bool:
    switch = model.switches[i]
    if mode and not lines[i].any():
        return lam[i] == 0.0  # open: wherever it goes
    load = 0.0 if switch.follows is None else mu[switch.follows]
    ahead, back = (float(np.max(side[:, 0] + side[:, 1] * load)) for side in lines[i])
    slack = SLACK * (abs(lam[i]) + 1e-3)
    if mode == 0:
        return -switch.law.peak * back - slack <= lam[i] <= switch.law.peak * ahead + slack
    own = lines[i, 0 if mode > 0 else 1]
    value = own[on[i], 0] + own[on[i], 1] * load
    if value < (ahead if mode > 0 else back) - SLACK * (abs(value) + 1e-3):
        return False
    return rate != 0.0 or mode * speeding[i] >= -SLACK * (size[i] + 1e-3)


decades = st.floats(-3.0, 3.0).map(lambda x: 10.0**x)
torques = st.floats(-100.0, 100.0).map(lambda x: round(x, 6))
loads = st.floats(0.0, 50.0, allow_subnormal=False)  # of denormal ones no sum is right to some digits


@st.composite
def machines(draw, *, losses: bool):
    """Rotors, perhaps a gear, and frictions of which none follows from others: a tree, or less."""
    n = draw(st.integers(2, 4))
    inertias = draw(st.lists(decades, min_size=n, max_size=n))
    parts = []
    if losses or draw(st.booleans()):
        ratio = draw(st.sampled_from([-3.0, -1.0, 0.4, 2.5]))
        eta_1, eta_2 = draw(st.floats(0.6, 1.0)), draw(st.floats(0.6, 1.0))
        tau_1, tau_2 = draw(st.floats(0.0, 5.0)), draw(st.floats(0.0, 5.0))
        if eta_1 == eta_2 == 1.0:  # refused else: the loss torque would jump
            tau_2 = tau_1
        table = [[0.0, eta_1, eta_2, tau_1, tau_2]] if losses else None
        if n > 2 and draw(st.booleans()):
            parts.append(
                PlanetaryGear(name="set", sun="0", ring="1", carrier="2", ratio=1.0 + abs(ratio), losses=table)
            )
        else:
            parts.append(RatioGear(name="gear", between=("0", "1"), ratio=ratio, losses=table))
    switches = []
    for i in range(2 if parts and n == 2 else 1, n):  # each one against one before it
        row = np.zeros(n)
        row[i] = 1.0
        if draw(st.booleans()):
            row[draw(st.integers(0, i - 1))] = -1.0
        peak = draw(st.sampled_from([1.0, 1.0, 1.3]))
        switches.append((row, Capacity(draw(loads), draw(loads), peak)))
    Q = draw(st.lists(torques, min_size=n, max_size=n))
    k = len(switches) + int(losses and not (eta_1 == eta_2 == 1.0 and tau_1 == tau_2 == 0.0))
    rates = draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, -1.0]), min_size=k, max_size=k))
    return inertias, parts, switches, Q, rates


def compare(model, Q, rates, *, unique: bool) -> None:
    Q, rates = np.array(Q), np.array(rates)
    solutions = all_solutions(model, Q, rates)
    try:
        choice = chosen(model, Q, rates=rates)
    except NonConvergence:
        assert not solutions
        return
    a = choice.reaction.a
    size = np.abs(a).max() + np.abs(Q / np.diag(model.mass)).max() + 1e-3
    off = [np.abs(a - one[2]).max() / size for one in solutions]
    assert off, (choice, Q)
    assert min(off) < 1e-6  # round-off over seven decades of inertia
    if unique:
        assert max(off) < 1e-6
    W = np.array([one.rate for one in model.switches]).reshape(len(rates), model.n)
    F = np.array([one.push for one in model.switches]).reshape(len(rates), model.n).T
    mu, lam = choice.reaction.mu, choice.reaction.lam
    left = model.mass @ a + model.constraint_rows.T @ mu + F @ lam - Q
    most = np.abs(model.mass) @ np.abs(a) + np.abs(model.constraint_rows.T) @ np.abs(mu) + np.abs(F) @ np.abs(lam)
    assert (np.abs(left) <= 1e-9 * (most.max() + np.abs(Q).max())).all()
    lines = np.array([s.law.lines(0.0, abs(r), None, None) for s, r in zip(model.switches, rates, strict=True)])
    for i, mode in enumerate(choice.direction):
        size = np.abs(W) @ np.abs(a)
        assert _holds(model, lines, i, mode, choice.line, rates[i], W @ a, size, mu, lam), i


@settings(max_examples=100, deadline=None)
@given(machines(losses=False))
def test_frictions_of_constant_bounds(machine) -> None:
    """Accelerations are the only ones that hold, whatever the combination of modes; with a peak one of those."""
    inertias, parts, switches, Q, rates = machine
    model = built(inertias, parts, switches)
    compare(model, Q, rates, unique=all(one.law.peak == 1.0 for one in model.switches))


@settings(max_examples=100, deadline=None)
@given(machines(losses=True))
def test_losses_under_load(machine) -> None:
    """Losses that grow with the torque, among frictions: one of the solutions, and none only if there is none."""
    inertias, parts, switches, Q, rates = machine
    compare(built(inertias, parts, switches), Q, rates, unique=False)


def test_break_away_takes_the_peak() -> None:
    model = built([2.0], switches=[([1.0], Capacity(10.0, peak=1.5))])
    for torque, mode, a in ((14.9, 0, 0.0), (-14.9, 0, 0.0), (15.1, 1, 2.55), (-15.1, -1, -2.55)):
        choice = chosen(model, [torque])
        assert choice.direction.tolist() == [mode]
        assert choice.reaction.a[0] == pytest.approx(a, rel=1e-12)
    assert chosen(model, [14.9]).reaction.a[0] == 0.0
    # once it slides the lower friction holds, and it goes on sliding below the peak
    assert chosen(model, [14.9], guess=np.array([1])).direction.tolist() == [1]


def test_a_freewheel_drives_and_lets_run_ahead() -> None:
    law = Capacity(0.0, np.inf)
    model = built([1.0, 3.0], switches=[([-1.0, 1.0], law)])
    driven = chosen(model, [8.0, 0.0])
    assert driven.direction.tolist() == [0]
    np.testing.assert_allclose(driven.reaction.a, [2.0, 2.0], rtol=1e-14)
    assert driven.reaction.lam[0] == pytest.approx(-6.0, rel=1e-14)  # the first drives the second
    ahead = chosen(model, [0.0, 6.0])
    assert ahead.direction.tolist() == [1]
    np.testing.assert_allclose(ahead.reaction.a, [0.0, 2.0], atol=1e-15)


def test_an_open_clutch_at_rest_is_free() -> None:
    """Nothing holds it, where it goes is no question of modes."""
    model = built([1.0, 1.0], switches=[([-1.0, 1.0], Capacity(0.0))])
    for torque in (-1.0, 1.0):
        choice = chosen(model, [torque, 0.0])
        assert choice.direction[0] != 0
        np.testing.assert_array_equal(choice.reaction.a, [torque, 0.0])


def test_what_is_held_twice_shares_the_torque_by_least_norm() -> None:
    """A clutch parallel to a clutch, and one parallel to a chain of two brakes."""
    twice = built([1.0, 1.0], switches=[([-1.0, 1.0], Capacity(50.0)), ([-1.0, 1.0], Capacity(50.0))])
    choice = chosen(twice, [4.0, 0.0])
    np.testing.assert_allclose(choice.reaction.lam, [-1.0, -1.0], rtol=1e-13)
    np.testing.assert_allclose(choice.reaction.a, [2.0, 2.0], rtol=1e-14)
    assert ComplementaritySystem(twice).undetermined(choice.direction) == ("switch 0", "switch 1")
    rows = [[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]]
    circle = built([1.0, 1.0], switches=[(row, Capacity(50.0)) for row in rows])
    choice = chosen(circle, [6.0, 3.0])
    F = np.array(rows).T
    least = np.linalg.pinv(F) @ np.array([6.0, 3.0])
    np.testing.assert_allclose(choice.reaction.lam, least, rtol=1e-12)
    np.testing.assert_allclose(choice.reaction.a, 0.0, atol=1e-14)
    assert ComplementaritySystem(circle).undetermined(choice.direction) == ("switch 0", "switch 1", "switch 2")


def test_what_is_determined_is_not_told_as_undetermined() -> None:
    rows = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    model = built([1.0, 1.0], switches=[(row, Capacity(50.0)) for row in rows])
    assert ComplementaritySystem(model).undetermined(np.array([0, 0, 0])) == ("switch 1", "switch 2")
    assert ComplementaritySystem(model).undetermined(np.array([0, 0, 1])) == ()
    assert ComplementaritySystem(model).undetermined(np.array([1, 1, 1])) == ()


def test_shared_torque_goes_where_there_is_room() -> None:
    """The weaker one of two that hold the same slips by least norm; the stronger one holds it all the same."""
    model = built([1.0], switches=[([1.0], Capacity(1.0)), ([1.0], Capacity(50.0))])
    choice = chosen(model, [10.0])
    assert choice.reaction.a[0] == pytest.approx(0.0, abs=1e-13)
    assert choice.reaction.lam.sum() == pytest.approx(10.0, rel=1e-13)
    assert choice.reaction.lam[0] <= 1.0 + 1e-12


def test_stuck_rates_are_zero_to_the_last_bit() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        n = 4
        rows = [np.eye(n)[i + 1] - np.eye(n)[i] for i in range(n - 1)]
        parts = [RatioGear(name="gear", between=("0", "3"), ratio=float(rng.uniform(0.3, 3.0)))]
        model = built(10.0 ** rng.uniform(-2, 2, n), parts, [(row, Capacity(1e9)) for row in rows])
        stuck = tuple(int(i) for i in np.flatnonzero(rng.random(n - 1) < 0.7))
        own = reduced_system(model, stuck)
        assert not own.rates[list(stuck)].any()
        v = own.basis.T @ rng.standard_normal(own.basis.f)
        for i in stuck:
            assert v[i] == v[i + 1]


def test_what_has_no_inertia_is_named() -> None:
    with pytest.raises(Fault, match=r"inertia of the rotation of 1 = 0: must be positive; give it an inertia"):
        built([1.0, 0.0])


def test_a_body_without_inertia_may_turn_with_another() -> None:
    model = built([1.0, 0.0], [RatioGear(name="gear", between=("0", "1"), ratio=2.0)])
    found = chosen(model, [0.0, 3.0])
    np.testing.assert_allclose(found.reaction.a, [1.5, 0.75], rtol=1e-14)


@pytest.mark.parametrize("size", [2.0**-40, 2.0**40], ids=["small", "large"])
def test_friction_is_the_same_whatever_the_unit_of_the_rates(size):
    """Equations of stuck switches are of accelerations, those of losses of torques: neither loses digits to others."""
    generator = np.random.default_rng(3)
    whole = generator.normal(size=(3, 3))
    D, E = whole @ whole.T + np.eye(3), generator.normal(size=(1, 3))
    free, mu_0, nothing = generator.normal(size=3), np.array([4.0]), np.zeros((3, 0))
    lines = np.zeros((3, *LINES_SHAPE))
    lines[..., 1] = 0.05
    found = []
    for factor in (1.0, size):
        line, lam, mu = np.zeros(3, dtype=np.int64), np.zeros(3), np.zeros(1)
        args = factor * D, E, np.array([0, 0, 0]), factor * free, mu_0, lines, np.array([0, 1, -1]), nothing, nothing
        assert sliding_and_stuck(*args, line, lam, mu, *room_for(3)) == SOLVED
        left = free - D @ lam
        assert abs(left[0]) < 1e-14 * np.abs(D[0]) @ np.abs(lam)
        found.append(lam)
    np.testing.assert_array_equal(found[0], found[1])
