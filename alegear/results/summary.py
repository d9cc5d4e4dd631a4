"""The entries of ``summary.json``: flat, with the unit in the key; what was not computed is null."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from alegear.arrays import Array
from alegear.contact.numbering import GEARS
from alegear.results import signals
from alegear.results.point_places import PointPlaces
from alegear.results.root_fillet import StressRange
from alegear.results.variables import AXES, SIDES
from alegear.storage.recorded_samples import Samples, blocks

HARMONICS = 5  # of the transmission error
#: Part of the power that friction takes at least; below it damping and round-off are left.
LEAST_LOSS = 1e-5
#: Stages of a run whose wall time a summary has.
STAGES = ("mesh", "reduce", "solve", "write", "total")


def te_and_stiffness(samples: Samples, window: slice) -> dict[str, Any]:
    """Return mean (signed), peak to peak and harmonics of the transmission error, and the mesh stiffness."""
    begin, end, _ = window.indices(len(samples))
    # with the sample before the window, so that steps which do not divide the pitch reach over whole pitches too
    before = max(begin - 1, 0)
    transmission_error = samples.read("transmission_error", before, end)
    _, harmonics = signals.mesh_harmonics(samples.read("phase", before, end), transmission_error, HARMONICS)
    transmission_error = transmission_error[begin - before :]
    swing = signals.peak_to_peak(transmission_error)
    if "transmission_error_low" in samples.layout:  # of a motion: those of all steps
        low, high = (samples.read(f"transmission_error_{name}", begin, end) for name in ("low", "high"))
        swing = largest_finite(high) + largest_finite(-low)
    mesh_stiffness = samples.read("mesh_stiffness", begin, end)
    return {
        "te_mean_um": number(signals.mean(transmission_error), 1e6),
        "te_peak_to_peak_um": number(swing, 1e6),
        "te_harmonics_um": [number(amplitude, 1e6) for amplitude in harmonics],
        "mesh_stiffness_mean_N_per_um": number(signals.mean(mesh_stiffness), 1e-6),
        "mesh_stiffness_min_N_per_um": number(-largest_finite(-mesh_stiffness), 1e-6),
        "mesh_stiffness_max_N_per_um": number(largest_finite(mesh_stiffness), 1e-6),
    }


def load_and_stress(samples: Samples, window: slice) -> dict[str, Any]:
    """Return contact ratio, load distribution and the greatest loads and stresses (over all positions or times)."""
    tooth_load = "tooth_load_high" if "tooth_load_high" in samples.layout else "tooth_load"
    thrust = _largest_of(samples, "contact_force", lambda force: np.abs(force[:, AXES.index("z")]))
    return {
        "contact_ratio_loaded": number(signals.loaded_contact_ratio(parts_of(samples, "tooth_load", window))),
        "tooth_load_max_N": number(float(_largest_of(samples, tooth_load))),
        "face_load_factor": number(signals.face_load_factor(parts_of(samples, "line_load", window))),
        "thrust_max_N": number(float(thrust)),
        "contact_pressure_max_MPa": number(float(_largest_of(samples, "contact_pressure")), 1e-6),
        "edge_pressure_max_MPa": number(float(_largest_of(samples, "edge_pressure")), 1e-6),
        "contact_shear_stress_max_MPa": number(_largest_shear_of_flanks(samples), 1e-6),
        "root_stress_principal_max_MPa": _by_gear_and_side(_extreme_principal(samples)),
        "root_stress_max_MPa": _by_gear_and_side(_largest_of(samples, "root_stress", keep=(1, 3))),
    }


def largest_stresses(samples: Samples) -> tuple[float, Array]:
    """Return the largest pressure of the flanks [Pa], and by gear and side (2, 2) the largest von Mises root stress.

    Sweeps do not keep pressures: NaN.
    """
    known = "contact_pressure" in samples.layout
    pressure = float(_largest_of(samples, "contact_pressure")) if known else math.nan
    return pressure, _largest_of(samples, "root_stress", keep=(1, 3))


def losses(samples: Samples, window: slice) -> dict[str, Any]:
    """Return the mean power lost by friction and damping of the engagement, and its efficiency.

    What the dampers of shafts and bearings take is not lost in the engagement, and left out. With P the mean power
    that the pinion gives to the wheel, 1 - loss/P; where the wheel drives, |P|/(|P| + loss). Null where nothing turns
    under load.
    """
    begin, end, _ = window.indices(len(samples))
    begin = max(begin - 1, 0)  # whole pitches lie between the samples, the one before included
    time, all_lost, outside = (
        [samples.read(name, i, i + 1) for i in (begin, end - 1)]
        for name in ("time", "energy_dissipated", "energy_dissipated_outside")
    )
    lost = [whole - part for whole, part in zip(all_lost, outside, strict=True)]
    duration = float(time[1][0] - time[0][0]) if end - begin > 1 else 0.0
    if not duration > 0.0:
        return {"power_loss_mean_W": None, "efficiency": None}
    power = float(lost[1][0] - lost[0][0]) / duration
    given, count = 0.0, 0
    for block in blocks(samples, ("contact_moment", "speed"), window):
        # the wheel brakes a pinion that drives
        given -= float(np.sum(block["contact_moment"][:, AXES.index("z")] * block["speed"][:, 0]))
        count += len(block["speed"])
    given /= max(count, 1)
    efficiency = math.nan
    if abs(given) > power:
        efficiency = 1.0 - power / given if given > 0.0 else -given / (power - given)
    return {"power_loss_mean_W": number(power), "efficiency": number(efficiency)}


def notable_efficiency(summary: Mapping[str, Any]) -> float | None:
    """Return the efficiency of a pair or mesh for tables; None where there is none and where next to nothing is lost.

    Without friction the damping of the engagement alone takes power, and its efficiency would be written as 1.

    Examples
    --------
    >>> notable_efficiency({"efficiency": 0.9934}), notable_efficiency({"efficiency": 0.9999998})
    (0.9934, None)
    """
    value = summary.get("efficiency")
    return None if value is None or 1.0 - value < LEAST_LOSS else float(value)


def contact_beside_roots(summary: Mapping[str, Any]) -> str:
    """Say in a sentence how large the contact stress of tip edges beside the roots is; nothing where none presses.

    Examples
    --------
    >>> contact_beside_roots({"root_contact_stress_max_MPa": {"pinion": {"tension": 470.2, "compression": None}}})
    'Contact stress of a tip edge beside the root, no root stress and as the grid has it: pinion 470 MPa (von Mises).'
    """
    found = {
        gear: max(known)
        for gear, sides in summary.get("root_contact_stress_max_MPa", {}).items()
        if (known := [value for value in sides.values() if value is not None])
    }
    if not found:
        return ""
    words = ", ".join(f"{gear} {value:.0f} MPa" for gear, value in found.items())
    return f"Contact stress of a tip edge beside the root, no root stress and as the grid has it: {words} (von Mises)."


def stress_cycle(cycle: StressRange | None) -> dict[str, Any]:
    """Return range, amplitude and mean of the root stress over the cycle of a tooth; null without a cycle."""
    if cycle is None:
        return {f"root_stress_{name}_MPa": None for name in ("range", "amplitude", "mean")}
    return {
        "root_stress_range_MPa": _by_gear_and_side(cycle.spread),
        "root_stress_amplitude_MPa": _by_gear_and_side(0.5 * cycle.spread),
        "root_stress_mean_MPa": _by_gear_and_side(cycle.mean),
    }


def point_maxima(samples: Samples, points: PointPlaces | None) -> dict[str, Any]:
    """Return the largest von Mises stress of each chosen point over all teeth; nothing where none was chosen."""
    if points is None:
        return {}
    names = zip(points.names, _largest_of(samples, "point_stress", keep=(1,)), strict=True)
    return {"point_stress_max_MPa": {name: number(float(value), 1e-6) for name, value in names}}


def _by_gear_and_side(stress: Any) -> dict[str, dict[str, float | None]]:
    return {gear: {side: number(stress[g][s], 1e-6) for s, side in enumerate(SIDES)} for g, gear in enumerate(GEARS)}


def parts_of(samples: Samples, name: str, window: slice) -> Callable[[], Iterator[Array]]:
    """Return what goes through a variable in a window, part by part, as often as it is called."""
    return lambda: (block[name] for block in blocks(samples, (name,), window))


def _largest_of(
    samples: Samples, name: str, of: Callable[[Array], Array] | None = None, keep: tuple[int, ...] = ()
) -> Array:
    """Return the largest finite value of a variable over all samples; NaN if there is none.

    Parameters
    ----------
    of : callable, optional
        What is taken of the variable, in place of it.
    keep : tuple of int
        Dimensions whose index the largest value is given with, beside the first one, 0.
    """
    shape = tuple(samples.layout[name].shape[dim - 1] for dim in keep)
    largest = np.full(shape, -np.inf)
    for block in blocks(samples, (name,)):
        values = block[name] if of is None else of(block[name])
        others = tuple(dim for dim in range(values.ndim) if dim not in keep)
        largest = np.maximum(largest, np.where(np.isfinite(values), values, -np.inf).max(axis=others, initial=-np.inf))
    return np.where(np.isneginf(largest), np.nan, largest)


def _extreme_principal(samples: Samples) -> Array:
    """Return the principal root stress of each gear (2, 2): the largest of its tension side, else the smallest."""
    high = _largest_of(samples, "root_stress_principal", keep=(1, 3))
    low = -_largest_of(samples, "root_stress_principal", np.negative, keep=(1, 3))
    return signals.principal_extremes(high, low)


def _largest_shear_of_flanks(samples: Samples) -> float:
    """Return the largest shear stress where no edge presses; NaN if there is none."""
    names = ("edge_pressure", "contact_pressure", "contact_shear_stress")
    largest = math.nan
    for edge, flank, shear in (block.values() for block in blocks(samples, names)):
        largest = float(np.fmax(largest, largest_finite(np.where(edge > flank, np.nan, shear))))
    return largest


def largest_finite(values: Array) -> float:
    """Return the largest finite value; NaN if there is none (``nanmax`` would warn)."""
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else math.nan


def number(value: float, factor: float = 1.0) -> float | None:
    """Return ``value * factor``, or None where JSON has no number for it."""
    return float(value) * factor if math.isfinite(value) else None
