"""Two toothed gears as line contact needs them: roll lengths with sign, and flanks slice by slice."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from alegear.arrays import Indices
from alegear.drivetrain.teeth import overlap_kernels as kernels
from alegear.drivetrain.teeth.tooth_damage import ToothDamage
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.involute import inv
from alegear.geometry.microgeometry import Flank
from alegear.geometry.unique_rows import unique_rows
from alegear.system.coordinates import Array

#: Overlap [base pitches] beyond which teeth would have passed through each other, or a solver is far off.
LARGEST_OVERLAP = 0.03
#: An edge is looked for further beyond its tip circle than it can touch at the nominal distance, by this factor.
SAFETY = 1.5
#: Radii of curvature count as this part of a base pitch at least: near a base circle Hertz's pressure has no bound.
SMALLEST_RADIUS = 0.02
#: Places of a table of removal along a flank: what changes at a point does so over one of them.
PLACES = 400
#: Further places beyond the tip, where relief goes on to be touched beside it; finer ones at which that is looked for.
BEYOND, FINER = 60, 4
#: Sharp tips are rounds of this radius in modules, as in the flexible contact.
SHARPEST_TIP = 0.0005


@dataclass(frozen=True, eq=False)
class ToothGeometry:
    """Involute teeth of a pair in the transverse section: gear A is its first one, B the other.

    All of a ring gear is negative (ISO 21771).

    Parameters
    ----------
    pair : GearPair
    """

    pair: GearPair

    @property
    def r_b(self) -> tuple[float, float]:
        """Base radii [m]."""
        return self.pair.pinion.r_b, self.pair.wheel.r_b

    @property
    def pitch(self) -> float:
        """Base pitch [m], of the base radius that roll lengths have: whole turns are whole pitches, to round-off."""
        return 2.0 * math.pi * self.r_b[0] / self.pair.pinion.z

    @property
    def tips(self) -> tuple[float, float]:
        """Roll lengths where the flanks end [m]: at the tip circles; at the root form circle of an undercut mate."""
        low, high = self.pair.path_of_contact_usable
        return high, self.pair.line_of_action - low

    @cached_property
    def reach(self) -> float:
        """How far beyond a tip circle, as roll length, an edge can touch under the largest overlap [m].

        There the gap of an edge is larger than the overlap of the involutes; a pair further out cannot touch.
        """
        pair, reach = self.pair, 0.0
        largest, alpha = LARGEST_OVERLAP * self.pitch, pair.alpha_wt
        for l_flank, l_edge, tip in zip(self.r_b[::-1], self.r_b, self.tips, strict=True):
            ways = np.linspace(0.0, 2.0 * self.pitch, 2001)[1:]
            for way in ways:
                # on the line of action the edge's own roll length is tip + way, the flank's makes the largest overlap
                on_flank = pair.line_of_action + largest - tip - way
                found = kernels.edge_overlap(
                    l_flank,
                    l_edge,
                    tip,
                    on_flank / l_flank - alpha,
                    (tip + way) / l_edge - alpha,
                    pair.a_w,
                )
                if not found > 0.0:
                    break
            reach = max(reach, float(way))
        return SAFETY * reach

    def bend(self, gear: int, roll_length: Array) -> Array:
        """Second derivative of the gap between involutes at the nominal distance, (n,) [1/m].

        ``xi g/((g - xi) r_b^2)``: of a flank's point whose roll length is less than xi on the line of action by u it is
        half of it times u^2.

        Parameters
        ----------
        gear : int
            0: A, 1: B.
        roll_length : shape (n,) [m]
            On the line of action.
        """
        r_b, g = self.r_b[gear], self.pair.line_of_action
        own, mate = math.copysign(1.0, r_b), math.copysign(1.0, self.r_b[1 - gear])
        least = SMALLEST_RADIUS * self.pitch
        xi = own * np.maximum(own * roll_length, least)
        other = mate * np.maximum(mate * (g - roll_length), least)
        return np.asarray(xi * g / (other * r_b**2))

    def base_lengths(self, side: float, loaded: float, angles: tuple[float, float]) -> tuple[float, float]:
        """Roll lengths of pair 0 less pressure angle times base radius, where nothing has turned [m].

        Parameters
        ----------
        side, loaded : float
            +1 for the flanks with which A drives counterclockwise, -1 for the others; which of them touch at the pitch
            point where both angles are 0.
        angles : (float, float) [rad]
            Of both gears, counterclockwise, from there.
        """
        pair = self.pair
        at = [r * (inv(pair.alpha_wt) + side * angle) for r, angle in zip(self.r_b, angles, strict=True)]
        if side != loaded:
            across = pair.pinion.s_at(0.5 * pair.d_w[0]) * math.cos(pair.alpha_wt)
            at = [at[0] + across, at[1] - across - pair.backlash_on_line_of_action]
        return at[0], at[1]

    def numbers(self, theta: float, shares: float, retardation: float, n_slices: int) -> Array:
        """What the compiled functions take (kernels.N_MESH,).

        Parameters
        ----------
        theta : float [1/Pa]
            Compliance of both materials.
        shares : float
            Share of A in it less that of B.
        retardation : float [s]
        n_slices : int
        """
        pair, numbers = self.pair, np.empty(kernels.N_MESH)
        numbers[[kernels.L_A, kernels.L_B]], numbers[kernels.PITCH] = self.r_b, self.pitch
        numbers[[kernels.TIP_A, kernels.TIP_B]], numbers[kernels.REACH] = self.tips, self.reach
        numbers[kernels.LARGEST] = LARGEST_OVERLAP * self.pitch
        numbers[kernels.FLOOR] = SMALLEST_RADIUS * self.pitch
        numbers[kernels.WIDTH], numbers[kernels.COS] = pair.b_w / n_slices, math.cos(pair.beta_b)
        numbers[kernels.THETA], numbers[kernels.SHARES] = theta, shares
        numbers[kernels.RETARDATION] = retardation
        numbers[[kernels.ROUND_A, kernels.ROUND_B]] = [
            max(gear.tip_rounding_radius, SHARPEST_TIP * gear.m_n) for gear in pair.gears
        ]
        return numbers

    def slices(self, n: int) -> Array:
        """Middles of n slices of the common face, from mid-face of A, shape (n,) [m]."""
        low, high = self.pair.common_face
        middles: Array = low + (np.arange(n) + 0.5) * (high - low) / n
        return middles


@dataclass(frozen=True, kw_only=True, eq=False)
class ToothFlanks:
    """What the flanks of one gear are against involutes, tooth by tooth.

    Parameters
    ----------
    place : shape (kernels.N_TABLE,) [m]
        First roll length of the tables and distance of their places.
    tables : shape (n_tables, n_slices, PLACES + BEYOND, 4) [m]
        Material removed where the mate touches, in the transverse section: coefficients of a piece, of rising powers.
    which : shape (2, z)
        Table of each tooth, by side; -1: the tooth is missing.
    deviation : shape (2, z) [m]
        Material added to each tooth, by side, normal to the flank.
    """

    place: Array
    tables: Array
    which: Indices
    deviation: Array

    @classmethod
    def of_gear(
        cls,
        gear: CylindricalGear,
        z: Array,
        *,
        bend: Callable[[Array], Array] | None = None,
        name: str = "",
        damages: Sequence[ToothDamage] = (),
    ) -> ToothFlanks:
        """Take over the microgeometry of a gear, and what single teeth have lost.

        Parameters
        ----------
        gear : Gear or InternalGear
        z : shape (n_slices,) [m]
            Middles of the slices, from its mid-face.
        bend : function, optional
            :meth:`ToothGeometry.bend` of this gear; None: flanks are touched where the line of action cuts them.
        name : str
            By which damages mean it.
        damages : sequence of ToothDamage
            Those of other gears count not.

        Raises
        ------
        Fault
            For a tooth that the gear does not have, and one that is damaged twice.
        """
        profile, own = gear.tooth_profile, [one for one in damages if one.gear == name]
        for number, one in enumerate(own):
            if one.tooth >= abs(gear.z):
                limit = f"at most {abs(gear.z) - 1}: {name} has {abs(gear.z)} teeth"
                raise Fault(f"number of a damaged tooth of {name}", one.tooth, limit, "correct tooth")
            if any(one.tooth == other.tooth and set(one.sides) & set(other.sides) for other in own[:number]):
                limit = "damaged once: depths do not add up"
                raise Fault(f"tooth {one.tooth} of {name}", "damaged twice", limit, "put both into one profile_um")
        low, high = profile.roll_length_form, profile.roll_length_tip
        step = (high - low) / PLACES
        places: Array = low + step * np.arange(PLACES + BEYOND + 1, dtype=np.float64)
        fine = np.linspace(low, high, FINER * PLACES + 1)
        tables, which = _different_tables(gear, z, fine)
        for one in own:
            for side in one.sides:
                row = 0 if side > 0.0 else 1
                if one.missing:
                    which[row, one.tooth] = -1
                    continue
                tables.append(tables[which[row, one.tooth]] + one.lost(gear, fine))
                which[row, one.tooth] = len(tables) - 1
        removed = np.stack(tables) / math.cos(gear.beta_b)
        return cls(
            place=np.array([low, step]),
            tables=monotone_pieces(_touched(removed, fine, places, bend)),
            which=which,
            deviation=np.array([gear.displacement("a"), gear.displacement("b")]),
        )


def _different_tables(gear: CylindricalGear, z: Array, fine: Array) -> tuple[list[Array], Indices]:
    """What is removed in all sections, each table once, and which of the tables the teeth have, shape (2, teeth)."""
    tables: list[Array] = []
    which = np.zeros((2, abs(gear.z)), dtype=np.int64)
    flanks: tuple[Flank, Flank] = ("a", "b")
    for row, flank in enumerate(flanks):
        first = gear.first_alike(flank)
        for tooth in np.unique(first):
            made = np.stack([gear.flank_removal(fine, float(one), flank, int(tooth)) for one in z])
            number = next((n for n, table in enumerate(tables) if np.array_equal(table, made)), len(tables))
            if number == len(tables):
                tables.append(made)
            which[row, first == tooth] = number
    return tables, which


#: What `_touched` has found of rows, by their bytes: planets are alike, and a machine is built several times for a run.
_TOUCHED: dict[tuple[bytes, bytes], Array] = {}
MOST_TOUCHED = 256


def _touched(removed: Array, at: Array, places: Array, bend: Callable[[Array], Array] | None) -> Array:
    """What is removed where the mate touches, at places (m,) on the line of action, shape (..., m) [m].

    The mate touches beside the line of action where less is removed: the least of removal and gap between involutes,
    ``r(xi - u) + bend u^2/2``. Beyond the end of the flank less the gap of the end itself.

    Parameters
    ----------
    removed : shape (..., n) [m]
        At roll lengths `at` (n,) of the flank.
    """
    if bend is None or not removed.any():
        return np.stack([np.interp(places, at, row) for row in removed.reshape(-1, len(at))]).reshape(
            *removed.shape[:-1], len(places)
        )
    half = 0.5 * bend(places)
    rows = removed.reshape(-1, len(at))
    first, which = unique_rows(rows)
    common = b"".join(values.tobytes() for values in (at, places, half))
    keys = [(common, rows[i].tobytes()) for i in first]
    known = dict(_TOUCHED)  # another thread may clear it
    missing = {key: rows[i] for key, i in zip(keys, first, strict=True) if key not in known}
    if missing:
        gap = half[:, None] * (places[:, None] - at) ** 2
        beyond = half * np.maximum(places - at[-1], 0.0) ** 2
        new = {key: _least(gap + row) - beyond for key, row in missing.items()}
        if len(known) > MOST_TOUCHED:
            _TOUCHED.clear()
        _TOUCHED.update(new)
        known |= new
    touched = np.stack([known[key] for key in keys])
    return np.asarray(touched[which].reshape(*removed.shape[:-1], len(places)))


def _least(values: Array) -> Array:
    """Least of each row (m, n), between its places on a parabola through three of them, shape (m,)."""
    m, n = values.shape
    at, row = np.clip(np.argmin(values, axis=1), 1, n - 2), np.arange(m)
    low, middle, high = values[row, at - 1], values[row, at], values[row, at + 1]
    curved = low - 2.0 * middle + high
    inside = (np.minimum(low, high) > middle) & (curved > 0.0)
    lower = (high - low) ** 2 / (8.0 * np.where(inside, curved, 1.0))
    return np.where(inside, middle - lower, values.min(axis=1))


def monotone_pieces(values: Array) -> Array:
    """Coefficients of monotone cubic pieces through values (..., n + 1) at equal distances, shape (..., n, 4)."""
    from scipy.interpolate import PchipInterpolator

    n = values.shape[-1] - 1
    with np.errstate(over="ignore"):  # of slopes below 1e-308 whose inverse is none: the cubic is level there
        spline = PchipInterpolator(np.arange(n + 1.0), values, axis=-1)
    # (4, n, ...) of falling powers
    found: Array = np.ascontiguousarray(np.moveaxis(spline.c[::-1], (0, 1), (-1, -2)))
    return found
