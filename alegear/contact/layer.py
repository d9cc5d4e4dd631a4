"""Local approach of the layer under a flank that is clamped at its inner boundary, with its tip edge.

The contact law takes the compliance of the bodies from coarse three-dimensional grids, less the compliance of the same
grids with everything clamped that lies deeper than a layer under the flank. What is missing then is how far the true
surface of that very layer gives way under the narrow pressure of a line contact. In plane strain, per body,

    w = q (1 - nu^2)/E  W(s, b)                                                                              (1)

with q the line load, b the half-width of the Hertz strip and s the arc length of its middle. W comes from a fine plane
finite element grid of the layer: one factorisation gives the compliance G of the surface (for 1 - nu^2 = E), and all
strips are load cases of it.

**Away from the corner** W is the displacement in the *middle* of the strip: the undeformed gap vanishes there, so the
middle displacements of both bodies add up to their approach (see :mod:`alegear.contact.line_contact`). A grid gives an
energy far more precisely than a displacement, and for a half-plane both say the same: with p the elliptical pressure of
unit resultant, x measured from s,

    W = p.G p + (2/pi) <x^2>_p / b^2 + c(b/h)                                                                (2)

The second term is the mean of the undeformed gap, 1/(2 pi) for a whole strip; c = O((b/h)^2), in closed form, is what
centre and mean of a flat bonded layer of the local depth h differ by beyond that. For the flat layer (2) is exact.

**At the corner** the body is softer and ends. There W follows from the contact itself: a half-plane of the same
modulus, with the undeformed gap x^2/(2 rho) that belongs to b, is pressed against the layer (frictionless, no pull; the
layer lies on the body, whose part in the shape of the surface is that of the flat layer). The approach less that of the
mate under a whole Hertz strip is W. So the strip ends at the corner, keeps its resultant, finds its own width and
pressure - non-zero at the corner, shifted inwards where the corner gives way - and W also holds what the narrower strip
costs the mate. From two half-widths of distance on, W fades over into (2).

Strips narrower than the grid resolves follow from the half-plane: W + (2/pi) ln b is smooth and even in b.

Limits: at the corner the mate has the modulus of the body (elsewhere W does not know the mate); a kink of the profile
(undercut) is part of the grid, but the strip across it is an elliptical one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import ceil, log, pi

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import ArrayLike
from scipy.linalg import solve_banded
from threadpoolctl import threadpool_limits

from alegear.arrays import Array, Indices, Mask
from alegear.contact.line_contact import bonded_layer_approach, bonded_layer_mean, bonded_layer_support
from alegear.contact.plane_elements import surface_compliance, with_middles
from alegear.errors import AnalysisFailure, Fault
from alegear.fe.material import Material
from alegear.geometry.tooth_profile import ToothProfile
from alegear.parameters import limits_of

NARROWEST, WIDEST = 1e-3, 0.5  # half-widths of the table over the smallest and over the mean depth of the layer
WIDEST_OF_LENGTH = 1 / 30  # the table is at least as wide as this part of the layer's length, however thin the layer
MOST_SLENDER = 300  # length over smallest depth; time and memory rise with it
_MOST_PLACES = 80  # of the table along the profile, besides those that close in on the corner
_REACH = 5.0  # depths within which a load on a clamped layer dies out to 1e-5
_WIDTH_STEP = 0.3  # of the table in ln b
_CLEARANCE = 0.6  # distance of the table from the clamped end, over the depth there
_RESOLVED = 2.0  # elements in the narrowest half-width that is taken from the grid
_APART = 1.7  # ratio of the two half-widths from which narrower strips follow
_MIDDLES = (np.arange(240) + 0.5) / 240  # of the intervals that integrate the elliptical pressure
_NARROW = 1e-5  # half-width over depth at which a bonded layer is logarithmic to round-off
_CORNER_CELLS = 40  # cells of constant pressure of a contact at the corner
_STRIPS = 64  # solved together: their systems fit into the cache of a processor


@dataclass(frozen=True, kw_only=True)
class LayerGrid:
    """Choose the fineness of the plane grid; lengths of elements along the profile, each the smaller of two.

    Parameters
    ----------
    per_depth : float
        Length over the depth of the layer.
    per_distance : float
        Length over the distance from the tip corner.
    smallest : float
        Length at the corner, over the smallest half-width of the table.
    growth : float
        Ratio of the thicknesses of neighbouring elements, from the surface down.
    """

    per_depth: float = 0.1
    per_distance: float = 0.15
    smallest: float = 0.4
    growth: float = 1.3


@dataclass(frozen=True, kw_only=True, eq=False)
class LayerApproach:
    """Table of W(s, b) for one flank, C1 in s and ln b: ``w = q (1 - nu^2)/E W``.

    Attributes
    ----------
    s : shape (n_s,) [m]
        Arc length of the middle of the strip along the profile, rising, closer towards the tip corner, which is last.
    narrowest : float [m]
        Smallest half-width.
    log_b : shape (n_b,)
        ln(b/narrowest), equally spaced from 0.
    W, W_s, W_l, W_sl : shape (n_s, n_b) [1], [1/m], [1], [1/m]
        Value and derivatives d/ds, d/d ln b, d2/(ds d ln b) at the points of the table: the data of bicubic Hermite
        interpolation.
    nu : float
        Poisson's ratio.

    Notes
    -----
    Beyond the table W is constant in s, linear in ln b for narrower strips, and a power of b for wider ones, so that it
    stays positive; value and slope in ln b are continued.

    With i, j the cell, h_s, h_l its sizes, t its local coordinate in s and H the four cubic Hermite functions

        H_0 = (1 + 2t)(1 - t)^2,  H_s0 = h t (1 - t)^2,  H_1 = t^2 (3 - 2t),  H_s1 = h t^2 (t - 1)

    W is the sum over both ends of both directions of H H W + H_s H W_s + H H_l W_l + H_s H_l W_sl.
    """

    s: Array
    narrowest: float
    log_b: Array
    W: Array
    W_s: Array
    W_l: Array
    W_sl: Array
    nu: float

    @classmethod
    def build(
        cls,
        profile: ToothProfile,
        s_low: float,
        s_tip: float,
        inner: ArrayLike,
        nu: float,
        grid: LayerGrid | None = None,
    ) -> LayerApproach:
        """Solve the layer and tabulate W.

        Parameters
        ----------
        profile : ToothProfile
            Outer boundary, from s_low to s_tip.
        s_low : float [m]
            Arc length of the lowest node of the flank; the layer is clamped on the straight line from there to the
            first point of ``inner``.
        s_tip : float [m]
            Arc length of the tip corner; the line from there to the last point of ``inner`` is free.
        inner : shape (n, 2) [m]
            Inner boundary, clamped, from the lowest row to the tip land, in the transverse tooth frame.
        nu : float
            Poisson's ratio.
        grid : LayerGrid, optional
            Fineness; default: W right to 0.2 %.

        Returns
        -------
        LayerApproach

        Raises
        ------
        Fault
            If an argument is out of range, or the layer has no depth somewhere, is turned inside out, or is too thin
            for its length.
        """
        inner = _checked(s_low, s_tip, inner, nu)
        with threadpool_limits(limits=1, user_api="blas"):  # many small products: threads only get in each other's way
            surface = _solve_layer(profile, s_low, s_tip, inner, nu, LayerGrid() if grid is None else grid)
            s, log_b, narrowest = surface.table_places(), surface.table_widths(), surface.narrowest
            W = surface.approaches(s, narrowest * np.exp(log_b))
        W_l = np.ascontiguousarray(spline_slopes(log_b, W.T).T)
        return cls(
            s=s,
            narrowest=narrowest,
            log_b=log_b,
            W=W,
            W_s=spline_slopes(s, W),
            W_l=W_l,
            W_sl=spline_slopes(s, W_l),
            nu=nu,
        )

    @property
    def table(self) -> Array:
        """W, W_s, W_l and W_sl, as the kernels take them, shape (4, n_s, n_b)."""
        return np.stack([self.W, self.W_s, self.W_l, self.W_sl])


def hermite(x: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Return cubic Hermite shape functions and their derivatives, each (end, order of the datum, ...)."""
    h = high - low
    t = (x - low) / h
    value = [[(1 + 2 * t) * (1 - t) ** 2, h * t * (1 - t) ** 2], [t**2 * (3 - 2 * t), h * t**2 * (t - 1)]]
    slope = [[6 * t * (t - 1) / h, (1 - t) * (1 - 3 * t)], [6 * t * (1 - t) / h, t * (3 * t - 2)]]
    return np.array(value), np.array(slope)


