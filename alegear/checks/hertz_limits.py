"""Where a result leaves the range of Hertz's line contact: warnings with value, limit and remedy."""

from __future__ import annotations

import math

import numpy as np

from alegear.arrays import Array
from alegear.contact.law import Friction
from alegear.geometry.gear_pair import GearPair
from alegear.storage.recorded_samples import Samples, blocks

WIDEST_STRIP = 0.1
"""Half-width over the reduced radius of curvature: the flanks count as parabolas, which are off by b^2/(2 rho^2)."""

SHORTEST_LINE = 10.0
"""Length of the line of contact in half-widths, below which it is a point contact rather than a line."""

CORNER = 0.25
"""Part of the face width; a pair that carries on no more, or on a single slice, is in contact at a corner."""

NOTABLE_LOAD = 0.1
"""Of the largest total load; with less, as between two impacts, a contact may be as short as it likes."""

SQUEEZED = 0.02
"""Part by which the sum of all flank loads may exceed what the torque takes.

Back flanks carry half of it, and the error is off by a good part of that. Normals of tip edges, which lean, make 1.4 %
of a spur pair of module 4 mm, 20 teeth, 30 mm wide under 2 kN m, ten times its usual torque.
"""


class _LineContactLimits:
    """What the contact of many samples says of the assumptions of line contact; takes them block by block."""

    def __init__(self, pair: GearPair, slice_width: float) -> None:
        self._pair, self._slice_width = pair, slice_width
        self._cos = math.cos(pair.beta_b)
        # beyond the involutes an edge touches, whose radius says nothing about the flanks
        low, high = (gear.tooth_profile.roll_length_form for gear in pair.gears)
        self._ends = low, pair.line_of_action - high
        self._widest = (0.0, 0.0, 0.0)  # half-width over radius, half-width, radius
        # by the number of slices on which the pair carries that carries on most: largest load, and widest strip then
        self._heaviest = np.zeros((0, 2))

    def add(self, line_load: Array, half_width: Array, roll_length: Array) -> None:
        """Look at samples (n, n_pairs, n_slices), by pair or by slot; NaN where nothing touches, loads 0."""
        if not np.isfinite(half_width).any():
            return
        loaded = line_load > 0.0
        xi_1 = np.clip(roll_length, *self._ends)
        radius = xi_1 * (self._pair.line_of_action - xi_1) / self._pair.line_of_action / self._cos
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.nan_to_num(np.where((radius > 0.0) & loaded, half_width / radius, 0.0))
        at = np.unravel_index(int(np.argmax(share)), share.shape)
        if share[at] > self._widest[0]:
            self._widest = float(share[at]), float(half_width[at]), float(radius[at])
        # the pair that carries on most of the face tells how much is in contact
        count, load = loaded.sum(axis=2).max(axis=1), line_load.sum(axis=(1, 2))
        width = np.nanmax(np.where(loaded, half_width, 0.0), axis=(1, 2))
        if not len(self._heaviest):
            self._heaviest = np.zeros((line_load.shape[2] + 1, 2))
        for n in np.unique(count):
            heaviest = np.flatnonzero(count == n)[load[count == n].argmax()]
            if load[heaviest] > self._heaviest[n, 0]:
                self._heaviest[n] = load[heaviest], width[heaviest]

    def warnings(self) -> list[str]:
        """Return one sentence a limit that is passed."""
        found = []
        share, half_width, radius = self._widest
        if share > WIDEST_STRIP:
            found.append(
                f"half-width of the contact strip {1e3 * half_width:.3g} mm is {share:.3g} of the reduced radius "
                f"of curvature {1e3 * radius:.3g} mm: above {WIDEST_STRIP:g} Hertz's formula does not hold; "
                f"reduce {self._pair.names.torque} or use a larger module or face width"
            )
        load, widths = self._heaviest.T
        notable = np.flatnonzero((load > 0.0) & (load >= NOTABLE_LOAD * load.max(initial=0.0)))
        if not notable.size:
            return found
        n_slices, fewest = len(load) - 1, int(notable[0])
        length, width = self._slice_width * fewest, float(widths[fewest])
        face = self._slice_width * n_slices
        least = max(CORNER * face, SHORTEST_LINE * width)
        if n_slices > 1:
            least = max(least, self._slice_width)
        if length <= least:
            found.append(
                f"only {1e3 * length:.3g} mm of the {1e3 * face:.3g} mm face width are in contact at one position, "
                f"half-width {1e3 * width:.3g} mm: line contact theory requires at least {CORNER:g} of the face "
                f"and {SHORTEST_LINE:g} half-widths; reduce the tilt or the crowning, or raise slices and the torque"
            )
        return found


def line_contact_warnings(pair: GearPair, samples: Samples, slice_width: float) -> list[str]:
    """Check the contact of all samples, read block by block, against the assumptions of line contact.

    Parameters
    ----------
    pair : GearPair
    samples : Samples
        With ``line_load``, ``contact_half_width`` and ``contact_roll_length``.
    slice_width : float [m]

    Returns
    -------
    list of str
        One sentence a limit that is passed.
    """
    limits = _LineContactLimits(pair, slice_width)
    for block in blocks(samples, ("line_load", "contact_half_width", "contact_roll_length")):
        limits.add(*block.values())
    return limits.warnings()


def squeeze_warnings(
    pair: GearPair, line_load: Array, tooth_load: Array, slice_width: float, friction: Friction | None = None
) -> list[str]:
    """Tell where teeth carry on both flanks at once: then the flanks press each other besides carrying the torque.

    Parameters
    ----------
    pair : GearPair
    line_load : shape (n, n_pairs, n_slices) [N/m]
        Front and back flanks together.
    tooth_load : shape (n, n_pairs) [N]
        Back flanks count negative.
    slice_width : float [m]
    friction : Friction, optional

    Returns
    -------
    list of str
        At most one sentence.
    """
    pressed = line_load.sum(axis=(1, 2)) * slice_width * math.cos(pair.beta_b)
    carried = np.abs(tooth_load.sum(axis=1))
    # friction on the flank has its own moment: of the normal force at least (1 - mu xi/r_b) r_b is left
    mu = 0.0 if friction is None or friction.kind == "none" else max(friction.mu_static, friction.mu_dynamic)
    left = max(1.0 - mu * pair.pinion.tooth_profile.roll_length_tip / pair.pinion.r_b, 0.0)
    squeezed = np.flatnonzero((left * pressed > (1.0 + SQUEEZED) * carried) & (pressed >= NOTABLE_LOAD * pressed.max()))
    if not squeezed.size or not carried.max() > 0.0:
        return []
    i = int(squeezed[np.argmax((pressed - carried)[squeezed])])
    return [
        f"teeth are squeezed: the flanks press each other with {1e-3 * pressed[i]:.4g} kN in all, the torque takes "
        f"{1e-3 * carried[i]:.4g} kN; nominal backlash is {max(1e6 * pair.j_wt, 0.0):.1f} um: enlarge "
        "tooth_thickness_allowance_um or center_distance_mm beyond the material that deviations or tilts add"
    ]
