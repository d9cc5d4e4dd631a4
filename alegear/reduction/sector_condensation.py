r"""One tooth sector, condensed to its two cut planes and one or both of its tooth faces.

Every sector of the wheel is this one, turned. On the cut planes the unknowns are written in the frame of the plane
(radial, tangential, axial; the tooth frame turned by -pi/z and +pi/z), so that the upper cut of a sector and the lower
cut of the next have the same components and sectors are put together without any rotation. The cut planes of a helical
sector are helicoids; the frame of each is the same for all its nodes, so nothing changes.

Retained, in this order: cut_low (nodes outside the bore), tooth faces, cut_high; the bore is fixed to the shaft.

Whatever concerns the sector alone is done apart for each class of fields under all symmetries of the sector
(:mod:`alegear.reduction.symmetry`). What concerns the wheel is done for each class under those that leave each cut
plane where it is: of a spur gear the mirror at mid-face.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.fe import FEModel, Material, stress_operator
from alegear.mesh import SectorMesh
from alegear.mesh.wheel import rotation
from alegear.parallel import in_parallel, single_threaded
from alegear.reduction.face_splines import FaceSplines
from alegear.reduction.nested_dissection import layers_from
from alegear.reduction.ring import free_face
from alegear.reduction.sparse import Elimination, Factor, StaticCondensation, dofs_of, factorise
from alegear.reduction.symmetry import MIRROR_Z, Basis, Symmetry, find_symmetry

Flank = Literal["a", "b", "both"]

#: Signs of xx, yy, zz, xy, yz, zx where those of x, y, z are given.
_PAIRS = np.array([[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 0]])


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

    cut_low: Indices
    face: Indices
    cut_high: Indices
    bore: Indices
    half_pitch_angle: float

    @classmethod
    def of(cls, sector: SectorMesh, flank: Flank, splines: FaceSplines | None = None) -> RetainedNodes:
        """Collect the retained nodes of a sector mesh.

        Raises
        ------
        Fault
            The two cut planes do not match, or share nodes with the tooth faces; or both flanks are asked for and
            differ in their rows or columns or share nodes.
        """
        face = np.concatenate([grid.ravel() for grid in face_grids(sector, flank)])
        flanks = np.concatenate([grid.ravel() for grid in face_grids(replace(sector, loaded_rows=None), flank)])
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
        retained = np.concatenate([low[free], flanks, high[free]])
        if np.unique(retained).size != retained.size or np.isin(flanks, bore).any():
            raise Fault(
                "nodes shared by the tooth faces, the cut planes and the bore",
                retained.size - np.unique(retained).size,
                "zero",
                "end the flank sets in the fillet before the cut plane",
            )
        if splines is not None:
            free &= splines.carriers[low]
        return cls(cut_low=low[free], face=face, cut_high=high[free], bore=bore, half_pitch_angle=angle)

    @property
    def nodes(self) -> Indices:
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

    def stiffness_in_cut_frames(self, S: Array) -> Array:
        """Write a condensed stiffness (3 n_b, 3 n_b) given in the tooth frame in the frames of the cut planes."""
        half = np.ascontiguousarray(self.to_cut_frames(S).T)
        turned = self.to_cut_frames(half)
        return 0.5 * (turned + turned.T)

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
class SectorClass:
    r"""One class of fields of the sector, all its symmetries used, in the tooth frame.

    With the faces free of load but for forces f on them, :math:`u_f = C_0 f + G u_c`.

    Parameters
    ----------
    factor : Factor
        The sector condensed to its retained nodes.
    cuts, face : shape (n_c,), (n_f,)
        Places of the basis vectors on the cut planes and on the tooth faces among the retained ones.
    S_cuts : shape (n_c, n_c) [N/m]
        Stiffness of both cut planes, faces free of load.
    face_recovery : shape (n_f, n_c)
        G.
    C_0 : shape (n_f, n_f) [m/N]
        Compliance of the faces, cut planes held.
    R_cuts, R_face : shape (rows, n_c) [Pa/m], (rows, n_f) [Pa/N]
        Stress at the root nodes that represent the others, six components each, in the same two variables.
    """

    factor: Factor
    cuts: Indices
    face: Indices
    S_cuts: Array
    face_recovery: Array
    C_0: Array
    R_cuts: Array
    R_face: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class RingClass:
    """One class of fields of all sectors, cut planes in their own frames; even or odd about mid-face, or all.

    Parameters
    ----------
    cut, face : sparse, shape (3 nodes, n_c), (3 nodes, n_f)
        Basis vectors on one cut plane and on the tooth faces, orthonormal.
    S_cuts : shape (2 n_c, 2 n_c) [N/m]
        Stiffness of the cut planes of a sector, low and high, faces free of load.
    face_recovery : shape (n_f, 2 n_c)
        Displacement of the faces from that of the cut planes.
    C_0 : shape (n_f, n_f) [m/N]
        Compliance of the faces, cut planes held.
    smooth : shape (n_cols, n_coefficients) and (n_s, 2 n_c), optional
        Splines across the face that the faces follow the cut planes in, and their recovery in these.
    """

    cut: Basis
    face: Basis
    S_cuts: Array
    face_recovery: Array
    C_0: Array
    smooth: tuple[Array, Array] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class CondensedSector:
    """Stiffness and root stress of one sector on its retained nodes, and the way back.

    Parameters
    ----------
    retained : RetainedNodes
    condensation : StaticCondensation
        Kept for the recovery of displacements.
    classes : tuple of SectorClass
    root_of_cuts : shape (2, rows_root, cols, 6, 2 n_c) [Pa/m]
        Stress at root_a and root_b (tooth frame; xx, yy, zz, xy, yz, zx) per displacement of the cut planes, faces free
        of load.
    root_of_face : shape (2, rows_root, cols, 6, n_f) [Pa/N]
        The same per force on the tooth faces, cut planes held.
    """

    retained: RetainedNodes
    condensation: StaticCondensation
    classes: tuple[SectorClass, ...]
    root_of_cuts: Array
    root_of_face: Array
    splines: FaceSplines | None = None

    @cached_property
    def S(self) -> Array:
        """Condensed stiffness on the retained nodes, shape (n_c + n_f + n_c, same) [N/m]."""
        return self.retained.stiffness_in_cut_frames(self.condensation.S)

    def without_root_stress(self) -> CondensedSector:
        """Leave out what no displacement is recovered from: root stress, stiffness and compliance of the classes."""
        none = np.zeros((0, 0))
        classes = tuple(
            replace(c, factor=replace(c.factor, S=none), S_cuts=none, C_0=none, R_cuts=none, R_face=none)
            for c in self.classes
        )
        condensation = replace(self.condensation, factors=tuple(c.factor for c in classes))
        roots: dict[str, Any] = {name: getattr(self, name)[:, :0].copy() for name in ("root_of_cuts", "root_of_face")}
        return replace(self, condensation=condensation, classes=classes, **roots)

    def expand(self, u_b: Array) -> Array:
        """Recover the displacement of all nodes of the sector.

        Parameters
        ----------
        u_b : shape (n_c + n_f + n_c, n_rhs) [m]
            Cut planes in their own frames.

        Returns
        -------
        shape (n_nodes, 3, n_rhs) [m]
            In the tooth frame.
        """
        u = self.condensation.expand(self.retained.to_tooth_frame(u_b))
        return u if self.splines is None else self.splines.expand(u)

    @property
    def smooths_faces(self) -> bool:
        """Whether the window takes the faces to follow the cut planes in splines.

        Not where the ring is divided by symmetry about mid-face, which saves as much.
        """
        return self.splines is not None and MIRROR_Z not in self.classes[0].factor.elimination.symmetry.operations

    def around(self, u_b: Array, nodes: Indices) -> Array:
        """Recover the displacement of some nodes, shape (3 n_nodes, n_rhs) [m], :meth:`expand`; right at these only."""
        carriers = nodes if self.splines is None else self.splines.needed(nodes)
        u = self.condensation.expand(self.retained.to_tooth_frame(u_b), carriers)
        if self.splines is not None:
            u = self.splines.expand(u)
        return u.reshape(-1, u_b.shape[1])

    def gather(self, rows: sparse.csr_array) -> Array:
        """Bring rows over the displacement of all nodes (tooth frame) to the retained ones, the transpose of `expand`.

        Parameters
        ----------
        rows : sparse, shape (n_rows, 3 n_nodes)

        Returns
        -------
        shape (n_rows, n_c + n_f + n_c)
            Over the cut planes in their own frames and the faces in the tooth frame.
        """
        if self.splines is not None:
            rows = self.splines.rows(rows)
        on_retained = self.condensation.gather(rows)
        return np.ascontiguousarray(self.retained.to_cut_frames(np.ascontiguousarray(on_retained.T)).T)

    def free_face(self, u_low: Array, u_high: Array) -> Array:
        """Displacement of unloaded faces, shape (n_f, n_rhs) [m], from that of the cut planes, each in its frame."""
        u_c = np.vstack([u_low, u_high])
        u_f = np.zeros((self.retained.n_face, u_c.shape[1]))
        for part, (of_cuts, of_face) in zip(self.classes, self._face_vectors, strict=True):
            u_f += of_face @ (part.face_recovery @ (of_cuts @ u_c))
        return u_f

    @cached_property
    def _face_vectors(self) -> list[tuple[sparse.csr_array, sparse.csr_array]]:
        """Of each class: its amplitudes on the cut planes from these in their frames; the faces from its own."""
        turn = _cut_rotation(self.retained)
        vectors = [_vectors(part, self.retained) for part in self.classes]
        return [(sparse.csr_array(of_cuts.T @ turn), of_face) for of_cuts, of_face in vectors]

    @cached_property
    def ring_classes(self) -> tuple[RingClass, ...]:
        """The sector as the ring takes it."""
        nodes = self.retained
        symmetry = self.classes[0].factor.elimination.symmetry
        of_ring = symmetry.subgroup([MIRROR_Z])
        heights = np.zeros((symmetry.images.shape[1], 0))
        cut_nodes, face_nodes = (of_ring.representatives(part, heights) for part in (nodes.cut_low, nodes.face))
        turn = _cut_rotation(nodes)
        rings = []
        for character in of_ring.characters:
            cut = of_ring.basis(character, cut_nodes).on(dofs_of(nodes.cut_low))
            face = of_ring.basis(character, face_nodes).on(dofs_of(nodes.face))
            both = turn @ sparse.block_diag([cut.vectors, cut.vectors], format="csr")
            n_c, n_f = 2 * cut.size, face.size
            S_cuts, G, C_0 = np.zeros((n_c, n_c)), np.zeros((n_f, n_c)), None
            for part, fine in zip(self.classes, symmetry.characters, strict=True):
                if not np.array_equal(fine[np.isin(symmetry.operations, of_ring.operations)], character):
                    continue
                of_cuts, of_face = _vectors(part, nodes)
                to_cuts, to_face = sparse.csr_array(of_cuts.T @ both), sparse.csr_array(of_face.T @ face.vectors)
                S_cuts += to_cuts.T @ (to_cuts.T @ part.S_cuts).T
                if _is_identity(to_face):  # no symmetry divides the faces: by far the largest block stays as it is
                    G += (to_cuts.T @ part.face_recovery.T).T
                    C_0 = part.C_0.T  # symmetric, and then in C order
                    continue
                G += (to_cuts.T @ (to_face.T @ part.face_recovery).T).T
                C_part = to_face.T @ (to_face.T @ part.C_0).T
                C_part = 0.5 * (C_part + C_part.T)
                C_0 = C_part if C_0 is None else C_0 + C_part
            assert C_0 is not None
            S_cuts = 0.5 * (S_cuts + S_cuts.T)
            smooth = self.splines.smooth_faces(G) if self.splines and self.smooths_faces else None
            rings.append(RingClass(cut=cut, face=face, S_cuts=S_cuts, face_recovery=G, C_0=C_0, smooth=smooth))
        return tuple(rings)


@single_threaded
def condense_sector(
    sector: SectorMesh,
    material: Material,
    flank: Flank,
    *,
    root_stress: bool = True,
    model: FEModel | None = None,
    elimination: Elimination | None = None,
) -> CondensedSector:
    """Condense a sector to its cut planes and one or both of its tooth faces.

    Parameters
    ----------
    sector : SectorMesh
    material : Material
    flank : {"a", "b", "both"}
        The faces that are loaded.
    root_stress : bool
        False leaves the root stress empty (for the recovery of displacements only).
    model : FEModel, optional
        The sector's own, if it is at hand.
    elimination : Elimination, optional
        :func:`order_elimination`, likewise.

    Raises
    ------
    Fault
        The node sets of the sector do not fit together.
    AnalysisFailure
        The stiffness is not positive definite.
    """
    splines = FaceSplines.of(sector, flank)
    retained = RetainedNodes.of(sector, flank, splines)
    model = FEModel.from_mesh(sector.volume, material) if model is None else model
    if elimination is None:
        elimination = order_elimination(sector, retained, model, splines)
    symmetry = elimination.symmetry
    roots, operator = np.zeros(0, dtype=np.int64), None
    if root_stress:
        roots = symmetry.representatives(np.unique(_root_nodes(sector)), _heights(sector))
        operator = sparse.csr_array(stress_operator(model, roots))
    K = model.stiffness
    if splines is not None:
        K = splines.stiffness(K, _adjacency(model))
        operator = None if operator is None else splines.rows(operator)
    classes = in_parallel(
        [partial(_condense_class, K, elimination, character, retained, operator) for character in symmetry.characters]
    )
    root_of_cuts, root_of_face = _root_stress(sector, retained, roots, classes)
    return CondensedSector(
        retained=retained,
        condensation=StaticCondensation(
            n_nodes=model.n_nodes, retained=retained.nodes, factors=tuple(part.factor for part in classes)
        ),
        splines=splines,
        classes=tuple(classes),
        root_of_cuts=root_of_cuts,
        root_of_face=root_of_face,
    )


def order_elimination(
    sector: SectorMesh, retained: RetainedNodes, model: FEModel, splines: FaceSplines | None = None
) -> Elimination:
    """Find the symmetry of a sector and the order in which its nodes are eliminated."""
    adjacency = _adjacency(model)
    fields = _separating_fields(sector, adjacency)
    gone = retained.bore
    if splines is not None:
        adjacency = splines.graph(adjacency)
        gone = np.union1d(gone, np.flatnonzero(~splines.carriers))
    return Elimination.of(
        adjacency,
        retained.nodes,
        gone,
        fields,
        sector_symmetry(sector, retained),
        _heights(sector),
    )


def _adjacency(model: FEModel) -> sparse.csr_array:
    """Which nodes share an element, ones, shape (n_nodes, n_nodes)."""
    indptr, indices = model.node_graph
    ones = np.ones(len(indices), dtype=np.int32)
    return sparse.csr_array((ones, indices, indptr), shape=(model.n_nodes, model.n_nodes))


def sector_symmetry(sector: SectorMesh, retained: RetainedNodes) -> Symmetry:
    """Find the operations that leave the sector, what is retained of it, and its roots as they are."""
    points = np.asarray(sector.volume.points)
    families = [
        [retained.cut_low, retained.cut_high],
        [retained.face],
        [retained.bore],
        [np.ravel(sector.root_a), np.ravel(sector.root_b)],
    ]
    symmetry = find_symmetry(points, np.asarray(sector.volume.cells), families)
    kept = [
        number
        for number, image, signs in zip(symmetry.operations, symmetry.images, symmetry.signs, strict=True)
        if _keeps_planes(retained, image, leaves=number in (0, MIRROR_Z)) and _keeps_surface(sector, image, signs)
    ]
    return symmetry.subgroup(kept if len(kept) != 3 else kept[:2])


def divides_ring(sector: SectorMesh, retained: RetainedNodes) -> bool:
    """Whether the sector is its own mirror image at mid-face."""
    return MIRROR_Z in sector_symmetry(sector, retained).operations


def _keeps_planes(retained: RetainedNodes, image: Indices, *, leaves: bool) -> bool:
    """Whether nodes of the cut planes that belong together still do; `leaves`: and each in its own plane."""
    low, high = (retained.cut_low, retained.cut_high) if leaves else (retained.cut_high, retained.cut_low)
    place = np.full(image.size, -1, dtype=np.int64)
    place[low] = place[high] = np.arange(low.size)
    to_low, to_high = image[retained.cut_low], image[retained.cut_high]
    return (
        np.array_equal(place[to_low], place[to_high])
        and np.array_equal(np.sort(to_low), np.sort(low))
        and np.array_equal(np.sort(to_high), np.sort(high))
    )


def _keeps_surface(sector: SectorMesh, image: Indices, signs: Indices) -> bool:
    """Whether the free surface, on which the stress depends, is its own image."""
    surface = sector.volume.free_surface
    if surface is None:
        return True
    nodes, normals = np.asarray(surface.nodes), np.asarray(surface.normals)
    there = np.full((image.size, 3), np.nan)
    there[nodes] = normals
    # round-off of a unit vector
    return bool(np.all(np.abs(there[image[nodes]] - signs * normals) < 1e-13))


def _condense_class(
    K: sparse.csr_matrix,
    elimination: Elimination,
    character: Indices,
    retained: RetainedNodes,
    operator: sparse.csr_array | None,
) -> SectorClass:
    """Condense one class of fields; root stress from the cut planes and from the forces on the faces."""
    factor = factorise(K, elimination, character)
    on_face = np.isin(factor.retained.dofs // 3, retained.face)
    cuts, face = np.flatnonzero(~on_face), np.flatnonzero(on_face)
    S_cuts, G, C_0 = free_face(factor.S, cuts, face)
    R = np.zeros((0, cuts.size + face.size))
    if operator is not None:
        u_b = np.zeros((factor.retained.size, cuts.size + face.size))
        u_b[cuts, np.arange(cuts.size)] = 1.0
        u_b[face, : cuts.size] = G
        u_b[face, cuts.size :] = C_0
        u = factor.expand(u_b, factor.needed(np.unique(operator.indices // 3)))
        R = (operator @ factor.basis.vectors) @ u
    return SectorClass(
        factor=factor,
        cuts=cuts,
        face=face,
        S_cuts=S_cuts,
        face_recovery=G,
        C_0=C_0,
        R_cuts=R[:, : cuts.size],
        R_face=R[:, cuts.size :],
    )


def _vectors(part: SectorClass, retained: RetainedNodes) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Basis vectors of a class on the cut planes, low and high, and on the faces, as columns (tooth frame)."""
    cut_dofs = dofs_of(np.concatenate([retained.cut_low, retained.cut_high]))
    basis = part.factor.retained
    on_cuts, on_face = basis.on(cut_dofs).vectors, basis.on(dofs_of(retained.face)).vectors
    return on_cuts[:, part.cuts], on_face[:, part.face]


