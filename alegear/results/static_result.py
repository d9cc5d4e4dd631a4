"""What a static study computed, as plain arrays, as a dataset and as a summary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.results import signals
from alegear.results.dataset import build_dataset, check_shapes, global_attributes
from alegear.results.point_history import PointHistory
from alegear.results.root_fillet import RootFillet, StressRange
from alegear.results.summary import (
    RunFacts,
    load_and_stress,
    point_maxima,
    run_facts,
    stress_cycle,
    te_and_stiffness,
)
from alegear.results.support_motion import SupportMotion
from alegear.results.variables import FILLET, POINTS, SHARED, SUPPORTS, WEAR
from alegear.results.wear import READ, Wear, overall_with_wear, wear_summary
from alegear.short_repr import ShortRepr
from alegear.storage.recorded_samples import RecordedSamples

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class StaticHistory(ShortRepr):
    """Results of the positions of a static study. What was not computed is NaN.

    Parameters
    ----------
    phase : shape (n,) [1]
        Phase of the driven gear, -0.5 + i / positions_per_pitch.
    transmission_error : shape (n,) [m]
        Driven gear minus driver along the line of action, negative under load.
    mesh_stiffness : shape (n,) [N/m]
    pairs : shape (n_pairs,) int
        Labels of the tooth pairs, 0 the one at the pitch point at phase 0.
    slice_position : shape (n_slices,) [m]
        Axial position of the slices across the face.
    tooth_load : shape (n, n_pairs) [N]
        Sums over the pairs to torque / r_b of the pinion.
    line_load : shape (n, n_pairs, n_slices) [N/m]
    contact_pressure, edge_pressure : shape (n, n_pairs, n_slices) [Pa]
        Of the flanks, and of tip edges and undercut edges; 0 where none of them touches.
    contact_half_width, contact_shear_stress, contact_roll_length : shape (n, n_pairs, n_slices) [m, Pa, m]
        Half-width of the contact strip, largest shear stress below the surface, position on the pinion's flank; NaN
        where nothing touches.
    contact_force, contact_moment : shape (n, 3) [N, N m]
        On the pinion about the centre of its mid-face; the wheel gets the opposite force.
    flank_limit : shape (2, 2) [m]
        Roll length on the pinion's flank at root form circle and tip of pinion and wheel.
    root_stress, root_stress_principal : shape (n, 2, n_pairs, 2) [Pa]
        Gears pinion and wheel; sides tension and compression. The principal stress is signed.
    root_fillet : RootFillet, optional
        Root stress point by point.
    supports : SupportMotion, optional
        Where a gear has an elastic support.
    points : PointHistory, optional
        Stress and motion of chosen points.
    wear : Wear, optional
        How sliding and the wear quantities are computed; without it they are left out.
    """

    phase: Floats
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
    root_fillet: RootFillet | None = None
    supports: SupportMotion | None = None
    points: PointHistory | None = None
    wear: Wear | None = None

    def __post_init__(self) -> None:
        n = len(self.phase)
        for name in SHARED:
            if len(getattr(self, name)) != n:
                raise ValueError(f"{name} has shape {np.shape(getattr(self, name))}, expected {n} positions")
        if self.points is not None and len(self.points.von_mises) != n:
            raise ValueError(f"the points have {len(self.points.von_mises)} positions, expected {n}")
        sizes = {"pair": len(self.pairs), "slice": len(self.slice_position)}
        check_shapes({name: np.shape(getattr(self, name))[1:] for name in SHARED}, SHARED, sizes, self.flank_limit)

    def values(self) -> dict[str, Floats]:
        """Return everything over the positions, by the names of the variables."""
        found: dict[str, Floats] = {name: np.asarray(getattr(self, name), dtype=float) for name in SHARED}
        fillet = self.root_fillet
        if fillet is not None and fillet.von_mises is not None and fillet.principal is not None:
            found |= zip(FILLET, (fillet.von_mises, fillet.principal), strict=True)
        if self.supports is not None:
            found |= {name: getattr(self.supports, name) for name in SUPPORTS}
        if self.points is not None:
            found |= zip(POINTS, (self.points.von_mises, self.points.principal, self.points.rotation), strict=True)
        return found

    def wear_values(self) -> dict[str, Floats]:
        """Return the wear quantities over the positions, by the names of the variables."""
        return {} if self.wear is None else self.wear.of({name: self.samples.read(name) for name in READ})

    @cached_property
    def samples(self) -> RecordedSamples:
        """The positions as samples of a window of all pairs."""
        n = len(self.phase)
        return RecordedSamples.of({**self.values(), "slot_pair": np.tile(self.pairs, (n, 1))})

    def stress_range(self) -> StressRange | None:
        """Return the range of the root stress, None where there is no whole cycle of a tooth: less than a pitch."""
        fillet = self.root_fillet
        if fillet is None or not is_whole_pitch(self.phase) or not np.isfinite(fillet.highest).any():
            return None
        return fillet.stress_range()


def is_whole_pitch(phase: Floats) -> bool:
    """Whether positions at phases (n,) [pitches], each standing for the step behind it, reach over a pitch."""
    return len(phase) > 1 and bool(len(phase) * (phase[1] - phase[0]) >= 1.0 - 1e-9)  # round-off of the phases


def static_dataset(
    history: StaticHistory,
    *,
    title: str = "",
    case_sha256: str = "",
    complete: bool = True,
    extra_attrs: dict[str, Any] | None = None,
) -> xr.Dataset:
    """Build the dataset of ``result.nc``, dimension ``position``, SI units."""
    return build_dataset(
        history.values() | history.wear_values(),
        SHARED | SUPPORTS | FILLET | POINTS | WEAR,
        sample_dim="position",
        labels={
            "position": np.arange(len(history.phase), dtype=np.int64),
            "pair": np.asarray(history.pairs, dtype=np.int64),
            "slice": np.asarray(history.slice_position, dtype=float),
        },
        overall=overall_with_wear(
            history.samples,
            history.wear,
            signals.whole_pitches_uniform(history.phase),
            flank_limit=history.flank_limit,
            root_fillet=history.root_fillet,
            cycle=history.stress_range(),
        ),
        points=history.points,
        attrs=global_attributes("static", title=title, case_sha256=case_sha256, complete=complete, extra=extra_attrs),
    )


def static_summary(history: StaticHistory, facts: RunFacts) -> dict[str, Any]:
    """Build ``summary.json`` of a static study; statistics run over whole pitches.

    Parameters
    ----------
    history : StaticHistory
    facts : RunFacts
        What the history does not know: nominal contact ratio, sizes, seconds, identity of the case.
    """
    window = signals.whole_pitches_uniform(history.phase)
    return {
        "analysis": "static",
        **te_and_stiffness(history.samples, window),
        **load_and_stress(history.samples, window, facts),
        **point_maxima(history.samples, history.points),
        **stress_cycle(history.stress_range()),
        **wear_summary(history.samples, history.wear),
        **run_facts(facts),
    }
