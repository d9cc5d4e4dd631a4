"""The true flank of a gear in every slice of the face, tabulated for the kernels."""

from __future__ import annotations

import math

import numpy as np

from alegear.arrays import Array, Indices, Mask
from alegear.contact.hertz.approach_kernels import points_on
from alegear.contact.hertz.model_kernels import ProfileTables
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.microgeometry import Flank
from alegear.geometry.modified_profile import ModifiedProfile, bend
from alegear.geometry.unique_rows import unique_rows

FLANK_KNOTS = 1400  # about 1e-5 m apart on a tooth of module 4 mm: the cubic is then exact to 1e-12 m
ROUND_KNOTS = 100
FLANK_SAMPLES, ROUND_SAMPLES = 48, 7  # places at which the search looks first ...
HALVINGS = 5  # ... closer and closer towards the tip round: there the edge and the flank below it may both come near
POLAR_ROWS = 400
CORNER_REACH = 2  # places beyond each end of an undercut edge


def profile_tables(
    gear: CylindricalGear,
    z: Array,
    *,
    flank: Flank = "a",
    tilt_slope: float = 0.0,
    roll_length_pitch: float = 0.0,
) -> ProfileTables:
    """Tabulate the modified profiles of a gear in transverse sections, as a flank a, tooth centre line on x.

    Sections with the same profile share one: of spur gears without deviations along the face, all of all teeth.

    The parameter s is that of :class:`~alegear.geometry.modified_profile.ModifiedProfile`. From the end of the root
    circle up to the tip round, which begins elsewhere on each profile, the knots are equally spaced, on the tip round
    they lie closer.

    Parameters
    ----------
    gear : CylindricalGear
    z : shape (n_slices,) [m]
        Sections, from mid-face of the gear.
    flank : {"a", "b"}
        Whose deviations.
    tilt_slope, roll_length_pitch
        As of :meth:`alegear.geometry.cylindrical_gear.CylindricalGear.modified_profile`.

    Returns
    -------
    ProfileTables
        ``curve``: point and derivative with respect to s, then the direction of the tangent [rad] with the hollow
        stretches bridged, so that it never rises, and its derivative. ``samples``: places on involute and tip round,
        rising. ``corner``: places close about the edge at s = 0, where an undercut cuts the involute off, its ends the
        third from either side; empty without undercut.

    Raises
    ------
    Fault
        Where the removal leaves no room for the tip round.
    """
    tilt = {"tilt_slope": tilt_slope, "roll_length_pitch": roll_length_pitch}
    profile = gear.tooth_profile
    roll = np.linspace(profile.roll_length_form, profile.roll_length_tip, FLANK_KNOTS)
    kinds, kind_of = np.unique(gear.first_alike(flank), return_inverse=True)
    section, tooth = np.tile(z, len(kinds)), np.repeat(kinds, len(z))
    removal = gear.flank_removal(roll, section[:, None], flank, tooth[:, None])
    first, like = unique_rows(removal)
    made = gear.modified_profile(section[first], flank=flank, tooth=tooth[first], **tilt)
    row_of = like.reshape(len(kinds), len(z))[kind_of.reshape(-1)]
    return ProfileTables(row_of=np.ascontiguousarray(row_of, dtype=np.int64), **_tables(made))


def _tables(made: ModifiedProfile) -> dict[str, Array]:
    """Tables of the sections of a modified profile."""
    s_start, root_circle = made.s_start, made.profile.s_root_circle
    # s = 0 in the middle between two knots: the cubic rounds an undercut edge off alike on both sides
    above = round(FLANK_KNOTS / (1.0 - root_circle / float(s_start.mean())))
    spacing = s_start / (above - 0.5)
    below = math.floor(-root_circle / float(spacing.min()) - 0.5)
    flank = spacing[:, None] * (np.arange(-below, above + 1) - 0.5)
    rounded = s_start[:, None] + (made.s_end - s_start)[:, None] * np.linspace(0.0, 1.0, ROUND_KNOTS)
    s = np.concatenate([flank, rounded[:, 1:]], axis=1)
    removal, slope = made.removed(s)
    # with no hollow beside a kink, in which a contact could stick; the last point keeps the direction of the tip round
    bend(removal[:, : flank.shape[1]], slope[:, : flank.shape[1]], s[:, 1] - s[:, 0])
    xy, along = made.curve(s, (removal, slope))
    curve = np.concatenate([xy, along], axis=2)
    on_round = rounded[:, 1] - rounded[:, 0]
    counts, radii = (np.full(len(s), value) for value in (float(flank.shape[1]), made.radius))
    knots = np.column_stack([flank[:, 0], spacing, counts, on_round, radii, 1.0 / spacing, 1.0 / on_round])
    steps = np.concatenate([np.arange(FLANK_SAMPLES), FLANK_SAMPLES - 0.5 ** np.arange(1, HALVINGS + 1)])
    on_flank = s_start[:, None] * steps / FLANK_SAMPLES
    on_tip = rounded[:, :1] + (rounded[:, -1:] - rounded[:, :1]) * np.linspace(0.0, 1.0, ROUND_SAMPLES)

    def with_points(places: Array) -> Array:
        row = np.repeat(np.arange(len(places)), places.shape[1])
        points = points_on(knots, curve, row, places.reshape(-1))
        return np.stack([places, *(axis.reshape(places.shape) for axis in points)], axis=2)

    return {
        "knots": knots,
        "curve": np.concatenate([curve, _bridged_direction(s, curve)], axis=2),
        "polar": np.stack([_polar(*of_slice) for of_slice in zip(curve, s, strict=True)]),
        "samples": with_points(np.concatenate([on_flank, on_tip], axis=1)),
        "corner": with_points(_about_edge(made, spacing)),
    }


