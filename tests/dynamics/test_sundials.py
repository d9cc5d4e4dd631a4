"""CVODE with events: order of accuracy, event times, stops met to the last digit, and what is said when it fails."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from alegear.dynamics import sundials
from alegear.dynamics.sundials import Cvode, stops_of
from alegear.errors import NonConvergence


class Falling:
    """A ball: y = (height, speed); the event is at the ground."""

    key, size, n_roots = "ball", 2, 1
    absolute, tangent = np.ones(2), None

    def rhs(self, t, y, rates):
        rates[:] = y[1], -9.81

    def roots(self, t, y, values):
        values[:] = y[0]


class Decay:
    """y' = -k (y - cos t): stiff, no events."""

    key, size, n_roots = "decay", 1, 0
    absolute, tangent = np.ones(1), None

    def __init__(self, k: float) -> None:
        self.k = k

    def rhs(self, t, y, rates):
        rates[:] = -self.k * (y - np.cos(t))

    def roots(self, t, y, values):
        raise AssertionError("there are none")


def test_an_event_is_found_to_round_off() -> None:
    steps = []
    ended = Cvode(tolerance=1e-12, longest=1.0).run(Falling(), 0.0, np.array([2.0, 0.0]), 10.0, steps.append)
    assert ended is steps[-1]
    assert ended.roots.tolist() == [-1]
    # CVODE finds it to 100 round-offs of t and of the step; motion of second degree is exact for its formulas
    assert ended.t_1 == pytest.approx(np.sqrt(2.0 * 2.0 / 9.81), rel=1e-10)
    assert all(one.t_1 == other.t_0 for one, other in pairwise(steps))


def test_a_stop_is_met_to_the_last_digit() -> None:
    stop = 0.1 + 0.2  # not 0.3
    steps = []
    assert Cvode(tolerance=1e-9, longest=1.0).run(Falling(), 0.0, np.array([2.0, 0.0]), stop, steps.append) is None
    assert steps[-1].t_1 == stop
    # errors of some ten steps of 1e-9 add up
    np.testing.assert_allclose(steps[-1].y_1, [2.0 - 0.5 * 9.81 * stop**2, -9.81 * stop], rtol=1e-8)


def test_nothing_is_evaluated_beyond_a_stop() -> None:
    seen = []

    class Watched(Falling):
        key = "watched"

        def rhs(self, t, y, rates):
            seen.append(t)
            super().rhs(t, y, rates)

    Cvode(tolerance=1e-9, longest=1.0).run(Watched(), 0.0, np.array([9.0, 0.0]), 0.5, lambda step: None)
    assert max(seen) <= 0.5


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_stiff_decay_follows_its_slow_part(tolerance: float) -> None:
    k, steps = 1e6, []
    Cvode(tolerance=tolerance, longest=1.0).run(Decay(k), 0.0, np.array([2.0]), 3.0, steps.append)
    t = steps[-1].t_1
    slow = (k * k * np.cos(t) + k * np.sin(t)) / (k * k + 1.0)
    assert steps[-1].y_1[0] == pytest.approx(slow, abs=100.0 * tolerance)
    assert len(steps) < 2000  # an explicit method takes 1.5 million


def test_no_step_is_longer_than_asked() -> None:
    steps = []
    Cvode(tolerance=1e-4, longest=0.01).run(Decay(1.0), 0.0, np.array([1.0]), 1.0, steps.append)
    assert max(one.t_1 - one.t_0 for one in steps) <= 0.01 * (1.0 + 1e-12)  # round-off of t


def test_too_many_steps_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sundials, "MOST_STEPS", 10)
    with pytest.raises(NonConvergence, match=r"10 steps.*raise tolerance"):
        Cvode(tolerance=1e-9, longest=0.01).run(Decay(1.0), 0.0, np.array([1.0]), 1.0, lambda step: None)


def test_the_work_is_counted() -> None:
    cvode, steps = Cvode(tolerance=1e-9, longest=1.0), []
    for _ in range(2):
        cvode.run(Decay(1.0), 0.0, np.array([1.0]), 1.0, steps.append)
    assert cvode.count.steps == len(steps)
    assert cvode.count.restarts == 2


class Resting(Falling):
    """A ball that lies on the ground, which opens at 0.5 s: its root function is zero, and stays so for many steps."""

    key = "resting"

    def rhs(self, t, y, rates):
        rates[:] = y[1], -9.81 if t >= 0.5 else 0.0


def test_a_root_function_that_rests_at_zero_is_seen_when_it_leaves(capfd) -> None:
    steps = []
    ended = Cvode(tolerance=1e-9, longest=0.1).run(Resting(), 0.0, np.zeros(2), 1.0, steps.append)
    assert ended is steps[-1]
    assert ended.t_1 == pytest.approx(0.5, abs=1e-6)  # the first of the short steps after it
    assert capfd.readouterr() == ("", "")  # "there are still some root functions identically 0"


class Bursting(Decay):
    """y' = y^2, which is infinite at t = 1."""

    key = "bursting"

    def __init__(self) -> None:
        self.said = False

    def rhs(self, t, y, rates):
        if not self.said:
            print("a user's own line")
            self.said = True
        rates[:] = y**2


def test_sundials_is_quiet_where_it_fails(capfd, caplog) -> None:
    """Warnings (t + h = t) go nowhere, the error to the log and into the exception; what others print is printed."""
    with caplog.at_level("DEBUG", logger=sundials.__name__), pytest.raises(NonConvergence, match="CVODE: "):
        Cvode(tolerance=1e-9, longest=0.1).run(Bursting(), 0.0, np.ones(1), 2.0, lambda step: None)
    assert capfd.readouterr() == ("a user's own line\n", "")
    assert "SUNDIALS: [" in caplog.text


def test_steps_after_many_events_cost_what_they_did() -> None:
    """All events would be kept and copied at every step."""

    class Bouncing(Falling):
        key = "bouncing"

    cvode, y = Cvode(tolerance=1e-6, longest=1.0), np.array([1.0, 0.0])
    for _ in range(5):
        ended = cvode.run(Bouncing(), 0.0, y, 1.0, lambda step: None)
        assert ended.roots.tolist() == [-1]
    solver = cvode._solvers["bouncing"]
    assert solver.step(1.0, method="onestep", tstop=1.0).i_events is None


def test_stops_rise_and_end_with_the_end() -> None:
    assert stops_of([3.0, 1.0, 1.0, 0.0, 7.0, 5.0], 0.0, 5.0) == [1.0, 3.0, 5.0]
