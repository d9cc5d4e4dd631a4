"""Sweep over the speed: a run-up, and a run-down from the state it ends in; statistics take the place of curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.case.sweep import SweepAnalysis, resolved_orders
from alegear.recording.recorder import ContactRecorder
from alegear.results import signals
from alegear.results.sweep_result import SweepHistory
from alegear.storage.recorded_samples import Samples
from alegear.studies.dynamic import DynamicStudy

Array = NDArray[np.float64]

HALF = 0.5  # order of motions that repeat after two pitches
REST_POSITIONS = 32  # of a pitch, at which the pair at rest is looked at
#: Variables by order, and the samples they are taken of.
OF_ORDERS = {
    "transmission_error_order": "transmission_error",
    "bearing_force_order": "bearing_force",
    "bearing_displacement_order": "displacement",
}


@dataclass(frozen=True, kw_only=True)
class PairAtRest:
    """Largest tooth load [N] and root stress of both gears [Pa] over a pitch at rest."""

    tooth_load: float
    root_stress: tuple[float, float]

    @classmethod
    def of(cls, study: DynamicStudy, positions: int = REST_POSITIONS) -> PairAtRest:
        """Solve so many static positions of a study."""
        recorder = ContactRecorder(contact=study.recorder.contact, wheels=study.recorder.wheels)
        guess = None
        for phase in -0.5 + np.arange(positions) / positions:
            first_pair = study.window.first_pair(float(phase))
            position = study.solver.solve(float(phase), first_pair, guess)
            guess = position.deflection
            recorder.add(position.forces, first_pair)
        return cls.of_recorder(recorder)

    @classmethod
    def of_recorder(cls, recorder: ContactRecorder) -> PairAtRest:
        """From positions that were recorded."""
        stress = recorder.root_stress
        return cls(
            tooth_load=float(recorder.tooth_load.max()),
            root_stress=(float(np.nanmax(stress[:, 0])), float(np.nanmax(stress[:, 1]))),
        )


def sweep_history(study: DynamicStudy, *, idle: bool) -> SweepHistory:
    """Statistics of what a study has recorded so far, over stretches of whole pitches after the settling.

    Parameters
    ----------
    study : DynamicStudy
        Of a `SweepAnalysis`.
    idle : bool
        Whether the pair carries no load, so that there is nothing at rest to compare with.
    """
    study.recorder.flush()
    rest = None if idle else PairAtRest.of(study)
    assert isinstance(study.analysis, SweepAnalysis)
    return pair_response(study.samples, study.analysis, rest, study.solver.contact.pair.pinion.z)


def stretches_of(analysis: SweepAnalysis, time: Array, phase: Array) -> list[tuple[float, slice]]:
    """Stretches of whole pitches after the settling, with the sign of the change of speed: 1 run-up, -1 run-down."""
    first = int(np.searchsorted(time, analysis.settling))
    reversal_time = len(time) if analysis.reversal_time is None else int(np.searchsorted(time, analysis.reversal_time))
    blocks: list[tuple[float, slice]] = []
    for begin, end in ((first, reversal_time), (reversal_time, len(time))):
        stretches = signals.pitch_blocks(phase[begin:end], analysis.pitches)
        direction = _direction(time[begin:end], phase[begin:end])
        blocks += [(direction, slice(begin + b.start, begin + b.stop)) for b in stretches]
    return blocks


def _direction(time: Array, phase: Array) -> float:
    """Whether the speed rises, 1, or falls, -1: at half the time less of the phase has gone by, or more."""
    if len(time) < 2:
        return 1.0
    middle = float(np.interp(0.5 * (time[0] + time[-1]), time, phase))
    return 1.0 if middle <= 0.5 * (phase[0] + phase[-1]) else -1.0


def told_orders(analysis: SweepAnalysis) -> Array:
    """Reported orders of the mesh: one half, and 1, 2, ... as many as the analysis has."""
    return np.array([HALF, *range(1, analysis.highest_order + 1)], dtype=float)


def amplitudes_of(phase: Array, signal: Array, orders: Array) -> Array:
    """Amplitudes (m, ...) of orders in a stretch of signals (n, ...); NaN from where the samples do not resolve."""
    most = resolved_orders((len(phase) - 1) / float(np.ptp(phase)))
    found = np.full((len(orders), *signal.shape[1:]), np.nan)
    resolved = orders <= most
    found[resolved] = signals.order_amplitudes(phase, signal, orders[resolved].tolist())
    return found


def pair_response(samples: Samples, analysis: SweepAnalysis, rest: PairAtRest | None, teeth: int) -> SweepHistory:
    """Statistics of the samples of a pair, or of a mesh of a machine.

    Parameters
    ----------
    samples : Samples
    analysis : SweepAnalysis
    rest : PairAtRest or None
        None: there is nothing at rest to compare with.
    teeth : int
        Of the pinion.
    """
    time, phase = samples.read("time"), samples.read("phase")
    blocks = stretches_of(analysis, time, phase)
    n, of_pinion = len(blocks), 2.0 * np.pi / teeth
    values = {
        name: np.full(n, np.nan)
        for name in (
            "time", "mesh_frequency", "transmission_error_mean", "transmission_error_rms",
            "transmission_error_peak_to_peak", "contact_loss_share", "tooth_load_factor",
        )
    }  # fmt: skip
    orders, factors = told_orders(analysis), np.full((n, 2), np.nan)
    sampled = {name: of for name, of in OF_ORDERS.items() if of in samples.layout}
    by_order = {name: np.full((n, len(orders), *samples.layout[of].shape), np.nan) for name, of in sampled.items()}
    for i, (_, b) in enumerate(blocks):
        te, load, stress = (
            samples.read(name, b.start, b.stop) for name in ("transmission_error", "tooth_load", "root_stress")
        )
        values["time"][i] = 0.5 * (time[b][0] + time[b][-1])
        values["mesh_frequency"][i] = np.ptp(phase[b]) / np.ptp(time[b])
        values["transmission_error_mean"][i] = signals.mean(te)
        values["transmission_error_rms"][i] = signals.rms(te)
        values["transmission_error_peak_to_peak"][i] = signals.peak_to_peak(te)
        values["contact_loss_share"][i] = float(np.mean(~(load != 0.0).any(axis=1)))  # back flanks count negative
        for name, of in sampled.items():
            by_order[name][i] = amplitudes_of(phase[b], samples.read(of, b.start, b.stop), orders)
        if rest is not None:
            values["tooth_load_factor"][i] = float(load.max()) / rest.tooth_load
            factors[i] = [float(np.nanmax(stress[:, gear])) / rest.root_stress[gear] for gear in range(2)]
    return SweepHistory(
        orders=orders,
        direction=np.array([direction for direction, _ in blocks]),
        pinion_speed=values["mesh_frequency"] * of_pinion,
        root_stress_factor=factors,
        **values,
        **by_order,
    )
