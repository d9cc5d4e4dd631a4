"""What a sweep over the speed found: response of the pair by stretches of pitches, as a dataset and as a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.contact.numbering import GEARS
from alegear.results._variables import AXES
from alegear.results.linear_response import REFERENCE, LinearResponse, difference, parting
from alegear.results.run_up_rate import run_up_seconds
from alegear.results.summary import RunFacts, run_facts

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

#: Name: further dimensions, unit, long name.
VARIABLES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "time": ((), "s", "time in the middle of the stretch"),
    "pinion_speed": ((), "rad/s", "mean speed of the pinion"),
    "mesh_frequency": ((), "Hz", "mean mesh frequency"),
    "direction": ((), "1", "1 in the run-up, -1 in the run-down"),
    "transmission_error_mean": ((), "m", "mean transmission error, negative under load"),
    "transmission_error_rms": ((), "m", "root mean square of the transmission error about its mean"),
    "transmission_error_peak_to_peak": ((), "m", "largest less smallest transmission error"),
    "transmission_error_order": (("order",), "m", "amplitude of an order of the mesh in the transmission error"),
    "contact_loss_share": ((), "1", "part of the time in which no tooth pair carries load"),
    "tooth_load_factor": ((), "1", "largest tooth load over the largest at rest under the same torque"),
    "root_stress_factor": (("gear",), "1", "largest von Mises root stress over the largest at rest"),
    "bearing_force_order": (
        ("order", "gear", "axis"),
        "N",
        "amplitude of an order in the bearing force, of the gear on its bearing",
    ),
    "bearing_displacement_order": (
        ("order", "gear", "axis"),
        "m",
        "amplitude of an order in the displacement of a gear",
    ),
}


#: Names of the directions of the speed in the summary.
DIRECTIONS = {"run-up": 1.0, "run-down": -1.0}


@dataclass(frozen=True, kw_only=True, eq=False)
class SweepHistory:
    """Response over n stretches of whole pitches; the names are those of :data:`VARIABLES`.

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
    coords: dict[str, Any] = {"gear": ("gear", list(GEARS), {"units": "1", "long_name": "gear"})}
    if linear is not None:
        more, further = linear.entries(pair=True)
        data, coords = data | more, coords | further
    elif reference is not None:
        more, further = reference.entries(pair=True, names=REFERENCE)
        data, coords = data | more, coords | further
    if history is not None:
        data |= {
            name: (("point", *dims), np.asarray(values, dtype=float), {"units": units, "long_name": text})
            for name, (dims, units, text) in VARIABLES.items()
            if (values := getattr(history, name)) is not None
        }
        coords["order"] = ("order", history.orders, {"units": "1", "long_name": "order of the mesh"})
        if history.bearing_force_order is not None:
            coords["axis"] = ("axis", list(AXES), {"units": "1", "long_name": "axis of the pinion's frame"})
    if history is not None and linear is not None:
        told = "amplitude of the motion over that of the linearised response, less 1"
        apart = response_difference(history, linear)
        data["response_difference"] = (("point", "linear_order"), apart, {"units": "1", "long_name": told})
    attrs = {
        "title": title,
        "source": f"alegear {__version__}",
        "version": __version__,
        "case_sha256": case_sha256,
        "complete": int(complete),
        "analysis": "sweep",
    }
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
