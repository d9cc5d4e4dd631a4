"""Memory of the results of motions, known beforehand: it hardly grows with the duration where they go to a file."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_cases import case_of, checked, static_text

import alegear as ag
from alegear.progress import Silent
from alegear.studies import preparation
from alegear.studies.preparation import prepare, result_bytes


def motion(duration: float, every: float = 2e-5, output: str = "") -> ag.Case:
    text = static_text().replace('kind = "static"\npositions_per_pitch = 8\npitches = 1', 'kind = "dynamic"')
    text = text.replace("[analysis]", "pinion_speed_rpm = 1500.0\n[analysis]")
    return case_of(text + f"duration_s = {duration!r}\noutput_every_s = {every!r}\n{output}")


def test_a_minute_in_a_file_takes_little_memory() -> None:
    short, minute = (result_bytes(motion(duration), 4, 10) for duration in (0.3, 60.0))
    assert short < 20e6
    assert minute < 400e6  # three million samples
    checked(motion(60.0))


def test_without_a_file_it_grows_with_the_duration_and_no_faster() -> None:
    one, two = (result_bytes(motion(duration), 4, 10, in_file=False) for duration in (10.0, 20.0))
    assert two == pytest.approx(2.0 * one, rel=1e-5)
    assert one > 1e9


def test_points_count() -> None:
    points = '[[output.points]]\ngear = "pinion"\nfillet_share = 0.5\n'
    plain, with_points = (result_bytes(motion(1.0, output=text), 4, 10, in_file=False) for text in ("", points))
    # three numbers on each of twenty teeth, at every time, twice
    assert with_points - plain == pytest.approx(2.0 * 8.0 * 3.0 * 20.0 * 50002.0)


def test_the_remedy_is_a_key_of_motions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALEGEAR_MEMORY_MB", "800")
    monkeypatch.setattr(preparation, "carry_out", None)
    with pytest.raises(ag.Fault) as refused:
        checked(motion(180.0))
    assert "results" in str(refused.value.value)
    assert refused.value.remedy.startswith("raise output_every_s or shorten duration_s, or set")
    with pytest.raises(ag.Fault) as refused:
        prepare(motion(60.0), Silent())
    assert "give out" in refused.value.remedy
    case = motion(1.0)
    prepared = replace(case, analysis=ag.StaticAnalysis(positions_per_pitch=300, pitches=300))
    with pytest.raises(ag.Fault, match="fewer positions_per_pitch"):
        checked(replace(prepared, operation=replace(case.operation, pinion_speed=None)))
