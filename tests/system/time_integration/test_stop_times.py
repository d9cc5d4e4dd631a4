"""Times at which a motion stops: complete, exact, once each, the same whatever the stretches."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.system.time_integration import stop_times
from alegear.system.time_integration.stop_times import FRAME, OUTPUT, StopTimes

CASES = [(3e-3, 2e-5), (1.6e-3, 2e-5), (1e-3, 3e-4), (0.02, 2e-5), (1e-3, 1e-2), (0.1, 2e-5)]


def marked(times: StopTimes, after: float = 0.0) -> list[tuple[float, int]]:
    return [(float(t), int(f)) for part in times.after(after) for t, f in zip(*part, strict=True)]


@pytest.mark.parametrize(("duration", "every"), CASES)
def test_every_multiple_and_the_end_are_output_times(duration: float, every: float) -> None:
    times = StopTimes.of(duration, every)
    outputs = times.outputs(0, times.n_outputs)
    assert outputs[0] == 0.0
    assert outputs[-1] == duration
    np.testing.assert_allclose(outputs[:-1], every * np.arange(len(outputs) - 1), rtol=1e-14)
    assert 0.0 < duration - outputs[-2] <= every * (1.0 + 1e-9)
    assert [t for t, flag in marked(times) if flag & OUTPUT] == outputs[1:].tolist()
    assert all(times.is_output(t) for t in outputs)
    assert not times.is_output(np.nextafter(outputs[-2], 1.0))


@pytest.mark.parametrize(("duration", "every"), CASES)
@pytest.mark.parametrize("stretch", [3, 50])
def test_stretches_and_a_new_beginning_leave_no_trace(
    duration: float, every: float, stretch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = np.random.default_rng(1).uniform(0.0, duration, 9)
    times = StopTimes.of(duration, every, np.linspace(0.0, duration, 7)).with_others(others.tolist())
    whole = marked(times)
    monkeypatch.setattr(stop_times, "STRETCH", stretch)
    assert marked(times) == whole
    for t in (whole[0][0], duration / 3.0, whole[-2][0]):
        assert marked(times, t) == [stop for stop in whole if stop[0] > t]


def test_times_that_differ_by_round_off_are_one() -> None:
    near = 0.3 * (1.0 + 4e-16)
    assert near != 0.3
    times = StopTimes.of(1.0, 0.1, [near, 0.55]).with_others([0.55 * (1.0 + 4e-16), 0.7 * (1.0 - 2e-16), 0.77])
    assert [t for t, _ in marked(times)] == pytest.approx(
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.77, 0.8, 0.9, 1.0]
    )
    flags = {round(t, 9): flag for t, flag in marked(times)}
    assert flags[0.3] == OUTPUT + FRAME
    assert flags[0.55] == FRAME
    assert flags[0.77] == 0
    assert times.is_frame(float(times.outputs(3, 4)[0]))
