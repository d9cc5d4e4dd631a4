"""Finite-element grids: one tooth sector, the wheel made of it, and files."""

from alegear.mesh.exchange import read_sector, write_mesh
from alegear.mesh.grid_options import GridOptions
from alegear.mesh.sector import SET_NAMES, SectorMesh, mesh_sector
from alegear.mesh.volume import FreeSurface, MeshQuality, VolumeMesh, mesh_quality
from alegear.mesh.wheel import WheelMesh, sector_rotation

__all__ = [
    "SET_NAMES",
    "FreeSurface",
    "GridOptions",
    "MeshQuality",
    "SectorMesh",
    "VolumeMesh",
    "WheelMesh",
    "mesh_quality",
    "mesh_sector",
    "read_sector",
    "sector_rotation",
    "write_mesh",
]
