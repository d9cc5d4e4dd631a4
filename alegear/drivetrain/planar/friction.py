"""Coefficients of friction of a mesh, by its velocity and normal force.

Formulas of standards are fitted to measurements in given units: a machine at another scale is not similar under them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import cos, sin
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.factor import PeriodicFactor, table_of
from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_type
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array
from alegear.system.profiles import check_distances

LARGEST_COEFFICIENT = 2.0
"""Of friction: what is above it is a wrong number."""

MU = Limits(quantity="coefficient of friction", key="mu", least=0.0, most=LARGEST_COEFFICIENT)
MU_0 = Limits(quantity="coefficient of friction at rest", key="mu_0", least=0.0, most=LARGEST_COEFFICIENT)
FACE_WIDTH = Limits(quantity="face width", key="face_width_mm", unit="mm", least=0.01, most=10000.0)
VISCOSITY = Limits(quantity="dynamic viscosity", key="viscosity_mPas", unit="mPa s", least=1e-3, most=1e7)
ROUGHNESS_RA = Limits(quantity="roughness Ra", key="roughness_Ra_um", unit="um", least=1e-3, most=1000.0)
BASE_HELIX_ANGLE = Limits(quantity="base helix angle", key="base_helix_angle_deg", unit="deg", least=-45.0, most=45.0)
STATIC_FACTOR = Limits(quantity="coefficient at rest over that of sliding", key="static_factor", least=1.0, most=100.0)
SPEED = Limits(quantity="mesh velocity", key="v_mesh", unit="m/s", least=-1e6, most=1e6)
LOAD = Limits(quantity="normal force", key="F_n", unit="N", least=-1e15, most=1e15)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshFriction(ShortRepr, ABC):
    """A law of friction of the mean tooth contact.

    Parameters
    ----------
    factor : PeriodicFactor or None
        By which the coefficients are multiplied, at rest too, over the mesh position.
    """

    factor: PeriodicFactor | None = None

    def __post_init__(self) -> None:
        table_of(self.factor, f"{type(self).__name__}.factor")
        check_parameters(self)

    @cached_property
    @abstractmethod
    def numbers(self) -> Array:
        """What the compiled functions take, without the factor."""

    @property
    def factor_table(self) -> Array:
        """What the compiled functions take of the factor."""
        return table_of(self.factor, "factor")

    def mu(self, v_mesh: float, F_n: float, x_mesh: float = 0.0) -> float:
        """Return the coefficient of friction of sliding flanks.

        Parameters
        ----------
        v_mesh : float [m/s]
            At 0 it is the limit from above.
        F_n : float [N]
            Positive where gear A is held back: gear A drives where it has the sign of `v_mesh`.
        x_mesh : float [m]

        Raises
        ------
        Fault
        """
        SPEED.check(v_mesh, "v_mesh")
        LOAD.check(F_n, "F_n")
        factor = kernels.periodic_factor(self.factor_table, float(x_mesh))[0]
        return float(factor * kernels.friction_coefficient(self.numbers, float(v_mesh), float(F_n)))

    def mu_static(self, x_mesh: float = 0.0) -> float:
        """Return the coefficient of friction up to which the mesh sticks."""
        factor = kernels.periodic_factor(self.factor_table, float(x_mesh))[0]
        return float(factor * self.numbers[kernels.MU_0])


@dataclass(frozen=True, kw_only=True, eq=False)
class CoulombFriction(MeshFriction):
    """The same coefficient at any speed, and another one at rest.

    Parameters
    ----------
    mu_sliding : float
    mu_0 : float or None
        At rest, not below `mu_sliding`: else the mesh would chatter. None: the same.
    factor : PeriodicFactor or None

    Raises
    ------
    Fault

    Notes
    -----
    Source: van der Linden (2015), formula 34.

    Examples
    --------
    >>> law = CoulombFriction(mu_sliding=0.05, mu_0=0.08)
    >>> law.mu(v_mesh=1.0, F_n=100.0), law.mu_static()
    (0.05, 0.08)
    """

    mu_sliding: Annotated[float, MU]
    mu_0: Annotated[float | None, MU_0] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mu_0 is not None and self.mu_0 < self.mu_sliding:
            raise Fault(
                MU_0.quantity,
                self.mu_0,
                f"at least that of sliding, {self.mu_sliding:g}",
                "increase mu_0, or leave it out",
            )

    @cached_property
    def numbers(self) -> Array:
        """Which law, mu_0, mu (3,)."""
        return np.array([kernels.COULOMB, self.mu_sliding if self.mu_0 is None else self.mu_0, self.mu_sliding])


@dataclass(frozen=True, kw_only=True, eq=False)
class Din3990Friction(MeshFriction):
    """The mean coefficient of DIN 3990-4, from load, oil and roughness.

    ``mu = 0.12 (w_Bt R_a/(eta v_SigmaC rho_redC))^(1/4)``, not above mu_0, with ``w_Bt = |F_n| cos alpha/b`` [N/mm],
    R_a [um], eta [mPa s], ``v_SigmaC = 2 |v_mesh| sin alpha`` [m/s] and
    ``rho_redC = r_A r_B/(r_A + r_B) sin alpha/cos beta_b`` [mm].

    Parameters
    ----------
    mesh : MeshAverages
    face_width : float [m]
        b that carries.
    viscosity : float [Pa s]
        Dynamic viscosity of the oil at its temperature.
    roughness : float [m]
        Arithmetic mean roughness of both flanks.
    mu_0 : float
        At rest, and the bound of the formula, which has no value there.
    beta_b : float [rad]
        Base helix angle.
    factor : PeriodicFactor or None

    Raises
    ------
    Fault

    Notes
    -----
    Source: DIN 3990-4:1987, in van der Linden (2015), formulas 35 to 37. His bound holds at rest alone; here it holds
    at any speed. Factors of application and load distribution are in F_n. w_Bt belongs to the tangential force, hence
    cos alpha. His table 3 gives the viscosity 275 in Pa s; it is mPa s.
    """

    mesh: MeshAverages
    face_width: Annotated[float, FACE_WIDTH]
    viscosity: Annotated[float, VISCOSITY]
    roughness: Annotated[float, ROUGHNESS_RA]
    mu_0: Annotated[float, MU_0]
    beta_b: Annotated[float, BASE_HELIX_ANGLE] = 0.0

    def __post_init__(self) -> None:
        check_type(self, "mesh", MeshAverages)
        super().__post_init__()

    @cached_property
    def numbers(self) -> Array:
        """Which law, mu_0, mu^4 v/|F_n| (3,)."""
        mesh = self.mesh
        rho_mm = 1e3 * mesh.r_A * mesh.r_B / mesh.a * sin(mesh.alpha) / cos(self.beta_b)
        load = cos(mesh.alpha) / (1e3 * self.face_width)  # [N/mm] of 1 N
        roughness_um, viscosity_mPas = 1e6 * self.roughness, 1e3 * self.viscosity
        of_one = load * roughness_um / (viscosity_mPas * 2.0 * sin(mesh.alpha) * rho_mm)
        return np.array([kernels.DIN_3990, self.mu_0, 0.12**4 * of_one])


@dataclass(frozen=True, kw_only=True, eq=False)
class TabulatedEfficiency(MeshFriction):
    """The coefficient that gives the mesh an efficiency over its speed, whichever gear drives, in either sense.

    ``mu = cos alpha (1 - eta)/(d_tauB/r_B - eta d_tauA/r_A)`` where A drives, with
    ``(eta d_tauB/r_B - d_tauA/r_A)`` where B does. The table is joined by straight lines and goes on level.

    Parameters
    ----------
    mesh : MeshAverages
    v_mesh : shape (n,) [m/s]
        Rising, not negative: the table holds for both senses.
    eta : shape (n,)
        Efficiency of the mesh, above 0, at most 1.
    c_mu0 : float
        The coefficient at rest over the larger one of both directions at rest, at least 1.
    factor : PeriodicFactor or None

    Raises
    ------
    Fault
        Also for an efficiency that no friction gives: the teeth's friction alone cannot block some meshes.

    Notes
    -----
    Source: van der Linden (2015), formulas 38 and 39.
    """

    mesh: MeshAverages
    v_mesh: ArrayLike
    eta: ArrayLike
    c_mu0: Annotated[float, STATIC_FACTOR] = 1.0

    def __post_init__(self) -> None:
        check_type(self, "mesh", MeshAverages)
        super().__post_init__()
        speeds, etas = (array_of(getattr(self, one), f"TabulatedEfficiency.{one}") for one in ("v_mesh", "eta"))
        if speeds.ndim != 1 or speeds.shape != etas.shape or not len(speeds):
            value = f"shapes {speeds.shape} and {etas.shape}"
            raise Fault("table of the efficiency", value, "two rows of one length", "correct v_mesh or eta")
        check_distances("mesh velocities of the efficiency", speeds)
        for number, (speed, eta) in enumerate(zip(speeds.tolist(), etas.tolist(), strict=True)):
            least = -1.0 if number == 0 else speeds[number - 1]
            if not (np.isfinite(speed) and speed >= 0.0 and speed > least):
                limit = "finite, not negative and above the one before"
                raise Fault(f"mesh velocity {number + 1} of the table [m/s]", speed, limit, "sort the table")
            if not 0.0 < eta <= 1.0:
                raise Fault(f"efficiency {number + 1} of the table", eta, "above 0, at most 1", "correct eta")
            self._check_reached(number, eta)
        for one, values in (("v_mesh", speeds), ("eta", etas)):
            values.flags.writeable = False
            object.__setattr__(self, one, values)

    @cached_property
    def numbers(self) -> Array:
        """Which law, mu_0, cos alpha, d_tau/r of both gears, speeds, efficiencies (5 + 2 n,)."""
        at_rest = max(self._coefficients(float(np.asarray(self.eta)[0])))
        own = (kernels.TABULATED, self.c_mu0 * at_rest, *self._geometry)
        return np.concatenate((own, np.asarray(self.v_mesh), np.asarray(self.eta)))

    @property
    def _geometry(self) -> tuple[float, float, float]:
        mesh = self.mesh
        return cos(mesh.alpha), mesh.d_tauA / mesh.r_A, mesh.d_tauB / mesh.r_B

    def _coefficients(self, eta: float) -> tuple[float, float]:
        """Where A drives, and where B does; infinite where no friction gives this efficiency."""
        cosine, lever_A, lever_B = self._geometry
        found = []
        for drives, into in ((1.0, -lever_A), (-1.0, lever_B)):
            below = lever_B - eta * lever_A if drives > 0.0 else eta * lever_B - lever_A
            mu = kernels.coefficient_from_efficiency(eta, drives, cosine, lever_A, lever_B) if below else np.inf
            found.append(float(mu) if mu >= 0.0 and cosine + mu * into > 0.0 else np.inf)
        return found[0], found[1]

    def _check_reached(self, number: int, eta: float) -> None:
        for gear, found in zip("AB", self._coefficients(eta), strict=True):
            if found > LARGEST_COEFFICIENT:
                limit = f"one of a coefficient of friction up to {LARGEST_COEFFICIENT:g} where gear {gear} drives"
                raise Fault(f"efficiency {number + 1} of the table", eta, limit, "increase eta")
