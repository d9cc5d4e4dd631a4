"""Room on the disk that a motion takes, estimated before it begins.

A motion is written while it goes on: chunks of samples, and at the end ``result.nc`` of the same size beside them.
Static studies and sweeps are small against them.
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from alegear.case.dynamic import DynamicAnalysis
from alegear.case.mesh_period import output_every
from alegear.case.sweep import SweepAnalysis
from alegear.errors import Fault
from alegear.results.contact_result import sample_layout
from alegear.results.variables import OF_MOTION

if TYPE_CHECKING:
    from alegear.case.case import Case

logger = logging.getLogger(__name__)

#: What is left of the numbers that are not 0 when they are deflated: 0.35 to 0.67 in five motions of validation and
#: tests, the least where the output times meet the same places of every pitch.
PACKED = 0.7


def chunk_bytes(case: Case, n_slots: int, n_slices: int, places: float) -> float:
    """Estimate the size of the chunks of a motion, and of its ``result.nc`` [bytes]; 0 for other studies.

    Of what stands by slot of the window and slice of the face only the pairs in contact differ from 0, as many in the
    mean as the total contact ratio says.

    Parameters
    ----------
    case : Case
    n_slots, n_slices : int
    places : float
        Points on teeth whose stress and motion are recorded, times the teeth.
    """
    analysis = case.analysis
    if not isinstance(analysis, DynamicAnalysis) or isinstance(analysis, SweepAnalysis):
        return 0.0
    carrying = min(float(case.pair.eps_gamma) / n_slots, 1.0)
    sample = 3.0 * 8.0 * places
    for name, kind in sample_layout(n_slots, n_slices, supports=has_supports(case)).items():
        by_contact = name in OF_MOTION and {"slot", "slice"} <= set(OF_MOTION[name].dims)
        sample += 8.0 * float(np.prod(kind.shape)) * (carrying if by_contact else 1.0)
    return PACKED * sample * (analysis.duration / output_every(case) + 2.0)


def check_disk(chunks: float, out: Path | None, *, written: float = 0.0) -> float:
    """Refuse a motion for whose samples there is no room on the disk.

    Parameters
    ----------
    chunks : float [bytes]
        Size of :func:`chunk_bytes`.
    out : Path, optional
        Folder of the results, there or not yet. Default: the samples stay in memory.
    written : float [bytes]
        Of the chunks, what a run that is resumed finds there.

    Returns
    -------
    float [bytes]
        Size that the run will add.

    Raises
    ------
    Fault
    """
    if out is None:
        return 0.0
    needed, place = max(chunks - written, 0.0) + chunks, _existing(out)
    free = float(shutil.disk_usage(place).free)
    logger.info("disk: about %.0f MB of %.0f MB free in %s", 1e-6 * needed, 1e-6 * free, place)
    if needed > free:
        raise Fault(
            "disk space needed [MB]",
            f"{1e-6 * needed:.0f} (samples on the way, and result.nc)",
            f"at most {1e-6 * free:.0f}, what is free in {place}",
            "raise output_every_s or shorten duration_s, free some space, or choose another --out",
        )
    return needed


def has_supports(case: Case) -> bool:
    """Whether a gear stands on a support that gives way."""
    return any(support is not None for support in case.supports)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    folder = folder.absolute()
    return next(path for path in (folder, *folder.parents) if path.is_dir())
