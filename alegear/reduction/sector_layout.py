"""Where the loaded window lies among the sectors of a wheel, or of a segment of one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alegear.arrays import Indices
from alegear.errors import Fault


@dataclass(frozen=True, kw_only=True)
class SectorLayout:
    """Where the loaded window lies among the sectors of the model.

    Sectors are counted from slot 0 counter-clockwise: 0 ... slots - 1 are the window, then come the sectors above it,
    and "on round" those below it, so that -1 is the sector below slot 0 in a wheel and in a segment alike.

    Parameters
    ----------
    teeth : int
        Teeth of the wheel, z.
    slots : int
        Loaded sectors.
    n_sectors : int
        Sectors of the model; fewer than `teeth` make a segment with free cut planes.
    below : int
        Sectors below slot 0; 0 in a closed wheel, (n_sectors - slots) // 2 in a segment, so that of an odd remainder
        the extra sector lies above the window.
    """

    teeth: int
    slots: int
    n_sectors: int
    below: int

    @classmethod
    def of(cls, teeth: int, slots: int, teeth_modelled: int | None) -> SectorLayout:
        """Place the window; `teeth_modelled` None or equal to `teeth` closes the ring.

        Raises
        ------
        Fault
            More slots than sectors, or more sectors than teeth.
        """
        n_sectors = teeth if teeth_modelled is None else teeth_modelled
        if not 1 <= n_sectors <= teeth or (n_sectors < teeth and n_sectors % 2 == 0):
            raise Fault("teeth modelled", n_sectors, f"odd and at most {teeth}, the teeth of the wheel", 'use "all"')
        if not 1 <= slots <= n_sectors:
            raise Fault(
                "window of tooth faces", slots, f"between 1 and the {n_sectors} teeth modelled", "model more teeth"
            )
        below = 0 if n_sectors == teeth else (n_sectors - slots) // 2
        return cls(teeth=teeth, slots=slots, n_sectors=n_sectors, below=below)

    @property
    def closed(self) -> bool:
        """Whether the sectors close the ring."""
        return self.n_sectors == self.teeth

    @property
    def above(self) -> int:
        """Sectors between the window and its far end: all others in a closed wheel."""
        return self.n_sectors - self.slots - self.below

    @property
    def n_cuts(self) -> int:
        """Cut planes of the window."""
        return self.slots if self.closed and self.above == 0 else self.slots + 1

    @property
    def tooth_offsets(self) -> Indices:
        """Pitches from slot 0 to each sector, counter-clockwise positive, shape (n_sectors,)."""
        offsets = np.arange(self.n_sectors)
        offsets[self.slots + self.above :] -= self.n_sectors
        return offsets


def planes_of_sectors(layout: SectorLayout) -> Indices:
    """Cut planes of the window on which each sector depends, shape (n_sectors, 2).

    A sector of the window has its own two, the others of a closed wheel the two ends of the window. Behind a free end
    of a segment it is the one plane there, named twice.
    """
    planes = np.empty((layout.n_sectors, 2), dtype=np.int64)
    inside = np.arange(layout.slots)
    planes[: layout.slots] = np.stack([inside, (inside + 1) % layout.n_cuts], axis=1)
    above = layout.slots + layout.above
    planes[layout.slots : above] = (layout.slots % layout.n_cuts, 0 if layout.closed else layout.slots)
    planes[above:] = 0
    return planes
