"""What is said while a run goes on."""

from __future__ import annotations

import pytest

from alegear.cli import progress


def test_a_stage_without_parts_counts_none() -> None:
    bars = progress.BarProgress()
    bars.stage("write")
    columns = [column for column in bars._bars.columns if type(column).__name__ == "Counted"]
    assert columns[0].render(bars._bars.tasks[0]).plain == ""
    bars.advance(1, 4)
    assert columns[0].render(bars._bars.tasks[0]).plain == "1/4"
    bars.advance(125, progress.THOUSANDTHS)
    assert columns[0].render(bars._bars.tasks[0]).plain == "12.5 %"


def test_a_long_stage_tells_how_far_it_is_and_what_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    with progress.LineProgress() as lines:
        lines.stage("solve")
        for second, done in ((5.0, 10), (20.0, 40), (25.0, 50), (40.0, 80)):  # two a second
            clock[0] = second
            lines.advance(done, 400)
        clock[0] = 200.0
    assert capsys.readouterr().err == (
        "solve ... 40 of 400, about 3 min left ... 80 of 400, about 3 min left ... 200.0 s\n"
    )
    assert [progress.duration(t) for t in (12.0, 600.0, 7200.0)] == ["12 s", "10 min", "2.0 h"]


def test_the_time_left_is_that_at_the_rate_of_the_last_part(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten parts a second at first, then two: at 300 of 1000 there are 700/2 = 350 s left, not 700/4."""
    clock = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    with progress.LineProgress() as lines:
        lines.stage("solve")
        for second in range(1, 71):
            clock[0] = float(second)
            lines.advance(10 * second if second <= 20 else 200 + 2 * (second - 20), 1001)
        clock[0] = 80.0
    told = capsys.readouterr().err
    assert "100 of 1001, about 90 s left" in told
    assert "300 of 1001, about 6 min left" in told


def test_the_time_left_knows_nothing_of_what_the_compiler_took(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    with progress.LineProgress() as lines:
        lines.stage("solve")
        for second, done in ((30.0, 1), (31.0, 2), (41.0, 12)):  # 30 s for the first, 1 s for each of the others
            clock[0] = second
            lines.advance(done, 32)
        lines.stage("go on")  # a stage that begins in the middle
        for second, done in ((42.0, 900), (52.0, 910)):
            clock[0] = second
            lines.advance(done, progress.THOUSANDTHS)
    assert capsys.readouterr().err == (
        "solve ... 1 of 32 ... 12 of 32, about 20 s left ... 41.0 s\ngo on ... 91.0 %, about 90 s left ... 11.0 s\n"
    )
