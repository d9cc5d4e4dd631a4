r"""Fixed-interface normal modes of a closed wheel: free vibrations with the bore held by the shaft, and without it.

The modes are found harmonic by harmonic on one sector (:mod:`alegear.reduction.cyclic`). In the frame of tooth k a mode
of nodal diameter n with the amplitude U is

.. math::
    \phi_k = \mathrm{Re}(U e^{i n k 2\pi/z}), \qquad \sum_k \phi_k^T M \phi_k = 1 .

n = 0 and n = z/2 have one mode for each frequency, all others two, whose amplitudes are U and -iU: cosine and sine.

A wheel whose shaft is free moves by that of the bore, six coordinates, and by its normal modes (Craig and Bampton 1968,
the bore as the interface, which is rigid):

.. math::
    M = \begin{bmatrix} M_{RR} & M_{Rq} \\ M_{Rq}^T & 1 \end{bmatrix}, \qquad
    K = \begin{bmatrix} 0 & 0 \\ 0 & \omega^2 \end{bmatrix} .

The shaft couples with n = 0 (along and about the axis) and n = 1 (across) only; all other modes stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from alegear.arrays import Array, ComplexArray, Indices
from alegear.errors import Fault, NonConvergence
from alegear.fe import FEModel, Material
from alegear.mesh import SectorMesh, WheelMesh, sector_rotation
from alegear.parallel import single_threaded
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.inertia import MassInvariants
from alegear.reduction.sector_condensation import content_of
from alegear.storage import model_store

#: Of each harmonic omega^2 and amplitudes, as :func:`harmonic_modes` finds them.
Found = dict[int, tuple[Array, ComplexArray]]

#: Modes of a harmonic that are looked for at first; where that turns out to be too few, as many as it has.
FIRST_LOOK = 3

#: Harmonics in a row whose lowest mode is above all that is wanted, before the others are only checked.
HARMONICS_ABOVE = 2

#: Part of a frequency squared that the search may leave.
RESIDUAL = 1e-11

#: By how much the limit of the count lies above the last eigenvalue found: beyond its round-off.
ABOVE = 1e-8

#: Frequencies of n = 0 and of n = 1 from which free modes are made: those of a solid gear are good to 0.1 % then.
COUPLED_MODES = 12

#: Coordinates of the shaft that couple with n = 0 and n = 1: three displacements, three rotations.
SHAFT = {0: (2, 5), 1: (0, 1, 3, 4)}

#: What :class:`NormalModes` has of each mode.
OF_EACH_MODE = ("frequencies", "nodal_diameters", "amplitudes")


@dataclass(frozen=True, kw_only=True, eq=False)
class NormalModes:
    """Normal modes of a wheel, of unit mass, by ascending frequency.

    Parameters
    ----------
    sector : SectorMesh
    material : Material
    frequencies : shape (m,) [rad/s]
    nodal_diameters : shape (m,)
        n; that of a pair stands twice.
    amplitudes : shape (m, n_nodes, 3) [kg^-1/2]
        Complex amplitudes on the nodes of the sector, in the tooth frame.
    """

    sector: SectorMesh
    material: Material
    frequencies: Array
    nodal_diameters: Indices
    amplitudes: ComplexArray

    @property
    def n_modes(self) -> int:
        """Number of modes m."""
        return len(self.frequencies)

    @property
    def teeth(self) -> int:
        """Number of teeth z."""
        return self.sector.teeth

    def subset(self, modes: npt.ArrayLike) -> NormalModes:
        """Keep some modes, in the order given."""
        return replace(self, **{name: getattr(self, name)[np.asarray(modes)] for name in OF_EACH_MODE})

    def lowest(self, n_modes: int) -> NormalModes:
        """Keep the lowest; a pair that would be divided is kept whole, so that there may be one mode more."""
        n = min(n_modes, self.n_modes)
        if 0 < n < self.n_modes and self.frequencies[n - 1] == self.frequencies[n]:
            n += int(self.nodal_diameters[n - 1] == self.nodal_diameters[n])
        return self.subset(np.arange(n))

    def of_tooth(self, k: int, nodes: npt.ArrayLike | None = None) -> Array:
        """Shapes on the sector of one tooth, in the frame of that tooth.

        Parameters
        ----------
        k : int
            Pitches from tooth 0, counter-clockwise positive.
        nodes : shape (n,), optional
            Nodes of the sector wanted. Default: all.

        Returns
        -------
        shape (m, n, 3) [kg^-1/2]
        """
        amplitudes = self.amplitudes if nodes is None else self.amplitudes[:, np.asarray(nodes)]
        shapes: Array = (amplitudes * self.turns(k)[:, None, None]).real
        return shapes

    def of_wheel(self, wheel: WheelMesh | None = None) -> Array:
        """Shapes on all nodes of the closed wheel, in the frame of tooth 0, shape (n_nodes, 3, m) [kg^-1/2]."""
        wheel = WheelMesh(self.sector) if wheel is None else wheel
        shapes = np.empty((wheel.volume.n_nodes, 3, self.n_modes))
        for k in range(self.teeth):
            shapes[wheel.node_of[k]] = np.einsum("ab,mnb->nam", sector_rotation(self.teeth, k), self.of_tooth(k))
        return shapes

    @cached_property
    def invariants(self) -> MassInvariants:
        """Mass invariants of the wheel about the middle of the bore, without the moments of pairs of modes.

        Frame of tooth 0. Modes of n >= 2 have no momentum, and only those of n <= 2 change the inertia.
        """
        model = FEModel.from_mesh(self.sector.volume, self.material)
        shapes = np.concatenate([self.amplitudes.real, self.amplitudes.imag])
        sector = MassInvariants.of(model, np.moveaxis(shapes, 0, 2), quadratic=False)
        return MassInvariants.of_wheel(sector, self.teeth, self.turns(np.arange(self.teeth)))

    def turns(self, teeth: npt.ArrayLike) -> ComplexArray:
        """exp(i n k 2 pi/z) by tooth k, pitches counter-clockwise from tooth 0, and mode, shape (..., m)."""
        pitches = np.asarray(teeth)[..., None] * self.nodal_diameters % self.teeth
        turned: ComplexArray = np.exp(2j * np.pi * pitches / self.teeth)
        return turned


@dataclass(frozen=True, kw_only=True, eq=False)
class FreeModes:
    """Modes of a wheel that nothing holds, of unit mass, by ascending frequency, without the six of a rigid body.

    Parameters
    ----------
    normal : NormalModes
        Of the held bore.
    frequencies : shape (m,) [rad/s]
    nodal_diameters : shape (m,)
    shaft : shape (6, m) [kg^-1/2], [kg^-1/2/m]
        Displacement and rotation of the bore about its middle, in the frame of tooth 0.
    coordinates : shape (normal.n_modes, m)
        Amplitudes of the normal modes.
    """

    normal: NormalModes
    frequencies: Array
    nodal_diameters: Indices
    shaft: Array
    coordinates: Array

    def of_wheel(self, wheel: WheelMesh | None = None) -> Array:
        """Shapes on all nodes of the closed wheel, in the frame of tooth 0, shape (n_nodes, 3, m) [kg^-1/2]."""
        wheel = WheelMesh(self.normal.sector) if wheel is None else wheel
        rigid = _rigid_shapes(wheel.volume.points)
        return self.normal.of_wheel(wheel) @ self.coordinates + rigid @ self.shaft


def _rigid_shapes(points: Array) -> Array:
    """Displacements of points (n, 3) by unit displacements and rotations about the origin, shape (n, 3, 6)."""
    shapes = np.zeros((len(points), 3, 6))
    shapes[:, :, :3] = np.eye(3)
    for axis in range(3):
        shapes[:, :, 3 + axis] = np.cross(np.eye(3)[axis], points)
    return shapes


# --- finding them -----------------------------------------------------------------------------------------------------


def find_normal_modes(sector: SectorMesh | CyclicSector, material: Material, n_modes: int) -> NormalModes:
    """Find the lowest normal modes of a wheel over all its nodal diameters, its bore held.

    Nodal diameters are taken one after the other until their lowest modes lie above what is wanted; of the others, and
    of those taken, Sylvester's law of inertia then shows whether one is missing.

    Parameters
    ----------
    sector : SectorMesh or CyclicSector
    material : Material
    n_modes : int
        The two modes of a pair count as two. A pair is not divided: there may be one mode more.

    Raises
    ------
    Fault
        If no modes are wanted, or more than a sector has degrees of freedom; or its cut planes do not match.
    NonConvergence

    Examples
    --------
    >>> modes = find_normal_modes(sector, Material(), 10)  # doctest: +SKIP
    >>> modes.frequencies / (2.0 * np.pi), modes.nodal_diameters  # doctest: +SKIP
    """
    cyclic = sector if isinstance(sector, CyclicSector) else CyclicSector.of(sector, material)
    n_free = 3 * (cyclic.model.n_nodes - cyclic.retained.bore.size)
    if not 1 <= n_modes <= n_free // 4:
        raise Fault("number of normal modes", n_modes, f"between 1 and {n_free // 4}", "ask for fewer, or a finer grid")
    found = _look_around(cyclic, n_modes)
    _complete(cyclic, found, (1.0 + ABOVE) * _limit(cyclic, found, n_modes))
    modes = _collect(cyclic, found, n_modes)
    return NormalModes(sector=cyclic.sector, material=material, **modes)


def stored_normal_modes(sector: SectorMesh, material: Material, n_modes: int) -> NormalModes:
    """As :func:`find_normal_modes`, from the store of reductions if they were found before."""
    return _stored(sector, material, {"n_modes": n_modes}, lambda: find_normal_modes(sector, material, n_modes))


def stored_held_and_free_modes(
    sector: SectorMesh, material: Material, n_held: int, n_free: int
) -> tuple[NormalModes, FreeModes]:
    """Modes with the bore held and without support, from the store of reductions if they were found before."""
    cyclic = cache(lambda: CyclicSector.of(sector, material))  # of both, if one of them is to be found

    def of_free() -> NormalModes:
        return find_free_modes(cyclic(), material, n_free).normal

    # the free ones first: they need the most of n = 0 and 1
    free = free_modes(_stored(sector, material, {"n_free": n_free}, of_free), n_free)
    of_held = {"n_modes": n_held}
    return _stored(sector, material, of_held, lambda: find_normal_modes(cyclic(), material, n_held)), free


def _stored(
    sector: SectorMesh, material: Material, counts: Mapping[str, int], find: Callable[[], NormalModes]
) -> NormalModes:
    """Take modes from the store, else find and store them."""
    arrays, values = content_of(sector, material, ("cut_low", "cut_high", "bore"))

    def made() -> dict[str, Array]:
        modes = find()
        parts = {"real": modes.amplitudes.real, "imag": modes.amplitudes.imag}
        return parts | {"frequencies": modes.frequencies, "nodal_diameters": modes.nodal_diameters.astype(np.float64)}

    found = model_store.stored(arrays, {**values, **counts}, made)
    return NormalModes(
        sector=sector,
        material=material,
        frequencies=found["frequencies"],
        nodal_diameters=found["nodal_diameters"].astype(np.int64),
        amplitudes=found["real"] + 1j * found["imag"],
    )


def find_modes_of_harmonics(
    sector: SectorMesh | CyclicSector, material: Material, harmonics: Sequence[int], each: int
) -> NormalModes:
    """Find the lowest `each` frequencies of some nodal diameters, bore held; of pairs both modes."""
    cyclic = sector if isinstance(sector, CyclicSector) else CyclicSector.of(sector, material)
    found = {n: harmonic_modes(cyclic, n, each) for n in harmonics}
    return NormalModes(sector=cyclic.sector, material=material, **_collect(cyclic, found, None))


@single_threaded
def harmonic_modes(cyclic: CyclicSector, n: int, wanted: int) -> tuple[Array, ComplexArray]:
    """Find the lowest modes of a nodal diameter.

    Returns
    -------
    squares : shape (wanted,) [1/s2]
        omega^2, ascending.
    amplitudes : shape (wanted, n_nodes, 3) [kg^-1/2]
        Of unit mass of the wheel. Their phase makes U^T M U real and positive, so that they are real where n = 0, z/2.
    """
    if n in cyclic.known and len(cyclic.known[n][0]) >= wanted:
        squares, U = cyclic.known[n]
        return squares[:wanted], U[:wanted]
    squares, U = _lowest_modes(cyclic, n, wanted)
    turn = np.einsum("ij,ij->j", U, cyclic.load(U))
    U = U * np.exp(-0.5j * np.angle(turn)) / np.sqrt(cyclic.repetition(n))
    largest = U.real[np.abs(U.real).argmax(axis=0), np.arange(wanted)]
    U = U * np.sign(largest)
    if cyclic.is_single(n):
        U.imag = 0.0
    cyclic.known[n] = squares, U.T.reshape(wanted, -1, 3)
    return cyclic.known[n]


def _lowest_modes(cyclic: CyclicSector, n: int, wanted: int) -> tuple[Array, ComplexArray]:
    """Find the lowest omega^2 of a nodal diameter, ascending, and orthonormal amplitudes (3 n_nodes, wanted).

    Arnoldi's method on the inverse of the stiffness, as ARPACK has it.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh  # slow to import, and for modes only

    solve, size = cyclic.solver(n), cyclic.model.n_dof

    def operator(apply: Callable[[ComplexArray], ComplexArray]) -> LinearOperator:
        return LinearOperator((size, size), matvec=lambda x: apply(x.reshape(-1, 1)).ravel(), dtype=np.complex128)

    # what a harmonic contains must be in the load that the search begins with: chance leaves nothing out
    start = solve(np.random.default_rng(n).normal(size=(size, 1)).astype(np.complex128)).ravel()
    mass = operator(cyclic.load)
    try:
        squares, U = eigsh(mass, wanted, M=mass, sigma=0.0, OPinv=operator(solve), v0=start, tol=RESIDUAL)
    except ArpackNoConvergence as error:
        where = f"nodal diameter {n}, lowest {wanted} modes"
        raise NonConvergence(where, np.inf, RESIDUAL, "ask for fewer modes") from error
    order = np.argsort(squares)
    U = U[:, order]
    lower = np.linalg.cholesky(U.conj().T @ cyclic.load(U))  # ARPACK leaves modes orthogonal within the residual only
    return squares[order], U @ np.linalg.inv(lower).conj().T


