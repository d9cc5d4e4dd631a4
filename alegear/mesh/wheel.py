"""A whole wheel, or a segment of neighbouring teeth: the sector repeated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.mesh.sector import SectorMesh
from alegear.mesh.volume import FreeSurface, VolumeMesh
from alegear.short_repr import ShortRepr


@dataclass(frozen=True, eq=False)
class WheelMesh(ShortRepr):
    """Copies of one sector, joined at their cut planes.

    Sector k is sector 0 turned by +2 pi k/z; it shares its cut plane at +pi/z with sector k + 1. All teeth close the
    ring, fewer make a segment with free cut planes.

    Parameters
    ----------
    sector : SectorMesh
        The sector, in its tooth frame.
    teeth_modelled : int, optional
        Number of neighbouring sectors; None or the number of teeth: the closed ring.

    Raises
    ------
    Fault
        If ``teeth_modelled`` is not between 1 and the number of teeth.

    Examples
    --------
    >>> wheel = WheelMesh(sector, teeth_modelled=3)  # doctest: +SKIP
    >>> wheel.volume.points[wheel.node_of[1, sector.flank_a]]  # flank a of tooth 1  # doctest: +SKIP
    """

    sector: SectorMesh
    teeth_modelled: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.n_sectors <= self.sector.teeth:
            raise Fault(
                "teeth modelled",
                self.teeth_modelled,
                f"between 1 and the {self.sector.teeth} teeth of the wheel",
                'use "all" for the whole wheel',
            )

    @property
    def n_sectors(self) -> int:
        """Number of sectors in the grid."""
        return self.sector.teeth if self.teeth_modelled is None else self.teeth_modelled

    @property
    def closed(self) -> bool:
        """Whether the sectors close the ring."""
        return self.n_sectors == self.sector.teeth

    @cached_property
    def node_of(self) -> Indices:
        """Node of the wheel for each node of each sector, shape (n_sectors, n_sector_nodes)."""
        return _joined_nodes(self.sector, self.n_sectors)

    @cached_property
    def volume(self) -> VolumeMesh:
        """The joined grid in the tooth frame of sector 0.

        Node sets: ``bore``, ``tip``, ``flank_a``, ``flank_b``, ``root_a``, ``root_b`` of all sectors (ascending node
        numbers, the grids are ``node_of[k, sector.flank_a]``); for a segment also its free planes ``cut_low`` and
        ``cut_high``, in matching order.
        """
        return _joined_volume(self.sector, self.node_of)


def sector_rotation(teeth: int, k: int) -> Array:
    """Rotation R (3, 3) that carries coordinates from the tooth frame of sector k to that of sector 0: x_0 = R x_k."""
    return rotation(2.0 * np.pi * k / teeth)


def rotation(angle: float) -> Array:
    """Rotation matrix about the gear axis, shape (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _joined_nodes(sector: SectorMesh, n_sectors: int) -> Indices:
    n = sector.volume.n_nodes
    node_of = np.arange(n_sectors * n, dtype=np.int64).reshape(n_sectors, n)
    closed = n_sectors == sector.teeth
    for k in range(n_sectors if closed else n_sectors - 1):
        # The low plane of the next sector takes the nodes of this one's high plane; the last joins the first.
        node_of[(k + 1) % n_sectors, sector.cut_low] = node_of[k, sector.cut_high]
    # In the closed ring the low plane of sector 0 was replaced last; number the nodes that are left without gaps.
    _, compact = np.unique(node_of, return_inverse=True)
    return np.ascontiguousarray(compact.reshape(n_sectors, n), dtype=np.int64)


def _joined_volume(sector: SectorMesh, node_of: Indices) -> VolumeMesh:
    n_sectors = len(node_of)
    points = np.empty((int(node_of.max()) + 1, 3))
    for k in range(n_sectors):
        points[node_of[k]] = sector.volume.points @ sector_rotation(sector.teeth, k).T
    cells = np.concatenate([node_of[k][sector.volume.cells] for k in range(n_sectors)])
    node_sets = {
        name: np.unique(node_of[:, sector.volume.node_sets[name]])
        for name in ("bore", "tip", "flank_a", "flank_b", "root_a", "root_b")
    }
    if n_sectors < sector.teeth:
        node_sets["cut_low"] = node_of[0, sector.cut_low]
        node_sets["cut_high"] = node_of[-1, sector.cut_high]
    return VolumeMesh(points=points, cells=cells, node_sets=node_sets, free_surface=_joined_surface(sector, node_of))


def _joined_surface(sector: SectorMesh, node_of: Indices) -> FreeSurface | None:
    """Free surfaces of all sectors; in the middle of a tooth space two of them share their nodes."""
    free = sector.volume.free_surface
    if free is None:
        return None
    normals = [free.normals @ sector_rotation(sector.teeth, k).T for k in range(len(node_of))]
    nodes, first = np.unique(node_of[:, free.nodes], return_index=True)
    return FreeSurface(nodes=nodes, normals=np.concatenate(normals)[first])
