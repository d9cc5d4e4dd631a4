"""The basic rack, and the transverse profile that it cuts: generated root, involute flank, sharp tip corner.

Inside this file points are complex numbers, ``x + i y``: a rotation is a product, a mirror image a conjugate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import copysign, cos, pi, radians, sin, sqrt, tan
from typing import Annotated, Protocol

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import ArrayLike

from alegear.arrays import Array, ComplexArray
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr

_DEGREE = 64
"""Chebyshev degree of the fillet's arc length; the singularity at tau = 0 leaves 2^-64 even at alpha_n = 10 deg."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BasicRack(ShortRepr):
    """Define the basic rack in the normal section; lengths in normal modules.

    Parameters
    ----------
    alpha_n : float [rad]
        Normal pressure angle.
    addendum_factor : float
        h_aP/m_n.
    dedendum_factor : float
        h_fP/m_n, tip of the cutting rack below its datum line.
    root_radius_factor : float
        rho_fP/m_n, tip round of the cutting rack; 0 is a sharp corner.

    Raises
    ------
    Fault
        For a number outside its range, and for tip rounds so large that they overlap.

    Notes
    -----
    Source: ISO 53:1998; its profile A (1.25, 0.38) is the default.

    Examples
    --------
    >>> BasicRack().root_radius_factor
    0.38
    """

    alpha_n: Annotated[
        float,
        Limits(
            quantity="pressure angle",
            words="normal pressure angle",
            key="pressure_angle_deg",
            unit="deg",
            least=5.0,
            most=40.0,
        ),
    ] = radians(20.0)
    addendum_factor: Annotated[
        float, Limits(quantity="addendum factor", words="addendum in modules", least=0.01, most=5.0)
    ] = 1.0
    dedendum_factor: Annotated[
        float, Limits(quantity="dedendum factor", words="dedendum in modules", least=0.01, most=5.0)
    ] = 1.25
    root_radius_factor: Annotated[
        float,
        Limits(
            quantity="root radius factor",
            words="tip round of the generating rack in modules; of the cutter of a ring 0.25 unless given (0.38)",
            least=0.0,
            most=5.0,
        ),
    ] = 0.38

    def __post_init__(self) -> None:
        check_parameters(self)
        if self._tip_half_width < -1e-12:  # a full round given to some digits is allowed
            self._refuse_overlapping_rounds()
        if self.dedendum_factor <= self.tip_round_height:
            raise Fault(
                "root radius factor",
                self.root_radius_factor,
                f"below {self.dedendum_factor / (1.0 - sin(self.alpha_n)):.4g}, where the round is the whole dedendum",
                "reduce root_radius_factor",
            )

    @property
    def tip_half_width(self) -> float:
        """Half the flat between the rack's tip rounds, in modules: pi/4 - (h_fP - rho) tan alpha - rho/cos alpha."""
        return max(self._tip_half_width, 0.0)

    @property
    def _tip_half_width(self) -> float:
        depth = self.dedendum_factor - self.root_radius_factor
        return pi / 4.0 - depth * tan(self.alpha_n) - self.root_radius_factor / cos(self.alpha_n)

    @property
    def tip_round_height(self) -> float:
        """Height of the tip round at the flank's end, in modules: rho (1 - sin alpha)."""
        return self.root_radius_factor * (1.0 - sin(self.alpha_n))

    def _refuse_overlapping_rounds(self) -> None:
        room = pi / 4.0 - self.dedendum_factor * tan(self.alpha_n)
        if room <= 0.0:
            raise Fault(
                "dedendum factor",
                self.dedendum_factor,
                f"below {pi / 4.0 / tan(self.alpha_n):.4g}, where the rack's tooth is pointed",
                "reduce dedendum_factor",
            )
        largest = room * cos(self.alpha_n) / (1.0 - sin(self.alpha_n))
        raise Fault(
            "root radius factor",
            self.root_radius_factor,
            f"at most {largest:.4g}, the full round of this rack",
            "reduce root_radius_factor, or dedendum_factor",
        )


