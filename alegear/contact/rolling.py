"""Where relieved flanks touch, and how fast they roll there.

Unmodified flanks touch on the line of action, xi_1 from its end T1 on the pinion's base circle, and xi_1 is the roll
length of the flank too. A removal r, ``q = r/cos beta_b`` in the transverse section, turns the normal of a flank by

    delta_i = r_bi q_i'(xi_i)/xi_i                                                                        (1)

so that the common normal is not the line of action, and the contact lies beside it. An involute whose normal is turned
out of the line of action by eps_i crosses it at ``xi_i - r_bi eps_i``, and its point with that normal lies
``u = eps_1 m_1 = -eps_2 m_2`` beside it, m_i the mean of both. Flanks that touch have one normal, ``eps_1 + delta_1 =
eps_2 + delta_2``, hence

    eps_1 = (delta_2 - delta_1) m_2/(m_1 + m_2)                                                           (2)
    x = xi_1 - r_b1 eps_1,    xi_2 = a_w sin alpha_wt - x + r_b2 eps_2,    eps_2 = -eps_1 m_1/m_2
    rho_i = xi_i cos delta_i + r_bi sin delta_i                                                           (3)

x is the place along the line of action, rho_i the distance of the contact from the foot of the axis of gear i on the
common normal. So the material of gear i moves along the common tangent at ``v_i = omega_i rho_i``, and at nominal
speeds, but for terms of eps^2, ``v_1 - v_2 = omega_1 x - omega_2 (a_w sin alpha_wt - x)``: (omega_1 + omega_2) times
the distance of the contact from the pitch point along the line of action. Roll lengths, base radii and `a_w` of a ring
are negative, and (1) to (3) hold for it. Deflection and displaced axes count as on unmodified flanks: in xi_1.

Straight reliefs are involutes of another base circle, and v_i is how fast the contact runs over the flank. Where the
slope changes the contact itself moves along the tangent besides, which v_i leaves out: over a kink it stands still on
one flank while the mate slides over it, and a velocity of nought would be nothing to divide by.

At a kink the roll length on the pinion does not tell the slopes: while the contact is at that of the wheel's tip relief
it runs back on the pinion, so that a place there is touched three times. There the rotation tells x: slopes are taken
from :data:`REACH` on either side, and of what they allow for eps_1 that which is nearest to the phase. Where slopes do
not change, and on flanks without relief, the phase is of no influence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from alegear.arrays import Array, Indices
from alegear.contact.numbering import PINION, WHEEL, Flank, driver_on
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.unique_rows import unique_rows

KNOTS = 801  # over the profile; about 1e-5 m apart at module 2 mm: slopes are means over two such steps
REACH = 0.02  # modules: how far the phase may be off, by transmission error and displaced axes
NEAREST = 0.05  # modules: roll lengths nearer to the base circle count as this in (1) and (2)
PASSES = 3  # the roll length on the wheel from its slope there, and that from the roll length


class RollingGeometry(NamedTuple):
    """Where flanks touch, arrays of the shape of the contacts [m].

    ``rho_1``, ``rho_2`` are the distances of the contact from the feet of both axes on its normal, not positive where a
    flank is at its base circle or beyond; ``wheel_roll_length`` is that of the wheel's flank, by magnitude.
    """

    rho_1: Array
    rho_2: Array
    wheel_roll_length: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class FlankSlopes:
    """Range of dq/dxi within :data:`REACH` of places on the flanks of one gear, in the sections of slices.

    Attributes
    ----------
    low, high : shape (n_profiles, n_roll) [1]
        At equally spaced roll lengths from root form circle to tip.
    row_of : shape (|z|, n_slices)
        Which of the profiles each tooth has in each slice.
    start, spacing : float [m]
        First roll length, and the step.
    """

    low: Array
    high: Array
    row_of: Indices
    start: float
    spacing: float

    @classmethod
    def of(cls, gear: CylindricalGear, z: Array, flank: Flank) -> FlankSlopes:
        """Tabulate the slopes of a gear in sections z (n_slices,) [m] from its mid-face."""
        profile = gear.tooth_profile
        roll = np.linspace(profile.roll_length_form, profile.roll_length_tip, KNOTS)
        spacing = float(roll[1] - roll[0])
        kinds, kind_of = np.unique(gear.first_alike(flank), return_inverse=True)
        section, tooth = np.tile(z, len(kinds)), np.repeat(kinds, len(z))
        removal = gear.flank_removal(roll, section[:, None], flank, tooth[:, None]) / math.cos(gear.beta_b)
        slope = np.gradient(removal, spacing, axis=1)
        first, row = unique_rows(slope)
        slope = slope[first]
        reach = math.ceil(REACH * gear.m_n / spacing)
        # filters of scipy.ndimage give the same, and take longer to import than all of this
        about = sliding_window_view(np.pad(slope, ((0, 0), (reach, reach)), mode="edge"), 2 * reach + 1, axis=1)
        return cls(
            low=about.min(axis=-1),
            high=about.max(axis=-1),
            row_of=row.reshape(len(kinds), len(z))[kind_of.reshape(-1)],
            start=float(roll[0]),
            spacing=spacing,
        )

    @property
    def none(self) -> bool:
        """Whether no flank has a slope."""
        return not (self.low.any() or self.high.any())

    def ends(self, row: Indices) -> tuple[Array, Array]:
        """Least and largest slope anywhere on profiles `row` (n,)."""
        return self.low.min(axis=1)[row], self.high.max(axis=1)[row]

    def at(self, roll_length: Array, row: Indices) -> tuple[Array, Array]:
        """Least and largest slope about places (n,) [m] on profiles `row` (n,)."""
        knot = np.rint((roll_length - self.start) / self.spacing).clip(0, self.low.shape[1] - 1).astype(np.int64)
        return self.low[row, knot], self.high[row, knot]


@dataclass(frozen=True, kw_only=True, eq=False)
class FlankRolling:
    """Places of the contacts of a pair, from what is recorded of them.

    Parameters
    ----------
    pair : GearPair
    flank : {"a", "b"}
        The loaded flanks. Of back flanks too the slopes of these are taken: where each side was measured by itself, or
        a relief has a kink, their rolling is less exact.
    """

    pair: GearPair
    flank: Flank = "a"

    def of(self, roll_length: ArrayLike, phase: ArrayLike | None = None, tooth_pair: ArrayLike = 0) -> RollingGeometry:
        """Return where contacts lie; NaN where there is none.

        Parameters
        ----------
        roll_length : shape (n, n_pairs, n_slices) [m]
            Recorded: that of the material of the pinion's flank.
        phase : shape (n,), optional [pitches]
            From the contact of pair 0 at the pitch point of mid-face. None: at kinks any of the places that may be.
        tooth_pair : shape (n, n_pairs) of int
            Number of the tooth pair.

        Returns
        -------
        RollingGeometry
        """
        xi_1 = np.asarray(roll_length, dtype=float)
        mate = self.pair.wheel.sign * (self.pair.line_of_action - xi_1)
        found = RollingGeometry(xi_1, mate, mate)
        touching = np.isfinite(xi_1)
        if self._unmodified or not touching.any():
            return found
        z, slopes = self._sections(xi_1.shape[-1])
        number = np.broadcast_to(np.asarray(tooth_pair, dtype=np.int64)[..., None], xi_1.shape)[touching]
        face = np.broadcast_to(np.arange(len(z)), xi_1.shape)[touching]
        rows = [one.row_of[number % len(one.row_of), face] for one in slopes]
        nominal = None
        if phase is not None:
            own = np.broadcast_to(np.asarray(phase, dtype=float)[:, None, None], xi_1.shape)[touching] - number
            nominal, _ = self.pair.contact_roll_lengths(own, driver_on(self.flank), z[face])
        values = self._solved(xi_1[touching], nominal, slopes, rows)
        out = RollingGeometry(*(array.copy() for array in found))
        for array, value in zip(out, values, strict=True):
            array[touching] = value
        return out

    def _solved(
        self, xi_1: Array, nominal: Array | None, slopes: tuple[FlankSlopes, FlankSlopes], rows: list[Indices]
    ) -> RollingGeometry:
        """Equations (1) to (3) of contacts (n,) at the places `nominal` on the line of action by the phase."""
        line, (r_1, r_2) = self.pair.line_of_action, (gear.r_b for gear in self.pair.gears)
        own = self._turns(PINION, xi_1, slopes[PINION].at(xi_1, rows[PINION]))
        xi_2, eps_1, eps_2 = line - xi_1, np.zeros_like(xi_1), np.zeros_like(xi_1)
        share = self._off_base(WHEEL, xi_2) / line
        for step in range(PASSES + 1):
            if step or nominal is None:
                turns = self._turns(WHEEL, xi_2, slopes[WHEEL].at(xi_2, rows[WHEEL]))
            else:  # anywhere on the wheel: by the phase of other flanks, back flanks, it is not looked for far away
                turns = self._turns(WHEEL, xi_2, slopes[WHEEL].ends(rows[WHEEL]))
            low, high = share * (turns[0] - own[1]), share * (turns[1] - own[0])
            eps_1 = np.clip(eps_1 if nominal is None else (xi_1 - nominal) / r_1, low, high)
            x = xi_1 - r_1 * eps_1
            rest = self._off_base(WHEEL, line - x)
            m_1 = 0.5 * (xi_1 + x)
            m_2 = self._off_base(WHEEL, rest - 0.5 * r_2 * eps_1 * m_1 / rest)
            share = m_2 / (m_1 + m_2)
            eps_2 = -eps_1 * m_1 / m_2
            xi_2 = line - x + r_2 * eps_2
        # of the turns that both may have those which make one normal
        apart = eps_1 / share
        delta_1 = np.maximum(np.minimum(0.5 * (own[0] + own[1]), turns[1] - apart), turns[0] - apart)
        delta_1 = np.clip(delta_1, *own)
        delta_2 = eps_1 + delta_1 - eps_2
        rho_1 = xi_1 * np.cos(delta_1) + r_1 * np.sin(delta_1)
        rho_2 = xi_2 * np.cos(delta_2) + r_2 * np.sin(delta_2)
        sign = self.pair.wheel.sign
        return RollingGeometry(rho_1, sign * rho_2, sign * xi_2)

    def _turns(self, gear: int, roll_length: Array, slope: tuple[Array, Array]) -> tuple[Array, Array]:
        """Equation (1) of the least and the largest slope, in rising order [rad]; none at the base circle."""
        factor = self.pair.gears[gear].r_b / self._off_base(gear, roll_length)
        ends = factor * slope[0], factor * slope[1]
        return np.minimum(*ends), np.maximum(*ends)

    def _off_base(self, gear: int, roll_length: Array) -> Array:
        """Roll lengths, :data:`NEAREST` from the base circle where they are nearer or beyond."""
        one = self.pair.gears[gear]
        return np.asarray(one.sign * np.maximum(one.sign * roll_length, NEAREST * one.m_n))

    @cached_property
    def _unmodified(self) -> bool:
        middle = np.zeros(1)  # nothing but a measured flank has other slopes elsewhere
        return all(
            gear.microgeometry.topography_of(self.flank) is None and FlankSlopes.of(gear, middle, self.flank).none
            for gear in self.pair.gears
        )

    @cached_property
    def _known(self) -> dict[int, tuple[Array, tuple[FlankSlopes, FlankSlopes]]]:
        return {}

    def _sections(self, n_slices: int) -> tuple[Array, tuple[FlankSlopes, FlankSlopes]]:
        """Middles of the slices (n_slices,) [m] in the frame of the pinion, and the slopes of both gears there."""
        if n_slices not in self._known:
            borders = np.linspace(*self.pair.common_face, n_slices + 1)
            z = 0.5 * (borders[1:] + borders[:-1])
            pinion, wheel = self.pair.gears
            self._known[n_slices] = (
                z,
                (
                    FlankSlopes.of(pinion, z, self.flank),
                    FlankSlopes.of(wheel, z + self.pair.alignment.axial_offset, self.flank),
                ),
            )
        return self._known[n_slices]
