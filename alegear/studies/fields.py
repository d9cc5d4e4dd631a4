"""Fields of displacement and stress, for pictures.

Of a static study or motion the teeth around the mesh, one file a position or time; of a modal study whole wheels, one
file a mode.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.arrays import Array, Indices
from alegear.contact.forces import FlexibleContact
from alegear.contact.numbering import PINION, SPIN, WHEEL
from alegear.drivetrain.flexible import FlexibleMesh
from alegear.fe.assembly import FEModel
from alegear.fe.stress import NodalStress, nodal_stresses
from alegear.parallel import in_parallel
from alegear.progress import Progress
from alegear.recording.vibration import teeth_of_pairs
from alegear.reduction.normal_modes import NormalModes
from alegear.reduction.superelement import Superelement
from alegear.results.fields import (
    FOLDER,
    SERIES,
    EncodedCells,
    PlacedFields,
    SectorGroup,
    facts_of_frames,
    write_field_frame,
    write_series,
)

if TYPE_CHECKING:
    from alegear.drivetrain.gear_mesh import MeshPlace
    from alegear.storage.recorded_samples import Samples
    from alegear.studies.preparation import PreparedPair


NEIGHBOURS = (
    1  # unloaded sectors shown on each side of the window: the stress beyond them is far below that in the mesh
)
BLOCK = 1 << 26  # bytes of displacement and stress of a gear that are recovered together, of a wide one 66 columns
THREADS = 2  # that compress and write frames; more of them would only wait for the disk and for Python
LARGEST_OF_MODE = 0.5  # displacement [modules]: modes have no amplitude of their own, and this one is plain to see


@dataclass(frozen=True, kw_only=True, eq=False)
class FieldFrame:
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
    displacement : shape (2, 5), optional [m, rad]
        Of the middles of both faces, x, y, z, and their tilts about x and y, in the frame of the pinion.
    first_pair : int
        The tooth pair in slot 0.
    vibration : shape (m,) each, optional [kg^1/2 m]
        Amplitudes of the modes of both gears, beyond what the forces displace at rest.
    """

    label: float
    phi: Array
    ahead: Array
    face_force: tuple[Array, Array]
    displacement: Array | None = None
    first_pair: int = 0
    vibration: tuple[Array, Array] | None = None

    @classmethod
    def of_mesh(
        cls,
        label: float,
        mesh: FlexibleMesh,
        x: Array,
        first_pair: int,
        face_force: tuple[Array, Array],
        vibration: tuple[Array, Array] | None = None,
    ) -> FieldFrame:
        """Frame of a mesh in a system with the coordinates x (n,).

        What shafts before and behind wind up turns both gears, and does not deform the mesh: without load they stand
        as the driven gear does.
        """
        pitch = np.asarray(mesh.contact.pitch_angle)
        turned = mesh.turned(x[mesh.coordinates])
        without_load = turned[1 - mesh.driving] / pitch[1 - mesh.driving] * pitch
        return cls(
            label=label,
            phi=without_load - first_pair * pitch,
            ahead=turned - without_load,
            face_force=face_force,
            displacement=mesh.displacements(x[mesh.coordinates]) if mesh.displaced else None,
            first_pair=first_pair,
            vibration=vibration,
        )