class RootCurve(Protocol):
    """Root curve of a tooth in a frame whose real axis goes from the gear axis through the middle of the tooth space.

    It runs with rising tau from the flank to pi/2 at the root circle; its polar angle has the sign of the tooth number.
    """

    @property
    def root_circle_angle(self) -> float:
        """Angle of the root circle from its end to the middle of the space [rad], with the sign of z."""

    def points(self, tau: Array) -> ComplexArray:
        """Points."""

    def tangents(self, tau: Array) -> ComplexArray:
        """Unit tangents in the direction of rising tau."""

    def speed(self, tau: Array) -> Array:
        """ds/dtau [m], positive where the curve is regular."""

    def curvature(self, tau: Array) -> Array:
        """Curvature [1/m], positive convex."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Trochoid:
    """Generate the root curve as the envelope of the rack's tip round that rolls on the reference circle.

    Frame: origin on the gear axis, the real axis through the middle of the tooth space, the curve on the positive side.
    The tip round is a circle in the normal section, hence an ellipse in the transverse one::

        c(tau) = X_0 - rho sin tau + i (Y_0 + rho/cos(beta) cos tau),    tau = alpha_n (flank) ... pi/2 (rack tip)

    A point of it is on the envelope when its normal passes through the pitch point, i.e. when the rack stands at
    ``u = -Y_c + (r - X_c) cos(beta) cot tau``; the gear has then turned by u/r, and ``w = (c + i u) exp(-i u/r)``.

    Parameters
    ----------
    r : float [m]
        Reference radius, on which the rack's pitch line rolls.
    X_0, Y_0 : float [m]
        Centre of the tip round: distance from the gear axis, and from the middle of the rack's tooth.
    rho : float [m]
        Tip round in the normal section.
    beta : float [rad]
        Helix angle at the reference circle.
    """

    r: float
    X_0: float
    Y_0: float
    rho: float
    beta: float

    @property
    def root_circle_angle(self) -> float:
        """Angle of the root circle from its end to the middle of the space [rad]."""
        return self.Y_0 / self.r

    def _position(self, tau: Array) -> tuple[Array, Array, Array]:
        """Return X_c, the lateral place Y_c + u at the moment of generation, and the rack's way u."""
        X = self.X_0 - self.rho * np.sin(tau)
        lateral = (self.r - X) * cos(self.beta) / np.tan(tau)
        Y = self.Y_0 + self.rho / cos(self.beta) * np.cos(tau)
        return X, lateral, lateral - Y

    def _way_rate(self, tau: Array, X: Array) -> Array:
        """Return du/dtau."""
        sine, cosine, cb = np.sin(tau), np.cos(tau), cos(self.beta)
        return self.rho * (sine / cb + cb * cosine**2 / sine) - (self.r - X) * cb / sine**2

    def points(self, tau: Array) -> ComplexArray:
        """Return the envelope's points w(tau)."""
        X, lateral, u = self._position(tau)
        return (X + 1j * lateral) * np.exp(-1j * u / self.r)

    def tangents(self, tau: Array) -> ComplexArray:
        """Return the unit tangents in the direction of rising tau (down, to the rack's tip)."""
        _, _, u = self._position(tau)
        t = -np.cos(tau) - 1j * np.sin(tau) / cos(self.beta)
        return t / np.abs(t) * np.exp(-1j * u / self.r)

    def speed(self, tau: Array) -> Array:
        """Return ds/dtau [m], positive where the envelope is regular.

        ``|c'| + u' V.t`` with the relative velocity V of rack and gear per unit way, ``r V = (Y_c + u) + i (r - X_c)``.
        """
        X, lateral, _ = self._position(tau)
        sine = np.sin(tau) / cos(self.beta)
        norm = np.hypot(np.cos(tau), sine)
        slip = -(lateral * np.cos(tau) + (self.r - X) * sine) / (norm * self.r)
        return self.rho * norm + self._way_rate(tau, X) * slip

    def curvature(self, tau: Array) -> Array:
        """Return the curvature [1/m], positive convex: a fillet is negative."""
        X, _, _ = self._position(tau)
        norm2 = np.cos(tau) ** 2 + (np.sin(tau) / cos(self.beta)) ** 2
        turning = 1.0 / (cos(self.beta) * norm2) - self._way_rate(tau, X) / self.r
        return -turning / self.speed(tau)


