"""Root stress that is the contact stress of a tip edge pressing beside it, and no bending.

Root stress counts up to where the root is inclined by 20 degrees to the tooth's centre line (`recorder.py`). Where the
mating tip presses next to that place, an element or two away, what is found there is the stress under its edge, and
depends on the grid. Oblique lines of contact end beside the root somewhere on their way over the face, which says
nothing of a root that is bent elsewhere across it or further down: it is the place of the largest stress that counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from alegear.contact.numbering import GEARS
from alegear.fe.stress import von_mises
from alegear.reduction.superelement import Superelement
from alegear.results.root_cycle import PRESSED
from alegear.results.samples import Samples

Array = NDArray[np.float64]

BESIDE = 2  # rows of elements of the face above the uppermost one whose root stress counts: its element, and the next
NOTABLE = 0.1  # part of the largest nodal force of a position that makes a force on these rows press


@dataclass(kw_only=True, eq=False)
class PressedRoots:
    """Keeps the largest root stress of both gears apart: where a contact presses beside the root, and elsewhere.

    Attributes
    ----------
    pressed, clear : shape (2, 3)
        By gear: largest von Mises stress at the root under the loaded flank [Pa], sample, tooth pair; -inf: none yet.
    """

    pressed: Array = field(default_factory=lambda: np.tile([-np.inf, -1.0, 0.0], (2, 1)))
    clear: Array = field(default_factory=lambda: np.tile([-np.inf, -1.0, 0.0], (2, 1)))

    def look(self, gear: int, beside: NDArray[np.bool_], stress: Array, first_sample: int, slot_pair: Array) -> None:
        """Look at samples of one gear.

        Parameters
        ----------
        beside : shape (n, n_slots)
            Whether contact presses beside the largest stress of the root: :func:`pressed_at`.
        stress : shape (n, n_slots) [Pa]
        first_sample : int
        slot_pair : shape (n, n_slots)
            Tooth pair in each slot.
        """
        for kept, which in ((self.pressed, beside), (self.clear, ~beside)):
            values = np.where(which, stress, -np.inf)
            at = np.unravel_index(int(values.argmax()), values.shape)
            if values[at] > kept[gear, 0]:
                kept[gear] = values[at], first_sample + at[0], slot_pair[at]

    def warnings_of(self, samples: Samples) -> list[str]:
        """:meth:`warnings` of the samples that were looked at."""
        return self.warnings(lambda i: float(samples.read("phase", i, i + 1)[0]))

    def warnings(self, phase_of: Callable[[int], float]) -> list[str]:
        """One sentence for each gear whose largest root stress is that of a contact beside it.

        Parameters
        ----------
        phase_of : callable
            Phase of a sample.
        """
        found = []
        for name, (stress, sample, pair), (other, _, _) in zip(GEARS, self.pressed, self.clear, strict=True):
            if stress > max(other, 0.0):
                elsewhere = f"the largest elsewhere is {1e-6 * other:.4g} MPa" if other > 0.0 else "there is no other"
                phase = round(phase_of(int(sample)), 9) + 0.0  # round-off of 0 is 0
                found.append(
                    f"largest root stress of the {name}, {1e-6 * stress:.4g} MPa on its tooth in pair {int(pair)} at "
                    f"phase {phase:.6g}, {PRESSED} that presses "
                    f"beside the root form circle, not bending, and depends on the grid; {elsewhere}: relieve the "
                    "mating tip (tip_relief_um, tip_rounding_mm), or take the value elsewhere"
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


def pressed_beside(wheel: Superelement, forces: Array, face: int, n_rows: int) -> NDArray[np.bool_]:
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


def pressed_at(presses: NDArray[np.bool_], stress: Array, order: int) -> NDArray[np.bool_]:
    """Whether contact presses beside the point of a root whose stress is largest.

    That is within an element of the last row that counts, and contact presses within two elements of its column.

    Parameters
    ----------
    presses : shape (n, slots, columns)
        Of :func:`pressed_beside`, slots as those of the stress.
    stress : shape (n, slots, rows, columns, 6) [Pa]
        Of the roots under the loaded flanks, rows from the middle of the tooth space up.
    order : int
        Nodes from one to the next along an edge of an element.

    Returns
    -------
    shape (n, slots)
    """
    beside = np.zeros(presses.shape[:2], dtype=np.bool_)
    n_rows, n_cols = stress.shape[2:4]
    for i, slot in np.argwhere(presses.any(axis=2)):
        row, column = divmod(int(von_mises(stress[i, slot]).argmax()), n_cols)
        near = slice(max(column - BESIDE * order, 0), column + BESIDE * order + 1)
        beside[i, slot] = row >= n_rows - 1 - order and presses[i, slot, near].any()
    return beside