def _about_edge(made: ModifiedProfile, spacing: Array) -> Array:
    if made.edge is None:
        return np.empty((len(spacing), 0))
    beside = spacing[:, None] * np.arange(CORNER_REACH + 1)
    below, above = made.edge.s_low[:, None] - beside, made.edge.s_high[:, None] + beside
    return np.concatenate([below[:, ::-1], np.zeros((len(spacing), 1)), above], axis=1)


def reaches_edge(profile: ProfileTables, row: Indices, s: Array, half_width: Array) -> Mask:
    """Whether strips of contact reach onto the tip round, or onto the edge that an undercut leaves.

    Parameters
    ----------
    row : shape (n,)
        Profile of each.
    s, half_width : shape (n,) [m]
        Middle of the strip on the profile, and its half-width.
    """
    low, spacing, n_knots = profile.knots[row, :3].T
    reaches: Mask = s + half_width > low + spacing * (n_knots - 1.0)
    if profile.corner.shape[1]:
        ends = profile.corner[:, [CORNER_REACH, -1 - CORNER_REACH], 0][row]
        reaches |= (s + half_width >= ends[:, 0]) & (s - half_width <= ends[:, 1])
    return reaches


def _bridged_direction(s: Array, curve: Array) -> Array:
    angle = np.unwrap(np.arctan2(curve[:, :, 3], curve[:, :, 2]), axis=1)
    turn = np.minimum(np.diff(angle, axis=1), 0.0)
    bridged = np.concatenate([angle[:, :1], angle[:, :1] + np.cumsum(turn, axis=1)], axis=1)
    return np.ascontiguousarray(np.stack([bridged, _falling_slopes(s, bridged)], axis=2))


def _falling_slopes(x: Array, y: Array) -> Array:
    """Return slopes (m, n) with which the cubics through y (m, n), which never rises over x (m, n), never rise either.

    Inside, harmonic means of the slopes of the chords on both sides, the shorter side with the larger weight (Fritsch
    and Butland 1984, SIAM J. Sci. Stat. Comput. 5, 300); at the ends those of the parabola, if it falls.
    """
    h = np.diff(x, axis=1)
    chord = np.diff(y, axis=1) / h
    first, second = 2.0 * h[:, 1:] + h[:, :-1], h[:, 1:] + 2.0 * h[:, :-1]
    sum_ = first * chord[:, 1:] + second * chord[:, :-1]
    slope = np.zeros_like(y)
    # zero where one of the chords is level
    np.divide((first + second) * chord[:, :-1] * chord[:, 1:], sum_, out=slope[:, 1:-1], where=sum_ < 0.0)
    for end, outer, inner in ((0, 0, 1), (-1, -1, -2)):
        turn = h[:, outer] / (h[:, outer] + h[:, inner]) * (chord[:, outer] - chord[:, inner])
        slope[:, end] = np.minimum(chord[:, outer] + turn, 0.0)
    return slope


def _polar(curve: Array, s: Array) -> Array:
    """Equally spaced in the radius: radius, s, polar angle, and the cosine of normal and circumferential direction."""
    x, y, dx, dy = curve.T
    radius = np.hypot(x, y)
    rising = np.maximum.accumulate(radius)  # the foot of the trochoid is flat to round-off
    cosine = (x * dx + y * dy) / (radius * np.hypot(dx, dy))
    r = np.linspace(radius[0], rising[-1], POLAR_ROWS)
    at, angle, cosine = (np.interp(r, rising, column) for column in (s, np.arctan2(y, x), cosine))
    return np.column_stack([r, at, np.cos(angle), np.sin(angle), cosine])