@dataclass(frozen=True, kw_only=True, eq=False)
class ToothProfile(ShortRepr):
    """Describe flank a of one tooth in the tooth frame by its arc length s.

    s = 0 is the root form point; s rises on the involute to the sharp tip corner ``s_tip`` and falls through the
    trochoid and the root circle to ``s_root`` in the middle of the tooth space, at polar angle pi/z. Flank b is the
    mirror image y -> -y. Beyond ``s_tip`` the involute goes on, below ``s_root`` the root circle, so that a search may
    overshoot.
    With undercut the tangent jumps at s = 0; there the involute's tangent is returned.

    A ring gear has the numbers of ISO 21771: z, radii, roll lengths and angles are negative. Its tooth points towards
    the axis along the positive real axis, and its flank a lies at negative polar angles: there it meets flanks a of
    the mating pinion.

    Parameters
    ----------
    z : int
        Number of teeth.
    r_b, r_f, r_a : float [m]
        Base, root and tip radius.
    psi_b : float [rad]
        Half tooth angle at the base circle, s_t/d + inv alpha_t.
    roll_length_form, roll_length_tip : float [m]
        Roll length (r_b times roll angle) of the root form point and of the tip corner.
    trochoid : RootCurve
        The root curve.
    tau_form : float [rad]
        Its parameter at the root form point.
    undercut : bool
        True where trochoid and involute intersect instead of touching.

    Notes
    -----
    Involute from the tangent point of its normal: ``p = |r_b| (1 + i phi) exp(i (psi_b - phi))``, roll angle phi,
    tangent ``sign(z) exp(i (psi_b - phi))``, arc length ``r_b phi^2/2``, radius of curvature ``r_b phi``.
    """

    z: int
    r_b: float
    r_f: float
    r_a: float
    psi_b: float
    roll_length_form: float
    roll_length_tip: float
    trochoid: RootCurve
    tau_form: float
    undercut: bool

    @classmethod
    def generate(cls, *, z: int, m_n: float, beta: float, rack: BasicRack, x_E: float, r_a: float) -> ToothProfile:
        """Cut a tooth with the rack.

        Parameters
        ----------
        z : int
            Number of teeth.
        m_n : float [m]
            Normal module.
        beta : float [rad]
            Helix angle.
        rack : BasicRack
            The cutting rack.
        x_E : float
            Generating profile shift factor.
        r_a : float [m]
            Tip radius.

        Returns
        -------
        ToothProfile

        Raises
        ------
        Fault
            Where no flank is left below the tip circle, the root curves cut the tooth off, or would have a cusp.
        """
        alpha_t = np.arctan2(tan(rack.alpha_n), cos(beta))
        m_t = m_n / cos(beta)
        r = z * m_t / 2.0
        r_b = r * float(np.cos(alpha_t))
        r_f = r + (x_E - rack.dedendum_factor) * m_n
        rho = rack.root_radius_factor * m_n
        trochoid = Trochoid(r=r, X_0=r_f + rho, Y_0=rack.tip_half_width * m_t, rho=rho, beta=beta)
        psi_b = (pi / 2.0 + 2.0 * x_E * tan(rack.alpha_n)) / z + float(np.tan(alpha_t) - alpha_t)
        if r_a <= max(r_b, r_f):
            raise Fault(
                "tip diameter [mm]",
                round(2e3 * r_a, 6),
                f"above the base and root diameters {2e3 * r_b:.4f} and {2e3 * r_f:.4f}",
                "increase profile_shift, tip_alteration_factor or addendum_factor",
            )
        # Where the straight flank of the rack ends, measured along the line of action from the base circle.
        end_of_flank = r_f + rack.tip_round_height * m_n
        roll_length_form = r_b * float(np.tan(alpha_t)) - (r - end_of_flank) / float(np.sin(alpha_t))
        tau_form, undercut = rack.alpha_n, roll_length_form < 0.0
        if undercut:
            tau_form, roll_length_form = _intersect(trochoid, rack.alpha_n, pi / z - psi_b, r_b)
        roll_length_tip = sqrt(r_a**2 - r_b**2)
        if roll_length_form >= roll_length_tip:
            raise Fault(
                "root form diameter [mm]",
                round(2e3 * float(np.hypot(r_b, roll_length_form)), 6),
                f"below the tip diameter {2e3 * r_a:.4f}",
                "increase profile_shift or teeth: the root curve takes away the whole flank",
            )
        tau = np.linspace(tau_form, pi / 2.0, 200)
        neck = 2.0 * float(np.min(np.imag(np.conj(trochoid.points(tau)) * np.exp(1j * pi / z))))
        if neck <= 0.0:
            raise Fault(
                "neck of the tooth above its root [mm]",
                round(1e3 * neck, 6),
                "above 0: the root curves of both sides cut the tooth off",
                "increase profile_shift or teeth, or reduce dedendum_factor",
            )
        if np.min(trochoid.speed(tau)) <= 0.0:
            raise Fault(
                "profile shift with thickness allowance",
                round(x_E, 6),
                "such that the rack's tip round generates a smooth root",
                "change profile_shift, dedendum_factor or root_radius_factor",
            )
        return cls(
            z=z,
            r_b=r_b,
            r_f=r_f,
            r_a=r_a,
            psi_b=psi_b,
            roll_length_form=roll_length_form,
            roll_length_tip=roll_length_tip,
            trochoid=trochoid,
            tau_form=tau_form,
            undercut=undercut,
        )

    @property
    def sign(self) -> float:
        """+1, of a ring -1."""
        return copysign(1.0, self.z)

    @property
    def r_Ff(self) -> float:
        """Root form radius [m]."""
        return self.sign * float(np.hypot(self.r_b, self.roll_length_form))

    @property
    def s_tip(self) -> float:
        """Arc length of the sharp tip corner [m]."""
        return (self.roll_length_tip**2 - self.roll_length_form**2) / (2.0 * self.r_b)

    @property
    def s_root_circle(self) -> float:
        """Arc length where the trochoid runs into the root circle [m], negative."""
        return -float(self._fillet_length(pi / 2.0))

    @property
    def s_root(self) -> float:
        """Arc length of the middle of the tooth space [m], negative."""
        return self.s_root_circle - self.r_f * self.trochoid.root_circle_angle

    def points(self, s: ArrayLike) -> Array:
        """Return the points of the profile.

        Parameters
        ----------
        s : shape (n,) [m]
            Arc length.

        Returns
        -------
        shape (n, 2) [m]
            x_T, y_T.
        """
        return _as_pairs(self._evaluate(s)[0])

    def tangents(self, s: ArrayLike) -> Array:
        """Return the unit tangents, shape (n, 2), towards the tip."""
        return _as_pairs(self._evaluate(s)[1])

    def normals(self, s: ArrayLike) -> Array:
        """Return the unit normals, shape (n, 2), out of the material: the tangents turned by +90 deg."""
        return _as_pairs(1j * self._evaluate(s)[1])

    def curvature(self, s: ArrayLike) -> Array:
        """Return the curvature, shape (n,) [1/m]: positive convex (flank, root circle), negative concave (fillet)."""
        return self._evaluate(s)[2]

    def local_frames(self, s: ArrayLike) -> tuple[Array, Array, Array]:
        """Return :meth:`points`, :meth:`tangents` and :meth:`curvature` together, for s of any shape."""
        w, t, kappa = self._evaluate(s)
        return _as_pairs(w), _as_pairs(t), kappa

    def radius(self, s: ArrayLike) -> Array:
        """Return the distance from the gear axis, shape (n,) [m], negative of a ring."""
        return self.sign * np.abs(self._evaluate(s)[0])

    def roll_length(self, s: ArrayLike) -> Array:
        """Return r_b times the roll angle, shape (n,) [m]; below the root form point its value there."""
        s = np.asarray(s, dtype=float)
        # beyond the tip of a ring the involute ends on the base circle
        square = np.maximum(self.roll_length_form**2 + 2.0 * self.r_b * np.maximum(s, 0.0), 0.0)
        return self.sign * np.sqrt(square)

    def s_at_roll_length(self, roll_length: ArrayLike) -> Array:
        """Return the arc length of a roll length on the involute, shape (n,) [m]."""
        return (np.asarray(roll_length, dtype=float) ** 2 - self.roll_length_form**2) / (2.0 * self.r_b)

    def s_at_radius(self, r: ArrayLike) -> Array:
        """Return the arc length at a distance from the gear axis.

        Parameters
        ----------
        r : shape (n,) [m]
            From the root radius upwards, negative of a ring; at the root radius the end of the root circle is returned.

        Returns
        -------
        shape (n,) [m]

        Raises
        ------
        Fault
            Below the root circle, where the profile has no point.
        """
        r = np.asarray(r, dtype=float)
        if r.size and np.min(r) < self.r_f - 1e-12 * abs(self.r_f):
            raise Fault(
                "radius on the tooth [mm]",
                round(1e3 * float(np.min(r)), 6),
                f"at least the root radius {1e3 * self.r_f:.4f}",
                "ask for a radius on the profile",
            )
        s = (r**2 - self.r_Ff**2) / (2.0 * self.r_b)
        below = r < self.r_Ff
        if np.any(below):
            s = np.where(below, 0.0, s)
            s[below] = -self._fillet_length(self._tau_at_radius(r[below]))
        return s

    def section_moment(self, r_bore: float, power: int = 0) -> float:
        """Return the integral of r^power dA over one sector between bore, tooth spaces and tip circle (sharp corners).

        Half of it is :math:`\\tfrac{1}{2 + p} \\oint r^p (x\\,dy - y\\,dx)`, in closed form but for the trochoid.

        Parameters
        ----------
        r_bore : float [m]
            Of a ring the radius of its rim, negative as the others are.
        power : int
            0: the area [m^2]; 2: the polar moment about the gear axis [m^4].
        """

        def sector(radius: float, angle: float) -> float:
            return radius ** (2 + power) * angle

        def primitive(phi: float) -> float:
            return self.r_b ** (2 + power) * (phi**3 / 3.0 + (phi**5 / 5.0 if power == 2 else 0.0))

        phi_a, phi_f = self.roll_length_tip / self.r_b, self.roll_length_form / self.r_b
        nodes, weights = _gauss_points()
        half = 0.5 * (pi / 2.0 - self.tau_form)
        tau = self.tau_form + half * (1.0 + nodes)
        w, t = self.trochoid.points(tau), self.trochoid.tangents(tau)
        # The curve runs towards the middle of the space, clockwise in the trochoid's frame.
        swept = -np.imag(np.conj(w) * t) * self.trochoid.speed(tau) * np.abs(w) ** power
        half_moment = (
            sector(self.r_a, self.psi_b - phi_a + float(np.arctan(phi_a)))
            + primitive(phi_a)
            - primitive(phi_f)
            + half * float(weights @ swept)
            + sector(self.r_f, self.trochoid.root_circle_angle)
            - sector(r_bore, pi / self.z)
        ) / (2 + power)
        return 2.0 * half_moment

    @cached_property
    def _fillet_length(self) -> Chebyshev:
        """Arc length from the root form point down to the point tau of the trochoid."""
        domain = [self.tau_form, pi / 2.0]
        return Chebyshev.interpolate(self.trochoid.speed, _DEGREE, domain).integ(lbnd=self.tau_form)

    @cached_property
    def _fillet_table(self) -> tuple[Array, Array]:
        tau = np.linspace(self.tau_form, pi / 2.0, 129)
        return tau, self._fillet_length(tau)

    def _tau(self, length: Array) -> Array:
        """Invert the fillet's arc length: start from a table, then Newton."""
        tau_table, length_table = self._fillet_table
        tau = np.interp(length, length_table, tau_table)
        for _ in range(3):  # the table is right to 1e-4, each step squares that
            tau = tau - (self._fillet_length(tau) - length) / self.trochoid.speed(tau)
        return tau

    def _tau_at_radius(self, r: Array) -> Array:
        """Bisect for the trochoid's point at a radius; Newton would fail at the root circle, where dr/dtau = 0."""
        low, high = np.full_like(r, self.tau_form), np.full_like(r, pi / 2.0)
        for _ in range(60):
            middle = 0.5 * (low + high)
            above = self.sign * np.abs(self.trochoid.points(middle)) > r
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return 0.5 * (low + high)

    def _evaluate(self, s: ArrayLike) -> tuple[ComplexArray, ComplexArray, Array]:
        """Return points, unit tangents and curvature of the three pieces."""
        s = np.asarray(s, dtype=float)
        w, t, kappa = np.empty(s.shape, complex), np.empty(s.shape, complex), np.empty(s.shape)
        flank = s >= 0.0
        arc = s < self.s_root_circle
        fillet = ~(flank | arc)
        if np.any(flank):
            phi = self.roll_length(s[flank]) / self.r_b
            turn = np.exp(1j * (self.psi_b - phi))
            t[flank] = self.sign * turn
            w[flank] = abs(self.r_b) * (1.0 + 1j * phi) * turn
            kappa[flank] = 1.0 / (self.r_b * phi)
        if np.any(fillet):
            tau = self._tau(-s[fillet])
            # From the middle of the space to the tooth frame: mirror image, and down becomes up.
            turn = np.exp(1j * pi / self.z)
            w[fillet] = np.conj(self.trochoid.points(tau)) * turn
            t[fillet] = -np.conj(self.trochoid.tangents(tau)) * turn
            kappa[fillet] = self.trochoid.curvature(tau)
        if np.any(arc):
            theta = pi / self.z - self.trochoid.root_circle_angle + (self.s_root_circle - s[arc]) / self.r_f
            w[arc] = abs(self.r_f) * np.exp(1j * theta)
            t[arc] = -1j * self.sign * np.exp(1j * theta)
            kappa[arc] = 1.0 / self.r_f
        return w, t, kappa


