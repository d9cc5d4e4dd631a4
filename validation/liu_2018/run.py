"""Examples 6.1 and 6.2 of Liu et al. (2018): tooth-change thresholds in a slow motion; a pair run up from rest.

``python validation/liu_2018/run.py`` computes ``case_6_1.toml`` with four thresholds and ``case_6_2.toml``, prints the
figures of README.md and draws its pictures (a minute).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import alegear as ag

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import run_6_1  # noqa: E402
import run_6_2  # noqa: E402
from checks import Row, alone  # noqa: E402

CLOSE, QUICK_CLOSE = 2e-3, 1e-2  # pitches; a coarse grid is stiffer
GRID = ag.GridOptions(flank_elements=8, fillet_elements=6, thickness_elements=4, width_elements=4, rim_elements=6)


def coarse(name: str, duration: float, **analysis: Any) -> ag.Case:
    """A case on a coarse grid, for a shorter time, without files."""
    case = ag.Case.from_toml(HERE / name)
    output = replace(case.output, fields=False, plots=False)
    analysis = replace(case.analysis, duration=duration, **analysis)
    return replace(case, grid_options=(GRID, GRID), analysis=analysis, output=output)


def rows(quick: bool) -> Iterator[Row]:
    """Both examples; the quick form has three pitches of the first and ten of the second."""
    case = coarse("case_6_1.toml", 24.0, output_every=0.02) if quick else ag.Case.from_toml(HERE / "case_6_1.toml")
    slow = run_6_1.Example.of(case)
    close = QUICK_CLOSE if quick else CLOSE
    yield from run_6_1.rows(slow, close=close)
    case = coarse("case_6_2.toml", 0.19) if quick else ag.Case.from_toml(HERE / "case_6_2.toml")
    fast = run_6_2.Example.of(ag.run(case).dataset, case)
    yield from run_6_2.rows(fast, close=close, last=7 if quick else 14)
    if not quick:
        run_6_1.draw(slow)
        run_6_2.report(fast)
        run_6_2.draw(fast)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
