"""Reduce a wheel by the usual route: factorise the inside of a sector with PARDISO, solve for all constraint modes.

The yardstick of `bench.py` for the reduction without right-hand sides. What comes after the sector's condensed
stiffness, ring and window, is the same for both routes, symmetry included. Needs ``pip install alegear[bench]``
(pypardiso, which brings the Intel Math Kernel Library).

    python scripts/pardiso_route.py [--threads 2] [--teeth 97] [--flank-elements 16 ...]
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

import alegear as ag
from alegear.fe import FEModel, Material, stress_operator
from alegear.mesh import GridOptions, SectorMesh, mesh_sector
from alegear.reduction.ring import ClosedWindow, OpenWindow, free_face
from alegear.reduction.sector_condensation import Flank, RetainedNodes, RingClass, sector_symmetry
from alegear.reduction.sector_layout import SectorLayout
from alegear.reduction.sparse import dofs_of
from alegear.reduction.superelement import reduce_wheel
from alegear.reduction.symmetry import MIRROR_Z
from alegear.reduction.window import close_ring, solve_window

Array = NDArray[np.float64]

#: Right-hand sides at a time: more need more memory and are not faster.
COLUMNS = 256


@dataclass(frozen=True, kw_only=True, eq=False)
class PardisoReduction:
    """What the route gives, and how long it took.

    Attributes
    ----------
    window : ClosedWindow or OpenWindow
        Compliance of the faces and response of the cut planes, as in the fast route.
    root_of_cuts, root_of_face : shape (n, 2 n_c) [Pa/m], (n, n_f) [Pa/N]
        Root stress, six components a node.
    seconds : dict of str to float
        Wall time of "assembly", "factorise", "solve", "root stress", "ring and window".
    """

    window: ClosedWindow | OpenWindow
    root_of_cuts: Array
    root_of_face: Array
    seconds: dict[str, float]

    @property
    def compliance_rows(self) -> Array:
        """As of the superelement."""
        window = self.window
        return window.compliance.rows() if isinstance(window, ClosedWindow) else window.C_ff


def pardiso_route(
    sector: SectorMesh, material: Material, flank: Flank, slots: int, *, threads: int = 1
) -> PardisoReduction:
    r"""Reduce a closed wheel with :math:`\Psi = -K_{ii}^{-1} K_{ib}` column by column.

    Parameters
    ----------
    sector : SectorMesh
    material : Material
    flank : {"a", "b", "both"}
    slots : int
    threads : int
        Of the Math Kernel Library. What is common to both routes runs as always (`OMP_NUM_THREADS`).
    """
    from pypardiso import PyPardisoSolver

    seconds: dict[str, float] = {}
    last = time.perf_counter()

    def lap(stage: str) -> None:
        nonlocal last
        now = time.perf_counter()
        seconds[stage] = now - last
        last = now

    model = FEModel.from_mesh(sector.volume, material)
    K = sparse.csr_array(model.stiffness)
    retained = RetainedNodes.of(sector, flank)
    b = dofs_of(retained.nodes)
    free = np.ones(model.n_dof, dtype=bool)
    free[b] = free[dofs_of(retained.bore)] = False
    i = np.flatnonzero(free)
    rows = K[i]
    K_ii, K_ib, K_bb = sparse.csr_matrix(sparse.triu(rows[:, i], format="csr")), rows[:, b], K[b][:, b].toarray()
    lap("assembly")

    with threadpool_limits(limits=threads, user_api="blas"):
        solver = PyPardisoSolver(mtype=2)  # symmetric, positive definite: the upper triangle is enough
        solver.set_iparm(24, 1)  # two-level factorisation: made for several threads, not slower with one
        solver.factorize(K_ii)
        lap("factorise")
        modes = np.empty((i.size, b.size), order="F")
        S = K_bb
        for first in range(0, b.size, COLUMNS):
            columns = slice(first, first + COLUMNS)
            modes[:, columns] = solver.solve(K_ii, np.asfortranarray(K_ib[:, columns].toarray()))
        S -= K_ib.T @ modes
        solver.free_memory(everything=True)
        lap("solve")
    S = retained.to_cut_frames(S)
    S = retained.to_cut_frames(np.ascontiguousarray(S.T))

    layout = SectorLayout.of(sector.teeth, slots, None)
    rings = close_ring(_ring_classes(sector, retained, 0.5 * (S + S.T)), layout)
    window = solve_window(rings, layout)
    lap("ring and window")

    roots = np.concatenate([sector.root_a.ravel(), sector.root_b.ravel()])
    operator = sparse.csr_array(stress_operator(model, roots))
    stress = retained.to_cut_frames(np.ascontiguousarray((operator[:, b] - operator[:, i] @ modes).T)).T
    n_c = retained.n_cut
    cuts, face = np.delete(np.arange(b.size), np.s_[n_c : b.size - n_c]), np.arange(n_c, b.size - n_c)
    _, G, C_0 = free_face(S, cuts, face)
    root_of_cuts, root_of_face = stress[:, cuts] + stress[:, face] @ G, stress[:, face] @ C_0
    lap("root stress")
    return PardisoReduction(window=window, root_of_cuts=root_of_cuts, root_of_face=root_of_face, seconds=seconds)


def _ring_classes(sector: SectorMesh, retained: RetainedNodes, S: Array) -> tuple[RingClass, ...]:
    """Divide the condensed stiffness by the symmetry about mid-face, as the fast route does."""
    symmetry = sector_symmetry(sector, retained).subgroup([MIRROR_Z])
    heights = np.zeros((len(sector.volume.points), 0))
    cut_nodes, face_nodes = (symmetry.representatives(nodes, heights) for nodes in (retained.cut_low, retained.face))
    rings = []
    for character in symmetry.characters:
        cut = symmetry.basis(character, cut_nodes).on(dofs_of(retained.cut_low))
        face = symmetry.basis(character, face_nodes).on(dofs_of(retained.face))
        vectors = sparse.block_diag([cut.vectors, face.vectors, cut.vectors], format="csr")
        part = vectors.T @ (vectors.T @ S).T
        n_c, n_f = cut.size, face.size
        cuts, places = np.r_[0:n_c, n_c + n_f : 2 * n_c + n_f], np.arange(n_c, n_c + n_f)
        S_cuts, G, C_0 = free_face(part, cuts, places)
        rings.append(RingClass(cut=cut, face=face, S_cuts=S_cuts, face_recovery=G, C_0=C_0))
    return tuple(rings)


def main() -> None:
    """Compare both routes on one wheel, taking turns."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--teeth", type=int, default=97)
    parser.add_argument("--slots", type=int, default=3)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--order", type=int, default=1)
    defaults = GridOptions(fillet_elements=14, rim_elements=14, width_elements=12)
    names = ("flank_elements", "fillet_elements", "thickness_elements", "width_elements", "rim_elements")
    for name in names:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(defaults, name))
    given = parser.parse_args()
    options = replace(defaults, order=given.order, **{name: getattr(given, name) for name in names})
    gear = ag.Gear(z=given.teeth, m_n=4e-3, b=30e-3, bore_diameter=0.75 * 4e-3 * given.teeth)
    material = Material()
    totals: dict[str, list[float]] = {"fast": [], "pardiso": []}
    difference = 0.0
    for _ in range(given.runs):
        started = time.perf_counter()
        sector = mesh_sector(gear, options)
        meshed = time.perf_counter()
        with TemporaryDirectory() as folder:  # an empty store
            wheel = reduce_wheel(sector, material, slots=given.slots, flank="a", cache_dir=Path(folder))
        totals["fast"].append(time.perf_counter() - started)
        other = pardiso_route(sector, material, "a", given.slots, threads=given.threads)
        totals["pardiso"].append(sum(other.seconds.values()) + meshed - started)
        difference = float(
            np.abs(other.compliance_rows - wheel.compliance_rows).max() / np.abs(wheel.compliance_rows).max()
        )
        print("  ".join(f"{stage} {value:.2f} s" for stage, value in other.seconds.items()))
    n_dof = 3 * gear.z * (len(sector.volume.points) - len(sector.cut_low))
    fast, pardiso = (statistics.median(totals[name]) for name in ("fast", "pardiso"))
    print(f"{gear.z} teeth, {n_dof} degrees of freedom if assembled whole, {given.threads} threads")
    print(
        f"mesh and reduction {fast:.2f} s, by PARDISO {pardiso:.2f} s: {fast / pardiso:.2f}; C_ff to {difference:.1e}"
    )


if __name__ == "__main__":
    main()