def write_fields(
    directory: Path,
    prepared: PreparedPair,
    frames: Sequence[FieldFrame],
    progress: Progress,
    modes: tuple[NormalModes, NormalModes] | None = None,
    samples: Samples | None = None,
) -> None:
    """Write ``fields/*.vtu`` and ``fields/series.pvd`` below a result folder.

    Parameters
    ----------
    directory : Path
    prepared : PreparedPair
    frames : sequence of FieldFrame
    progress : Progress
    modes : NormalModes of both gears, optional
        In which they vibrate: frames have their amplitudes then.
    samples : Samples, optional
        Of the study, which tell phase and torque of the frames.

    Raises
    ------
    StorageFailure
        If a file cannot be written.
    """
    folder = directory / FOLDER
    folder.mkdir(exist_ok=True)
    facts = [{}] * len(frames) if samples is None else facts_of_frames(samples, [frame.label for frame in frames])
    series: list[tuple[float, str]] = []

    def collect(names: Sequence[Future[str]]) -> None:
        for name in names:
            series.append((frames[len(series)].label, name.result()))
            progress.advance(len(series), len(frames))

    of_gears = (None, None) if modes is None else modes
    bodies = in_parallel([partial(_Body.of, prepared, gear, frames, of_gears[gear]) for gear in (PINION, WHEEL)])
    firsts = [0, len(bodies[0].group.points)]  # nodes of the pinion come before those of the wheel
    cells = _encoded_cells(bodies, firsts)
    n_blocks = max(1, math.ceil(len(frames) * max(body.frame_bytes for body in bodies) / BLOCK))
    step = max(1, math.ceil(len(frames) / n_blocks))
    # compressing and writing waits for the disk: it goes on beside the recovery of the next block
    threads = ThreadPoolExecutor(THREADS)
    try:
        under_way: list[Future[str]] = []
        for start in range(0, len(frames), step):
            some = slice(start, min(start + step, len(frames)))
            placed = PlacedFields.empty(some.stop - start, sum(len(body.group.points) for body in bodies), np.float32)
            tasks = [
                partial(body.place, frames[some], body.retained[..., some], placed, first)
                for body, first in zip(bodies, firsts, strict=True)
            ]
            in_parallel(tasks)
            collect(under_way)
            under_way = [
                threads.submit(_write_frame, folder, f"frame_{start + i:04d}.vtu", cells, placed, i, facts[start + i])
                for i in range(some.stop - start)
            ]
        collect(under_way)
    except BaseException:
        threads.shutdown(cancel_futures=True)
        if series:
            write_series(folder / SERIES, series)  # what there is can be looked at
        raise
    threads.shutdown()
    write_series(folder / SERIES, series)


def _encoded_cells(bodies: Sequence[_Body], firsts: Sequence[int]) -> EncodedCells:
    """Cells of both gears, with the node that each gear begins with."""
    cells = [body.group.cells + first for body, first in zip(bodies, firsts, strict=True)]
    gear = np.repeat([body.gear for body in bodies], [len(part) for part in cells])
    return EncodedCells.of(np.concatenate(cells), gear)


def _write_frame(
    folder: Path, name: str, cells: EncodedCells, placed: PlacedFields, i: int, facts: Mapping[str, float]
) -> str:
    """Write displacement and stress at one position or time, or of a mode; returns the name of the file."""
    fields = {field: values[i] for field, values in vars(placed).items()}
    write_field_frame(folder / name, cells=cells, facts=facts, **fields)
    return name


