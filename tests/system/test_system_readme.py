"""The examples of the README run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import alegear.system


def example_with(word: str) -> dict:
    """All names of the one example that has a word in it."""
    text = (Path(alegear.system.__file__).parent / "README.md").read_text(encoding="utf-8")
    (example,) = (one for one in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL) if word in one)
    names: dict = {}
    exec(example, names)
    return names


def test_pendulum_in_space():
    assert example_with("FloatingBody")["held"] == pytest.approx([0.0, 2.0 * 9.81, 0.0], abs=1e-9)


def test_an_element_in_twenty_lines():
    y = example_with("Buffer")["deflection"]
    assert 500.0 * y + 4e4 * y**3 == pytest.approx(30.0, rel=1e-12)
