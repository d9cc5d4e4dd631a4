"""Stress and rotation of points on a tooth as rows over the displacement of the nodes of sectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from alegear.arrays import Array, Indices
from alegear.fe.assembly import FEModel
from alegear.fe.material import Material
from alegear.fe.stress import TENSOR, stress_operator
from alegear.mesh.sector import SectorMesh
from alegear.mesh.surface_point import SurfacePoint
from alegear.mesh.wheel import sector_rotation
from alegear.reduction.sparse import dofs_of


class BeyondRows(NamedTuple):
    """What the stress at some points takes from the sector `pitch` (+1 or -1) pitches on, in their own tooth frame.

    ``points``: numbers of these points; ``rows``: sparse, shape (6 len(points), 3 n_nodes) [Pa/m].
    """

    pitch: int
    points: list[int]
    rows: sparse.csr_array


class StressRows:
    """Stress (xx, yy, zz, xy, yz, zx; tooth frame) at points as rows over the displacement of the nodes of a sector.

    At a node in the middle of a tooth space the elements of two sectors meet. Its stress is the mean over all of them,
    with the weights ``1 / V_e`` of :func:`~alegear.fe.stress.nodal_stress`, so that a point there has rows over both.

    Parameters
    ----------
    sector : SectorMesh
    material : Material
    """

    def __init__(self, sector: SectorMesh, material: Material) -> None:
        self._teeth = sector.teeth
        self._model = FEModel.from_mesh(sector.volume, material)
        cells = self._model.cells
        inverse = np.repeat(1.0 / self._model.cell_volumes, cells.shape[1])
        self._weight = np.bincount(cells.ravel(), inverse, minlength=self._model.n_nodes)
        low, high = np.ravel(sector.cut_low).tolist(), np.ravel(sector.cut_high).tolist()
        # a node of flank a in the middle of the tooth space lies in the upper cut plane, one of flank b in the lower
        self._twins = {"a": dict(zip(high, low, strict=True)), "b": dict(zip(low, high, strict=True))}

    def own(self, place: SurfacePoint) -> sparse.csr_array:
        """What the point's own sector contributes, shape (6, 3 n_nodes) [Pa/m]: all, but in the middle of a space."""
        shares = [self._own_share(place.flank, node) for node in place.nodes.tolist()]
        return self._mean(place.nodes, place.weights * shares)

    def beyond(self, places: Sequence[SurfacePoint]) -> list[BeyondRows]:
        """What neighbouring sectors contribute to the points."""
        found = []
        for flank, pitch in (("a", 1), ("b", -1)):
            turn = _turned_stress(sector_rotation(self._teeth, pitch))
            rows = {
                i: sparse.csr_array(turn @ self._across(place))
                for i, place in enumerate(places)
                if place.flank == flank and any(node in self._twins[flank] for node in place.nodes.tolist())
            }
            if rows:
                found.append(BeyondRows(pitch, list(rows), sparse.csr_array(sparse.vstack(list(rows.values())))))
        return found

    def _across(self, place: SurfacePoint) -> sparse.csr_array:
        """Share of the neighbour, over the displacement of its nodes and in its frame."""
        twins = self._twins[place.flank]
        met = [k for k, node in enumerate(place.nodes.tolist()) if node in twins]
        nodes = place.nodes[met].tolist()
        shares = np.array([1.0 - self._own_share(place.flank, node) for node in nodes])
        return self._mean(np.array([twins[node] for node in nodes]), place.weights[met] * shares)

    def _own_share(self, flank: str, node: int) -> float:
        twin = self._twins[flank].get(node)
        return 1.0 if twin is None else float(self._weight[node] / (self._weight[node] + self._weight[twin]))

    def _mean(self, nodes: Indices, weights: Array) -> sparse.csr_array:
        """Weighted sum of the stress at some nodes, shape (6, 3 n_nodes)."""
        mean = sparse.kron(weights[None], sparse.eye_array(6))
        return sparse.csr_array(mean @ stress_operator(self._model, nodes))


def rotation_row(sector: SectorMesh, place: SurfacePoint) -> sparse.csr_array:
    """Rotation of a point about the axis of the gear, (x u_y - y u_x)/r^2, shape (1, 3 n_nodes) [rad/m]."""
    x, y, _ = sector.volume.points[place.nodes].T
    arm = np.stack([-y, x, np.zeros_like(x)], axis=1) * (place.weights / (x**2 + y**2))[:, None]
    columns = dofs_of(place.nodes)
    shape = (1, 3 * len(sector.volume.points))
    return sparse.csr_array((arm.ravel(), (np.zeros(columns.size, dtype=int), columns)), shape=shape)


def _turned_stress(R: Array) -> Array:
    """``R sigma R^T`` as a matrix on the components xx, yy, zz, xy, yz, zx, shape (6, 6)."""
    turned = R @ np.eye(6)[:, TENSOR] @ R.T  # images of the six unit stresses
    return turned[:, [0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]].T
