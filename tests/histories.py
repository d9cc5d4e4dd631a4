"""Histories made of closed forms, for the tests of datasets, summaries and files."""

from __future__ import annotations

from typing import Any

import numpy as np

from alegear._version import __version__
from alegear.results.contact_result import ContactHistory
from alegear.results.dataset import Identity

PAIRS = np.arange(-1, 2)
SLICES = np.linspace(-0.01, 0.01, 4)
CASE = Identity(title="made up", case_sha256="ab" * 32)
FACTS = {
    "contact_ratio_nominal": 1.5,
    "contact_ratio_tip_circles": 1.6,
    "contact_ratio_total": 2.5,
    "dof_full": 1000,
    "dof_boundary": 100,
    "seconds": {"mesh": 1.0, "reduce": 2.0, "solve": 3.0, "write": 0.5, "total": 7.0},
    "version": __version__,
    "case_sha256": CASE.case_sha256,
    "complete": True,
}


def common(phase: np.ndarray) -> dict[str, np.ndarray]:
    """Pair 0 loaded all the time, pair 1 in the second half of each pitch."""
    n = len(phase)
    tooth_load = np.zeros((n, 3))
    tooth_load[:, 1] = 1000.0
    tooth_load[np.mod(phase, 1.0) >= 0.5, 2] = 500.0
    stress = np.zeros((n, 2, 3, 2))
    stress[:] = 1e6 * np.array([[1.0, 2.0], [3.0, 4.0]])[None, :, None, :]
    stress[:, :, 0, :] = np.nan
    line_load = np.repeat(tooth_load[:, :, None] / 0.02, 4, axis=2)
    touching = np.where(line_load > 0.0, 1.0, np.nan)
    return {
        "phase": phase,
        "transmission_error": -20e-6 + 2e-6 * np.cos(2.0 * np.pi * phase) + 0.5e-6 * np.sin(6.0 * np.pi * phase),
        "mesh_stiffness": 400e6 + 50e6 * np.cos(2.0 * np.pi * phase),
        "pairs": PAIRS,
        "slice_position": SLICES,
        "tooth_load": tooth_load,
        "line_load": line_load,
        "contact_pressure": np.repeat(1e4 * tooth_load[:, :, None], 4, axis=2),
        "edge_pressure": np.zeros((n, len(PAIRS), 4)),
        "contact_half_width": 1e-4 * touching,
        "contact_shear_stress": 0.3 * 1e7 * touching,
        # 12 mm a pitch, 8 mm at the pitch point
        "contact_roll_length": touching * (8e-3 + 12e-3 * (phase[:, None] - PAIRS))[:, :, None],
        "contact_force": np.tile([-1000.0, 200.0, -300.0], (n, 1)),
        "contact_moment": np.tile([1.0, 2.0, -40.0], (n, 1)),
        "flank_limit": np.array([[2e-3, 20e-3], [18e-3, 3e-3]]),
        "root_stress": stress,
        "root_stress_principal": -stress,
    }


def static_history(positions_per_pitch: int = 32, pitches: int = 1) -> ContactHistory:
    return at_phases(-0.5 + np.arange(positions_per_pitch * pitches) / positions_per_pitch)


def at_phases(phase: np.ndarray, **changes: Any) -> ContactHistory:
    values = common(phase) | changes
    places = {name: values.pop(name) for name in ("pairs", "slice_position", "flank_limit")}
    places |= {name: values.pop(name) for name in ("root_fillet",) if name in values}
    return ContactHistory.of(values, **places)


def dynamic_history(n: int = 201) -> ContactHistory:
    time = np.linspace(0.0, 0.02, n)
    phase = 500.0 * time
    motion = np.ones((n, 2))
    values = common(phase)
    others = {name: values.pop(name) for name in ("slice_position", "flank_limit")}
    return ContactHistory.of(
        {
            "time": time,
            "slot_pair": np.tile(values.pop("pairs"), (n, 1)),  # a window in which all pairs stay
            "angle": motion * phase[:, None],
            "speed": motion,
            "acceleration": 0.0 * motion,
            "bearing_force": np.ones((n, 2, 3)),
            "energy_input": phase,
            "energy_kinetic": phase,
            "energy_elastic": phase,
            "energy_dissipated": phase,
            "energy_dissipated_outside": 0.0 * phase,
            **values,
        },
        **others,
    )
