"""Summaries of modal studies: of the wheels of a pair and of the pair, and of a machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from alegear._version import __version__
from alegear.arrays import Array
from alegear.results.dataset import ResultArrays

LEAST_SHARE = 0.01  # of the energy of a mode that a summary lists
#: Frequencies that differ by less are the same; damping ratios below are none.
SAME = 1e-9


def turning_changes(still: ArrayLike, turning: ArrayLike, damping_ratio: ArrayLike) -> bool:
    """Whether rotation or damping change any mode, by frequencies (m,) and (k,) [Hz] and damping ratios (k,)."""
    f, g, zeta = (np.asarray(one, dtype=np.float64) for one in (still, turning, damping_ratio))
    return bool(f.shape != g.shape or np.any(np.abs(g - f) > SAME * np.abs(f)) or np.any(np.abs(zeta) > SAME))


def modal_summary(history: ResultArrays, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Build ``summary.json`` of a modal study of a pair, of the variables of PAIR_MODES."""
    values = history.values
    return {
        "analysis": "modal",
        "mesh_stiffness_N_per_um": 1e-6 * values["mesh_stiffness"],
        "mesh_natural_frequency_Hz": values["mesh_frequency"],
        "mesh_natural_frequency_fixed_axes_Hz": values["fixed_axis_mesh_frequency"],
        **history.facts,
        "pair_frequency_Hz": values["pair_frequency"].tolist(),
        **_by_gear(history),
        "version": __version__,
        **facts,
    }


def machine_modes_summary(modes: ResultArrays, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Build ``summary.json`` of a modal study of a machine, of the variables of MACHINE_MODES."""
    values, parts, sets = modes.values, modes.labels["part"], modes.labels.get("planetary_set", ())
    return {
        "analysis": "modal",
        "machine": True,
        "modes": [
            {
                "frequency_Hz": float(frequency),
                "energy_share": _listed(parts, values["energy_share"][k]),
                **({"kind": dict(zip(sets, values["kind"][k].tolist(), strict=True))} if sets else {}),
            }
            for k, frequency in enumerate(values["frequency"])
        ],
        "turning_modes": [
            {
                "frequency_Hz": float(frequency),
                "damping_ratio": float(values["damping_ratio"][k]),
                "whirl": float(values["whirl"][k]),
                "energy_share": _listed(parts, values["turning_energy_share"][k]),
            }
            for k, frequency in enumerate(values["turning_frequency"])
        ],
        **(_by_gear(modes) if "held_frequency" in values else {}),
        "version": __version__,
        **facts,
    }


def _by_gear(history: ResultArrays) -> dict[str, Any]:
    """Modes of wheels, of the variables of MODES_OF_WHEELS."""
    return {
        f"{name}_{key}": dict(
            zip(history.labels["gear"], np.asarray(history.values[f"{name}_{of}"]).tolist(), strict=True)
        )
        for of, key in (("frequency", "frequency_Hz"), ("nodal_diameter", "nodal_diameter"))
        for name in ("held", "free")
    }


def _listed(parts: Sequence[str], shares: Array) -> dict[str, float]:
    """Shares that say something, from a hundredth on."""
    return {part: float(share) for part, share in zip(parts, shares, strict=True) if share >= LEAST_SHARE}
