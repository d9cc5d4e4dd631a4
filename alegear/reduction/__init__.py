"""Craig-Bampton reduction of a wheel to the tooth faces that can touch, sector by sector."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from alegear.reduction.constraint_modes import constraint_modes
    from alegear.reduction.layer import LayerCompliance, layer_compliance
    from alegear.reduction.point_response import PointResponse
    from alegear.reduction.sector_condensation import CondensedSector, condense_sector
    from alegear.reduction.sparse import StaticCondensation, condense
    from alegear.reduction.superelement import SectorLayout, Superelement, reduce_wheel

__all__ = [
    "CondensedSector",
    "LayerCompliance",
    "PointResponse",
    "SectorLayout",
    "StaticCondensation",
    "Superelement",
    "condense",
    "condense_sector",
    "constraint_modes",
    "layer_compliance",
    "reduce_wheel",
]

_HOMES = {
    "CondensedSector": "sector_condensation",
    "LayerCompliance": "layer",
    "PointResponse": "point_response",
    "SectorLayout": "superelement",
    "StaticCondensation": "sparse",
    "Superelement": "superelement",
    "condense": "sparse",
    "condense_sector": "sector_condensation",
    "constraint_modes": "constraint_modes",
    "layer_compliance": "layer",
    "reduce_wheel": "superelement",
}


def __getattr__(name: str) -> Any:
    """Load what needs the compiler on first use: the memory of a case is estimated without it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'alegear.reduction' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"alegear.reduction.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