@dataclass(frozen=True, kw_only=True, eq=False)
class _Body:
    """One gear: which sectors are shown, and how their fields are recovered and placed.

    ``retained`` (n_sectors, n_retained, n_frames): what the fields of all frames follow from.
    """

    gear: int
    wheel: Superelement
    contact: FlexibleContact
    sectors: Indices
    stress: NodalStress
    group: SectorGroup
    retained: Array
    modes: NormalModes | None

    @classmethod
    def of(cls, prepared: PreparedPair, gear: int, frames: Sequence[FieldFrame], modes: NormalModes | None) -> _Body:
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
            stress=NodalStress.of(FEModel.from_mesh(prepared.sectors[gear].volume, wheel.material)),
            group=SectorGroup.of(
                wheel.sector, [int(k) for k in sectors], gear=gear, axis=(0.0 if gear == PINION else a_w, 0.0)
            ),
            retained=wheel.retained(np.array([f.face_force[gear] for f in frames]), sectors % wheel.n_sectors),
            modes=modes,
        )

    @property
    def frame_bytes(self) -> int:
        """Size of displacement and stress of one frame."""
        return 8 * 9 * len(self.sectors) * self.stress.model.n_nodes

    def place(self, frames: Sequence[FieldFrame], retained: Array, placed: PlacedFields, first: int) -> None:
        """Recover some frames, and put them where they belong among the nodes of both gears, from `first` on."""
        u = self.wheel.inside(retained)
        if self.modes is not None:
            u += self._vibrating(self.modes, frames)
        sigma = self.stress(u.reshape(*u.shape[:2], -1)).reshape(len(u), 6, *u.shape[2:])
        # superelement slot 0 holds the last pair of the pinion's window, the first of the wheel's
        slot = self.wheel.slots - 1 if self.gear == PINION else 0
        phi = np.array([frame.phi[self.gear] for frame in frames]) - slot * self.contact.pitch_angle[self.gear]
        self.group.place_frames(
            u,
            sigma,
            turn=self.contact.reference_angle[self.gear] + SPIN[self.gear] * phi,
            turn_ahead=SPIN[self.gear] * np.array([frame.ahead[self.gear] for frame in frames]),
            out=placed,
            first=first,
        )
        for i, frame in enumerate(frames):
            if frame.displacement is not None:
                own = slice(first, first + len(self.group.points))
                placed.displacement[i, own] += self._displaced(placed.points[i, own], frame.displacement[self.gear])

    def _vibrating(self, modes: NormalModes, frames: Sequence[FieldFrame]) -> Array:
        """Displacements by the vibration, shape (n_nodes, 3, n_sectors, n_frames) [m]."""
        # superelement slot 0 holds the last pair of the pinion's window, the first of the wheel's
        slot = self.wheel.slots - 1 if self.gear == PINION else 0
        moved = np.empty((*modes.amplitudes.shape[1:], len(self.sectors), len(frames)))
        for i, frame in enumerate(frames):
            assert frame.vibration is not None
            teeth = teeth_of_pairs(self.gear, np.array(frame.first_pair + slot)) + self.sectors
            turned = modes.turns(teeth) * frame.vibration[self.gear]
            moved[..., i] = np.tensordot(modes.amplitudes, turned, axes=(0, 1)).real
        return moved

    def _displaced(self, points: NDArray[np.floating], displacement: Array) -> Array:
        """Displacements of points that the gear's middle takes along, shape (n, 3) [m]."""
        tilt, arm = np.append(displacement[3:], 0.0), points - np.append(self.group.axis, 0.0)
        moved: Array = displacement[:3] + np.cross(tilt, arm)
        return moved


def write_mode_fields(
    directory: Path, meshes: Sequence[tuple[MeshPlace, Sequence[NormalModes]]], n: int, progress: Progress
) -> None:
    """Write ``fields/pinion_mode_01.vtu`` and so on below a result folder, the whole wheel of each mode, and a series.

    Of n modes of the wheels of each mesh, by the names of their gears, bores held. The largest displacement is half a
    module; the stress belongs to it.

    Raises
    ------
    StorageFailure
        If a file cannot be written.
    """
    folder = directory / FOLDER
    folder.mkdir(exist_ok=True)
    series: list[tuple[float, str]] = []
    for place, gear, modes in ((place, gear, held[gear]) for place, held in meshes for gear in (PINION, WHEEL)):
        pair, of_gear = place.pair, place.mesh.gears[gear]
        sector = modes.sector
        model = FEModel.from_mesh(sector.volume, modes.material)
        axis = (0.0 if gear == PINION else pair.a_w, 0.0)
        group = SectorGroup.of(sector, range(sector.teeth), gear=gear, axis=axis)
        cells = EncodedCells.of(group.cells, np.full(len(group.cells), gear))
        placed = PlacedFields.empty(1, len(group.points), np.float64)
        for mode in range(n):
            one = modes.subset([mode])
            u = np.concatenate([one.of_tooth(k) for k in range(sector.teeth)])
            u *= LARGEST_OF_MODE * pair.pinion.m_n / np.linalg.norm(u, axis=2).max()
            own, stress = (
                np.ascontiguousarray(np.moveaxis(field, 0, -1)[..., None]) for field in (u, nodal_stresses(model, u))
            )
            group.place_frames(own, stress, turn=np.zeros(1), turn_ahead=np.zeros(1), out=placed)
            name = f"{of_gear}_mode_{mode + 1:02d}.vtu"
            _write_frame(folder, name, cells, placed, 0, {})
            series.append((float(len(series) + 1), name))
            progress.advance(len(series), 2 * len(meshes) * n)
    write_series(folder / SERIES, series)
