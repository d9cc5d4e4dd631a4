"""Contact stress of a tip edge beside the root fillet, separated from the bending stress point by point.

Root stress counts up to where the root is inclined by 20 degrees to the tooth's centre line (`recorder.py`). Where the
mating tip presses next to that place, an element or two away, what is found there is the stress under its edge, and
depends on the grid. Then the root ends at the critical section, where it is inclined by 30 degrees (ISO 6336-3),
across as much of the face as the edge presses on: what lies above is contact stress. Oblique lines of contact end
beside the root somewhere on their way over the face, which says nothing of a root that is bent elsewhere across it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from alegear.arrays import Array, Mask
from alegear.contact.numbering import GEARS
from alegear.geometry.pair_geometry import PairNames
from alegear.reduction.superelement import Superelement
from alegear.results.variables import SIDES
from alegear.storage.recorded_samples import Samples

BESIDE = 2  # rows of elements of the face above the uppermost one whose root stress counts: its element, and the next
NOTABLE = 0.1  # part of the largest nodal force of a position that makes a force on these rows press


@dataclass(kw_only=True, eq=False)
class TipContactNearRoot:
    """Keeps the largest contact stress beside the roots, and the largest stress of the roots themselves.

    Attributes
    ----------
    pressed, clear : shape (2, 2, 3)
        By gear and side, tension first: largest von Mises stress [Pa], sample, tooth pair; -inf: none yet.
    """

    pressed: Array = field(default_factory=lambda: np.tile([-np.inf, -1.0, 0.0], (2, 2, 1)))
    clear: Array = field(default_factory=lambda: np.tile([-np.inf, -1.0, 0.0], (2, 2, 1)))

    def update(
        self, gear: int, side: int, of_contact: Array | None, of_root: Array, first_sample: int, slot_pair: Array
    ) -> None:
        """Look at samples of one gear and side.

        Parameters
        ----------
        of_contact : shape (n, n_slots) [Pa], or None
            Largest von Mises stress where an edge presses beside the root; None where none does.
        of_root : shape (n, n_slots) [Pa]
            Of the root without these points.
        first_sample : int
        slot_pair : shape (n, n_slots)
            Tooth pair in each slot.
        """
        for kept, values in ((self.pressed, of_contact), (self.clear, of_root)):
            if values is None or not values.size:
                continue
            at = np.unravel_index(int(values.argmax()), values.shape)
            if values[at] > kept[gear, side, 0]:
                kept[gear, side] = values[at], first_sample + at[0], slot_pair[at]

    def in_summary(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Largest contact stress beside the roots [MPa] by gear and side, None where no edge presses there."""
        found: dict[str, dict[str, float | None]] = {
            gear: {
                side: 1e-6 * float(stress) if stress > 0.0 else None
                for side, stress in zip(SIDES, self.pressed[g, :, 0], strict=True)
            }
            for g, gear in enumerate(GEARS)
        }
        return {"root_contact_stress_max_MPa": found}

    def warnings(self, samples: Samples, names: tuple[str, str] = PairNames().gears) -> list[str]:
        """One sentence for each gear beside whose root a contact presses more than the root bears.

        Parameters
        ----------
        samples : Samples
            That were looked at, with ``phase``.
        names : (str, str)
            By which messages call both gears.
        """
        found = []
        for g, name in enumerate(names):
            side = int(self.pressed[g, :, 0].argmax())
            (stress, sample, pair), bending = self.pressed[g, side], self.clear[g, side, 0]
            if stress > max(bending, 0.0):
                (phase,) = samples.read("phase", int(sample), int(sample) + 1)
                phase = round(float(phase), 9) + 0.0  # round-off of 0 is 0
                found.append(
                    f"the mating tip edge presses beside the root form circle of {name}: contact stress of "
                    f"{1e-6 * stress:.4g} MPa on its tooth in pair {int(pair)} at phase {phase:.6g}, more than the "
                    f"{max(1e-6 * bending, 0.0):.4g} MPa in its root; it depends on the grid and is no root stress: "
                    "relieve the mating tip (tip_relief_um, tip_rounding_mm)"
                )
        return found


def rows_beside(wheel: Superelement, rows: slice) -> int:
    """Number of the lowest loaded rows of the tooth face on which a contact presses beside the root rows counted."""
    root, face = (np.asarray(grid)[:, 0] for grid in (wheel.sector.root_a, wheel.sector.flank_a))
    for steps, node in enumerate(root[rows.stop - 1 :]):
        at = np.flatnonzero(face == node)
        if at.size:
            beside = face[: max(int(at[0]) - steps + BESIDE * wheel.sector.order + 1, 0)]
            return int(np.isin(wheel.sector.loaded("a")[:, 0], beside).sum())
    return 0


def pressed_beside(wheel: Superelement, forces: Array, face: int, n_rows: int) -> Mask:
    """Whether forces on the lowest rows of a face are a notable part of the largest on it, column by column.

    Parameters
    ----------
    forces : shape (n, slots*nf) [N]
        By the superelement's slots.
    face : int
        Which of its faces is loaded.
    n_rows : int

    Returns
    -------
    shape (n, slots, columns)
    """
    by_face = forces.reshape(len(forces), wheel.slots, len(wheel.faces), wheel.rows, wheel.cols, 3)[:, :, face]
    beside = np.abs(by_face[:, :, :n_rows]).max(axis=(2, 4), initial=0.0)
    presses = np.zeros(beside.shape, dtype=np.bool_)
    some = np.flatnonzero(beside.any(axis=(1, 2)))  # few samples: only theirs are gone through
    largest = np.abs(by_face[some]).max(axis=(1, 2, 3, 4), initial=0.0)[:, None, None]
    presses[some] = beside[some] > NOTABLE * largest
    return presses


def points_beside(presses: Mask, above: Mask, order: int) -> Mask:
    """Points of a root that count as contact: above the critical section, within two elements of what presses.

    Parameters
    ----------
    presses : shape (n, slots, columns)
        Of :func:`pressed_beside`, slots as those of the stress.
    above : shape (rows,)
        Rows of the root above the critical section, from the middle of the tooth space up.
    order : int
        Nodes from one to the next along an edge of an element.

    Returns
    -------
    shape (n, slots, rows, columns)
    """
    near = presses.copy()
    for step in range(1, BESIDE * order + 1):
        near[..., step:] |= presses[..., :-step]
        near[..., :-step] |= presses[..., step:]
    found: Mask = near[:, :, None, :] & above[None, None, :, None]
    return found
