"""Fields of some teeth where a picture has them, for tests of fields and scenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alegear.fe.stress import von_mises
from alegear.mesh import SectorMesh
from alegear.results import fields


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    points: np.ndarray
    cells: np.ndarray
    displacement: np.ndarray
    stress: np.ndarray
    gear: np.ndarray


def placed(
    sector: SectorMesh,
    displacement: np.ndarray,
    stress: np.ndarray,
    *,
    sectors: Sequence[int],
    gear: int,
    turn: float,
    turn_ahead: float = 0.0,
    axis: tuple[float, float] = (0.0, 0.0),
) -> Part:
    """Displacement and stress (n, n_sector_nodes, 3 or 6) of sectors, put into the pinion's frame."""
    group = fields.SectorGroup.of(sector, sectors, gear=gear, axis=axis)
    out = fields.PlacedFields.empty(1, len(group.points), np.float64)
    group.place_frames(
        *(np.ascontiguousarray(np.moveaxis(np.asarray(one), 0, -1)[..., None]) for one in (displacement, stress)),
        turn=np.array([turn]),
        turn_ahead=np.array([turn_ahead]),
        out=out,
    )
    of_gear = np.full(len(group.cells), gear, dtype=np.uint8)
    return Part(
        points=out.points[0], cells=group.cells, displacement=out.displacement[0], stress=out.stress[0], gear=of_gear
    )


def joined(parts: Sequence[Part]) -> Part:
    """Parts beside each other without joining nodes: pinion and wheel of one frame."""
    start = np.cumsum([0, *(len(p.points) for p in parts[:-1])])
    return Part(
        points=np.concatenate([p.points for p in parts]),
        cells=np.concatenate([p.cells + n for p, n in zip(parts, start, strict=True)]),
        displacement=np.concatenate([p.displacement for p in parts]),
        stress=np.concatenate([p.stress for p in parts]),
        gear=np.concatenate([p.gear for p in parts]),
    )


def write(path: Path, part: Part) -> None:
    fields.write_field_frame(
        path,
        points=part.points,
        cells=fields.EncodedCells.of(part.cells, part.gear),
        displacement=part.displacement,
        stress=part.stress,
        von_mises=von_mises(part.stress),
    )
