"""Public names of the folder, and where each is defined."""

from .constraint_modes import constraint_modes as constraint_modes
from .layer import LayerCompliance as LayerCompliance
from .layer import layer_compliance as layer_compliance
from .point_response import PointResponse as PointResponse
from .sector_condensation import CondensedSector as CondensedSector
from .sector_condensation import condense_sector as condense_sector
from .sector_layout import SectorLayout as SectorLayout
from .sparse import StaticCondensation as StaticCondensation
from .sparse import condense as condense
from .superelement import Superelement as Superelement
from .superelement import reduce_wheel as reduce_wheel
