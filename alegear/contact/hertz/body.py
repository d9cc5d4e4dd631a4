"""One gear of a line contact: its compliance without the local part, and the local part of a line load."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alegear.arrays import AnyArray, Array, Indices
from alegear.contact import free_end, layer, plane_elements
from alegear.contact.face_grid import FaceGrid
from alegear.contact.free_end import FreeEnd
from alegear.contact.layer import LayerApproach, distance_from
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.tooth_profile import ToothProfile
from alegear.mesh.sector import SectorMesh
from alegear.reduction.layer import layer_compliance
from alegear.reduction.ring import ClosedWindow, CyclicCompliance
from alegear.reduction.superelement import Superelement
from alegear.storage import model_store

TABLES = ("s", "narrowest", "log_b", "W", "W_s", "W_l", "W_sl")
OUTLINE = 200  # points that tell one profile from another
#: Text of what makes the tables: a changed formulation must not find old ones.
_PROGRAM = np.frombuffer(
    b"".join(Path(file).read_bytes() for file in (layer.__file__, free_end.__file__, plane_elements.__file__)),
    dtype=np.uint8,
)


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
    of_window : CyclicCompliance or shape (slots*nf, slots*nf) [m/N]
        Compliance of the window's faces, ordered as in the superelement and as a rule its own: slot, face, row, col,
        axis. That of a segment is an array.
    local : tuple of shape (nf/n_faces, nf/n_faces) [m/N]
        Local deflection of the layer under each face, to be taken away from it.
    face_offset : shape (slots, n_faces)
        First degree of freedom of each face, by slot of the superelement.
    layer : LayerApproach
        Approach of a strip of pressure on the same layer, as on flank a.
    softness : float [1/Pa]
        (1 - nu^2)/E.
    depth : shape (n_rows,) [m]
        Of the layer under each row, square to the flank.
    ends : per face tuple of FreeEnd
        Of the layer, at the lower and at the upper end of the face.
    """

    faces: tuple[str, ...]
    grid: FaceGrid
    order: int
    of_window: CyclicCompliance | Array
    local: tuple[Array, ...]
    face_offset: Indices
    layer: LayerApproach
    softness: float
    depth: Array
    ends: tuple[tuple[FreeEnd, FreeEnd], ...]

    @property
    def n_dof(self) -> int:
        """Degrees of freedom of the window's faces."""
        if isinstance(self.of_window, CyclicCompliance):
            return self.of_window.slots * self.of_window.n_f
        return len(self.of_window)

    @property
    def repeats(self) -> bool:
        """Whether two teeth answer to each other by their distance only: those of a wheel, no segment's."""
        return isinstance(self.of_window, CyclicCompliance)

    def between(self, first: int, second: int) -> Array:
        """Displacement of the faces of one slot per force on those of another, without the layers, (nf, nf) [m/N]."""
        if isinstance(self.of_window, CyclicCompliance):
            block = self.of_window.block(abs(second - first))
            block = block if second >= first else block.T
        else:
            nf = self.n_dof // len(self.face_offset)
            block = self.of_window[first * nf : (first + 1) * nf, second * nf : (second + 1) * nf]
        if first != second:
            return block
        block = block.copy()
        self._take_away_layers(block)
        return block

    @property
    def column(self) -> Array | None:
        """Splines across the face in which slots apart know of each other, shape (n_cols, n_coefficients), or none."""
        return self.of_window.column if isinstance(self.of_window, CyclicCompliance) else None

    def smooth_between(self, first: int, second: int) -> Array:
        """The same of two slots apart in these splines, order face, row, coefficient, axis, (n_s, n_s) [m/N]."""
        assert isinstance(self.of_window, CyclicCompliance)
        block = self.of_window.ahead[abs(second - first)]
        return block if second >= first else block.T

    def _take_away_layers(self, block: Array) -> None:
        """Take the local deflection of each face out of the compliance of a slot."""
        for f, local in enumerate(self.local):
            face = slice(f * len(local), (f + 1) * len(local))
            block[face, face] -= local

    @classmethod
    def of(cls, gear: CylindricalGear, sector: SectorMesh, wheel: Superelement) -> ElasticBody:
        """Take the local part out of the compliance of a reduced wheel.

        Raises
        ------
        Fault
            If the grid of the sector is not one of this gear, or too coarse for a layer.
        """
        material = wheel.material
        grid = FaceGrid.of(gear, sector, wheel.faces[0])
        n_layers = _layer_elements(_elements_across(sector))
        n_face = wheel.nf // len(wheel.faces)
        offsets = n_face * np.arange(wheel.slots * len(wheel.faces)).reshape(wheel.slots, -1)
        layers = [layer_compliance(sector, material, face, n_layers) for face in wheel.faces]
        first = layers[0]
        mirror = np.array([1.0, 1.0 if wheel.faces[0] == "a" else -1.0])
        profile, window = gear.tooth_profile, wheel.window
        layer = _stored_layer(profile, grid.s_low, first.inner * mirror, material.nu)
        return cls(
            faces=wheel.faces,
            grid=grid,
            order=sector.order,
            of_window=window.compliance if isinstance(window, ClosedWindow) else window.C_ff,
            local=tuple(layer.C_local for layer in layers),
            face_offset=offsets,
            layer=layer,
            softness=(1.0 - material.nu**2) / material.E,
            depth=np.cos(gear.beta_b) * distance_from(profile.points(grid.rows_s) * mirror, first.inner),
            ends=tuple(_ends(gear, face, material.nu) for face in wheel.faces),
        )


