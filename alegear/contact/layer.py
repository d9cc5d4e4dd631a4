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

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log, pi

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline
from scipy.linalg import solve_triangular
from threadpoolctl import threadpool_limits

from alegear.contact.line_contact import bonded_layer_approach, bonded_layer_mean, bonded_layer_support
from alegear.errors import AnalysisFailure, Fault
from alegear.geometry.tooth_profile import ToothProfile

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]

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
    log_b : shape (n_b,)
        ln(b/1 m), equally spaced.
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
            s, log_b = surface.table_places(), surface.table_widths()
            W = np.array([surface.approaches(place, np.exp(log_b)) for place in s])
        in_s, in_l = CubicSpline(s, W, axis=0), CubicSpline(log_b, W, axis=1)
        W_l = in_l(log_b, 1)
        return cls(s=s, log_b=log_b, W=W, W_s=in_s(s, 1), W_l=W_l, W_sl=CubicSpline(s, W_l, axis=0)(s, 1), nu=nu)

    def evaluate(self, s: ArrayLike, b: ArrayLike) -> tuple[Array, Array, Array]:
        """Interpolate.

        Parameters
        ----------
        s : float [m]
            Arc length of the middle of the strip.
        b : float [m]
            Half-width, positive.

        Returns
        -------
        W, W_s, W_l : broadcast shape [1], [1/m], [1]
            Value, dW/ds, dW/d ln b.
        """
        s, wanted = np.broadcast_arrays(np.asarray(s, dtype=float), np.log(np.asarray(b, dtype=float)))
        place, width = np.clip(s, self.s[0], self.s[-1]), np.clip(wanted, self.log_b[0], self.log_b[-1])
        i = np.clip(np.searchsorted(self.s, place, side="right") - 1, 0, len(self.s) - 2)
        j = np.clip(np.searchsorted(self.log_b, width, side="right") - 1, 0, len(self.log_b) - 2)
        in_s, ds_in_s = _hermite(place, self.s[i], self.s[i + 1])
        in_l, dl_in_l = _hermite(width, self.log_b[j], self.log_b[j + 1])
        data = np.array(
            [
                [[self.W[i + m, j + n], self.W_l[i + m, j + n]], [self.W_s[i + m, j + n], self.W_sl[i + m, j + n]]]
                for m in (0, 1)
                for n in (0, 1)
            ]
        ).reshape(2, 2, 2, 2, *s.shape)  # end in s, end in ln b, order in s, order in ln b

        def sum_up(along_s: Array, along_l: Array) -> Array:
            return np.einsum("mnac...,ma...,nc...->...", data, along_s, along_l)

        inside = (s >= self.s[0]) & (s <= self.s[-1])
        W, W_s, W_l = sum_up(in_s, in_l), sum_up(ds_in_s, in_l) * inside, sum_up(in_s, dl_in_l)
        W_sl = sum_up(ds_in_s, dl_in_l) * inside
        beyond = wanted - width
        narrow, wide = beyond < 0.0, beyond > 0.0
        W, W_s = np.where(narrow, W + W_l * beyond, W), np.where(narrow, W_s + W_sl * beyond, W_s)
        # W (b/b_max)^power with power = W_l/W
        power = np.where(wide, W_l / W, 0.0)
        power_s = np.where(wide, (W_sl - power * W_s) / W, 0.0)
        factor = np.exp(power * np.maximum(beyond, 0.0))
        return W * factor, (W_s + W * power_s * np.maximum(beyond, 0.0)) * factor, W_l * factor