def spline_slopes(x: Array, y: Array) -> Array:
    """Return the slopes (n, m) of cubic splines through the values y (n, m) at n > 3 places x, rising.

    Curvatures and, next to the ends, third derivatives are continuous ("not a knot").
    """
    h, secant = np.diff(x), np.diff(y, axis=0) / np.diff(x)[:, None]
    band, load = np.zeros((3, len(x))), np.empty_like(y)
    # h_i m_i-1 + 2 (h_i-1 + h_i) m_i + h_i-1 m_i+1 = 3 (h_i secant_i-1 + h_i-1 secant_i)
    band[0, 2:], band[1, 1:-1], band[2, :-2] = h[:-1], 2.0 * (h[:-1] + h[1:]), h[1:]
    load[1:-1] = 3.0 * (h[1:, None] * secant[:-1] + h[:-1, None] * secant[1:])
    # the same cubic left and right of the second place, less the equation there
    for end, row, column, outer, inner in ((0, 0, 1, 0, 1), (-1, 2, -2, -1, -2)):
        both = h[outer] + h[inner]
        band[1, end], band[row, column] = h[inner], both
        load[end] = (h[inner] * (h[outer] + 2.0 * both) * secant[outer] + h[outer] ** 2 * secant[inner]) / both
    slopes: Array = solve_banded((1, 1), band, load, check_finite=False)
    return slopes


