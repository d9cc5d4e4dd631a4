"""What both examples share: the paper's time, its times of contact, and how those of a computed motion are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr
from checks import Row
from matplotlib.axes import Axes
from numpy.typing import NDArray

import alegear as ag

Array = NDArray[np.float64]

MESH_OUT, MESH_IN = 0.44, 0.63  # normalised times between which one tooth pair carries alone, plus any integer
SEEN = 0.1  # pitches for which a pair must have left, to have left for good
COLOURS = {1: "C0", 4: "C1", 7: "C2", 10: "C3"}  # of the points


@dataclass(frozen=True, kw_only=True)
class PaperTime:
    """Normalised time of the paper, pitches since its start: phase + shift.

    Parameters
    ----------
    mesh_out, mesh_in : float
        Phase of the driver at which pair -1 carries its last and pair 1 its first load: pair 0 carries alone between.
    """

    mesh_out: float
    mesh_in: float

    @classmethod
    def of(cls, data: xr.Dataset, *, after: float) -> PaperTime:
        """Of a computed motion: the means over all pairs that come into mesh and leave it after a phase."""
        begins, ends = [], []
        load = ag.by_pair(data, "tooth_load")
        for pair in load.pair.values:
            phase = data.phase.values[load.sel(pair=pair).values > 0.0]
            if phase.size and phase[0] > after and phase[-1] < data.phase.values[-1] - SEEN:
                begins.append(phase[0] - pair)
                ends.append(phase[-1] - pair)
        if not begins:
            raise ValueError(f"no pair comes into mesh after phase {after} and leaves it before the end")
        return cls(mesh_out=float(np.mean(ends)) - 1.0, mesh_in=float(np.mean(begins)) + 1.0)

    @property
    def shift(self) -> float:
        """What makes the computed single contact lie about the paper's."""
        return 0.5 * (MESH_OUT + MESH_IN) - 0.5 * (self.mesh_out + self.mesh_in)

    @property
    def out_and_in(self) -> tuple[float, float]:
        """Computed mesh-out and mesh-in as normalised times."""
        return self.mesh_out + self.shift, self.mesh_in + self.shift

    @property
    def contact_ratio(self) -> float:
        """Loaded contact ratio."""
        return 2.0 - (self.mesh_in - self.mesh_out)

    def rows(self, example: str, close: float) -> Iterator[Row]:
        """Times of contact and contact ratio against the paper's, within a bound [pitches]."""
        for name, value, paper in zip(("mesh-out", "mesh-in"), self.out_and_in, (MESH_OUT, MESH_IN), strict=True):
            yield Row(
                quantity=f"{example}, {name} k +",
                value=value,
                reference=paper,
                kind="absolute",
                unit="pitches",
                bound=close,
                source="text of Liu et al. (2018), the middle of single contact put on its own",
            )
        yield Row(
            quantity=f"{example}, loaded contact ratio",
            value=self.contact_ratio,
            reference=2.0 - (MESH_IN - MESH_OUT),
            kind="absolute",
            bound=2.0 * close,  # of both times
            source="text of Liu et al. (2018)",
        )

    def at(self, data: xr.Dataset) -> Array:
        """Normalised times of the samples."""
        return data.phase.values + self.shift


def error_of_centre(data: xr.Dataset, case: ag.Case) -> Array:
    """Return theta_c - theta_t of the driven pinion [rad]."""
    return data.transmission_error.values / case.pair.pinion.r_b


def draw_contact_times(axes: Axes, first: float, last: float) -> None:
    """Mark the paper's mesh-out (blue) and mesh-in (orange) between two normalised times, as its figures do."""
    for k in range(int(np.floor(first)), int(np.ceil(last))):
        for time, colour in ((k + MESH_OUT, "tab:blue"), (k + MESH_IN, "tab:orange")):
            if first <= time <= last:
                axes.axvline(time, color=colour, linestyle="-.", linewidth=0.7)
    axes.set_xlim(first, last)
    axes.set_xticks(np.arange(np.ceil(first), last, 1.0 if last - first < 10.0 else 2.0))
    axes.grid(alpha=0.3)
