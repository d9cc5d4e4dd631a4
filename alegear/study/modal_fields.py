"""Shapes of the wheels' modes, bore held, for pictures: displacement and stress, one file a mode."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from alegear.contact.numbering import GEARS, PINION, WHEEL
from alegear.fe.assembly import FEModel
from alegear.fe.stress import nodal_stresses
from alegear.results.fields import FOLDER, SERIES, SectorGroup, write_part, write_series

if TYPE_CHECKING:
    from alegear.study.modal import ModalStudy
    from alegear.study.progress import Progress

#: Largest displacement in a file [modules]: modes have no amplitude of their own, and this one is plain to see.
LARGEST = 0.5


def write_mode_fields(directory: Path, study: ModalStudy, progress: Progress) -> None:
    """Write ``fields/pinion_mode_01.vtu`` and so on below a result folder, the whole wheel of each mode, and a series.

    The largest displacement is half a module; the stress is that which belongs to it.

    Raises
    ------
    StorageFailure
        If a file cannot be written.
    """
    folder = directory / FOLDER
    folder.mkdir(exist_ok=True)
    n = study.analysis.n_modes
    series: list[tuple[float, str]] = []
    for gear in (PINION, WHEEL):
        modes = study.held[gear]
        sector = modes.sector
        model = FEModel.from_mesh(sector.volume, modes.material)
        axis = (0.0 if gear == PINION else study.case.pair.a_w, 0.0)
        group = SectorGroup.of(sector, range(sector.teeth), gear=gear, axis=axis)
        teeth = np.arange(sector.teeth)
        for mode in range(n):
            one = modes.subset([mode])
            u = np.concatenate([one.of_tooth(int(k)) for k in teeth])
            u *= LARGEST * study.case.pair.pinion.m_n / np.linalg.norm(u, axis=2).max()
            part = group.place(u, nodal_stresses(model, u), turn=0.0, turn_ahead=0.0)
            name = f"{GEARS[gear]}_mode_{mode + 1:02d}.vtu"
            write_part(folder / name, part)
            series.append((float(len(series) + 1), name))
            progress.advance(len(series), 2 * n)
    write_series(folder / SERIES, series)
