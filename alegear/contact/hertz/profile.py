"""The true flank of a gear in every slice of the face, with microgeometry and tip round, tabulated for the kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.model_kernels import Profile
from alegear.contact.tip_round import TipRound
from alegear.geometry.gear import Gear

Array = NDArray[np.float64]

FLANK_KNOTS = 1400  # about 1e-5 m apart on a tooth of module 4 mm: the cubic is then exact to 1e-12 m
ROUND_KNOTS = 100
SHARP_TIP = 0.0005  # modules; five times as much delays the first touch of a sharp tip by half a micrometre
FLANK_SAMPLES, ROUND_SAMPLES = 48, 7  # places at which the search looks first
POLAR_ROWS = 400
CORNER_REACH = 3.0  # knots


@dataclass(frozen=True, kw_only=True, eq=False)
class SlicedProfile:
    """Modified profiles of one gear in the transverse sections of the slices, as a flank a, tooth centre line on x.

    The parameter s is the arc length of the unmodified profile from the root form point. From the end of the root
    circle up to the tip round the knots are equally spaced, on the tip round they lie closer.

    Attributes
    ----------
    knots : shape (4,)
        First knot [m], spacing [m], number of knots up to the tip round, spacing on the tip round [m].
    curve : shape (n_slices, n_knots, 4)
        Point [m] and derivative with respect to s.
    angle : shape (n_slices, n_knots, 2)
        Direction of the tangent [rad] with the hollow stretches bridged, so that it never rises, and its derivative.
    removal : shape (n_slices, n_knots) [m]
        Material removed, normal to the profile in the section.
    polar : shape (n, 4)
        Of the unmodified profile, equally spaced in the first column: radius [m], s [m], polar angle [rad], and the
        cosine between the flank's normal and the circumferential direction.
    samples : shape (n_samples,) [m]
        Places on involute and tip round, rising.
    corner : shape (n,) [m]
        Places close about the edge at s = 0, where an undercut cuts the involute off; empty without undercut.
    round_radius : float [m]
        Radius of the tip round.
    """

    knots: Array
    curve: Array
    angle: Array
    removal: Array
    polar: Array
    samples: Array
    corner: Array
    round_radius: float

    @classmethod
    def of(cls, gear: Gear, z: Array, *, tilt_slope: float = 0.0, roll_length_pitch: float = 0.0) -> SlicedProfile:
        """Tabulate the flank of a gear.

        Parameters
        ----------
        gear : Gear
        z : shape (n_slices,) [m]
            Sections, from mid-face of the gear.
        tilt_slope : float [1]
            Further transverse removal for a unit of roll length above `roll_length_pitch` [m]: a tilted helical gear
            moves along its axis where it moves away from the pitch point.
        """
        profile = gear.tooth_profile
        edge = TipRound.of(gear, SHARP_TIP)
        # s = 0 in the middle between two knots: the cubic rounds an undercut edge off alike on both sides
        spacing = edge.s_start / (round(FLANK_KNOTS * edge.s_start / (edge.s_start - profile.s_root_circle)) - 0.5)
        below = math.floor(-profile.s_root_circle / spacing - 0.5)
        low = -(below + 0.5) * spacing
        flank = np.linspace(low, edge.s_start, below + 1 + round(edge.s_start / spacing + 0.5))
        rounded = np.linspace(edge.s_start, edge.s_end, ROUND_KNOTS)
        s = np.concatenate([flank, rounded[1:]])
        xy, t = edge.curve(profile, s)
        n = np.column_stack([-t[:, 1], t[:, 0]])
        curvature = np.where(s <= edge.s_start, profile.curvature(np.minimum(s, edge.s_start)), 1.0 / edge.radius)

        roll = profile.roll_length(np.clip(s, 0.0, profile.s_tip))
        # a normal offset of a helical flank is larger by 1/cos beta_b in the transverse section
        removal: Array = gear.flank_removal(roll, z[:, None]) / math.cos(gear.beta_b)
        removal = removal + tilt_slope * (roll - roll_length_pitch)
        slope: Array = np.gradient(removal, s, axis=1)
        # With these slopes the cubics are a B-spline that has the removal as its control points: where a linear relief
        # begins it is bent as the relief is, and has no hollow beside the kink in which a contact could stick.
        inner = slice(1, len(flank) - 1)
        removal[:, inner] = (removal[:, :-2] + 4.0 * removal[:, 1:-1] + removal[:, 2:])[:, : len(flank) - 2] / 6.0
        # Y_m = Y - r n, Y_m' = t (1 - r curvature) - r' n: the normal turns by -curvature t per arc length
        curve = np.empty((len(z), len(s), 4))
        curve[:, :, :2] = xy - removal[:, :, None] * n
        curve[:, :, 2:] = t * (1.0 - removal * curvature)[:, :, None] - slope[:, :, None] * n
        return cls(
            knots=np.array([low, spacing, float(len(flank)), rounded[1] - rounded[0]]),
            curve=np.ascontiguousarray(curve),
            angle=_bridged_direction(s, curve),
            removal=np.ascontiguousarray(removal),
            polar=_polar(xy, n, s),
            samples=np.concatenate(
                [
                    np.linspace(0.0, edge.s_start, FLANK_SAMPLES, endpoint=False),
                    np.linspace(edge.s_start, edge.s_end, ROUND_SAMPLES),
                ]
            ),
            corner=spacing * np.arange(-CORNER_REACH, CORNER_REACH + 1) if profile.undercut else np.empty(0),
            round_radius=edge.radius,
        )


def on_edge_of(profile: Profile, slice_of: NDArray[np.int64], s: Array) -> NDArray[np.bool_]:
    """Whether places s (m,) [m] in slices (m,) lie on the tip round, or where an undercut ends the involute.

    The cubics round that edge off between the two knots about s = 0.
    """
    knots = np.atleast_2d(profile.knots)
    low, spacing, n_knots = knots[np.minimum(slice_of, len(knots) - 1), :3].T
    on_edge: NDArray[np.bool_] = s > low + spacing * (n_knots - 1.0)
    if len(profile.corner[0]):
        on_edge |= np.abs(s) <= 0.5 * spacing
    return on_edge


def _bridged_direction(s: Array, curve: Array) -> Array:
    angle = np.unwrap(np.arctan2(curve[:, :, 3], curve[:, :, 2]), axis=1)
    turn = np.minimum(np.diff(angle, axis=1), 0.0)
    bridged = np.concatenate([angle[:, :1], angle[:, :1] + np.cumsum(turn, axis=1)], axis=1)
    return np.ascontiguousarray(np.stack([bridged, _falling_slopes(s, bridged)], axis=2))


def _falling_slopes(x: Array, y: Array) -> Array:
    """Return slopes (m, n) with which the cubics through y (m, n), which never rises over x (n,), never rise either.

    Inside, harmonic means of the slopes of the chords on both sides, the shorter side with the larger weight (Fritsch
    and Butland 1984, SIAM J. Sci. Stat. Comput. 5, 300); at the ends those of the parabola, if it falls.
    """
    h = np.diff(x)
    chord = np.diff(y, axis=1) / h
    first, second = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    sum_ = first * chord[:, 1:] + second * chord[:, :-1]
    slope = np.zeros_like(y)
    # zero where one of the chords is level
    np.divide((first + second) * chord[:, :-1] * chord[:, 1:], sum_, out=slope[:, 1:-1], where=sum_ < 0.0)
    for end, outer, inner in ((0, 0, 1), (-1, -1, -2)):
        turn = h[outer] / (h[outer] + h[inner]) * (chord[:, outer] - chord[:, inner])
        slope[:, end] = np.minimum(chord[:, outer] + turn, 0.0)
    return slope


def _polar(xy: Array, normal: Array, s: Array) -> Array:
    radius = np.hypot(xy[:, 0], xy[:, 1])
    angle = np.arctan2(xy[:, 1], xy[:, 0])
    cosine = (xy[:, 0] * normal[:, 1] - xy[:, 1] * normal[:, 0]) / radius
    r = np.linspace(radius[0], radius[-1], POLAR_ROWS)
    rising = np.maximum.accumulate(radius)  # the foot of the trochoid is flat to round-off
    return np.column_stack([r, *(np.interp(r, rising, column) for column in (s, angle, cosine))])
