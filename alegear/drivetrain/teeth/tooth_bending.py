"""What teeth and wheels give way beside Hertz's indentation, from a static study of the same pair."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from alegear.arrays import Indices
from alegear.contact.numbering import SPIN
from alegear.drivetrain.static_dataset import dataset_of, values_over_a_pitch
from alegear.drivetrain.teeth import teeth_kernels as kernels
from alegear.drivetrain.teeth.teeth_mesh import TeethMesh
from alegear.drivetrain.teeth.tooth_geometry import monotone_pieces
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear_pair import GearPair
from alegear.system.coordinates import Array

#: Loads of a pair below this part of the largest are not looked at: their share of the deflection has no digits.
LEAST_LOAD = 1e-3
#: k of a pair without load that rigid flanks would make overlap, at least: else they hardly touch.
UNLOADED = 100.0
#: Pieces of the table over the path.
PIECES = 400
#: Positions a pitch at least: contacts begin and end between them.
LEAST_POSITIONS = 8
#: Flanks may begin and end elsewhere than those of the study by this part of a pitch: less than between its positions.
SAME = 1e-2
#: The load of a mesh may be so many times that of the study, or such a part of it; beyond, pairs meet elsewhere.
LIKE_LOAD = 2.0
#: Face widths may differ by this part: what files round.
SAME_WIDTH = 1e-3


@dataclass(frozen=True, kw_only=True, eq=False)
class StudiedLoads:
    """Transmission error and loads of the pairs over a pitch, of a static study with flexible teeth.

    Attributes
    ----------
    phase : shape (n,)
        Of the driven gear, in pitches from the contact of pair 0 at the pitch point.
    error : shape (n,) [m]
        Transmission error, negative.
    pair : shape (n_pairs,)
    load : shape (n, n_pairs) [N]
    flank_limit : shape (2, 2) [m]
        Roll length on the first gear's flank at root form circle and tip of both gears.
    width : float or None [m]
        Common face width, where the study has slices that tell it.
    """

    phase: Array
    error: Array
    pair: Indices
    load: Array
    flank_limit: Array
    width: float | None = None

    @classmethod
    def from_static(cls, result: Any) -> StudiedLoads:
        """Take the positions of a result.

        Raises
        ------
        Fault
            For a result without them, with too few, and where positions carry no load.
        """
        dataset = dataset_of(result)
        names = ("tooth_load", "transmission_error", "flank_limit")
        (phase, load, error, flank_limit), _ = values_over_a_pitch(dataset, names, LEAST_POSITIONS, "tooth loads")
        if not (load.sum(axis=1) > 0.0).all() or not (error < 0.0).all():
            raise Fault("least load of a position", float(load.sum(axis=1).min()), "above 0", "raise the torque")
        pair = np.asarray(dataset["pair"].values, dtype=np.int64)
        return cls(phase=phase, error=error, pair=pair, load=load, flank_limit=flank_limit, width=_width(dataset))

    def check_pair(self, pair: GearPair) -> None:
        """Check that the study is of this pair, whichever of its gears was the first."""
        line, ends = pair.line_of_action, [_ends(gear) for gear in pair.gears]
        orders = [np.array([first, line - second]) for first, second in (ends, ends[::-1])]
        if min(np.abs(self.flank_limit - own).max() for own in orders) > SAME * pair.p_bt:
            found, own = (np.round(1e3 * one.ravel(), 3).tolist() for one in (self.flank_limit, orders[0]))
            limit = f"{own}: root form circles and tips of both gears, as roll lengths of the first"
            raise Fault("flanks of the static study [mm]", found, limit, "take a study of the same pair")
        if self.width is not None and abs(self.width - pair.b_w) > SAME_WIDTH * pair.b_w:
            limit = f"{1e3 * pair.b_w:.6g}, that of the mesh"
            value = float(f"{1e3 * self.width:.6g}")
            raise Fault("common face width of the static study [mm]", value, limit, "take a study of the same pair")

    def check_load(self, force: float) -> None:
        """Check that the study is under about the load of a mesh [N]; none: of one without load nothing is known."""
        own = float(self.load.sum(axis=1).mean())
        if force and not force / LIKE_LOAD <= own <= LIKE_LOAD * force:
            limit = f"between half and twice that of the mesh, {force:.6g}"
            remedy = "compute the study under the torque of the mesh"
            raise Fault("force of the teeth in the static study [N]", float(f"{own:.6g}"), limit, remedy)

    def bending(self, rigid: TeethMesh, driver: int) -> tuple[Array, Array]:
        """What is added to ln S of Hertz's law, over the place of the contact on the line of action.

        A spring of compliance c in series with (T1) is that law again: ``delta = s ln(S/s) + c q = s ln(S e^k/s)``, k =
        pi c/Theta. Where a pair carries the load per width q under the overlap delta of rigid flanks,

            k = delta/s + ln s - ln S,   s = Theta q/pi

        so that under the load of the study all pairs carry what they carry there: coupling of neighbours through the
        wheels is in k, as it is at that position and load. A pair that is not loaded there, but overlaps, has the k of
        the least load: where teeth bend out of contact k has no end.

        Parameters
        ----------
        rigid : TeethMesh
            The mesh without it, with both rotations as its coordinates, one slice.
        driver : int
            0: gear A, 1: gear B.

        Returns
        -------
        place, pieces : shape (2,) [m], shape (PIECES, 4)
            As the kernels take tables.
        """
        from scipy.interpolate import PchipInterpolator

        gears, pitch = rigid.geometry.pair, rigid.geometry.pitch
        side, r_b = rigid.loaded, np.array(rigid.geometry.r_b)
        width, least = gears.b_w, LEAST_LOAD * float(self.load.max())
        log_S = 2.0 / 3.0 + np.log(abs(gears.line_of_action))
        at, found = [], []
        for phase, error, loads in zip(self.phase, self.error, self.load, strict=True):
            running = phase * pitch / r_b
            running[driver] -= error / r_b[driver]
            x = SPIN * running - np.array(rigid.angles)
            overlaps = rigid.overlaps(x)
            xi_A = r_b[0] * side * SPIN[0] * running[0]
            xi_B = r_b[1] * side * SPIN[1] * running[1]
            own_loads = dict(zip(self.pair.tolist(), loads.tolist(), strict=True))
            for pair, overlap in overlaps.items():
                load = own_loads.get(pair, 0.0)
                shift = r_b.sum() * np.tan(gears.alpha_wt)  # both roll lengths at the pitch point
                own = r_b[0] * np.tan(gears.alpha_wt)
                zeta = 0.5 * (2.0 * own - shift + xi_A - xi_B + gears.line_of_action) - side * pair * pitch
                s = rigid.theta * max(load, least) / width / pi
                kappa = overlap / s + np.log(s) - log_S
                if load < least and kappa < UNLOADED:
                    continue
                at.append(zeta)
                found.append(kappa)
        places, order = np.unique(np.round(np.array(at), 12), return_index=True)
        step = float(places[-1] - places[0]) / PIECES
        # 1/(k + y), y that of rigid teeth under the largest load: about in proportion to the load, while k itself would
        # leave a pair without load all along the last piece
        y = log_S - np.log(rigid.theta * float(self.load.max()) / width / pi)
        stiff = PchipInterpolator(places, 1.0 / np.maximum(np.array(found)[order] + y, kernels.LEAST_Y))
        grid = places[0] + step * np.arange(PIECES + 1)
        return np.array([places[0], step]), monotone_pieces(1.0 / stiff(grid) - y)


def _width(dataset: Any) -> float | None:
    """Common face width [m], of slices of equal width whose middles are known; else None."""
    if "slice" not in dataset.coords:
        return None
    middles = np.asarray(dataset["slice"].values, dtype=np.float64)
    apart = np.diff(middles)
    if len(apart) < 1 or np.ptp(apart) > SAME_WIDTH * abs(apart[0]):
        return None
    return float(len(middles) * apart.mean())


def _ends(gear: CylindricalGear) -> Array:
    """Roll lengths at the root form circle and at the tip of a gear, shape (2,) [m]."""
    return np.array([gear.tooth_profile.roll_length_form, gear.tooth_profile.roll_length_tip])
