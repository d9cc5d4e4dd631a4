"""What displacements of inner nodes are recovered from: the factors of a sector, and the chains of unloaded sectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from alegear.arrays import Array, Indices
from alegear.mesh import SectorMesh
from alegear.reduction.face_splines import FaceSplines
from alegear.reduction.ring import Closing, cuts_of_chain, rows_of_chain
from alegear.reduction.sector_condensation import CondensedSector, Flank, RetainedNodes, RingClass, SectorClass
from alegear.reduction.sector_layout import SectorLayout
from alegear.reduction.sparse import Elimination, Factor, Front, StaticCondensation, Step
from alegear.reduction.symmetry import Basis, Symmetry

_NONE = np.zeros((0, 0))


@dataclass(frozen=True, kw_only=True, eq=False)
class Recovery:
    """What only the displacement of inner nodes needs; it takes more memory than the rest.

    Parameters
    ----------
    sector : CondensedSector
        Without root stress.
    rings : tuple of Ring
    """

    sector: CondensedSector
    rings: tuple[Ring, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Ring:
    """What closes the window, in one class of fields: chains of unloaded sectors.

    Parameters
    ----------
    sector : RingClass
    closing : list of (cuts, stiffness [N/m])
        Stiffness of the rest of the wheel on cut planes of the window.
    chain_recovery : dict of int to shape (n_c, 2 n_c)
        :attr:`alegear.reduction.ring.Chains.recovery`.
    cut_compliance : shape (n_cuts, n_c, n_c) [m/N]
        Of a closed wheel, :func:`alegear.reduction.ring.cut_compliance`.
    end_recovery : dict of str to shape (n_c, n_c)
        "below", "above": free end of a segment from the cut plane of the window.
    """

    sector: RingClass
    closing: Closing
    chain_recovery: dict[int, Array]
    end_recovery: dict[str, Array]
    cut_compliance: Array | None = None

    def for_recovery(self) -> Ring:
        """Leave out what only the window needs."""
        none = np.zeros((0, 0))
        sector = replace(self.sector, S_cuts=none, face_recovery=none, C_0=none, smooth=None)
        return replace(self, sector=sector, closing=[], cut_compliance=None)

    def cuts(self, layout: SectorLayout, window: list[Array], sectors: Indices) -> tuple[list[Array], list[Array]]:
        """Recover the low and the high cut plane of some sectors from those of the window, each (n_c, n_rhs)."""
        beyond, n_above = layout.slots + layout.above, layout.slots + layout.above + 1
        planes = dict(enumerate(window))  # plane k is the low one of sector k, but for those below a segment's window
        first_above = window[layout.slots % layout.n_cuts]
        if not layout.above:
            planes[beyond] = first_above
        else:
            end = window[0] if layout.closed else self.end_recovery["above"] @ first_above
            wanted = {int(k) - layout.slots + side for k in sectors for side in (0, 1)}
            above = cuts_of_chain(self.chain_recovery, layout.above, first_above, end, wanted)
            planes |= {layout.slots + k: u for k, u in above.items()}
        if layout.below:
            end = self.end_recovery["below"] @ window[0]
            wanted = {int(k) - beyond + side for k in sectors for side in (0, 1)}
            below = cuts_of_chain(self.chain_recovery, layout.below, end, window[0], wanted)
            planes |= {n_above + k: u for k, u in below.items()}
        low = [int(k) + (k >= beyond) for k in sectors]
        return [planes[k] for k in low], [planes[k + 1] for k in low]

    def rows(self, layout: SectorLayout, of_cuts: Array) -> Array:
        """Bring rows over the two cut planes of a sector to those of the window, for every sector outside it.

        Parameters
        ----------
        layout : SectorLayout
        of_cuts : shape (n_rows, 2 n_c)

        Returns
        -------
        shape (n_sectors - slots, n_rows, 2 n_c)
            Sector slots first; over the planes that :func:`planes_of_sectors` names.
        """
        n_c, known = of_cuts.shape[1] // 2, {1: of_cuts[None]}
        parts = [np.zeros((0, *of_cuts.shape))]
        if layout.above:
            parts.append(rows_of_chain(self.chain_recovery, layout.above, known).copy())
            if not layout.closed:
                parts[-1][..., :n_c] += parts[-1][..., n_c:] @ self.end_recovery["above"]
        if layout.below:
            low, high = np.split(rows_of_chain(self.chain_recovery, layout.below, known), 2, axis=-1)
            parts.append(np.concatenate([high + low @ self.end_recovery["below"], np.zeros_like(high)], axis=-1))
        rows = np.concatenate(parts)
        if not layout.closed:
            rows[..., n_c:] = 0.0
        return rows


# --- in the store -----------------------------------------------------------------------------------------------------


def recovery_arrays(recovery: Recovery) -> dict[str, Array]:
    """What is stored: the order of elimination, the factors of each class, the chains; whole numbers as floats."""
    sector = recovery.sector
    elimination = sector.classes[0].factor.elimination
    steps = elimination.steps
    arrays: dict[str, npt.NDArray[np.generic]] = {
        "operations": elimination.symmetry.operations,
        "images": elimination.symmetry.images,
        "retained": elimination.retained,
        **_joined("eliminated", (step.eliminated for step in steps)),
        **_joined("border", (step.border for step in steps)),
        **_joined("children", (np.array(step.children, dtype=np.int64) for step in steps)),
    }
    for c, part in enumerate(sector.classes):
        arrays |= {f"class {c} cuts": part.cuts, f"class {c} face": part.face}
        arrays[f"class {c} recovery"] = part.face_recovery
        arrays |= _joined(f"class {c} border", (front.border for front in part.factor.fronts))
        for k, front in enumerate(part.factor.fronts):
            arrays[f"class {c} front {k}"] = front.L.T  # in C order, which is how it lies there
    for r, ring in enumerate(recovery.rings):
        for name, basis in (("cut", ring.sector.cut), ("face", ring.sector.face)):
            arrays |= {f"ring {r} {name} {part}": getattr(basis, part) for part in ("dofs", "place", "weight")}
        arrays |= {f"ring {r} chain {m}": u for m, u in ring.chain_recovery.items()}
        arrays |= {f"ring {r} end {name}": u for name, u in ring.end_recovery.items()}
    return {name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()}


def recovery_from(arrays: Mapping[str, Array], sector: SectorMesh, flank: Flank) -> Recovery:
    """The recovery of a sector from what is stored of it."""
    splines = FaceSplines.of(sector, flank)
    retained = RetainedNodes.of(sector, flank, splines)
    parts = (_parted(arrays, name) for name in ("eliminated", "border", "children"))
    elimination = Elimination(
        symmetry=Symmetry(operations=_whole(arrays["operations"]), images=_whole(arrays["images"])),
        steps=tuple(
            Step(eliminated=own, border=border, children=tuple(children.tolist()))
            for own, border, children in zip(*parts, strict=True)
        ),
        retained=_whole(arrays["retained"]),
    )
    classes = tuple(_class_from(arrays, c, elimination) for c in range(len(elimination.symmetry.characters)))
    condensation = StaticCondensation(
        n_nodes=len(sector.volume.points), retained=retained.nodes, factors=tuple(part.factor for part in classes)
    )
    condensed = CondensedSector(
        retained=retained,
        condensation=condensation,
        classes=classes,
        root_of_cuts=np.zeros((2, 0)),
        root_of_face=np.zeros((2, 0)),
        splines=splines,
    )
    n_rings = sum(name.endswith("cut dofs") for name in arrays)
    return Recovery(sector=condensed, rings=tuple(_ring_from(arrays, r) for r in range(n_rings)))


def _class_from(arrays: Mapping[str, Array], c: int, elimination: Elimination) -> SectorClass:
    character = elimination.symmetry.characters[c]
    fronts, first = [], 0
    for k, border in enumerate(_parted(arrays, f"class {c} border")):
        L = arrays[f"class {c} front {k}"].T
        fronts.append(Front(first=first, border=border, L=L))
        first += L.shape[1]
    factor = Factor(
        elimination=elimination,
        basis=elimination.symmetry.basis(character, elimination.nodes),
        retained=elimination.symmetry.basis(character, elimination.retained),
        S=_NONE,
        fronts=tuple(fronts),
    )
    return SectorClass(
        factor=factor,
        cuts=_whole(arrays[f"class {c} cuts"]),
        face=_whole(arrays[f"class {c} face"]),
        S_cuts=_NONE,
        face_recovery=arrays[f"class {c} recovery"],
        C_0=_NONE,
        R_cuts=_NONE,
        R_face=_NONE,
    )


def _ring_from(arrays: Mapping[str, Array], r: int) -> Ring:
    def basis(name: str) -> Basis:
        dofs, place, weight = (arrays[f"ring {r} {name} {part}"] for part in ("dofs", "place", "weight"))
        return Basis(dofs=_whole(dofs), place=_whole(place), weight=weight)

    def named(word: str) -> dict[str, Array]:
        start = f"ring {r} {word} "
        return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}

    return Ring(
        sector=RingClass(cut=basis("cut"), face=basis("face"), S_cuts=_NONE, face_recovery=_NONE, C_0=_NONE),
        closing=[],
        chain_recovery={int(m): u for m, u in named("chain").items()},
        end_recovery=named("end"),
    )


def _joined(name: str, parts: Iterable[Indices]) -> dict[str, Indices]:
    """Lists of whole numbers one behind the other, and how many each has."""
    known = list(parts)
    count = np.array([part.size for part in known], dtype=np.int64)
    return {name: np.concatenate([*known, np.zeros(0, dtype=np.int64)]), f"{name} count": count}


def _parted(arrays: Mapping[str, Array], name: str) -> list[Indices]:
    """The lists again."""
    count = _whole(arrays[f"{name} count"])
    return np.split(_whole(arrays[name]), np.cumsum(count))[: count.size]


def _whole(array: Array) -> Indices:
    return array.astype(np.int64)
