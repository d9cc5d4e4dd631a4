"""What a sweep over the speed found: response of the pair by stretches of pitches, as a dataset and as a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.numbering import GEARS
from alegear.results.dataset import coordinates, global_attributes
from alegear.results.linear_response import REFERENCE, LinearResponse, difference, parting
from alegear.results.run_up_rate import run_up_seconds
from alegear.results.summary import RunFacts, run_facts
from alegear.results.variables import AXES, PAIR_SWEEP, RESPONSE_DIFFERENCE

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]


#: Names of the directions of the speed in the summary.
DIRECTIONS = {"run-up": 1.0, "run-down": -1.0}


@dataclass(frozen=True, kw_only=True, eq=False)
class SweepHistory:
    """Response over n stretches of whole pitches; the names are those of :data:`~alegear.results.variables.PAIR_SWEEP`.

    Parameters
    ----------
    orders : shape (m,)
        Of the mesh.
    time, pinion_speed, mesh_frequency, direction : shape (n,) [s, rad/s, Hz, 1]
    transmission_error_mean, transmission_error_rms, transmission_error_peak_to_peak : shape (n,) [m]
    contact_loss_share : shape (n,)
    transmission_error_order : shape (n, m) [m]
    tooth_load_factor : shape (n,)
        NaN for a pair that idles.
    root_stress_factor : shape (n, 2)
        Of pinion and wheel, likewise.
    bearing_force_order, bearing_displacement_order : shape (n, m, 2, 3) or None [N, m]
        Of pinion and wheel in space; None of a mesh of a machine, which has bearings of its own, and of displacements
        where gears stand on fixed axes.
    """

    orders: Floats
    time: Floats
    pinion_speed: Floats
    mesh_frequency: Floats
    direction: Floats
    transmission_error_mean: Floats
    transmission_error_rms: Floats
    transmission_error_peak_to_peak: Floats
    transmission_error_order: Floats
    contact_loss_share: Floats
    tooth_load_factor: Floats
    root_stress_factor: Floats
    bearing_force_order: Floats | None = None
    bearing_displacement_order: Floats | None = None


def sweep_dataset(
    history: SweepHistory | None,
    linear: LinearResponse | None = None,
    *,
    reference: LinearResponse | None = None,
    title: str = "",
    case_sha256: str = "",
    complete: bool = True,
) -> xr.Dataset:
    """Build the dataset of ``result.nc``: the motion over ``point``, the linearised response over ``speed``; SI units.

    Of a `reference` only the static orders and the modes: :data:`alegear.results.linear_response.REFERENCE`.
    """
    import xarray as xr

    data: dict[str, Any] = {}
    coords = coordinates({"gear": GEARS})
    if linear is not None:
        more, further = linear.entries(pair=True)
        data, coords = data | more, coords | further
    elif reference is not None:
        more, further = reference.entries(pair=True, names=REFERENCE)
        data, coords = data | more, coords | further
    if history is not None:
        data |= {
            name: of.entry(np.asarray(values, dtype=float), "point")
            for name, of in PAIR_SWEEP.items()
            if (values := getattr(history, name)) is not None
        }
        coords |= coordinates({"order": history.orders})
        if history.bearing_force_order is not None:
            coords |= coordinates({"axis": AXES}, axis="axis of the pinion's frame")
    if history is not None and linear is not None:
        data["response_difference"] = RESPONSE_DIFFERENCE.entry(response_difference(history, linear), "point")
    attrs = global_attributes("sweep", title=title, case_sha256=case_sha256, complete=complete)
    return xr.Dataset(data, coords=coords, attrs=attrs)


def response_difference(history: SweepHistory, linear: LinearResponse) -> Floats:
    """Motion over linearised response less one in the orders 1, 2, ... of the transmission error, shape (n, m)."""
    return difference(history.transmission_error_order[:, history.orders >= 1.0], linear.at(history.pinion_speed)[:, 0])


def sweep_summary(
    history: SweepHistory | None,
    facts: RunFacts,
    linear: LinearResponse | None = None,
    reference: LinearResponse | None = None,
) -> dict[str, Any]:
    """Build ``summary.json``: the largest responses of run-up and run-down, and where; where two answers part."""
    summary: dict[str, Any] = {"analysis": "sweep"}
    if linear is not None:
        (summary["linear"],) = linear.told().values()
        summary["run_up_needed_s"] = run_up_seconds(linear)
    if (known := linear or reference) is not None:
        summary["natural_frequency_Hz"] = known.natural_frequency.tolist()
    for name, sign in DIRECTIONS.items():
        if history is None:
            break
        here = np.flatnonzero(history.direction == sign)
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
            "contact_loss_share_max": float(history.contact_loss_share[here].max()),
        }
        if linear is not None:
            apart, loss = response_difference(history, linear)[here], history.contact_loss_share[here]
            summary[name]["nonlinear_ranges"] = parting(history.pinion_speed[here], apart, loss)
    return summary | run_facts(facts)


def _largest(values: Floats) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else None