def _look_around(cyclic: CyclicSector, n_modes: int) -> Found:
    """Take nodal diameters one after the other until their lowest modes lie above what is wanted."""
    found: Found = {}
    above = 0
    # all harmonics together have as many modes of each as the wheel has teeth
    each = max(FIRST_LOOK, -(-n_modes // cyclic.teeth))
    for n in range(cyclic.last_harmonic + 1):
        found[n] = harmonic_modes(cyclic, n, each)
        above = above + 1 if found[n][0][0] > _limit(cyclic, found, n_modes) else 0
        if above == HARMONICS_ABOVE:
            break
    return found


def _complete(cyclic: CyclicSector, found: Found, limit: float) -> None:
    """Add what is missing below a limit of omega^2 [1/s2]."""
    condensed = cyclic.condensed_below(limit)
    for n in range(cyclic.last_harmonic + 1):
        if condensed is None:  # sectors vibrate by themselves down there and cannot be counted: look until above
            wanted = FIRST_LOOK
            while n not in found or found[n][0][-1] < limit:
                found[n], wanted = harmonic_modes(cyclic, n, wanted), 2 * wanted
        elif n in found or not cyclic.has_none_below(n, condensed):
            count = cyclic.count_below(n, condensed)
            if n not in found or np.count_nonzero(found[n][0] < limit) < count:
                found[n] = harmonic_modes(cyclic, n, count)
            missing = count - np.count_nonzero(found[n][0] < limit)
            if missing > 0:
                where = f"nodal diameter {n}, {missing} of its modes as near to another one as round-off"
                raise NonConvergence(where, np.inf, RESIDUAL, "ask for another number of modes")


def _limit(cyclic: CyclicSector, found: Found, n_modes: int) -> float:
    """Largest omega^2 of the lowest modes found so far; infinite while there are not enough."""
    squares = np.sort(np.concatenate([np.repeat(w, _copies(cyclic, n)) for n, (w, _) in found.items()]))
    return float(squares[n_modes - 1]) if len(squares) >= n_modes else np.inf


def _copies(cyclic: CyclicSector, n: int) -> int:
    return 1 if cyclic.is_single(n) else 2


def _collect(cyclic: CyclicSector, found: Found, n_modes: int | None) -> dict[str, npt.NDArray]:
    """List the modes of all harmonics by frequency, cosine before sine; of a pair both or none."""
    squares, diameters, amplitudes = [], [], []
    for n, (w, U) in sorted(found.items()):
        for part in (1.0, -1.0j)[: _copies(cyclic, n)]:
            squares.append(w)
            diameters.append(np.full(len(w), n))
            amplitudes.append(part * U)
    w, diameter = np.concatenate(squares), np.concatenate(diameters)
    order = np.lexsort((np.arange(len(w)), w))  # stable: of equal ones the cosine is first
    if n_modes is not None:
        last = order[n_modes - 1]
        twin = w[order] == w[last]
        order = order[: max(n_modes, int(np.flatnonzero(twin & (diameter[order] == diameter[last]))[-1]) + 1)]
    return {
        "frequencies": np.sqrt(w[order]),
        "nodal_diameters": diameter[order].astype(np.int64),
        "amplitudes": np.concatenate(amplitudes)[order],
    }


# --- without the shaft ------------------------------------------------------------------------------------------------


def find_free_modes(
    sector: SectorMesh | CyclicSector, material: Material, n_modes: int, *, each: int = COUPLED_MODES
) -> FreeModes:
    """Find the lowest modes of a free wheel; parameters as :func:`find_normal_modes`.

    Parameters
    ----------
    each : int
        Modes with the bore held of each of the nodal diameters 0 and 1, from which those of the free wheel are
        composed.
    """
    cyclic = sector if isinstance(sector, CyclicSector) else CyclicSector.of(sector, material)
    # six coordinates are let go, so that the free mode i lies between the held modes i and i + 6 (Rayleigh)
    held = find_normal_modes(cyclic, material, n_modes + 6)
    coupled = find_modes_of_harmonics(cyclic, material, tuple(SHAFT), each)
    return free_modes(_joined(held.subset(np.flatnonzero(held.nodal_diameters > 1)), coupled), n_modes)


def _joined(one: NormalModes, two: NormalModes) -> NormalModes:
    """Modes of the same wheel together, by ascending frequency."""
    both: dict[str, Any] = {name: np.concatenate([getattr(one, name), getattr(two, name)]) for name in OF_EACH_MODE}
    return replace(one, **both).subset(np.argsort(both["frequencies"], kind="stable"))


def free_modes(normal: NormalModes, n_modes: int | None = None) -> FreeModes:
    """Let go of the shaft: modes of the wheel from its normal modes and the six coordinates of the bore.

    Parameters
    ----------
    normal : NormalModes
        The more of n = 0 and n = 1, the closer come the free modes of these to those of the grid, from above.
    n_modes : int, optional
        Keep the lowest. Default: all.
    """
    M_RR, M_Rq = shaft_mass(normal.invariants)
    squares, diameters = np.empty(normal.n_modes), np.empty(normal.n_modes, dtype=np.int64)
    shaft, coordinates = np.zeros((6, normal.n_modes)), np.zeros((normal.n_modes, normal.n_modes))
    for n in np.unique(normal.nodal_diameters):
        own = np.flatnonzero(normal.nodal_diameters == n)
        free = np.array(SHAFT.get(int(n), ()), dtype=np.int64)
        diameters[own] = n
        squares[own], shaft[np.ix_(free, own)], coordinates[np.ix_(own, own)] = _coupled(
            M_RR[np.ix_(free, free)], M_Rq[np.ix_(free, own)], normal.frequencies[own]
        )
    lowest = np.argsort(squares, kind="stable")[:n_modes]
    return FreeModes(
        normal=normal,
        frequencies=np.sqrt(squares[lowest]),
        nodal_diameters=diameters[lowest],
        shaft=shaft[:, lowest],
        coordinates=coordinates[:, lowest],
    )


def shaft_mass(invariants: MassInvariants) -> tuple[Array, Array]:
    """Mass of the shaft's six coordinates, shape (6, 6), and its coupling with the modes, shape (6, m).

    ``M_RR = [[m 1, -skew(U1)], [skew(U1), U6]]``, ``M_Rq = [U2; U3]``; rotations about the origin of the frame.
    """
    x, y, z = invariants.U1
    S = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    M_RR = np.block([[invariants.U0 * np.eye(3), -S], [S, invariants.U6]])
    return M_RR, np.vstack([invariants.U2, invariants.U3])


def _coupled(M_RR: Array, M_Rq: Array, frequencies: Array) -> tuple[Array, Array, Array]:
    """Elastic modes of shaft and normal modes: omega^2, shaft and normal coordinates of unit mass, modes as columns.

    The shaft moves so that momentum and moment of momentum vanish, x_R = -M_RR^-1 M_Rq q; what is left is
    (1 - M_qR M_RR^-1 M_Rq) d2q/dt2 + omega^2 q = 0.
    """
    followed = -np.linalg.solve(M_RR, M_Rq) if M_RR.size else np.zeros_like(M_Rq)
    squares, q = eigh(np.diag(frequencies**2), np.eye(len(frequencies)) + M_Rq.T @ followed)
    return squares, followed @ q, q
