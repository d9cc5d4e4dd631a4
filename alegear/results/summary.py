"""The entries of ``summary.json``: flat, with the unit in the key; what was not computed is null."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.results import signals
from alegear.results._variables import GEARS, SIDES

Floats = NDArray[np.float64]
STAGES = ("mesh", "reduce", "solve", "write", "total")


@dataclass(frozen=True, kw_only=True)
class RunFacts:
    """What a summary says beyond the history.

    Parameters
    ----------
    contact_ratio_nominal : float
        Transverse contact ratio of the usable flanks (tip and root form circles).
    contact_ratio_tip_circles : float or None
        Transverse contact ratio between the tip circles; larger than the nominal one for undercut teeth.
    dof_full, dof_boundary : int
        Degrees of freedom of both wheels before and after the reduction.
    seconds : dict of float [s]
        Wall time of the stages ``mesh``, ``reduce``, ``solve``, ``write``, ``total``.
    case_sha256 : str
    complete : bool
    extra : dict
        Further entries (numbers, strings) to add.
    """

    contact_ratio_nominal: float
    contact_ratio_tip_circles: float | None = None
    dof_full: int
    dof_boundary: int
    seconds: dict[str, float] = field(default_factory=dict)
    case_sha256: str = ""
    complete: bool = True
    extra: dict[str, Any] = field(default_factory=dict)


def te_and_stiffness(transmission_error: Floats, mesh_stiffness: Floats) -> dict[str, Any]:
    """Return mean (signed) and peak to peak of the transmission error, and the mesh stiffness."""
    return {
        "te_mean_um": _number(signals.mean(transmission_error), 1e6),
        "te_peak_to_peak_um": _number(signals.peak_to_peak(transmission_error), 1e6),
        "mesh_stiffness_mean_N_per_um": _number(signals.mean(mesh_stiffness), 1e-6),
        "mesh_stiffness_min_N_per_um": _number(-_largest(-mesh_stiffness), 1e-6),
        "mesh_stiffness_max_N_per_um": _number(_largest(mesh_stiffness), 1e-6),
    }


def load_and_stress(history: Any, window: slice, facts: RunFacts) -> dict[str, Any]:
    """Return contact ratios and the greatest load, pressure and root stress (over all positions or times)."""
    ratios: dict[str, Any] = {"contact_ratio_nominal": _number(facts.contact_ratio_nominal)}
    if facts.contact_ratio_tip_circles is not None:
        ratios["contact_ratio_tip_circles"] = _number(facts.contact_ratio_tip_circles)
    return ratios | {
        "contact_ratio_loaded": _number(signals.loaded_contact_ratio(history.tooth_load[window])),
        "tooth_load_max_N": _number(_largest(history.tooth_load)),
        "contact_pressure_max_MPa": _number(_largest(history.contact_pressure), 1e-6),
        "root_stress_max_MPa": {
            gear: {side: _number(_largest(history.root_stress[:, g, :, s]), 1e-6) for s, side in enumerate(SIDES)}
            for g, gear in enumerate(GEARS)
        },
    }


def run_facts(facts: RunFacts) -> dict[str, Any]:
    """Return sizes, seconds and the identity of the run."""
    return {
        "dof_full": int(facts.dof_full),
        "dof_boundary": int(facts.dof_boundary),
        "seconds": {stage: _number(facts.seconds.get(stage, 0.0)) for stage in STAGES},
        "version": __version__,
        "case_sha256": facts.case_sha256,
        "complete": bool(facts.complete),
        **facts.extra,
    }


def _largest(values: Floats) -> float:
    """Return the largest finite value; NaN if there is none (``nanmax`` would warn)."""
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else math.nan


def _number(value: float, factor: float = 1.0) -> float | None:
    """Return ``value * factor``, or None where JSON has no number for it."""
    return float(value) * factor if math.isfinite(value) else None