# --- surface of the layer ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class _Surface:
    """Compliance of the surface of a layer, and its response to strips of pressure.

    Attributes
    ----------
    s : shape (2 n + 1,) [m]
        Nodes of n quadratic elements along the profile, from the clamped end to the tip corner.
    G : symmetric, shape (2 n + 1, 2 n + 1)
        Normal displacement inwards at the nodes per nodal normal force inwards, times E/(1 - nu^2).
    depth_s, depth : shape (m,) [m]
        Distance of the inner boundary along the profile.
    kink : float [m] or None
        Where the tangent of the profile jumps.
    nu : float
    """

    s: Array
    G: Array
    depth_s: Array
    depth: Array
    kink: float | None
    nu: float

    @property
    def smallest_depth(self) -> float:
        return float(self.depth.min())

    @property
    def widest(self) -> float:
        """Largest half-width of the table [m]."""
        return _widest(self.s[-1] - self.s[0], self.depth)

    def table_places(self) -> Array:
        """Return the places of the table: in steps of part of the depth, closing in on the tip corner.

        They start some way above the clamped end, where nothing gives way, and include a kink of the profile.
        """
        tip, low = self.s[-1], self.s[0]
        start = low + min(_CLEARANCE * self.depth[0], 0.5 * (tip - low))
        distance = [0.0, 0.5 * NARROWEST * self.smallest_depth]
        while distance[-1] < tip - start:
            depth = float(np.interp(tip - distance[-1], self.depth_s, self.depth))
            distance.append(distance[-1] + min(0.4 * distance[-1], max(0.3 * depth, (tip - start) / _MOST_PLACES)))
        # the last step went beyond: shrink all, so that neighbours stay alike
        places = tip - np.array(distance[::-1]) * (tip - start) / distance[-1]
        if self.kink is not None and start < self.kink < tip:
            places[1:-1][np.argmin(np.abs(places[1:-1] - self.kink))] = self.kink
        return places

    @property
    def narrowest(self) -> float:
        """Smallest half-width of the table [m]."""
        return NARROWEST * self.smallest_depth

    def table_widths(self) -> Array:
        """Return ln(b/narrowest) of the table: of ratios, so that digits are those of similar teeth of any size."""
        high = log(self.widest / self.narrowest)
        return np.linspace(0.0, high, ceil(high / _WIDTH_STEP) + 1)

    def approaches(self, s: Array, b: Array) -> Array:
        """Return W at places (n_s,) for rising half-widths (n_b,), shape (n_s, n_b)."""
        b_0 = self._resolved(s)
        place, width = np.nonzero(b >= b_0[:, None])
        narrow = np.flatnonzero(b[0] < b_0)
        # W + (2/pi) ln b = r_0 + r_2 b^2, from two strips that the grid resolves
        two = b_0[narrow] * np.array([[1.0], [_APART]])
        solved = self._resolved_approaches(
            np.concatenate([s[place], s[narrow], s[narrow]]), np.concatenate([b[width], two.ravel()])
        )
        W = np.empty((len(s), len(b)))
        near, far = solved[len(place) :].reshape(2, -1) + 2.0 / pi * np.log(two / b[0])
        r_2 = (far - near) / (two[1] ** 2 - two[0] ** 2)
        W[narrow] = near[:, None] + r_2[:, None] * (b**2 - two[0][:, None] ** 2) - 2.0 / pi * np.log(b / b[0])
        W[place, width] = solved[: len(place)]
        return W

    def _resolved_approaches(self, s: Array, b: Array) -> Array:
        """Return W of n strips that the grid resolves, equation (2) and the contact at the corner, shape (n,)."""
        h = np.interp(s, self.depth_s, self.depth)
        flat = _FlatLayer.of(float((b / h).max()), self.nu)
        # two to four half-widths from the corner both agree but for 0.4 % (corner of 90 deg; 0.05 % at 115 deg)
        t = np.clip(0.5 * (self.s[-1] - s) / b - 1.0, 0.0, 1.0)
        share = t * t * (3.0 - 2.0 * t)
        W = np.zeros(len(b))
        for solve, part in ((self._energies, share), (self._contacts, 1.0 - share)):
            wanted = np.flatnonzero(part > 0.0)
            for first in range(0, len(wanted), _STRIPS):
                some = wanted[first : first + _STRIPS]
                W[some] += part[some] * solve(s[some], b[some], h[some], flat)
        return W

    def _resolved(self, s: Array) -> Array:
        """Return the narrowest half-width that the grid around each place resolves."""
        length, middle = np.diff(self.s[::2]), self.s[1::2]
        here = np.interp(s, middle, length)
        return _RESOLVED * np.interp(s - _RESOLVED * here, middle, length)

    def _energies(self, s: Array, b: Array, h: Array, flat: _FlatLayer) -> Array:
        """Return W of n elliptical strips, equation (2), with the local depth h, shape (n,)."""
        # x = b sin(theta): pressure times dx is cos^2(theta) d theta; cut off at the ends
        theta = np.arcsin(np.clip((self.s[[0, -1]] - s[:, None]) / b[:, None], -1.0, 1.0))
        theta = theta[:, :1] + (theta[:, 1:] - theta[:, :1]) * _MIDDLES
        pressure = np.cos(theta) ** 2
        pressure /= pressure.sum(axis=1, keepdims=True)
        x = np.sin(theta)
        element, shapes = self._shapes(s[:, None] + b[:, None] * x)
        first, last = 2 * int(element.min()), 2 * int(element.max()) + 3
        nodes = 2 * element - first + (last - first) * np.arange(len(s))[:, None]
        load = np.bincount(
            (nodes + np.arange(3)[:, None, None]).ravel(), (pressure * shapes).ravel(), (last - first) * len(s)
        ).reshape(len(s), -1)
        energy = ((load @ self.G[first:last, first:last]) * load).sum(axis=1)
        return energy + 2.0 / pi * (pressure * x**2).sum(axis=1) + flat.curvature(b / h)

    def _contacts(self, s: Array, b: Array, h: Array, flat: _FlatLayer) -> Array:
        """Return W of n strips near the corner from the contact with a half-plane, in cells of constant pressure.

        The layer lies on the body, not on a rigid base: what the body adds to the shape of the surface takes part.
        """
        low, high = np.maximum(s - 1.8 * b, self.s[0]), np.minimum(s + 1.2 * b, self.s[-1])
        edges = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, _CORNER_CELLS + 1)
        x = (edges - s[:, None]) / b[:, None]
        # x^2/(2 rho) over (1 - nu^2)/E q, where both bodies have this modulus: b^2 = 8 q rho (1 - nu^2)/(pi E)
        gap = 4.0 / pi * (x[:, 1:] ** 3 - x[:, :-1] ** 3) / (3.0 * np.diff(x))
        apart = np.arange(_CORNER_CELLS)
        size = ((high - low) / _CORNER_CELLS)[:, None]
        mate = -2.0 / pi * (np.log(size / b[:, None]) + _mean_log(_CORNER_CELLS))
        A = (mate - flat.support(apart * size / h[:, None]))[:, np.abs(apart[:, None] - apart)]
        for i in range(len(b)):
            cells, used = self._cell_loads(edges[i])
            A[i] += cells @ self.G[used, used] @ cells.T
        return _press(A, gap, x[:, :-1] > -1.2) - 2.0 / pi * (log(2.0) + 0.5) + flat.sinking(b / h)

    def _cell_loads(self, edges: Array) -> tuple[Array, slice]:
        """Return nodal forces of a constant pressure of unit resultant on each cell, and which nodes they concern.

        Returns
        -------
        loads : shape (n_cells, n_used)
        used : slice
        """
        first, last = np.searchsorted(self.s[2:-2:2], edges[[0, -1]], side="right")
        ends = self.s[2 * first : 2 * last + 3 : 2]
        length = np.diff(ends)
        # integrals of the three shape functions of each element up to each edge: the part of it that lies before
        t = np.minimum(np.maximum((edges[:, None] - ends[:-1]) / length, 0.0), 1.0)
        length_t, slope = length * t, 2.0 / 3.0 * t
        lower, upper = length_t * (1.0 - t * (1.5 - slope)), length_t * (t * (slope - 0.5))
        whole = np.zeros((len(edges), 2 * len(length) + 1))
        whole[:, :-1:2], whole[:, 1::2] = lower, length_t - lower - upper
        whole[:, 2::2] += upper
        return (whole[1:] - whole[:-1]) / (edges[1:] - edges[:-1])[:, None], slice(2 * first, 2 * last + 3)

    def _shapes(self, x: Array) -> tuple[Indices, Array]:
        """Return the element of each place and its three shape functions there, shape (3, n)."""
        ends = self.s[::2]
        element = np.clip(np.searchsorted(ends, x, side="right") - 1, 0, len(ends) - 2)
        t = (x - ends[element]) / (ends[element + 1] - ends[element])
        return element, np.stack([(1 - t) * (1 - 2 * t), 4 * t * (1 - t), t * (2 * t - 1)])


