"""One gear of a line contact: its compliance without the local part, and the local part of a line load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.contact.face_grid import FaceGrid
from alegear.contact.hertz.slices import row_coefficients
from alegear.contact.layer import LayerApproach
from alegear.geometry.gear import Gear
from alegear.mesh.sector import SectorMesh
from alegear.reduction.layer import layer_compliance
from alegear.reduction.superelement import Superelement

Array = NDArray[np.float64]

LAYER_DEPTH = 4  # the layer takes one in so many of the elements across the tooth, and at least one


@dataclass(frozen=True, kw_only=True, eq=False)
class ElasticBody:
    """What a reduced wheel contributes to line contact; the same for every microgeometry, alignment and load.

    Attributes
    ----------
    faces : tuple of {"a", "b"}
        Tooth faces that can touch.
    grid : FaceGrid
        Rows and columns, the same on both faces.
    order : int
        Of the elements.
    compliance : shape (n_dof, n_dof) [m/N]
        Of the window's faces, without the local deflection of the layer under each face; ordered as in the
        superelement: slot, face, row, col, axis.
    face_offset : shape (slots, n_faces)
        First degree of freedom of each face, by slot of the superelement.
    row_coefficients : shape (n_rows - 1, 4, 4)
        :func:`alegear.contact.hertz.slices.row_coefficients`.
    layer : LayerApproach
        Approach of a strip of pressure on the same layer, as on flank a.
    layer_table : shape (4, n_s, n_b)
        Its values, derivatives against s and ln b, and cross derivatives, for the kernels.
    softness : float [1/Pa]
        (1 - nu^2)/E.
    """

    faces: tuple[str, ...]
    grid: FaceGrid
    order: int
    compliance: Array
    face_offset: NDArray[np.int64]
    row_coefficients: Array
    layer: LayerApproach
    layer_table: Array
    softness: float

    @classmethod
    def of(cls, gear: Gear, sector: SectorMesh, wheel: Superelement) -> ElasticBody:
        """Take the local part out of the compliance of a reduced wheel.

        Raises
        ------
        Fault
            If the grid of the sector is not one of this gear, or too coarse for a layer.
        """
        material = wheel.material
        thickness = _elements_across(sector)
        n_layers = max(1, thickness // LAYER_DEPTH)
        grid = FaceGrid.of(gear, sector, wheel.faces[0])
        compliance = wheel.C_ff.copy()
        n_face = wheel.nf // len(wheel.faces)
        offsets = np.empty((wheel.slots, len(wheel.faces)), dtype=np.int64)
        layers = {}
        for f, face in enumerate(wheel.faces):
            local = layer_compliance(sector, material, face, n_layers)
            layers[face] = local
            for slot in range(wheel.slots):
                start = slot * wheel.nf + f * n_face
                offsets[slot, f] = start
                compliance[start : start + n_face, start : start + n_face] -= local.C_local
        first = layers[wheel.faces[0]]
        mirror = np.array([1.0, 1.0 if wheel.faces[0] == "a" else -1.0])
        profile = gear.tooth_profile
        layer = LayerApproach.build(profile, float(grid.rows_s[0]), profile.s_tip, first.inner * mirror, material.nu)
        return cls(
            faces=wheel.faces,
            grid=grid,
            order=sector.order,
            compliance=compliance,
            face_offset=offsets,
            row_coefficients=row_coefficients(grid.rows_s),
            layer=layer,
            layer_table=np.ascontiguousarray(np.stack([layer.W, layer.W_s, layer.W_l, layer.W_sl])),
            softness=(1.0 - material.nu**2) / material.E,
        )


def _elements_across(sector: SectorMesh) -> int:
    """Elements across the tooth, from the nodes on the tip land of one section."""
    columns = sector.flank_a.shape[1]
    return max((len(sector.tip) // columns - 1) // sector.order, 1)
