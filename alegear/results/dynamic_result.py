"""What a dynamic study computed, as plain arrays, as a dataset and as a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.results import signals
from alegear.results._variables import MOTION, SHARED, build_dataset, check_shapes
from alegear.results.point_history import PointHistory
from alegear.results.root_fillet import RootFillet
from alegear.results.summary import (
    RunFacts,
    load_and_stress,
    losses,
    point_maxima,
    run_facts,
    stress_cycle,
    te_and_stiffness,
)
from alegear.results.support_motion import SupportMotion

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class DynamicHistory:
    """Results of the output times of a dynamic study. What was not computed is NaN.

    Parameters
    ----------
    time : shape (n,) [s]
    phase : shape (n,) [1]
        Phase of the driver.
    angle, speed, acceleration : shape (n, 2) [rad, rad/s, rad/s2]
        Of pinion and wheel, each positive in the running direction.
    transmission_error : shape (n,) [m]
        Dynamic transmission error, driven gear minus driver, negative under load.
    mesh_stiffness : shape (n,) [N/m]
    pairs : shape (n_pairs,) int
    slice_position : shape (n_slices,) [m]
    tooth_load : shape (n, n_pairs) [N]
    line_load : shape (n, n_pairs, n_slices) [N/m]
    contact_pressure, edge_pressure : shape (n, n_pairs, n_slices) [Pa]
        Of the flanks, and of tip edges and undercut edges; 0 where none of them touches.
    contact_half_width, contact_shear_stress, contact_roll_length : shape (n, n_pairs, n_slices) [m, Pa, m]
        Half-width of the contact strip, largest shear stress below the surface, place on the pinion's flank; NaN where
        nothing touches.
    contact_force, contact_moment : shape (n, 3) [N, N m]
        On the pinion about the centre of its mid-face; the wheel gets the opposite force.
    flank_limit : shape (2, 2) [m]
        Roll length on the pinion's flank at root form circle and tip of pinion and wheel.
    root_stress, root_stress_principal : shape (n, 2, n_pairs, 2) [Pa]
    bearing_force : shape (n, 2, 3) [N]
        Force of each gear on its bearing, axes of the pinion's frame.
    energy_input, energy_kinetic, energy_elastic, energy_dissipated : shape (n,) [J]
    root_fillet : RootFillet, optional
        Root stress point by point.
    supports : SupportMotion, optional
        Where a gear stands on a support that gives way.
    points : PointHistory, optional
        Stress and motion of chosen points.
    """

    time: Floats
    phase: Floats
    angle: Floats
    speed: Floats
    acceleration: Floats
    transmission_error: Floats
    mesh_stiffness: Floats
    pairs: NDArray[np.int64]
    slice_position: Floats
    tooth_load: Floats
    line_load: Floats
    contact_pressure: Floats
    edge_pressure: Floats
    contact_half_width: Floats
    contact_shear_stress: Floats
    contact_roll_length: Floats
    contact_force: Floats
    contact_moment: Floats
    flank_limit: Floats
    root_stress: Floats
    root_stress_principal: Floats
    bearing_force: Floats
    energy_input: Floats
    energy_kinetic: Floats
    energy_elastic: Floats
    energy_dissipated: Floats
    root_fillet: RootFillet | None = None
    supports: SupportMotion | None = None
    points: PointHistory | None = None

    def __post_init__(self) -> None:
        check_shapes(self, len(self.time), SHARED | MOTION)


def dynamic_dataset(
    history: DynamicHistory,
    *,
    title: str = "",
    case_sha256: str = "",
    complete: bool = True,
    extra_attrs: dict[str, Any] | None = None,
    ramp: float = 0.0,
) -> xr.Dataset:
    """Build the dataset of ``result.nc``, dimension ``time``, SI units.

    The contact pattern is that of the pitches of :func:`steady_window` after `ramp` [s].
    """
    return build_dataset(
        history,
        SHARED | MOTION,
        lead="time",
        window=steady_window(history, ramp),
        title=title,
        case_sha256=case_sha256,
        complete=complete,
        extra_attrs={"analysis": "dynamic"} | (extra_attrs or {}),
    )


def dynamic_summary(history: DynamicHistory, facts: RunFacts, *, ramp: float = 0.0) -> dict[str, Any]:
    """Build ``summary.json`` of a dynamic study.

    Means, peak to peak, losses and the loaded contact ratio run over the last whole pitches within the second half of
    the time after the ramp, where the transient has died down; the greatest load, pressure and stress run over
    all times.

    Parameters
    ----------
    history : DynamicHistory
    facts : RunFacts
    ramp : float [s]
        Duration of the run-up.
    """
    window = steady_window(history, ramp)
    return {
        "analysis": "dynamic",
        **te_and_stiffness(history, window),
        **load_and_stress(history, window, facts),
        **losses(history, window),
        **point_maxima(history.points),
        **stress_cycle(None),
        **run_facts(facts),
    }


def steady_window(history: DynamicHistory, ramp: float = 0.0) -> slice:
    """Return the last whole pitches within the second half of the time after the ramp."""
    if len(history.time) == 0:
        return slice(0, 0)
    end = float(history.time[-1])
    begin = 0.5 * (min(ramp, end) + end)
    start = int(np.searchsorted(history.time, begin))
    inner = signals.whole_pitches(history.phase[start:])
    return slice(start + inner.start, start + inner.stop)
