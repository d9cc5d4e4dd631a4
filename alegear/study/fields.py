"""Stress fields of a study: displacement and stress of the teeth around the mesh, one file a position or time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import FlexibleContact
from alegear.contact.numbering import PINION, SPIN, WHEEL
from alegear.fe.assembly import FEModel
from alegear.fe.stress import nodal_stresses
from alegear.parallel import in_parallel
from alegear.reduction.superelement import Superelement
from alegear.results.fields import (
    FOLDER,
    SERIES,
    FieldPart,
    SectorGroup,
    join_parts,
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
BLOCK = 1 << 25  # bytes of displacement and stress of a gear that are recovered together
THREADS = 2  # that place, compress and write frames; more of them would only wait for the disk and for Python


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

    def collect(names: Sequence[Future[str]]) -> None:
        for name in names:
            series.append((frames[len(series)].label, name.result()))
            progress.advance(len(series), len(frames))

    bodies = in_parallel([partial(_Body.of, prepared, gear, frames) for gear in (PINION, WHEEL)])
    n_blocks = max(1, math.ceil(len(frames) * max(body.frame_bytes for body in bodies) / BLOCK))
    step = max(1, math.ceil(len(frames) / n_blocks))
    # placing and compressing takes half of the time and leaves Python: it runs beside the recovery of the next block
    threads = ThreadPoolExecutor(THREADS)
    try:
        under_way: list[Future[str]] = []
        for start in range(0, len(frames), step):
            block = frames[start : start + step]
            recovered = in_parallel([partial(body.recover, slice(start, start + step)) for body in bodies])
            collect(under_way)
            under_way = [
                threads.submit(_write_frame, folder, start + i, frame, bodies, [(u[i], s[i]) for u, s in recovered])
                for i, frame in enumerate(block)
            ]
        collect(under_way)
    except BaseException:
        threads.shutdown(cancel_futures=True)
        if series:
            write_series(folder / SERIES, series)  # what there is can be looked at
        raise
    threads.shutdown()
    write_series(folder / SERIES, series)


def _write_frame(
    folder: Path, number: int, frame: Frame, bodies: Sequence[_Body], fields: Sequence[tuple[Array, Array]]
) -> str:
    """Write displacement and stress of both gears at one position or time; returns the name of the file."""
    parts = [body.part(frame, u, sigma) for body, (u, sigma) in zip(bodies, fields, strict=True)]
    name = f"frame_{number:04d}.vtu"
    write_part(folder / name, join_parts(parts))
    return name


@dataclass(frozen=True, kw_only=True, eq=False)
class _Body:
    """One gear: which sectors are shown, and how their fields are recovered and placed.

    ``retained`` (n_sectors, n_retained, n_frames): what the fields of all frames follow from.
    """

    gear: int
    wheel: Superelement
    contact: FlexibleContact
    sectors: NDArray[np.int64]
    model: FEModel
    group: SectorGroup
    retained: Array

    @classmethod
    def of(cls, prepared: PreparedPair, gear: int, frames: Sequence[Frame]) -> _Body:
        wheel = prepared.wheels[gear]
        shown = min(wheel.slots + 2 * NEIGHBOURS, wheel.n_sectors)
        low = -((shown - wheel.slots) // 2)
        sectors = np.arange(low, low + shown)
        a_w = prepared.contact.pair.a_w
        return cls(
            gear=gear,
            wheel=wheel,
            contact=prepared.contact,
            sectors=sectors,
            model=FEModel.from_mesh(prepared.sectors[gear].volume, wheel.material),
            group=SectorGroup.of(
                wheel.sector, [int(k) for k in sectors], gear=gear, axis=(0.0 if gear == PINION else a_w, 0.0)
            ),
            retained=wheel.retained(np.array([f.face_force[gear] for f in frames]), sectors % wheel.n_sectors),
        )

    @property
    def frame_bytes(self) -> int:
        """Size of displacement and stress of one frame."""
        return 8 * 9 * len(self.sectors) * self.model.n_nodes

    def recover(self, frames: slice) -> tuple[Array, Array]:
        """Displacement (n_frames, n_sectors, n_nodes, 3) and stress (..., 6), each sector in its tooth frame."""
        u = self.wheel.inside(self.retained[..., frames])
        stress = nodal_stresses(self.model, u.reshape(-1, *u.shape[2:]))
        return u, stress.reshape(*u.shape[:3], 6)

    def part(self, frame: Frame, u: Array, sigma: Array) -> FieldPart:
        # superelement slot 0 holds the last pair of the pinion's window, the first of the wheel's
        slot = self.wheel.slots - 1 if self.gear == PINION else 0
        turn = self.contact.reference_angle[self.gear] + SPIN[self.gear] * (
            frame.phi[self.gear] - slot * self.contact.pitch_angle[self.gear]
        )
        return self.group.place(u, sigma, turn=float(turn), turn_ahead=float(SPIN[self.gear] * frame.ahead[self.gear]))
