"""What the kernels of line contact work on: tables that do not change while the gears turn, and named buffers.

Index pairs are (pinion, wheel). A *point* is one tooth pair in one slice of one side of the teeth; all its geometry is
that of the transverse section there. *Tip* gear A is the one whose tip is nearer, its profile is searched; *flank*
gear P is the one whose profile is projected on. Sections are looked at in mirrored coordinates where back flanks (b)
touch, so that every flank is a flank a. ``phi`` are rotations positive in the running direction; a spin turns them
into rotations of the section.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.kernel_struct import kernel_struct

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# Columns of the table of points. "_x" is the derivative with respect to phi_1, phi_2.
GAP = 0  # normal gap of the modified flanks [m], positive = open
S = 1  # 1, 2: parameter of the contact point on the profiles [m]
G_X = 3  # 3, 4: gap_x [m]
G_XX = 5  # 5 ... 8: gap_xy, row by row [m]
S_X = 9  # 9 ... 12: (s_1)_x, (s_2)_x [m]
NX, NY = 13, 15  # 13, 14 and 15, 16: transverse normal of P in the sections of pinion and wheel
TURN_X = 17  # 17 ... 20: rate by which that normal turns in either section: n_x = -turn t, t_x = turn n
L_X = 21  # 21, 22: tangential velocity of A against P for unit speeds [m]
L_XX = 23  # 23 ... 26: its derivatives [m]
SIGN = 27  # +1: the pinion is A, -1: the wheel is A
EASE = 28  # how much nearer a pair comes at the closer end of the slice than in its middle [m], never negative
EASE_X = 29  # 29, 30: ease_x [m]
N_COLUMNS = 31

# Parts of the compliance of a gear that are at hand. Twenty loaded slices need half a thousand, eighty of a wide
# helical pair three thousand. Among 8192 places (13 bits) too many of these took each other's: an evaluation of
# helical_24_95 took 16 ms in place of 10.
TILE_BITS = 15
N_TILES = 1 << TILE_BITS
ROWS = 4  # rows of nodes along the profile that the displacement of a point is interpolated from


# Places where a pair may touch in a slice: the nearest and the next one on the gear whose tip is nearer, and the edge
# in which the undercut of the other gear ends.
PLACES, EDGE = 3, 2

# Columns of a tabulated profile: point and its derivative, bridged direction [rad] and its derivative.
DIRECTION = 4

# Columns of the sections of a side: their angles against z = 0 [rad], cosine and sine of their angles in the frames of
# the teeth, of the pinion and of the wheel, and the place of the wheel's axis [m].
TWIST, FRAME, AXIS = 0, 2, 6


@kernel_struct
class Profile(NamedTuple):
    """Profiles of one gear in all slices, from :class:`alegear.contact.hertz.profile.SlicedProfile`.

    ``curve`` (n_slices, n_knots, 6). ``knots`` (n_slices, 7): as there, then the radius of the tip round and the
    inverse of both spacings. ``polar`` (n_slices, n, 5): radius, s, cosine and sine of the polar angle, cosine between
    normal and circumferential direction. ``samples`` and ``corner`` (n_slices, n, 3): places, and the points there [m].
    """

    knots: Array
    curve: Array
    polar: Array
    samples: Array
    corner: Array


@kernel_struct
class Layer(NamedTuple):
    """Table of the approach of a strip on the layer under a flank: grid in s and ln b, values, (1 - nu^2)/E [1/Pa]."""

    s: Array
    log_b: Array
    table: Array
    softness: float


@kernel_struct
class Body(NamedTuple):
    """One gear: its elasticity and the places of its teeth.

    ``place`` (4,): angle of the tooth in slot 0 when its pair touches at the pitch point, turn of all sections by an
    axial offset, pitch [rad], and the spin; ``deviation`` (z,) [m]. ``blocks`` and ``block_of``: compliance of two
    teeth by slices, as in :class:`alegear.contact.hertz.compliance.SliceCompliance`; ``smooth`` and its like: that of
    teeth apart in ``n_smooth`` splines of all faces, 0 if there are none. ``coefficients``, ``rows_s``:
    interpolation along the profile. ``given`` (n_pairs, n_strips, rows x axes) [m]: displacement of the nodes of the
    window's slices besides that of the contact forces, by slots in order of engagement; empty where there is none.
    """

    place: Array
    deviation: Array
    rows_s: Array
    coefficients: Array
    blocks: Array
    block_of: Index
    smooth: Array
    smooth_first: Index
    smooth_weight: Array
    n_smooth: int
    layer: Layer
    given: Array


@kernel_struct
class Side(NamedTuple):
    """One side of the teeth: :class:`alegear.contact.hertz.flank_side.FlankSide`.

    ``displaced``: +1 on the front flanks, -1 on the back. ``like`` (n_slices,): first slice with the same profiles and
    place. ``swing`` (2,): material that a tilt adds for each radian of the pinion's section [m], and the angle at which
    it adds none [rad].
    """

    side: float
    pinion: Profile
    wheel: Profile
    wheel_lead: int
    switch_angle: float
    sections: Array
    axial: Array
    face: Index
    displaced: float
    like: Index
    swing: Array


@kernel_struct
class Friction(NamedTuple):
    """:class:`alegear.contact.law.Friction`; ``kind`` 0: none, 1: coulomb, 2: velocity."""

    kind: int
    mu_static: float
    mu_dynamic: float
    v_static: float
    v_dynamic: float


@kernel_struct
class Model(NamedTuple):
    """A gear pair in line contact.

    ``n_strips`` are the slices of all faces of a tooth.

    ``modulus`` [Pa] and ``least_curvature`` [1/m] are those of the transverse section, ``length`` [m] that of the line
    of contact in a slice of the width ``width`` [m], ``deepest`` [m] the overlap beyond which a tooth would be seen
    from behind, ``margin`` [m] what the sampled gap may be off; ``slack`` (1,) [m] by how much given displacements may
    close a gap.
    """

    pinion: Body
    wheel: Body
    loaded: Side
    back: Side
    n_sides: int
    n_pairs: int
    n_slices: int
    n_strips: int
    n_axes: int
    width: float
    length: float
    deepest: float
    margin: float
    slack: Array
    modulus: float
    least_curvature: float
    friction: Friction


@kernel_struct
class Memory(NamedTuple):
    """Loads [N/m] of the last evaluation (sides, pairs, slices, places), its strips (..., 2): half-width and place [m].

    They are where the next one starts; its answer does not depend on them. ``s`` (...): where on the pinion they were
    [m]. ``rate`` (..., 2): derivatives of the loads by both rotations [N/m/rad] in the last evaluation with tangents.
    ``phi`` (2,), ``first_pair`` (1,): rotations, and pair in slot 0.
    """

    line_load: Array
    s: Array
    strips: Array
    rate: Array
    phi: Array
    first_pair: Index


@kernel_struct
class Found(NamedTuple):
    """Points of closest approach, the first ``count[0]`` rows, and the search for them by side, pair, slice and place.

    ``twin``: first point of the same pair whose slice is alike. ``guess`` (..., 2): places that were closest before.
    ``ahead`` (2,): rotations that the gaps are ahead by [rad].
    ``heir`` (...): which point starts from the load kept for a place, ``distance`` (...) [m] how far it is from there.
    ``left_out`` (1,): points for which there was no room; where there are any nothing is computed.
    """

    count: Index
    left_out: Index
    table: Array
    side_of: Index
    pair_of: Index
    slice_of: Index
    place_of: Index
    twin: Index
    row_at: Index
    ahead: Array
    angles: Array
    estimate: Array
    sample: Index
    foot: Array
    guess: Array
    heir: Index
    distance: Array
    row_of: Index


@kernel_struct
class Rows(NamedTuple):
    """Rows of displacement of the points, shape (2 gears, n, 4 rows x axes): normal b, tangential t, e = b + mu t.

    For each gear ``slot`` (2, n), ``strip`` (2, n): slice counted through the faces of the slot, and ``first`` (2, n):
    their first degree of freedom in the block of that slice.
    """

    slot: Index
    strip: Index
    first: Index
    b: Array
    t: Array
    e: Array
    b_x: Array
    t_x: Array
    mu: Array
    mu_v: Array


@kernel_struct
class Tiles(NamedTuple):
    """Parts of the compliance of both gears that were used of late, each in one piece, where the processor has them.

    A part is what lies between the rows of nodes of two points; points stay in their rows for many evaluations.
    ``place`` (2, N_TILES): where the part begins in the blocks of the gear, plus one; 0 for none. ``part`` (2, N_TILES
    (4 x axes)^2).
    """

    place: NDArray[np.uint64]
    part: Array


@kernel_struct
class Coupling(NamedTuple):
    """Compliance between the points.

    ``pushed`` (2, n, n, 4 x axes): displacement of the nodes of the first point under a unit force at the second,
    ``normal_pushed`` under a unit normal force; ``displaced`` (2, n, 4 x axes) under all loads; ``G`` (n, n) [m/N]:
    row gap, column force. ``coupled`` (n,): whether it is known between the point and all others that are so.
    ``turned`` (4, 4 x axes) is work space.
    """

    pushed: Array
    normal_pushed: Array
    displaced: Array
    G: Array
    coupled: Index
    turned: Array
    tiles: Tiles


@kernel_struct
class Loads(NamedTuple):
    """Loads of the points and the work space of their search.

    ``rate`` (n, 2): derivatives of the line loads by both rotations; ``misfit`` (1,) [m]: largest gap left.
    """

    force: Array
    line_load: Array
    rate: Array
    strips: Array
    trial_strips: Array
    approach: Array
    active: Index
    opens: Index
    closes: Index
    index: Index
    change: Array
    mu_x: Array
    matrix: Array
    misfit: Array


@kernel_struct
class Points(NamedTuple):
    """All that belongs to the candidate points of one state."""

    found: Found
    rows: Rows
    coupling: Coupling
    loads: Loads


@kernel_struct
class Record(NamedTuple):
    """Loaded points of several samples one after the other, the first ``count[0]`` rows; names as in the others.

    ``touching`` (n,): part of the slice that touches.
    """

    count: Index
    sample: Index
    side_of: Index
    pair_of: Index
    slice_of: Index
    slot: Index
    first: Index
    table: Array
    e: Array
    force: Array
    half_width: Array
    touching: Array
    mu: Array


@kernel_struct
class Answer(NamedTuple):
    """Torques [N m] by pair, their derivatives by phi, ahead and omega, and energy [J] with its torques.

    ``friction_torque`` (2,): what friction has of ``torque``. ``energy`` (3,): elastic energy, and minus its
    derivatives by phi.
    """

    pair_torque: Array
    torque: Array
    friction_torque: Array
    torque_phi: Array
    torque_ahead: Array
    torque_omega: Array
    energy: Array
