"""Craig-Bampton reduction of a wheel to the tooth faces that can touch, sector by sector."""

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
