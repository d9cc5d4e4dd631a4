"""The coarse grids of quick forms: what they find is off by some per cent, and what it shows is the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import alegear as ag

GRID = ag.GridOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)
FIRST_ORDER = ag.GridOptions(
    flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1
)


def coarse(case: ag.Case, grid: ag.GridOptions = GRID, **analysis: Any) -> ag.Case:
    """Put a case on a coarse grid; keywords change its analysis."""
    return replace(case, grid_options=(grid, grid), analysis=replace(case.analysis, **analysis))
