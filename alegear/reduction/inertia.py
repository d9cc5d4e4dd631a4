"""Mass invariants of a flexible body in a floating frame: what its inertia forces need of the grid, once.

A point of the body lies at s + sum_i phi_i q_i in the body's frame: s its place in the undeformed body, phi_i (3,) the
displacement of mode i there. All nine invariants (Liu et al. 2018, table 1) are moments of s and phi over the mass;
with the consistent mass matrix of the grid they are exact for its shape functions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from alegear.arrays import Array, ComplexArray
from alegear.errors import Fault
from alegear.mesh import sector_rotation
from alegear.short_repr import ShortRepr

if TYPE_CHECKING:
    from alegear.fe.assembly import FEModel


@dataclass(frozen=True, kw_only=True, eq=False)
class MassInvariants(ShortRepr):
    """Moments of the mass of a body with m modes; positions are those of the body's frame.

    Parameters
    ----------
    mass : float [kg]
        ``int rho dV``, U0.
    first : shape (3,) [kg m]
        ``int rho s dV``, U1.
    second : shape (3, 3) [kg m2]
        ``int rho s s^T dV``.
    modal : shape (3, m) [kg]
        ``int rho phi_i dV``, U2.
    mixed : shape (m, 3, 3) [kg m]
        ``int rho s phi_i^T dV``: U3 is its skew, U7 its symmetric part.
    quadratic : shape (m, m, 3, 3) [kg], optional
        ``int rho phi_i phi_j^T dV``: U4, U5 and U8. Only the full inertia needs it.
    """

    mass: float
    first: Array
    second: Array
    modal: Array
    mixed: Array
    quadratic: Array | None = None

    @classmethod
    def of(cls, model: FEModel, modes: Array, *, quadratic: bool = True) -> MassInvariants:
        """Return the invariants of a grid.

        Parameters
        ----------
        model : FEModel
            In the body's frame.
        modes : shape (n_nodes, 3, m)
            Displacement of each node per unit of each modal coordinate.
        quadratic : bool
            With the moments of pairs of modes, 9 m^2 numbers.

        Raises
        ------
        Fault
            If modes and grid do not belong together.
        """
        modes = np.asarray(modes, dtype=np.float64)
        if modes.ndim != 3 or modes.shape[:2] != (model.n_nodes, 3):
            raise Fault(
                "modes", f"shape {modes.shape}", f"shape ({model.n_nodes}, 3, m)", "give a displacement at each node"
            )
        M, s, m = model.scalar_mass, model.points, modes.shape[2]
        M_s, M_one = M @ s, np.asarray(M.sum(axis=1)).ravel()
        fields = modes.reshape(model.n_nodes, -1)  # (n_nodes, 3 m), axis before mode
        return cls(
            mass=float(M_one.sum()),
            first=M_one @ s,
            second=s.T @ M_s,
            modal=(M_one @ fields).reshape(3, m),
            mixed=(M_s.T @ fields).reshape(3, 3, m).transpose(2, 0, 1).copy(),
            quadratic=_pairs(M, fields, m) if quadratic else None,
        )

    @classmethod
    def rigid(cls, *, mass: float, first: Array, second: Array) -> MassInvariants:
        """Return those of a body without modes."""
        none = np.zeros((3, 0))
        return cls(mass=mass, first=first, second=second, modal=none, mixed=np.zeros((0, 3, 3)), quadratic=None)

    @classmethod
    def of_wheel(cls, sector: MassInvariants, teeth: int, turns: ComplexArray | None = None) -> MassInvariants:
        """Add up those of a sector and of all its copies around the z axis, without the moments of pairs of modes.

        Parameters
        ----------
        sector : MassInvariants
            In the frame of tooth 0; of 2 m modes, the real parts of the amplitudes and their imaginary parts.
        teeth : int
        turns : shape (teeth, m), optional
            Factors of the amplitudes in the frame of each tooth. Default: no modes.
        """
        turns = np.zeros((teeth, 0), dtype=np.complex128) if turns is None else turns
        parts = [
            replace(sector, quadratic=None)
            .combined(np.vstack([np.diag(turn.real), -np.diag(turn.imag)]))
            .turned(sector_rotation(teeth, -k))
            for k, turn in enumerate(turns)
        ]
        moments = ("mass", "first", "second", "modal", "mixed")
        return cls(**{name: sum(getattr(part, name) for part in parts) for name in moments})

    @property
    def n_modes(self) -> int:
        """Number of modes m."""
        return int(self.modal.shape[1])

    # ------------------------------------------------------- names of the literature
    @property
    def U0(self) -> float:
        """Mass [kg]."""
        return self.mass

    @property
    def U1(self) -> Array:
        """``int rho s dV``, shape (3,) [kg m]."""
        return self.first

    @property
    def U2(self) -> Array:
        """``int rho phi_i dV``, shape (3, m) [kg]."""
        return self.modal

    @cached_property
    def U3(self) -> Array:
        """``int rho s x phi_i dV``, shape (3, m) [kg m]."""
        return _axial(self.mixed).T

    @cached_property
    def U4(self) -> Array:
        """``int rho phi_i x phi_j dV`` at [i, :, j], shape (m, 3, m) [kg]."""
        return _axial(self._pairs).transpose(0, 2, 1)

    @cached_property
    def U5(self) -> Array:
        """``int rho phi_i . phi_j dV``, shape (m, m) [kg]."""
        return np.trace(self._pairs, axis1=2, axis2=3)

    @cached_property
    def U6(self) -> Array:
        """Inertia tensor of the undeformed body about the origin, shape (3, 3) [kg m2]."""
        return _inertia(self.second)

    @cached_property
    def U7(self) -> Array:
        """``int rho skew(s)^T skew(phi_i) dV``, shape (m, 3, 3) [kg m]."""
        return _inertia(np.swapaxes(self.mixed, 1, 2))

    @cached_property
    def U8(self) -> Array:
        """``int rho skew(phi_i)^T skew(phi_j) dV``, shape (m, m, 3, 3) [kg]."""
        return _inertia(np.swapaxes(self._pairs, 2, 3))

    @property
    def _pairs(self) -> Array:
        if self.quadratic is None:
            raise Fault("moments of pairs of modes", "none", "needed for the full inertia", "make them with the others")
        return self.quadratic

    # ---------------------------------------------------------------- other modes, other axes
    def turned(self, R: Array) -> MassInvariants:
        """Return the invariants of the same body and modes in a frame turned by R, ``s_new = R^T s``."""
        turn = R.T
        return replace(
            self,
            first=turn @ self.first,
            second=turn @ self.second @ R,
            modal=turn @ self.modal,
            mixed=turn @ self.mixed @ R,
            quadratic=None if self.quadratic is None else turn @ self.quadratic @ R,
        )

    def combined(self, T: Array) -> MassInvariants:
        """Return those of the modes ``phi_new_k = sum_i phi_i T[i, k]``, T (m, n): turned, renumbered, or fewer."""
        quadratic = None
        if self.quadratic is not None:
            quadratic = np.einsum("ik,ijab,jl->klab", T, self.quadratic, T, optimize=True)
        return replace(self, modal=self.modal @ T, mixed=np.einsum("ik,iab->kab", T, self.mixed), quadratic=quadratic)


def _pairs(M: sp.csr_matrix, fields: Array, m: int) -> Array:
    """``int rho phi_i phi_j^T dV``, shape (m, m, 3, 3)."""
    return (fields.T @ (M @ fields)).reshape(3, m, 3, m).transpose(1, 3, 0, 2).copy()


def _axial(moment: Array) -> Array:
    """``int a x b`` of moments ``int a b^T``, shape (..., 3)."""
    lower, upper = [1, 2, 0], [2, 0, 1]
    return moment[..., lower, upper] - moment[..., upper, lower]


def _inertia(moment: Array) -> Array:
    """``int skew(a)^T skew(b)`` of moments ``int b a^T``: (a . b) I - b a^T."""
    return np.trace(moment, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - moment
