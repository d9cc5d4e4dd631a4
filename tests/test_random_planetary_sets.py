"""Planetary sets as they are built: each runs, or the number that its refusal says makes it run."""

from __future__ import annotations

import pytest
from families import mostly_thorough
from script_files import load_script

from alegear.geometry import planetary_shifts

random_sets = load_script("scripts/random_planetary_sets.py")


# fifteen of one seed have all that there is; scripts/random_planetary_sets.py draws hundreds
@pytest.mark.parametrize(("seed", "number"), mostly_thorough([(3, 15), (1, 200)], lambda one: one[0] == 3))
def test_sets_run_or_are_refused_with_a_remedy_that_runs(seed: int, number: int) -> None:
    wrong: list[str] = []
    found = random_sets.fuzz_sets(number, seed, lambda kind, words: wrong.append(f"{kind}: {words}"))
    assert not wrong
    assert found["run"] + found["refused, then run"] == found["drawn"] == number
    for kind in (*random_sets.FIDELITIES, "from Python", "floating sun", "run", "refused, then run"):
        assert found[kind] > 0, kind


def test_a_wrong_centre_distance_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets by their ratio alone, which nothing but the closed form could tell."""
    right, wrong = planetary_shifts.working_distance, []
    monkeypatch.setattr(planetary_shifts, "working_distance", lambda **given: 1.0001 * right(**given))
    monkeypatch.setattr(planetary_shifts, "backlash_at", lambda *_, **__: 0.0)  # which would not fit
    monkeypatch.setattr(random_sets, "FIDELITIES", ("rigid",))
    random_sets.fuzz_sets(20, 3, lambda kind, words: wrong.append(kind))
    assert "centre distance" in wrong
