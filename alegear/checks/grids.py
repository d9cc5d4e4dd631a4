"""Sector grids made elsewhere, read and held against the gears of a case: `check` and a run refuse the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from alegear.case.analysis import ModalAnalysis, StaticAnalysis
from alegear.case.case import Case
from alegear.case.faults import CaseFault, CaseFaults, shown
from alegear.contact.face_grid import FaceGrid
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.mesh.exchange import check_sector_fits, read_sector
from alegear.mesh.sector import SectorMesh


def given_sectors(case: Case) -> tuple[SectorMesh | None, SectorMesh | None]:
    """Read the sector grids made elsewhere; None where the gear is meshed here.

    Raises
    ------
    CaseFaults
        With the key of every grid that does not fit its gear or the case.
    """
    sectors: list[SectorMesh | None] = []
    faults = []
    for name, path, gear in zip(GEARS, case.grid_files, case.pair.gears, strict=True):
        sectors.append(None)
        if path is None:
            continue
        try:
            sectors[-1] = _sector(path, gear, case)
        except Fault as fault:
            limit = f"{fault.quantity} = {fault.value} must be {fault.limit}"
            file = str(case.path or "case")
            faults.append(CaseFault(file, f"{name}.grid.file", shown(str(path)), limit, fault.remedy))
    if faults:
        raise CaseFaults(faults)
    return sectors[0], sectors[1]


def _sector(path: Path, gear: CylindricalGear, case: Case) -> SectorMesh:
    sector = read_sector(path, gear.z, gear.twist)
    check_sector_fits(sector, gear, path)
    for flank in ("a", "b"):
        FaceGrid.of(gear, sector, flank)
    if case.law == "penalty" and sector.order == 2:
        raise Fault(
            f"order of the elements of {path}", 2, '1 with law = "penalty"', 'write law = "hertz", or mesh with order 1'
        )
    analysis = case.analysis
    if not isinstance(analysis, StaticAnalysis):
        wanted = max(analysis.normal_modes, analysis.n_modes if isinstance(analysis, ModalAnalysis) else 0)
        most = 3 * (sector.volume.n_nodes - len(np.unique(sector.bore))) // 4
        if wanted > most:
            limit = f"at most {most}, a quarter of the displacements of the sector of {path}"
            raise Fault("number of modes", wanted, limit, "ask for fewer (normal_modes, n_modes), or a finer grid")
    return sector
