"""Normal force of a mesh over its deformation: linear and progressive springs, with backlash and damping."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.factor import PeriodicFactor, table_of
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array

LENGTH = Limits(quantity="deformation", key="delta", unit="um", least=-1e12, most=1e12)
RATE = Limits(quantity="rate of the deformation", key="rate", unit="m/s", least=-1e9, most=1e9)

STIFFNESS = Limits(quantity="mesh stiffness", key="stiffness_N_per_m", unit="N/m", least=0.0, most=1e15, above=True)
BACKLASH = Limits(quantity="backlash", key="backlash_um", unit="um", least=0.0, most=1e6)
DAMPING = Limits(quantity="mesh damping", key="damping_Ns_per_m", unit="N s/m", least=0.0, most=1e12)
ROUGHNESS_RQ = Limits(quantity="roughness Rq of both flanks", key="roughness_Rq_um", unit="um", least=1e-6, most=1e4)
FULL_LOAD = Limits(
    quantity="load from which the stiffness is constant", key="full_load_N", unit="N", least=1e-6, most=1e12
)
LEAST_STIFFNESS = Limits(
    quantity="stiffness without load over that under full load", key="least_stiffness", least=1e-6, most=0.999
)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshSpring(ShortRepr, ABC):
    """A law of the normal force, the same for both flanks of a tooth.

    A flank that overlaps by ``p = delta - backlash/2 > 0`` pushes with

        N = max(0, kappa(x_mesh) N_el(p) + damping p')

    and the normal force of both is ``F_n = N(delta) - N(-delta)`` while the centres keep their distance. So the
    damper acts only while flanks touch, and never pulls.

    Parameters
    ----------
    c : float [N/m]
        Stiffness along the line of action, the largest one; for a deformation on the pitch circles it is
        cos alpha times as large.
    backlash : float [m]
        Along the line of action, from flank to flank: ``j_wt cos alpha_wt``.
    damping : float [N s/m]
    factor : PeriodicFactor or None
        kappa over the mesh position.
    """

    c: Annotated[float, STIFFNESS]
    backlash: Annotated[float, BACKLASH] = 0.0
    damping: Annotated[float, DAMPING] = 0.0
    factor: PeriodicFactor | None = None

    def __post_init__(self) -> None:
        table_of(self.factor, f"{type(self).__name__}.factor")
        check_parameters(self)

    @property
    @abstractmethod
    def _kind(self) -> tuple[float, float, float]:
        """Which spring, and its own two numbers."""

    @cached_property
    def numbers(self) -> Array:
        """What the compiled functions take, without the factor (kernels.N_SPRING,)."""
        which, first, second = self._kind
        numbers = np.empty(kernels.N_SPRING)
        numbers[kernels.SPRING], numbers[kernels.FIRST], numbers[kernels.SECOND] = which, first, second
        numbers[kernels.C], numbers[kernels.BACKLASH] = self.c, self.backlash
        numbers[kernels.DAMPING] = self.damping
        return numbers

    @property
    def factor_table(self) -> Array:
        """What the compiled functions take of the factor."""
        return table_of(self.factor, "factor")

    def flank_force(self, delta: float, rate: float = 0.0, x_mesh: float = 0.0) -> float:
        """Return the force of one flank [N], not negative.

        Parameters
        ----------
        delta : float [m]
            Overlap of this flank along the line of action, as without backlash; negative: apart.
        rate : float [m/s]
        x_mesh : float [m]

        Raises
        ------
        Fault
        """
        LENGTH.check(delta, "delta")
        RATE.check(rate, "rate")
        return float(kernels.flank_force(self.numbers, self._factor(x_mesh), float(delta), float(rate))[0])

    def force(self, delta: float, rate: float = 0.0, x_mesh: float = 0.0) -> float:
        """Return the normal force F_n [N] of both flanks, with the sign of `delta`; the centres keep their distance.

        Raises
        ------
        Fault
        """
        return self.flank_force(delta, rate, x_mesh) - self.flank_force(-delta, -rate, x_mesh)

    def stiffness(self, delta: float, x_mesh: float = 0.0) -> float:
        """Return the slope of the undamped force over the deformation [N/m]; 0 in the backlash.

        Raises
        ------
        Fault
        """
        return self._factor(x_mesh) * self._elastic(delta)[1]

    def energy(self, delta: float, x_mesh: float = 0.0) -> float:
        """Return what is stored [J].

        Where the stiffness changes over the mesh position, a force ``-energy kappa'/kappa`` along it belongs to this
        energy.

        Raises
        ------
        Fault
        """
        return self._factor(x_mesh) * self._elastic(delta)[2]

    def _factor(self, x_mesh: float) -> float:
        return float(kernels.periodic_factor(self.factor_table, float(x_mesh))[0])

    def _elastic(self, delta: float) -> tuple[float, float, float]:
        LENGTH.check(delta, "delta")
        found: tuple[float, float, float] = kernels.spring_force(self.numbers, abs(delta) - 0.5 * self.backlash)
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearSpring(MeshSpring):
    """The same stiffness at any load: ``N_el = c p``.

    Raises
    ------
    Fault

    Notes
    -----
    Source: van der Linden (2015), formulas 40 and 42.

    Examples
    --------
    >>> round(LinearSpring(c=2e8, backlash=10e-6).force(15e-6), 9)
    2000.0
    """

    @property
    def _kind(self) -> tuple[float, float, float]:
        return kernels.LINEAR, 0.0, 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Iso6336Spring(MeshSpring):
    """A stiffness that rises with the deformation until rough flanks are pressed flat.

    ``N_el = c p^2/(2 R_q)`` up to ``p = R_q``, then ``c (p - R_q/2)``.

    Parameters
    ----------
    R_q : float [m]
        Deformation from which the stiffness is c: the roughness of both flanks.

    Raises
    ------
    Fault

    Notes
    -----
    Source: van der Linden (2015), formulas 41 and 43, who refers to ISO 6336-1.

    Examples
    --------
    >>> round(Iso6336Spring(c=2e8, R_q=4e-6).force(4e-6), 9)
    400.0
    """

    R_q: Annotated[float, ROUGHNESS_RQ]

    @property
    def _kind(self) -> tuple[float, float, float]:
        return kernels.ISO_6336, self.R_q, 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class NiemannWinterSpring(MeshSpring):
    """A stiffness that rises with the load, up to a load from which it is constant.

    ``dN_el/dp = c (kappa_0 + (1 - kappa_0) N_el/F_0)`` up to N_el = F_0, then c; that is
    ``N_el = F_0 kappa_0/(1 - kappa_0) (exp((1 - kappa_0) c p/F_0) - 1)`` up to
    ``p = F_0 ln(1/kappa_0)/((1 - kappa_0) c)``.

    Parameters
    ----------
    F_0 : float [N]
        Load from which the stiffness is c; ISO 6336-1 takes 100 N per mm of face width.
    kappa_0 : float
        Stiffness without load over c, above 0 and below 1.

    Raises
    ------
    Fault

    Notes
    -----
    Our own reading: van der Linden (2015) takes a progressive characteristic "to Niemann and Winter" without printing
    it, and says of its stiffness that it increases linearly with the load. This is the only law that does.

    Examples
    --------
    >>> spring = NiemannWinterSpring(c=2e8, F_0=1000.0, kappa_0=0.5)
    >>> round(spring.stiffness(1e-9) / 1e8, 3), round(spring.stiffness(1e-3) / 1e8, 3)
    (1.0, 2.0)
    """

    F_0: Annotated[float, FULL_LOAD]
    kappa_0: Annotated[float, LEAST_STIFFNESS]

    @property
    def _kind(self) -> tuple[float, float, float]:
        return kernels.NIEMANN_WINTER, self.F_0, self.kappa_0
