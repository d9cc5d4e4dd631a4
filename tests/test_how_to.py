"""The examples of the pages "how to add" run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

DOCS = Path(__file__).parents[1] / "docs"


def names_of(page: str) -> dict[str, Any]:
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    names: dict[str, Any] = {"__name__": page}
    exec(compile(example, page, "exec", dont_inherit=True), names)
    return names


def test_an_element() -> None:
    speeds = np.array(names_of("how_to_add_an_element.md")["speeds"])
    # J dv/dt = T - c v^2: v = v_e tanh(t sqrt(T c)/J), at the end within the tolerance of the steps
    assert speeds[-1] == pytest.approx(50.0 * np.tanh(5.0 * 0.5 / 0.2), rel=1e-5)


def test_a_body() -> None:
    modes = names_of("how_to_add_a_body.md")["modes"].elastic()
    assert modes.frequencies == pytest.approx([np.sqrt(4e4 * (1.0 / 0.2 + 1.0 / 0.3))], rel=1e-12)


def test_a_mesh_law() -> None:
    names = names_of("how_to_add_a_mesh_law.md")
    wheel = names["machine"].layout.gears["wheel"]
    expected = np.sqrt(4e8 * wheel.gear.r_b**2 / wheel.gear.inertia(wheel.material.rho))
    assert names["modes"].frequencies == pytest.approx([expected], rel=1e-12)
