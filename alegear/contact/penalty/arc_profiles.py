"""Modified profiles over their own arc length, as the derivatives of the penalty law want them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from alegear.arrays import Array, Indices
from alegear.contact.penalty._kernels import points_of
from alegear.geometry.modified_profile import ModifiedProfile, bend

FLANK_KNOTS = 1400  # about 1e-3 modules apart: the cubic is then exact to 2.5e-10 modules
ROUND_KNOTS, EDGE_KNOTS = 100, 33  # on the tip round and on an undercut edge

Round = tuple[float, float, float]
"""Arc lengths of the ends of a round, and its radius [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ArcProfiles:
    """Modified profiles of some sections, flank a, over their own arc length, which is 0 at the root form point.

    Attributes
    ----------
    made : ModifiedProfile
    knots : shape (n_sections, n_knots) [m]
        Rising, from the lowest row of the grid to the end of the tip round.
    curve : shape (n_sections, n_knots, 4)
        Point [m] and unit tangent.
    """

    made: ModifiedProfile
    knots: Array
    curve: Array

    @classmethod
    def of(cls, made: ModifiedProfile, s_low: float) -> ArcProfiles:
        """Tabulate from a place on the unmodified profile below the root form point on."""
        s, removed = _places(made, s_low)
        xy, along = made.curve(s, removed)
        arc = np.concatenate([np.zeros((len(s), 1)), np.cumsum(_lengths(s, xy, along), axis=1)], axis=1)
        arc -= [[np.interp(0.0, places, of_section)] for places, of_section in zip(s, arc, strict=True)]
        tangent = along / np.linalg.norm(along, axis=2)[:, :, None]
        return cls(made=made, knots=arc, curve=np.ascontiguousarray(np.concatenate([xy, tangent], axis=2)))

    @property
    def rounds(self) -> list[list[Round]]:
        """Rounds of each section: the undercut edge if there is one, and the tip round."""
        out = []
        for k, knots in enumerate(self.knots):
            tip = (float(knots[-ROUND_KNOTS]), float(knots[-1]), self.made.radius)
            out.append([tip])
            if self.made.edge is not None:
                low, high = self._edge_ends[k]
                out[-1].insert(0, (low, high, float(self.made.edge.radius[k])))
        return out

    @property
    def flank_ends(self) -> tuple[float, float]:
        """Arc lengths between which the profile is flank in every section [m]."""
        low = 0.0 if self.made.edge is None else max(high for _, high in self._edge_ends)
        return low, float(self.knots[:, -ROUND_KNOTS].min())

    @property
    def _edge_ends(self) -> list[tuple[float, float]]:
        last = self.knots.shape[1] - ROUND_KNOTS - FLANK_KNOTS + 1
        return [(float(knots[last - EDGE_KNOTS + 1]), float(knots[last])) for knots in self.knots]

    def points(self, s: Array, section: Indices) -> Array:
        """Points (n, 2) of the sections (n,) at arc lengths s (n,) [m]."""
        xy = np.empty((len(s), 2))
        points_of(self.knots, self.curve, section, s, xy)
        return xy


def _places(made: ModifiedProfile, s_low: float) -> tuple[Array, tuple[Array, Array]]:
    """Knots on the unmodified profile (n_sections, n_knots), and removal and slope there.

    Knots stand where the curvature jumps: at both ends of an undercut edge, and of the tip round.
    """
    n = len(made.s_start)
    edge = made.edge
    low, high = (np.zeros(n), np.zeros(n)) if edge is None else (edge.s_low, edge.s_high)
    spacing = float(made.s_start.mean()) / FLANK_KNOTS
    below = np.linspace(np.full(n, s_low), low, max(math.ceil(-s_low / spacing), 2), axis=1)
    on_edge = np.linspace(low, high, 1 if edge is None else EDGE_KNOTS, axis=1)
    flank = np.linspace(high, made.s_start, FLANK_KNOTS, axis=1)
    rounded = np.linspace(made.s_start, made.s_end, ROUND_KNOTS, axis=1)
    s = np.concatenate([below[:, :-1], on_edge[:, :-1], flank, rounded[:, 1:]], axis=1)
    removal, slope = made.removed(np.minimum(s, made.s_start[:, None]))
    first = below.shape[1] + on_edge.shape[1] - 2
    bend(removal[:, first : first + FLANK_KNOTS], slope[:, first : first + FLANK_KNOTS], flank[:, 1] - flank[:, 0])
    return s, (removal, slope)


def _lengths(s: Array, xy: Array, along: Array) -> Array:
    """Arc lengths of the cubics between the knots (n_sections, n), shape (n_sections, n - 1), by three Gauss points."""
    h = np.diff(s, axis=1)[..., None]
    chord, one, two = np.diff(xy, axis=1) / h, along[:, :-1], along[:, 1:]
    total = np.zeros(h.shape[:2])
    for place, weight in zip(*np.polynomial.legendre.leggauss(3), strict=True):
        t = 0.5 * (1.0 + place)
        rate = 6.0 * t * (1.0 - t) * chord + (1.0 - t) * (1.0 - 3.0 * t) * one + t * (3.0 * t - 2.0) * two
        total += 0.5 * weight * np.linalg.norm(rate, axis=2)
    return np.asarray(total * h[..., 0])
