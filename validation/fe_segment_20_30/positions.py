"""A position of a pair under load as the finite element references tell it; `fe_helical_20_30` has the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

Array = NDArray[np.float64]

LABELS = (1, 0, -1)
STRESSES = ("pinion_tension", "pinion_compression", "wheel_tension", "wheel_compression")
STRESS_LIMIT = 1.03  # the references are of finite grids; extrapolated over them root stresses grow by this factor


@dataclass(frozen=True, kw_only=True, eq=False)
class Position:
    """Transmission error [um], loads of pairs 1, 0, -1 [N] and stresses in the order of STRESSES [MPa] at a phase."""

    phase: float
    error: float
    loads: Array
    stresses: Array

    @classmethod
    def expected(cls, row: dict[str, str], error: float) -> Position:
        """Of a row of ``expected.csv``, with its transmission error extrapolated over the grid [um]."""
        return cls(
            phase=float(row["phase"]),
            error=error,
            loads=np.array([float(row[f"load_pair{k}_N"]) for k in LABELS]),
            stresses=STRESS_LIMIT * np.array([float(row[f"{name}_MPa"]) for name in STRESSES]),
        )

    @classmethod
    def computed(cls, data: xr.Dataset, phase: float) -> Position:
        """Of a result, at the position next to a phase."""
        here = at_phase(data, phase)
        return cls(
            phase=float(here.phase),
            error=-1e6 * float(here.transmission_error),
            loads=here.tooth_load.reindex(pair=list(LABELS), fill_value=0.0).values + 0.0,  # no minus zero
            stresses=1e-6 * here.root_stress.max("pair").values.reshape(-1),
        )


def at_phase(data: xr.Dataset, phase: float) -> xr.Dataset:
    """The position of a result next to a phase."""
    return data.isel(position=int(np.abs(data.phase.values - phase).argmin()))