@dataclass(frozen=True, kw_only=True, eq=False)
class _FlatLayer:
    """What a flat bonded layer tells of strips of half-width b on a depth h, as polynomials.

    Attributes
    ----------
    curvature : of b/h
        c of equation (2) less the mean of the undeformed gap under a whole strip, 1/(2 pi).
    sinking : of b/h
        Approach of the layer beyond that of a strip of the same width on the half-plane; zero for b << h.
    support : of x/h
        :func:`alegear.contact.line_contact.bonded_layer_support`, for distances of up to three half-widths.
    """

    curvature: Chebyshev
    sinking: Chebyshev
    support: Chebyshev

    @classmethod
    def of(cls, widest: float, nu: float) -> _FlatLayer:
        """Interpolate up to a half-width `widest` over the depth."""
        # waves of up to 20/h take part, the shorter ones below round-off; twice as many in the square of a pressure
        degree = 32 + ceil(30.0 * widest)
        low = bonded_layer_approach(_NARROW, nu) + 2.0 / pi * log(_NARROW)

        def curvature(b: Array) -> Array:
            b = np.maximum(b, _NARROW)
            return bonded_layer_approach(b, nu) - bonded_layer_mean(b, nu) - 0.5 / pi

        def sinking(b: Array) -> Array:
            b = np.maximum(b, _NARROW)
            return bonded_layer_approach(b, nu) + 2.0 / pi * np.log(b) - low

        return cls(
            curvature=Chebyshev.interpolate(curvature, degree, [0.0, widest]),
            sinking=Chebyshev.interpolate(sinking, degree, [0.0, widest]),
            support=Chebyshev.interpolate(lambda x: bonded_layer_support(x, nu), degree, [0.0, 3.0 * widest]),
        )