def _stored_layer(profile: ToothProfile, s_low: float, inner: Array, nu: float) -> LayerApproach:
    """Table of the layer from the store, else solved, which takes as long as the contact of a whole study."""
    arrays: dict[str, AnyArray] = {
        "inner": inner,
        "outer": profile.points(np.linspace(s_low, profile.s_tip, OUTLINE)),
        "program": _PROGRAM,
    }
    values = {"s_low": s_low, "s_tip": float(profile.s_tip), "nu": float(nu)}

    def solved() -> dict[str, Array]:
        layer = LayerApproach.build(profile, s_low, profile.s_tip, inner, nu)
        return {name: np.atleast_1d(getattr(layer, name)) for name in TABLES}

    tables = dict(model_store.stored(arrays, values, solved))
    narrowest = tables.pop("narrowest").item()
    return LayerApproach(**tables, narrowest=narrowest, nu=nu)


def _ends(gear: CylindricalGear, face: str, nu: float) -> tuple[FreeEnd, FreeEnd]:
    """Ends of the layer under a face at -z and +z: on the side to which an oblique tooth leans they are acute."""
    lean = gear.beta_b if face == "a" else -gear.beta_b
    return _stored_end(nu, -lean), _stored_end(nu, lean)


def _stored_end(nu: float, lean: float) -> FreeEnd:
    """Free end of a layer from the store, else solved."""
    values = {"nu": float(nu), "lean": float(lean) + 0.0}  # no minus zero
    # both gears of a pair have the same ends, in the other order
    return FreeEnd(**model_store.stored({"program": _PROGRAM}, values, lambda: vars(FreeEnd.build(nu, lean))))


def _layer_elements(across: int) -> int:
    """Elements through the layer, of so many across the tooth: to the middle of the tooth.

    What a coarse grid makes of a line load is then far from where the layer is clamped. With a layer half as deep loads
    beside the ends of oblique lines on tip edges were up to 15 % of the mean off in place of 5 %, those at the ends of
    the face 6 in place of 2 % (`validation/fe_helical_20_30`).
    """
    return max(1, across // 2)


def _elements_across(sector: SectorMesh) -> int:
    """Elements across the tooth, from the nodes on the tip land of one section."""
    columns = sector.flank_a.shape[1]
    return max((len(sector.tip) // columns - 1) // sector.order, 1)
