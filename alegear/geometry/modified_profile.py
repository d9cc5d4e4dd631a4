"""The profile of a tooth as it is made: the flank less what the microgeometry removes, then its edges rounded.

A round that is offset with the flank folds over where more is removed than its radius. So the removal is applied to the
flank, and a disc is laid into what is left: at the tip it touches modified flank and tip circle, where an undercut cuts
the involute off it touches involute and root curve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.geometry.tooth_profile import ToothProfile

SHARPEST_TIP = 0.0005
"""Modules: a sharp tip is a round of this radius, over which the contact moves and does not jump. Five times as much
delays the first touch of a sharp tip by half a micrometre."""

SHARPEST_EDGE = 0.002
"""Modules: length of the arc that an undercut edge is, where no material is removed."""

_SEARCHED = 500  # places at which the end of the flank is looked for
_PARTS, _DIVISIONS = 32, 10  # of the interval between two of these, to round-off
_STEP = 2e-6  # of the arc length of the flank, for the slope of the removal
_ROUND_OFF, _APART = 1e-11, 1e-7  # of the arc in place of an edge: of a step that ends the search, of both discs


@dataclass(frozen=True, kw_only=True, eq=False)
class ModifiedProfile:
    """Flank a of a gear in some transverse sections, modified, with rounded edges; the tooth's centre line on x.

    The parameter s is the arc length of the unmodified profile from the root form point up to where the flank ends
    (beyond the tip circle the involute goes on), from there on the arc length of the tip round::

        Y_m(s) = Y(s) - r(s) n(s),    s < s_start
        Y_m(s) = c + radius (cos, sin)(direction - (s - s_start)/radius),    s_start ... s_end

    Attributes
    ----------
    profile : ToothProfile
        Unmodified.
    removal : function
        Material removed normal to the profile in the sections, shape (n_sections, m) [m], at roll lengths of that
        shape [m].
    radius : float [m]
        Of the tip round.
    s_start, s_end : shape (n_sections,) [m]
        Where the tip round leaves the flank, and where it meets the tip circle.
    centre : shape (n_sections, 2) [m]
        Of the tip round.
    direction : shape (n_sections,) [rad]
        Polar angle of the start of the tip round seen from its centre.
    edge : UndercutEdge or None
    """

    profile: ToothProfile
    removal: Callable[[Array], Array]
    radius: float
    s_start: Array
    s_end: Array
    centre: Array
    direction: Array
    edge: UndercutEdge | None

    @classmethod
    def of(
        cls, profile: ToothProfile, removal: Callable[[Array], Array], *, radius: float, edge_length: float
    ) -> ModifiedProfile:
        """Fit the rounds of both edges.

        Parameters
        ----------
        profile, removal, radius
            As above.
        edge_length : float [m]
            Of the arc that an undercut edge is where no material is removed.

        Raises
        ------
        Fault
            If the tip round does not fit on what is left of flank and tip land, or an edge on the root curve.
        """
        n = len(removal(np.array([[profile.roll_length_tip]])))
        edge = None
        if profile.undercut:
            removed = removal(np.full((n, 1), profile.roll_length_form))[:, 0]
            edge = UndercutEdge.of(profile, edge_length, removed)
        bare = cls(
            profile=profile,
            removal=removal,
            radius=radius,
            s_start=np.full(n, np.inf),
            s_end=np.full(n, np.inf),
            centre=np.zeros((n, 2)),
            direction=np.zeros(n),
            edge=edge,
        )
        s_start = bare._end_of_flank()
        xy, tangent = bare.curve(s_start[:, None])
        normal = np.stack([-tangent[:, 0, 1], tangent[:, 0, 0]], axis=1) / np.hypot(*tangent[:, 0].T)[:, None]
        centre = xy[:, 0] - radius * normal
        if np.any(centre[:, 1] < 0.0):
            left = 2.0 * float(np.min(profile.points(s_start)[:, 1] - removal(bare._roll(s_start[:, None]))[:, 0]))
            raise Fault(
                "tip thickness [mm]",
                f"{1e3 * left:.4g}",
                f"large enough for two tip rounds of {1e3 * radius:.4g} mm",
                "reduce profile_shift or what the microgeometry removes at the tip, or shorten the tip by a negative "
                "tip_alteration_factor",
            )
        direction = np.arctan2(normal[:, 1], normal[:, 0])
        turn = direction - np.arctan2(centre[:, 1], centre[:, 0])
        return replace(bare, s_start=s_start, s_end=s_start + radius * turn, centre=centre, direction=direction)

    def removed(self, s: Array) -> tuple[Array, Array]:
        """Material removed [m] and its derivative along s at s (n_sections, m); constant beyond the flank's ends."""
        step = _STEP * self.profile.s_tip
        after, before = self.removal(self._roll(s + step)), self.removal(self._roll(s - step))
        return self.removal(self._roll(s)), (after - before) / (2.0 * step)

    def curve(self, s: Array, removed: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
        """Points and their derivatives with respect to s.

        Parameters
        ----------
        s : shape (n_sections, m) [m]
        removed : pair of shape (n_sections, m), optional
            Material removed and its derivative, if not :meth:`removed`.

        Returns
        -------
        points, derivatives : shape (n_sections, m, 2) [m], [1]
        """
        on_flank = np.minimum(s, self.s_start[:, None])
        xy, tangent, speed, turning = self._unmodified(on_flank)
        normal = np.stack([-tangent[..., 1], tangent[..., 0]], axis=-1)
        r, slope = self.removed(on_flank) if removed is None else removed
        # the normal turns by turning t along s
        xy = xy - r[..., None] * normal
        along = tangent * (speed - r * turning)[..., None] - slope[..., None] * normal
        beyond = s > self.s_start[:, None]
        if beyond.any():
            section = np.nonzero(beyond)[0]
            angle = self.direction[section] - (s[beyond] - self.s_start[section]) / self.radius
            ray = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
            xy[beyond] = self.centre[section] + self.radius * ray
            along[beyond] = np.stack([ray[:, 1], -ray[:, 0]], axis=-1)
        return xy, along

    def _roll(self, s: Array) -> Array:
        return self.profile.roll_length(np.clip(s, 0.0, self.profile.s_tip))

    def _unmodified(self, s: Array) -> tuple[Array, Array, Array, Array]:
        """Points, unit tangents, their speed and turning along s, with the undercut edge rounded."""
        xy, t, kappa = self.profile.local_frames(s)
        speed = np.ones(s.shape)
        if self.edge is not None:
            self.edge.put_into(s, xy, t, speed, kappa)
        return xy, t, speed, kappa

    def _end_of_flank(self) -> Array:
        """Where a disc of the radius of the round touches flank and tip circle from inside, shape (n_sections,) [m].

        The disc's middle lies on the flank's inner parallel curve and on a circle. Where it would touch the flank at
        several places, beside the kink where a relief begins, that place counts that leaves it furthest inside.
        """
        p = self.profile
        tip = self.removal(np.full((len(self.s_start), 1), p.roll_length_tip))
        # a point of the involute is moved along its normal, which is the line on which its roll length is measured
        top = float(p.s_at_roll_length(p.roll_length_tip + 1.1 * np.abs(tip).max() + 0.01 * p.r_a / p.z))
        s = np.linspace(0.0, top, _SEARCHED)
        above, angle = self._discs(np.broadcast_to(s, (len(tip), len(s))))
        rises = (above[:, :-1] <= 0.0) & (above[:, 1:] > 0.0)
        if np.any(above[:, 0] > 0.0) or not np.all(rises.any(axis=1)):
            raise Fault(
                "tip rounding [mm]",
                f"{1e3 * self.radius:.4g}",
                "smaller than the tooth depth",
                "reduce tip_rounding_mm",
            )
        at = np.argmin(np.where(rises, angle[:, :-1], np.inf), axis=1)
        low, high, section = s[at], s[at + 1], np.arange(len(at))
        for _ in range(_DIVISIONS):
            places = np.linspace(low, high, _PARTS + 1, axis=1)
            up = self._discs(places[:, 1:-1])[0] > 0.0
            first = np.where(up.any(axis=1), np.argmax(up, axis=1), _PARTS - 1)
            low, high = places[section, first], places[section, first + 1]
        return low

    def _discs(self, s: Array) -> tuple[Array, Array]:
        """How far the middles of discs that touch the flank at s lie above their circle [m], and their polar angles."""
        xy, along = self.curve(s)
        x, y = np.moveaxis(xy, -1, 0)
        dx, dy = np.moveaxis(along / np.hypot(along[..., 0], along[..., 1])[..., None], -1, 0)
        x, y = x + self.radius * dy, y - self.radius * dx
        return np.hypot(x, y) - (self.profile.r_a - self.radius), np.arctan2(y, x)


@dataclass(frozen=True, kw_only=True, eq=False)
class UndercutEdge:
    """Arc in place of the edge at s = 0, tangent to involute and trochoid, in some sections.

    It belongs to the unmodified profile and is moved with it. Its radius is larger by what is removed there, so that
    the radius which is left is the same.

    Attributes
    ----------
    radius : shape (n_sections,) [m]
    s_low, s_high : shape (n_sections,) [m]
        Its ends, on the trochoid and on the involute.
    centre : shape (n_sections, 2) [m]
    direction, turn : shape (n_sections,) [rad]
        Polar angle of its lower end seen from the centre, and how far it turns from there to the upper end.
    """

    radius: Array
    s_low: Array
    s_high: Array
    centre: Array
    direction: Array
    turn: Array

    @classmethod
    def of(cls, profile: ToothProfile, length: float, removed: Array) -> UndercutEdge:
        """Fit the arcs.

        Parameters
        ----------
        length : float [m]
            Of the arc, where nothing is removed.
        removed : shape (n_sections,) [m]
            Material removed at the root form circle.

        Raises
        ------
        Fault
            If the arc does not fit between involute and root circle.
        """
        below, above = profile.tangents(np.array([-_ROUND_OFF * length, 0.0]))
        angle = -_between(below, above)
        radius = length / angle + np.maximum(removed, 0.0)
        reach = np.tan(0.5 * angle) * radius
        low, high = -reach, reach.copy()
        for _ in range(30):  # Newton: the discs that touch trochoid and involute are the same
            ends = np.stack([low, high])
            xy, t, kappa = profile.local_frames(ends)
            middle = xy - radius[:, None] * np.stack([-t[..., 1], t[..., 0]], axis=-1)
            speed = 1.0 - radius * kappa
            (t_low, t_high), apart = t, middle[1] - middle[0]
            turned = _cross(t_low, t_high)
            step_low, step_high = _cross(apart, t_high) / turned / speed[0], _cross(apart, t_low) / turned / speed[1]
            low, high = low + step_low, high + step_high
            if not (np.all(low < 0.0) and np.all(high > 0.0) and np.all(low > profile.s_root_circle)):
                break
            if max(np.abs(step_low).max(), np.abs(step_high).max()) < _ROUND_OFF * length:
                break
        fits = (low < 0.0) & (low > profile.s_root_circle) & (high > 0.0) & (high < profile.s_tip)
        if not np.all(fits & (np.abs(apart).max(axis=1) < _APART * length)):
            raise Fault(
                "removal at the root form circle [um]",
                f"{1e6 * removed.max():.4g}",
                "so little that the edge in which the undercut ends is left",
                "reduce root_relief_um, or increase profile_shift until there is no undercut",
            )
        t_low, t_high = profile.tangents(np.stack([low, high]))
        return cls(
            radius=radius,
            s_low=low,
            s_high=high,
            centre=middle[0],
            direction=np.arctan2(t_low[:, 0], -t_low[:, 1]),
            turn=np.array([_between(one, two) for one, two in zip(t_low, t_high, strict=True)]),
        )

    def put_into(self, s: Array, xy: Array, tangent: Array, speed: Array, turning: Array) -> None:
        """Overwrite what lies on the arcs, s (n_sections, m)."""
        on_arc = (s > self.s_low[:, None]) & (s < self.s_high[:, None])
        if not on_arc.any():
            return
        k = np.nonzero(on_arc)[0]
        rate = self.turn[k] / (self.s_high - self.s_low)[k]
        angle = self.direction[k] + rate * (s[on_arc] - self.s_low[k])
        ray = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        xy[on_arc] = self.centre[k] + self.radius[k, None] * ray
        tangent[on_arc] = np.stack([ray[:, 1], -ray[:, 0]], axis=-1)
        speed[on_arc], turning[on_arc] = -self.radius[k] * rate, -rate


def _cross(one: Array, two: Array) -> Array:
    return np.asarray(one[..., 0] * two[..., 1] - one[..., 1] * two[..., 0])


def _between(one: Array, two: Array) -> float:
    """Angle from one direction to another [rad], shape (2,) each."""
    return float(np.arctan2(_cross(one, two), one @ two))


def bend(removal: Array, slope: Array, spacing: Array) -> None:
    """Make the cubics between knots (n_sections, m) a B-spline that has the removal as its control points, in place.

    Where a linear relief begins it is bent as the relief is, and has no hollow beside the kink. The ends stay.
    """
    before, at, after = removal[:, :-2], removal[:, 1:-1], removal[:, 2:]
    slope[:, 1:-1] = (after - before) / (2.0 * spacing[:, None])
    removal[:, 1:-1] = (before + 4.0 * at + after) / 6.0
