"""One side of the teeth, as it is looked at slice by slice."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from alegear.arrays import Array, Indices
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.model_kernels import ProfileTables, Side
from alegear.contact.hertz.profile import profile_tables
from alegear.contact.hertz.slices import FaceSlices
from alegear.contact.numbering import Flank
from alegear.geometry.gear_pair import GearPair


def side_of_teeth(
    pair: GearPair,
    bodies: Sequence[ElasticBody],
    face: FaceSlices,
    own_z: tuple[Array, Array],
    side: float,
    loaded: float,
) -> Side:
    """Look at one side of the teeth of an aligned or misaligned pair: the loaded flanks or the back flanks.

    Parameters
    ----------
    own_z : per gear shape (n_slices,) [m]
        Middles of the slices from the mid-face of the gear.
    side, loaded : float
        +1 where flanks a touch, -1 where flanks b do; sections are mirrored accordingly: of this side, and of the side
        that carries the load.
    """
    pinion, wheel = pair.gears
    # The normal of the pinion's flank leans along the axis by -twist times its lever r_b.
    lean = -side * math.tan(pair.beta_b)
    low, high = pair.path_of_contact_usable
    flank: Flank = "a" if side > 0.0 else "b"
    shift = _axes_by_tilt(pair, loaded)
    axis = np.array([pair.a_w, 0.0])[:, None] - shift[:, None] * face.z
    axis[1] *= side
    profiles = _profiles(pair, own_z, flank, 0.5 * lean * float(shift @ _normal(pair, side)))
    twist = [side * gear.twist * face.z for gear in pair.gears]
    turned = [side * gear.twist * z for gear, z in zip(pair.gears, own_z, strict=True)]
    frames = [turn(angle) for angle in turned for turn in (np.cos, np.sin)]
    return Side(
        side=side,
        pinion=profiles[0],
        wheel=profiles[1],
        # the pinion's tooth in pair j touches the wheel's in pair j + lead: the next pair to come lies behind the tooth
        wheel_lead=(1 if loaded > 0.0 else -1) if side != loaded else 0,
        # how far both sections roll on from the pitch point, told by the pinion, until its tip is the nearer one
        switch_roll=(0.5 * (low + high) - pair.roll_length_pitch_point) / pinion.r_b,
        sections=np.column_stack([*twist, *frames, *axis]),
        axial=np.array([math.cos(pair.beta_b), math.cos(pair.beta_b) * lean]),
        face=np.array([body.faces.index(flank) for body in bodies], dtype=np.int64),
        pinion_added=np.array(pinion.displacement(flank)),
        wheel_added=np.array(wheel.displacement(flank)),
        identical_slice=_first_identical(profiles, [*twist, *turned, *axis]),
        # Where the contact moves by u along the line of action, a pinion that leans moves by -(leaning . n) u along its
        # axis against the wheel, and a helical flank with it. u is the mean of what both rotations say: the flanks
        # press each other along the normal half-way between theirs, however both lean in space.
        rocking_by_leaning=side * math.tan(pair.beta_b) * pinion.r_b * _normal(pair, side),
        roll=_roll(pair, side, loaded),
    )


def _normal(pair: GearPair, side: float) -> Array:
    """Transverse normal of the pinion's flanks at the pitch point, shape (2,)."""
    return np.array([math.sin(pair.alpha_wt), side * math.cos(pair.alpha_wt)])


def _axes_by_tilt(pair: GearPair, loaded: float) -> Array:
    """By how much the pinion's section moves against the wheel's by a tilt, per length along the axis, shape (2,).

    Positive in the plane of action closes the gap of the loaded flanks, positive normal to it leads away from the
    wheel.
    """
    along = np.array([-math.cos(pair.alpha_wt), loaded * math.sin(pair.alpha_wt)])
    tilt = pair.alignment
    return tilt.tilt_plane_of_action * _normal(pair, loaded) + tilt.tilt_normal * along


def _profiles(
    pair: GearPair, own_z: tuple[Array, Array], flank: Flank, slope: float
) -> tuple[ProfileTables, ProfileTables]:
    """Profiles of both gears.

    Where the contact moves by u along the line of action, a tilted pinion moves along its axis against the wheel: half
    of what that opens, `slope` a unit of roll length, is taken from either flank, so that both roll lengths, which
    differ at tip edges, count alike. Those of the wheel fall where those of the pinion rise.
    """
    xi_1 = pair.roll_length_pitch_point
    ends = ((slope, xi_1), (0.0 - slope, pair.line_of_action - xi_1))
    pinion, wheel = (
        profile_tables(gear, z, flank=flank, tilt_slope=tilt, roll_length_pitch=xi)
        for gear, z, (tilt, xi) in zip(pair.gears, own_z, ends, strict=True)
    )
    return pinion, wheel


def _roll(pair: GearPair, side: float, loaded: float) -> Array:
    """Angles of both sections where flanks touch at the pitch point [rad], and what a turn of each counts, (4,).

    A pinion that turns by an angle and a wheel that follows it roll by this angle, half of it told by each.
    """
    at_pitch_point = np.array(pair.tooth_angles_at_pitch_point)
    # of the back flanks the wheel's angles are counted the other way round its axis
    seen = side * np.array(pair.reference_angles(loaded))
    at_pitch_point += 2.0 * math.pi * np.round((seen - at_pitch_point) / (2.0 * math.pi))
    return np.array([*at_pitch_point, 0.5, -0.5 * pair.wheel.r_b / pair.pinion.r_b])


def _first_identical(profiles: tuple[ProfileTables, ProfileTables], places: Sequence[Array]) -> Indices:
    """First slice with the same profiles of all teeth in the same place: of unmodified spur gears, one.

    Their closest approach is the same to the last bit, and is found once.
    """
    one, two = profiles
    n = one.row_of.shape[1]
    parts = [np.ascontiguousarray(part).reshape(n, -1) for part in (one.row_of.T, two.row_of.T, *places)]
    rows = np.hstack(parts) + 0.0  # bytes tell -0.0 from 0.0
    first: dict[bytes, int] = {}
    return np.array([first.setdefault(row.tobytes(), k) for k, row in enumerate(rows)], dtype=np.int64)
