r"""A closed wheel of equal sectors, one nodal diameter at a time.

The sectors of a wheel are alike in their own frames, so that its fields divide into harmonics around it: in harmonic n
the displacement of tooth k, in the frame of that tooth, is :math:`\mathrm{Re}(U e^{i n k 2\pi/z})`, n = 0 ... z/2. All
that is needed of a harmonic is the complex amplitude U of one sector, whose two cut planes move alike but for the
phase. In the frames of the planes (radial, tangential, axial)

.. math::
    U_\mathrm{high} = e^{i\theta} U_\mathrm{low}, \qquad \theta = 2\pi n/z .

The sector is condensed once, with real numbers, to its cut planes; a harmonic then costs a Hermitian matrix of one cut
plane,

.. math::
    S_n = S_{ll} + S_{hh} + e^{i\theta} S_{lh} + e^{-i\theta} S_{hl} .

Condensing :math:`K - \lambda M` instead of K tells how many eigenvalues of each harmonic lie below :math:`\lambda`: as
long as the sector with its cut planes held has none there, it is the number of negative eigenvalues of :math:`S_n`
(Sylvester's law of inertia; Wittrick and Williams 1971, Q. J. Mech. Appl. Math. 24, 263).

Amplitudes are columns (3 n_nodes, m) of complex numbers, DOF 3*node + axis of the sector, in its tooth frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from alegear.arrays import Array, ComplexArray
from alegear.errors import AnalysisFailure
from alegear.fe import FEModel, Material
from alegear.mesh import SectorMesh
from alegear.parallel import single_threaded
from alegear.reduction.sector_condensation import RetainedNodes, order_elimination
from alegear.reduction.sparse import Elimination, StaticCondensation, factorise_all


@dataclass(frozen=True, kw_only=True, eq=False)
class CyclicSector:
    """One sector of a closed wheel, its bore held, as its harmonics need it.

    Parameters
    ----------
    sector : SectorMesh
    model : FEModel
        Of the sector, in its tooth frame.
    retained : RetainedNodes
        The cut planes; no tooth face.
    elimination : Elimination
    known : dict
        Modes found so far by nodal diameter, for those who ask again.
    """

    sector: SectorMesh
    model: FEModel
    retained: RetainedNodes
    elimination: Elimination
    known: dict[int, tuple[Array, ComplexArray]] = field(default_factory=dict)

    @classmethod
    def of(cls, sector: SectorMesh, material: Material) -> CyclicSector:
        """Take over a sector.

        Raises
        ------
        Fault
            Its cut planes do not match.
        """
        model = FEModel.from_mesh(sector.volume, material)
        retained = replace(RetainedNodes.of(sector, "a"), face=np.zeros(0, dtype=np.int64))
        return cls(
            sector=sector, model=model, retained=retained, elimination=order_elimination(sector, retained, model)
        )

    @property
    def teeth(self) -> int:
        """Sectors of the wheel."""
        return self.sector.teeth

    @property
    def last_harmonic(self) -> int:
        """Largest nodal diameter, the whole part of z/2."""
        return self.teeth // 2

    def phase(self, n: int) -> complex:
        """exp(i 2 pi n/z) of a harmonic: real, to the last bit, where the harmonic is its own mirror image."""
        if n in (0, self.teeth):
            return 1.0 + 0.0j
        return -1.0 + 0.0j if 2 * n == self.teeth else complex(np.exp(2j * np.pi * n / self.teeth))

    def is_single(self, n: int) -> bool:
        """Whether the modes of a harmonic come alone: n = 0 and n = z/2; all others in pairs, cosine and sine."""
        return n == 0 or 2 * n == self.teeth

    def repetition(self, n: int) -> float:
        """Sum of cos^2 over the teeth: z, or z/2 of harmonics that come in pairs."""
        return float(self.teeth) if self.is_single(n) else 0.5 * self.teeth

    @cached_property
    @single_threaded
    def stiffness(self) -> StaticCondensation:
        """The stiffness condensed to the cut planes."""
        factors = factorise_all(self.model.stiffness, self.elimination)
        return StaticCondensation(n_nodes=self.model.n_nodes, retained=self.retained.nodes, factors=factors)

    @cached_property
    def S(self) -> Array:
        """Condensed stiffness in the frames of the cut planes, low and high, shape (2 n_c, 2 n_c) [N/m]."""
        return self.retained.stiffness_in_cut_frames(self.stiffness.S)

    def harmonic_stiffness(self, n: int, S: Array | None = None) -> ComplexArray:
        """Stiffness S_n of a cut plane in a harmonic, Hermitian, shape (n_c, n_c) [N/m], of `S` or of :attr:`S`."""
        S = self.S if S is None else S
        c = self.retained.n_cut
        coupling = self.phase(n) * S[:c, c:]
        return S[:c, :c] + S[c:, c:] + coupling + coupling.conj().T

    def load(self, U: ComplexArray) -> ComplexArray:
        """Inertia M U of the sector's own mass, shape (3 n_nodes, m)."""
        return _complex(self.model.scalar_mass @ _real(U).reshape(self.model.n_nodes, -1)).reshape(U.shape)

    def solver(self, n: int) -> Callable[[ComplexArray], ComplexArray]:
        """Return the function that takes loads (3 n_nodes, m) [N] of a harmonic to its amplitudes [m].

        Loads on the cut planes are those of the sector itself: what its neighbours have there is the same but for the
        phase, and comes in here.
        """
        factor = cho_factor(self.harmonic_stiffness(n), lower=True)
        nodes, phase, c = self.retained, self.phase(n), self.retained.n_cut

        @single_threaded
        def solve(load: ComplexArray) -> ComplexArray:
            f_b, inner = self.stiffness.condense_load(_real(load).reshape(self.model.n_nodes, 3, -1))
            f_b = _complex(nodes.to_cut_frames(f_b))
            u_low = cho_solve(factor, f_b[:c] + phase.conjugate() * f_b[c:])
            u_b = nodes.to_tooth_frame(_real(np.vstack([u_low, phase * u_low])))
            return _complex(self.stiffness.expand(u_b, loads=inner).reshape(len(load), -1))

        return solve

    @single_threaded
    def condensed_below(self, eigenvalue: float) -> Array | None:
        """Condense K - lambda M; None if the sector with its cut planes held has an eigenvalue below lambda [1/s2]."""
        try:
            factors = factorise_all(
                self.model.stiffness - eigenvalue * self.model.mass, self.elimination, keep_factor=False
            )
        except AnalysisFailure:
            return None
        shifted = StaticCondensation(n_nodes=self.model.n_nodes, retained=self.retained.nodes, factors=factors)
        return self.retained.stiffness_in_cut_frames(shifted.S)

    def count_below(self, n: int, condensed: Array) -> int:
        """Count the eigenvalues of a harmonic below that of :meth:`condensed_below`, pairs once."""
        return int(np.count_nonzero(np.linalg.eigvalsh(self.harmonic_stiffness(n, condensed)) < 0.0))

    def has_none_below(self, n: int, condensed: Array) -> bool:
        """Whether a harmonic has no eigenvalue below that of :meth:`condensed_below`; cheaper than a count."""
        try:
            np.linalg.cholesky(self.harmonic_stiffness(n, condensed))
        except np.linalg.LinAlgError:
            return False
        return True


def _real(values: ComplexArray) -> Array:
    """Columns (n, m) as columns (n, 2 m) of real and imaginary parts."""
    return np.ascontiguousarray(values).view(np.float64)


def _complex(values: Array) -> ComplexArray:
    """Undo :func:`_real`."""
    return np.ascontiguousarray(values).view(np.complex128)
