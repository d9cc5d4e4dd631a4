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

from alegear.kernels.structs import kernel_struct

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
EASE_N = 31  # 31, 32: transverse normal of P at the closer end, in the (mirrored) axes of space
EASE_TURN = 33  # angle by which the sections have rolled on there against those of the middle, as `rolled` [rad]
APART = 34  # distance of A's point from P in the transverse section [m]
N_COLUMNS = 35

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
# the teeth, of the pinion and of the wheel, and the position of the wheel's axis [m].
TWIST, FRAME, AXIS = 0, 2, 6

# Coordinates of a mesh: rotations of pinion and wheel, five displacements of each (x, y, z [m], tilts about x and y
# [rad]) where the gears can be displaced, normal modes of each.
N_TURNS, N_SHIFTS = 2, 5
N_GEOMETRIC = N_TURNS + 2 * N_SHIFTS
# What a rotation or displacement changes of a loaded point: its gap [m], positions on both profiles [m], turn of the
# normal in both sections [rad], ease [m], coefficient of friction, arm and lever of both rotations (G_X, L_X) [m];
# angles of both sections [rad], and the wheel's axis against the pinion's in x and y [m].
MOVE_GAP, MOVE_S, MOVE_TURN, MOVE_EASE, MOVE_MU, MOVE_ARM, MOVE_LEVER = 0, 1, 3, 5, 6, 7, 9
MOVE_SECTION, MOVE_AXIS, N_MOVES = 11, 13, 15
N_LOCAL = 5  # changes of the gears that a slice knows (`move_kernels.py`)
N_BASES = 6  # what moves a force that acts on displaced gears (`shift_bases`)


@kernel_struct
class ProfileTables(NamedTuple):
    """Profiles of one gear in all slices, from :func:`alegear.contact.hertz.profile.profile_tables`.

    ``row_of`` (z, n_slices): which of the profiles a tooth has in a slice. ``curve`` (n_profiles, n_knots, 6).
    ``knots`` (n_profiles, 7): as there, then the radius of the tip round and the inverse of both spacings. ``polar``
    (n_profiles, n, 5): radius, s, cosine and sine of the polar angle, cosine between normal and circumferential
    direction. ``samples`` and ``corner`` (n_profiles, n, 3): places, and the points there [m].
    """

    row_of: Index
    knots: Array
    curve: Array
    polar: Array
    samples: Array
    corner: Array


@kernel_struct
class Layer(NamedTuple):
    """Approach of a strip on the layer under a flank: grid in s and ln(b/narrowest), values, (1 - nu^2)/E [1/Pa]."""

    s: Array
    narrowest: float
    log_b: Array
    table: Array
    softness: float


@kernel_struct
class Body(NamedTuple):
    """One gear: its elasticity and the places of its teeth.

    ``place`` (4,): angle of the tooth in slot 0 when its pair touches at the pitch point, turn of all sections by an
    axial offset, pitch [rad], and the spin. ``blocks`` and ``block_of``: compliance of two
    teeth by slices, as in :class:`alegear.contact.hertz.compliance.SliceCompliance`; ``smooth`` and its like: that of
    teeth apart in ``n_smooth`` splines of all faces, 0 if there are none. ``coefficients``, ``rows_s``:
    interpolation along the profile. ``shapes`` (n_strips, rows x axes, K): displacement of the slices of tooth 0 by
    unit amplitudes, the real parts of m normal modes, their imaginary parts, then loads of rotation, and zeros up to a
    multiple of four; ``phases`` (z, K): by which amplitudes are multiplied on each tooth, counted from pair 0 in order
    of engagement. K = 0 where the gear has no shapes. ``largest`` (m + k,): of a component of each mode and load on any
    tooth.
    """

    place: Array
    rows_s: Array
    coefficients: Array
    blocks: Array
    block_of: Index
    smooth: Array
    smooth_first: Index
    smooth_weight: Array
    n_smooth: int
    layer: Layer
    shapes: Array
    phases: Array
    largest: Array


