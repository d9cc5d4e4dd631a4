"""Stress fields of a study: displacement and stress of the teeth around the mesh, one file a position or time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from alegear.contact.forces import FlexibleContact
from alegear.contact.numbering import PINION, SPIN, WHEEL
from alegear.fe.assembly import FEModel
from alegear.fe.stress import stress_operator
from alegear.reduction.superelement import Superelement
from alegear.results.fields import (
    FOLDER,
    SERIES,
    FieldPart,
    join_parts,
    place_sectors,
    write_part,
    write_series,
)
from alegear.study.progress import Progress

if TYPE_CHECKING:
    from alegear.study.preparation import PreparedPair

Array = NDArray[np.float64]

NEIGHBOURS = (
    1  # unloaded sectors shown on each side of the window: the stress beyond them is far below that in the mesh
)
BLOCK = 16  # frames whose displacement is recovered together


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """One position or time of which the fields are wanted.

    Attributes
    ----------
    label : float
        Phase [pitches] or time [s].
    phi : shape (2,) [rad]
        Rotations without load, in the running direction, from the pitch-point contact of the pair in slot 0.
    ahead : shape (2,) [rad]
        What the load adds to them.
    face_force : per gear, as in ContactForces
    """

    label: float
    phi: Array
    ahead: Array
    face_force: tuple[Array, Array]


def write_fields(directory: Path, prepared: PreparedPair, frames: Sequence[Frame], progress: Progress) -> None:
    """Write ``fields/*.vtu`` and ``fields/series.pvd`` below a result folder.

    Parameters
    ----------
    directory : Path
    prepared : PreparedPair
    frames : sequence of Frame
    progress : Progress

    Raises
    ------
    StorageFailure
        If a file cannot be written.
    """
    folder = directory / FOLDER
    folder.mkdir(exist_ok=True)
    series: list[tuple[float, str]] = []
    bodies = [_Body.of(prepared, gear) for gear in (PINION, WHEEL)]
    try:
        for start in range(0, len(frames), BLOCK):
            block = frames[start : start + BLOCK]
            recovered = [body.recover([f.face_force[body.gear] for f in block]) for body in bodies]
            for i, frame in enumerate(block):
                name = f"frame_{len(series):04d}.vtu"
                parts = [body.part(frame, u[i], sigma[i]) for body, (u, sigma) in zip(bodies, recovered, strict=True)]
                write_part(folder / name, join_parts(parts))
                series.append((frame.label, name))
                progress.advance(len(series), len(frames))
    except KeyboardInterrupt:
        if series:
            write_series(folder / SERIES, series)  # what there is can be looked at
        raise
    write_series(folder / SERIES, series)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Body:
    """One gear: which sectors are shown, and how their fields are recovered and placed."""

    gear: int
    wheel: Superelement
    contact: FlexibleContact
    sectors: NDArray[np.int64]
    stress: sp.csr_matrix

    @classmethod
    def of(cls, prepared: PreparedPair, gear: int) -> _Body:
        wheel = prepared.wheels[gear]
        model = FEModel.from_mesh(prepared.sectors[gear].volume, wheel.material)
        shown = min(wheel.slots + 2 * NEIGHBOURS, wheel.n_sectors)
        low = -((shown - wheel.slots) // 2)
        return cls(
            gear=gear,
            wheel=wheel,
            contact=prepared.contact,
            sectors=np.arange(low, low + shown),
            stress=stress_operator(model, np.arange(model.n_nodes)),
        )

    def recover(self, forces: Sequence[Array]) -> tuple[Array, Array]:
        """Displacement (n_frames, n_sectors, n_nodes, 3) and stress (..., 6), each sector in its tooth frame."""
        u = self.wheel.expand(np.array(forces), sectors=self.sectors)
        columns = u.reshape(-1, self.stress.shape[1]).T
        return u, (self.stress @ columns).T.reshape(*u.shape[:3], 6)

    def part(self, frame: Frame, u: Array, sigma: Array) -> FieldPart:
        # superelement slot 0 holds the last pair of the pinion's window, the first of the wheel's
        slot = self.wheel.slots - 1 if self.gear == PINION else 0
        turn = self.contact.reference_angle[self.gear] + SPIN[self.gear] * (
            frame.phi[self.gear] - slot * self.contact.pitch_angle[self.gear]
        )
        return place_sectors(
            self.wheel.sector,
            u,
            sigma,
            sectors=[int(k) for k in self.sectors],
            gear=self.gear,
            turn=float(turn),
            turn_ahead=float(SPIN[self.gear] * frame.ahead[self.gear]),
            axis=(0.0, 0.0) if self.gear == PINION else (self.contact.pair.a_w, 0.0),
        )