@cache
def _gauss_points() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(_DEGREE)


def _as_pairs(w: ComplexArray) -> Array:
    return np.stack((w.real, w.imag), axis=-1)


def _intersect(trochoid: Trochoid, tau_flank: float, space_b: float, r_b: float) -> tuple[float, float]:
    """Find where the trochoid of an undercut tooth leaves the involute.

    ``space_b`` is the half angle of the tooth space at the base circle. At the end of the rack's flank the trochoid
    lies on the second branch of the involute, out of the tooth; from the root it comes up inside the tooth: it crosses
    the involute in between. The undercut may be as shallow as round-off: the steps shrink towards the flank's end.

    Returns
    -------
    tau, roll_length : float [rad], float [m]
    """

    def inside(tau: ArrayLike) -> Array:
        """Angle by which the trochoid lies inside the involute tooth; below the base circle against its radius."""
        w = trochoid.points(np.asarray(tau, dtype=float))
        phi = np.sqrt(np.maximum((np.abs(w) / r_b) ** 2 - 1.0, 0.0))
        return np.angle(w) - (space_b + phi - np.arctan(phi))

    steps = np.concatenate(([0.0], np.geomspace(1e-10, 1.0, 4000)))
    tau = tau_flank + (pi / 2.0 - tau_flank) * steps
    candidates = np.flatnonzero((inside(tau) > 0.0) & (np.abs(trochoid.points(tau)) > r_b))
    if candidates.size == 0:
        # Undercut by less than round-off shows: the flank ends on the base circle.
        return tau_flank, 1e-9 * r_b
    # The lowest crossing is the one that the material keeps.
    last = candidates[-1]
    crossed = np.flatnonzero(inside(tau[: last + 1]) <= 0.0)
    low, high = tau[crossed[-1]] if crossed.size else tau_flank, tau[crossed[-1] + 1 if crossed.size else last]
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if inside(middle) > 0.0 else (middle, high)
    radius = float(np.abs(trochoid.points(np.asarray(low))))
    return float(low), sqrt(max(radius**2 - r_b**2, (1e-9 * r_b) ** 2))
