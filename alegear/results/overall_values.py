"""What sums up a study of a pair: contact pattern, root stress of a cycle, how the load lies on the face."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from alegear.arrays import Array
from alegear.contact.wear import FlankSliding
from alegear.results import signals
from alegear.results.contact_pattern import contact_pattern
from alegear.results.root_fillet import RootFillet, StressRange
from alegear.results.summary import parts_of
from alegear.results.wear import SLIDING, Wear, WearSamples, pattern_names
from alegear.storage.recorded_samples import Samples


def overall_values(
    samples: Samples,
    wear: Wear | None,
    window: slice,
    *,
    flank_limit: Any,
    root_fillet: RootFillet | None,
    cycle: StressRange | None,
) -> dict[str, Any]:
    """Return what sums up a study, by the names of OVERALL, with the wear quantities where they are known.

    The contact pattern is that of the whole pitches in `window`; `cycle` is that of a tooth, if there is a whole one.
    """
    contact = samples if wear is None else WearSamples(samples, wear)
    slides = SLIDING if SLIDING in contact.layout else None
    pattern = contact_pattern(contact, window, flank_limit, further=pattern_names(contact), sign=slides)
    values: dict[str, Any] = {
        "flank_limit": np.asarray(flank_limit, dtype=float),
        "pattern_pressure": pattern.pressure,
        "pattern_edge_pressure": pattern.edge_pressure,
        "pattern_line_load": pattern.line_load,
        "roll_length": pattern.roll_length,
        **{f"pattern_{name}": values for name, values in pattern.further.items()},
        "face_load_factor": signals.face_load_factor(parts_of(samples, "line_load", window)),
        "load_mean": _mean_load(samples, window),
    }
    if root_fillet is not None:
        values["fillet_arc_length"] = root_fillet.arc_length
        values["fillet_tangent_angle"] = root_fillet.tangent
        values["face_position"] = root_fillet.face_position
    if cycle is not None:
        values["root_stress_range"] = cycle.spread
        values["root_stress_mean"] = cycle.mean
        values["root_critical_arc_length"] = cycle.arc_length
        values["root_critical_face_position"] = cycle.face_position
    if wear is not None:
        values["pattern_specific_sliding"] = _at_mid_face(wear.sliding, pattern.roll_length)
        values["base_radius"] = np.array([gear.r_b for gear in wear.sliding.pair.gears])
    return values


def _at_mid_face(sliding: FlankSliding, roll_length: Array) -> Array:
    """Specific sliding (2, n) at roll lengths (n,) of the pinion in the middle of the face."""
    rolling = sliding.rolling.of(roll_length[:, None, None])
    return np.stack(sliding.specific_sliding(rolling))[:, :, 0, 0]


def _mean_load(samples: Samples, window: slice) -> float:
    """Mean of the load of all pairs together in a window [N]; NaN of nothing."""
    total, count = 0.0, 0
    for load in parts_of(samples, "tooth_load", window)():
        total, count = total + float(np.nansum(load)), count + len(load)
    return total / count if count else math.nan
