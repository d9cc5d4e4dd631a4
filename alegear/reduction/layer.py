r"""Compliance of a clamped layer under the flank of one tooth: what the grid itself contributes to the local approach.

The layer consists of the hexahedra down to a number of elements under the flank. Where it meets the rest of the grid it
is clamped, so that its compliance holds the local deflection and nothing of the bending of the tooth. Taken from the
compliance of the wheel, which has the same elements there, it leaves the deflection that a coarse grid can represent:

.. math::
    C_{global} = C - C_{local}, \qquad C_{local} = (K_{bb} - K_{bi} K_{ii}^{-1} K_{ib})^{-1},

b the free nodes of the flank that can carry load, i the other free nodes. The approach of a line load on the same layer
is then added from elsewhere, with any resolution; the depth of the layer cancels. The division into a global part from
finite elements and a local one is that of Andersson and Vedmar (2003, J. Sound Vib. 260, 195), who do without the
layer.

The elements are found by their neighbours, not by their numbers: a grid made elsewhere serves as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.fe import FEModel, Material
from alegear.fe.assembly import incidence
from alegear.mesh import SectorMesh, VolumeMesh
from alegear.mesh.reference_cell import HEXAHEDRON_NODES
from alegear.parallel import single_threaded
from alegear.reduction import dense
from alegear.reduction.sector_condensation import content_of
from alegear.reduction.sparse import condense, dofs_of
from alegear.storage import model_store

#: Nodes of an element that lie on one of its sides, by the number of its nodes.
_SIDE_NODES = {8: 4, 27: 9}

#: Node of an element opposite to each of its nodes along xi, eta, zeta, shape (3, 27); of the corners again a corner.
_OPPOSITE = np.array(
    [
        np.abs(HEXAHEDRON_NODES[:, None] * (1.0 - 2.0 * axis) - HEXAHEDRON_NODES).sum(axis=2).argmin(axis=1)
        for axis in np.eye(3)
    ]
)


@dataclass(frozen=True, kw_only=True, eq=False)
class LayerCompliance:
    """A layer of elements under one flank, clamped where it meets the rest of the tooth and of the rim.

    Parameters
    ----------
    flank : {"a", "b"}
    n_layers : int
        Depth in elements.
    C_local : shape (3 rows cols, 3 rows cols) [m/N]
        Displacement of the flank nodes that can carry load per force on them, order row, col, axis, tooth frame.
        Symmetric, positive semidefinite: flank nodes that belong to elements outside the layer too, the lowest row of
        the flank, are clamped and have zero rows and columns.
    outer, inner : shape (rows, 2) [m]
        Transverse section at z = 0 in the tooth frame, all rows: nodes of the flank, and of the clamped boundary,
        inner[i] `n_layers` elements behind outer[i].
    """

    flank: Literal["a", "b"]
    n_layers: int
    C_local: Array
    outer: Array
    inner: Array


@single_threaded
def layer_compliance(
    sector: SectorMesh, material: Material, flank: Literal["a", "b"], n_layers: int
) -> LayerCompliance:
    """Compute the compliance of the flank of one tooth with everything deeper than a layer of elements clamped.

    It is taken from the store of reductions if it was computed before. The tip land and the ends of the face are free.

    Parameters
    ----------
    sector : SectorMesh
    material : Material
    flank : {"a", "b"}
    n_layers : int
        Depth of the layer in elements, 1 to half the elements across the tooth.

    Raises
    ------
    Fault
        The layer reaches beyond the middle of the tooth, or the grid has no layers parallel to the flank.
    AnalysisFailure
        The stiffness of the layer is not positive definite.

    Examples
    --------
    >>> layer = layer_compliance(sector, Material(), "a", 3)  # doctest: +SKIP
    >>> C_global = C_flank - layer.C_local  # doctest: +SKIP
    """
    if flank not in ("a", "b"):
        raise Fault("flank of the layer", flank, '"a" or "b"', "ask for each flank by itself")
    if isinstance(n_layers, bool) or not isinstance(n_layers, int | np.integer) or n_layers < 1:
        raise Fault("elements of the layer under the flank", n_layers, "a whole number from 1 on", "use 2")
    grid = np.asarray(sector.flank_a if flank == "a" else sector.flank_b, dtype=np.int64)
    layer = _layer(sector, flank, int(n_layers))
    outer, inner = _section(np.asarray(sector.straight_points), grid, layer)
    arrays, values = content_of(sector, material, ("flank_a", "flank_b"))
    face = sector.loaded(flank).ravel()
    found = model_store.stored(
        {**arrays, "face": face},
        {**values, "layer": int(n_layers), "flank": flank},
        lambda: {"C_local": _compliance(sector, material, face, layer.stacks)},
    )
    return LayerCompliance(
        flank=flank,
        n_layers=int(n_layers),
        C_local=found["C_local"],
        outer=outer,
        inner=inner,
    )


# --- which elements ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class _Layer:
    """Stacks of elements under the quadrilaterals of a flank.

    Parameters
    ----------
    outer, inner : shape (n, 4) or (n, 9)
        Nodes of the quadrilaterals on the flank and at the other end of the stacks, matching.
    stacks : shape (n, n_layers)
        Elements from the flank inwards.
    """

    outer: Indices
    inner: Indices
    stacks: Indices


def _layer(sector: SectorMesh, flank: Literal["a", "b"], n_layers: int) -> _Layer:
    """Go inwards from both flanks, layer by layer, as long as they do not meet."""
    cells = np.asarray(sector.volume.cells, dtype=np.int64)
    both = [_first_layer(cells, np.asarray(grid, dtype=np.int64)) for grid in (sector.flank_a, sector.flank_b)]
    for depth in range(1, n_layers + 1):
        if depth > 1:
            both = [_next_layer(cells, layer) for layer in both]
        if np.intersect1d(both[0].stacks, both[1].stacks).size:
            raise Fault(
                "elements of the layer under the flank",
                n_layers,
                f"at most {depth - 1}, half the elements across the tooth",
                "take fewer, or raise thickness_elements",
            )
    return both[0] if flank == "a" else both[1]


def _first_layer(cells: Indices, grid: Indices) -> _Layer:
    """Find the elements with a side on the flank."""
    n = _SIDE_NODES[cells.shape[1]]
    on_flank = np.isin(cells, grid)
    count = np.count_nonzero(on_flank, axis=1)
    first = np.flatnonzero(count == n)
    outer = cells[first][on_flank[first]].reshape(-1, n)
    if count.max() > n or not np.array_equal(np.unique(grid), np.unique(outer)):
        raise _no_layers("the flank is not the side of one layer of elements")
    return _Layer(outer=outer, inner=_across(cells[first], outer), stacks=first[:, None])


def _next_layer(cells: Indices, layer: _Layer) -> _Layer:
    """Find the elements behind the inner quadrilaterals."""
    n_nodes = int(cells.max()) + 1
    shared = (incidence(layer.inner, n_nodes) @ incidence(cells, n_nodes).T).tocoo()
    behind = (shared.data == layer.inner.shape[1]) & (shared.col != layer.stacks[shared.row, -1])
    stack, following = shared.row[behind], shared.col[behind].astype(np.int64)
    order = np.argsort(stack)
    if not np.array_equal(stack[order], np.arange(len(layer.inner))):
        raise _no_layers("a stack of elements under the flank ends before the middle of the tooth")
    following = following[order]
    return _Layer(
        outer=layer.outer,
        inner=_across(cells[following], layer.inner),
        stacks=np.hstack([layer.stacks, following[:, None]]),
    )


def _across(cells: Indices, sides: Indices) -> Indices:
    """Find the nodes of each element (n, 8 or 27) opposite to those of one of its sides (n, 4 or 9)."""
    place = (cells[:, None, :] == sides[:, :, None]).argmax(axis=2)
    reference = HEXAHEDRON_NODES[place]
    on_side = (reference == reference[:, :1]).all(axis=1)  # the reference coordinate that all nodes share
    if not (on_side.sum(axis=1) == 1).all():
        raise _no_layers("the nodes of an element on the flank are not one of its sides")
    opposite: Indices = np.take_along_axis(cells, _OPPOSITE[on_side.argmax(axis=1)[:, None], place], axis=1)
    return opposite


def _no_layers(reason: str) -> Fault:
    return Fault(
        "elements under the flank",
        reason,
        "in layers parallel to the flank, each side of an element behind the one before it",
        "mesh the tooth in rows that run from one flank to the other",
    )


def _section(points: Array, grid: Indices, layer: _Layer) -> tuple[Array, Array]:
    """Transverse coordinates of the flank and of the inner boundary, in the column nearest to mid-face."""
    behind = np.zeros(len(points), dtype=np.int64)
    behind[layer.outer] = layer.inner
    if not np.array_equal(behind[layer.outer], layer.inner):
        raise _no_layers("the stacks of elements that meet at a flank node part under it")
    middle = grid[:, np.abs(points[grid, 2]).sum(axis=0).argmin()]
    return np.ascontiguousarray(points[middle, :2]), np.ascontiguousarray(points[behind[middle], :2])


# --- its compliance ---------------------------------------------------------------------------------------------------


def _compliance(sector: SectorMesh, material: Material, face: Indices, stacks: Indices) -> Array:
    """Compliance of the flank nodes of a part of the grid that is clamped where it meets the rest."""
    cells = np.asarray(sector.volume.cells, dtype=np.int64)
    inside = np.zeros(len(cells), dtype=bool)
    inside[stacks] = True
    nodes, part = np.unique(cells[inside], return_inverse=True)
    points = np.asarray(sector.volume.points)[nodes]
    model = FEModel.from_mesh(VolumeMesh(points=points, cells=part.reshape(-1, cells.shape[1])), material)
    clamped = np.isin(nodes, cells[~inside])
    place = np.searchsorted(nodes, face)  # all flank nodes belong to the layer
    free = ~clamped[place]
    straight = np.asarray(sector.straight_points)[nodes]
    fields = [np.ascontiguousarray(straight[:, axis]) for axis in range(3)]
    condensation = condense(model.stiffness, place[free], np.flatnonzero(clamped), fields, keep_factor=False)
    L = condensation.S.T  # symmetric, and then in Fortran order
    dense.factorise(L)
    dense.invert(L)
    C_local = np.zeros((3 * face.size, 3 * face.size))
    dofs = dofs_of(np.flatnonzero(free))
    C_local[np.ix_(dofs, dofs)] = dense.mirror_lower(L)
    return C_local