@kernel_struct
class Side(NamedTuple):
    """One side of the teeth: :func:`alegear.contact.hertz.flank_side.side_of_teeth`.

    ``pinion_added``, ``wheel_added`` (z,) [m]: material that pitch deviations add to these flanks of each tooth, normal
    to them. ``identical_slice`` (n_slices,): first slice with the same profiles and position. ``rocking_by_leaning``
    (2,) [m]: material that shafts leaning against each other in x and y add for each radian that the sections roll on.
    ``roll`` (4,): angles of both sections where flanks touch at the pitch point [rad], and what a turn of each counts
    of the mean of both, by the pinion; beyond ``switch_roll`` [rad] of it the pinion is A. All for gears in their
    positions without load; `SidePosition` says where they are.
    """

    side: float
    pinion: ProfileTables
    wheel: ProfileTables
    wheel_lead: int
    switch_roll: float
    sections: Array
    axial: Array
    face: Index
    pinion_added: Array
    wheel_added: Array
    identical_slice: Index
    rocking_by_leaning: Array
    roll: Array


@kernel_struct
class FrictionNumbers(NamedTuple):
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
    from behind, ``margin`` [m] what the sampled gap may be off. ``z`` (2, n_slices) [m]: middles of the slices from the
    mid-faces of both gears; ``r_w`` (2,) [m], ``twist`` (2,) [rad/m] of both gears, ``center_distance`` [m].
    ``n_modes`` (2,): normal modes of both gears, ``n_loads`` their loads of rotation.
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
    modulus: float
    least_curvature: float
    friction: FrictionNumbers
    z: Array
    r_w: Array
    twist: Array
    center_distance: float
    n_modes: Index
    n_loads: int


@kernel_struct
class MeshKinematics(NamedTuple):
    """Kinematic input of a mesh: positions and speeds of its gears.

    ``phi``, ``omega`` (2,) [rad], [rad/s]: rotations in the running direction, counted from the pitch-point contact of
    the pair in slot 0, and rates; ``first_pair`` (1,) that pair. ``shift`` (10,) [m], [rad]: displacements of pinion
    and wheel, ``modal`` (m_1 + m_2,) [m kg^1/2], ``loads`` (2, n_loads) of rotation. ``gap_offset`` (2,),
    ``shift_gap_offset`` (10,), ``modal_gap_offset``: small changes that offset the gaps, but not the positions of
    contact. ``no_loads`` are zeros.
    """

    phi: Array
    omega: Array
    first_pair: Index
    shift: Array
    modal: Array
    loads: Array
    gap_offset: Array
    shift_gap_offset: Array
    modal_gap_offset: Array
    no_loads: Array


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
class SidePosition(NamedTuple):
    """One side of the teeth as displaced gears have it: ``sections``, ``identical_slice`` as those of `Side`.

    ``rocking`` (1,) [m]: material that leaning shafts add for each radian that the sections roll on.
    """

    sections: Array
    identical_slice: Index
    rocking: Array


@kernel_struct
class ContactCandidates(NamedTuple):
    """Points of closest approach, the first ``count[0]`` rows, and their search by side, pair, slice and place.

    ``loaded``, ``back``: where both sides of the teeth are. ``identical_point``: first point of the same pair whose
    slice is alike. ``tooth`` (sides, pairs, 2): numbers of the teeth of both gears. ``guess`` (..., 2): positions that
    were closest before. ``gap_offset`` (n,) [m]: offset of each gap. ``warm_start_of`` (...): which point
    starts from the load kept for a place, ``distance`` (...) [m] how far it is from there. ``left_out`` (1,): points
    for which there was no room; where there are any nothing is computed. ``searched`` (14,): whether gaps were sampled,
    then first pair, rotations and displacements there.
    """

    loaded: SidePosition
    back: SidePosition
    count: Index
    left_out: Index
    table: Array
    side_of: Index
    pair_of: Index
    slice_of: Index
    place_of: Index
    identical_point: Index
    row_at: Index
    gap_offset: Array
    angles: Array
    tooth: Index
    estimate: Array
    sample: Index
    foot: Array
    guess: Array
    warm_start_of: Index
    distance: Array
    row_of: Index
    searched: Array


