"""The window of a reduced wheel: the ring closed by chains of unloaded sectors, and solved in each class of fields."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from alegear.arrays import Array, Indices
from alegear.parallel import in_parallel, single_threaded
from alegear.reduction._kernels import unfold
from alegear.reduction.recovery import Ring
from alegear.reduction.ring import (
    Chains,
    ClosedWindow,
    Closing,
    CyclicCompliance,
    OpenWindow,
    closed_window,
    cut_compliance,
    free_end,
    open_window,
)
from alegear.reduction.sector_condensation import RingClass
from alegear.reduction.sector_layout import SectorLayout
from alegear.reduction.symmetry import Basis


@single_threaded
def close_ring(sector: tuple[RingClass, ...], layout: SectorLayout, *, window: bool = True) -> tuple[Ring, ...]:
    """Build the chains of unloaded sectors that close the window, each class of fields by itself.

    Parameters
    ----------
    sector : tuple of RingClass
        :attr:`alegear.reduction.sector_condensation.CondensedSector.ring_classes`.
    layout : SectorLayout
    window : bool
        Whether :func:`solve_window` is to follow; the recovery of displacements needs less.
    """
    return tuple(in_parallel([partial(_close, part, layout, window) for part in sector]))


def _close(part: RingClass, layout: SectorLayout, window: bool) -> Ring:
    chains = Chains(stiffness={1: part.S_cuts})
    n_c = part.cut.size
    low, high = slice(0, n_c), slice(n_c, 2 * n_c)
    closing: Closing = []
    ends: dict[str, Array] = {}
    if layout.closed:
        if layout.above:
            closing.append(((layout.slots, 0), chains.of(layout.above)))
    else:
        if layout.above:
            stiffness, ends["above"] = free_end(chains.of(layout.above), outer=high, inner=low)
            closing.append(((layout.slots,), stiffness))
        if layout.below:
            stiffness, ends["below"] = free_end(chains.of(layout.below), outer=low, inner=high)
            closing.append(((0,), stiffness))
    between_cuts = cut_compliance(chains, layout.slots, closing) if layout.closed and window else None
    return Ring(
        sector=part,
        closing=closing,
        chain_recovery=chains.recovery,
        end_recovery=ends,
        cut_compliance=between_cuts,
    )


@single_threaded
def solve_window(rings: tuple[Ring, ...], layout: SectorLayout) -> ClosedWindow | OpenWindow:
    """Solve the window in all classes of fields and put these together."""
    if layout.closed:
        closed = in_parallel([partial(_solve_closed, ring, layout) for ring in rings])
        return closed[0] if len(closed) == 1 else _closed_together(rings, closed, layout)
    parts = in_parallel([partial(_solve_open, ring, layout) for ring in rings])
    return parts[0] if len(parts) == 1 else _open_together(rings, parts, layout)


def _solve_closed(ring: Ring, layout: SectorLayout) -> ClosedWindow:
    part = ring.sector
    column, recovery = part.smooth or (None, part.face_recovery)
    assert ring.cut_compliance is not None
    return closed_window(part.C_0, recovery, ring.cut_compliance, layout.slots, column)


def _solve_open(ring: Ring, layout: SectorLayout) -> OpenWindow:
    part = ring.sector
    return open_window(part.C_0, part.face_recovery, part.S_cuts, layout.slots, ring.closing)


def _closed_together(rings: tuple[Ring, ...], parts: list[ClosedWindow], layout: SectorLayout) -> ClosedWindow:
    n_c, n_f = len(rings[0].sector.cut.place), len(rings[0].sector.face.place)
    ahead, cut_rows = np.zeros((layout.slots, n_f, n_f)), np.zeros((n_c, 2 * layout.slots * n_f))
    for ring, part in zip(rings, parts, strict=True):
        cut, face = ring.sector.cut, ring.sector.face
        for whole, of_class in zip(ahead, part.compliance.ahead, strict=True):
            unfold(of_class, *_repeated(face, 1), *_repeated(face, 1), whole)
        unfold(part.cut_rows, *_repeated(cut, 1), *_repeated(face, 2 * layout.slots), cut_rows)
    return ClosedWindow(compliance=CyclicCompliance(ahead=ahead), cut_rows=cut_rows, n_cuts=layout.n_cuts)


def _open_together(rings: tuple[Ring, ...], parts: list[OpenWindow], layout: SectorLayout) -> OpenWindow:
    n_c, n_f = len(rings[0].sector.cut.place), len(rings[0].sector.face.place)
    C_ff = np.zeros((layout.slots * n_f, layout.slots * n_f))
    response = np.zeros((layout.n_cuts * n_c, layout.slots * n_f))
    for ring, part in zip(rings, parts, strict=True):
        cut, faces = ring.sector.cut, _repeated(ring.sector.face, layout.slots)
        unfold(part.C_ff, *faces, *faces, C_ff)
        flat = part.cut_response.reshape(layout.n_cuts * cut.size, -1)
        unfold(flat, *_repeated(cut, layout.n_cuts), *faces, response)
    return OpenWindow(C_ff=C_ff, cut_response=response.reshape(layout.n_cuts, n_c, -1))


def _repeated(basis: Basis, times: int) -> tuple[Indices, Array]:
    """Place and weight for as many copies of a basis one behind the other; any place where the weight is zero."""
    first = np.repeat(basis.size * np.arange(times), len(basis.place))
    return first + np.tile(np.maximum(basis.place, 0), times), np.tile(basis.weight, times)


# --- in the store -----------------------------------------------------------------------------------------------------


def window_arrays(window: ClosedWindow | OpenWindow) -> dict[str, Array]:
    """What is stored of a window."""
    if isinstance(window, OpenWindow):
        return {"C_ff": window.C_ff, "cut_response": window.cut_response}
    compliance = window.compliance
    arrays = {"ahead": compliance.ahead, "cut_rows": window.cut_rows}
    if compliance.own is not None and compliance.column is not None:
        arrays |= {"own": compliance.own, "column": compliance.column}
    return arrays


def window_from(arrays: Mapping[str, Array], layout: SectorLayout) -> ClosedWindow | OpenWindow:
    """Window from what is stored of it."""
    if not layout.closed:
        return OpenWindow(C_ff=arrays["C_ff"], cut_response=arrays["cut_response"])
    compliance = CyclicCompliance(ahead=arrays["ahead"], own=arrays.get("own"), column=arrays.get("column"))
    return ClosedWindow(compliance=compliance, cut_rows=arrays["cut_rows"], n_cuts=layout.n_cuts)
