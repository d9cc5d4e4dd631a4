"""``[bearings.NAME]``: linear ones by their stiffness; with ``rollers`` or ``balls`` those of rolling elements."""

from __future__ import annotations

from functools import partial
from typing import Any

from alegear.case.part_table import LazyTables, PartTable, table_of
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.rolling.bearings import BallBearing, RollerBearing

#: Key that only one kind has -> keys of the table.
KINDS = LazyTables({"rollers": partial(table_of, RollerBearing), "balls": partial(table_of, BallBearing)})


def bearing_table(content: Any) -> type[PartTable]:
    """Keys of a table, by what stands in it; on springs where no rolling elements are named."""
    for kind, part in {"rollers": RollerBearing, "balls": BallBearing}.items():
        if isinstance(content, dict) and kind in content:
            return table_of(part)
    return table_of(Bearing)


def of_another_kind(content: Any) -> dict[str, str]:
    """Keys of a table that only bearings of another kind have, and what these are made of."""
    own = bearing_table(content).model_fields
    found = {}
    for key in content if isinstance(content, dict) else ():
        if key not in own:
            kinds = {"stiffness_N_per_m": table_of(Bearing), **KINDS}
            others = [kind for kind, table in kinds.items() if key in table.model_fields]
            if others:
                found[key] = " or ".join(others)
    return found