def _is_identity(matrix: sparse.csr_array) -> bool:
    n = matrix.shape[0]
    return (
        matrix.shape[1] == matrix.nnz == n
        and np.array_equal(matrix.indices, np.arange(n))
        and np.array_equal(matrix.indptr, np.arange(n + 1))
        and bool((matrix.data == 1.0).all())
    )


def _cut_rotation(retained: RetainedNodes) -> sparse.csr_array:
    """From the frames of the cut planes to the tooth frame, low and high, shape (2 n_c, 2 n_c)."""
    each = sparse.eye_array(retained.cut_low.size)
    turns = [sparse.kron(each, rotation(sense * retained.half_pitch_angle)) for sense in (-1.0, 1.0)]
    return sparse.csr_array(sparse.block_diag(turns))


def faces_of(flank: Flank) -> tuple[Literal["a", "b"], ...]:
    """List the faces of a slot in their order: ("a",), ("b",) or ("a", "b")."""
    return ("a", "b") if flank == "both" else (flank,)


def face_grids(sector: SectorMesh, flank: Flank) -> list[Indices]:
    """Give the node grids (rows, cols) of the loaded faces, without the rows that carry no load.

    Raises
    ------
    Fault
        Both flanks are asked for and differ in their rows or columns, or share nodes.
    """
    grids = [np.asarray(sector.loaded(face), dtype=np.int64) for face in faces_of(flank)]
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