@cache
def _mean_log(n: int) -> Array:
    """Return the mean of ln|x - y| over x in one and y in another cell of unit length, 0 ... n - 1 cells apart."""
    distance = np.abs(np.arange(-1.0, n + 1.0))
    # second antiderivative of ln|x|
    second = 0.5 * distance**2 * np.log(np.where(distance > 0.0, distance, 1.0)) - 0.75 * distance**2
    return np.diff(second, 2)


def _press(A: Array, gap: Array, active: Mask) -> Array:
    """Return the approach at which unit load presses two surfaces together: A p + gap = approach where p > 0.

    Parameters
    ----------
    A, gap : shape (n, n_cells, n_cells), (n, n_cells)
        Of n contacts that have nothing to do with each other.
    active : shape (n, n_cells)
        A first guess of the cells that touch.

    Returns
    -------
    shape (n,)
    """
    n, n_cells = gap.shape
    approach = np.empty(n)
    open_ = np.arange(n)
    own = np.arange(n_cells)
    for _ in range(4 * n_cells):
        # cells that do not touch have p = 0 for an equation
        system = np.where(active[:, :, None] & active[:, None], A, 0.0)
        system[:, own, own] += ~active
        of_unit, of_gap = np.moveaxis(np.linalg.solve(system, np.stack([active, active * gap], axis=2)), 2, 0)
        reached = (1.0 + of_gap.sum(axis=1, keepdims=True)) / of_unit.sum(axis=1, keepdims=True)
        p = reached * of_unit - of_gap
        pulled = p < 0.0
        entering = ~active & ((A @ p[:, :, None])[:, :, 0] + gap < reached - 1e-12) & ~pulled.any(axis=1, keepdims=True)
        done = ~(pulled | entering).any(axis=1)
        approach[open_[done]] = reached[done, 0]
        if np.all(done):
            return approach
        left = ~done
        active = ((active & ~pulled) | entering)[left]
        A, gap, open_ = A[left], gap[left], open_[left]
    raise AnalysisFailure("the strip of contact at the tip corner of a layer was not found; change its depth")


