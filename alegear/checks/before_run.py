"""What a run of a case would refuse once it has begun, as far as it is known before grids are made.

Grids made elsewhere are read and held against their gears. Asked by ``alegear check``: nothing here imports the
compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from alegear.case.analysis import ModalAnalysis, StaticAnalysis
from alegear.case.case import Case
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import CaseFault, CaseFaults, shown
from alegear.case.mesh_period import output_every
from alegear.case.sweep import SweepAnalysis
from alegear.checks.disk_space import check_disk, chunk_bytes, has_supports
from alegear.checks.environment import check_environment
from alegear.contact.face_grid import FaceGrid
from alegear.contact.hertz.slices import default_slices
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.microgeometry import FLANKS
from alegear.mesh.exchange import check_sector_fits, read_sector
from alegear.mesh.grid_options import GridOptions
from alegear.mesh.sector import SectorMesh
from alegear.reduction.memory import available_memory, check_memory, window_bytes
from alegear.results.contact_result import sample_bytes, sample_layout
from alegear.storage.recorded_samples import CHUNK


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


CURVES = 12.0  # numbers of a sample in memory together while a summary is made: time, phase, curves, harmonics
MOST_OF_LEAST = 10.0  # a whole reduction takes 1.4 to 5.7 times what its window takes at least


def result_bytes(case: Case, n_slots: int, n_slices: int, *, in_file: bool = True) -> float:
    """Estimate the memory that the results take [bytes].

    Of a static study all tooth pairs that come past, at every position, three times at the most, as measured: as
    recorded, as the dataset, and while that is written. A motion that is written to a file has a chunk of samples,
    three times while it is packed, and a few whole curves while the summary is made; without a file all samples, by
    slot of the window, twice. A sweep keeps whole curves of time and phase alone.

    Parameters
    ----------
    n_slots, n_slices : int
        Of the window, and across the face.
    in_file : bool
        Whether the results go to a file.
    """
    analysis = case.analysis
    if isinstance(analysis, ModalAnalysis):
        return 0.0  # frequencies and a few numbers a mode
    if isinstance(analysis, DynamicAnalysis):
        samples, sample = motion_size(case, n_slots, n_slices)
        if in_file or isinstance(analysis, SweepAnalysis):
            return 3.0 * CHUNK * sample + 8.0 * CURVES * samples
        return 2.0 * samples * sample
    samples, pairs = float(analysis.positions_per_pitch * analysis.pitches), float(analysis.pitches + n_slots)
    # load, root stress of 2 gears x 2 sides x 2 measures; 6 values a slice; 3 measures of a point on a tooth
    values = pairs * (9.0 + 6.0 * n_slices) + 3.0 * points_on_teeth(case)
    return 3.0 * 8.0 * samples * values


def motion_size(case: Case, n_slots: int, n_slices: int) -> tuple[float, float]:
    """Return the number of samples of a motion, and the size of one [bytes], without the stress point by point."""
    analysis = case.analysis
    assert isinstance(analysis, DynamicAnalysis)
    layout = sample_layout(n_slots, n_slices, supports=has_supports(case))
    return analysis.duration / output_every(case) + 2.0, sample_bytes(layout) + 24.0 * points_on_teeth(case)


def fewer_samples(case: Case, *, in_file: bool) -> str:
    """What makes the results smaller."""
    if not isinstance(case.analysis, DynamicAnalysis):
        return "take fewer positions_per_pitch or fewer pitches"
    fewer = "raise output_every_s or shorten duration_s"
    return fewer if in_file else f"{fewer}, or give out, the folder for a file of results"


def points_on_teeth(case: Case) -> float:
    """Places in the histories of the points: every point on all teeth that any of them is wanted on."""
    points = case.output.points
    teeth = {tooth for p in points for tooth in (range(case.pair.gears[p.number].z) if p.teeth is None else p.teeth)}
    return float(len(points) * len(teeth))


def check_before_meshing(
    case: Case, out: Path | None = None
) -> tuple[tuple[SectorMesh | None, SectorMesh | None], bool]:
    """Refuse what a run of the case would refuse once it has begun: grids, memory, disk.

    The memory of a reduction is known from its plan, and that from the grid. Where even a generous estimate from the
    numbers of elements fits, no grid needs to be made.

    Parameters
    ----------
    case : Case
    out : Path, optional
        Folder of the results, there or not yet. Default: the folder one is in.

    Returns
    -------
    sectors : (SectorMesh or None, SectorMesh or None)
        The grids made elsewhere.
    fits : bool
        Whether the reduction surely fits into the memory: else :func:`alegear.studies.preparation.plan_pair` tells.

    Raises
    ------
    Fault
    """
    check_environment()
    sectors = given_sectors(case)
    n_pairs, n_slices = sizes_before_meshing(case, sectors)
    check_disk(chunk_bytes(case, n_pairs, n_slices, points_on_teeth(case)), out or Path())
    both = case.law == "hertz" and back_flanks_can_touch(case)
    results = result_bytes(case, n_pairs, n_slices)
    check_memory({"results": results}, {"results": fewer_samples(case, in_file=True)})
    least = sum(
        0.0 if options is None else _least_reduction_bytes(options, gear.z, n_pairs, both=both)
        for options, gear in zip(case.grid_options, case.pair.gears, strict=True)
    )
    given = any(sector is not None for sector in sectors)
    return sectors, not given and MOST_OF_LEAST * least + results <= available_memory()


def sizes_before_meshing(case: Case, sectors: Sequence[SectorMesh | None]) -> tuple[int, int]:
    """Slots of the window and slices of the face, known before the grids that are not made elsewhere."""
    both = case.law == "hertz" and back_flanks_can_touch(case)
    across = min(
        [options.width_elements for options in case.grid_options if options is not None]
        + [sector.flank_a.shape[1] - 1 for sector in sectors if sector is not None]
    )
    return window_pairs(case, both), case.slices or default_slices(case.pair, across)


def _least_reduction_bytes(options: GridOptions, teeth: int, slots: int, *, both: bool) -> float:
    """Estimate what the window of a wheel takes at least [bytes], from the numbers of its elements."""
    across = options.width_elements + 1
    n_c = 3 * (options.rim_elements + 1) * across
    n_f = 3 * (options.flank_elements + options.upper_fillet_elements + 1) * across * (1 + both)
    return window_bytes(n_c, n_f, slots, teeth, closed=True, classes=2)


def is_segment(case: Case) -> bool:
    return any(teeth is not None for teeth in case.teeth_modelled)


def back_flanks_can_touch(case: Case) -> bool:
    """Whether the back flanks need to be part of the contact: always in motion, else where material is in the way."""
    if isinstance(case.analysis, DynamicAnalysis):
        return True
    added = sum(_most_added(gear) for gear in case.pair.gears)
    clearance = case.pair.j_bn
    return 2.0 * added > max(clearance, 0.0)


def _most_added(gear: CylindricalGear) -> float:
    """Material that the microgeometry adds to a flank at most [m]."""
    profile = gear.tooth_profile
    roll = np.linspace(profile.roll_length_form, profile.roll_length_tip, 65)
    z = np.linspace(-0.5 * gear.b, 0.5 * gear.b, 33)
    kinds = product(FLANKS, gear.different_teeth)
    least = min(float(gear.flank_removal(roll[:, None], z, flank, tooth).min()) for flank, tooth in kinds)
    return max(-least, 0.0) + float(np.abs(gear.pitch_deviation).max())  # a displaced tooth has more on one flank


def window_pairs(case: Case, both_flanks: bool) -> int:
    """Slots of the window: forced by the case, else from the contact ratio; odd and within the segment for one."""
    needed = case.window_pairs or case.pair.pairs_needed + both_flanks
    fewest = min(
        gear.z if modelled is None else modelled
        for gear, modelled in zip((case.pair.pinion, case.pair.wheel), case.teeth_modelled, strict=True)
    )
    if is_segment(case) and case.window_pairs is None:
        needed = min(needed + (needed + 1) % 2, fewest)
    if needed > fewest:
        raise Fault(
            "window_pairs", needed, f"at most {fewest}, the teeth modelled", "reduce window_pairs or model more teeth"
        )
    return needed