def content_of(
    sector: SectorMesh, material: Material, sets: Sequence[str]
) -> tuple[dict[str, npt.NDArray[np.generic]], dict[str, object]]:
    """What a result of a sector depends on, its grid with some of its node sets and its material, for the store."""
    arrays: dict[str, npt.NDArray[np.generic]] = {
        "points": np.asarray(sector.volume.points, dtype=np.float64),
        "cells": np.asarray(sector.volume.cells, dtype=np.int64),
        **{name: np.asarray(getattr(sector, name), dtype=np.int64) for name in sets},
    }
    return arrays, {"E": float(material.E), "nu": float(material.nu), "rho": float(material.rho), "teeth": sector.teeth}


def _heights(sector: SectorMesh) -> Array:
    """Tell which nodes stand for their images: those at the higher end of the face, of these those of flank a."""
    return np.ascontiguousarray(np.asarray(sector.straight_points)[:, [2, 1]])


def _separating_fields(sector: SectorMesh, adjacency: sparse.csr_array) -> list[Array]:
    """Give the scalar fields along which the sector may be cut: coordinates, and layers from its outer surfaces.

    The twist of a helical sector is taken back: its level sets would run across the elements.
    """
    points = np.asarray(sector.straight_points)
    surfaces = (sector.cut_low, sector.cut_high, sector.bore, sector.tip, sector.flank_a, sector.flank_b)
    layers = [layers_from(adjacency, np.ravel(nodes)).astype(float) for nodes in surfaces if np.size(nodes)]
    return [*(np.ascontiguousarray(points[:, axis]) for axis in range(3)), *layers]