# --- its grid ---------------------------------------------------------------------------------------------------------


def _solve_layer(
    profile: ToothProfile, s_low: float, s_tip: float, inner: Array, nu: float, grid: LayerGrid
) -> _Surface:
    depth_s = np.linspace(s_low, s_tip, 400)
    depth = distance_from(profile.points(depth_s), inner)
    if depth.min() < (s_tip - s_low) / MOST_SLENDER:
        raise Fault(
            "smallest depth of the layer under the flank [mm]",
            float(f"{1e3 * depth.min():.4g}"),
            f"at least {1e3 * (s_tip - s_low) / MOST_SLENDER:.4g}, 1/{MOST_SLENDER} of its length",
            "choose a deeper layer, or fewer thickness_elements",
        )
    kink = 0.0 if profile.undercut and s_low < 0.0 < s_tip else None
    s = _along_profile(s_low, s_tip, depth_s, depth, grid)
    eta = _into_depth(grid.smallest * NARROWEST, grid.growth)
    inner_length = np.append(0.0, np.cumsum(np.hypot(*np.diff(inner, axis=0).T)))
    position = inner_length[-1] * (s - s_low) / (s_tip - s_low)
    inside = np.stack([np.interp(position, inner_length, axis) for axis in inner.T], axis=-1)
    outside = profile.points(s)
    points = outside[:, None] + eta[:, None] * (inside - outside)[:, None]
    # pairs of nodes further apart than a strip is wide are never asked for
    reach = 3.0 * _widest(s_tip - s_low, depth) + _REACH * np.interp(s, depth_s, depth)
    G = surface_compliance(points, profile.normals(s), nu, np.searchsorted(s, s - reach))
    return _Surface(s=s, G=G, depth_s=depth_s, depth=depth, kink=kink, nu=nu)


