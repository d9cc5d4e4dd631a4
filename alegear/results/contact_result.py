"""Contact of two gears at rest or in motion: samples in files or in memory, as a dataset or a file, and as a summary.

At positions everything by tooth pair is kept by pair. Of a motion it is kept by slot of the window, which stays in
space while the pairs pass through it, with the pair in each slot as ``slot_pair``: it grows with the duration, where an
array of times and all pairs would grow with its square. :func:`alegear.results.by_pair.by_pair` gives the view by pair.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array, Indices
from alegear.contact.numbering import GEARS
from alegear.results import signals, summary, variables
from alegear.results.dataset import UNNAMED, Identity, ResultArrays
from alegear.results.overall_values import overall_values
from alegear.results.point_places import PointPlaces
from alegear.results.root_fillet import RootFillet, StressRange
from alegear.results.steady_window import RAMP, SteadyWindow, window_of, window_of_positions
from alegear.results.wear import READ, Wear, wear_summary
from alegear.short_repr import ShortRepr
from alegear.storage.netcdf import Contents
from alegear.storage.recorded_samples import Kind, Layout, RecordedSamples, Samples
from alegear.storage.sample_file import write_samples

#: Pitches in each half of what is said to be steady from which the halves are compared; part by which their
#: transmission errors may differ, of their peak to peak and of the mean.
STEADY_PITCHES, STEADY, STEADY_OF_MEAN = 2, 0.1, 1e-3

#: What every motion has, by slot of the window; ``time`` beside it.
ALWAYS = {name: variables.by_slot(variable) for name, variable in (variables.SHARED | variables.MOTION).items()}
ALWAYS["slot_pair"] = variables.OF_MOTION["slot_pair"]
#: Those that there are only where a gear stands on a support that gives way.
BY_SUPPORTS = ("displacement", "tilt", "bearing_moment")
#: Every variable of positions, by pair; which of them there are depends on the case.
OF_POSITIONS = variables.SHARED | variables.FILLET | variables.SUPPORTS | variables.POINTS | variables.WEAR


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactHistory(ShortRepr):
    """Samples of the positions or the output times of a study. What was not computed is NaN.

    Every variable is an attribute too, which reads all of it: ``history.tooth_load``.

    Parameters
    ----------
    samples : Samples
        Variables of :data:`SHARED`, of a motion of :data:`MOTION` besides; of :data:`SUPPORTS`, :data:`FILLET` and
        :data:`POINTS` where the case has such. By slot of the window, with the pair in each as ``slot_pair``; by pair
        of positions, where `pairs` label them.
    slice_position : shape (n_slices,) [m]
        Axial position of the slices across the face.
    flank_limit : shape (2, 2) [m]
        Roll length on the pinion's flank at root form circle and tip of pinion and wheel.
    pairs : shape (n_pairs,) int, optional
        Of positions: labels of the tooth pairs. None of a motion.
    root_fillet : RootFillet, optional
        Positions of the root stress point by point, and its range.
    points : PointPlaces, optional
        Of the chosen points.
    wear : Wear, optional
        How sliding and the wear quantities are computed; without it they are left out.

    Raises
    ------
    ValueError
        If the shape of a variable does not fit.
    """

    samples: Samples
    slice_position: Array
    flank_limit: Array
    pairs: Indices | None = None
    root_fillet: RootFillet | None = None
    points: PointPlaces | None = None
    wear: Wear | None = None

    def __post_init__(self) -> None:
        shapes = {name: kind.shape for name, kind in self.samples.layout.items()}
        sizes = {"slot": self.n_slots, "pair": self.n_slots, "slice": len(self.slice_position)}
        for name, variable in (ALWAYS if self.moves else variables.SHARED).items():
            if shapes.get(name) != (expected := variable.shape(sizes)):
                raise ValueError(f"{name} has shape {shapes.get(name)} by sample, expected {expected}")
        if np.shape(self.flank_limit) != (2, 2):
            raise ValueError(f"flank_limit has shape {np.shape(self.flank_limit)}, expected (2, 2)")

    @classmethod
    def of(
        cls,
        values: Mapping[str, ArrayLike],
        *,
        slice_position: Array,
        flank_limit: Array,
        pairs: Indices | None = None,
        root_fillet: RootFillet | None = None,
        points: PointPlaces | None = None,
    ) -> ContactHistory:
        """History of arrays (n, ...) by the names of the variables, and of the other parameters.

        Raises
        ------
        ValueError
            Also if the arrays are not of the same length.
        """
        if pairs is not None:
            values = {**values, "slot_pair": np.tile(pairs, (len(np.asarray(values["phase"])), 1))}
        return cls(
            samples=RecordedSamples.of(values),
            slice_position=slice_position,
            flank_limit=flank_limit,
            pairs=pairs,
            root_fillet=root_fillet,
            points=points,
        )

    @property
    def moves(self) -> bool:
        """Whether it is a motion."""
        return self.pairs is None

    @property
    def analysis(self) -> str:
        """Kind of the analysis."""
        return "dynamic" if self.moves else "static"

    @property
    def n_slots(self) -> int:
        """Slots of the window, or tooth pairs of positions."""
        return self.samples.layout["slot_pair"].shape[0]

    def __len__(self) -> int:
        return len(self.samples)

    def __getattr__(self, name: str) -> Array:
        if name.startswith("__") or name not in self.samples.layout:
            raise AttributeError(f"a history has no {name}")
        return self.samples.read(name)

    def window(self, ramp: float = 0.0) -> SteadyWindow:
        """Positions or times that numbers are taken of: whole pitches, of a motion after the `ramp` [s]."""
        if self.moves:
            return window_of(self.samples.read("time"), self.samples.read("phase"), ramp)
        return window_of_positions(self.samples.read("phase"))

    def wear_values(self) -> dict[str, Array]:
        """Wear quantities over the positions, by the names of the variables; a motion has them on demand."""
        if self.wear is None or self.moves:
            return {}
        return self.wear.of({name: self.samples.read(name) for name in READ})

    @property
    def root_cycle(self) -> RootFillet | None:
        """Stress of the roots over the cycle of a tooth at rest; None of less than a pitch, and where it is unknown."""
        fillet = self.root_fillet
        if fillet is None or self.moves or not np.isfinite(fillet.highest).any():
            return None
        phase = self.samples.read("phase")  # each position stands for the step behind it; to round-off
        return fillet if len(phase) > 1 and len(phase) * (phase[1] - phase[0]) >= 1.0 - 1e-9 else None

    def stress_range(self) -> StressRange | None:
        """Range of the root stress at rest; None where there is no whole cycle of a tooth."""
        cycle = self.root_cycle
        return None if cycle is None else cycle.stress_range()


def sample_layout(
    n_slots: int,
    n_slices: int,
    *,
    points: tuple[int, int] | None = None,
    fillet: tuple[int, int] | None = None,
    supports: bool = False,
) -> Layout:
    """Return shape and type of the variables of a sample of a motion.

    Parameters
    ----------
    n_slots, n_slices : int
    points : (int, int), optional
        Numbers of points and of teeth.
    fillet : (int, int), optional
        Points along the root fillet and across the face, where the root stress is kept point by point.
    supports : bool
        Whether a gear stands on a support that gives way.
    """
    sizes = {"slot": n_slots, "slice": n_slices}
    sizes |= zip(("point", "tooth"), points or (), strict=False)
    sizes |= zip(("fillet", "face"), fillet or (), strict=False)
    layout = {"time": Kind(())}
    for name, variable in variables.OF_MOTION.items():
        if name in ALWAYS or (
            set(variable.dims) <= {*variables.SIZES, *sizes} and (supports or name not in BY_SUPPORTS)
        ):
            layout[name] = Kind(variable.shape(sizes), np.int64 if name == "slot_pair" else np.float64)
    return layout


def sample_bytes(layout: Layout) -> float:
    """Return the size of a sample [bytes]."""
    return float(sum(8 * int(np.prod(kind.shape)) for kind in layout.values()))


def contact_contents(history: ContactHistory, identity: Identity = UNNAMED, *, ramp: float = 0.0) -> Contents:
    """Return the contents of ``result.nc`` in memory, SI units.

    Dimensions ``position`` and ``pair``, of a motion ``time`` and ``slot``. The contact pattern is that of the pitches
    of :meth:`ContactHistory.window` after `ramp` [s].
    """
    samples = history.samples
    names = samples.layout if history.moves else [name for name in OF_POSITIONS if name in samples.layout]
    return _contents({name: samples.read(name) for name in names} | history.wear_values(), history, identity, ramp)


def write_contact(directory: Path, history: ContactHistory, identity: Identity = UNNAMED, *, ramp: float = 0.0) -> Path:
    """Write :func:`contact_contents` of a motion, whose samples are recorded ones, as ``result.nc``, chunk by chunk.

    Raises
    ------
    StorageFailure
    """
    samples = cast("RecordedSamples", history.samples)
    return write_samples(directory, samples, lambda values: _contents(values, history, identity, ramp))


def contact_summary(history: ContactHistory, facts: Mapping[str, Any], *, ramp: float = 0.0) -> dict[str, Any]:
    """Build ``summary.json`` of positions or of a motion.

    Statistics run over whole pitches; those of a motion, its losses and the loaded contact ratio, over the last ones
    within the second half of the time after the ramp, where the transient has died down, and where the speed changes to
    the end over the last four. The greatest load, pressure and stress run over all positions or times. Peak to peak and
    the greatest load of a motion are those of all steps; pressure and stress are those of the samples.

    Parameters
    ----------
    history : ContactHistory
    facts : mapping
        What the history does not know: nominal contact ratios, sizes, seconds, version, identity of the case.
    ramp : float [s]
        Duration of the run-up.
    """
    window, samples = history.window(ramp).part, history.samples
    return {
        "analysis": history.analysis,
        **summary.te_and_stiffness(samples, window),
        **{key: value for key, value in facts.items() if key.startswith("contact_ratio")},  # beside the loaded one
        **summary.load_and_stress(samples, window),
        **(summary.losses(samples, window) if history.moves else {}),
        **summary.point_maxima(samples, history.points),
        **summary.stress_cycle(history.stress_range()),
        **wear_summary(samples, history.wear),
        **facts,
    }


def transient_warnings(history: ContactHistory, ramp: float = 0.0) -> list[str]:
    """Warn of a transmission error that is another one in the two halves of the window that numbers are taken of.

    For motions at a speed and under a torque that stay. What is said to be steady may still die down, or repeat over a
    longer time than that.
    """
    window, _, steady = window_of(history.samples.read("time"), history.samples.read("phase"), ramp)
    if not steady:
        return []
    phase, error = (history.samples.read(name, window.start, window.stop) for name in ("phase", "transmission_error"))
    pitches = math.floor(0.5 * float(np.ptp(phase))) if len(phase) else 0
    if pitches < STEADY_PITCHES:
        return []
    parts = np.searchsorted(phase, [phase[-1] - 2.0 * pitches, phase[-1] - pitches], side="right")
    first, second = (1e6 * signals.peak_to_peak(half) for half in (error[parts[0] : parts[1]], error[parts[1] :]))
    if abs(first - second) <= max(STEADY * max(first, second), 1e6 * STEADY_OF_MEAN * abs(signals.mean(error))):
        return []
    return [
        f"transmission error: {first:.3g} um peak to peak in the first half of the evaluation window, "
        f"{second:.3g} um in the second: the transient has not decayed, or the motion repeats over a longer time "
        "(teeth that differ, beats, contact loss): raise duration_s, or the damping"
    ]


def _contents(values: Mapping[str, Any], history: ContactHistory, identity: Identity, ramp: float) -> Contents:
    """Contents of the samples of a history, or of none of them: :func:`alegear.storage.sample_file.write_samples`."""
    sample_dim, by_tooth = ("time", "slot") if history.moves else ("position", "pair")
    labels: dict[str, Any] = {
        "slice": np.asarray(history.slice_position, dtype=float),
        sample_dim: np.asarray(values["time"], dtype=float) if history.moves else np.arange(len(history)),
        by_tooth: np.arange(history.n_slots) if history.moves else np.asarray(history.pairs, dtype=np.int64),
        "gear": GEARS,
        "side": variables.SIDES,
        "axis": variables.AXES,
        "limit": variables.LIMITS,
        **({"diameter": variables.AXES[:2]} if "tilt" in values else {}),
    }
    overall = overall_values(
        history.samples,
        history.wear,
        history.window(ramp).part,
        flank_limit=history.flank_limit,
        root_fillet=history.root_fillet,
        cycle=history.stress_range(),
    )
    others = {name: variables.OVERALL[name].entry(value) for name, value in overall.items()}
    places = {} if history.points is None else history.points.coordinates
    return ResultArrays(
        analysis=history.analysis,
        variables=variables.OF_MOTION if history.moves else OF_POSITIONS,
        sample_dim=sample_dim,
        values={name: one for name, one in values.items() if name not in labels},
        labels=labels,
        words={"axis": "axis of the pinion's frame"},
        coordinates=places | {name: others.pop(name) for name in variables.COORDINATES if name in others},
        others=others,
        attributes={RAMP: ramp} if history.moves else {},
    ).contents(identity)