def _root_nodes(sector: SectorMesh) -> Indices:
    """Nodes of both roots, shape (2, rows, cols)."""
    roots = [np.asarray(nodes, dtype=np.int64) for nodes in (sector.root_a, sector.root_b)]
    if roots[0].shape != roots[1].shape:
        raise Fault("shape of root_a and root_b", (roots[0].shape, roots[1].shape), "equal", "mesh both roots alike")
    return np.stack(roots)


def _root_stress(
    sector: SectorMesh, retained: RetainedNodes, roots: Indices, classes: list[SectorClass]
) -> tuple[Array, Array]:
    """Put the root stress of all classes together, and at all root nodes from those that represent them."""
    n_c, n_f = 2 * retained.n_cut, retained.n_face
    if not roots.size:
        return np.zeros((2, 0, 0, 6, n_c)), np.zeros((2, 0, 0, 6, n_f))
    symmetry = classes[0].factor.elimination.symmetry
    turn = _cut_rotation(retained)
    of_cuts, of_face = np.zeros((6 * roots.size, n_c)), np.zeros((6 * roots.size, n_f))
    for part in classes:
        on_cuts, on_face = _vectors(part, retained)
        of_cuts += (sparse.csr_array(turn.T @ on_cuts) @ part.R_cuts.T).T
        of_face += (on_face @ part.R_face.T).T

    nodes = _root_nodes(sector)
    place = np.full(symmetry.images.shape[1], -1, dtype=np.int64)  # of each root node in the result
    place[nodes.ravel()] = np.arange(nodes.size)
    cut_nodes = np.concatenate([retained.cut_low, retained.cut_high])
    results = []
    for operator, columns in ((of_cuts, cut_nodes), (of_face, retained.face)):
        result = np.empty((nodes.size, 6, columns.size, 3))
        values = operator.reshape(roots.size, 6, columns.size, 3)
        position = np.full(symmetry.images.shape[1], -1, dtype=np.int64)
        position[columns] = np.arange(columns.size)
        # an image of the same node brings the same numbers again
        for image, signs in zip(symmetry.images, symmetry.signs, strict=True):
            # column j of the image's row is the column whose image j is
            source = np.empty(columns.size, dtype=np.int64)
            source[position[image[columns]]] = np.arange(columns.size)
            stress_signs = signs[_PAIRS].prod(axis=1)
            result[place[image[roots]]] = values[:, :, source] * (stress_signs[:, None, None] * signs)
        results.append(result.reshape(*nodes.shape, 6, 3 * columns.size))
    return results[0], results[1]
