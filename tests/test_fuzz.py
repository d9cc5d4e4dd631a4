"""Short form of ``scripts/fuzz.py``: strange values are refused in a line, or taken and computed as promised."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).parents[1] / "scripts" / "fuzz.py"


@cache
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_nothing_goes_wrong_with_strange_values() -> None:
    """A value or two of each key and kind of analysis, and a sample of grids and objects."""
    counts, wrong = script().fuzz(cases=2, runs=2, grids=16, objects=400, seed=1)
    assert wrong == []
    assert counts["keys"] > 150
    assert counts["cases"]["refused"] > 300
    assert counts["cases"]["taken"] > 10
    assert sum(counts["grids"].values()) == 16


def test_what_should_be_found_is_found() -> None:
    """The checks themselves: an error that is no fault, a message of two lines, a case that cannot be."""
    heard: list[str] = []
    assert script().try_case("pair = 3\n", lambda kind, what: heard.append(kind), "x") is None
    assert heard == []
    found = script().Case.from_bytes
    try:
        script().Case.from_bytes = lambda content: 1 / 0
        script().try_case("", lambda kind, what: heard.append(kind), "x")
    finally:
        script().Case.from_bytes = found
    assert heard == ["case"]
