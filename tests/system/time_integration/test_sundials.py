"""CVODE with events: order of accuracy, event times, stops met to the last digit, and what is said when it fails."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.errors import NonConvergence
from alegear.system.time_integration import sundials
from alegear.system.time_integration.sundials import Cvode, stops_of


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


class Steps:
    """Ends of steps in the order in which they were handed over."""

    def __init__(self) -> None:
        self.blocks: list[tuple[np.ndarray, np.ndarray]] = []

    def __call__(self, t, y):
        assert len(t) == len(y) >= 2
        if self.blocks:
            assert t[0] in (0.0, self.blocks[-1][0][-1])  # from where the last block ended, or anew
        self.blocks.append((t, y))

    @property
    def t(self):
        return np.concatenate([t[1:] for t, _ in self.blocks])

    @property
    def y(self):
        return np.concatenate([y[1:] for _, y in self.blocks])


def test_an_event_is_found_to_round_off() -> None:
    steps = Steps()
    ended = Cvode(tolerance=1e-12, longest=1.0).run(Falling(), 0.0, np.array([2.0, 0.0]), 10.0, steps)
    assert ended.t == steps.t[-1]
    np.testing.assert_array_equal(ended.y, steps.y[-1])
    assert ended.roots.tolist() == [-1]
    # CVODE finds it to 100 round-offs of t and of the step; motion of second degree is exact for its formulas
    assert ended.t == pytest.approx(np.sqrt(2.0 * 2.0 / 9.81), rel=1e-10)


@pytest.mark.parametrize("stop", [0.6, 3.0])
def test_steps_are_those_that_cvode_takes(stop: float) -> None:
    """One by one, as CVODE hands them over itself; at an event and without one, over several blocks."""
    from sksundae.cvode import CVODE

    def roots(t, y, values):
        values[0] = y[0]

    roots.terminal, roots.direction = [True], [-1]
    ode, y_0, options = Falling(), np.array([2.0, 0.0]), {"max_step": 1e-3, "max_num_steps": 10**6}
    solver = CVODE(ode.rhs, method="BDF", rtol=1e-9, atol=1e-9, eventsfn=roots, num_events=1, **options)
    solver.init_step(0.0, y_0)
    t, y, status = [], [], 0
    while status == 0:
        response = solver.step(stop, method="onestep", tstop=stop)
        t, y, status = [*t, response.t], [*y, response.y], response.status
    steps = Steps()
    Cvode(tolerance=1e-9, longest=1e-3).run(ode, 0.0, y_0, stop, steps)
    assert len(steps.blocks) > 1
    np.testing.assert_array_equal(steps.t, t)
    np.testing.assert_array_equal(steps.y, y)


def test_a_stop_is_met_to_the_last_digit() -> None:
    stop = 0.1 + 0.2  # not 0.3
    ended = Cvode(tolerance=1e-9, longest=1.0).run(Falling(), 0.0, np.array([2.0, 0.0]), stop, Steps())
    assert ended.roots is None
    assert ended.t == stop
    # errors of some ten steps of 1e-9 add up
    np.testing.assert_allclose(ended.y, [2.0 - 0.5 * 9.81 * stop**2, -9.81 * stop], rtol=1e-8)


def test_nothing_is_evaluated_beyond_a_stop() -> None:
    seen = []

    class Watched(Falling):
        key = "watched"

        def rhs(self, t, y, rates):
            seen.append(t)
            super().rhs(t, y, rates)

    Cvode(tolerance=1e-9, longest=1.0).run(Watched(), 0.0, np.array([9.0, 0.0]), 0.5, Steps())
    assert max(seen) <= 0.5


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_stiff_decay_follows_its_slow_part(tolerance: float) -> None:
    k, steps = 1e6, Steps()
    t, y, _ = Cvode(tolerance=tolerance, longest=1.0).run(Decay(k), 0.0, np.array([2.0]), 3.0, steps)
    slow = (k * k * np.cos(t) + k * np.sin(t)) / (k * k + 1.0)
    assert y[0] == pytest.approx(slow, abs=100.0 * tolerance)
    assert len(steps.t) < 2000  # an explicit method takes 1.5 million


def test_no_step_is_longer_than_asked() -> None:
    steps = Steps()
    Cvode(tolerance=1e-4, longest=0.01).run(Decay(1.0), 0.0, np.array([1.0]), 1.0, steps)
    assert np.diff(steps.t, prepend=0.0).max() <= 0.01 * (1.0 + 1e-12)  # round-off of t


def test_too_many_steps_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sundials, "MOST_STEPS", 10)
    steps = Steps()
    with pytest.raises(NonConvergence, match=r"10 steps.*raise tolerance"):
        Cvode(tolerance=1e-9, longest=0.01).run(Decay(1.0), 0.0, np.array([1.0]), 1.0, steps)
    assert len(steps.t) == 9  # of the last nobody says that no event is in it


@pytest.mark.parametrize(
    "failure", [NonConvergence("t > 0.5 s", 1.0, 0.0, "stop before"), ZeroDivisionError(), KeyboardInterrupt()]
)
def test_what_fails_in_between_leaves_the_steps_before_it(failure) -> None:
    class Failing(Decay):
        key = "failing"

        def rhs(self, t, y, rates):
            if t > 0.5:
                raise failure
            super().rhs(t, y, rates)

    steps = Steps()
    with pytest.raises(type(failure)):
        Cvode(tolerance=1e-6, longest=1e-2).run(Failing(1.0), 0.0, np.array([1.0]), 1.0, steps)
    assert 0.45 < steps.t[-1] <= 0.5


def test_the_work_is_counted() -> None:
    cvode, steps = Cvode(tolerance=1e-9, longest=1.0), Steps()
    for _ in range(2):
        cvode.run(Decay(1.0), 0.0, np.array([1.0]), 1.0, steps)
    assert cvode.count.steps == len(steps.t)
    assert cvode.count.restarts == 2


class Resting(Falling):
    """A ball that lies on the ground, which opens at 0.5 s: its root function is zero, and stays so for many steps."""

    key = "resting"

    def rhs(self, t, y, rates):
        rates[:] = y[1], -9.81 if t >= 0.5 else 0.0


def test_a_root_function_that_rests_at_zero_is_seen_when_it_leaves(capfd) -> None:
    ended = Cvode(tolerance=1e-9, longest=0.1).run(Resting(), 0.0, np.zeros(2), 1.0, Steps())
    assert ended.roots is not None
    assert ended.t == pytest.approx(0.5, abs=1e-6)  # the first of the short steps after it
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
        Cvode(tolerance=1e-9, longest=0.1).run(Bursting(), 0.0, np.ones(1), 2.0, Steps())
    assert capfd.readouterr() == ("a user's own line\n", "")
    assert "SUNDIALS: [" in caplog.text


def test_steps_after_many_events_cost_what_they_did() -> None:
    """All events would be kept and copied at every step."""

    class Bouncing(Falling):
        key = "bouncing"

    cvode, y = Cvode(tolerance=1e-6, longest=1.0), np.array([1.0, 0.0])
    for _ in range(5):
        ended = cvode.run(Bouncing(), 0.0, y, 1.0, Steps())
        assert ended.roots.tolist() == [-1]
    solver, _ = cvode._solvers["bouncing"]
    assert solver.step(1.0, method="onestep", tstop=1.0).i_events is None


def test_stops_rise_and_end_with_the_end() -> None:
    assert stops_of([3.0, 1.0, 1.0, 0.0, 7.0, 5.0], 0.0, 5.0) == [1.0, 3.0, 5.0]
