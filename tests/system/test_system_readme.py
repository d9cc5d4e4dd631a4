"""The example of the README runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import alegear.system


def test_an_element_in_twenty_lines():
    text = (Path(alegear.system.__file__).parent / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict = {}
    exec(example, names)
    y = names["deflection"]
    assert 500.0 * y + 4e4 * y**3 == pytest.approx(30.0, rel=1e-12)
