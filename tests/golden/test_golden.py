"""Regression: the delivered cases on coarse grids give the numbers they gave before."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from regenerate import HERE, NAMES, numbers


def flat(values: dict[str, Any]) -> dict[str, float]:
    out: dict[str, float] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            out |= {f"{key}.{inner}": number for inner, number in flat(value).items()}
        else:
            out[key] = value
    return out


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_those_of_before(name: str) -> None:
    expected = flat(json.loads((HERE / f"{name}.json").read_text()))
    # 1e-7: another processor adds up in another order, and the time integration carries that on
    assert flat(numbers(name)) == pytest.approx(expected, rel=1e-7)