def _widest(length: float, depth: Array) -> float:
    return max(WIDEST * float(depth.mean()), WIDEST_OF_LENGTH * length)


def _along_profile(s_low: float, s_tip: float, depth_s: Array, depth: Array, grid: LayerGrid) -> Array:
    """Return the nodes of quadratic elements along the profile, with an end at the root form point."""
    smallest = grid.smallest * NARROWEST * float(depth.min())
    distance = np.append(0.0, smallest * np.geomspace(1.0, (s_tip - s_low) / smallest, 4000))
    fine = s_tip - distance[::-1]
    length = grid.per_depth * np.interp(fine, depth_s, depth)
    length = np.minimum(length, np.maximum(smallest, grid.per_distance * (s_tip - fine)))
    count = np.append(0.0, np.cumsum(np.diff(fine) * 0.5 * (1.0 / length[1:] + 1.0 / length[:-1])))
    ends = [s_low, *([0.0] if s_low < 0.0 < s_tip else []), s_tip]
    pieces = []
    for end, (low, high) in zip(ends, pairwise(np.interp(ends, fine, count)), strict=False):
        piece = np.interp(np.linspace(low, high, ceil(high - low) + 1), count, fine)[:-1]
        piece[0] = end  # itself: at the edge that undercut leaves, round-off would choose between two normals
        pieces.append(piece)
    knots = np.append(np.concatenate(pieces), s_tip)
    return with_middles(knots)


def _into_depth(first: float, growth: float) -> Array:
    """Return the nodes of quadratic elements from the surface, 0, to the inner boundary, 1, about ``first`` thick."""
    n = ceil(log(1.0 + (growth - 1.0) / first) / log(growth))
    thickness = growth ** np.arange(n)
    return with_middles(np.append(0.0, np.cumsum(thickness) / thickness.sum()))


def distance_from(points: Array, line: Array) -> Array:
    """Return the distance of points (n, 2) from a polyline."""
    start, along = line[:-1], np.diff(line, axis=0)
    to = points[:, None] - start
    t = np.clip(np.sum(to * along, axis=-1) / np.sum(along**2, axis=-1), 0.0, 1.0)
    return np.min(np.linalg.norm(to - t[..., None] * along, axis=-1), axis=1)


def _checked(s_low: float, s_tip: float, inner: ArrayLike, nu: float) -> Array:
    """Return the inner boundary without repeated points."""
    line = np.asarray(inner, dtype=float)
    if line.ndim != 2 or line.shape[1] != 2 or not np.all(np.isfinite(line)):
        raise Fault(
            "inner boundary of the layer", f"shape {line.shape}", "finite points (n, 2)", "give the nodes' x, y"
        )
    line = line[np.append(True, np.any(np.diff(line, axis=0) != 0.0, axis=1))]
    if len(line) < 2:
        raise Fault("points of the inner boundary of the layer", len(line), "at least 2", "give all rows of the flank")
    if not s_low < s_tip:
        raise Fault("lower end of the layer [m]", s_low, f"below the tip corner at {s_tip:.6g}", "give the lowest row")
    limits_of(Material)["nu"].check(nu, "nu")
    return line
