"""``[pinion.flank]`` and ``[wheel.flank]``: deviations of the flanks from the involute."""

from __future__ import annotations

from alegear.case.case_file import CaseFile
from alegear.case.part_table import table_of
from alegear.geometry.microgeometry import Microgeometry

#: Amount of a relief -> the keys of which one says where it begins or ends.
ENDS = {
    **{
        f"{name}_um": (f"{name}_start_diameter_mm", f"{name}_start_roll_length_mm", f"{name}_start")
        for name in ("tip_relief", "root_relief")
    },
    "end_relief_um": ("end_relief_length_mm",),
}


class FlankTable(table_of(Microgeometry)):  # type: ignore[misc]
    """``[pinion.flank]``: microgeometry, normal to the flank, material removed is positive."""


def missing_ends(flank: FlankTable) -> dict[str, tuple[str, ...]]:
    """Return the amounts of reliefs without a start or an end, with the keys that would."""
    return {
        amount: keys
        for amount, keys in ENDS.items()
        if getattr(flank, amount) > 0.0 and not any(getattr(flank, key) for key in keys)
    }


def misses_a_key(file: CaseFile, gear: str, flank: FlankTable) -> bool:
    """Refuse reliefs without a start or an end."""
    missing = missing_ends(flank)
    for amount, (key, *others) in missing.items():
        file.fault(
            f"{gear}.flank.{key}",
            file.shown_or_missing(gear, f"flank.{key}"),
            f"the key is needed with {amount}",
            f"give the {FlankTable.model_fields[key].description}{''.join(f', or {other}' for other in others)}",
        )
    return bool(missing)
