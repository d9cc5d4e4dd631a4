"""Factors that repeat over the mesh position."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_kind
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline


NO_FACTOR = np.empty(0)
"""What the compiled functions take for a factor that is 1 everywhere."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PeriodicFactor(ShortRepr):
    """A positive factor that repeats over the mesh position: a cubic spline without ends through a table.

    Parameters
    ----------
    period : float [m]
        On the pitch circles: the circular pitch for what repeats with every tooth.
    values : shape (n,)
        At equal distances over one period, the first at `start`, the last one step before the period ends; at least 3.
    start : float [m]
        Mesh position of the first value.

    Raises
    ------
    Fault
        Also for values between which the spline is not positive.

    Notes
    -----
    The spline has no jumps up to its second derivative: a stiffness that changes over the mesh position does work by
    its slope, and a jump would do it at once.

    Examples
    --------
    >>> factor = PeriodicFactor(period=3e-3, values=(1.0, 1.2, 0.8))
    >>> float(round(factor.at(4e-3), 12))
    1.2
    """

    period: Annotated[float, Limits(quantity="period", key="period", unit="mm", least=1e-3, most=1e6)]
    values: ArrayLike
    start: Annotated[float, Limits(quantity="mesh position of the first value", key="start", unit="mm")] = 0.0

    def __post_init__(self) -> None:
        check_parameters(self)
        values = array_of(self.values, "PeriodicFactor.values")
        if values.ndim != 1 or len(values) < 3:
            raise Fault("values of a periodic factor", f"shape {values.shape}", "3 or more in a row", "give more")
        for number, value in enumerate(values):
            if not (np.isfinite(value) and value > 0.0):
                raise Fault(f"value {number + 1} of a periodic factor", value, "finite and above 0", "correct it")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        if self._least <= 0.0:
            raise Fault(
                "least of the spline through a periodic factor",
                float(f"{self._least:.6g}"),
                "greater than 0",
                "give values that are closer, or rounder",
            )

    @cached_property
    def table(self) -> Array:
        """What the compiled functions take: period, start, coefficients of rising powers of the place in a piece."""
        c = self._spline.c[::-1].T  # (n, 4)
        return np.concatenate(([self.period, self.start], c.ravel()))

    @cached_property
    def _spline(self) -> CubicSpline:
        from scipy.interpolate import CubicSpline  # here, because it is slow to import

        values = np.asarray(self.values)
        return CubicSpline(np.arange(len(values) + 1.0), np.append(values, values[0]), bc_type="periodic")

    @property
    def _least(self) -> float:
        """The smallest value of the spline."""
        places = self._spline.derivative().roots(extrapolate=False)
        places = places[np.isfinite(places)]  # a constant piece gives NaN
        return float(min(np.min(np.asarray(self.values)), *self._spline(places), np.inf))

    def at(self, x_mesh: float) -> float:
        """Value at a mesh position [m]."""
        return float(kernels.periodic_factor(self.table, float(x_mesh))[0])

    def slope(self, x_mesh: float) -> float:
        """Its derivative by the mesh position [1/m]."""
        return float(kernels.periodic_factor(self.table, float(x_mesh))[1])

    def curvature(self, x_mesh: float) -> float:
        """Its second derivative by the mesh position [1/m2]."""
        return float(kernels.periodic_curvature(self.table, float(x_mesh)))


def table_of(factor: PeriodicFactor | None, where: str) -> Array:
    """What the compiled functions take for a factor, or for none."""
    check_kind(factor, where, PeriodicFactor, optional=True)
    return NO_FACTOR if factor is None else factor.table
