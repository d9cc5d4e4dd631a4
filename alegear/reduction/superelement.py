"""The reduced wheel: compliance of a window of tooth faces, root stress and full displacement from the face forces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.fe import FEModel, Material
from alegear.mesh import SET_NAMES, SectorMesh
from alegear.parallel import single_threaded
from alegear.reduction.face_splines import FaceSplines
from alegear.reduction.memory import check_memory, reduction_bytes, result_bytes
from alegear.reduction.recovery import Recovery, recovery_arrays, recovery_from
from alegear.reduction.ring import ClosedWindow, OpenWindow, cyclic_compliance
from alegear.reduction.sector_condensation import (
    Flank,
    RetainedNodes,
    condense_sector,
    content_of,
    divides_ring,
    face_grids,
    faces_of,
    order_elimination,
)
from alegear.reduction.sector_layout import SectorLayout
from alegear.reduction.sparse import Elimination
from alegear.reduction.window import close_ring, solve_window, window_arrays, window_from
from alegear.short_repr import ShortRepr
from alegear.storage import cache_folder, model_store

#: Sectors times load cases recovered together: 20 MB of displacement for a sector of 3 300 nodes.
_COLUMNS = 256


@dataclass(frozen=True, kw_only=True, eq=False)
class Superelement(ShortRepr):
    r"""A wheel reduced to the tooth faces of `slots` consecutive teeth; bore fixed to the shaft frame.

    Face forces f and displacements :math:`u_f = C_{ff} f` are ordered slot, face, row, col, axis; each slot is written
    in its own tooth frame, so that a tooth-change is a relabelling of slots. Slot k is slot 0 turned by
    :math:`+2 \pi k/z`.

    Parameters
    ----------
    layout : SectorLayout
        Teeth, slots, sectors of the model.
    flank : {"a", "b", "both"}
        The loaded faces; of "both", flank a comes before flank b.
    rows, cols : int
        Grid of a face, of those of its rows that can carry load.
    window : ClosedWindow or OpenWindow
        Compliance of the faces and response of the cut planes; that of a segment is open.
    root_operators : (root_of_cuts, root_of_face) or None
        Stress at the roots of a slot per displacement of its cut planes and per force on its faces, shapes as in
        :class:`~alegear.reduction.sector_condensation.CondensedSector`; None where it is
        recovered from the displacement of the sectors instead.
    mass : float [kg]
    inertia, transverse_inertia : float [kg m2]
        Of the whole wheel about its axis and about a diameter of its mid-face, also where only a segment is elastic.
    dof_full : int
        Degrees of freedom of the finite element grid of all sectors modelled, bore included.
    sector, material
        What the wheel was made of; the displacement of inner nodes is recovered from them.
    kept : Recovery, optional
        What the displacement of inner nodes needs beside, if it was kept; else the sector is condensed again.
    """

    layout: SectorLayout
    flank: Flank
    rows: int
    cols: int
    window: ClosedWindow | OpenWindow
    root_operators: tuple[Array, Array] | None
    mass: float
    inertia: float
    transverse_inertia: float
    dof_full: int
    sector: SectorMesh
    material: Material
    kept: Recovery | None = None

    @property
    def root_of_cuts(self) -> Array:
        """Stress (xx, yy, zz, xy, yz, zx) at root_a, root_b, shape (2, rows_root, cols, 6, 2 n_c) [Pa/m].

        In the tooth frame of the slot, per displacement of its two cut planes, faces free of load. Averaged over the
        elements of the slot's own sector.
        """
        return self._operators[0]

    @property
    def root_of_face(self) -> Array:
        """The same per force on the slot's own faces, cut planes held, shape (2, rows_root, cols, 6, nf) [Pa/N]."""
        return self._operators[1]

    @cached_property
    def _operators(self) -> tuple[Array, Array]:
        if self.root_operators is not None:
            return self.root_operators
        condensed = condense_sector(self.sector, self.material, self.flank)
        return condensed.root_of_cuts, condensed.root_of_face

    @property
    def teeth(self) -> int:
        """Teeth of the wheel."""
        return self.layout.teeth

    @property
    def slots(self) -> int:
        """Loaded teeth."""
        return self.layout.slots

    @property
    def n_sectors(self) -> int:
        """Sectors of the model."""
        return self.layout.n_sectors

    @property
    def faces(self) -> tuple[Literal["a", "b"], ...]:
        """Loaded faces of a slot in their order: ("a",), ("b",) or ("a", "b")."""
        return faces_of(self.flank)

    @property
    def nf(self) -> int:
        """Degrees of freedom of the faces of one slot."""
        return 3 * self.rows * self.cols * len(self.faces)

    def face_dofs(self, face: Literal["a", "b"]) -> Indices:
        """Indices of one face in forces and displacements, shape (slots, 3 rows cols).

        Raises
        ------
        Fault
            The face was not kept.
        """
        if face not in self.faces:
            raise Fault("tooth face", face, f"one of {self.faces}", 'reduce the wheel with flank="both"')
        places = np.arange(self.dof_boundary).reshape(self.slots, len(self.faces), -1)
        return places[:, self.faces.index(face)]

    @property
    def dof_boundary(self) -> int:
        """Degrees of freedom that are left: slots*nf."""
        return self.slots * self.nf

    @cached_property
    def compliance_rows(self) -> Array:
        """Rows of slot 0 of the compliance of a closed wheel, (nf, slots*nf), all of a segment [m/N].

        With splines across the face put together when first asked for; :attr:`window` does without.
        """
        window = self.window
        return window.compliance.rows() if isinstance(window, ClosedWindow) else window.C_ff

    @cached_property
    def C_ff(self) -> Array:
        """Compliance, symmetric, positive definite, shape (slots*nf, slots*nf) [m/N].

        Of a closed wheel it is put together from `compliance_rows` when first asked for: by far the largest array of
        all (295 MB for four slots and both flanks of the default grid).
        """
        return cyclic_compliance(self.compliance_rows) if self.layout.closed else self.compliance_rows

    @property
    def cut_response(self) -> Array:
        """Displacement of cut plane k, the low one of slot k, per face force, shape (n_cuts, n_c, slots*nf) [m/N].

        Of a closed wheel a view: the displacement depends on the distance of cut plane and slot only.
        """
        return self.window.cut_response

    @cached_property
    def K_r(self) -> Array:
        """Reduced stiffness, the inverse of `C_ff`, shape (slots*nf, slots*nf) [N/m]."""
        L, _ = lapack.dpotrf(self.C_ff, lower=1)
        K, _ = lapack.dpotri(L, lower=1, overwrite_c=1)
        return np.ascontiguousarray(np.tril(K) + np.tril(K, -1).T)

    @single_threaded
    def expand(self, f: Array, sectors: npt.ArrayLike | None = None) -> Array:
        """Recover the displacement of the whole grid under face forces, exact for the finite element model.

        Where the factors of the sector were not kept the first call condenses it again.

        Parameters
        ----------
        f : shape (slots*nf,) or (n_rhs, slots*nf) [N]
            Face forces, each slot in its tooth frame.
        sectors : sequence of int, optional
            Sectors wanted, counted as in :class:`SectorLayout`; negative ones count from the last. Default: all.

        Returns
        -------
        shape (n_sectors, n_sector_nodes, 3) or (n_rhs, n_sectors, n_sector_nodes, 3) [m]
            Each sector in its own tooth frame, in the order asked for.
        """
        f = np.asarray(f, dtype=np.float64)
        wanted = np.arange(self.n_sectors) if sectors is None else np.atleast_1d(np.asarray(sectors, dtype=np.int64))
        if wanted.size and not (-self.n_sectors <= wanted.min() and wanted.max() < self.n_sectors):
            raise Fault("sector", wanted, f"between {-self.n_sectors} and {self.n_sectors - 1}", "choose one modelled")
        wanted = wanted % self.n_sectors
        retained = self.retained(np.atleast_2d(f), wanted)
        n_rhs, n_nodes = retained.shape[2], len(self.sector.volume.points)
        u = np.empty((n_rhs, wanted.size, n_nodes, 3))
        together = max(1, _COLUMNS // n_rhs)
        for first in range(0, wanted.size, together):
            part = slice(first, first + together)
            u[:, part] = np.moveaxis(self.inside(retained[part]), (3, 2), (0, 1))
        return u if f.ndim == 2 else u[0]

    @single_threaded
    def retained(self, f: Array, sectors: Indices) -> Array:
        """Displacement of cut planes, each in its frame, and faces of some sectors, low, faces, high.

        Parameters
        ----------
        f : shape (n_rhs, slots*nf) [N]
        sectors : shape (m,)
            Counted from slot 0, not negative.

        Returns
        -------
        shape (m, n_c + nf + n_c, n_rhs) [m]
        """
        forces = np.ascontiguousarray(f.T).reshape(self.slots, self.nf, -1)
        low, high = self._cuts(forces, sectors)
        n_c, n_rhs = low.shape[1:]
        loaded = np.flatnonzero(sectors < self.slots)
        own = self.window.compliance.own if isinstance(self.window, ClosedWindow) else None
        if own is None:
            free = np.flatnonzero(sectors >= self.slots)
        else:  # faces that follow the window in splines are brought into equilibrium with its cut planes
            free = np.arange(len(sectors))
        u = np.empty((len(sectors), 2 * n_c + self.nf, n_rhs))
        u[:, :n_c], faces, u[:, n_c + self.nf :] = low, u[:, n_c : n_c + self.nf], high
        if own is None:
            faces[loaded] = self.window.faces(forces)[sectors[loaded]]
        if free.size:
            side_by_side = (np.hstack(list(planes[free])) for planes in (low, high))
            u_free = self.recovery.sector.free_face(*side_by_side)
            faces[free] = u_free.reshape(self.nf, free.size, n_rhs).swapaxes(0, 1)
        if own is not None:
            for place in loaded:
                faces[place] += own @ forces[sectors[place]]
        return u

    @single_threaded
    def inside(self, retained: Array) -> Array:
        """Recover the displacement of all nodes of some sectors from what :meth:`retained` gives of them.

        Parameters
        ----------
        retained : shape (m, n_c + nf + n_c, n_rhs) [m]

        Returns
        -------
        shape (n_sector_nodes, 3, m, n_rhs) [m]
            In the tooth frames.
        """
        m, _, n_rhs = retained.shape
        u = self.recovery.sector.expand(np.hstack(list(retained)))
        return u.reshape(-1, 3, m, n_rhs)

    @single_threaded
    def around(self, f: Array, nodes: Indices) -> Array:
        """Recover the displacement of some nodes in the sectors of the window, which costs less than all of them.

        Parameters
        ----------
        f : shape (n_rhs, slots*nf) [N]
        nodes : shape (m,)

        Returns
        -------
        shape (3 n_sector_nodes, slots*n_rhs) [m]
            Slot after slot, each in its tooth frame; correct at these nodes only.
        """
        return self.recovery.sector.around(np.hstack(list(self.retained(f, np.arange(self.slots)))), nodes)

    def _cuts(self, forces: Array, sectors: Indices) -> tuple[Array, Array]:
        """Recover the low and the high cut plane of some sectors, each (m, n_c, n_rhs)."""
        window = self.window.cuts(forces)
        low, high = (np.zeros((len(sectors), *window.shape[1:])) for _ in range(2))
        for ring in self.recovery.rings:
            vectors = ring.sector.cut.vectors
            part_low, part_high = ring.cuts(self.layout, [vectors.T @ u for u in window], sectors)
            for planes, parts in ((low, part_low), (high, part_high)):
                for plane, part in zip(planes, parts, strict=True):
                    plane += vectors @ part
        return low, high

    @cached_property
    def recovery(self) -> Recovery:
        """What the displacement of inner nodes needs; condenses the sector again where it was not kept."""
        if self.kept is not None:
            return self.kept
        return _condense_again(self.sector, self.material, self.flank, self.layout)


def reduce_wheel(
    sector: SectorMesh,
    material: Material,
    *,
    slots: int,
    flank: Flank,
    teeth_modelled: int | None = None,
    cache_dir: Path | None = None,
    keep_factors: bool = False,
) -> Superelement:
    """Reduce a wheel, or a segment of it, to the tooth faces of a window; exact for the finite element model.

    The nodes of the bore are held to a rigid shaft: the elastic body ends where its bore does. A bore close
    under the teeth makes the rim stiffer, not softer.

    Parameters
    ----------
    sector : SectorMesh
        One tooth sector; it is repeated.
    material : Material
    slots : int
        Consecutive teeth whose faces are kept.
    flank : {"a", "b", "both"}
        The faces that are loaded: "a" lies at positive polar angle of its tooth; "both" keeps a, then b.
    teeth_modelled : int, optional
        Odd number of teeth of a segment with free cut planes, the window in its middle. Default: the closed wheel.
    cache_dir : Path, optional
        Folder of the store. Default: :func:`alegear.storage.cache_folder.cache_directory`.
    keep_factors : bool
        Keep the factors of the sector for :meth:`Superelement.expand`, which else condenses it again; the store has
        them then, too.

    Returns
    -------
    Superelement
        With nf = 3 rows cols (twice that for both flanks) degrees of freedom a slot, in the tooth frame of the slot:
        ``C_ff`` shape (slots*nf, slots*nf) [m/N], ``K_r`` the same shape [N/m], ``expand(f)`` shape
        (n_sectors, n_sector_nodes, 3) [m]; :func:`~alegear.reduction.root_stress.root_stress` gives shape
        (slots, 2, rows_root, cols, 6) [Pa].

    Raises
    ------
    Fault
        The window does not fit, the node sets of the sector do not fit together, or the reduction does not fit into the
        memory that is available.
    AnalysisFailure
        The stiffness is not positive definite.

    Examples
    --------
    >>> wheel = reduce_wheel(sector, Material(), slots=3, flank="a")  # doctest: +SKIP
    >>> u_f = wheel.C_ff @ f  # doctest: +SKIP
    """
    plan = plan_reduction(
        sector,
        material,
        slots=slots,
        flank=flank,
        teeth_modelled=teeth_modelled,
        cache_dir=cache_dir,
        keep_factors=keep_factors,
    )
    check_memory({"reduction": plan.peak})
    return carry_out(plan)


def carry_out(plan: ReductionPlan) -> Superelement:
    """Reduce a wheel as planned, whose memory has been checked, or take it from the store; as :func:`reduce_wheel`."""
    arrays, kept = model_store.load(plan.folder, plan.key), None
    if arrays is None:
        arrays, kept = _reduce(plan)
        model_store.save(plan.folder, plan.key, arrays)
        if kept is not None:
            model_store.save(plan.folder, plan.recovery_key, recovery_arrays(kept))
    elif plan.keep_factors:
        kept = _stored_recovery(plan)
    mass, inertia, transverse_inertia = (float(value) for value in arrays["rigid"])
    rows, cols = face_grids(plan.sector, plan.flank)[0].shape
    return Superelement(
        layout=plan.layout,
        flank=plan.flank,
        rows=rows,
        cols=cols,
        window=window_from(arrays, plan.layout),
        root_operators=(arrays["root_of_cuts"], arrays["root_of_face"]) if plan.root_operators else None,
        mass=mass,
        inertia=inertia,
        transverse_inertia=transverse_inertia,
        dof_full=_count_dofs(plan.sector, plan.layout),
        sector=plan.sector,
        material=plan.material,
        kept=kept,
    )


def _stored_recovery(plan: ReductionPlan) -> Recovery:
    """What displacements are recovered from, of a wheel from the store; made and stored where it is not there."""
    arrays = model_store.load(plan.folder, plan.recovery_key)
    if arrays is not None:
        return recovery_from(arrays, plan.sector, plan.flank)
    elimination = None if plan.order is None else plan.order[1]
    kept = _condense_again(plan.sector, plan.material, plan.flank, plan.layout, elimination)
    model_store.save(plan.folder, plan.recovery_key, recovery_arrays(kept))
    return kept


@single_threaded
def _condense_again(
    sector: SectorMesh, material: Material, flank: Flank, layout: SectorLayout, elimination: Elimination | None = None
) -> Recovery:
    """Condense a sector for the recovery of displacements alone."""
    condensed = condense_sector(sector, material, flank, root_stress=False, elimination=elimination)
    rings = close_ring(condensed.ring_classes, layout, window=False)
    return Recovery(sector=condensed.without_root_stress(), rings=tuple(ring.for_recovery() for ring in rings))


@dataclass(frozen=True, kw_only=True, eq=False)
class ReductionPlan:
    """What a reduction will be: its name in the store, its order of elimination, the memory it takes.

    Parameters
    ----------
    sector, material, layout, flank
        As for :func:`reduce_wheel`.
    folder, key
        Of the store.
    peak : float [bytes]
        Upper bound of what its arrays take at the same time; of a reduction from the store what is read.
    order : tuple of FEModel and Elimination or None
        None if the store has all that is wanted.
    keep_factors : bool
        Whether the factors of the sector stay.
    root_operators : bool
        Whether the operators of root stress are worked out; else it is recovered from the displacement.
    n_coefficients : int or None
        Splines across the face in which the faces of a closed wheel follow the cut planes, if they do.
    """

    sector: SectorMesh
    material: Material
    layout: SectorLayout
    flank: Flank
    folder: Path
    key: str
    peak: float
    order: tuple[FEModel, Elimination] | None
    keep_factors: bool = False
    root_operators: bool = True
    n_coefficients: int | None = None

    @property
    def recovery_key(self) -> str:
        """Name of the factors in the store."""
        return f"{self.key}-recovery"

    @property
    def compliance_bytes(self) -> float:
        """Size of the compliance of all faces of the window, put together [bytes]."""
        faces = face_grids(self.sector, self.flank)
        return 8.0 * (3.0 * self.layout.slots * sum(grid.size for grid in faces)) ** 2


@single_threaded
def plan_reduction(
    sector: SectorMesh,
    material: Material,
    *,
    slots: int,
    flank: Flank,
    teeth_modelled: int | None = None,
    cache_dir: Path | None = None,
    keep_factors: bool = False,
    root_operators: bool = True,
) -> ReductionPlan:
    """Order the elimination of a sector and estimate the memory of its reduction; parameters as :func:`reduce_wheel`.

    Without `root_operators` the root stress of each load is recovered from the displacement around the roots: for some
    hundred loads of a large sector in less time and memory, if its factors are kept.

    Raises
    ------
    Fault
        The window does not fit, or the node sets of the sector do not fit together.
    """
    if flank not in ("a", "b", "both"):
        raise Fault("flank", flank, '"a", "b" or "both"', "choose the flank that carries the load, or both")
    layout = SectorLayout.of(sector.teeth, slots, teeth_modelled)
    splines = FaceSplines.of(sector, flank)
    retained = RetainedNodes.of(sector, flank, splines)
    folder = cache_folder.cache_directory() if cache_dir is None else Path(cache_dir)
    key = _key(sector, material, layout, flank, root_operators)
    n_roots = (sector.root_a.size + sector.root_b.size) * root_operators
    order, n_coefficients = None, None
    if splines is not None and layout.closed and not divides_ring(sector, retained):
        n_coefficients = splines.column.shape[1]
    recovery = model_store.size(folder, f"{key}-recovery") if keep_factors else 0
    if model_store.size(folder, key) and (recovery or not keep_factors):
        peak = 2.0 * result_bytes(retained.n_cut, retained.n_face, slots, n_roots, closed=layout.closed) + recovery
    else:
        model = FEModel.from_mesh(sector.volume, material)
        order = model, order_elimination(sector, retained, model, splines)
        peak = reduction_bytes(
            order[1],
            retained.cut_low,
            retained.face,
            n_roots=n_roots,
            n_couplings=len(model.node_graph[1]) * (1 if splines is None else 2),  # beside that of the splines
            slots=slots,
            n_sectors=layout.n_sectors,
            closed=layout.closed,
            keep_factors=keep_factors,
        )
    return ReductionPlan(
        sector=sector,
        material=material,
        layout=layout,
        flank=flank,
        folder=folder,
        key=key,
        peak=peak,
        order=order,
        keep_factors=keep_factors,
        root_operators=root_operators,
        n_coefficients=n_coefficients,
    )


@single_threaded
def _reduce(plan: ReductionPlan) -> tuple[dict[str, Array], Recovery | None]:
    """Do the reduction; return the arrays as they are stored, and what else is to be kept."""
    model, elimination = plan.order or (FEModel.from_mesh(plan.sector.volume, plan.material), None)
    condensed = condense_sector(
        plan.sector,
        plan.material,
        plan.flank,
        root_stress=plan.root_operators,
        model=model,
        elimination=elimination,
    )
    body = model.mass_properties()
    arrays = {
        # three sectors or more, evenly spaced: the same about every diameter
        "rigid": plan.layout.teeth * np.array([body.mass, body.inertia_z, 0.5 * np.trace(body.inertia[:2, :2])]),
    }
    if plan.root_operators:
        arrays |= {"root_of_cuts": condensed.root_of_cuts, "root_of_face": condensed.root_of_face}
    sectors = condensed.ring_classes
    kept = condensed.without_root_stress() if plan.keep_factors else None
    del condensed  # the factors of the sector are the larger part of what was needed so far
    rings = close_ring(sectors, plan.layout)
    window = solve_window(rings, plan.layout)
    arrays |= window_arrays(window)
    recovery = None if kept is None else Recovery(sector=kept, rings=tuple(ring.for_recovery() for ring in rings))
    return {name: np.ascontiguousarray(array) for name, array in arrays.items()}, recovery


def _key(sector: SectorMesh, material: Material, layout: SectorLayout, flank: Flank, root_operators: bool) -> str:
    arrays, values = content_of(sector, material, SET_NAMES)
    arrays["loaded"] = sector.loaded("a").astype(np.int64)
    if sector.volume.free_surface is not None:  # the stress depends on it
        arrays |= {"free_nodes": sector.volume.free_surface.nodes, "free_normals": sector.volume.free_surface.normals}
    values |= {
        "slots": int(layout.slots),
        "n_sectors": int(layout.n_sectors),
        "flank": flank,
        "root_operators": int(root_operators),
    }
    return model_store.content_key(arrays, values)


def _count_dofs(sector: SectorMesh, layout: SectorLayout) -> int:
    n_nodes, n_cut = len(sector.volume.points), len(sector.cut_low)
    joints = layout.n_sectors if layout.closed else layout.n_sectors - 1
    return 3 * (layout.n_sectors * n_nodes - joints * n_cut)
