"""What a sweep over the speed found: response of the pair by stretches of pitches, as a dataset and as a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.results.summary import RunFacts, run_facts

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

#: Name: further dimensions, unit, long name.
VARIABLES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "time": ((), "s", "time in the middle of the stretch"),
    "pinion_speed": ((), "rad/s", "mean speed of the pinion"),
    "mesh_frequency": ((), "Hz", "mean mesh frequency"),
    "way": ((), "1", "1 on the way to the last speed, -1 on the way back"),
    "transmission_error_mean": ((), "m", "mean transmission error, negative under load"),
    "transmission_error_rms": ((), "m", "root mean square of the transmission error about its mean"),
    "transmission_error_peak_to_peak": ((), "m", "largest less smallest transmission error"),
    "transmission_error_order": (("order",), "m", "amplitude of an order of the mesh in the transmission error"),
    "parted": ((), "1", "part of the time in which no tooth pair carries load"),
    "tooth_load_factor": ((), "1", "largest tooth load over the largest at rest under the same torque"),
    "root_stress_factor": (("gear",), "1", "largest von Mises root stress over the largest at rest"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class SweepHistory:
    """Response over n stretches of whole pitches; the names are those of :data:`VARIABLES`.

    Parameters
    ----------
    orders : shape (m,)
        Of the mesh.
    time, pinion_speed, mesh_frequency, way : shape (n,) [s, rad/s, Hz, 1]
    transmission_error_mean, transmission_error_rms, transmission_error_peak_to_peak, parted : shape (n,) [m, m, m, 1]
    transmission_error_order : shape (n, m) [m]
    tooth_load_factor : shape (n,)
        NaN for a pair that idles.
    root_stress_factor : shape (n, 2)
        Of pinion and wheel, likewise.
    """

    orders: Floats
    time: Floats
    pinion_speed: Floats
    mesh_frequency: Floats
    way: Floats
    transmission_error_mean: Floats
    transmission_error_rms: Floats
    transmission_error_peak_to_peak: Floats
    transmission_error_order: Floats
    parted: Floats
    tooth_load_factor: Floats
    root_stress_factor: Floats


def sweep_dataset(
    history: SweepHistory, *, title: str = "", case_sha256: str = "", complete: bool = True
) -> xr.Dataset:
    """Build the dataset of ``result.nc``, dimension ``point``, SI units."""
    import xarray as xr

    data = {
        name: (("point", *dims), np.asarray(getattr(history, name), dtype=float), {"units": units, "long_name": text})
        for name, (dims, units, text) in VARIABLES.items()
    }
    coords = {
        "order": ("order", history.orders, {"units": "1", "long_name": "order of the mesh"}),
        "gear": ("gear", ["pinion", "wheel"], {"units": "1", "long_name": "gear"}),
    }
    attrs = {
        "title": title,
        "source": f"alegear {__version__}",
        "version": __version__,
        "case_sha256": case_sha256,
        "complete": int(complete),
        "analysis": "sweep",
    }
    return xr.Dataset(data, coords=coords, attrs=attrs)


def sweep_summary(history: SweepHistory, facts: RunFacts) -> dict[str, Any]:
    """Build ``summary.json``: the largest responses of each way, and where."""
    summary: dict[str, Any] = {"analysis": "sweep"}
    for name, sign in (("there", 1.0), ("back", -1.0)):
        here = np.flatnonzero(history.way == sign)
        if not here.size:
            continue
        largest = here[history.transmission_error_rms[here].argmax()]
        summary[name] = {
            "te_rms_max_um": 1e6 * float(history.transmission_error_rms[largest]),
            "at_mesh_frequency_Hz": float(history.mesh_frequency[largest]),
            "at_pinion_speed_rpm": float(history.pinion_speed[largest]) * 30.0 / np.pi,
            "tooth_load_factor_max": _largest(history.tooth_load_factor[here]),
            "root_stress_factor_max": {
                gear: _largest(history.root_stress_factor[here, i]) for i, gear in enumerate(("pinion", "wheel"))
            },
            "parted_max": float(history.parted[here].max()),
        }
    return summary | run_facts(facts)


def _largest(values: Floats) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else None
