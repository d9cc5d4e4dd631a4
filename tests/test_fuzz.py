"""Short form of ``scripts/fuzz.py``: strange values are refused in a line, or taken and computed as promised."""

from __future__ import annotations

import pytest
from script_files import load_script

fuzz = load_script("scripts/fuzz.py")


@pytest.mark.slow
def test_nothing_goes_wrong_with_strange_values() -> None:
    """A value or two of each key and kind of analysis, and a sample of grids and objects."""
    counts, wrong = fuzz.fuzz(cases=2, runs=2, grids=16, objects=400, seed=1, forms=["pair"])
    assert wrong == []
    assert counts["keys"] > 150
    assert counts["cases"]["refused"] > 300
    assert counts["cases"]["taken"] > 10
    assert sum(counts["grids"].values()) == 16


def test_nothing_goes_wrong_with_strange_machines() -> None:
    """A value of every third key of a machine and kind of analysis."""
    counts, wrong = fuzz.fuzz(cases=1, runs=0, grids=0, objects=0, seed=2, keys_each=3, forms=["machine"])
    assert wrong == []
    assert counts["keys"] > 120
    assert counts["cases"]["refused"] > 80
    assert counts["cases"]["taken"] > 0


def test_nothing_goes_wrong_with_strange_parts_that_only_turn() -> None:
    """Some values of each key."""
    counts, wrong = fuzz.fuzz(cases=3, runs=0, grids=0, objects=0, seed=3, forms=["turning"])
    assert wrong == []
    assert counts["keys"] > 60
    assert counts["cases"]["refused"] > 80
    assert counts["cases"]["taken"] > 5


@pytest.mark.parametrize("name", ["machine", "turning"])
def test_sound_machines_are_taken(name: str) -> None:
    """What is changed is sound before, in every kind of analysis."""
    form = fuzz.FORMS[name]
    for kind in form.kinds:
        assert form.read(fuzz.text_of(form.base(kind)).encode()).analysis.kind == kind


def test_what_should_be_found_is_found() -> None:
    """The checks themselves: an error that is no fault, a message of two lines, a case that cannot be."""
    heard: list[str] = []
    assert fuzz.try_case("pair = 3\n", lambda kind, what: heard.append(kind), "x") is None
    assert heard == []
    found = fuzz.Case.from_bytes
    try:
        fuzz.Case.from_bytes = lambda content: 1 / 0
        fuzz.try_case("", lambda kind, what: heard.append(kind), "x")
    finally:
        fuzz.Case.from_bytes = found
    assert heard == ["case"]
