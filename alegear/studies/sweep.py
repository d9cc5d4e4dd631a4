"""Sweep over the speed: one motion there, and back with the state carried over; statistics take the place of curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.case.sweep import SweepAnalysis
from alegear.recording.recorder import ContactRecorder
from alegear.results import signals
from alegear.results.samples import Samples
from alegear.results.sweep_result import SweepHistory
from alegear.studies.dynamic import DynamicStudy

Array = NDArray[np.float64]

ORDERS = (0.5, 1.0, 2.0, 3.0)  # of the mesh; a half is that of motions that repeat after two pitches
REST_POSITIONS = 32  # of a pitch, at which the pair at rest is looked at


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
    """Stretches of whole pitches after the settling, with the way that they are on: 1 there, -1 back."""
    first = int(np.searchsorted(time, analysis.settling))
    turn = len(time) if analysis.turn is None else int(np.searchsorted(time, analysis.turn))
    blocks: list[tuple[float, slice]] = []
    for way, begin, end in ((1.0, first, turn), (-1.0, turn, len(time))):
        stretches = signals.pitch_blocks(phase[begin:end], analysis.pitches)
        blocks += [(way, slice(begin + b.start, begin + b.stop)) for b in stretches]
    return blocks


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
            "transmission_error_peak_to_peak", "parted", "tooth_load_factor",
        )
    }  # fmt: skip
    orders, factors = np.full((n, len(ORDERS)), np.nan), np.full((n, 2), np.nan)
    for i, (_, b) in enumerate(blocks):
        te, load, stress = (
            samples.read(name, b.start, b.stop) for name in ("transmission_error", "tooth_load", "root_stress")
        )
        values["time"][i] = 0.5 * (time[b][0] + time[b][-1])
        values["mesh_frequency"][i] = np.ptp(phase[b]) / np.ptp(time[b])
        values["transmission_error_mean"][i] = signals.mean(te)
        values["transmission_error_rms"][i] = signals.rms(te)
        values["transmission_error_peak_to_peak"][i] = signals.peak_to_peak(te)
        values["parted"][i] = float(np.mean(~(load != 0.0).any(axis=1)))  # back flanks count negative
        orders[i] = signals.order_amplitudes(phase[b], te, ORDERS)
        if rest is not None:
            values["tooth_load_factor"][i] = float(load.max()) / rest.tooth_load
            factors[i] = [float(np.nanmax(stress[:, gear])) / rest.root_stress[gear] for gear in range(2)]
    return SweepHistory(
        orders=np.array(ORDERS),
        way=np.array([way for way, _ in blocks]),
        pinion_speed=values["mesh_frequency"] * of_pinion,
        transmission_error_order=orders,
        root_stress_factor=factors,
        **values,
    )