def _hermite(x: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Return cubic Hermite shape functions and their derivatives, each (end, order of the datum, ...)."""
    h = high - low
    t = (x - low) / h
    value = [[(1 + 2 * t) * (1 - t) ** 2, h * t * (1 - t) ** 2], [t**2 * (3 - 2 * t), h * t**2 * (t - 1)]]
    slope = [[6 * t * (t - 1) / h, (1 - t) * (1 - 3 * t)], [6 * t * (1 - t) / h, t * (3 * t - 2)]]
    return np.array(value), np.array(slope)


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

    def table_widths(self) -> Array:
        """Return ln b of the table."""
        low, high = log(NARROWEST * self.smallest_depth), log(self.widest)
        return np.linspace(low, high, ceil((high - low) / _WIDTH_STEP) + 1)

    def approaches(self, s: float, b: Array) -> Array:
        """Return W at one place for rising half-widths, shape (n_b,)."""
        b_0 = self._resolved(s)
        fine = b >= b_0
        if np.all(fine):
            return self._resolved_approaches(s, b)
        # W + (2/pi) ln b = r_0 + r_2 b^2, from two strips that the grid resolves
        widths = np.array([b_0, _APART * b_0])
        solved = self._resolved_approaches(s, np.concatenate([widths, b[fine]]))
        near, far = solved[:2] + 2.0 / pi * np.log(widths)
        r_2 = (far - near) / ((_APART**2 - 1.0) * b_0**2)
        W = np.empty(len(b))
        W[fine] = solved[2:]
        W[~fine] = near + r_2 * (b[~fine] ** 2 - b_0**2) - 2.0 / pi * np.log(b[~fine])
        return W

    def _resolved_approaches(self, s: float, b: Array) -> Array:
        """Return W of strips that the grid resolves, equation (2) and the contact at the corner, shape (n_b,)."""
        # two to four half-widths from the corner both agree but for 0.4 % (corner of 90 deg; 0.05 % at 115 deg)
        t = np.clip(0.5 * (self.s[-1] - s) / b - 1.0, 0.0, 1.0)
        share = t * t * (3.0 - 2.0 * t)
        h = float(np.interp(s, self.depth_s, self.depth))
        W = np.zeros(len(b))
        inside, corner = share > 0.0, share < 1.0
        if np.any(inside):
            W[inside] = share[inside] * self._energies(s, b[inside], h)
        if np.any(corner):
            W[corner] += (1.0 - share[corner]) * self._contacts(s, b[corner], h)
        return W

    def _resolved(self, s: float) -> float:
        """Return the narrowest half-width that the grid around s resolves."""
        length, middle = np.diff(self.s[::2]), self.s[1::2]
        here = float(np.interp(s, middle, length))
        return _RESOLVED * float(np.interp(s - _RESOLVED * here, middle, length))

    def _elliptical(self, s: float, b: float) -> tuple[Array, float]:
        """Return nodal forces of an elliptical pressure of unit resultant, cut off at the ends, and <x^2>/b^2."""
        # x = b sin(theta): pressure times dx is cos^2(theta) d theta
        theta = np.arcsin(np.clip((self.s[[0, -1]] - s) / b, -1.0, 1.0))
        theta = theta[0] + (theta[1] - theta[0]) * _MIDDLES
        part = np.cos(theta) ** 2
        part /= part.sum()
        x = np.sin(theta)
        element, shapes = self._shapes(s + b * x)
        load = np.zeros(len(self.s))
        for m in range(3):
            np.add.at(load, 2 * element + m, part * shapes[m])
        return load, float(part @ x**2)

    def _energies(self, s: float, b: Array, h: float) -> Array:
        """Return W of elliptical strips, equation (2), with the local depth h, shape (n_b,)."""
        W = np.empty(len(b))
        for i, width in enumerate(b):
            load, spread = self._elliptical(s, float(width))
            used = slice(*(np.flatnonzero(load)[[0, -1]] + [0, 1]))
            W[i] = load[used] @ self.G[used, used] @ load[used] + 2.0 / pi * spread
        return W + bonded_layer_approach(b / h, self.nu) - bonded_layer_mean(b / h, self.nu) - 0.5 / pi

    def _contacts(self, s: float, b: Array, h: float) -> Array:
        """Return W of strips near the corner from the contact with a half-plane, in cells of constant pressure.

        The layer lies on the body, not on a rigid base: what the body adds to the shape of the surface takes part.
        """
        low, high = np.maximum(s - 1.8 * b, self.s[0]), np.minimum(s + 1.2 * b, self.s[-1])
        edges = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, _CORNER_CELLS + 1)
        x = (edges - s) / b[:, None]
        mate = -2.0 / pi * (_mean_log(x) + np.log(b)[:, None, None])
        # x^2/(2 rho) over (1 - nu^2)/E q, where both bodies have this modulus: b^2 = 8 q rho (1 - nu^2)/(pi E)
        gap = 4.0 / pi * (x[:, 1:] ** 3 - x[:, :-1] ** 3) / (3.0 * np.diff(x))
        apart = np.arange(_CORNER_CELLS)
        support = bonded_layer_support(apart * (edges[:, 1:2] - edges[:, :1]) / h, self.nu)
        A = mate - support[:, np.abs(apart[:, None] - apart)]
        for i in range(len(b)):
            cells, used = self._cell_loads(edges[i])
            A[i] += cells @ self.G[used, used] @ cells.T
        approach = _press(A, gap, x[:, :-1] > -1.2)
        # back to the middle of the strip on the rigid base: for b << h nothing
        flat = bonded_layer_approach(b / h, self.nu) - bonded_layer_approach(_NARROW, self.nu)
        flat += 2.0 / pi * np.log(b / h / _NARROW)
        return approach - 2.0 / pi * (np.log(2.0 / b) + 0.5) + flat

    def _cell_loads(self, edges: Array) -> tuple[Array, slice]:
        """Return nodal forces of a constant pressure of unit resultant on each cell, and which nodes they concern.

        Returns
        -------
        loads : shape (n_cells, n_used)
        used : slice
        """
        element, _ = self._shapes(edges)
        first, last = int(element[0]), int(element[-1]) + 1
        ends = self.s[2 * first : 2 * last + 1 : 2]
        element = element - first
        length = np.diff(ends)
        t = (edges - ends[element]) / length[element]
        # integrals of the shape functions from the start of the element to t
        part = np.stack([t - 1.5 * t**2 + 2 / 3 * t**3, 2 * t**2 - 4 / 3 * t**3, -0.5 * t**2 + 2 / 3 * t**3])
        whole = np.zeros((len(edges), 2 * len(length) + 1))
        before = (np.arange(len(length)) < element[:, None]) * length
        rows = np.arange(len(edges))
        for m, share in enumerate((1 / 6, 2 / 3, 1 / 6)):
            whole[:, m : m + 2 * len(length) : 2] += share * before
        for m in range(3):
            whole[rows, 2 * element + m] += part[m] * length[element]
        return (whole[1:] - whole[:-1]) / np.diff(edges)[:, None], slice(2 * first, 2 * last + 1)

    def _shapes(self, x: Array) -> tuple[IntArray, Array]:
        """Return the element of each place and its three shape functions there, shape (3, n)."""
        ends = self.s[::2]
        element = np.clip(np.searchsorted(ends, x, side="right") - 1, 0, len(ends) - 2)
        t = (x - ends[element]) / (ends[element + 1] - ends[element])
        return element, np.stack([(1 - t) * (1 - 2 * t), 4 * t * (1 - t), t * (2 * t - 1)])


def _mean_log(edges: Array) -> Array:
    """Return the mean of ln|x - y| over x in one and y in another cell, shape (n, n_cells, n_cells)."""
    distance = np.abs(edges[:, :, None] - edges[:, None])
    # second antiderivative of ln|x|
    second = 0.5 * distance**2 * np.log(np.where(distance > 0.0, distance, 1.0)) - 0.75 * distance**2
    size = np.diff(edges)
    return -np.diff(np.diff(second, axis=1), axis=2) / (size[:, :, None] * size[:, None])


def _press(A: Array, gap: Array, active: NDArray[np.bool_]) -> Array:
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
    system = np.zeros((n, n_cells + 1, n_cells + 1))
    own = np.arange(n_cells)
    for _ in range(4 * n_cells):
        # cells that do not touch have p = 0 for an equation
        touching = active[:, :, None] & active[:, None]
        system[:, :n_cells, :n_cells] = np.where(touching, A, 0.0)
        system[:, own, own] += ~active
        system[:, :n_cells, -1], system[:, -1, :n_cells] = -1.0 * active, active
        load = np.concatenate([np.where(active, -gap, 0.0), np.ones((len(gap), 1))], axis=1)
        solution = np.linalg.solve(system, load[:, :, None])[:, :, 0]
        p, reached = np.where(active, solution[:, :-1], 0.0), solution[:, -1:]
        pulled = p < 0.0
        entering = ~active & ((A @ p[:, :, None])[:, :, 0] + gap < reached - 1e-12) & ~pulled.any(axis=1, keepdims=True)
        done = ~(pulled | entering).any(axis=1)
        approach[open_[done]] = reached[done, 0]
        if np.all(done):
            return approach
        left = ~done
        active = ((active & ~pulled) | entering)[left]
        A, gap, open_, system = A[left], gap[left], open_[left], system[left]
    raise AnalysisFailure("the strip of contact at the tip corner of a layer was not found; change its depth")


# --- plane finite elements --------------------------------------------------------------------------------------------


def _solve_layer(
    profile: ToothProfile, s_low: float, s_tip: float, inner: Array, nu: float, grid: LayerGrid
) -> _Surface:
    depth_s = np.linspace(s_low, s_tip, 400)
    depth = _distance(profile.points(depth_s), inner)
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
    G = _surface_compliance(points, profile.normals(s), nu, np.searchsorted(s, s - reach))
    return _Surface(s=s, G=G, depth_s=depth_s, depth=depth, kink=kink, nu=nu)


def _widest(length: float, depth: Array) -> float:
    return max(WIDEST * float(depth.mean()), WIDEST_OF_LENGTH * length)


def _along_profile(s_low: float, s_tip: float, depth_s: Array, depth: Array, grid: LayerGrid) -> Array:
    """Return the nodes of quadratic elements along the profile, with an end at the root form point."""
    smallest = grid.smallest * NARROWEST * float(depth.min())
    distance = np.append(0.0, np.geomspace(smallest, s_tip - s_low, 4000))
    fine = s_tip - distance[::-1]
    length = grid.per_depth * np.interp(fine, depth_s, depth)
    length = np.minimum(length, np.maximum(smallest, grid.per_distance * (s_tip - fine)))
    count = np.append(0.0, np.cumsum(np.diff(fine) * 0.5 * (1.0 / length[1:] + 1.0 / length[:-1])))
    ends = [s_low, *([0.0] if s_low < 0.0 < s_tip else []), s_tip]
    pieces = []
    for low, high in pairwise(np.interp(ends, fine, count)):
        pieces.append(np.interp(np.linspace(low, high, ceil(high - low) + 1), count, fine)[:-1])
    knots = np.append(np.concatenate(pieces), s_tip)
    return _with_middles(knots)


def _into_depth(first: float, growth: float) -> Array:
    """Return the nodes of quadratic elements from the surface, 0, to the inner boundary, 1, about ``first`` thick."""
    n = ceil(log(1.0 + (growth - 1.0) / first) / log(growth))
    thickness = growth ** np.arange(n)
    return _with_middles(np.append(0.0, np.cumsum(thickness) / thickness.sum()))


def _with_middles(knots: Array) -> Array:
    nodes = np.empty(2 * len(knots) - 1)
    nodes[::2], nodes[1::2] = knots, 0.5 * (knots[1:] + knots[:-1])
    return nodes


def _distance(points: Array, line: Array) -> Array:
    """Return the distance of points (n, 2) from a polyline."""
    start, along = line[:-1], np.diff(line, axis=0)
    to = points[:, None] - start
    t = np.clip(np.sum(to * along, axis=-1) / np.sum(along**2, axis=-1), 0.0, 1.0)
    return np.min(np.linalg.norm(to - t[..., None] * along, axis=-1), axis=1)


def _surface_compliance(points: Array, normals: Array, nu: float, oldest: IntArray) -> Array:
    r"""Return the normal compliance of the nodes in the first column of a structured grid.

    The first row and the last column are clamped. Two rows of nodes make a block of unknowns, and K is block
    tridiagonal: with the blocks :math:`S_k = C_k C_k^T` of its Cholesky factor and the normal unit loads N,

    .. math:: G = N^T K^{-1} N = Z^T Z, \qquad C_k Z_k = N_k - B_k C_{k-1}^{-T} Z_{k-1},

    one sweep of dense products without a way back (a general sparse solver takes ten times as long).

    Parameters
    ----------
    points : shape (2 n + 1, 2 m + 1, 2) [m]
        Nodes of n by m nine-node elements.
    normals : shape (2 n + 1, 2)
        Unit normals at the nodes of the first column.
    nu : float
        Plane strain, Young's modulus 1 - nu^2.
    oldest : shape (2 n + 1,)
        First load still carried along at each row, rising: it has died out beyond, and the cost stays linear in n.

    Returns
    -------
    shape (2 n + 1, 2 n + 1)
        Zero between nodes further apart than that.
    """
    rows, cols = points.shape[:2]
    size = 4 * (cols - 1)
    G = np.zeros((rows, rows))
    C, Z, first = np.empty((size, size)), np.empty((size, 0)), 1
    half = size // 2
    element_rows = _element_rows(points, nu)
    following: Array | None = next(element_rows)
    for k in range(rows // 2):
        here, following = following, next(element_rows, None)
        assert here is not None
        end = 2 * k + 3
        start = max(first, int(oldest[end - 1]))
        S = here[1:, :, :, 1:].reshape(size, size)
        if following is not None:
            S[half:, half:] += following[0, :, :, 0].reshape(half, half)
        loads = np.zeros((size, end - start))
        loads[:2, -2] = normals[end - 2]
        loads[half : half + 2, -1] = normals[end - 1]
        if k > 0:
            # only the second row of the block before shares elements with this one
            link = solve_triangular(
                C[half:, half:], here[0, :, :, 1:].reshape(half, size), lower=True, check_finite=False
            )
            S -= link.T @ link
            loads[:, :-2] = -link.T @ Z[half:, start - first :]
        C = np.linalg.cholesky(S)
        Z = solve_triangular(C, loads, lower=True, check_finite=False)
        G[start:end, start:end] += Z.T @ Z
        first = start
    return G


def _element_rows(points: Array, nu: float) -> Iterator[Array]:
    """Assemble the elements of one row across the depth after the other, without the clamped last column of nodes.

    Yields
    ------
    shape (3, cols - 1, 2, 3, cols - 1, 2)
        Three rows of nodes, columns, axis, twice.
    """
    rows, cols = points.shape[:2]
    number = np.arange(rows * cols).reshape(rows, cols)
    cells = number[:-1:2, :-1:2, None] + (np.arange(3)[:, None] * cols + np.arange(3)).ravel()
    elements = _element_stiffness(points.reshape(-1, 2)[cells.reshape(-1, 9)], nu)
    for row in elements.reshape(*cells.shape[:2], 3, 3, 2, 3, 3, 2):
        K = np.zeros((3, cols, 2, 3, cols, 2))
        for j, element in enumerate(row):
            here = slice(2 * j, 2 * j + 3)
            K[:, here, :, :, here] += element
        yield K[:, :-1, :, :, :-1]


def _element_stiffness(corners: Array, nu: float) -> Array:
    """Return stiffness matrices (n, 18, 18) of nine-node elements with nodes (n, 9, 2), 3 x 3 Gauss points."""
    E = 1.0 - nu**2
    D = E / ((1 + nu) * (1 - 2 * nu)) * np.array([[1 - nu, nu, 0], [nu, 1 - nu, 0], [0, 0, 0.5 - nu]])
    nodes, weights = leggauss(3)
    value = np.stack([0.5 * nodes * (nodes - 1), 1 - nodes**2, 0.5 * nodes * (nodes + 1)], axis=-1)
    slope = np.stack([nodes - 0.5, -2 * nodes, nodes + 0.5], axis=-1)
    K = np.zeros((len(corners), 18, 18))
    for g, h in np.ndindex(3, 3):
        local = np.stack([np.outer(slope[g], value[h]).ravel(), np.outer(value[g], slope[h]).ravel()])
        jacobian = local @ corners
        # along the profile, then into the depth: with the material on its right this is a left-handed pair
        area = -np.linalg.det(jacobian)
        if not np.all(area > 0.0):
            x, y = 1e3 * corners[np.argmin(area)].mean(axis=0)
            raise Fault(
                "layer under the flank",
                f"inside out near x = {x:.4g} mm, y = {y:.4g} mm of the tooth frame",
                "a strip between profile and inner boundary that does not cross itself",
                "choose another depth of the layer, or more elements along the flank",
            )
        gradient = np.linalg.solve(jacobian, np.broadcast_to(local, (len(corners), 2, 9)))
        B = np.zeros((len(corners), 3, 18))
        B[:, 0, 0::2], B[:, 1, 1::2] = gradient[:, 0], gradient[:, 1]
        B[:, 2, 0::2], B[:, 2, 1::2] = gradient[:, 1], gradient[:, 0]
        K += (weights[g] * weights[h] * area)[:, None, None] * (B.transpose(0, 2, 1) @ (D @ B))
    return K


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
    if not -1.0 < nu <= 0.49:
        raise Fault("Poisson's ratio", nu, "above -1 and at most 0.49", "use 0.3 for steel")
    return line
