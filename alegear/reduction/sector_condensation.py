r"""One tooth sector, condensed to its two cut planes and one or both of its tooth faces.

Every sector of the wheel is this one, turned. On the cut planes the unknowns are written in the frame of the plane
(radial, tangential, axial; the tooth frame turned by -pi/z and +pi/z), so that the upper cut of a sector and the lower
cut of the next have the same components and sectors are put together without any rotation. The cut planes of a helical
sector are helicoids; the frame of each is the same for all its nodes, so nothing changes.

Retained, in this order: cut_low (nodes outside the bore), tooth faces, cut_high; the bore is fixed to the shaft.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from alegear.errors import Fault
from alegear.fe import FEModel, Material, stress_operator
from alegear.mesh import SectorMesh
from alegear.reduction.nested_dissection import Index, layers_from, node_adjacency
from alegear.reduction.sparse import StaticCondensation, condense

Array = npt.NDArray[np.float64]
Flank = Literal["a", "b", "both"]

#: Columns solved together for the root stress: 64 MB of displacement for a grid of 10 000 nodes.
_COLUMNS = 256


@dataclass(frozen=True, kw_only=True, eq=False)
class RetainedNodes:
    """Which nodes of the sector are retained, and how their components are turned.

    Parameters
    ----------
    cut_low, cut_high : shape (n_c,)
        Nodes of the cut planes outside the bore; `cut_high[i]` is `cut_low[i]` turned by 2 pi/z.
    face : shape (faces*rows*cols,)
        Tooth-face grids, row by row; flank a before flank b.
    bore : shape (n,)
        Fixed nodes.
    half_pitch_angle : float [rad]
        pi/z.
    """

    cut_low: Index
    face: Index
    cut_high: Index
    bore: Index
    half_pitch_angle: float

    @classmethod
    def of(cls, sector: SectorMesh, flank: Flank) -> RetainedNodes:
        """Collect the retained nodes of a sector mesh.

        Raises
        ------
        Fault
            The two cut planes do not match, or share nodes with the tooth faces; or both flanks are asked for and
            differ in their rows or columns or share nodes.
        """
        face = np.concatenate([grid.ravel() for grid in face_grids(sector, flank)])
        low, high = (np.asarray(nodes, dtype=np.int64) for nodes in (sector.cut_low, sector.cut_high))
        bore = np.asarray(sector.bore, dtype=np.int64)
        if low.size != high.size:
            raise Fault(
                "nodes in cut_low and cut_high", (low.size, high.size), "equal in number", "mesh both cut planes alike"
            )
        points = np.asarray(sector.volume.points)
        angle = np.pi / sector.teeth
        distance = np.abs(points[low] @ rotation(2.0 * angle).T - points[high]).max(initial=0.0)
        size = np.ptp(points, axis=0).max()
        if distance > 1e-6 * size:  # exact but for the digits of a mesh file
            raise Fault(
                "largest distance [m] of cut_low, turned by one pitch, from cut_high",
                f"{distance:.3g}",
                f"below {1e-6 * size:.3g}",
                "mesh both cut planes alike and list their nodes in the same order",
            )
        free = ~np.isin(low, bore)
        if np.any(free == np.isin(high, bore)):
            raise Fault(
                "bore nodes in cut_low and cut_high",
                "different",
                "the same nodes in both planes",
                "put every node of the bore in the set 'bore'",
            )
        retained = np.concatenate([low[free], face, high[free]])
        if np.unique(retained).size != retained.size or np.isin(face, bore).any():
            raise Fault(
                "nodes shared by the tooth faces, the cut planes and the bore",
                retained.size - np.unique(retained).size,
                "zero",
                "end the flank sets in the fillet before the cut plane",
            )
        return cls(cut_low=low[free], face=face, cut_high=high[free], bore=bore, half_pitch_angle=angle)

    @property
    def nodes(self) -> Index:
        """All retained nodes, in their order."""
        return np.concatenate([self.cut_low, self.face, self.cut_high])

    @property
    def n_cut(self) -> int:
        """Degrees of freedom of one cut plane."""
        return 3 * self.cut_low.size

    @property
    def n_face(self) -> int:
        """Degrees of freedom of the tooth faces."""
        return 3 * self.face.size

    def to_cut_frames(self, columns: Array) -> Array:
        """Write rows (3 n_b, n) given in the tooth frame in the frames of the cut planes."""
        return self._turn(columns, -1.0)

    def to_tooth_frame(self, columns: Array) -> Array:
        """Write rows (3 n_b, n) given in the frames of the cut planes in the tooth frame."""
        return self._turn(columns, 1.0)

    def _turn(self, columns: Array, sense: float) -> Array:
        turned = columns.copy()
        n_c = self.n_cut
        for rows, angle in (
            (slice(0, n_c), -self.half_pitch_angle),
            (slice(n_c + self.n_face, 2 * n_c + self.n_face), self.half_pitch_angle),
        ):
            part = columns[rows].reshape(-1, 3, columns.shape[1])
            turned[rows] = np.einsum("ab,nbc->nac", rotation(sense * angle), part).reshape(-1, columns.shape[1])
        return turned


@dataclass(frozen=True, kw_only=True, eq=False)
class CondensedSector:
    """Stiffness and root stress of one sector on its retained nodes, and the way back.

    Parameters
    ----------
    retained : RetainedNodes
    S : shape (n_c + n_f + n_c, same) [N/m]
        Condensed stiffness, cut planes in their own frames.
    R_root : shape (2, rows_root, cols, 6, n_c + n_f + n_c) [Pa/m]
        Stress at root_a and root_b (tooth frame; xx, yy, zz, xy, yz, zx) for a unit displacement of each retained
        degree of freedom.
    condensation : StaticCondensation
        Kept for the recovery of displacements.
    """

    retained: RetainedNodes
    S: Array
    R_root: Array
    condensation: StaticCondensation

    def expand(self, u_b: Array) -> Array:
        """Recover the displacement of all nodes of the sector.

        Parameters
        ----------
        u_b : shape (n_c + n_f + n_c, n_rhs) [m]
            Cut planes in their own frames.

        Returns
        -------
        shape (n_rhs, n_nodes, 3) [m]
            In the tooth frame.
        """
        u = self.condensation.expand(self.retained.to_tooth_frame(u_b))
        return np.ascontiguousarray(np.moveaxis(u, 2, 0))


def condense_sector(
    sector: SectorMesh, material: Material, flank: Flank, *, root_stress: bool = True
) -> CondensedSector:
    """Condense a sector to its cut planes and one or both of its tooth faces.

    Parameters
    ----------
    sector : SectorMesh
    material : Material
    flank : {"a", "b", "both"}
        The faces that are loaded.
    root_stress : bool
        False leaves `R_root` empty (for the recovery of displacements only).

    Raises
    ------
    Fault
        The node sets of the sector do not fit together.
    AnalysisFailure
        The stiffness is not positive definite.
    """
    retained = RetainedNodes.of(sector, flank)
    model = FEModel.from_mesh(sector.volume, material)
    condensation = condense(model.stiffness, retained.nodes, retained.bore, _separating_fields(sector, model))
    S = retained.to_cut_frames(condensation.S)
    S = retained.to_cut_frames(np.ascontiguousarray(S.T))
    R_root = _root_stress(sector, model, retained, condensation) if root_stress else np.zeros((2, 0, 0, 6, len(S)))
    return CondensedSector(retained=retained, S=0.5 * (S + S.T), R_root=R_root, condensation=condensation)


def faces_of(flank: Flank) -> tuple[Literal["a", "b"], ...]:
    """List the faces of a slot in their order: ("a",), ("b",) or ("a", "b")."""
    return ("a", "b") if flank == "both" else (flank,)


def face_grids(sector: SectorMesh, flank: Flank) -> list[Index]:
    """Give the node grids (rows, cols) of the loaded faces.

    Raises
    ------
    Fault
        Both flanks are asked for and differ in their rows or columns, or share nodes.
    """
    grids = [np.asarray(sector.flank_a if face == "a" else sector.flank_b, dtype=np.int64) for face in faces_of(flank)]
    if len(grids) == 2:
        if grids[0].shape != grids[1].shape:
            raise Fault(
                "shape of flank_a and flank_b",
                (grids[0].shape, grids[1].shape),
                "equal where both flanks are loaded",
                "mesh both flanks alike",
            )
        shared = np.intersect1d(grids[0], grids[1]).size
        if shared:
            raise Fault(
                "nodes shared by flank_a and flank_b",
                shared,
                "zero where both flanks are loaded",
                "give the tooth a tip land (shorten the addendum or reduce the profile shift)",
            )
    return grids


def rotation(angle: float) -> Array:
    """Rotation matrix about the gear axis, shape (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _separating_fields(sector: SectorMesh, model: FEModel) -> list[Array]:
    """Give the scalar fields along which the sector may be cut: coordinates, and layers from its outer surfaces.

    The twist of a helical sector is taken back: its level sets would run across the elements.
    """
    adjacency = node_adjacency(model.stiffness)
    points = np.asarray(sector.straight_points)
    surfaces = (sector.cut_low, sector.cut_high, sector.bore, sector.tip, sector.flank_a, sector.flank_b)
    layers = [layers_from(adjacency, np.ravel(nodes)).astype(float) for nodes in surfaces if np.size(nodes)]
    return [*(np.ascontiguousarray(points[:, axis]) for axis in range(3)), *layers]


def _root_stress(
    sector: SectorMesh, model: FEModel, retained: RetainedNodes, condensation: StaticCondensation
) -> Array:
    """Apply the stress recovery at both roots to the constraint modes, a block of columns at a time."""
    roots = [np.asarray(nodes, dtype=np.int64) for nodes in (sector.root_a, sector.root_b)]
    if roots[0].shape != roots[1].shape:
        raise Fault("shape of root_a and root_b", (roots[0].shape, roots[1].shape), "equal", "mesh both roots alike")
    operator = stress_operator(model, np.concatenate([nodes.ravel() for nodes in roots])).tocsr()
    nodes = np.unique(operator.indices // 3)
    n_b = len(condensation.S)
    R_root = np.empty((operator.shape[0], n_b))
    for first in range(0, n_b, _COLUMNS):
        columns = slice(first, min(first + _COLUMNS, n_b))
        u_b = np.zeros((n_b, columns.stop - first))
        u_b[np.arange(first, columns.stop), np.arange(columns.stop - first)] = 1.0
        u = condensation.expand(retained.to_tooth_frame(u_b), nodes)
        R_root[:, columns] = operator @ u.reshape(-1, columns.stop - first)
    return R_root.reshape(2, *roots[0].shape, 6, n_b)
