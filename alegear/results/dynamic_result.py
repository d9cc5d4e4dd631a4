"""What a dynamic study computed: samples in files or in memory, as a dataset or as a file, and as a summary.

Everything by tooth pair is kept by slot of the window, which stays in space while the pairs pass through it, with the
pair in each slot as ``slot_pair``: it grows with the duration, where an array of times and all pairs would grow with
its square. :func:`alegear.results.by_pair.by_pair` gives the view by pair.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.results import signals
from alegear.results.dataset import build_dataset, check_shapes, global_attributes
from alegear.results.point_history import PointPlaces
from alegear.results.root_fillet import RootFillet
from alegear.results.steady_window import RAMP, SteadyWindow, window_of
from alegear.results.summary import (
    RunFacts,
    load_and_stress,
    losses,
    point_maxima,
    run_facts,
    stress_cycle,
    te_and_stiffness,
)
from alegear.results.variables import MOTION, OF_MOTION, SHARED, SIZES, by_slot
from alegear.results.wear import Wear, overall_with_wear, wear_summary
from alegear.short_repr import ShortRepr
from alegear.storage.recorded_samples import Kind, Layout, RecordedSamples, Samples
from alegear.storage.sample_file import write_samples

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

#: Pitches in each half of what is said to be steady from which the halves are compared; part by which their
#: transmission errors may differ, of their peak to peak and of the mean.
STEADY_PITCHES, STEADY, STEADY_OF_MEAN = 2, 0.1, 1e-3

#: What every motion has, by slot of the window; ``time`` beside it.
ALWAYS = {name: by_slot(variable) for name, variable in (SHARED | MOTION).items()}
ALWAYS["slot_pair"] = OF_MOTION["slot_pair"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DynamicHistory(ShortRepr):
    """Samples of the output times of a dynamic study. What was not computed is NaN.

    Every variable over time is an attribute too, which reads all of it: ``history.tooth_load``.

    Parameters
    ----------
    samples : Samples
        With the variables, by sample:

        - ``time`` [s], ``phase`` [1] of the driver,
        - ``angle``, ``speed``, ``acceleration`` : shape (2,) [rad, rad/s, rad/s2] of pinion and wheel, each positive in
          the running direction,
        - ``transmission_error`` [m], driven gear minus driver, negative under load; ``mesh_stiffness`` [N/m],
        - ``slot_pair`` : shape (n_slots,) int, the tooth pair in each slot of the window,
        - ``tooth_load`` : shape (n_slots,) [N],
        - ``line_load``, ``contact_pressure``, ``edge_pressure`` : shape (n_slots, n_slices) [N/m, Pa, Pa], pressure of
          the flanks, and of tip edges and undercut edges; 0 where none of them touches,
        - ``contact_half_width``, ``contact_shear_stress``, ``contact_roll_length`` : shape (n_slots, n_slices)
          [m, Pa, m]: half-width of the contact strip, largest shear stress below the surface, position on the pinion's
          flank; NaN where nothing touches,
        - ``contact_force``, ``contact_moment`` : shape (3,) [N, N m] on the pinion about the centre of its mid-face;
          the wheel gets the opposite force,
        - ``root_stress``, ``root_stress_principal`` : shape (2, n_slots, 2) [Pa] by gear, slot and side,
        - ``bearing_force`` : shape (2, 3) [N] of each gear on its bearing, axes of the pinion's frame,
        - ``energy_input``, ``energy_kinetic``, ``energy_elastic``, ``energy_dissipated``, its part
          ``energy_dissipated_outside`` in the dampers of shafts and bearings [J],
        - where a gear has an elastic support ``displacement`` (2, 3) [m], ``tilt`` (2, 2) [rad],
          ``bearing_moment`` (2, 2) [N m],
        - of a short study ``root_stress_fillet``, ``root_stress_fillet_principal`` : shape (2, n_slots, 2, n_fillet,
          n_face) [Pa],
        - with points ``point_stress``, ``point_stress_principal``, ``point_rotation`` : shape (n_points, n_teeth).
    slice_position : shape (n_slices,) [m]
    flank_limit : shape (2, 2) [m]
        Roll length on the pinion's flank at root form circle and tip of pinion and wheel.
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
    slice_position: Floats
    flank_limit: Floats
    root_fillet: RootFillet | None = None
    points: PointPlaces | None = None
    wear: Wear | None = None

    def __post_init__(self) -> None:
        shapes = {name: kind.shape for name, kind in self.samples.layout.items()}
        sizes = {"slot": self.n_slots, "slice": len(self.slice_position)}
        check_shapes(shapes, ALWAYS, sizes, self.flank_limit)

    @classmethod
    def of(
        cls,
        values: Mapping[str, ArrayLike],
        *,
        slice_position: Floats,
        flank_limit: Floats,
        root_fillet: RootFillet | None = None,
        points: PointPlaces | None = None,
    ) -> DynamicHistory:
        """History of arrays (n, ...) by the names of the variables, and of the other parameters."""
        return cls(
            samples=RecordedSamples.of(values),
            slice_position=slice_position,
            flank_limit=flank_limit,
            root_fillet=root_fillet,
            points=points,
        )

    @property
    def n_slots(self) -> int:
        """Slots of the window."""
        return self.samples.layout["slot_pair"].shape[0]

    def __len__(self) -> int:
        return len(self.samples)

    def __getattr__(self, name: str) -> Floats:
        if name.startswith("__") or name not in self.samples.layout:
            raise AttributeError(f"a dynamic history has no {name}")
        return self.samples.read(name)


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
    for name, variable in OF_MOTION.items():
        if name in ALWAYS or (set(variable.dims) <= {*SIZES, *sizes} and (supports or not _of_supports(name))):
            layout[name] = Kind(variable.shape(sizes), np.int64 if name == "slot_pair" else np.float64)
    return layout


