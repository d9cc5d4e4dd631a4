"""The quick form of a folder of validation/, asked by its test."""

from __future__ import annotations

import pytest
from script_files import load_script


def assert_within_bounds(name: str) -> None:
    """All rows of the quick form are within their bounds; skipped, after that, where a reference is not here."""
    rows = list(load_script(f"validation/{name}/run.py").rows(quick=True))
    assert rows
    assert not [str(row) for row in rows if row.beyond]
    missing = sorted({row.missing for row in rows if row.missing})
    if missing:
        number = sum(bool(row.missing) for row in rows)
        pytest.skip(
            f"{number} of {len(rows)} rows compared with nothing: no ../shared/reference/{', '.join(missing)}, "
            "results of other programs are no part of the project"
        )
