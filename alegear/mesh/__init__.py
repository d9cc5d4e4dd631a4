"""Finite-element grids: one tooth sector, the wheel made of it, and files."""

from alegear.mesh.exchange import read_sector as read_sector
from alegear.mesh.exchange import write_mesh as write_mesh
from alegear.mesh.grid_options import GridOptions as GridOptions
from alegear.mesh.sector import SET_NAMES as SET_NAMES
from alegear.mesh.sector import SectorMesh as SectorMesh
from alegear.mesh.sector import mesh_sector as mesh_sector
from alegear.mesh.volume import FreeSurface as FreeSurface
from alegear.mesh.volume import MeshQuality as MeshQuality
from alegear.mesh.volume import VolumeMesh as VolumeMesh
from alegear.mesh.volume import mesh_quality as mesh_quality
from alegear.mesh.wheel import WheelMesh as WheelMesh
from alegear.mesh.wheel import sector_rotation as sector_rotation
