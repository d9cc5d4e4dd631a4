r"""Free end of a layer that is clamped at its inner boundary: how much softer it is there than in plane strain.

Under a line load that is even along z up to the end of the face the surface of a flat layer of depth h sinks by

.. math:: w(z) = q (1 - \nu^2)/E\, (W + \Delta W(z/h)),                                                      (1)

W that of plane strain. At the end nothing holds the stresses along z; there the end plane may lean, too: by the lean
``gamma`` the body under the end stands back (acute, positive) or out (obtuse). Across the line (x) the layer is flat
and without end, so that every wave p cos(k x) of the pressure answers for itself; its displacements

    u_x = U(y, z) sin(k x),    u_y = V(y, z) cos(k x),    u_z = w(y, z) cos(k x)                                (2)

are those of a plane section (depth y, way from the end z), found by finite elements with three unknowns a node. Far
from the end they are those of plane strain, V_0. With a strip much narrower than its distance from the end

.. math:: \Delta W(\zeta) = \frac1\pi \int_0^\infty k (V - V_0)\, d\ln k, \qquad \zeta = z/h,                (3)

for E = 1 - nu^2. Waves much shorter than the layer is deep do not know its depth: k V depends on k z alone.

Near the end (3) grows with ln(1/zeta), as long as the strip is narrower than that; its mean over a slice is finite.

The derivation is our own; closed forms that it is held against: nothing is missing for nu = 0 and an upright end
(mirror the layer at its end), and V_0 (Johnson 1985, Contact Mechanics, section 5.8; ``line_contact.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, pi, tan

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solveh_banded

from alegear.arrays import Array, Indices, Mask
from alegear.contact.layer import hermite, spline_slopes
from alegear.contact.plane_elements import nine_node_shapes, with_middles
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.parameters import limits_of

FARTHEST = 4.0  # depths from the end beyond which nothing is missing, to 1e-3 of W
NEAREST = 1e-3  # of the table, in depths; the mean of the logarithm from there to the end is in closed form
STEEPEST_LEAN = 0.8  # rad: 46 deg
_PLACES = 400  # of the table
_LONGEST, _SHORTEST = 0.05, 10.0  # wave numbers times depth; shorter waves do not know the depth
_WAVES = 10
_DEEP, _FAR = 7.0, 17.5  # of the section, over 1/k where that is less than what the depth asks for
_FAR_OF_DEPTH = 5.0
_ELEMENTS = 8, 12  # into the depth and along the surface
_FIRST = 0.03, 0.01  # sizes of the first elements, over depth and length of the section
_FINE = 1200  # points of the integrals over ln k


@dataclass(frozen=True, kw_only=True, eq=False)
class FreeEnd:
    """Table of the integral of Delta W from the end on.

    Attributes
    ----------
    zeta : shape (n,)
        Distance from the end over the depth of the layer, rising from 0.
    integral : shape (n,)
        Integral of Delta W from 0 to zeta.
    """

    zeta: Array
    integral: Array

    @classmethod
    def build(cls, nu: float, lean: float) -> FreeEnd:
        """Solve the layer wave by wave.

        Parameters
        ----------
        nu : float
            Poisson's ratio.
        lean : float [rad]
            Angle of the end plane against the normal of the surface; positive: the body ends acute.

        Raises
        ------
        Fault
            If nu or lean are out of range.
        """
        limits_of(Material)["nu"].check(nu, "nu")
        if not abs(lean) <= STEEPEST_LEAN:
            raise Fault(
                "lean of the free end of a layer [rad]", lean, f"at most {STEEPEST_LEAN}", "use a smaller helix angle"
            )
        zeta = np.geomspace(NEAREST, FARTHEST, _PLACES)
        missing = _missing(zeta, nu, lean)
        missing -= missing[-1]
        rise = (missing[0] - missing[1]) / log(zeta[1] / zeta[0])
        first = zeta[0] * (missing[0] + rise)  # of missing[0] + rise ln(zeta[0]/zeta) from 0 on
        integral = first + _running_integral(missing, zeta)
        return cls(zeta=np.append(0.0, zeta), integral=np.append(0.0, integral))

    def mean(self, near: ArrayLike, far: ArrayLike) -> Array:
        """Mean of Delta W between two distances from the end, over the depth of the layer; near < far, broadcast."""
        near, far = np.asarray(near, dtype=float), np.asarray(far, dtype=float)
        both = np.interp(far, self.zeta, self.integral) - np.interp(near, self.zeta, self.integral)
        return np.asarray(both / (far - near))


def _missing(zeta: Array, nu: float, lean: float) -> Array:
    """Delta W at distances from the end over the depth, equation (3), shape (n,)."""
    log_k = np.linspace(log(_LONGEST), log(_SHORTEST), _WAVES)
    of_wave = [_softer(float(k), nu, lean) for k in np.exp(log_k)]
    at_places = np.array([softer(zeta) for softer in of_wave])
    fine = np.linspace(log_k[0], log_k[-1], _FINE)
    slopes = spline_slopes(log_k, at_places)
    i = np.minimum(np.searchsorted(log_k, fine, side="right") - 1, len(log_k) - 2)
    (value, slope), (next_value, next_slope) = hermite(fine, log_k[i], log_k[i + 1])[0][..., None]
    smooth = value * at_places[i] + slope * slopes[i] + next_value * at_places[i + 1] + next_slope * slopes[i + 1]
    total = np.trapezoid(smooth, fine, axis=0)
    total += at_places[0]  # longer waves: in proportion to k
    # shorter waves: from t = _SHORTEST zeta on, of the function of t = k z
    t = np.geomspace(NEAREST * _SHORTEST, FARTHEST * _SHORTEST, _FINE)
    beyond = of_wave[-1](t / _SHORTEST)
    left = _running_integral(beyond[::-1], -np.log(t[::-1]))[::-1]
    return np.asarray((total + np.interp(zeta * _SHORTEST, t, left)) / pi)


def _running_integral(values: Array, places: Array) -> Array:
    """Integral from the first place on, by the trapezoidal rule, shape (n,)."""
    return np.append(0.0, np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(places)))


def _softer(k: float, nu: float, lean: float) -> Callable[[Array], Array]:
    """k (V - V_0) of the wave k for the depth 1, as a function of the distance from the end."""
    z, V = wave_at_end(k, nu, lean)
    return lambda places: np.interp(places, z, k * (V - V[-1]), right=0.0)


def wave_at_end(k: float, nu: float, lean: float) -> tuple[Array, Array]:
    """Displacement of the surface of a layer of depth 1 under the pressure cos(k x), from its end on.

    Parameters
    ----------
    k : float
        Wave number.
    nu, lean : float
        As in :meth:`FreeEnd.build`.

    Returns
    -------
    z : shape (n,)
        Distances from the end.
    V : shape (n,)
        Amplitude inwards, for E = 1 - nu^2; the last is that of plane strain.
    """
    depth = min(1.0, _DEEP / k)
    length = min(_FAR_OF_DEPTH, _FAR / k)
    points, elements = _section(depth, length, lean)
    far, bottom = points.shape[0] - 1, points.shape[1] - 1
    held = np.zeros((*points.shape[:2], 3), dtype=bool)
    held[:, bottom] = True
    held[far, :, 2] = True
    stiffness = _stiffness(points.reshape(-1, 2)[elements], k, nu)
    load = np.zeros(held.shape)
    z = points[:, 0, 1]
    for j in range(0, far, 2):
        load[j : j + 3, 0, 1] += (z[j + 2] - z[j]) * np.array([1.0, 4.0, 1.0]) / 6.0
    u = np.zeros(held.shape)
    u[~held] = solveh_banded(_banded(stiffness, elements, ~held.ravel()), load[~held], lower=True, check_finite=False)
    return z, u[:, 0, 1]


def _section(depth: float, length: float, lean: float) -> tuple[Array, Indices]:
    """Nodes (columns from the end, rows into the depth, (y, z)) and nine-node elements (n, 9) of the section."""
    rows, columns = (_graded(n, first) for n, first in zip(_ELEMENTS, _FIRST, strict=True))
    y = np.repeat(depth * rows[None], len(columns), axis=0)
    z = tan(lean) * y * (1.0 - columns[:, None]) + length * columns[:, None]
    number = np.arange(y.size).reshape(y.shape)
    patches = np.lib.stride_tricks.sliding_window_view(number, (3, 3))[::2, ::2]
    return np.stack([y, z], axis=2), patches.transpose(0, 1, 3, 2).reshape(-1, 9)


def _banded(stiffness: Array, elements: Indices, free: Mask) -> Array:
    """Lower diagonals of the stiffness of the free unknowns from that of the elements (n, 27, 27), shape (m, n_free).

    Nodes are numbered from row to row of one column after the other, so that elements couple near ones only.
    """
    n_free = int(free.sum())
    place = np.where(free, np.cumsum(free) - 1, -1)
    dofs = place[(3 * elements[:, :, None] + np.arange(3)).reshape(-1, 27)]
    row, column = dofs[:, :, None], dofs[:, None]
    used = (column >= 0) & (row >= column)
    diagonal = (row - column)[used]
    at = diagonal * n_free + np.broadcast_to(column, used.shape)[used]
    n_diagonals = int(diagonal.max()) + 1
    flat = np.asarray(np.bincount(at, stiffness[used], n_diagonals * n_free), dtype=np.float64)
    return flat.reshape(n_diagonals, n_free)


def _graded(n: int, first: float) -> Array:
    """Nodes of n quadratic elements from 0 to 1, the first of the size ``first``, growing evenly."""
    low, growth = 1.0 + 1e-9, 10.0
    for _ in range(60):  # halves the interval down to round-off; to import a solver takes as long as all of this file
        middle = 0.5 * (low + growth)
        if first * (middle**n - 1.0) / (middle - 1.0) < 1.0:
            low = middle
        else:
            growth = middle
    ends = np.append(0.0, np.cumsum(growth ** np.arange(n)))
    return with_middles(ends / ends[-1])


def _stiffness(corners: Array, k: float, nu: float) -> Array:
    """Stiffness (n, 27, 27) of elements with the nodes (n, 9, 2) for displacements (2); E = 1 - nu^2, 3 x 3 points."""
    shear = 0.5 * (1.0 - nu)
    D = np.diag([2.0 * shear] * 3 + [shear] * 3)
    D[:3, :3] += (1.0 - nu) * nu / (1.0 - 2.0 * nu)
    n = len(corners)
    K = np.zeros((n, 27, 27))
    values, both_slopes, weights = nine_node_shapes()
    for value, slopes, weight in zip(values, both_slopes.swapaxes(0, 1), weights, strict=True):
        jacobian = np.einsum("dn,enx->edx", slopes, corners)
        by_y, by_z = np.moveaxis(np.linalg.solve(jacobian, np.broadcast_to(slopes, (n, 2, 9))), 1, 0)
        B = np.zeros((n, 6, 9, 3))  # strains xx, yy, zz, xy, xz, yz without the cosine or sine of k x
        B[:, 0, :, 0], B[:, 1, :, 1], B[:, 2, :, 2] = k * value, by_y, by_z
        B[:, 3, :, 0], B[:, 3, :, 1] = by_y, -k * value
        B[:, 4, :, 0], B[:, 4, :, 2] = by_z, -k * value
        B[:, 5, :, 1], B[:, 5, :, 2] = by_z, by_y
        strains = B.reshape(n, 6, 27)
        K += (weight * np.linalg.det(jacobian))[:, None, None] * (strains.transpose(0, 2, 1) @ D @ strains)
    return K