def _of_supports(name: str) -> bool:
    return name in ("displacement", "tilt", "bearing_moment")


def sample_bytes(layout: Layout) -> float:
    """Return the size of a sample [bytes]."""
    return float(sum(8 * int(np.prod(kind.shape)) for kind in layout.values()))


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What the attributes of a result say of it.

    Parameters
    ----------
    title, case_sha256 : str
    complete : bool
        False marks what a failed analysis left.
    extra : mapping
        Further global attributes (strings and numbers).
    """

    title: str = ""
    case_sha256: str = ""
    complete: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)


def dynamic_dataset(history: DynamicHistory, identity: Identity | None = None, *, ramp: float = 0.0) -> xr.Dataset:
    """Build the dataset of ``result.nc`` in memory, dimensions ``time`` and ``slot``, SI units.

    The contact pattern is that of the pitches of :func:`steady_window` after `ramp` [s].
    """
    samples = history.samples
    return _dataset({name: samples.read(name) for name in samples.layout}, history, identity or Identity(), ramp)


def write_dynamic(
    directory: Path, history: DynamicHistory, identity: Identity | None = None, *, ramp: float = 0.0
) -> Path:
    """Write :func:`dynamic_dataset` as ``result.nc``, by :func:`alegear.storage.sample_file.write_samples`.

    Parameters
    ----------
    directory : Path
        An existing folder.
    history : DynamicHistory
        Its samples are recorded ones.
    identity : Identity, optional
    ramp : float [s]

    Raises
    ------
    StorageFailure
    """
    samples = cast("RecordedSamples", history.samples)
    return write_samples(directory, samples, lambda values: _dataset(values, history, identity or Identity(), ramp))


def dynamic_summary(history: DynamicHistory, facts: RunFacts, *, ramp: float = 0.0) -> dict[str, Any]:
    """Build ``summary.json`` of a dynamic study.

    Means, peak to peak, losses and the loaded contact ratio run over the last whole pitches within the second half of
    the time after the ramp, where the transient has died down, and where the speed changes to the end over the last
    four; the greatest load, pressure and stress run over all times. Peak to peak and the greatest load are those of all
    steps; pressure and stress are those of the samples.

    Parameters
    ----------
    history : DynamicHistory
    facts : RunFacts
    ramp : float [s]
        Duration of the run-up.
    """
    window, samples = steady_window(history, ramp), history.samples
    return {
        "analysis": "dynamic",
        **te_and_stiffness(samples, window),
        **load_and_stress(samples, window, facts),
        **losses(samples, window),
        **point_maxima(samples, history.points),
        **stress_cycle(None),
        **wear_summary(samples, history.wear),
        **run_facts(facts),
    }


def steady_window(history: DynamicHistory, ramp: float = 0.0) -> slice:
    """Return the times of :func:`alegear.results.steady_window.window_of`."""
    return _window(history, ramp).part


def _window(history: DynamicHistory, ramp: float) -> SteadyWindow:
    return window_of(history.samples.read("time"), history.samples.read("phase"), ramp)


def transient_warnings(history: DynamicHistory, ramp: float = 0.0) -> list[str]:
    """Warn of a transmission error that is another one in the two halves of :func:`steady_window`.

    For motions at a speed and under a torque that stay. What is said to be steady may still die down, or repeat over a
    longer time than that.
    """
    window, _, steady = _window(history, ramp)
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


def _dataset(values: Mapping[str, Any], history: DynamicHistory, identity: Identity, ramp: float) -> xr.Dataset:
    window = steady_window(history, ramp)
    return build_dataset(
        values,
        OF_MOTION,
        sample_dim="time",
        labels={
            "time": np.asarray(values["time"], dtype=float),
            "slot": np.arange(history.n_slots),
            "slice": np.asarray(history.slice_position, dtype=float),
        },
        overall=overall_with_wear(
            history.samples,
            history.wear,
            window,
            flank_limit=history.flank_limit,
            root_fillet=history.root_fillet,
            cycle=None,
        ),
        points=history.points,
        attrs=global_attributes(
            "dynamic",
            title=identity.title,
            case_sha256=identity.case_sha256,
            complete=identity.complete,
            extra={RAMP: ramp, **identity.extra},
        ),
    )