@kernel_struct
class DisplacementRows(NamedTuple):
    """Rows of displacement of the points, shape (2 gears, n, 4 rows x axes): normal b, tangential t, e = b + mu t.

    ``b_s``, ``t_s`` are derivatives by the position on the profile of the gear [1/m], ``b_turn``, ``t_turn`` by a turn
    of the normal in its section. For each gear ``slot`` (2, n), ``strip`` (2, n): slice counted through the faces of
    the slot, and ``first`` (2, n): their first degree of freedom in the block of that slice.
    """

    slot: Index
    strip: Index
    first: Index
    b: Array
    t: Array
    e: Array
    b_s: Array
    b_turn: Array
    t_s: Array
    t_turn: Array
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
class PointCompliance(NamedTuple):
    """Compliance between the points.

    ``pushed`` (2, 4 x axes x n^2), see `between`: displacement of the nodes of the first point under a unit force at
    the second, ``normal_pushed`` under a unit normal force. ``pushed_of`` (1,) points there were then, 0 for what must
    not be used any more; ``pushed_at`` (2, n, 3) slot, slice and first degree of freedom of each, ``pushed_by``
    (2, n, 4 x axes) its force row, ``moved`` by how much it has changed since. ``displaced`` (2, n, 4 x axes) under all
    loads; ``G`` (n, n) [m/N]: row gap, column force. ``coupled`` (n,): whether it is known between the point and all
    others that are so.
    ``turned`` (2, 4 x axes) is work space.
    """

    pushed: Array
    normal_pushed: Array
    pushed_of: Index
    pushed_at: Index
    pushed_by: Array
    moved: Array
    displaced: Array
    G: Array
    coupled: Index
    turned: Array
    tiles: Tiles


@kernel_struct
class Loads(NamedTuple):
    """Loads of the points and the work space of their search.

    ``rate`` (n, 2): derivatives of the line loads by both rotations; ``misfit`` (1,) [m]: largest gap left. ``change``
    (n, n_columns): right-hand sides: changes by all coordinates, by rotations and displacements that the gaps are
    ahead, and with friction by both speeds.
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
    matrix: Array
    misfit: Array


@kernel_struct
class Generalized(NamedTuple):
    """Displacements that are given besides those of the contact forces, and rows of all coordinates of loaded points.

    ``given``, ``prescribed_gap_offset`` (2, n, 4 rows x axes) [m]: displacement of the nodes of each point by modes and
    loads of rotation, and by what modes are ahead; (2, 0, 0) where no gear has shapes. ``reach`` (3 + m + 2 k,): by how
    much these may close gaps, and where that was found. ``amplitudes`` (K,), ``turned`` (2, n_pairs, K) are work space.

    By the number of a point among the loaded ones: ``moves`` (n, n_geometric, N_MOVES), changes by rotations and
    displacements; ``opening``, ``rubbing``, ``pushing`` (n, n_coordinates): how a unit of each coordinate opens the gap
    and slides it, and the force on it by a unit load, opening + mu rubbing. ``local`` (n_geometric, N_LOCAL), ``by``
    (N_LOCAL, N_MOVES), ``rows`` (2, n_coordinates, but ten at least), ``bases`` (N_BASES, 10) are work space.
    """

    given: Array
    prescribed_gap_offset: Array
    amplitudes: Array
    turned: Array
    reach: Array
    moves: Array
    opening: Array
    rubbing: Array
    pushing: Array
    local: Array
    by: Array
    rows: Array
    bases: Array


@kernel_struct
class Points(NamedTuple):
    """All that belongs to the candidate points of one state."""

    found: ContactCandidates
    rows: DisplacementRows
    coupling: PointCompliance
    loads: Loads
    generalized: Generalized


@kernel_struct
class Record(NamedTuple):
    """Loaded points of several samples one after the other, the first ``count[0]`` rows; names as in the others.

    ``touching`` (n,): part of the slice that touches; ``strip_place`` (n,): middle of the strip from the contact point,
    along the tangent of the pinion's flank [m]. ``normal``, ``tangent``, ``place`` (n, 3), ``axis``
    (n, 2): `force_in_space`.
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
    strip_place: Array
    touching: Array
    mu: Array
    normal: Array
    tangent: Array
    place: Array
    axis: Array


@kernel_struct
class MeshResponse(NamedTuple):
    """Generalised forces of a mesh, of the rotations [N m] first, and their derivatives; energy [J].

    ``pair_torque`` (n_pairs, 2) [N m]; ``force`` (n,), ``friction`` (n,): what friction has of it; ``by_coordinate``
    (n, n), ``by_gap_offset`` (n, n), ``by_speed`` (n, 2). ``energy`` (3,): elastic energy, and minus its derivatives by
    the rotations.
    """

    pair_torque: Array
    force: Array
    friction: Array
    by_coordinate: Array
    by_gap_offset: Array
    by_speed: Array
    energy: Array
